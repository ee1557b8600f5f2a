"""kill -9 at random moments: what was acknowledged is there, whole, and the server is soon back.

The moments come from a seed. PARTITA_CRASH_SEED chooses another; every failure names the one that was used.
"""

import os
import pathlib
import random
import re
import tempfile
import threading
import time

import botocore.exceptions
import packages
import pytest
from common import create_table, index
from server import running_server

SEED = int(os.environ.get("PARTITA_CRASH_SEED", "2018"))
ROUNDS = 5
THREADS = 4
READY_S = 20  # of milliseconds that it takes: machines may be busy
LOST_CONNECTION = (botocore.exceptions.ConnectionError, botocore.exceptions.HTTPClientError)


@pytest.fixture(scope="module")
def batches():
    """The Debian packages of this machine as batches; where apt has no lists, generated ones of the same kind."""
    try:
        items = packages.items(packages.package_index())
    except SystemExit:
        items = [
            {
                "Section": {"S": f"section {n % 50}"},
                "PackageVersion": {"S": f"package-{n}#1.0-1"},
                "Maintainer": {"S": f"maintainer {n % 900}"},
                "Description": {"S": f"generated {n} " * (n % 100)},
            }
            for n in range(60_000)
        ]
    random.Random(SEED).shuffle(items)
    return [items[i : i + packages.BATCH] for i in range(0, len(items), packages.BATCH)]


@pytest.fixture
def data_dir():
    with tempfile.TemporaryDirectory(prefix="partita-crash-") as directory:
        yield pathlib.Path(directory)


def run_until_killed(server, work, moment):
    """Runs `work(client)` over and over in several threads, and kills the server `moment` seconds after the first was
    acknowledged."""
    failures, acknowledged = [], threading.Event()

    def body(client):
        try:
            while work(client):
                acknowledged.set()
        except LOST_CONNECTION:
            pass  # The server is dead: what was not answered may or may not have happened.
        except Exception as failure:  # pylint: disable=broad-except
            failures.append(failure)

    threads = [threading.Thread(target=body, args=[server.client()]) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    in_time = acknowledged.wait(30)
    time.sleep(moment)
    server.kill()
    for thread in threads:
        thread.join()
    assert failures == []
    assert in_time, "nothing was acknowledged"


def restart(server):
    """Starts the server on the same directory, and checks that it is soon ready."""
    client = server.client()  # It comes back on the same port. Making a client takes longer than the server's start.
    started = time.monotonic()
    server.start()
    client.list_tables()
    took = time.monotonic() - started
    print(f"ready after {took * 1000:.0f} ms")
    assert took < READY_S, f"ready only after {took:.2f} s (seed {SEED})"


def identity(item):
    return item["Section"]["S"], item["PackageVersion"]["S"]


def plain(item):
    """An item with its numbers in canonical form, as a database returns them."""
    return {name: {"N": str(int(value["N"]))} if "N" in value else value for name, value in item.items()}


def stored(client, **more):
    return [item for page in packages.pages(client.scan, **more) for item in page["Items"]]


class Load:
    """A load of batches by many threads, which remembers what was sent and what was acknowledged."""

    def __init__(self, batches):
        self._next = iter(batches)
        self._lock = threading.Lock()
        self.sent, self.acknowledged = [], []

    def write_one(self, client):
        with self._lock:
            batch = next(self._next, None)
            if batch is None:
                return False
            self.sent.append(batch)
        packages.write_batch(client, batch)
        with self._lock:
            self.acknowledged.append(batch)
        return True

    def check(self, client, note):
        """Everything acknowledged is there and equal; nothing is there that was not sent; the index agrees."""
        known = {identity(item): item for batch in self.sent for item in batch}
        found = {identity(item): item for item in stored(client, ConsistentRead=True)}
        for batch in self.acknowledged:
            lost = [identity(item) for item in batch if identity(item) not in found]
            assert not lost, f"{note}: acknowledged and lost: {lost[:3]}"
        wrong = [key for key, item in found.items() if key not in known or item != plain(known[key])]
        assert not wrong, f"{note}: not as they were written: {wrong[:3]}"
        indexed = {identity(item) for item in stored(client, IndexName="ByMaintainer")}
        assert indexed == found.keys(), f"{note}: the index and the table differ"
        table = client.describe_table(TableName=packages.TABLE)["Table"]
        counts = [table["ItemCount"]] + [one["ItemCount"] for one in table["GlobalSecondaryIndexes"]]
        assert counts == [len(found)] * len(counts), f"{note}: counted wrong"


def test_a_killed_load_keeps_every_acknowledged_batch(batches, data_dir):
    chance = random.Random(SEED)
    load = Load(batches)
    with running_server(data_dir=data_dir) as server:
        by_maintainer = index("ByMaintainer", packages.BY_MAINTAINER, projection="KEYS_ONLY")
        create_table(
            server.client(),
            packages.TABLE,
            packages.KEY,
            [packages.BY_MAINTAINER],
            GlobalSecondaryIndexes=[by_maintainer],
        )
        for round_ in range(ROUNDS):
            moment = chance.uniform(0, 1.5)
            run_until_killed(server, load.write_one, moment)
            restart(server)
            note = f"seed {SEED}, round {round_}, killed after {moment:.3f} s"
            load.check(server.client(), note)


def test_a_killed_hot_counter_loses_and_doubles_nothing(data_dir):
    """All threads add to one item. Afterwards it holds every acknowledged increment, and at most one more of each."""
    chance = random.Random(SEED + 1)
    key = {"Id": {"S": "hot"}}
    lock = threading.Lock()
    acknowledged = []

    def add_one(client):
        updated = client.update_item(
            TableName="HotCounter",
            Key=key,
            UpdateExpression="ADD Hits :one",
            ExpressionAttributeValues={":one": {"N": "1"}},
            ReturnValues="UPDATED_NEW",
        )
        with lock:
            acknowledged.append(int(updated["Attributes"]["Hits"]["N"]))
        return True

    with running_server(data_dir=data_dir) as server:
        create_table(server.client(), "HotCounter", {"Id": "S"})
        base = 0
        for round_ in range(ROUNDS):
            acknowledged.clear()
            moment = chance.uniform(0, 1)
            run_until_killed(server, add_one, moment)
            restart(server)
            note = f"seed {SEED}, round {round_}, killed after {moment:.3f} s"
            item = server.client().get_item(TableName="HotCounter", Key=key, ConsistentRead=True).get("Item")
            hits = int(item["Hits"]["N"]) if item else 0
            assert len(set(acknowledged)) == len(acknowledged), f"{note}: two were given the same count"
            assert max(acknowledged) <= hits, f"{note}: an acknowledged increment is gone"
            assert len(acknowledged) <= hits - base <= len(acknowledged) + THREADS, note
            base = hits


def fill_and_add_index(client, load):
    create_table(client, packages.TABLE, packages.KEY)
    while load.write_one(client):
        pass
    client.update_table(
        TableName=packages.TABLE,
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": kind} for name, kind in packages.BY_MAINTAINER.items()
        ],
        GlobalSecondaryIndexUpdates=[{"Create": index("ByMaintainer", packages.BY_MAINTAINER, projection="KEYS_ONLY")}],
    )


