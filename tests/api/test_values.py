"""Attribute values that are refused, on every surface that takes one."""

import pytest
import tables
from client import CHECK_FAILED, INVALID, expect_error, expect_validation, ok
from tables import HASH, HASH_B, fresh, get
from values import BS, NS, NULL, SS, B, L, M, N, S, nested

op = pytest.mark.op
NESTING = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)
CONVERT = "The parameter cannot be converted to a numeric value"
OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
PRECISION = "Attempting to store more than 38 significant digits in a Number"
EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
MANY = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"

FAULTS = [
    ("empty", {}, EMPTY),
    ("two-types", {"S": "a", "N": "1"}, MANY),
    ("two-types-of-set", {"SS": ["a"], "NS": ["1"]}, MANY),
    ("null-false", {"NULL": False}, INVALID + "Null attribute value types must have the value of true"),
    ("empty-string-set", {"SS": []}, INVALID + "An string set  may not be empty"),
    ("empty-number-set", {"NS": []}, INVALID + "An number set  may not be empty"),
    ("empty-binary-set", {"BS": []}, INVALID + "Binary sets should not be empty"),
    ("twice-in-strings", SS("a", "a"), INVALID + "Input collection [a, a] contains duplicates."),
    ("twice-in-more-strings", SS("b", "a", "b"), INVALID + "Input collection [b, a, b] contains duplicates."),
    ("twice-empty-string", SS("", ""), INVALID + "Input collection [, ] contains duplicates."),
    ("twice-in-numbers", NS("1", "1"), "Input collection contains duplicates"),
    ("twice-by-value", NS("1", "1.0"), "Input collection contains duplicates"),
    ("twice-by-exponent", NS("100", "3", "1e2"), "Input collection contains duplicates"),
    ("twice-in-binaries", BS(b"\0", b"\0"), INVALID + "Input collection [AA==, AA==]of type BS contains duplicates."),
    ("no-number", N("b"), CONVERT + ": b"),
    ("empty-number", N(""), CONVERT),
    ("empty-number-in-set", NS("1", ""), CONVERT),
    ("no-number-in-set", NS("1", "b"), CONVERT + ": b"),
    ("overflow", N("1e126"), OVERFLOW),
    ("overflow-in-set", NS("1", "1e126"), OVERFLOW),
    ("underflow", N("1e-131"), UNDERFLOW),
    ("precision", N("1" + "0" * 38 + "1"), PRECISION),
    ("nested", M(x=L(N("b"))), CONVERT + ": b"),
    ("nested-empty", L({}), EMPTY),
    ("nested-empty-in-map", M(a={}), EMPTY),
    ("nested-set", L(M(a=SS())), INVALID + "An string set  may not be empty"),
    ("nested-null", M(a={"NULL": False}), INVALID + "Null attribute value types must have the value of true"),
    ("type-before-many", {"S": "a", "N": ""}, CONVERT),
    ("twice-empty-binary", BS(b"", b""), INVALID + "Input collection [, ]of type BS contains duplicates."),
    ("nested-set-in-list", L(NS()), INVALID + "An number set  may not be empty"),
]
# What the operations with newer checks say instead: they quote members, those before the first double in their order.
NEWER = {
    INVALID + "Input collection [a, a] contains duplicates.": INVALID + 'Input collection ["a", "a"] contains duplicates.',
    INVALID + "Input collection [b, a, b] contains duplicates.": INVALID + 'Input collection ["a", "b", "b"] contains duplicates.',
    INVALID + "Input collection [, ] contains duplicates.": INVALID + 'Input collection ["", ""] contains duplicates.',
    "Input collection contains duplicates": INVALID + "Input collection contains duplicates.",
    INVALID + "Input collection [AA==, AA==]of type BS contains duplicates.": INVALID
    + 'Input collection ["AA==","AA=="]of type BS contains duplicates.',
    INVALID + "Input collection [, ]of type BS contains duplicates.": INVALID + 'Input collection ["",""]of type BS contains duplicates.',
    CONVERT: CONVERT + ": ",
}


def newer(text):
    return NEWER.get(text, text)


IDS = [fault[0] for fault in FAULTS]
TEXTS = [(fault[1], fault[2]) for fault in FAULTS]


@op("PutItem")
@pytest.mark.parametrize("value, text", TEXTS, ids=IDS)
def test_in_an_item(value, text):
    key = {"pk": S(fresh())}
    expect_validation("PutItem", {"TableName": HASH, "Item": {**key, "v": value}}, newer(text))
    assert get(HASH, key) is None


@pytest.mark.parametrize("operation", ["GetItem", "DeleteItem", "UpdateItem"])
@pytest.mark.parametrize("value, text", TEXTS, ids=IDS)
def test_in_a_key(operation, value, text):
    expect_validation(operation, {"TableName": HASH, "Key": {"pk": value}}, newer(text))


