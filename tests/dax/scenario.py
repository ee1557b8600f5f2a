"""The scenario: the calls that every client makes in this order, over HTTP and over DAX, on the tables of tables.py.

    STEPS       # [{"name": …, "call": "PutItem", "input": {…}}, …], which are sent to the drivers as JSON lines
    THROTTLED   # the same, for a server with --capacity enforce

More members of a step: `part`, `again` ("LastEvaluatedKey": until there is none; "Unprocessed": until all is
processed) and `error` (the code that HTTP answers; without it the call succeeds).
"""

import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

from expressions import (  # noqa: E402
    CONDITIONS, DEEP, INVALID_UPDATES, NUMBERS, PROJECTIONS, RETURNS, THING, UPDATES, VALUES, used_names, used_values)
from tables import BIG_ITEMS, BOOL, BS, COMPOSITE, KEYS, NS, NULL, SIMPLE, SS, B, L, M, N, S  # noqa: E402

STEPS, PART = [], None


def step(call, name=None, error=None, again=None, **given):
    """`values`, `names`, `condition` and so on are short for the members of the API."""
    short = {"values": "ExpressionAttributeValues", "names": "ExpressionAttributeNames", "update": "UpdateExpression",
             "condition": "ConditionExpression", "filter": "FilterExpression", "key": "KeyConditionExpression",
             "project": "ProjectionExpression", "returns": "ReturnValues", "table": "TableName", "index": "IndexName"}
    made = {"name": f"{len(STEPS):03} {call}{' ' + name if name else ''}", "part": PART, "call": call,
            "input": {short.get(member, member): value for member, value in given.items()}}
    STEPS.append(made | ({"error": error} if error else {}) | ({"again": again} if again else {}))


def put(table, item, **more):
    step("PutItem", table=table, Item=item, **more)


def get(table, key, **more):
    step("GetItem", table=table, Key=key, **more)


def update(table, key, expression, **more):
    step("UpdateItem", table=table, Key=key, update=expression, **more)


def delete(table, key, **more):
    step("DeleteItem", table=table, Key=key, **more)


def query(table, key, **more):
    step("Query", table=table, key=key, **more)


def scan(table, **more):
    step("Scan", table=table, **more)


# --- keys -------------------------------------------------------------------------------------------------------------


def simple_keys():
    for name, kind in SIMPLE.items():
        for number, key in enumerate(KEYS[kind]):
            put(name, {"pk": key, "n": N(number), "x": S(f"x{number}")})
        for key in KEYS[kind]:
            get(name, {"pk": key}, name="by every key")
        first, last = KEYS[kind][0], KEYS[kind][-1]
        get(name, {"pk": first}, ConsistentRead=True, ReturnConsumedCapacity="TOTAL")
        query(name, "pk = :p", values={":p": last})
        scan(name, Limit=2, again="LastEvaluatedKey")
        update(name, {"pk": first}, "SET n = n + :one", values={":one": N(1)}, returns="ALL_NEW")
        delete(name, {"pk": first}, returns="ALL_OLD")
        get(name, {"pk": first}, name="that is deleted")
        delete(name, {"pk": first}, returns="ALL_OLD", name="that is not there")
        step("BatchGetItem", RequestItems={name: {"Keys": [{"pk": key} for key in KEYS[kind]]}})
        step("TransactGetItems", TransactItems=[{"Get": {"TableName": name, "Key": {"pk": key}}} for key in KEYS[kind]])


def composite_keys():
    for name, (p, s) in COMPOSITE.items():
        partition, others = KEYS[p][1], KEYS[p][3]
        sorts = KEYS[s]
        writes = [{"PutRequest": {"Item": {"pk": partition, "sk": key, "n": N(place)}}} for place, key in enumerate(sorts)]
        step("BatchWriteItem", RequestItems={name: writes})
        put(name, {"pk": others, "sk": sorts[2], "only": BOOL(True)})
        for key in sorts:
            get(name, {"pk": partition, "sk": key}, name="by every key")
        query(name, "pk = :p", values={":p": partition}, Limit=2, again="LastEvaluatedKey", name="in pages")
        query(name, "pk = :p", values={":p": partition}, Limit=4, again="LastEvaluatedKey", ScanIndexForward=False)
        low, high = sorts[1], sorts[-2]
        for condition in ("sk = :l", "sk < :h", "sk <= :h", "sk > :l", "sk >= :l"):
            values = {":p": partition, (":l" if ":l" in condition else ":h"): low if ":l" in condition else high}
            query(name, f"pk = :p AND {condition}", values=values)
        query(name, "pk = :p AND sk BETWEEN :l AND :h", values={":p": partition, ":l": low, ":h": high})
        if s != "N":
            query(name, "begins_with(sk, :l) AND pk = :p", values={":p": partition, ":l": sorts[0]})
        scan(name, Limit=3, again="LastEvaluatedKey", name="in pages")
        update(name, {"pk": partition, "sk": low}, "SET a = :a REMOVE n", values={":a": S("new")},
               returns="UPDATED_NEW")
        update(name, {"pk": partition, "sk": sorts[0]}, "ADD n :i", values={":i": N("0.5")}, returns="UPDATED_OLD")
        delete(name, {"pk": partition, "sk": high}, returns="ALL_OLD")
        step("BatchWriteItem", "deletes", RequestItems={name: [
            {"DeleteRequest": {"Key": {"pk": partition, "sk": sorts[0]}}},
            {"PutRequest": {"Item": {"pk": partition, "sk": high}}}]})
        step("BatchGetItem", RequestItems={name: {"Keys": [{"pk": partition, "sk": key} for key in sorts],
                                                  "ConsistentRead": True}})


