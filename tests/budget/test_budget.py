"""Speed that stays: no request spends more than tests/budget/budgets.txt allows.

Instructions, allocations and system calls are free of the noise of clocks. Only the release build is measured.
"""

import dataclasses
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import judged  # noqa: E402
import signing  # noqa: E402
import workload  # noqa: E402
from conftest import FIGURES  # noqa: E402
from dax_requests import DaxSender, get_item, query  # noqa: E402
from instructions import CountedServer, Spent  # noqa: E402
from syscalls import syscalls_of  # noqa: E402

BINARY = pathlib.Path(os.environ.get("PARTITA_BINARY", ROOT / "build" / "release" / "partita")).resolve()
# On a busy machine the committer finds other groups, and another thread sleeps: a PutItem was seen to spend 52,100 to
# 54,800 instructions and 20.6 to 22.6 allocations.
ROOM = {"instructions": 1.05, "allocations": 1.06, "system calls": 1.1}
SLACK = {"instructions": 0.85, "allocations": 0.85, "system calls": 0.7}  # below this a budget is too wide

# The thread that records the metrics of a minute takes some 500,000 instructions, and others tick meanwhile: 500 more
# for each of 1,000 requests if it is their minute. So what is too much is counted again, and the least is judged.
COUNTS = 3

DEBIANS = "PARTITA_ROCKSDB_BUILT:INTERNAL=package" in (BINARY.parent / "CMakeCache.txt").read_text()
OTHER = "the budgets are for the RocksDB that the build makes from source; this build has Debian's"
pytestmark = pytest.mark.skipif(DEBIANS, reason=OTHER)
if DEBIANS:
    FIGURES.append(f"not measured: {OTHER}")

ITEMS, COLLECTIONS = 2000, 10
# Of these, each count needs others: they write items that are not there yet.
NEW_ITEMS = {"PutItem-new": (workload.put_item, 1000), "PutItem-indexed": (workload.put_indexed, 500)}


def new_items(name, turn):
    make, count = NEW_ITEMS[name]
    return [make(ITEMS + turn * count + n) for n in range(count)]


