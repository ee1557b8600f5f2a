"""SELECT: what it reads, in which order, and page by page."""

import pytest
import tables
from statements import ONE, page, pages, refused, run
from tables import ABSENT, HASH, HASH_N, INDEXED, MULTI, RANGE, RANGE_N, fresh, put
from values import BS, NS, NULL, SS, TRUE, B, L, M, N, S

pytestmark = pytest.mark.op(ONE)

OVERLAP = "Overlapping conditions with range keys are not supported in where clause"
TOO_MANY = "Too many decomposed read operations for a given query."


@pytest.fixture(scope="module")
def partition():
    """Three items under one partition key."""
    pk = fresh("pq")
    for sk, flag in (("1", "one"), ("2", "two"), ("3", "three")):
        put(RANGE, {"pk": S(pk), "sk": S(sk), "flag": S(flag)})
    return pk


def sort_keys(where, **more):
    return [item["sk"]["S"] for item in run(f'SELECT sk FROM "{RANGE}" WHERE {where}', **more)]


@pytest.fixture(scope="module")
def item():
    """One item with something of everything."""
    pk = fresh("pq")
    put(
        HASH,
        {
            "pk": S(pk),
            "s": S("str"),
            "n": N(5),
            "ss": SS("a", "b", "c"),
            "l": L(S("x"), S("y")),
            "m": M(sub=S("deep"), k=L(S("c"))),
            "nul": NULL,
            "yes": TRUE,
            "b": B(bytes(400)),
        },
    )
    return pk


def holds(pk, condition, *parameters):
    return len(run(f'SELECT pk FROM "{HASH}" WHERE pk = \'{pk}\' AND {condition}', *parameters)) == 1


def test_all_of_an_item_and_nothing():
    pk = fresh()
    put(HASH, {"pk": S(pk), "a": N(1)})
    assert run(f'SELECT * FROM "{HASH}" WHERE pk = \'{pk}\'') == [{"pk": S(pk), "a": N(1)}]
    assert run(f'SELECT * FROM {HASH} WHERE pk = ?', S(pk)) == [{"pk": S(pk), "a": N(1)}]
    assert run(f'SELECT * FROM "{HASH}" WHERE pk = \'{fresh()}\'') == []
    assert run(f'select pk from "{HASH}" where pk = \'{pk}\' and a in [2, 1];') == [{"pk": S(pk)}]


@pytest.mark.parametrize(
    "columns, left",
    [
        ("s, nope", {"s": S("str")}),
        ("nope", {}),
        ("m.sub", {"sub": S("deep")}),
        ("l[1]", {"l[1]": S("y")}),
        ("l[-0]", {"l[0]": S("x")}),
        ("m.k[0], l[0]", {"k[0]": S("c"), "l[0]": S("x")}),
        ("\"m\".\"sub\", m['k']", {"sub": S("deep"), "k": L(S("c"))}),
        ("l[2147483647]", {}),
    ],
)
def test_columns_have_the_name_that_their_path_ends_with(item, columns, left):
    assert run(f'SELECT {columns} FROM "{HASH}" WHERE pk = \'{item}\'') == [left]


@pytest.mark.parametrize(
    "columns, text",
    [
        ("l[-1]", "List index is not within the allowable range; index: [-1] at 1:11:1"),
        ("l[2147483648]", "List index is not within the allowable range; index: [2147483648] at 1:10:10"),
        ("attribute_exists(s)", "Unexpected path component at 1:8:16"),
        ("COUNT(*)", "Unexpected path component at 1:8:5"),
        ("s, m.s", "Duplicate identifiers in select clause: s"),
        ("s AS t", "Aliasing is not supported"),
        ("*, s", "Other attributes should not be present in the projection when '*' is used."),
        ("l[*]", "Wildcard path component like a[*].b are not supported"),
        ("m.*", "Unpivot path component like a.*.b are not supported"),
        ("VALUE s", "Select projection doesn't support value or pivot keywords"),
    ],
)
def test_columns_that_are_none(item, columns, text):
    refused(f'SELECT {columns} FROM "{HASH}" WHERE pk = \'{item}\'', text)


