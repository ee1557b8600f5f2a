"""Requests with several faults: which of them is told."""

import re

import pytest
import tables
from client import CHECK_FAILED, INVALID, NOT_FOUND, NOT_VALID, SERIALIZATION, call, told
from tables import ABSENT, HASH, INDEXED, RANGE
from values import SS, N, S, nested

KEY = {"pk": S("a")}
SCHEMA = "The provided key element does not match the schema"
MIXED = re.compile("Can not use both expression and non-expression parameters in the same request: .*")
EXPECTED = {"a": {"Exists": True}}
BAD_EXPECTED = INVALID + "Value must be provided when Exists is true for Attribute: a"
SET = INVALID + "An string set  may not be empty"
SYNTAX = re.compile("Invalid (Condition|Filter|KeyCondition|Projection|Update)Expression: Syntax error; .*")
SIZE = "Item size has exceeded the maximum allowed size"
RV = "ReturnValues can only be ALL_OLD or NONE"
NAMES_ONLY = "ExpressionAttributeNames can only be specified when using expressions"
CONSTRAINT = re.compile("[1-9] validation errors? detected: .*")
ABSENT_TEXT = "Requested resource not found"
BIG = S("x" * 410_000)
EMPTY_KEY = NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"
VE = "ValidationException"

# Each request carries the fault that must be told and at least one that must not.
CASES = [
    ("PutItem", {"TableName": 1, "Item": KEY, "ReturnValues": "X"}, SERIALIZATION, None),
    ("PutItem", {"TableName": ABSENT, "Item": {"pk": SS()}, "ReturnValues": "X"}, VE, CONSTRAINT),
    ("PutItem", {"TableName": ABSENT, "Item": {"pk": SS()}, "Expected": {}, "ConditionExpression": ""}, VE, MIXED),
    ("PutItem", {"TableName": ABSENT, "Item": {"pk": SS()}, "ExpressionAttributeNames": {"#a": "a"}}, VE, NAMES_ONLY),
    ("PutItem", {"TableName": ABSENT, "Item": {"pk": SS()}, "ReturnValues": "ALL_NEW"}, VE, SET),
    ("PutItem", {"TableName": ABSENT, "Item": {"pk": SS(), "b": BIG}}, VE, SET),
    ("PutItem", {"TableName": ABSENT, "Item": {"pk": SS()}, "Expected": EXPECTED}, VE, SET),
    ("PutItem", {"TableName": ABSENT, "Item": {"pk": SS()}, "ConditionExpression": "="}, VE, SET),
    ("PutItem", {"TableName": ABSENT, "Item": {"pk": S("a"), "b": BIG}, "ReturnValues": "ALL_NEW"}, VE, RV),
    ("PutItem", {"TableName": ABSENT, "Item": KEY, "ReturnValues": "ALL_NEW", "Expected": EXPECTED}, VE, RV),
    ("PutItem", {"TableName": ABSENT, "Item": {"pk": S("a"), "b": BIG}, "Expected": EXPECTED}, VE, SIZE),
    ("PutItem", {"TableName": ABSENT, "Item": {"pk": S("a"), "b": BIG}, "ConditionExpression": "="}, VE, SIZE),
    ("PutItem", {"TableName": ABSENT, "Item": {"pk": S("a"), "b": BIG}}, VE, SIZE),
    ("PutItem", {"TableName": ABSENT, "Item": {}, "Expected": EXPECTED}, VE, BAD_EXPECTED),
    ("PutItem", {"TableName": ABSENT, "Item": {}, "ConditionExpression": "a ="}, VE, SYNTAX),
    ("PutItem", {"TableName": ABSENT, "Item": {}}, NOT_FOUND, ABSENT_TEXT),
    ("PutItem", {"TableName": HASH, "Item": {"pk": N(1)}, "ConditionExpression": "a = b"}, VE, INVALID + "Type mismatch for key pk expected: S actual: N"),
    ("PutItem", {"TableName": HASH, "Item": {"pk": S("none")}, "ConditionExpression": "a = b"}, CHECK_FAILED, None),
    ("PutItem", {"TableName": INDEXED, "Item": {"pk": S("x"), "owner": N(1)}}, VE, INVALID + "Missing the key sk in the item"),
    ("PutItem", {"TableName": INDEXED, "Item": {"pk": S("x"), "sk": S("1"), "owner": N(1)}, "ConditionExpression": "a = b"}, VE, INVALID + "Type mismatch for Index Key owner Expected: S Actual: N IndexName: by_owner"),
    ("GetItem", {"TableName": ABSENT, "Key": {"pk": SS()}, "ReturnConsumedCapacity": "X"}, VE, CONSTRAINT),
    ("GetItem", {"TableName": ABSENT, "Key": {"pk": SS()}, "AttributesToGet": ["a"], "ProjectionExpression": ""}, VE, MIXED),
    ("GetItem", {"TableName": ABSENT, "Key": {"pk": SS()}, "ExpressionAttributeNames": {"#a": "a"}}, VE, NAMES_ONLY),
    ("GetItem", {"TableName": ABSENT, "Key": {"pk": SS()}, "AttributesToGet": ["a", "a"]}, VE, SET),
    ("GetItem", {"TableName": ABSENT, "Key": {"pk": SS()}, "ProjectionExpression": "!"}, VE, SET),
    ("GetItem", {"TableName": ABSENT, "Key": {}, "ProjectionExpression": "a b"}, VE, SYNTAX),
    ("GetItem", {"TableName": ABSENT, "Key": {}}, NOT_FOUND, ABSENT_TEXT),
    ("GetItem", {"TableName": RANGE, "Key": {"pk": S("")}}, VE, SCHEMA),
    ("DeleteItem", {"TableName": ABSENT, "Key": {"pk": SS()}, "Expected": {}, "ConditionExpression": ""}, VE, MIXED),
    ("DeleteItem", {"TableName": ABSENT, "Key": {"pk": SS()}, "Expected": EXPECTED}, VE, SET),
    ("DeleteItem", {"TableName": ABSENT, "Key": {}, "Expected": EXPECTED}, VE, BAD_EXPECTED),
    ("DeleteItem", {"TableName": ABSENT, "Key": {}, "ConditionExpression": "a ="}, VE, SYNTAX),
    ("DeleteItem", {"TableName": ABSENT, "Key": {}}, NOT_FOUND, ABSENT_TEXT),
    ("DeleteItem", {"TableName": HASH, "Key": {}, "ConditionExpression": "a = b"}, VE, SCHEMA),
    ("DeleteItem", {"TableName": HASH, "Key": {"pk": S("")}, "ConditionExpression": "a = b"}, VE, EMPTY_KEY),
    ("UpdateItem", {"TableName": ABSENT, "Key": {"pk": SS()}, "AttributeUpdates": {}, "UpdateExpression": ""}, VE, MIXED),
    ("UpdateItem", {"TableName": ABSENT, "Key": {"pk": SS()}, "ExpressionAttributeNames": {"#a": "a"}}, VE, NAMES_ONLY),
    ("UpdateItem", {"TableName": ABSENT, "Key": {"pk": SS()}, "AttributeUpdates": {"a": {}}}, VE, SET),
    ("UpdateItem", {"TableName": ABSENT, "Key": {"pk": SS()}, "UpdateExpression": "SET"}, VE, SET),
    ("UpdateItem", {"TableName": ABSENT, "Key": KEY, "AttributeUpdates": {"a": {}}, "Expected": EXPECTED}, VE, INVALID + "Only DELETE action is allowed when no attribute value is specified"),
    ("UpdateItem", {"TableName": ABSENT, "Key": {}, "UpdateExpression": "SET", "ConditionExpression": "a ="}, VE, re.compile("Invalid UpdateExpression: .*")),
    ("UpdateItem", {"TableName": ABSENT, "Key": {}, "UpdateExpression": "REMOVE a", "ConditionExpression": "a ="}, VE, re.compile("Invalid ConditionExpression: .*")),
    ("UpdateItem", {"TableName": ABSENT, "Key": {}}, NOT_FOUND, ABSENT_TEXT),
    ("UpdateItem", {"TableName": HASH, "Key": {}, "UpdateExpression": "REMOVE pk"}, VE, (SCHEMA, INVALID + "Cannot update attribute pk. This attribute is part of the key")),
    ("UpdateItem", {"TableName": HASH, "Key": {"pk": S("none")}, "UpdateExpression": "SET a = b", "ConditionExpression": "attribute_exists(pk)"}, CHECK_FAILED, None),
    ("UpdateItem", {"TableName": HASH, "Key": {"pk": S("none")}, "UpdateExpression": "SET a.b = c", "ConditionExpression": "attribute_exists(pk)"}, CHECK_FAILED, None),
    ("Scan", {"TableName": ABSENT, "ScanFilter": {}, "FilterExpression": "", "TotalSegments": 1}, VE, MIXED),
    ("Scan", {"TableName": ABSENT, "AttributesToGet": ["a", "a"], "Segment": 1}, VE, INVALID + "Duplicate value in attribute name: a"),
    ("Scan", {"TableName": ABSENT, "ExclusiveStartKey": {"pk": N("x")}, "Segment": 1}, VE, "The parameter cannot be converted to a numeric value: x"),
    ("Scan", {"TableName": ABSENT, "Segment": 1, "FilterExpression": "a ="}, VE, re.compile("The TotalSegments parameter is required .*")),
    ("Scan", {"TableName": ABSENT, "FilterExpression": "a =", "ProjectionExpression": "!"}, VE, re.compile("Invalid FilterExpression: .*")),
    ("Scan", {"TableName": ABSENT, "IndexName": "nothing"}, NOT_FOUND, ABSENT_TEXT),
    ("Scan", {"TableName": INDEXED, "IndexName": "nothing", "ConsistentRead": True}, VE, "The table does not have the specified index: nothing"),
    ("Query", {"TableName": ABSENT, "KeyConditions": {}, "KeyConditionExpression": "", "Select": "COUNT"}, VE, MIXED),
    ("Query", {"TableName": ABSENT, "ExclusiveStartKey": {"pk": N("x")}}, VE, "The parameter cannot be converted to a numeric value: x"),
    ("Query", {"TableName": ABSENT, "KeyConditionExpression": "a =", "FilterExpression": "b ="}, VE, re.compile("Invalid (Key|Filter).*")),
    ("Query", {"TableName": ABSENT, "KeyConditionExpression": "sk = :a", "ExpressionAttributeValues": {":a": S("a")}}, NOT_FOUND, ABSENT_TEXT),
    ("Query", {"TableName": INDEXED, "IndexName": "nothing", "KeyConditionExpression": "zz = :a", "ExpressionAttributeValues": {":a": S("a")}}, VE, "The table does not have the specified index: nothing"),
    ("BatchWriteItem", {"RequestItems": {ABSENT: [{"PutRequest": {"Item": {"pk": SS()}}}]}}, VE, SET),
    ("BatchWriteItem", {"RequestItems": {ABSENT: [{"PutRequest": {"Item": {"pk": S("a"), "b": BIG}}}]}}, VE, SIZE),
    ("BatchWriteItem", {"RequestItems": {ABSENT: [{"PutRequest": {"Item": KEY}}, {"DeleteRequest": {"Key": KEY}}]}}, NOT_FOUND, ABSENT_TEXT),
    ("BatchGetItem", {"RequestItems": {ABSENT: {"Keys": [{"pk": SS()}]}}}, VE, SET),
    ("BatchGetItem", {"RequestItems": {ABSENT: {"Keys": [KEY, KEY]}}}, VE, "Provided list of item keys contains duplicates"),
    ("BatchGetItem", {"RequestItems": {ABSENT: {"Keys": [KEY], "ProjectionExpression": "!"}}}, VE, SYNTAX),
    ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": ABSENT, "Item": {"pk": SS()}}}]}, VE, SET),
    ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": ABSENT, "Item": {"pk": S("a"), "d": nested(40)}}}]}, VE, re.compile("Nesting Levels .*")),
    ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": ABSENT, "Item": KEY}}, {"Delete": {"TableName": ABSENT, "Key": KEY}}]}, NOT_FOUND, ABSENT_TEXT),
]


@pytest.mark.parametrize("operation, request_, name, text", CASES, ids=[f"{n}-{c[0]}" for n, c in enumerate(CASES)])
def test_what_is_told(operation, request_, name, text):
    reply = call(operation, request_)
    text = told(operation, text) if name == VE else text
    where = f"{operation} {str(request_)[:700]}\n  answered {reply!r}\n  instead of {name}: {text}"
    assert reply.type == name, where
    if isinstance(text, re.Pattern):
        assert text.fullmatch(reply.message), where
    elif isinstance(text, tuple):
        assert reply.message in text, where
    elif text is not None:
        assert reply.message == text, where


@pytest.mark.op("PutItem")
def test_nothing_is_written_by_any_of_them():
    assert tables.get(HASH, {"pk": S("none")}) is None
