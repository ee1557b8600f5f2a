"""PutItem, GetItem and DeleteItem: what they do, keys that do not fit, index keys, and absent tables."""

import pytest
import tables
from client import INVALID, NOT_FOUND, NOT_VALID, call, expect_error, expect_validation, ok
from tables import ABSENT, HASH, HASH_B, HASH_N, INDEXED, MULTI, RANGE, RANGE_B, RANGE_N, fresh, get
from values import BS, FALSE, NS, NULL, SS, TRUE, B, L, M, N, S

op = pytest.mark.op
SCHEMA = "The provided key element does not match the schema"
KEYS = [
    (HASH, lambda: {"pk": S(fresh())}),
    (HASH_N, lambda: {"pk": N(fresh("7").replace("-", ""))}),
    (HASH_B, lambda: {"pk": B(fresh().encode() + b"\xff\0")}),
    (RANGE, lambda: {"pk": S(fresh()), "sk": S("é \0")}),
    (RANGE_N, lambda: {"pk": S(fresh()), "sk": N("-3.14")}),
    (RANGE_B, lambda: {"pk": S(fresh()), "sk": B(b"\0\xfe")}),
]
EVERYTHING = {
    "string": S("text"),
    "number": N("123.456"),
    "binary": B(b"\0\1\2"),
    "true": TRUE,
    "false": FALSE,
    "null": NULL,
    "strings": SS("a", "b"),
    "numbers": NS(1, 2),
    "binaries": BS(b"a", b"b"),
    "list": L(S("a"), N(1), L(), M(x=NULL)),
    "map": M(a=M(b=M(c=L(TRUE)))),
}


@op("PutItem", "GetItem", "DeleteItem")
@pytest.mark.parametrize("table, make", KEYS, ids=["S", "N", "B", "SS", "SN", "SB"])
def test_put_get_delete(table, make):
    key = make()
    assert ok("GetItem", TableName=table, Key=key) == {}
    assert tables.put(table, {**key, **EVERYTHING}) == {}
    for consistent in (True, False):
        found = ok("GetItem", TableName=table, Key=key, ConsistentRead=consistent)
        assert found == {"Item": {**key, **EVERYTHING}}
    assert ok("DeleteItem", TableName=table, Key=key) == {}
    assert ok("DeleteItem", TableName=table, Key=key) == {}
    assert get(table, key) is None


@op("PutItem", "GetItem")
def test_a_put_replaces_everything():
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, "a": S("1"), "b": S("2")})
    tables.put(HASH, {**key, "b": S("3")})
    assert get(HASH, key) == {**key, "b": S("3")}


@op("GetItem")
def test_another_sort_key_is_another_item():
    pk = S(fresh())
    tables.put(RANGE, {"pk": pk, "sk": S("1")})
    for consistent in (True, False):
        assert ok("GetItem", TableName=RANGE, Key={"pk": pk, "sk": S("2")}, ConsistentRead=consistent) == {}


@op("PutItem", "GetItem")
def test_neighbours_stay_apart():
    pk = fresh()
    for other in (pk, pk + "\0", pk + "0", pk[:-1]):
        for sk in ("a", "a\0", "b"):
            tables.put(RANGE, {"pk": S(other), "sk": S(sk), "v": S(other + sk)})
    for other in (pk, pk + "\0", pk + "0", pk[:-1]):
        for sk in ("a", "a\0", "b"):
            assert get(RANGE, {"pk": S(other), "sk": S(sk)})["v"] == S(other + sk)


BAD_KEYS = [
    (HASH, {}),
    (HASH, {"sk": S("a")}),
    (HASH, {"pk": S("a"), "sk": S("b")}),
    (HASH, {"pk": N(1)}),
    (HASH, {"pk": NULL}),
    (HASH, {"pk": SS("a")}),
    (HASH, {"pk": L(S("a"))}),
    (HASH_N, {"pk": S("1")}),
    (HASH_B, {"pk": S("YQ==")}),
    (RANGE, {"pk": S("a")}),
    (RANGE, {"sk": S("a")}),
    (RANGE, {"pk": S("a"), "sk": N(1)}),
    (RANGE, {"pk": N(1), "sk": S("a")}),
    (RANGE, {"pk": S("a"), "sk": S("b"), "more": S("c")}),
    (RANGE_N, {"pk": S("a"), "sk": S("1")}),
    (RANGE_B, {"pk": S("a"), "sk": S("1")}),
]


@pytest.mark.parametrize("operation", ["GetItem", "DeleteItem", "UpdateItem"])
@pytest.mark.parametrize("table, key", BAD_KEYS, ids=range(len(BAD_KEYS)))
def test_keys_that_do_not_fit(operation, table, key):
    expect_validation(operation, {"TableName": table, "Key": key}, SCHEMA)


