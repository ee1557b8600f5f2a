#!/usr/bin/python3
"""The cost of reads and writes, and the largest item.

A read unit is a strongly consistent read of 4 KB or an eventually consistent read of 8 KB; a write unit is a write of
1 KB. With ReturnConsumedCapacity, a reply contains the cost of its call.
"""

from boto3.dynamodb.conditions import Attr, Key

from common import fresh_table, main, refusal, write

KEY = {"Collection": "S", "Part": "S"}
RECORDS = {"whole": 200 * 1024, "one of many": 1024}


def item(collection, part, size):
    """An item of exactly `size` bytes: the names and the values of its attributes, in UTF-8, together."""
    used = sum(len(text) for text in ("Collection", collection, "Part", part, "Text"))
    return {"Collection": collection, "Part": part, "Text": "x" * (size - used)}


def cost(call, **request):
    """Makes a call and returns the capacity units that it consumed."""
    consumed = call(ReturnConsumedCapacity="TOTAL", **request)["ConsumedCapacity"]
    if isinstance(consumed, list):  # A batch may concern several tables.
        consumed = consumed[0]
    return consumed["CapacityUnits"]


def costs_of_reading(table):
    """Ten items of 1,000 bytes in one item collection, read in several ways."""
    keys = [{"Collection": "ten", "Part": f"{n}"} for n in range(10)]
    write(table, [item("ten", f"{n}", 1000) for n in range(10)])
    ten = {"KeyConditionExpression": Key("Collection").eq("ten")}
    three = {"KeyConditionExpression": Key("Collection").eq("ten") & Key("Part").between("4", "6")}
    one = {"Key": keys[0]}
    missing = {"Key": {"Collection": "ten", "Part": "missing"}}

    def batch(**more):
        return {"RequestItems": {table.name: {"Keys": keys, **more}}}

    return {
        "Query: 10 x 1,000 B are 3 blocks of 4 KB": cost(table.query, ConsistentRead=True, **ten),
        "Query, eventually consistent, half": cost(table.query, **ten),
        "Query with a filter that finds nothing": cost(table.query, FilterExpression=Attr("Text").eq("y"), **ten),
        "Query with a key condition for 3 of the 10": cost(table.query, **three),
        "Scan": cost(table.scan, ConsistentRead=True),
        "Scan, eventually consistent": cost(table.scan),
        "GetItem: each item is rounded up": cost(table.get_item, ConsistentRead=True, **one),
        "GetItem, eventually consistent": cost(table.get_item, **one),
        "GetItem of an item that is not there": cost(table.get_item, ConsistentRead=True, **missing),
        "BatchGetItem of all ten": cost(table.meta.client.batch_get_item, **batch(ConsistentRead=True)),
        "BatchGetItem, eventually consistent": cost(table.meta.client.batch_get_item, **batch()),
    }


def costs_of_writing(table):
    """Writes are rounded up to 1 KB, by the larger of the old and the new item."""

    def put(part, size):
        return cost(table.put_item, Item=item("writes", part, size))

    def delete(part):
        return cost(table.delete_item, Key={"Collection": "writes", "Part": part})

    def check(collection):
        change = {"UpdateExpression": "SET Checked = :yes", "ExpressionAttributeValues": {":yes": True}}
        return cost(table.update_item, Key={"Collection": collection, "Part": "record"}, **change)

    write(table, [item("writes", "shrinks", 3000), item("writes", "goes", 3000)])
    unchecked = {"Checked": False}  # 8 bytes: the name and one for the value.
    write(table, [{**item(name, "record", size - 8), **unchecked} for name, size in RECORDS.items()])
    return {
        "PutItem of 1,024 B": put("fits", 1024),
        "PutItem of 1,025 B": put("one more", 1025),
        "PutItem of 100 B in place of 3,000 B": put("shrinks", 100),
        "DeleteItem of 3,000 B": delete("goes"),
        "DeleteItem of an item that is not there": delete("missing"),
        "One field of an item of 200 KB": check("whole"),
        "The same field, if the record is a collection of 1 KB items": check("one of many"),
    }


def run(dynamodb):
    table = fresh_table(dynamodb, "Capacity", KEY)
    answers = costs_of_reading(table) | costs_of_writing(table)
    return answers | {
        "An item of 409,600 B": refusal(table.put_item, Item=item("large", "just fits", 409_600)),
        "An item of 409,601 B": refusal(table.put_item, Item=item("large", "too large", 409_601)),
    }


if __name__ == "__main__":
    main(run, __doc__)