@op("BatchWriteItem")
@pytest.mark.parametrize("value, text", TEXTS, ids=IDS)
def test_in_a_batch(value, text):
    put = {"PutRequest": {"Item": {"pk": S(fresh()), "v": value}}}
    expect_validation("BatchWriteItem", {"RequestItems": {HASH: [put]}}, text)
    delete = {"DeleteRequest": {"Key": {"pk": value}}}
    expect_validation("BatchWriteItem", {"RequestItems": {HASH: [delete]}}, text)


@op("BatchWriteItem", "PutItem")
@pytest.mark.parametrize(
    "number, older, newer_",
    [
        ("1e2147483646", OVERFLOW, OVERFLOW),
        ("1e2147483647", UNDERFLOW, OVERFLOW),
        ("1e2147483648", CONVERT + ": 1e2147483648", OVERFLOW),
        ("1e-2147483648", CONVERT + ": 1e-2147483648", UNDERFLOW),
    ],
)
def test_far_numbers_are_read_as_java_does_by_the_older_checks(number, older, newer_):
    item = {"pk": S(fresh()), "v": N(number)}
    expect_validation("BatchWriteItem", {"RequestItems": {HASH: [{"PutRequest": {"Item": item}}]}}, older)
    expect_validation("PutItem", {"TableName": HASH, "Item": item}, newer_)


@op("BatchGetItem")
@pytest.mark.parametrize("value, text", TEXTS, ids=IDS)
def test_in_a_batch_of_reads(value, text):
    expect_validation("BatchGetItem", {"RequestItems": {HASH: {"Keys": [{"pk": value}]}}}, newer(text))


@op("TransactWriteItems", "TransactGetItems")
@pytest.mark.parametrize("value, text", TEXTS, ids=IDS)
def test_in_a_transaction(value, text):
    action = {"Put": {"TableName": HASH, "Item": {"pk": S(fresh()), "v": value}}}
    expect_validation("TransactWriteItems", {"TransactItems": [action]}, text)
    action = {"Delete": {"TableName": HASH, "Key": {"pk": value}}}
    expect_validation("TransactWriteItems", {"TransactItems": [action]}, text)
    read = {"Get": {"TableName": HASH, "Key": {"pk": value}}}
    expect_validation("TransactGetItems", {"TransactItems": [read]}, text)


def in_values(text):
    return f"ExpressionAttributeValues contains invalid value: {text} for key :v"


@op("Scan", "Query", "PutItem", "UpdateItem", "DeleteItem")
@pytest.mark.parametrize("value, text", TEXTS, ids=IDS)
def test_in_an_expression(value, text):
    values = {"TableName": HASH, "ExpressionAttributeValues": {":v": value}}
    expect_validation("Scan", {**values, "FilterExpression": "a = :v"}, in_values(text))
    # The newer checks do not say where the value stands.
    expect_validation("Query", {**values, "KeyConditionExpression": "pk = :v"}, newer(text))
    key = {"pk": S("a")}
    expect_validation("PutItem", {**values, "Item": key, "ConditionExpression": "a = :v"}, newer(text))
    expect_validation("UpdateItem", {**values, "Key": key, "UpdateExpression": "SET a = :v"}, newer(text))
    expect_validation("DeleteItem", {**values, "Key": key, "ConditionExpression": "a = :v"}, newer(text))


@op("UpdateItem")
@pytest.mark.parametrize("value, text", TEXTS, ids=IDS)
def test_in_attribute_updates(value, text):
    request = {"TableName": HASH, "Key": {"pk": S(fresh())}, "AttributeUpdates": {"v": {"Value": value}}}
    expect_validation("UpdateItem", request, newer(text))


@op("Query", "Scan")
@pytest.mark.parametrize("value, text", TEXTS, ids=IDS)
def test_in_a_starting_key(value, text):
    bare = ("contains duplicates", "number set", "numeric value", "significant digits", "number with magnitude")
    shown = text if any(part in text for part in bare) else "The provided starting key is invalid: " + text
    request = {"TableName": HASH, "ExclusiveStartKey": {"pk": value}}
    expect_validation("Scan", request, shown)
    request["KeyConditions"] = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [S("a")]}}
    expect_validation("Query", request, newer(shown))


@op("PutItem")
@pytest.mark.parametrize("value, text", TEXTS[:8], ids=IDS[:8])
def test_in_expected(value, text):
    request = {"TableName": HASH, "Item": {"pk": S(fresh())}, "Expected": {"a": {"Value": value}}}
    expect_validation("PutItem", request, newer(text))


ACCEPTED = [
    ("empty-string", S("")),
    ("empty-binary", B(b"")),
    ("empty-list", L()),
    ("empty-map", M()),
    ("empty-member-of-strings", SS("", "a")),
    ("empty-member-of-binaries", BS(b"", b"\1")),
    ("only-empty-string", SS("")),
    ("only-empty-binary", BS(b"")),
    ("empty-members-in-list", L(SS("", "a"), BS(b"", b"\1"))),
    ("empty-members-in-map", M(s=SS(""), b=BS(b""))),
    ("empty-string-in-list", L(S(""), B(b""))),
    ("null", NULL),
    ("false", {"BOOL": False}),
    ("one-of-each", L(S("a"), N(1), B(b"\0\xff"), NULL, {"BOOL": True}, L(), M(a=SS("x")), NS(2), BS(b"b"))),
    ("long-text", S("x" * 100_000)),
    ("depth-31", nested(31)),
]


