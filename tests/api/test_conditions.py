"""What conditions mean: one item, and for every operator the conditions that hold and those that do not."""

import re

import pytest
import tables
from client import CANCELED, CHECK_FAILED, call, expect_error, ok
from tables import HASH, RANGE, fresh, get
from values import BS, FALSE, NS, NULL, SS, TRUE, B, L, M, N, S

op = pytest.mark.op
ITEM = {
    "str": S("hello"),
    "empty": S(""),
    "num": N(42),
    "neg": N("-1.5"),
    "bin": B(b"\x01\x80\xff"),
    "yes": TRUE,
    "no": FALSE,
    "nil": NULL,
    "ss": SS("a", "b"),
    "ns": NS(1, 2, "3.5"),
    "bs": BS(b"\1", b"\2"),
    "list": L(S("x"), N(7), L(S("deep")), M(k=S("v"))),
    "map": M(inside=M(leaf=N(1)), rest=S("o"), ss=SS("p", "q")),
    "again": S("hello"),
    "wide": S("é\U0001f600漢"),
    "nolist": L(),
    "nomap": M(),
    "ess": SS("", "x"),
    "big": NS("9007199254740993", "0.1000000000000000000000000000000000001"),
}
VALUES = {
    ":hello": S("hello"),
    ":world": S("world"),
    ":he": S("he"),
    ":lo": S("lo"),
    ":none": S(""),
    ":a": S("a"),
    ":z": S("z"),
    ":42": N(42),
    ":42.0": N("42.0"),
    ":0": N(0),
    ":1": N(1),
    ":2": N(2),
    ":3": N(3),
    ":4": N(4),
    ":5": N(5),
    ":7": N(7),
    ":100": N(100),
    ":bin": B(b"\x01\x80\xff"),
    ":b01": B(b"\x01"),
    ":b80": B(b"\x80"),
    ":b7f": B(b"\x01\x7f"),
    ":true": TRUE,
    ":false": FALSE,
    ":null": NULL,
    ":ab": SS("a", "b"),
    ":ba": SS("b", "a"),
    ":ac": SS("a", "c"),
    ":123": NS("3.50", 2, "1.0"),
    ":12": NS(1, 2),
    ":bs": BS(b"\2", b"\1"),
    ":list": L(S("x"), N("7.0"), L(S("deep")), M(k=S("v"))),
    ":listed": L(S("deep")),
    ":kv": M(k=S("v")),
    ":map": M(rest=S("o"), ss=SS("q", "p"), inside=M(leaf=N("1.0"))),
    ":big": NS("0.1000000000000000000000000000000000001", "9007199254740993"),
    ":bigger": NS("0.1000000000000000000000000000000000001", "9007199254740992"),
    ":el": L(),
    ":em": M(),
    ":S": S("S"),
    ":N": S("N"),
    ":B": S("B"),
    ":BOOL": S("BOOL"),
    ":NULL": S("NULL"),
    ":SS": S("SS"),
    ":NS": S("NS"),
    ":BS": S("BS"),
    ":L": S("L"),
    ":M": S("M"),
}
NAMES = {"#str": "str", "#list": "list", "#map": "map", "#no": "no", "#yes": "yes", "#empty": "empty", "#num": "num"}

