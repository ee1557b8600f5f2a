"""What a backup costs, and what it does to those who write meanwhile.

    python3 bench/backup.py [--gigabytes 1] [--rate 500] [--rounds 3]

Fills a store, and lets a client put items at a steady rate: undisturbed, beside a first backup, undisturbed again, and
beside a second one, which finds most files in the directory already. A latency counts from when the request was due.
The client and the server have a core each; the backup's thread is the server's. Prints a table.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

import page
import servers
import signing
import workload

ITEM_BYTES = 330  # as they are stored


def back_up(build, data, backups):
    """(seconds, MiB of it, MiB that were new)"""
    began = time.perf_counter()
    ended = subprocess.run([build / "partita", "backup", data, backups], capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - began
    found = re.search(r": ([\d.]+) MiB, of which ([\d.]+) MiB were new", ended.stdout)
    return seconds, float(found.group(1)), float(found.group(2))


class Writer:
    """A client that puts items until it is told to stop; then what it reports."""

    def __init__(self, build, server, rate, seconds):
        self._client = servers.start_load(build, server, connections=16, seconds=seconds, rate=rate)
        requests = [workload.put_item(n * 7919 % 2_000_000, version=1) for n in range(5_000)]
        self._client.stdin.write("".join(signing.signed(requests)))
        self._client.stdin.close()

    def result(self):
        out, err = self._client.stdout.read(), self._client.stderr.read()
        self._client.wait()
        return servers.report_of(self._client, out, err, None)


def measure(build, scratch, arguments):
    """[{what, seconds, MiB, p50, p99 of the writer}], for each round"""
    rows = []
    items = int(arguments.gigabytes * 2**30 / ITEM_BYTES)
    for number in range(arguments.rounds):
        data, backups = scratch / f"data{number}", scratch / f"backups{number}"
        with servers.partita(build, data) as server:
            servers.prepare(build, server, (workload.put_batch(n) for n in range(items // 25)))
            time.sleep(5)  # compactions that the filling left
            for what in ("first backup", "second backup"):
                quiet = Writer(build, server, arguments.rate, 10).result()
                # As long as the backup takes, about: a first one tells how long.
                writer = Writer(build, server, arguments.rate, arguments.seconds if what == "first backup" else 3)
                time.sleep(0.5)
                took = back_up(build, data, backups)
                rows.append((what, took, quiet, writer.result()))
                p99s = [result["p99_us"] for result in rows[-1][2:]]
                servers.say(f"round {number + 1}, {what}: {took[0]:.1f} s, p99 {p99s[0]:.0f} us, then {p99s[1]:.0f}")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=1, help="what the store holds (1)")
    parser.add_argument("--rate", type=int, default=500, help="items that are put each second (500)")
    parser.add_argument("--rounds", type=int, default=3, help="how often (3)")
    parser.add_argument("--seconds", type=int, default=8, help="for how long items are put beside a first backup (8)")
    parser.add_argument("--build", type=pathlib.Path, default=servers.ROOT / "build" / "release")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="partita-bench-") as scratch:
        rows = measure(arguments.build, pathlib.Path(scratch), arguments)
    said = []
    for what in ("first backup", "second backup"):
        of = [row for row in rows if row[0] == what]
        seconds, whole, new = (statistics.median(row[1][i] for row in of) for i in range(3))
        quiet, beside = (statistics.median(row[i]["p99_us"] for row in of) for i in (2, 3))
        sizes = [f"{whole:.0f}", f"{new:.0f}"]
        said.append([what, f"{seconds:.1f}", *sizes, page.ms(quiet), page.ms(beside), f"{beside / quiet:.1f}"])
    rounds = f"medians of {arguments.rounds} rounds, {arguments.rate} PutItem a second"
    print(f"{servers.machine()}, revision {servers.revision()}; {rounds}\n")
    print(page.table(["", "seconds", "MiB", "MiB new", "PutItem p99 ms, quiet", "beside it", "ratio"], said))


if __name__ == "__main__":
    main()
