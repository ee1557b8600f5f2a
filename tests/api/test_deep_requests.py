"""Values nested past every limit, beside other faults; empty names; and the order in which actions are checked."""

import re

import pytest
from client import call, enum, expect_validation, one, unsatisfied
from tables import ABSENT
from values import S, nested

op = pytest.mark.op
NESTING = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)
EMPTY_NAME = "Empty attribute name"
SYNTAX = 'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"'
UNUSED = "Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}"
XOR = one(unsatisfied("XOR", "conditionalOperator", enum("OR", "AND")))
RETURN = enum("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW")
BOGUS = one(unsatisfied("BOGUS", "returnValues", RETURN))


def for_key(name):
    return f"ExpressionAttributeValues contains invalid value: {NESTING} for key {name}"


def key(pk="a"):
    return {"pk": S(pk) if isinstance(pk, str) else pk, "sk": S("1")}


def put(item, **more):
    return {"Put": {"TableName": ABSENT, "Item": item, **more}}


def delete(of, **more):
    return {"Delete": {"TableName": ABSENT, "Key": of, **more}}


def check(of, condition="attribute_exists(a)", **more):
    return {"ConditionCheck": {"TableName": ABSENT, "Key": of, "ConditionExpression": condition, **more}}


def update(of, expression, values):
    shape = {"TableName": ABSENT, "Key": of, "UpdateExpression": expression, "ExpressionAttributeValues": values}
    return {"Update": shape}


LONG_CONDITION = "a = :v" + " AND a = :v" * 373
LONG_UPDATE = "SET " + ", ".join(f"a{n} = :v" for n in range(500))
SIZE = "Expression size has exceeded the maximum allowed size;"
NAMELESS = {**key(), "": S("x")}

ACTIONS = [
    ([put({**key("b"), "d": nested(40)}), put(NAMELESS)], NESTING),
    ([put(NAMELESS), put({**key("b"), "d": nested(100)})], EMPTY_NAME),
    ([put({**key(), "": S("x"), "d": nested(100)})], EMPTY_NAME),
    ([put({**key(), "d": nested(100), "": S("x")})], EMPTY_NAME),
    ([put({**key(), "m": {"M": {"": S("x")}}, "d": nested(40)})], NESTING),
    ([put(NAMELESS), check(key("b"), "d = :d", ExpressionAttributeValues={":d": nested(100)})], EMPTY_NAME),
    ([check(key("b"), "d = :d", ExpressionAttributeValues={":d": nested(40)}), put(NAMELESS)], (for_key(":d"), NESTING)),
    ([update(key(), "SET d = :d", {":d": nested(40)}), put({**NAMELESS, **key("b")})], (for_key(":d"), NESTING)),
    ([delete(key(nested(40))), put(key(), ConditionExpression="a = = b")], NESTING),
    ([check(key(nested(40))), update(key(), "SET a = :v", {":v": S("x"), ":u": S("y")})], NESTING),
    ([put(key(), ConditionExpression="a = = b"), delete(key(nested(100)))], SYNTAX),
    ([delete(key(nested(100)), ConditionExpression="a = = b")], SYNTAX),
    (
        [delete(key(nested(100)), ConditionExpression=LONG_CONDITION, ExpressionAttributeValues={":v": S("x")})],
        f"Invalid ConditionExpression: {SIZE} expression size: 4109",
    ),
    ([update(key(), LONG_UPDATE, {":v": S("x")}), check(key(nested(100)))], f"Invalid UpdateExpression: {SIZE}"),
    ([update(key(), "SET a = :v", {":v": S("x"), ":u": S("y")}), check(key(nested(100)))], UNUSED),
]


@op("TransactWriteItems")
@pytest.mark.parametrize("actions, text", ACTIONS, ids=range(len(ACTIONS)))
def test_actions_are_checked_in_their_order(actions, text):
    expect_validation("TransactWriteItems", {"TransactItems": actions}, text)


