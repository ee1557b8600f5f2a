"""CreateTable: what is refused in which words, and what the description says."""

import re
import time

import pytest
import tables
from client import IN_USE, INVALID, NAME_PATTERN, NOT_NULL, VALIDATION, at_least, at_most, call, enum, expect_error
from client import expect_validation, ok, one, several, unsatisfied
from tables import definitions, fresh_table, index, key_schema, plain, simple

op = pytest.mark.op
pytestmark = op("CreateTable")
NAME = tables.table_name("never")
PAY = {"BillingMode": "PAY_PER_REQUEST"}
FIVE = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}


def refused(request, text):
    try:
        expect_validation("CreateTable", request, text)
        assert call("DescribeTable", {"TableName": NAME}).type == "ResourceNotFoundException"
    finally:
        tables.drop(NAME)
        tables.wait_gone(NAME)


def table(types, keys=("pk",), **more):
    request = {"TableName": NAME, "AttributeDefinitions": definitions(**types), "KeySchema": key_schema(*keys), **PAY}
    request.update(more)
    return {name: value for name, value in request.items() if value is not None}


ONE = {"pk": "S"}
TWO = {"pk": "S", "sk": "S"}
THREE = {"pk": "S", "sk": "S", "a": "S"}
NAMES = [
    ("ab", one(unsatisfied("ab", "tableName", at_least(3)))),
    ("a" * 256, one(unsatisfied("a" * 256, "tableName", at_most(255)))),
    ("bad name", one(unsatisfied("bad name", "tableName", NAME_PATTERN))),
    ("bad;name", one(unsatisfied("bad;name", "tableName", NAME_PATTERN))),
    ("", re.compile(".*'tableName'.*")),
]


@pytest.mark.parametrize("name, text", NAMES, ids=[n[0][:10] for n in NAMES])
def test_names(name, text):
    expect_validation("CreateTable", table(ONE, TableName=name), text)


@pytest.mark.parametrize("name", ["abc", "A.b-c_9", "_x_"])
def test_good_names(new_table, name):
    name = f"{name}{tables.RUN}{tables.fresh('')}"
    assert new_table(simple(name))["TableName"] == name


MODEL = [
    (table(ONE, KeySchema=None), one(unsatisfied(None, "keySchema", NOT_NULL))),
    (table(ONE, AttributeDefinitions=None), one(unsatisfied(None, "attributeDefinitions", NOT_NULL))),
    (table(ONE, KeySchema=[]), one(unsatisfied("[]", "keySchema", at_least(1)))),
    (table({"pk": "X"}), one(unsatisfied("X", "attributeDefinitions.1.member.attributeType", enum("B", "N", "S")))),
    (table(ONE, KeySchema=[{"AttributeName": "pk", "KeyType": "X"}]), one(unsatisfied("X", "keySchema.1.member.keyType", enum("HASH", "RANGE")))),
    (table(ONE, BillingMode="X"), one(unsatisfied("X", "billingMode", enum("PROVISIONED", "PAY_PER_REQUEST")))),
    (
        table(ONE, BillingMode=None, ProvisionedThroughput={"ReadCapacityUnits": 0, "WriteCapacityUnits": 5}),
        one(unsatisfied("0", "provisionedThroughput.readCapacityUnits", "Member must have value greater than or equal to 1")),
    ),
    (
        table(ONE, BillingMode=None, ProvisionedThroughput={"ReadCapacityUnits": 1}),
        one(unsatisfied(None, "provisionedThroughput.writeCapacityUnits", NOT_NULL)),
    ),
    (
        table({"pk": "S", "g": "S"}, GlobalSecondaryIndexes=[index("ab", "g")]),
        one(unsatisfied("ab", "globalSecondaryIndexes.1.member.indexName", at_least(3))),
    ),
    (
        table({"pk": "S", "g": "S"}, GlobalSecondaryIndexes=[index("a;b", "g")]),
        one(unsatisfied("a;b", "globalSecondaryIndexes.1.member.indexName", NAME_PATTERN)),
    ),
    (
        table({"pk": "S", "g": "S"}, GlobalSecondaryIndexes=[index("good", "g", projection="X")]),
        one(unsatisfied("X", "globalSecondaryIndexes.1.member.projection.projectionType", enum("ALL", "INCLUDE", "KEYS_ONLY"))),
    ),
    (
        table({"pk": "S", "g": "S"}, GlobalSecondaryIndexes=[{"IndexName": "good", "KeySchema": key_schema("g")}]),
        one(unsatisfied(None, "globalSecondaryIndexes.1.member.projection", NOT_NULL)),
    ),
]


