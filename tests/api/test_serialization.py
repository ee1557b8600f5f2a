"""JSON of the wrong shape: the SerializationException of each type of member."""

import copy

import pytest
from client import SERIALIZATION, call

STRUCTURE = "Start of structure or map found where not expected"
CAST = "{} cannot be converted to {}"
COLLECTION = "Unrecognized collection type class {}"
MODEL = "com.amazonaws.dynamodb.v20120810."
MAP = "Unrecognized collection type java.util.Map<java.lang.String, {}>"
FIELD = "Unexpected field type"
PAYLOAD = "Unexpected value type in payload"

STRING = [
    (True, CAST.format("TRUE_VALUE", "String")),
    (False, CAST.format("FALSE_VALUE", "String")),
    (23, CAST.format("NUMBER_VALUE", "String")),
    (-14.6, CAST.format("DECIMAL_VALUE", "String")),
    ([], COLLECTION.format("java.lang.String")),
    ({}, STRUCTURE),
]
BOOLEAN = [
    (23, CAST.format("NUMBER_VALUE", "Boolean")),
    (-2.5, CAST.format("DECIMAL_VALUE", "Boolean")),
    ("hello", "Unexpected token received from parser"),
    ([], COLLECTION.format("java.lang.Boolean")),
    ({}, STRUCTURE),
]
BLOB = [
    (True, "only base-64-encoded strings are convertible to bytes"),
    (23, "only base-64-encoded strings are convertible to bytes"),
    ("=", "Base64 encoded length is expected a multiple of 4 bytes but found: 1"),
    ("abcde", "Base64 encoded length is expected a multiple of 4 bytes but found: 5"),
    ("+/+=", "Invalid last non-pad Base64 character dectected"),
    ([], COLLECTION.format("java.nio.ByteBuffer")),
    ({}, STRUCTURE),
]


def integer(kind):
    return [
        (True, CAST.format("TRUE_VALUE", kind)),
        (False, CAST.format("FALSE_VALUE", kind)),
        ("5", CAST.format("STRING_VALUE", kind)),
        ([], COLLECTION.format("java.lang." + kind)),
        ({}, STRUCTURE),
    ]


LIST = [(True, FIELD), (23, FIELD), ("a", FIELD), ({}, STRUCTURE)]


def mapping(kind):
    return [(True, FIELD), (23, FIELD), ("a", FIELD), ([], MAP.format(kind))]


def structure(kind, inside=False):
    scalar = PAYLOAD if inside else FIELD
    return [(True, scalar), (23, scalar), ("a", scalar), ([], COLLECTION.format(MODEL + kind))]