def unequal_numbers():
    """One key in many spellings."""
    for spelling in ("3", "3.0", "3.000", "30e-1", "+3", "003"):
        get("key-n", {"pk": N(spelling)}, name=f"as {spelling}")
        get("key-s-n", {"pk": KEYS["S"][1], "sk": N(spelling)}, name=f"sorted as {spelling}")
    put("key-s-n", {"pk": S("spelled"), "sk": N("1.50"), "n": N("1.50")})
    put("key-s-n", {"pk": S("spelled"), "sk": N("1.5"), "n": N("15E-1"), "again": NULL}, returns="ALL_OLD")
    query("key-s-n", "pk = :p", values={":p": S("spelled")})


# --- values -----------------------------------------------------------------------------------------------------------


def values():
    for number in NUMBERS:
        put("doc", {"pk": S("number"), "n": N(number)})
        get("doc", {"pk": S("number")}, name=number)
    put("doc", {"pk": S("all numbers"), **{f"n{place:02}": N(number) for place, number in enumerate(NUMBERS)}})
    get("doc", {"pk": S("all numbers")})
    for name, value in VALUES.items():
        put("doc", {"pk": S(name), "v": value})
        get("doc", {"pk": S(name)}, name=name)
    put("doc", {"pk": S("deep"), "v": DEEP})
    get("doc", {"pk": S("deep")})
    put("doc", {"pk": S("too deep"), "v": L(DEEP)}, error="ValidationException")
    put("doc", {"pk": S("everything"), **VALUES})
    get("doc", {"pk": S("everything")}, ReturnConsumedCapacity="TOTAL")
    for name, value in (("", S("")), ("m", M(**{"": S("")}))):
        put("doc", {"pk": S("names"), name: value}, error="ValidationException", name="of an attribute without a name")
    put("doc", {"pk": S("names"), "a b": N(1), "a.b": N(2), "a[0]": N(3), "ä": N(4), "\ue000": N(5), "\U00010000": N(6),
                "#": N(7)})
    get("doc", {"pk": S("names")}, name="with names that sort differently in UTF-8 and UTF-16")
    put("doc", {"pk": S("only the key")})
    get("doc", {"pk": S("only the key")})
    scan("doc", Limit=7, again="LastEvaluatedKey", project="pk", ReturnConsumedCapacity="TOTAL")
    for invalid in ("1E126", "-1E126", "1E-131", "1" * 39, "1.5.5", "", "abc", "Infinity"):
        put("doc", {"pk": S("invalid"), "n": N(invalid)}, error="ValidationException",
            name=f"of the number {invalid!r}")
    for name, invalid in (("no texts", {"SS": []}), ("no numbers", {"NS": []}), ("a text twice", SS("a", "a")),
                          ("a number twice", NS("1", "1.0"))):
        put("doc", {"pk": S("invalid"), "v": invalid}, error="ValidationException", name=f"with {name}")


# --- expressions ------------------------------------------------------------------------------------------------------


def conditions():
    put("doc", THING)
    for number, (condition, given, holds) in enumerate(CONDITIONS):
        more = used_names(condition) | used_values(given)
        update("doc", {"pk": S("thing")}, "REMOVE nothing", condition=condition, **more, name=f"if {condition}",
               **({} if holds else {"error": "ConditionalCheckFailedException"}))
        query("doc", "pk = :pk", filter=condition, name=f"filtered by {condition}",
              **more | {"values": {**(given or {}), ":pk": S("thing")}})
    put("doc", {"pk": S("thing"), "n": N(0)}, condition="attribute_not_exists(pk)",
        error="ConditionalCheckFailedException")
    put("doc", {"pk": S("new thing"), "n": N(0)}, condition="attribute_not_exists(pk)")
    delete("doc", {"pk": S("new thing")}, condition="n > :v", values={":v": N(0)},
           error="ConditionalCheckFailedException")
    delete("doc", {"pk": S("new thing")}, condition="n = :v", values={":v": N(0)}, returns="ALL_OLD")
    put("doc", {"pk": S("thing")}, condition="attribute_not_exists(pk)", error="ConditionalCheckFailedException",
        ReturnValuesOnConditionCheckFailure="ALL_OLD", name="returned item")


