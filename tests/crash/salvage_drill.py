"""Disaster drill: random damage to all kinds of files of a store, and what `partita salvage` makes of it.

    python3 tests/crash/salvage_drill.py --megabytes 100 --seeds 20

For each seed a copy of the store is damaged in 1 to 100 places. Salvage must keep at least 99 % of the items that the
damaged store itself can still read, never a wrong or foreign item, and say so when something is lost; and the saved
store must pass `partita verify`. Where the damaged store is refused because of its logs or its lists, the same damage
to its table files alone says what is readable, and items written to the log alone do not count. Where that is refused
too, because of an index, a footer or the catalogue, it is the same damage to the items in the large tables.
"""

import argparse
import collections
import contextlib
import dataclasses
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support")]

import botocore.exceptions  # noqa: E402
from server import binary, running_server  # noqa: E402

LEAST_KEPT = 0.99
VALUE_BYTES = 3000
LEAST_MEGABYTES = 24
BATCH = 25
READ_BATCH = 50
TABLES = ("Orders", "Events", "Sessions")
LARGE_TABLE = 1_000_000
DATA_SHARE = 0.99  # of a large table, at least
CATALOGUE_BYTES = 6000


def run(*words):
    return subprocess.run([binary(), *map(str, words)], capture_output=True, text=True, check=False)


