"""Reading through indexes: conditions on their sort keys, what each of them shows, and which items it does not hold."""

import pytest
import tables
from client import expect_validation, ok
from tables import index
from values import N, S

op = pytest.mark.op
# (sort key, mark, score, team): an item is under an index when it has all of the index's key.
ROWS = [
    ("1", "ma", 10, "x"),
    ("2", "ma", 30, "x"),
    ("3", "mb", None, "x"),
    ("4", "n", 20, None),
    ("5", None, 20, "y"),
    ("6", None, None, None),
]
VIEWS = {
    "by_mark": {"pk", "sk", "mark", "score", "team", "note", "rest"},
    "by_score": {"pk", "sk", "score", "note"},
    "by_team": {"pk", "sk", "team"},
    "by_team_score": {"pk", "sk", "team", "score", "rest"},
}
HELD = {"by_mark": "1234", "by_score": "1245", "by_team": "1235", "by_team_score": "125"}
OTHER = "other"


def definition():
    request = tables.plain(tables.fresh_table("reads"), {"pk": "S", "sk": "S"})
    request["AttributeDefinitions"] = tables.definitions(pk="S", sk="S", mark="S", score="N", team="S")
    request["LocalSecondaryIndexes"] = [index("by_mark", "pk", "mark"), index("by_score", "pk", "score", "INCLUDE", ["note"])]
    request["GlobalSecondaryIndexes"] = [
        index("by_team", "team", None, "KEYS_ONLY"),
        index("by_team_score", "team", "score", "INCLUDE", ["rest"]),
    ]
    return request


@pytest.fixture(scope="module")
def table():
    for name in tables.standing(definition()):
        for sk, mark, score, team in ROWS:
            item = {"pk": S("p"), "sk": S(sk), "note": S("note" + sk), "rest": S("rest" + sk)}
            item |= {"mark": S(mark)} if mark else {}
            item |= {"score": N(score)} if score else {}
            tables.put(name, item | ({"team": S(team)} if team else {}))
        tables.put(name, {"pk": S(OTHER), "sk": S("1"), "mark": S("ma"), "score": N(10)})
        yield name


def query(table, name, condition, values, **more):
    request = {"TableName": table, "IndexName": name, "KeyConditionExpression": condition}
    return ok("Query", **request, ExpressionAttributeValues=values, **more)["Items"]


def sort_keys(items):
    return "".join(item["sk"]["S"] for item in items)


P = {":p": S("p")}
CONDITIONS = [
    ("by_mark", "pk = :p", {}, "1234"),
    ("by_mark", "pk = :p AND mark = :a", {":a": S("ma")}, "12"),
    ("by_mark", "pk = :p AND mark = :a", {":a": S("none")}, ""),
    ("by_mark", "pk = :p AND mark BETWEEN :a AND :b", {":a": S("mb"), ":b": S("n")}, "34"),
    ("by_mark", "pk = :p AND begins_with(mark, :a)", {":a": S("m")}, "123"),
    ("by_mark", "pk = :p AND mark > :a", {":a": S("ma")}, "34"),
    ("by_mark", "pk = :p AND mark <= :a", {":a": S("mb")}, "123"),
    ("by_score", "pk = :p AND score >= :a", {":a": N(20)}, "452"),
    ("by_score", "pk = :p AND score BETWEEN :a AND :b", {":a": N(9), ":b": N(20)}, "145"),
    ("by_team_score", "team = :p AND score < :a", {":p": S("x"), ":a": N(30)}, "1"),
    ("by_team_score", "team = :p", {":p": S("x")}, "12"),
    ("by_team", "team = :p", {":p": S("nobody")}, ""),
    ("by_mark", "pk = :p", {":p": S("nowhere")}, ""),
]