def projections():
    for path in PROJECTIONS:
        get("doc", {"pk": S("thing")}, project=path, **used_names(path), name=path)
    query("doc", "pk = :p", values={":p": S("thing")}, project="m.k, l[2][1].k, n")
    scan("doc", filter="pk = :p", values={":p": S("thing")}, project="s, m.m.deep[0]")
    get("doc", {"pk": S("none such")}, project="s")
    step("BatchGetItem", "projected",
         RequestItems={"doc": {"Keys": [{"pk": S("thing")}, {"pk": S("text")}, {"pk": S("none such")}],
                                                            "ProjectionExpression": "pk, m.#k, v, #status",
                                                            "ExpressionAttributeNames": {"#k": "k",
                                                                                         "#status": "status"}}})
    step("TransactGetItems", "projected", TransactItems=[
        {"Get": {"TableName": "doc", "Key": {"pk": S("thing")}, "ProjectionExpression": "l[0], s"}},
        {"Get": {"TableName": "doc", "Key": {"pk": S("none such")}, "ProjectionExpression": "s"}},
        {"Get": {"TableName": "doc", "Key": {"pk": S("text")}}}])


def updates():
    for number, (expression, given) in enumerate(UPDATES):
        put("doc", THING)
        more = used_names(expression) | used_values(given)
        update("doc", {"pk": S("thing")}, expression, returns=RETURNS[1 + number % 4], **more, name=expression)
        get("doc", {"pk": S("thing")}, ConsistentRead=True, name=f"after {expression}")
    put("doc", THING)
    for returns in RETURNS:
        update("doc", {"pk": S("thing")}, "SET n = n + :v, m.m.deep[1] = :v, made = :v REMOVE s", values={":v": N(1)},
               returns=returns, ReturnConsumedCapacity="TOTAL")
        update("doc", {"pk": S(f"made by {returns}")}, "SET n = :v", values={":v": N(1)}, returns=returns)
        step("UpdateItem", f"of nothing, returns {returns}", table="doc", Key={"pk": S("thing")}, returns=returns)
    for returns in ("NONE", "ALL_OLD"):
        put("doc", {"pk": S("returned"), "returns": S(returns)}, returns=returns)
        delete("doc", {"pk": S(f"made by {returns}")}, returns=returns)
    put("doc", THING)
    for expression, given, *fault in INVALID_UPDATES:
        if fault:
            put("doc", {**THING, "n": N("9.5E125")})
        update("doc", {"pk": S("thing")}, expression, error="ValidationException", **used_values(given),
               name=f"invalid: {expression}")
    get("doc", {"pk": S("thing")}, name="after all that are invalid")


# --- indexes, queries and scans ---------------------------------------------------------------------------------------


def indexed_item(p, s):
    return {"pk": S(f"p{p}"), "sk": N(s), "l": S(f"l{s * 7 % 10}"), "ln": N(f"{-s}.5"), "x": S(f"x{p}{s}"),
            "doc": M(p=N(p), l=L(N(s))),
            **({"g": S(f"g{s % 2}"), "n": N(f"{s * 3 % 10}")} if s % 3 else {}),
            **({"b": B(bytes([s % 2]))} if s != 5 else {})}


