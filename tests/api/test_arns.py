"""ARNs in the place of a table's name: those of the caller's account and region are taken, and no others, wherever an
operation names a table."""

import pytest
import tables
from client import NOT_FOUND, VALIDATION, call, expect_error, expect_validation, ok, one, region
from tables import definitions, fresh_table, index, simple
from values import S

op = pytest.mark.op
KEY = {"pk": S("a")}
ACCOUNT = "123456789012"
HERE = f"arn:aws:dynamodb:{region()}:{ACCOUNT}:table/{{}}"
ELSEWHERE = f"arn:aws:dynamodb:ap-south-2:{ACCOUNT}:table/{{}}"
OTHER_PARTITION = f"arn:aws-cn:dynamodb:{region()}:{ACCOUNT}:table/{{}}"

# What each operation is sent beside the name of its table.
NAMING = {
    "DescribeTable": {},
    "UpdateTable": {"DeletionProtectionEnabled": True},
    "DeleteTable": {},
    "DescribeTimeToLive": {},
    "UpdateTimeToLive": {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}},
    "DescribeContinuousBackups": {},
    "DescribeKinesisStreamingDestination": {},
    "DescribeContributorInsights": {},
    "UpdateContributorInsights": {"ContributorInsightsAction": "ENABLE"},
    "ListContributorInsights": {},
    "GetItem": {"Key": KEY},
    "PutItem": {"Item": KEY},
    "UpdateItem": {"Key": KEY},
    "DeleteItem": {"Key": KEY},
    "Query": {"KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": S("a")}},
    "Scan": {},
}


def named(operation):
    """A request of the operation that names the table as it is told to."""
    return lambda name: {"TableName": name, **NAMING[operation]}


REQUESTS = {operation: (operation, named(operation)) for operation in NAMING} | {
    "BatchGetItem": ("BatchGetItem", lambda name: {"RequestItems": {name: {"Keys": [KEY]}}}),
    "BatchWriteItem": ("BatchWriteItem", lambda name: {"RequestItems": {name: [{"DeleteRequest": {"Key": KEY}}]}}),
    "TransactGetItems": ("TransactGetItems", lambda name: {"TransactItems": [{"Get": {"TableName": name, "Key": KEY}}]}),
    "a put in a transaction": ("TransactWriteItems", lambda name: {"TransactItems": [{"Put": {"TableName": name, "Item": KEY}}]}),
    "a delete in a transaction": ("TransactWriteItems", lambda name: {"TransactItems": [{"Delete": {"TableName": name, "Key": KEY}}]}),
}


@pytest.fixture(scope="module")
def table():
    """pk S; holds one item, and a stream."""
    name = fresh_table("arns")
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    for made in tables.standing(simple(name, StreamSpecification=stream)):
        tables.put(made, KEY)
        yield made
        assert tables.get(made, KEY) == KEY, "a request that was refused has deleted the item"


@pytest.mark.parametrize("operation, request_", REQUESTS.values(), ids=REQUESTS)
def test_an_arn_of_elsewhere_names_nothing_here(table, operation, request_):
    for arn, text in ((ELSEWHERE, "Invalid AWS region in '{}'"), (OTHER_PARTITION, "Invalid AWS partition in '{}'")):
        arn = arn.format(table)
        expect_validation(operation, request_(arn), one(text.format(arn)))


@pytest.mark.parametrize("operation, request_", REQUESTS.values(), ids=REQUESTS)
def test_an_arn_of_another_account(table, operation, request_):
    arn = HERE.format(table).replace(ACCOUNT, "210987654321")
    reply = expect_error(operation, request_(arn), "AccessDeniedException")
    if "TableName" in request_(arn) and operation in list(NAMING)[:10]:
        assert reply.message == "Access is denied"


@pytest.mark.parametrize("operation, request_", REQUESTS.values(), ids=REQUESTS)
def test_an_arn_of_what_is_no_table(table, operation, request_):
    arn = HERE.format(table)
    for other in (f"{arn}/index/one", f"{arn}/stream/2026-01-01T00:00:00.000", arn.replace(":table/", ":global-table/")):
        expect_validation(operation, request_(other), one(f"Invalid resource type in '{other}'"))
    reply = expect_error(operation, request_(arn.replace(":dynamodb:", ":sqs:")), VALIDATION)
    assert reply.message.startswith("1 validation error detected: ")


@op("ExecuteStatement", "ExecuteTransaction", "BatchExecuteStatement")
def test_statements_take_no_arn_of_elsewhere(table):
    for arn in (ELSEWHERE.format(table), OTHER_PARTITION.format(table), HERE.format(table) + "/index/one"):
        for statement in (f'SELECT * FROM "{arn}"', f"DELETE FROM \"{arn}\" WHERE pk = 'a'"):
            expect_error("ExecuteStatement", {"Statement": statement}, VALIDATION)
            expect_error("ExecuteTransaction", {"TransactStatements": [{"Statement": statement}]}, VALIDATION)
            reply = call("BatchExecuteStatement", {"Statements": [{"Statement": statement}]})
            assert reply.status == 400 or "Error" in reply.body["Responses"][0]


@op("DescribeTable", "GetItem")
def test_the_region_is_judged_before_the_table_is_looked_for():
    for operation, more in (("DescribeTable", {}), ("GetItem", {"Key": KEY})):
        arn = ELSEWHERE.format(tables.ABSENT)
        expect_validation(operation, {"TableName": arn, **more}, one(f"Invalid AWS region in '{arn}'"))
        reply = call(operation, {"TableName": HERE.format(tables.ABSENT), **more})
        assert reply.type == NOT_FOUND


@op("BatchGetItem", "GetItem", "DeleteTable", "DescribeTable")
def test_the_arn_of_a_table_is_as_good_as_its_name(new_table):
    name = fresh_table()
    arn = new_table(simple(name))["TableArn"]
    tables.put(name, KEY)
    assert ok("GetItem", TableName=arn, Key=KEY)["Item"] == KEY
    assert ok("BatchGetItem", RequestItems={arn: {"Keys": [KEY]}})["Responses"] == {arn: [KEY]}
    assert ok("DescribeTable", TableName=arn)["Table"]["TableName"] == name
    assert ok("DeleteTable", TableName=arn)["TableDescription"]["TableName"] == name


@op("DescribeStream", "GetShardIterator", "ListStreams")
def test_streams_are_those_of_the_region(table):
    arn = ok("DescribeTable", TableName=table)["Table"]["LatestStreamArn"]
    (shard, *_) = ok("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]
    for other in (arn.replace(region(), "ap-south-2"), arn.replace("arn:aws:", "arn:aws-cn:")):
        text = f"Requested resource not found: Stream: {other} not found"
        expect_error("DescribeStream", {"StreamArn": other}, NOT_FOUND, text)
        request = {"StreamArn": other, "ShardId": shard["ShardId"], "ShardIteratorType": "LATEST"}
        expect_error("GetShardIterator", request, NOT_FOUND, text)
    reply = call("DescribeStream", {"StreamArn": arn.replace(ACCOUNT, "210987654321")})
    assert reply.type == "AccessDeniedException"


@op("CreateTable", "ListTables")
def test_no_table_is_made_elsewhere():
    name = fresh_table()
    arn = ELSEWHERE.format(name)
    request = simple(arn, GlobalSecondaryIndexes=[index("glo", "g")])
    request["AttributeDefinitions"] = definitions(pk="S", g="S")
    expect_validation("CreateTable", request, one(f"Invalid AWS region in '{arn}'"))
    assert call("DescribeTable", {"TableName": name}).type == NOT_FOUND
