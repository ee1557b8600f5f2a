"""Everybody writes to the same few items at once, indexes come and go, and the server is killed: afterwards each index
holds exactly what the items say.

PARTITA_CRASH_SEED chooses other traffic; PARTITA_TRAFFIC_ROUNDS makes it longer.
"""

import os
import random
import threading
import time

import botocore.exceptions
import pytest
from server import running_server

SEED = int(os.environ.get("PARTITA_CRASH_SEED", "2018"))
ROUNDS = int(os.environ.get("PARTITA_TRAFFIC_ROUNDS", "2"))
WRITERS = 4
ROUND_S = 1.5
TABLE = "Traffic"
EXTRA = "by_kind"
LOST_CONNECTION = (botocore.exceptions.ConnectionError, botocore.exceptions.HTTPClientError)
# What a request of this traffic may be refused with: it races with others, and with the indexes.
EXPECTED = {
    "ConditionalCheckFailedException", "TransactionCanceledException", "TransactionConflictException",
    "ResourceInUseException", "ResourceNotFoundException", "ValidationException",
}


def keys(partition, sort=None):
    schema = [{"AttributeName": partition, "KeyType": "HASH"}]
    return schema + ([{"AttributeName": sort, "KeyType": "RANGE"}] if sort else [])


def projection(kind, *names):
    return {"ProjectionType": kind, **({"NonKeyAttributes": list(names)} if names else {})}


EXTRA_INDEX = {"IndexName": EXTRA, "KeySchema": keys("kind", "when"), "Projection": projection("INCLUDE", "note")}
DEFINITIONS = [
    {"AttributeName": name, "AttributeType": kind}
    for name, kind in {"pk": "S", "sk": "N", "when": "S", "owner": "S"}.items()
]


def make_table(client):
    client.create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=DEFINITIONS,
        KeySchema=keys("pk", "sk"),
        LocalSecondaryIndexes=[
            {"IndexName": "by_when", "KeySchema": keys("pk", "when"), "Projection": projection("KEYS_ONLY")}
        ],
        GlobalSecondaryIndexes=[
            {"IndexName": "by_owner", "KeySchema": keys("owner", "sk"), "Projection": projection("ALL")}
        ],
    )
    wait_at_rest(client)


def describe(client):
    return client.describe_table(TableName=TABLE)["Table"]


def wait_at_rest(client):
    deadline = time.monotonic() + 30
    while True:
        table = describe(client)
        states = [table["TableStatus"]] + [index["IndexStatus"] for index in table.get("GlobalSecondaryIndexes", [])]
        if set(states) == {"ACTIVE"}:
            return table
        assert time.monotonic() < deadline, f"still {states} (seed {SEED})"
        time.sleep(0.02)


class Writer:
    """One client's endless random requests."""

    def __init__(self, client, seed):
        self.client = client
        self.chance = random.Random(seed)

    def key(self):
        return {"pk": {"S": f"p{self.chance.randrange(5)}"}, "sk": {"N": str(self.chance.randrange(6))}}

    def attributes(self):
        values = {
            "when": {"S": f"20{self.chance.randrange(20, 25)}"},
            "owner": {"S": f"o{self.chance.randrange(3)}"},
            "kind": self.chance.choice([{"S": "k"}, {"N": "7"}]) if self.chance.random() < 0.2 else {"S": "q"},
            "note": {"S": "n" * self.chance.randrange(40)},
        }
        return {name: value for name, value in values.items() if self.chance.random() < 0.6}

    def update(self):
        changed = self.attributes()
        parts = {"SET": [], "REMOVE": []}
        for name in ("when", "owner", "note"):
            parts["SET" if name in changed else "REMOVE"].append(f"#{name} = :{name}" if name in changed else f"#{name}")
        request = {
            "TableName": TABLE,
            "Key": self.key(),
            "UpdateExpression": " ".join(f"{verb} {', '.join(what)}" for verb, what in parts.items() if what),
            "ExpressionAttributeNames": {f"#{name}": name for name in ("when", "owner", "note")},
        }
        values = {f":{name}": changed[name] for name in ("when", "owner", "note") if name in changed}
        return {**request, "ExpressionAttributeValues": values} if values else request

    def put(self):
        return {"TableName": TABLE, "Item": {**self.key(), **self.attributes()}}

    def transaction(self):
        first, second = self.update(), {"TableName": TABLE, "Key": self.key()}
        check = {"ConditionExpression": "attribute_exists(pk)"}
        return [{"Update": first}, {"Delete": {**second, **check}}, {"Put": self.put()}]

    def batch(self):
        items = {(item["pk"]["S"], item["sk"]["N"]): item for item in (self.put()["Item"] for _ in range(5))}
        return {TABLE: [{"PutRequest": {"Item": item}} for item in items.values()]}

    def once(self):
        kind = self.chance.randrange(6)
        if kind < 2:
            self.client.update_item(**self.update())
        elif kind == 2:
            self.client.put_item(**self.put(), ConditionExpression="attribute_not_exists(pk) OR attribute_exists(note)")
        elif kind == 3:
            self.client.delete_item(TableName=TABLE, Key=self.key())
        elif kind == 4:
            self.client.batch_write_item(RequestItems=self.batch())
        else:
            self.client.transact_write_items(TransactItems=self.transaction())


