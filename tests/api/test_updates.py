"""What update expressions do: each case is an item, an expression and the item that must stand there afterwards."""

import threading

import pytest
import tables
from client import INVALID, call, expect_validation, ok
from tables import HASH, RANGE, fresh, get
from values import BS, NS, NULL, SS, TRUE, B, L, M, N, S

op = pytest.mark.op
pytestmark = op("UpdateItem")
ABSENT_OPERAND = "The provided expression refers to an attribute that does not exist in the item"
BAD_PATH = "The document path provided in the update expression is invalid for update"
BAD_TYPE = "An operand in the update expression has an incorrect data type"
ABCD = L(S("a"), S("b"), S("c"), S("d"))

# (before or None for no item, expression, values, after)
DONE = [
    (None, "SET a = :v", {":v": S("x")}, {"a": S("x")}),
    ({"a": S("old"), "b": S("kept")}, "SET a = :v", {":v": N(1)}, {"a": N(1), "b": S("kept")}),
    ({"a": S("1"), "b": S("2")}, "SET a = b, b = a", None, {"a": S("2"), "b": S("1")}),
    ({"a": S("OLD")}, "SET a = :v, b = a", {":v": S("NEW")}, {"a": S("NEW"), "b": S("OLD")}),
    ({"n": N(10)}, "SET n = n + :v", {":v": N(5)}, {"n": N(15)}),
    ({"n": N(10)}, "SET n = n - :v", {":v": N(15)}, {"n": N(-5)}),
    ({"n": N(10)}, "SET m = :v - n", {":v": N(1)}, {"n": N(10), "m": N(-9)}),
    ({"n": N(10)}, "SET n = n + n", None, {"n": N(20)}),
    ({"n": N(10)}, "SET n = (n - :v)", {":v": N(3)}, {"n": N(7)}),
    ({"n": N(10)}, "SET n=n+:v", {":v": N(3)}, {"n": N(13)}),
    ({"m": M(n=N(1))}, "SET m.n = m.n + :v", {":v": N(2)}, {"m": M(n=N(3))}),
    (None, "SET n = if_not_exists(n, :z) + :v", {":z": N(0), ":v": N(2)}, {"n": N(2)}),
    ({"n": N(5)}, "SET n = if_not_exists(n, :z) + :v", {":z": N(0), ":v": N(2)}, {"n": N(7)}),
    ({"n": N(5)}, "SET r = if_not_exists(n, :z) + if_not_exists(q, :v)", {":z": N(0), ":v": N(2)}, {"n": N(5), "r": N(7)}),
    ({"a": S("kept")}, "SET a = if_not_exists(a, :v)", {":v": S("x")}, {"a": S("kept")}),
    ({"a": S("x")}, "SET b = if_not_exists(b, a)", None, {"a": S("x"), "b": S("x")}),
    ({"a": NULL}, "SET a = if_not_exists(a, :v)", {":v": S("x")}, {"a": NULL}),
    (None, "SET b = if_not_exists(a, if_not_exists(c, :v))", {":v": S("x")}, {"b": S("x")}),
    ({"m": M(a=N(1))}, "SET b = if_not_exists(m.a, :v), c = if_not_exists(m.z, :v)", {":v": N(9)}, {"m": M(a=N(1)), "b": N(1), "c": N(9)}),
    ({"l": L(S("b"))}, "SET l = list_append(l, :v)", {":v": L(S("c"))}, {"l": L(S("b"), S("c"))}),
    ({"l": L(S("b"))}, "SET l = list_append(:v, l)", {":v": L(S("a"))}, {"l": L(S("a"), S("b"))}),
    ({"l": L(S("a"))}, "SET k = list_append(l, l)", None, {"l": L(S("a")), "k": L(S("a"), S("a"))}),
    (None, "SET l = list_append(if_not_exists(l, :e), :v)", {":e": L(), ":v": L(N(1))}, {"l": L(N(1))}),
    (None, "SET l = list_append(:v, :w)", {":v": L(N(1)), ":w": L(N(2))}, {"l": L(N(1), N(2))}),
    ({"m": M(a=S("x"))}, "SET m.b = :v", {":v": S("y")}, {"m": M(a=S("x"), b=S("y"))}),
    ({"m": M(a=M(b=M(c=S("x"))))}, "SET m.a.b.c = :v", {":v": TRUE}, {"m": M(a=M(b=M(c=TRUE)))}),
    ({"m": M(a=S("x"))}, "SET m = :v", {":v": M()}, {"m": M()}),
    ({"l": ABCD}, "SET l[1] = :v", {":v": S("B")}, {"l": L(S("a"), S("B"), S("c"), S("d"))}),
    ({"l": ABCD}, "SET l[100] = :v", {":v": S("e")}, {"l": L(S("a"), S("b"), S("c"), S("d"), S("e"))}),
    ({"l": L()}, "SET l[0] = :v", {":v": S("e")}, {"l": L(S("e"))}),
    ({"l": L(S("a"))}, "SET l[5] = :v, l[3] = :w", {":v": S("five"), ":w": S("three")}, {"l": L(S("a"), S("three"), S("five"))}),
    ({"l": L(M(k=S("x")))}, "SET l[0].k = :v", {":v": S("y")}, {"l": L(M(k=S("y")))}),
    ({"m": M(l=L(S("x")))}, "SET m.l[0] = :v", {":v": S("y")}, {"m": M(l=L(S("y")))}),
    ({"l": L(L(S("x")))}, "SET l[0][0] = :v, l[0][1] = :w", {":v": S("y"), ":w": S("z")}, {"l": L(L(S("y"), S("z")))}),
    ({"a": S("x")}, "REMOVE a", None, {}),
    ({"a": S("x")}, "REMOVE b", None, {"a": S("x")}),
    ({"a": S("x"), "b": S("y"), "c": S("z")}, "REMOVE a, c", None, {"b": S("y")}),
    ({"m": M(a=S("x"), b=S("y"))}, "REMOVE m.a", None, {"m": M(b=S("y"))}),
    ({"m": M(a=S("x"))}, "REMOVE m.a", None, {"m": M()}),
    ({"m": M(a=S("x"))}, "REMOVE m.z", None, {"m": M(a=S("x"))}),
    ({"l": ABCD}, "REMOVE l[1]", None, {"l": L(S("a"), S("c"), S("d"))}),
    ({"l": ABCD}, "REMOVE l[0], l[2]", None, {"l": L(S("b"), S("d"))}),
    ({"l": ABCD}, "REMOVE l[1], l[1000]", None, {"l": L(S("a"), S("c"), S("d"))}),
    ({"l": ABCD}, "REMOVE l[1] SET l[2] = :v", {":v": S("C")}, {"l": L(S("a"), S("C"), S("d"))}),
    ({"l": ABCD}, "SET l[0] = l[3] REMOVE l[3]", None, {"l": L(S("d"), S("b"), S("c"))}),
    ({"l": L(S("a"))}, "REMOVE l[0]", None, {"l": L()}),
    (None, "REMOVE a", None, None),
    (None, "REMOVE a.b", None, None),
    ({"n": N(10)}, "ADD n :v", {":v": N(3)}, {"n": N(13)}),
    ({"n": N(10)}, "ADD n :v", {":v": N(-3)}, {"n": N(7)}),
    (None, "ADD n :v", {":v": N(3)}, {"n": N(3)}),
    ({"m": M(n=N(1))}, "ADD m.n :v", {":v": N(1)}, {"m": M(n=N(2))}),
    ({"m": M()}, "ADD m.n :v", {":v": N(1)}, {"m": M(n=N(1))}),
    ({"s": SS("a")}, "ADD s :v", {":v": SS("b", "a")}, {"s": SS("a", "b")}),
    (None, "ADD s :v", {":v": SS("")}, {"s": SS("")}),
    ({"s": SS("a")}, "ADD s :v", {":v": SS("")}, {"s": SS("", "a")}),
    ({"s": NS(2)}, "ADD s :v", {":v": NS(10, "2.0")}, {"s": NS(2, 10)}),
    ({"s": BS(b"\1")}, "ADD s :v", {":v": BS(b"")}, {"s": BS(b"", b"\1")}),
    ({"s": SS("a", "b", "c")}, "DELETE s :v", {":v": SS("b", "z")}, {"s": SS("a", "c")}),
    ({"s": SS("a", "b")}, "DELETE s :v", {":v": SS("a", "b")}, {}),
    ({"s": NS(1, 2)}, "DELETE s :v", {":v": NS("1.0")}, {"s": NS(2)}),
    ({"s": SS("", "a")}, "DELETE s :v", {":v": SS("a")}, {"s": SS("")}),
    ({"s": SS("", "a")}, "DELETE s :v", {":v": SS("")}, {"s": SS("a")}),
    ({"s": SS("")}, "DELETE s :v", {":v": SS("")}, {}),
    ({"s": SS("", "a")}, "ADD s :v", {":v": SS("")}, {"s": SS("", "a")}),
    (None, "SET s = :v", {":v": SS("")}, {"s": SS("")}),
    ({"m": M()}, "SET m.s = :v", {":v": SS("")}, {"m": M(s=SS(""))}),
    ({"n": N(5)}, "SET n = if_not_exists(n, :z) - :v", {":z": N(0), ":v": N(2)}, {"n": N(3)}),
    (None, "SET n = if_not_exists(n, :z) - :v", {":z": N(10), ":v": N(2)}, {"n": N(8)}),
    ({"a": N(1)}, "DELETE s :v", {":v": SS("a")}, {"a": N(1)}),
    (None, "DELETE s :v", {":v": SS("a")}, None),
    ({"m": M(s=SS("a", "b"))}, "DELETE m.s :v", {":v": SS("a")}, {"m": M(s=SS("b"))}),
    ({"n": N(1), "s": SS("a", "b"), "x": S("x")}, "SET y = :y REMOVE x ADD n :n DELETE s :s", {":y": S("y"), ":n": N(1), ":s": SS("a")}, {"n": N(2), "s": SS("b"), "y": S("y")}),
    ({"n": N(1)}, "ADD n :n SET y = n", {":n": N(1)}, {"n": N(2), "y": N(1)}),
    ({"n": N(1)}, "set y = n remove n", None, {"y": N(1)}),
    (None, "SET a=:v,b=:v", {":v": B(b"\0")}, {"a": B(b"\0"), "b": B(b"\0")}),
]
IDS = [f"{n}-{d[1]}" for n, d in enumerate(DONE)]


