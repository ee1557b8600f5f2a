"""Pages: limits, the key to go on from, the 1 MB cut, counts, segments, Select."""

import re

import pytest
import tables
from client import INVALID, expect_validation, ok
from tables import ABSENT, HASH, INDEXED, RANGE, SCANNED, fresh
from test_sizes import filled
from values import B, N, S

op = pytest.mark.op
COUNT = 12


@pytest.fixture(scope="module")
def partition():
    pk = S(fresh("page"))
    for number in range(COUNT):
        item = {"pk": pk, "sk": S(f"{number:03}"), "n": N(number), "parity": S("odd" if number % 2 else "even")}
        tables.put(RANGE, item)
        extra = {"when": S(f"{number // 3}"), "owner": S("o" + pk["S"]), "kind": pk, "rank": N(number % 4)}
        tables.put(INDEXED, {**item, **extra, "title": S("t"), "rest": S("r")})
    return pk


@pytest.fixture(scope="module")
def scanned():
    keys = [fresh("scan") for _ in range(30)]
    for key in keys:
        tables.put(SCANNED, {"pk": S(key), "v": S("x")})
    return set(keys)


def query(table, pk, **more):
    request = {"TableName": table, "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": pk}}
    values = more.pop("values", {})
    request["ExpressionAttributeValues"] = {":p": pk, **values}
    return {**request, **more}


def all_pages(operation, **request):
    """The items of every page, and the pages."""
    items, pages = [], []
    while True:
        page = ok(operation, **request)
        pages.append(page)
        items += page.get("Items", [])
        if "LastEvaluatedKey" not in page:
            return items, pages
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
        assert len(pages) < 200


@op("Query")
@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("limit", [1, 2, 5, 11, 12, 13, 100])
def test_limits(partition, limit, forward):
    whole, _ = all_pages("Query", **query(RANGE, partition, ScanIndexForward=forward))
    items, pages = all_pages("Query", **query(RANGE, partition, ScanIndexForward=forward, Limit=limit))
    assert items == whole
    assert [item["n"] for item in whole] == [N(n) for n in (range(COUNT) if forward else reversed(range(COUNT)))]
    assert all(page["Count"] == limit for page in pages[:-1])
    # A page that is full says where it ended, even when nothing follows.
    assert len(pages) == COUNT // limit + 1


@op("Query")
def test_last_evaluated_key_is_the_last_item_s(partition):
    page = ok("Query", **query(RANGE, partition, Limit=3))
    assert page["LastEvaluatedKey"] == {"pk": partition, "sk": S("002")}
    assert "LastEvaluatedKey" not in ok("Query", **query(RANGE, partition))


@op("Query")
def test_the_limit_counts_before_the_filter(partition):
    values = {":odd": S("odd")}
    page = ok("Query", **query(RANGE, partition, Limit=4, FilterExpression="parity = :odd", values=values))
    assert (page["Count"], page["ScannedCount"]) == (2, 4)
    assert page["LastEvaluatedKey"] == {"pk": partition, "sk": S("003")}
    page = ok("Query", **query(RANGE, partition, Limit=1, FilterExpression="parity = :odd", values=values))
    assert (page["Count"], page["ScannedCount"], page["Items"]) == (0, 1, [])
    assert "LastEvaluatedKey" in page


@op("Query")
@pytest.mark.parametrize("index, condition", [("by_when", "pk"), ("by_rank", "pk"), ("by_owner", "owner"), ("by_kind", "kind")])
@pytest.mark.parametrize("limit", [1, 5, 12])
@pytest.mark.parametrize("forward", [True, False])
def test_pages_of_indexes(partition, index, condition, limit, forward):
    value = S("o" + partition["S"]) if condition == "owner" else partition
    request = {"TableName": INDEXED, "IndexName": index, "KeyConditionExpression": "#k = :p", "ScanIndexForward": forward}
    request |= {"ExpressionAttributeNames": {"#k": condition}, "ExpressionAttributeValues": {":p": value}}
    whole, _ = all_pages("Query", **request)
    items, pages = all_pages("Query", **request, Limit=limit)
    assert items == whole
    assert sorted(item["sk"]["S"] for item in items) == [f"{n:03}" for n in range(COUNT)]
    if index in ("by_rank", "by_kind"):
        ranks = [int(item["rank"]["N"]) for item in items]
        assert ranks == sorted(ranks, reverse=not forward)
    keys = {"by_when": {"pk", "sk", "when"}, "by_rank": {"pk", "sk", "rank"}, "by_owner": {"pk", "sk", "owner"}}
    assert set(pages[0]["LastEvaluatedKey"]) == keys.get(index, {"pk", "sk", "kind", "rank"})


