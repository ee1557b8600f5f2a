"""The older forms: Expected, AttributeUpdates, KeyConditions, QueryFilter, ScanFilter, and what may not be mixed."""

import itertools

import pytest
import tables
from client import CHECK_FAILED, INVALID, call, expect_error, expect_validation, ok
from tables import ABSENT, HASH, INDEXED, RANGE, RANGE_N, fresh, get
from values import BS, NS, NULL, SS, TRUE, B, L, M, N, S

op = pytest.mark.op
ITEM = {"str": S("hello"), "num": N(10), "bin": B(b"\1\2"), "ss": SS("a", "b"), "list": L(S("x"), N(1)), "nil": NULL}
ITEM |= {"map": M(k=S("v")), "yes": TRUE, "ns": NS(1, 2), "bs": BS(b"\1")}


def comparison(name, *values):
    condition = {"ComparisonOperator": name}
    if values:
        condition["AttributeValueList"] = list(values)
    return condition


# (attribute, condition, does it hold)
COMPARISONS = [
    ("str", comparison("EQ", S("hello")), True),
    ("str", comparison("EQ", S("world")), False),
    ("str", comparison("EQ", N(1)), False),
    ("gone", comparison("EQ", S("hello")), False),
    ("ss", comparison("EQ", SS("b", "a")), True),
    ("num", comparison("EQ", N("10.0")), True),
    ("list", comparison("EQ", L(S("x"), N(1))), True),
    ("map", comparison("EQ", M(k=S("v"))), True),
    ("yes", comparison("EQ", TRUE), True),
    ("nil", comparison("EQ", NULL), True),
    ("str", comparison("NE", S("world")), True),
    ("str", comparison("NE", S("hello")), False),
    ("gone", comparison("NE", S("hello")), True),
    ("num", comparison("NE", S("10")), True),
    ("num", comparison("LE", N(10)), True),
    ("num", comparison("LE", N(9)), False),
    ("num", comparison("LT", N(11)), True),
    ("num", comparison("LT", N(10)), False),
    ("num", comparison("GE", N(10)), True),
    ("num", comparison("GT", N(9)), True),
    ("num", comparison("GT", N(10)), False),
    ("str", comparison("GT", S("h")), True),
    ("str", comparison("GT", N(1)), False),
    ("gone", comparison("GT", N(1)), False),
    ("bin", comparison("LT", B(b"\1\3")), True),
    ("str", comparison("NOT_NULL"), True),
    ("nil", comparison("NOT_NULL"), True),
    ("gone", comparison("NOT_NULL"), False),
    ("gone", comparison("NULL"), True),
    ("nil", comparison("NULL"), False),
    ("str", comparison("CONTAINS", S("ell")), True),
    ("str", comparison("CONTAINS", S("xyz")), False),
    ("ss", comparison("CONTAINS", S("a")), True),
    ("ns", comparison("CONTAINS", N("1.0")), True),
    ("bs", comparison("CONTAINS", B(b"\1")), True),
    ("list", comparison("CONTAINS", N(1)), True),
    ("list", comparison("CONTAINS", S("z")), False),
    ("gone", comparison("CONTAINS", S("a")), False),
    ("num", comparison("CONTAINS", N(1)), False),
    ("str", comparison("NOT_CONTAINS", S("xyz")), True),
    ("str", comparison("NOT_CONTAINS", S("ell")), False),
    ("ss", comparison("NOT_CONTAINS", S("z")), True),
    ("str", comparison("BEGINS_WITH", S("he")), True),
    ("str", comparison("BEGINS_WITH", S("el")), False),
    ("bin", comparison("BEGINS_WITH", B(b"\1")), True),
    ("num", comparison("BEGINS_WITH", S("1")), False),
    ("num", comparison("IN", N(1), N(10)), True),
    ("num", comparison("IN", N(1), N(2)), False),
    ("str", comparison("IN", S("hello")), True),
    ("gone", comparison("IN", S("hello")), False),
    ("num", comparison("BETWEEN", N(1), N(10)), True),
    ("num", comparison("BETWEEN", N(11), N(20)), False),
    ("str", comparison("BETWEEN", S("a"), S("z")), True),
    ("str", comparison("BETWEEN", N(1), N(2)), False),
]
IDS = [f"{n}-{c[0]}-{c[1]['ComparisonOperator']}" for n, c in enumerate(COMPARISONS)]