def sorted_sets(value):
    """Sets in one order, at every depth."""
    if isinstance(value, dict):
        return {k: sorted(v) if k in ("SS", "NS", "BS") else sorted_sets(v) for k, v in value.items()}
    return [sorted_sets(member) for member in value] if isinstance(value, list) else value


@pytest.mark.parametrize("before, expression, values, after", DONE, ids=IDS)
def test_effect(before, expression, values, after):
    key = {"pk": S(fresh())}
    if before is not None:
        tables.put(HASH, {**key, **before})
    reply = tables.update(HASH, key, expression, values, ReturnValues="ALL_NEW")
    stored = get(HASH, key)
    if after is None:
        # Nothing to remove from: whether the item then exists is the business of the next cases.
        assert stored in (None, key)
    else:
        assert sorted_sets(stored) == sorted_sets({**key, **after})
        assert sorted_sets(reply["Attributes"]) == sorted_sets(stored)


@pytest.mark.parametrize("request_", [{}, {"ReturnValues": "NONE"}, {"AttributeUpdates": {}}])
def test_an_update_of_nothing_makes_the_item(request_):
    key = {"pk": S(fresh())}
    assert ok("UpdateItem", TableName=HASH, Key=key, **request_) == {}
    assert get(HASH, key) == key


@pytest.mark.parametrize(
    "request_",
    [
        {"AttributeUpdates": {"a": {"Action": "DELETE"}}},
        {"AttributeUpdates": {"a": {"Action": "DELETE", "Value": SS("x")}}},
        {"UpdateExpression": "REMOVE a"},
        {"UpdateExpression": "DELETE a :v", "ExpressionAttributeValues": {":v": SS("x")}},
    ],
    ids=["legacy", "legacy-set", "remove", "delete"],
)
def test_deleting_from_nothing_makes_no_item(request_):
    key = {"pk": S(fresh())}
    ok("UpdateItem", TableName=HASH, Key=key, **request_)
    assert get(HASH, key) is None


