"""SearchVectors."""

import json
import math
import random
import re
import struct

import pytest
import tables
from client import INVALID, NOT_FOUND, SERIALIZATION, VALIDATION, call, expect_error, ok, one
from tables import fresh_table, index
from values import N, S
from vectors import searched, vector, vector_index, with_vectors

pytestmark = pytest.mark.op("SearchVectors")
SEARCH = "SearchVectors"
PREFIX = "Invalid SearchConditionExpression: "


def refused(parameters, text, name=VALIDATION):
    expect_error(SEARCH, parameters, name, text)


@pytest.fixture(scope="module")
def near():
    """Around (1, 0, 0): a is it, d is between, b stands square on it, c is the opposite; one index for each distance."""
    wanted = [vector_index(name.lower(), 3, name) for name in ("COSINE", "EUCLIDEAN", "DOT_PRODUCT")]
    wanted.append(vector_index("keys", 3, projection="KEYS_ONLY"))
    wanted.append(vector_index("both", 3, projection="INCLUDE", include=["embedding"]))
    for name in tables.standing(with_vectors(fresh_table("near"), *wanted)):
        for pk, numbers in {"a": (1, 0, 0), "b": (0, 1, 0), "c": (-1, 0, 0), "d": (0.6, 0.8, 0)}.items():
            tables.put(name, {"pk": S(pk), "label": S(f"item {pk}"), "embedding": vector(*numbers)})
        yield name


@pytest.fixture(scope="module")
def parted():
    """Tenant t1 has p1 (kind c1), p2 (c2) and p4 (no kind), t2 has p3 (c1), p5 has no tenant; all have one vector."""
    search = [("tenant", "HASH"), ("kind", "INLINE_FILTER")]
    definition = with_vectors(
        fresh_table("parted"), vector_index("plain", 3), vector_index("schema", 3, search=search), tenant="S", kind="S"
    )
    items = {"p1": ("t1", "c1"), "p2": ("t1", "c2"), "p3": ("t2", "c1"), "p4": ("t1", None), "p5": (None, "c1")}
    for name in tables.standing(definition):
        for pk, (tenant, kind) in items.items():
            item = {"pk": S(pk), "embedding": vector(1, 0, 0)}
            item.update({"tenant": S(tenant)} if tenant else {})
            item.update({"kind": S(kind)} if kind else {})
            tables.put(name, item)
        yield name


def ranked(name, distance, *numbers):
    return [(item["pk"]["S"], score) for item, score in searched(name, *numbers, index=distance)]


DISTANCES = {
    "cosine": [("a", 0.0), ("d", 0.4), ("b", 1.0), ("c", 2.0)],
    "euclidean": [("a", 0.0), ("d", math.sqrt(0.8)), ("b", math.sqrt(2)), ("c", 2.0)],
    "dot_product": [("a", 1.0), ("d", 0.6), ("b", 0.0), ("c", -1.0)],
}


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_nearest_come_first(near, distance):
    found = ranked(near, distance, 1, 0, 0)
    assert [pk for pk, _ in found] == [pk for pk, _ in DISTANCES[distance]]
    assert [score for _, score in found] == pytest.approx([score for _, score in DISTANCES[distance]], abs=1e-6)
    assert found[0] == DISTANCES[distance][0]
    (best,) = searched(near, 1, 0, 0, index=distance, top=1)
    assert best[0]["pk"] == S("a")
    assert len(searched(near, 1, 0, 0, index=distance, top=100)) == 4


def test_a_vector_of_no_length_has_the_distance_of_a_square_one(near):
    assert [score for _, score in ranked(near, "cosine", 0, 0, 0)] == [1.0] * 4
    tables.put(near, {"pk": S("zero"), "embedding": vector(0, 0, 0)})
    assert dict(ranked(near, "cosine", 1, 0, 0))["zero"] == 1.0
    ok("DeleteItem", TableName=near, Key={"pk": S("zero")})


