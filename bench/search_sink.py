"""A search sink on a real OpenSearch: how fast it fills an index and catches up, how soon an item is found after its
PutItem, and what writers feel of a sink.

Partita, the clients and the engine share all cores, since an engine on a core of its own would leave one to the others.
"""

import contextlib
import http.client
import json
import re
import statistics
import subprocess
import time
import urllib.request

import page
import servers
import signing
import workload

from search_engines import Unavailable, running_search_engine

TABLE, SINK = "sinks", "search"
RATE = 500  # PutItems a second beside the latencies
SAMPLES_S = 20  # of them, put one after another and looked for
BULK = 5_000  # documents of a bare loader's request
CATCH_UP = 60_000
CONNECTIONS = 16
FULL = set(servers.CORES)


def item(n, version=0):
    """About 250 bytes as a document."""
    note = workload.text_of(200, n + version)
    return {"id": {"S": f"user-{n:09}"}, "visits": {"N": str(version)}, "note": {"S": note}}


def document(n):
    return {"id": f"user-{n:09}", "visits": 0, "note": workload.text_of(200, n)}


def batches(count):
    for first in range(0, count, 25):
        yield workload.put_many(TABLE, [item(n) for n in range(first, min(first + 25, count))])


def puts(count, sample, version):
    items = (item(n * 7919 % count, version) for n in range(sample))
    return signing.signed(workload.request("PutItem", TableName=TABLE, Item=each) for each in items)


class Sinks:
    """The verbs of sinks on one server's store, and the state of one sink."""

    def __init__(self, build, data, server):
        self._command, self._data = [str(build / "partita"), "sink"], str(data)
        self._url = f"http://127.0.0.1:{server.port}/metrics"

    def __call__(self, *words):
        command = [*self._command, *map(str, words), "--data", self._data]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise RuntimeError(f"partita sink {' '.join(map(str, words))}: {ended.stderr.strip()}")
        return ended.stdout

    def state(self):
        found = json.loads(self("show", TABLE, SINK, "--json"))["Sink"]
        with urllib.request.urlopen(self._url, timeout=30) as reply:
            text = reply.read().decode()
        lag = re.search(r"^partita_sink_lag_entries\{.*\} (\d+)", text, re.MULTILINE)
        return {**found, "LagEntries": int(lag[1]) if lag else 0}

    def wait(self, what, is_so, seconds=600):
        """How long it took."""
        began = time.monotonic()
        while not is_so(state := self.state()):
            if state["State"] == "FAILED" or time.monotonic() - began > seconds:
                raise RuntimeError(f"the sink did not {what}: {state}")
            time.sleep(0.05)
        return time.monotonic() - began


def is_level(state):
    return state["State"] == "CARRYING" and state["LagEntries"] == 0


class Bare:
    """A loader of _bulk that does nothing but send what was made beforehand, over one connection at a time."""

    def __init__(self, engine, count):
        self._engine = engine
        self._bodies = [self._body(range(first, min(first + BULK, count))) for first in range(0, count, BULK)]

    @staticmethod
    def _body(numbers):
        lines = []
        for n in numbers:
            head = {"index": {"_id": f"user-{n:09}", "version": 1, "version_type": "external_gte"}}
            lines += [json.dumps(head), json.dumps(document(n))]
        return ("\n".join(lines) + "\n").encode()

    def load(self, like):
        """Seconds for a new index with the settings and mappings of the index `like`."""
        name = "bare"
        self._engine.ask("DELETE", f"/{name}")
        found = next(iter(self._engine.ask("GET", f"/{like}")[1].values()))
        settings = {key: value for key, value in found["settings"]["index"].items()
                    if key not in ("creation_date", "uuid", "version", "provided_name")}
        status, reply = self._engine.ask("PUT", f"/{name}", {"settings": settings, "mappings": found["mappings"]})
        if status != 200:
            raise RuntimeError(f"the bare loader's index: {reply}")
        connection = http.client.HTTPConnection("127.0.0.1", self._engine.port, timeout=120)
        began = time.monotonic()
        for body in self._bodies:
            path, kind = f"/{name}/_bulk?filter_path=errors", {"Content-Type": "application/x-ndjson"}
            connection.request("POST", path, body, kind)
            answer = connection.getresponse()
            if answer.status != 200 or json.loads(answer.read())["errors"]:
                raise RuntimeError("the bare loader's documents were refused")
        return time.monotonic() - began


def latencies(server, engine, seconds):
    """Milliseconds from a PutItem's sending until the engine gives the document by its id, one after another."""
    call = servers.Caller(server.port, timeout=30)
    looker = http.client.HTTPConnection("127.0.0.1", engine.port, timeout=30)
    found, ends, number = [], time.monotonic() + seconds, 0
    while time.monotonic() < ends:
        number += 1
        key = f"sample-{time.monotonic_ns()}"
        began = time.perf_counter()
        call("PutItem", {"TableName": TABLE, "Item": {"id": {"S": key}, "note": {"S": "looked for"}}})
        while True:
            looker.request("GET", f"/{TABLE}/_doc/{key}?_source=false")
            answer = looker.getresponse()
            answer.read()
            if answer.status == 200:
                break
            time.sleep(0.001)
        found.append((time.perf_counter() - began) * 1000)
        time.sleep(0.02 + number % 7 * 0.003)  # not in step with anything
    return found


@contextlib.contextmanager
def writers(build, server, requests, seconds):
    """RATE of these a second, until the end of the block or for so long."""
    client = servers.start_load(build, server, connections=CONNECTIONS, seconds=seconds, rate=RATE)
    client.stdin.write("".join(requests))
    client.stdin.close()
    try:
        yield
    finally:
        client.terminate()
        client.wait()


