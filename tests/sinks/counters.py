"""Items that count their changes, so that a destination shows which of them it has, and in which order."""

import collections
import random
import threading
import time

ITEMS = 40
WRITERS = 4
CATCH_UP_S = 60


def create_table(client, name):
    client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", AttributeDefinitions=[{"AttributeName": "p", "AttributeType": "S"}],
                        KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}])


def change(client, table, item):
    """Adds 1 to the item's n; the new value."""
    reply = client.update_item(TableName=table, Key={"p": {"S": item}}, UpdateExpression="ADD n :one",
                               ExpressionAttributeValues={":one": {"N": "1"}}, ReturnValues="UPDATED_NEW")
    return int(reply["Attributes"]["n"]["N"])


def by_item(records):
    """{item: its values of n, in the order of the stream}; each item is in one shard."""
    found, keys = collections.defaultdict(list), collections.defaultdict(set)
    for partition_key, record in records:
        image = record["dynamodb"]["NewImage"]
        found[image["p"]["S"]].append(int(image["n"]["N"]))
        keys[image["p"]["S"]].add(partition_key)
    assert all(len(each) == 1 for each in keys.values())
    return dict(found)


def last_of_each(values):
    """What is left if of each value only its last place counts."""
    places = {value: place for place, value in enumerate(values)}
    return sorted(places, key=places.get)


def wait_for(records, expected):
    """Waits until `records()` has all changes of each item: {item: how many}."""
    deadline = time.monotonic() + CATCH_UP_S
    while True:
        found = by_item(records())
        if all(found.get(item) and set(found[item]) == set(range(1, count + 1)) for item, count in expected.items()):
            assert set(found) == set(expected)
            return found
        missing = {item: count - len(set(found.get(item, []))) for item, count in expected.items()}
        assert time.monotonic() < deadline, {item: count for item, count in missing.items() if count}
        time.sleep(0.2)


class Writers:
    """Threads that change items, whatever becomes of the server."""

    def __init__(self, server, table):
        self.server, self.table = server, table
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(number,)) for number in range(WRITERS)]

    def write(self, number):
        chance = random.Random(number)
        client = self.server.client(connect_timeout=2, read_timeout=5)
        while not self.stop.is_set():
            try:
                change(client, self.table, f"item-{number}-{chance.randrange(ITEMS)}")
            except Exception:  # noqa: BLE001  (the server is gone)
                time.sleep(0.02)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *failure):
        self.stop.set()
        for thread in self.threads:
            thread.join()


def expected_of(client, table):
    """{item: how often it was changed}"""
    pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return {item["p"]["S"]: int(item["n"]["N"]) for page in pages for item in page["Items"]}
