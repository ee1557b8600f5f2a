"""Scenario 6, second half: what item collections cost, to the half unit, and the largest item, to the byte."""

import capacity
import pytest
from boto3.dynamodb.conditions import Attr, Key
from common import create_table, index
from conftest import refused


@pytest.fixture(scope="module")
def answers(dynamodb):
    return capacity.run(dynamodb)


@pytest.fixture
def table(answers, dynamodb):
    return dynamodb.Table("Capacity")


@pytest.mark.parametrize(
    "question, expected",
    [
        ("Query: 10 x 1,000 B are 3 blocks of 4 KB", 3.0),
        ("Query, eventually consistent, half", 1.5),
        ("Query with a filter that finds nothing", 1.5),
        ("Query with a key condition for 3 of the 10", 0.5),
        ("Scan", 3.0),
        ("Scan, eventually consistent", 1.5),
        ("GetItem: each item is rounded up", 1.0),
        ("GetItem, eventually consistent", 0.5),
        ("GetItem of an item that is not there", 1.0),
        ("BatchGetItem of all ten", 10.0),
        ("BatchGetItem, eventually consistent", 5.0),
        ("PutItem of 1,024 B", 1.0),
        ("PutItem of 1,025 B", 2.0),
        ("PutItem of 100 B in place of 3,000 B", 3.0),
        ("DeleteItem of 3,000 B", 3.0),
        ("DeleteItem of an item that is not there", 1.0),
        ("One field of an item of 200 KB", 200.0),
        ("The same field, if the record is a collection of 1 KB items", 1.0),
        ("An item of 409,600 B", "accepted"),
        ("An item of 409,601 B", "ValidationException: Item size has exceeded the maximum allowed size"),
    ],
)
def test_answers(answers, question, expected):
    assert answers[question] == expected


def test_every_question_is_asserted(answers):
    assert len(answers) == 20


@pytest.mark.parametrize(
    "sizes, strong, eventual",
    [
        ([4096], 1.0, 0.5),
        ([4097], 2.0, 1.0),
        ([100], 1.0, 0.5),
        ([1000, 3096], 1.0, 0.5),
        ([1000, 3097], 2.0, 1.0),
        ([409_600], 100.0, 50.0),
        ([2048] * 7, 4.0, 2.0),
    ],
)
def test_a_query_adds_up_sizes_and_rounds_once(table, sizes, strong, eventual):
    collection = "/".join(str(size) for size in sizes)
    for n, size in enumerate(sizes):
        table.put_item(Item=capacity.item(collection, f"{n}", size))
    query = {"KeyConditionExpression": Key("Collection").eq(collection)}
    assert capacity.cost(table.query, ConsistentRead=True, **query) == strong
    assert capacity.cost(table.query, **query) == eventual
    assert capacity.cost(table.query, Select="COUNT", **query) == eventual
    assert capacity.cost(table.query, ProjectionExpression="Part", **query) == eventual
    assert capacity.cost(table.query, FilterExpression=Attr("Text").eq("no such text"), **query) == eventual


def test_a_filter_counts_what_it_left_out(table):
    query = {"KeyConditionExpression": Key("Collection").eq("ten"), "FilterExpression": Attr("Text").eq("y")}
    found = table.query(ReturnConsumedCapacity="TOTAL", **query)
    assert (found["Count"], found["ScannedCount"]) == (0, 10)
    assert found["ConsumedCapacity"] == {"TableName": "Capacity", "CapacityUnits": 1.5}


def test_each_of_a_batch_is_rounded_up(table):
    """4,096 + 4,097 + 100 bytes and a missing item: 1 + 2 + 1 + 1."""
    parts = {"a": 4096, "b": 4097, "c": 100}
    for part, size in parts.items():
        table.put_item(Item=capacity.item("batch", part, size))
    keys = [{"Collection": "batch", "Part": part} for part in [*parts, "missing"]]
    request = {"RequestItems": {"Capacity": {"Keys": keys, "ConsistentRead": True}}}
    assert capacity.cost(table.meta.client.batch_get_item, **request) == 5.0


