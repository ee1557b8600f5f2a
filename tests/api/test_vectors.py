"""Vector indexes as tables have them: CreateTable, UpdateTable, DescribeTable; and what a write of an item makes of them."""

import time

import pytest
import tables
from client import IN_USE, INVALID, NOT_FOUND, VALIDATION, call, enum, expect_error, ok, one, unsatisfied
from tables import definitions, fresh, fresh_table, index, plain, simple
from values import N, S
from vectors import searched, vector, vector_index, with_vectors

op = pytest.mark.op
CREATE, UPDATE = "CreateTable", "UpdateTable"
LIMIT = "LimitExceededException"


def described(name):
    return ok("DescribeTable", TableName=name)["Table"]


def refused(definition, text, operation=CREATE, name=VALIDATION):
    expect_error(operation, definition, name, text)


@op(CREATE, "DescribeTable")
def test_created_with_its_table(new_table):
    search = [("tenant", "HASH"), ("kind", "INLINE_FILTER")]
    wanted = vector_index("vix", 3, "EUCLIDEAN", search=search, projection="INCLUDE", include=["title"])
    name = fresh_table("vectors")
    definition = with_vectors(name, wanted, tenant="S", kind="N")
    made = ok(CREATE, **definition)["TableDescription"]["VectorIndexes"][0]
    assert made["IndexStatus"] == "CREATING" and "Backfilling" not in made
    table = tables.wait_active(name)
    (shown,) = table["VectorIndexes"]
    assert shown == {
        **wanted,
        "IndexStatus": "ACTIVE",
        "IndexSizeBytes": 0,
        "ItemCount": 0,
        "IndexArn": f"{table['TableArn']}/index/vix",
    }
    assert [each["AttributeName"] for each in table["AttributeDefinitions"]] == ["kind", "pk", "tenant"]
    assert "GlobalSecondaryIndexes" not in table
    tables.drop(name)