def test_scores_do_not_leave_the_floats(new_table):
    wanted = [vector_index(name.lower(), 2, name) for name in ("COSINE", "EUCLIDEAN", "DOT_PRODUCT")]
    name = new_table(with_vectors(fresh_table("far"), *wanted))["TableName"]
    tables.put(name, {"pk": S("a"), "embedding": vector("3.4e38", "-3.4e38")})
    assert ranked(name, "dot_product", "3.4e38", "3.4e38") == [("a", 0.0)]
    assert ranked(name, "euclidean", "-3.4e38", "0") == [("a", 3.4028234663852886e38)]
    assert ranked(name, "dot_product", "3.4e38", "0") == [("a", 3.4028234663852886e38)]
    tables.put(name, {"pk": S("a"), "embedding": vector("1e-23", "0")})
    assert ranked(name, "cosine", "1e-23", "0") == [("a", 0.0)]


def test_equal_scores_come_in_the_order_of_the_keys(new_table):
    name = new_table(with_vectors(fresh_table("ties"), vector_index("vix", 3)))["TableName"]
    for pk in "cabed":
        tables.put(name, {"pk": S(pk), "embedding": vector(0.5, 0.5, 0)})
    assert [item["pk"]["S"] for item, _ in searched(name, 1, 0, 0)] == list("abcde")
    assert [item["pk"]["S"] for item, _ in searched(name, 1, 0, 0, top=2)] == list("ab")


def test_many_vectors_of_many_dimensions(new_table):
    """Against a search written here, with dimensions that are no multiple of anything."""
    dimensions, chance = 37, random.Random(7)
    wanted = [vector_index(name.lower(), dimensions, name) for name in ("COSINE", "EUCLIDEAN", "DOT_PRODUCT")]
    name = new_table(with_vectors(fresh_table("many"), *wanted))["TableName"]

    def single(value):
        return struct.unpack("f", struct.pack("f", value))[0]

    def numbers():
        return [single(chance.gauss(0, 1)) for _ in range(dimensions)]

    stored = {f"i{i:03}": numbers() for i in range(300)}
    pairs = list(stored.items())
    for at in range(0, len(pairs), 25):
        puts = [{"PutRequest": {"Item": {"pk": S(pk), "embedding": vector(*v)}}} for pk, v in pairs[at : at + 25]]
        ok("BatchWriteItem", RequestItems={name: puts})

    def dot(a, b):
        return sum(x * y for x, y in zip(a, b))

    scores = {
        "cosine": lambda a, b: 1 - dot(a, b) / math.sqrt(dot(a, a) * dot(b, b)),
        "euclidean": lambda a, b: math.dist(a, b),
        "dot_product": lambda a, b: -dot(a, b),
    }
    for distance, score in scores.items():
        sought = numbers()
        expected = sorted((score(sought, v), pk) for pk, v in stored.items())[:20]
        found = searched(name, *sought, index=distance, top=20)
        assert [item["pk"]["S"] for item, _ in found] == [pk for _, pk in expected]
        sign = -1 if distance == "dot_product" else 1
        assert [sign * s for _, s in found] == pytest.approx([s for s, _ in expected], rel=1e-6)


# --- conditions ---


def where(name, expression, **values):
    given = {f":{key}": value for key, value in values.items()}
    return sorted(item["pk"]["S"] for item, _ in searched(name, 1, 0, 0, index="schema", where=expression, values=given))


def test_a_search_is_of_one_partition(parted):
    assert where(parted, "tenant = :t", t=S("t1")) == ["p1", "p2", "p4"]
    assert where(parted, ":t = tenant", t=S("t2")) == ["p3"]
    assert where(parted, "tenant = :t", t=S("t3")) == []
    assert where(parted, "(tenant = :t) AND (kind = :k)", t=S("t1"), k=S("c1")) == ["p1"]
    assert where(parted, "kind = :k and tenant = :t", t=S("t1"), k=S("c2")) == ["p2"]
    found = searched(parted, 1, 0, 0, index="schema", where="#t = :t", values={":t": S("t2")}, ExpressionAttributeNames={"#t": "tenant"})
    assert [item["pk"] for item, _ in found] == [S("p3")]
    assert len(searched(parted, 1, 0, 0, index="plain")) == 5