def wait_for_index(client, enough):
    """Waits until `enough(index, table)`, both as DescribeTable has them; the index."""
    deadline = time.monotonic() + 30
    while True:
        table = client.describe_table(TableName=packages.TABLE)["Table"]
        (made,) = table["GlobalSecondaryIndexes"]
        if enough(made, table):
            return made
        assert time.monotonic() < deadline, made
        time.sleep(0.01)


def is_whole(made, table):
    return made["IndexStatus"] == "ACTIVE" and made["ItemCount"] == table["ItemCount"]


def test_a_killed_index_fill_goes_on(batches, data_dir):
    chance = random.Random(SEED + 2)
    load = Load(batches[:400])
    with running_server(data_dir=data_dir) as server:
        fill_and_add_index(server.client(), load)
        note = f"seed {SEED}"
        for _ in range(2):
            moment = chance.uniform(0, 0.2)
            note += f", killed after {moment:.3f} s"
            time.sleep(moment)
            server.kill()
            restart(server)
        client = server.client()
        wait_for_index(client, is_whole)
        load.check(client, note)


def test_a_killed_index_fill_begins_where_it_was(batches, data_dir):
    """DescribeTable says how far it is; after a kill it does only what is left, and says so in the log."""
    load = Load(batches[:600])
    with running_server(data_dir=data_dir) as server:
        fill_and_add_index(server.client(), load)
        behind = 0
        for kill in range(1, 3):
            made = wait_for_index(server.client(), lambda made, _: made["ItemCount"] > behind)
            assert (made["IndexStatus"], made["Backfilling"]) == ("CREATING", True), "it was filled before it was killed"
            server.kill()
            server.start()
            wait_for_index(server.client(), lambda *_: server.log().count(" goes on behind ") == kill)
            behind = int(re.findall(r"filling index 1 of table \w+ goes on behind (\d+) items", server.log())[-1])
            assert behind >= made["ItemCount"]
        made = wait_for_index(server.client(), is_whole)
        (done,) = re.findall(r"filling index 1 of table \w+: done, (\d+) rows", server.log())
        assert int(done) == made["ItemCount"] == sum(len(batch) for batch in load.sent)
        load.check(server.client(), "killed twice")