MISSING = INVALID + "Missing the key {} in the item"
MISMATCH = INVALID + "Type mismatch for key {} expected: {} actual: {}"
BAD_ITEMS = [
    (HASH, {}, MISSING.format("pk")),
    (HASH, {"a": S("b")}, MISSING.format("pk")),
    (HASH, {"pk": N(1)}, MISMATCH.format("pk", "S", "N")),
    (HASH, {"pk": NULL}, MISMATCH.format("pk", "S", "NULL")),
    (HASH, {"pk": TRUE}, MISMATCH.format("pk", "S", "BOOL")),
    (HASH, {"pk": SS("a")}, MISMATCH.format("pk", "S", "SS")),
    (HASH, {"pk": M()}, MISMATCH.format("pk", "S", "M")),
    (HASH_N, {"pk": S("1")}, MISMATCH.format("pk", "N", "S")),
    (HASH_B, {"pk": S("1")}, MISMATCH.format("pk", "B", "S")),
    (RANGE, {"pk": S("a")}, MISSING.format("sk")),
    (RANGE, {"sk": S("a")}, MISSING.format("pk")),
    (RANGE, {"pk": S("a"), "sk": N(1)}, MISMATCH.format("sk", "S", "N")),
    (RANGE, {"pk": N(1), "sk": N(1)}, MISMATCH.format("pk", "S", "N")),
]


@op("PutItem")
@pytest.mark.parametrize("table, item, text", BAD_ITEMS, ids=range(len(BAD_ITEMS)))
def test_items_whose_key_does_not_fit(table, item, text):
    expect_validation("PutItem", {"TableName": table, "Item": item}, text)


EMPTY = NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty {} value. Key: {}"
EMPTIES = [
    (HASH, {"pk": S("")}, EMPTY.format("string", "pk")),
    (HASH_B, {"pk": B(b"")}, EMPTY.format("binary", "pk")),
    (RANGE, {"pk": S("a"), "sk": S("")}, EMPTY.format("string", "sk")),
    (RANGE, {"pk": S(""), "sk": S("")}, EMPTY.format("string", "pk")),
    (RANGE_B, {"pk": S("a"), "sk": B(b"")}, EMPTY.format("binary", "sk")),
]


@pytest.mark.parametrize("operation", ["PutItem", "GetItem", "DeleteItem", "UpdateItem"])
@pytest.mark.parametrize("table, key, text", EMPTIES, ids=range(len(EMPTIES)))
def test_empty_keys(operation, table, key, text):
    expect_validation(operation, {"TableName": table, "Item" if operation == "PutItem" else "Key": key}, text)


@pytest.mark.parametrize("operation", ["PutItem", "GetItem", "DeleteItem", "UpdateItem", "Scan"])
def test_absent_tables(operation):
    request = {"TableName": ABSENT}
    if operation != "Scan":
        request["Item" if operation == "PutItem" else "Key"] = {"pk": S("a")}
    expect_error(operation, request, NOT_FOUND, "Requested resource not found")


# --- keys of indexes -----------------------------------------------------------------------------------------------

INDEX_MISMATCH = INVALID + "Type mismatch for Index Key {} Expected: {} Actual: {} IndexName: {}"
INDEX_EMPTY = (
    NOT_VALID + "A value specified for a secondary index key is not supported. "
    "The AttributeValue for a key attribute cannot contain an empty {} value. IndexName: {}, IndexKey: {}"
)
UPDATE_EMPTY = (
    NOT_VALID + "The update expression attempted to update a secondary index key to a value that is not supported. "
    "The AttributeValue for a key attribute cannot contain an empty {} value."
)
INDEX_FAULTS = [
    ("when", N(1), INDEX_MISMATCH.format("when", "S", "N", "by_when")),
    ("owner", N(1), INDEX_MISMATCH.format("owner", "S", "N", "by_owner")),
    ("owner", NULL, INDEX_MISMATCH.format("owner", "S", "NULL", "by_owner")),
    ("owner", SS("a"), INDEX_MISMATCH.format("owner", "S", "SS", "by_owner")),
    ("owner", M(a=S("b")), INDEX_MISMATCH.format("owner", "S", "M", "by_owner")),
    ("kind", B(b"a"), INDEX_MISMATCH.format("kind", "S", "B", "by_kind")),
    ("code", S("YQ=="), INDEX_MISMATCH.format("code", "B", "S", "by_code")),
    ("rank", S("1"), INDEX_MISMATCH.format("rank", "N", "S", "by_kind")),
    ("owner", S(""), INDEX_EMPTY.format("string", "by_owner", "owner")),
    ("when", S(""), INDEX_EMPTY.format("string", "by_when", "when")),
    ("code", B(b""), INDEX_EMPTY.format("binary", "by_code", "code")),
]


@op("PutItem", "UpdateItem")
@pytest.mark.parametrize("attribute, value, text", INDEX_FAULTS, ids=[f"{f[0]}-{list(f[1])[0]}" for f in INDEX_FAULTS])
def test_index_keys_that_do_not_fit(attribute, value, text):
    key = {"pk": S(fresh()), "sk": S("1")}
    expect_validation("PutItem", {"TableName": INDEXED, "Item": {**key, attribute: value}}, text)
    assert get(INDEXED, key) is None
    updates = {"TableName": INDEXED, "Key": key, "AttributeUpdates": {attribute: {"Value": value}}}
    reply = expect_validation("UpdateItem", updates)
    assert reply.message == text or reply.message in map(UPDATE_EMPTY.format, ("string", "binary"))
    request = {"TableName": INDEXED, "Key": key, "UpdateExpression": "SET #a = :v"}
    request |= {"ExpressionAttributeNames": {"#a": attribute}, "ExpressionAttributeValues": {":v": value}}
    empty = list(value.values())[0] == ""
    expect_validation("UpdateItem", request, UPDATE_EMPTY.format("binary" if "B" in value else "string") if empty else text)
    assert get(INDEXED, key) is None


