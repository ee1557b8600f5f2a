"""What clients read of a store, in a form that can be kept and compared."""

import json
import urllib.error
import urllib.request

from stream_records import records_of

SIGNED = "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"


def call(server, operation, **parameters):
    """The reply, of operations that boto3 does not know."""
    prefix = "DynamoDBStreams_20120810" if "Stream" in operation else "DynamoDB_20120810"
    headers = {"X-Amz-Target": f"{prefix}.{operation}", "Authorization": SIGNED, "X-Amz-Date": "20260101T000000Z"}
    headers["Content-Type"] = "application/x-amz-json-1.0"
    with urllib.request.urlopen(urllib.request.Request(server.url, json.dumps(parameters).encode(), headers)) as reply:
        return json.loads(reply.read())


def knows(server, operation):
    """Whether there is such an operation."""
    try:
        call(server, operation)
        return True
    except urllib.error.HTTPError as error:
        return b"UnknownOperation" not in error.read()


def plainly(value):
    return json.dumps(value, sort_keys=True, default=lambda one: one.hex() if isinstance(one, bytes) else str(one))


def content_of(server):
    """All that there is in all tables: items, indexes, counts, streams, what is nearest to a vector."""
    client = server.client()
    streams = server.client("dynamodbstreams") if knows(server, "DescribeStream") else None
    read = {}
    for table in client.list_tables()["TableNames"]:
        described = client.describe_table(TableName=table)["Table"]
        rows = {"items": client.scan(TableName=table)["Items"]}
        for index in described.get("GlobalSecondaryIndexes", []) + described.get("LocalSecondaryIndexes", []):
            rows[index["IndexName"]] = client.scan(TableName=table, IndexName=index["IndexName"])["Items"]
        read[table] = {name: sorted(found, key=plainly) for name, found in rows.items()}
        read[table]["count"] = described["ItemCount"]
        if streams is not None:
            read[table]["records"] = records_of_table(streams, table)
        if table == "vectors":
            nearest = call(server, "SearchVectors", TableName=table, IndexName="near", SearchVector=[{"N": "9"}] * 3, TopK=9)
            read[table]["nearest"] = nearest["SearchResults"]
    return json.loads(plainly(read))


def account_of(server):
    """Its users, groups, roles and policies, and who has which access key."""
    iam = server.client("iam")
    read = iam.get_account_authorization_details()
    del read["ResponseMetadata"]
    users = [user["UserName"] for user in read["UserDetailList"]]
    read["keys"] = {user: iam.list_access_keys(UserName=user)["AccessKeyMetadata"] for user in users}
    return json.loads(plainly(read))


def records_of_table(streams, table):
    found = []
    for stream in streams.list_streams(TableName=table)["Streams"]:
        arn = stream["StreamArn"]
        for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
            for record in records_of(streams, arn, shard["ShardId"]):
                change = record["dynamodb"]
                found.append([record["eventName"], change["Keys"], change.get("OldImage"), change.get("NewImage")])
    return found