class IndexMaker:
    """One client that adds an index and drops it again."""

    def __init__(self, client):
        self.client = client

    def once(self):
        indexes = {index["IndexName"]: index for index in describe(self.client).get("GlobalSecondaryIndexes", [])}
        if EXTRA not in indexes:
            change = {"Create": EXTRA_INDEX}
        elif indexes[EXTRA]["IndexStatus"] == "ACTIVE":
            time.sleep(0.1)
            change = {"Delete": {"IndexName": EXTRA}}
        else:
            return time.sleep(0.01)
        definitions = [*DEFINITIONS, {"AttributeName": "kind", "AttributeType": "S"}]
        return self.client.update_table(
            TableName=TABLE, AttributeDefinitions=definitions, GlobalSecondaryIndexUpdates=[change]
        )


def run_round(server, seed, killed):
    """Traffic for a while; then the server is killed under it, or the traffic ends."""
    failures, done = [], threading.Event()

    def body(worker):
        while not done.is_set():
            try:
                worker.once()
            except botocore.exceptions.ClientError as error:
                if error.response["Error"]["Code"] not in EXPECTED:
                    failures.append(error)
            except LOST_CONNECTION as error:
                if not killed:
                    failures.append(error)
                return
            except Exception as error:  # pylint: disable=broad-except
                failures.append(error)
                return

    workers = [Writer(server.client(), f"{seed} {n}") for n in range(WRITERS)] + [IndexMaker(server.client())]
    threads = [threading.Thread(target=body, args=[worker]) for worker in workers]
    for thread in threads:
        thread.start()
    time.sleep(ROUND_S)
    if killed:
        server.kill()
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []


def rows(client, **where):
    found, start = [], {}
    while True:
        page = client.scan(TableName=TABLE, **where, **start)
        found += page["Items"]
        if "LastEvaluatedKey" not in page:
            return sorted(found, key=str)
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def expected_rows(items, table, index):
    """What an index holds of the items, by its description."""
    types = {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]}
    own = [part["AttributeName"] for part in index["KeySchema"]]
    kept = {*own, "pk", "sk", *index["Projection"].get("NonKeyAttributes", [])}
    everything = index["Projection"]["ProjectionType"] == "ALL"
    inside = [item for item in items if all(types[name] in item.get(name, {}) for name in own)]
    views = [{name: value for name, value in item.items() if everything or name in kept} for item in inside]
    return sorted(({name: view[name] for name in sorted(view)} for view in views), key=str)


def check(client, note):
    table = wait_at_rest(client)
    items = rows(client, ConsistentRead=True)
    for index in table.get("GlobalSecondaryIndexes", []) + table["LocalSecondaryIndexes"]:
        found = rows(client, IndexName=index["IndexName"])
        found = sorted(({name: row[name] for name in sorted(row)} for row in found), key=str)
        assert found == expected_rows(items, table, index), f"{note}: {index['IndexName']} is not what the items say"
    return items


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "alive"])
def test_indexes_agree_after_random_traffic(killed):
    with running_server(in_memory=not killed) as server:
        make_table(server.client())
        written = 0
        for round_ in range(ROUNDS):
            run_round(server, f"{SEED} {killed} {round_}", killed)
            if killed:
                server.start()
            written += len(check(server.client(), f"seed {SEED}, round {round_}"))
        assert written, "the traffic wrote nothing"
