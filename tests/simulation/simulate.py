"""./dev simulate: seeded histories of concurrent clients against a real server, each judged for strict serialisability.

    simulate.py [--histories N] [--seed S] [--engine NAME] [--kills N]

History after history, a few at a time: S, S + 1, ... Each is three to eight clients of about 48 operations together, on
items of its own. What one client asks follows from the seed; how they interleave does not, so run a seed that failed a
hundred times (--seed S --histories 1 --times 100). Prints the first histories that are wrong and exits with 1.
"""

import argparse
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from clients import FOLLOWED, PLAIN, History  # noqa: E402  (they stand beside this file)
from links import Link, Loop  # noqa: E402
from postgres import store_arguments  # noqa: E402
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

    def __init__(self, server, arn):
        self.server, self.arn = server, arn
        self.link = Link(server)
        self.iterators = {}  # shard -> where to go on; None behind its end
        self.last = {}  # shard -> sequence number

    def find_shards(self):
        page = self.link.call("DescribeStream", {"StreamArn": self.arn})["StreamDescription"]
        assert "LastEvaluatedShardId" not in page
        for shard in page["Shards"]:
            if shard["ShardId"] not in self.iterators:
                self.place(shard["ShardId"])

    def place(self, shard):
        where = {"ShardIteratorType": "TRIM_HORIZON"}
        if shard in self.last:
            where = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self.last[shard]}
        reply = self.link.call("GetShardIterator", {"StreamArn": self.arn, "ShardId": shard, **where})
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
            page = self.link.call("GetRecords", {"ShardIterator": self.iterators[shard]})
            self.iterators[shard] = page.get("NextShardIterator")
            for record in page["Records"]:
                self.last[shard] = record["dynamodb"]["SequenceNumber"]
                histories[record["dynamodb"]["Keys"]["pk"]["S"].split("/")[0]].take(record)
            if self.iterators[shard] is None or not page["Records"]:
                return self.iterators[shard] is None


class Simulation:
    """Histories on one server, some at a time."""

    def __init__(self, server, seeds, kills=0, tell=None):
        self.loop = Loop(server)
        link = Link(server)
        make_table(link, PLAIN)
        self.follower = Follower(server, make_table(link, FOLLOWED))
        self.seeds = iter(seeds)
        self.total = len(seeds)
        self.kill_at = [self.total * (i + 1) // (kills + 1) for i in range(kills)]
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
            if self.kill_at and self.judged >= self.kill_at[0] and turns % 7 == 0:
                del self.kill_at[0]
                self.loop.kill()
                self.follower.connect_again()
        return self.failed

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


def simulate(seeds, engine="rocksdb", kills=0, tell=None):
    """The Simulation after its run."""
    patient = ["--idle-timeout", "3600", "--request-timeout", "600"]  # whatever else this machine does
    with store_arguments(engine) as store, running_server(extra_args=patient, **store) as server:
        simulation = Simulation(server, seeds, kills, tell)
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
    parser.add_argument("--kills", type=int, default=0, help="how often the server is killed on the way")
    options = parser.parse_args()
    started = time.monotonic()

    def tell(simulation):
        if simulation.judged % 500 == 0:
            print(f"{simulation.judged:6} histories, {simulation.operations} transactions, "
                  f"{time.monotonic() - started:.0f} s, {len(simulation.failed)} wrong", flush=True)

    for _ in range(options.times):
        seeds = range(options.seed, options.seed + options.histories)
        simulation = simulate(seeds, options.engine, options.kills, tell)
        if simulation.failed:
            sys.exit(describe(simulation.failed))
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(simulation.outcomes.items()))
        print(f"{simulation.judged} histories from seed {options.seed}: no anomaly ({outcomes})")


if __name__ == "__main__":
    main()