HOLDS = """
str = :hello | :hello = str | str = again | str <> :world | :world <> str | num = :42 | yes = :true | nil = :null
#no = :false | bin = :bin | ss = :ab | ss = :ba | ns = :123 | bs = :bs | #list = :list | #map = :map | nolist = :el
nomap = :em | #empty = :none | str <> num | num <> :hello | absent <> :hello | absent <> gone | str <> absent
#map.absent <> :1 | #list[9] <> :1 | ss <> :ac | str <> :42 | nolist <> :em | yes <> :null
num < :100 | num <= :42 | num >= :42 | num > :0 | neg < :0 | :100 > num | :0 < num | str < :world | str > :he
str >= :hello | str <= :hello | bin > :b01 | bin > :b7f | bin < :b80 | :b80 > bin
num BETWEEN :0 AND :100 | num BETWEEN :42 AND :42 | str BETWEEN :a AND :z | bin BETWEEN :b01 AND :b80
:42 BETWEEN :0 AND :100 | :5 BETWEEN neg AND num
num IN (:1, :42, :hello) | str IN (:hello) | ss IN (:12, :ba) | nil IN (:null) | :42 IN (num, str) | num IN (num2, :42)
attribute_exists(str) | attribute_exists(#map.inside.leaf) | attribute_exists(#list[3].k) | attribute_exists(#empty)
attribute_exists(nil) | attribute_not_exists(absent)
attribute_not_exists(#map.nothing) | attribute_not_exists(#list[4])
attribute_not_exists(str.a) | attribute_not_exists(#list.a)
attribute_not_exists(#map[0]) | attribute_not_exists(str[0])
attribute_type(str, :S) | attribute_type(num, :N) | attribute_type(bin, :B) | attribute_type(yes, :BOOL)
attribute_type(nil, :NULL) | attribute_type(ss, :SS) | attribute_type(ns, :NS) | attribute_type(bs, :BS)
attribute_type(#list, :L) | attribute_type(#map, :M) | attribute_type(#map.inside.leaf, :N)
begins_with(str, :he) | begins_with(str, :none)
begins_with(str, :hello) | begins_with(bin, :b01) | begins_with(str, again)
contains(str, :lo) | contains(str, :hello) | contains(str, :none)
contains(ss, :a) | contains(ns, :2) | contains(bs, :b01)
contains(#list, :7) | contains(#list, :listed) | contains(#list, :kv) | contains(bin, :b80) | contains(:hello, :lo)
contains(#map.ss, #map.p) OR str = :hello
size(str) = :5 | size(#empty) = :0 | size(bin) = :3 | size(ss) = :2 | size(ns) = :3 | size(#list) > :3 | size(#map) = :3
size(nolist) = :0 | size(nomap) = :0 | size(:hello) = size(str) | size(str) < num | size(#list[2]) = :1
size(wide) = :4 | :5 = size(str) | size(str) BETWEEN :1 AND :7 | size(str) IN (:1, :5)
str = :hello AND num = :42 | str = :world OR num = :42 | NOT str = :world | NOT attribute_exists(absent)
NOT (str = :world OR num = :1) | str = :world OR num = :1 OR yes = :true | str = :hello AND (num = :1 OR num = :42)
NOT str = :world AND num = :42 | str = :world AND num = :1 OR yes = :true | yes = :true OR str = :world AND num = :1
NOT NOT str = :hello | NOT (NOT str = :hello) | (str = :hello) AND (num = :42) | ((str = :hello) AND num = :42)
NOT absent = :1 | NOT absent < :1 | NOT absent BETWEEN :1 AND :2 | NOT absent IN (:1) | NOT begins_with(absent, :he)
NOT contains(absent, :he) | NOT attribute_type(absent, :S) | NOT size(absent) > :0
#list[0] <> #list[1] | #list[3].k = #list[3].k2 OR num = :42 | #map.inside <> #map.rest | #str = :hello
#no <> #yes | #num = :42.0 | contains(ess, :none) | big = :big | big <> :bigger | absent <> :1 OR absent < :1
(str = :hello) AND (begins_with(again, :he)) | (NOT (str = :world)) | NOT (str = :world OR (num = :1))
"""

FAILS = """
str = :world | str = num | num = :hello | absent = :hello | absent = gone | str <> :hello | str <> again | num <> :42.0
absent = :none | #map.absent = :1 | #list[9] = :1 | ss = :ac | ss = :12 | #list = :el | #map = :em | nil = :none
num < :42 | num > :42 | num < :hello | str < :42 | absent < :1 | absent > :1 | absent <= :1 | absent >= :1 | :1 < absent
yes < :1 | nil < :1 | bin < :b7f | #list > :1 | str >= :world | num >= :hello
num BETWEEN :1 AND :7 | str BETWEEN :1 AND :7
absent BETWEEN :1 AND :7 | num BETWEEN str AND :100 | :1 BETWEEN num AND neg
num BETWEEN absent AND :100
num IN (:1, :2) | absent IN (:1, :none) | str IN (:42) | absent IN (gone)
attribute_exists(absent) | attribute_exists(#map.nothing) | attribute_exists(#list[4]) | attribute_exists(str.a)
attribute_exists(#map[0]) | attribute_not_exists(str)
attribute_not_exists(#map.inside) | attribute_not_exists(#list[0])
attribute_type(str, :N) | attribute_type(absent, :S) | attribute_type(nil, :S) | attribute_type(ss, :L)
begins_with(str, :lo) | begins_with(num, :he)
begins_with(absent, :he) | begins_with(str, :b01) | begins_with(bin, :b80)
begins_with(bin, :he) | begins_with(#list, :he) | begins_with(str, absent)
contains(str, :world) | contains(str, :1) | contains(num, :2) | contains(ss, :z) | contains(ss, :1) | contains(ns, :a)
contains(absent, :a) | contains(#map, :a) | contains(#list, :a)
contains(ss, :ab) | contains(nil, :a) | contains(str, absent)
contains(ss, :none) | contains(bin, :b7f) | contains(:hello, str2)
size(absent) = :0 | size(num) = :2 | size(yes) = :1 | size(nil) >= :0 | size(str) = :1 | size(#map.absent) < :100
size(str) = :hello
str = :hello AND num = :1 | str = :world OR num = :1 | NOT str = :hello | NOT (str = :hello OR num = :1)
NOT absent <> :1 | NOT attribute_exists(str) | (str = :world OR num = :42) AND nil = :none | NOT num IN (:42)
NOT num BETWEEN :1 AND :100 | NOT NOT str = :world | big = :bigger | (str = :hello) AND (num = :1) | (NOT (str = :hello))
"""


