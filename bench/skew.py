"""What heat costs: UpdateItem over many tables, evenly and skewed, down to one item, on one server and on two.

    bench/skew.py [--rounds N] [--seconds S] [--build DIR]

Of databases also two servers at once, whose requests meet there; FoundationDB's three processes are measured when
PARTITA_TEST_FDB_PROGRAMS names a folder with fdbserver and fdbcli. Database, servers and clients share all
cores of the machine, so rates compare only with each other; beside them is the processor time of the servers for one
request, which others on the machine disturb less. Prints a table for docs/scale.md.
"""

import argparse
import bisect
import contextlib
import itertools
import pathlib
import random
import statistics
import sys
import tempfile

import page
import servers
import signing
import workload

sys.path.insert(0, str(servers.ROOT / "tests" / "support"))  # before bench/postgres.py, which has the same name
from foundationdb import PROGRAMS, running_foundationdb  # noqa: E402
from postgres import running_postgres  # noqa: E402

TABLES, COLLECTIONS, LINES = 20, 200, 20
CONNECTIONS = 64
REQUESTS = 8_000


def table_name(n):
    return f"skew-{n:02}"


def create_tables():
    keys = [("p", "HASH"), ("s", "RANGE")]
    return [
        workload.request(
            "CreateTable",
            TableName=table_name(n),
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in keys],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name, _ in keys],
        )
        for n in range(TABLES)
    ]


def count_up(place):
    table, collection, line = place
    return workload.request(
        "UpdateItem",
        TableName=table_name(table),
        Key={"p": {"S": f"collection-{collection}"}, "s": {"S": f"line-{line}"}},
        UpdateExpression="ADD visits :one SET payload = :text",
        ExpressionAttributeValues={":one": {"N": "1"}, ":text": {"S": workload.text_of(200, line)}},
    )


def anywhere(chance):
    return chance.randrange(TABLES), chance.randrange(COLLECTIONS), chance.randrange(LINES)


def zipf(chance, count, exponent):
    """Draws numbers below `count`: the n-th most frequent comes n^exponent times less often than the first."""
    sums = list(itertools.accumulate((n + 1) ** -exponent for n in range(count)))
    return lambda: bisect.bisect(sums, chance.random() * sums[-1])


def shapes():
    """{what: [place of each request]}"""
    chance = random.Random(1)
    table, place = zipf(chance, TABLES, 1.0), zipf(chance, COLLECTIONS * LINES, 1.0)

    def skewed():
        found = place()
        return table(), found // LINES, found % LINES

    return {
        "evenly over 20 tables": [anywhere(chance) for _ in range(REQUESTS)],
        "20 tables and their items by Zipf's law": [skewed() for _ in range(REQUESTS)],
        "one table": [(0, *anywhere(chance)[1:]) for _ in range(REQUESTS)],
        "one item collection": [(0, 0, chance.randrange(LINES)) for _ in range(REQUESTS)],
        "one item": [(0, 0, 0)] * REQUESTS,
    }


def share_of_hottest(places):
    return max(places.count(place) for place in set(places)) / len(places)


def load_all(build, running, lines, seconds):
    """(requests a second of all servers together, each with its part of the connections; their µs for one)"""
    clients = [
        servers.start_load(build, server, connections=CONNECTIONS // len(running), seconds=seconds)
        for server in running
    ]
    # All have to be told before any is waited for: a client begins when it has read its requests.
    for client in clients:
        client.stdin.write("".join(lines))
        client.stdin.close()
        client.stdin = None
    reports = []
    for client, server in zip(clients, running):
        out, err = client.communicate()
        reports.append(servers.report_of(client, out, err, server))
    rate = sum(report["per_second"] for report in reports)
    return rate, sum(report["per_second"] * report["cpu_us"] for report in reports) / rate


def measure(build, rounds, seconds):
    """{(store, what): [what load_all() says, per round]}"""
    lines = {what: signing.signed([count_up(place) for place in places]) for what, places in shapes().items()}
    with contextlib.ExitStack() as running:
        databases = {"PostgreSQL": running.enter_context(running_postgres(durable=True))}
        if PROGRAMS:
            databases["FoundationDB"] = running.enter_context(running_foundationdb())
        directory = running.enter_context(tempfile.TemporaryDirectory())
        every_core = set(servers.CORES)

        def start(*where):
            port = servers.free_port()
            command = [build / "partita", "serve", "--listen", f"127.0.0.1:{port}", *where]
            return running.enter_context(servers.Server(command, port, every_core))

        stores = {"RocksDB": [start("--data", directory)]}
        for name, database in databases.items():
            both = [start("--store", database.url) for _ in range(2)]
            stores |= {f"{name}, one server": both[:1], f"{name}, two servers": both}
        for server in {first for first, *_ in stores.values()}:
            servers.fill(build, server, create_tables(), connections=1)
            servers.wait_until_active(server, [table_name(n) for n in range(TABLES)])
        found = {(store, what): [] for store in stores for what in lines}
        for n in range(rounds + 1):  # the first warms up
            servers.say(f"round {n} of {rounds}")
            for (store, what), results in found.items():
                result = load_all(build, stores[store], lines[what], seconds)
                if n > 0:
                    results.append(result)
    return found, list(stores)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--seconds", type=int, default=2, help="for how long (2)")
    parser.add_argument("--build", type=pathlib.Path, default=servers.ROOT / "build" / "release")
    arguments = parser.parse_args()
    found, stores = measure(arguments.build.resolve(), arguments.rounds, arguments.seconds)
    rows = []
    for what, places in shapes().items():
        row = [f"{what} (hottest item: {share_of_hottest(places):.1%})"]
        for store in stores:
            rate, cpu_us = map(statistics.median, zip(*found[store, what]))
            even, _ = map(statistics.median, zip(*found[store, next(iter(shapes()))]))
            row.append(f"{rate:,.0f} ({rate / even:.2f}), {cpu_us:.0f} µs")
        rows.append(row)
    print(page.table(["UpdateItem", *stores], rows))


if __name__ == "__main__":
    main()
