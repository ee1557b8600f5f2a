"""Faults against the service's model: lengths, patterns, ranges, enums, required members, and how they are joined."""

import re

import pytest
import tables
from client import NAME_PATTERN, NOT_NULL, at_least, at_most, enum, expect_error, expect_validation, one
from client import NOT_FOUND, RETURN_VALUES, several, too_short, unsatisfied
from tables import ABSENT, HASH, RANGE, plain, simple
from values import N, S

RCC = enum("INDEXES", "TOTAL", "NONE")
RICM = enum("SIZE", "NONE")
RETURN = enum("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW")
OPERATOR = enum("OR", "AND")
COMPARISON = enum(
    *"IN NULL BETWEEN LT NOT_CONTAINS EQ GT NOT_NULL NE LE BEGINS_WITH GE CONTAINS".split()
)
SELECT = enum("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
KEY = {"pk": S("a")}

# The smallest request of each operation that has a table name, without it.
ITEM_CALLS = {
    "PutItem": {"Item": KEY},
    "GetItem": {"Key": KEY},
    "DeleteItem": {"Key": KEY},
    "UpdateItem": {"Key": KEY},
    "Query": {"KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": S("a")}},
    "Scan": {},
}
LONG = "a" * 256
NAME_FAULTS = [
    ("absent", None, one(unsatisfied(None, "tableName", NOT_NULL))),
    ("empty", "", one(unsatisfied("", "tableName", at_least(1)))),
    ("long", LONG, one(unsatisfied(LONG, "tableName", at_most(255)))),
    ("pattern", "bad name;", one(unsatisfied("bad name;", "tableName", NAME_PATTERN))),
]


@pytest.mark.parametrize("operation", ITEM_CALLS)
@pytest.mark.parametrize("what, name, text", NAME_FAULTS, ids=[fault[0] for fault in NAME_FAULTS])
def test_table_names_of_item_operations(operation, what, name, text):
    request = dict(ITEM_CALLS[operation])
    if name is not None:
        request["TableName"] = name
    expect_validation(operation, request, too_short("TableName") if name == "" and operation != "Scan" else text)


@pytest.mark.parametrize("operation", ITEM_CALLS)
def test_a_short_table_name_is_just_not_there(operation):
    expect_error(operation, {**ITEM_CALLS[operation], "TableName": "ab"}, NOT_FOUND, "Requested resource not found")


@pytest.mark.parametrize("operation", ["PutItem", "GetItem", "DeleteItem", "UpdateItem"])
@pytest.mark.parametrize("name", ["", "x!"])
def test_a_bad_name_beside_an_empty_key_is_one_fault(operation, name):
    member = "Item" if operation == "PutItem" else "Key"
    expect_validation(operation, {"TableName": name, member: {}}, re.compile("1 validation error detected: .*[tT]ableName.*"))


REQUIRED = [
    ("PutItem", {"TableName": HASH}, "item"),
    ("GetItem", {"TableName": HASH}, "key"),
    ("DeleteItem", {"TableName": HASH}, "key"),
    ("UpdateItem", {"TableName": HASH}, "key"),
    ("BatchGetItem", {}, "requestItems"),
    ("BatchWriteItem", {}, "requestItems"),
    ("TransactGetItems", {}, "transactItems"),
    ("TransactWriteItems", {}, "transactItems"),
    ("BatchGetItem", {"RequestItems": {HASH: {}}}, f"requestItems.{HASH}.member.keys"),
    ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": HASH}}]}, "transactItems.1.member.get.key"),
    ("TransactGetItems", {"TransactItems": [{"Get": {"Key": KEY}}]}, "transactItems.1.member.get.tableName"),
    ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": HASH}}]}, "transactItems.1.member.put.item"),
    ("TransactWriteItems", {"TransactItems": [{"Delete": {"TableName": HASH}}]}, "transactItems.1.member.delete.key"),
]


@pytest.mark.parametrize("operation, request_, member", REQUIRED, ids=[f"{r[0]}-{r[2][-12:]}" for r in REQUIRED])
def test_required_members(operation, request_, member):
    expect_validation(operation, request_, one(unsatisfied(None, member, NOT_NULL)))


@pytest.mark.parametrize("operation", ["CreateTable", "DeleteTable", "DescribeTable", "UpdateTable"])
def test_control_operations_ask_for_the_name_first(operation):
    text = "The parameter 'TableName' is required but was not present in the request"
    request = simple("x")
    del request["TableName"]
    expect_validation(operation, request if operation == "CreateTable" else {}, (text, one(unsatisfied(None, "tableName", NOT_NULL))))


@pytest.mark.op("CreateTable")
def test_name_is_the_first_thing_that_create_table_misses():
    expect_validation("CreateTable", {}, "The parameter 'TableName' is required but was not present in the request")


