"""PutItem, GetItem and Query on a store in FoundationDB beside the same cluster driven directly by its C client.

    PARTITA_TEST_FDB_PROGRAMS=DIR bench/foundationdb.py [--rounds N] [--seconds S] [--build DIR]

Both have 64 requests in flight and as many items of the same sizes, on a cluster of three processes that keeps every
row twice and flushes each commit; they take turns. Cluster, server and client share all cores of the machine. DIR has
fdbserver and fdbcli, the loader finds libfdb_c.so, and `partita`, `load` and `foundationdb_baseline` are built. Prints
a table for docs/engines/foundationdb.md.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import page
import servers
import signing
import workload

sys.path.insert(0, str(servers.ROOT / "tests" / "support"))  # before this file, which has the same name
from foundationdb import PROGRAMS, running_foundationdb  # noqa: E402

IN_FLIGHT = 64
DIRECTLY = {
    "PutItem": ("put", "a set of one row"),
    "GetItem": ("get", "a get of one row"),
    "Query": ("query", f"a range of {workload.COLLECTION_ITEMS} rows"),
}


def baseline(build, cluster_file, *words, seconds=0):
    """What the program prints, which is to end in so many seconds and a minute."""
    command = [build / "bench" / "foundationdb_baseline", cluster_file, *map(str, words)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 + seconds)
    if ran.returncode != 0:
        raise RuntimeError(f"foundationdb_baseline ended with {ran.returncode}: {ran.stderr}")
    return ran.stdout


def measure(build, rounds, seconds):
    """{operation: [(Partita's requests a second, transactions a second directly) per round]}"""
    requests = workload.rows()
    rows = {what: signing.signed(requests[what]) for what in DIRECTLY}
    found = {what: [] for what in DIRECTLY}
    servers.say(f"three processes start; then about {len(found) * rounds * 2 * (seconds + 1)} s of measuring")
    with running_foundationdb() as cluster:
        servers.say("rows for the client alone are put")
        baseline(build, cluster.cluster_file, "fill")
        port = servers.free_port()
        command = [build / "partita", "serve", "--listen", f"127.0.0.1:{port}", "--store", cluster.url]
        with servers.Server(command, port, set(servers.CORES)) as server:
            servers.say("tables and items for Partita are put")
            servers.prepare(build, server, workload.fill_requests())
            for n in range(rounds):
                for what, (operation, _) in DIRECTLY.items():
                    ours = servers.load(build, server, rows[what], connections=IN_FLIGHT, seconds=seconds)
                    words = (operation, IN_FLIGHT, seconds)
                    directly = json.loads(baseline(build, cluster.cluster_file, *words, seconds=seconds))
                    pair = ours["per_second"], directly["per_second"]
                    found[what].append(pair)
                    servers.say(f"round {n + 1} of {rounds}, {what}: {pair[0]:,.0f} and directly {pair[1]:,.0f} a second")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured (5)")
    parser.add_argument("--seconds", type=int, default=3, help="for how long (3)")
    parser.add_argument("--build", type=pathlib.Path, default=servers.ROOT / "build" / "release")
    arguments = parser.parse_args()
    if not PROGRAMS:
        parser.error("PARTITA_TEST_FDB_PROGRAMS has to name a folder with fdbserver and fdbcli.")
    found = measure(arguments.build.resolve(), arguments.rounds, arguments.seconds)
    rows = []
    for what, results in found.items():
        ours, direct = (statistics.median(rates) for rates in zip(*results))
        ratios = sorted(one / other for one, other in results)
        spread = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})"
        rows.append([workload.LABELS[what], f"{ours:,.0f}", DIRECTLY[what][1], f"{direct:,.0f}", spread])
    print(page.table(["", "requests/s", "directly", "transactions/s", "ratio"], rows))


if __name__ == "__main__":
    main()
