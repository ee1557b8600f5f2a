"""Key conditions: what they find, on every key type, and what is wrong with them."""

import re

import pytest
import tables
from client import INVALID, NOT_VALID, expect_error, expect_validation, ok
from tables import ABSENT, HASH, INDEXED, MULTI, RANGE, RANGE_B, RANGE_N, fresh
from values import NULL, SS, TRUE, B, L, N, S

op = pytest.mark.op
pytestmark = op("Query")
WORDS = ["", "a", "ab", "abc", "b", "ba", "c", "é", "\U0001f600"]
NUMBERS = ["-10", "-1.5", "0", "1", "9", "10", "100"]
BYTES = [b"\0", b"\0\0", b"\1", b"\x7f", b"\x80", b"\xff", b"\xff\0", b"\xff\xff"]


@pytest.fixture(scope="module")
def partition():
    pk = S(fresh("kc"))
    for word in WORDS[1:]:
        tables.put(RANGE, {"pk": pk, "sk": S(word)})
        tables.put(RANGE, {"pk": S(pk["S"] + "x"), "sk": S(word)})
    for number in NUMBERS:
        tables.put(RANGE_N, {"pk": pk, "sk": N(number)})
    for data in BYTES:
        tables.put(RANGE_B, {"pk": pk, "sk": B(data)})
    return pk


def find(table, partition, condition, a=None, b=None, **more):
    values = {":p": partition}
    if a is not None:
        values[":a"] = a
    if b is not None:
        values[":b"] = b
    text = "pk = :p" + (f" AND {condition}" if condition else "")
    page = ok("Query", TableName=table, KeyConditionExpression=text, ExpressionAttributeValues=values, **more)
    assert page["Count"] == page["ScannedCount"] == len(page["Items"])
    return [item["sk"] for item in page["Items"]]


STRINGS = [
    ("", None, None, WORDS[1:]),
    ("sk = :a", S("ab"), None, ["ab"]),
    ("sk = :a", S("nope"), None, []),
    ("sk < :a", S("b"), None, ["a", "ab", "abc"]),
    ("sk <= :a", S("b"), None, ["a", "ab", "abc", "b"]),
    ("sk > :a", S("b"), None, ["ba", "c", "é", "\U0001f600"]),
    ("sk >= :a", S("b"), None, ["b", "ba", "c", "é", "\U0001f600"]),
    (":a < sk", S("c"), None, ["é", "\U0001f600"]),
    (":a >= sk", S("ab"), None, ["a", "ab"]),
    (":a = sk", S("ab"), None, ["ab"]),
    ("sk BETWEEN :a AND :b", S("ab"), S("b"), ["ab", "abc", "b"]),
    ("sk BETWEEN :a AND :b", S("b"), S("b"), ["b"]),
    ("begins_with(sk, :a)", S("a"), None, ["a", "ab", "abc"]),
    ("begins_with(sk, :a)", S("abc"), None, ["abc"]),
    ("begins_with(sk, :a)", S("z"), None, []),
    ("begins_with(sk, :a)", S("\U0001f600"), None, ["\U0001f600"]),
]


@pytest.mark.parametrize("condition, a, b, expected", STRINGS, ids=[f"{n}-{s[0]}" for n, s in enumerate(STRINGS)])
def test_strings(partition, condition, a, b, expected):
    expected = [S(word) for word in expected]
    assert find(RANGE, partition, condition, a, b) == expected
    assert find(RANGE, partition, condition, a, b, ScanIndexForward=False) == expected[::-1]
    assert find(RANGE, partition, condition, a, b, ScanIndexForward=True, ConsistentRead=True) == expected


