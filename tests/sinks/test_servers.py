"""Sinks of servers that share a store, while servers and other ends are killed, and suspended for longer than a lease.

Two sinks go at once: a search engine, whose documents are the items at the end, and a hook, which has each change at
the end, those of an item in their order. PARTITA_SINK_CHANGES says how many changes (default 6,000, with 4 kills of
Partita, 2 suspensions of who carries a sink, and 1 kill of the other ends; 200,000 or more: 24, 12 and 6).
PARTITA_SINK_SERVERS is the store: postgres and foundationdb have three servers, rocksdb has one. PARTITA_SINK_ENGINE
is as for test_storm.py.
"""

import collections
import contextlib
import os
import random
import signal
import threading
import time

import foundationdb
import pytest
from documents import difference, expected_documents
from fake_search import running_fake_search
from pages import samples
from postgres import running_postgres
from receiver import running_receiver_program
from search_engines import is_installed, running_search_engine
from server import running_server
from sinks import create_sink, sink, sinks_of
from test_storm import KINDS, NAMES, TABLE, Caller, Writer, all_have_expired, create_table

CHANGES = int(os.environ.get("PARTITA_SINK_CHANGES", 6_000))
ENGINE = os.environ.get("PARTITA_SINK_ENGINE", "opensearch" if is_installed("opensearch") and CHANGES > 6_000 else "fake")
STORES = os.environ.get("PARTITA_SINK_SERVERS", "postgres rocksdb foundationdb").split()
LARGE = CHANGES >= 200_000
KILLS = 24 if LARGE else 4
ENDS_EVERY = 4  # kills: one of the other ends
SUSPENDED_S = 4.5  # at least; a lease lasts 3 s
FILLS_EVERY = 8
CATCH_UP_S = 600 if LARGE else 120
WRITERS = 6
COUNTERS = 3
COUNTED_ITEMS = 40
COUNTED = "counted"


class Threads:
    """They change items until the block ends, each with a server of its own, whatever becomes of the servers."""

    def __init__(self, servers):
        self.writers = [Writer(servers[number % len(servers)], number) for number in range(WRITERS)]
        self.counted = [0] * COUNTERS
        self._stop = threading.Event()
        self._faults = []
        work = [writer.change for writer in self.writers]
        work += [self._counter(servers[number % len(servers)], number) for number in range(COUNTERS)]
        self._threads = [threading.Thread(target=self._work, args=(each,)) for each in work]

    def _counter(self, server, number):
        """All of them change the same items. What has no answer may be done once, also later."""
        caller, chance = Caller(server), random.Random(number)

        def add():
            reply = caller.call("UpdateItem", TableName=COUNTED, Key={"p": {"S": f"i{chance.randrange(COUNTED_ITEMS)}"}},
                                UpdateExpression="ADD n :one", ExpressionAttributeValues={":one": {"N": "1"}})
            self.counted[number] += reply is not None
            time.sleep(0.002)

        return add

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()
        assert not self._faults, self._faults[0]

    def _work(self, change):
        while not self._stop.is_set() and not self._faults:
            try:
                change()
            except Exception as error:  # whatever it is, the test fails with it
                self._faults.append(error)

    def by_kind(self):
        return sum((each.done for each in self.writers), collections.Counter())

    def done(self):
        return sum(self.by_kind().values()) + sum(self.counted)

    def wait_for(self, changes):
        while self.done() < changes and not self._faults:
            time.sleep(0.05)


