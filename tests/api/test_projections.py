"""Which attributes come back."""

import pytest
import tables
from client import INVALID, expect_validation, ok
from tables import HASH, RANGE, fresh
from values import L, M, N, S

op = pytest.mark.op
ITEM = {
    "a": S("alpha"),
    "b": N(2),
    "m": M(x=M(y=S("deep"), z=N(3)), w=S("w")),
    "l": L(S("l0"), S("l1"), M(k=S("v"), j=N(1)), L(S("n0"), S("n1"))),
    "a.b": S("dotted"),
    "deep": L(M(m=M(a=N(1), b=N(2)), s=S("s"), n=L(M(a=N(3), b=N(4)), S("t"))), S("second"), M(s=S("third"))),
}
CASES = [
    ("a", None, {"a": S("alpha")}),
    ("a, b", None, {"a": S("alpha"), "b": N(2)}),
    ("a,b", None, {"a": S("alpha"), "b": N(2)}),
    ("#x", {"#x": "a"}, {"a": S("alpha")}),
    ("#x", {"#x": "a.b"}, {"a.b": S("dotted")}),
    ("m.w", None, {"m": M(w=S("w"))}),
    ("m.x.y", None, {"m": M(x=M(y=S("deep")))}),
    ("m.x.y, m.w", None, {"m": M(x=M(y=S("deep")), w=S("w"))}),
    ("m.#x.#y", {"#x": "x", "#y": "y"}, {"m": M(x=M(y=S("deep")))}),
    ("l[0]", None, {"l": L(S("l0"))}),
    ("l[1], l[0]", None, {"l": L(S("l0"), S("l1"))}),
    ("l[3], l[1]", None, {"l": L(S("l1"), L(S("n0"), S("n1")))}),
    ("l[2].k", None, {"l": L(M(k=S("v")))}),
    ("l[2].k, l[2].j", None, {"l": L(M(k=S("v"), j=N(1)))}),
    ("l[2].j, l[0], l[2].k", None, {"l": L(S("l0"), M(k=S("v"), j=N(1)))}),
    ("l[3][1], l[2].j, l[3][0]", None, {"l": L(M(j=N(1)), L(S("n0"), S("n1")))}),
    ("m.x.z, m.w, m.x.y", None, {"m": M(x=M(y=S("deep"), z=N(3)), w=S("w"))}),
    ("l[3][1]", None, {"l": L(L(S("n1")))}),
    ("l[0], l[3][1], m.w, a", None, {"l": L(S("l0"), L(S("n1"))), "m": M(w=S("w")), "a": S("alpha")}),
    ("deep[0].m.a, deep[0].m.b", None, {"deep": L(M(m=M(a=N(1), b=N(2))))}),
    ("deep[0].m.b, deep[0].s", None, {"deep": L(M(m=M(b=N(2)), s=S("s")))}),
    ("deep[0].n[0].b, deep[0].n[0].a", None, {"deep": L(M(n=L(M(a=N(3), b=N(4)))))}),
    ("deep[0].n[1], deep[0].n[0].a", None, {"deep": L(M(n=L(M(a=N(3)), S("t"))))}),
    ("deep[2].s, deep[0].s, deep[0].m.a", None, {"deep": L(M(m=M(a=N(1)), s=S("s")), M(s=S("third")))}),
    ("nothing", None, {}),
    ("a, nothing", None, {"a": S("alpha")}),
    ("m.nothing", None, {}),
    ("m.x.nothing", None, {}),
    ("l[9]", None, {}),
    ("a.b", None, {}),
    ("a[0]", None, {}),
    ("m[0]", None, {}),
    ("l.k", None, {}),
]


@pytest.fixture(scope="module")
def stored():
    key = {"pk": S(fresh("proj")), "sk": S("1")}
    tables.put(RANGE, {**key, **ITEM})
    return key


@op("GetItem", "Query", "BatchGetItem", "TransactGetItems")
@pytest.mark.parametrize("expression, names, expected", CASES, ids=[f"{n}-{c[0]}" for n, c in enumerate(CASES)])
def test_projection(stored, expression, names, expected):
    more = {"ProjectionExpression": expression}
    if names:
        more["ExpressionAttributeNames"] = names
    assert ok("GetItem", TableName=RANGE, Key=stored, **more) == {"Item": expected}
    conditions = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [stored["pk"]]}}
    page = ok("Query", TableName=RANGE, KeyConditions=conditions, **more)
    assert (page["Items"], page["Count"]) == ([expected], 1)
    batch = ok("BatchGetItem", RequestItems={RANGE: {"Keys": [stored], **more}})
    assert batch["Responses"] == {RANGE: [expected]}
    reads = ok("TransactGetItems", TransactItems=[{"Get": {"TableName": RANGE, "Key": stored, **more}}])
    assert reads["Responses"] == [{"Item": expected} if expected else {}]


@op("GetItem")
def test_keys_come_only_when_asked(stored):
    assert ok("GetItem", TableName=RANGE, Key=stored, ProjectionExpression="pk")["Item"] == {"pk": stored["pk"]}
    assert ok("GetItem", TableName=RANGE, Key=stored, ProjectionExpression="pk, sk")["Item"] == stored


@op("GetItem")
@pytest.mark.parametrize("projection", [None, "a"])
def test_an_absent_item_has_no_member(projection):
    more = {"ProjectionExpression": projection} if projection else {}
    assert ok("GetItem", TableName=HASH, Key={"pk": S(fresh())}, **more) == {}