REQUESTS = {
    "GetItem": [workload.get_item(n) for n in range(1000)],
    "PutItem": [workload.put_item(n) for n in range(1000)],
    "PutItem-new": new_items("PutItem-new", 0),
    "PutItem-indexed": new_items("PutItem-indexed", 0),
    "UpdateItem-hot": [workload.count_up(n) for n in range(1000)],
    "Query-50": [workload.query(n % COLLECTIONS) for n in range(100)],
    "BatchWriteItem-25": [workload.put_batch(n) for n in range(ITEMS // 25)],
    "TransactWriteItems-2": [workload.put_two(n) for n in range(500)],
}


def budgets():
    found = {}
    for line in (ROOT / "tests/budget/budgets.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, *limits = line.split()
            found[name] = [None if limit == "-" else float(limit) for limit in limits]
    return found


BUDGETS = budgets()
JUDGED = "GetItem-judged"  # of a user with a policy
# With --capacity enforce: the requests, and the status of their replies.
ENFORCED = {
    "GetItem-enforced": (REQUESTS["GetItem"], 200),
    "PutItem-enforced": (REQUESTS["PutItem"], 200),
    "PutItem-indexed-enforced": (REQUESTS["PutItem-indexed"], 200),
    "GetItem-refused": ([workload.get_item(n, "bench-small") for n in range(1000)], 400),
    "PutItem-refused": ([workload.put_item(n, "bench-small") for n in range(1000)], 400),
}
# The same over DAX: the requests, and what part of the instructions of the row over HTTP they may spend. Of a Query,
# the read from the store alone is 0.39 of what it takes over HTTP, and it is the same for both.
DAX_REQUESTS = {
    "GetItem": ([get_item(n) for n in range(1000)], 0.7),
    "Query-50": ([query(n % COLLECTIONS) for n in range(100)], 0.69),
}


def fill():
    items = [workload.put_item(n) for n in range(ITEMS)]
    return items + [workload.put_line(c, n) for c in range(COLLECTIONS) for n in range(50)]


@pytest.fixture(scope="module")
def server():
    with CountedServer(BINARY, ["--dax", "127.0.0.1:0"]) as server:
        server.send(workload.create_tables(), connections=1)
        server.send(fill())
        server.send([workload.count_up(0)])
        yield server


@pytest.fixture(scope="module")
def judging(tmp_path_factory):
    _, options = judged.files_of(tmp_path_factory.mktemp("judging"))
    with CountedServer(BINARY, options) as server:
        for lines in (workload.create_tables(), [workload.put_item(n) for n in range(ITEMS)]):
            server.send(signing.signed(lines))
        yield server


def use_up(server):
    """A table whose capacity is used up for a minute: 300 s of one unit, spent by a few requests."""
    server.send([workload.create_small_table("bench-small")])
    large = {"id": {"S": "large"}, "text": {"S": "x" * 400_000}}
    server.send([workload.request("PutItem", TableName="bench-small", Item=large)])
    read = workload.request("GetItem", TableName="bench-small", Key={"id": large["id"]}, ConsistentRead=True)
    server.send([read] * 4)


@pytest.fixture(scope="module")
def enforcing():
    with CountedServer(BINARY, ["--capacity", "enforce"]) as server:
        server.send(workload.create_tables(), connections=1)
        server.send(fill())
        yield server


def within(name, what, spent, limit):
    FIGURES.append(f"{name:25}{what:14}{spent:12,.1f}  of {limit:,.1f}")
    if spent > limit * ROOM[what]:
        return f"{name} spends {spent:,.1f} {what}; its budget is {limit:,.1f}"
    if spent < limit * SLACK[what]:
        return f"{name} spends only {spent:,.1f} {what}: lower its budget of {limit:,.1f}"
    return None


def exceeds(name, spent):
    instructions, allocations, _ = BUDGETS[name]
    most = (instructions * ROOM["instructions"], allocations * ROOM["allocations"])
    return spent.instructions > most[0] or spent.allocations > most[1]


def least(count, is_too_much):
    """The least of up to three counts. `count` gets the number of the turn."""
    spent = count(0)
    for turn in range(1, COUNTS):
        if not is_too_much(spent):
            break
        again = count(turn)
        spent = Spent(*map(min, dataclasses.astuple(spent), dataclasses.astuple(again)))
    return spent


def check(name, count):
    spent = least(count, lambda spent: exceeds(name, spent))
    instructions, allocations, _ = BUDGETS[name]
    said = [
        within(name, "instructions", spent.instructions, instructions),
        within(name, "allocations", spent.allocations, allocations),
    ]
    assert not any(said), said
    return spent


def test_every_request_has_a_budget():
    over_dax = {f"{name}-dax" for name in DAX_REQUESTS}
    assert BUDGETS.keys() == REQUESTS.keys() | ENFORCED.keys() | {JUDGED} | over_dax


@pytest.mark.parametrize("name", REQUESTS)
def test_instructions_and_allocations(server, name):
    check(name, lambda turn: server.count(new_items(name, turn) if name in NEW_ITEMS else REQUESTS[name]))


@pytest.mark.parametrize("name", DAX_REQUESTS)
def test_dax_costs_less_than_http(server, name):
    requests, most = DAX_REQUESTS[name]
    with DaxSender(server.dax_port) as sender:
        sender.send(requests)  # the thread gets to know the attribute lists
        count = lambda _: server.count_of(lambda: sender.send(requests), len(requests))  # noqa: E731
        spent = check(f"{name}-dax", count)
    over_http = least(lambda _: server.count(REQUESTS[name]), lambda spent: exceeds(name, spent)).instructions
    ratio = spent.instructions / over_http
    FIGURES.append(f"{name + '-dax':25}{'of HTTP':14}{ratio:12.3f}  of {most:.3f}")
    assert ratio <= most, f"{name} spends {ratio:.3f} of the instructions over HTTP, {over_http:,.0f}"


@pytest.mark.parametrize("name", ENFORCED)
def test_enforced_capacity(enforcing, name):
    requests, status = ENFORCED[name]
    if status == 400 and not getattr(enforcing, "used_up", False):
        use_up(enforcing)
        enforcing.used_up = True
    enforcing.send(requests[:100], status=status)
    check(name, lambda _: enforcing.count(requests, status=status))


def test_a_signature_and_twenty_statements(judging):
    lines = signing.signed(REQUESTS["GetItem"])
    judging.send(lines)
    check(JUDGED, lambda _: judging.count(lines))


@pytest.mark.parametrize("name", [name for name, limits in BUDGETS.items() if limits[2]])
def test_system_calls(name):
    spent = syscalls_of(BINARY, [workload.create_tables(), fill()], REQUESTS[name] * 5)
    assert not within(name, "system calls", spent, BUDGETS[name][2])
