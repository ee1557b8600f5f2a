"""Vector search over many vectors: exact, while there is no graph of them, and by the graph once it is made; how many
of the ten nearest the graph finds, and what following writes costs.

The vectors are made of topics, as those of texts are: a thousand directions, and around each of them vectors that
differ from it by about as much as it is long. A vector without neighbours (pure noise) has no meaningful ten nearest.
"""

import http.client
import json
import random
import time

import page
import servers

DIMENSIONS = 384
TOPICS = 1_000
SPREAD = 0.9  # of a vector around its topic, which is 1 in each dimension
SEARCHES = 100
HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "Authorization": "AWS4-HMAC-SHA256 Credential=local/20260102/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=" + "0" * 64,
    "X-Amz-Date": "20260102T030405Z",
}


class Caller:
    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)

    def __call__(self, operation, body):
        raw = body if isinstance(body, str) else json.dumps(body)
        self.connection.request("POST", "/", raw, {**HEADERS, "X-Amz-Target": f"DynamoDB_20120810.{operation}"})
        answer = self.connection.getresponse()
        read = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{operation}: {read[:500]}")
        return json.loads(read)


class Vectors:
    """Made anew in the same order by each that has the same seed."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        topics = random.Random(1)
        self.topics = [[topics.gauss(0, 1) for _ in range(DIMENSIONS)] for _ in range(TOPICS)]
        self.noise = [self.chance.gauss(0, SPREAD) for _ in range(500_000)]

    def next(self):
        topic = self.chance.choice(self.topics)
        at = self.chance.randrange(len(self.noise) - DIMENSIONS)
        noise = self.noise[at : at + DIMENSIONS]
        return ",".join('{"N":"%.5f"}' % (a + b) for a, b in zip(topic, noise))


def table(distance):
    return {
        "TableName": "Vectors",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "VectorIndexes": [
            {
                "IndexName": "by-vector",
                "VectorAttribute": {"AttributeName": "v"},
                "Dimensions": DIMENSIONS,
                "DistanceFunction": distance,
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    }


def fill(call, count):
    vectors = Vectors(2)
    for begin in range(0, count, 25):
        puts = ",".join(
            '{"PutRequest":{"Item":{"pk":{"S":"item-%06d"},"v":{"L":[%s]}}}}' % (begin + i, vectors.next())
            for i in range(25)
        )
        call("BatchWriteItem", '{"RequestItems":{"Vectors":[%s]}}' % puts)


def search(call, sought):
    """(the keys, the bytes that were looked at, milliseconds)"""
    body = (
        '{"TableName":"Vectors","IndexName":"by-vector","TopK":10,"ReturnConsumedCapacity":"TOTAL","SearchVector":[%s]}'
        % sought
    )
    began = time.monotonic()
    found = call("SearchVectors", body)
    took = (time.monotonic() - began) * 1000
    keys = [hit["Item"]["pk"]["S"] for hit in found["SearchResults"]]
    return keys, found["ConsumedCapacity"]["VectorSearchRequestBytes"], took


def quantile(taken, share):
    return sorted(taken)[min(len(taken) - 1, int(len(taken) * share))]


def measure(build, scratch, count, distance):
    """What was found, by name."""
    with servers.partita(build, scratch / "vectors") as server:
        call = Caller(server)
        call("CreateTable", table(distance))
        began = time.monotonic()
        fill(call, count)
        loaded = time.monotonic() - began
        servers.say(f"{count} vectors in {loaded:.0f} s")
        asked = Vectors(3)
        questions = [asked.next() for _ in range(SEARCHES)]
        exact_bytes = search(call, questions[0])[1]
        exact = [search(call, question) for question in questions[:SEARCHES]]
        servers.say("exact: done")
        if any(bytes_ < exact_bytes for _, bytes_, _ in exact):
            raise RuntimeError("the graph was made before the exact searches were over")
        began = time.monotonic()
        while search(call, questions[0])[1] == exact_bytes:
            time.sleep(1)
        made = time.monotonic() - began
        near = [search(call, question) for question in questions]
        hits = sum(len(set(a[0]) & set(b[0])) for a, b in zip(exact, near))
        vectors = Vectors(4)
        follow = []
        for i in range(SEARCHES):
            put = '{"TableName":"Vectors","Item":{"pk":{"S":"late-%d"},"v":{"L":[%s]}}}' % (i, vectors.next())
            call("PutItem", put)
            follow.append(search(call, questions[i])[2])
    return {
        "exact": [took for *_, took in exact],
        "graph": [took for *_, took in near],
        "behind a write": follow,
        "recall": hits / (10 * SEARCHES),
        "made_s": made,
        "loaded_s": loaded,
    }


def part(build, scratch, arguments):
    """(the text of this part of the page, its plots)"""
    rows = []
    for distance in ("COSINE", "EUCLIDEAN", "DOT_PRODUCT"):
        found = measure(build, scratch / distance, arguments.vectors, distance)
        for how in ("exact", "graph", "behind a write"):
            taken = found[how]
            recall = "1.000" if how == "exact" else f"{found['recall']:.3f}" if how == "graph" else "–"
            rows.append(
                [f"{distance}, {how}", f"{1000 * len(taken) / sum(taken):,.0f}", f"{quantile(taken, 0.5):.2f}",
                 f"{quantile(taken, 0.99):.2f}", recall]
            )
        rows[-1][-1] = "–"
        servers.say(f"{distance}: recall {found['recall']:.3f}, graph after {found['made_s']:.0f} s")
    text = [
        page.provenance(
            f"{arguments.vectors:,} vectors of {DIMENSIONS} dimensions, {SEARCHES} searches for the nearest 10, one after "
            "another over one connection. «Behind a write»: each search follows a PutItem that the graph has to take in."
        ),
        page.table(["", "searches/s", "p50 ms", "p99 ms", "recall@10"], rows),
    ]
    return "\n\n".join(text), {}