TWO = {"a": {"Value": nested(100)}, "b": {"Exists": False}}
CASES = [
    ("PutItem", {"Item": key(), "Expected": TWO, "ConditionalOperator": "XOR"}, XOR),
    (
        "UpdateItem",
        {"Key": key(), "AttributeUpdates": {"x": {"Value": S("1")}}, "Expected": TWO, "ConditionalOperator": "XOR"},
        XOR,
    ),
    (
        "Scan",
        {
            "ScanFilter": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [nested(40)]}},
            "ConditionalOperator": "AND",
        },
        (NESTING, "ConditionalOperator can only be used when Filter or Expected has two or more elements"),
    ),
    (
        "Query",
        {
            "KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [S("a")]}},
            "QueryFilter": {"b": {"ComparisonOperator": "NULL"}, "c": {"ComparisonOperator": "NULL"}},
            "ConditionalOperator": "XOR",
        },
        (XOR, "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"),
    ),
    ("DeleteItem", {"Key": key(), "Expected": {"d": {"Value": nested(63)}}, "ReturnValues": "BOGUS"}, BOGUS),
    ("DeleteItem", {"Key": key(nested(100)), "ReturnValues": "BOGUS"}, BOGUS),
    (
        "DeleteItem",
        {
            "Key": key(),
            "ConditionExpression": "d = :d",
            "ExpressionAttributeValues": {":d": nested(100)},
            "ReturnValues": "UPDATED_NEW",
        },
        "ReturnValues can only be ALL_OLD or NONE",
    ),
    (
        "UpdateItem",
        {
            "AttributeUpdates": {"x": {"Value": S("1")}},
            "Expected": {"a": {"Exists": False}, "b": {"Exists": False}},
            "ConditionalOperator": "XOR",
        },
        "2 validation errors detected: " + XOR.split(": ", 1)[1] + "; Value null at 'key' failed to satisfy constraint: Member must not be null",
    ),
]


@pytest.mark.parametrize("operation, request_, text", CASES, ids=[f"{n}-{c[0]}" for n, c in enumerate(CASES)])
def test_deep_values_beside_other_faults(operation, request_, text):
    reply = call(operation, {"TableName": ABSENT, **request_})
    texts = text if isinstance(text, tuple) else (text,)
    faults = [set(re.split("[:;] ", t)) for t in texts]
    # The order in which two faults against the model are joined has been seen for one of these only.
    assert reply.message in texts or set(re.split("[:;] ", reply.message)) in faults, repr(reply)


@op("UpdateItem")
def test_the_conditional_operator_comes_before_the_missing_key():
    expected = {"a": {"Exists": False}, "b": {"Exists": False}}
    request = {"TableName": ABSENT, "Expected": expected, "ConditionalOperator": "XOR"}
    no_key = "Value null at 'key' failed to satisfy constraint: Member must not be null"
    text = "2 validation errors detected: " + XOR.split(": ", 1)[1] + "; " + no_key
    assert call("UpdateItem", request).message == text


@pytest.mark.parametrize("operation", ["PutItem", "BatchWriteItem", "UpdateItem", "GetItem", "Scan"])
@pytest.mark.parametrize("depth", [500, 3000])
def test_very_deep_values_are_refused_or_absent(operation, depth):
    deep = nested(depth)
    request = {
        "PutItem": {"TableName": ABSENT, "Item": {"pk": S("a"), "d": deep}},
        "BatchWriteItem": {"RequestItems": {ABSENT: [{"PutRequest": {"Item": {"pk": S("a"), "d": deep}}}]}},
        "UpdateItem": {"TableName": ABSENT, "Key": {"pk": S("a")}, "AttributeUpdates": {"d": {"Value": deep}}},
        "GetItem": {"TableName": ABSENT, "Key": {"pk": deep}},
        "Scan": {"TableName": ABSENT, "FilterExpression": "a = :v", "ExpressionAttributeValues": {":v": deep}},
    }[operation]
    import json
    import sys

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        body = json.dumps(request).encode()
    except RecursionError:
        pytest.skip("this Python cannot write so deep a request")
    finally:
        sys.setrecursionlimit(limit)
    assert call(operation, body).status == 400
    assert call("ListTables", {"Limit": 1}).status == 200