@op("Scan")
@pytest.mark.parametrize("limit", [1, 7, 30, 100])
def test_scan_pages(scanned, limit):
    items, pages = all_pages("Scan", TableName=SCANNED, Limit=limit)
    assert {item["pk"]["S"] for item in items} >= scanned
    assert len(items) == len({item["pk"]["S"] for item in items})
    assert all(page["Count"] == page["ScannedCount"] == limit for page in pages[:-1])


@op("Scan")
@pytest.mark.parametrize("total", [1, 2, 3, 4, 16, 1000])
def test_segments_are_disjoint_and_whole(scanned, total):
    found = []
    for segment in range(total):
        items, _ = all_pages("Scan", TableName=SCANNED, TotalSegments=total, Segment=segment, Limit=5)
        found += [item["pk"]["S"] for item in items]
    assert len(found) == len(set(found))
    assert set(found) >= scanned


@op("Scan")
def test_a_scan_is_in_the_same_order_every_time(scanned):
    assert scanned
    orders = [[item["pk"] for item in all_pages("Scan", TableName=SCANNED, Limit=n)[0]] for n in (3, 50)]
    assert orders[0] == orders[1]


@op("Scan")
@pytest.mark.parametrize("index", ["by_when", "by_rank", "by_owner", "by_kind"])
def test_scan_of_an_index(partition, index):
    values = {":p": partition}
    request = {"TableName": INDEXED, "IndexName": index, "FilterExpression": "pk = :p", "ExpressionAttributeValues": values}
    items, _ = all_pages("Scan", **request, Limit=7)
    assert sorted(item["sk"]["S"] for item in items) == [f"{n:03}" for n in range(COUNT)]


SEGMENTS = [
    ({"Segment": 0}, "The TotalSegments parameter is required but was not present in the request when Segment parameter is present"),
    ({"Segment": 3}, "The TotalSegments parameter is required but was not present in the request when Segment parameter is present"),
    ({"TotalSegments": 4}, "The Segment parameter is required but was not present in the request when parameter TotalSegments is present"),
    ({"TotalSegments": 5, "Segment": 5}, "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less than TotalSegments: 5"),
    ({"TotalSegments": 1, "Segment": 9}, "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 9 is not less than TotalSegments: 1"),
]


@op("Scan")
@pytest.mark.parametrize("request_, text", SEGMENTS, ids=[str(s[0]) for s in SEGMENTS])
def test_segments_that_make_no_sense(request_, text):
    expect_validation("Scan", {"TableName": ABSENT, **request_}, text)


@op("Scan")
def test_a_start_key_of_another_segment(scanned):
    assert scanned
    page = ok("Scan", TableName=SCANNED, TotalSegments=2, Segment=0, Limit=1)
    request = {"TableName": SCANNED, "TotalSegments": 2, "Segment": 1, "ExclusiveStartKey": page["LastEvaluatedKey"]}
    text = (
        "The provided starting key is invalid: Invalid ExclusiveStartKey. "
        "Please use ExclusiveStartKey with correct Segment. TotalSegments: 2 Segment: 1"
    )
    expect_validation("Scan", request, text)


START = "The provided starting key is invalid"
OUTSIDE = "The provided starting key is outside query boundaries based on provided conditions"
SCHEMA = START + ": The provided key element does not match the schema"
TYPE = "The provided key element does not match the schema"
START_KEYS = [
    ({}, None),
    ({"pk": S("x")}, None),
    ({"sk": S("1")}, None),
    ({"pk": S("x"), "sk": S("1"), "more": S("1")}, None),
    ({"pk": S("x"), "other": S("1")}, None),
    ({"pk": S("x"), "sk": N(1)}, TYPE),
    ({"pk": B(b"x"), "sk": S("1")}, TYPE),
]


