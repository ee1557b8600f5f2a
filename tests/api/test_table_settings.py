"""UpdateTable changes one thing at a time; encryption, streams, table class, and what is refused by its name."""

import re

import pytest
import tables
from client import INVALID, NOT_FOUND, call, expect_error, expect_validation, ok, one, region, unsatisfied
from tables import definitions, fresh_table, index, key_schema, plain, simple, wait_active, wait_gone
from values import S

op = pytest.mark.op
NAME = tables.table_name("settings_never")
FIVE = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
SIX = {"ReadCapacityUnits": 6, "WriteCapacityUnits": 6}
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
KMS = {"Enabled": True, "SSEType": "KMS"}
LIMIT = "LimitExceededException"


def creation(name="more"):
    return {"AttributeDefinitions": definitions(h="S"), "GlobalSecondaryIndexUpdates": [{"Create": {**index(name, "h"), "ProvisionedThroughput": FIVE}}]}


def dropping(name="glo"):
    return {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]}


def changing(name="glo", units=SIX):
    return {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": name, "ProvisionedThroughput": units}}]}


@pytest.fixture(scope="module")
def provisioned():
    """pk S, sk S, a global and a local index, five units each."""
    name = fresh_table("settings")
    request = plain(name, {"pk": "S", "sk": "S"}, ProvisionedThroughput=FIVE)
    del request["BillingMode"]
    request["AttributeDefinitions"] = definitions(pk="S", sk="S", g="S", l="S")
    request["GlobalSecondaryIndexes"] = [{**index("glo", "g"), "ProvisionedThroughput": FIVE}]
    request["LocalSecondaryIndexes"] = [index("loc", "pk", "l")]
    yield from tables.standing(request)


@pytest.fixture(scope="module")
def on_demand():
    yield from tables.standing(simple(fresh_table("settings")))


# --- one thing at a time -------------------------------------------------------------------------------------------

ALONE = "{} modification must be the only operation in the request"
SSE, CLASS, PROTECTION = ALONE.format("Server-Side Encryption"), ALONE.format("TableClass"), ALONE.format("DeletionProtection")
WARM = "WarmThroughput must be the only operation in the request"
LIMITS = "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
parts = {
    "sse": {"SSESpecification": KMS},
    "class": {"TableClass": "STANDARD_INFREQUENT_ACCESS"},
    "protection": {"DeletionProtectionEnabled": True},
    "warm": {"WarmThroughput": {"ReadUnitsPerSecond": 20000}},
    "limits": {"OnDemandThroughput": {"MaxReadRequestUnits": 5}},
    "stream": {"StreamSpecification": STREAM},
    "units": {"ProvisionedThroughput": SIX},
    "billing": {"BillingMode": "PAY_PER_REQUEST"},
    "ahead": {"BillingMode": "PROVISIONED", "ProvisionedThroughput": SIX},
    "create": creation(),
    "delete": dropping(),
    "update": changing(),
}
PAIRS = [
    ("sse", "class", SSE), ("sse", "protection", SSE), ("sse", "warm", SSE), ("sse", "limits", SSE), ("sse", "stream", SSE),
    ("sse", "units", SSE), ("sse", "billing", SSE), ("sse", "create", SSE), ("sse", "delete", SSE),
    ("class", "protection", CLASS), ("class", "warm", CLASS), ("class", "limits", CLASS), ("class", "stream", CLASS),
    ("class", "units", CLASS), ("class", "billing", CLASS), ("class", "create", CLASS),
    ("protection", "warm", PROTECTION), ("protection", "limits", PROTECTION), ("protection", "stream", PROTECTION),
    ("protection", "units", PROTECTION), ("protection", "billing", PROTECTION), ("protection", "create", PROTECTION),
    ("warm", "stream", WARM), ("warm", "units", WARM), ("warm", "billing", WARM), ("warm", "delete", WARM),
    ("warm", "limits", LIMITS), ("limits", "stream", LIMITS),
    ("warm", "create", "Create global secondary index cannot be specified when updating WarmThroughput"),
    ("stream", "units", "You cannot modify stream status while updating table IOPS"),
    ("stream", "ahead", "You cannot modify stream status while updating table IOPS"),
    ("create", "units", "You cannot create or delete index while updating table IOPS"),
    ("delete", "units", "You cannot create or delete index while updating table IOPS"),
    ("create", "stream", "You cannot create or delete index while changing stream status"),
    ("delete", "stream", "You cannot create or delete index while changing stream status"),
]  # fmt: skip


@op("UpdateTable", "DescribeTable")
@pytest.mark.parametrize("one_, other, text", PAIRS, ids=[f"{a}-{b}" for a, b, _ in PAIRS])
def test_changes_that_exclude_each_other(provisioned, one_, other, text):
    before = ok("DescribeTable", TableName=provisioned)
    expect_validation("UpdateTable", {"TableName": provisioned, **parts[one_], **parts[other]}, INVALID + text)
    assert ok("DescribeTable", TableName=provisioned) == before


@op("UpdateTable")
@pytest.mark.parametrize("part", ["protection", "billing", "limits"])
def test_an_empty_list_beside_another_change(provisioned, part):
    request = {"TableName": provisioned, **parts[part], "GlobalSecondaryIndexUpdates": []}
    expect_validation("UpdateTable", request, INVALID + "List of GlobalSecondaryIndexUpdates is empty")


@op("UpdateTable", "DescribeTable")
def test_a_stream_and_a_switch_go_together(new_table):
    name = fresh_table()
    new_table(simple(name))
    ok("UpdateTable", TableName=name, BillingMode="PAY_PER_REQUEST", StreamSpecification=STREAM)
    assert wait_active(name)["StreamSpecification"] == STREAM


@op("UpdateTable", "DescribeTable")
def test_protection_changes_at_once(new_table):
    name = fresh_table()
    new_table(simple(name))
    answer = ok("UpdateTable", TableName=name, DeletionProtectionEnabled=False)["TableDescription"]
    assert (answer["TableStatus"], answer["DeletionProtectionEnabled"]) == ("ACTIVE", False)


# --- GlobalSecondaryIndexUpdates -----------------------------------------------------------------------------------

ENTRIES = {
    "none": ([{}], INVALID + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null"),
    "two in one": (
        [{**creation()["GlobalSecondaryIndexUpdates"][0], "Delete": {"IndexName": "glo"}}],
        INVALID + "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
    ),
    "the same twice": (
        dropping()["GlobalSecondaryIndexUpdates"] + changing()["GlobalSecondaryIndexUpdates"],
        INVALID + "Only one global secondary index update per index is allowed simultaneously. Index: glo",
    ),
    "deleting a local one": (dropping("loc")["GlobalSecondaryIndexUpdates"], "Cannot delete an index that is not a GlobalSecondaryIndex: loc"),
    "changing a local one": (changing("loc")["GlobalSecondaryIndexUpdates"], "Cannot update an index that is not a GlobalSecondaryIndex: loc"),
    "a short name": (
        dropping("ab")["GlobalSecondaryIndexUpdates"],
        one(unsatisfied("ab", "globalSecondaryIndexUpdates.1.member.delete.indexName", "Member must have length greater than or equal to 3")),
    ),
    "one that is there": (creation("glo")["GlobalSecondaryIndexUpdates"], "Attempting to create an index which already exists"),
}


@op("UpdateTable")
@pytest.mark.parametrize("updates, text", ENTRIES.values(), ids=ENTRIES)
def test_entries_that_make_no_sense(provisioned, updates, text):
    request = {"TableName": provisioned, "AttributeDefinitions": definitions(h="S"), "GlobalSecondaryIndexUpdates": updates}
    expect_validation("UpdateTable", request, text)


@op("UpdateTable", "DescribeTable")
def test_an_index_that_is_not_there(provisioned):
    text = f"Requested resource not found: Index ghost for table {provisioned}"
    expect_error("UpdateTable", {"TableName": provisioned, **dropping("ghost")}, NOT_FOUND, text)
    # Nothing of the request is done.
    both = changing()["GlobalSecondaryIndexUpdates"] + changing("ghost")["GlobalSecondaryIndexUpdates"]
    expect_error("UpdateTable", {"TableName": provisioned, "GlobalSecondaryIndexUpdates": both}, NOT_FOUND, text)
    (glo,) = ok("DescribeTable", TableName=provisioned)["Table"]["GlobalSecondaryIndexes"]
    assert glo["ProvisionedThroughput"]["ReadCapacityUnits"] == 5


@op("UpdateTable")
@pytest.mark.parametrize("more", [creation("second"), dropping()], ids=["two", "one-and-another"])
def test_one_index_at_a_time(provisioned, more):
    updates = creation()["GlobalSecondaryIndexUpdates"] + more["GlobalSecondaryIndexUpdates"]
    request = {"TableName": provisioned, "AttributeDefinitions": definitions(h="S"), "GlobalSecondaryIndexUpdates": updates}
    text = "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
    expect_error("UpdateTable", request, LIMIT, text)


@op("UpdateTable")
def test_several_index_actions_are_refused_before_the_indexes_are_looked_for(provisioned):
    text = "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
    drops = [{"Delete": {"IndexName": f"ghost{n}"}} for n in range(6)]
    make = creation()["GlobalSecondaryIndexUpdates"]
    there = creation("glo")["GlobalSecondaryIndexUpdates"]
    local = dropping("loc")["GlobalSecondaryIndexUpdates"]
    for updates in (drops[:2], drops, make + drops[:1], drops[:1] + make, there + drops[:1], local + drops[:1]):
        request = {"AttributeDefinitions": definitions(h="S"), "GlobalSecondaryIndexUpdates": updates}
        expect_error("UpdateTable", {"TableName": provisioned, **request}, LIMIT, text)
        expect_error("UpdateTable", {"TableName": tables.ABSENT, **request}, NOT_FOUND)


@op("UpdateTable")
def test_a_new_index_needs_definitions(provisioned):
    missing = INVALID + "AttributeDefinitions is not specified for index: more"
    known = {"GlobalSecondaryIndexUpdates": [{"Create": {**index("more", "sk"), "ProvisionedThroughput": FIVE}}]}
    expect_validation("UpdateTable", {"TableName": provisioned, **known}, missing)
    expect_validation("UpdateTable", {"TableName": provisioned, "AttributeDefinitions": [], **known}, missing)
    text = re.compile(re.escape(INVALID + "Some index key attributes are not defined in AttributeDefinitions. Keys: [h]") + ".*")
    expect_validation("UpdateTable", {"TableName": provisioned, **creation(), "AttributeDefinitions": definitions(other="S")}, text)
    # What the table defines already does not count.
    for partition, sort, defined in (("h", "pk", "h"), ("pk", "h", "h"), ("g", "sk", "sk"), ("pk", "sk", "h")):
        made = {"GlobalSecondaryIndexUpdates": [{"Create": {**index("more", partition, sort), "ProvisionedThroughput": FIVE}}]}
        text = INVALID + f"Some index key attributes are not defined in AttributeDefinitions. Keys: [{partition}, {sort}], AttributeDefinitions: [{defined}]"
        expect_validation("UpdateTable", {"TableName": provisioned, "AttributeDefinitions": definitions(**{defined: "S"}), **made}, text)
    redefined = {"TableName": provisioned, "AttributeDefinitions": definitions(sk="N"), **known}
    text = re.compile(re.escape(INVALID + "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined.") + ".*")
    expect_validation("UpdateTable", redefined, text)


@op("UpdateTable", "DescribeTable")
def test_definitions_that_serve_no_new_index_are_passed_over(new_table):
    name = fresh_table()
    new_table(plain(name, {"pk": "S", "sk": "S"}))
    ok("UpdateTable", TableName=name, AttributeDefinitions=definitions(pk="N", x="S"), DeletionProtectionEnabled=False)
    request = {"GlobalSecondaryIndexUpdates": [{"Create": index("glo", "g")}]}
    ok("UpdateTable", TableName=name, AttributeDefinitions=definitions(pk="N", g="S", x="B"), **request)
    assert wait_active(name, 1200)["AttributeDefinitions"] == definitions(g="S", pk="S", sk="S")
    tables.put(name, {"pk": S("a"), "sk": S("b")})
    ok("UpdateTable", TableName=name, **dropping())
    while wait_active(name).get("GlobalSecondaryIndexes"):
        pass
    assert ok("DescribeTable", TableName=name)["Table"]["AttributeDefinitions"] == definitions(pk="S", sk="S")


@op("UpdateTable", "CreateTable")
def test_the_twenty_first_index(new_table):
    name = fresh_table()
    request = plain(name, {"pk": "S", "g": "S"}, KeySchema=key_schema("pk"))
    request["GlobalSecondaryIndexes"] = [index(f"glo{n}", "g", None, "KEYS_ONLY") for n in range(20)]
    new_table(request)
    more = {"AttributeDefinitions": definitions(g="S"), "GlobalSecondaryIndexUpdates": [{"Create": index("more", "g")}]}
    text = "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 20"
    expect_error("UpdateTable", {"TableName": name, **more}, LIMIT, text)


@op("UpdateTable", "DescribeTable")
def test_an_index_is_made_while_another_changes(new_table):
    name = fresh_table()
    request = plain(name, {"pk": "S", "g": "S"}, KeySchema=key_schema("pk"), ProvisionedThroughput=FIVE)
    del request["BillingMode"]
    request["GlobalSecondaryIndexes"] = [{**index("glo", "g"), "ProvisionedThroughput": FIVE}]
    new_table(request)
    updates = creation()["GlobalSecondaryIndexUpdates"] + changing()["GlobalSecondaryIndexUpdates"]
    answer = ok("UpdateTable", TableName=name, AttributeDefinitions=definitions(h="S"), GlobalSecondaryIndexUpdates=updates)
    states = {i["IndexName"]: i["IndexStatus"] for i in answer["TableDescription"]["GlobalSecondaryIndexes"]}
    assert states == {"glo": "UPDATING", "more": "CREATING"}
    units = {i["IndexName"]: i["ProvisionedThroughput"]["ReadCapacityUnits"] for i in wait_active(name, 1200)["GlobalSecondaryIndexes"]}
    assert units == {"glo": 6, "more": 5}


@op("UpdateTable", "DeleteTable")
def test_a_table_with_an_index_in_the_making_stays(new_table):
    name = fresh_table()
    new_table(simple(name))
    ok("UpdateTable", TableName=name, **{**creation(), "GlobalSecondaryIndexUpdates": [{"Create": index("more", "h")}]})
    reply = call("DeleteTable", {"TableName": name})
    if reply.status == 200:  # it waited until the index was there, as docs/compatibility.md says
        wait_gone(name)
        return
    text = "Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, updated, or deleted."
    assert (reply.type, reply.message) == ("ResourceInUseException", text)
    wait_active(name, 1200)


# --- encryption ----------------------------------------------------------------------------------------------------

ENCRYPTION = {
    "type without": ({"Enabled": False, "SSEType": "KMS"}, INVALID + "SSEType can not be specified if Enabled is false"),
    "key without": ({"Enabled": False, "KMSMasterKeyId": "k"}, INVALID + "KMSMasterKeyId can not be specified if Enabled is false"),
    "both without": ({"Enabled": False, "SSEType": "KMS", "KMSMasterKeyId": "k"}, INVALID + "SSEType can not be specified if Enabled is false"),
    "aes": ({"Enabled": True, "SSEType": "AES256"}, INVALID + "SSEType AES256 is not supported"),
    "key alone": ({"Enabled": True, "KMSMasterKeyId": "k"}, INVALID + "SSEType KMS is required if KMSMasterKeyId is specified"),
    "no key": ({**KMS, "KMSMasterKeyId": ""}, one(unsatisfied("", "sSESpecification.kMSMasterKeyId", "Member must have length greater than or equal to 1"))),
    "no type": ({"Enabled": True, "SSEType": "kms"}, one(unsatisfied("kms", "sSESpecification.sSEType", "Member must satisfy enum value set: [AES256, KMS]"))),
}


@op("CreateTable", "UpdateTable")
@pytest.mark.parametrize("specification, text", ENCRYPTION.values(), ids=ENCRYPTION)
def test_encryption_that_is_refused(on_demand, specification, text):
    expect_validation("CreateTable", simple(NAME, SSESpecification=specification), text)
    assert call("DescribeTable", {"TableName": NAME}).type == NOT_FOUND
    expect_validation("UpdateTable", {"TableName": on_demand, "SSESpecification": specification}, text)


@op("CreateTable", "DescribeTable")
@pytest.mark.parametrize("specification", [{}, {"Enabled": False}], ids=["empty", "off"])
def test_no_encryption_of_its_own(new_table, specification):
    assert "SSEDescription" not in new_table(simple(fresh_table(), SSESpecification=specification))


@op("CreateTable", "DescribeTable")
@pytest.mark.parametrize("specification", [{"Enabled": True}, {"SSEType": "KMS"}, {**KMS, "KMSMasterKeyId": "alias/aws/dynamodb"}], ids=["on", "type", "alias"])
def test_the_key_of_the_service(new_table, specification):
    description = new_table(simple(fresh_table(), SSESpecification=specification))["SSEDescription"]
    assert (description["Status"], description["SSEType"]) == ("ENABLED", "KMS")
    assert re.fullmatch(rf"arn:aws:kms:{region()}:\d{{12}}:key/[0-9a-f-]{{36}}", description["KMSMasterKeyArn"])


@op("UpdateTable", "DescribeTable")
def test_encryption_there_and_back(new_table):
    name = fresh_table()
    new_table(simple(name))
    off_already = INVALID + "Table is already encrypted by default"
    for specification in ({"Enabled": False}, {}):
        expect_validation("UpdateTable", {"TableName": name, "SSESpecification": specification}, off_already)
    answer = ok("UpdateTable", TableName=name, SSESpecification=KMS)["TableDescription"]
    assert (answer["TableStatus"], answer["SSEDescription"]) == ("ACTIVE", {"Status": "UPDATING"})
    description = encrypted(name)
    same = {"TableName": name, "SSESpecification": {**KMS, "KMSMasterKeyId": description["KMSMasterKeyArn"]}}
    text = INVALID + "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key"
    expect_validation("UpdateTable", same, text)
    answer = ok("UpdateTable", TableName=name, SSESpecification={"Enabled": False})["TableDescription"]
    assert answer["SSEDescription"] == {**description, "Status": "UPDATING"}
    while "SSEDescription" in ok("DescribeTable", TableName=name)["Table"]:
        pass


def encrypted(name):
    while True:
        description = ok("DescribeTable", TableName=name)["Table"]["SSEDescription"]
        if description["Status"] == "ENABLED":
            return description


# --- streams -------------------------------------------------------------------------------------------------------

NEEDED = INVALID + "Table is being created with a stream {}"
STREAMS = {
    "no view": ({"StreamEnabled": True}, NEEDED.format("enabled, UpdateViewType is required"), INVALID + "If stream is being enabled then UpdateViewType is required"),
    "a view of nothing": (
        {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"},
        NEEDED.format("disabled, UpdateViewType should not be specified"),
        INVALID + "If stream is being disabled, then UpdateViewType must not be specified",
    ),
    "nothing": ({}, one(unsatisfied(None, "streamSpecification.streamEnabled", "Member must not be null")), None),
    "no word": (
        {"StreamEnabled": True, "StreamViewType": "new_image"},
        one(unsatisfied("new_image", "streamSpecification.streamViewType", "Member must satisfy enum value set: [OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE]")),
        None,
    ),
}


@op("CreateTable", "UpdateTable")
@pytest.mark.parametrize("specification, created, updated", STREAMS.values(), ids=STREAMS)
def test_streams_that_are_refused(on_demand, specification, created, updated):
    expect_validation("CreateTable", simple(NAME, StreamSpecification=specification), created)
    assert call("DescribeTable", {"TableName": NAME}).type == NOT_FOUND
    expect_validation("UpdateTable", {"TableName": on_demand, "StreamSpecification": specification}, updated or created)


@op("CreateTable", "UpdateTable", "DescribeTable")
def test_a_stream_is_on_or_off(new_table):
    name = fresh_table()
    made = new_table(simple(name, StreamSpecification=STREAM))
    assert made["StreamSpecification"] == STREAM
    assert made["LatestStreamArn"] == f'{made["TableArn"]}/stream/{made["LatestStreamLabel"]}'
    for view in ("NEW_IMAGE", "KEYS_ONLY"):
        request = {"TableName": name, "StreamSpecification": {"StreamEnabled": True, "StreamViewType": view}}
        expect_validation("UpdateTable", request, f"Table already has an enabled stream: TableName: {name}")
    off = {"TableName": name, "StreamSpecification": {"StreamEnabled": False}}
    assert ok("UpdateTable", **off)["TableDescription"]["TableStatus"] == "UPDATING"
    after = wait_active(name)
    assert "StreamSpecification" not in after and after["LatestStreamArn"] == made["LatestStreamArn"]
    expect_validation("UpdateTable", off, f"Table has no stream to disable: TableName: {name}")
    ok("UpdateTable", TableName=name, StreamSpecification=STREAM)
    assert wait_active(name)["LatestStreamLabel"] > made["LatestStreamLabel"]


# --- class, and what is refused by its name ------------------------------------------------------------------------


@op("UpdateTable", "DescribeTable")
def test_a_class_changes_twice(new_table):
    name = fresh_table()
    new_table(simple(name))
    assert ok("UpdateTable", TableName=name, TableClass="STANDARD")["TableDescription"]["TableStatus"] == "UPDATING"
    assert "TableClassSummary" not in wait_active(name)
    answer = ok("UpdateTable", TableName=name, TableClass="STANDARD_INFREQUENT_ACCESS")["TableDescription"]
    assert answer["TableStatus"] == "UPDATING" and "TableClassSummary" not in answer
    summary = wait_active(name)["TableClassSummary"]
    assert summary["TableClass"] == "STANDARD_INFREQUENT_ACCESS" and "LastUpdateDateTime" in summary
    ok("UpdateTable", TableName=name, TableClass="STANDARD")
    assert wait_active(name)["TableClassSummary"]["TableClass"] == "STANDARD"
    text = "Subscriber limit exceeded: Updates to TableClass are limited to 2 times in 30 day(s)."
    expect_error("UpdateTable", {"TableName": name, "TableClass": "STANDARD"}, LIMIT, text)


@op("CreateTable", "UpdateTable")
@pytest.mark.parametrize("word", ["INVALID", "standard", "STANDARD ", ""])
def test_a_class_that_is_none(on_demand, word):
    text = "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS]."
    expect_validation("CreateTable", simple(NAME, TableClass=word), text)
    assert call("DescribeTable", {"TableName": NAME}).type == NOT_FOUND
    for table in (on_demand, tables.ABSENT):
        expect_validation("UpdateTable", {"TableName": table, "TableClass": word}, text)


@op("UpdateTable", "DescribeTable")
def test_replication_of_settings(new_table):
    name = fresh_table()
    new_table(simple(name))
    for mode in ("ENABLED", "DISABLED"):
        ok("UpdateTable", TableName=name, GlobalTableSettingsReplicationMode=mode)
        assert wait_active(name)["GlobalTableSettingsReplicationMode"] == mode
    text = (
        "Value 'ENABLED_WITH_OVERRIDES' at 'GlobalTableSettingsReplicationMode' failed to satisfy constraint: "
        "Only ENABLED and DISABLED settings replication are supported for a Regional Table."
    )
    expect_validation("UpdateTable", {"TableName": name, "GlobalTableSettingsReplicationMode": "ENABLED_WITH_OVERRIDES"}, text)


NOT_HERE = [
    ("CreateTable", "ResourcePolicy", "{}"),
    ("CreateTable", "GlobalTableSourceArn", "arn:aws:dynamodb:us-east-1:123456789012:table/other"),
    ("CreateTable", "GlobalTableSettingsReplicationMode", "ENABLED"),
    ("UpdateTable", "ReplicaUpdates", [{"Create": {"RegionName": "eu-west-1"}}]),
    ("UpdateTable", "MultiRegionConsistency", "STRONG"),
    ("UpdateTable", "GlobalTableWitnessUpdates", [{"Create": {"RegionName": "eu-west-1"}}]),
    ("UpdateTable", "DisassociationProtectionEnabled", True),
]


@pytest.mark.parametrize("operation, member, value", NOT_HERE, ids=[m for _, m, _ in NOT_HERE])
def test_what_is_not_here_yet_is_refused_by_its_name(on_demand, operation, member, value):
    request = simple(NAME) if operation == "CreateTable" else {"TableName": on_demand, "DeletionProtectionEnabled": False}
    reply = call(operation, {**request, member: value})
    if reply.status == 200:
        tables.drop(NAME)
        pytest.skip("it is here")
    assert reply.type == "ValidationException"
    assert member in reply.message or operation == "CreateTable" and member == "ResourcePolicy"


NULLS = [
    ("CreateTable", simple(NAME, AttributeDefinitions=[None])),
    ("CreateTable", simple(NAME, KeySchema=[None])),
    ("CreateTable", simple(NAME, Tags=[None])),
    ("CreateTable", simple(NAME, GlobalSecondaryIndexes=[None])),
    ("CreateTable", simple(NAME, LocalSecondaryIndexes=[None])),
    ("CreateTable", simple(NAME, GlobalSecondaryIndexes=[{**index("glo", "pk", None, "INCLUDE"), "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": [None]}}])),
    ("UpdateTable", {"GlobalSecondaryIndexUpdates": [None]}),
    ("UpdateTable", {"AttributeDefinitions": [None], "DeletionProtectionEnabled": False}),
    ("UpdateTable", {"ReplicaUpdates": [None]}),
]


@pytest.mark.parametrize("operation, request_", NULLS, ids=range(len(NULLS)))
def test_null_in_a_list_is_refused(on_demand, operation, request_):
    request = request_ if operation == "CreateTable" else {"TableName": on_demand, **request_}
    reply = call(operation, request)
    assert reply.status == 400 and reply.type in ("ValidationException", "SerializationException"), repr(reply)
    assert call("ListTables", {"Limit": 1}).status == 200
    assert call("DescribeTable", {"TableName": NAME}).type == NOT_FOUND