def test_a_batch_of_writes_rounds_up_each(table):
    puts = [{"PutRequest": {"Item": capacity.item("batch-w", f"{n}", size)}} for n, size in enumerate((1, 1024, 1025))]
    puts[0]["PutRequest"]["Item"]["Text"] = ""
    assert capacity.cost(table.meta.client.batch_write_item, RequestItems={"Capacity": puts}) == 4.0


@pytest.mark.parametrize("before, after, units", [(500, 2000, 2.0), (2000, 500, 2.0), (1024, 1024, 1.0), (3, 2049, 3.0)])
def test_a_write_costs_by_the_larger_of_old_and_new(table, before, after, units):
    base = capacity.item("larger", f"{before}-{after}", 200)
    key = {name: base[name] for name in capacity.KEY}
    rest = sum(len(name) + len(value) for name, value in key.items()) + len("Text")
    table.put_item(Item={**key, "Text": "x" * max(before - rest, 0)})
    update = {"UpdateExpression": "SET #t = :t", "ExpressionAttributeNames": {"#t": "Text"}}
    values = {"ExpressionAttributeValues": {":t": "x" * (after - rest)}}
    assert capacity.cost(table.update_item, Key=key, **update, **values) == units


def test_the_limit_counts_bytes_of_utf_8_and_of_every_type(table):
    """Also an item of other types than text is measured exactly; one byte more is refused and changes nothing."""
    key = {"Collection": "limit", "Part": "mixed"}
    fixed = {"Number": 12345, "Yes": True, "Nothing": None, "List": ["é", 1], "Map": {"a": b"\x00\x01"}}
    #      names                  values: the key, 1 + ceil(5 / 2) digits, two of one byte, then collections of 3 bytes
    size = (10 + 4 + 6 + 3 + 7 + 4 + 3) + (5 + 5) + 4 + 1 + 1 + (3 + (1 + 2) + (1 + 2)) + (3 + 1 + 1 + 2)
    room = 409_600 - size - len("Text")
    text = "é" * (room // 2) + "x" * (room % 2)
    table.put_item(Item={**key, **fixed, "Text": text})
    too_large = ("ValidationException", "Item size has exceeded the maximum allowed size")
    assert refused(table.put_item, Item={**key, **fixed, "Text": text + "x"}) == too_large
    assert table.get_item(Key=key, ConsistentRead=True)["Item"]["Text"] == text


def test_every_write_refuses_one_byte_too_many(table):
    too_large = capacity.item("limit", "refused", 409_601)
    client = table.meta.client
    name, _ = refused(client.batch_write_item, RequestItems={"Capacity": [{"PutRequest": {"Item": too_large}}]})
    assert name == "ValidationException"
    name, _ = refused(
        table.update_item,
        Key={"Collection": "limit", "Part": "refused"},
        UpdateExpression="SET #t = :t",
        ExpressionAttributeNames={"#t": "Text"},
        ExpressionAttributeValues={":t": "x" * 409_600},
    )
    assert name == "ValidationException"
    assert "Item" not in table.get_item(Key={"Collection": "limit", "Part": "refused"})


def test_an_index_costs_only_when_its_view_changes(client):
    """A write pays 1 for each entry of an index that it changes; a change of the index's key removes one and adds one."""
    by_time = {"Room": "S", "Time": "S"}
    create_table(
        client,
        "CapacityIndexed",
        {"Room": "S", "User": "S"},
        [by_time],
        GlobalSecondaryIndexes=[index("ByTime", by_time, projection="KEYS_ONLY")],
    )
    item = {"Room": {"S": "r"}, "User": {"S": "u"}, "Time": {"S": "1"}, "Text": {"S": "hello"}}

    def units(**changed):
        put = client.put_item(
            TableName="CapacityIndexed", Item={**item, **changed}, ReturnConsumedCapacity="INDEXES"
        )
        consumed = put["ConsumedCapacity"]
        indexed = consumed.get("GlobalSecondaryIndexes", {}).get("ByTime", {}).get("CapacityUnits", 0.0)
        return consumed["CapacityUnits"], consumed["Table"]["CapacityUnits"], indexed

    assert units() == (2.0, 1.0, 1.0)
    assert units(Text={"S": "bye"}) == (1.0, 1.0, 0.0)
    assert units(Time={"S": "2"}) == (3.0, 1.0, 2.0)
