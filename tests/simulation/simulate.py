"""./dev simulate: seeded histories of concurrent clients against a real server, each judged for strict serialisability.

    simulate.py [--histories N] [--seed S] [--engine NAME] [--servers N] [--kills N] [--faults N]

History after history, a few at a time: S, S + 1, ... Each is three to eight clients, together with about 48 operations
on items of its own. What one client asks follows from the seed; how they interleave does not, so run a seed that failed
a hundred times (--seed S --histories 1 --times 100). A fault is one of the database below: PostgreSQL is killed, once
with its standby promoted and then to be started again; the processes of FoundationDB are killed and started by turns.
Prints the first histories that are wrong and exits with 1.
"""

import argparse
import contextlib
import itertools
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from clients import FOLLOWED, PLAIN, History  # noqa: E402  (they stand beside this file)
from links import Link, Loop  # noqa: E402
from foundationdb import CLUSTER_FILE, PROGRAMS, running_foundationdb  # noqa: E402
from postgres import running_postgres, store_arguments  # noqa: E402
from server import running_server  # noqa: E402

AT_ONCE = 6
REPORTED = 5


def make_table(link, name):
    keys = {"pk": "HASH", "sk": "RANGE"}
    request = {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in keys],
        "KeySchema": [{"AttributeName": key, "KeyType": kind} for key, kind in keys.items()],
        "BillingMode": "PAY_PER_REQUEST",
    }
    if name == FOLLOWED:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    made = link.call("CreateTable", request)["TableDescription"]
    while link.call("DescribeTable", {"TableName": name})["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(0.01)
    return made.get("LatestStreamArn")


class Follower:
    """Reads a stream to where it is, each shard from where it was, and gives each history its records."""

    def __init__(self, server, arn, patient):
        self.server, self.arn, self.patient = server, arn, patient
        self.link = Link(server)
        self.iterators = {}  # shard -> where to go on; None behind its end
        self.last = {}  # shard -> sequence number

    def call(self, operation, request):
        return self.link.call(operation, request, self.patient)

    def find_shards(self):
        page = self.call("DescribeStream", {"StreamArn": self.arn})["StreamDescription"]
        assert "LastEvaluatedShardId" not in page
        for shard in page["Shards"]:
            if shard["ShardId"] not in self.iterators:
                self.place(shard["ShardId"])

    def place(self, shard):
        where = {"ShardIteratorType": "TRIM_HORIZON"}
        if shard in self.last:
            where = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self.last[shard]}
        reply = self.call("GetShardIterator", {"StreamArn": self.arn, "ShardId": shard, **where})
        self.iterators[shard] = reply["ShardIterator"]

    def connect_again(self):
        self.link = Link(self.server)

    def follow(self, histories):
        """Everything up to now. `histories`: {seed as text: History}."""
        if not self.iterators:
            self.find_shards()
        # A shard that ends has children, which must not be read before it.
        while any([self.read(shard, histories) for shard, at in list(self.iterators.items()) if at is not None]):
            self.find_shards()

    def read(self, shard, histories):
        """Reads a shard to its end of now. True when it was closed."""
        while True:
            page = self.call("GetRecords", {"ShardIterator": self.iterators[shard]})
            self.iterators[shard] = page.get("NextShardIterator")
            for record in page["Records"]:
                self.last[shard] = record["dynamodb"]["SequenceNumber"]
                histories[record["dynamodb"]["Keys"]["pk"]["S"].split("/")[0]].take(record)
            if self.iterators[shard] is None or not page["Records"]:
                return self.iterators[shard] is None


