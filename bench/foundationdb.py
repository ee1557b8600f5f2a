"""PutItem, GetItem and Query on a store in FoundationDB beside the same cluster driven directly by its C client.

    PARTITA_TEST_FDB_PROGRAMS=DIR bench/foundationdb.py [--rounds N] [--seconds S] [--build DIR]

Both have 64 requests in flight and as many items of the same sizes, on a cluster of three processes that keeps every
row twice and flushes each commit; they take turns. Cluster, server and client share all cores of the machine. DIR has
fdbserver and fdbcli, the loader finds libfdb_c.so, and `partita`, `load` and `foundationdb_baseline` are built. Prints
a table for docs/engines/foundationdb.md.
"""

import json
import subprocess
import sys

import beside
import servers
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


def main():
    parser = beside.parser(__doc__)
    arguments = parser.parse_args()
    if not PROGRAMS:
        parser.error("PARTITA_TEST_FDB_PROGRAMS has to name a folder with fdbserver and fdbcli.")
    build, seconds = arguments.build.resolve(), arguments.seconds
    servers.say(f"three processes start; then about {len(DIRECTLY) * arguments.rounds * 2 * (seconds + 1)} s of measuring")
    with running_foundationdb() as cluster:
        servers.say("rows for the client alone are put")
        baseline(build, cluster.cluster_file, "fill")

        def directly(operation):
            words = (operation, IN_FLIGHT, seconds)
            return lambda: json.loads(baseline(build, cluster.cluster_file, *words, seconds=seconds))["per_second"]

        measured = {what: directly(operation) for what, (operation, _) in DIRECTLY.items()}
        found = beside.measure(arguments, cluster.url, IN_FLIGHT, measured)
    print(beside.table(found, {what: instead for what, (_, instead) in DIRECTLY.items()}))


if __name__ == "__main__":
    main()