@op("UpdateItem")
def test_an_update_may_compute_an_index_key_of_the_wrong_type():
    key = {"pk": S(fresh()), "sk": S("1")}
    tables.put(INDEXED, {**key, "n": N(1), "owner": S("x")})
    request = {"TableName": INDEXED, "Key": key, "UpdateExpression": "SET #o = n", "ExpressionAttributeNames": {"#o": "owner"}}
    text = "The update expression attempted to update the secondary index key to unsupported type"
    expect_validation("UpdateItem", request, text)
    assert get(INDEXED, key)["owner"] == S("x")


@op("PutItem", "UpdateItem", "DeleteItem", "Query")
def test_index_rows_follow_the_item():
    key = {"pk": S(fresh()), "sk": S("1")}
    first, second = S("first" + key["pk"]["S"]), S("second" + key["pk"]["S"])

    def owned(owner):
        request = {"TableName": INDEXED, "IndexName": "by_owner", "KeyConditionExpression": "#o = :o"}
        request |= {"ExpressionAttributeNames": {"#o": "owner"}, "ExpressionAttributeValues": {":o": owner}}
        return ok("Query", **request)["Items"]

    tables.put(INDEXED, {**key, "v": N(1)})
    assert owned(first) == []
    tables.put(INDEXED, {**key, "v": N(1), "owner": first})
    assert owned(first) == [{**key, "v": N(1), "owner": first}]
    tables.update(INDEXED, key, "SET v = :v", {":v": N(2)})
    assert owned(first) == [{**key, "v": N(2), "owner": first}]
    tables.update(INDEXED, key, "SET #o = :o", {":o": second}, {"#o": "owner"})
    assert (owned(first), len(owned(second))) == ([], 1)
    tables.update(INDEXED, key, "REMOVE #o", None, {"#o": "owner"})
    assert owned(second) == []
    tables.put(INDEXED, {**key, "owner": second})
    ok("DeleteItem", TableName=INDEXED, Key=key)
    assert owned(second) == []


@op("PutItem", "Query")
def test_many_items_under_one_index_key():
    owner, pks = S(fresh("shared")), [fresh() for _ in range(7)]
    for pk in pks:
        for sk in "ab":
            tables.put(INDEXED, {"pk": S(pk), "sk": S(sk), "owner": owner})
    request = {"TableName": INDEXED, "IndexName": "by_owner", "KeyConditionExpression": "#o = :o", "Limit": 3}
    request |= {"ExpressionAttributeNames": {"#o": "owner"}, "ExpressionAttributeValues": {":o": owner}}
    found = []
    while True:
        page = ok("Query", **request)
        found += [(item["pk"]["S"], item["sk"]["S"]) for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            break
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
    assert sorted(found) == sorted((pk, sk) for pk in pks for sk in "ab")


@op("PutItem")
def test_several_key_attributes_of_the_wrong_type():
    item = {"pk": S(fresh()), "t1": S("x"), "t2": S("not a number")}
    text = INDEX_MISMATCH.format("t2", "N", "S", "by_many")
    expect_validation("PutItem", {"TableName": MULTI, "Item": item}, text)


SCALARS = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
NESTED = [
    ("UpdateItem", HASH, {"Key": {"pk": S("a")}, "UpdateExpression": "REMOVE pk.x"}, SCALARS + "Key: pk"),
    ("PutItem", HASH, {"Item": {"pk": S("a")}, "ConditionExpression": "pk.x = b"}, SCALARS + "Key: pk"),
    ("DeleteItem", HASH, {"Key": {"pk": S("a")}, "ConditionExpression": "attribute_exists(pk[0])"}, SCALARS + "Key: pk"),
    ("GetItem", HASH, {"Key": {"pk": S("a")}, "ProjectionExpression": "pk.x"}, SCALARS + "Key: pk"),
    ("Scan", HASH, {"FilterExpression": "pk[1] = b"}, SCALARS + "Key: pk"),
    ("UpdateItem", INDEXED, {"Key": {"pk": S("a"), "sk": S("b")}, "UpdateExpression": "REMOVE code[0]"}, SCALARS + "IndexKey: code"),
]


@pytest.mark.parametrize("operation, table, request_, text", NESTED, ids=[f"{n[0]}-{i}" for i, n in enumerate(NESTED)])
def test_paths_into_keys(operation, table, request_, text):
    reply = call(operation, {"TableName": table, **request_})
    # REMOVE of a path below the key is refused as a change of the key by some versions.
    assert reply.type == "ValidationException", repr(reply)
    assert reply.message in (text, INVALID + "Cannot update attribute pk. This attribute is part of the key"), repr(reply)