REFUSED = [
    ({}, "SET a = b", None, ABSENT_OPERAND),
    (None, "SET a = b", None, ABSENT_OPERAND),
    ({}, "SET a = b + :v", {":v": N(1)}, ABSENT_OPERAND),
    ({}, "SET a = list_append(b, :v)", {":v": L()}, ABSENT_OPERAND),
    ({"m": M()}, "SET a = m.b", None, ABSENT_OPERAND),
    ({"l": L()}, "SET a = l[0]", None, ABSENT_OPERAND),
    ({}, "SET a = if_not_exists(b, c)", None, ABSENT_OPERAND),
    ({}, "SET a.b = :v", {":v": N(1)}, BAD_PATH),
    (None, "SET a.b = :v", {":v": N(1)}, BAD_PATH),
    ({}, "SET a[0] = :v", {":v": N(1)}, BAD_PATH),
    ({"a": S("x")}, "SET a.b = :v", {":v": N(1)}, BAD_PATH),
    ({"a": S("x")}, "SET a[0] = :v", {":v": N(1)}, BAD_PATH),
    ({"a": L()}, "SET a.b = :v", {":v": N(1)}, BAD_PATH),
    ({"a": M()}, "SET a[0] = :v", {":v": N(1)}, BAD_PATH),
    ({"a": M()}, "SET a.b.c = :v", {":v": N(1)}, BAD_PATH),
    ({"a": L()}, "SET a[0].b = :v", {":v": N(1)}, BAD_PATH),
    ({}, "REMOVE a.b", None, BAD_PATH),
    ({"a": S("x")}, "REMOVE a.b", None, BAD_PATH),
    ({"a": L()}, "REMOVE a.b", None, BAD_PATH),
    ({"a": M()}, "REMOVE a[0]", None, BAD_PATH),
    ({"a": M()}, "REMOVE a.b.c", None, BAD_PATH),
    ({}, "ADD a.b :v", {":v": N(1)}, BAD_PATH),
    ({"a": S("x")}, "SET b = a + :v", {":v": N(1)}, BAD_TYPE),
    ({"a": N(1), "b": S("x")}, "SET c = a - b", None, BAD_TYPE),
    ({"a": S("x")}, "SET a = list_append(a, :v)", {":v": L()}, BAD_TYPE),
    ({"a": SS("x")}, "SET b = list_append(:v, a)", {":v": L()}, BAD_TYPE),
    ({"a": S("x")}, "SET b = if_not_exists(a, :z) + :v", {":z": N(0), ":v": N(1)}, BAD_TYPE),
    ({"a": S("x")}, "ADD a :v", {":v": N(1)}, BAD_TYPE),
    ({"a": N(1)}, "ADD a :v", {":v": SS("x")}, BAD_TYPE),
    ({"a": NS(1)}, "ADD a :v", {":v": SS("x")}, BAD_TYPE),
    ({"a": L()}, "ADD a :v", {":v": SS("x")}, BAD_TYPE),
    ({"a": SS("1")}, "DELETE a :v", {":v": NS(1)}, BAD_TYPE),
    ({"a": S("x")}, "DELETE a :v", {":v": SS("x")}, BAD_TYPE),
    ({"a": NULL}, "ADD a :v", {":v": N(1)}, BAD_TYPE),
]