ENUMS = [
    ("PutItem", {"Item": KEY}, "ReturnConsumedCapacity", RCC),
    ("PutItem", {"Item": KEY}, "ReturnItemCollectionMetrics", RICM),
    ("PutItem", {"Item": KEY}, "ReturnValues", RETURN),
    ("GetItem", {"Key": KEY}, "ReturnConsumedCapacity", RCC),
    ("DeleteItem", {"Key": KEY}, "ReturnValues", RETURN),
    ("DeleteItem", {"Key": KEY}, "ReturnConsumedCapacity", RCC),
    ("DeleteItem", {"Key": KEY}, "ReturnItemCollectionMetrics", RICM),
    ("UpdateItem", {"Key": KEY}, "ReturnValues", RETURN),
    ("UpdateItem", {"Key": KEY}, "ReturnConsumedCapacity", RCC),
    ("UpdateItem", {"Key": KEY}, "ReturnItemCollectionMetrics", RICM),
    ("Query", ITEM_CALLS["Query"], "ReturnConsumedCapacity", RCC),
    ("Query", ITEM_CALLS["Query"], "Select", SELECT),
    ("Scan", {}, "Select", SELECT),
    ("Scan", {}, "ReturnConsumedCapacity", RCC),
]


@pytest.mark.parametrize("operation, request_, member, constraint", ENUMS, ids=[f"{e[0]}-{e[2]}" for e in ENUMS])
@pytest.mark.parametrize("value", ["BOGUS", "none"])
def test_enums(operation, request_, member, constraint, value):
    fault = unsatisfied(value, member[0].lower() + member[1:], constraint)
    fault = RETURN_VALUES if member == "ReturnValues" else fault
    expect_validation(operation, {"TableName": ABSENT, **request_, member: value}, one(fault))


LEGACY_ENUMS = [
    ("PutItem", {"Item": KEY, "Expected": {"a": {"ComparisonOperator": "X"}}}, "expected.a.member.comparisonOperator", COMPARISON),
    ("DeleteItem", {"Key": KEY, "Expected": {"a": {"ComparisonOperator": "X"}}}, "expected.a.member.comparisonOperator", COMPARISON),
    ("UpdateItem", {"Key": KEY, "Expected": {"a": {"ComparisonOperator": "X"}}}, "expected.a.member.comparisonOperator", COMPARISON),
    ("Query", {"KeyConditions": {"a": {"ComparisonOperator": "X"}}}, "keyConditions.a.member.comparisonOperator", COMPARISON),
    ("Query", {"QueryFilter": {"a": {"ComparisonOperator": "X"}}}, "queryFilter.a.member.comparisonOperator", COMPARISON),
    ("Scan", {"ScanFilter": {"a": {"ComparisonOperator": "X"}}}, "scanFilter.a.member.comparisonOperator", COMPARISON),
    ("UpdateItem", {"Key": KEY, "AttributeUpdates": {"a": {"Action": "X"}}}, "attributeUpdates.a.member.action", enum("ADD", "PUT", "DELETE")),
]


@pytest.mark.parametrize("operation, request_, member, constraint", LEGACY_ENUMS, ids=[f"{e[0]}-{e[2]}" for e in LEGACY_ENUMS])
def test_legacy_enums(operation, request_, member, constraint):
    expect_validation(operation, {"TableName": ABSENT, **request_}, one(unsatisfied("X", member, constraint)))


@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_comparison_operator_is_required(operation):
    member = "KeyConditions" if operation == "Query" else "ScanFilter"
    fault = unsatisfied(None, member[0].lower() + member[1:] + ".a.member.comparisonOperator", NOT_NULL)
    expect_validation(operation, {"TableName": ABSENT, member: {"a": {}}}, one(fault))


BAD = {"ReturnConsumedCapacity": "X", "ReturnItemCollectionMetrics": "Y", "ReturnValues": "Z"}


@pytest.mark.parametrize("operation", ["PutItem", "DeleteItem"])
def test_all_enum_faults_of_a_write_are_joined(operation):
    request = {"TableName": ABSENT, **ITEM_CALLS[operation], **BAD}
    reply = expect_validation(operation, request, re.compile("3 validation errors detected: .*"))
    faults = {RETURN_VALUES, unsatisfied("X", "returnConsumedCapacity", RCC), unsatisfied("Y", "returnItemCollectionMetrics", RICM)}
    assert set(reply.message.split(": ", 1)[1].split("; ")) == faults


@pytest.mark.op("UpdateItem")
def test_update_item_stops_at_its_return_values():
    request = {"TableName": ABSENT, **ITEM_CALLS["UpdateItem"], **BAD}
    expect_validation("UpdateItem", request, one(RETURN_VALUES))


