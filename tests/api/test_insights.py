"""UpdateContributorInsights, DescribeContributorInsights, ListContributorInsights."""

import re
import time

import pytest
import tables
from client import NOT_FOUND, NOT_NULL, enum, expect_error, expect_validation, ok, one, unsatisfied
from tables import definitions, fresh_table, index, plain, simple

op = pytest.mark.op
UPDATE, DESCRIBE, LIST = ALL = "UpdateContributorInsights", "DescribeContributorInsights", "ListContributorInsights"
MODE, ACCESSED, THROTTLED = "ContributorInsightsMode", "ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"
STATUS, ACTION = "ContributorInsightsStatus", "ContributorInsightsAction"


def update(name, action="ENABLE", **more):
    return ok(UPDATE, TableName=name, ContributorInsightsAction=action, **more)


def settled(name, **more):
    for _ in range(200):
        found = ok(DESCRIBE, TableName=name, **more)
        if not found[STATUS].endswith("ING"):
            return found
        time.sleep(0.01)
    raise AssertionError(found)


def listed(name):
    body = ok(LIST, TableName=name)
    assert "NextToken" not in body
    return body["ContributorInsightsSummaries"]


@pytest.fixture
def indexed(new_table):
    request = plain(fresh_table("insights"), {"pk": "S", "sk": "S"})
    request["AttributeDefinitions"] = definitions(pk="S", sk="S", g="S")
    request["GlobalSecondaryIndexes"] = [index("glo", "g")]
    request["LocalSecondaryIndexes"] = [index("loc", "pk", "g")]
    new_table(request)
    return request["TableName"]


@op(*ALL)
def test_on_and_off(indexed):
    assert ok(DESCRIBE, TableName=indexed) == {"TableName": indexed, STATUS: "DISABLED"}
    assert update(indexed, "DISABLE") == {"TableName": indexed, STATUS: "DISABLED"}
    assert listed(indexed) == []
    assert update(indexed) == {"TableName": indexed, STATUS: "ENABLING", MODE: ACCESSED}
    found = settled(indexed)
    assert (found[STATUS], found[MODE]) == ("ENABLED", ACCESSED)
    assert abs(found["LastUpdateDateTime"] - time.time()) < 30
    kinds = [re.fullmatch(rf"DynamoDBContributorInsights-(\w+)-{indexed}-\d{{13}}", rule)[1] for rule in found["ContributorInsightsRuleList"]]
    assert sorted(kinds) == ["PKC", "PKT", "SKC", "SKT"]
    assert listed(indexed) == [{"TableName": indexed, STATUS: "ENABLED", MODE: ACCESSED}]
    assert update(indexed) == {"TableName": indexed, STATUS: "ENABLED", MODE: ACCESSED}
    assert ok(DESCRIBE, TableName=indexed) == found
    assert update(indexed, "DISABLE") == {"TableName": indexed, STATUS: "DISABLING", MODE: ACCESSED}
    off = settled(indexed)
    assert sorted(off) == [MODE, STATUS, "LastUpdateDateTime", "TableName"] and off[STATUS] == "DISABLED"
    assert listed(indexed) == []


@op(UPDATE, DESCRIBE)
def test_modes(indexed):
    update(indexed)
    rules = settled(indexed)["ContributorInsightsRuleList"]
    assert update(indexed, **{MODE: THROTTLED})[STATUS] == "ENABLING"
    found = settled(indexed)
    assert found["ContributorInsightsRuleList"] == [rule for rule in rules if "KT-" in rule]
    assert found[MODE] == THROTTLED
    assert update(indexed)[MODE] == ACCESSED
    assert len(settled(indexed)["ContributorInsightsRuleList"]) == 4


@op(*ALL)
def test_an_index_is_its_own(indexed):
    assert update(indexed, IndexName="glo") == {"TableName": indexed, "IndexName": "glo", STATUS: "ENABLING", MODE: ACCESSED}
    found = settled(indexed, IndexName="glo")
    assert [rule.split("-")[1] for rule in found["ContributorInsightsRuleList"]] == ["PKC", "PKT"]
    assert f"-{indexed}-glo-" in found["ContributorInsightsRuleList"][0]
    assert ok(DESCRIBE, TableName=indexed)[STATUS] == "DISABLED"
    update(indexed)
    assert [summary.get("IndexName") for summary in listed(indexed)] == [None, "glo"]
    page = ok(LIST, TableName=indexed, MaxResults=1)
    assert len(page["ContributorInsightsSummaries"]) == 1
    rest = ok(LIST, TableName=indexed, MaxResults=1, NextToken=page["NextToken"])
    assert "NextToken" not in rest
    assert rest["ContributorInsightsSummaries"][0]["IndexName"] == "glo"
    ok("UpdateTable", TableName=indexed, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "glo"}}])
    tables.wait_active(indexed)
    assert [summary.get("IndexName") for summary in listed(indexed)] == [None]


@op(LIST, UPDATE)
def test_all_tables(new_table):
    names = sorted(fresh_table("insights_all") for _ in range(3))
    for name in names:
        new_table(simple(name))
    for name in names[1:]:
        update(name)
    for limit in (1, 2, 100):
        found, token = [], {}
        while True:
            page = ok(LIST, MaxResults=limit, **token)
            assert len(page["ContributorInsightsSummaries"]) <= limit
            found += [summary["TableName"] for summary in page["ContributorInsightsSummaries"]]
            if "NextToken" not in page:
                break
            token = {"NextToken": page["NextToken"]}
        assert [name for name in found if name in names] == names[1:]


@op(*ALL)
def test_what_is_not_there(indexed):
    gone = f"Requested resource not found: Table: {tables.ABSENT} not found"
    expect_error(LIST, {"TableName": tables.ABSENT}, NOT_FOUND, gone)
    for operation, more in ((UPDATE, {ACTION: "ENABLE"}), (DESCRIBE, {})):
        expect_error(operation, {"TableName": tables.ABSENT, **more}, NOT_FOUND, gone)
        for name in ("loc", "nope", "no#pe"):
            expect_error(operation, {"TableName": indexed, "IndexName": name, **more}, NOT_FOUND, f"Requested resource not found: Index: {name} not found for table: {indexed}")
        for name in ("", "ab", "x" * 256):
            expect_validation(operation, {"TableName": tables.ABSENT, "IndexName": name, **more}, "IndexName must be at least 3 characters long and at most 255 characters long")


@op(*ALL)
def test_a_table_may_be_named_by_its_arn(indexed):
    arn = ok("DescribeTable", TableName=indexed)["Table"]["TableArn"]
    assert update(arn)["TableName"] == indexed
    assert ok(DESCRIBE, TableName=arn)["TableName"] == indexed
    assert listed(arn)[0]["TableName"] == indexed


@op(UPDATE, LIST)
def test_constraints():
    request = {"TableName": tables.ABSENT}
    expect_validation(UPDATE, request, one(unsatisfied(None, "contributorInsightsAction", NOT_NULL)))
    expect_validation(UPDATE, {**request, ACTION: ""}, one(unsatisfied("", "contributorInsightsAction", enum("ENABLE", "DISABLE"))))
    expect_validation(UPDATE, {**request, ACTION: "ENABLE", MODE: ""}, one(unsatisfied("", "contributorInsightsMode", enum(THROTTLED, ACCESSED))))
    expect_validation(LIST, {"MaxResults": 101}, one(unsatisfied(101, "maxResults", "Member must have value less than or equal to 100")))
