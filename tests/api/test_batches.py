"""BatchGetItem and BatchWriteItem."""

import re

import pytest
import tables
from client import INVALID, NOT_FOUND, NOT_VALID, at_least, at_most, call, expect_error, expect_validation
from client import ok, one, too_short
from tables import ABSENT, HASH, HASH_B, HASH_N, INDEXED, RANGE, fresh, get
from test_sizes import filled
from values import NULL, B, L, M, N, S

op = pytest.mark.op
SCHEMA = "The provided key element does not match the schema"
DUPLICATES = "Provided list of item keys contains duplicates"


def put(item):
    return {"PutRequest": {"Item": item}}


def delete(key):
    return {"DeleteRequest": {"Key": key}}


@op("BatchWriteItem")
def test_puts_and_deletes_of_two_tables():
    keep, gone, sorted_ = fresh(), fresh(), fresh()
    tables.put(HASH, {"pk": S(gone)})
    requests = {
        HASH: [put({"pk": S(keep), "v": N(1)}), delete({"pk": S(gone)}), delete({"pk": S(fresh())})],
        RANGE: [put({"pk": S(sorted_), "sk": S(f"{n}")}) for n in range(5)],
    }
    assert ok("BatchWriteItem", RequestItems=requests) == {"UnprocessedItems": {}}
    assert get(HASH, {"pk": S(keep)}) == {"pk": S(keep), "v": N(1)}
    assert get(HASH, {"pk": S(gone)}) is None
    assert all(get(RANGE, {"pk": S(sorted_), "sk": S(f"{n}")}) for n in range(5))


@op("BatchWriteItem")
def test_a_put_replaces_the_whole_item():
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, "a": S("x"), "b": S("y")})
    ok("BatchWriteItem", RequestItems={HASH: [put({**key, "b": S("z")})]})
    assert get(HASH, key) == {**key, "b": S("z")}


@op("BatchWriteItem", "BatchGetItem")
def test_the_most_at_once():
    keys = [{"pk": S(fresh())} for _ in range(100)]
    for start in range(0, 100, 25):
        ok("BatchWriteItem", RequestItems={HASH: [put(key) for key in keys[start : start + 25]]})
    reply = ok("BatchGetItem", RequestItems={HASH: {"Keys": keys, "ConsistentRead": True}})
    assert sorted(str(item) for item in reply["Responses"][HASH]) == sorted(str(key) for key in keys)
    assert reply["UnprocessedKeys"] == {}


@op("BatchWriteItem", "BatchGetItem")
def test_large_items_in_one_batch():
    items = [filled({"pk": S(fresh("20k"))}, 20_000) for _ in range(25)]
    assert ok("BatchWriteItem", RequestItems={HASH: [put(item) for item in items]}) == {"UnprocessedItems": {}}
    keys = [{"pk": item["pk"]} for item in items]
    found = ok("BatchGetItem", RequestItems={HASH: {"Keys": keys}})["Responses"][HASH]
    assert sorted(item["pk"]["S"] for item in found) == sorted(key["pk"]["S"] for key in keys)
    assert all(len(item["p"]["S"]) > 19_000 for item in found)
    assert ok("BatchWriteItem", RequestItems={HASH: [delete(key) for key in keys]}) == {"UnprocessedItems": {}}
    assert ok("BatchGetItem", RequestItems={HASH: {"Keys": keys}})["Responses"][HASH] == []


@op("BatchGetItem")
def test_found_and_not_found():
    here = {"pk": S(fresh()), "v": N(1)}
    tables.put(HASH, here)
    request = {
        HASH: {"Keys": [{"pk": here["pk"]}, {"pk": S(fresh())}]},
        RANGE: {"Keys": [{"pk": S(fresh()), "sk": S("1")}]},
    }
    assert ok("BatchGetItem", RequestItems=request) == {"Responses": {HASH: [here], RANGE: []}, "UnprocessedKeys": {}}


@op("BatchGetItem")
def test_each_table_has_its_own_projection():
    one_, two = {"pk": S(fresh()), "a": N(1), "b": N(2)}, {"pk": S(fresh()), "sk": S("1"), "a": N(3), "name": N(4)}
    tables.put(HASH, one_)
    tables.put(RANGE, two)
    request = {
        HASH: {"Keys": [{"pk": one_["pk"]}], "ProjectionExpression": "b"},
        RANGE: {
            "Keys": [{"pk": two["pk"], "sk": two["sk"]}],
            "ProjectionExpression": "#n",
            "ExpressionAttributeNames": {"#n": "name"},
            "ConsistentRead": True,
        },
    }
    assert ok("BatchGetItem", RequestItems=request)["Responses"] == {HASH: [{"b": N(2)}], RANGE: [{"name": N(4)}]}