@op("Query")
@pytest.mark.parametrize("name, condition, values, found", CONDITIONS, ids=[f"{n}-{c[0]}-{c[1]}" for n, c in enumerate(CONDITIONS)])
def test_conditions(table, name, condition, values, found):
    values = {**P, **values}
    assert sort_keys(query(table, name, condition, values)) == found
    assert sort_keys(query(table, name, condition, values, ScanIndexForward=False)) == found[::-1]
    if name in ("by_mark", "by_score"):
        assert sort_keys(query(table, name, condition, values, ConsistentRead=True)) == found


@op("Query", "Scan", "GetItem")
@pytest.mark.parametrize("name", VIEWS)
def test_what_an_index_holds_and_shows(table, name):
    """An item without the whole key of an index is in the table, and not in the index."""
    values = {":p": S("p")}
    mine = {"FilterExpression": "pk = :p", "ExpressionAttributeValues": values}
    scanned = ok("Scan", TableName=table, IndexName=name, **mine)["Items"]
    assert "".join(sorted(sort_keys(scanned))) == HELD[name]
    local = name in ("by_mark", "by_score")
    if local:
        again = ok("Scan", TableName=table, IndexName=name, ConsistentRead=True, **mine)["Items"]
        queried = query(table, name, "pk = :p", values)
        assert sorted(map(str, again)) == sorted(map(str, scanned))
    else:
        queried = [item for team in "xy" for item in query(table, name, "team = :t", {":t": S(team)})]
    assert sorted(map(str, queried)) == sorted(map(str, scanned))
    whole = {sk: tables.get(table, {"pk": S("p"), "sk": S(sk)}) for sk in HELD[name]}
    for item in queried:
        full = whole[item["sk"]["S"]]
        assert item == {attribute: full[attribute] for attribute in VIEWS[name] & set(full)}


@op("Query")
@pytest.mark.parametrize("name, partition, found", [("by_score", "p", "1245"), ("by_team", "x", "123"), ("by_team_score", "x", "12")])
def test_all_that_is_projected(table, name, partition, found):
    condition = "pk = :p" if name == "by_score" else "team = :p"
    plain = query(table, name, condition, {":p": S(partition)})
    assert plain == query(table, name, condition, {":p": S(partition)}, Select="ALL_PROJECTED_ATTRIBUTES")
    assert "".join(sorted(sort_keys(plain))) == found
    assert all(set(item) == VIEWS[name] for item in plain)


@op("Query", "Scan")
@pytest.mark.parametrize("expression", ["(score = :a OR score = :b)", "(score = :a) OR (score = :b)", "(score = :a OR (score = :b))"])
def test_filters(table, expression):
    values = {":p": S("p"), ":a": N(10), ":b": N(20)}
    assert sort_keys(query(table, "by_mark", "pk = :p", values, FilterExpression=expression)) == "14"
    filtered = {"FilterExpression": f"pk = :p AND {expression}", "ExpressionAttributeValues": values}
    for name, found in (("by_mark", "14"), ("by_score", "145")):
        page = ok("Scan", TableName=table, IndexName=name, **filtered)
        assert "".join(sorted(sort_keys(page["Items"]))) == found
    team = {"FilterExpression": expression.replace("score", "team"), "ExpressionAttributeValues": {":a": S("x"), ":b": S("none")}}
    assert "".join(sorted(sort_keys(ok("Scan", TableName=table, IndexName="by_team", **team)["Items"]))) == "123"


@op("Query")
def test_each_index_goes_on_from_its_own_key(table):
    values = {":p": S("x")}
    request = {"TableName": table, "IndexName": "by_team_score", "KeyConditionExpression": "team = :p", "ExpressionAttributeValues": values}
    page = ok("Query", **request, Limit=1)
    assert page["LastEvaluatedKey"] == {"pk": S("p"), "sk": S("1"), "team": S("x"), "score": N(10)}
    assert sort_keys(ok("Query", **request, ExclusiveStartKey=page["LastEvaluatedKey"])["Items"]) == "2"
    start = {name: value for name, value in page["LastEvaluatedKey"].items() if name != "team"}
    expect_validation("Query", {**request, "ExclusiveStartKey": start}, "The provided starting key is invalid")