@op("Query", "Scan")
@pytest.mark.parametrize("key, text", START_KEYS, ids=[str(sorted(k[0])) + str(n) for n, k in enumerate(START_KEYS)])
def test_start_keys_of_the_wrong_shape(key, text):
    expect_validation("Scan", {"TableName": RANGE, "ExclusiveStartKey": key}, SCHEMA)
    expect_validation("Query", query(RANGE, S("x"), ExclusiveStartKey=key), text or (START, SCHEMA))


@op("Query")
def test_a_start_key_of_another_partition(partition):
    key = {"pk": S("another"), "sk": S("001")}
    expect_validation("Query", query(RANGE, partition, ExclusiveStartKey=key), OUTSIDE)


@op("Query")
def test_a_start_key_outside_the_range(partition):
    request = query(RANGE, partition, ExclusiveStartKey={"pk": partition, "sk": S("001")}, values={":a": S("005")})
    request["KeyConditionExpression"] = "pk = :p AND sk > :a"
    expect_validation("Query", request, "The provided starting key does not match the range key predicate")


@op("Query")
def test_of_a_start_key_the_sort_key_is_judged_before_the_partition(partition):
    request = query(RANGE, partition, values={":a": S("005")}, KeyConditionExpression="pk = :p AND sk > :a")
    elsewhere = {"pk": S("another"), "sk": S("001")}
    expect_validation("Query", {**request, "ExclusiveStartKey": elsewhere}, "The provided starting key does not match the range key predicate")
    one_row = "The query can return at most one row and cannot be restarted"
    expect_validation("Query", {**request, "ExclusiveStartKey": {**elsewhere, "sk": S("006")}}, one_row)
    by_kind = {"IndexName": "by_kind", "TableName": INDEXED, "ExpressionAttributeNames": {"#r": "rank"}}
    request |= {**by_kind, "KeyConditionExpression": "kind = :p AND #r > :a", "ExpressionAttributeValues": {":p": partition, ":a": N(5)}}
    elsewhere = {"pk": S("p"), "sk": S("s"), "kind": S("another")}
    for rank, text in ((1, "The provided starting key does not match the range key predicate"), (6, one_row)):
        expect_validation("Query", {**request, "ExclusiveStartKey": {**elsewhere, "rank": N(rank)}}, text)


@op("Query")
def test_a_start_key_of_the_wrong_type(partition):
    text = "The provided key element does not match the schema"
    expect_validation("Query", query(RANGE, partition, ExclusiveStartKey={"pk": partition, "sk": N(1)}), text)


@op("Query")
def test_what_is_one_row_can_not_be_restarted(partition):
    text = "The query can return at most one row and cannot be restarted"
    one_row = {"KeyConditionExpression": "pk = :p AND sk = :s", "ExpressionAttributeValues": {":p": partition, ":s": S("003")}}
    for sk in ("003", "001"):
        start = {"pk": partition, "sk": S(sk)}
        expect_validation("Query", {"TableName": RANGE, **one_row, "ExclusiveStartKey": start}, text)
    page = ok("Query", TableName=RANGE, **one_row, Limit=1)
    assert page["Count"] == 1 and "LastEvaluatedKey" not in page
    start = {"TableName": HASH, "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": partition}}
    text = "The provided exclusive start key is invalid: ExclusiveStartKey: {pk=AttributeValue: {%s}}"
    expect_validation("Query", {**start, "ExclusiveStartKey": {"pk": partition}}, text % f"S:{partition['S']}")
    for table, value, shown in ((tables.HASH_N, N("1.50"), "N:1.5"), (tables.HASH_B, B(b"xy"), "B:java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]")):
        request = {**start, "TableName": table, "ExpressionAttributeValues": {":p": value}, "ExclusiveStartKey": {"pk": value}}
        expect_validation("Query", request, text % shown)


