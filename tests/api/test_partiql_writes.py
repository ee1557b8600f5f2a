"""INSERT, UPDATE and DELETE: what they change, what they answer, and what they refuse."""

import pytest
from client import CHECK_FAILED
from statements import ONE, fails, page, place, refused, run
from tables import HASH, INDEXED, RANGE, fresh, get, put
from values import BS, NS, NULL, SS, TRUE, L, M, N, S

pytestmark = pytest.mark.op(ONE)

FAILED = "The conditional request failed"
INCOMPLETE = "Where clause does not contain a mandatory equality on all key attributes"
OPERAND = "An operand in the update expression has an incorrect data type"


def stored(pk, table=HASH):
    return get(table, {"pk": S(pk)})


@pytest.fixture
def item():
    """The partition key of an item of its own."""
    pk = fresh("pq")
    put(
        HASH,
        {
            "pk": S(pk),
            "n": N(5),
            "s": S("str"),
            "ss": SS("a", "b", "c"),
            "ns": NS(1, 2, 3),
            "bs": BS(b"1", b"2"),
            "l": L(S("x"), S("y"), S("z")),
            "m": M(sub=S("old"), sib=S("keep")),
        },
    )
    return pk


def update(pk, changes, *parameters, where="", **more):
    return run(f'UPDATE "{HASH}" {changes} WHERE pk = \'{pk}\'{where}', *parameters, **more)


# INSERT


def test_an_insert():
    pk = fresh()
    answer = run(
        f"INSERT INTO \"{HASH}\" VALUE {{'pk': '{pk}', 'n': 1E3, 'd': -1.50e-3, 'z': -0, 'q': 'it''s', 't': TRUE, 'u': null,"
        " 'm': {'a': 1, 'b': ['c', {}]}, 's': <<'x', 'y'>>, 'ns': <<1, 34, 4.5>>, 'l': [], 'p': ?}",
        L(N(1)),
    )
    assert answer == []
    assert stored(pk) == {
        "pk": S(pk),
        "n": N(1000),
        "d": N("-0.0015"),
        "z": N(0),
        "q": S("it's"),
        "t": TRUE,
        "u": NULL,
        "m": M(a=N(1), b=L(S("c"), M())),
        "s": SS("x", "y"),
        "ns": NS(1, "4.5", 34),
        "l": L(),
        "p": L(N(1)),
    }