@pytest.mark.parametrize(
    "condition, wanted",
    [
        ("attribute_exists(ss)", True),
        ('ATTRIBUTE_EXISTS ("ss")', True),
        ("attribute_exists(nope)", False),
        ("attribute_not_exists(ss)", False),
        ("attribute_exists(m.sub)", True),
        ("attribute_exists(l[0])", True),
        ("attribute_exists(m.nope)", False),
        ("attribute_not_exists(nope)", True),
        ("NOT attribute_exists(nope)", True),
        ("(attribute_exists(nope) OR attribute_exists(ss))", True),
        ("size(s) = 3", True),
        ("size(s) = 4", False),
        ("size(b) > 300", True),
        ("attribute_type(ss, 'SS')", True),
        ("attribute_type(ss, 'S')", False),
        ("begins_with(s, 'st')", True),
        ("contains(s, 'tr')", True),
        ("contains(ss, 'a')", True),
        ("nul IS NULL", True),
        ("s IS NULL", False),
        ("nope IS NULL", False),
        ("s IS NOT NULL", True),
        ("nope IS NOT NULL", True),
        ("nul IS NOT NULL", False),
        ("nope IS MISSING", True),
        ("s IS NOT MISSING", True),
        ("yes IS BOOL", True),
        ("yes IS BOOLEAN", True),
        ("s IS STRING", True),
        ("s IS BOOL", False),
        ("n IS NUMERIC", True),
        ("b IS BLOB", True),
        ("m IS STRUCT", True),
        ("m IS TUPLE", True),
        ("l IS LIST", True),
        ("n != 5", False),
        ("n <> 4", True),
        ("5 = n", True),
        ("4 < n", True),
        ("n BETWEEN - 2 AND +5", True),
        ("n NOT BETWEEN 0 AND 4", True),
        ("n NOT IN (1, 2)", True),
        ("n IN [- 1, 5]", True),
        ("n = - - 5", True),
        ("n > -/* c */-5", False),
        ("n < m.sub", False),
        ("n < 'x'", False),
        ("s > 1", False),
        ("NOT begins_with(s, 'x')", True),
        ("ss = <<'c', 'b', 'a'>>", True),
        ("l = ['x', 'y']", True),
        ("l = ['y', 'x']", False),
        ("m = {'k': ['c'], 'sub': 'deep'}", True),
    ],
)
def test_conditions(item, condition, wanted):
    assert holds(item, condition) is wanted


@pytest.mark.parametrize(
    "condition, wanted",
    [
        ("attribute_exists(s) = true", True),
        ("attribute_exists(nope) = false", True),
        ("true = attribute_exists(n)", True),
        ("attribute_exists(n) <> 1", True),
        ("attribute_exists(n) = 1", False),
        ("contains(nope, 'z') = false", True),
        ("(n BETWEEN 0 AND 5) = true", True),
        ("(n = 6 OR s = 'x') = false", True),
        ("attribute_exists(nope) IN [true, false]", True),
        ("attribute_exists(n) = attribute_exists(s)", True),
        ("attribute_exists(n) = yes", True),
        ("attribute_exists(n) = s", False),
        ("NOT attribute_exists(n) = true", False),
        ("(attribute_exists(n) = true) = false", False),
    ],
)
def test_a_condition_is_a_truth_value(item, condition, wanted):
    assert holds(item, condition) is wanted


@pytest.mark.parametrize(
    "stored, same, other, permuted",
    [
        (SS("a", "b"), SS("b", "a"), SS("a", "c"), None),
        (NS(1, 2), NS(2, 1), NS(1, 3), None),
        (BS(b"1", b"2"), BS(b"2", b"1"), BS(b"1", b"3"), None),
        (L(S("a"), S("b")), L(S("a"), S("b")), L(S("a")), L(S("b"), S("a"))),
        (M(x=N(1), y=N(2)), M(y=N(2), x=N(1)), M(x=N(1)), None),
        (B(b"\x01\x02"), B(b"\x01\x02"), B(b"\x01\x03"), None),
        (NULL, NULL, S("null"), None),
    ],
)
def test_values_are_equal_as_in_conditions(stored, same, other, permuted):
    pk = fresh()
    put(HASH, {"pk": S(pk), "val": stored})
    assert holds(pk, "val = ?", same) and not holds(pk, "val <> ?", same)
    assert not holds(pk, "val = ?", other) and holds(pk, "val <> ?", other)
    assert permuted is None or not holds(pk, "val = ?", permuted)