def create_tables(client):
    string = [{"AttributeName": name, "AttributeType": "S"} for name in ("Id", "At", "Group")]
    keys = [{"AttributeName": "Id", "KeyType": "HASH"}, {"AttributeName": "At", "KeyType": "RANGE"}]
    groups = {
        "IndexName": "Groups",
        "KeySchema": [{"AttributeName": "Group", "KeyType": "HASH"}, {"AttributeName": "Id", "KeyType": "RANGE"}],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    client.create_table(
        TableName="Orders", AttributeDefinitions=string, KeySchema=keys, BillingMode="PAY_PER_REQUEST",
        GlobalSecondaryIndexes=[groups],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    )
    client.create_table(
        TableName="Events", AttributeDefinitions=string[:2], KeySchema=keys, BillingMode="PAY_PER_REQUEST"
    )
    local = {**groups, "KeySchema": [keys[0], {"AttributeName": "Group", "KeyType": "RANGE"}]}
    client.create_table(
        TableName="Sessions", AttributeDefinitions=string, KeySchema=keys, BillingMode="PAY_PER_REQUEST",
        LocalSecondaryIndexes=[local],
    )
    for table in TABLES:
        client.describe_table(TableName=table)
    client.update_time_to_live(
        TableName="Sessions", TimeToLiveSpecification={"Enabled": True, "AttributeName": "Until"}
    )


@dataclasses.dataclass
class Made:
    """A store, and what was ever written to it: by (table, Id, At) all versions, the last of which holds."""

    directory: pathlib.Path
    history: dict
    in_log: set  # keys whose newest version is in the log alone
    value_bytes: int

    def final(self):
        return {key: versions[-1] for key, versions in self.history.items() if versions[-1] is not None}


class Maker:
    def __init__(self, rng, value_bytes):
        self.rng = rng
        self.value_bytes = value_bytes
        self.history = collections.defaultdict(list)

    def item(self, key):
        table, partition, sort = key
        serial = str(len(self.history[key]))
        body = {"S": self.rng.randbytes(self.value_bytes // 2).hex()}
        if self.rng.random() < 0.3:
            body = {"B": self.rng.randbytes(self.value_bytes)}
        item = {"Id": {"S": partition}, "At": {"S": sort}, "Serial": {"N": serial}, "Table": {"S": table}, "Body": body}
        if self.rng.random() < 0.8:
            item["Group"] = {"S": f"group {self.rng.randrange(20)}"}
        if table == "Sessions":
            item["Until"] = {"N": str(4_000_000_000 + self.rng.randrange(1000))}
        return item

    def write(self, client, keys, erase=0.0):
        keys = list(keys)
        touched = set(keys)
        for at in range(0, len(keys), BATCH):
            requests = collections.defaultdict(list)
            for key in keys[at : at + BATCH]:
                if self.rng.random() < erase:
                    self.history[key].append(None)
                    gone = {"Id": {"S": key[1]}, "At": {"S": key[2]}}
                    requests[key[0]].append({"DeleteRequest": {"Key": gone}})
                else:
                    item = self.item(key)
                    self.history[key].append(item)
                    requests[key[0]].append({"PutRequest": {"Item": item}})
            left = client.batch_write_item(RequestItems=requests)["UnprocessedItems"]
            assert not left, left
        return touched


def make_store(directory, megabytes, rng, value_bytes=VALUE_BYTES):
    """Two parts that are more than 8 MB each, so that a clean stop writes them into tables; the rest is in the log
    alone when the server is killed."""
    assert megabytes >= LEAST_MEGABYTES
    count = megabytes * 1_000_000 // value_bytes
    maker = Maker(rng, value_bytes)
    keys = [(rng.choice(TABLES), f"id {rng.randrange(count // 3)}", f"{number:08}") for number in range(count)]
    cut = len(keys) * 6 // 10
    with running_server(data_dir=directory) as server:
        create_tables(server.client())
        maker.write(server.client(), keys[:cut])
    with running_server(data_dir=directory) as server:
        maker.write(server.client(), keys[cut:] + rng.sample(keys[:cut], cut // 10), erase=0.1)
    with running_server(data_dir=directory) as server:
        in_log = maker.write(server.client(), rng.sample(keys, max(5, len(keys) // 25)), erase=0.2)
        time.sleep(0.1)
        server.kill()
    (directory / "admin.sock").unlink(missing_ok=True)
    return Made(directory, dict(maker.history), in_log, value_bytes)


def places(directory, rng, count):
    """(file, offset, kind) of the places to damage: most anywhere, some where it hurts."""
    files = sorted(file for file in directory.iterdir() if file.name != "LOCK" and file.stat().st_size)
    tables = [file for file in files if file.suffix == ".sst"]
    special = {
        "index": lambda: (file := rng.choice(tables), int(file.stat().st_size * rng.uniform(0.96, 1))),
        "footer": lambda: (file := rng.choice(tables), file.stat().st_size - rng.randrange(1, 53)),
        "catalogue": lambda: (file := rng.choice(tables), rng.randrange(min(CATALOGUE_BYTES, file.stat().st_size))),
        "small": lambda: (file := rng.choice([f for f in files if f not in tables]), rng.randrange(file.stat().st_size)),
    }
    found = []
    for _ in range(count):
        kind = rng.choices(["anywhere", *special], weights=[90, 3, 2, 2, 3])[0]
        if kind == "anywhere":
            file = rng.choices(files, weights=[f.stat().st_size for f in files])[0]
            found.append((file.name, rng.randrange(file.stat().st_size), kind))
        else:
            file, at = special[kind]()
            found.append((file.name, min(at, file.stat().st_size - 1), kind))
    return found


def is_of_table(_directory, name, _at):
    return name.endswith(".sst")


def is_of_data(directory, name, at):
    size = (directory / name).stat().st_size
    return name.endswith(".sst") and size > LARGE_TABLE and CATALOGUE_BYTES < at < DATA_SHARE * size


def damage(directory, where, seed, wanted=None):
    rng = random.Random(seed)
    for name, at, _ in where:
        change = rng.choices(["flip", "noise", "zeros"], weights=[7, 2, 1])[0]
        length = {"flip": 1, "noise": rng.randrange(1, 64), "zeros": rng.randrange(1, 4096)}[change]
        mask = rng.randrange(1, 256)
        noise = rng.randbytes(length)
        if wanted and not wanted(directory, name, at):
            continue
        with open(directory / name, "r+b") as file:
            file.seek(at)
            old = file.read(length)
            new = bytes([old[0] ^ mask]) if change == "flip" else noise[: len(old)] if change == "noise" else bytes(len(old))
            file.seek(at)
            file.write(new)


def keys_of(table, keys):
    return {table: {"Keys": [{"Id": {"S": key[1]}, "At": {"S": key[2]}} for key in keys], "ConsistentRead": True}}


def read_some(client, table, keys):
    """The items of these keys that can be read, by key; what is absent is None."""
    try:
        reply = client.batch_get_item(RequestItems=keys_of(table, keys))
    except botocore.exceptions.ClientError:
        if len(keys) == 1:
            return {}
        half = len(keys) // 2
        return read_some(client, table, keys[:half]) | read_some(client, table, keys[half:])
    found = {key: None for key in keys}
    for item in reply["Responses"].get(table, []):
        found[(table, item["Id"]["S"], item["At"]["S"])] = item
    for key in reply["UnprocessedKeys"].get(table, {}).get("Keys", []):
        one = (table, key["Id"]["S"], key["At"]["S"])
        found |= read_some(client, table, [one])
    return found


def readable(directory, keys):
    """What a server on that store can read; None when it does not start."""
    try:
        with contextlib.ExitStack() as stack:
            server = running_server(data_dir=directory)
            running = stack.enter_context(server)
            client = running.client(retries={"total_max_attempts": 1})
            found = {}
            for table in TABLES:
                wanted = sorted(key for key in keys if key[0] == table)
                for at in range(0, len(wanted), READ_BATCH):
                    found |= read_some(client, table, wanted[at : at + READ_BATCH])
            running.kill()
            return found
    except RuntimeError:
        return None


def scan(client, table, **more):
    pages = client.get_paginator("scan").paginate(TableName=table, **more)
    return [item for page in pages for item in page["Items"]]


def saved_items(directory):
    """All items of a saved store, by key; and what is wrong with its indexes."""
    faults = []
    with running_server(data_dir=directory) as server:
        client = server.client()
        names = client.list_tables()["TableNames"]
        found = {}
        for table in names:
            items = scan(client, table, ConsistentRead=True)
            origin = {item["Table"]["S"] for item in items}
            if len(origin) > 1 or (table in TABLES and origin - {table}):
                faults.append(f"table {table} has items of {origin}")
            for item in items:
                found[(item["Table"]["S"], item["Id"]["S"], item["At"]["S"])] = item
            described = client.describe_table(TableName=table)["Table"]
            for index in described.get("GlobalSecondaryIndexes", []) + described.get("LocalSecondaryIndexes", []):
                rows = {(row["Id"]["S"], row["At"]["S"]) for row in scan(client, table, IndexName=index["IndexName"])}
                wanted = {(item["Id"]["S"], item["At"]["S"]) for item in items if "Group" in item}
                if rows != wanted:
                    faults.append(f"index {index['IndexName']} of {table} has {len(rows)} rows for {len(wanted)} items")
        client.create_table(
            TableName="Later", BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "Id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "Id", "KeyType": "HASH"}],
        )
        if scan(client, "Later"):
            faults.append("a new table shows rows of another")
    return found, names, faults


@dataclasses.dataclass
class Outcome:
    seed: int
    places: int
    refused: bool
    readable: int
    kept: int  # of what is readable
    saved: int
    items: int  # that there should be
    older: int  # versions that are not the newest, and erased items that are back
    tables: list
    exit_code: int
    seconds: float
    faults: list
    said: str
    where: list

    def line(self):
        share = 100 * self.kept / self.readable if self.readable else 100
        state = "refused" if self.refused else "served"
        return (
            f"seed {self.seed}: {self.places} places, {state}; readable {self.readable}, kept {share:.2f} %; saved "
            f"{self.saved} of {self.items}, {self.older} older; {len(self.tables)} tables; exit code {self.exit_code}; "
            f"salvage took {self.seconds:.1f} s; {'; '.join(self.faults) or 'no fault'}"
        )


def attempt(made, seed, scratch, count=None):
    """Damages a copy of the store, salvages it, and judges."""
    rng = random.Random(seed)
    count = count or rng.choice([1, 2, 5, 10, 30, 100])
    where = places(made.directory, rng, count)
    damaged, alike, saved = scratch / "damaged", scratch / "alike", scratch / "saved"
    for directory in (damaged, alike, saved):
        shutil.rmtree(directory, ignore_errors=True)
    final = made.final()
    shutil.copytree(made.directory, damaged)
    damage(damaged, where, seed)
    # Served, it may be compacted: what is salvaged is the other.
    shutil.copytree(damaged, alike)
    can_read = readable(alike, made.history)
    refused = can_read is None
    for wanted in (is_of_table, is_of_data):
        if can_read is None:
            shutil.rmtree(alike)
            shutil.copytree(made.directory, alike)
            damage(alike, where, seed, wanted)
            can_read = readable(alike, made.history)
    if refused:
        can_read = {key: item for key, item in (can_read or {}).items() if key not in made.in_log}
    began = time.monotonic()
    done = run("salvage", "--data", damaged, "--to", saved)
    seconds = time.monotonic() - began
    outcome = Outcome(
        seed, count, refused, 0, 0, 0, len(final), 0, [], done.returncode, seconds, [], done.stdout, where
    )
    if done.returncode not in (0, 3):
        outcome.faults.append(f"salvage ended with {done.returncode}: {done.stderr[-300:]}")
        return outcome
    checked = run("verify", saved)
    if checked.returncode != 0:
        outcome.faults.append("verify: " + checked.stdout[-600:] + checked.stderr[-300:])
    found, outcome.tables, faults = saved_items(saved)
    outcome.faults += faults
    judge(made, outcome, can_read, found)
    return outcome


def judge(made, outcome, can_read, found):
    final = made.final()
    wanted = {key for key, item in can_read.items() if item is not None and item == final.get(key)}
    outcome.readable = len(wanted)
    outcome.kept = sum(found.get(key) == final[key] for key in wanted)
    outcome.saved = len(found)
    for key, item in found.items():
        if item not in made.history.get(key, []):
            outcome.faults.append(f"{key} is not what was ever written")
        outcome.older += item != final.get(key)
    # Where no server can say what is readable: a place costs at most two blocks, and as much around them.
    least = len(final) - len(made.in_log) - outcome.places * (4 + 60_000 // made.value_bytes)
    if not wanted and len(found) < least:
        outcome.faults.append(f"only {len(found)} of {len(final)} items are saved")
    if outcome.kept < LEAST_KEPT * outcome.readable:
        outcome.faults.append(f"only {outcome.kept} of {outcome.readable} readable items are kept")
    if found != final and outcome.exit_code == 0:
        outcome.faults.append("it says that nothing is lost")
    # Only what was written to a log that is damaged can leave an older version.
    if outcome.older and not any(kind == "small" or name.endswith(".log") for name, _, kind in outcome.where):
        outcome.faults.append(f"{outcome.older} items are older versions")
    if len(outcome.said) > 30_000:
        outcome.faults.append(f"salvage says {len(outcome.said)} characters")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--places", type=int, help="how many places; else 1 to 100, by the seed")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory(prefix="partita-drill-") as scratch:
        scratch = pathlib.Path(scratch)
        made = make_store(scratch / "store", given.megabytes, random.Random(given.first))
        size = sum(file.stat().st_size for file in made.directory.iterdir())
        print(f"store: {size / 1e6:.1f} MB, {len(made.final())} items", flush=True)
        for seed in range(given.first, given.first + given.seeds):
            outcome = attempt(made, seed, scratch, given.places)
            faults += bool(outcome.faults)
            print(outcome.line(), flush=True)
            if given.verbose or outcome.faults:
                print(json.dumps(outcome.where), outcome.said, sep="\n", flush=True)
    print(f"{given.seeds} damaged stores, {faults} with faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