@op("Query")
def test_start_key_and_key_condition_are_judged_one_key_attribute_after_the_other():
    missed = "Query condition missed key schema element: "
    for start, condition, text in (
        ({}, "z = :p", START),
        ({"pk": S("a")}, "z = :p", START),
        ({"pk": N(1), "other": S("a")}, "z = :p", TYPE),
        ({"other": S("a"), "sk": S("a")}, "z = :p", START),
        ({"pk": S("a"), "sk": N(1)}, "z = :p", missed + "pk"),
        ({"pk": S("a"), "other": S("a")}, "pk = :p AND z = :p", START),
        ({"pk": S("a"), "sk": N(1)}, "pk = :p AND z = :p", TYPE),
        ({"pk": S("a"), "sk": S("a")}, "pk = :p AND z = :p", missed + "sk"),
    ):
        expect_validation("Query", query(RANGE, S("b"), KeyConditionExpression=condition, ExclusiveStartKey=start), text)
    expect_validation("Query", query(HASH, S("b"), KeyConditionExpression="z = :p AND y = :p", ExclusiveStartKey={"z": S("a")}), START)


@op("Query", "Scan")
def test_the_table_s_part_of_an_index_s_start_key():
    start = {"pk": S("a"), "sk": N(1), "kind": S("k"), "rank": N(1)}
    request = {"TableName": INDEXED, "IndexName": "by_kind", "ExclusiveStartKey": start}
    expect_validation("Scan", request, SCHEMA)
    expect_validation("Scan", {**request, "ExclusiveStartKey": {**start, "rank": S("1")}}, TYPE)
    request |= {"KeyConditionExpression": "kind = :k", "ExpressionAttributeValues": {":k": S("k")}}
    expect_validation("Query", request, SCHEMA)


@op("Query", "Scan")
def test_what_comes_before_and_behind_a_start_key():
    filtered = {"FilterExpression": "attribute_exists(pk.b)"}
    in_filter = "Filter Expression can only contain non-primary key attributes: Primary key attribute: pk"
    expect_validation("Query", query(RANGE, S("a"), **filtered), in_filter)
    expect_validation("Query", query(RANGE, S("a"), **filtered, ExclusiveStartKey={}), START)
    expect_validation("Scan", {"TableName": HASH, **filtered, "ExclusiveStartKey": {}}, SCHEMA)
    paths = re.compile("Key attributes must be scalars; .*: Key: pk")
    expect_validation("Scan", {"TableName": HASH, **filtered}, paths)
    expect_validation("Scan", {"TableName": HASH, "ProjectionExpression": "pk.a", "ExclusiveStartKey": {}}, SCHEMA)
    expect_validation("Query", query(RANGE, S("a"), **filtered, ProjectionExpression="sk[0]"), re.compile("Key attributes must be scalars; .*: Key: sk"))


@op("Query")
def test_a_start_key_need_not_exist(partition):
    page = ok("Query", **query(RANGE, partition, ExclusiveStartKey={"pk": partition, "sk": S("0055")}, Limit=1))
    assert page["Items"][0]["sk"] == S("006")


@op("Query", "Scan")
@pytest.mark.parametrize("key", [{"pk", "sk"}, {"pk", "sk", "owner", "kind"}, {"owner"}])
def test_start_keys_of_an_index(key):
    start = {name: S("x") for name in key}
    request = {"TableName": INDEXED, "IndexName": "by_owner", "ExclusiveStartKey": start}
    expect_validation("Scan", request, (START, SCHEMA))
    request |= {"KeyConditionExpression": "#o = :o", "ExpressionAttributeNames": {"#o": "owner"}}
    expect_validation("Query", {**request, "ExpressionAttributeValues": {":o": S("x")}}, (START, SCHEMA))


@op("Query", "Scan", "PutItem")
def test_a_page_ends_at_one_megabyte_before_the_filter():
    pk = S(fresh("big"))
    for number in range(12):
        tables.put(RANGE, {"pk": pk, "sk": S(f"{number:02}"), "v": S("x" * 100_000)})
    page = ok("Query", **query(RANGE, pk))
    assert page["Count"] == page["ScannedCount"] == len(page["Items"])
    # 1,048,576 bytes are reached by the eleventh item of about 100,010 bytes.
    assert page["Count"] in (10, 11)
    assert page["LastEvaluatedKey"]["sk"] == S(f"{page['Count'] - 1:02}")
    filtered = ok("Query", **query(RANGE, pk, FilterExpression="attribute_not_exists(v)"))
    assert (filtered["Count"], filtered["ScannedCount"]) == (0, page["Count"])
    assert filtered["LastEvaluatedKey"] == page["LastEvaluatedKey"]
    projected = ok("Query", **query(RANGE, pk, ProjectionExpression="sk"))
    assert projected["ScannedCount"] == page["Count"]
    counted = ok("Query", **query(RANGE, pk, Select="COUNT"))
    assert counted["Count"] == page["Count"]
    assert ok("Query", **query(RANGE, pk, Limit=12))["Count"] == page["Count"]
    few = ok("Query", **query(RANGE, pk, Limit=3))
    assert (few["Count"], few["LastEvaluatedKey"]["sk"]) == (3, S("02"))
    items, _ = all_pages("Query", **query(RANGE, pk))
    assert len(items) == 12
    for number in range(12):
        ok("DeleteItem", TableName=RANGE, Key={"pk": pk, "sk": S(f"{number:02}")})


