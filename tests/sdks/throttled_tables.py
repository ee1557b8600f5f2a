"""The tables of the cases, and how each is drained: `Tables(server).drain(case, least_ms)` leaves it without capacity.

A case NAME has the table NAME, with two units a second or a hot key, and some have NAME-open beside it, with many.
"""

import http.client
import json
import threading
import time
import uuid

KIB_200 = "x" * 200_000  # 196 write units, or 49 read units
UNITS = 2  # of what is drained, a second. It begins with 300 seconds of them.
HOT = range(6)
AUTHORIZATION = ("AWS4-HMAC-SHA256 Credential=local/20260102/us-east-1/dynamodb/aws4_request, SignedHeaders=host, "
                 "Signature=none")  # nobody verifies it
ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}


def units(read=1000, write=10_000):
    return {"ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}


def index(read=1000, write=10_000):
    return {"GlobalSecondaryIndexes": [{
        "IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"}, **units(read, write)}]}


def item(k, n, **more):
    return {"k": {"S": k}, "n": {"N": str(n)}, **{name: {"S": text} for name, text in more.items()}}


def put(table, *key, **more):
    return "PutItem", {"TableName": table, "Item": item(*key, **more)}


def get(table, *key):
    return "GetItem", {"TableName": table, "Key": item(*key), "ConsistentRead": True}


def update_all(table, keys, update="ADD a :value", value=None):
    """One transaction, so that a partition that serves anything serves all of it: a second's capacity and more."""
    return "TransactWriteItems", {"TransactItems": [{"Update": {
        "TableName": table, "Key": item(*key), "UpdateExpression": update,
        "ExpressionAttributeValues": {":value": value or {"N": "1"}}}} for key in keys]}


class Kind:
    """A kind of tables: its settings, what it begins with, what takes capacity, and what shows for how long it is gone."""

    def __init__(self, settings, first, spend, probe=None):
        self.settings, self.first, self.spend, self.probe = settings, first, spend, probe or spend


def of_writes(settings, g=None):
    more = {"g": g} if g else {}
    return Kind(settings, lambda table: [put(table, "a", n, big=KIB_200, **more) for n in (1, 2, 3)],
                lambda table, size: put(table, "a", 4, big="x" * (size * 1024 - 200), v=uuid.uuid4().hex, **more))


def of_reads(settings):
    def first(table):
        return [*(put(table, "a", n, big=KIB_200) for n in (1, 2, 3)), put(table, "a", 4, big="x" * 8_000),
                *[("Scan", {"TableName": table, "ConsistentRead": True})] * 4]

    return Kind(settings, first, lambda table, _: get(table, "a", 4))


def of_index_reads(settings):
    query = {"IndexName": "by-g", "KeyConditionExpression": "g = :g"}

    def first(table):
        return [*(put(table, "a", n, big=KIB_200, g="g") for n in (1, 2, 3)), put(table, "a", 4, big="x" * 16_000, g="h"),
                *[("Scan", {"TableName": table, "IndexName": "by-g"})] * 8]

    return Kind(settings, first, lambda table, _: (
        "Query", {"TableName": table, **query, "ExpressionAttributeValues": {":g": {"S": "h"}}}))


def of_a_hot_key(settings):
    keys = [("hot", n) for n in HOT]
    return Kind(settings, lambda table: [put(table, *key, big=KIB_200) for key in keys],
                lambda table, _: update_all(table, keys), lambda table, _: put(table, "hot", 9))


def of_hot_reads(settings):
    """Updates and transactions, since what they cost is known only afterwards: one leaves a debt of 0.65 s."""
    keys = [("hot", n) for n in range(20)]

    def spend(table, _):
        return "TransactGetItems", {"TransactItems": [{"Get": {
            "TableName": table, "Key": item(*key), "ProjectionExpression": "n"}} for key in keys]}

    return Kind(settings, lambda table: [update_all(table, keys, "SET big = :value", {"S": KIB_200})], spend,
                lambda table, _: get(table, "hot", 50))


def of_a_hot_index_key(settings):
    keys = [(f"k{n}", n) for n in HOT]
    return Kind(settings, lambda table: [put(table, *key, big=KIB_200, g="hot") for key in keys],
                lambda table, _: update_all(table, keys), lambda table, _: put(table, "cold", 9, g="hot"))