def test_an_insert_of_what_is_there():
    pk = fresh()
    insert = f'INSERT INTO "{HASH}" VALUE {{\'pk\': ?, \'a\': 1}}'
    run(insert, S(pk))
    reply = fails(
        "DuplicateItemException",
        insert,
        "Duplicate primary key exists in table",
        S(pk),
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    assert "Item" not in reply.body
    run(f'DELETE FROM "{HASH}" WHERE pk = ?', S(pk))
    run(insert, S(pk))
    assert stored(pk) == {"pk": S(pk), "a": N(1)}


@pytest.mark.parametrize(
    "value, text",
    [
        ("{'pk': 'x', 's': <<>>}", "Empty bags are not supported"),
        (
            "{'pk': 'x', 's': <<1, 'a'>>}",
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags",
        ),
        (
            "{'pk': 'x', 's': [<<'a', 'a'>>]}",
            "One or more parameter values were invalid: Input collection [a, a] contains duplicates.",
        ),
        (
            "{'pk': 'x', 's': <<2, 2.0>>}",
            "One or more parameter values were invalid: Input collection [2, 2.0] contains duplicates! under root",
        ),
        ("{'pk': 'x', 'a': 1, 'a': 2}", "Duplicate keys in tuple. Key: a under root"),
        ("{'pk': 'x', 'm': {'a': 1, 'a': 2}}", "Duplicate keys in tuple. Key: a under root"),
        ("{'pk': 'x', 'a': `2020`}", "Ion Literals are not supported: 2020 under key root"),
        (
            "['x']",
            "Unsupported format in item expression. Please use struct format {...} to express item values for insert statement.",
        ),
        ("{'a': 'x'}", "Key attribute should be present in the item: Key pk"),
        ("{'pk': 1}", "Key attribute's data type should match its data type in table's schema: Key pk"),
        ("{'pk': 'x'} RETURNING ALL OLD *", "RETURNING is not supported in INSERT"),
        ("{'pk': 'x'} AT 1", "AT is not supported in insert statements."),
    ],
)
def test_inserts_that_are_refused(value, text):
    refused(f'INSERT INTO "{HASH}" VALUE {value}', text)


def test_one_item_is_inserted_into_a_table():
    several = (
        "Unsupported operation: Inserting multiple items in a single statement is not supported,"
        ' use "INSERT INTO tableName VALUE item" instead'
    )
    refused(f'INSERT INTO "{HASH}" << {{\'pk\': \'x\'}} >>', several)
    for index in ("by_kind", "none"):
        statement = f'INSERT INTO "{INDEXED}"."{index}" VALUE {{\'pk\': \'x\', \'sk\': \'y\'}}'
        at = place(statement, f'"{INDEXED}"')
        refused(
            statement, f"FROM clause may only contain a single table name in data manipulation statements at {at}"
        )
    assert get(INDEXED, {"pk": S("x"), "sk": S("y")}) is None


def test_parameters_stand_for_whole_values():
    statement = f'UPDATE "{HASH}" SET x = [?] WHERE pk = \'x\''
    where = place(statement, "?")
    refused(statement, f"Unsupported data type: Parameter under key root[0] at {where}", S("v"))
    statement = f"INSERT INTO \"{HASH}\" VALUE {{'pk': 'x', 'm': {{'k': ?}}}}"
    refused(statement, f"Unsupported data type: Parameter under key root.k at {place(statement, '?')}", S("v"))
    statement = f"INSERT INTO \"{HASH}\" VALUE {{'pk': 'x', 's': set_add(<<'a'>>, <<'b'>>)}}"
    refused(statement, f"Unsupported data type: set_add under key root at {place(statement, 'set_add')}")


def test_literals_nest_32_levels():
    def nested(levels):
        return "{'a':" * levels + "1" + "}" * levels

    update = f'UPDATE "{HASH}" SET d = {{}} WHERE pk = \'x\''.replace("{}", "%s")
    deep = "Nesting Levels have exceeded supported limits under root"
    refused(update % nested(32), deep + ".a" * 32)
    refused(update % ("{'a':" + "[" * 31 + "1" + "]" * 31 + "}"), deep + ".a" + "[0]" * 31)
    pk = fresh()
    run(f"INSERT INTO \"{HASH}\" VALUE {{'pk': '{pk}', 'd': {nested(31)}}}")
    put(HASH, {"pk": S(pk), "m": M()})
    value = S("x")
    for _ in range(31):
        value = M(a=value)
    refused(
        f'UPDATE "{HASH}" SET m.deep = ? WHERE pk = \'{pk}\'', "Nesting Levels have exceeded supported limits", value
    )


# UPDATE


@pytest.mark.parametrize(
    "changes, name, value",
    [
        ("SET n = n + 1", "n", N(6)),
        ("SET n=n-1", "n", N(4)),
        ("SET n = n - - 2", "n", N(7)),
        ("SET n = 1 + n", "n", N(6)),
        ("SET fresh = s", "fresh", S("str")),
        ("SET fresh = m.sub, n = 2", "fresh", S("old")),
        ("SET l = list_append(l, [1])", "l", L(S("x"), S("y"), S("z"), N(1))),
        ("SET l = LIST_APPEND([1], l)", "l", L(N(1), S("x"), S("y"), S("z"))),
        ("SET m.fresh = ['a'] SET n = 1", "m", M(sub=S("old"), sib=S("keep"), fresh=L(S("a")))),
        ("SET l[1] = 'v'", "l", L(S("x"), S("v"), S("z"))),
        ("REMOVE l[1]", "l", L(S("x"), S("z"))),
        ("REMOVE s", "s", None),
        ("REMOVE s REMOVE m.sib SET n = 1 REMOVE ss", "m", M(sub=S("old"))),
        ("SET ss = set_add(ss, <<'0', 'a'>>)", "ss", SS("0", "a", "b", "c")),
        ("SET ns = SET_ADD(ns, <<4, 1>>)", "ns", NS(1, 2, 3, 4)),
        ("SET fresh = set_add(fresh, <<'x'>>)", "fresh", SS("x")),
        ("SET ss = set_delete(ss, <<'a', 'zz'>>)", "ss", SS("b", "c")),
        ("SET ns = set_delete(ns, <<2>>)", "ns", NS(1, 3)),
        ("SET ss = set_delete(ss, <<'a', 'b', 'c'>>)", "ss", None),
        ("SET fresh = set_delete(fresh, <<'a'>>)", "fresh", None),
        ("SET \"ss\" = set_add(ss, <<'x'>>) SET ns = set_add(ns, <<9>>)", "ns", NS(1, 2, 3, 9)),
    ],
)
def test_updates(item, changes, name, value):
    assert update(item, changes) == []
    assert stored(item).get(name) == value


def test_a_set_as_a_parameter(item):
    update(item, "SET bs = set_add(bs, ?)", BS(b"2", b"3"))
    assert stored(item)["bs"] == BS(b"1", b"2", b"3")


@pytest.mark.parametrize(
    "changes, text, token, start",
    [
        ("SET t = set_add(ss, <<'x'>>)", "The first argument to SET_ADD must equal the assignment value at ", "set_add", ""),
        ("SET ss = set_add(<<'a'>>, <<'b'>>)", "The first argument to SET_ADD must equal the assignment value at ", "set_add", ""),
        ("SET t = set_delete(ss, <<'x'>>)", "The first argument to SET_DELETE must equal the assignment value at ", "set_delete", ""),
        ("SET ss = set_add(ss, 'x')", "The second argument to SET_ADD must be a value with type SET at ", "ss", "("),
        ("SET ss = set_add(ss, ['x'])", "The second argument to SET_ADD must be a value with type SET at ", "ss", "("),
        ("SET \"ss\" = set_delete(\"ss\", 'a')", "The second argument to SET_DELETE must be a value with type SET at ", '"ss"', "("),
        ("\nSET ss = set_add(ss)", "SET_ADD must have exactly two arguments at ", "set_add", ""),
        ("SET ss = set_add(ss, <<'x'>>, <<'y'>>)", "SET_ADD must have exactly two arguments at ", "set_add", ""),
        ("SET n = if_not_exists(n, 1)", "Unrecognized function: if_not_exists at ", "if_not_exists", ""),
    ],
)
def test_functions_that_are_misused(item, changes, text, token, start):
    statement = f'UPDATE "{HASH}" {changes} WHERE pk = \'{item}\''
    refused(statement, text + place(statement, token, start=statement.index(start, len(HASH)) if start else 0))


@pytest.mark.parametrize(
    "changes, text",
    [
        ("SET ss = set_add(ss, <<1>>)", OPERAND),
        ("SET s = set_add(s, <<'x'>>)", OPERAND),
        ("SET ss = set_delete(ss, <<1>>)", OPERAND),
        ("SET ss = set_add(ss, <<>>)", "Empty bags are not supported"),
        ("SET nope = list_append(nope, [1])", "The provided expression refers to an attribute that does not exist in the item"),
        ("SET nope[0] = 'x'", "The document path provided in the update expression is invalid for update"),
        ("SET n = 'a' + 1", "Incorrect operand type for operator or function; operator or function: +, operand type: S"),
        ("SET n = n - null", "Incorrect operand type for operator or function; operator or function: -, operand type: NULL"),
        ("SET n = n * 2", "Unsupported operator in Update Expression. Operator: *"),
        ("SET n = MISSING", "MISSING must be compared using IS operator"),
        ("SET pk = 'x'", "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key"),
        ("SET n = 1, n = 2", "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [n], path two: [n]"),
    ],
)
def test_updates_that_are_refused(item, changes, text):
    refused(f'UPDATE "{HASH}" {changes} WHERE pk = \'{item}\'', text)


def test_operands_come_before_the_condition(item):
    sum_of_text = "Incorrect operand type for operator or function; operator or function: +, operand type: L"
    refused(f'UPDATE "{HASH}" SET n = n + [1] WHERE pk = \'{item}\' AND nope = \'x\'', sum_of_text)


@pytest.mark.parametrize(
    "changes, returning, answer",
    [
        ("SET s = 'new'", "MODIFIED OLD", [{"s": S("str")}]),
        ("SET s = 'new'", "MODIFIED NEW", [{"s": S("new")}]),
        ("SET m.sub = 'new'", "MODIFIED NEW", [{"m": M(sub=S("new"))}]),
        ("SET m.sub = 'new'", "MODIFIED OLD", [{"m": M(sub=S("old"))}]),
        ("REMOVE s", "MODIFIED OLD", [{"s": S("str")}]),
        ("REMOVE s", "MODIFIED NEW", []),
        ("SET fresh = 1", "MODIFIED OLD", []),
        ("SET l[2] = 'y2', l[0] = 'x2'", "MODIFIED NEW", [{"l": L(S("x2"), S("y2"))}]),
        ("SET l[2] = 'y2', l[0] = 'x2'", "MODIFIED OLD", [{"l": L(S("x"), S("z"))}]),
        ("SET l[7] = 'v'", "MODIFIED NEW", []),
        ("SET l[3] = 'v'", "MODIFIED NEW", [{"l": L(S("v"))}]),
        ("REMOVE l[1]", "MODIFIED NEW", [{"l": L(S("z"))}]),
        ("REMOVE l[2]", "MODIFIED NEW", []),
        ("SET fresh = 1", "MODIFIED NEW", [{"fresh": N(1)}]),
        ("SET l[0] = 'v'", "MODIFIED NEW", [{"l": L(S("v"))}]),
        ("SET l[0] = 'v'", "MODIFIED OLD", [{"l": L(S("x"))}]),
        ("SET l[1] = 'v'", "MODIFIED NEW", [{"l": L(S("v"))}]),
        ("SET l[1] = 'v'", "MODIFIED OLD", [{"l": L(S("y"))}]),
        ("SET l[3] = 'v'", "MODIFIED OLD", []),
        ("SET l[7] = 'v'", "MODIFIED OLD", []),
        ("REMOVE l[1]", "MODIFIED OLD", [{"l": L(S("y"))}]),
        ("REMOVE l[2]", "MODIFIED OLD", [{"l": L(S("z"))}]),
    ],
)
def test_what_an_update_returns(item, changes, returning, answer):
    assert run(f'UPDATE "{HASH}" {changes} WHERE pk = \'{item}\' RETURNING {returning} *') == answer


def test_whole_items_that_an_update_returns(item):
    before = stored(item)
    assert run(f'UPDATE "{HASH}" SET s = 1 WHERE pk = \'{item}\' RETURNING ALL OLD *') == [before]
    assert run(f'UPDATE "{HASH}" SET s = 2 WHERE pk = \'{item}\' returning all new *') == [{**before, "s": N(2)}]


def test_an_update_is_of_what_is_there():
    pk = fresh()
    for where in ("", " AND attribute_not_exists(pk)", " AND nope IS MISSING"):
        fails(CHECK_FAILED, f'UPDATE "{HASH}" SET a = 1 WHERE pk = \'{pk}\'{where}', FAILED)
        fails(CHECK_FAILED, f'UPDATE "{HASH}" SET a = set_add(a, <<1>>) WHERE pk = \'{pk}\'{where}', FAILED)
    assert stored(pk) is None


def test_a_condition_of_an_update(item):
    update(item, "SET z = 1", where=" AND attribute_exists(n)")
    update(item, "SET y = ?", N(1), SS("c", "b", "a"), where=" AND ss = ? AND attribute_not_exists(y)")
    refusal = f'UPDATE "{HASH}" SET y = 2 WHERE pk = \'{item}\' AND (attribute_not_exists(y) OR n > 5)'
    reply = fails(CHECK_FAILED, refusal, FAILED, ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert reply.body["Item"] == stored(item)
    assert "Item" not in fails(CHECK_FAILED, refusal, FAILED).body
    assert stored(item)["y"] == N(1)
    for where, value in ((" AND ss = ?", SS("a", "b")), (" AND l = ?", L(S("z"), S("y"), S("x"))), (" AND m = ?", M(sub=S("old")))):
        fails(CHECK_FAILED, f'UPDATE "{HASH}" SET y = 2 WHERE pk = \'{item}\'{where}', FAILED, value)
    assert stored(item)["y"] == N(1)


def test_the_key_of_a_write():
    pk = fresh()
    put(RANGE, {"pk": S(pk), "sk": S("1"), "flag": S("x")})
    run(f'UPDATE "{RANGE}" SET a = 2 WHERE (pk = \'{pk}\' AND sk = \'1\') AND flag = \'x\' AND pk = \'{pk}\'')
    assert get(RANGE, {"pk": S(pk), "sk": S("1")})["a"] == N(2)
    for change in ("UPDATE %s SET a = 1", "DELETE FROM %s"):
        start = change % f'"{RANGE}"' + " WHERE "
        for where in (f"pk = '{pk}'", "flag = 'x'", f"pk IN ['{pk}'] AND sk = '1'", f"pk = '{pk}' AND sk > '0'"):
            refused(start + where, INCOMPLETE)
        twice = "Multiple conditions on same key pk. Only single item Update/Insert/Delete are supported"
        refused(start + f"pk = '{pk}' AND sk = '1' AND pk = 'other'", twice)
        mismatch = "Key attribute's data type should match its data type in table's schema: Key sk"
        refused(start + f"pk = '{pk}' AND sk = 1", mismatch)
        indexed = change % f'"{INDEXED}"."by_kind"' + f" WHERE pk = '{pk}' AND sk = '1'"
        put(INDEXED, {"pk": S(pk), "sk": S("1"), "kind": S("k"), "rank": N(1)})
        refused(indexed, "This operation is not supported on an index")
        assert get(INDEXED, {"pk": S(pk), "sk": S("1")}) == {"pk": S(pk), "sk": S("1"), "kind": S("k"), "rank": N(1)}
    refused(f'UPDATE "{RANGE}" SET a = 1', INCOMPLETE)


def test_from_first(item):
    start = f'FROM "{HASH}" WHERE pk = \'{item}\''
    run(start + " SET c = 2 REMOVE n")
    assert (stored(item)["c"], stored(item).get("n")) == (N(2), None)
    assert run(f'from "{HASH}" where pk = ? AND c = 2 set c = ? returning modified new *', S(item), N(3)) == [{"c": N(3)}]
    fails(CHECK_FAILED, start + " AND c = 2 SET c = 4", FAILED)
    for statement in (f'FROM "{HASH}" SET c = 1', f'FROM "{HASH}" REMOVE a', f'FROM "{HASH}" WHERE a = 1 SET c = 1'):
        refused(statement, INCOMPLETE)


# DELETE


def test_a_delete():
    pk = fresh()
    put(HASH, {"pk": S(pk), "a": N(1)})
    delete = f'DELETE FROM "{HASH}" WHERE pk = \'{pk}\''
    fails(CHECK_FAILED, delete + " AND a = 2", FAILED)
    fails(CHECK_FAILED, delete + " AND NOT attribute_exists(a)", FAILED)
    fails(CHECK_FAILED, delete + f" AND NOT begins_with(pk, '{pk[:2]}')", FAILED)
    assert stored(pk) is not None
    other = fresh()
    put(HASH, {"pk": S(other), "s": S("str")})
    run(f"DELETE FROM \"{HASH}\" WHERE pk = '{other}' AND NOT begins_with(s, 'x')")
    assert stored(other) is None
    assert run(delete + " AND a = 1 RETURNING ALL OLD *") == [{"pk": S(pk), "a": N(1)}]
    assert stored(pk) is None
    # Nothing is there: there is nothing to delete and no condition to fail.
    for rest in ("", " AND a = 2", " AND attribute_exists(pk)", " RETURNING ALL OLD *"):
        assert run(delete + rest) == []


@pytest.mark.parametrize("returning", ["MODIFIED OLD", "ALL NEW", "MODIFIED NEW"])
def test_what_a_delete_does_not_return(item, returning):
    refused(
        f'DELETE FROM "{HASH}" WHERE pk = \'{item}\' RETURNING {returning} *',
        f"Invalid returning clause: RETURNING {returning} *. Only RETURNING ALL OLD * is allowed in DELETE statements.",
    )
    assert stored(item) is not None


def test_the_capacity_of_writes(item):
    def consumed(statement):
        return page(statement, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]

    pk = fresh()
    for statement in (
        f"INSERT INTO \"{HASH}\" VALUE {{'pk': '{pk}'}}",
        f'UPDATE "{HASH}" SET a = 1 WHERE pk = \'{pk}\'',
        f'DELETE FROM "{HASH}" WHERE pk = \'{pk}\'',
    ):
        assert consumed(statement) == {"TableName": HASH, "CapacityUnits": 1}