@pytest.mark.parametrize("operation", ["PutItem", "DeleteItem", "UpdateItem"])
def test_an_empty_name_is_reported_alone(operation):
    expect_validation(operation, {"TableName": "", **ITEM_CALLS[operation], **BAD}, too_short("TableName"))


@pytest.mark.op("UpdateItem")
def test_faults_come_in_the_order_of_the_model():
    text = several(
        unsatisfied("INVALID", "returnConsumedCapacity", RCC),
        unsatisfied("", "tableName", at_least(1)),
        unsatisfied("INVALID", "returnValues", RETURN),
        unsatisfied(None, "key", NOT_NULL),
    )
    request = {"TableName": "", "ReturnConsumedCapacity": "INVALID", "ReturnValues": "INVALID"}
    expect_validation("UpdateItem", request, text)



@pytest.mark.parametrize("operation", ["BatchWriteItem", "TransactWriteItems"])
def test_enums_of_many_writes(operation):
    if operation == "BatchWriteItem":
        request = {"RequestItems": {HASH: [{"PutRequest": {"Item": KEY}}]}}
    else:
        request = {"TransactItems": [{"Put": {"TableName": HASH, "Item": KEY}}]}
    rcc = unsatisfied("BOGUS", "returnConsumedCapacity", RCC)
    ricm = unsatisfied("BOGUS", "returnItemCollectionMetrics", RICM)
    expect_validation(operation, {**request, "ReturnConsumedCapacity": "BOGUS"}, one(rcc))
    expect_validation(operation, {**request, "ReturnItemCollectionMetrics": "BOGUS"}, one(ricm))
    both = {"ReturnConsumedCapacity": "BOGUS", "ReturnItemCollectionMetrics": "BOGUS"}
    expect_validation(operation, {**request, **both}, several(rcc, ricm))


@pytest.mark.parametrize("operation", ["BatchGetItem", "TransactGetItems"])
def test_enums_of_many_reads(operation):
    if operation == "BatchGetItem":
        request = {"RequestItems": {ABSENT: {"Keys": [KEY]}}}
    else:
        request = {"TransactItems": [{"Get": {"TableName": ABSENT, "Key": KEY}}]}
    fault = unsatisfied("BOGUS", "returnConsumedCapacity", RCC)
    expect_validation(operation, {**request, "ReturnConsumedCapacity": "BOGUS"}, one(fault))


MAP_KEYS = f"Map keys must satisfy constraint: [{at_most(255)}, {at_least(3)}, {NAME_PATTERN}]"


@pytest.mark.op("BatchGetItem")
def test_a_bad_table_name_in_a_batch_of_reads():
    request = {"RequestItems": {"bad!name": {"Keys": [{"pk": {"S": "a"}}]}}}
    fault = unsatisfied('{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}', "requestItems", MAP_KEYS)
    expect_validation("BatchGetItem", request, one(fault))
    rcc = unsatisfied("BOGUS", "returnConsumedCapacity", RCC)
    expect_validation("BatchGetItem", {**request, "ReturnConsumedCapacity": "BOGUS"}, several(fault, rcc))


@pytest.mark.op("BatchWriteItem")
def test_a_bad_table_name_in_a_batch_of_writes():
    request = {"RequestItems": {"bad!name": [{"PutRequest": {"Item": {"pk": {"S": "x"}}}}]}}
    shown = r"'\{bad!name=\[WriteRequest\(putRequest=PutRequest\(item=\{pk=.+\}.*\)\]\}'"
    text = "1 validation error detected: Value " + shown + re.escape(" at 'requestItems' failed to satisfy constraint: " + MAP_KEYS)
    expect_validation("BatchWriteItem", request, re.compile(text))
    rcc = unsatisfied("BOGUS", "returnConsumedCapacity", RCC)
    expect_validation("BatchWriteItem", {**request, "ReturnConsumedCapacity": "BOGUS"}, one(rcc))


