"""Scans of one small table: which items a filter keeps, what is counted and charged, which attributes come back."""

import re

import pytest
import tables
from client import expect_validation, ok, one
from test_sizes import filled
from values import BS, FALSE, NS, SS, TRUE, B, L, M, N, S

op = pytest.mark.op
pytestmark = op("Scan")
ITEMS = {
    "ant": {"n": N(1), "kind": S("insect"), "wings": FALSE, "bits": B(b"\x01"), "tags": SS("small", "red"), "near": NS(2, 3)},
    "bee": {"n": N(2), "kind": S("insect"), "wings": TRUE, "bits": B(b"\x01\x80"), "tags": SS("red", "small"), "near": NS("3.0", 1)},
    "cat": {"n": N(3), "kind": S("mammal"), "bits": B(b"\x7f"), "tags": SS("small"), "doc": M(a=N(1), b=N(2), c=N(3))},
    "dog": {"n": N(10), "kind": S("mammal"), "bits": B(b"\x80"), "list": L(M(x=N(1), y=N(2), z=N(3)), S("one"), S("two"))},
    "eel": {"n": N(-5), "kind": S("fish"), "bits": B(b"\xff"), "codes": BS(b"\2", b"\1")},
}
SIZE = 4000


@pytest.fixture(scope="module")
def zoo():
    for name in tables.standing(tables.simple(tables.fresh_table("zoo"))):
        for key, item in ITEMS.items():
            tables.put(name, filled({"pk": S(key), **item}, SIZE))
        yield name


VALUES = {
    ":insect": S("insect"), ":mammal": S("mammal"), ":m": S("m"), ":sect": S("sect"), ":in": S("in"), ":small": S("small"),
    ":two": N(2), ":three": N(3), ":zero": N(0), ":true": TRUE, ":b01": B(b"\x01"), ":b7f": B(b"\x7f"), ":b80": B(b"\x80"),
    ":tags": SS("red", "small"), ":near": NS(3, 2), ":codes": BS(b"\1", b"\2"), ":cat": S("cat"),
}  # fmt: skip
KEPT = [
    ("kind = :insect", "ant bee"),
    ("n > :two", "cat dog"),
    ("n <> :two", "ant cat dog eel"),
    ("kind <= :insect", "ant bee eel"),
    ("n BETWEEN :zero AND :three", "ant bee cat"),
    ("contains(kind, :sect)", "ant bee"),
    ("begins_with(kind, :in)", "ant bee"),
    ("attribute_exists(wings)", "ant bee"),
    ("attribute_not_exists(tags)", "dog eel"),
    ("wings = :true", "bee"),
    ("bits > :b7f", "dog eel"),
    ("bits BETWEEN :b01 AND :b7f", "ant bee cat"),
    ("begins_with(bits, :b01)", "ant bee"),
    ("tags = :tags", "ant bee"),
    ("tags <> :tags", "cat dog eel"),
    ("near = :near", "ant"),
    ("near <> :near", "bee cat dog eel"),
    ("codes = :codes", "eel"),
    ("contains(tags, :small)", "ant bee cat"),
    ("size(tags) = :two", "ant bee"),
    ("doc.b = :two", "cat"),
    ("#l[0].y = :two", "dog"),
    ("pk = :cat", "cat"),
    ("pk = :cat AND n < :zero", ""),
    ("(kind = :insect OR kind = :mammal)", "ant bee cat dog"),
    ("(kind = :insect) OR (kind = :mammal)", "ant bee cat dog"),
    ("(kind = :insect OR (kind = :mammal))", "ant bee cat dog"),
    ("(NOT (kind = :insect))", "cat dog eel"),
    ("(kind = :mammal) AND (begins_with(kind, :m))", "cat dog"),
]


def filtering(expression):
    used = re.findall(r":\w+", expression)
    values = {name: VALUES[name] for name in used}
    more = {"ExpressionAttributeValues": values} if values else {}
    if "#l" in expression:
        more["ExpressionAttributeNames"] = {"#l": "list"}
    return {"FilterExpression": expression, **more}