@pytest.mark.parametrize("before, expression, values, text", REFUSED, ids=[f"{n}-{r[1]}" for n, r in enumerate(REFUSED)])
def test_refused_by_the_item(before, expression, values, text):
    key = {"pk": S(fresh())}
    if before is not None:
        tables.put(HASH, {**key, **before})
    request = {"TableName": HASH, "Key": key, "UpdateExpression": expression}
    if values:
        request["ExpressionAttributeValues"] = values
    expect_validation("UpdateItem", request, text)
    assert get(HASH, key) == (None if before is None else {**key, **before})


def function_operands(name, count):
    return f"Incorrect number of operands for operator or function; operator or function: {name}, number of operands: {count}"


def operand(name, kind):
    return f"Incorrect operand type for operator or function; operator or function: {name}, operand type: {kind}"


def operator(name, kind):
    allowed = f"typeSet: ALLOWED_FOR_{name}_OPERAND"
    return f"Incorrect operand type for operator or function; operator: {name}, operand type: {kind}, {allowed}"


def overlap(one, two):
    return (
        "Two document paths overlap with each other; must remove or rewrite one of these paths; "
        f"path one: [{one}], path two: [{two}]"
    )


def conflict(one, two):
    return (
        "Two document paths conflict with each other; must remove or rewrite one of these paths; "
        f"path one: [{one}], path two: [{two}]"
    )


