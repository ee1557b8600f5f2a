"""DescribeTable, ListTables, UpdateTable, DeleteTable, and the states that a table goes through."""

import pytest
import tables
from client import IN_USE, INVALID, NAME_PATTERN, NOT_FOUND, NOT_NULL, at_least, at_most, call, expect_error
from client import expect_validation, ok, one, several, unsatisfied
from tables import ABSENT, definitions, fresh_table, index, key_schema, plain, simple, wait_active, wait_gone
from values import N, S

op = pytest.mark.op
ABSENT_TEXT = f"Requested resource not found: Table: {ABSENT} not found"
FIVE = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
AT_LEAST_ONE = "Member must have value greater than or equal to 1"


def provisioned(name, read=5, write=5, **more):
    request = simple(name, **more)
    del request["BillingMode"]
    return {**request, "ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}


@pytest.mark.parametrize("operation", ["DescribeTable", "DeleteTable", "UpdateTable"])
def test_absent_tables(operation):
    more = {"ProvisionedThroughput": FIVE} if operation == "UpdateTable" else {}
    expect_error(operation, {"TableName": ABSENT, **more}, NOT_FOUND, ABSENT_TEXT)


@op("DescribeTable")
def test_describe_by_arn(new_table):
    arn = new_table(simple(fresh_table()))["TableArn"]
    assert ok("DescribeTable", TableName=arn)["Table"]["TableArn"] == arn


@op("DescribeTable")
def test_an_arn_of_another_account():
    arn = f"arn:aws:dynamodb:us-east-1:000000000000:table/{tables.HASH}"
    assert call("DescribeTable", {"TableName": arn}).type == "AccessDeniedException"


# Operations that name a table that there is, with what else each needs.
ON_TABLES = {
    "DescribeTable": {},
    "UpdateTable": {"DeletionProtectionEnabled": True},
    "DeleteTable": {},
    "DescribeTimeToLive": {},
    "UpdateTimeToLive": {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}},
    "DescribeContinuousBackups": {},
    "DescribeKinesisStreamingDestination": {},
    "EnableKinesisStreamingDestination": {"StreamArn": "x" * 37},
    "DisableKinesisStreamingDestination": {"StreamArn": "x" * 37},
    "UpdateKinesisStreamingDestination": {
        "StreamArn": "x" * 37, "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}},
    "DescribeContributorInsights": {},
    "UpdateContributorInsights": {"ContributorInsightsAction": "ENABLE"},
    "ListContributorInsights": {},
}


def bad_name(name, *constraints):
    faults = [unsatisfied(name, "tableName", constraint) for constraint in constraints]
    return one(faults[0]) if len(faults) == 1 else several(*faults)


BAD_NAMES = [
    ("", [at_least(3), NAME_PATTERN]),
    ("a", [at_least(3)]),
    ("ab", [at_least(3)]),
    ("!", [at_least(3), NAME_PATTERN]),
    ("a table", [NAME_PATTERN]),
    ("x" * 256, [at_most(255)]),
    (" " * 256, [at_most(255), NAME_PATTERN]),
]


@pytest.mark.parametrize("operation", ON_TABLES)
@pytest.mark.parametrize("name, constraints", BAD_NAMES, ids=range(len(BAD_NAMES)))
def test_names_that_no_table_has(operation, name, constraints):
    expect_validation(operation, {"TableName": name, **ON_TABLES[operation]}, bad_name(name, *constraints))


@pytest.mark.parametrize("operation", ON_TABLES)
def test_names_that_a_table_might_have(operation):
    for name in ("abc", "x" * 255):
        reply = call(operation, {"TableName": name, **ON_TABLES[operation]})
        assert reply.type in (NOT_FOUND, "TableNotFoundException"), reply


# --- ListTables ----------------------------------------------------------------------------------------------------


def all_names(**more):
    names, start = [], None
    while True:
        page = ok("ListTables", **more, **({"ExclusiveStartTableName": start} if start else {}))
        names += page["TableNames"]
        start = page.get("LastEvaluatedTableName")
        if not start:
            return names
        assert page["TableNames"][-1] == start


@op("ListTables")
def test_names_are_sorted_and_paged(new_table):
    made = [fresh_table(letter) for letter in "CaBb"]
    for name in made:
        new_table(simple(name), wait=False)
    names = all_names()
    assert names == sorted(names)
    assert set(made) <= set(names)
    assert all_names(Limit=2) == names
    page = ok("ListTables", Limit=1)
    assert (len(page["TableNames"]), page["LastEvaluatedTableName"]) == (1, page["TableNames"][0])
    assert "LastEvaluatedTableName" not in ok("ListTables", ExclusiveStartTableName=names[-1])


@op("ListTables")
def test_a_start_name_need_not_exist():
    assert tables.HASH in ok("ListTables", ExclusiveStartTableName=tables.HASH[:-1])["TableNames"]
    assert ok("ListTables", ExclusiveStartTableName="zzzzzzzzz") == {"TableNames": []}


# --- states --------------------------------------------------------------------------------------------------------


@op("CreateTable", "DeleteTable", "DescribeTable", "ListTables")
def test_a_table_s_life(new_table):
    name = fresh_table()
    assert new_table(simple(name), wait=False)["TableStatus"] == "CREATING"
    assert name in all_names()
    wait_active(name)
    key = {"pk": S("a")}
    tables.put(name, key)
    deleted = ok("DeleteTable", TableName=name)["TableDescription"]
    assert (deleted["TableName"], deleted["TableStatus"]) == (name, "DELETING")
    wait_gone(name)
    assert name not in all_names()
    expect_error("GetItem", {"TableName": name, "Key": key}, NOT_FOUND, "Requested resource not found")
    new_table(simple(name))
    assert tables.get(name, key) is None


@op("CreateTable", "DeleteTable", "PutItem")
def test_a_table_in_the_making_is_seen_and_not_to_be_touched(new_table):
    name = fresh_table()
    new_table(simple(name), wait=False)
    reply = call("DeleteTable", {"TableName": name})
    if reply.status == 200:  # it waited until the table was there, as docs/compatibility.md says
        wait_gone(name)
        return
    text = f"Attempt to change a resource which is still in use: Table is being created: {name}"
    assert (reply.type, reply.message) == (IN_USE, text)
    expect_error("CreateTable", simple(name), IN_USE)


@op("DeleteTable")
def test_the_description_of_a_deleted_table_has_no_indexes(new_table):
    name = fresh_table()
    request = plain(name, {"pk": "S", "g": "S"}, KeySchema=key_schema("pk"))
    request["GlobalSecondaryIndexes"] = [index("glo", "g")]
    new_table(request)
    description = ok("DeleteTable", TableName=name)["TableDescription"]
    assert "GlobalSecondaryIndexes" not in description
    assert {"TableName", "TableStatus", "TableArn", "TableId", "ItemCount", "TableSizeBytes"} <= set(description)
    reply = call("DeleteTable", {"TableName": name})
    assert reply.type in (IN_USE, NOT_FOUND) or reply.body["TableDescription"]["TableStatus"] == "DELETING"


@op("DeleteTable", "UpdateTable")
def test_deletion_protection(new_table):
    name = fresh_table()
    new_table(simple(name, DeletionProtectionEnabled=True))
    text = "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first."
    expect_validation("DeleteTable", {"TableName": name}, text)
    description = ok("UpdateTable", TableName=name, DeletionProtectionEnabled=False)["TableDescription"]
    assert description["DeletionProtectionEnabled"] is False
    wait_active(name)
    ok("DeleteTable", TableName=name)


# --- UpdateTable: throughput and billing ---------------------------------------------------------------------------


@op("UpdateTable", "DescribeTable", "PutItem")
def test_billing_there_and_back(new_table):
    name = fresh_table()
    new_table(provisioned(name))
    tables.put(name, {"pk": S("a")})
    ok("UpdateTable", TableName=name, BillingMode="PAY_PER_REQUEST")
    table = wait_active(name)
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert "LastUpdateToPayPerRequestDateTime" in table["BillingModeSummary"]
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    ok("UpdateTable", TableName=name, BillingMode="PAY_PER_REQUEST")
    wait_active(name)
    ok("UpdateTable", TableName=name, BillingMode="PROVISIONED", ProvisionedThroughput=FIVE)
    table = wait_active(name)
    assert table["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
    assert table["ProvisionedThroughput"]["WriteCapacityUnits"] == 5
    assert tables.get(name, {"pk": S("a")}) == {"pk": S("a")}


SAME = (
    "The provisioned throughput for the table will not change. The requested value equals the current value. "
    "Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. "
    "Current WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. "
    "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
)
NOTHING = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, "
    "ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, "
    "OnDemandThroughput, WarmThroughput or TableClass is required"
)
UNIT_FAULTS = [
    ({}, NOTHING),
    ({"GlobalSecondaryIndexUpdates": []}, NOTHING),
    ({"ProvisionedThroughput": FIVE}, SAME),
    ({"ProvisionedThroughput": FIVE, "BillingMode": "PROVISIONED"}, SAME),
    ({"ProvisionedThroughput": FIVE, "BillingMode": "PAY_PER_REQUEST"}, INVALID + "ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST"),
    ({"AttributeDefinitions": definitions(pk="S")}, NOTHING),
    ({"AttributeDefinitions": definitions(pk="S"), "GlobalSecondaryIndexUpdates": []}, NOTHING),
    ({"KeySchema": key_schema("pk"), "LocalSecondaryIndexes": []}, NOTHING),
    ({"BillingMode": "PROVISIONED"}, INVALID + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED"),
    (
        {"ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 5}},
        one(unsatisfied("0", "provisionedThroughput.readCapacityUnits", AT_LEAST_ONE)),
    ),
    (
        {"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": -1}},
        one(unsatisfied("-1", "provisionedThroughput.writeCapacityUnits", AT_LEAST_ONE)),
    ),
    ({"ProvisionedThroughput": {"ReadCapacityUnits": 5}}, one(unsatisfied(None, "provisionedThroughput.writeCapacityUnits", "Member must not be null"))),
    (
        {"AttributeDefinitions": [{}], "DeletionProtectionEnabled": False},
        several(*(unsatisfied(None, f"attributeDefinitions.1.member.{member}", NOT_NULL) for member in ("attributeType", "attributeName"))),
    ),
    *[
        (
            {"AttributeDefinitions": definitions(g="S"), "GlobalSecondaryIndexUpdates": [{action: {**shape, "IndexName": ""}}]},
            several(*(unsatisfied("", f"globalSecondaryIndexUpdates.1.member.{action.lower()}.indexName", fault) for fault in (at_least(3), NAME_PATTERN))),
        )
        for action, shape in (("Create", index("more", "g")), ("Update", {"ProvisionedThroughput": FIVE}), ("Delete", {}))
    ],
    ({"BillingMode": "X"}, one(unsatisfied("X", "billingMode", "Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]"))),
]


@pytest.fixture(scope="module")
def units():
    yield from tables.standing(provisioned(fresh_table("units")))


@op("UpdateTable")
@pytest.mark.parametrize("request_, text", UNIT_FAULTS, ids=range(len(UNIT_FAULTS)))
def test_updates_that_make_no_sense(units, request_, text):
    expect_validation("UpdateTable", {"TableName": units, **request_}, text)


# --- UpdateTable: global indexes -----------------------------------------------------------------------------------


def creation(shape, types):
    return {"AttributeDefinitions": definitions(**types), "GlobalSecondaryIndexUpdates": [{"Create": shape}]}


@op("UpdateTable", "DescribeTable", "Query", "PutItem")
def test_an_index_is_added_to_a_live_table(new_table):
    name = fresh_table()
    new_table(plain(name, {"pk": "S", "sk": "S"}))
    for number in range(30):
        item = {"pk": S(f"p{number % 3}"), "sk": S(f"{number:02}"), "group": S(f"g{number % 2}"), "n": N(number)}
        tables.put(name, item)
    tables.put(name, {"pk": S("p0"), "sk": S("sparse")})
    reply = ok("UpdateTable", TableName=name, **creation(index("by_group", "group", "n"), {"group": "S", "n": "N"}))
    description = reply["TableDescription"]
    assert description["TableStatus"] == "UPDATING"
    assert description["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
    tables.put(name, {"pk": S("late"), "sk": S("1"), "group": S("g0"), "n": N(100)})
    table = wait_active(name, 120)
    (made,) = table["GlobalSecondaryIndexes"]
    assert (made["IndexName"], made["KeySchema"]) == ("by_group", key_schema("group", "n"))
    assert "Backfilling" not in made
    names = {d["AttributeName"] for d in table["AttributeDefinitions"]}
    assert names == {"pk", "sk", "group", "n"}
    condition = {"KeyConditionExpression": "#g = :g", "ExpressionAttributeNames": {"#g": "group"}}
    page = ok("Query", TableName=name, IndexName="by_group", **condition, ExpressionAttributeValues={":g": S("g0")})
    assert [item["n"] for item in page["Items"]] == [N(n) for n in range(0, 30, 2)] + [N(100)]


@op("UpdateTable", "DescribeTable", "PutItem", "Query")
def test_an_index_is_removed(new_table):
    name = fresh_table()
    request = plain(name, {"pk": "S", "g": "S"}, KeySchema=key_schema("pk"))
    request["GlobalSecondaryIndexes"] = [index("glo", "g")]
    new_table(request)
    tables.put(name, {"pk": S("a"), "g": S("b")})
    reply = ok("UpdateTable", TableName=name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "glo"}}])
    states = [i["IndexStatus"] for i in reply["TableDescription"].get("GlobalSecondaryIndexes", [])]
    assert states in (["DELETING"], [])
    assert "GlobalSecondaryIndexes" not in wait_active(name, 120) or not wait_active(name)["GlobalSecondaryIndexes"]
    tables.put(name, {"pk": S("c"), "g": N(1)})
    assert tables.get(name, {"pk": S("a")}) == {"pk": S("a"), "g": S("b")}
    request = {"TableName": name, "IndexName": "glo", "KeyConditionExpression": "g = :g"}
    text = "The table does not have the specified index: glo"
    expect_validation("Query", {**request, "ExpressionAttributeValues": {":g": S("b")}}, text)