@op(CREATE)
def test_beside_indexes_of_other_kinds(new_table):
    name = fresh_table("vectors")
    definition = plain(name, {"pk": "S", "sk": "S"}, VectorIndexes=[vector_index("vix", 3)])
    definition["AttributeDefinitions"] += definitions(owner="S", when="S")
    definition["GlobalSecondaryIndexes"] = [index("by_owner", "owner")]
    definition["LocalSecondaryIndexes"] = [index("by_when", "pk", "when")]
    new_table(definition)
    item = {"pk": S("a"), "sk": S("1"), "owner": S("o"), "when": S("w"), "embedding": vector(1, 0, 0)}
    used = ok("PutItem", TableName=name, Item=item, ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert used == {
        "TableName": name,
        "CapacityUnits": 3.0,
        "Table": {"CapacityUnits": 1.0},
        "LocalSecondaryIndexes": {"by_when": {"CapacityUnits": 1.0}},
        "GlobalSecondaryIndexes": {"by_owner": {"CapacityUnits": 1.0}},
        "VectorIndexes": {"vix": {"VectorWriteRequestBytes": 1024.0}},
    }
    assert [each["pk"] for each, _ in searched(name, 1, 0, 0)] == [S("a")]
    assert ok("Query", TableName=name, IndexName="by_owner", KeyConditionExpression="#o = :o",
              ExpressionAttributeNames={"#o": "owner"}, ExpressionAttributeValues={":o": S("o")})["Items"] == [item]


def made_with(**over):
    wanted = vector_index("vix", 3)
    wanted.update(over)
    return with_vectors(fresh_table("never"), wanted)


def schema(*elements):
    return [{"AttributeName": name, "SearchSchemaElementType": kind} for name, kind in elements]


def filters(count):
    return [(f"f{i}", "INLINE_FILTER") for i in range(count)]


def declared(definition, *names):
    definition["AttributeDefinitions"] = definitions(pk="S", **{name: "S" for name in names})
    return definition


@op(CREATE)
def test_what_is_refused_of_a_new_table():
    conflict = INVALID + "Conflicting attribute definition for 'embedding'. "
    provisioned = made_with()
    del provisioned["BillingMode"]
    provisioned["ProvisionedThroughput"] = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    refused(provisioned, INVALID + "Vector indexes are only supported for PAY_PER_REQUEST tables")
    refused(simple(fresh_table("never"), VectorIndexes=[]), INVALID + "List of VectorIndexes is empty")
    undefined = INVALID + "One element in SearchSchema is not defined in attribute definitions"
    refused(made_with(SearchSchema=schema(("tenant", "HASH"))), undefined)
    two = made_with(SearchSchema=schema(("a", "HASH"), ("b", "HASH")))
    hashes = INVALID + "Value '2' at 'SearchSchema' failed to satisfy constraint: Member must have HASH count less than or equal to 1"
    refused(declared(two, "a", "b"), hashes)
    twice = made_with(SearchSchema=schema(("a", "HASH"), ("a", "INLINE_FILTER")))
    refused(declared(twice, "a"), INVALID + "SearchSchema contains a duplicate AttributeName")
    many = declared(made_with(SearchSchema=schema(*filters(19))), *[name for name, _ in filters(19)])
    assert call(CREATE, many).type == VALIDATION
    large = INVALID + "Number of dimensions must be between 1 and 4096 inclusive."
    refused(made_with(Dimensions=4097), large)
    refused(made_with(Dimensions=1 << 40), large)
    six = with_vectors(fresh_table("never"), *[vector_index(f"vix{i}", 3) for i in range(6)])
    refused(six, INVALID + "VectorIndex count exceeds the per-table limit of 5")
    differ = with_vectors(fresh_table("never"), vector_index("one", 3), vector_index("two", 4))
    refused(differ, conflict + "All VectorIndexes on the same vector attribute must use the same dimensions.")
    defined = declared(made_with(), "embedding")
    refused(defined, conflict + "An attribute cannot be defined in AttributeDefinitions when used as a VectorAttribute.")
    same = with_vectors(fresh_table("never"), vector_index("vix", 3), vector_index("vix", 3))
    refused(same, INVALID + "Duplicate index name: vix")
    refused(declared(made_with(), "spare"), INVALID + "Some AttributeDefinitions are not used. AttributeDefinitions: [pk, spare], keys used: [pk]")
    without = made_with(Projection={})
    refused(without, INVALID + "Unknown ProjectionType: null")


MODEL = [
    ({"IndexName": "vx"}, "vx", "indexName", "Member must have length greater than or equal to 3"),
    ({"Dimensions": 0}, "0", "dimensions", "Member must have value greater than or equal to 1"),
    ({"Dimensions": -2.7}, "-2", "dimensions", "Member must have value greater than or equal to 1"),
    ({"DistanceFunction": "MANHATTAN"}, "MANHATTAN", "distanceFunction", enum("COSINE", "DOT_PRODUCT", "EUCLIDEAN")),
    (
        {"SearchSchema": schema(("a", "RANGE"))},
        "RANGE",
        "searchSchema.1.member.searchSchemaElementType",
        enum("HASH", "INLINE_FILTER"),
    ),
]


@op(CREATE, UPDATE)
@pytest.mark.parametrize("over, value, member, constraint", MODEL, ids=[m + str(i) for i, (_, _, m, _) in enumerate(MODEL)])
def test_constraints_of_the_model(over, value, member, constraint):
    refused(made_with(**over), one(unsatisfied(value, f"vectorIndexes.1.member.{member}", constraint)))
    create = {"Create": {**vector_index("vix", 3), **over}}
    update = {"TableName": fresh_table("never"), "VectorIndexUpdates": [create]}
    refused(update, one(unsatisfied(value, f"vectorIndexUpdates.1.member.create.{member}", constraint)), UPDATE)


@op(CREATE, "DescribeTable", "SearchVectors")
def test_an_index_is_searched_as_soon_as_it_is_there(new_table):
    name = new_table(made_with(Dimensions=4096))["TableName"]
    assert described(name)["VectorIndexes"][0]["Dimensions"] == 4096
    assert searched(name, *[1] * 4096) == []


@op(CREATE, "DescribeTable")
def test_a_fraction_of_a_dimension_is_cut_off(new_table):
    name = new_table(made_with(Dimensions=3.5))["TableName"]
    assert described(name)["VectorIndexes"][0]["Dimensions"] == 3


# --- on a live table ---


def make(name, *wanted, **more):
    return call(UPDATE, {"TableName": name, "VectorIndexUpdates": [{"Create": one} for one in wanted], **more})


def drop(name, index_name):
    return call(UPDATE, {"TableName": name, "VectorIndexUpdates": [{"Delete": {"IndexName": index_name}}]})


def walk(name):
    """What DescribeTable shows of the first vector index until it is there: [(status, backfilling)]."""
    seen = []
    while True:
        shown = described(name)["VectorIndexes"][0]
        state = (shown["IndexStatus"], shown.get("Backfilling"))
        if state not in seen:
            seen.append(state)
        if state[0] == "ACTIVE":
            return seen
        time.sleep(0.005)


@op(UPDATE, "DescribeTable", "SearchVectors")
def test_made_on_a_live_table_and_dropped(new_table):
    name = new_table(simple(fresh_table("live")))["TableName"]
    for i in range(25):
        tables.put(name, {"pk": S(f"item-{i:02}"), "embedding": vector(i, 1, 0)})
    tables.put(name, {"pk": S("short"), "embedding": vector(1, 2)})
    tables.put(name, {"pk": S("none")})
    made = make(name, vector_index("vix", 3))
    assert made.status == 200, made
    shown = made.body["TableDescription"]["VectorIndexes"][0]
    assert (shown["IndexStatus"], shown["Backfilling"]) == ("CREATING", False)
    assert made.body["TableDescription"]["TableStatus"] == "UPDATING"
    sought = {"TableName": name, "IndexName": "vix", "SearchVector": [N("1")] * 3, "TopK": 1}
    early = "The table does not have the specified index: vix", "Cannot search backfilling vector index: vix"
    refused(sought, early, "SearchVectors")
    assert walk(name)[-2:] == [("CREATING", True), ("ACTIVE", None)]  # a slow server may show what was before them
    assert len(searched(name, 1, 1, 0, top=100)) == 25
    table = described(name)
    assert table["VectorIndexes"][0]["ItemCount"] == 25
    # What was passed over is not taken when it is written again.
    refused({"TableName": name, "Item": {"pk": S("short"), "embedding": vector(1, 2)}}, wrong_size(2), "PutItem")
    tables.update(name, {"pk": S("short")}, "SET title = :t", {":t": S("an item may keep what it has")})

    extra = vector_index("vix2", 3, projection="KEYS_ONLY"), vector_index("vix3", 3)
    reply = make(name, *extra)
    only_one = "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
    assert (reply.type, reply.message) == (LIMIT, only_one)
    assert drop(name, "vix").status == 200
    gone = {"TableName": name, "IndexName": "vix", "SearchVector": [N("1")] * 3, "TopK": 1}
    refused(gone, "The table does not have the specified index: vix", "SearchVectors")
    while "VectorIndexes" in described(name):
        time.sleep(0.01)
    assert described(name)["TableStatus"] == "ACTIVE"
    # Nobody minds any more what the attribute holds.
    tables.put(name, {"pk": S("short"), "embedding": S("no vector")})


@op(UPDATE)
def test_what_is_refused_of_a_live_table(new_table):
    name = new_table(with_vectors(fresh_table("live"), *[vector_index(f"vix{i}", 3) for i in range(5)]))["TableName"]
    plain_table = new_table(plain(fresh_table("live"), {"pk": "S", "sk": "N"}))["TableName"]

    def refuse_make(table, wanted, text, kind=VALIDATION, **more):
        refused({"TableName": table, "VectorIndexUpdates": [{"Create": wanted}], **more}, text, UPDATE, kind)

    refuse_make(name, vector_index("vix0", 3), "Attempting to create an index which already exists")
    refuse_make(name, vector_index("vix9", 3), "Subscriber limit exceeded: Number of vector secondary indexes exceeds per-table limit of 5", LIMIT)
    different = INVALID + "Conflicting attribute definition for 'embedding'. All VectorIndexes on the same vector attribute must use the same dimensions."
    refuse_make(name, vector_index("vix9", 4), different)
    undefined = INVALID + "One element in SearchSchema is not defined in attribute definitions"
    refuse_make(plain_table, vector_index("vix", 3, search=[("tenant", "HASH")]), undefined)
    # The table's own definitions do not count, only those of the request.
    refuse_make(plain_table, vector_index("vix", 3, search=[("sk", "HASH")]), undefined)
    defined = INVALID + "Conflicting attribute definition for 'embedding'. An attribute cannot be defined in AttributeDefinitions when used as a VectorAttribute."
    refuse_make(plain_table, vector_index("vix", 3), defined, AttributeDefinitions=definitions(embedding="B"))
    key = (INVALID + "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. "
           "Existing schema: Schema:[SchemaElement: key{pk:S:HASH}] New schema: VectorIndexSchema:[VectorAttribute: key{pk:L:3}]")
    refuse_make(plain_table, vector_index("vix", 3, attribute="pk"), key)
    delete = {"TableName": plain_table, "VectorIndexUpdates": [{"Delete": {"IndexName": "absent"}}]}
    refused(delete, f"Requested resource not found: Index absent for table {plain_table}", UPDATE, NOT_FOUND)
    refused({"TableName": name, "VectorIndexUpdates": [{}]}, INVALID + "One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null", UPDATE)
    empty = {"TableName": name, "DeletionProtectionEnabled": False, "VectorIndexUpdates": []}
    refused(empty, INVALID + "List of VectorIndexUpdates is empty", UPDATE)
    throughput = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}
    keep = INVALID + "Tables with vector indexes must be in PAY_PER_REQUEST mode"
    refused({"TableName": name, **throughput}, keep, UPDATE)
    not_global = "Cannot {} an index that is not a GlobalSecondaryIndex: vix0"
    as_global = {"TableName": name, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "vix0"}}]}
    refused(as_global, not_global.format("delete"), UPDATE)


