"""Statements that are not understood, and parameters that are no values: each in AWS's own words."""

import pytest
from client import NOT_FOUND, VALIDATION, call, expect_error
from statements import LEFTOVER, NOT_WELL_FORMED, ONE, batch, fails, place, refused, run, transaction
from tables import ABSENT, HASH, HASH_N, RANGE, fresh, get, put
from values import NS, N, S

pytestmark = pytest.mark.op(ONE)

ALIAS = "Aliasing is not supported"
DEEP = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
UNCONVERTIBLE = "The parameter cannot be converted to a numeric value"
T, NUMBERS = f'"{HASH}"', f'"{HASH_N}"'


@pytest.mark.parametrize(
    "statement",
    [
        f"SELECT * FROM {NUMBERS} WHERE pk = 1 foo",
        f"SELECT * FROM {NUMBERS} WHERE pk = 1 e5",
        f"SELECT * FROM {NUMBERS} WHERE pk = 1)",
        f"SELECT * FROM {NUMBERS} ORDER BY pk WHERE pk = 1",
        f"INSERT INTO {NUMBERS} VALUE {{'pk': 1}} foo",
        f"INSERT INTO {NUMBERS} t VALUE {{'pk': 1}}",
        f"UPDATE {NUMBERS} SET a = 9 WHERE pk = 1 foo",
        f"DELETE FROM {NUMBERS} WHERE pk = 1 foo",
        f"DELETE FROM {NUMBERS} WHERE pk = 1 ORDER BY pk",
        f"FROM {T} SET c = 1 WHERE pk = 'x'",
        f"FROM {T} SET c = 1 WHERE pk = 'x' SET d = 2",
        f'SELECTT * FROMM {T}',
    ],
)
def test_what_is_left_over(statement):
    refused(statement, LEFTOVER)


@pytest.mark.parametrize(
    "statement, detail",
    [
        (f"SELECT * FROM {NUMBERS} WHERE pk = 1e2147483648", ""),
        (f"SELECT * FROM {NUMBERS} WHERE pk = 1e99999999999", ""),
        (f"SELECT * FROM {NUMBERS} WHERE pk = 1.5e-2147483647", ""),
        (f"SELECT * FROM {NUMBERS} WHERE pk = 1 # note", ""),
        (f"SELECT * FROM {NUMBERS} WHERE pk = 1 /* note", ""),
        (f"SELECT * FROM {NUMBERS} WHERE pk = 'open", ""),
        (f'SELECT * FROM "{HASH_N}', ""),
        (f"SELECT * FROM {T} WHERE", "Unexpected term"),
        (f"SELECT * FROM {T} WHERE;", "Unexpected term"),
        (f"SELECT * FROM {T} WHERE   ", "Unexpected term"),
        (f'SELECT * FROM "{ABSENT}" WHERE', "Unexpected term"),
        (f"UPDATE {T} SET a = 1 WHERE", "Unexpected term"),
        (f"DELETE FROM {T} WHERE", "Unexpected term"),
        (f"SELECT * FROM {T} WHERE NOT", "Unexpected term"),
        (f"SELECT * FROM {T} WHERE (", "Unexpected term"),
        ("SELECT * FROM", "Unexpected term"),
        (f"SELECT * FROM {T} WHERE pk = 'p1' AND", "Missing right-hand side expression of infix operator"),
        (f"SELECT * FROM {T} WHERE pk = 'p1' OR", "Missing right-hand side expression of infix operator"),
        (f"SELECT * FROM {T} WHERE ORDER BY pk", "Unexpected keyword"),
        (f"SELECT * FROM {T} WHERE IS NULL", "Unexpected operator"),
        (f"SELECT * FROM {T} WHERE pk = LIKE", "Unexpected operator"),
        (f"SELECT * FROM {T} WHERE pk = 'a' AND x IS FOO", "Expected type name"),
        (f"SELECT * FROM {T} WHERE (pk = 'a'", "Expected RIGHT_PAREN"),
        ("DELETE FROM", "Expected identifier for simple path"),
        ("DELETE FROM   ", "Expected identifier for simple path"),
        ("DELETE FROM;", "Expected identifier for simple path"),
        ("DELETE FROM WHERE pk = 'a'", "Expected identifier for simple path"),
        (f"SLECT * FROM {T} WHERE pk = 'a'", "Expected data manipulation"),
        (f"SELECT m.inner FROM {T} WHERE pk = 'a'", "Invalid path dot component"),
        (f"SELECT * FROM {T} WHERE attribute_exists(m.inner)", "Invalid path dot component"),
        (f"UPDATE {T} SET m.inner = set_add(m.inner, <<'y'>>) WHERE pk = 'a'", "Invalid path dot component"),
    ],
)
def test_what_is_not_well_formed(statement, detail):
    refused(statement, NOT_WELL_FORMED + detail)