@op("BatchGetItem", "PutItem")
def test_at_most_16_mb_come_back():
    keys = [{"pk": S(fresh("big"))} for _ in range(45)]
    for key in keys:
        tables.put(HASH, {**key, "v": S("x" * 390_000)})
    waiting = {HASH: {"Keys": keys, "ConsistentRead": True, "ProjectionExpression": "pk"}}
    rounds, found = 0, []
    while waiting:
        reply = ok("BatchGetItem", RequestItems=waiting)
        found += [item["pk"]["S"] for item in reply["Responses"][HASH]]
        waiting = reply["UnprocessedKeys"]
        if waiting:
            assert waiting[HASH]["ConsistentRead"] is True
            assert waiting[HASH]["ProjectionExpression"] == "pk"
        rounds += 1
    assert rounds == 2
    assert sorted(found) == sorted(key["pk"]["S"] for key in keys)
    for key in keys:
        ok("DeleteItem", TableName=HASH, Key=key)


@op("BatchGetItem", "PutItem")
def test_the_item_that_passes_16_mb_is_left_out():
    keys = [{"pk": S(fresh("16mb"))} for _ in range(42)]
    for key in keys[:41]:
        tables.put(HASH, filled(key, 400_000))
    request = {HASH: {"Keys": keys, "ProjectionExpression": "pk"}}
    for last, answered in ((16 * 1024 * 1024 - 41 * 400_000, 42), (16 * 1024 * 1024 - 41 * 400_000 + 1, 41)):
        tables.put(HASH, filled(keys[41], last))
        reply = ok("BatchGetItem", RequestItems=request)
        assert len(reply["Responses"][HASH]) == answered
        left = reply["UnprocessedKeys"].get(HASH, {"Keys": []})["Keys"]
        assert left == keys[answered:]
    for key in keys:
        ok("DeleteItem", TableName=HASH, Key=key)


@pytest.mark.parametrize("operation", ["BatchGetItem", "BatchWriteItem"])
def test_a_table_by_its_name_and_by_its_arn_is_one_table(operation):
    arn = ok("DescribeTable", TableName=HASH)["Table"]["TableArn"]
    one_, other = {"pk": S(fresh())}, {"pk": S(fresh())}
    what = (lambda key: {"Keys": [key]}) if operation == "BatchGetItem" else (lambda key: [put(key)])
    expect_validation(operation, {"RequestItems": {HASH: what(one_), arn: what(one_)}}, DUPLICATES)
    assert call(operation, {"RequestItems": {HASH: what(one_), arn: what(other)}}).status == 200


@pytest.mark.parametrize("operation", ["BatchGetItem", "BatchWriteItem"])
def test_nothing_requested(operation):
    sentence = f"The requestItems parameter is required for {operation}"
    text = too_short("RequestItems") if operation == "BatchGetItem" else sentence
    expect_validation(operation, {"RequestItems": {}}, text)


@op("BatchGetItem")
def test_too_many_keys():
    keys = [{"pk": S(f"{n}")} for n in range(101)]
    constraint = f"Value at 'RequestItems.{HASH}.member.Keys' failed to satisfy constraint: "
    expect_validation("BatchGetItem", {"RequestItems": {HASH: {"Keys": keys}}}, one(constraint + at_most(100)))
    expect_validation("BatchGetItem", {"RequestItems": {HASH: {"Keys": []}}}, one(constraint + at_least(1)))
    split = {HASH: {"Keys": keys[:60]}, RANGE: {"Keys": [{**key, "sk": S("1")} for key in keys[60:]]}}
    expect_validation("BatchGetItem", {"RequestItems": split}, "Too many items requested for the BatchGetItem call")


VALUES = f"Map value must satisfy constraint: [{at_most(25)}, {at_least(1)}]"


@op("BatchWriteItem")
def test_too_many_writes():
    requests = [put({"pk": S(f"many{n}")}) for n in range(26)]
    shown = "1 validation error detected: Value '\\{" + HASH + "=\\[.+\\]\\}' at 'requestItems' failed to satisfy constraint: "
    text = re.compile(shown + re.escape(VALUES))
    expect_validation("BatchWriteItem", {"RequestItems": {HASH: requests}}, text)
    assert get(HASH, {"pk": S("many0")}) is None
    text = one("Value '{%s=[]}' at 'requestItems' failed to satisfy constraint: %s" % (HASH, VALUES))
    expect_validation("BatchWriteItem", {"RequestItems": {HASH: []}}, text)
    split = {HASH: requests[:20], RANGE: [put({"pk": S("many"), "sk": S(f"{n}")}) for n in range(6)]}
    expect_validation("BatchWriteItem", {"RequestItems": split}, "Too many items requested for the BatchWriteItem call")


