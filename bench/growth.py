"""What requests cost while a table grows, and how long they wait while it is written and compacted.

One table of 1 KB items: item collections of 10, 100, … up to a tenth of all items, and the rest alone in theirs.
"""

import pathlib
import random
import re
import statistics
import time

import page
import places
import plot
import servers
import signing
import workload

TABLE = "growth"
FIRST = 10_000
CONNECTIONS = 64
BYTES_ON_DISK = 2600  # for each item while it is compacted
SAMPLE, HOT = 20_000, 1_000  # distinct requests of a row
UNIFORM = 100_000  # of one that asks for each item once: more than are sent in a round, and than the caches hold of
QUERY_ITEMS = 50
MIX = {"GetItem": 50, "PutItem": 25, "UpdateItem": 20, "Query": 5}  # per cent


def sizes(most):
    """10,000, 100,000, … as far as `most`."""
    return [FIRST * 10**step for step in range(8) if FIRST * 10**step <= most]


def collections(count):
    """The sizes of the item collections of more than one item when there are `count` items."""
    return [10**power for power in range(1, 9) if 10**power <= count // 10]


def alone(count):
    return count - sum(collections(count))


# --- requests ---------------------------------------------------------------------------------------------------------


def key(group, place):
    return {"group": {"S": group}, "place": {"N": str(place)}}


def single(n):
    return key(f"single-{n:09}", 0)


def item(its_key, seed):
    return {**its_key, "visits": {"N": "0"}, "payload": {"S": workload.text_of(930, seed)}}


def new_items(before, count):
    """What makes `count` items of `before` items."""
    for size in collections(count):
        if size not in collections(before):
            yield from (item(key(f"group-{size}", place), place) for place in range(size))
    yield from (item(single(n), n) for n in range(alone(before) if before else 0, alone(count)))


def batches(items, total):
    """BatchWriteItem requests of 25, with a word about them now and then."""
    batch, done, began = [], 0, time.monotonic()
    told = began
    for each in items:
        batch.append(each)
        if len(batch) == 25:
            yield workload.put_many(TABLE, batch)
            done += 25
            batch = []
            if time.monotonic() - told > 20:
                told = time.monotonic()
                servers.say(f"{done:,} of {total:,} items written, {done / (told - began):,.0f} a second")
    if batch:
        yield workload.put_many(TABLE, batch)


def get(n):
    return workload.request("GetItem", TableName=TABLE, Key=single(n), ConsistentRead=True)


def put(n, chance):
    return workload.request("PutItem", TableName=TABLE, Item=item(single(n), chance.getrandbits(40)))


def count_up(n):
    return workload.request(
        "UpdateItem", TableName=TABLE, Key=single(n), UpdateExpression="ADD visits :one",
        ExpressionAttributeValues={":one": {"N": "1"}},
    )


def query(size, chance):
    """Fifty items from anywhere in a collection of that many, or all that it has."""
    place = chance.randrange(max(1, size - QUERY_ITEMS + 1))
    return workload.request(
        "Query", TableName=TABLE, KeyConditionExpression="#g = :g AND place >= :p", Limit=QUERY_ITEMS,
        ExpressionAttributeNames={"#g": "group"},
        ExpressionAttributeValues={":g": {"S": f"group-{size}"}, ":p": {"N": str(place)}},
    )


def query_single(n):
    return workload.request(
        "Query", TableName=TABLE, KeyConditionExpression="#g = :g", Limit=QUERY_ITEMS,
        ExpressionAttributeNames={"#g": "group"}, ExpressionAttributeValues={":g": single(n)["group"]},
    )


def rows(count, chance):
    """{a row: its requests} of a table of so many items."""
    anywhere = [chance.randrange(alone(count)) for _ in range(UNIFORM)]
    found = {
        "GetItem, hot": [get(n) for n in anywhere[:HOT]],
        "GetItem, uniform": [get(n) for n in anywhere],
        "PutItem": [put(n, chance) for n in anywhere[:SAMPLE]],
        "Query, collection of 1": [query_single(n) for n in anywhere],
    }
    for size in collections(count):
        found[f"Query, collection of {size:,}"] = [query(size, chance) for _ in range(SAMPLE // 4)]
    return found


def mixed(count, chance):
    makers = {
        "GetItem": lambda: get(chance.randrange(alone(count))),
        "PutItem": lambda: put(chance.randrange(alone(count)), chance),
        "UpdateItem": lambda: count_up(chance.randrange(alone(count))),
        "Query": lambda: query(chance.choice(collections(count)), chance),
    }
    return [makers[what]() for what in chance.choices(list(MIX), list(MIX.values()), k=3 * SAMPLE)]


# --- measurements -----------------------------------------------------------------------------------------------------


def grow(build, directory, before, count):
    with servers.partita(build, directory) as server:
        if before == 0:
            servers.fill(build, server, [workload.create_table(TABLE, "group", "place")], connections=1)
            servers.wait_until_active(server, [TABLE])
        began = time.monotonic()
        servers.fill(build, server, batches(new_items(before, count), count - before))
        rate = (count - before) / (time.monotonic() - began)
        places.wait_until_calm(directory)
    return rate


def measure_size(build, directory, count, arguments):
    """{a row: [what the client reports, per round]}, and what is known of the server itself."""
    chance = random.Random(count)
    servers.say(f"measuring at {count:,} items")
    requests = {what: signing.signed(lines) for what, lines in rows(count, chance).items()}
    with servers.partita(build, directory) as server:
        about = {"start_ms": server.start_ms, "idle_mib": server.idle_mib}
        found = {what: [] for what in requests}
        # The first round finds everything on the disk, and what the start has left to compact; it is not counted.
        for _ in range(arguments.rounds + 1):
            for what, lines in requests.items():
                result = servers.load(build, server, lines, connections=CONNECTIONS, seconds=arguments.seconds)
                found[what].append(result)
                if what == "PutItem":
                    places.wait_until_calm(directory)  # the next row is not to pay for what this one left to compact
        found = {what: results[1:] for what, results in found.items()}
        about["busy_mib"] = server.resident_mib()
    about["disk_mib"] = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file()) / 2**20
    return found, about


def written_mib(server):
    return int(re.search(r"^write_bytes: (\d+)", pathlib.Path(f"/proc/{server.pid}/io").read_text(), re.M).group(1)) / 2**20


def measure_mixed(build, directory, count, minutes):
    """What the client reports of an open loop at 60 % of what the server can do, and what the server wrote."""
    requests = signing.signed(mixed(count, random.Random(2)))
    with servers.partita(build, directory) as server:
        fastest = servers.load(build, server, requests, connections=CONNECTIONS, seconds=10)
        rate, before = fastest["per_second"] * 0.6, written_mib(server)
        servers.say(f"mixed load, {rate:,.0f} requests a second for {minutes:g} minutes")
        with servers.telling("mixed load", minutes):
            found = servers.load(
                build, server, requests, connections=4 * CONNECTIONS, seconds=60 * minutes, rate=rate
            )
        found["written_mib"] = written_mib(server) - before
    return found


def measure_threads(build, directory, count, arguments):
    """{threads: [what the client reports of Queries, per round]}. The second thread shares its core with the client."""
    requests = signing.signed(
        query(size, random.Random(size)) for size in [collections(count)[-1]] for _ in range(SAMPLE // 4)
    )
    found = {}
    for _ in range(arguments.rounds):
        for threads, cores in ((1, servers.SERVER_CORE), (2, set(servers.CORES))):
            with servers.partita(build, directory, cores, ["--threads", threads]) as server:
                servers.load(build, server, requests, connections=CONNECTIONS, seconds=arguments.seconds)
                result = servers.load(build, server, requests, connections=CONNECTIONS, seconds=arguments.seconds)
                found.setdefault(threads, []).append(result)
    return found


def measure(build, scratch, arguments):
    directory, found, before = scratch / "growth", {}, 0
    for count in sizes(arguments.growth):
        servers.say(f"growing to {count:,} items")
        rate = grow(build, directory, before, count)
        results, about = measure_size(build, directory, count, arguments)
        found[count] = results, {**about, "fill_rate": rate}
        before = count
    threads = measure_threads(build, directory, before, arguments)
    return found, threads, measure_mixed(build, directory, before, arguments.minutes)


# --- the page ---------------------------------------------------------------------------------------------------------


def cell(found, count, what, field):
    results = found[count][0].get(what)
    return statistics.median(result[field] for result in results) if results else None


def cost_table(found):
    counts = list(found)
    rows = []
    for what in found[counts[-1]][0]:
        costs = [cell(found, count, what, "cpu_us") for count in counts]
        had = [cost for cost in costs if cost is not None]
        p99 = cell(found, counts[-1], what, "p99_us")
        rate = cell(found, counts[-1], what, "per_second")
        shown = ["–" if cost is None else f"{cost:.1f}" for cost in costs]
        rows.append([what, *shown, f"{had[-1] / had[0]:.2f}" if len(had) > 1 else "–", f"{rate:,.0f}", page.ms(p99)])
    head = [f"CPU µs/request, {CONNECTIONS} connections", *(f"{count:,} items" for count in counts)]
    return page.table([*head, "last ÷ first", f"requests/s at {counts[-1]:,}", f"p99 ms at {counts[-1]:,}"], rows)


def server_table(found):
    labels = {
        "fill_rate": "items a second by BatchWriteItem, from one client", "disk_mib": "MiB in the directory",
        "start_ms": "start to first answer, ms", "idle_mib": "memory after it, MiB",
        "busy_mib": "memory after the rows above, MiB",
    }
    rows = [[label, *(f"{found[count][1][field]:,.0f}" for count in found)] for field, label in labels.items()]
    return page.table(["", *(f"{count:,} items" for count in found)], rows)


def mixed_table(result):
    rows = [
        [name, f"{each['requests']:,}", *(page.ms(each[field]) for field in ("p50_us", "p99_us", "p999_us", "max_us"))]
        for name, each in (*result["operations"].items(), ("all", result))
    ]
    return page.table(["", "requests", "p50 ms", "p99 ms", "p99.9 ms", "longest ms"], rows)


def threads_said(threads):
    def of(count, field):
        return statistics.median(result[field] for result in threads[count])

    return (
        f"Two threads that serve, against one, on Queries of {QUERY_ITEMS} items: {of(2, 'per_second'):,.0f} to "
        f"{of(1, 'per_second'):,.0f} requests a second ({of(2, 'per_second') / of(1, 'per_second'):.2f} ×), CPU per "
        f"request {of(2, 'cpu_us'):.1f} to {of(1, 'cpu_us'):.1f} µs. The second thread shares its core with the client, "
        f"which took {of(2, 'client_busy'):.0%} of it."
    )


def picture_of(found):
    series = {}
    for what in ("GetItem, hot", "GetItem, uniform", "PutItem", "Query, collection of 1,000"):
        points = [(count, cell(found, count, what, "cpu_us")) for count in found]
        series[what] = [(count, cost) for count, cost in points if cost is not None]
    return plot.lines("Server CPU per request as the table grows", "µs", "items of 1 KB", series)


SHOWN = {
    "GetItem, hot": f"GetItem, one of {HOT:,} items", "GetItem, uniform": "GetItem, any item", "PutItem": "PutItem, any item",
    "Query, collection of 1,000": f"Query of {QUERY_ITEMS} items",
}


def costs(found):
    """Of the largest table, beside the smallest that has the row."""
    rows = []
    for what, label in SHOWN.items():
        counts = [count for count in found if cell(found, count, what, "cpu_us") is not None]
        if counts:
            least, most = (cell(found, count, what, "cpu_us") for count in (counts[0], counts[-1]))
            rows.append(page.cost(f"{label}, in a table of {counts[-1]:,}", most, f"of {counts[0]:,}", least))
    return rows


def part(build, scratch, arguments):
    servers.need_room(scratch, arguments.growth * BYTES_ON_DISK, f"{arguments.growth:,} items")
    found, threads, result = measure(build, scratch, arguments)
    mix = ", ".join(f"{share} % {what}" for what, share in MIX.items())
    text = [
        page.provenance(
            f"medians of {arguments.rounds} rounds of {arguments.seconds:g} s each, after a warm-up round; the server has "
            "one core."
        ),
        cost_table(found),
        page.picture("growth", "cpu.svg", "CPU per request as the table grows"),
        server_table(found),
        threads_said(threads),
        f"A mixed load ({mix}; keys at random) on the largest table, in an open loop at 60 % of what the server could do: "
        f"{result['per_second']:,.0f} requests a second for {arguments.minutes:g} minutes, during which the server wrote "
        f"{result['written_mib']:,.0f} MiB by logs, flushes and compactions. The longest time without any reply was "
        f"{page.ms(result['longest_silence_us'])} ms.",
        mixed_table(result),
    ]
    return page.Measured("\n\n".join(text), {"cpu.svg": picture_of(found)}, costs=costs(found))