@pytest.mark.parametrize("request_, text", MODEL, ids=range(len(MODEL)))
def test_model(request_, text):
    refused(request_, text)


def test_three_keys():
    keys = key_schema("pk", "sk") + [{"AttributeName": "a", "KeyType": "RANGE"}]
    element = r"KeySchemaElement\(attributeName=\w+, keyType=(HASH|RANGE)\)"
    shown = rf"1 validation error detected: Value '\[{element}(, {element}){{2}}\]' at 'keySchema' "
    text = shown + re.escape("failed to satisfy constraint: " + at_most(2))
    refused(table(THREE, KeySchema=keys), re.compile(text))


@pytest.mark.parametrize("local, global_", [("l1", "g1"), ("aa", "zz")])
def test_short_index_names_are_joined(local, global_):
    request = table(TWO, ("pk", "sk"))
    request["LocalSecondaryIndexes"] = [index(local, "pk", "lr")]
    request["GlobalSecondaryIndexes"] = [index(global_, "gh")]
    faults = [
        unsatisfied(global_, "globalSecondaryIndexes.1.member.indexName", at_least(3)),
        unsatisfied(local, "localSecondaryIndexes.1.member.indexName", at_least(3)),
    ]
    refused(request, several(*faults))


UNDEFINED = INVALID + "Some index key attributes are not defined in AttributeDefinitions. Keys: [{}], AttributeDefinitions: [{}]"
SAME = "Both the Hash Key and the Range Key element in the KeySchema have the same name"
FIRST = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
SECOND = "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
EXACTLY = INVALID + "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"
NEITHER = INVALID + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
BOTH = INVALID + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"


def keys(*pairs):
    return [{"AttributeName": name, "KeyType": kind} for name, kind in pairs]


MEANING = [
    (table(ONE, BillingMode=None), BOTH),
    (table(ONE, BillingMode="PROVISIONED"), BOTH),
    (table(ONE, ProvisionedThroughput=FIVE), NEITHER),
    (table(ONE, KeySchema=keys(("pk", "HASH"), ("pk", "RANGE"))), "Invalid KeySchema: Some index key attribute have no definition"),
    (table(ONE, KeySchema=keys(("pk", "HASH"), ("sk", "RANGE"))), "Invalid KeySchema: Some index key attribute have no definition"),
    (table(TWO, KeySchema=keys(("pk", "HASH"), ("pk", "RANGE"))), SAME),
    (table(ONE, KeySchema=keys(("other", "HASH"))), UNDEFINED.format("other", "pk")),
    (table(TWO, KeySchema=keys(("pk", "HASH"), ("zz", "RANGE"))), (UNDEFINED.format("pk, zz", "pk, sk"), UNDEFINED.format("pk, zz", "sk, pk"))),
    (table(ONE, KeySchema=keys(("pk", "RANGE"))), FIRST),
    (table(TWO, KeySchema=keys(("pk", "RANGE"), ("sk", "HASH"))), FIRST),
    (table(TWO, KeySchema=keys(("pk", "HASH"), ("sk", "HASH"))), SECOND),
    (table(TWO), EXACTLY),
    (table(THREE, ("pk", "sk")), EXACTLY),
    (table(ONE, LocalSecondaryIndexes=[]), INVALID + "List of LocalSecondaryIndexes is empty"),
    (table(ONE, GlobalSecondaryIndexes=[]), INVALID + "List of GlobalSecondaryIndexes is empty"),
]


def indexed(local=None, global_=None, types=None, names=("pk", "sk"), **more):
    request = table(types or {"pk": "S", "sk": "S", "a": "S"}, names, **more)
    if local is not None:
        request["LocalSecondaryIndexes"] = local
    if global_ is not None:
        request["GlobalSecondaryIndexes"] = global_
    return request