@op("BatchWriteItem")
@pytest.mark.parametrize(
    "table, requests",
    [
        (HASH, [put({"pk": S("twice")}), put({"pk": S("twice"), "v": N(1)})]),
        (HASH, [put({"pk": S("twice")}), delete({"pk": S("twice")})]),
        (HASH, [delete({"pk": S("twice")}), put({"pk": S("twice2")}), delete({"pk": S("twice")})]),
        (RANGE, [put({"pk": S("twice"), "sk": S("1")}), put({"pk": S("twice"), "sk": S("1")})]),
        (HASH_N, [put({"pk": N("1000")}), put({"pk": N("1e3")})]),
        (HASH_N, [put({"pk": N("1000")}), delete({"pk": N("1000.0")})]),
    ],
)
def test_a_key_twice_in_writes(table, requests):
    expect_validation("BatchWriteItem", {"RequestItems": {table: requests}}, DUPLICATES)


@op("BatchGetItem")
def test_a_key_twice_in_reads():
    twice = [{"pk": S("a")}, {"pk": S("b")}, {"pk": S("a")}]
    expect_validation("BatchGetItem", {"RequestItems": {HASH: {"Keys": twice}}}, DUPLICATES)
    twice = [{"pk": S("a"), "sk": S("b")}, {"sk": S("b"), "pk": S("a")}]
    expect_validation("BatchGetItem", {"RequestItems": {RANGE: {"Keys": twice}}}, DUPLICATES)


OF_NO_KEY = [
    (M(a=S("x")), M(a=S("y"))),
    (M(a=S("x")), M(b=S("x"))),
    (L(S("x")), L(S("y"))),
    ({"SS": ["x"]}, {"SS": ["y"]}),
    ({"BOOL": True}, {"BOOL": False}),
    ({"L": []}, {"M": {}}),
    (NULL, {"BOOL": True}),
]


@op("BatchGetItem")
@pytest.mark.parametrize("one_, other", OF_NO_KEY, ids=[str(list(pair[0]) + list(pair[1])) for pair in OF_NO_KEY])
def test_keys_of_types_that_no_key_has_are_told_apart(one_, other):
    def ask(*values):
        return {"RequestItems": {HASH: {"Keys": [{"pk": value} for value in values]}}}

    expect_validation("BatchGetItem", ask(one_, other), SCHEMA)
    expect_validation("BatchGetItem", ask(one_, one_), DUPLICATES)


@op("BatchGetItem")
@pytest.mark.parametrize(
    "more, text",
    [
        ({"ProjectionExpression": "", "ExpressionAttributeNames": {}}, "ExpressionAttributeNames must not be empty"),
        ({"ProjectionExpression": ""}, "Invalid ProjectionExpression: The expression can not be empty;"),
        ({"ProjectionExpression": "a", "ExpressionAttributeNames": {"#b": "b"}}, re.compile("Value provided .* unused .*")),
        ({"AttributesToGet": ["a", "a"]}, INVALID + "Duplicate value in attribute name: a"),
        ({"ProjectionExpression": "a"}, DUPLICATES),
    ],
)
def test_what_comes_before_a_key_twice(more, text):
    twice = [{"pk": S("a")}, {"pk": S("a")}]
    expect_validation("BatchGetItem", {"RequestItems": {HASH: {"Keys": twice, **more}}}, text)


@op("BatchGetItem")
def test_one_number_written_twice_is_read_once():
    key = {"pk": N("1000")}
    tables.put(HASH_N, key)
    reply = ok("BatchGetItem", RequestItems={HASH_N: {"Keys": [key, {"pk": N("1e3")}]}})
    assert reply["Responses"][HASH_N] == [key]
    ok("DeleteItem", TableName=HASH_N, Key=key)


@pytest.mark.parametrize("operation", ["BatchGetItem", "BatchWriteItem"])
def test_one_absent_table_spoils_all(operation):
    key = {"pk": S(fresh())}
    if operation == "BatchGetItem":
        request = {HASH: {"Keys": [key]}, ABSENT: {"Keys": [key]}}
    else:
        request = {HASH: [put(key)], ABSENT: [put(key)]}
    expect_error(operation, {"RequestItems": request}, NOT_FOUND, "Requested resource not found")
    assert get(HASH, key) is None


