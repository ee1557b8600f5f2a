"""What each call says that it cost: item sizes rounded as DynamoDB rounds them, and the share of each index."""

import pytest
import tables
from client import CANCELED, CHECK_FAILED, call, expect_error, ok
from tables import HASH, INDEXED, RANGE, fresh
from test_sizes import filled
from values import N, S

op = pytest.mark.op
KIB = 1024


def units(reply, table=HASH):
    """CapacityUnits of a reply that was asked for TOTAL and has nothing else."""
    capacity = reply["ConsumedCapacity"]
    assert capacity == {"TableName": table, "CapacityUnits": capacity["CapacityUnits"]}
    return capacity["CapacityUnits"]


TOTAL = {"ReturnConsumedCapacity": "TOTAL"}


@op("GetItem")
@pytest.mark.parametrize("size, cost", [(100, 1), (4 * KIB, 1), (4 * KIB + 1, 2), (8 * KIB, 2), (100 * KIB + 1, 26)])
def test_get(size, cost):
    key = {"pk": S(fresh())}
    tables.put(HASH, filled(key, size))
    request = {"TableName": HASH, "Key": key, **TOTAL}
    assert units(ok("GetItem", **request, ConsistentRead=True)) == cost
    assert units(ok("GetItem", **request)) == cost / 2
    assert units(ok("GetItem", **request, ProjectionExpression="pk", ConsistentRead=True)) == cost


@op("GetItem")
def test_get_of_nothing():
    request = {"TableName": HASH, "Key": {"pk": S(fresh())}, **TOTAL}
    assert units(ok("GetItem", **request, ConsistentRead=True)) == 1
    assert units(ok("GetItem", **request)) == 0.5


@op("PutItem", "DeleteItem", "UpdateItem")
@pytest.mark.parametrize("size, cost", [(50, 1), (KIB, 1), (KIB + 1, 2), (10 * KIB, 10), (10 * KIB + 1, 11)])
def test_writes_charge_the_larger_of_old_and_new(size, cost):
    key = {"pk": S(fresh())}
    item = filled(key, size)
    small = {"TableName": HASH, "Item": key, **TOTAL}
    assert units(ok("PutItem", TableName=HASH, Item=item, **TOTAL)) == cost
    assert units(ok("PutItem", **small)) == cost
    assert units(ok("PutItem", **small)) == 1
    tables.put(HASH, item)
    assert units(tables.update(HASH, key, "SET a = :a", {":a": N(1)}, **TOTAL)) >= cost
    assert units(tables.update(HASH, key, "REMOVE p, a", **TOTAL)) >= cost
    assert units(tables.update(HASH, key, "SET a = :a", {":a": N(1)}, **TOTAL)) == 1
    tables.put(HASH, item)
    assert units(ok("DeleteItem", TableName=HASH, Key=key, **TOTAL)) == cost
    assert units(ok("DeleteItem", TableName=HASH, Key=key, **TOTAL)) == 1


@op("PutItem")
def test_nothing_is_said_unless_asked():
    key = {"pk": S(fresh())}
    assert tables.put(HASH, key) == {}
    assert tables.put(HASH, key, ReturnConsumedCapacity="NONE") == {}