@pytest.fixture(scope="module")
def stored():
    key = {"pk": S(fresh("legacy"))}
    tables.put(HASH, {**key, **ITEM})
    tables.put(RANGE, {**key, "sk": S("1"), **ITEM})
    return key


@op("UpdateItem", "Query", "Scan")
@pytest.mark.parametrize("attribute, condition, holds", COMPARISONS, ids=IDS)
def test_comparison(stored, attribute, condition, holds):
    reply = call("UpdateItem", {"TableName": HASH, "Key": stored, "Expected": {attribute: condition}})
    assert (reply.type or "") == ("" if holds else CHECK_FAILED), repr(reply)
    keys = {"pk": comparison("EQ", stored["pk"])}
    page = ok("Query", TableName=RANGE, KeyConditions=keys, QueryFilter={attribute: condition})
    assert (page["Count"], page["ScannedCount"]) == (int(holds), 1)


@op("Scan")
@pytest.mark.parametrize("operator, expected", [("AND", {"3", "5"}), ("OR", {"1", "2", "3", "4", "5"}), (None, {"3", "5"})])
def test_scan_filter(operator, expected):
    prefix = fresh("sf") + "-"
    for number, name in enumerate(("alpha", "beta", "alpha", "gamma", "alpha"), 1):
        tables.put(tables.SCANNED, {"pk": S(f"{prefix}{number}"), "n": N(number), "title": S(name)})
    filters = {"title": comparison("BEGINS_WITH", S("alpha")), "n": comparison("GT", N(1))}
    more = {"ConditionalOperator": operator} if operator else {}
    items = ok("Scan", TableName=tables.SCANNED, ScanFilter=filters, **more)["Items"]
    found = {item["pk"]["S"][len(prefix) :] for item in items if item["pk"]["S"].startswith(prefix)}
    assert found == expected
    mine = ok("Scan", TableName=tables.SCANNED, ScanFilter={"pk": comparison("BEGINS_WITH", S(prefix))})
    assert mine["Count"] == 5


# --- Expected ------------------------------------------------------------------------------------------------------

EXPECTED = [
    ({"str": {"Exists": False}}, False),
    ({"gone": {"Exists": False}}, True),
    ({"str": {"Value": S("hello")}}, True),
    ({"str": {"Exists": True, "Value": S("hello")}}, True),
    ({"str": {"Value": S("world")}}, False),
    ({"gone": {"Value": S("hello")}}, False),
    ({"str": {"ComparisonOperator": "EQ", "Value": S("hello")}}, True),
    ({"str": {"ComparisonOperator": "GT", "Value": S("a")}}, True),
    ({"str": {"Value": S("hello")}, "num": {"Value": N(10)}}, True),
    ({"str": {"Value": S("hello")}, "num": {"Value": N(11)}}, False),
    ({"pk": {"Exists": False}}, False),
    ({}, True),
]


@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem"])
@pytest.mark.parametrize("expected, holds", EXPECTED, ids=range(len(EXPECTED)))
def test_expected(operation, expected, holds):
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, **ITEM})
    member = {"PutItem": {"Item": {**key, "new": N(1)}}}.get(operation, {"Key": key})
    if operation == "UpdateItem":
        member["AttributeUpdates"] = {"new": {"Value": N(1)}}
    request = {"TableName": HASH, **member, "Expected": expected}
    if holds:
        ok(operation, **request)
        item = get(HASH, key)
        assert item is None if operation == "DeleteItem" else item["new"] == N(1)
    else:
        expect_error(operation, request, CHECK_FAILED, "The conditional request failed")
        assert get(HASH, key)["str"] == S("hello")


