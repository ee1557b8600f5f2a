"""The requests that are measured, one line each as load.cc reads them: an operation, a space, the JSON body."""

import base64
import hashlib
import json

ITEMS = 10_000
INDEXED = 1_000  # items of the table with an index
COLLECTIONS, COLLECTION_ITEMS = 40, 50

_encode = json.JSONEncoder(separators=(",", ":")).encode


def text_of(length, seed):
    """Letters and digits of which a compressor can save a quarter at most, the same for the same seed."""
    return base64.b64encode(hashlib.shake_128(str(seed).encode()).digest(length * 3 // 4 + 3)).decode()[:length]


def request(operation, **body):
    return f"{operation} {_encode(body)}\n"


def item(n, version=0):
    """About 300 bytes. Versions of an item differ in what is no key of the table or of an index."""
    return {
        "id": {"S": f"user-{n:08}"},
        "name": {"S": f"A user with the number {n}"},
        "visits": {"N": str(n + version)},
        "payload": {"S": text_of(200, n + version * ITEMS)},
    }


def put_item(n, table="bench", version=0):
    return request("PutItem", TableName=table, Item=item(n, version))


def line(collection, n):
    """1 KiB of an item collection."""
    payload = text_of(940, collection * COLLECTION_ITEMS + n)
    return {"order": {"S": f"order-{collection:06}"}, "line": {"N": str(n)}, "payload": {"S": payload}}


def put_line(collection, n):
    return request("PutItem", TableName="bench-orders", Item=line(collection, n))


def put_indexed(n, version=0):
    return put_item(n, "bench-indexed", version)


def put_many(table, items):
    return request("BatchWriteItem", RequestItems={table: [{"PutRequest": {"Item": each}} for each in items]})


def put_batch(n, version=0, table="bench"):
    return put_many(table, (item(25 * n + i, version) for i in range(25)))


def put_two(n, version=0):
    puts = [{"Put": {"TableName": "bench", "Item": item(2 * n + i, version)}} for i in range(2)]
    return request("TransactWriteItems", TransactItems=puts)


def get_item(n, table="bench"):
    return request("GetItem", TableName=table, Key={"id": {"S": f"user-{n:08}"}}, ConsistentRead=True)


def count_up(_):
    return request(
        "UpdateItem",
        TableName="bench",
        Key={"id": {"S": "counter"}},
        UpdateExpression="ADD visits :one",
        ExpressionAttributeValues={":one": {"N": "1"}},
    )


def query(n):
    return request(
        "Query",
        TableName="bench-orders",
        KeyConditionExpression="#o = :o",
        ExpressionAttributeNames={"#o": "order"},
        ExpressionAttributeValues={":o": {"S": f"order-{n % COLLECTIONS:06}"}},
    )


def scan_hundred(n):
    return request("Scan", TableName="bench", Limit=100, ExclusiveStartKey={"id": {"S": f"user-{n:08}"}})


def in_turn(make, count=ITEMS):
    """Requests that wander over all items."""
    return [make(n * 7919 % count) for n in range(count)]


def twice_in_turn(make, count=ITEMS):
    """Requests that write all items anew with other contents, and then as they were."""
    return [make(n * 7919 % count, version) for version in (1, 0) for n in range(count)]


def rows():
    """{a row of the bench: its requests}: they are sent in turn, again and again."""
    return {
        "GetItem": in_turn(get_item),
        "PutItem": twice_in_turn(lambda n, version: put_item(n, version=version)),
        "UpdateItem": [count_up(0)],
        "Query": in_turn(query, COLLECTIONS),
        "BatchWriteItem": twice_in_turn(put_batch, ITEMS // 25),
        "TransactWriteItems": twice_in_turn(put_two, ITEMS // 2),
        "Put + index": twice_in_turn(put_indexed, INDEXED),
        "Scan": in_turn(scan_hundred),
    }


LABELS = {
    "GetItem": "GetItem, ~300 B, consistent",
    "PutItem": "PutItem, ~300 B",
    "UpdateItem": "UpdateItem, one hot counter",
    "Query": "Query, 50 items of 1 KiB",
    "BatchWriteItem": "BatchWriteItem, 25 items of ~300 B",
    "TransactWriteItems": "TransactWriteItems, 2 items of ~300 B",
    "Put + index": "PutItem, ~300 B, and an index with all of it",
    "Scan": "Scan, 100 items of ~300 B",
}
WRITES = ("PutItem", "UpdateItem", "BatchWriteItem", "TransactWriteItems", "Put + index")


def fill_requests():
    """What the tables hold before anything is measured."""
    for table, items in (("bench", ITEMS), ("bench-indexed", INDEXED)):
        yield from (put_batch(n, table=table) for n in range(items // 25))
    for collection in range(COLLECTIONS):
        for start in range(0, COLLECTION_ITEMS, 25):
            yield put_many("bench-orders", (line(collection, n) for n in range(start, start + 25)))


def create_table(name, *keys, **more):
    kinds = {"line": "N", "visits": "N", "place": "N"}
    return request(
        "CreateTable",
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=key_schema(*keys),
        AttributeDefinitions=[
            {"AttributeName": key, "AttributeType": kinds.get(key, "S")} for key in (*keys, *more.pop("also", ()))
        ],
        **more,
    )


def create_small_table(name):
    """With one read unit and one write unit a second."""
    return request(
        "CreateTable",
        TableName=name,
        KeySchema=key_schema("id"),
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
    )


def key_schema(*keys):
    return [{"AttributeName": key, "KeyType": role} for key, role in zip(keys, ("HASH", "RANGE"))]


def create_tables():
    by_name = {"IndexName": "by-name", "KeySchema": key_schema("name"), "Projection": {"ProjectionType": "ALL"}}
    return [
        create_table("bench", "id"),
        create_table("bench-orders", "order", "line"),
        create_table("bench-indexed", "id", also=["name"], GlobalSecondaryIndexes=[by_name]),
    ]


TABLES = ("bench", "bench-orders", "bench-indexed")