def schema_index(name, *pairs, **projection):
    return {"IndexName": name, "KeySchema": keys(*pairs), "Projection": projection or {"ProjectionType": "ALL"}}


RANGE_NEEDED = INVALID + "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
MEANING += [
    (indexed([index("loc", "pk", "a")], types={"pk": "S", "a": "S"}, names=("pk",)), RANGE_NEEDED),
    (indexed([schema_index("loc", ("pk", "HASH"))]), (INVALID + "Index KeySchema does not have a range key for index: loc", INVALID + "Some AttributeDefinitions are not used. AttributeDefinitions: [pk, sk, a], keys used: [pk, sk]")),
    (
        indexed([index("loc", "a", "sk")]),
        INVALID
        + "Index KeySchema does not have the same leading hash key as table KeySchema for index: loc. "
        + "index hash key: a, table hash key: pk",
    ),
    (indexed([index("loc", "pk", "zz")]), re.compile(re.escape(INVALID + "Some index key attributes are not defined in AttributeDefinitions. Keys: [") + ".*")),
    (indexed([schema_index("loc", ("pk", "HASH"), ("pk", "RANGE"))]), SAME),
    (indexed([schema_index("loc", ("pk", "RANGE"), ("a", "HASH"))]), FIRST),
    (indexed([schema_index("loc", ("pk", "HASH"), ("a", "HASH"))]), SECOND),
    (indexed([{**index("loc", "pk", "a"), "Projection": {}}]), INVALID + "Unknown ProjectionType: null"),
    (indexed([index("loc", "pk", "a", "ALL", ["x"])]), INVALID + "ProjectionType is ALL, but NonKeyAttributes is specified"),
    (indexed([index("loc", "pk", "a", "KEYS_ONLY", ["x"])]), INVALID + "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified"),
    (indexed([index("loc", "pk", "a", "INCLUDE")]), INVALID + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"),
    (indexed([index("loc", "pk", "a"), index("loc", "pk", "a")]), INVALID + "Duplicate index name: loc"),
    (indexed([index("same", "pk", "a")], [index("same", "a")]), INVALID + "Duplicate index name: same"),
    (indexed(None, [index("same", "a"), index("same", "sk")]), INVALID + "Duplicate index name: same"),
    (indexed([index(f"loc{n}", "pk", "a") for n in range(6)]), INVALID + "Number of LocalSecondaryIndexes exceeds per-table limit of 5"),
    (indexed(None, [index(f"glo{n}", "a") for n in range(21)]), INVALID + "GlobalSecondaryIndex count exceeds the per-table limit of 20"),
    (indexed(None, [index("glo", "zz")]), re.compile(re.escape(INVALID + "Some index key attributes are not defined in AttributeDefinitions. Keys: [zz]") + ".*")),
    (indexed(None, [schema_index("glo", ("a", "RANGE"))]), FIRST),
    (indexed(None, [{**index("glo", "a"), "Projection": {}}]), INVALID + "Unknown ProjectionType: null"),
    (indexed(None, [index("glo", "a", None, "ALL", ["x"])]), INVALID + "ProjectionType is ALL, but NonKeyAttributes is specified"),
    (indexed(None, [index("glo", "a", None, "KEYS_ONLY", ["x"])]), INVALID + "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified"),
    (indexed(None, [index("glo", "a", None, "INCLUDE")]), INVALID + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"),
    (
        indexed(None, [{**index("glo", "a"), "ProvisionedThroughput": FIVE}]),
        INVALID + "ProvisionedThroughput should not be specified for index: glo when BillingMode is PAY_PER_REQUEST",
    ),
    (
        indexed(None, [index("glo", "a")], BillingMode=None, ProvisionedThroughput=FIVE),
        INVALID + "ProvisionedThroughput is not specified for index: glo",
    ),
    (
        indexed(None, [index("glo", "a")], {"pk": "S", "sk": "S", "a": "S", "b": "S"}),
        re.compile(re.escape(INVALID + "Some AttributeDefinitions are not used. AttributeDefinitions: [") + ".*"),
    ),
]


DEFINED_TWICE = [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "pk", "AttributeType": "N"}]
PROJECTED_ONCE = INVALID + "Duplicate element in NonKeyAttributes: x"
MEANING += [
    (table(ONE, AttributeDefinitions=DEFINED_TWICE), "Attribute Name is duplicated: pk"),
    (table(ONE, AttributeDefinitions=[]), "Invalid KeySchema: Some index key attribute have no definition"),
    (indexed(None, [index("glo", "a", None, "INCLUDE", ["x", "y", "x"])]), PROJECTED_ONCE),
    (indexed([index("loc", "pk", "a", "INCLUDE", ["x", "x"])]), PROJECTED_ONCE),
    # Definitions that no key uses hide what else is wrong with an index.
    (indexed(None, [{**index("glo", "sk"), "Projection": {}}]), re.compile(re.escape(INVALID + "Some AttributeDefinitions are not used.") + ".*")),
    (indexed(None, [index("same", "sk"), index("same", "sk")]), re.compile(re.escape(INVALID + "Some AttributeDefinitions are not used.") + ".*")),
]


def test_no_more_than_twenty_projected_attributes():
    many = re.compile(r"1 validation error detected: Value '.*' at 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' "
                      r"failed to satisfy constraint: Member must have length less than or equal to 20")
    refused(indexed(None, [index("glo", "a", None, "INCLUDE", [f"n{n}" for n in range(21)])]), many)


@pytest.mark.parametrize("request_, text", MEANING, ids=range(len(MEANING)))
def test_meaning(request_, text):
    refused(request_, text)


@pytest.mark.parametrize("count", [100, 101])
def test_projected_attributes_in_all(count):
    attributes = [f"n{n}" for n in range(count)]
    parts = [attributes[start : start + 20] for start in range(0, count, 20)]
    request = indexed(None, [index(f"glo{n}", "a", None, "INCLUDE", part) for n, part in enumerate(parts)])
    request["TableName"] = fresh_table()
    reply = call("CreateTable", request)
    assert (reply.status == 200) == (count == 100), repr(reply)
    if reply.status == 200:
        tables.drop(request["TableName"])
    else:
        assert reply.type == "ValidationException"


@op("CreateTable", "DeleteTable")
def test_a_name_is_taken_once(new_table):
    name = fresh_table()
    new_table(simple(name))
    expect_error("CreateTable", simple(name), IN_USE, f"Table already exists: {name}")
    # A request that makes no sense is refused before the name is looked up.
    expect_validation("CreateTable", plain(name, {"pk": "S", "sk": "S"}, KeySchema=key_schema("pk")), EXACTLY)


ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/{}"


def test_description_of_the_smallest_table(new_table):
    name = fresh_table()
    before = time.time()
    description = new_table(simple(name), wait=False)
    table_id = description.pop("TableId")
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", table_id)
    assert abs(description.pop("CreationDateTime") - before) < 60
    billing = description.pop("BillingModeSummary")
    assert billing["BillingMode"] == "PAY_PER_REQUEST"
    throughput = description.pop("ProvisionedThroughput")
    assert throughput == {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    assert "WarmThroughput" not in description and "LastUpdateToPayPerRequestDateTime" not in billing
    assert description.pop("TableClassSummary", {"TableClass": "STANDARD"}) == {"TableClass": "STANDARD"}
    description.pop("TableThroughputModeSummary", None)
    assert description == {
        "TableName": name,
        "TableStatus": "CREATING",
        "TableArn": ARN.format(name),
        "AttributeDefinitions": definitions(pk="S"),
        "KeySchema": key_schema("pk"),
        "ItemCount": 0,
        "TableSizeBytes": 0,
        "DeletionProtectionEnabled": False,
    }
    active = tables.wait_active(name)
    assert (active["TableStatus"], active["TableId"]) == ("ACTIVE", table_id)
    assert active["WarmThroughput"] == {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}
    assert abs(active["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] - before) < 60


@op("CreateTable", "DescribeTable", "GetItem")
@pytest.mark.parametrize("name", ["", "ab", "*", "a table", "null\0", "x" * 256, "some/index/it", "some/stream/now"])
def test_an_arn_names_nothing_that_a_name_could_not(name):
    arn = ARN.format(name)
    for operation, request in (("CreateTable", simple(arn)), ("GetItem", {"TableName": arn, "Key": {"pk": {"S": "a"}}})):
        reply = expect_error(operation, request, VALIDATION)
        assert reply.message.startswith("1 validation error detected: ") and f"'{arn}'" in reply.message
    assert name not in call("ListTables").body["TableNames"]


@op("CreateTable", "DescribeTable")
def test_description_of_a_provisioned_table(new_table):
    name = fresh_table()
    request = plain(name, {"pk": "S", "sk": "N"})
    del request["BillingMode"]
    request["ProvisionedThroughput"] = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 3}
    created = new_table(request, wait=False)
    assert "BillingModeSummary" not in created
    active = tables.wait_active(name)
    throughput = active["ProvisionedThroughput"]
    assert throughput == {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 7, "WriteCapacityUnits": 3}
    assert active["KeySchema"] == key_schema("pk", "sk")
    assert active["AttributeDefinitions"] == definitions(pk="S", sk="N")


@op("CreateTable", "DescribeTable")
def test_description_of_indexes(new_table):
    name = fresh_table()
    request = plain(name, {"pk": "S", "sk": "S"})
    request["AttributeDefinitions"] = definitions(pk="S", sk="S", l="N", g="B", r="S")
    request["LocalSecondaryIndexes"] = [index("locally", "pk", "l", "KEYS_ONLY")]
    request["GlobalSecondaryIndexes"] = [index("globally", "g", "r", "INCLUDE", ["y", "x"])]
    created = new_table(request, wait=False)
    assert created["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
    active = tables.wait_active(name)
    (local,) = active["LocalSecondaryIndexes"]
    assert local == {
        "IndexName": "locally",
        "IndexArn": ARN.format(name) + "/index/locally",
        "KeySchema": key_schema("pk", "l"),
        "Projection": {"ProjectionType": "KEYS_ONLY"},
        "IndexSizeBytes": 0,
        "ItemCount": 0,
    }
    (global_,) = active["GlobalSecondaryIndexes"]
    global_.pop("WarmThroughput", None)
    assert global_["Projection"].pop("NonKeyAttributes") == ["x", "y"]
    assert [d["AttributeName"] for d in active["AttributeDefinitions"]] == ["g", "l", "pk", "r", "sk"]
    assert global_ == {
        "IndexName": "globally",
        "IndexStatus": "ACTIVE",
        "IndexArn": ARN.format(name) + "/index/globally",
        "KeySchema": key_schema("g", "r"),
        "Projection": {"ProjectionType": "INCLUDE"},
        "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        "IndexSizeBytes": 0,
        "ItemCount": 0,
    }


ROUND_TRIPS = [
    ("DeletionProtectionEnabled", True, lambda t: t["DeletionProtectionEnabled"] is True),
    ("TableClass", "STANDARD_INFREQUENT_ACCESS", lambda t: t["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"),
    ("OnDemandThroughput", {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20}, lambda t: t["OnDemandThroughput"] == {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20}),
    ("SSESpecification", {"Enabled": True}, lambda t: t["SSEDescription"]["Status"] == "ENABLED" and t["SSEDescription"]["SSEType"] == "KMS"),
    ("WarmThroughput", {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000}, lambda t: t["WarmThroughput"]["ReadUnitsPerSecond"] == 12000),
]


@op("CreateTable", "DescribeTable")
@pytest.mark.parametrize("member, value, holds", ROUND_TRIPS, ids=[r[0] for r in ROUND_TRIPS])
def test_settings_come_back(new_table, member, value, holds):
    name = fresh_table()
    assert holds(new_table(simple(name, **{member: value})))
    if member == "DeletionProtectionEnabled":
        ok("UpdateTable", TableName=name, DeletionProtectionEnabled=False)


def test_an_index_list_keeps_its_order(new_table):
    request = plain(fresh_table(), {"pk": "S", "z": "S"}, KeySchema=key_schema("pk"))
    request["GlobalSecondaryIndexes"] = [index("zzz", "z"), index("aaa", "z"), index("mmm", "z")]
    assert [i["IndexName"] for i in new_table(request)["GlobalSecondaryIndexes"]] == ["zzz", "aaa", "mmm"]


def test_four_and_four_key_attributes(new_table):
    pairs = [(f"h{n}", "HASH") for n in range(4)] + [(f"r{n}", "RANGE") for n in range(4)]
    types = {"pk": "S"} | {name: "S" for name, _ in pairs}
    request = table(types, TableName=fresh_table(), GlobalSecondaryIndexes=[schema_index("many", *pairs)])
    assert new_table(request)["GlobalSecondaryIndexes"][0]["KeySchema"] == keys(*pairs)


TAGS = [
    ([{}], "The Tag Key provided is invalid, Key: null"),
    ([{"Value": "v"}], "The Tag Key provided is invalid, Key: null"),
    ([{"Key": "k"}], "The Tag Value provided is invalid, Value: null"),
    ([{"Key": "", "Value": "v"}], "The Tag Key provided is invalid, Key: "),
    ([{"Key": "k" * 129, "Value": "v"}], "The Tag Key provided is invalid, Key: " + "k" * 129),
    ([{"Key": "k", "Value": "a, b"}], "The Tag Value provided is invalid, Value: a, b"),
    ([{"Key": "k", "Value": "v" * 257}], "The Tag Value provided is invalid, Value: " + "v" * 257),
    ([{"Key": "aws:k", "Value": "v"}], "Tag Key cannot be prefixed with aws:, Key: aws:k"),
    ([{"Key": "k", "Value": "v"}, {"Key": "k", "Value": "w"}], "Duplicate Tag Keys provided as input: Duplicate Tag Key found k"),
    ([{"Key": f"k{n}", "Value": "v"} for n in range(51)], "Number of Tags exceed the current limit for the provided ResourceArn"),
]


@pytest.mark.parametrize("tags, text", TAGS, ids=range(len(TAGS)))
def test_bad_tags(tags, text):
    refused(table(ONE, Tags=tags), text)


@pytest.mark.parametrize("count", [0, 1, 50])
def test_tags_are_accepted(new_table, count):
    new_table(simple(fresh_table(), Tags=[{"Key": f"_.:/=+-@ {n}", "Value": ""} for n in range(count)]))


def test_twenty_global_and_five_local_indexes(new_table):
    request = plain(fresh_table(), {"pk": "S", "sk": "S"})
    request["AttributeDefinitions"] = definitions(pk="S", sk="S", a="S")
    request["LocalSecondaryIndexes"] = [index(f"loc{n}", "pk", "a", "KEYS_ONLY") for n in range(5)]
    request["GlobalSecondaryIndexes"] = [index(f"glo{n}", "a", None, "KEYS_ONLY") for n in range(20)]
    active = new_table(request)
    assert (len(active["LocalSecondaryIndexes"]), len(active["GlobalSecondaryIndexes"])) == (5, 20)


@pytest.mark.parametrize(
    "pairs, text",
    [
        ([(f"h{n}", "HASH") for n in range(5)], INVALID + "The KeySchema exceeds the maximum allowed number of HASH key attributes"),
        (
            [("h0", "HASH")] + [(f"h{n}", "RANGE") for n in range(1, 6)],
            INVALID + "The KeySchema exceeds the maximum allowed number of RANGE key attributes",
        ),
        (
            [("h0", "HASH"), ("h1", "RANGE"), ("h2", "HASH")],
            INVALID + "All HASH key attributes must precede RANGE key attributes in the KeySchema",
        ),
        ([("h0", "HASH"), ("h1", "RANGE"), ("h1", "RANGE")], "The KeySchema contains multiple key attributes with the same name"),
        ([("h0", "HASH"), ("h0", "RANGE")], SAME),
    ],
    ids=["five-hashes", "five-ranges", "mixed", "twice", "pair"],
)
def test_too_many_key_attributes_of_an_index(pairs, text):
    types = {"pk": "S"} | {name: "S" for name, _ in pairs}
    refused(table(types, GlobalSecondaryIndexes=[schema_index("glo", *pairs)]), text)
