"""A global index that is added to a table full of small items: how fast it fills, and what writers feel of it."""

import json
import random
import statistics
import time

import page
import places
import servers
import signing
import workload

TABLE, INDEX = "backfill", "by-team"
CONNECTIONS = 64
SAMPLE = 40_000  # distinct requests
BUDGET = 1.5
QUIET_RUNS = 10  # so that some of them see a table written out
BYTES_ON_DISK = 1000  # for each item and its row in the index, while they are compacted


def item(n, seed):
    """About 150 bytes."""
    team = {"S": f"team-{seed % 1_000_003:07}"}
    return {"id": {"S": f"user-{n:09}"}, "team": team, "visits": {"N": str(n)}, "note": {"S": workload.text_of(80, seed)}}


def batches(count):
    told = time.monotonic()
    for first in range(0, count, 25):
        yield workload.put_many(TABLE, [item(n, n * 7919) for n in range(first, min(first + 25, count))])
        if time.monotonic() - told > 20:
            told = time.monotonic()
            servers.say(f"{first:,} of {count:,} items written")


def puts(count):
    chance = random.Random(3)
    return signing.signed(
        workload.request("PutItem", TableName=TABLE, Item=item(chance.randrange(count), chance.getrandbits(40)))
        for _ in range(SAMPLE)
    )


def add_index(server):
    body = {
        "TableName": TABLE,
        "AttributeDefinitions": [{"AttributeName": "team", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [
            {
                "Create": {
                    "IndexName": INDEX,
                    "KeySchema": [{"AttributeName": "team", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                }
            }
        ],
    }
    reply = servers.exchange(server.port, "UpdateTable", body)
    if b" 200 " not in reply.split(b"\r\n")[0]:
        raise RuntimeError(f"the index could not be added: {reply.decode(errors='replace')}")


def index_of(server):
    reply = servers.exchange(server.port, "DescribeTable", {"TableName": TABLE})
    return json.loads(reply.split(b"\r\n\r\n", 1)[1])["Table"]["GlobalSecondaryIndexes"][0]


def measure(build, directory, count, arguments):
    """What the client reports (quiet runs, runs beside the fill), its rate, and how long the fill took."""
    requests, seconds = puts(count), max(arguments.seconds, 3)
    with servers.partita(build, directory) as server:
        servers.fill(build, server, [workload.create_table(TABLE, "id")], connections=1)
        servers.wait_until_active(server, [TABLE])
        servers.fill(build, server, batches(count))
        places.wait_until_calm(directory)
        rate = servers.load(build, server, requests, connections=CONNECTIONS, seconds=seconds)["per_second"] / 2

        def run():
            return servers.load(build, server, requests, connections=CONNECTIONS, seconds=seconds, rate=rate)

        quiet = [run() for _ in range(QUIET_RUNS + 1)][1:]
        servers.say(f"filling the index beside {rate:,.0f} PutItems a second")
        add_index(server)
        began, beside = time.monotonic(), []
        while (state := index_of(server))["IndexStatus"] == "CREATING":
            beside.append(run())
            servers.say(f"{state['ItemCount']:,} of {count:,} rows, p99 {page.ms(beside[-1]['p99_us'])} ms")
        took = time.monotonic() - began
    return quiet, beside, rate, took


def part(build, scratch, arguments):
    count = arguments.backfill
    servers.need_room(scratch, count * BYTES_ON_DISK, f"{count:,} items and an index")
    quiet, beside, rate, took = measure(build, scratch / "backfill", count, arguments)

    def row(name, results):
        middle = {field: statistics.median(one[field] for one in results) for field in results[0] if "_us" in field}
        shown = [page.ms(middle[field]) for field in ("p50_us", "p99_us", "p999_us")]
        longest = page.ms(max(one["max_us"] for one in results))
        ratio = middle["p99_us"] / statistics.median(one["p99_us"] for one in quiet)
        return [name, str(len(results)), *shown, longest, f"{ratio:.2f}", f"≤ {BUDGET}" if results is beside else "–"]

    text = [
        page.provenance(
            f"medians of runs of {max(arguments.seconds, 3):g} s; {count:,} items of about 150 bytes, {rate:,.0f} PutItems "
            f"a second (half of what the server can do) over {CONNECTIONS} connections, durable; the server has one core."
        ),
        page.table(
            ["PutItem", "runs", "p50 ms", "p99 ms", "p99.9 ms", "longest ms", "p99 ÷ quiet", "budget"],
            [row("before the index", quiet), row("while it is filled", beside)],
        ),
        f"The index, with all of the items, was filled in {took:,.0f} s beside them: {count / took:,.0f} items a second.",
    ]
    ratio = row("while it is filled", beside)[-2]
    shown = [f"PutItem while an index of {count:,} items is filled: p99 ÷ before", ratio, f"≤ {BUDGET}"]
    return page.Measured("\n\n".join(text), budgets=[shown])