@op("PutItem")
@pytest.mark.parametrize("first, second", itertools.product([True, False], repeat=2))
def test_conditional_operator(first, second):
    key = {"pk": S(fresh())}
    item = {**key, "a": N(1), "b": N(2)}
    tables.put(HASH, item)
    expected = {"a": {"Value": N(1 if first else 0)}, "b": comparison("EQ", N(2 if second else 0))}
    request = {"TableName": HASH, "Item": item, "Expected": expected}
    for operator, holds in (("AND", first and second), ("OR", first or second)):
        reply = call("PutItem", {**request, "ConditionalOperator": operator})
        assert (reply.status == 200) == holds


FAULTS = [
    ({"Exists": True}, INVALID + "Value must be provided when Exists is true for Attribute: a"),
    ({}, INVALID + "Value must be provided when Exists is null for Attribute: a"),
    ({"Exists": False, "Value": S("x")}, INVALID + "Value cannot be used when Exists is false for Attribute: a"),
    ({"Value": S("x"), "AttributeValueList": [S("x")]}, INVALID + "Value and AttributeValueList cannot be used together for Attribute: a"),
    ({"Value": S("x"), "ComparisonOperator": "EQ", "AttributeValueList": [S("x")]}, INVALID + "Value and AttributeValueList cannot be used together for Attribute: a"),
    ({"ComparisonOperator": "EQ", "Exists": True, "Value": S("x")}, INVALID + "Exists and ComparisonOperator cannot be used together for Attribute: a"),
    ({"ComparisonOperator": "NULL", "Exists": False}, INVALID + "Exists and ComparisonOperator cannot be used together for Attribute: a"),
    ({"ComparisonOperator": "EQ"}, INVALID + "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a"),
    ({"ComparisonOperator": "IN"}, INVALID + "Value or AttributeValueList must be used with ComparisonOperator: IN for Attribute: a"),
    ({"AttributeValueList": [S("x")]}, INVALID + "AttributeValueList can only be used with a ComparisonOperator for Attribute: a"),
    (comparison("EQ", S("x"), S("y")), INVALID + "Invalid number of argument(s) for the EQ ComparisonOperator"),
    (comparison("BETWEEN", S("x")), INVALID + "Invalid number of argument(s) for the BETWEEN ComparisonOperator"),
    ({"ComparisonOperator": "BETWEEN", "Value": S("x")}, INVALID + "Invalid number of argument(s) for the BETWEEN ComparisonOperator"),
    (comparison("NULL", S("x")), INVALID + "Invalid number of argument(s) for the NULL ComparisonOperator"),
    ({"ComparisonOperator": "IN", "AttributeValueList": []}, INVALID + "Invalid number of argument(s) for the IN ComparisonOperator"),
    (comparison("IN", S("x"), N(1)), INVALID + "AttributeValues inside AttributeValueList must be of same type"),
    (comparison("BETWEEN", N(2), N(1)), "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"),
]


@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem"])
@pytest.mark.parametrize("condition, text", FAULTS, ids=range(len(FAULTS)))
def test_expected_that_makes_no_sense(operation, condition, text):
    member = "Item" if operation == "PutItem" else "Key"
    expect_validation(operation, {"TableName": ABSENT, member: {"pk": S("a")}, "Expected": {"a": condition}}, text)