def test_numbers_are_compared_as_numbers(new_table):
    search = [("part", "HASH"), ("tier", "INLINE_FILTER")]
    name = new_table(with_vectors(fresh_table("numbers"), vector_index("schema", 3, search=search), part="N", tier="N"))["TableName"]
    for pk, part, rank in [("a", 1, 1), ("b", 1, 2), ("c", 2, 1)]:
        tables.put(name, {"pk": S(pk), "part": N(part), "tier": N(rank), "embedding": vector(1, 0, 0)})
    assert where(name, "part = :p", p=N("1.0")) == ["a", "b"]
    assert where(name, "part = :p AND tier = :r", p=N("1"), r=N("1e0")) == ["a"]


def test_a_schema_without_a_partition_asks_for_no_condition(new_table):
    name = new_table(with_vectors(fresh_table("filters"), vector_index("schema", 3, search=[("tier", "INLINE_FILTER")]), tier="N"))["TableName"]
    for pk, rank in [("a", 1), ("b", 2), ("c", None)]:
        tables.put(name, {"pk": S(pk), "embedding": vector(1, 0, 0), **({"tier": N(rank)} if rank else {})})
    assert len(searched(name, 1, 0, 0, index="schema")) == 3
    assert where(name, "tier = :r", r=N(2)) == ["b"]


def ask(name, expression=None, index="schema", sought=(1, 0, 0), top=1, **values):
    request = {"TableName": name, "IndexName": index, "SearchVector": vector(*sought)["L"], "TopK": top}
    if expression is not None:
        request["SearchConditionExpression"] = expression
    if values:
        request["ExpressionAttributeValues"] = {f":{key}": value for key, value in values.items()}
    return request


def test_what_is_refused_of_conditions(parted):
    comparator = PREFIX + "Invalid comparator used in SearchConditionExpression"
    missing = "SearchConditionExpression must be provided when SearchSchema has a HASH key"
    t, c = S("t1"), S("c1")
    refused(ask(parted), missing)
    refused(ask(parted, "kind = :c", c=c), missing)
    refused(ask(parted, "tenant < :t", t=t), comparator)
    refused(ask(parted, "tenant = :t AND kind < :c", t=t, c=c), comparator)
    for expression in ("tenant = :t OR kind = :c", "tenant = :t AND NOT kind = :c", "tenant = :t AND kind IN (:c)", "tenant = :t AND kind BETWEEN :c AND :c",
                       "tenant = :t AND begins_with(kind, :c)", "tenant = :t AND kind <> :c"):  # fmt: skip
        refused(ask(parted, expression, t=t, c=c), comparator)
    refused(ask(parted, "tenant = kind"), comparator)
    refused(ask(parted, "tenant = :t", "plain", t=t), "SearchConditionExpression must not contain any attributes that is not in SearchSchema. Invalid attribute: tenant")
    refused(ask(parted, "tenant = :t AND kind.child = :c", t=t, c=c), PREFIX + "SearchConditionExpression cannot have conditions on nested attributes")
    refused(ask(parted, "tenant = :t AND tenant = :u", t=t, u=S("t2")), PREFIX + "SearchConditionExpression must only contain one condition per attribute")
    mismatch = "Type of '{}' attribute in SearchConditionExpression ({}) does not match type in search schema (S)"
    refused(ask(parted, "tenant = :t", t=N("1")), mismatch.format("tenant", "N"))
    refused(ask(parted, "tenant = :t", t={"BOOL": True}), mismatch.format("tenant", "BOOL"))
    refused(ask(parted, "tenant = :t AND kind = :c", t=t, c=N("1")), mismatch.format("kind", "N"))
    empty = "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: tenant"
    refused(ask(parted, "tenant = :t", t=S("")), empty)
    undefined = PREFIX + "An expression attribute value used in expression is not defined; attribute value: :c"
    refused(ask(parted, "tenant = :t AND kind = :c", t=t), undefined)
    refused(ask(parted, "bucket = :t", t=t), PREFIX + "Attribute name is a reserved keyword; reserved keyword: bucket")
    refused(ask(parted, "", t=t), PREFIX + "The expression can not be empty;")
    refused(ask(parted, "tenant = :t", t=t, spare=t), "Value provided in ExpressionAttributeValues unused in expressions: keys: {:spare}")
    refused(ask(parted, None, "plain", t=t), "ExpressionAttributeValues can only be specified when using expressions")