ONCE = 'The "{}" section can only be used once in an update expression;'
UNDEFINED = "An expression attribute {0} used in {1} is not defined; attribute {0}: {2}"
EXPRESSIONS = [
    ("", None, "The expression can not be empty;"),
    ("INVALID SYNTAX HERE", None, 'Syntax error; token: "INVALID", near: "INVALID SYNTAX"'),
    ("SET", None, 'Syntax error; token: "<EOF>", near: "SET"'),
    ("SET a", None, 'Syntax error; token: "<EOF>", near: "a"'),
    ("SET a =", None, 'Syntax error; token: "<EOF>", near: "="'),
    ("SET a = b,", None, 'Syntax error; token: "<EOF>", near: ","'),
    ("SET a = b c = d", None, 'Syntax error; token: "c", near: "b c ="'),
    ("SET a = b + c + d", None, 'Syntax error; token: "+", near: "c + d"'),
    ("SET a = if_not_exists(b + c, d)", None, 'Syntax error; token: "+", near: "b + c"'),
    ("SET a = list_append(b, c - d)", None, 'Syntax error; token: "-", near: "c - d"'),
    ("SET a = 5", None, 'Syntax error; token: "5", near: "= 5"'),
    ("SET :v = a", None, 'Syntax error; token: ":v", near: "SET :v ="'),
    ("REMOVE", None, 'Syntax error; token: "<EOF>", near: "REMOVE"'),
    ("REMOVE :v", None, 'Syntax error; token: ":v", near: "REMOVE :v"'),
    ("ADD a", None, 'Syntax error; token: "<EOF>", near: "a"'),
    ("ADD a b", None, 'Syntax error; token: "b", near: "a b"'),
    ("DELETE a :v b", None, 'Syntax error; token: "b", near: ":v b"'),
    ("SET a = b SET c = d", None, ONCE.format("SET")),
    ("REMOVE a REMOVE b", None, ONCE.format("REMOVE")),
    ("SET a = :a REMOVE b SET c = :a", {":a": S("x")}, ONCE.format("SET")),
    ("ADD a :a ADD b :a", {":a": N(1)}, ONCE.format("ADD")),
    ("SET a = abort", None, "Attribute name is a reserved keyword; reserved keyword: abort"),
    ("REMOVE size", None, "Attribute name is a reserved keyword; reserved keyword: size"),
    ("SET a = #b", None, UNDEFINED.format("name", "the document path", "#b")),
    ("REMOVE #b", None, UNDEFINED.format("name", "the document path", "#b")),
    ("SET a = :b", None, UNDEFINED.format("value", "expression", ":b")),
    ("ADD a :b", None, UNDEFINED.format("value", "expression", ":b")),
    ("SET a = hello(b)", None, "Invalid function name; function: hello"),
    ("SET a = size(b)", None, "The function is not allowed in an update expression; function: size"),
    ("SET a = If_Not_Exists(b, c)", None, "Invalid function name; function: If_Not_Exists"),
    ("SET a = if_not_exists(b)", None, function_operands("if_not_exists", 1)),
    ("SET a = if_not_exists(b, c, d)", None, function_operands("if_not_exists", 3)),
    ("SET a = list_append(b)", None, function_operands("list_append", 1)),
    ("SET a = if_not_exists(:v, b)", {":v": S("x")}, "Operator or function requires a document path; operator or function: if_not_exists"),
    ("SET a = list_append(:v, b)", {":v": S("x")}, operand("list_append", "S")),
    ("SET a = list_append(b, :v)", {":v": SS("x")}, operand("list_append", "SS")),
    ("SET a = :v + b", {":v": S("x")}, operand("+", "S")),
    ("SET a = b - :v", {":v": L()}, operand("-", "L")),
    ("ADD a :v", {":v": S("x")}, operator("ADD", "STRING")),
    ("ADD a :v", {":v": B(b"x")}, operator("ADD", "BINARY")),
    ("ADD a :v", {":v": NULL}, operator("ADD", "NULL")),
    ("ADD a :v", {":v": TRUE}, operator("ADD", "BOOLEAN")),
    ("ADD a :v", {":v": L()}, operator("ADD", "LIST")),
    ("ADD a :v", {":v": M()}, operator("ADD", "MAP")),
    ("DELETE a :v", {":v": N(1)}, operator("DELETE", "NUMBER")),
    ("DELETE a :v", {":v": S("x")}, operator("DELETE", "STRING")),
    ("DELETE a :v", {":v": M()}, operator("DELETE", "MAP")),
    ("SET a = :v, a = :v", {":v": N(1)}, overlap("a", "a")),
    ("SET a = :v REMOVE a", {":v": N(1)}, overlap("a", "a")),
    ("SET a = :v ADD a.b :v", {":v": N(1)}, overlap("a", "a, b")),
    ("SET a.b = :v, a = :v", {":v": N(1)}, overlap("a, b", "a")),
    ("REMOVE a[1], a[1].b", None, overlap("a, [1]", "a, [1], b")),
    ("SET a.b = :v, a.b.c[0] = :v", {":v": N(1)}, overlap("a, b", "a, b, c, [0]")),
    ("SET a.b = :v, a[0] = :v", {":v": N(1)}, conflict("a, b", "a, [0]")),
    ("SET a[0] = :v REMOVE a.b", {":v": N(1)}, conflict("a, [0]", "a, b")),
]