COUNT = INVALID + "Invalid number of argument(s) for the {} ComparisonOperator"
KIND = INVALID + "ComparisonOperator {} is not valid for {} AttributeValue type"
CONDITIONS = [(comparison(name), COUNT.format(name)) for name in "EQ NE LE LT GE GT CONTAINS NOT_CONTAINS BEGINS_WITH IN BETWEEN".split()]
CONDITIONS += [(comparison(name, S("x")), COUNT.format(name)) for name in ("NULL", "NOT_NULL", "BETWEEN")]
CONDITIONS += [(comparison(name, S("x"), S("y")), COUNT.format(name)) for name in "EQ NE LE LT GE GT CONTAINS NOT_CONTAINS BEGINS_WITH".split()]
CONDITIONS += [(comparison("BETWEEN", S("x"), S("y"), S("z")), COUNT.format("BETWEEN"))]
CONDITIONS += [(comparison(name, SS("x")), KIND.format(name, "SS")) for name in "LE LT GE GT BEGINS_WITH".split()]
CONDITIONS += [(comparison("BEGINS_WITH", N(1)), KIND.format("BEGINS_WITH", "N"))]
CONDITIONS += [(comparison(name, TRUE), KIND.format(name, "BOOL")) for name in ("LT", "GE")]
CONDITIONS += [(comparison("BETWEEN", SS("x"), SS("y")), KIND.format("BETWEEN", "SS"))]
CONDITIONS += [(comparison("IN", S("x"), N(1)), INVALID + "AttributeValues inside AttributeValueList must be of same type")]
CONDITIONS += [(comparison("BETWEEN", S("b"), S("a")), "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound")]


@pytest.mark.parametrize("operation", ["Query", "Scan"])
@pytest.mark.parametrize("condition, text", CONDITIONS, ids=[f"{n}-{c[0]['ComparisonOperator']}" for n, c in enumerate(CONDITIONS)])
def test_filters_that_make_no_sense(operation, condition, text):
    if operation == "Scan":
        expect_validation("Scan", {"TableName": ABSENT, "ScanFilter": {"a": condition}}, text)
    else:
        keys = {"pk": comparison("EQ", S("a"))}
        expect_validation("Query", {"TableName": ABSENT, "KeyConditions": keys, "QueryFilter": {"a": condition}}, text)
        expect_validation("Query", {"TableName": ABSENT, "KeyConditions": {"a": condition}}, text)


# --- ConditionalOperator -------------------------------------------------------------------------------------------

TWO = "ConditionalOperator can only be used when Filter or Expected has two or more elements"
ALONE = "ConditionalOperator cannot be used without Filter or Expected"


@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem", "Query", "Scan"])
@pytest.mark.parametrize("conditions, text", [(None, ALONE), ({}, None), ({"a": comparison("NULL")}, TWO)])
def test_conditional_operator_needs_two(operation, conditions, text):
    member = {"PutItem": "Item", "UpdateItem": "Key", "DeleteItem": "Key"}.get(operation)
    request = {"TableName": ABSENT, "ConditionalOperator": "AND"}
    if member:
        request[member] = {"pk": S("a")}
    if operation == "Query":
        request["KeyConditions"] = {"pk": comparison("EQ", S("a"))}
    name = {"Query": "QueryFilter", "Scan": "ScanFilter"}.get(operation, "Expected")
    if conditions is not None:
        request[name] = conditions
    expect_validation(operation, request, text)


# --- AttributeUpdates ----------------------------------------------------------------------------------------------

UPDATES = [
    ({"a": S("x")}, {"a": {"Action": "PUT", "Value": S("y")}}, {"a": S("y")}),
    ({"a": S("x")}, {"a": {"Value": N(1)}}, {"a": N(1)}),
    (None, {"a": {"Value": S("y")}}, {"a": S("y")}),
    ({"a": S("x"), "b": S("y")}, {"a": {"Action": "DELETE"}}, {"b": S("y")}),
    ({"s": SS("a", "b", "c")}, {"s": {"Action": "DELETE", "Value": SS("b", "z")}}, {"s": SS("a", "c")}),
    ({"s": SS("a")}, {"s": {"Action": "DELETE", "Value": SS("a")}}, {}),
    ({"n": N(10)}, {"n": {"Action": "ADD", "Value": N(5)}}, {"n": N(15)}),
    (None, {"n": {"Action": "ADD", "Value": N(5)}}, {"n": N(5)}),
    ({"s": SS("a")}, {"s": {"Action": "ADD", "Value": SS("b")}}, {"s": SS("a", "b")}),
    (None, {"s": {"Action": "ADD", "Value": NS(1)}}, {"s": NS(1)}),
    ({"l": L(S("a"))}, {"l": {"Action": "ADD", "Value": L(S("b"))}}, {"l": L(S("a"), S("b"))}),
    (None, {"l": {"Action": "ADD", "Value": L(S("b"))}}, {"l": L(S("b"))}),
    ({"a": S("x"), "n": N(1)}, {"a": {"Value": S("y")}, "n": {"Action": "ADD", "Value": N(1)}, "z": {"Action": "DELETE"}}, {"a": S("y"), "n": N(2)}),
    ({"x": S("1")}, {"a.b": {"Value": S("dot")}}, {"x": S("1"), "a.b": S("dot")}),
]


