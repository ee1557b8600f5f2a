"""What writes return: all five ReturnValues on each write."""

import pytest
import tables
from client import expect_validation, ok
from tables import HASH, fresh, get
from values import SS, L, M, N, S

op = pytest.mark.op
ONLY_OLD = "ReturnValues can only be ALL_OLD or NONE"


@op("PutItem")
@pytest.mark.parametrize("wanted", ["NONE", None, "ALL_OLD"])
@pytest.mark.parametrize("exists", [True, False])
def test_put(wanted, exists):
    key = {"pk": S(fresh())}
    if exists:
        tables.put(HASH, {**key, "old": S("x")})
    more = {"ReturnValues": wanted} if wanted else {}
    reply = tables.put(HASH, {**key, "new": S("y")}, **more)
    assert reply == ({"Attributes": {**key, "old": S("x")}} if exists and wanted == "ALL_OLD" else {})
    assert get(HASH, key) == {**key, "new": S("y")}


@op("DeleteItem")
@pytest.mark.parametrize("wanted", ["NONE", None, "ALL_OLD"])
@pytest.mark.parametrize("exists", [True, False])
def test_delete(wanted, exists):
    key = {"pk": S(fresh())}
    if exists:
        tables.put(HASH, {**key, "old": S("x")})
    more = {"ReturnValues": wanted} if wanted else {}
    reply = ok("DeleteItem", TableName=HASH, Key=key, **more)
    assert reply == ({"Attributes": {**key, "old": S("x")}} if exists and wanted == "ALL_OLD" else {})
    assert get(HASH, key) is None


@pytest.mark.parametrize("operation", ["PutItem", "DeleteItem"])
@pytest.mark.parametrize("wanted", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_values_that_only_an_update_has(operation, wanted):
    member = "Item" if operation == "PutItem" else "Key"
    request = {"TableName": tables.ABSENT, member: {"pk": S("a")}, "ReturnValues": wanted}
    expect_validation(operation, request, ONLY_OLD)


BEFORE = {"a": N(1), "b": S("kept"), "m": M(x=N(1), y=N(2)), "l": L(S("p"), S("q"), S("r")), "s": SS("u", "v")}
# (expression, values, UPDATED_OLD, UPDATED_NEW)
UPDATES = [
    ("SET a = :v", {":v": N(2)}, {"a": N(1)}, {"a": N(2)}),
    ("SET a = :v", {":v": N(1)}, {"a": N(1)}, {"a": N(1)}),
    ("SET c = :v", {":v": N(2)}, None, {"c": N(2)}),
    ("SET a = :v, c = :v", {":v": N(2)}, {"a": N(1)}, {"a": N(2), "c": N(2)}),
    ("REMOVE a", None, {"a": N(1)}, None),
    ("REMOVE c", None, None, None),
    ("SET m.x = :v", {":v": N(9)}, {"m": M(x=N(1))}, {"m": M(x=N(9))}),
    ("SET m.z = :v", {":v": N(9)}, None, {"m": M(z=N(9))}),
    ("SET m.x = :v, m.z = :v", {":v": N(9)}, {"m": M(x=N(1))}, {"m": M(x=N(9), z=N(9))}),
    ("REMOVE m.y", None, {"m": M(y=N(2))}, None),
    ("SET l[1] = :v", {":v": S("Q")}, {"l": L(S("q"))}, {"l": L(S("Q"))}),
    ("SET l[0] = :v, l[2] = :v", {":v": S("Z")}, {"l": L(S("p"), S("r"))}, {"l": L(S("Z"), S("Z"))}),
    ("SET l[50] = :v", {":v": S("Z")}, None, None),
    ("REMOVE l[1]", None, {"l": L(S("q"))}, {"l": L(S("r"))}),
    ("REMOVE l[2]", None, {"l": L(S("r"))}, None),
    ("ADD a :v", {":v": N(5)}, {"a": N(1)}, {"a": N(6)}),
    ("ADD s :v", {":v": SS("w")}, {"s": SS("u", "v")}, {"s": SS("u", "v", "w")}),
    ("DELETE s :v", {":v": SS("u")}, {"s": SS("u", "v")}, {"s": SS("v")}),
    ("DELETE s :v", {":v": SS("u", "v")}, {"s": SS("u", "v")}, None),
    ("SET b = a", None, {"b": S("kept")}, {"b": N(1)}),
]


def update_with(wanted, expression, values, key):
    more = {"ReturnValues": wanted} if wanted else {}
    return tables.update(HASH, key, expression, values, **more)


@op("UpdateItem")
@pytest.mark.parametrize("expression, values, old, new", UPDATES, ids=[f"{n}-{u[0]}" for n, u in enumerate(UPDATES)])
def test_update(expression, values, old, new):
    key = {"pk": S(fresh())}
    for wanted, expected in (("UPDATED_OLD", old), ("UPDATED_NEW", new), ("NONE", None), (None, None)):
        tables.put(HASH, {**key, **BEFORE})
        reply = update_with(wanted, expression, values, key)
        assert reply == ({} if expected is None else {"Attributes": expected}), wanted
    tables.put(HASH, {**key, **BEFORE})
    assert update_with("ALL_OLD", expression, values, key) == {"Attributes": {**key, **BEFORE}}
    tables.put(HASH, {**key, **BEFORE})
    assert update_with("ALL_NEW", expression, values, key) == {"Attributes": get(HASH, key)}


@op("UpdateItem")
@pytest.mark.parametrize(
    "wanted, expected",
    [("ALL_OLD", None), ("UPDATED_OLD", None), ("ALL_NEW", "item"), ("UPDATED_NEW", "a"), ("NONE", None)],
)
def test_update_that_makes_the_item(wanted, expected):
    key = {"pk": S(fresh())}
    reply = update_with(wanted, "SET a = :v", {":v": N(1)}, key)
    attributes = {"item": {**key, "a": N(1)}, "a": {"a": N(1)}}
    assert reply == ({"Attributes": attributes[expected]} if expected else {})


@op("UpdateItem")
@pytest.mark.parametrize("wanted, expected", [("ALL_NEW", True), ("UPDATED_NEW", False), ("UPDATED_OLD", False)])
def test_update_of_nothing(wanted, expected):
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, "a": N(1)})
    reply = ok("UpdateItem", TableName=HASH, Key=key, ReturnValues=wanted)
    assert reply == ({"Attributes": {**key, "a": N(1)}} if expected else {})


@op("UpdateItem")
@pytest.mark.parametrize("action", ["PUT", "ADD"])
def test_attribute_updates_return_too(action):
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, "a": N(1), "b": N(5)})
    updates = {"a": {"Action": action, "Value": N(2)}}
    request = {"TableName": HASH, "Key": key, "AttributeUpdates": updates}
    assert ok("UpdateItem", **request, ReturnValues="UPDATED_NEW") == {"Attributes": {"a": N(2 if action == "PUT" else 3)}}
    tables.put(HASH, {**key, "a": N(1), "b": N(5)})
    assert ok("UpdateItem", **request, ReturnValues="UPDATED_OLD") == {"Attributes": {"a": N(1)}}