def indexes():
    items = [indexed_item(p, s) for p in range(3) for s in range(8)]
    step("BatchWriteItem", ReturnConsumedCapacity="INDEXES", ReturnItemCollectionMetrics="SIZE",
         RequestItems={"indexed": [{"PutRequest": {"Item": item}} for item in items]})
    queries = [("by-l", "pk = :v", S("p1")), ("by-ln", "pk = :v", S("p1")), ("by-g", "g = :v", S("g1")),
               ("by-b", "b = :v", B(b"\x01")),
               ("by-n", "n = :v", N("3.0"))]
    for name, condition, value in queries:
        query("indexed", condition, values={":v": value}, index=name, ReturnConsumedCapacity="INDEXES")
        query("indexed", condition, values={":v": value}, index=name, Limit=2, again="LastEvaluatedKey",
              name="in pages")
        query("indexed", condition, values={":v": value}, index=name, Limit=3, again="LastEvaluatedKey",
              ScanIndexForward=False)
        query("indexed", condition, values={":v": value}, index=name, Select="COUNT", ReturnConsumedCapacity="TOTAL")
        query("indexed", condition, values={":v": value}, index=name, Select="ALL_PROJECTED_ATTRIBUTES")
        query("indexed", condition, values={":v": value}, index=name, project="pk, sk")
        scan("indexed", index=name, ReturnConsumedCapacity="INDEXES")
        scan("indexed", index=name, Limit=5, again="LastEvaluatedKey", name="in pages")
    query("indexed", "pk = :p AND l BETWEEN :a AND :b", values={":p": S("p2"), ":a": S("l2"), ":b": S("l5")},
          index="by-l")
    query("indexed", "pk = :p AND ln < :a", values={":p": S("p2"), ":a": N("-3")}, index="by-ln",
          Select="ALL_ATTRIBUTES",
          ReturnConsumedCapacity="INDEXES")
    query("indexed", "pk = :p", values={":p": S("p2")}, index="by-ln", ConsistentRead=True, project="x, doc.l[0]")
    query("indexed", "g = :g AND n > :n", values={":g": S("g0"), ":n": N(1), ":p": N(1)}, index="by-g",
          filter="doc.p = :p",
          Limit=1, again="LastEvaluatedKey", name="with a filter, in pages")
    query("indexed", "pk = :p", values={":p": S("p0")}, ReturnConsumedCapacity="INDEXES")
    query("indexed", "pk = :p", values={":p": S("p0")}, Select="COUNT", filter="attribute_exists(g)")
    query("indexed", "pk = :p", values={":p": S("p0")}, Select="SPECIFIC_ATTRIBUTES", project="x, g")
    query("indexed", "pk = :p", values={":p": S("none such")}, ReturnConsumedCapacity="TOTAL")
    query("indexed", "pk = :p", values={":p": S("none such")}, Select="COUNT")
    query("indexed", "#p = :p AND #s >= :s", names={"#p": "pk", "#s": "sk"}, values={":p": S("p0"), ":s": N("6.5")})
    query("indexed", "pk = :p", values={":p": S("p0")}, ExclusiveStartKey={"pk": S("p0"), "sk": N(3)}, Limit=2)
    query("indexed", "pk = :p", values={":p": S("p0")}, ExclusiveStartKey={"pk": S("p0"), "sk": N("100")}, Limit=2)
    for capacity in ("NONE", "TOTAL", "INDEXES"):
        scan("indexed", Limit=4, ReturnConsumedCapacity=capacity)
        for more in ({}, {"ReturnItemCollectionMetrics": "SIZE"}):
            put("indexed", indexed_item(4, 1), ReturnConsumedCapacity=capacity, **more)
            update("indexed", {"pk": S("p4"), "sk": N(1)}, "SET n = n + :v", values={":v": N(1)},
                   ReturnConsumedCapacity=capacity, **more)
            delete("indexed", {"pk": S("p4"), "sk": N(1)}, ReturnConsumedCapacity=capacity, **more)
        get("indexed", {"pk": S("p1"), "sk": N(1)}, ReturnConsumedCapacity=capacity)
        get("indexed", {"pk": S("none such"), "sk": N(1)}, ReturnConsumedCapacity=capacity)
        step("BatchGetItem", capacity, ReturnConsumedCapacity=capacity, RequestItems={
            "indexed": {"Keys": [{"pk": S("p1"), "sk": N(s)} for s in range(5)]},
            "doc": {"Keys": [{"pk": S("thing")}]}})
        transaction([{"Put": {"TableName": "indexed", "Item": indexed_item(5, 2)}},
                     {"Delete": {"TableName": "doc", "Key": {"pk": S("none such")}}}],
                    ReturnConsumedCapacity=capacity, ReturnItemCollectionMetrics="SIZE")
        step("TransactGetItems", capacity, ReturnConsumedCapacity=capacity, TransactItems=[
            {"Get": {"TableName": "indexed", "Key": {"pk": S("p5"), "sk": N(2)}}}])
    delete("indexed", {"pk": S("p5"), "sk": N(2)})
    scan("indexed", filter="#s > :v AND begins_with(x, :x)", names={"#s": "sk"}, values={":v": N(2), ":x": S("x1")})
    scan("indexed", Select="COUNT", Limit=10, again="LastEvaluatedKey")
    scan("indexed", ConsistentRead=True, project="x")
    for segment in range(3):
        scan("indexed", Segment=segment, TotalSegments=3, name="in parallel")
        scan("indexed", Segment=segment, TotalSegments=3, Limit=2, again="LastEvaluatedKey",
             name="in parallel, in pages")
        scan("indexed", Segment=segment, TotalSegments=3, index="by-g", name="in parallel, of an index")


# --- batches and transactions -----------------------------------------------------------------------------------------


def transaction(items, **more):
    step("TransactWriteItems", TransactItems=items, **more)


