"""Vector search over many vectors: exact, and by the graph that is made of them; how many of the ten nearest the graph
finds, what it costs to make and to keep, and what following writes costs.

Of two kinds. «Topics» are as vectors of texts are: a thousand directions, and around each of them vectors that differ
from it by about as much as it is long. «Noise» is uniform in every dimension: all distances are about the same, a graph
is of less use nowhere, and nobody's vectors are like it.
"""

import random
import threading
import time

import page
import servers

DIMENSIONS = 384
TOPICS = 1_000
SPREAD = 0.9  # of a vector around its topic, which is 1 in each dimension
SEARCHES = 100
CONNECTIONS = 4
TIMEOUT_S = 600
FEWEST = 20_000  # vectors; of fewer the server makes no graph
DISTANCES_OF = {"topics": ("COSINE", "EUCLIDEAN", "DOT_PRODUCT"), "noise": ("COSINE",)}

class Vectors:
    """As JSON, the same ones for each who has the same seed."""

    def __init__(self, kind, seed):
        self.chance = random.Random(seed)
        self.topics = []
        if kind == "topics":
            topics = random.Random(1)
            self.topics = [[topics.gauss(0, 1) for _ in range(DIMENSIONS)] for _ in range(TOPICS)]

    def next(self):
        chance = self.chance
        if self.topics:
            length = chance.uniform(0.5, 1.5)
            gauss = chance.gauss
            numbers = [length * (one + gauss(0, SPREAD)) for one in chance.choice(self.topics)]
        else:
            numbers = [chance.random() - 0.5 for _ in range(DIMENSIONS)]
        return ",".join(['{"N":"%.5f"}' % number for number in numbers])


def table(distances):
    return {
        "TableName": "Vectors",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "VectorIndexes": [
            {
                "IndexName": distance,
                "VectorAttribute": {"AttributeName": "v"},
                "Dimensions": DIMENSIONS,
                "DistanceFunction": distance,
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
            for distance in distances
        ],
    }


def fill(call, vectors, count):
    for begin in range(0, count, 25):
        puts = ",".join(
            '{"PutRequest":{"Item":{"pk":{"S":"item-%06d"},"v":{"L":[%s]}}}}' % (begin + i, vectors.next())
            for i in range(25)
        )
        call("BatchWriteItem", '{"RequestItems":{"Vectors":[%s]}}' % puts)


def search(call, index, sought):
    """(the keys, milliseconds)"""
    body = '{"TableName":"Vectors","IndexName":"%s","TopK":10,"SearchVector":[%s]}' % (index, sought)
    began = time.monotonic()
    found = call("SearchVectors", body)
    took = (time.monotonic() - began) * 1000
    return [hit["Item"]["pk"]["S"] for hit in found["SearchResults"]], took


def quantile(taken, share):
    return sorted(taken)[min(len(taken) - 1, int(len(taken) * share))]


def rate_of_several(server, index, questions):
    """Searches each second over several connections."""

    def ask(at):
        call = servers.Caller(server.port, TIMEOUT_S)
        for question in questions[at:] + questions[:at]:
            search(call, index, question)

    threads = [threading.Thread(target=ask, args=(at,)) for at in range(CONNECTIONS)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return CONNECTIONS * len(questions) / (time.monotonic() - began)


def make_graph(server, call, index, question):
    """(seconds from the search that asks for it until it is there, MiB that it takes)"""
    made, began = server.said().count("made a graph"), time.monotonic()
    search(call, index, question)
    before = server.resident_mib()  # with what the search has read of the store
    while server.said().count("made a graph") == made:
        time.sleep(0.1)
    return time.monotonic() - began, server.resident_mib() - before


def behind_writes(call, index, vectors, questions):
    """Milliseconds of searches that each follow a PutItem."""
    taken = []
    for i, question in enumerate(questions):
        call("PutItem", '{"TableName":"Vectors","Item":{"pk":{"S":"late-%d"},"v":{"L":[%s]}}}' % (i, vectors.next()))
        taken.append(search(call, index, question)[1])
    return taken


def row(name, taken, several, *more):
    rate = 1000 * len(taken) / sum(taken)
    return [name, f"{rate:,.0f}", several, f"{quantile(taken, 0.5):.2f}", f"{quantile(taken, 0.99):.2f}", *more]


def rows_of(build, scratch, kind, distances, count):
    asked = Vectors(kind, 3)
    questions = [asked.next() for _ in range(SEARCHES)]
    exact, rows = {}, []
    with servers.partita(build, scratch, options=["--vector-memory", "0"]) as server:
        call = servers.Caller(server.port, TIMEOUT_S)
        call("CreateTable", table(distances))
        began = time.monotonic()
        fill(call, Vectors(kind, 2), count)
        servers.say(f"{kind}: {count} vectors in {time.monotonic() - began:.0f} s")
        for distance in distances:
            exact[distance] = [search(call, distance, question) for question in questions]
            several = rate_of_several(server, distance, questions[:10])
            taken = [took for _, took in exact[distance]]
            rows.append(row(f"{kind}, {distance}, exact", taken, f"{several:,.0f}", "1.000", "–", "–"))
            servers.say(" ".join(rows[-1]))
    with servers.partita(build, scratch) as server:
        call = servers.Caller(server.port, TIMEOUT_S)
        for distance in distances:
            seconds, mib = make_graph(server, call, distance, questions[0])
            near = [search(call, distance, question) for question in questions]
            hits = sum(len(set(a) & set(b)) for (a, _), (b, _) in zip(exact[distance], near))
            several = rate_of_several(server, distance, questions)
            recall = f"{hits / (10 * SEARCHES):.3f}"
            taken = [took for _, took in near]
            rows.append(row(f"{kind}, {distance}, graph", taken, f"{several:,.0f}", recall, f"{seconds:.0f}", f"{mib:.0f}"))
            servers.say(" ".join(rows[-1]))
        late = behind_writes(call, distances[0], Vectors(kind, 4), questions)
        rows.append(row(f"{kind}, {distances[0]}, graph behind a write", late, "–", "–", "–", "–"))
        servers.say(" ".join(rows[-1]))
    return rows


def costs(rows, count):
    """A search by each graph beside one that looks at every vector."""
    p50 = {name: float(cells[2].replace(",", "")) for name, *cells in rows}
    return [
        page.cost(f"SearchVectors by the graph, {count:,} {name.removesuffix(', graph')}: p50", took,
                  "every vector", p50[name.replace("graph", "exact")], "ms")
        for name, took in p50.items() if name.endswith(", graph")
    ]


def part(build, scratch, arguments):
    rows = []
    for kind in arguments.vectors_of:
        rows += rows_of(build, scratch / kind, kind, DISTANCES_OF[kind], arguments.vectors)
    head = ["", "searches/s", f"over {CONNECTIONS} connections", "p50 ms", "p99 ms", "recall@10", "made in s", "MiB"]
    text = [
        page.provenance(
            f"{arguments.vectors:,} vectors of {DIMENSIONS} dimensions, {SEARCHES} searches for the nearest 10, one after "
            "another over one connection. Topics are as vectors of texts are, noise is as hard as it can be "
            "(`bench/vectors.py`). “Behind a write”: each search follows a PutItem that the graph has to take in."
        ),
        page.table(head, rows),
    ]
    return page.Measured("\n\n".join(text), costs=costs(rows, arguments.vectors))