STILL = "Attempt to change a resource which is still in use: "


@op(UPDATE, "DescribeTable", "DeleteTable")
def test_an_index_is_allocated_and_then_filled(new_table):
    """A cancel is taken only once it is being filled; the table is ACTIVE then, and not deleted before the index is gone."""
    name = new_table(simple(fresh_table("live")))["TableName"]
    for at in range(0, 2000, 25):
        puts = [{"PutRequest": {"Item": {"pk": S(f"i{at + i}"), "embedding": vector(*range(at, at + 100))}}} for i in range(25)]
        ok("BatchWriteItem", RequestItems={name: puts})
    shown = make(name, vector_index("vix", 100)).body["TableDescription"]
    assert (shown["TableStatus"], shown["VectorIndexes"][0]["Backfilling"]) == ("UPDATING", False)
    early = drop(name, "vix")
    if early.status == 200:  # on a busy machine it may be allocated by now; table_test holds this too
        return
    second = make(name, vector_index("vix2", 100))
    assert (early.type, early.message) == (IN_USE, STILL + "Index creation is in resource allocation phase. Retry deletion during backfilling phase "
                                           f"or when the index is active. Table: {name} Index: vix")
    assert (second.type, second.message) == (LIMIT, "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table")
    while not (table := described(name))["VectorIndexes"][0]["Backfilling"]:
        assert table["VectorIndexes"][0]["IndexStatus"] == "CREATING"
    assert (table["TableStatus"], table["VectorIndexes"][0]["IndexStatus"]) == ("ACTIVE", "CREATING")
    reply = call("DeleteTable", {"TableName": name})
    assert (reply.type, reply.message) == (IN_USE, STILL + "Cannot delete table while indexes are being created, updated, or deleted.")
    assert drop(name, "vix").status == 200
    while "VectorIndexes" in described(name):
        time.sleep(0.01)