NUMERIC = [
    ("", None, None, NUMBERS),
    ("sk = :a", N("10.0"), None, ["10"]),
    ("sk < :a", N(9), None, ["-10", "-1.5", "0", "1"]),
    ("sk <= :a", N("1e0"), None, ["-10", "-1.5", "0", "1"]),
    ("sk > :a", N(9), None, ["10", "100"]),
    ("sk >= :a", N("-1.5"), None, ["-1.5", "0", "1", "9", "10", "100"]),
    ("sk BETWEEN :a AND :b", N("-2"), N("9.5"), ["-1.5", "0", "1", "9"]),
    (":a < sk", N(1), None, ["9", "10", "100"]),
]


@pytest.mark.parametrize("condition, a, b, expected", NUMERIC, ids=[f"{n}-{s[0]}" for n, s in enumerate(NUMERIC)])
def test_numbers(partition, condition, a, b, expected):
    expected = [N(number) for number in expected]
    assert find(RANGE_N, partition, condition, a, b) == expected
    assert find(RANGE_N, partition, condition, a, b, ScanIndexForward=False) == expected[::-1]


BINARY = [
    ("", None, None, BYTES),
    ("sk = :a", B(b"\0\0"), None, [b"\0\0"]),
    ("sk < :a", B(b"\x80"), None, BYTES[:4]),
    ("sk >= :a", B(b"\x80"), None, BYTES[4:]),
    ("sk > :a", B(b"\x7f"), None, BYTES[4:]),
    ("sk BETWEEN :a AND :b", B(b"\1"), B(b"\xff"), BYTES[2:6]),
    ("begins_with(sk, :a)", B(b"\0"), None, BYTES[:2]),
    ("begins_with(sk, :a)", B(b"\xff"), None, BYTES[5:]),
    ("begins_with(sk, :a)", B(b"\xff\xff"), None, BYTES[7:]),
]


@pytest.mark.parametrize("condition, a, b, expected", BINARY, ids=[f"{n}-{s[0]}" for n, s in enumerate(BINARY)])
def test_binary(partition, condition, a, b, expected):
    expected = [B(data) for data in expected]
    assert find(RANGE_B, partition, condition, a, b) == expected
    assert find(RANGE_B, partition, condition, a, b, ScanIndexForward=False) == expected[::-1]


@pytest.mark.parametrize(
    "text",
    [
        "pk = :p AND sk = :a",
        "sk = :a AND pk = :p",
        "(pk = :p) AND (sk = :a)",
        "(pk = :p AND sk = :a)",
        "(pk = :p AND (sk = :a))",
        "#p = :p and #s = :a",
        ":p = pk AND :a = sk",
        "pk=:p AND sk=:a",
    ],
)
def test_ways_to_write_it(partition, text):
    more = {"ExpressionAttributeNames": {"#p": "pk", "#s": "sk"}} if "#" in text else {}
    values = {":p": partition, ":a": S("ab")}
    page = ok("Query", TableName=RANGE, KeyConditionExpression=text, ExpressionAttributeValues=values, **more)
    assert page["Items"] == [{"pk": partition, "sk": S("ab")}]


def operand(name, kind):
    return f"Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: {name}, operand type: {kind}"


NO_KEY = "Query condition missed key schema element: pk"
TYPE = INVALID + "Condition parameter type does not match schema type"
ONE_EACH = "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"
UNSUPPORTED = "Query key condition not supported"
CONDITION = "Invalid condition in KeyConditionExpression: "
OPERATOR = "Invalid operator used in KeyConditionExpression: "
NESTED = ("Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes", "KeyConditionExpressions cannot have conditions on nested attributes")
OPERATION = ("Invalid KeyConditionExpression: KeyConditionExpressions cannot contain nested operations", "KeyConditionExpressions cannot contain nested operations")
EMPTY = NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty string value. Key: "