@pytest.mark.parametrize("value", [TRUE, NULL, L(S("a")), M(a=S("b")), SS("a"), NS(1), BS(b"1")])
def test_what_has_no_order_is_not_compared(item, value):
    select = f'SELECT pk FROM "{HASH}" WHERE pk = \'{item}\' AND '
    (kind,) = value
    for sign in ("<", "<=", ">", ">="):
        text = "Incorrect operand type for operator or function; operator or function: {}, operand type: {}"
        refused(select + f"n {sign} ?", text.format(sign, kind), value)
    refused(select + "n BETWEEN ? AND ?", text.format("BETWEEN", kind), value, value)
    assert holds(item, "n <> ?", value) and not holds(item, "n = ?", value)
    refused(select + "attribute_exists(n) > false", text.format(">", "BOOL"))
    # What is wrong with a statement is told before its table is looked for.
    refused(f'SELECT pk FROM "{ABSENT}" WHERE pk = ? AND n < ?', text.format("<", kind), S("x"), value)


def test_binary_is_ordered_by_its_bytes():
    pk = fresh()
    put(HASH, {"pk": S(pk), "bits": B(b"\x7f\x01")})
    for sign, other, wanted in ((">", b"\x7f", True), ("<", b"\x80", True), (">", b"\x80", False), ("<=", b"\x7f\x01", True)):
        assert holds(pk, f"bits {sign} ?", B(other)) is wanted


def test_numbers_as_they_are_written():
    keys = [N(number) for number in ("7310000", "7.3", "-7.3")]
    for key in keys:
        put(HASH_N, {"pk": key})
    select = f'SELECT * FROM "{HASH_N}" WHERE pk = '
    for literal in ("7.31e6", "7.31E6", "7.31e+6", "731e4", "73100000e-1"):
        assert run(select + literal) == [{"pk": keys[0]}]
    assert run(select + ".73e1") == [{"pk": keys[1]}]
    assert run(select + "-.73e1") == [{"pk": keys[2]}]


def test_comments_are_blanks(item):
    wanted = [{"s": S("str")}]
    for statement in (
        f'SELECT s FROM "{HASH}" WHERE pk = \'{item}\' -- a note',
        f"-- a note\nSELECT s FROM \"{HASH}\" -- another\nWHERE pk = '{item}'",
        f'SELECT/**/s FROM "{HASH}" /* a -- note */ WHERE pk/* key */=\'{item}\' /* the end */',
        f'SELECT s FROM "{HASH}" WHERE pk = \'{item}\'; -- done',
    ):
        assert run(statement) == wanted
    put(HASH, {"pk": S(item + "'s"), "note": S("a--b /*c*/")})
    assert run(f"SELECT note FROM \"{HASH}\" WHERE pk = '{item}''s' AND note = 'a--b /*c*/'") == [{"note": S("a--b /*c*/")}]


@pytest.mark.parametrize(
    "where, wanted",
    [
        ("sk = '2'", "2"),
        ("sk > '1'", "23"),
        ("sk > '1' AND sk < '3'", "2"),
        ("sk >= '1' AND sk < '3'", "12"),
        ("sk BETWEEN '1' AND '2'", "12"),
        ("sk = '1' AND sk > '0'", "1"),
        ("sk > '2' AND sk < '1'", ""),
        ("begins_with(sk, '3')", "3"),
        ("(sk = '1' OR sk = '2')", "12"),
        ("sk IN ['3', '1']", "13"),
        ("(sk < '1' OR sk > '1' OR sk = '1')", "123"),
        ("attribute_exists(pk)", "123"),
        ("NOT sk = '1'", "23"),
        ("sk <> '1'", "23"),
        ("sk > '0' AND sk <> '1'", "23"),
        ("flag = 'two'", "2"),
    ],
)
def test_conditions_on_the_sort_key(partition, where, wanted):
    assert "".join(sort_keys(f"pk = '{partition}' AND {where}")) == wanted
    assert "".join(sort_keys(f"{where} AND pk = '{partition}'", ConsistentRead=True)) == wanted


@pytest.mark.parametrize(
    "negated, wanted",
    [
        ("NOT sk = '1'", "23"),
        ("sk <> '1'", "23"),
        ("NOT begins_with(sk, 'x')", "123"),
        ("NOT sk IN ['1', '3']", "2"),
        ("NOT sk > '5'", "123"),
        ("NOT (sk = '1')", "23"),
    ],
)
def test_branches_beside_a_negated_one_are_united(partition, negated, wanted):
    key = f"pk = '{partition}'"
    assert "".join(sorted(sort_keys(f"{key} AND {negated} OR {key} AND sk = '2'"))) == wanted
    assert "".join(sorted(sort_keys(f"{key} OR {key} AND {negated}"))) == "123"