@pytest.mark.parametrize(
    "statement, text",
    [
        (f"SELECT * FROM {T} t WHERE pk = 'x'", ALIAS),
        (f"SELECT * FROM {T} AS t WHERE pk = 'x'", ALIAS),
        (f"UPDATE {T} t SET a = 3 WHERE pk = 'x'", ALIAS),
        (f"DELETE FROM {T} t WHERE pk = 'x'", ALIAS),
        (f"SELECT * FROM {T}, {NUMBERS}", "Only select from a single table or index is supported."),
        ("x IS INT4", "Unsupported operation: IsType"),
        ("x IS INT8", "Unsupported operation: IsType"),
        ("x IS DOUBLE PRECISION", "Unsupported operation: IsType"),
        ("x IS CHARACTER VARYING", "Unsupported operation: IsType"),
        ("SELECT * FROM ab", "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'."),
        (f"SELECT * FROM {T} WHERE pk = ?", "Number of parameters in request and statement don't match."),
        (f"SELECT pk FROM {T} WHERE 'x'", "WHERE clause must contain an expression that resolves to a boolean"),
        (f"SELECT pk FROM {T} WHERE a AND b = 1", "The arguments to AND/OR must be Expressions"),
        (f"SELECT pk FROM {T} WHERE NOT a", "The argument to NOT must be a Type or Expression"),
        (f"SELECT pk FROM {T} WHERE a = MISSING", "MISSING must be compared using IS operator"),
        (f"SELECT pk FROM {T} WHERE a + 1 = 2", "Unsupported operator in Condition Expression. Operator: +"),
        (f"SELECT pk FROM {T} WHERE a LIKE 'x'", "Unsupported operator in Condition Expression. Operator: LIKE"),
        (f"SELECT pk FROM {T} WHERE a IN []", "IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq with at least one member"),
        (f"SELECT pk FROM {T} WHERE a IS INT", "Unsupported data type for IS operator: INT. Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]"),
        (f"EXISTS(SELECT * FROM {T} WHERE pk = 'x' AND a IS MISSING)", "EXISTS can only be used in ExecuteTransaction write requests."),
        (f"UPDATE {T} SET a = 1 WHERE pk = 'x' RETURNING ALL OLD a", "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause"),
    ],
)
def test_what_dynamodb_does_not_take(statement, text):
    refused(statement, text)


@pytest.mark.parametrize(
    "condition, text",
    [
        ("attribute_exists('ss')", "Operator or function requires a document path; operator or function: attribute_exists"),
        ("attribute_exists()", "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 0"),
        ("attribute_exists(a, b)", "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2"),
        ("attribute_type(l, 1)", "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N"),
        ("attribute_type(l, true)", "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: BOOL"),
        ("attribute_type(l, 'X')", "Invalid attribute type name found; type: X, valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}"),
        ("size(5) = 1", "Incorrect operand type for operator or function; operator or function: size, operand type: N"),
        ("a = <<'x', 'x'>>", "One or more parameter values were invalid: Input collection [x, x] contains duplicates."),
    ],
)
def test_functions_of_conditions(condition, text):
    refused(f"SELECT * FROM {T} WHERE pk = 'x' AND {condition}", text)