def batches():
    step("BatchWriteItem", "in many tables", ReturnConsumedCapacity="TOTAL", RequestItems={
        "doc": [{"PutRequest": {"Item": {"pk": S("batch 1"), "v": VALUES["mixed"]}}},
                {"DeleteRequest": {"Key": {"pk": S("text")}}},
                {"PutRequest": {"Item": {"pk": S("batch 2")}}}],
        "doc-2": [{"PutRequest": {"Item": {"pk": S("b"), "sk": S(f"s{n}"), f"a{n}": N(n)}}} for n in range(10)],
        "key-b": [{"PutRequest": {"Item": {"pk": B(b"batch"), "b": B(b"")}}}]})
    step("BatchGetItem", "in many tables", ReturnConsumedCapacity="TOTAL", RequestItems={
        "doc": {"Keys": [{"pk": S(name)} for name in ("batch 1", "batch 2", "text", "none such")]},
        "doc-2": {"Keys": [{"pk": S("b"), "sk": S(f"s{n}")} for n in range(10)], "ProjectionExpression": "a1, a2, sk"},
        "key-b": {"Keys": [{"pk": B(b"batch")}], "ConsistentRead": True}})
    step("BatchGetItem", "of nothing that exists", RequestItems={"doc": {"Keys": [{"pk": S("none such")}]}})
    step("BatchGetItem", "of 100",
         RequestItems={"doc-2": {"Keys": [{"pk": S("b"), "sk": S(f"s{n}")} for n in range(100)]}})
    step("BatchGetItem", "of more than 16 MB", again="Unprocessed", RequestItems={
        "big": {"Keys": [{"pk": S(f"big {n:02}")} for n in range(BIG_ITEMS)], "ProjectionExpression": "pk, n"}})
    scan("big", project="n", again="LastEvaluatedKey", name="that ends a page after 1 MB")
    for name, requests in (("nothing", {}), ("no keys", {"doc": {"Keys": []}}),
                           ("a key twice", {"doc": {"Keys": [{"pk": S("a")}, {"pk": S("a")}]}}),
                           ("101 keys", {"doc": {"Keys": [{"pk": S(str(n))} for n in range(101)]}}),
                           ("half a key", {"doc-2": {"Keys": [{"pk": S("a")}]}}),
                           ("a key of another type", {"doc": {"Keys": [{"pk": N(1)}]}})):
        step("BatchGetItem", f"invalid: {name}", RequestItems=requests, error="ValidationException")
    puts = [{"PutRequest": {"Item": {"pk": S(str(n))}}} for n in range(26)]
    for name, requests in (("nothing", {}), ("no requests", {"doc": []}), ("a key twice", {"doc": [puts[0], puts[0]]}),
                           ("26 requests", {"doc": puts}), ("half a key", {"doc-2": puts[:1]}),
                           ("no key", {"doc": [{"PutRequest": {"Item": {"v": S("a")}}}]}),
                           ("an item too large",
                            {"doc": [{"PutRequest": {"Item": {"pk": S("a"), "v": S("x" * 410_000)}}}]})):
        step("BatchWriteItem", f"invalid: {name}", RequestItems=requests, error="ValidationException")