def conditions(text):
    return [part.strip() for line in text.strip().splitlines() for part in line.split("|")]


def with_placeholders(expression, values=None):
    """The parameters that an expression of this file needs."""
    known = VALUES if values is None else values
    used = sorted(set(re.findall(r":[\w.]+", expression)), key=len, reverse=True)
    renamed = {name: name.replace(".", "_") for name in used}
    for name in used:
        expression = re.sub(re.escape(name) + r"(?![\w.])", renamed[name], expression)
    more = {}
    if used:
        more["ExpressionAttributeValues"] = {renamed[name]: known[name] for name in used}
    names = set(re.findall(r"#\w+", expression))
    if names:
        more["ExpressionAttributeNames"] = {name: NAMES.get(name, name[1:]) for name in names}
    return expression, more


@pytest.fixture(scope="module")
def stored():
    keys = {"hash": {"pk": S(fresh("cond"))}, "range": {"pk": S(fresh("cond")), "sk": S("1")}}
    tables.put(HASH, {**keys["hash"], **ITEM})
    tables.put(RANGE, {**keys["range"], **ITEM})
    return keys


def decide(stored, expression):
    """What PutItem's condition, Query's filter and Scan's filter say: three booleans."""
    text, more = with_placeholders(expression)
    request = {"TableName": HASH, "Key": stored["hash"], "ConditionExpression": text, **more}
    request |= {"UpdateExpression": "REMOVE untouched"}
    reply = call("UpdateItem", request)
    assert reply.status == 200 or reply.type == CHECK_FAILED, f"{expression}: {reply!r}"
    conditions = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [stored["range"]["pk"]]}}
    query = {"TableName": RANGE, "FilterExpression": text, **more}
    found = call("Query", {**query, "KeyConditions": conditions})
    assert found.status == 200, f"{expression}: {found!r}"
    assert found.body["ScannedCount"] == 1
    return reply.status == 200, found.body["Count"] == 1


@op("UpdateItem", "Query")
@pytest.mark.parametrize("expression", conditions(HOLDS))
def test_holds(stored, expression):
    assert decide(stored, expression) == (True, True)


@op("UpdateItem", "Query")
@pytest.mark.parametrize("expression", conditions(FAILS))
def test_fails(stored, expression):
    assert decide(stored, expression) == (False, False)


ABSENT_HOLDS = ["attribute_not_exists(pk)", "absent <> :1", "NOT pk = :a", "attribute_not_exists(a.b[0])", "pk <> :a OR pk = :a"]
ABSENT_FAILS = ["attribute_exists(pk)", "absent = :1", "absent < :1", "begins_with(pk, :a)", "size(pk) > :0", "pk IN (:a)", "attribute_exists(pk) AND a = :1"]


@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem"])
@pytest.mark.parametrize("expression", ABSENT_HOLDS + ABSENT_FAILS)
def test_an_absent_item_has_no_attributes(operation, expression):
    key = {"pk": S(fresh())}
    text, more = with_placeholders(expression)
    member = "Item" if operation == "PutItem" else "Key"
    request = {"TableName": HASH, member: key, "ConditionExpression": text, **more}
    if expression in ABSENT_HOLDS:
        ok(operation, **request)
        assert (get(HASH, key) is None) == (operation == "DeleteItem")
    else:
        expect_error(operation, request, CHECK_FAILED, "The conditional request failed")
        assert get(HASH, key) is None


