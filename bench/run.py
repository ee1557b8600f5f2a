"""Measures Partita next to the least that a server can do and next to RocksDB alone, in one interleaved run.

The server has one core, the load client another, so that "CPU per request" means something; where the machine has one
core they share it. Prints a Markdown table and puts it into docs/performance.md between its markers. Numbers differ
from machine to machine: trust the ratios.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from workload import (
    COLLECTION_ITEMS,
    COLLECTIONS,
    count_up,
    create_tables,
    get_item,
    put_item,
    put_line,
    query,
)

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"

ITEMS = 10_000
CONNECTIONS = (1, 16, 64)

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, CLIENT_CORE = {CORES[0]}, {CORES[-1]}
LOAD_BEFORE = os.getloadavg()[0]


def on(core):
    return lambda: os.sched_setaffinity(0, core)


# --- requests ---------------------------------------------------------------------------------------------------------


def in_turn(make):
    """Requests that wander over all items."""
    return "".join(make(n * 7919 % ITEMS) for n in range(ITEMS))


WORKLOADS = {
    "GetItem": in_turn(get_item),
    "PutItem": in_turn(put_item),
    "UpdateItem": in_turn(count_up),
    "Query": in_turn(query),
}
LABELS = {
    "GetItem": "GetItem, ~300 B, consistent",
    "PutItem": "PutItem, ~300 B, durable",
    "UpdateItem": "UpdateItem, one hot counter, durable",
    "Query": "Query, 50 items of 1 KiB",
}


# --- processes --------------------------------------------------------------------------------------------------------


class Process:
    """A server on a port of its own choice, on the server's core, ended at the end of the block."""

    def __init__(self, *command):
        self.started = time.perf_counter()
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [str(word) for word in command],
            stdout=subprocess.PIPE, stderr=self.log, text=True, preexec_fn=on(SERVER_CORE),
        )
        if not select.select([self.process.stdout], [], [], 30)[0]:
            self.process.kill()
            sys.exit(f"bench: {command[0]} did not start")
        said = self.process.stdout.readline()
        found = re.search(r"^(?:.*http://[\d.]+:)?(\d+)", said)
        if not found:
            self.log.seek(0)
            sys.exit(f"bench: {command[0]} did not start: {said}{self.log.read()}")
        self.port = int(found.group(1))

    @property
    def pid(self):
        return self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)


def load(build, server, requests, connections=1, seconds=1.0, once=False):
    command = [build / "bench" / "load", "--port", server.port, "--pid", server.pid]
    command += ["--connections", connections, "--seconds", seconds] + (["--once"] if once else [])
    ran = subprocess.run(
        [str(word) for word in command],
        input=requests, capture_output=True, text=True, preexec_fn=on(CLIENT_CORE),
    )
    if ran.returncode != 0:
        sys.exit(f"bench: {ran.stderr.strip()[:2000]}")
    return json.loads(ran.stdout)