class Simulation:
    """Histories on servers over one store, some at a time."""

    def __init__(self, servers, seeds, kills=0, faults=0, fail=None, tell=None):
        self.loop = Loop(servers, may_fail=faults > 0)
        link = Link(servers[0])
        make_table(link, PLAIN)
        self.follower = Follower(servers[0], make_table(link, FOLLOWED), patient=faults > 0)
        self.seeds = iter(seeds)
        self.total = len(seeds)
        due = [(self.total * (i + 1) // (kills + 1), self.kill) for i in range(kills)]
        due += [(self.total * (2 * i + 1) // (2 * faults), fail) for i in range(faults)]
        self.due = sorted(due, key=lambda one: one[0])
        self.running = {}
        self.judged, self.operations, self.outcomes = 0, 0, {}
        self.failed = []  # (seed, anomalies)
        self.tell = tell

    def run(self):
        for _ in range(AT_ONCE):
            self.begin()
        turns = 0
        while self.loop.busy:
            self.loop.turn()
            turns += 1
            if self.due and self.judged >= self.due[0][0] and turns % 7 == 0:
                self.due.pop(0)[1]()
        return self.failed

    def kill(self):
        self.loop.kill()
        self.follower.connect_again()

    def begin(self):
        seed = next(self.seeds, None)
        if seed is None:
            return
        history = History(seed)
        self.running[str(seed)] = history
        left = [history.size]

        def one_done():
            left[0] -= 1
            if left[0] == 0:
                self.loop.start(history.last_look(), lambda: self.end(history))

        for client in history.clients():
            self.loop.start(client, one_done)

    def end(self, history):
        if history.table == FOLLOWED:
            self.follower.follow(self.running)
        del self.running[str(history.seed)]
        anomalies = history.judge()
        if anomalies:
            self.failed.append((history.seed, anomalies))
        self.judged += 1
        self.operations += len(history.transactions)
        for one in history.transactions:
            self.outcomes[one.outcome] = self.outcomes.get(one.outcome, 0) + 1
        if self.tell:
            self.tell(self)
        self.begin()


@contextlib.contextmanager
def failing_store(engine):
    """(what running_server() takes, a function for each fault) for "postgres" and "foundationdb"."""
    with contextlib.ExitStack() as running:
        if engine == "postgres":
            primary = running.enter_context(running_postgres())
            standby = running.enter_context(running_postgres(primary=primary))
            primary.wait_for_standby()

            def fail():
                if primary.process is not None:
                    primary.kill()
                    standby.promote()
                else:
                    standby.kill()
                    standby.start()

            yield {"store": f"{primary.url},{standby.directory}"}, fail
        else:
            cluster = running.enter_context(running_foundationdb())
            both = cluster.kill_process, cluster.start_process
            steps = itertools.cycle([(step, process) for process in range(3) for step in both])

            def fail():
                step, process = next(steps)
                step(process)

            yield {"store": cluster.url}, fail


def simulate(seeds, engine="rocksdb", kills=0, servers=1, faults=0, tell=None):
    """The Simulation after its run."""
    patient = ["--idle-timeout", "3600", "--request-timeout", "600"]  # whatever else this machine does
    with contextlib.ExitStack() as running:
        if faults:
            store, fail = running.enter_context(failing_store(engine))
        else:
            store, fail = running.enter_context(store_arguments(engine)), None
        started = [running.enter_context(running_server(extra_args=patient, **store)) for _ in range(servers)]
        simulation = Simulation(started, seeds, kills, faults, fail, tell)
        simulation.run()
        return simulation


def describe(failed):
    lines = []
    for seed, anomalies in failed[:REPORTED]:
        lines += [f"seed {seed}: {anomaly.kind}\n  {anomaly.what}" for anomaly in anomalies[:3]]
    kinds = sorted({anomaly.kind for _, anomalies in failed for anomaly in anomalies})
    return "\n".join(lines) + f"\n{len(failed)} histories are wrong: {', '.join(kinds)}"


def main():
    parser = argparse.ArgumentParser(prog="./dev simulate", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1, help="of the first history")
    parser.add_argument("--times", type=int, default=1, help="run the whole that often")
    parser.add_argument("--engine", choices=("rocksdb", "memory", "postgres", "foundationdb"), default="rocksdb")
    parser.add_argument("--servers", type=int, default=1, help="how many are on the store (1)")
    parser.add_argument("--kills", type=int, default=0, help="how often a server is killed on the way, by turns")
    parser.add_argument("--faults", type=int, default=0, help="how often the database below fails on the way")
    options = parser.parse_args()
    shared = options.engine in ("postgres", "foundationdb")
    if not shared and (options.servers > 1 or options.faults):
        parser.error(f"--servers and --faults are for a store that servers share, not for {options.engine}.")
    if options.engine == "foundationdb" and options.faults and not PROGRAMS:
        parser.error("--faults needs PARTITA_TEST_FDB_PROGRAMS, a folder with fdbserver and fdbcli.")
    if options.engine == "foundationdb" and not options.faults and not CLUSTER_FILE:
        parser.error("PARTITA_TEST_FDB has to name the cluster file of a running cluster.")
    started = time.monotonic()

    def tell(simulation):
        if simulation.judged % 500 == 0:
            print(f"{simulation.judged:6} histories, {simulation.operations} transactions, "
                  f"{time.monotonic() - started:.0f} s, {len(simulation.failed)} wrong", flush=True)

    for _ in range(options.times):
        seeds = range(options.seed, options.seed + options.histories)
        simulation = simulate(seeds, options.engine, options.kills, options.servers, options.faults, tell)
        if simulation.failed:
            sys.exit(describe(simulation.failed))
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(simulation.outcomes.items()))
        print(f"{simulation.judged} histories from seed {options.seed}: no anomaly ({outcomes})"
              + (f", {simulation.loop.errors} internal errors" if options.faults else ""))


if __name__ == "__main__":
    main()