def overlap(one, two):
    return (
        "Two document paths overlap with each other; must remove or rewrite one of these paths; "
        f"path one: [{one}], path two: [{two}]"
    )


def conflict(one, two):
    return overlap(one, two).replace("overlap", "conflict")


FAULTS = [
    ("", None, "The expression can not be empty;"),
    ("!!! INVALID !!!", None, 'Syntax error; token: "!", near: "!!"'),
    ("!!!", None, 'Syntax error; token: "!", near: "!!"'),
    ("a,", None, 'Syntax error; token: "<EOF>", near: ","'),
    (",a", None, 'Syntax error; token: ",", near: ",a"'),
    ("a b", None, 'Syntax error; token: "b", near: "a b"'),
    ("a.", None, 'Syntax error; token: "<EOF>", near: "."'),
    ("a[b]", None, 'Syntax error; token: "b", near: "[b]"'),
    ("a[0", None, 'Syntax error; token: "<EOF>", near: "0"'),
    ("a = b", None, 'Syntax error; token: "=", near: "a = b"'),
    (":a", None, 'Syntax error; token: ":a", near: ":a"'),
    ("size(a)", None, None),
    ("status", None, "Attribute name is a reserved keyword; reserved keyword: status"),
    ("a, m.Name", None, "Attribute name is a reserved keyword; reserved keyword: Name"),
    ("#a", None, "An expression attribute name used in the document path is not defined; attribute name: #a"),
    ("a, #b, status", {"#c": "c"}, "Attribute name is a reserved keyword; reserved keyword: status"),
    ("a, a", None, overlap("a", "a")),
    ("#a, #b", {"#a": "a", "#b": "a"}, overlap("a", "a")),
    ("a, a.b", None, overlap("a", "a, b")),
    ("a.b, a", None, overlap("a, b", "a")),
    ("l[0], l[0].k", None, overlap("l, [0]", "l, [0], k")),
    ("b, l[1], l[1]", None, overlap("l, [1]", "l, [1]")),
    ("a, a.b.c", None, overlap("a", "a, b, c")),
    ("l, l[0]", None, overlap("l", "l, [0]")),
    ("#a, #a.#b", {"#a": "a", "#b": "b"}, overlap("a", "a, b")),
    ("#a, #b.#c", {"#a": "m", "#b": "m", "#c": "x"}, overlap("m", "m, x")),
    ("a.b, a[0]", None, conflict("a, b", "a, [0]")),
    ("a[0], a.b", None, conflict("a, [0]", "a, b")),
]


def projecting(expression, names):
    more = {"ProjectionExpression": expression}
    if names:
        more["ExpressionAttributeNames"] = names
    key = {"pk": S("a")}
    absent = tables.ABSENT
    conditions = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [S("a")]}}
    yield "GetItem", {"TableName": absent, "Key": key, **more}
    yield "Scan", {"TableName": absent, **more}
    yield "Query", {"TableName": absent, "KeyConditions": conditions, **more}
    yield "BatchGetItem", {"RequestItems": {absent: {"Keys": [key], **more}}}
    yield "TransactGetItems", {"TransactItems": [{"Get": {"TableName": absent, "Key": key, **more}}]}


@op("GetItem", "Scan", "Query", "BatchGetItem", "TransactGetItems")
@pytest.mark.parametrize("expression, names, text", FAULTS, ids=[f"{n}-{f[0]}" for n, f in enumerate(FAULTS)])
def test_faults(expression, names, text):
    for operation, request in projecting(expression, names):
        expect_validation(operation, request, text and "Invalid ProjectionExpression: " + text)


@op("GetItem", "Scan", "Query", "BatchGetItem", "TransactGetItems")
def test_unused_names():
    for operation, request in projecting("a", {"#b": "b"}):
        text = "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}"
        expect_validation(operation, request, text)


@op("GetItem", "Query", "BatchGetItem")
def test_attributes_to_get(stored):
    wanted = ["b", "nothing", "a"]
    expected = {"a": S("alpha"), "b": N(2)}
    assert ok("GetItem", TableName=RANGE, Key=stored, AttributesToGet=wanted)["Item"] == expected
    batch = ok("BatchGetItem", RequestItems={RANGE: {"Keys": [stored], "AttributesToGet": wanted}})
    assert batch["Responses"][RANGE] == [expected]
    conditions = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [stored["pk"]]}}
    assert ok("Query", TableName=RANGE, KeyConditions=conditions, AttributesToGet=wanted)["Items"] == [expected]
    assert ok("GetItem", TableName=RANGE, Key=stored, AttributesToGet=["a.b"])["Item"] == {"a.b": S("dotted")}
    assert ok("GetItem", TableName=RANGE, Key=stored, AttributesToGet=["none"])["Item"] == {}


@op("GetItem", "Scan", "BatchGetItem", "Query")
def test_attributes_to_get_twice():
    text = INVALID + "Duplicate value in attribute name: a"
    twice = {"AttributesToGet": ["a", "b", "a"]}
    expect_validation("GetItem", {"TableName": tables.ABSENT, "Key": {"pk": S("a")}, **twice}, text)
    expect_validation("Scan", {"TableName": tables.ABSENT, **twice}, text)
    expect_validation("Query", {"TableName": tables.ABSENT, **twice}, text)
    expect_validation("BatchGetItem", {"RequestItems": {tables.ABSENT: {"Keys": [{"pk": S("a")}], **twice}}}, text)
