"""What tests of throttling have in common: tables, how their capacity is taken, and what a refusal is."""

import pytest
from botocore.exceptions import ClientError
from server import running_server
from test_namespaces import ask
from waiting import wait_until

S, N = (lambda text: {"S": text}), (lambda number: {"N": str(number)})
BIG = "x" * 200_000  # 196 write units, and 49 read units
ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/"
TABLE_TEXT = ("The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
              "provisioning level with the UpdateTable API.")
INDEX_TEXT = ("The level of configured provisioned throughput for one or more global secondary indexes of the table was "
              "exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes "
              "with the UpdateTable API")
ON_DEMAND_TEXT = ("Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your "
                  "table or index so please try again shortly. If exceptions persist, check if you have a hot key: "
                  "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html")
HOT_INDEX_TEXT = ("Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is "
                  "automatically scaling your index so please try again shortly.")
MAXIMUM_TEXT = "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
PROVISIONED = "ProvisionedThroughputExceededException"
HOT = range(6)  # sort keys of the items of a hot key


def units(read, write):
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


def make_table(client, name, read=1000, write=10_000, index=None, local=False, **more):
    """With the key k and n. `index`: the units of a global index on g; `local`: with a local index on l."""
    attributes = [("k", "S"), ("n", "N")]
    if index:
        attributes.append(("g", "S"))
        more["GlobalSecondaryIndexes"] = [{
            "IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"}}]
        if "BillingMode" not in more:
            more["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"] = units(*index)
    if local:
        attributes.append(("l", "S"))
        more["LocalSecondaryIndexes"] = [{
            "IndexName": "by-l", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}]}]
    if "BillingMode" not in more:
        more["ProvisionedThroughput"] = units(read, write)
    client.create_table(TableName=name, **more, KeySchema=[{"AttributeName": "k", "KeyType": "HASH"},
                                                           {"AttributeName": "n", "KeyType": "RANGE"}],
                        AttributeDefinitions=[{"AttributeName": a, "AttributeType": t} for a, t in attributes])
    client.get_waiter("table_exists").wait(TableName=name)
    return name


def key(n, k="a"):
    return {"k": S(k), "n": N(n)}


def put(client, table, n, k="a", **attributes):
    client.put_item(TableName=table, Item={**key(n, k), **attributes})


def drain_writes(client, table, **attributes):
    """Of a table or index with one write unit: 300 are left, and 392 are taken, so it refuses for 92 seconds."""
    for n in (1, 2):
        put(client, table, n, big=S(BIG), **attributes)


def drain_reads(client, table, **query):
    """Of a table or index with one read unit. Writes items for it, with keys in several partitions."""
    for n in range(1, 5):
        put(client, table, n, f"k{n}", big=S(BIG), g=S("g"), l=S("l"))
    consistent = "IndexName" not in query or query["IndexName"] == "by-l"
    for _ in range(2 if consistent else 4):
        client.scan(TableName=table, ConsistentRead=consistent, **query)


def refusal(call, *arguments, **parameters):
    with pytest.raises(ClientError) as refused:
        call(*arguments, **parameters)
    return refused.value.response


def told(server, operation, **body):
    """The reply of a refused call, as it is on the wire."""
    status, found = ask(server, operation, body, prefix="DynamoDB_20120810.")
    assert status == 400, found
    return found


def assert_refused(response, code=PROVISIONED, text=TABLE_TEXT):
    assert (response["Error"]["Code"], response["Error"]["Message"]) == (code, text)
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 400


def reasons(found, member="ThrottlingReasons"):
    other = {"ThrottlingReasons": "throttlingReasons", "throttlingReasons": "ThrottlingReasons"}[member]
    assert other not in found
    return [(each["reason"], each["resource"]) for each in found[member]]


def succeeds(call, **parameters):
    try:
        call(**parameters)
    except ClientError:  # a change of a moment ago is not over
        return False
    return True


def make_hot(client, name, **more):
    """A table with six large items of the key "hot"."""
    table = make_table(client, name, 40_000, 40_000, **more)
    for n in HOT:
        wait_until(lambda n=n: succeeds(client.put_item, TableName=table, Item={**key(n, "hot"), "big": S(BIG)}))
    return table


@pytest.fixture(scope="module")
def strict():
    with running_server(in_memory=True, extra_args=["--capacity", "enforce"]) as started:
        yield started


@pytest.fixture(scope="module")
def client(strict):
    return strict.client()
