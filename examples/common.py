"""Shared code of the Python examples: connecting, creating tables, plotting, and printing answers.

An example is a module with one function, `run(dynamodb)`. It creates its tables, writes its data, runs its queries
and returns a dictionary of questions, in English, and their answers.

    answers = chat_room.run(connect("http://localhost:8000"))
"""

import argparse
import json
import os
import sys

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.exceptions import ClientError, EndpointConnectionError
from botocore.httpsession import URLLib3Session

DEFAULT_ENDPOINT = "http://localhost:8000"
PATIENCE = {"retries": {"mode": "standard", "total_max_attempts": 3}}


def connect(endpoint_url):
    """The ordinary AWS SDK with Python's own values. Only the endpoint is Partita's."""
    return session().resource("dynamodb", endpoint_url=endpoint_url, config=Config(**PATIENCE))


def connect_client(endpoint_url):
    """The SDK's lower layer, for large amounts. Values have the form of DynamoDB's protocol: {"S": "text"}."""
    return session().client("dynamodb", endpoint_url=endpoint_url, config=Config(**PATIENCE))


def session():
    """The user's credentials and region, or dummies if there are none."""
    os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")  # Otherwise the search for credentials asks the network.
    os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
    found = boto3.Session()
    if found.get_credentials() is None:
        return boto3.Session(aws_access_key_id="local", aws_secret_access_key="local")
    return found


def index(name, key, projection="ALL"):
    """The description of a secondary index for CreateTable and UpdateTable."""
    return {"IndexName": name, "KeySchema": key_schema(key), "Projection": {"ProjectionType": projection}}


def key_schema(key):
    """A key such as {"ChatRoomID": "S", "ChatMessageIdentifier": "S"}: the partition key, then the sort key if any."""
    return [{"AttributeName": name, "KeyType": role} for name, role in zip(key, ("HASH", "RANGE"))]


def attribute_types(*keys):
    """The declared types of all key attributes. No other attribute has a declared type."""
    types = {name: type_ for key in keys for name, type_ in key.items()}
    return [{"AttributeName": name, "AttributeType": type_} for name, type_ in types.items()]


def fresh_table(dynamodb, name, key, index_keys=(), items=(), **more):
    """Creates a table with `items`. An older one of that name is deleted."""
    create_table(dynamodb.meta.client, name, key, index_keys, **more)
    table = dynamodb.Table(name)
    write(table, items)
    return table


def create_table(client, name, key, index_keys=(), **more):
    """Creates a table, on demand unless `more` has a BillingMode, and waits until it can be used. An older one of that
    name is deleted."""
    try:
        client.delete_table(TableName=name)
        wait(client, "table_not_exists", name)
    except client.exceptions.ResourceNotFoundException:
        pass
    client.create_table(
        TableName=name,
        KeySchema=key_schema(key),
        AttributeDefinitions=attribute_types(key, *index_keys),
        **{"BillingMode": "PAY_PER_REQUEST", **more},
    )
    wait(client, "table_exists", name)


def wait(client, state, table_name):
    """Waits until a table exists or is deleted, with a shorter delay than the SDK's 20 seconds."""
    client.get_waiter(state).wait(TableName=table_name, WaiterConfig={"Delay": 0.1, "MaxAttempts": 600})


def write(table, items):
    """Puts items through BatchWriteItem; the SDK forms batches and retries unprocessed items."""
    with table.batch_writer() as batch:
        for item in items:
            batch.put_item(Item=item)


def query(table, condition, **more):
    """All items of a Query, page after page."""
    items = []
    while True:
        page = table.query(KeyConditionExpression=condition, **more)
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        more["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def refusal(call, **request):
    """Makes a call that the database should refuse, and returns the error as `Name: text`."""
    try:
        call(**request)
    except ClientError as error:
        return f"{error.response['Error']['Code']}: {error.response['Error']['Message']}"
    return "accepted"


def partita(client, operation, **members):
    """A call that only Partita has, such as partita(client, "MoveClock", Seconds=60). Returns its reply."""
    request = AWSRequest("POST", client.meta.endpoint_url, data=json.dumps(members), headers={
        "X-Amz-Target": f"Partita_20261123.{operation}", "Content-Type": "application/x-amz-json-1.0"})
    SigV4Auth(session().get_credentials(), "dynamodb", client.meta.region_name).add_auth(request)
    answer = URLLib3Session().send(request.prepare())
    reply = json.loads(answer.content)
    if answer.status_code != 200:
        error = {"Code": reply["__type"].split("#")[-1], "Message": reply.get("message", reply.get("Message", ""))}
        raise ClientError({"Error": error}, operation)
    return reply


def plot(series, axis):
    """SVG: one line for each name in `series`, a value for each second or minute; `axis` says what they are."""
    width, height, left, bottom = 640, 320, 70, 40
    most = max(1, *(max(values) for values in series.values())) * 1.1
    steps = max(len(values) for values in series.values())

    def x(step):
        return left + (width - left - 20) * step / max(1, steps - 1)

    def y(units):
        return height - bottom - (height - bottom - 20) * units / most

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             f'font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for part in range(5):
        units = most * part / 4
        lines.append(f'<line x1="{left}" x2="{width - 20}" y1="{y(units):.1f}" y2="{y(units):.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{left - 8}" y="{y(units) + 4:.1f}" text-anchor="end">{units:,.0f}</text>')
    for (name, values), colour in zip(series.items(), ("#c0392b", "#2471a3")):
        points = " ".join(f"{x(step):.1f},{y(units):.1f}" for step, units in enumerate(values))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines.append(f'<text x="{x(len(values) - 1):.1f}" y="{y(values[-1]) - 6:.1f}" text-anchor="end" '
                     f'fill="{colour}">{name}</text>')
    lines.append(f'<text x="{(left + width) / 2}" y="{height - 10}" text-anchor="middle">{axis}</text>')
    return "\n".join(lines + ["</svg>"]) + "\n"


def show(answers):
    """Prints each question with its answer below it."""
    for question, answer in answers.items():
        print(question)
        for line in answer if isinstance(answer, list) else [answer]:
            print(f"    {line}")
        if answer == []:
            print("    (nothing)")


def main(run, description, connect=connect):
    """The command line of an example."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--endpoint-url", default=DEFAULT_ENDPOINT, help="where the server is (default %(default)s)")
    endpoint = parser.parse_args().endpoint_url
    try:
        show(run(connect(endpoint)))
    except EndpointConnectionError:
        sys.exit(f"Nothing answers at {endpoint}. Start the server with: ./dev up")