@op("UpdateItem")
@pytest.mark.parametrize("before, updates, after", UPDATES, ids=range(len(UPDATES)))
def test_attribute_updates(before, updates, after):
    key = {"pk": S(fresh())}
    if before is not None:
        tables.put(HASH, {**key, **before})
    ok("UpdateItem", TableName=HASH, Key=key, AttributeUpdates=updates)
    assert get(HASH, key) == {**key, **after}


BAD_UPDATES = [
    ({"a": {}}, INVALID + "Only DELETE action is allowed when no attribute value is specified"),
    ({"a": {"Action": "PUT"}}, INVALID + "Only DELETE action is allowed when no attribute value is specified"),
    ({"a": {"Action": "ADD"}}, INVALID + "Only DELETE action is allowed when no attribute value is specified"),
    ({"a": {"Action": "DELETE", "Value": S("x")}}, INVALID + "DELETE action with value is not supported for the type S"),
    ({"a": {"Action": "DELETE", "Value": N(1)}}, INVALID + "DELETE action with value is not supported for the type N"),
    ({"a": {"Action": "DELETE", "Value": L()}}, INVALID + "DELETE action with value is not supported for the type L"),
    ({"a": {"Action": "ADD", "Value": S("x")}}, INVALID + "ADD action is not supported for the type S"),
    ({"a": {"Action": "ADD", "Value": M()}}, INVALID + "ADD action is not supported for the type M"),
    ({"a": {"Action": "ADD", "Value": B(b"x")}}, INVALID + "ADD action is not supported for the type B"),
]


@op("UpdateItem")
@pytest.mark.parametrize("updates, text", BAD_UPDATES, ids=range(len(BAD_UPDATES)))
def test_attribute_updates_that_make_no_sense(updates, text):
    expect_validation("UpdateItem", {"TableName": ABSENT, "Key": {"pk": S("a")}, "AttributeUpdates": updates}, text)


@op("UpdateItem")
@pytest.mark.parametrize(
    "before, update",
    [
        (S("x"), {"Action": "ADD", "Value": N(1)}),
        (N(1), {"Action": "ADD", "Value": SS("a")}),
        (NS(1), {"Action": "ADD", "Value": SS("a")}),
        (S("x"), {"Action": "DELETE", "Value": SS("a")}),
        (NS(1), {"Action": "DELETE", "Value": SS("a")}),
        (SS("a"), {"Action": "ADD", "Value": L(S("b"))}),
    ],
)
def test_attribute_updates_against_the_type(before, update):
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, "a": before})
    request = {"TableName": HASH, "Key": key, "AttributeUpdates": {"a": update}}
    expect_validation("UpdateItem", request, "Type mismatch for attribute to update")
    assert get(HASH, key)["a"] == before


# --- KeyConditions -------------------------------------------------------------------------------------------------