@op("Query", "Scan")
def test_a_page_holds_one_megabyte_and_not_a_byte_more():
    pk = S(fresh("mib"))
    sizes = [300_000, 300_000, 300_000, 1024 * 1024 - 900_000]
    for number, bytes_ in enumerate(sizes):
        tables.put(RANGE, filled({"pk": pk, "sk": S(f"{number}")}, bytes_))
    whole = ok("Query", **query(RANGE, pk))
    assert (whole["Count"], "LastEvaluatedKey" in whole) == (4, False)
    tables.put(RANGE, filled({"pk": pk, "sk": S("3")}, sizes[3] + 1))
    cut = ok("Query", **query(RANGE, pk))
    assert (cut["Count"], cut["LastEvaluatedKey"]) == (3, {"pk": pk, "sk": S("2")})
    backwards = ok("Query", **query(RANGE, pk, ScanIndexForward=False))
    assert (backwards["Count"], backwards["LastEvaluatedKey"]) == (3, {"pk": pk, "sk": S("1")})
    for number in range(4):
        ok("DeleteItem", TableName=RANGE, Key={"pk": pk, "sk": S(f"{number}")})


@op("Query")
def test_a_page_counts_what_a_local_index_fetches():
    pk = S(fresh("fetched"))
    for number in range(12):
        tables.put(INDEXED, {"pk": pk, "sk": S(f"{number:02}"), "rank": N(number), "rest": S("x" * 100_000)})
    request = query(INDEXED, pk, IndexName="by_rank", Select="ALL_ATTRIBUTES", ReturnConsumedCapacity="INDEXES")
    page = ok("Query", **request)
    assert page["Count"] == page["ScannedCount"] == 10
    assert page["LastEvaluatedKey"] == {"pk": pk, "sk": S("09"), "rank": N(9)}
    assert page["ConsumedCapacity"]["Table"]["CapacityUnits"] == 10 * 12.5
    rest = ok("Query", **request, ExclusiveStartKey=page["LastEvaluatedKey"])
    assert [item["sk"] for item in rest["Items"]] == [S("10"), S("11")]
    assert "LastEvaluatedKey" not in rest
    assert ok("Query", **query(INDEXED, pk, IndexName="by_rank"))["Count"] == 12
    for number in range(12):
        ok("DeleteItem", TableName=INDEXED, Key={"pk": pk, "sk": S(f"{number:02}")})


# --- Select --------------------------------------------------------------------------------------------------------