def test_where_an_unknown_function_stands():
    for call_of, name in (("EXISTS(ss)", "exists"), ("set_add(ss, <<'x'>>) = ss", "set_add"), ("Foo(a) = 1", "foo")):
        statement = f"SELECT * FROM {T} WHERE pk = 'x' AND {call_of}"
        token = call_of[: call_of.index("(")]
        refused(statement, f"Unrecognized function: {name} at {place(statement, token)}")
    statement = f"SELECT * FROM {T}\n  LIMIT 10"
    refused(statement, "Unsupported clause: LIMIT at 2:9:2")


def test_a_parameter_is_no_path():
    text = "Operator or function requires a document path; operator or function: attribute_exists"
    refused(f"SELECT * FROM {T} WHERE pk = 'x' AND attribute_exists(?)", text, S("ss"))


def test_a_refused_statement_changes_nothing():
    pk = fresh()
    put(HASH, {"pk": S(pk)})
    for statement in (
        f"DELETE FROM {T} t WHERE pk = '{pk}'",
        f"DELETE FROM {T} WHERE pk = '{pk}' ORDER BY pk",
        f"DELETE FROM {T} WHERE pk = '{pk}' foo",
        f"UPDATE {T} SET a = 1 WHERE pk = '{pk}'; UPDATE {T} SET a = 2 WHERE pk = '{pk}'",
        f"UPDATE {T} SET pk = pk--1 WHERE pk = '{pk}'",
    ):
        assert call(ONE, {"Statement": statement}).status == 400
    assert get(HASH, {"pk": S(pk)}) == {"pk": S(pk)}


def test_a_table_that_is_not_there():
    for statement in (
        f"SELECT * FROM \"{ABSENT}\" WHERE pk = 'x'",
        f"FROM \"{ABSENT}\" WHERE pk = 'x' SET c = 1",
        f"INSERT INTO \"{ABSENT}\" VALUE {{'pk': 'x'}}",
        f"DELETE FROM \"{ABSENT}\" WHERE pk = 'x'",
    ):
        fails(NOT_FOUND, statement, "Requested resource not found")
    refused(f'SELECT COUNT(*) FROM "{ABSENT}"', "Unexpected path component at 1:8:5")


@pytest.mark.parametrize(
    "literal, text",
    [
        ("1e126", "Number overflow. Attempting to store a number with magnitude larger than supported range under root"),
        ("1e-131", "Number underflow. Attempting to store a number with magnitude smaller than supported range under root"),
        ("1" * 39, "Attempting to store more than 38 significant digits in a Number under root"),
        ("{'x': 1e126}", "Number overflow. Attempting to store a number with magnitude larger than supported range under root.x"),
        ("[1, -1e126]", "Number overflow. Attempting to store a number with magnitude larger than supported range under root[1]"),
    ],
)
def test_numbers_out_of_range(literal, text):
    for statement in (
        f"SELECT * FROM {NUMBERS} WHERE pk = 1 AND a = {literal}",
        f"INSERT INTO {NUMBERS} VALUE {{'pk': 1, 'a': {literal}}}",
        f"UPDATE {NUMBERS} SET a = {literal} WHERE pk = 1",
    ):
        refused(statement, text)


POSITIONS = [
    f"SELECT * FROM \"{RANGE}\" WHERE pk = 'x' AND n = ?",
    f"INSERT INTO \"{RANGE}\" VALUE {{'pk': 'x', 'sk': 's', 'n': ?}}",
    f"UPDATE \"{RANGE}\" SET n = ? WHERE pk = 'x' AND sk = 's'",
    f'SELECT * FROM "{RANGE}" WHERE pk = ?',
    f'UPDATE "{RANGE}" SET WHERE',
]