def test_branches_must_not_overlap(partition):
    key = f"pk = '{partition}'"
    for where in (
        f"pk IN ['{partition}', '{partition}']",
        f"{key} OR {key}",
        f"{key} AND (sk > '0' OR sk < '5')",
        f"{key} AND (sk = '1' OR flag = 'two')",
        f"({key} AND flag = 'one') OR ({key} AND flag = 'two')",
        f"{key} AND flag = '1' OR {key} AND sk = '2'",
        f"{key} AND flag <> '1' OR {key} AND sk = '2'",
    ):
        refused(f'SELECT sk FROM "{RANGE}" WHERE {where}', OVERLAP)


def test_keys_have_the_types_of_the_schema(partition):
    text = "Key attribute's data type should match its data type in table's schema: Key {}"
    select = f'SELECT sk FROM "{RANGE}" WHERE '
    refused(select + f"pk = 1 OR pk = '{partition}'", text.format("pk"))
    refused(select + f"pk = '{partition}' AND sk IN ['1', 2]", text.format("sk"))
    refused(select + "pk = TRUE", "Key value must be of type S, N, or B. Key name: pk, Key type: BOOL")
    assert run(select + "pk > 1") == []


def test_how_many_reads_and_candidates_there_may_be(partition):
    def values(count):
        return "[" + ", ".join(f"'v{i}'" for i in range(count)) + "]"

    select = f'SELECT sk FROM "{RANGE}" WHERE '
    for where in (f"pk IN {values(51)}", f"pk = 'x' AND sk IN {values(51)}", f"pk IN {values(26)} AND sk IN ['1', '2']"):
        refused(select + where, TOO_MANY)
    for where in (f"pk IN {values(50)} AND flag IN {values(100)}", f"pk IN {values(51)} OR flag = 'none at all'"):
        run(select + where)
    refused(
        select + f"pk = 'x' AND flag IN {values(101)}",
        "The IN operator is provided with too many operands; number of operands: 101",
    )


def test_a_scan_where_no_partition_is_named():
    flag = fresh("flag")
    put(RANGE, {"pk": S(fresh()), "sk": S("1"), "flag": S(flag)})
    items, _ = pages(f'SELECT flag FROM "{RANGE}" WHERE flag = \'{flag}\' OR sk = \'none\'', ConsistentRead=True)
    assert items == [{"flag": S(flag)}]
    items, _ = pages(f'SELECT flag FROM "{RANGE}"', ConsistentRead=True)
    assert {"flag": S(flag)} in items


def test_order_by():
    first, second = sorted([fresh("o"), fresh("o")])
    for pk in (first, second):
        for sk in range(1, 4):
            put(RANGE_N, {"pk": S(pk), "sk": N(sk)})

    def ordered(rest, **more):
        items = run(f'SELECT pk, sk FROM "{RANGE_N}" WHERE {rest}', **more)
        return ["ab"[item["pk"]["S"] == second] + item["sk"]["N"] for item in items]

    assert ordered(f"pk = '{first}' ORDER BY sk DESC") == ["a3", "a2", "a1"]
    assert ordered(f"pk = '{first}' ORDER BY sk") == ["a1", "a2", "a3"]
    assert ordered(f"pk = '{first}' ORDER BY sk ASC") == ["a1", "a2", "a3"]
    assert ordered(f"pk = '{first}' ORDER BY pk ASC") == ["a3", "a2", "a1"]
    both = f"pk IN ['{first}', '{second}'] ORDER BY "
    assert ordered(both + "pk DESC, sk ASC") == ["b1", "b2", "b3", "a1", "a2", "a3"]
    assert ordered(both + "pk, sk DESC") == ["a3", "a2", "a1", "b3", "b2", "b1"]
    assert ordered(f"pk = '{first}' AND sk IN [1, 3] ORDER BY sk DESC") == ["a3", "a1"]
    select = f'SELECT pk, sk FROM "{RANGE_N}" WHERE {both}pk DESC'
    one = page(select, Limit=2)
    assert [item["sk"] for item in one["Items"]] == [N(3), N(2)]
    two = page(select, Limit=2, NextToken=one["NextToken"])
    assert two["Items"] == [{"pk": S(second), "sk": N(1)}, {"pk": S(first), "sk": N(3)}]