@op(UPDATE, "DescribeTable")
def test_definitions_stay_while_a_search_may_name_them(new_table):
    definition = with_vectors(fresh_table("live"), vector_index("vix", 3, search=[("tenant", "INLINE_FILTER")]), tenant="S")
    definition["GlobalSecondaryIndexes"] = [index("by_tenant", "tenant")]
    name = new_table(definition)["TableName"]
    ok(UPDATE, TableName=name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by_tenant"}}])
    while "GlobalSecondaryIndexes" in described(name):
        time.sleep(0.01)
    assert [each["AttributeName"] for each in described(name)["AttributeDefinitions"]] == ["pk", "tenant"]


# --- what a write is held against ---

ONCE = "One or more parameter values were invalid. "


def wrong_size(actual, name="vix", expected=3):
    return ONCE + f"Invalid size for parameter embedding, Expected: {expected}, Actual: {actual} IndexName: {name}"


def element(text, at=1):
    elements = [N("0.1"), N("0.2"), N("0.3")]
    elements[at] = text
    return {"L": elements}


NO_LIST = ONCE + "Invalid type for parameter embedding, Expected: 32-bit floating point number list IndexName: vix"
WRONG = {
    "too short": (vector(1, 2), wrong_size(2)),
    "too long": (vector(1, 2, 3, 4), wrong_size(4)),
    "empty": ({"L": []}, wrong_size(0)),
    "a string": (S("no"), NO_LIST),
    "a set": ({"NS": ["1", "2"]}, NO_LIST),
    "of strings": (element(S("x")), ONCE + "Invalid type for parameter embedding[1], Expected: 32-bit floating point number, Actual: S. IndexName: vix"),
    "of truths": (element({"BOOL": True}, 2), ONCE + "Invalid type for parameter embedding[2], Expected: 32-bit floating point number, Actual: BOOL. IndexName: vix"),
    "too large": (element(N("3.5E38")), ONCE + "Invalid value for parameter embedding[1], Value: 3.5E+38 is outside valid range [-3.4028235E38, 3.4028235E38]. IndexName: vix"),
    "too far below": (element(N("-13" + "0" * 39), 0), ONCE + "Invalid value for parameter embedding[0], Value: -1.3E+40 is outside valid range [-3.4028235E38, 3.4028235E38]. IndexName: vix"),
}


@pytest.fixture(scope="module")
def keyed():
    search = [("tenant", "HASH"), ("kind", "INLINE_FILTER")]
    yield from tables.standing(with_vectors(fresh_table("keyed"), vector_index("vix", 3, search=search), tenant="S", kind="N"))


def every_way(name, item):
    """The same item by every call that writes one: [(operation, reply, the text of its fault)]."""
    key = {"pk": item["pk"]}
    rest = {name: value for name, value in item.items() if name != "pk"}
    names = {f"#{i}": attribute for i, attribute in enumerate(rest)}
    values = {f":{i}": value for i, value in enumerate(rest.values())}
    expression = "SET " + ", ".join(f"#{i} = :{i}" for i in range(len(rest)))
    changes = {"UpdateExpression": expression, "ExpressionAttributeNames": names, "ExpressionAttributeValues": values}
    puts = {attribute: {"Value": value, "Action": "PUT"} for attribute, value in rest.items()}
    statement = f"UPDATE \"{name}\" " + " ".join(f"SET \"{a}\" = ?" for a in rest) + " WHERE pk = ?"
    return [
        ("PutItem", {"TableName": name, "Item": item}),
        ("UpdateItem", {"TableName": name, "Key": key, **changes}),
        ("UpdateItem", {"TableName": name, "Key": key, "AttributeUpdates": puts}),
        ("BatchWriteItem", {"RequestItems": {name: [{"PutRequest": {"Item": item}}]}}),
        ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": name, "Item": item}}]}),
        ("TransactWriteItems", {"TransactItems": [{"Update": {"TableName": name, "Key": key, **changes}}]}),
        ("ExecuteStatement", {"Statement": statement, "Parameters": [*rest.values(), item["pk"]]}),
    ]


@op("PutItem", "UpdateItem", "BatchWriteItem", "TransactWriteItems", "ExecuteStatement")
@pytest.mark.parametrize("wrong, text", WRONG.values(), ids=WRONG)
def test_a_vector_that_is_none_is_refused_wherever_it_is_written(keyed, wrong, text):
    before = {"pk": S("kept"), "tenant": S("t"), "embedding": vector(1, 0, 0)}
    tables.put(keyed, before)
    for operation, parameters in every_way(keyed, {**before, "embedding": wrong}):
        reply = call(operation, parameters)
        found = reply.message
        if reply.type == "TransactionCanceledException":
            found = reply.body["CancellationReasons"][0]["Message"]
        assert found in (text, one(text)), (operation, reply)
    assert tables.get(keyed, {"pk": S("kept")}) == before
    assert [each["pk"] for each, _ in searched(keyed, 1, 0, 0, where="tenant = :t", values={":t": S("t")})] == [S("kept")]


@op("PutItem")
def test_what_a_search_names_is_of_its_type(keyed):
    good = {"pk": S("typed"), "tenant": S("typed"), "kind": N("1"), "embedding": vector(1, 0, 0)}
    refused({"TableName": keyed, "Item": {**good, "tenant": N("7")}}, ONCE + "Attribute 'tenant' type mismatch. Expected: S, Actual: N. IndexName: vix", "PutItem")
    refused({"TableName": keyed, "Item": {**good, "kind": S("7")}}, ONCE + "Attribute 'kind' type mismatch. Expected: N, Actual: S. IndexName: vix", "PutItem")
    empty = ("One or more parameter values are not valid. A value specified for a secondary index key is not supported. "
             "The AttributeValue for a key attribute cannot contain an empty string value. IndexName: vix, IndexKey: tenant")
    refused({"TableName": keyed, "Item": {**good, "tenant": S("")}}, empty, "PutItem")
    long = INVALID + "Aggregate size for HASH key attributes exceeds the maximum of 2048 bytes"
    refused({"TableName": keyed, "Item": {**good, "tenant": S("t" * 2049)}}, long, "PutItem")
    tables.put(keyed, {**good, "tenant": S("t" * 2048)})


@op("PutItem")
def test_a_filter_is_not_too_long(new_table):
    name = new_table(with_vectors(fresh_table("filter"), vector_index("vix", 3, search=[("kind", "INLINE_FILTER")]), kind="S"))["TableName"]
    item = {"pk": S("a"), "embedding": vector(1, 0, 0)}
    long = INVALID + "Size limit exceeded for SearchSchema attribute 'kind': maximum 10240 bytes"
    refused({"TableName": name, "Item": {**item, "kind": S("k" * 10241)}}, long, "PutItem")
    tables.put(name, {**item, "kind": S("k" * 10240)})
    tables.put(name, {**item, "pk": S("b"), "kind": S("")})


@op("PutItem", "UpdateItem", "DeleteItem", "SearchVectors")
def test_an_item_is_in_the_index_while_it_has_what_that_needs(keyed):
    def there():
        found = searched(keyed, 1, 0, 0, top=100, where="tenant = :t", values={":t": S("follow")})
        return [each["pk"]["S"] for each, _ in found]

    item = {"pk": S("moving"), "tenant": S("follow"), "embedding": vector(1, 0, 0)}
    key = {"pk": S("moving")}
    tables.put(keyed, {"pk": S("moving"), "embedding": vector(1, 0, 0)})
    assert there() == []
    tables.update(keyed, key, "SET tenant = :t", {":t": S("follow")})
    assert there() == ["moving"]
    tables.update(keyed, key, "REMOVE embedding")
    assert there() == []
    tables.put(keyed, item)
    assert there() == ["moving"]
    tables.update(keyed, key, "SET tenant = :t", {":t": S("elsewhere")})
    assert there() == []
    tables.put(keyed, item)
    ok("DeleteItem", TableName=keyed, Key=key)
    assert there() == []


@op("PutItem", "GetItem", "SearchVectors")
def test_the_item_keeps_its_numbers_and_the_index_has_floats(keyed):
    numbers = ["16777217", "1", "0.1234567890123456789"]
    item = {"pk": S("precise"), "tenant": S("precise"), "embedding": {"L": [N(text) for text in numbers]}}
    tables.put(keyed, item)
    assert tables.get(keyed, {"pk": S("precise")}) == item
    ((found, _),) = searched(keyed, 1, 0, 0, where="tenant = :t", values={":t": S("precise")}, ProjectionExpression="embedding")
    assert found == {"embedding": {"L": [N("16777216.0"), N("1.0"), N("0.12345679")]}}


# --- what a write is charged ---

WIDE = "12345678901234567890123456789012345678"


@pytest.fixture(scope="module")
def charged():
    wanted = [
        vector_index("vix", 3),
        vector_index("vkeys", 3, projection="KEYS_ONLY"),
        vector_index("vdims", 6, attribute="sixdimvec"),
        vector_index("vname", 3, attribute="embeddingWithALongerName"),
    ]
    yield from tables.standing(with_vectors(fresh_table("charged"), *wanted))


def bytes_of(name, item):
    used = ok("PutItem", TableName=name, Item=item, ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    return {index: one["VectorWriteRequestBytes"] for index, one in used.get("VectorIndexes", {}).items()}


@op("PutItem")
def test_a_write_is_charged_by_the_bytes_of_what_changes_in_the_index(charged):
    blob = S("x" * 1500)
    item = {"pk": S("3a"), "embedding": vector(1, 0, 0), "blob": blob}
    of_item = len("pk3a") + len("embedding") + 12 + len("blob") + 1500
    assert bytes_of(charged, item) == {"vix": of_item, "vkeys": 1024}
    assert bytes_of(charged, item) == {}
    assert bytes_of(charged, {**item, "note": S("n")}) == {"vix": of_item + len("note") + 1}
    assert bytes_of(charged, {"pk": S("6b"), "sixdimvec": vector(1, 0, 0, 0, 1, 0), "blob": blob}) == {"vdims": of_item + 12}
    longer = len("embeddingWithALongerName") - len("embedding")
    assert bytes_of(charged, {"pk": S("nc"), "embeddingWithALongerName": vector(1, 0, 0), "blob": blob}) == {"vname": of_item + longer}
    assert bytes_of(charged, {"pk": S("none"), "blob": blob}) == {}
    total = ok("PutItem", TableName=charged, Item={**item, "pk": S("3d")}, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]
    assert total == {"TableName": charged, "CapacityUnits": 2.0}


@op("PutItem", "GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems", "TransactWriteItems")
def test_a_vector_is_billed_four_bytes_a_dimension(charged):
    def item(size, key, vector_bytes):
        fixed = len("pk") + len(key) + len("sixdimvec") + vector_bytes + len("pad")
        return {"pk": S(key), "sixdimvec": {"L": [N(WIDE)] * 6}, "pad": S("p" * (size - fixed))}

    def units(wanted):
        used = ok("PutItem", TableName=charged, Item=wanted, ReturnConsumedCapacity="TOTAL")
        return used["ConsumedCapacity"]["CapacityUnits"]

    assert units(item(1024, "a6", 24)) == 1
    assert units(item(1025, "b6", 24)) == 2
    large = item(4096, "r6", 24)
    assert units(large) == 4
    key, total = {"pk": S("r6")}, {"ReturnConsumedCapacity": "TOTAL"}
    here = {"TableName": charged, "ConsistentRead": True, **total}
    condition = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": key["pk"]}}
    assert ok("GetItem", **here, Key=key)["ConsumedCapacity"]["CapacityUnits"] == 1
    assert ok("GetItem", **here, Key=key, ProjectionExpression="pk")["ConsumedCapacity"]["CapacityUnits"] == 1
    assert ok("Query", **here, **condition)["ConsumedCapacity"]["CapacityUnits"] == 1
    batch = ok("BatchGetItem", RequestItems={charged: {"Keys": [key], "ConsistentRead": True}}, **total)
    assert batch["ConsumedCapacity"][0]["CapacityUnits"] == 1
    transaction = ok("TransactGetItems", TransactItems=[{"Get": {"TableName": charged, "Key": key}}], **total)
    assert transaction["ConsumedCapacity"][0]["CapacityUnits"] == 2
    write = {"TransactItems": [{"Put": {"TableName": charged, "Item": large}}], "ClientRequestToken": fresh("token"), **total}
    ok("TransactWriteItems", **write)
    assert ok("TransactWriteItems", **write)["ConsumedCapacity"][0]["CapacityUnits"] == 2
    stored = 3 + 6 * (1 + 20)
    tables.put(charged, item(400 * 1024, "g0", stored))
    reply = call("PutItem", {"TableName": charged, "Item": item(400 * 1024 + 1, "g1", stored)})
    assert "Item size has exceeded the maximum allowed size" in reply.message


@op("Scan")
def test_a_scan_is_billed_four_bytes_a_dimension(new_table):
    name = new_table(with_vectors(fresh_table("scanned"), vector_index("vix", 3)))["TableName"]
    for pk in "ab":
        pad = 2048 - len("pk" + pk + "embedding" + "pad") - 12
        tables.put(name, {"pk": S(pk), "embedding": {"L": [N(WIDE)] * 3}, "pad": S("p" * pad)})
    scanned = ok("Scan", TableName=name, ConsistentRead=True, ReturnConsumedCapacity="TOTAL")
    assert scanned["ConsumedCapacity"]["CapacityUnits"] == 1


@op("DescribeTable")
def test_the_size_of_an_index_is_that_of_its_entries(new_table):
    name = new_table(with_vectors(fresh_table("sizes"), vector_index("vix", 3, projection="KEYS_ONLY")))["TableName"]
    for pk in "abc":
        tables.put(name, {"pk": S(pk), "embedding": vector(1, 0, 0), "more": S("m" * 100)})
    ok("DeleteItem", TableName=name, Key={"pk": S("b")})
    (shown,) = described(name)["VectorIndexes"]
    assert (shown["ItemCount"], shown["IndexSizeBytes"]) == (2, 2 * (len("pk") + 1 + len("embedding") + 12))
