"""ProvisionedThroughput, OnDemandThroughput, WarmThroughput and BillingMode, of tables and of global indexes."""

import re
import time

import pytest
import tables
from client import INVALID, NOT_FOUND, call, expect_error, expect_validation, ok, region
from tables import definitions, fresh_table, index, key_schema, plain, simple, wait_active
from values import S

op = pytest.mark.op
LIMIT = "LimitExceededException"
TABLE = tables.table_name("capacity_never")
MUCH = "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
INITIAL = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial"


def units(read, write):
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


def on_demand(name=TABLE, **more):
    request = plain(name, {"pk": "S", "g": "S"}, KeySchema=key_schema("pk"), **more)
    request.setdefault("GlobalSecondaryIndexes", [index("glo", "g")])
    return request


def provisioned(name=TABLE, read=5, write=5, **more):
    request = on_demand(name, **more)
    del request["BillingMode"]
    request["ProvisionedThroughput"] = units(read, write)
    for shape in request["GlobalSecondaryIndexes"]:
        shape.setdefault("ProvisionedThroughput", units(min(read, 50), min(write, 50)))
    return request


def with_index(request, **more):
    return {**request, "GlobalSecondaryIndexes": [{**request["GlobalSecondaryIndexes"][0], **more}]}


def out_of_range(member, whose="table"):
    return INVALID + f"Requested {member} for OnDemandThroughput for {whose} is outside of valid range"


def too_cold(member, whose, than):
    return INVALID + f"Requested {member} for WarmThroughput for {whose} is lower than {than}"


def too_much(member, structure, whose, quota):
    return f"Subscriber limit exceeded: Requested {member} for {structure} for {whose} exceeds {quota} of the account in region {region()}"


# --- CreateTable ---------------------------------------------------------------------------------------------------

REFUSED = {
    "a trillion": (provisioned(read=10**12 + 1), "Given value 1000000000001 for ReadCapacityUnits is out of bounds"),
    "a trillion of writes": (provisioned(write=10**12 + 1), "Given value 1000000000001 for WriteCapacityUnits is out of bounds"),
    "limits of a provisioned table": (
        provisioned(OnDemandThroughput={"MaxReadRequestUnits": 5}),
        INVALID + "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.",
    ),
    "no limit": (on_demand(OnDemandThroughput={"MaxReadRequestUnits": 0}), out_of_range("MaxReadRequestUnits")),
    "minus one": (on_demand(OnDemandThroughput={"MaxWriteRequestUnits": -1}), out_of_range("MaxWriteRequestUnits")),
    "minus two": (on_demand(OnDemandThroughput={"MaxReadRequestUnits": -2, "MaxWriteRequestUnits": -2}), out_of_range("MaxReadRequestUnits")),
    "no limit of an index": (
        with_index(on_demand(), OnDemandThroughput={"MaxReadRequestUnits": 0}),
        out_of_range("MaxReadRequestUnits", "index : glo"),
    ),
    "cold": (on_demand(WarmThroughput={"ReadUnitsPerSecond": 1}), too_cold("ReadUnitsPerSecond", "table", f"initial throughput for OnDemand. See: {INITIAL}")),
    "cold writes": (
        on_demand(WarmThroughput={"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": -1}),
        too_cold("WriteUnitsPerSecond", "table", f"initial throughput for OnDemand. See: {INITIAL}"),
    ),
    "colder than provisioned": (
        provisioned(WarmThroughput={"ReadUnitsPerSecond": 4, "WriteUnitsPerSecond": 4}),
        too_cold("ReadUnitsPerSecond", "table", "ReadCapacityUnits of ProvisionedThroughput"),
    ),
}


@op("CreateTable")
@pytest.mark.parametrize("request_, text", REFUSED.values(), ids=REFUSED)
def test_capacity_that_is_refused(request_, text):
    expect_validation("CreateTable", request_, text)
    assert call("DescribeTable", {"TableName": TABLE}).type == NOT_FOUND


@op("CreateTable")
def test_a_cold_index():
    request = with_index(on_demand(), WarmThroughput={"ReadUnitsPerSecond": 11999})
    text = re.escape(INVALID + "Requested ReadUnitsPerSecond for WarmThroughput for index glo is lower than initial throughput for OnDemand") + ".*"
    expect_validation("CreateTable", request, re.compile(text))