def test_what_order_by_can_not_do():
    select = f'SELECT sk FROM "{RANGE}" '
    refused(select + "ORDER BY sk", "Must have WHERE clause in the statement when using ORDER BY clause.")
    refused(
        select + "WHERE pk = 'o' ORDER BY Total DESC",
        "Attribute Total in ORDER BY clause must be part of the primary key",
    )
    refused(
        select + "WHERE pk > 'a' ORDER BY sk",
        "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.",
    )
    refused(
        select + "WHERE pk IN ['o', 'p'] ORDER BY sk DESC",
        "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.",
    )


def test_pages(partition):
    everything = [{"sk": S(sk)} for sk in "123"]
    select = f'SELECT sk FROM "{RANGE}" WHERE pk = ?'
    assert pages(select, S(partition), Limit=1)[0] == everything
    assert pages(select, S(partition)) == (everything, 1)
    first = page(select, S(partition), Limit=2)
    assert first["LastEvaluatedKey"] == {"pk": S(partition), "sk": S("2")}
    token = first["NextToken"]
    assert run(select, S(partition), NextToken=token, Limit=7, ConsistentRead=True) == everything[2:]
    # A limit is of what is looked at: a page may be empty and yet not the last one.
    filtered = page(select + " AND flag = 'three'", S(partition), Limit=1)
    assert filtered["Items"] == [] and filtered["NextToken"]
    several = f'SELECT sk FROM "{RANGE}" WHERE pk = \'{partition}\' AND sk IN [\'1\', \'3\', \'2\']'
    items, count = pages(several, Limit=1)
    assert items == everything and count >= 3


def test_tokens_are_of_one_statement(partition):
    select = f'SELECT sk FROM "{RANGE}" WHERE pk = ?'
    token = page(select, S(partition), Limit=1)["NextToken"]
    mismatch = "NextToken does not match request"
    refused(select, mismatch, S(partition + "x"), NextToken=token)
    refused(f'SELECT pk FROM "{RANGE}" WHERE pk = ?', mismatch, S(partition), NextToken=token)
    for broken in ("x", "!!", token[:-4], "AA=="):
        refused(select, "Invalid NextToken", S(partition), NextToken=broken)


@pytest.fixture(scope="module")
def rows():
    """Items under the indexes of INDEXED; the last of them is in none."""
    owner, kind, pk = fresh("owner"), fresh("kind"), fresh("pq")
    for sk in ("1", "2"):
        more = {"owner": S(owner), "kind": S(kind), "rank": N(sk), "code": B(pk.encode()), "when": S("w" + sk)}
        put(INDEXED, {"pk": S(pk), "sk": S(sk), "title": S("t" + sk), "extra": S("e" + sk), **more})
    put(INDEXED, {"pk": S(pk), "sk": S("3"), "extra": S("e3")})
    return {"owner": owner, "kind": kind, "pk": pk}


def test_indexes(rows):
    by_owner = run(f'SELECT sk FROM "{INDEXED}"."by_owner" WHERE owner = \'{rows["owner"]}\'')
    assert sorted(item["sk"]["S"] for item in by_owner) == ["1", "2"]
    by_kind = run(f'SELECT * FROM "{INDEXED}"."by_kind" WHERE kind = ? ORDER BY rank DESC', S(rows["kind"]))
    assert [set(item) for item in by_kind] == [{"pk", "sk", "kind", "rank", "title"}] * 2
    assert [item["rank"] for item in by_kind] == [N(2), N(1)]
    by_rank = run(f'SELECT * FROM "{INDEXED}"."by_rank" WHERE pk = ?', S(rows["pk"]), ConsistentRead=True)
    assert [set(item) for item in by_rank] == [{"pk", "sk", "rank"}] * 2
    # A local index reaches what it does not hold, for the columns.
    fetched = run(f'SELECT extra FROM "{INDEXED}"."by_rank" WHERE pk = ? AND rank = 2', S(rows["pk"]))
    assert fetched == [{"extra": S("e2")}]
    scanned, _ = pages(f'SELECT pk, sk FROM "{INDEXED}"."by_kind" WHERE pk = \'{rows["pk"]}\'')
    assert sorted(item["sk"]["S"] for item in scanned) == ["1", "2"]
    by_code = run(f'SELECT * FROM "{INDEXED}"."by_code" WHERE code = ?', B(rows["pk"].encode()))
    assert [set(item) for item in by_code] == [{"pk", "sk", "code"}] * 2


