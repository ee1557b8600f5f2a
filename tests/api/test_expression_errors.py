"""What is wrong with expressions, in the words of each kind of expression."""

import re

import pytest
from client import expect_error, expect_validation, ok
from tables import ABSENT, HASH, fresh
from values import BS, FALSE, NS, NULL, SS, L, M, N, S

op = pytest.mark.op
KEY = {"pk": S("a")}


def requests(expression, names=None, values=None, table=HASH):
    """The same condition in each place that takes one: (operation, kind, request)."""
    extra = {}
    if names is not None:
        extra["ExpressionAttributeNames"] = names
    if values is not None:
        extra["ExpressionAttributeValues"] = values
    query = {"KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [S("a")]}}}
    yield "PutItem", "Condition", {"TableName": table, "Item": KEY, "ConditionExpression": expression, **extra}
    yield "DeleteItem", "Condition", {"TableName": table, "Key": KEY, "ConditionExpression": expression, **extra}
    yield "UpdateItem", "Condition", {"TableName": table, "Key": KEY, "ConditionExpression": expression, **extra}
    yield "Scan", "Filter", {"TableName": table, "FilterExpression": expression, **extra}
    yield "Query", "Filter", {"TableName": table, "FilterExpression": expression, **query, **extra}


def syntax(token, near):
    return f'Syntax error; token: "{token}", near: "{near}"'


SYNTAX = [
    ("a =", syntax("<EOF>", "=")),
    ("a = = b", syntax("=", "= = b")),
    ("attribute_exists(", syntax("<EOF>", "(")),
    ("a = :b AND", syntax("<EOF>", "AND")),
    ("AND a = :b", syntax("AND", "AND a")),
    ("a == b", syntax("=", "== b")),
    ("a != b", syntax("!", "a !=")),
    ("(a = b", syntax("<EOF>", "b")),
    ("a = b)", syntax(")", "b)")),
    ("a b", syntax("b", "a b")),
    ("a..b = c", syntax(".", "..b")),
    ("a[b] = c", syntax("b", "[b]")),
    ("a[-1] = c", syntax("-", "[-1")),
    ("a = 5", syntax("5", "= 5")),
    ("a = 'x'", syntax("'", "= 'x")),
    ("a IN ()", syntax(")", "()")),
    ("a IN (b,)", syntax(")", ",)")),
    ("a BETWEEN b", syntax("<EOF>", "b")),
    ("a BETWEEN b OR c", syntax("OR", "b OR c")),
    ("NOT", syntax("<EOF>", "NOT")),
    ("a = b c", syntax("c", "b c")),
    ("a <> b <> c", syntax("<>", "b <> c")),
    ("*", syntax("*", "*")),
    (";", syntax(";", ";")),
    ("size(a) > > b", syntax(">", "> > b")),
    ("a = {}", syntax("{", "= {}")),
]


@op("PutItem", "DeleteItem", "UpdateItem", "Scan", "Query")
@pytest.mark.parametrize("expression, text", SYNTAX, ids=[s[0] for s in SYNTAX])
def test_syntax(expression, text):
    for operation, kind, request in requests(expression):
        expect_validation(operation, request, f"Invalid {kind}Expression: {text}")


NAMES = {"#a": "a", "#b": "b"}
UNDEFINED_NAME = "An expression attribute name used in the document path is not defined; attribute name: "
UNDEFINED_VALUE = "An expression attribute value used in expression is not defined; attribute value: "
OPERANDS = "Incorrect number of operands for operator or function; operator or function: {}, number of operands: {}"
PATH = "Operator or function requires a document path; operator or function: "
TYPE = "Incorrect operand type for operator or function; operator or function: {}, operand type: {}"
MISUSED = "The function is not allowed to be used this way in an expression; function: "
RESERVED = "Attribute name is a reserved keyword; reserved keyword: "
DISTINCT = "The first operand must be distinct from the remaining operands for this operator or function; operator: {}, first operand: [{}]"
PARENTHESES = "The expression has redundant parentheses;"
FUNCTION = "Invalid function name; function: "
NOT_HERE = "The function is not allowed in a condition expression; function: "
TYPES = "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"

MEANING = [
    ("", None, None, "The expression can not be empty;"),
    ("((a = b))", None, None, PARENTHESES),
    ("(((a = b)))", None, None, PARENTHESES),
    ("((a = b) AND (c = d))", None, None, None),
    ("((a)) = b", None, None, PARENTHESES),
    ("a = b AND ((c = d))", None, None, PARENTHESES),
    ("((attribute_exists(a)))", None, None, PARENTHESES),
    ("NOT ((a = b))", None, None, PARENTHESES),
    ("#a = b", None, None, UNDEFINED_NAME + "#a"),
    ("a.#x = b", None, None, UNDEFINED_NAME + "#x"),
    ("a = :x", None, None, UNDEFINED_VALUE + ":x"),
    ("a = :x AND #y = b", None, None, UNDEFINED_VALUE + ":x"),
    ("#y = b AND a = :x", None, None, UNDEFINED_NAME + "#y"),
    ("a IN (:x, :y)", None, None, UNDEFINED_VALUE + ":x"),
    ("a BETWEEN :x AND :y", None, None, UNDEFINED_VALUE + ":x"),
    ("#undefined = :undefined", None, None, UNDEFINED_NAME + "#undefined"),
    ("abort = b", None, None, RESERVED + "abort"),
    ("a = Status", None, None, RESERVED + "Status"),
    ("a.NAME = b", None, None, RESERVED + "NAME"),
    ("attribute_exists(size)", None, None, RESERVED + "size"),
    ("a = b OR count = c", None, None, RESERVED + "count"),
    ("hello(a)", None, None, FUNCTION + "hello"),
    ("Attribute_Exists(a)", None, None, FUNCTION + "Attribute_Exists"),
    ("CONTAINS(a, b)", None, None, FUNCTION + "CONTAINS"),
    ("if_not_exists(a, b)", None, None, NOT_HERE + "if_not_exists"),
    ("a = list_append(a, b)", None, None, NOT_HERE + "list_append"),
    ("size(a)", None, None, MISUSED + "size"),
    ("NOT size(a)", None, None, MISUSED + "size"),
    ("a = b AND size(a)", None, None, MISUSED + "size"),
    ("a = attribute_exists(b)", None, None, MISUSED + "attribute_exists"),
    ("a IN (contains(b, c))", None, None, MISUSED + "contains"),
    ("begins_with(a, b) = c", None, None, MISUSED + "begins_with"),
    ("a BETWEEN begins_with(a, b) AND c", None, None, MISUSED + "begins_with"),
    ("attribute_exists(a, b)", None, None, OPERANDS.format("attribute_exists", 2)),
    ("attribute_not_exists(a, b, c)", None, None, OPERANDS.format("attribute_not_exists", 3)),
    ("begins_with(a)", None, None, OPERANDS.format("begins_with", 1)),
    ("contains(a)", None, None, OPERANDS.format("contains", 1)),
    ("contains(a, b, c)", None, None, OPERANDS.format("contains", 3)),
    ("attribute_type(a)", None, None, OPERANDS.format("attribute_type", 1)),
    ("size(a, b) > c", None, None, OPERANDS.format("size", 2)),
    ("attribute_exists(:a)", None, {":a": S("x")}, PATH + "attribute_exists"),
    ("attribute_not_exists(:a)", None, {":a": S("x")}, PATH + "attribute_not_exists"),
    ("attribute_exists(size(a))", None, None, PATH + "attribute_exists"),
    ("begins_with(a, :v)", None, {":v": N(1)}, TYPE.format("begins_with", "N")),
    ("begins_with(:v, a)", None, {":v": SS("a")}, TYPE.format("begins_with", "SS")),
    ("begins_with(a, size(b))", None, None, TYPE.format("begins_with", "N")),
    ("attribute_type(a, :v)", None, {":v": N(1)}, TYPE.format("attribute_type", "N")),
    ("attribute_type(a, :v)", None, {":v": S("string")}, f"Invalid attribute type name found; type: string, valid types: {TYPES}"),
    ("attribute_type(a, :v)", None, {":v": S("")}, f"Invalid attribute type name found; type: , valid types: {TYPES}"),
    ("attribute_type(a, b)", None, None, TYPE.format("attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")),
    ("size(:v) > a", None, {":v": N(1)}, TYPE.format("size", "N")),
    ("size(:v) > a", None, {":v": FALSE}, TYPE.format("size", "BOOL")),
    ("size(:v) > a", None, {":v": NULL}, TYPE.format("size", "NULL")),
    ("size(size(a)) > b", None, None, TYPE.format("size", "N")),
    ("a < :v", None, {":v": FALSE}, TYPE.format("<", "BOOL")),
    ("a <= :v", None, {":v": NULL}, TYPE.format("<=", "NULL")),
    ("a > :v", None, {":v": L()}, TYPE.format(">", "L")),
    ("a >= :v", None, {":v": M()}, TYPE.format(">=", "M")),
    (":v < a", None, {":v": SS("a")}, TYPE.format("<", "SS")),
    ("a BETWEEN :v AND b", None, {":v": FALSE}, TYPE.format("BETWEEN", "BOOL")),
    ("a BETWEEN b AND :v", None, {":v": NS(1)}, TYPE.format("BETWEEN", "NS")),
    ("a > :v", None, {":v": BS(b"a")}, TYPE.format(">", "BS")),
    ("contains(a, a)", None, None, DISTINCT.format("contains", "a")),
    ("contains(#a, a)", {"#a": "a"}, None, DISTINCT.format("contains", "a")),
    ("begins_with(a, a)", None, None, DISTINCT.format("begins_with", "a")),
    ("a = a", None, None, DISTINCT.format("=", "a")),
    ("a <> a", None, None, DISTINCT.format("<>", "a")),
    ("a.b[1] < a.b[1]", None, None, DISTINCT.format("<", "a, b, [1]")),
    ("a BETWEEN a AND b", None, None, DISTINCT.format("BETWEEN", "a")),
    ("a BETWEEN b AND a", None, None, DISTINCT.format("BETWEEN", "a")),
    ("a IN (b, a)", None, None, DISTINCT.format("IN", "a")),
    (
        "a BETWEEN :n AND :m",
        None,
        {":n": N(5), ":m": N(1)},
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
        "lower bound operand: AttributeValue: {N:5}, upper bound operand: AttributeValue: {N:1}",
    ),
    (
        "a BETWEEN :n AND :m",
        None,
        {":n": S("b"), ":m": S("a")},
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
        "lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}",
    ),
    (
        "a BETWEEN :n AND :m",
        None,
        {":n": N(5), ":m": S("a")},
        "The BETWEEN operator requires same data type for lower and upper bounds; "
        "lower bound operand: AttributeValue: {N:5}, upper bound operand: AttributeValue: {S:a}",
    ),
]


@op("PutItem", "DeleteItem", "UpdateItem", "Scan", "Query")
@pytest.mark.parametrize("expression, names, values, text", MEANING, ids=[f"{n}-{m[0]}" for n, m in enumerate(MEANING)])
def test_meaning(expression, names, values, text):
    """Nothing about the table matters: the faults of an expression come first."""
    for operation, kind, request in requests(expression, names, values, ABSENT):
        if text is None:
            expect_error(operation, request, "ResourceNotFoundException")
        else:
            expect_validation(operation, request, f"Invalid {kind}Expression: {text}")


ORDER = [
    ("((a = b)) AND hello(c)", PARENTHESES),
    ("hello(a) AND a = attribute_exists(b)", FUNCTION + "hello"),
    ("a = attribute_exists(b) AND count = c", MISUSED + "attribute_exists"),
    ("count = c AND #x = b", RESERVED + "count"),
    ("#x = b AND size(a, b) = c", UNDEFINED_NAME + "#x"),
    ("contains(a) AND contains(a, a)", OPERANDS.format("contains", 1)),
    ("hello(:x)", FUNCTION + "hello"),
    ("attribute_exists(:x, b)", UNDEFINED_VALUE + ":x"),
]


@op("Scan", "PutItem")
@pytest.mark.parametrize("expression, text", ORDER, ids=[o[0] for o in ORDER])
def test_which_fault_comes_first(expression, text):
    for operation, kind, request in requests(expression):
        if operation in ("Scan", "PutItem"):
            expect_validation(operation, request, f"Invalid {kind}Expression: {text}")


def invalid_key(map_name, key):
    return f'{map_name} contains invalid key: Syntax error; key: "{key}"'


ONLY = "{} can only be specified when using expressions"
PLACEHOLDERS = [
    ("a = b", {}, None, "ExpressionAttributeNames must not be empty"),
    ("a = b", None, {}, "ExpressionAttributeValues must not be empty"),
    ("a = b", {}, {}, "ExpressionAttributeNames must not be empty"),
    ("a = b", {"a": "a"}, None, invalid_key("ExpressionAttributeNames", "a")),
    ("a = b", {"#": "a"}, None, invalid_key("ExpressionAttributeNames", "#")),
    ("a = b", {"#a!": "a"}, None, invalid_key("ExpressionAttributeNames", "#a!")),
    ("a = b", {":a": "a"}, None, invalid_key("ExpressionAttributeNames", ":a")),
    ("a = b", None, {"a": S("a")}, invalid_key("ExpressionAttributeValues", "a")),
    ("a = b", None, {":": S("a")}, invalid_key("ExpressionAttributeValues", ":")),
    ("a = b", None, {"#a": S("a")}, invalid_key("ExpressionAttributeValues", "#a")),
    ("a = b", {"#a": "a"}, None, "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}"),
    ("a = b", None, {":a": S("a")}, "Value provided in ExpressionAttributeValues unused in expressions: keys: {:a}"),
    ("a = :b", None, {":a": S("a"), ":b": S("b")}, "Value provided in ExpressionAttributeValues unused in expressions: keys: {:a}"),
    ("a = b", {"#a": "a"}, {":a": S("a")}, "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}"),
    ("a = b", {"x": "a"}, {"y": S("a")}, invalid_key("ExpressionAttributeNames", "x")),
    ("a = ", {"x": "a"}, None, invalid_key("ExpressionAttributeNames", "x")),
]


@op("PutItem", "DeleteItem", "UpdateItem", "Scan", "Query")
@pytest.mark.parametrize("expression, names, values, text", PLACEHOLDERS, ids=range(len(PLACEHOLDERS)))
def test_placeholders(expression, names, values, text):
    for operation, _, request in requests(expression, names, values, ABSENT):
        expect_validation(operation, request, text)


@op("Scan")
def test_several_unused_placeholders_are_listed():
    request = {"TableName": HASH, "FilterExpression": "a = b", "ExpressionAttributeNames": {"#x": "x", "#y": "y"}}
    texts = tuple(
        f"Value provided in ExpressionAttributeNames unused in expressions: keys: {{{keys}}}"
        for keys in ("#x, #y", "#y, #x")
    )
    expect_validation("Scan", request, texts)


@op("Scan")
def test_a_fault_beats_an_unused_placeholder():
    request = {"TableName": HASH, "FilterExpression": "a = :x", "ExpressionAttributeNames": {"#x": "x"}}
    expect_validation("Scan", request, "Invalid FilterExpression: " + UNDEFINED_VALUE + ":x")


WITHOUT = [
    ("PutItem", {"Item": KEY}, ""),
    ("DeleteItem", {"Key": KEY}, ""),
    ("DeleteItem", {"Key": KEY, "Expected": {"a": {"Exists": False}}}, ""),
    ("UpdateItem", {"Key": KEY}, ""),
    ("Query", {}, ""),
    ("Scan", {}, ": FilterExpression is null"),
]


@pytest.mark.parametrize("operation, request_, tail", WITHOUT, ids=[f"{n}-{w[0]}" for n, w in enumerate(WITHOUT)])
def test_placeholders_without_expressions(operation, request_, tail):
    request = {"TableName": ABSENT, **request_}
    expect_validation(operation, {**request, "ExpressionAttributeNames": {"#a": "a"}}, ONLY.format("ExpressionAttributeNames"))
    values = {**request, "ExpressionAttributeValues": {":v": S("x")}}
    expect_validation(operation, values, ONLY.format("ExpressionAttributeValues") + tail)
    both = {**values, "ExpressionAttributeNames": {"#a": "a"}}
    expect_validation(operation, both, ONLY.format("ExpressionAttributeNames"))


@op("GetItem")
def test_names_without_a_projection():
    request = {"TableName": ABSENT, "Key": KEY, "ExpressionAttributeNames": {"#a": "a"}}
    expect_validation("GetItem", request, ONLY.format("ExpressionAttributeNames"))


LIMIT = 4096
SIZE = "Expression size has exceeded the maximum allowed size;"


def padded(start, length):
    return start + " " * (length - len(start))


@op("PutItem", "DeleteItem", "UpdateItem", "Scan", "Query")
def test_length_of_a_condition():
    for operation, kind, request in requests(padded("a = b", LIMIT + 1), table=ABSENT):
        expect_validation(operation, request, re.compile(f"Invalid {kind}Expression: {SIZE}( expression size: 4097)?"))
    for operation, kind, request in requests(padded("a = b", LIMIT), table=ABSENT):
        expect_error(operation, request, "ResourceNotFoundException")


LONG = [
    ("GetItem", {"Key": KEY}, "Projection", "a"),
    ("UpdateItem", {"Key": KEY}, "Update", "REMOVE a"),
    ("Query", {"ExpressionAttributeValues": {":p": S("a")}}, "KeyCondition", "pk = :p"),
]


@pytest.mark.parametrize("operation, request_, kind, start", LONG, ids=[f"{c[0]}-{c[2]}" for c in LONG])
def test_length_of_other_expressions(operation, request_, kind, start):
    request = {"TableName": ABSENT, **request_}
    over = {**request, f"{kind}Expression": padded(start, LIMIT + 1)}
    expect_validation(operation, over, re.compile(f"Invalid {kind}Expression: {SIZE}( expression size: 4097)?"))
    expect_error(operation, {**request, f"{kind}Expression": padded(start, LIMIT)}, "ResourceNotFoundException")


@op("GetItem")
def test_length_counts_the_text_as_sent():
    names = {f"#a{n}": "n" * 240 + f"x{n}" for n in range(30)}
    request = {"TableName": HASH, "Key": {"pk": S("none")}, "ProjectionExpression": ", ".join(names)}
    assert ok("GetItem", **request, ExpressionAttributeNames=names) == {}


@op("Scan")
def test_at_most_300_operators():
    def chain(operators):
        return " OR ".join(["a=b"] * ((operators + 1) // 2))

    request = {"TableName": ABSENT, "FilterExpression": chain(299)}
    expect_error("Scan", request, "ResourceNotFoundException")
    text = "Invalid FilterExpression: The expression contains too many operators; operator count: 301"
    expect_validation("Scan", {"TableName": ABSENT, "FilterExpression": chain(301)}, text)


@op("Scan")
def test_at_most_100_members_of_in():
    values = {f":v{n}": N(n) for n in range(101)}
    request = {"TableName": ABSENT, "FilterExpression": f"a IN ({','.join(list(values)[:100])})"}
    most = {**request, "ExpressionAttributeValues": dict(list(values.items())[:100])}
    expect_error("Scan", most, "ResourceNotFoundException")
    request["FilterExpression"] = f"a IN ({','.join(values)})"
    text = "Invalid FilterExpression: The IN operator is provided with too many operands; number of operands: 101"
    expect_validation("Scan", {**request, "ExpressionAttributeValues": values}, text)


@op("Scan")
def test_deep_parentheses_do_no_harm():
    text = "Invalid FilterExpression: " + PARENTHESES
    expect_validation("Scan", {"TableName": ABSENT, "FilterExpression": "(" * 1500 + "a = b" + ")" * 1500})
    expect_validation("Scan", {"TableName": ABSENT, "FilterExpression": "(" * 20 + "a = b" + ")" * 20}, text)
    nots = {"TableName": ABSENT, "FilterExpression": "NOT " * 100 + "a = b"}
    expect_error("Scan", nots, "ResourceNotFoundException")


@op("Scan")
@pytest.mark.parametrize("expression", ["a=b", "a  =\tb\n", "(a=b)AND(c=d)", "NOT a=b", "a<>b", "a.b[0].c[10][2]=d", "#a.#b=c"])
def test_white_space_and_forms_that_are_fine(expression):
    request = {"TableName": ABSENT, "FilterExpression": expression}
    if "#" in expression:
        request["ExpressionAttributeNames"] = NAMES
    expect_error("Scan", request, "ResourceNotFoundException")


@op("Scan")
@pytest.mark.parametrize("word", ["and", "And", "AND"])
def test_keywords_in_any_case(word):
    request = {"TableName": ABSENT, "FilterExpression": f"a = b {word} not c in (d) or e between f and g"}
    expect_error("Scan", request, "ResourceNotFoundException")


RESERVED_WORDS = """
ABORT ACTION ADD AGENT ALL ANY ARRAY ASC ATTRIBUTE BACKUP BATCH BINARY BLOB BOOLEAN BY CASE CHAR COLUMN COMMENT
COMMIT CONNECTION COUNT COUNTER CURRENT DATA DATE DAY DEFAULT DELETE DESC DOMAIN DURATION EACH ELSE END ERROR
EXISTS FILE FILTER FIRST FLOAT FORMAT FROM FUNCTION GET GLOBAL GROUP HASH HIDDEN HOUR IDENTITY INDEX INPUT INTERVAL
ITEM ITEMS JOIN KEY LANGUAGE LAST LENGTH LEVEL LIMIT LIST LOCAL LOCATION LOG MAP MAX MEMBER METHOD METRICS MINUTE
MODE MONTH NAME NAMES NEW NEXT NULL NUMBER OBJECT OFFLINE ORDER OWNER PARTITION PATH PERMISSION POSITION PRIMARY
QUERY RANGE READ REGION RESOURCE ROLE ROW RULE SCHEMA SECOND SECTION SET SIZE SOURCE SPACE STATE STATUS STREAM
STRING SUM TABLE TEXT TIME TIMESTAMP TO TOKEN TOTAL TTL TYPE UNIT UPDATE URL USE USER USERS UUID VALUE VALUES VIEW
VIEWS WHERE WITH WORK YEAR ZONE""".split()


@op("Scan", "GetItem", "UpdateItem")
@pytest.mark.parametrize("word", RESERVED_WORDS)
def test_reserved_words(word):
    word = word.lower()
    request = {"TableName": ABSENT, "FilterExpression": f"{word} = x"}
    expect_validation("Scan", request, f"Invalid FilterExpression: {RESERVED}{word}")
    request = {"TableName": ABSENT, "Key": KEY, "ProjectionExpression": f"x, y.{word}"}
    expect_validation("GetItem", request, f"Invalid ProjectionExpression: {RESERVED}{word}")
    if word in ("add", "delete", "set"):
        return  # These open a clause of an update.
    request = {"TableName": ABSENT, "Key": KEY, "UpdateExpression": f"REMOVE {word}"}
    expect_validation("UpdateItem", request, f"Invalid UpdateExpression: {RESERVED}{word}")


@op("UpdateItem", "GetItem", "Query", "PutItem", "DeleteItem")
@pytest.mark.parametrize("words", [["count"], ["data"], ["items"], ["name"], ["status"], ["Size", "total", "YEAR"]], ids=",".join)
def test_reserved_words_by_placeholders(words):
    key = {"pk": S(fresh("word"))}
    names = {f"#{n}": word for n, word in enumerate(words)}
    each = [f"{name} = :v" for name in names]
    shared = {"TableName": HASH, "ExpressionAttributeNames": names}
    values = {"ExpressionAttributeValues": {":v": S("x")}}
    absent = " AND ".join(f"attribute_not_exists({name})" for name in names)
    ok("PutItem", **shared, Item=key, ConditionExpression=absent)
    ok("UpdateItem", **shared, **values, Key=key, UpdateExpression="SET " + ", ".join(each))
    shown = dict.fromkeys(words, S("x"))
    assert ok("GetItem", **shared, Key=key, ProjectionExpression=", ".join(names))["Item"] == shown
    keys = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [key["pk"]]}}
    assert ok("Query", **shared, **values, KeyConditions=keys, FilterExpression=" AND ".join(each))["Count"] == 1
    ok("DeleteItem", **shared, **values, Key=key, ConditionExpression=" AND ".join(each))


@op("Scan")
@pytest.mark.parametrize("word", ["id", "pk", "sk", "title", "price", "amount", "email", "a1", "created_at", "statuses"])
def test_words_that_are_free(word):
    expect_error("Scan", {"TableName": ABSENT, "FilterExpression": f"{word} = x"}, "ResourceNotFoundException")