@op("Query")
@pytest.mark.parametrize(
    "condition, expected",
    [
        (None, "abcde"),
        (comparison("EQ", S("c")), "c"),
        (comparison("LT", S("c")), "ab"),
        (comparison("LE", S("c")), "abc"),
        (comparison("GT", S("c")), "de"),
        (comparison("GE", S("c")), "cde"),
        (comparison("BETWEEN", S("b"), S("d")), "bcd"),
        (comparison("BEGINS_WITH", S("b")), "b"),
    ],
)
def test_key_conditions(condition, expected):
    pk = S(fresh())
    for letter in "abcde":
        tables.put(RANGE, {"pk": pk, "sk": S(letter)})
    keys = {"pk": comparison("EQ", pk)}
    if condition:
        keys["sk"] = condition
    assert [i["sk"]["S"] for i in ok("Query", TableName=RANGE, KeyConditions=keys)["Items"]] == list(expected)
    page = ok("Query", TableName=RANGE, KeyConditions=keys, ScanIndexForward=False)
    assert [i["sk"]["S"] for i in page["Items"]] == list(expected)[::-1]


KEY_FAULTS = [
    (RANGE, {}, "Conditions can be of length 1 or 2 only"),
    (RANGE, {name: comparison("EQ", S("a")) for name in ("pk", "sk", "a")}, "Conditions can be of length 1 or 2 only"),
    (RANGE, {"sk": comparison("EQ", S("a"))}, "Query condition missed key schema element: pk"),
    (RANGE, {"pk": comparison("EQ", S("a")), "a": comparison("EQ", S("a"))}, "Query condition missed key schema element: sk"),
    (RANGE, {"pk": comparison("GT", S("a"))}, "Query key condition not supported"),
    (RANGE, {"pk": comparison("BEGINS_WITH", S("a"))}, "Query key condition not supported"),
    (RANGE, {"pk": comparison("EQ", S("a")), "sk": comparison("NE", S("a"))}, "Attempted conditional constraint is not an indexable operation"),
    (RANGE, {"pk": comparison("EQ", S("a")), "sk": comparison("CONTAINS", S("a"))}, "Attempted conditional constraint is not an indexable operation"),
    (RANGE, {"pk": comparison("EQ", S("a")), "sk": comparison("IN", S("a"))}, "Attempted conditional constraint is not an indexable operation"),
    (RANGE, {"pk": comparison("EQ", S("a")), "sk": comparison("NULL")}, "Attempted conditional constraint is not an indexable operation"),
    (RANGE, {"pk": comparison("EQ", N(1))}, INVALID + "Condition parameter type does not match schema type"),
    (RANGE_N, {"pk": comparison("EQ", S("a")), "sk": comparison("GT", S("a"))}, INVALID + "Condition parameter type does not match schema type"),
]


@op("Query")
@pytest.mark.parametrize("table, keys, text", KEY_FAULTS, ids=range(len(KEY_FAULTS)))
def test_key_conditions_that_make_no_sense(table, keys, text):
    expect_validation("Query", {"TableName": table, "KeyConditions": keys}, text)


@op("Query")
def test_query_filter_may_not_name_the_key():
    keys = {"pk": comparison("EQ", S("a"))}
    text = "QueryFilter can only contain non-primary key attributes: Primary key attribute: sk"
    request = {"TableName": RANGE, "KeyConditions": keys, "QueryFilter": {"sk": comparison("EQ", S("a"))}}
    expect_validation("Query", request, text)
    index = {"TableName": INDEXED, "IndexName": "by_owner", "KeyConditions": {"owner": comparison("EQ", S("a"))}}
    ok("Query", **index, QueryFilter={"sk": comparison("EQ", S("a"))})


# --- what may not be mixed -----------------------------------------------------------------------------------------