@pytest.mark.parametrize("expression, values, text", EXPRESSIONS, ids=[f"{n}-{e[0]}" for n, e in enumerate(EXPRESSIONS)])
def test_refused_as_an_expression(expression, values, text):
    request = {"TableName": tables.ABSENT, "Key": {"pk": S("a")}, "UpdateExpression": expression}
    if values:
        request["ExpressionAttributeValues"] = values
    expect_validation("UpdateItem", request, "Invalid UpdateExpression: " + text)


KEYS = [
    (HASH, ("pk",), "SET pk = :v", "pk"),
    (HASH, ("pk",), "REMOVE pk", "pk"),
    (HASH, ("pk",), "ADD pk :v", "pk"),
    (RANGE, ("pk", "sk"), "SET sk = :v", "sk"),
    (RANGE, ("pk", "sk"), "SET a = :v, sk = :v", "sk"),
]


@pytest.mark.parametrize("table, names, expression, attribute", KEYS, ids=[f"{k[2]}" for k in KEYS])
def test_key_attributes_stay(table, names, expression, attribute):
    key = {name: S(fresh()) for name in names}
    request = {"TableName": table, "Key": key, "UpdateExpression": expression}
    if ":v" in expression:
        request["ExpressionAttributeValues"] = {":v": N(1) if "ADD" in expression else S("x")}
    text = INVALID + f"Cannot update attribute {attribute}. This attribute is part of the key"
    expect_validation("UpdateItem", request, text)
    assert get(table, key) is None


@pytest.mark.parametrize("updates", [{"pk": {"Value": S("x")}}, {"pk": {"Action": "DELETE"}}])
def test_key_attributes_stay_in_attribute_updates(updates):
    text = INVALID + "Cannot update attribute pk. This attribute is part of the key"
    expect_validation("UpdateItem", {"TableName": HASH, "Key": {"pk": S("a")}, "AttributeUpdates": updates}, text)


@pytest.mark.parametrize("kind", ["SS", "NS", "BS"])
def test_members_of_sets_come_in_order(kind):
    members = {"SS": SS("b", "", "a", "B"), "NS": NS(10, 9, -1, "0.5"), "BS": BS(b"\xff", b"\0", b"")}[kind]
    ordered = {"SS": ["", "B", "a", "b"], "NS": ["-1", "0.5", "9", "10"], "BS": ["", "AA==", "/w=="]}[kind]
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, "s": members})
    assert get(HASH, key)["s"][kind] == ordered


NESTED_LISTS = ["SET a = list_append(list_append(b, :v), :v)", "SET a = list_append(:v, list_append(:v, :v))"]


@pytest.mark.parametrize("expression", NESTED_LISTS)
def test_list_append_does_not_nest(expression):
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, "b": L()})
    request = {"TableName": HASH, "Key": key, "UpdateExpression": expression}
    expect_validation("UpdateItem", {**request, "ExpressionAttributeValues": {":v": L(S("x"))}})


def test_counters_lose_nothing():
    key, threads = {"pk": S(fresh())}, []

    def count():
        for _ in range(50):
            tables.update(HASH, key, "ADD n :one SET l = list_append(if_not_exists(l, :none), :l)", values)

    values = {":one": N(1), ":none": L(), ":l": L(NULL)}
    for _ in range(4):
        threads.append(threading.Thread(target=count))
        threads[-1].start()
    for thread in threads:
        thread.join()
    item = get(HASH, key)
    assert (item["n"], len(item["l"]["L"])) == (N(200), 200)


def test_one_of_many_conditional_writers_wins():
    key, wins = {"pk": S(fresh())}, []

    def claim(number):
        request = {"TableName": HASH, "Key": key, "UpdateExpression": "SET w = :w"}
        request |= {"ConditionExpression": "attribute_not_exists(w)", "ExpressionAttributeValues": {":w": N(number)}}
        if call("UpdateItem", request).status == 200:
            wins.append(number)

    threads = [threading.Thread(target=claim, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wins) == 1
    assert get(HASH, key)["w"] == N(wins[0])