@pytest.mark.op("ExecuteStatement")
def test_a_statement_that_names_the_partition_is_refused_as_a_query(parted):
    for where in ("tenant = 't1'", "tenant = 't1' AND kind = 'c1'"):
        expect_error("ExecuteStatement", {"Statement": f'SELECT * FROM "{parted}"."schema" WHERE {where}'}, VALIDATION,
                     "Query operation not supported on this index type.")


# --- what is sought ---


def test_what_is_refused_of_the_vector(near):
    invalid = "Search vector contains invalid values. All values in the search vector must be a 32-bit floating-point number attribute"
    refused(ask(near, index="cosine", sought=(1, 0)), "Input search vector dimension 2 does not match vector index dimension 3")
    refused(ask(near, index="cosine", sought=("1E+39", 0, 0)), invalid)
    refused({**ask(near, index="cosine"), "SearchVector": [vector(1, 0, 0)]}, invalid)
    refused({**ask(near, index="cosine"), "SearchVector": [S("1"), N("0"), N("0")]}, invalid)
    refused({**ask(near, index="cosine"), "SearchVector": []}, one("Value at 'SearchVector' failed to satisfy constraint: Member must have length greater than or equal to 1"))


def test_what_is_refused_of_the_count(near):
    refused(ask(near, index="cosine", top=101), "Provided TopK value '101' is out of valid range. The value must be between 1 and 100 inclusive")
    assert call(SEARCH, ask(near, index="cosine", top=0)).type == VALIDATION


def test_where_nothing_is_to_be_found(near):
    refused(ask(near, index="absent"), "The table does not have the specified index: absent")
    refused(ask(tables.ABSENT, index="cosine"), "Requested resource not found", NOT_FOUND)
    refused(ask(tables.INDEXED, index="by_owner"), "The table does not have the specified index: by_owner")
    refused(ask(near, index="ab"), one("Value at 'IndexName' failed to satisfy constraint: Member must have length greater than or equal to 3"))
    arn = ok("DescribeTable", TableName=near)["Table"]["TableArn"]
    assert len(searched(arn, 1, 0, 0, index="cosine")) == 4


def test_the_body_is_read_strictly():
    valid = {"TableName": tables.ABSENT, "IndexName": "vix", "SearchVector": [N("1")], "TopK": 1}

    def told(body):
        raw = json.dumps(body, separators=(",", ":"))
        reply = call(SEARCH, raw.encode())
        return raw, reply.type, reply.message

    kinds = {"TableName": "a string", "IndexName": "a string", "SearchVector": "a sequence", "TopK": "i32"}
    for member, kind in kinds.items():
        raw, name, text = told({**valid, member: None})
        column = re.search(f'"{member}":null', raw).end()
        assert (name, text) == (SERIALIZATION, f"invalid type: null, expected {kind} at line 1 column {column}")
    raw, name, text = told({**valid, "TopK": 3.5})
    assert (name, text) == (SERIALIZATION, f"invalid type: floating point `3.5`, expected i32 at line 1 column {len(raw) - 1}")
    for value in (None, {}, {"N": None}, {"N": "1", "S": "x"}, {"N": "1", "L": []}):
        reply = call(SEARCH, {**valid, "SearchVector": [N("1"), value]})
        assert reply.status == 400 and list(reply.body) == ["__type"] and reply.type == SERIALIZATION
    assert "message" in call(SEARCH, {**valid, "TopK": "1"}).body
    for member in kinds:
        without = {key: value for key, value in valid.items() if key != member}
        raw, name, text = told({**without, **({"IndexName": "ab"} if member == "TableName" else {})})
        assert (name, text) == (VALIDATION, f"missing field `{member}` at line 1 column {len(raw)}")


