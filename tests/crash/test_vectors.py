"""Writers on tables with vector indexes, and a server that is killed again and again: a search finds what a Scan finds,
with the vectors that the items have. One index is made meanwhile; one is so large that it is searched by a graph.

PARTITA_CRASH_SEED chooses other writes.
"""

import concurrent.futures
import http.client
import math
import os
import pathlib
import random
import sys
import threading
import time

import pytest
from server import running_server

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "bench"))

import servers  # noqa: E402

SEED = int(os.environ.get("PARTITA_CRASH_SEED", "2018"))
KILLS = 4
ROUND_S = 0.8
WRITERS = 4
TENANTS = 4
ITEMS = 320  # no more than a search can answer of each tenant
DIMENSIONS = 16
TABLE = "Vectors"
LARGE = "Many"
LARGE_ITEMS = 20_400  # enough for a graph, though some are deleted
LARGE_DIMENSIONS = 6
FILLERS = 16
LOST_CONNECTION = (http.client.HTTPException, OSError)


@pytest.fixture(autouse=True)
def locks_of_graphs_are_not_judged(monkeypatch):
    """As in table_test (src/table/CMakeLists.txt); telling of each makes a graph take hours."""
    if "TSAN_OPTIONS" in os.environ:
        monkeypatch.setenv("TSAN_OPTIONS", os.environ["TSAN_OPTIONS"] + " detect_deadlocks=0")


class Caller(servers.Caller):
    def __init__(self, server):
        super().__init__(server.port, timeout=30)

    def __call__(self, operation, **parameters):
        status, body = self.ask(operation, parameters)
        if status >= 500:
            raise OSError(body)
        assert status == 200, body
        return body


def vector_index(name, dimensions=DIMENSIONS, **more):
    return {
        "IndexName": name,
        "VectorAttribute": {"AttributeName": "v"},
        "Dimensions": dimensions,
        "DistanceFunction": "EUCLIDEAN",
        "Projection": {"ProjectionType": "ALL"},
        **more,
    }


def by_tenant(name):
    return vector_index(name, SearchSchema=[{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}])


class Writer(threading.Thread):
    table, items = TABLE, ITEMS

    def __init__(self, server, number):
        super().__init__()
        self.server, self.number = server, number
        self.random = random.Random(SEED * 100 + number)
        self.done = False
        self.writes = 0

    def run(self):
        call = Caller(self.server)
        while not self.done:
            requests = [self.change(item) for item in self.random.sample(range(self.number, self.items, WRITERS), 10)]
            try:
                call("BatchWriteItem", RequestItems={self.table: requests})
                self.writes += len(requests)
            except LOST_CONNECTION:
                time.sleep(0.02)
                call = Caller(self.server)

    def change(self, item):
        key = {"pk": {"S": f"item {item}"}}
        if self.random.random() < 0.25:
            return {"DeleteRequest": {"Key": key}}
        made = {**key, "tenant": {"S": f"t{item % TENANTS}"}}
        if self.random.random() < 0.8:
            made["v"] = {"L": [{"N": str(self.random.randrange(-50, 50))} for _ in range(DIMENSIONS)]}
        return {"PutRequest": {"Item": made}}


class LargeWriter(Writer):
    """Of few items, so that many of them are written again and again."""

    table, items = LARGE, 400

    def change(self, item):
        if self.random.random() < 0.3:
            return {"DeleteRequest": {"Key": {"pk": {"S": f"item {item}"}}}}
        return large_put(item, self.random)


def large_put(item, chance):
    numbers = [{"N": str(chance.randrange(-1000, 1000))} for _ in range(LARGE_DIMENSIONS)]
    return {"PutRequest": {"Item": {"pk": {"S": f"item {item}"}, "v": {"L": numbers}}}}


def scanned(call):
    """{item: its vector}, of those that have one"""
    items = call("Scan", TableName=TABLE, ConsistentRead=True)["Items"]
    return {item["pk"]["S"]: [int(n["N"]) for n in item["v"]["L"]] for item in items if "v" in item}


def searched(call, index):
    found = {}
    for tenant in range(TENANTS):
        hits = call(
            "SearchVectors",
            TableName=TABLE,
            IndexName=index,
            SearchVector=[{"N": "0"}] * DIMENSIONS,
            TopK=100,
            SearchConditionExpression="tenant = :t",
            ExpressionAttributeValues={":t": {"S": f"t{tenant}"}},
            ProjectionExpression="pk, v",
        )["SearchResults"]
        found.update({hit["Item"]["pk"]["S"]: [float(n["N"]) for n in hit["Item"]["v"]["L"]] for hit in hits})
    return found


def wait_until_active(call):
    while True:
        table = call("DescribeTable", TableName=TABLE)["Table"]
        if all(index["IndexStatus"] == "ACTIVE" for index in table["VectorIndexes"]):
            return table
        time.sleep(0.02)


def wait_for_counts(call, count):
    """The rows of an index that was made on a live table are counted soon after it is ACTIVE."""
    deadline = time.monotonic() + 20
    while True:
        counts = [index["ItemCount"] for index in wait_until_active(call)["VectorIndexes"]]
        if all(each == count for each in counts):
            return
        assert time.monotonic() < deadline, f"{counts}, not {count} (seed {SEED})"
        time.sleep(0.05)