def test_pages_of_an_index(rows):
    select = f'SELECT sk FROM "{INDEXED}"."by_%s" WHERE %s = \'{rows["kind"]}\''
    by_kind = select % ("kind", "kind")
    first = page(by_kind, Limit=1)
    second = page(by_kind, NextToken=first["NextToken"])
    assert sorted(item["sk"]["S"] for item in first["Items"] + second["Items"]) == ["1", "2"]
    assert len(first["Items"]) == 1 and "NextToken" not in second
    for other in (select % ("owner", "kind"), f'SELECT sk FROM "{INDEXED}" WHERE kind = \'{rows["kind"]}\''):
        refused(other, "NextToken does not match request", NextToken=first["NextToken"])


def test_the_capacity_of_indexes(rows):
    def consumed(columns, index, where, **more):
        statement = f'SELECT {columns} FROM "{INDEXED}"."{index}" WHERE {where}'
        return page(statement, ReturnConsumedCapacity="INDEXES", **more)["ConsumedCapacity"]

    plain = consumed("sk", "by_rank", f"pk = '{rows['pk']}'")
    assert plain["LocalSecondaryIndexes"]["by_rank"]["CapacityUnits"] == plain["CapacityUnits"] == 0.5
    assert plain["Table"]["CapacityUnits"] == 0
    consistent = consumed("sk", "by_rank", f"pk = '{rows['pk']}'", ConsistentRead=True)
    assert consistent["CapacityUnits"] == 1
    fetched = consumed("extra", "by_rank", f"pk = '{rows['pk']}'")
    assert fetched["Table"]["CapacityUnits"] == 1
    limited = consumed("extra", "by_rank", f"pk = '{rows['pk']}'", Limit=1)
    assert limited["Table"]["CapacityUnits"] == 0.5
    filtered = consumed("extra", "by_rank", f"pk = '{rows['pk']}' AND sk = '1'")
    assert filtered["Table"]["CapacityUnits"] == 1  # for the rows that were walked, not for those that are left
    twice = consumed("extra", "by_rank", f"pk = '{rows['pk']}'", ConsistentRead=True)
    assert (twice["Table"]["CapacityUnits"], twice["LocalSecondaryIndexes"]["by_rank"]["CapacityUnits"]) == (2, 1)
    of_global = consumed("*", "by_kind", f"kind = '{rows['kind']}'")
    assert of_global["GlobalSecondaryIndexes"]["by_kind"]["CapacityUnits"] == of_global["CapacityUnits"] == 0.5
    assert of_global["Table"]["CapacityUnits"] == 0
    whole = {consumed(columns, "by_owner", f"owner = '{rows['owner']}'{more}")["CapacityUnits"]
             for columns, more in (("*", ""), ("sk", ""), ("sk", " AND extra = 'e1'"), ("*", " AND extra = 'none'"))}
    assert whole == {0.5}