MIXED = (
    "Can not use both expression and non-expression parameters in the same request: "
    "Non-expression parameters: {%s} Expression parameters: {%s}"
)
KEY = {"pk": S("a")}
EXISTS = {"a": {"Exists": False}}
NULLS = {"a": comparison("NULL")}
EQUALS = {"pk": comparison("EQ", S("a"))}
PAIRS = [
    ("PutItem", {"Item": KEY, "Expected": EXISTS, "ConditionExpression": "a = b"}, "Expected", "ConditionExpression"),
    ("DeleteItem", {"Key": KEY, "Expected": EXISTS, "ConditionExpression": "a = b"}, "Expected", "ConditionExpression"),
    ("UpdateItem", {"Key": KEY, "Expected": EXISTS, "ConditionExpression": "a = b"}, "Expected", "ConditionExpression"),
    ("UpdateItem", {"Key": KEY, "Expected": EXISTS, "UpdateExpression": "REMOVE a"}, "Expected", "UpdateExpression"),
    ("UpdateItem", {"Key": KEY, "AttributeUpdates": {}, "UpdateExpression": "REMOVE a"}, "AttributeUpdates", "UpdateExpression"),
    ("UpdateItem", {"Key": KEY, "AttributeUpdates": {}, "ConditionExpression": "a = b"}, "AttributeUpdates", "ConditionExpression"),
    (
        "UpdateItem",
        {"Key": KEY, "AttributeUpdates": {}, "Expected": {}, "UpdateExpression": "", "ConditionExpression": ""},
        "AttributeUpdates, Expected",
        "UpdateExpression, ConditionExpression",
    ),
    ("GetItem", {"Key": KEY, "AttributesToGet": ["a"], "ProjectionExpression": "a"}, "AttributesToGet", "ProjectionExpression"),
    ("Scan", {"AttributesToGet": ["a"], "ProjectionExpression": "a"}, "AttributesToGet", "ProjectionExpression"),
    ("Scan", {"ScanFilter": NULLS, "FilterExpression": "a = b"}, "ScanFilter", "FilterExpression"),
    ("Scan", {"AttributesToGet": ["a"], "FilterExpression": "a = b"}, "AttributesToGet", "FilterExpression"),
    ("Scan", {"ScanFilter": NULLS, "ProjectionExpression": "a"}, "ScanFilter", "ProjectionExpression"),
    (
        "Scan",
        {"AttributesToGet": ["a"], "ScanFilter": NULLS, "ProjectionExpression": "a", "FilterExpression": ""},
        "AttributesToGet, ScanFilter",
        "ProjectionExpression, FilterExpression",
    ),
    ("Query", {"KeyConditions": EQUALS, "KeyConditionExpression": "pk = :a"}, "KeyConditions", "KeyConditionExpression"),
    ("Query", {"QueryFilter": NULLS, "KeyConditionExpression": "pk = :a"}, "QueryFilter", "KeyConditionExpression"),
    ("Query", {"KeyConditions": EQUALS, "QueryFilter": NULLS, "FilterExpression": "a = b"}, "QueryFilter", "FilterExpression"),
    ("Query", {"KeyConditions": EQUALS, "AttributesToGet": ["a"], "ProjectionExpression": "a"}, "AttributesToGet", "ProjectionExpression"),
    (
        "Query",
        {
            "AttributesToGet": ["a"],
            "QueryFilter": {},
            "KeyConditions": {},
            "ProjectionExpression": "",
            "FilterExpression": "",
            "KeyConditionExpression": "",
        },
        "AttributesToGet, QueryFilter, KeyConditions",
        "ProjectionExpression, FilterExpression, KeyConditionExpression",
    ),
]


@pytest.mark.parametrize("operation, request_, older, newer", PAIRS, ids=[f"{p[0]}-{n}" for n, p in enumerate(PAIRS)])
def test_mixtures(operation, request_, older, newer):
    expect_validation(operation, {"TableName": ABSENT, **request_}, MIXED % (older, newer))


@op("Query")
def test_key_conditions_go_with_newer_filters_and_projections():
    pk = S(fresh())
    tables.put(RANGE, {"pk": pk, "sk": S("1"), "a": N(1)})
    keys = {"pk": comparison("EQ", pk)}
    more = {"FilterExpression": "a = :a", "ExpressionAttributeValues": {":a": N(1)}, "ProjectionExpression": "a"}
    assert ok("Query", TableName=RANGE, KeyConditions=keys, **more)["Items"] == [{"a": N(1)}]