@op("CreateTable")
def test_limits_of_an_index_of_a_provisioned_table():
    request = with_index(provisioned(), OnDemandThroughput={"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 10})
    text = re.escape(INVALID + "MaxReadRequestUnits for OnDemandThroughput for index: glo cannot be specified") + ".*"
    expect_validation("CreateTable", request, re.compile(text))


def above(member, value, whose="table"):
    of_index = "" if whose == "table" else " for index glo"
    return f"The requested {member}{of_index}, {value}, is above the per {whose} maximum for the account in {region()}. Per table maximum: 40000. {MUCH}"


BEYOND = {
    "table": (provisioned(read=40001), above("ReadCapacityUnits", 40001)),
    "index": (with_index(provisioned(), ProvisionedThroughput=units(5, 40001)), above("WriteCapacityUnits", 40001, "index")),
    "limit": (on_demand(OnDemandThroughput={"MaxReadRequestUnits": 40001}), too_much("MaxReadRequestUnits", "OnDemandThroughput", "table", "TableMaxReadCapacityUnits")),
    "limit of an index": (
        with_index(on_demand(), OnDemandThroughput={"MaxWriteRequestUnits": 40001}),
        too_much("MaxWriteRequestUnits", "OnDemandThroughput", "index : glo", "TableMaxWriteCapacityUnits"),
    ),
}


@op("CreateTable")
@pytest.mark.parametrize("request_, text", BEYOND.values(), ids=BEYOND)
def test_beyond_the_account(request_, text):
    expect_error("CreateTable", request_, LIMIT, text)
    assert call("DescribeTable", {"TableName": TABLE}).type == NOT_FOUND


@op("CreateTable", "DescribeTable")
def test_partial_and_empty_structures(new_table):
    request = on_demand(fresh_table(), OnDemandThroughput={"MaxReadRequestUnits": 100})
    request = with_index(request, OnDemandThroughput={}, WarmThroughput={})
    active = new_table({**request, "WarmThroughput": {"ReadUnitsPerSecond": 12001}})
    assert active["OnDemandThroughput"] == {"MaxReadRequestUnits": 100}
    assert active["WarmThroughput"] == {"ReadUnitsPerSecond": 12001, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}
    (glo,) = active["GlobalSecondaryIndexes"]
    assert "OnDemandThroughput" not in glo
    assert glo["WarmThroughput"] == {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}


@op("CreateTable", "DescribeTable")
def test_warmth_of_a_provisioned_table(new_table):
    request = provisioned(fresh_table(), 7, 3)
    assert "WarmThroughput" not in new_table(request, wait=False)
    active = wait_active(request["TableName"])
    assert active["WarmThroughput"] == {"ReadUnitsPerSecond": 7, "WriteUnitsPerSecond": 3, "Status": "ACTIVE"}
    assert active["GlobalSecondaryIndexes"][0]["WarmThroughput"]["ReadUnitsPerSecond"] == 7


# --- UpdateTable ---------------------------------------------------------------------------------------------------


def of_index(name="glo", **change):
    return {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": name, **change}}]}


@op("UpdateTable", "DescribeTable")
def test_the_answer_has_the_old_units_and_the_new_times(new_table):
    name = fresh_table()
    before = new_table(provisioned(name))
    assert "LastIncreaseDateTime" not in before["ProvisionedThroughput"]
    answer = ok("UpdateTable", TableName=name, ProvisionedThroughput=units(6, 4))["TableDescription"]
    assert answer["TableStatus"] == "UPDATING"
    shown = answer["ProvisionedThroughput"]
    assert (shown["ReadCapacityUnits"], shown["WriteCapacityUnits"], shown["NumberOfDecreasesToday"]) == (5, 5, 0)
    assert {"LastIncreaseDateTime", "LastDecreaseDateTime"} <= set(shown)
    active = wait_active(name)
    shown = active["ProvisionedThroughput"]
    assert (shown["ReadCapacityUnits"], shown["WriteCapacityUnits"], shown["NumberOfDecreasesToday"]) == (6, 4, 1)
    assert (active["WarmThroughput"]["ReadUnitsPerSecond"], active["WarmThroughput"]["WriteUnitsPerSecond"]) == (6, 5)


@op("UpdateTable", "DescribeTable")
def test_units_of_an_index(new_table):
    name = fresh_table()
    new_table(provisioned(name))
    answer = ok("UpdateTable", TableName=name, **of_index(ProvisionedThroughput=units(6, 6)))["TableDescription"]
    (shown,) = answer["GlobalSecondaryIndexes"]
    assert (answer["TableStatus"], shown["IndexStatus"]) == ("ACTIVE", "UPDATING")
    assert shown["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    (shown,) = wait_active(name)["GlobalSecondaryIndexes"]
    assert shown["ProvisionedThroughput"]["ReadCapacityUnits"] == 6
    text = (
        "The provisioned throughput for the index glo will not change. The requested value equals the current value. "
        "Current ReadCapacityUnits provisioned for index glo: 6. Requested ReadCapacityUnits: 6. "
        f"Current WriteCapacityUnits provisioned for index glo: 6. Requested WriteCapacityUnits: 6. {MUCH}"
    )
    expect_validation("UpdateTable", {"TableName": name, **of_index(ProvisionedThroughput=units(6, 6))}, text)


@op("UpdateTable", "Query", "Scan")
def test_an_index_is_read_while_it_is_updated(new_table):
    name = fresh_table()
    new_table(provisioned(name))
    tables.put(name, {"pk": S("a"), "g": S("b")})
    ok("UpdateTable", TableName=name, **of_index(ProvisionedThroughput=units(6, 6)))
    assert ok("Scan", TableName=name, IndexName="glo")["Count"] == 1
    query = {"KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": S("b")}}
    assert ok("Query", TableName=name, IndexName="glo", **query)["Count"] == 1


@op("UpdateTable")
def test_the_fifth_decrease_of_a_day(new_table):
    name = fresh_table()
    new_table(provisioned(name, 50, 50))
    for left in (49, 48, 47, 46):
        ok("UpdateTable", TableName=name, ProvisionedThroughput=units(left, 50))
        wait_active(name)
    text = re.compile(
        "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the first 4 "
        "decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. Number of "
        r"decreases today: 4. Last decrease at \w+day, \w+ \d+, \d{4} at \d+:\d\d:\d\d [AP]M Coordinated Universal Time. "
        r"Next decrease can be made at \w+day, \w+ \d+, \d{4} at \d+:\d\d:\d\d [AP]M Coordinated Universal Time\.?"
    )
    request = {"TableName": name, "ProvisionedThroughput": units(60, 49)}
    expect_error("UpdateTable", request, LIMIT, text)
    expect_error("UpdateTable", {**request, **of_index(ProvisionedThroughput=units(40, 40))}, LIMIT, text)
    shown = wait_active(name)
    assert shown["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 4
    assert shown["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 50
    ok("UpdateTable", TableName=name, **of_index(ProvisionedThroughput=units(40, 40)))


@op("UpdateTable", "DescribeTable")
def test_billing_with_an_index(new_table):
    name = fresh_table()
    created = new_table(on_demand(name, OnDemandThroughput={"MaxReadRequestUnits": 9}))
    answer_lacks = "ProvisionedThroughput must be specified for index: glo"
    switch = {"TableName": name, "BillingMode": "PROVISIONED"}
    expect_validation("UpdateTable", switch, INVALID + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    only_index = {**switch, **of_index(ProvisionedThroughput=units(8, 8))}
    expect_validation("UpdateTable", only_index, INVALID + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    switch["ProvisionedThroughput"] = units(7, 7)
    expect_validation("UpdateTable", switch, INVALID + answer_lacks)
    answer = ok("UpdateTable", **switch, **of_index(ProvisionedThroughput=units(8, 8)))["TableDescription"]
    assert answer["TableStatus"] == "UPDATING"
    assert answer["ProvisionedThroughput"]["ReadCapacityUnits"] == 7
    assert answer["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 8
    active = wait_active(name, 300)
    assert "OnDemandThroughput" not in active
    assert active["BillingModeSummary"] == {**created["BillingModeSummary"], "BillingMode": "PROVISIONED"}
    assert active["WarmThroughput"]["ReadUnitsPerSecond"] == 12000


@op("UpdateTable", "DescribeTable")
def test_the_first_switch_to_on_demand(new_table):
    name = fresh_table()
    assert "BillingModeSummary" not in new_table(provisioned(name))
    answer = ok("UpdateTable", TableName=name, BillingMode="PAY_PER_REQUEST", OnDemandThroughput={"MaxReadRequestUnits": 100})
    assert answer["TableDescription"]["BillingModeSummary"] == {"BillingMode": "PAY_PER_REQUEST"}
    shown = answer["TableDescription"]["ProvisionedThroughput"]
    assert (shown["ReadCapacityUnits"], shown["WriteCapacityUnits"], shown["NumberOfDecreasesToday"]) == (0, 0, 0)
    assert "LastDecreaseDateTime" in shown and "LastIncreaseDateTime" not in shown
    active = wait_active(name, 300)
    assert "LastDecreaseDateTime" not in active["ProvisionedThroughput"]
    assert "LastUpdateToPayPerRequestDateTime" in active["BillingModeSummary"]
    assert active["OnDemandThroughput"] == {"MaxReadRequestUnits": 100}
    assert active["WarmThroughput"]["WriteUnitsPerSecond"] == 4000
    assert active["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 0


@op("UpdateTable", "DescribeTable")
def test_limits_are_merged_and_taken_away(new_table):
    name = fresh_table()
    new_table(on_demand(name))
    steps = [
        ({"MaxReadRequestUnits": 1000, "MaxWriteRequestUnits": 500}, {"MaxReadRequestUnits": 1000, "MaxWriteRequestUnits": 500}),
        ({"MaxReadRequestUnits": 2000}, {"MaxReadRequestUnits": 2000, "MaxWriteRequestUnits": 500}),
        ({"MaxReadRequestUnits": -1}, {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": 500}),
        ({"MaxWriteRequestUnits": 500}, {"MaxWriteRequestUnits": 500}),
        ({"MaxWriteRequestUnits": -1}, {"MaxWriteRequestUnits": -1}),
    ]
    for sent, shown in steps:
        answer = ok("UpdateTable", TableName=name, OnDemandThroughput=sent)["TableDescription"]
        assert answer["TableStatus"] == "ACTIVE"
        assert answer["OnDemandThroughput"] == shown, sent
        settled(name)
    assert "OnDemandThroughput" not in settled(name)


def settled(name):
    """The description once no limit is shown that was taken away."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        table = ok("DescribeTable", TableName=name)["Table"]
        if -1 not in table.get("OnDemandThroughput", {}).values():
            return table
        time.sleep(0.02)
    raise AssertionError("a limit that was taken away is still shown")


@pytest.fixture(scope="module")
def paid_by_request():
    yield from tables.standing(on_demand(fresh_table("paid_by_request")))


@pytest.fixture(scope="module")
def paid_ahead():
    yield from tables.standing(provisioned(fresh_table("paid_ahead")))


DECREASED = "lower than current WarmThroughput, decreasing WarmThroughput is not supported"
ONLY_UPDATES = INVALID + "The only Updates for index: glo when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput"
NEEDS_UNITS = INVALID + "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: {}"


def creation(**more):
    return {"AttributeDefinitions": definitions(h="S"), "GlobalSecondaryIndexUpdates": [{"Create": {**index("more", "h"), **more}}]}


ON_DEMAND = {
    "units": (
        {"ProvisionedThroughput": units(1, 1)},
        INVALID + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
    ),
    "units of an index": (of_index(ProvisionedThroughput=units(1, 1)), ONLY_UPDATES),
    "nothing of an index": (of_index(), ONLY_UPDATES),
    "an empty limit of an index": (of_index(OnDemandThroughput={}), ONLY_UPDATES),
    "units of a new index": (
        creation(ProvisionedThroughput=units(1, 1)),
        INVALID + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: more when BillingMode is PAY_PER_REQUEST",
    ),
    "no limit": ({"OnDemandThroughput": {"MaxWriteRequestUnits": 0}}, out_of_range("MaxWriteRequestUnits")),
    "minus two": ({"OnDemandThroughput": {"MaxReadRequestUnits": -2}}, out_of_range("MaxReadRequestUnits")),
    "minus two of an index": (of_index(OnDemandThroughput={"MaxReadRequestUnits": -2}), out_of_range("MaxReadRequestUnits", "index : glo")),
    "colder": (
        {"WarmThroughput": {"ReadUnitsPerSecond": 11999}},
        INVALID + f"Requested ReadUnitsPerSecond for WarmThroughput for table is {DECREASED}",
    ),
    "a colder index": (
        of_index(WarmThroughput={"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 1}),
        INVALID + f"Requested WriteUnitsPerSecond for WarmThroughput for index glo is {DECREASED}",
    ),
    "an empty warmth of an index": (of_index(WarmThroughput={}), NEEDS_UNITS.format("glo")),
    "the same of no index": (of_index("ghost", WarmThroughput={}), NEEDS_UNITS.format("ghost")),
}


@op("UpdateTable")
@pytest.mark.parametrize("request_, text", ON_DEMAND.values(), ids=ON_DEMAND)
def test_on_demand_changes_that_are_refused(paid_by_request, request_, text):
    expect_validation("UpdateTable", {"TableName": paid_by_request, **request_}, text)


PROVISIONED = {
    "limits": (
        {"OnDemandThroughput": {"MaxReadRequestUnits": 1}},
        INVALID + "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED",
    ),
    "limits of an index": (
        of_index(OnDemandThroughput={"MaxWriteRequestUnits": 1}),
        INVALID + "MaxWriteRequestUnits for OnDemandThroughput for index : glo cannot be specified when the table BillingMode is PROVISIONED",
    ),
    "colder": (
        {"WarmThroughput": {"ReadUnitsPerSecond": 4}},
        INVALID + f"Requested ReadUnitsPerSecond for WarmThroughput for table is {DECREASED}",
    ),
    "a new index without units": (
        creation(),
        INVALID + "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: more",
    ),
    "a trillion": ({"ProvisionedThroughput": units(10**12 + 1, 5)}, "Given value 1000000000001 for ReadCapacityUnits is out of bounds"),
    "a trillion of an index": (
        of_index(ProvisionedThroughput=units(5, 10**12 + 1)),
        "Given value 1000000000001 for WriteCapacityUnits is out of bounds for index glo",
    ),
}


@op("UpdateTable")
@pytest.mark.parametrize("request_, text", PROVISIONED.values(), ids=PROVISIONED)
def test_provisioned_changes_that_are_refused(paid_ahead, request_, text):
    expect_validation("UpdateTable", {"TableName": paid_ahead, **request_}, text)


@op("UpdateTable")
def test_changes_beyond_the_account(paid_ahead, paid_by_request):
    request = {"TableName": paid_ahead, "ProvisionedThroughput": units(40001, 5)}
    expect_error("UpdateTable", request, LIMIT, above("ReadCapacityUnits", 40001))
    text = too_much("ReadUnitsPerSecond", "WarmThroughput", "index glo", "TableMaxReadCapacityUnits")
    expect_error("UpdateTable", {"TableName": paid_by_request, **of_index(WarmThroughput={"ReadUnitsPerSecond": 40001})}, LIMIT, text)


@op("UpdateTable", "DescribeTable")
def test_warmth_grows(new_table):
    name = fresh_table()
    new_table(on_demand(name))
    answer = ok("UpdateTable", TableName=name, WarmThroughput={"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000})
    assert answer["TableDescription"]["WarmThroughput"]["Status"] == "UPDATING"
    answer = ok("UpdateTable", TableName=name, WarmThroughput={"ReadUnitsPerSecond": 12001})["TableDescription"]
    assert (answer["TableStatus"], answer["WarmThroughput"]["ReadUnitsPerSecond"]) == ("ACTIVE", 12000)


@op("UpdateTable")
def test_empty_structures_count_as_absent(paid_by_request):
    ok("UpdateTable", TableName=paid_by_request, DeletionProtectionEnabled=False, WarmThroughput={})
    ok("UpdateTable", TableName=paid_by_request, BillingMode="PAY_PER_REQUEST", OnDemandThroughput={})
    wait_active(paid_by_request)


@op("UpdateTable")
@pytest.mark.parametrize("member", ["WarmThroughput", "OnDemandThroughput"])
def test_an_empty_structure_alone_fails_behind_the_table(paid_by_request, paid_ahead, member):
    expect_error("UpdateTable", {"TableName": tables.ABSENT, member: {}}, NOT_FOUND)
    for name in (paid_by_request, paid_ahead):
        assert call("UpdateTable", {"TableName": name, member: {}}).status in (400, 500)  # DynamoDB: 500 without a text
    text = re.compile("At least one of ProvisionedThroughput, .* or TableClass is required")
    expect_validation("UpdateTable", {"TableName": tables.ABSENT}, text)


@op("CreateTable")
def test_the_smallest_table_needs_units():
    request = simple(TABLE)
    del request["BillingMode"]
    text = INVALID + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
    expect_validation("CreateTable", request, text)
