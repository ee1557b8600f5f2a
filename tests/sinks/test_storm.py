"""Changes of all kinds by eight writers while a table is filled, with Partita and the engine killed again and again: at
the end the documents are the items.

PARTITA_SINK_CHANGES says how many changes (default 20,000, with 4 kills of Partita and 1 of the engine; 1,000,000 takes
about a quarter of an hour, with 24 and 6). PARTITA_SINK_ENGINE is opensearch, elasticsearch or fake; by default
OpenSearch where tests/sinks has fetched it before, and otherwise fake_search.py.
"""

import collections
import contextlib
import http.client
import json
import os
import random
import signal
import threading
import time

from documents import difference, expected_documents
from fake_search import running_fake_search
from search_engines import is_installed, running_search_engine
from server import running_server
from sinks import create_sink, sink, sinks_of
from store_content import SIGNED

CHANGES = int(os.environ.get("PARTITA_SINK_CHANGES", 20_000))
ENGINE = os.environ.get("PARTITA_SINK_ENGINE", "opensearch" if is_installed("opensearch") else "fake")
LARGE = CHANGES >= 1_000_000
KILLS = 24 if LARGE else 4
ENGINE_KILLS_EVERY = 4
FILLS_EVERY = 6  # kills; beside the first one
SUSPENDED_S = 2 if LARGE else 0.5
KEYS = 60_000 if LARGE else 3_000
ITEMS = 100_000 if LARGE else 3_000  # before there is a sink
WRITERS = 8
CATCH_UP_S = 600 if LARGE else 120
TABLE = "storm"
NAMES = ("p", "s")
EXPECTED = {"ConditionalCheckFailedException", "TransactionCanceledException", "TransactionConflictException",
            "DuplicateItemException"}


class Refused(Exception):
    """A reply that is neither a success nor due to a server that is going or coming."""


class Caller:
    """Calls of one writer, over a connection of its own that is made again when the server is."""

    def __init__(self, server):
        self.server = server
        self.connection = None

    def call(self, operation, **members):
        """The reply; None if the server is down, or refused for a reason that writers must expect."""
        headers = {"X-Amz-Target": f"DynamoDB_20120810.{operation}", "Content-Type": "application/x-amz-json-1.0",
                   "Authorization": SIGNED, "X-Amz-Date": "20260101T000000Z"}
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
            self.connection.request("POST", "/", json.dumps(members), headers)
            reply = self.connection.getresponse()
            body = json.loads(reply.read())
        except (OSError, http.client.HTTPException, ValueError):
            self.connection = None
            time.sleep(0.02)
            return None
        if reply.status == 200:
            return body
        if reply.status < 500 and body.get("__type", "").split("#")[-1] not in EXPECTED:
            raise Refused(f"{operation}: {body}")
        return None