EMPTY = NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty {} value. Key: pk"
BAD_KEYS = [
    (HASH, {"pk": N(5)}, SCHEMA),
    (HASH, {"pk": L(S("x"))}, SCHEMA),
    (HASH, {"other": S("x")}, SCHEMA),
    (HASH, {}, SCHEMA),
    (RANGE, {"pk": S("x")}, SCHEMA),
    (RANGE, {"pk": S("x"), "sk": N(1)}, SCHEMA),
    (HASH, {"pk": S("")}, EMPTY.format("string")),
    (HASH_B, {"pk": B(b"")}, EMPTY.format("binary")),
]


@op("BatchWriteItem", "BatchGetItem")
@pytest.mark.parametrize("table, key, text", BAD_KEYS, ids=range(len(BAD_KEYS)))
def test_bad_keys(table, key, text):
    good = S(fresh())
    others = [put({"pk": good})] if table == HASH else []
    expect_validation("BatchWriteItem", {"RequestItems": {table: [*others, put(key)]}}, text)
    expect_validation("BatchWriteItem", {"RequestItems": {table: [*others, delete(key)]}}, text)
    expect_validation("BatchGetItem", {"RequestItems": {table: {"Keys": [key]}}}, text)
    assert get(HASH, {"pk": good}) is None


@op("BatchWriteItem", "BatchGetItem")
def test_a_key_with_more_than_the_key():
    key = {"pk": S("x"), "more": S("y")}
    expect_validation("BatchWriteItem", {"RequestItems": {HASH: [delete(key)]}}, SCHEMA)
    expect_validation("BatchGetItem", {"RequestItems": {HASH: {"Keys": [key]}}}, SCHEMA)


INDEX_EMPTY = (
    NOT_VALID + "A value specified for a secondary index key is not supported. "
    "The AttributeValue for a key attribute cannot contain an empty {} value. IndexName: {}, IndexKey: {}"
)
INDEX_KEYS = [
    ("owner", N(1), INVALID + "Type mismatch for Index Key owner Expected: S Actual: N IndexName: by_owner"),
    ("owner", M(a=S("b")), INVALID + "Type mismatch for Index Key owner Expected: S Actual: M IndexName: by_owner"),
    ("when", NULL, INVALID + "Type mismatch for Index Key when Expected: S Actual: NULL IndexName: by_when"),
    ("owner", S(""), INDEX_EMPTY.format("string", "by_owner", "owner")),
    ("code", B(b""), INDEX_EMPTY.format("binary", "by_code", "code")),
]


@op("BatchWriteItem")
@pytest.mark.parametrize("name, value, text", INDEX_KEYS)
def test_an_index_key_that_does_not_fit_spoils_the_batch(name, value, text):
    pk = S(fresh())
    requests = [put({"pk": pk, "sk": S("1")}), put({"pk": pk, "sk": S("2"), name: value})]
    expect_validation("BatchWriteItem", {"RequestItems": {INDEXED: requests}}, text)
    assert get(INDEXED, {"pk": pk, "sk": S("1")}) is None


@op("BatchWriteItem")
@pytest.mark.parametrize("request_", [{}, {"PutRequest": {"Item": {"pk": S("a")}}, "DeleteRequest": {"Key": {"pk": S("a")}}}])
def test_a_request_is_a_put_or_a_delete(request_):
    expect_validation("BatchWriteItem", {"RequestItems": {HASH: [request_]}})


@op("BatchGetItem")
def test_mixed_forms():
    text = (
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"
    )
    both = {"Keys": [{"pk": S("a")}], "AttributesToGet": ["pk"], "ProjectionExpression": "pk"}
    expect_validation("BatchGetItem", {"RequestItems": {HASH: both}}, text)
    apart = {
        HASH: {"Keys": [{"pk": S("a")}], "ProjectionExpression": "pk"},
        RANGE: {"Keys": [{"pk": S("a"), "sk": S("b")}], "AttributesToGet": ["pk"]},
    }
    expect_validation("BatchGetItem", {"RequestItems": apart})


@op("BatchGetItem")
def test_one_bad_projection_spoils_all():
    request = {
        HASH: {"Keys": [{"pk": S("a")}], "ProjectionExpression": "a, a"},
        RANGE: {"Keys": [{"pk": S("a"), "sk": S("b")}], "ProjectionExpression": "a"},
    }
    text = (
        "Invalid ProjectionExpression: Two document paths overlap with each other; "
        "must remove or rewrite one of these paths; path one: [a], path two: [a]"
    )
    expect_validation("BatchGetItem", {"RequestItems": request}, text)