# (table, expression, values, text)
REFUSED = [
    (RANGE, "", None, "Invalid KeyConditionExpression: The expression can not be empty;"),
    (RANGE, "sk = :a", {":a": S("x")}, NO_KEY),
    (RANGE, "attr = :a", {":a": S("x")}, NO_KEY),
    (RANGE, "pk = :p AND attr = :a", {":p": S("x"), ":a": S("x")}, "Query condition missed key schema element: sk"),
    (RANGE, "pk > :p", {":p": S("x")}, UNSUPPORTED),
    (RANGE, "begins_with(pk, :p)", {":p": S("x")}, UNSUPPORTED),
    (RANGE, "pk BETWEEN :p AND :q", {":p": S("x"), ":q": S("y")}, UNSUPPORTED),
    (RANGE, "pk = :p AND sk > :a AND sk < :b", {":p": S("x"), ":a": S("a"), ":b": S("b")}, ONE_EACH),
    (RANGE, "pk = :p AND pk = :a", {":p": S("x"), ":a": S("a")}, ONE_EACH),
    (RANGE, "pk = :p AND sk > :a AND extra = :b", {":p": S("x"), ":a": S("a"), ":b": S("b")}, "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)"),
    (RANGE, "pk = :p OR sk = :a", {":p": S("x"), ":a": S("a")}, OPERATOR + "OR"),
    (RANGE, "pk = :p AND NOT sk = :a", {":p": S("x"), ":a": S("a")}, OPERATOR + "NOT"),
    (RANGE, "pk = :p AND sk <> :a", {":p": S("x"), ":a": S("a")}, OPERATOR + "<>"),
    (RANGE, "pk = :p AND sk IN (:a)", {":p": S("x"), ":a": S("a")}, OPERATOR + "IN"),
    (RANGE, "pk = :p AND attribute_exists(sk)", {":p": S("x")}, OPERATOR + "attribute_exists"),
    (RANGE, "pk = :p AND attribute_not_exists(sk)", {":p": S("x")}, OPERATOR + "attribute_not_exists"),
    (RANGE, "pk = :p AND contains(sk, :a)", {":p": S("x"), ":a": S("a")}, OPERATOR + "contains"),
    (RANGE, "pk = :p AND attribute_type(sk, :a)", {":p": S("x"), ":a": S("S")}, OPERATOR + "attribute_type"),
    (RANGE, "pk = :p AND size(sk) > :a", {":p": S("x"), ":a": N(1)}, OPERATION),
    (RANGE, ":p = :a", {":p": S("x"), ":a": S("a")}, CONDITION + "No key attribute specified"),
    (RANGE, "pk = sk", None, CONDITION + "Multiple attribute names used in one condition"),
    (RANGE, "pk = :p AND sk BETWEEN :a AND attr", {":p": S("x"), ":a": S("a")}, CONDITION + "Multiple attribute names used in one condition"),
    (RANGE, "pk = :p AND :a BETWEEN sk AND :b", {":p": S("x"), ":a": S("a"), ":b": S("b")}, CONDITION + "BETWEEN operator must have the key attribute as its first operand"),
    (RANGE, "pk = :p AND begins_with(:a, sk)", {":p": S("x"), ":a": S("a")}, CONDITION + "begins_with operator must have the key attribute as its first operand"),
    (RANGE, "pk.a = :p", {":p": S("x")}, NESTED),
    (RANGE, "pk = :p AND sk[0] = :a", {":p": S("x"), ":a": S("a")}, NESTED),
    (RANGE, "((pk = :p))", {":p": S("x")}, "Invalid KeyConditionExpression: The expression has redundant parentheses;"),
    (RANGE, "pk = :p AND hello(sk)", {":p": S("x")}, "Invalid KeyConditionExpression: Invalid function name; function: hello"),
    (RANGE, "pk = :p AND", {":p": S("x")}, 'Invalid KeyConditionExpression: Syntax error; token: "<EOF>", near: "AND"'),
    (RANGE, "pk = :p AND name = :a", {":p": S("x"), ":a": S("a")}, "Invalid KeyConditionExpression: Attribute name is a reserved keyword; reserved keyword: name"),
    (RANGE, "pk = :p", None, "Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; attribute value: :p"),
    (RANGE, "#p = :p", {":p": S("x")}, "Invalid KeyConditionExpression: An expression attribute name used in the document path is not defined; attribute name: #p"),
    (RANGE, "pk = :p", {":p": N(1)}, TYPE),
    (RANGE, "pk = :p", {":p": TRUE}, TYPE),
    (RANGE, "pk = :p AND sk = :a", {":p": S("x"), ":a": B(b"a")}, TYPE),
    (RANGE, "pk = :p AND sk = :a", {":p": S("x"), ":a": NULL}, TYPE),
    (RANGE, "pk = :p AND sk = :a", {":p": S("x"), ":a": SS("a")}, TYPE),
    (RANGE, "pk = :p AND sk > :a", {":p": S("x"), ":a": N(1)}, TYPE),
    (RANGE, "pk = :p AND sk BETWEEN :a AND :b", {":p": S("x"), ":a": N(1), ":b": N(2)}, TYPE),
    (RANGE, "pk = :p AND begins_with(sk, :a)", {":p": S("x"), ":a": B(b"a")}, TYPE),
    (RANGE_N, "pk = :p AND begins_with(sk, :a)", {":p": S("x"), ":a": S("a")}, TYPE),
    (RANGE_N, "pk = :p AND sk = :a", {":p": S("x"), ":a": TRUE}, TYPE),
    (RANGE, "pk = :p AND begins_with(sk, :a)", {":p": S("x"), ":a": N(1)}, operand("begins_with", "N")),
    (RANGE, "pk = :p AND begins_with(sk, :a)", {":p": S("x"), ":a": TRUE}, operand("begins_with", "BOOL")),
    (RANGE_N, "pk = :p AND begins_with(sk, :a)", {":p": S("x"), ":a": N(1)}, operand("begins_with", "N")),
    (RANGE_N, "pk = :p AND sk < :a", {":p": S("x"), ":a": TRUE}, operand("<", "BOOL")),
    (RANGE_N, "pk = :p AND :a >= sk", {":p": S("x"), ":a": TRUE}, operand(">=", "BOOL")),
    (RANGE_N, "pk = :p AND sk > :a", {":p": S("x"), ":a": L()}, operand(">", "L")),
    (RANGE_N, "pk = :p AND sk BETWEEN :a AND :b", {":p": S("x"), ":a": TRUE, ":b": TRUE}, operand("BETWEEN", "BOOL")),
    (RANGE, "pk = :p", {":p": S("")}, EMPTY + "pk"),
    (RANGE, "pk = :p AND sk = :a", {":p": S("x"), ":a": S("")}, EMPTY + "sk"),
    (HASH, "pk = :p AND sk = :a", {":p": S("x"), ":a": S("a")}, ("The number of query conditions (2) exceeds the number of key attributes defined in the schema (1)", "Query key condition not supported")),
    (
        RANGE_N,
        "pk = :p AND sk BETWEEN :a AND :b",
        {":p": S("x"), ":a": N(5), ":b": N(1)},
        "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
        "lower bound operand: AttributeValue: {N:5}, upper bound operand: AttributeValue: {N:1}",
    ),
]