class Writer:
    """One of the eight. `done` counts the changes that were answered, by their kind."""

    def __init__(self, server, number):
        self.caller = Caller(server)
        self.chance = random.Random(number)
        self.done = collections.Counter()

    def key(self):
        number = self.chance.randrange(KEYS)
        return {"p": {"S": f"p{number % 97}"}, "s": {"S": f"s{number}"}}

    def keys(self, count):
        return [dict(zip(NAMES, ({"S": p}, {"S": s}))) for p, s in {(each["p"]["S"], each["s"]["S"]) for each in
                                                                    (self.key() for _ in range(count))}]

    def item(self, key=None):
        chance = self.chance
        return {**(key or self.key()), "n": {"N": str(chance.randrange(10**9))}, "text": {"S": "x" * chance.randrange(60)},
                "tags": {"SS": ["b", "a"]}, "map": {"M": {"one": {"N": "1.5"}, "two": {"BOOL": True}}}}

    def change(self):
        kind, call = self.chance.choice(KINDS)
        answered = call(self)
        if answered:
            self.done[kind] += answered

    def put(self):
        return self.caller.call("PutItem", TableName=TABLE, Item=self.item()) is not None

    def update(self):
        return self.caller.call("UpdateItem", TableName=TABLE, Key=self.key(), UpdateExpression="ADD n :n REMOVE #t",
                                ExpressionAttributeNames={"#t": "text"}, ExpressionAttributeValues={":n": {"N": "1"}}) is not None

    def delete(self):
        return self.caller.call("DeleteItem", TableName=TABLE, Key=self.key()) is not None

    def put_if_absent(self):
        return self.caller.call("PutItem", TableName=TABLE, Item=self.item(),
                                ConditionExpression="attribute_not_exists(p)") is not None

    def batch(self):
        requests = [{"DeleteRequest": {"Key": key}} if self.chance.randrange(4) == 0 else {"PutRequest": {"Item": self.item(key)}}
                    for key in self.keys(25)]
        return self.written(requests)

    def expiring(self):
        """Items that time to live deletes: some at once, some after seconds."""
        now = int(time.time())
        requests = [{"PutRequest": {"Item": {**self.item(key), "expires": {"N": str(now + self.chance.randrange(-60, 4))}}}}
                    for key in self.keys(10)]
        return self.written(requests)

    def written(self, requests):
        reply = self.caller.call("BatchWriteItem", RequestItems={TABLE: requests})
        return 0 if reply is None else len(requests) - sum(map(len, reply["UnprocessedItems"].values()))

    def transaction(self):
        keys = self.keys(9)
        actions = [self.action(number % 3, key) for number, key in enumerate(keys)]
        return 0 if self.caller.call("TransactWriteItems", TransactItems=actions) is None else len(keys)

    def action(self, which, key):
        if which == 0:
            return {"Put": {"TableName": TABLE, "Item": self.item(key)}}
        if which == 1:
            return {"Delete": {"TableName": TABLE, "Key": key}}
        return {"Update": {"TableName": TABLE, "Key": key, "UpdateExpression": "SET n = :n",
                           "ExpressionAttributeValues": {":n": {"N": str(self.chance.randrange(99))}}}}

    def statement(self, key):
        which = self.chance.randrange(3)
        if which == 0:
            return {"Statement": f"INSERT INTO \"{TABLE}\" VALUE {{'p': ?, 's': ?, 'n': 5}}", "Parameters": [key["p"], key["s"]]}
        text = f'UPDATE "{TABLE}" SET n = 7' if which == 1 else f'DELETE FROM "{TABLE}"'
        return {"Statement": f"{text} WHERE p = ? AND s = ?", "Parameters": [key["p"], key["s"]]}

    def partiql(self):
        return self.caller.call("ExecuteStatement", **self.statement(self.key())) is not None

    def partiql_batch(self):
        reply = self.caller.call("BatchExecuteStatement", Statements=[self.statement(key) for key in self.keys(25)])
        return 0 if reply is None else sum("Error" not in each for each in reply["Responses"])

    def partiql_transaction(self):
        statements = [self.statement(key) for key in self.keys(4)]
        return 0 if self.caller.call("ExecuteTransaction", TransactStatements=statements) is None else len(statements)


KINDS = [("put", Writer.put), ("update", Writer.update), ("delete", Writer.delete), ("condition", Writer.put_if_absent),
         ("transaction", Writer.transaction), ("transaction", Writer.transaction), ("expiring", Writer.expiring),
         ("expiring", Writer.expiring), ("statement", Writer.partiql), ("statements", Writer.partiql_batch),
         ("statements", Writer.partiql_batch), ("statements in a transaction", Writer.partiql_transaction),
         *[("batch", Writer.batch)] * 6]


class Writers:
    """Threads that change items until the block ends, whatever becomes of the server."""

    def __init__(self, server):
        self.writers = [Writer(server, number) for number in range(WRITERS)]
        self._stop = threading.Event()
        self._faults = []
        self._threads = [threading.Thread(target=self._work, args=(each,)) for each in self.writers]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()
        assert not self._faults, self._faults[0]

    def _work(self, writer):
        while not self._stop.is_set() and not self._faults:
            try:
                writer.change()
            except Exception as error:  # whatever it is, the test fails with it
                self._faults.append(error)

    def by_kind(self):
        return sum((each.done for each in self.writers), collections.Counter())

    def wait_for(self, changes):
        """Until so many were answered."""
        while sum(self.by_kind().values()) < changes and not self._faults:
            time.sleep(0.05)