def test_a_search_finds_what_a_scan_finds_whatever_is_killed(tmp_path):
    with running_server(data_dir=tmp_path / "data") as server:
        definitions = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "tenant")]
        Caller(server)(
            "CreateTable",
            TableName=TABLE,
            AttributeDefinitions=definitions,
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
            VectorIndexes=[by_tenant("first")],
        )
        for kill in range(KILLS):
            writers = [Writer(server, number) for number in range(WRITERS)]
            for writer in writers:
                writer.start()
            time.sleep(ROUND_S)
            if kill == 1:
                create = {"Create": by_tenant("second")}
                Caller(server)(
                    "UpdateTable", TableName=TABLE, AttributeDefinitions=definitions[1:], VectorIndexUpdates=[create]
                )
            server.kill()
            server.start()
            time.sleep(ROUND_S / 4)
            for writer in writers:
                writer.done = True
            for writer in writers:
                writer.join()
            assert all(writer.writes for writer in writers)
            call = Caller(server)
            table = wait_until_active(call)
            expected = scanned(call)
            for index in table["VectorIndexes"]:
                assert searched(call, index["IndexName"]) == expected, f"{index['IndexName']}, seed {SEED}"
            wait_for_counts(call, len(expected))
        assert len(table["VectorIndexes"]) == 2


def scanned_large(call):
    found, more = {}, {}
    while True:
        page = call("Scan", TableName=LARGE, ConsistentRead=True, **more)
        found.update({item["pk"]["S"]: [int(n["N"]) for n in item["v"]["L"]] for item in page["Items"]})
        if "LastEvaluatedKey" not in page:
            return found
        more = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def nearest(call, sought):
    """([(key, score)], whether it looked at a few rows only)"""
    found = call(
        "SearchVectors",
        TableName=LARGE,
        IndexName="all",
        SearchVector=[{"N": str(number)} for number in sought],
        TopK=20,
        ReturnConsumedCapacity="TOTAL",
    )
    few = found["ConsumedCapacity"]["VectorSearchRequestBytes"] < 10_000
    return [(hit["Item"]["pk"]["S"], hit["Score"]) for hit in found["SearchResults"]], few


def expect_as_scanned(call, chance):
    """Every answer of ten searches is an item as it is, and nearly all of the nearest are among them."""
    items = scanned_large(call)
    among = 0
    # Also around what was written last.
    for key in [None] * 5 + [f"item {chance.randrange(LargeWriter.items)}" for _ in range(5)]:
        sought = items.get(key) or [chance.randrange(-1000, 1000) for _ in range(LARGE_DIMENSIONS)]
        distances = {pk: math.dist(vector, sought) for pk, vector in items.items()}
        farthest = sorted(distances.values())[19]
        found, _ = nearest(call, sought)
        assert len(found) == 20, f"seed {SEED}"
        for pk, score in found:
            assert pk in items and abs(distances[pk] - score) < 1e-3, f"{pk}, seed {SEED}"
            among += score <= farthest + 1e-3
    assert among >= 190, f"{among} of 200, seed {SEED}"


def wait_for_graph(call):
    deadline = time.monotonic() + 300  # it is made behind all else that the machine does
    while not nearest(call, [0] * LARGE_DIMENSIONS)[1]:
        assert time.monotonic() < deadline, "there is no graph"
        time.sleep(0.05)


def fill_large(server):
    """By several at once, who share the waiting for the disk."""

    def fill(number):
        call, chance = Caller(server), random.Random(SEED + number)
        for begin in range(25 * number, LARGE_ITEMS, 25 * FILLERS):
            call("BatchWriteItem", RequestItems={LARGE: [large_put(item, chance) for item in range(begin, begin + 25)]})

    with concurrent.futures.ThreadPoolExecutor(FILLERS) as fillers:
        list(fillers.map(fill, range(FILLERS)))


def test_a_graph_finds_what_a_scan_finds_whatever_is_killed(tmp_path):
    chance = random.Random(SEED)
    with running_server(data_dir=tmp_path / "data") as server:
        call = Caller(server)
        call(
            "CreateTable",
            TableName=LARGE,
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
            VectorIndexes=[vector_index("all", LARGE_DIMENSIONS)],
        )
        fill_large(server)
        for killed in (True, False):
            wait_for_graph(call)
            writers = [LargeWriter(server, number) for number in range(WRITERS)]
            for writer in writers:
                writer.start()
            until = time.monotonic() + ROUND_S
            while time.monotonic() < until:
                nearest(call, [chance.randrange(-1000, 1000) for _ in range(LARGE_DIMENSIONS)])
            if killed:
                server.kill()
            for writer in writers:
                writer.done = True
            if killed:
                server.start()
            for writer in writers:
                writer.join()
            assert all(writer.writes for writer in writers)
            call = Caller(server)
            expect_as_scanned(call, chance)  # by all rows for a start, when the graph is lost
        wait_for_graph(call)
        expect_as_scanned(call, chance)