@pytest.mark.parametrize("table, expression, values, text", REFUSED, ids=[f"{n}-{r[1]}" for n, r in enumerate(REFUSED)])
def test_refused(table, expression, values, text):
    request = {"TableName": table, "KeyConditionExpression": expression}
    if values:
        request["ExpressionAttributeValues"] = values
    expect_validation("Query", request, text)


UNDEFINED = "Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; attribute value: :z"
ORDER = [
    (RANGE, "pk = :z AND begins_with(sk, :n)", {":n": N(1)}, UNDEFINED),
    (RANGE, "begins_with(sk, :n) AND pk = :z", {":n": N(1)}, operand("begins_with", "N")),
    (RANGE, "pk = :p AND begins_with(sk, :n) AND sk = :z", {":p": S("q"), ":n": N(1)}, operand("begins_with", "N")),
    (RANGE, "pk = :p AND begins_with(sk, :n) AND sk > :s", {":p": S("q"), ":n": N(1), ":s": S("a")}, operand("begins_with", "N")),
    (ABSENT, "pk = :p AND begins_with(sk, :n)", {":p": S("q"), ":n": N(1)}, operand("begins_with", "N")),
]


@pytest.mark.parametrize("table, expression, values, text", ORDER, ids=[o[1] for o in ORDER])
def test_the_first_fault_from_the_left(table, expression, values, text):
    request = {"TableName": table, "KeyConditionExpression": expression, "ExpressionAttributeValues": values}
    expect_validation("Query", request, text)


