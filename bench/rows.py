"""Every kind of request beside the least that a server can do (bench/raw_loop.cc) and beside RocksDB alone
(bench/rocksdb_baseline.cc), for the budgets; and what a request takes while a server is half as busy as it can be.
"""

import json
import statistics
import subprocess

import page
import places
import plot
import servers
import signing
import workload

CONNECTIONS = (1, 16, 64)
LOOPS = {"raw GetItem": "raw loop, a GetItem's bytes", "raw Query": "raw loop, a Query's bytes"}
BASELINE = {
    f"rocksdb {what}, {cores}": f"RocksDB {label}, {cores}"
    for what, label in (("get", "Get"), ("put", "Put, sync=true"), ("query", "seek and 50 next"))
    for cores in ("one core", "all cores")
}


def rocksdb(build, directory, what, threads, seconds, cores):
    command = [build / "bench" / "rocksdb_baseline", directory, what, threads, seconds]
    ran = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=True, preexec_fn=servers.on(cores)
    )
    return json.loads(ran.stdout)


def measure(build, scratch, rounds, seconds):
    """{(what, connections): [a result per round]}; ("half " + what, 64) holds those at half the rate."""
    results = {}
    rows = {what: signing.signed(requests) for what, requests in workload.rows().items()}
    with servers.partita(build, scratch / "rows") as server:
        servers.prepare(build, server, workload.fill_requests())
        # The raw loop answers as many bytes as Partita does.
        size = {what: servers.load(build, server, rows[what], seconds=0.2)["reply_bytes"] for what in ("GetItem", "Query")}
        with servers.raw_loop(build, size["GetItem"]) as get_loop, servers.raw_loop(build, size["Query"]) as query_loop:
            loops = {"GetItem": get_loop, "Query": query_loop}
            for n in range(rounds):
                servers.say(f"round {n + 1} of {rounds}")
                one_round(build, scratch, server, loops, rows, seconds, results)
    return results


def one_round(build, scratch, server, loops, rows, seconds, results):
    def keep(what, connections, result):
        results.setdefault((what, connections), []).append(result)
        return result

    for connections in CONNECTIONS:
        how = {"connections": connections, "seconds": seconds}
        for what, requests in rows.items():
            if what in loops:
                keep(f"raw {what}", connections, servers.load(build, loops[what], requests, **how))
            full = keep(what, connections, servers.load(build, server, requests, **how))
            if connections == CONNECTIONS[-1]:
                half = servers.load(build, server, requests, rate=full["per_second"] / 2, **how)
                keep(f"half {what}", connections, half)
        for what in ("get", "put", "query"):
            for label, cores in (("one core", servers.SERVER_CORE), ("all cores", set(servers.CORES))):
                result = rocksdb(build, scratch / "rocksdb", what, connections, seconds, cores)
                keep(f"rocksdb {what}, {label}", connections, result)


# --- the page ---------------------------------------------------------------------------------------------------------


class Figures:
    """Medians over the rounds."""

    def __init__(self, results):
        self.results = results

    def __call__(self, what, connections, field):
        return statistics.median(result[field] for result in self.results[what, connections])


def budgets(figures):
    def cpu(what):
        return figures(what, 64, "cpu_us")

    def rate(what):
        return figures(what, 64, "per_second")

    least_for_a_query = figures("rocksdb query, one core", 1, "cpu_us") + cpu("raw Query")
    rows = [
        ("GetItem: CPU ÷ raw loop's", cpu("GetItem") / cpu("raw GetItem"), "≤ 1.5"),
        ("PutItem: rate ÷ RocksDB's sync Put, both on one core",
         rate("PutItem") / rate("rocksdb put, one core"), "≥ 1.3"),
        ("PutItem: rate on one core ÷ RocksDB's sync Put on all cores",
         rate("PutItem") / rate("rocksdb put, all cores"), "–"),
        ("UpdateItem of one hot item: rate ÷ PutItem's", rate("UpdateItem") / rate("PutItem"), "≥ 1.0"),
        ("Query: CPU ÷ (RocksDB's seek and 50 next + raw loop's for as many bytes)",
         cpu("Query") / least_for_a_query, "≤ 1.5"),
    ]
    return [[what, f"{value:.2f}", budget] for what, value, budget in rows]


def costs(figures, found):
    """`found`: {a place: what a GetItem from there takes}"""
    def cpu(what):
        return figures(what, 64, "cpu_us")

    cached = found["records"]["cpu_us"]
    return [
        page.cost("PutItem with an index that holds whole items", cpu("Put + index"), "PutItem", cpu("PutItem")),
        page.cost("TransactWriteItems of 2 items", cpu("TransactWriteItems"), "PutItem", cpu("PutItem")),
        page.cost("BatchWriteItem of 25 items", cpu("BatchWriteItem"), "PutItem", cpu("PutItem")),
        page.cost("GetItem from RocksDB's block cache", found["block cache"]["cpu_us"], "cache of records", cached),
        page.cost("GetItem from disk", found["disk"]["cpu_us"], "cache of records", cached),
    ]


def all_rows(figures):
    rows = []
    for what, label in {**workload.LABELS, **LOOPS, **BASELINE}.items():
        for connections in CONNECTIONS:
            rate, p50, p99, cpu = (
                figures(what, connections, field) for field in ("per_second", "p50_us", "p99_us", "cpu_us")
            )
            durable = ", durable" if what in workload.WRITES else ""
            rows.append([label + durable, str(connections), f"{rate:,.0f}", f"{p50:,.0f}", f"{p99:,.0f}", f"{cpu:.1f}"])
    return page.table(["", "connections", "requests/s", "p50 µs", "p99 µs", "CPU µs/request"], rows)


def half_busy(figures):
    rows = []
    for what, label in workload.LABELS.items():
        half = [figures(f"half {what}", 64, field) for field in ("per_second", "p50_us", "p99_us", "p999_us")]
        full = [figures(what, 64, field) for field in ("p50_us", "p99_us")]
        rows.append([label, *(f"{value:,.0f}" for value in half + full)])
    head = ["64 connections", "requests/s at half the rate", "p50 µs", "p99 µs", "p99.9 µs"]
    return page.table([*head, "p50 µs at the full rate", "p99 µs at the full rate"], rows)


def picture_of(figures):
    groups = {
        what: {
            "half the rate": figures(f"half {what}", 64, "p99_us"),
            "full rate": figures(what, 64, "p99_us"),
        }
        for what in workload.LABELS
    }
    return plot.bars("p99 at 64 connections", "µs", groups)


def part(build, scratch, arguments):
    figures = Figures(measure(build, scratch, arguments.rounds, arguments.seconds))
    found = places.measure(build, scratch)
    how = (
        f"medians of {arguments.rounds} interleaved rounds of {arguments.seconds:g} s each. The server has one core and "
        "the client another. RocksDB's rows have as many threads as connections."
    )
    text = [
        page.provenance(how),
        all_rows(figures),
        "Open loop at half the rate of the row above, with random arrivals; a latency counts from when the request was "
        "due.",
        half_busy(figures),
        page.picture("rows", "latency.svg", "p99 at half and at the full rate"),
        f"GetItem by where the item is: 64 connections, each item read once, medians of {places.ROUNDS} rounds.",
        places.table(found),
    ]
    return page.Measured(
        "\n\n".join(text), {"latency.svg": picture_of(figures)},
        budgets=budgets(figures), costs=costs(figures, found),
    )
