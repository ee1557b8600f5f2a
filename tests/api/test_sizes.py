"""The 400 KB gate to the byte, and the lengths of keys."""

import base64

import pytest
import tables
from client import CANCELED, INVALID, call, expect_error, expect_validation, ok
from tables import HASH, HASH_B, INDEXED, RANGE, RANGE_B, fresh, get
from values import BS, FALSE, NS, NULL, SS, TRUE, B, L, M, N, S

op = pytest.mark.op
LIMIT = 409_600
TOO_LARGE = "Item size has exceeded the maximum allowed size"
UPDATE_TOO_LARGE = "Item size to update has exceeded the maximum allowed size"


def number_size(text):
    """What the digits cost: the integer's and the fraction's, two to a byte, and one byte for the sign of a negative."""
    text = "0" if text == "-0" else text
    digits = text.lstrip("-")
    whole, _, fraction = digits.partition(".")
    whole = whole.lstrip("0")
    fraction = fraction.rstrip("0")
    if not fraction:
        whole = whole.rstrip("0")
    if not whole:
        fraction = fraction.lstrip("0")
    return 1 + (len(whole) + 1) // 2 + (len(fraction) + 1) // 2 + text.startswith("-")


def value_size(value):
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "N":
        return number_size(content)
    if kind == "B":
        return len(base64.b64decode(content))
    if kind in ("BOOL", "NULL"):
        return 1
    if kind == "SS":
        return sum(len(member.encode()) for member in content)
    if kind == "NS":
        return sum(number_size(member) for member in content)
    if kind == "BS":
        return sum(len(base64.b64decode(member)) for member in content)
    if kind == "L":
        return 3 + sum(1 + value_size(member) for member in content)
    return 3 + sum(1 + len(name.encode()) + value_size(member) for name, member in content.items())


def size(item):
    return sum(len(name.encode()) + value_size(value) for name, value in item.items())


def filled(item, to):
    """The item with padding in an attribute `p`, `to` bytes in all."""
    room = to - size(item) - 1
    assert room >= 0
    return {**item, "p": S("x" * room)}


SHAPES = [
    ("string", S("hello")),
    ("unicode", S("é漢\U0001f600")),
    ("empty", S("")),
    ("binary", B(b"\0\1\2\3\4")),
    ("true", TRUE),
    ("false", FALSE),
    ("null", NULL),
    ("one", N("1")),
    ("two-digits", N("12")),
    ("three-digits", N("123")),
    ("fraction", N("3.14159")),
    ("straddling", N("1.5")),
    ("six-digits", N("123456")),
    ("negative", N("-123")),
    ("trailing-zeros", N("1000")),
    ("negative-zero", N("-0")),
    ("negative-two-digits", N("-42")),
    ("below-one", N("0.15")),
    ("whole-and-fraction", N("100.5")),
    ("38-digits", N("12345678901234567890123456789012345678")),
    ("strings", SS("a", "bcd")),
    ("numbers", NS("1", "234")),
    ("binaries", BS(b"a", b"bc")),
    ("empty-list", L()),
    ("list", L(S("a"), N("12"), NULL)),
    ("empty-map", M()),
    ("map", M(a=S("b"), longer=L(M(), TRUE))),
]


@op("PutItem")
@pytest.mark.parametrize("value", [s[1] for s in SHAPES], ids=[s[0] for s in SHAPES])
def test_every_type_is_sized_to_the_byte(value):
    key = {"pk": S(fresh("size"))}
    expect_validation("PutItem", {"TableName": HASH, "Item": filled({**key, "v": value}, LIMIT + 1)}, TOO_LARGE)
    ok("PutItem", TableName=HASH, Item=filled({**key, "v": value}, LIMIT))
    ok("DeleteItem", TableName=HASH, Key=key)