def rocksdb(build, directory, what, threads, seconds, cores):
    command = [build / "bench" / "rocksdb_baseline", directory, what, threads, seconds]
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, preexec_fn=on(cores))
    if ran.returncode != 0:
        sys.exit(f"bench: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


def wait_until_active(server):
    for name in ("bench", "bench-orders"):
        for _ in range(100):
            if b'"ACTIVE"' in exchange(server.port, "DescribeTable", {"TableName": name}):
                break
            time.sleep(0.05)


def exchange(port, operation, body):
    """One request, one reply, with nothing but a socket."""
    text = json.dumps(body).encode()
    head = (
        f"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\nConnection: close\r\n"
        f"X-Amz-Date: 20260101T000000Z\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n"
        f"Authorization: AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "
        f"SignedHeaders=host;x-amz-date;x-amz-target, Signature={'a' * 64}\r\nContent-Length: {len(text)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(head.encode() + text)
        reply = b""
        while chunk := connection.recv(65536):
            reply += chunk
    return reply


# --- measurements -----------------------------------------------------------------------------------------------------


def measure_start(build, scratch, times):
    """(milliseconds from exec to the first answer, resident MiB after it), with an empty store; medians."""
    milliseconds, resident = [], []
    for n in range(times):
        data = scratch / f"start-{n}"
        with Process(build / "partita", "serve", "--listen", "127.0.0.1:0", "--data", data) as server:
            exchange(server.port, "ListTables", {})
            milliseconds.append((time.perf_counter() - server.started) * 1000)
            status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
            resident.append(int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024)
    return statistics.median(milliseconds), statistics.median(resident)


def measure(build, scratch, rounds, seconds):
    """{(what, connections): [a result per round]}"""
    results = {}
    serve = (build / "partita", "serve", "--listen", "127.0.0.1:0", "--data", scratch / "partita")
    with Process(*serve) as server:
        load(build, server, "".join(create_tables()), once=True)
        wait_until_active(server)
        lines = "".join(put_line(c, n) for c in range(COLLECTIONS) for n in range(COLLECTION_ITEMS))
        load(build, server, "".join(map(put_item, range(ITEMS))) + lines, connections=16, once=True)
        # The raw loop answers as many bytes as Partita does.
        sizes = {name: load(build, server, WORKLOADS[name], seconds=0.2)["reply_bytes"] for name in ("GetItem", "Query")}
        loops = {name: Process(build / "bench" / "raw_loop", size) for name, size in sizes.items()}
        with loops["GetItem"], loops["Query"]:
            for n in range(rounds):
                print(f"round {n + 1} of {rounds}", file=sys.stderr)
                one_round(build, scratch, server, loops, seconds, results)
    return results


def one_round(build, scratch, server, loops, seconds, results):
    def keep(what, connections, result):
        results.setdefault((what, connections), []).append(result)

    for connections in CONNECTIONS:
        for name, loop in loops.items():
            keep(f"raw {name}", connections, load(build, loop, WORKLOADS[name], connections, seconds))
        for name, requests in WORKLOADS.items():
            keep(name, connections, load(build, server, requests, connections, seconds))
        for what in ("get", "put", "query"):
            for label, cores in (("one core", SERVER_CORE), ("all cores", set(CORES))):
                result = rocksdb(build, scratch / "rocksdb", what, connections, seconds, cores)
                keep(f"rocksdb {what}, {label}", connections, result)


def median(results, what, connections, field):
    return statistics.median(result[field] for result in results[what, connections])


# --- the page ---------------------------------------------------------------------------------------------------------


def rows(results, names):
    lines = ["| | connections | requests/s | p50 µs | p99 µs | server CPU µs/request |", "|---|--:|--:|--:|--:|--:|"]
    for what, label in names.items():
        for connections in CONNECTIONS:
            rate, p50, p99, cpu = (
                median(results, what, connections, field) for field in ("per_second", "p50_us", "p99_us", "cpu_us")
            )
            lines.append(f"| {label} | {connections} | {rate:,.0f} | {p50:,.0f} | {p99:,.0f} | {cpu:.1f} |")
    return lines


def ratios(results, start_ms, resident_mib):
    def cpu(what):
        return median(results, what, 64, "cpu_us")

    def rate(what):
        return median(results, what, 64, "per_second")

    least_for_a_query = median(results, "rocksdb query, one core", 1, "cpu_us") + cpu("raw Query")
    table = [
        ("GetItem: CPU ÷ raw loop's", cpu("GetItem") / cpu("raw GetItem"), "≤ 1.5"),
        ("PutItem: rate ÷ RocksDB's sync Put, both on one core",
         rate("PutItem") / rate("rocksdb put, one core"), "≥ 1.3"),
        ("PutItem: rate on one core ÷ RocksDB's sync Put on all cores",
         rate("PutItem") / rate("rocksdb put, all cores"), "–"),
        ("UpdateItem of one hot item: rate ÷ PutItem's", rate("UpdateItem") / rate("PutItem"), "≥ 0.5"),
        ("Query: CPU ÷ (RocksDB's seek and 50 next + raw loop's for as many bytes)",
         cpu("Query") / least_for_a_query, "≤ 2"),
        ("start to first answer, ms", start_ms, "≤ 20"),
        ("idle memory, MiB", resident_mib, "≤ 20"),
    ]
    lines = ["| at 64 connections | measured | budget |", "|---|--:|--:|"]
    return lines + [f"| {what} | {value:.2f} | {budget} |" for what, value, budget in table]


def page(results, start_ms, resident_mib, arguments):
    loops = {"raw GetItem": "raw loop, a GetItem's bytes", "raw Query": "raw loop, a Query's bytes"}
    baseline = {
        f"rocksdb {what}, {cores}": f"RocksDB {label}, {cores}"
        for what, label in (("get", "Get"), ("put", "Put, sync=true"), ("query", "seek and 50 next"))
        for cores in ("one core", "all cores")
    }
    version = subprocess.run(["git", "describe", "--always"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return "\n".join(
        [
            f"Revision {version}, {platform.machine()}, {len(CORES)} cores ({processor()}); medians of "
            f"{arguments.rounds} interleaved rounds of {arguments.seconds:g} s each. The server has one core and the "
            "client another. RocksDB's rows have as many threads as connections. Before it began, the machine's load "
            f"was {LOAD_BEFORE:.1f}; above 0.5, rates and latencies say little, and CPU times a bit too much.",
            "",
            *ratios(results, start_ms, resident_mib),
            "",
            *rows(results, {**LABELS, **loops, **baseline}),
        ]
    )


def processor():
    found = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return found.group(1).strip() if found else "processor unknown"


def update_page(text):
    whole = PAGE.read_text()
    before, rest = whole.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


def main():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured (3)")
    parser.add_argument("--seconds", type=float, default=1.5, help="how long each measurement lasts (1.5)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help="the build to measure")
    parser.add_argument("--no-page", action="store_true", help="leave docs/performance.md as it is")
    arguments = parser.parse_args()

    build = arguments.build.resolve()
    scratch = build / "bench" / "data"  # on the disk that the checkout is on, not in memory
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        start_ms, resident_mib = measure_start(build, scratch, times=11)
        text = page(measure(build, scratch, arguments.rounds, arguments.seconds), start_ms, resident_mib, arguments)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(text)
    if not arguments.no_page:
        update_page(text)


if __name__ == "__main__":
    main()