def test_a_good_condition_on_an_absent_table():
    values = {":p": S("q"), ":s": S("a")}
    request = {"TableName": ABSENT, "KeyConditionExpression": "pk = :p AND begins_with(sk, :s)"}
    expect_error("Query", {**request, "ExpressionAttributeValues": values}, "ResourceNotFoundException", "Requested resource not found")


def test_no_condition_at_all():
    text = "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
    expect_validation("Query", {"TableName": RANGE}, text)
    expect_validation("Query", {"TableName": ABSENT, "Select": "COUNT"}, text)


FILTERS = ["pk = :v", "sk = :v", "attr = :v OR sk = :v", "attribute_exists(pk)", "NOT begins_with(sk, :v)", "size(sk) > :n"]


@pytest.mark.parametrize("expression", FILTERS)
def test_a_filter_may_not_name_the_key(expression):
    attribute = "pk" if "pk" in expression else "sk"
    values = {":p": S("x")}
    values |= {name: value for name, value in ((":v", S("v")), (":n", N(1))) if name in expression}
    request = {"TableName": RANGE, "KeyConditionExpression": "pk = :p", "FilterExpression": expression}
    text = f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {attribute}"
    expect_validation("Query", {**request, "ExpressionAttributeValues": values}, text)


def test_the_keys_that_count_are_those_of_the_index():
    values = {":p": S("x"), ":v": S("v")}
    request = {"TableName": INDEXED, "IndexName": "by_owner", "KeyConditionExpression": "#o = :p"}
    request |= {"ExpressionAttributeNames": {"#o": "owner"}, "ExpressionAttributeValues": values}
    ok("Query", **request, FilterExpression="pk = :v OR sk = :v")
    text = "Filter Expression can only contain non-primary key attributes: Primary key attribute: owner"
    expect_validation("Query", {**request, "FilterExpression": "#o = :v"}, text)


# --- an index of two partition and three sort attributes -----------------------------------------------------------

ROWS = [("p1", "b", 1, "z"), ("p2", "b", 1, "y"), ("p3", "a", 9, "x"), ("p4", "a", 10, "x"), ("p5", "c", 0, "w")]


@pytest.fixture(scope="module")
def many():
    owner = fresh("many")
    for pk, r1, r2, r3 in ROWS:
        row = {"pk": S(owner + pk), "t1": S(owner), "t2": N(7), "r1": S(r1), "r2": N(r2), "r3": S(r3)}
        tables.put(MULTI, row)
    tables.put(MULTI, {"pk": S(owner + "sparse"), "t1": S(owner), "t2": N(7), "r1": S("a"), "r3": S("x")})
    tables.put(MULTI, {"pk": S(owner + "else"), "t1": S(owner), "t2": N(8), "r1": S("a"), "r2": N(1), "r3": S("x")})
    return owner


def ask(owner, condition, values=None, **more):
    text = "t1 = :t1 AND t2 = :t2" + (f" AND {condition}" if condition else "")
    request = {"TableName": MULTI, "IndexName": "by_many", "KeyConditionExpression": text}
    return {**request, "ExpressionAttributeValues": {":t1": S(owner), ":t2": N(7), **(values or {})}, **more}


