"""GetItem and Query over DAX, from the store and from the caches of --dax-cache, beside the same over HTTP."""

import itertools
import statistics
import sys
import typing

import page
import servers
import signing
import workload

sys.path.append(str(servers.ROOT / "tests" / "budget"))
import dax_requests  # noqa: E402

CONNECTIONS = (1, 64)
CACHE_MIB = 64
HTTP, DAX, CACHED = "HTTP", "DAX", "DAX, cache hit"
OPERATIONS = {"GetItem": "GetItem, ~300 B", "Query": "Query, 50 items of 1 KiB"}
FIELDS = {"p50 µs": ("p50_us", 1), "p99 µs": ("p99_us", 1), "CPU µs/request": ("cpu_us", 2)}


class Listener(typing.NamedTuple):
    """What load() needs of a server, with its port for DAX."""

    port: int
    pid: int


def lines(operation, make, count):
    return workload.in_turn(lambda n: f"{operation} {make(n).hex()}\n", count)


def requests_over_dax(cached):
    """As workload.rows() over HTTP. A consistent read would pass the cache."""
    keywords = dax_requests.NO_KEYWORDS if cached else dax_requests.CONSISTENT
    return {
        "GetItem": lines("GetItem", lambda n: dax_requests.get_item(n, keywords=keywords), workload.ITEMS),
        "Query": lines("Query", dax_requests.query, workload.COLLECTIONS),
    }


def started(build, directory, *options):
    """(a server with the workload's items, its listener for DAX)"""
    port = servers.free_port()
    server = servers.partita(build, directory, options=["--dax", f"127.0.0.1:{port}", *options])
    servers.prepare(build, server, workload.fill_requests())
    return server, Listener(port, server.pid)


def one_round(build, ways, seconds, found):
    for connections in CONNECTIONS:
        for operation in OPERATIONS:
            for way, (server, requests, greeting) in ways.items():
                how = {"connections": connections, "seconds": seconds, "greeting": greeting}
                result = servers.load(build, server, requests[operation], **how)
                found.setdefault((operation, connections, way), []).append(result)


def measure(build, scratch, rounds, seconds):
    """{(operation, connections, way): [a result per round]}"""
    found = {}
    server, listener = started(build, scratch / "store")
    with server:
        caching, caching_listener = started(build, scratch / "cache", "--dax-cache", CACHE_MIB)
        with caching:
            over_http = {what: signing.signed(workload.rows()[what]) for what in OPERATIONS}
            ways = {
                HTTP: (server, over_http, b""),
                DAX: (listener, requests_over_dax(False), dax_requests.greeting()),
                CACHED: (caching_listener, requests_over_dax(True), dax_requests.greeting()),
            }
            for operation in OPERATIONS:  # fills the caches
                servers.load(build, caching_listener, ways[CACHED][1][operation], greeting=ways[CACHED][2])
            for n in range(rounds):
                servers.say(f"round {n + 1} of {rounds}")
                one_round(build, ways, seconds, found)
    return found


def part(build, scratch, arguments):
    found = measure(build, scratch, arguments.rounds, arguments.seconds)

    def of(operation, connections, way, field):
        return statistics.median(result[field] for result in found[operation, connections, way])

    def row(operation, connections, ways, fields):
        figures = [f"{of(operation, connections, way, field):,.{digits}f}" for field, digits in fields for way in ways]
        return [OPERATIONS[operation], str(connections), *figures]

    ways = (HTTP, DAX, CACHED)
    head = ["", "connections", *(f"{way}: {name}" for name in FIELDS for way in ways)]
    times = page.table(head, [row(*each, ways, FIELDS.values()) for each in itertools.product(OPERATIONS, CONNECTIONS)])
    rates = page.table(
        ["requests/s", "connections", *ways],
        [row(*each, ways, [("per_second", 0)]) for each in itertools.product(OPERATIONS, CONNECTIONS)],
    )
    how = (
        f"medians of {arguments.rounds} interleaved rounds of {arguments.seconds:g} s each. The servers have one core "
        "and the client another. No signature is verified. GetItem is consistent over HTTP and DAX; reads of "
        f"“{CACHED}” are answered by a second server with --dax-cache {CACHE_MIB}."
    )
    budgets, costs = [], []
    for operation in OPERATIONS:
        over_dax, over_http = (of(operation, 1, way, "p50_us") for way in (DAX, HTTP))
        what = f"{operation} over DAX, one connection: p50"
        budgets.append([f"{what} ÷ HTTP's", f"{over_dax / over_http:.2f}", "≤ 1.0"])
        costs.append(page.cost(what, over_dax, HTTP, over_http))
    return page.Measured("\n\n".join([page.provenance(how), times, rates]), budgets=budgets, costs=costs)
