"""UpdateTimeToLive, DescribeTimeToLive, and what becomes of items."""

import time

import pytest
import tables
from client import NOT_FOUND, NOT_NULL, at_least, at_most, expect_error, expect_validation
from client import ok, one, several, unsatisfied
from tables import fresh_table, index, plain, simple
from test_streams import all_records
from values import N, S

op = pytest.mark.op
UPDATE, DESCRIBE = "UpdateTimeToLive", "DescribeTimeToLive"
PAUSE = "Time to live has been modified multiple times within a fixed interval"


def specification(attribute="ttl", enabled=True):
    return {"TimeToLiveSpecification": {"AttributeName": attribute, "Enabled": enabled}}


def switch(name, attribute="ttl", enabled=True):
    return ok(UPDATE, TableName=name, **specification(attribute, enabled))


def described(name):
    return ok(DESCRIBE, TableName=name)["TimeToLiveDescription"]


def gone(name, key, within_s=30):
    """How long it takes until the item is gone."""
    began = time.monotonic()
    while "Item" in ok("GetItem", TableName=name, Key=key):
        assert time.monotonic() - began < within_s
        time.sleep(0.02)
    return time.monotonic() - began


@pytest.fixture
def table(new_table):
    return new_table(simple(fresh_table("ttl")))["TableName"]


@op(UPDATE, DESCRIBE, "DescribeTable")
def test_on(table):
    before = ok("DescribeTable", TableName=table)
    assert described(table) == {"TimeToLiveStatus": "DISABLED"}
    assert switch(table, "expires at") == specification("expires at")
    assert described(table) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires at"}
    assert ok("DescribeTable", TableName=table) == before


@op(UPDATE, DESCRIBE)
def test_what_is_so_already(table):
    expect_validation(UPDATE, {"TableName": table, **specification(enabled=False)}, "TimeToLive is already disabled")
    switch(table)
    other = "TimeToLive is active on a different AttributeName: current AttributeName is ttl"
    expect_validation(UPDATE, {"TableName": table, **specification()}, "TimeToLive is already enabled")
    expect_validation(UPDATE, {"TableName": table, **specification("other")}, other)
    expect_validation(UPDATE, {"TableName": table, **specification("other", False)}, other)
    assert described(table) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}


@op(UPDATE, DESCRIBE)
def test_the_pause_after_a_change(table):
    switch(table)
    expect_validation(UPDATE, {"TableName": table, **specification(enabled=False)}, PAUSE)
    assert described(table)["TimeToLiveStatus"] == "ENABLED"


@op(UPDATE, DESCRIBE)
def test_a_new_table_of_the_name_begins_anew(table, new_table):
    switch(table)
    tables.drop(table)
    new_table(simple(table))
    assert described(table) == {"TimeToLiveStatus": "DISABLED"}
    switch(table, "other")


@op(UPDATE, DESCRIBE)
def test_a_key_attribute_is_accepted(table):
    switch(table, "pk")
    assert described(table)["AttributeName"] == "pk"


@op(UPDATE, DESCRIBE)
def test_by_arn(table):
    arn = ok("DescribeTable", TableName=table)["Table"]["TableArn"]
    switch(arn)
    assert described(arn)["AttributeName"] == "ttl"


@op(UPDATE, DESCRIBE)
@pytest.mark.parametrize("operation", [UPDATE, DESCRIBE])
def test_no_table(operation):
    request = {"TableName": tables.ABSENT, **(specification(enabled=False) if operation == UPDATE else {})}
    expect_error(operation, request, NOT_FOUND, f"Requested resource not found: Table: {tables.ABSENT} not found")


NAME, ENABLED = "timeToLiveSpecification.attributeName", "timeToLiveSpecification.enabled"