SEVERAL = [
    ("", None, ["p3", "p4", "p2", "p1", "p5"]),
    ("r1 = :a", {":a": S("a")}, ["p3", "p4"]),
    ("r1 = :a AND r2 = :n", {":a": S("b"), ":n": N(1)}, ["p2", "p1"]),
    ("r1 = :a AND r2 > :n", {":a": S("a"), ":n": N(9)}, ["p4"]),
    ("r1 > :a", {":a": S("a")}, ["p2", "p1", "p5"]),
    ("begins_with(r1, :a)", {":a": S("b")}, ["p2", "p1"]),
    ("r1 = :a AND r2 = :n AND r3 = :z", {":a": S("b"), ":n": N(1), ":z": S("z")}, ["p1"]),
    ("r1 = :a AND r2 = :n AND r3 BETWEEN :y AND :z", {":a": S("b"), ":n": N(1), ":y": S("y"), ":z": S("z")}, ["p2", "p1"]),
    ("r2 = :n AND r1 = :a", {":a": S("b"), ":n": N(1)}, ["p2", "p1"]),
]


@pytest.mark.parametrize("condition, values, expected", SEVERAL, ids=[s[0] for s in SEVERAL])
def test_several_key_attributes(many, condition, values, expected):
    expected = [many + pk for pk in expected]
    assert [item["pk"]["S"] for item in ok("Query", **ask(many, condition, values))["Items"]] == expected
    back = ok("Query", **ask(many, condition, values, ScanIndexForward=False))["Items"]
    assert [item["pk"]["S"] for item in back] == expected[::-1]


def test_pages_of_several_key_attributes(many):
    page = ok("Query", **ask(many, "", Limit=2))
    assert set(page["LastEvaluatedKey"]) == {"pk", "t1", "t2", "r1", "r2", "r3"}
    rest = ok("Query", **ask(many, "", ExclusiveStartKey=page["LastEvaluatedKey"]))
    found = [item["pk"]["S"][len(many) :] for item in page["Items"] + rest["Items"]]
    assert found == ["p3", "p4", "p2", "p1", "p5"]


def gap(missing, present):
    return (
        f"RANGE key attributes {missing} must have equality conditions specified in the query "
        f"because a condition is present on key attribute {present}"
    )


GAPS = [
    ("r2 = :n", {":n": N(1)}, gap("r1", "r2")),
    ("r1 = :a AND r3 = :z", {":a": S("b"), ":z": S("z")}, gap("r2", "r3")),
    ("r1 > :a AND r2 = :n", {":a": S("b"), ":n": N(1)}, gap("r1", "r2")),
]


@pytest.mark.parametrize("condition, values, text", GAPS, ids=[g[0] for g in GAPS])
def test_gaps_in_several_key_attributes(many, condition, values, text):
    expect_validation("Query", ask(many, condition, values), re.compile(".*" + re.escape(text) + ".*"))


def test_every_partition_attribute_is_needed(many):
    request = {"TableName": MULTI, "IndexName": "by_many", "KeyConditionExpression": "t1 = :a"}
    expect_validation("Query", {**request, "ExpressionAttributeValues": {":a": S(many)}})


@op("Query")
def test_several_key_attributes_take_as_many_legacy_conditions():
    owner = fresh("legacy")
    for number in range(3):
        item = {"pk": S(f"{owner}{number}"), "t1": S(owner), "t2": N(7), "r1": S("a"), "r2": N(number), "r3": S("x")}
        tables.put(MULTI, item)

    def on(operator, *values):
        return {"ComparisonOperator": operator, "AttributeValueList": list(values)}

    keys = {"t1": on("EQ", S(owner)), "t2": on("EQ", N(7)), "r1": on("EQ", S("a")), "r2": on("GE", N(1))}
    reply = ok("Query", TableName=MULTI, IndexName="by_many", KeyConditions=keys)
    assert [item["r2"] for item in reply["Items"]] == [N(1), N(2)]
    three = {"pk": on("EQ", S("a")), "sk": on("EQ", S("b")), "x": on("EQ", S("c"))}
    text = "Conditions can be of length 1 or 2 only"
    expect_validation("Query", {"TableName": RANGE, "KeyConditions": three}, text)
