"""Measures Partita, and writes what it found into bench/results, and in short into docs/performance.md.

Without an option that names a part, or with --rows: every kind of request, beside the least that a server can do and
beside RocksDB alone. Several options measure all of them at one revision. The server has one core, the load client
another, so that "CPU per request" means something; where the machine has one core they share it. Absolute figures hold
for one machine; ratios should hold elsewhere.
"""

import argparse
import pathlib
import shlex
import shutil
import signal
import sys

import against_peers
import backfill
import data_api
import dax
import fairness
import fifty_tests
import growth
import isolation
import judged
import page
import rows
import search_sink
import servers
import starts
import vectors
import ycsb

PARTS = {
    "rows": rows.part,
    "peers": against_peers.part,
    "ycsb": ycsb.part,
    "growth": growth.part,
    "backfill": backfill.part,
    "fairness": fairness.part,
    "isolation": isolation.part,
    "data_api": data_api.part,
    "dax": dax.part,
    "search_sink": search_sink.part,
    "vectors": vectors.part,
    "judged": judged.part,
    "fifty_tests": fifty_tests.part,
    "start": starts.part,
}


def arguments_of(words):
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--rows", action="store_true", help="what is measured without options, beside the other parts")
    parser.add_argument("--peers", action="store_true", help="beside DynamoDB Local, Dynoxide and dynalite, fetched once")
    parser.add_argument("--ycsb", action="store_true", help="the mixes A to F of the Yahoo! Cloud Serving Benchmark")
    parser.add_argument(
        "--growth", type=int, nargs="?", const=1_000_000, metavar="ITEMS",
        help="as a table grows to so many items of 1 KB (1000000; 10000000 need 25 GiB), and a mixed load on it",
    )
    parser.add_argument("--minutes", type=float, default=2, help="how long --growth's mixed load lasts (2)")
    parser.add_argument(
        "--backfill", type=int, nargs="?", const=1_000_000, metavar="ITEMS",
        help="writers beside an index that is added to a table of so many small items (1000000)",
    )
    parser.add_argument("--fairness", action="store_true", help="a client beside another that scans or hammers one key")
    parser.add_argument("--isolation", action="store_true", help="keys beside one that is flooded beyond its capacity")
    parser.add_argument(
        "--data-api", action="store_true", help="streams and PartiQL beside the calls that do the same without them"
    )
    parser.add_argument("--dax", action="store_true", help="GetItem and Query over DAX, beside the same over HTTP")
    parser.add_argument(
        "--search-sink", type=int, nargs="?", const=100_000, metavar="ITEMS",
        help="a search sink on OpenSearch, which is fetched once, for a table of so many items (100000)",
    )
    parser.add_argument(
        "--fifty-tests", action="store_true", help="pytest, jest and go test with Partita's packages, beside those peers"
    )
    parser.add_argument("--start", action="store_true", help="sizes, starts and memory at rest, beside those peers")
    parser.add_argument("--judged", action="store_true", help="GetItem with its signature verified, and with a policy")
    parser.add_argument(
        "--vectors", type=int, nargs="?", const=100_000, metavar="ITEMS", help="searches of so many vectors (100000)"
    )
    parser.add_argument(
        "--vectors-of", nargs="+", choices=vectors.DISTANCES_OF, default=list(vectors.DISTANCES_OF), metavar="KIND",
        help="only these kinds of vectors (topics, noise)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured (3)")
    parser.add_argument("--seconds", type=float, default=1.5, help="how long each measurement lasts (1.5)")
    parser.add_argument(
        "--build", type=pathlib.Path, default=servers.ROOT / "build" / "release", help="the build to measure"
    )
    parser.add_argument("--no-page", action="store_true", help="leave bench/results and docs/performance.md as they are")
    arguments = parser.parse_args(words)
    if arguments.growth is not None and arguments.growth < growth.FIRST:
        parser.error(f"--growth takes {growth.FIRST} items or more")
    if arguments.vectors is not None and arguments.vectors < vectors.FEWEST:
        parser.error(f"--vectors takes {vectors.FEWEST} or more")
    return arguments


def main():
    arguments = arguments_of(sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: ended by a signal"))  # and clears up
    chosen = [name for name in PARTS if getattr(arguments, name, None) not in (None, False)] or ["rows"]
    build = arguments.build.resolve()
    scratch = build / "bench" / "data"  # on the disk that the checkout is on, not in memory
    for name in chosen:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        try:
            found = PARTS[name](build, scratch, arguments)
        except (servers.LoadFailed, RuntimeError) as why:
            sys.exit(f"bench: {why}")
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        print(found.whole())
        if not arguments.no_page:
            page.update(name, found, shlex.join(["./dev", "bench", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
