"""kill -9 of PostgreSQL and of servers over it: what was acknowledged is there, counted exactly once.

PARTITA_KILLS says how often one of three servers is killed (4).
"""

import contextlib
import os
import threading
import time

import botocore.exceptions
import pytest
from postgres import running_postgres
from server import running_server

TABLE = {
    "TableName": "counts",
    "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "name", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
CALLERS = 6
KILLS = int(os.environ.get("PARTITA_KILLS", "4"))
LOST_CONNECTION = (botocore.exceptions.ConnectionError, botocore.exceptions.HTTPClientError)


class Caller(threading.Thread):
    """Puts an item of its own and counts up a shared one, by turns, until told to stop.

    Where a server is gone it goes on with the next. `stall_s` is the longest time between two answers."""

    def __init__(self, servers, number, stop):
        super().__init__()
        self.clients = [server.client() for server in servers]
        self.number, self.stop = number, stop
        self.turn = number
        self.counted = self.put = self.doubtful = 0
        self.stall_s = 0
        self.refusals = []

    def run(self):
        answered = time.monotonic()
        while not self.stop.is_set():
            try:
                self.call(self.clients[self.turn % len(self.clients)])
                answered, before = time.monotonic(), answered
                self.stall_s = max(self.stall_s, answered - before)
            except LOST_CONNECTION:
                self.doubtful += 1
                self.turn += 1
                time.sleep(0.05)
            except botocore.exceptions.ClientError as error:
                self.refusals.append(str(error))

    def call(self, client):
        client.put_item(TableName="counts", Item={"name": {"S": f"{self.number}/{self.put}"}})
        self.put += 1
        client.update_item(
            TableName="counts",
            Key={"name": {"S": "shared"}},
            UpdateExpression="ADD n :one",
            ExpressionAttributeValues={":one": {"N": "1"}},
        )
        self.counted += 1


def check(server, callers):
    """That all is there that was acknowledged, and nothing twice. Prints what there was."""
    assert not [refusal for caller in callers for refusal in caller.refusals]
    pages = server.client().get_paginator("scan").paginate(TableName="counts", ConsistentRead=True)
    items = {item["name"]["S"]: item for page in pages for item in page["Items"]}
    puts = [f"{caller.number}/{n}" for caller in callers for n in range(caller.put)]
    assert not [put for put in puts if put not in items]
    counted = sum(caller.counted for caller in callers)
    doubtful = sum(caller.doubtful for caller in callers)
    assert counted > 0
    assert counted <= int(items["shared"]["n"]["N"]) <= counted + doubtful
    stall_s = max(caller.stall_s for caller in callers)
    print(f"{len(puts) + counted} acknowledged, {doubtful} without an answer, longest stall {stall_s:.2f} s")


@pytest.fixture
def callers_on():
    """Starts callers on servers; all are ended with the test."""
    stop = threading.Event()
    started = []

    def start(servers_of):
        callers = [Caller(servers_of(n), n, stop) for n in range(CALLERS)]
        for caller in callers:
            caller.start()
        started.extend(callers)
        return callers

    def end():
        stop.set()
        for caller in started:
            caller.join()

    start.end = end
    yield start
    end()


def test_nothing_acknowledged_is_lost(callers_on):
    with contextlib.ExitStack() as running:
        postgres = running.enter_context(running_postgres())
        one, other = [running.enter_context(running_server(store=postgres.url)) for _ in range(2)]
        one.client().create_table(**TABLE)
        callers = callers_on(lambda n: [(one, other)[n % 2]])
        for _ in range(3):
            time.sleep(0.7)
            postgres.kill()
            postgres.start()
        time.sleep(0.7)
        other.kill()
        other.start()
        time.sleep(0.7)
        callers_on.end()
        check(one, callers)


def kills_by_turns(servers):
    """Yields the number of each kill once the server is back."""
    for turn in range(KILLS):
        server = servers[turn % len(servers)]
        time.sleep(1)
        server.kill()
        time.sleep(0.5)
        server.start()
        yield turn


def test_servers_that_are_killed_by_turns_are_not_missed(callers_on):
    with contextlib.ExitStack() as running:
        postgres = running.enter_context(running_postgres())
        servers = [running.enter_context(running_server(store=postgres.url)) for _ in range(3)]
        servers[0].client().create_table(**TABLE)
        callers = callers_on(lambda _: servers)
        for _ in kills_by_turns(servers):
            pass
        callers_on.end()
        check(servers[0], callers)


def test_a_promoted_standby_has_all_that_was_acknowledged(callers_on):
    with contextlib.ExitStack() as running:
        primary = running.enter_context(running_postgres())
        standby = running.enter_context(running_postgres(primary=primary))
        primary.wait_for_standby()
        store = f"{primary.url},{standby.directory}"
        servers = [running.enter_context(running_server(store=store)) for _ in range(3)]
        servers[0].client().create_table(**TABLE)
        callers = callers_on(lambda _: servers)
        for turn in kills_by_turns(servers):
            if turn == KILLS // 2:
                time.sleep(0.5)
                primary.kill()
                standby.promote()
        time.sleep(1)
        callers_on.end()
        check(servers[0], callers)