def transactions():
    key = {"pk": S("transacted")}
    put("doc", {**key, "n": N(1), "v": VALUES["mixed"]})
    put("doc-2", {"pk": S("t"), "sk": S("1"), "n": N("1.50"), "z": NULL})
    check = {"ConditionCheck": {"TableName": "doc", "Key": key, "ConditionExpression": "n = :n",
                                "ExpressionAttributeValues": {":n": N(1)}}}
    one_of_each = [
        check,
        {"Put": {"TableName": "doc", "Item": {"pk": S("put by a transaction"), "v": N(1)},
                 "ConditionExpression": "attribute_not_exists(pk)"}},
        {"Update": {"TableName": "doc-2", "Key": {"pk": S("t"), "sk": S("1")},
                    "UpdateExpression": "SET #n = #n + :v REMOVE z",
                    "ExpressionAttributeNames": {"#n": "n"}, "ExpressionAttributeValues": {":v": N(1)},
                    "ConditionExpression": "#n < :v OR #n > :v"}},
        {"Delete": {"TableName": "doc", "Key": {"pk": S("batch 1")}}}]
    transaction(one_of_each, name="one of each")
    step("TransactGetItems", "in many tables", TransactItems=[
        {"Get": {"TableName": "doc", "Key": {"pk": S("put by a transaction")}}},
        {"Get": {"TableName": "doc-2", "Key": {"pk": S("t"), "sk": S("1")}}},
        {"Get": {"TableName": "doc", "Key": {"pk": S("batch 1")}}},
        {"Get": {"TableName": "doc", "Key": key, "ProjectionExpression": "#n",
                 "ExpressionAttributeNames": {"#n": "n"}}}])
    transaction(one_of_each, error="TransactionCanceledException", name="that is cancelled by a put")
    for old in ("NONE", "ALL_OLD"):
        fails = {"ConditionExpression": "n = :no", "ExpressionAttributeValues": {":no": N(99)},
                 "ReturnValuesOnConditionCheckFailure": old}
        transaction([
            {"Put": {"TableName": "doc", "Item": {"pk": S("never"), "v": N(1)}}},
            {"ConditionCheck": {"TableName": "doc", "Key": key, **fails}},
            {"Update": {"TableName": "doc-2", "Key": {"pk": S("t"), "sk": S("1")}, "UpdateExpression": "REMOVE z",
                        **fails}},
            {"Delete": {"TableName": "doc", "Key": {"pk": S("only the key")}, **fails}},
            {"Put": {"TableName": "doc", "Item": {"pk": S("none such")}, **fails}}],
            error="TransactionCanceledException", name=f"cancelled four times, {old}")
    get("doc", {"pk": S("never")}, name="that a cancelled transaction put")
    transaction([{"Update": {"TableName": "doc", "Key": key, "UpdateExpression": "SET n = n + v"}},
                 {"Delete": {"TableName": "doc", "Key": {"pk": S("batch 2")}}}],
                error="TransactionCanceledException", name="cancelled by the type of an operand")
    transaction([{"Put": {"TableName": "indexed", "Item": {"pk": S("a"), "sk": N(1), "g": N(1)}}}, check],
                error="TransactionCanceledException", name="cancelled by an index's key")
    tokens = [{"Update": {"TableName": "doc", "Key": key, "UpdateExpression": "ADD n :v",
                          "ExpressionAttributeValues": {":v": N(10)}}}]
    for _ in range(2):
        transaction(tokens, ClientRequestToken="token-1", ReturnConsumedCapacity="TOTAL", name="with a token")
    get("doc", key, name="that was updated once", ConsistentRead=True)
    transaction([{"Delete": {"TableName": "doc", "Key": key}}], ClientRequestToken="token-1",
                error="IdempotentParameterMismatchException")
    transaction(tokens, ClientRequestToken="token-2", name="with another token")
    get("doc", key, project="n", name="that was updated twice")
    transaction([{"Put": {"TableName": "doc", "Item": {"pk": S(f"many {n}"), "n": N(n)}}} for n in range(100)],
                name="of 100")
    step("TransactGetItems", "of 25",
         TransactItems=[{"Get": {"TableName": "doc", "Key": {"pk": S(f"many {n}")}}} for n in range(25)])
    transaction([{"Delete": {"TableName": "doc-2", "Key": {"pk": S("a")}}}], error="TransactionCanceledException",
                name="cancelled by half a key")
    invalid = [("nothing", []), ("an item twice", [check, {"Delete": {"TableName": "doc", "Key": key}}]),
               ("101 items", [{"Delete": {"TableName": "doc", "Key": {"pk": S(str(n))}}} for n in range(101)])]
    for name, items in invalid:
        transaction(items, error="ValidationException", name=f"invalid: {name}")
    step("TransactGetItems", "invalid: an item twice", error="ValidationException",
         TransactItems=[{"Get": {"TableName": "doc", "Key": key}}] * 2)
    step("TransactGetItems", "invalid: nothing", error="ValidationException", TransactItems=[])


# --- errors -----------------------------------------------------------------------------------------------------------


