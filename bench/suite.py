"""A test suite that makes and drops its tables for every test, with boto3, beside other servers in memory."""

import contextlib
import os
import pathlib
import statistics
import time

import against_peers
import page
import servers

TESTS = 50
TABLES = 5
PUTS = 10
KEYS = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
}
# A table of a name that was just deleted is refused for half a second, so such a suite fails.
REFUSE = {"dynalite"}
WAYS = {"plain": "without waiters", "waiting": "with a waiter for each table"}


def client_of(server):
    import boto3

    return boto3.client("dynamodb", endpoint_url=f"http://127.0.0.1:{server.port}", region_name="us-east-1",
                        aws_access_key_id="any", aws_secret_access_key="any")


def one_test(client, names, waits):
    for name in names:
        client.create_table(TableName=name, **KEYS)
    if waits:
        for name in names:
            client.get_waiter("table_exists").wait(TableName=name)
    for name in names:
        for n in range(PUTS):
            client.put_item(TableName=name, Item={"id": {"S": f"item {n}"}, "of": {"S": name}, "n": {"N": str(n)}})
    for name in names:
        found = client.scan(TableName=name)["Count"]
        if found != PUTS:
            raise RuntimeError(f"{found} items were found in {name}, not {PUTS}")
    for name in names:
        client.delete_table(TableName=name)
    if waits:
        for name in names:
            client.get_waiter("table_not_exists").wait(TableName=name)


def cpu_seconds(server):
    fields = pathlib.Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_suite(server, way):
    """(seconds that the suite took, CPU seconds of the server)"""
    client = client_of(server)
    names = [f"Table{n}" for n in range(TABLES)]
    cpu, began = cpu_seconds(server), time.perf_counter()
    for _ in range(TESTS):
        one_test(client, names, way == "waiting")
    return time.perf_counter() - began, cpu_seconds(server) - cpu


def measure(build, scratch, arguments):
    """({(name, way): [(seconds, CPU seconds) per round]}, what is said of those that are left out)"""
    left_out = []
    all_of_them = [each for each in against_peers.contestants(build, scratch, left_out)
                   if each.mode == "memory" and each.name not in REFUSE]
    results = {}
    with contextlib.ExitStack() as running:
        for each in all_of_them:
            each.server = running.enter_context(each.start(None))
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, servers.CLIENT_CORE)
        running.callback(os.sched_setaffinity, 0, before)
        for n in range(arguments.rounds + 1):
            servers.say(f"round {n} of {arguments.rounds}" if n else "warming up")
            for way in WAYS:
                for each in all_of_them:
                    took = run_suite(each.server, way)
                    if n:
                        results.setdefault((each.name, way), []).append(took)
    return results, left_out


def text(results, left_out, rounds):
    names = list(dict.fromkeys(name for name, _ in results))
    rows = []
    for way, label in WAYS.items():
        ours = statistics.median(seconds for seconds, _ in results[against_peers.US, way])
        for name in names:
            seconds = [one[0] for one in results[name, way]]
            middle = statistics.median(seconds)
            cpu = statistics.median(one[1] for one in results[name, way])
            rows.append([f"{name}, {label}", f"{middle:.2f}", f"{min(seconds):.2f} to {max(seconds):.2f}", f"{cpu:.2f}",
                         f"{middle / ours:.2f}"])
    head = ["in memory", "suite, s", "least to most", "server's CPU, s", "÷ Partita"]
    how = (f"medians of interleaved rounds: {rounds}, after a warm-up round. {TESTS} tests; each creates {TABLES} tables, "
           f"puts {PUTS} items into each, scans each and deletes them: {TESTS * TABLES * (PUTS + 3):,} calls of boto3, one "
           "after the other. Most of the time is boto3's. dynalite is left out: it refuses a table whose name was just "
           "deleted, so such a suite fails.")
    return "\n\n".join([page.provenance(how), *left_out, page.table(head, rows)])


def block(results):
    """One row for each server: a suite takes so many seconds, without and with waiters."""
    names = list(dict.fromkeys(name for name, _ in results))
    rows = [
        [f"{TESTS} tests with boto3 {label}, in memory, s",
         *(f"{statistics.median(seconds for seconds, _ in results[name, way]):.2f}" for name in names)]
        for way, label in WAYS.items()
    ]
    return page.table(["", *names], rows)


def part(build, scratch, arguments):
    results, left_out = measure(build, scratch, arguments)
    return page.Measured(text(results, left_out, arguments.rounds), block=block(results))