RANGES = [
    ("Query", {"TableName": HASH, **ITEM_CALLS["Query"], "Limit": 0}, "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1"),
    ("Query", {"TableName": HASH, **ITEM_CALLS["Query"], "Limit": -1}, "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1"),
    ("Scan", {"TableName": HASH, "Limit": 0}, unsatisfied("0", "limit", "Member must have value greater than or equal to 1")),
    ("Scan", {"TableName": HASH, "Limit": -5}, unsatisfied("-5", "limit", "Member must have value greater than or equal to 1")),
    ("Scan", {"TableName": HASH, "Segment": -1, "TotalSegments": 2}, unsatisfied("-1", "segment", "Member must have value greater than or equal to 0")),
    ("Scan", {"TableName": HASH, "Segment": 0, "TotalSegments": 0}, unsatisfied("0", "totalSegments", "Member must have value greater than or equal to 1")),
    ("Scan", {"TableName": HASH, "Segment": 0, "TotalSegments": 1000001}, unsatisfied("1000001", "totalSegments", "Member must have value less than or equal to 1000000")),
    ("Scan", {"TableName": HASH, "Segment": 1000000, "TotalSegments": 1000000}, unsatisfied("1000000", "segment", "Member must have value less than or equal to 999999")),
    ("ListTables", {"Limit": 0}, unsatisfied("0", "limit", "Member must have value greater than or equal to 1")),
    ("ListTables", {"Limit": 101}, unsatisfied("101", "limit", "Member must have value less than or equal to 100")),
    ("Query", {"TableName": HASH, **ITEM_CALLS["Query"], "IndexName": "ab"}, unsatisfied("ab", "indexName", at_least(3))),
    ("Scan", {"TableName": HASH, "IndexName": "a!b"}, unsatisfied("a!b", "indexName", NAME_PATTERN)),
    ("Query", {"TableName": HASH, "IndexName": "i" * 256, **ITEM_CALLS["Query"]}, unsatisfied("i" * 256, "indexName", at_most(255))),
    ("GetItem", {"TableName": HASH, "Key": KEY, "AttributesToGet": []}, unsatisfied("[]", "attributesToGet", at_least(1))),
    ("Scan", {"TableName": HASH, "AttributesToGet": []}, unsatisfied("[]", "attributesToGet", at_least(1))),
    ("ListTables", {"ExclusiveStartTableName": "a;b"}, unsatisfied("a;b", "exclusiveStartTableName", NAME_PATTERN)),
]


@pytest.mark.parametrize("operation, request_, fault", RANGES, ids=[f"{r[0]}-{n}" for n, r in enumerate(RANGES)])
def test_ranges_and_lengths(operation, request_, fault):
    expect_validation(operation, request_, one(fault))


MODEL_BEFORE_MEANING = [
    ("PutItem", {"Item": {"pk": {}}, "ReturnValues": "X"}, "returnValues"),
    ("PutItem", {"Item": {"pk": {}}, "ReturnConsumedCapacity": "X"}, "returnConsumedCapacity"),
    ("GetItem", {"Key": {"pk": {}}, "ReturnConsumedCapacity": "X"}, "returnConsumedCapacity"),
    ("DeleteItem", {"Key": {"pk": N("x")}, "ReturnValues": "X"}, "returnValues"),
    ("UpdateItem", {"Key": KEY, "UpdateExpression": "", "ReturnValues": "X"}, "returnValues"),
    ("Scan", {"FilterExpression": "", "Select": "X"}, "select"),
    ("Query", {"KeyConditionExpression": "", "ReturnConsumedCapacity": "X"}, "returnConsumedCapacity"),
]


@pytest.mark.parametrize("operation, request_, member", MODEL_BEFORE_MEANING, ids=[f"{m[0]}-{m[2]}" for m in MODEL_BEFORE_MEANING])
def test_the_model_is_checked_before_the_meaning(operation, request_, member):
    fault = ".*enum value set.*" if member == "returnValues" else f".* at '{member}' .*"
    expect_validation(operation, {"TableName": ABSENT, **request_}, re.compile("1 validation error detected: " + fault))


@pytest.mark.op("CreateTable")
def test_create_table_counts_its_faults():
    request = plain(tables.table_name("faulty"), {"pk": "X"})
    request["KeySchema"] = [{"AttributeName": "pk", "KeyType": "WRONG"}]
    request["BillingMode"] = "WRONG"
    reply = expect_validation("CreateTable", request, re.compile("3 validation errors detected: .*"))
    assert set(re.findall(r"at '(.*?)'", reply.message)) == {
        "attributeDefinitions.1.member.attributeType", "billingMode", "keySchema.1.member.keyType"
    }


@pytest.mark.op("PutItem")
def test_a_wrong_json_type_beats_every_constraint():
    expect_error("PutItem", {"TableName": 5, "Item": KEY, "ReturnValues": "X"}, "SerializationException")


@pytest.mark.op("PutItem", "GetItem", "Query")
@pytest.mark.parametrize("name", [RANGE, "arn:aws:dynamodb:us-east-1:123456789012:table/" + RANGE])
def test_a_table_may_be_named_by_its_arn(name):
    pk = tables.fresh()
    tables.put(name, {"pk": S(pk), "sk": S("1")})
    assert tables.get(name, {"pk": S(pk), "sk": S("1")}) == {"pk": S(pk), "sk": S("1")}