# What a number costs, as it was measured: of 1E125 the expanded digits do not count.
NUMBER_COSTS = {
    1: ["0", "-0"],
    2: ["1", "12", "15", "0042", "100", "0.15", "0.0000001", "1E125", "1E-100"],
    3: ["1.2", "1.200", "1.5", "123", "1234", "1010", "-42"],
    4: ["1.234", "100.5", "123456"],
    5: ["3.14159"],
    20: ["12345678901234567890123456789012345678"],
}


@op("PutItem")
@pytest.mark.parametrize("number, cost", [(number, cost) for cost, numbers in NUMBER_COSTS.items() for number in numbers])
def test_what_a_number_costs(number, cost):
    key = {"pk": S(fresh("size"))}
    room = LIMIT - size(key) - len("n") - cost - len("p")
    item = {**key, "n": N(number), "p": S("x" * room)}
    expect_validation("PutItem", {"TableName": HASH, "Item": {**item, "p": S("x" * (room + 1))}}, TOO_LARGE)
    ok("PutItem", TableName=HASH, Item=item)
    ok("DeleteItem", TableName=HASH, Key=key)


@op("PutItem")
@pytest.mark.parametrize("count", [1, 2, 5, 10])
def test_the_gate_is_the_same_for_many_attributes(count):
    key = {"pk": S(fresh("size"))}
    item = {**key, **{f"a{n}": S("x" * (LIMIT // count - 100)) for n in range(count - 1)}}
    expect_validation("PutItem", {"TableName": HASH, "Item": filled(item, LIMIT + 1)}, TOO_LARGE)
    ok("PutItem", TableName=HASH, Item=filled(item, LIMIT))
    ok("DeleteItem", TableName=HASH, Key=key)


@op("ExecuteStatement", "UpdateItem")
def test_statements_are_measured_by_the_finished_item():
    """An UPDATE of PartiQL stores what UpdateItem, which charges what it writes, refuses at the same key."""
    key = {"pk": S(fresh("s"))}
    padding = [filled(key, total)["p"] for total in (LIMIT + 1, LIMIT)]
    insert = {"Statement": f'INSERT INTO "{HASH}" VALUE {{\'pk\': ?, \'p\': ?}}'}
    expect_validation("ExecuteStatement", {**insert, "Parameters": [key["pk"], padding[0]]}, TOO_LARGE)
    ok("ExecuteStatement", **insert, Parameters=[key["pk"], padding[1]])
    assert size(get(HASH, key)) == LIMIT
    tables.put(HASH, key)
    values = {":p": padding[1]}
    request = {"TableName": HASH, "Key": key, "UpdateExpression": "SET p = :p", "ExpressionAttributeValues": values}
    expect_validation("UpdateItem", request, UPDATE_TOO_LARGE)
    update = {"Statement": f'UPDATE "{HASH}" SET p = ? WHERE pk = ?'}
    expect_validation("ExecuteStatement", {**update, "Parameters": [padding[0], key["pk"]]}, UPDATE_TOO_LARGE)
    assert get(HASH, key) == key
    ok("ExecuteStatement", **update, Parameters=[padding[1], key["pk"]])
    assert size(get(HASH, key)) == LIMIT
    ok("DeleteItem", TableName=HASH, Key=key)


@op("PutItem")
def test_names_count():
    key = {"pk": S(fresh("size"))}
    item = {**key, **{f"{'é' * 100}{n}": S("v") for n in range(50)}}
    expect_validation("PutItem", {"TableName": HASH, "Item": filled(item, LIMIT + 1)}, TOO_LARGE)
    ok("PutItem", TableName=HASH, Item=filled(item, LIMIT))
    assert size(get(HASH, key)) == LIMIT
    ok("DeleteItem", TableName=HASH, Key=key)


@op("BatchWriteItem")
def test_in_a_batch():
    key = {"pk": S(fresh("size"))}
    put = {"PutRequest": {"Item": filled(key, LIMIT + 1)}}
    expect_validation("BatchWriteItem", {"RequestItems": {HASH: [put]}}, TOO_LARGE)
    put = {"PutRequest": {"Item": filled(key, LIMIT)}}
    ok("BatchWriteItem", RequestItems={HASH: [put, {"PutRequest": {"Item": {"pk": S(fresh("size"))}}}]})
    assert size(get(HASH, key)) == LIMIT
    ok("DeleteItem", TableName=HASH, Key=key)


@op("TransactWriteItems")
def test_a_put_in_a_transaction_is_refused_at_the_door():
    key = {"pk": S(fresh("size"))}
    action = {"Put": {"TableName": HASH, "Item": filled(key, LIMIT + 1)}}
    expect_validation("TransactWriteItems", {"TransactItems": [action]}, TOO_LARGE)
    ok("TransactWriteItems", TransactItems=[{"Put": {"TableName": HASH, "Item": filled(key, LIMIT)}}])
    ok("DeleteItem", TableName=HASH, Key=key)


@op("TransactWriteItems")
@pytest.mark.parametrize("exists", [False, True])
def test_an_update_in_a_transaction_is_cancelled(exists):
    key = {"pk": S(fresh("size"))}
    if exists:
        tables.put(HASH, {**key, "p": S("small")})

    def action(total):
        values = {":p": filled(key, total)["p"]}
        update = {"TableName": HASH, "Key": key, "UpdateExpression": "SET p = :p", "ExpressionAttributeValues": values}
        return {"TransactItems": [{"Update": update}]}

    reply = expect_error("TransactWriteItems", action(LIMIT + 1), CANCELED)
    assert reply.body["CancellationReasons"] == [{"Code": "ValidationError", "Message": UPDATE_TOO_LARGE}]
    ok("TransactWriteItems", **action(LIMIT))
    assert size(get(HASH, key)) == LIMIT
    ok("DeleteItem", TableName=HASH, Key=key)


def assert_update_ceiling(key, stored, clause, values_of, most, table=HASH, **more):
    """An update whose padding is `most` bytes passes, one byte more does not."""
    for padding, passes in ((most + 1, False), (most, True)):
        tables.put(table, {**key, **stored})
        request = {
            **more,
            "TableName": table,
            "Key": key,
            "UpdateExpression": clause,
            "ExpressionAttributeValues": values_of(S("x" * padding)),
        }
        if passes:
            ok("UpdateItem", **request)
        else:
            expect_validation("UpdateItem", request, UPDATE_TOO_LARGE)
    ok("DeleteItem", TableName=table, Key=key)


BASE = 3
CEILINGS = [
    ("one-set", {}, "SET p = :p", lambda p: {":p": p}, BASE + 19 + 1),
    ("longer-name", {}, "SET padding = :p", lambda p: {":p": p}, BASE + 19 + 7),
    ("two-sets", {}, "SET p = :p, q = :q", lambda p: {":p": p, ":q": S("abc")}, BASE + 19 + 1 + 19 + 1 + 3),
    ("set-and-remove", {"r": S("x")}, "SET p = :p REMOVE r", lambda p: {":p": p}, BASE + 19 + 1 + 2),
    ("if-not-exists", {}, "SET p = if_not_exists(p, :p)", lambda p: {":p": p}, BASE + 19 + 1 + 39 + (1 + 14 + 1)),
    ("copy", {"c": S("x" * 10)}, "SET p = :p, d = c", lambda p: {":p": p}, BASE + 19 + 1 + 19 + 1 + (1 + 14 + 1)),
    ("nested-copy", {"m": M(z=S("x"))}, "SET p = :p, d = m.z", lambda p: {":p": p}, BASE + 19 + 1 + 19 + 1 + (1 + 15 + 15)),
    ("sum", {"n": N(1)}, "SET p = :p, n = n + :q", lambda p: {":p": p, ":q": N(1)}, BASE + 20 + 20 + 34 + 16 + 2),
    ("difference", {"n": N(1)}, "SET p = :p, n = n - :q", lambda p: {":p": p, ":q": N(1)}, BASE + 20 + 20 + 37 + 16 + 2),
    ("append", {"l": L(S("e"))}, "SET p = :p, l = list_append(l, :q)", lambda p: {":p": p, ":q": L(S("abc"))}, BASE + 20 + 20 + 37 + 16 + 7),
    ("add", {"n": N(1)}, "SET p = :p ADD n :q", lambda p: {":p": p, ":q": N(1)}, BASE + 20 + 20 + 2),
    ("add-to-set", {"s": SS("a")}, "SET p = :p ADD s :q", lambda p: {":p": p, ":q": SS("b" * 50)}, BASE + 20 + 20 + 50),
    ("delete", {"s": SS("a", "b")}, "SET p = :p DELETE s :q", lambda p: {":p": p, ":q": SS("b")}, BASE + 20 + 2),
    ("remove-element", {"l": L(S("a"), S("b"))}, "SET p = :p REMOVE l[1]", lambda p: {":p": p}, BASE + 20 + 1 + 1 + 5),
    ("nested-target", {"m": M(leaf=S(""))}, "SET m.leaf = :p", lambda p: {":p": p}, BASE + 19 + 1 + 4 + 4),
    ("list-target", {"l": L(S(""))}, "SET l[0] = :p", lambda p: {":p": p}, BASE + 19 + 1 + 4 + 1),
    ("longer-second-value", {}, "SET p = :p, q = :q", lambda p: {":p": p, ":q": S("y" * 500)}, BASE + 20 + 20 + 500),
]


@op("UpdateItem")
@pytest.mark.parametrize("stored, clause, values_of, cost", [c[1:] for c in CEILINGS], ids=[c[0] for c in CEILINGS])
def test_update_charges_what_the_statement_writes(stored, clause, values_of, cost):
    assert_update_ceiling({"pk": S("k")}, stored, clause, values_of, LIMIT - cost)


@op("UpdateItem")
def test_neither_keys_nor_placeholders_are_charged(new_table):
    one_set = LIMIT - (BASE + 19 + 1)
    named = {"ExpressionAttributeNames": {"#a_long_placeholder": "p"}}
    assert_update_ceiling({"pk": S("k")}, {}, "SET #a_long_placeholder = :p", lambda p: {":p": p}, one_set, **named)
    assert_update_ceiling({"pk": S("k"), "sk": S("s")}, {}, "SET p = :p", lambda p: {":p": p}, one_set, RANGE)
    name = tables.fresh_table("keyname")
    new_table(tables.plain(name, {"longer_key_name": "S"}))
    assert_update_ceiling({"longer_key_name": S("k")}, {}, "SET p = :p", lambda p: {":p": p}, one_set, name)
    assert_update_ceiling({"pk": S("k" * 15)}, {}, "SET p = :p", lambda p: {":p": p}, one_set)
    assert_update_ceiling({"pk": S("k")}, {"u": S("y" * 10)}, "SET p = :p", lambda p: {":p": p}, one_set)
    for length in (100, 1024):
        finished = LIMIT - len("pk") - length - len("p")
        assert_update_ceiling({"pk": S("k" * length)}, {}, "SET p = :p", lambda p: {":p": p}, finished)


@op("UpdateItem")
def test_the_finished_item_is_limited_too():
    key = {"pk": S("k" * 500)}
    assert_update_ceiling(key, {"u": S("x" * 1000)}, "SET p = :p", lambda p: {":p": p}, LIMIT - 502 - 1001 - 1)


@op("UpdateItem")
def test_attribute_updates_are_limited_too():
    key = {"pk": S(fresh("size"))}
    tables.put(HASH, {**key, "a": S("x" * 300_000)})
    room = LIMIT - size(key) - 300_001 - 1
    for length in (room + 1, room):
        updates = {"b": {"Action": "PUT", "Value": S("x" * length)}}
        request = {"TableName": HASH, "Key": key, "AttributeUpdates": updates}
        if length > room:
            expect_validation("UpdateItem", request, UPDATE_TOO_LARGE)
        else:
            ok("UpdateItem", **request)
    assert size(get(HASH, key)) == LIMIT
    ok("DeleteItem", TableName=HASH, Key=key)


@op("UpdateItem")
def test_the_charge_is_checked_before_the_condition():
    key = {"pk": S(fresh("size"))}
    tables.put(HASH, {**key, "c": S("x")})
    values = {":huge": S("h" * (LIMIT + 100))}
    request = {"TableName": HASH, "Key": key, "UpdateExpression": "SET c = if_not_exists(c, :huge)"}
    request |= {"ExpressionAttributeValues": values}
    for condition in ("attribute_exists(nothing)", "attribute_exists(c)"):
        expect_validation("UpdateItem", {**request, "ConditionExpression": condition}, UPDATE_TOO_LARGE)


HASH_SIZE = INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"
RANGE_SIZE = INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"


def value_of(kind, length):
    return S("k" * length) if kind == "S" else B(b"\7" * length)


@pytest.mark.parametrize("operation", ["PutItem", "GetItem", "DeleteItem", "UpdateItem"])
@pytest.mark.parametrize("kind", ["S", "B"])
def test_longest_partition_key(operation, kind):
    table = HASH if kind == "S" else HASH_B
    member = "Item" if operation == "PutItem" else "Key"
    expect_validation(operation, {"TableName": table, member: {"pk": value_of(kind, 2049)}}, HASH_SIZE)
    ok(operation, **{"TableName": table, member: {"pk": value_of(kind, 2048)}})


@pytest.mark.parametrize("operation", ["PutItem", "GetItem", "DeleteItem", "UpdateItem"])
@pytest.mark.parametrize("kind", ["S", "B"])
def test_longest_sort_key(operation, kind):
    table = RANGE if kind == "S" else RANGE_B
    member = "Item" if operation == "PutItem" else "Key"
    key = {"pk": S(fresh())}
    expect_validation(operation, {"TableName": table, member: {**key, "sk": value_of(kind, 1025)}}, RANGE_SIZE)
    ok(operation, **{"TableName": table, member: {**key, "sk": value_of(kind, 1024)}})


@op("PutItem")
def test_key_lengths_count_bytes():
    expect_validation("PutItem", {"TableName": HASH, "Item": {"pk": S("é" * 1025)}}, HASH_SIZE)
    ok("PutItem", TableName=HASH, Item={"pk": S("é" * 1024)})


@op("PutItem", "BatchWriteItem", "UpdateItem")
@pytest.mark.parametrize("attribute, length", [("owner", 2049), ("when", 1025)])
def test_index_keys_that_are_too_long(attribute, length):
    item = {"pk": S(fresh()), "sk": S("1"), attribute: S("x" * length)}
    expect_validation("PutItem", {"TableName": INDEXED, "Item": item})
    expect_validation("BatchWriteItem", {"RequestItems": {INDEXED: [{"PutRequest": {"Item": item}}]}})
    request = {"TableName": INDEXED, "Key": {"pk": item["pk"], "sk": item["sk"]}, "UpdateExpression": "SET #a = :v"}
    request |= {"ExpressionAttributeNames": {"#a": attribute}, "ExpressionAttributeValues": {":v": S("x" * length)}}
    expect_validation("UpdateItem", request)
    item[attribute] = S("x" * (length - 1))
    ok("PutItem", TableName=INDEXED, Item=item)


@op("Query")
def test_a_key_condition_may_not_be_longer_than_a_key():
    request = {"TableName": HASH, "KeyConditionExpression": "pk = :p"}
    reply = call("Query", {**request, "ExpressionAttributeValues": {":p": S("k" * 2049)}})
    assert reply.type == "ValidationException", repr(reply)