def test_what_indexes_do_not_project(rows):
    lacks = "One or more parameter values were invalid: Global secondary index by_kind does not project {}"
    by_kind = f'FROM "{INDEXED}"."by_kind"'
    keyed = f"WHERE kind = '{rows['kind']}'"
    refused(f"SELECT zdrop, extra {by_kind} {keyed}", lacks.format("[zdrop, extra]"))
    refused(f"SELECT extra {by_kind}", lacks.format("[extra]"))
    filtered = "One or more parameter values were invalid: Secondary index {} does not project one or more filter attributes: {}"
    for condition, names in (
        ("extra = 'e1'", "[extra]"),
        ("extra IS MISSING", "[extra]"),
        ("extra IS NOT MISSING", "[extra]"),
        ("begins_with(extra, 'e')", "[extra]"),
        ("NOT extra = 'e1'", "[extra]"),
        ("NOT (extra = 'np1' OR title = 'x')", "[extra]"),
        ("b = '1' AND (a = '2' OR title = '3')", "[a, b]"),
        ("(zz = '1' OR aa = '2' OR mm = '3')", "[zz, aa, mm]"),
    ):
        refused(f"SELECT pk {by_kind} {keyed} AND {condition}", filtered.format("by_kind", names))
    refused(f"SELECT pk {by_kind} WHERE kind IN ['y', 'z'] AND extra = '1'", filtered.format("by_kind", "[extra]"))
    local = f'SELECT pk FROM "{INDEXED}"."by_rank" WHERE pk = \'{rows["pk"]}\' AND '
    refused(local + "extra = 'e1'", filtered.format("by_rank", "[extra]"))
    refused(local + "rank BETWEEN 1 AND 2 AND extra = 'e1'", filtered.format("by_rank", "[extra]"))
    assert len(run(f"SELECT pk {by_kind} {keyed} AND title IS NOT MISSING")) == 2
    # Without its partition key the index is scanned, and what it does not hold is missing there.
    for statement, count in (
        (f"SELECT pk {by_kind} WHERE extra = 'e1'", 0),
        (f"SELECT pk {by_kind} WHERE NOT extra = 'e1' AND pk = '{rows['pk']}'", 2),
        (f'SELECT pk FROM "{INDEXED}"."by_rank" WHERE extra = \'e1\'', 0),
        (f"SELECT pk {by_kind} WHERE extra = 'e1' AND other = 'w1'", 0),
        (f"SELECT pk {by_kind} WHERE title = 't1' AND pk = '{rows['pk']}'", 1),
        (f"SELECT pk {by_kind} WHERE (kind = 'y' AND extra = '1') OR (kind = '{rows['kind']}')", 2),
    ):
        assert len(pages(statement)[0]) == count, statement


def test_indexes_that_are_not_there(rows):
    missing = "The table does not have the specified index"
    refused(f'SELECT * FROM "{INDEXED}"."none"', missing)
    refused(f'SELECT * FROM "{INDEXED}"."{INDEXED}" WHERE pk = \'p\'', missing)
    refused(f'SELECT * FROM "{INDEXED}"."by_kind"."x" WHERE pk = \'p\'', "A path may contain at most 2 components in the FROM clause")
    for source in ('""', f'"{INDEXED}".""'):
        refused(f"SELECT * FROM {source} WHERE pk = 'p'", "Path component cannot be an empty string")
    consistent = "Strongly consistent read is not supported on Global Secondary Indexes"
    refused(f'SELECT * FROM "{INDEXED}"."by_kind"', consistent, ConsistentRead=True)


def test_an_index_of_several_key_attributes():
    many = "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys."
    source = f'"{MULTI}"."by_many"'
    for statement in (
        f"SELECT * FROM {source} WHERE t1 = 'a'",
        f"SELECT * FROM {source} WHERE t1 = 5",
        f"SELECT pk FROM {source} WHERE t1 = 'a' AND t2 = 1 ORDER BY r1 DESC",
        f"SELECT * FROM {source}",
        f"SELECT COUNT(*) FROM {source}",
    ):
        refused(statement, many)
    malformed = "Statement wasn't well formed, can't be processed: "
    refused(f"SELECT * FROM {source} WHERE", malformed + "Unexpected term")
    refused(f"SELECT * FROM {source} WHERE t1 = 1e99999999999", malformed)
    number = "The parameter cannot be converted to a numeric value: 1e99999999999"
    refused(f"SELECT * FROM {source} WHERE t1 = ?", number, N("1e99999999999"))
    pk = fresh()
    run(f'INSERT INTO "{MULTI}" VALUE {{\'pk\': \'{pk}\'}}')
    assert run(f'SELECT * FROM "{MULTI}" WHERE pk = \'{pk}\'') == [{"pk": S(pk)}]


def test_a_large_page_ends_at_one_megabyte(new_table):
    name = tables.fresh_table("pages")
    new_table(tables.plain(name, {"pk": "S", "sk": "N"}))
    for partition in "abc":
        for i in range(8):
            put(name, {"pk": S(partition), "sk": N(i), "filler": S("x" * 100_000)})
    items, count = pages(f'SELECT pk, sk FROM "{name}" WHERE pk IN [\'a\', \'b\', \'c\']')
    assert [(item["pk"]["S"], item["sk"]["N"]) for item in items] == [(p, str(i)) for p in "abc" for i in range(8)]
    assert count == 2  # partitions are read one after the other until there is 1 MB
    items, count = pages(f'SELECT pk, sk FROM "{name}"')
    assert len(items) == 24 and count == 3
