"""Callers that count what servers over one store acknowledge, while servers are killed.

PARTITA_KILLS says how often one of three servers is killed (4).
"""

import os
import threading
import time

import botocore.exceptions
import pytest

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


def kills_by_turns(servers):
    """Yields the number of each kill once the server is back."""
    for turn in range(KILLS):
        server = servers[turn % len(servers)]
        time.sleep(1)
        server.kill()
        time.sleep(0.5)
        server.start()
        yield turn
