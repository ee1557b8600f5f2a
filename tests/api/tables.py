"""The tables that the cases share, made once for each run. Cases keep apart by their own partition keys."""

import itertools
import os
import time
import uuid

from client import call, ok

RUN = os.environ.get("PARTITA_RUN", uuid.uuid4().hex[:8])
_numbers = itertools.count(1)


def table_name(what):
    """A name that no other table of any run has."""
    return f"api_{RUN}_{what}"


def fresh_table(what="t"):
    return table_name(f"{what}_{next(_numbers)}")


def fresh(what="k"):
    """A partition key that no other case uses."""
    return f"{what}-{next(_numbers)}"


ABSENT = table_name("absent")
HASH = table_name("hash")  # pk S
HASH_N = table_name("hash_n")  # pk N
HASH_B = table_name("hash_b")  # pk B
RANGE = table_name("range")  # pk S, sk S
RANGE_N = table_name("range_n")  # pk S, sk N
RANGE_B = table_name("range_b")  # pk S, sk B
INDEXED = table_name("indexed")  # pk S, sk S, and the indexes below
MULTI = table_name("multi")  # pk S, and an index of several key attributes
SCANNED = table_name("scanned")  # pk S, only for cases that read all of it


def key_schema(partition, sort=None):
    schema = [{"AttributeName": partition, "KeyType": "HASH"}]
    return schema + ([{"AttributeName": sort, "KeyType": "RANGE"}] if sort else [])


def definitions(**types):
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


def index(name, partition, sort=None, projection="ALL", include=None):
    shape = {"ProjectionType": projection}
    if include:
        shape["NonKeyAttributes"] = include
    return {"IndexName": name, "KeySchema": key_schema(partition, sort), "Projection": shape}


def plain(name, types, **more):
    names = list(types)
    return {
        "TableName": name,
        "AttributeDefinitions": definitions(**types),
        "KeySchema": key_schema(*names[:2]),
        "BillingMode": "PAY_PER_REQUEST",
        **more,
    }


def simple(name, **more):
    """The smallest table."""
    return plain(name, {"pk": "S"}, **more)


def shared():
    indexed = plain(INDEXED, {"pk": "S", "sk": "S"})
    indexed["AttributeDefinitions"] = definitions(pk="S", sk="S", when="S", rank="N", owner="S", kind="S", code="B")
    indexed["LocalSecondaryIndexes"] = [
        index("by_when", "pk", "when"),
        index("by_rank", "pk", "rank", "KEYS_ONLY"),
    ]
    indexed["GlobalSecondaryIndexes"] = [
        index("by_owner", "owner"),
        index("by_kind", "kind", "rank", "INCLUDE", ["title"]),
        index("by_code", "code", None, "KEYS_ONLY"),
    ]
    multi = plain(MULTI, {"pk": "S"})
    multi["AttributeDefinitions"] = definitions(pk="S", t1="S", t2="N", r1="S", r2="N", r3="S")
    keys = [("t1", "HASH"), ("t2", "HASH"), ("r1", "RANGE"), ("r2", "RANGE"), ("r3", "RANGE")]
    multi["GlobalSecondaryIndexes"] = [
        {
            "IndexName": "by_many",
            "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in keys],
            "Projection": {"ProjectionType": "ALL"},
        }
    ]
    return [
        simple(HASH),
        plain(HASH_N, {"pk": "N"}),
        plain(HASH_B, {"pk": "B"}),
        plain(RANGE, {"pk": "S", "sk": "S"}),
        plain(RANGE_N, {"pk": "S", "sk": "N"}),
        plain(RANGE_B, {"pk": "S", "sk": "B"}),
        indexed,
        multi,
        simple(SCANNED),
    ]


def make_shared():
    for definition in shared():
        reply = call("CreateTable", definition)
        if reply.status != 200:
            print(f"shared table not made, its cases will fail: {definition['TableName']}: {reply!r}")
    for definition in shared():
        if call("DescribeTable", {"TableName": definition["TableName"]}).status == 200:
            wait_active(definition["TableName"])


def drop(name):
    """Deletes a table in whatever state it is, and does not wait."""
    for _ in range(50):
        reply = call("DeleteTable", {"TableName": name})
        if reply.type != "ResourceInUseException":
            return
        time.sleep(0.1)


def standing(definition):
    """For a fixture: the name of such a table, which is there until all tests that use it are done."""
    ok("CreateTable", **definition)
    wait_active(definition["TableName"])
    yield definition["TableName"]
    drop(definition["TableName"])


def drop_shared():
    for definition in shared():
        drop(definition["TableName"])


def wait_active(name, timeout_s=60):
    """Waits until the table and all of its indexes are ACTIVE; returns its description."""
    deadline = time.monotonic() + timeout_s
    while True:
        table = ok("DescribeTable", TableName=name)["Table"]
        indexes = table.get("GlobalSecondaryIndexes", []) + table.get("VectorIndexes", [])
        states = [table["TableStatus"]] + [i["IndexStatus"] for i in indexes]
        if all(state == "ACTIVE" for state in states):
            return table
        assert time.monotonic() < deadline, f"{name} is still {states}"
        time.sleep(0.02)


def wait_gone(name, timeout_s=60):
    deadline = time.monotonic() + timeout_s
    while call("DescribeTable", {"TableName": name}).status == 200:
        assert time.monotonic() < deadline, f"{name} is still there"
        time.sleep(0.02)


def put(table, item, **more):
    return ok("PutItem", TableName=table, Item=item, **more)


def get(table, key, **more):
    """The stored item, or None."""
    return ok("GetItem", TableName=table, Key=key, ConsistentRead=True, **more).get("Item")


def update(table, key, expression, values=None, names=None, **more):
    parameters = {"TableName": table, "Key": key, "UpdateExpression": expression, **more}
    if values:
        parameters["ExpressionAttributeValues"] = values
    if names:
        parameters["ExpressionAttributeNames"] = names
    return ok("UpdateItem", **parameters)