@op("UpdateTable")
def test_indexes_one_after_the_other(new_table):
    name = fresh_table()
    new_table(simple(name))
    ok("UpdateTable", TableName=name, **creation(index("one", "g1"), {"g1": "S"}))
    wait_active(name, 120)
    ok("UpdateTable", TableName=name, **creation(index("two", "g2", None, "KEYS_ONLY"), {"g2": "N"}))
    wait_active(name, 120)
    tables.put(name, {"pk": S("a"), "g3": S("g"), "note": S("n"), "rest": S("r")})
    ok("UpdateTable", TableName=name, **creation(index("three", "g3", None, "INCLUDE", ["note"]), {"g3": "S"}))
    indexes = {i["IndexName"]: i["Projection"] for i in wait_active(name, 120)["GlobalSecondaryIndexes"]}
    included = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["note"]}
    assert indexes == {"one": {"ProjectionType": "ALL"}, "two": {"ProjectionType": "KEYS_ONLY"}, "three": included}
    items = ok("Scan", TableName=name, IndexName="three")["Items"]
    assert items == [{"pk": S("a"), "g3": S("g"), "note": S("n")}]


@op("DescribeTable", "PutItem")
def test_items_are_counted_some_time(new_table):
    name = fresh_table()
    new_table(simple(name))
    tables.put(name, {"pk": S("a"), "v": S("x" * 100)})
    table = ok("DescribeTable", TableName=name)["Table"]
    assert table["ItemCount"] in (0, 1)
    assert table["TableSizeBytes"] in (0, 2 + 1 + 1 + 100)