# --- what is answered ---


def items_of(name, index="cosine", **more):
    return searched(name, 1, 0, 0, index=index, top=1, **more)[0][0]


def test_the_vector_is_answered_only_when_it_is_asked_for(near):
    assert items_of(near) == {"pk": S("a"), "label": S("item a")}
    floats = {"L": [N("1.0"), N("0.0"), N("0.0")]}
    assert items_of(near, ProjectionExpression="pk, embedding") == {"pk": S("a"), "embedding": floats}
    assert items_of(near, "keys", ProjectionExpression="pk, embedding, label") == {"pk": S("a")}
    assert items_of(near, "keys") == {"pk": S("a")}
    assert items_of(near, "both", ProjectionExpression="embedding") == {"embedding": floats}
    assert items_of(near, "both") == {"pk": S("a")}
    assert items_of(near, ProjectionExpression="#l", ExpressionAttributeNames={"#l": "label"}) == {"label": S("item a")}
    refused({**ask(near, index="cosine"), "ProjectionExpression": ""}, "Invalid ProjectionExpression: The expression can not be empty;")


def test_capacity_is_bytes(near):
    def used(index="cosine", **more):
        return ok(SEARCH, **ask(near, index=index), **more).get("ConsumedCapacity")

    assert used() is None and used(ReturnConsumedCapacity="NONE") is None
    assert used(ReturnConsumedCapacity="TOTAL") == used(ReturnConsumedCapacity="INDEXES") == {"VectorSearchRequestBytes": 1024.0}


def test_answers_end_at_16_megabytes(new_table):
    name = new_table(with_vectors(fresh_table("large"), vector_index("vix", 1, "EUCLIDEAN")))["TableName"]
    for i in range(45):
        tables.put(name, {"pk": S(f"{i:02}"), "embedding": vector(i), "pad": S("p" * 390 * 1024)})
    found = searched(name, 0, top=45)
    assert [item["pk"]["S"] for item, _ in found] == [f"{i:02}" for i in range(len(found))]
    assert 40 <= len(found) < 43
    used = ok(SEARCH, TableName=name, IndexName="vix", SearchVector=[N(0)], TopK=1, ReturnConsumedCapacity="TOTAL")
    assert used["ConsumedCapacity"]["VectorSearchRequestBytes"] > 45 * 390 * 1024


# --- nothing else reads such an index ---


@pytest.mark.op("Query", "Scan", "ExecuteStatement")
def test_no_other_call_reads_a_vector_index(near):
    keys = {"KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": S("a")}}
    query = {"TableName": near, "IndexName": "cosine", **keys}
    consistent = "Consistent reads are not supported on global secondary indexes"
    expect_error("Query", query, VALIDATION, "Query operation not supported on this index type.")
    expect_error("Query", {**query, "ConsistentRead": True}, VALIDATION, consistent)
    scan = {"TableName": near, "IndexName": "cosine"}
    for more in ({}, {"ConsistentRead": True}):
        expect_error("Scan", {**scan, **more}, VALIDATION, "Scan operation not supported on this index type")
    without = "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
    expect_error("Query", scan, VALIDATION, without)
    select = {"Statement": f'SELECT * FROM "{near}"."cosine"'}
    expect_error("ExecuteStatement", select, VALIDATION, "Scan operation not supported on this index type")
    for where in ("pk = 'a'", "label = 'item a'"):
        expect_error("ExecuteStatement", {"Statement": f"{select['Statement']} WHERE {where}"}, VALIDATION,
                     "Scan operation not supported on this index type")
    (read,) = ok("ExecuteStatement", Statement=f"SELECT embedding FROM \"{near}\" WHERE pk = 'd'")["Items"]
    assert read == {"embedding": vector(0.6, 0.8, 0)}
    assert len(ok("Scan", TableName=near)["Items"]) == 4