@pytest.mark.parametrize("expression, kept", KEPT, ids=[k[0] for k in KEPT])
def test_filters(zoo, expression, kept):
    page = ok("Scan", TableName=zoo, **filtering(expression))
    assert sorted(item["pk"]["S"] for item in page["Items"]) == kept.split()
    assert (page["Count"], page["ScannedCount"]) == (len(kept.split()), len(ITEMS))
    counted = ok("Scan", TableName=zoo, Select="COUNT", **filtering(expression))
    assert counted == {"Count": len(kept.split()), "ScannedCount": len(ITEMS)}


@pytest.mark.parametrize("limit", [1, 2, 5, 6])
def test_a_limit_counts_what_is_looked_at(zoo, limit):
    found, looked, start = [], 0, {}
    while True:
        page = ok("Scan", TableName=zoo, Limit=limit, **filtering("kind = :mammal"), **start)
        found += [item["pk"]["S"] for item in page["Items"]]
        looked += page["ScannedCount"]
        if "LastEvaluatedKey" not in page:
            break
        assert page["ScannedCount"] == limit
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    assert (sorted(found), looked) == (["cat", "dog"], len(ITEMS))


def test_what_is_read_is_charged(zoo):
    def units(**more):
        return ok("Scan", TableName=zoo, ReturnConsumedCapacity="TOTAL", **more)["ConsumedCapacity"]["CapacityUnits"]

    whole = units()
    assert whole == 2.5  # 20,000 bytes, at half a unit for each 4 KB
    some, none = filtering("pk = :cat"), filtering("pk = :cat AND n < :zero")
    narrow = {"ProjectionExpression": "pk"}
    assert [units(**more) for more in (some, none, narrow, {**some, **narrow}, {"Select": "COUNT"})] == [whole] * 5
    assert units(**some, ConsistentRead=True) == 2 * whole


PROJECTED = [
    ("n", {"n": N(3)}, "cat"),
    ("nothing", {}, "cat"),
    ("doc.c, doc.a", {"doc": M(a=N(1), c=N(3))}, "cat"),
    ("#l[2], #l[1]", {"list": L(S("one"), S("two"))}, "dog"),
    ("#l[0].z, #l[0].x", {"list": L(M(x=N(1), z=N(3)))}, "dog"),
]


@pytest.mark.parametrize("expression, shown, key", PROJECTED, ids=[p[0] for p in PROJECTED])
def test_projections(zoo, expression, shown, key):
    request = {"TableName": zoo, "FilterExpression": "pk = :k", "ExpressionAttributeValues": {":k": S(key)}}
    names = {"ExpressionAttributeNames": {"#l": "list"}} if "#l" in expression else {}
    assert ok("Scan", **request, ProjectionExpression=expression, **names)["Items"] == [shown]


def test_attributes_to_get(zoo):
    page = ok("Scan", TableName=zoo, AttributesToGet=["kind", "nothing"])
    assert sorted(item["kind"]["S"] for item in page["Items"]) == ["fish", "insect", "insect", "mammal", "mammal"]
    assert all(set(item) == {"kind"} for item in page["Items"])


TWICE = "Cannot specify the {} when choosing to get {}"
WHOLE = {"ALL_ATTRIBUTES": "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES": "ALL_PROJECTED_ATTRIBUTES", "COUNT": "only the Count"}
SELECTS = [({"Select": word, "ProjectionExpression": "n"}, TWICE.format("ProjectionExpression", told)) for word, told in WHOLE.items()]
SELECTS += [({"Select": word, "AttributesToGet": ["n"]}, TWICE.format("AttributesToGet", told)) for word, told in WHOLE.items()]
SELECTS += [({"Select": "ALL_PROJECTED_ATTRIBUTES"}, "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")]


@pytest.mark.parametrize("operation", ["Scan", "Query"])
@pytest.mark.parametrize("more, text", SELECTS, ids=range(len(SELECTS)))
def test_select_says_which_or_the_projection_does(zoo, operation, more, text):
    """A Query tells it in the sentence for faults against the model, a Scan does not."""
    request = {"TableName": zoo, **more}
    if operation == "Query":
        request["KeyConditions"] = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [S("cat")]}}
    expect_validation(operation, request, one(text) if operation == "Query" else text)
