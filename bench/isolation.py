"""What the neighbours of a hot key meet: PutItem of a hundred keys while another client floods one key of their range.

Compared are a server where nobody floods, one that refuses what is beyond the capacity (--capacity enforce) and so
gives the hot key a range of its own, and one that serves the flood (--capacity record). Beside a client that asks for
no more than the hot key gets, the neighbours show what any other writes cost them.
"""

import contextlib
import statistics
import time

import page
import plot
import servers
import signing
import workload

TABLE = "isolation"
UNITS = 1_000  # as much as one partition serves, so all keys are in one range at first
NEIGHBOURS, RATE = 100, 500  # keys, and their requests a second together, with random arrivals
FLOOD = 5_000  # requests a second for the hot key
SPLIT_S = 90  # a range splits after about 60 s of refusals
BUDGET = 1.5

ALONE, POLITE, BEFORE, AFTER, SERVED = ROWS = (
    "alone", "a client at the limit", "flood, before the split", "flood, after the split", "flood that is served")


def put(key):
    return workload.request("PutItem", TableName=TABLE, Item={"id": {"S": key}, "body": {"S": "x" * 100}})


CREATE = workload.request(
    "CreateTable", TableName=TABLE, KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
    AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
    ProvisionedThroughput={"ReadCapacityUnits": UNITS, "WriteCapacityUnits": UNITS},
)
QUIET = signing.signed([put(f"neighbour-{n}") for n in range(NEIGHBOURS)])
HOT = signing.signed([put("hot")])


@contextlib.contextmanager
def flood(build, server, seconds, rate=FLOOD):
    """{} that has what the client of the hot key reports, once the block has ended."""
    client = servers.start_load(build, server, connections=32, seconds=seconds, rate=rate, niceness=19, refusals=True)
    client.stdin.write("".join(HOT))
    client.stdin.close()
    found = {}
    try:
        yield found
        out, err = client.stdout.read(), client.stderr.read()
        client.wait()
        found.update(servers.report_of(client, out, err, server))
    finally:
        client.terminate()
        client.wait()


def neighbours(build, server, seconds):
    return servers.load(build, server, QUIET, connections=8, seconds=seconds, rate=RATE, refusals=True)


def one_round(build, scratch, seconds, found):
    with servers.partita(build, scratch / "enforce", options=["--capacity", "enforce"]) as server:
        servers.fill(build, server, [CREATE], connections=1)
        servers.wait_until_active(server, [TABLE])
        found[ALONE].append(neighbours(build, server, seconds))
        with flood(build, server, SPLIT_S + 2 * seconds) as hot:
            found[BEFORE].append(neighbours(build, server, seconds))
            with servers.telling("a range splits", SPLIT_S / 60):
                time.sleep(SPLIT_S - seconds)
            found[AFTER].append(neighbours(build, server, seconds))
        found["hot"].append(hot)
    with servers.partita(build, scratch / "record", options=["--capacity", "record"]) as server:
        servers.fill(build, server, [CREATE], connections=1)
        servers.wait_until_active(server, [TABLE])
        for name, rate in ((POLITE, UNITS), (SERVED, FLOOD)):
            with flood(build, server, seconds + 2, rate):
                time.sleep(1)
                found[name].append(neighbours(build, server, seconds))


def part(build, scratch, arguments):
    seconds = max(arguments.seconds, 10)
    found = {name: [] for name in (*ROWS, "hot")}
    for n in range(arguments.rounds):
        servers.say(f"round {n + 1} of {arguments.rounds}")
        one_round(build, scratch / str(n), seconds, found)

    def of(name, field):
        return statistics.median(result[field] for result in found[name])

    def refused(name):
        share = statistics.median(one["refused"] / (one["refused"] + one["requests"]) for one in found[name])
        return f"{100 * share:.1f} %"

    rows = [
        [name, refused(name), *(page.ms(of(name, field)) for field in ("p50_us", "p99_us", "p999_us")),
         f"{of(name, 'p99_us') / of(ALONE, 'p99_us'):.2f}", f"≤ {BUDGET}" if name == AFTER else "–"]
        for name in ROWS
    ]
    text = [
        page.provenance(
            f"medians of {arguments.rounds} rounds, each of {seconds:g} s a row. {NEIGHBOURS} keys get {RATE} PutItem a "
            f"second over eight connections, with random arrivals; another client asks for {FLOOD} a second of one key of "
            f"their range. Refused requests have no latency here. The table has {UNITS} write units. The server has one "
            "core, both clients the other."
        ),
        page.table(["neighbours", "refused", "p50 ms", "p99 ms", "p99.9 ms", "p99 ÷ alone", "budget"], rows),
        f"The hot key: {of('hot', 'per_second'):,.0f} PutItem a second served, {refused('hot')} of the flood refused.",
        page.picture("isolation", "p99.svg", "p99 of the neighbours of a hot key"),
    ]
    bars = {name: {field.split("_")[0]: of(name, field) for field in ("p50_us", "p99_us")}
            for name in ROWS}
    ratio = of(AFTER, "p99_us") / of(ALONE, "p99_us")
    shown = ["PutItem beside a key that is flooded, in a range of its own: p99 ÷ alone", f"{ratio:.2f}", f"≤ {BUDGET}"]
    return page.Measured("\n\n".join(text), plots={"p99.svg": plot.bars("PutItem of the neighbours", "µs", bars)},
                         budgets=[shown])