class Storm:
    def __init__(self, servers, engine, receiver):
        self.servers, self.engine, self.receiver = servers, engine, receiver
        self.chance = random.Random(5)
        self.figures = collections.Counter()

    def owner_of(self, name, others=()):
        """The server that carries that sink, as its metrics say. `others`: not asked."""
        deadline = time.monotonic() + CATCH_UP_S
        while True:
            for server in self.servers:
                if server not in others and any(metric == "partita_sink_state" and ("sink", name) in labels
                                                for metric, labels in samples(server)):
                    return server
            assert time.monotonic() < deadline, f"nobody carries {name}"
            time.sleep(0.05)

    def suspend_owner(self, name):
        """Until another server carries the sink, or for longer than a lease where there is no other."""
        owner, began = self.owner_of(name), time.monotonic()
        owner.process.send_signal(signal.SIGSTOP)
        try:
            if len(self.servers) > 1:
                self.owner_of(name, others=[owner])
                self.figures["taken over"] += 1
            time.sleep(max(0, SUSPENDED_S + self.chance.uniform(0, 2) - (time.monotonic() - began)))
        finally:
            owner.process.send_signal(signal.SIGCONT)
        self.figures["suspended"] += 1

    def suspend_ends(self):
        for each in (self.engine, self.receiver):
            each.process.send_signal(signal.SIGSTOP)
        time.sleep(SUSPENDED_S)
        for each in (self.engine, self.receiver):
            each.process.send_signal(signal.SIGCONT)
        self.figures["other ends suspended"] += 1

    def kill(self, server, ends):
        if ends:
            self.engine.kill()
            self.receiver.kill()
            time.sleep(self.chance.uniform(0, 1))
            self.figures["other ends killed"] += 1
        server.kill()
        time.sleep(self.chance.choice((0, 0, 4)))  # shorter than a lease, and longer
        server.start()
        self.figures["killed"] += 1
        if ends:
            self.engine.start()
            self.receiver.start()

    def rage(self, threads):
        sinks = (self.engine.name, "hook")
        for number in range(1, KILLS + 1):
            time.sleep(self.chance.uniform(0.3, 1.5))  # what is sent meanwhile differs
            threads.wait_for(CHANGES * number // (KILLS + 1))
            if number % 2 == 0:
                self.suspend_owner(sinks[number // 2 % 2])
            if number % ENDS_EVERY == 1:
                self.suspend_ends()
            victims = [lambda: self.owner_of(sinks[0]), lambda: self.owner_of(sinks[1]),
                       lambda: self.servers[number % len(self.servers)]]
            self.kill(victims[number % 3](), ends=number % ENDS_EVERY == 3)
            if number % FILLS_EVERY == 3:
                sink(self.servers[0], "retry", TABLE, self.engine.name, "--fill")
                self.figures["fills"] += 1
        threads.wait_for(CHANGES)


def wait_for_equality(storm):
    deadline = time.monotonic() + CATCH_UP_S
    while True:
        expected = expected_documents(storm.servers[0].client(), TABLE, NAMES)
        status, _ = storm.engine.ask("GET", f"/{TABLE}")
        found = storm.engine.documents(TABLE) if status == 200 else {}
        states = [each["State"] for each in sinks_of(storm.servers[0])]
        if found == expected and states == ["CARRYING"] * 2:
            return len(found)
        assert time.monotonic() < deadline, f"{difference(expected, found)}; {sinks_of(storm.servers[0])}"
        time.sleep(0.2)


def wait_for_all_changes(storm):
    """Of each item all values of its counter arrive, in their order if only the first arrival of each counts."""
    pages = storm.servers[0].client().get_paginator("scan").paginate(TableName=COUNTED, ConsistentRead=True)
    expected = {item["p"]["S"]: int(item["n"]["N"]) for page in pages for item in page["Items"]}
    deadline = time.monotonic() + CATCH_UP_S
    while True:
        taken = storm.receiver.taken()
        first = collections.defaultdict(dict)
        for key, value in taken:
            first[key].setdefault(value)
        if sum(map(len, first.values())) >= sum(expected.values()):
            break
        missing = {key: n - len(first[key]) for key, n in expected.items() if n > len(first[key])}
        assert time.monotonic() < deadline, missing
        time.sleep(0.2)
    for key, count in expected.items():
        assert list(first[key]) == list(range(1, count + 1)), key
    storm.figures["changes of the hook"] = sum(expected.values())
    storm.figures["arrivals at the hook"] = len(taken)
    # What a suspended server sends late: not lost, and nothing that a receiver may not get.
    storm.figures["items whose last arrival is not their newest"] = sum(dict(taken)[key] != n for key, n in expected.items())


@contextlib.contextmanager
def running_servers(store, directory):
    """One on RocksDB; three that share any other store."""
    with contextlib.ExitStack() as running:
        if store == "rocksdb":
            yield [running.enter_context(running_server(data_dir=directory / "data"))]
            return
        url = running.enter_context(running_postgres()).url if store == "postgres" else foundationdb.new_store()
        sockets = [directory / f"admin{number}.sock" for number in range(3)]
        yield [running.enter_context(running_server(store=url, data_dir=each, extra_args=["--admin-socket", str(each)]))
               for each in sockets]


@contextlib.contextmanager
def running_ends(directory):
    with running_fake_search() if ENGINE == "fake" else running_search_engine(ENGINE) as engine, \
            running_receiver_program(directory) as receiver:
        yield engine, receiver


def create_counted(client):
    client.create_table(TableName=COUNTED, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}],
                        AttributeDefinitions=[{"AttributeName": "p", "AttributeType": "S"}])


@pytest.mark.parametrize("store", STORES)
def test_servers_lose_nothing(store, tmp_path):
    if store == "foundationdb" and foundationdb.WITHOUT_CLUSTER["condition"]:
        pytest.skip(foundationdb.WITHOUT_CLUSTER["reason"])
    with running_ends(tmp_path) as (engine, receiver), running_servers(store, tmp_path) as servers:
        create_table(servers[0])
        create_counted(servers[0].client())
        create_sink(servers[0], TABLE, engine.sink_url, "--index", TABLE)
        create_sink(servers[0], COUNTED, receiver.url, "--name", "hook", "--set", "ParallelizationFactor=4")
        storm, began = Storm(servers, engine, receiver), time.monotonic()
        with Threads(servers) as threads:
            storm.rage(threads)
        wrote_s = time.monotonic() - began
        while not all_have_expired(servers[0].client()):
            assert time.monotonic() - began - wrote_s < CATCH_UP_S, "items whose time is over are there"
            time.sleep(0.1)
        documents = wait_for_equality(storm)
        wait_for_all_changes(storm)
        print(f"\n{store}, {len(servers)} servers, {ENGINE}: {threads.done()} changes in {wrote_s:.0f} s, equal "
              f"{time.monotonic() - began - wrote_s:.0f} s later; {documents} documents; {dict(storm.figures)}")
        assert storm.figures["suspended"] >= 2 and storm.figures["other ends killed"] >= 1, storm.figures
        done = threads.by_kind()
        assert all(done[kind] for kind, _ in KINDS), done
        assert all(each["Rejected"] == 0 for each in sinks_of(servers[0])), sinks_of(servers[0])
        sink(servers[0], "verify", TABLE, engine.name)  # fails if they differ