def create_table(server):
    client = server.client()
    client.create_table(TableName=TABLE, BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": each, "AttributeType": "S"} for each in NAMES],
                        KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}])
    client.update_time_to_live(TableName=TABLE, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
    caller = Caller(server)
    items = [{"p": {"S": f"p{i % 97}"}, "s": {"S": f"s{i}"}, "n": {"N": str(i)}} for i in range(ITEMS)]
    for at in range(0, ITEMS, 25):
        requests = [{"PutRequest": {"Item": each}} for each in items[at:at + 25]]
        assert caller.call("BatchWriteItem", RequestItems={TABLE: requests}) is not None


def kill_again_and_again(server, engine, writers):
    """How often the engine was killed."""
    chance, engines = random.Random(11), 0
    for kill in range(1, KILLS + 1):
        time.sleep(chance.uniform(0.5, 2.5))  # what is sent meanwhile differs
        writers.wait_for(CHANGES * kill // (KILLS + 1))
        if kill % 3 == 2:
            server.process.send_signal(signal.SIGSTOP)
            time.sleep(SUSPENDED_S)
            server.process.send_signal(signal.SIGCONT)
        if kill % ENGINE_KILLS_EVERY == 2:
            engines += 1
            engine.kill()
            time.sleep(chance.uniform(0, 1))
        server.kill()
        server.start()
        if kill % ENGINE_KILLS_EVERY == 2:
            engine.start()
        if kill % FILLS_EVERY == FILLS_EVERY - 1:
            sink(server, "retry", TABLE, engine.name, "--fill")
    writers.wait_for(CHANGES)
    # What the last fill misses, few later changes make good.
    sink(server, "retry", TABLE, engine.name, "--fill")
    deadline = time.monotonic() + CATCH_UP_S
    while sinks_of(server)[0]["State"] != "CARRYING":
        assert time.monotonic() < deadline, sinks_of(server)
    return engines


def wait_for_equality(server, engine):
    deadline = time.monotonic() + CATCH_UP_S
    client = server.client()
    while True:
        expected = expected_documents(client, TABLE, NAMES)
        status, _ = engine.ask("GET", f"/{TABLE}")
        found = engine.documents(TABLE) if status == 200 else {}
        if found == expected and sinks_of(server)[0]["State"] == "CARRYING":
            return len(found)
        assert time.monotonic() < deadline, f"{difference(expected, found)}; {sinks_of(server)}"
        time.sleep(0.2)


def all_have_expired(client):
    """Also those whose time comes after the last write: what they delete changes what is compared."""
    pages = client.get_paginator("scan").paginate(TableName=TABLE, FilterExpression="attribute_exists(expires)",
                                                  Select="COUNT", ConsistentRead=True)
    return not any(page["Count"] for page in pages)


@contextlib.contextmanager
def running_engine():
    with running_fake_search() if ENGINE == "fake" else running_search_engine(ENGINE) as engine:
        yield engine


def test_a_storm(tmp_path):
    with running_engine() as engine, running_server(data_dir=tmp_path) as server:
        create_table(server)
        create_sink(server, TABLE, engine.sink_url, "--index", TABLE)
        began = time.monotonic()
        with Writers(server) as writers:
            engines = kill_again_and_again(server, engine, writers)
        wrote_s = time.monotonic() - began
        done = writers.by_kind()
        while not all_have_expired(server.client()):
            assert time.monotonic() - began - wrote_s < CATCH_UP_S, "items whose time is over are there"
            time.sleep(0.1)
        documents = wait_for_equality(server, engine)
        [carried] = sinks_of(server)
        print(f"\n{ENGINE}: {sum(done.values())} changes in {wrote_s:.0f} s, equal {time.monotonic() - began - wrote_s:.0f} s "
              f"later; {documents} documents; {KILLS} kills of Partita, {engines} of the engine; {dict(done)}; "
              f"{carried['Sent']} sent, {carried['Conflicts']} conflicts")
        assert engines >= 1 and all(done[kind] for kind, _ in KINDS), done
        assert carried["Rejected"] == 0, carried
        sink(server, "verify", TABLE, carried["SinkName"])  # fails if they differ
