"""Servers that share the capacity of a table, while one joins and one is killed (--capacity enforce)."""

import contextlib
import threading
import time

import foundationdb
import pytest
from botocore.exceptions import ClientError
from postgres import store_arguments
from server import running_server
from waiting import wait_until

UNITS = 4  # a second
BURST = 300 * UNITS
# docs/capacity.md: the share of a killed server lies idle for that long.
USED_AFTER_S = 2.5
TABLE = {
    "TableName": "shared",
    "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "name", "AttributeType": "S"}],
    "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": UNITS},
}
ENGINES = ["postgres", pytest.param("foundationdb", marks=pytest.mark.skipif(**foundationdb.WITHOUT_CLUSTER))]


class Writer(threading.Thread):
    """Writes as much as its server admits. `admitted`: for each write, when it was sent and answered."""

    def __init__(self, server, stop):
        super().__init__()
        self.client, self.stop = server.client(), stop
        self.admitted, self.errors = [], []
        self.start()

    def run(self):
        while not self.stop.is_set():
            sent = time.monotonic()
            try:
                self.client.put_item(TableName="shared", Item={"name": {"S": f"{self.ident}/{len(self.admitted)}"}})
                self.admitted.append((sent, time.monotonic()))
            except ClientError as error:
                if error.response["Error"]["Code"] != "ProvisionedThroughputExceededException":
                    self.errors.append(error)
                time.sleep(0.02)


def most_beyond_rate(writes):
    """The level of a bucket that every write fills with one, and that leaks at the table's rate: at its highest."""
    level, highest, before = 0, 0, 0
    for _, answered in sorted(writes):
        level = max(0, level - UNITS * (answered - before)) + 1
        highest, before = max(highest, level), answered
    return highest


@pytest.mark.parametrize("engine", ENGINES)
def test_servers_admit_together_what_one_would(engine):
    with contextlib.ExitStack() as running:
        store = running.enter_context(store_arguments(engine))
        stops, writers, servers = [], [], []

        def start():
            servers.append(running.enter_context(running_server(extra_args=["--capacity", "enforce"], **store)))
            if len(servers) == 1:
                servers[0].client().create_table(**TABLE)
            stops.append(threading.Event())
            running.callback(stops[-1].set)
            writers.append(Writer(servers[-1], stops[-1]))

        def writes():
            return [write for writer in writers for write in list(writer.admitted)]

        def admitted(begin, end):
            return sum(begin <= answered < end for _, answered in writes())

        def is_drained():
            now = time.monotonic()
            return len(writes()) > BURST / 2 and admitted(now - 3, now) <= 5 * UNITS

        start()
        start()
        wait_until(is_drained, lambda: f"{len(writes())} writes, and the burst is not used up")
        start()
        time.sleep(5)
        # Each of the servers is needed for the whole rate.
        now = time.monotonic()
        for writer in writers:
            assert any(answered > now - 4 for _, answered in writer.admitted), [len(each.admitted) for each in writers]

        stops[0].set()
        writers[0].join()
        servers[0].kill()
        began = time.monotonic() + USED_AFTER_S
        time.sleep(USED_AFTER_S + 10)
        used = admitted(began, began + 10)
        for stop in stops:
            stop.set()
        for writer in writers:
            writer.join()
        assert not [error for writer in writers for error in writer.errors]
        # Four fifths, for a machine that is busy with other things. Two of three shares are fewer.
        assert used >= 8 * UNITS, used
        # Each server may admit one write beyond its bucket, and is asked for one at a time. An answer is late by as
        # much as the slowest request took, while the bucket fills.
        slowest = max(answered - sent for sent, answered in writes())
        assert most_beyond_rate(writes()) <= BURST + len(servers) + UNITS * slowest, len(writes())


def test_a_server_that_was_stopped_begins_alone_with_a_full_bucket():
    with store_arguments("postgres") as store:
        for turn in range(2):
            with running_server(extra_args=["--capacity", "enforce"], **store) as server:
                client = server.client()
                if turn == 0:
                    client.create_table(**TABLE)
                for number in range(BURST * 3 // 4):
                    client.put_item(TableName="shared", Item={"name": {"S": str(number)}})
