"""The Yahoo! Cloud Serving Benchmark's core workloads A to F, as our own client sends them.

The mixes, the record (ten fields of 100 bytes) and the distributions of keys are YCSB's. A
request is an SDK's. A read-modify-write is its two requests, of which the second does not wait for the first.
"""

import math
import random
import statistics

import page
import servers
import signing
import workload

TABLE = "usertable"
RECORDS, REQUESTS = 100_000, 60_000
FIELDS, FIELD_BYTES = 10, 100
LONGEST_SCAN = 100
ZIPF = 0.99
CONNECTIONS = (16, 64)

# {name: ({operation: per cent}, the distribution of its keys, what it stands for)}
MIXES = {
    "A": ({"read": 50, "update": 50}, "zipfian", "half reads, half updates"),
    "B": ({"read": 95, "update": 5}, "zipfian", "95 % reads, 5 % updates"),
    "C": ({"read": 100}, "zipfian", "reads"),
    "D": ({"read": 95, "insert": 5}, "latest", "95 % reads of the newest, 5 % inserts"),
    "E": ({"scan": 95, "insert": 5}, "zipfian", f"95 % scans of 1 to {LONGEST_SCAN} records, 5 % inserts"),
    "F": ({"read": 50, "modify": 50}, "zipfian", "half reads, half read-modify-writes"),
}


class Zipfian:
    """Ranks from 0 to count - 1, the first most often, as Gray et al. draw them ("Quickly generating billion-record
    synthetic databases", 1994)."""

    def __init__(self, count, chance):
        self.count, self.chance = count, chance
        self.total = math.fsum(1 / rank**ZIPF for rank in range(1, count + 1))
        first_two = 1 + 0.5**ZIPF
        self.eta = (1 - (2 / count) ** (1 - ZIPF)) / (1 - first_two / self.total)

    def draw(self):
        drawn = self.chance.random()
        if drawn * self.total < 1:
            return 0
        if drawn * self.total < 1 + 0.5**ZIPF:
            return 1
        rank = int(self.count * (self.eta * drawn - self.eta + 1) ** (1 / (1 - ZIPF)))
        return min(rank, self.count - 1)


def key(n):
    return {"key": {"S": f"user{n * 0x9E3779B97F4A7C15 % 2**64:020}"}}


def fields(n):
    text = workload.text_of(FIELDS * FIELD_BYTES, n)
    return {f"field{i}": {"S": text[i * FIELD_BYTES:(i + 1) * FIELD_BYTES]} for i in range(FIELDS)}


class Requests:
    """The requests of one mix. Inserts add records, which the mixes after it find."""

    def __init__(self, records, chance):
        self.records, self.chance = records, chance
        self.zipfian = Zipfian(records, chance)

    def pick(self, distribution):
        rank = self.zipfian.draw()
        # The most frequent records lie anywhere in the order of their keys; key() sees to that.
        return self.records - 1 - rank if distribution == "latest" else rank

    def make(self, operation, distribution):
        """The requests of one operation."""
        n = self.pick(distribution)
        if operation == "read":
            return [workload.request("GetItem", TableName=TABLE, Key=key(n))]
        if operation == "update":
            return [self.update(n)]
        if operation == "insert":
            self.records += 1
            return [workload.request("PutItem", TableName=TABLE, Item={**key(self.records), **fields(self.records)})]
        if operation == "scan":
            limit = self.chance.randint(1, LONGEST_SCAN)
            return [workload.request("Scan", TableName=TABLE, ExclusiveStartKey=key(n), Limit=limit)]
        return [workload.request("GetItem", TableName=TABLE, Key=key(n)), self.update(n)]

    def update(self, n):
        field = f"field{self.chance.randrange(FIELDS)}"
        value = {"S": workload.text_of(FIELD_BYTES, self.chance.getrandbits(40))}
        return workload.request(
            "UpdateItem", TableName=TABLE, Key=key(n), UpdateExpression=f"SET {field} = :v",
            ExpressionAttributeValues={":v": value},
        )

    def lines(self, name):
        mix, distribution, _ = MIXES[name]
        drawn = self.chance.choices(list(mix), list(mix.values()), k=REQUESTS)
        return [line for operation in drawn for line in self.make(operation, distribution)]


def measure(build, scratch, rounds, seconds):
    """{(mix, connections): [what the client reports, per round]}"""
    found, requests = {}, Requests(RECORDS, random.Random(3))
    with servers.partita(build, scratch / "ycsb") as server:
        servers.fill(build, server, [workload.create_table(TABLE, "key")], connections=1)
        servers.wait_until_active(server, [TABLE])
        servers.say(f"loading {RECORDS:,} records")
        records = ({**key(n), **fields(n)} for n in range(RECORDS))
        servers.fill(build, server, (workload.put_many(TABLE, batch) for batch in in_batches(records, 25)))
        for n in range(rounds):
            for name in MIXES:
                servers.say(f"round {n + 1} of {rounds}, workload {name}")
                lines = signing.signed(requests.lines(name))
                for connections in CONNECTIONS:
                    result = servers.load(build, server, lines, connections=connections, seconds=seconds)
                    found.setdefault((name, connections), []).append(result)
    return found


def in_batches(things, size):
    batch = []
    for each in things:
        batch.append(each)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def part(build, scratch, arguments):
    found = measure(build, scratch, arguments.rounds, arguments.seconds)
    rows = []
    for (name, connections), results in sorted(found.items()):
        values = [
            statistics.median(result[field] for result in results)
            for field in ("per_second", "p50_us", "p99_us", "p999_us", "cpu_us")
        ]
        rows.append(
            [f"{name}: {MIXES[name][2]}", str(connections), f"{values[0]:,.0f}", *map(page.ms, values[1:4]), f"{values[4]:.1f}"]
        )
    text = [
        page.provenance(
            f"medians of interleaved rounds of {arguments.seconds:g} s: {arguments.rounds}. {RECORDS:,} records of "
            f"{FIELDS} fields of {FIELD_BYTES} bytes, durable, one core."
        ),
        page.table(["", "connections", "requests/s", "p50 ms", "p99 ms", "p99.9 ms", "CPU µs/request"], rows),
    ]
    most = max(CONNECTIONS)
    rates = {name: statistics.median(result["per_second"] for result in found[name, most]) for name in MIXES}
    told = ", ".join(f"{name} {rate:,.0f}" for name, rate in rates.items())
    return page.Measured("\n\n".join(text), block=f"Requests a second over {most} connections: {told}.")
