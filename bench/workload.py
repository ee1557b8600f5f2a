"""The requests that are measured, one line each as load.cc reads them: an operation, a space, the JSON body."""

import json
import random

COLLECTIONS, COLLECTION_ITEMS = 100, 50
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def text_of(length, seed):
    """Letters that no compressor makes small, the same for the same seed."""
    return "".join(random.Random(seed).choices(LETTERS, k=length))


def request(operation, **body):
    return f"{operation} {json.dumps(body, separators=(',', ':'))}\n"


def item(n):
    return {
        "id": {"S": f"user-{n:08}"},
        "name": {"S": f"A user with the number {n}"},
        "visits": {"N": str(n)},
        "payload": {"S": text_of(200, n)},
    }


def put_item(n, table="bench"):
    return request("PutItem", TableName=table, Item=item(n))


def put_line(collection, n):
    payload = text_of(940, collection * COLLECTION_ITEMS + n)
    line = {"order": {"S": f"order-{collection:06}"}, "line": {"N": str(n)}, "payload": {"S": payload}}
    return request("PutItem", TableName="bench-orders", Item=line)


def put_indexed(n):
    return put_item(n, "bench-indexed")


def put_batch(n):
    puts = [{"PutRequest": {"Item": item(25 * n + i)}} for i in range(25)]
    return request("BatchWriteItem", RequestItems={"bench": puts})


def put_two(n):
    puts = [{"Put": {"TableName": "bench", "Item": item(2 * n + i)}} for i in range(2)]
    return request("TransactWriteItems", TransactItems=puts)


def get_item(n):
    return request("GetItem", TableName="bench", Key={"id": {"S": f"user-{n:08}"}}, ConsistentRead=True)


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


def create_table(name, *keys, **more):
    kinds = {"line": "N", "visits": "N"}
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


def key_schema(*keys):
    return [{"AttributeName": key, "KeyType": role} for key, role in zip(keys, ("HASH", "RANGE"))]


def create_tables():
    by_name = {"IndexName": "by-name", "KeySchema": key_schema("name"), "Projection": {"ProjectionType": "ALL"}}
    return [
        create_table("bench", "id"),
        create_table("bench-orders", "order", "line"),
        create_table("bench-indexed", "id", also=["name"], GlobalSecondaryIndexes=[by_name]),
    ]