def read_all(server):
    call, start = servers.Caller(server.port, timeout=60), {}
    while True:
        answer = call("Scan", {"TableName": TABLE, "Select": "COUNT", **start})
        if "LastEvaluatedKey" not in answer:
            return
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def beside(build, server, engine, count):
    """The latencies while others put RATE items a second."""
    with writers(build, server, puts(count, 20_000, 1), seconds=SAMPLES_S + 5):
        time.sleep(1)
        return latencies(server, engine, SAMPLES_S)


def catch_up(build, server, sinks, count):
    """(changes that waited, seconds until none did, while RATE more arrived each second)"""
    sinks("pause", TABLE, SINK)
    sent = sinks.state()["Sent"]
    servers.fill(build, server, (line for line in puts(count, CATCH_UP, 2)))
    waiting = sinks.state()["LagEntries"]
    with writers(build, server, puts(count, 20_000, 3), seconds=120):
        sinks("resume", TABLE, SINK)
        took = sinks.wait("catch up", lambda state: state["Sent"] >= sent + waiting and state["LagEntries"] < RATE)
    sinks.wait("come level", is_level)
    return waiting, took


def rates(build, server, sinks, count, rounds, seconds):
    """{what: PutItems a second}, in turn with the sink paused and carrying."""
    requests = puts(count, 20_000, 4)

    def run():
        return servers.load(build, server, requests, connections=CONNECTIONS, seconds=seconds)["per_second"]

    found = {"paused": [], "carrying": []}
    for _ in range(rounds):
        sinks("pause", TABLE, SINK)
        found["paused"].append(run())
        sinks("resume", TABLE, SINK)
        time.sleep(0.5)
        found["carrying"].append(run())
        sinks.wait("come level", is_level)
    return found


def measure(build, scratch, engine, count, arguments):
    data = scratch / "sinks"
    found = {}
    with servers.partita(build, data, cores=FULL) as server:
        sinks = Sinks(build, data, server)
        servers.fill(build, server, [workload.create_table(TABLE, "id")], connections=1)
        servers.wait_until_active(server, [TABLE])
        servers.fill(build, server, batches(count))
        requests, seconds = puts(count, 20_000, 5), max(arguments.seconds, 3)
        without = [servers.load(build, server, requests, connections=CONNECTIONS, seconds=seconds)["per_second"]
                   for _ in range(arguments.rounds + 1)][1:]
        read_all(server)  # what the store's caches take is not the sink's
        before = server.resident_mib()
        servers.say(f"filling an index with {count:,} items")
        bare, fills = Bare(engine, count), []
        for number in range(arguments.rounds):
            began = time.monotonic()
            if number == 0:
                sinks("create", TABLE, "--to", engine.sink_url, "--name", SINK, "--index", TABLE)
            else:
                sinks("retry", TABLE, SINK, "--fill")
            sinks.wait("fill", lambda state, number=number: is_level(state) and state["Sent"] >= (number + 1) * count)
            fills.append((time.monotonic() - began, bare.load(TABLE)))
            servers.say(f"filled in {fills[-1][0]:.1f} s, by the bare loader in {fills[-1][1]:.1f} s")
        found["memory"] = server.resident_mib() - before
        found["fills"] = fills
        servers.say(f"looking for items beside {RATE} PutItems a second")
        found["latencies"] = beside(build, server, engine, count)
        sinks.wait("come level", is_level)
        servers.say(f"catching up {CATCH_UP:,} changes")
        found["catch up"] = catch_up(build, server, sinks, count)
        found["rates"] = {"no sink": without, **rates(build, server, sinks, count, arguments.rounds, seconds)}
    return found


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def part(build, scratch, arguments):
    count = arguments.search_sink
    try:
        with running_search_engine("opensearch") as engine:
            found = measure(build, scratch, engine, count, arguments)
    except Unavailable as why:
        raise RuntimeError(f"OpenSearch cannot be had: {why}") from why
    fill = statistics.median(took for took, _ in found["fills"])
    ratio = statistics.median(bare / took for took, bare in found["fills"])
    p50, p99 = percentile(found["latencies"], 0.5), percentile(found["latencies"], 0.99)
    waiting, took = found["catch up"]
    rates = {what: statistics.median(values) for what, values in found["rates"].items()}
    sums = [
        [f"ms from a PutItem to its document, p50, beside {RATE} a second", f"{p50:.1f}", "≤ 15"],
        [f"Search sink: ms from a PutItem to its document, p99, beside {RATE} a second", f"{p99:.1f}", "≤ 150"],
        [f"fill of {count:,} items ÷ a bare loader's rate", f"{ratio:.2f}", "≥ 0.8"],
        [f"catching up ÷ the {RATE} writes a second beside it", f"{waiting / took / RATE:.1f}", "≥ 2"],
        ["MiB of memory after the fills", f"{found['memory']:.1f}", "≤ 32"],
    ]
    text = [
        page.provenance(
            f"{count:,} items of about 250 bytes, durable; Partita, its clients and OpenSearch share all cores. The "
            f"fill: median of {arguments.rounds}, each beside a bare loader with bulks of {BULK:,} over one connection; "
            f"{len(found['latencies'])} latencies of items put one after another."
        ),
        page.table(["what", "measured", "target"], sums),
        f"The fill sent {count / fill:,.0f} items a second. {waiting:,} keys that waited were sent in {took:.1f} s.",
        page.table(["PutItem, closed loop", "a second", "÷ without"],
                   [[what, f"{rate:,.0f}", f"{rate / rates['no sink']:.2f}"] for what, rate in rates.items()]),
        "While it carries, the sink and the engine take their time from the same cores as the writers.",
    ]
    return page.Measured("\n\n".join(text), budgets=[sums[1]])  # docs/performance.md has room for one