@op("PutItem", "GetItem", "Query", "Scan")
def test_indexes_adds_the_table_s_share():
    key = {"pk": S(fresh()), "sk": S("1")}
    reply = tables.put(RANGE, key, ReturnConsumedCapacity="INDEXES")
    expected = {"TableName": RANGE, "CapacityUnits": 1, "Table": {"CapacityUnits": 1}}
    assert reply["ConsumedCapacity"] == expected
    reply = ok("GetItem", TableName=RANGE, Key=key, ReturnConsumedCapacity="INDEXES")
    expected = {"TableName": RANGE, "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}
    assert reply["ConsumedCapacity"] == expected
    assert query(RANGE, key["pk"], ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"] == expected


def query(table, pk, condition="pk = :p", **more):
    values = {":p": pk, **more.pop("values", {})}
    return ok("Query", TableName=table, KeyConditionExpression=condition, ExpressionAttributeValues=values, **more)


@op("Query")
def test_query_rounds_once():
    pk = S(fresh())
    for number in range(10):
        tables.put(RANGE, filled({"pk": pk, "sk": S(f"{number}")}, 1000))
    # 10,000 bytes are 3 times 4 KB; ten items rounded singly would be 10.
    assert units(query(RANGE, pk, **TOTAL, ConsistentRead=True), RANGE) == 3
    assert units(query(RANGE, pk, **TOTAL), RANGE) == 1.5
    assert units(query(RANGE, pk, **TOTAL, Select="COUNT"), RANGE) == 1.5
    assert units(query(RANGE, pk, **TOTAL, ProjectionExpression="sk"), RANGE) == 1.5
    assert units(query(RANGE, pk, **TOTAL, Limit=4), RANGE) == 0.5
    filtered = query(RANGE, pk, **TOTAL, FilterExpression="attribute_exists(nothing)")
    assert (units(filtered, RANGE), filtered["Count"]) == (1.5, 0)
    tables.put(RANGE, filled({"pk": pk, "sk": S("7"), "mine": S("x")}, 1000))
    filtered = query(RANGE, pk, **TOTAL, FilterExpression="attribute_exists(mine)")
    assert (units(filtered, RANGE), filtered["Count"]) == (1.5, 1)
    narrow = query(RANGE, pk, "pk = :p AND sk < :s", values={":s": S("3")}, **TOTAL)
    assert units(narrow, RANGE) == 0.5


@op("Query")
def test_query_of_nothing():
    assert units(query(RANGE, S(fresh()), **TOTAL), RANGE) == 0.5
    assert units(query(RANGE, S(fresh()), **TOTAL, ConsistentRead=True), RANGE) == 1


@op("Scan")
def test_scan_is_charged_before_its_filter():
    request = {"TableName": tables.SCANNED, **TOTAL}
    plain = ok("Scan", **request)
    filtered = ok("Scan", **request, FilterExpression="attribute_exists(nothing)")
    assert plain["ConsumedCapacity"] == filtered["ConsumedCapacity"]
    assert ok("Scan", **request, ConsistentRead=True)["ConsumedCapacity"]["CapacityUnits"] == 2 * units(plain, tables.SCANNED)


@op("BatchGetItem")
def test_batch_reads_round_each_item():
    keys = [{"pk": S(fresh())} for _ in range(4)]
    for key, size in zip(keys[:3], (100, 4 * KIB, 4 * KIB + 1)):
        tables.put(HASH, filled(key, size))
    for consistent, cost in ((True, 5), (False, 2.5)):
        reply = ok("BatchGetItem", RequestItems={HASH: {"Keys": keys, "ConsistentRead": consistent}}, **TOTAL)
        assert reply["ConsumedCapacity"] == [{"TableName": HASH, "CapacityUnits": cost}]


@op("BatchGetItem", "BatchWriteItem")
def test_batches_list_every_table():
    pk = S(fresh())
    puts = {HASH: [{"PutRequest": {"Item": {"pk": pk}}}], RANGE: [{"PutRequest": {"Item": {"pk": pk, "sk": S("1")}}}]}
    reply = ok("BatchWriteItem", RequestItems=puts, **TOTAL)
    assert sorted(reply["ConsumedCapacity"], key=str) == sorted(
        [{"TableName": HASH, "CapacityUnits": 1}, {"TableName": RANGE, "CapacityUnits": 1}], key=str
    )
    reads = {HASH: {"Keys": [{"pk": pk}]}, RANGE: {"Keys": [{"pk": pk, "sk": S("1")}]}}
    reply = ok("BatchGetItem", RequestItems=reads, ReturnConsumedCapacity="INDEXES")
    share = {"CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}
    assert sorted(reply["ConsumedCapacity"], key=str) == sorted(
        [{"TableName": HASH, **share}, {"TableName": RANGE, **share}], key=str
    )


@op("BatchWriteItem")
def test_batch_writes_round_each_item():
    keys = [{"pk": S(fresh())} for _ in range(3)]
    tables.put(HASH, filled(keys[2], 3 * KIB))
    requests = [{"PutRequest": {"Item": filled(keys[0], KIB + 1)}}, {"PutRequest": {"Item": keys[1]}}]
    requests += [{"DeleteRequest": {"Key": keys[2]}}]
    reply = ok("BatchWriteItem", RequestItems={HASH: requests}, **TOTAL)
    assert reply["ConsumedCapacity"] == [{"TableName": HASH, "CapacityUnits": 2 + 1 + 3}]


@op("TransactWriteItems", "TransactGetItems")
def test_transactions_cost_double():
    key, more = {"pk": S(fresh())}, {"pk": S(fresh())}
    actions = [{"Put": {"TableName": HASH, "Item": filled(key, KIB + 1)}}, {"Put": {"TableName": HASH, "Item": more}}]
    reply = ok("TransactWriteItems", TransactItems=actions, **TOTAL)
    (capacity,) = reply["ConsumedCapacity"]
    assert (capacity["TableName"], capacity["CapacityUnits"]) == (HASH, 2 * (2 + 1))
    assert capacity.get("WriteCapacityUnits", 6) == 6
    reads = [{"Get": {"TableName": HASH, "Key": k}} for k in (key, more, {"pk": S(fresh())})]
    (capacity,) = ok("TransactGetItems", TransactItems=reads, **TOTAL)["ConsumedCapacity"]
    assert (capacity["TableName"], capacity["CapacityUnits"]) == (HASH, 6)
    assert capacity.get("ReadCapacityUnits", 6) == 6


@op("TransactWriteItems")
@pytest.mark.parametrize("kind", ["Put", "Update", "Delete", "ConditionCheck"])
def test_a_condition_in_a_transaction_costs_nothing(kind):
    def action(key, condition):
        parts = {"Put": {"Item": key}, "Update": {"Key": key, "UpdateExpression": "REMOVE a"}}
        return {kind: {"TableName": HASH, **parts.get(kind, {"Key": key}), "ConditionExpression": condition}}

    key = {"pk": S(fresh())}
    tables.put(HASH, key)
    (capacity,) = ok("TransactWriteItems", TransactItems=[action(key, "attribute_exists(pk)")], **TOTAL)["ConsumedCapacity"]
    assert capacity == {"TableName": HASH, "CapacityUnits": 2, "WriteCapacityUnits": 2}
    request = {"TransactItems": [action({"pk": S(fresh())}, "attribute_exists(pk)")], **TOTAL}
    assert "ConsumedCapacity" not in expect_error("TransactWriteItems", request, CANCELED).body


@op("TransactWriteItems")
def test_a_repeated_token_is_charged_a_read():
    key = {"pk": S(fresh())}
    request = {"TransactItems": [{"Put": {"TableName": HASH, "Item": filled(key, 3 * KIB // 2)}}], **TOTAL}
    request["ClientRequestToken"] = fresh("token")
    (first,) = ok("TransactWriteItems", **request)["ConsumedCapacity"]
    assert first == {"TableName": HASH, "CapacityUnits": 4, "WriteCapacityUnits": 4}
    (again,) = ok("TransactWriteItems", **request)["ConsumedCapacity"]
    assert again == {"TableName": HASH, "CapacityUnits": 2, "ReadCapacityUnits": 2}


@op("TransactWriteItems", "TransactGetItems")
def test_transactions_say_the_parts_of_their_indexes():
    key = {"pk": S(fresh()), "sk": S("1")}
    indexes = {"ReturnConsumedCapacity": "INDEXES"}
    actions = [{"Put": {"TableName": INDEXED, "Item": {**key, **BASE}}}, {"Put": {"TableName": HASH, "Item": {"pk": key["pk"]}}}]
    capacity = {one["TableName"]: one for one in ok("TransactWriteItems", TransactItems=actions, **indexes)["ConsumedCapacity"]}
    share = {"CapacityUnits": 2, "WriteCapacityUnits": 2}
    assert capacity[INDEXED] == {
        "TableName": INDEXED,
        "CapacityUnits": 10,
        "WriteCapacityUnits": 10,
        "Table": share,
        "LocalSecondaryIndexes": {"by_when": share, "by_rank": share},
        "GlobalSecondaryIndexes": {"by_owner": share, "by_kind": share},
    }
    assert capacity[HASH] == {"TableName": HASH, **share, "Table": share}
    reads = [{"Get": {"TableName": INDEXED, "Key": key}}]
    share = {"CapacityUnits": 2, "ReadCapacityUnits": 2}
    assert ok("TransactGetItems", TransactItems=reads, **indexes)["ConsumedCapacity"] == [
        {"TableName": INDEXED, **share, "Table": share}
    ]


# --- indexes -------------------------------------------------------------------------------------------------------


def index_units(reply):
    """(total, table, {index: units}) of a reply that was asked for INDEXES."""
    capacity = dict(reply["ConsumedCapacity"])
    assert capacity.pop("TableName") == INDEXED
    total = capacity.pop("CapacityUnits")
    table = capacity.pop("Table")["CapacityUnits"]
    shares = {}
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        shares |= {name: share["CapacityUnits"] for name, share in capacity.pop(kind, {}).items()}
    assert capacity == {}
    assert total == table + sum(shares.values())
    return table, shares


INDEXES = {"ReturnConsumedCapacity": "INDEXES"}
BASE = {"when": S("w"), "owner": S("o"), "kind": S("k"), "rank": N(1), "title": S("t"), "rest": S("r")}
ALL = {"by_when": 1, "by_rank": 1, "by_owner": 1, "by_kind": 1}
# (what is stored before, what is put, the share of each index)
WRITES = [
    ({}, None, BASE, ALL),
    ({}, None, {}, {}),
    ({}, None, {"when": S("w")}, {"by_when": 1}),
    ({}, None, {"kind": S("k")}, {}),
    ({"same": True}, BASE, BASE, {}),
    ({}, BASE, {**BASE, "rest": S("R")}, {"by_when": 1, "by_owner": 1}),
    ({}, BASE, {**BASE, "title": S("T")}, {"by_when": 1, "by_owner": 1, "by_kind": 1}),
    ({}, BASE, {**BASE, "owner": S("O")}, {"by_when": 1, "by_owner": 2}),
    ({}, BASE, {**BASE, "rank": N(2)}, {"by_when": 1, "by_rank": 2, "by_owner": 1, "by_kind": 2}),
    ({}, BASE, {k: v for k, v in BASE.items() if k != "owner"}, {"by_when": 1, "by_owner": 1}),
]


@op("PutItem")
@pytest.mark.parametrize("_, before, after, shares", WRITES, ids=range(len(WRITES)))
def test_index_writes_follow_their_view(_, before, after, shares):
    key = {"pk": S(fresh()), "sk": S("1")}
    if before is not None:
        tables.put(INDEXED, {**key, **before})
    assert index_units(tables.put(INDEXED, {**key, **after}, **INDEXES)) == (1, shares)


@op("DeleteItem", "UpdateItem")
def test_index_rows_of_deletes_and_updates():
    key = {"pk": S(fresh()), "sk": S("1")}
    tables.put(INDEXED, {**key, **BASE})
    reply = tables.update(INDEXED, key, "SET rest = :r", {":r": S("new")}, **INDEXES)
    assert index_units(reply) == (1, {"by_when": 1, "by_owner": 1})
    reply = ok("DeleteItem", TableName=INDEXED, Key=key, **INDEXES)
    assert index_units(reply) == (1, ALL)
    assert index_units(ok("DeleteItem", TableName=INDEXED, Key=key, **INDEXES)) == (1, {})


LADDER = [
    ("SET rest = :v", S("R"), {"by_when": 1, "by_owner": 1}),
    ("SET title = :v", S("T"), {"by_when": 1, "by_owner": 1, "by_kind": 1}),
    ("SET #owner = :v", S("O"), {"by_when": 1, "by_owner": 2}),
    ("REMOVE #owner", None, {"by_when": 1, "by_owner": 1}),
    ("SET #when = :v", S("W"), {"by_when": 2, "by_owner": 1}),
    ("REMOVE #when", None, {"by_when": 1, "by_owner": 1}),
    ("SET #when = :v", S("w"), {}),
]


@op("UpdateItem")
@pytest.mark.parametrize("expression, value, shares", LADDER, ids=[f"{n}-{step[0]}" for n, step in enumerate(LADDER)])
def test_index_writes_of_an_update(expression, value, shares):
    """A row that changes is one write, a row that moves is two, and one that goes is one."""
    key = {"pk": S(fresh()), "sk": S("1")}
    tables.put(INDEXED, {**key, **BASE})
    names = {f"#{name}": name for name in ("owner", "when") if f"#{name}" in expression}
    values = {":v": value} if value else None
    assert index_units(tables.update(INDEXED, key, expression, values, names, **INDEXES)) == (1, shares)


@op("DeleteItem", "BatchWriteItem", "PutItem")
def test_indexes_that_an_item_is_not_in_cost_nothing():
    first, second = ({"pk": S(fresh()), "sk": S(sk)} for sk in "12")
    tables.put(INDEXED, {**first, "when": S("w")})
    assert index_units(ok("DeleteItem", TableName=INDEXED, Key=first, **INDEXES)) == (1, {"by_when": 1})
    tables.put(INDEXED, first)
    assert index_units(ok("DeleteItem", TableName=INDEXED, Key=first, **INDEXES)) == (1, {})
    puts = [{"PutRequest": {"Item": {**first, "owner": S("o")}}}, {"PutRequest": {"Item": {**second, "when": S("w")}}}]
    (capacity,) = ok("BatchWriteItem", RequestItems={INDEXED: puts}, **INDEXES)["ConsumedCapacity"]
    assert capacity == {
        "TableName": INDEXED,
        "CapacityUnits": 4,
        "Table": {"CapacityUnits": 2},
        "LocalSecondaryIndexes": {"by_when": {"CapacityUnits": 1}},
        "GlobalSecondaryIndexes": {"by_owner": {"CapacityUnits": 1}},
    }


@op("PutItem")
def test_index_rows_round_singly():
    key = {"pk": S(fresh()), "sk": S("1")}
    table, shares = index_units(tables.put(INDEXED, filled({**key, **BASE}, 3 * KIB), **INDEXES))
    assert (table, shares["by_when"], shares["by_owner"]) == (3, 3, 3)
    assert (shares["by_rank"], shares["by_kind"]) == (1, 1)


@op("PutItem")
def test_total_has_the_indexes_in_it():
    key = {"pk": S(fresh()), "sk": S("1")}
    reply = tables.put(INDEXED, {**key, **BASE}, **TOTAL)
    assert reply["ConsumedCapacity"] == {"TableName": INDEXED, "CapacityUnits": 5}


@op("Query")
def test_a_query_of_an_index_costs_the_index_only():
    pk = S(fresh())
    tables.put(INDEXED, {"pk": pk, "sk": S("1"), **BASE, "owner": S("own" + pk["S"])})
    reply = query(INDEXED, pk, IndexName="by_when", **INDEXES)
    assert reply["ConsumedCapacity"] == {
        "TableName": INDEXED,
        "CapacityUnits": 0.5,
        "Table": {"CapacityUnits": 0},
        "LocalSecondaryIndexes": {"by_when": {"CapacityUnits": 0.5}},
    }
    names = {"#o": "owner"}
    owner = S("own" + pk["S"])
    reply = query(INDEXED, owner, "#o = :p", ExpressionAttributeNames=names, IndexName="by_owner", **INDEXES)
    assert reply["ConsumedCapacity"]["GlobalSecondaryIndexes"] == {"by_owner": {"CapacityUnits": 0.5}}
    assert reply["ConsumedCapacity"]["Table"] == {"CapacityUnits": 0}


@op("Query")
def test_a_local_index_fetches_from_the_table():
    pk = S(fresh())
    for number in range(3):
        tables.put(INDEXED, {"pk": pk, "sk": S(f"{number}"), **BASE})
    reply = query(INDEXED, pk, IndexName="by_rank", Select="ALL_ATTRIBUTES", **INDEXES)
    table, shares = index_units(reply)
    assert shares == {"by_rank": 0.5}
    assert table == 1.5


@op("PutItem", "UpdateItem", "DeleteItem")
def test_a_failed_condition_is_charged_for_the_stored_item():
    key = {"pk": S(fresh())}
    tables.put(HASH, filled(key, 3 * KIB))
    request = {"TableName": HASH, "Key": key, "ConditionExpression": "a = b", **TOTAL}
    reply = call("DeleteItem", request)
    assert reply.type == CHECK_FAILED
    expect_error("UpdateItem", {**request, "UpdateExpression": "SET a = p"}, CHECK_FAILED)


# --- item collections ----------------------------------------------------------------------------------------------


SIZE = {"ReturnItemCollectionMetrics": "SIZE"}


@op("PutItem", "UpdateItem", "DeleteItem")
def test_metrics_of_an_item_collection():
    key = {"pk": S(fresh()), "sk": S("1")}
    expected = {"ItemCollectionKey": {"pk": key["pk"]}, "SizeEstimateRangeGB": [0, 1]}
    assert tables.put(INDEXED, key, **SIZE)["ItemCollectionMetrics"] == expected
    assert tables.update(INDEXED, key, "SET a = :a", {":a": N(1)}, **SIZE)["ItemCollectionMetrics"] == expected
    assert ok("DeleteItem", TableName=INDEXED, Key=key, **SIZE)["ItemCollectionMetrics"] == expected
    assert "ItemCollectionMetrics" not in tables.put(INDEXED, key, ReturnItemCollectionMetrics="NONE")
    assert "ItemCollectionMetrics" not in tables.put(INDEXED, key)


@op("PutItem", "UpdateItem", "DeleteItem")
def test_a_table_without_local_indexes_has_no_collections():
    key = {"pk": S(fresh()), "sk": S("1")}
    assert tables.put(RANGE, key, **SIZE) == {}
    assert ok("DeleteItem", TableName=RANGE, Key=key, **SIZE) == {}


@op("BatchWriteItem", "TransactWriteItems")
def test_metrics_of_many_writes():
    pk = S(fresh())
    metrics = {"ItemCollectionKey": {"pk": pk}, "SizeEstimateRangeGB": [0, 1]}
    item = {"pk": pk, "sk": S("1")}
    reply = ok("BatchWriteItem", RequestItems={INDEXED: [{"PutRequest": {"Item": item}}]}, **SIZE)
    assert reply["ItemCollectionMetrics"] == {INDEXED: [metrics]}
    reply = ok("TransactWriteItems", TransactItems=[{"Put": {"TableName": INDEXED, "Item": item}}], **SIZE)
    assert reply["ItemCollectionMetrics"] == {INDEXED: [metrics]}