VALUE = structure("AttributeValue", inside=True)
MEMBERS = [
    ("CreateTable", "TableName", STRING),
    ("CreateTable", "BillingMode", STRING),
    ("CreateTable", "AttributeDefinitions", LIST),
    ("CreateTable", "AttributeDefinitions.0", structure("AttributeDefinition", True)),
    ("CreateTable", "AttributeDefinitions.0.AttributeName", STRING),
    ("CreateTable", "KeySchema", LIST),
    ("CreateTable", "KeySchema.0.KeyType", STRING),
    ("CreateTable", "ProvisionedThroughput", structure("ProvisionedThroughput")),
    ("CreateTable", "ProvisionedThroughput.ReadCapacityUnits", integer("Long")),
    ("CreateTable", "LocalSecondaryIndexes", LIST),
    ("CreateTable", "GlobalSecondaryIndexes", LIST),
    ("CreateTable", "GlobalSecondaryIndexes.0.Projection", structure("Projection")),
    ("CreateTable", "GlobalSecondaryIndexes.0.Projection.NonKeyAttributes", LIST),
    ("DeleteTable", "TableName", STRING),
    ("DescribeTable", "TableName", STRING),
    ("ListTables", "ExclusiveStartTableName", STRING),
    ("ListTables", "Limit", integer("Integer")),
    ("UpdateTable", "GlobalSecondaryIndexUpdates", LIST),
    ("PutItem", "TableName", STRING),
    ("PutItem", "Item", mapping(MODEL + "AttributeValue")),
    ("PutItem", "Item.a", VALUE),
    ("PutItem", "Item.a.S", STRING),
    ("PutItem", "Item.a.N", STRING),
    ("PutItem", "Item.a.B", BLOB),
    ("PutItem", "Item.a.BOOL", BOOLEAN),
    ("PutItem", "Item.a.NULL", BOOLEAN),
    ("PutItem", "Item.a.SS", LIST),
    ("PutItem", "Item.a.SS.0", STRING),
    ("PutItem", "Item.a.NS.0", STRING),
    ("PutItem", "Item.a.BS.0", BLOB),
    ("PutItem", "Item.a.L", LIST),
    ("PutItem", "Item.a.L.0", VALUE),
    ("PutItem", "Item.a.M", mapping(MODEL + "AttributeValue")),
    ("PutItem", "Item.a.M.b", VALUE),
    ("PutItem", "Item.a.M.b.S", STRING),
    ("PutItem", "Expected", mapping(MODEL + "ExpectedAttributeValue")),
    ("PutItem", "Expected.a", structure("ExpectedAttributeValue", True)),
    ("PutItem", "Expected.a.Exists", BOOLEAN),
    ("PutItem", "Expected.a.AttributeValueList", LIST),
    ("PutItem", "ReturnValues", STRING),
    ("PutItem", "ConditionExpression", STRING),
    ("PutItem", "ExpressionAttributeNames", mapping("java.lang.String")),
    ("PutItem", "ExpressionAttributeNames.a", STRING),
    ("PutItem", "ExpressionAttributeValues", mapping(MODEL + "AttributeValue")),
    ("GetItem", "Key", mapping(MODEL + "AttributeValue")),
    ("GetItem", "AttributesToGet", LIST),
    ("GetItem", "AttributesToGet.0", STRING),
    ("GetItem", "ConsistentRead", BOOLEAN),
    ("GetItem", "ProjectionExpression", STRING),
    ("DeleteItem", "Key", mapping(MODEL + "AttributeValue")),
    ("UpdateItem", "AttributeUpdates", mapping(MODEL + "AttributeValueUpdate")),
    ("UpdateItem", "AttributeUpdates.a", structure("AttributeValueUpdate", True)),
    ("UpdateItem", "AttributeUpdates.a.Action", STRING),
    ("UpdateItem", "UpdateExpression", STRING),
    ("Query", "Limit", integer("Integer")),
    ("Query", "ScanIndexForward", BOOLEAN),
    ("Query", "KeyConditions", mapping(MODEL + "Condition")),
    ("Query", "KeyConditions.a", structure("Condition", True)),
    ("Query", "ExclusiveStartKey", mapping(MODEL + "AttributeValue")),
    ("Query", "KeyConditionExpression", STRING),
    ("Scan", "Segment", integer("Integer")),
    ("Scan", "TotalSegments", integer("Integer")),
    ("Scan", "ScanFilter", mapping(MODEL + "Condition")),
    ("Scan", "FilterExpression", STRING),
    ("BatchGetItem", "RequestItems.a.ConsistentRead", BOOLEAN),
    ("BatchGetItem", "RequestItems.a.ProjectionExpression", STRING),
    ("BatchWriteItem", "RequestItems.abc.0.PutRequest", structure("PutRequest")),
    ("BatchWriteItem", "RequestItems.abc.0.DeleteRequest", structure("DeleteRequest")),
    ("TransactWriteItems", "ClientRequestToken", STRING),
    ("TransactWriteItems", "TransactItems.0.Put", structure("Put")),
    ("TransactGetItems", "TransactItems.0.Get.TableName", STRING),
]


def body_with(path, value):
    """{"a": {"b": value}} for "a.b"; a step that is a number makes a list."""
    for step in reversed(path.split(".")):
        value = [copy.deepcopy(value)] if step.isdigit() else {step: value}
    return value


def cases():
    for operation, path, faults in MEMBERS:
        for value, text in faults:
            yield pytest.param(operation, path, value, text, id=f"{operation}-{path}-{value!r}")


@pytest.mark.parametrize("operation, path, value, text", cases())
def test_wrong_shape(operation, path, value, text):
    reply = call(operation, body_with(path, value))
    assert (reply.status, reply.type) == (400, SERIALIZATION), repr(reply)
    assert reply.message == text, repr(reply)
    assert reply.full_type == "com.amazon.coral.service#SerializationException"
    assert "Message" in reply.body