@op("Query", "Scan")
def test_select_count(partition):
    values = {":odd": S("odd")}
    page = ok("Query", **query(RANGE, partition, Select="COUNT"))
    assert page == {"Count": COUNT, "ScannedCount": COUNT}
    page = ok("Query", **query(RANGE, partition, Select="COUNT", FilterExpression="parity = :odd", values=values))
    assert page == {"Count": COUNT // 2, "ScannedCount": COUNT}
    page = ok("Query", **query(RANGE, partition, Select="COUNT", Limit=5))
    assert page == {"Count": 5, "ScannedCount": 5, "LastEvaluatedKey": {"pk": partition, "sk": S("004")}}
    assert "Items" not in ok("Scan", TableName=SCANNED, Select="COUNT")


@op("Query")
def test_select_attributes(partition):
    whole = ok("Query", **query(RANGE, partition))["Items"]
    assert ok("Query", **query(RANGE, partition, Select="ALL_ATTRIBUTES"))["Items"] == whole
    page = ok("Query", **query(RANGE, partition, Select="SPECIFIC_ATTRIBUTES", ProjectionExpression="n"))
    assert page["Items"] == [{"n": N(n)} for n in range(COUNT)]


def on_index(index, name, value, **more):
    request = {"TableName": INDEXED, "IndexName": index, "KeyConditionExpression": "#k = :p"}
    names = {"#k": name, **more.pop("names", {})}
    return {**request, "ExpressionAttributeNames": names, "ExpressionAttributeValues": {":p": value}, **more}


@op("Query")
def test_what_an_index_holds(partition):
    everything = {"pk", "sk", "n", "parity", "when", "owner", "kind", "rank", "title", "rest"}
    owner = S("o" + partition["S"])
    views = [
        (on_index("by_when", "pk", partition), everything),
        (on_index("by_rank", "pk", partition), {"pk", "sk", "rank"}),
        (on_index("by_rank", "pk", partition, Select="ALL_PROJECTED_ATTRIBUTES"), {"pk", "sk", "rank"}),
        (on_index("by_rank", "pk", partition, Select="ALL_ATTRIBUTES"), everything),
        (on_index("by_rank", "pk", partition, ProjectionExpression="title, #r", names={"#r": "rank"}), {"title", "rank"}),
        (on_index("by_owner", "owner", owner), everything),
        (on_index("by_owner", "owner", owner, Select="ALL_ATTRIBUTES"), everything),
        (on_index("by_kind", "kind", partition), {"pk", "sk", "kind", "rank", "title"}),
        (on_index("by_kind", "kind", partition, ProjectionExpression="title, sk"), {"title", "sk"}),
    ]
    for request, expected in views:
        items = ok("Query", **request)["Items"]
        assert len(items) == COUNT
        assert all(set(item) == expected for item in items), request


@op("Query", "Scan")
def test_select_that_does_not_fit():
    text = INVALID + (
        "Select type ALL_ATTRIBUTES is not supported for global secondary index by_kind "
        "because its projection type is not ALL"
    )
    expect_validation("Query", on_index("by_kind", "kind", S("x"), Select="ALL_ATTRIBUTES"), text)
    expect_validation("Scan", {"TableName": INDEXED, "IndexName": "by_kind", "Select": "ALL_ATTRIBUTES"}, text)
    text = "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
    expect_validation("Query", query(RANGE, S("x"), Select="SPECIFIC_ATTRIBUTES"), f"1 validation error detected: {text}")
    expect_validation("Scan", {"TableName": RANGE, "Select": "SPECIFIC_ATTRIBUTES"}, text)
    expect_validation("Query", query(RANGE, S("x"), Select="ALL_PROJECTED_ATTRIBUTES"))
    expect_validation("Scan", {"TableName": RANGE, "Select": "ALL_PROJECTED_ATTRIBUTES"})
    for wrong in ("COUNT", "ALL_ATTRIBUTES"):
        expect_validation("Query", query(RANGE, S("x"), Select=wrong, ProjectionExpression="n"))
        expect_validation("Scan", {"TableName": RANGE, "Select": wrong, "AttributesToGet": ["n"]})


@op("Query")
def test_projecting_what_a_global_index_has_not():
    request = on_index("by_kind", "kind", S("x"), ProjectionExpression="rest")
    expect_validation("Query", request)


@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_an_index_that_is_not_there(operation):
    request = on_index("nothing", "pk", S("x"))
    if operation == "Scan":
        request = {"TableName": INDEXED, "IndexName": "nothing"}
    text = "The table does not have the specified index: nothing"
    expect_validation(operation, request, text)
    expect_validation(operation, {**request, "ConsistentRead": True}, text)
    expect_validation(operation, {**request, "TableName": HASH}, text)


@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_consistent_reads_of_indexes(operation):
    request = on_index("by_owner", "owner", S("x"), ConsistentRead=True)
    local = on_index("by_when", "pk", S("x"), ConsistentRead=True)
    if operation == "Scan":
        request, local = ({"TableName": INDEXED, "IndexName": i, "ConsistentRead": True} for i in ("by_owner", "by_when"))
    expect_validation(operation, request, "Consistent reads are not supported on global secondary indexes")
    ok(operation, **local)