@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem"])
@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("wanted", ["ALL_OLD", "NONE", None])
def test_the_item_comes_with_the_failure_when_asked(operation, exists, wanted):
    key = {"pk": S(fresh())}
    if exists:
        tables.put(HASH, {**key, "v": N(1)})
    request = {"TableName": HASH, "Item" if operation == "PutItem" else "Key": key, "ConditionExpression": "v = v2"}
    if wanted:
        request["ReturnValuesOnConditionCheckFailure"] = wanted
    reply = expect_error(operation, request, CHECK_FAILED, "The conditional request failed")
    if exists and wanted == "ALL_OLD":
        assert reply.body["Item"] == {**key, "v": N(1)}
        assert sorted(reply.body) == ["Item", "Message", "__type"]
    else:
        assert sorted(reply.body) == ["__type", "message"]


def conditional_write(way, key, condition):
    """(operation, request) of a write that sets v to 2, or deletes, or only checks."""
    shared = {"TableName": HASH, "ConditionExpression": condition, "ExpressionAttributeNames": {"#v": "v"}}
    values = {":one": N(1)}
    parts = {
        "Put": {"Item": {**key, "v": N(2)}},
        "Delete": {"Key": key},
        "Update": {"Key": key, "UpdateExpression": "SET #v = :two"},
        "ConditionCheck": {"Key": key},
    }
    kind = way.removeprefix("Transact")
    more = {**values, ":two": N(2)} if kind == "Update" else values
    request = {**shared, **parts[kind], "ExpressionAttributeValues": more}
    return ("TransactWriteItems", {"TransactItems": [{kind: request}]}) if way != kind else (kind + "Item", request)


PARENTHESES = [
    "(attribute_exists(pk) AND #v = :one)",
    "(attribute_exists(pk)) AND (#v = :one)",
    "(attribute_exists(pk) AND (#v = :one))",
]
WRITES = ["Put", "Delete", "Update", "TransactPut", "TransactDelete", "TransactUpdate", "TransactConditionCheck"]


@op("PutItem", "DeleteItem", "UpdateItem", "TransactWriteItems")
@pytest.mark.parametrize("condition", PARENTHESES)
@pytest.mark.parametrize("way", WRITES)
def test_parentheses_on_every_write(way, condition):
    for held in (True, False):
        key = {"pk": S(fresh())}
        item = {**key, "v": N(1 if held else 7)}
        tables.put(HASH, item)
        operation, request = conditional_write(way, key, condition)
        reply = call(operation, request)
        assert (reply.status == 200) == held, repr(reply)
        after = item if not held or "Check" in way else None if "Delete" in way else {**key, "v": N(2)}
        assert get(HASH, key) == after
        if not held:
            assert reply.type == (CANCELED if way.startswith("Transact") else CHECK_FAILED)


@op("UpdateItem")
def test_what_a_conditional_update_made_comes_back():
    key = {"pk": S(fresh())}
    reply = tables.update(
        HASH, key, "SET v = :v", {":v": N(1)}, ConditionExpression="attribute_not_exists(pk)", ReturnValues="ALL_NEW"
    )
    assert reply["Attributes"] == get(HASH, key) == {**key, "v": N(1)}


@op("PutItem", "DeleteItem", "UpdateItem")
def test_a_failed_condition_changes_nothing():
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, "v": N(1)})
    failing = {"TableName": HASH, "ConditionExpression": "v = :v", "ExpressionAttributeValues": {":v": N(2)}}
    expect_error("PutItem", {**failing, "Item": {**key, "v": N(3)}}, CHECK_FAILED)
    expect_error("DeleteItem", {**failing, "Key": key}, CHECK_FAILED)
    expect_error("UpdateItem", {**failing, "Key": key, "UpdateExpression": "SET v = :v"}, CHECK_FAILED)
    assert get(HASH, key) == {**key, "v": N(1)}


@op("Scan")
def test_a_scan_filter_may_name_the_key(stored):
    request = {"TableName": HASH, "FilterExpression": "pk = :p", "ConsistentRead": True}
    items, start = [], {}
    while start is not None:
        page = ok("Scan", **request, ExpressionAttributeValues={":p": stored["hash"]["pk"]}, **start)
        items += page["Items"]
        last = page.get("LastEvaluatedKey")
        start = {"ExclusiveStartKey": last} if last else None
    assert [item["pk"] for item in items] == [stored["hash"]["pk"]]