def errors():
    absent = {"table": "none-such", "error": "ResourceNotFoundException"}
    key = {"pk": S("a")}
    step("GetItem", Key=key, **absent)
    step("PutItem", Item=key, **absent)
    step("UpdateItem", Key=key, update="REMOVE a", **absent)
    step("DeleteItem", Key=key, **absent)
    step("Query", key="pk = :p", values={":p": S("a")}, **absent)
    step("Scan", **absent)
    step("BatchGetItem", RequestItems={"doc": {"Keys": [key]}, "none-such": {"Keys": [key]}},
         error="ResourceNotFoundException")
    step("BatchWriteItem", RequestItems={"none-such": [{"DeleteRequest": {"Key": key}}]},
         error="ResourceNotFoundException")
    step("TransactGetItems", TransactItems=[{"Get": {"TableName": "none-such", "Key": key}}],
         error="ResourceNotFoundException")
    transaction([{"Delete": {"TableName": "none-such", "Key": key}}], error="ResourceNotFoundException")

    invalid = {"error": "ValidationException"}
    get("doc", {"pk": N(1)}, name="invalid: a key of another type", **invalid)
    get("doc", {"pk": S("")}, name="invalid: an empty key", **invalid)
    get("key-b", {"pk": B(b"")}, name="invalid: an empty binary key", **invalid)
    get("doc", {"pk": S("a"), "sk": S("b")}, name="invalid: a key of two parts", **invalid)
    get("doc", {"other": S("a")}, name="invalid: another key", **invalid)
    get("doc-2", {"pk": S("a")}, name="invalid: half a key", **invalid)
    get("doc-2", {"pk": S("a"), "sk": S("")}, name="invalid: an empty sort key", **invalid)
    get("doc", {"pk": S("x" * 2049)}, name="invalid: a key too long", **invalid)
    get("doc-2", {"pk": S("a"), "sk": S("x" * 1025)}, name="invalid: a sort key too long", **invalid)
    get("doc", key, project="a, a", name="invalid: a path twice", **invalid)
    get("doc", key, project="a.b, a", name="invalid: paths that overlap", **invalid)
    get("doc", key, project="a,", name="invalid: syntax", **invalid)
    get("doc", key, project="size", name="invalid: a reserved word", **invalid)
    get("doc", key, project="#a", name="invalid: an undefined name", **invalid)
    get("doc", key, project="a", names={"#b": "b"}, name="invalid: an unused name", **invalid)
    put("doc", {"v": S("no key")}, name="invalid: no key", **invalid)
    put("doc", {"pk": S("a"), "v": S("x" * 410_000)}, name="invalid: too large", **invalid)
    put("doc", {"pk": S("")}, name="invalid: an empty key", **invalid)
    put("doc", key, returns="ALL_NEW", name="invalid: ALL_NEW", **invalid)
    put("doc", key, condition="a = :v", name="invalid: an undefined value", **invalid)
    put("doc", key, condition="a = :v", values={":v": N(1), ":w": N(1)}, name="invalid: an unused value", **invalid)
    put("doc", key, condition="a = = :v", values={":v": N(1)}, name="invalid: syntax", **invalid)
    put("doc", key, condition="", name="invalid: an empty condition", **invalid)
    put("doc", key, condition="begins_with(a, :v)", values={":v": N(1)}, name="invalid: begins_with of a number",
        **invalid)
    put("doc", key, condition="a BETWEEN :v AND :w", values={":v": N(2), ":w": N(1)}, name="invalid: BETWEEN",
        **invalid)
    put("doc", key, condition="a BETWEEN :v AND :w", values={":v": N(2), ":w": S("1")}, name="invalid: two types",
        **invalid)
    put("doc", key, condition="attribute_type(a, :v)", values={":v": S("TEXT")}, name="invalid: a type", **invalid)
    put("doc", key, condition="unknown(a)", name="invalid: a function", **invalid)
    put("doc", key, condition="size(a)", name="invalid: size alone", **invalid)
    put("doc", key, condition="a = a", name="invalid: a path twice", **invalid)
    put("doc", key, condition="a IN (" + ", ".join(f":v{n}" for n in range(101)) + ")",
        values={f":v{n}": N(n) for n in range(101)},
        name="invalid: 101 operands of IN", **invalid)
    put("doc", key, condition=" OR ".join(["a = :v"] * 301), values={":v": N(1)}, name="invalid: too many operators",
        **invalid)
    put("indexed", {"pk": S("a"), "sk": N(1), "g": N(1)}, name="invalid: an index's key of another type", **invalid)
    put("indexed", {"pk": S("a"), "sk": N(1), "l": S("")}, name="invalid: an index's key that is empty", **invalid)
    update("indexed", {"pk": S("p1"), "sk": N(1)}, "SET n = :v", values={":v": S("a")}, name="invalid: an index's key",
           **invalid)
    delete("doc", key, returns="UPDATED_NEW", name="invalid: UPDATED_NEW", **invalid)


def errors_of_ranges():
    invalid = {"error": "ValidationException"}
    one = {"values": {":v": S("p1")}, **invalid}
    query("indexed", "pk > :v", name="invalid: a range of partitions", **one)
    query("indexed", "sk = :v", name="invalid: no partition", **one)
    query("indexed", "pk = :v AND x = :v", name="invalid: no key", **one)
    query("indexed", "pk = :v OR pk = :v", name="invalid: OR", **one)
    query("indexed", "pk = :v", values={":v": N(1)}, name="invalid: another type", **invalid)
    query("indexed", "pk = :v", index="none-such", name="invalid: no such index", **one)
    query("indexed", "g = :v", index="by-g", ConsistentRead=True, name="invalid: ConsistentRead of a global index",
          **one)
    query("indexed", "n = :v", values={":v": N(3)}, index="by-n", project="x", name="invalid: not projected", **invalid)
    query("indexed", "n = :v", values={":v": N(3)}, index="by-n", Select="ALL_ATTRIBUTES", name="invalid: all",
          **invalid)
    query("indexed", "pk = :v", Limit=0, name="invalid: Limit", **one)
    query("indexed", "pk = :v", Select="ALL_PROJECTED_ATTRIBUTES", name="invalid: projected without an index", **one)
    query("indexed", "pk = :v", Select="COUNT", project="x", name="invalid: COUNT and a projection", **one)
    query("indexed", "pk = :v", filter="sk = :v", name="invalid: a key in the filter", **one)
    query("indexed", "pk = :v", ExclusiveStartKey={"pk": S("p0"), "sk": N(1)}, name="invalid: another partition", **one)
    query("indexed", "pk = :v", ExclusiveStartKey={"pk": S("p1")}, name="invalid: half a start", **one)
    scan("indexed", Segment=3, TotalSegments=3, name="invalid: Segment", **invalid)
    scan("indexed", Segment=0, name="invalid: no TotalSegments", **invalid)
    scan("indexed", index="none-such", name="invalid: no such index", **invalid)
    scan("indexed", index="by-g", ExclusiveStartKey={"pk": S("p0"), "sk": N(1)}, name="invalid: half a start",
         **invalid)
    scan("indexed", filter="x = :v AND", values={":v": N(1)}, name="invalid: syntax", **invalid)


