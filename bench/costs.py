"""What a request costs on each engine: processors of the server and of the store, bytes of network and of disk.

    bench/costs.py [--rounds N] [--seconds S] [--build DIR]

GetItem and PutItem of 300 bytes over 64 connections, all on this machine, and the databases over TCP. Processor time
is what the kernel counts for each process, so that others on the machine disturb it little. FoundationDB's three
processes, which keep two copies, are measured when PARTITA_TEST_FDB_PROGRAMS names a folder with fdbserver and fdbcli.
Needs `ss`. Prints a table for docs/scale.md.
"""

import argparse
import contextlib
import dataclasses
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import page
import servers
import signing
import workload

sys.path.insert(0, str(servers.ROOT / "tests" / "support"))  # before bench/postgres.py, which has the same name
from foundationdb import PROGRAMS, running_foundationdb  # noqa: E402
from postgres import running_postgres  # noqa: E402

CONNECTIONS = 64
WARM_S = 1
TICKS_PER_S = 100  # of /proc


def cpu_us(pid, within=""):
    words = pathlib.Path(f"/proc/{pid}{within}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / TICKS_PER_S * 1e6


def thread_us(pid, name):
    """Of the threads of that name."""
    threads = [path.parent for path in pathlib.Path(f"/proc/{pid}/task").glob("*/comm") if path.read_text().strip() == name]
    return sum(cpu_us(pid, f"/task/{thread.name}") for thread in threads)


def written_bytes(pid):
    return int(re.search(r"^write_bytes: (\d+)", pathlib.Path(f"/proc/{pid}/io").read_text(), re.M).group(1))


def socket_bytes(*chosen, pid=None):
    """Both ways, without the heads of TCP's packets; `pid`: of that process alone."""
    lines = subprocess.run(["ss", "-tinpOH", *chosen], capture_output=True, text=True, check=True).stdout.splitlines()
    own = "\n".join(line for line in lines if pid is None or f"pid={pid}," in line)
    return sum(int(number) for number in re.findall(r"\bbytes_(?:sent|received):(\d+)", own))


def answered(server):
    text = urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=10).read().decode()
    return sum(float(number) for number in re.findall(r"^partita_request_seconds_count\S* (\S+)", text, re.M))


@dataclasses.dataclass
class Costs:
    """Of a request, or all at one moment."""

    requests: float
    server_cpu_us: float
    shared_thread_us: float  # of these in the one thread that commits to RocksDB, or talks to the database
    store_cpu_us: float
    client_bytes: float
    store_bytes: float
    disk_bytes: float

    def __sub__(self, before):
        return Costs(*(now - then for now, then in zip(dataclasses.astuple(self), dataclasses.astuple(before))))

    def of_one(self):
        return Costs(self.requests, *(all_ / self.requests for all_ in dataclasses.astuple(self)[1:]))


@dataclasses.dataclass
class Store:
    """A server of Partita, and what is below it: `database` is None on RocksDB, which is in the server."""

    server: object
    database: object
    shared_thread: str

    def costs(self):
        below = self.database.pids() if self.database else []
        ports = self.database.ports if self.database else []
        return Costs(
            answered(self.server),
            cpu_us(self.server.pid),
            thread_us(self.server.pid, self.shared_thread),
            sum(map(cpu_us, below)),
            socket_bytes("sport", f"= :{self.server.port}"),
            sum(socket_bytes("dport", f"= :{port}", pid=self.server.pid) for port in ports),
            sum(map(written_bytes, below or [self.server.pid])),
        )


def loaded(build, store, lines, seconds):
    """The costs of one of the requests."""
    client = servers.start_load(build, store.server, connections=CONNECTIONS, seconds=seconds + 2 * WARM_S)
    client.stdin.write("".join(lines))
    client.stdin.close()
    client.stdin = None
    time.sleep(WARM_S)
    before = store.costs()
    time.sleep(seconds)
    after = store.costs()
    out, err = client.communicate()
    servers.report_of(client, out, err, store.server)
    return (after - before).of_one()


def measure(build, rounds, seconds):
    """{(engine, operation): [costs of a request per round]}"""
    requests = workload.rows()
    lines = {what: signing.signed(requests[what]) for what in ("GetItem", "PutItem")}
    with contextlib.ExitStack() as running:
        postgres = running.enter_context(running_postgres(durable=True, tcp=True))
        directory = running.enter_context(tempfile.TemporaryDirectory())

        def start(*where):
            port = servers.free_port()
            command = [build / "partita", "serve", "--listen", f"127.0.0.1:{port}", *where]
            server = running.enter_context(servers.Server(command, port, set(servers.CORES)))
            servers.prepare(build, server, workload.fill_requests())
            return server

        stores = {
            "RocksDB": Store(start("--data", directory), None, "committer"),
            "PostgreSQL": Store(start("--store", postgres.tcp_url), postgres, "courier"),
        }
        if PROGRAMS:
            cluster = running.enter_context(running_foundationdb())
            stores["FoundationDB"] = Store(start("--store", cluster.url), cluster, "network")
        found = {(store, what): [] for store in stores for what in lines}
        for n in range(rounds):
            servers.say(f"round {n + 1} of {rounds}")
            for (store, what), costs in found.items():
                costs.append(loaded(build, stores[store], lines[what], seconds))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--seconds", type=int, default=4, help="for how long (4)")
    parser.add_argument("--build", type=pathlib.Path, default=servers.ROOT / "build" / "release")
    arguments = parser.parse_args()
    found = measure(arguments.build.resolve(), arguments.rounds, arguments.seconds)

    def row(label, field, digits=0):
        medians = [statistics.median(getattr(costs, field) for costs in rounds) for rounds in found.values()]
        return [label, *(f"{median:,.{digits}f}" for median in medians)]

    rows = [
        row("processors of the server, µs", "server_cpu_us", 1),
        row("… in the one thread that all share, µs", "shared_thread_us", 1),
        row("processors of the database, µs", "store_cpu_us", 1),
        row("between client and server, bytes", "client_bytes"),
        row("between server and database, bytes", "store_bytes"),
        row("written to the disk, bytes", "disk_bytes"),
    ]
    print(page.table(["of one request", *(f"{store}: {what}" for store, what in found)], rows))


if __name__ == "__main__":
    main()