WAYS = {
    "PutItem": lambda item: {"TableName": HASH, "Item": item},
    "BatchWriteItem": lambda item: {"RequestItems": {HASH: [{"PutRequest": {"Item": item}}]}},
    "TransactWriteItems": lambda item: {"TransactItems": [{"Put": {"TableName": HASH, "Item": item}}]},
    "UpdateItem": lambda item: {
        "TableName": HASH,
        "Key": {"pk": item["pk"]},
        "UpdateExpression": "SET v = :v",
        "ExpressionAttributeValues": {":v": item["v"]},
    },
}


@op("GetItem")
@pytest.mark.parametrize("operation", WAYS)
@pytest.mark.parametrize("value", [a[1] for a in ACCEPTED], ids=[a[0] for a in ACCEPTED])
def test_accepted_and_kept(operation, value):
    key = {"pk": S(fresh())}
    ok(operation, **WAYS[operation]({**key, "v": value}))
    kept = get(HASH, key)["v"]
    for kind in ("SS", "BS"):
        if kind in kept:
            kept[kind].sort()
    assert kept == value


@op("PutItem")
@pytest.mark.parametrize("value, kind", [(True, "BOOL"), (True, "NULL")])
def test_words_for_booleans(value, kind):
    for word in ("true", "TRUE", "1", "yes"):
        key = {"pk": S(fresh())}
        tables.put(HASH, {**key, "v": {kind: word}})
        assert get(HASH, key)["v"] == {kind: value}


DEEP = [
    ("PutItem", lambda v: {"TableName": HASH, "Item": {"pk": S("deep"), "v": v}}),
    ("BatchWriteItem", lambda v: {"RequestItems": {HASH: [{"PutRequest": {"Item": {"pk": S("deep"), "v": v}}}]}}),
    ("TransactWriteItems", lambda v: {"TransactItems": [{"Put": {"TableName": HASH, "Item": {"pk": S("deep"), "v": v}}}]}),
]


@pytest.mark.parametrize("operation, request_for", DEEP, ids=[d[0] for d in DEEP])
@pytest.mark.parametrize("value", [nested(32), nested(40), nested(31, L(S("a")))], ids=["32", "40", "list-at-32"])
def test_too_deep(operation, request_for, value):
    expect_validation(operation, request_for(value), NESTING)
    assert get(HASH, {"pk": S("deep")}) is None


@pytest.mark.parametrize("operation, request_for", DEEP, ids=[d[0] for d in DEEP])
def test_deep_enough(operation, request_for):
    ok(operation, **request_for(nested(31)))
    assert get(HASH, {"pk": S("deep")})["v"] == nested(31)
    ok("DeleteItem", TableName=HASH, Key={"pk": S("deep")})


@op("UpdateItem")
def test_too_deep_in_an_expression_value():
    key = {"pk": S(fresh())}
    request = {
        "TableName": HASH,
        "Key": key,
        "UpdateExpression": "SET a = :a",
        "ConditionExpression": "d = :v",
        "ExpressionAttributeValues": {":a": S("x"), ":v": nested(32)},
    }
    texts = (NESTING, in_values(NESTING))
    expect_validation("UpdateItem", request, texts)
    request["ExpressionAttributeValues"][":v"] = nested(31)
    expect_error("UpdateItem", request, CHECK_FAILED)


@op("UpdateItem")
def test_an_update_may_not_nest_deeper_than_an_item():
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, "v": nested(30, M())})
    path = ".".join(["v"] + ["m"] * 30 + ["x"])
    request = {"TableName": HASH, "Key": key, "UpdateExpression": f"SET {path} = :m"}
    expect_validation("UpdateItem", {**request, "ExpressionAttributeValues": {":m": M(a=S("b"))}})
    ok("UpdateItem", **request, ExpressionAttributeValues={":m": S("b")})


@op("PutItem")
def test_an_attribute_without_a_name():
    expect_validation("PutItem", {"TableName": HASH, "Item": {"pk": S(fresh()), "": S("x")}})


@op("PutItem", "GetItem")
def test_binary_is_kept_to_the_byte():
    data = bytes(range(256))
    tables.put(HASH_B, {"pk": B(data), "v": B(data[::-1])})
    assert get(HASH_B, {"pk": B(data)}) == {"pk": B(data), "v": B(data[::-1])}


@op("PutItem", "GetItem")
def test_attributes_of_any_name():
    key = {"pk": S(fresh())}
    item = {**key, "a.b": S("dot"), "a[0]": S("index"), "#x": S("hash"), ":y": S("colon"), " ": S("blank"), "É": NULL}
    tables.put(HASH, item)
    assert get(HASH, key) == item