def legacy():
    """Members that the clients turn into expressions."""
    key = {"pk": S("old")}
    put("doc", {**key, "n": N(1), "s": S("a"), "l": L(N(1))})
    get("doc", key, AttributesToGet=["n", "s"])
    put("doc", key, Expected={"n": {"ComparisonOperator": "GT", "AttributeValueList": [N(5)]}},
        error="ConditionalCheckFailedException")
    put("doc", key, Expected={"pk": {"Exists": False}}, error="ConditionalCheckFailedException")
    step("UpdateItem", "with AttributeUpdates", table="doc", Key=key, returns="ALL_NEW", AttributeUpdates={
        "n": {"Action": "ADD", "Value": N(2)}, "s": {"Action": "DELETE"}, "new": {"Action": "PUT", "Value": SS("a")}})
    delete("doc", key, Expected={"n": {"Value": N(1)}, "s": {"Value": S("b")}}, ConditionalOperator="OR",
           error="ConditionalCheckFailedException")
    step("Query", "with KeyConditions", table="indexed", KeyConditions={
        "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [S("p1")]},
        "sk": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [N(2), N(4)]}},
         QueryFilter={"x": {"ComparisonOperator": "NE", "AttributeValueList": [S("x13")]}}, AttributesToGet=["x", "sk"])
    scan("indexed", ScanFilter={"x": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [S("x2")]},
                                "b": {"ComparisonOperator": "NULL"}}, ConditionalOperator="AND")
    step("BatchGetItem", "with AttributesToGet", RequestItems={"doc": {"Keys": [key], "AttributesToGet": ["n"]}})


for part in (simple_keys, composite_keys, unequal_numbers, values, conditions, projections, updates, indexes, batches,
             transactions, errors, errors_of_ranges, legacy):
    PART = part.__name__
    part()
PARTS = list(dict.fromkeys(each["part"] for each in STEPS))

# --- without capacity -------------------------------------------------------------------------------------------------


def throttled():
    global STEPS
    kept, STEPS = STEPS, []
    key, exceeded = {"pk": S("a")}, {"error": "ProvisionedThroughputExceededException"}
    step("GetItem", table="slow", Key=key, **exceeded)
    step("PutItem", table="slow", Item=key, **exceeded)
    step("UpdateItem", table="slow", Key=key, update="SET n = :n", values={":n": N(1)}, **exceeded)
    step("DeleteItem", table="slow", Key=key, **exceeded)
    step("Query", table="slow", key="pk = :p", values={":p": S("a")}, **exceeded)
    step("Scan", table="slow", **exceeded)
    step("BatchGetItem", RequestItems={"slow": {"Keys": [key]}}, **exceeded)
    step("BatchWriteItem", RequestItems={"slow": [{"PutRequest": {"Item": key}}]}, **exceeded)
    both = {"slow": {"Keys": [key]}, "quick": {"Keys": [{"pk": S("q")}]}}  # Python takes equal keys for duplicates
    step("BatchGetItem", "of which a part is throttled", RequestItems=both, ReturnConsumedCapacity="TOTAL")
    item = {"pk": S("b"), "v": VALUES["mixed"]}
    step("BatchWriteItem", "of which a part is throttled", RequestItems={
        "slow": [{"PutRequest": {"Item": item}}, {"DeleteRequest": {"Key": key}}],
        "quick": [{"PutRequest": {"Item": item}}]})
    step("TransactGetItems", TransactItems=[{"Get": {"TableName": name, "Key": key}} for name in ("quick", "slow")],
         error="TransactionCanceledException")
    transaction([{"Delete": {"TableName": name, "Key": key}} for name in ("quick", "slow")],
                error="TransactionCanceledException")
    made, STEPS = STEPS, kept
    return made


THROTTLED = throttled()