@op(UPDATE)
@pytest.mark.parametrize(
    "wanted, faults",
    [
        (None, [unsatisfied(None, "timeToLiveSpecification", NOT_NULL)]),
        ({}, [unsatisfied(None, NAME, NOT_NULL), unsatisfied(None, ENABLED, NOT_NULL)]),
        ({"Enabled": True}, [unsatisfied(None, NAME, NOT_NULL)]),
        ({"AttributeName": "a"}, [unsatisfied(None, ENABLED, NOT_NULL)]),
        ({"AttributeName": "", "Enabled": True}, [unsatisfied("", NAME, at_least(1))]),
        ({"AttributeName": "a" * 256, "Enabled": False}, [unsatisfied("a" * 256, NAME, at_most(255))]),
    ],
)
def test_constraints(wanted, faults):
    request = {"TableName": tables.ABSENT, "TimeToLiveSpecification": wanted}
    expect_validation(UPDATE, request, several(*faults) if len(faults) > 1 else one(faults[0]))


@op(UPDATE, "PutItem", "GetItem", "UpdateItem", "BatchWriteItem", "TransactWriteItems", "Query")
def test_items_expire(new_table):
    request = plain(fresh_table("ttl"), {"pk": "S", "sk": "S"}, GlobalSecondaryIndexes=[index("glo", "sk")])
    name = new_table(request)["TableName"]
    now = int(time.time())

    def item(key, **more):
        return {"pk": S(key), "sk": S("x"), **more}

    ok("PutItem", TableName=name, Item=item("before", ttl=N(now - 5)))
    ok("PutItem", TableName=name, Item=item("later", ttl=N(now + 3600)))
    switch(name)
    ok("PutItem", TableName=name, Item=item("put", ttl=N(now - 5)))
    ok("BatchWriteItem", RequestItems={name: [{"PutRequest": {"Item": item("batch", ttl=N(now - 5))}}]})
    ok("TransactWriteItems", TransactItems=[{"Put": {"TableName": name, "Item": item("transaction", ttl=N(now - 5))}}])
    update = {"UpdateExpression": "SET #t = :t", "ExpressionAttributeNames": {"#t": "ttl"}}
    ok("UpdateItem", TableName=name, Key=item("updated"), **update, ExpressionAttributeValues={":t": N(now - 5)})
    ok("PutItem", TableName=name, Item=item("words", ttl=S(str(now - 5))))
    ok("PutItem", TableName=name, Item=item("old", ttl=N(now - 6 * 365 * 86400)))
    for key in ("before", "put", "batch", "transaction", "updated"):
        gone(name, item(key))
    left = ok("Query", TableName=name, IndexName="glo", KeyConditionExpression="sk = :x", ExpressionAttributeValues={":x": S("x")})
    assert sorted(found["pk"]["S"] for found in left["Items"]) == ["later", "old", "words"]
    assert ok("DescribeTable", TableName=name)["Table"]["ItemCount"] == 3


@op(UPDATE, "PutItem", "GetItem")
def test_an_item_is_there_until_its_second_has_come(table):
    switch(table)
    at = int(time.time()) + 2
    ok("PutItem", TableName=table, Item={"pk": S("a"), "ttl": N(at)})
    gone(table, {"pk": S("a")})
    assert at < time.time() < at + 30


@op(UPDATE, "GetRecords")
def test_a_stream_tells_who_deleted_the_item(new_table):
    stream = {"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"}
    made = new_table(simple(fresh_table("ttl"), StreamSpecification=stream))
    name = made["TableName"]
    switch(name)
    item = {"pk": S("a"), "ttl": N(int(time.time()) - 5)}
    ok("PutItem", TableName=name, Item=item)
    gone(name, {"pk": S("a")})
    put, removed = all_records(made["LatestStreamArn"])
    assert (put["eventName"], put.get("userIdentity")) == ("INSERT", None)
    assert (removed["eventName"], removed["dynamodb"]["OldImage"]) == ("REMOVE", item)
    assert removed["userIdentity"] == {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