@pytest.mark.parametrize("statement", POSITIONS)
def test_parameters_come_before_the_statement(statement):
    for number in ("1e99999999999", "-1e99999999999", "1e-99999999999", "1e2147483648", "1e-2147483648", "abc"):
        refused(statement, f"{UNCONVERTIBLE}: {number}", N(number))
    refused(statement, UNCONVERTIBLE, N(""))
    small = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
    refused(statement, small, N("1e2147483647"))
    for nested in ({"L": [N(1), N("1e99999999999")]}, {"M": {"x": N("1e99999999999")}}, NS(1, "1e99999999999")):
        refused(statement, f"{UNCONVERTIBLE}: 1e99999999999", nested)
    refused(
        statement,
        "One or more parameter values were invalid: Input collection [a, a] contains duplicates.",
        {"SS": ["a", "a"]},
    )
    refused(
        statement,
        "One or more parameter values were invalid: Null attribute value types must have the value of true",
        {"NULL": False},
    )


@pytest.mark.parametrize("levels", [40, 100])
def test_the_first_problem_of_parameters_is_told(levels):
    def deep(value):
        for _ in range(levels):
            value = {"M": {"n": value}}
        return value

    pair = f"SELECT * FROM \"{RANGE}\" WHERE pk = 'x' AND x = ? AND y = ?"
    single = f"SELECT * FROM \"{RANGE}\" WHERE pk = 'x' AND x = ?"
    refused(pair, DEEP, deep(S("x")), N("abc"))
    refused(pair, f"{UNCONVERTIBLE}: abc", N("abc"), deep(S("x")))
    refused(pair, DEEP, deep(S("x")), N("1e126"))
    refused(single, DEEP, {"M": {"d": deep(S("x")), "bad": N("abc")}})
    refused(single, f"{UNCONVERTIBLE}: abc", {"M": {"bad": N("abc"), "d": deep(S("x"))}})
    refused(single, DEEP, deep(N("abc")))
    sets = f"UPDATE \"{RANGE}\" SET x = ? SET y = ? WHERE pk = 'x' AND sk = '1'"
    reply = transaction({"Statement": sets, "Parameters": [deep(S("x")), N("abc")]})
    assert (reply.type, reply.message) == (VALIDATION, DEEP)
    (response,) = batch({"Statement": sets, "Parameters": [deep(S("x")), N("abc")]})
    assert response == {"Error": {"Code": "ValidationError", "Message": DEEP}}


def test_the_length_of_a_statement():
    longest = f"SELECT * FROM {T} WHERE pk = 'x' -- "
    assert run(longest + "x" * (8192 - len(longest))) == []
    reply = call(ONE, {"Statement": longest + "x" * (8193 - len(longest))})
    assert reply.type == VALIDATION and reply.message.endswith(
        "at 'statement' failed to satisfy constraint: Member must have length less than or equal to 8192"
    )
    expect_error(ONE, {"Statement": ""}, VALIDATION)
    expect_error(ONE, {}, VALIDATION)
    expect_error(ONE, {"Statement": f"SELECT * FROM {T}", "Parameters": []}, VALIDATION)
    expect_error(ONE, {"Statement": f"SELECT * FROM {T}", "Limit": 0}, VALIDATION)


@pytest.mark.parametrize("nested", ["(" * 4000, "[" * 4000, "NOT " * 2000, "- " * 4000, "a.b" + "[1]" * 2700, "a" + "=a" * 4000])
def test_deep_and_long_statements_are_answered(nested):
    reply = call(ONE, {"Statement": f"SELECT * FROM {T} WHERE {nested}"[:8192]})
    assert reply.type == VALIDATION, reply


def test_many_operators_are_carried_out():
    pk = fresh()
    put(HASH, {"pk": S(pk), "a": N(1)})
    where = " AND ".join([f"pk = '{pk}'"] + ["a=1"] * 800)
    assert len(run(f"SELECT pk FROM {T} WHERE {where}")) == 1
    assert len(run(f"SELECT pk FROM {T} WHERE pk = '{pk}' AND ({' OR '.join(['a=2'] * 700)} OR a=1)")) == 1