FEW_WRITES, FEW_READS = units(write=UNITS), units(read=UNITS)
CAPPED = {**ON_DEMAND, "OnDemandThroughput": {"MaxReadRequestUnits": UNITS, "MaxWriteRequestUnits": UNITS}}
MANY = units(40_000, 40_000)

WRITES, READS, HOT_KEY = of_writes(FEW_WRITES), of_reads(FEW_READS), of_a_hot_key(MANY)
MAXIMUM_WRITES, MAXIMUM_READS = of_writes(CAPPED), of_reads(CAPPED)
KINDS = {
    "table-write": WRITES,
    "table-read": READS,
    "index-write": of_writes({**units(), **index(write=UNITS)}, g="g"),
    "index-read": of_index_reads({**units(), **index(read=UNITS)}),
    "hot-write": HOT_KEY,
    "hot-read": of_hot_reads(MANY),
    "hot-write-on-demand": of_a_hot_key(ON_DEMAND),
    "hot-index-write": of_a_hot_index_key({**MANY, **index(40_000, 40_000)}),
    "maximum-write": MAXIMUM_WRITES,
    "maximum-read": MAXIMUM_READS,
    "batch-write": WRITES,
    "batch-read": READS,
    "batch-maximum": MAXIMUM_WRITES,
    "batch-part": WRITES,
    "transaction-write": WRITES,
    "transaction-read": READS,
    "transaction-hot": HOT_KEY,
    "transaction-maximum": MAXIMUM_WRITES,
    "statement-write": WRITES,
    "statement-read": READS,
    "statement-maximum": MAXIMUM_WRITES,
    "statement-batch": WRITES,
    "statement-transaction": WRITES,
    "patient-table": WRITES,
    "patient-hot": HOT_KEY,
    "patient-maximum": MAXIMUM_WRITES,
}
WITH_OPEN = [name for name in KINDS if name in ("batch-part", "statement-batch") or "transaction" in name]


class Tables:
    """Makes the tables of all cases at a server, and drains them. Any thread may call it."""

    def __init__(self, server):
        self._server, self._local = server, threading.local()
        for name, kind in KINDS.items():
            self._create(name, kind.settings)
            for call in kind.first(name):
                self._ask(*call)
        for name in WITH_OPEN:
            self._create(f"{name}-open", units())
            self._ask(*put(f"{name}-open", "a", 1))

    def _create(self, name, settings):
        attributes = [("k", "S"), ("n", "N"), *([("g", "S")] if "GlobalSecondaryIndexes" in settings else [])]
        status, reply, _ = self._ask("CreateTable", {
            "TableName": name, **settings, "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"},
                                                         {"AttributeName": "n", "KeyType": "RANGE"}],
            "AttributeDefinitions": [{"AttributeName": a, "AttributeType": t} for a, t in attributes]})
        assert status == 200, reply

    def _ask(self, operation, body):
        """The status, the body and the milliseconds of x-amz-retry-after."""
        if not hasattr(self._local, "connection"):
            self._local.connection = http.client.HTTPConnection(self._server.host, self._server.port, timeout=60)
        self._local.connection.request("POST", "/", json.dumps(body), {
            "X-Amz-Target": f"DynamoDB_20120810.{operation}", "X-Amz-Date": "20260102T000000Z",
            "Content-Type": "application/x-amz-json-1.0", "Authorization": AUTHORIZATION})
        reply = self._local.connection.getresponse()
        return reply.status, reply.read(), int(reply.headers.get("x-amz-retry-after", 0))

    def drain(self, name, least_ms):
        """Requests are refused for at least that long from now, and for about two seconds more at most."""
        kind, size = KINDS[name], 1 + -(-least_ms * UNITS // 1000)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            self._ask(*kind.spend(name, size))
            status, reply, told_ms = self._ask(*kind.probe(name, size))
            if status == 400 and told_ms >= least_ms:
                return
            if status == 400:
                time.sleep(told_ms / 1000)
        raise AssertionError(f"{name} is not drained: {status} {reply[:300]}")
