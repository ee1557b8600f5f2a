"""The reports of Contributor Insights by boto3, and by hand in each of the three protocols of today's clients."""

import json
import re
import time

import pytest
from minutes import cloudwatch, minute_ends_in, span
from server import running_server
from test_cloudwatch import by_cbor, by_json, cbor, of_cbor, post, refused
from waiting import wait_until

TABLE = {"KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}],
         "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}],
         "BillingMode": "PAY_PER_REQUEST"}


def enable(client, table, **more):
    client.update_contributor_insights(TableName=table, ContributorInsightsAction="ENABLE", **more)
    wait_until(lambda: client.describe_contributor_insights(TableName=table)["ContributorInsightsStatus"] == "ENABLED")


def rule(server, kind, table="Votes"):
    rules = server.client().describe_contributor_insights(TableName=table)["ContributorInsightsRuleList"]
    return next(name for name in rules if name.startswith(f"DynamoDBContributorInsights-{kind}-{table}-"))


def request(server, kind, **more):
    return {"RuleName": rule(server, kind), "Period": 60, **span(), **more}


@pytest.fixture(scope="module")
def server():
    """With one minute of accesses."""
    with running_server(in_memory=True, extra_args=minute_ends_in(10)) as started:
        client = started.client()
        client.create_table(TableName="Votes", **TABLE)
        enable(client, "Votes")
        time.sleep(1.5)  # keys count from the next second on
        for n in range(4):
            client.put_item(TableName="Votes", Item={"p": {"S": "Ada"}, "n": {"N": str(n % 2)}})
        client.get_item(TableName="Votes", Key={"p": {"S": "Bob"}, "n": {"N": "7"}}, ConsistentRead=True)
        cloud = cloudwatch(started)
        wait_until(lambda: cloud.get_insight_rule_report(**request(started, "PKC"))["Contributors"])
        yield started


@pytest.fixture
def client(server):
    return cloudwatch(server)


def values(report):
    return {tuple(one["Keys"]): one["ApproximateAggregateValue"] for one in report["Contributors"]}


def test_the_rules(server, client):
    page = client.describe_insight_rules(MaxResults=3)
    rest = client.describe_insight_rules(NextToken=page["NextToken"])
    assert "NextToken" not in rest
    rules = page["InsightRules"] + rest["InsightRules"]
    assert [found["Name"].split("-")[1] for found in rules] == ["PKC", "PKT", "SKC", "SKT"]
    first = rules[0]
    assert first["State"] == "ENABLED"
    assert json.loads(first["Schema"]) == {"Name": "ServiceLogRule", "Version": 1}
    assert json.loads(first["Definition"])["Contribution"]["ValueOf"] == "ConsumedThroughputUnits"
    assert re.fullmatch(r"DynamoDBContributorInsights-PKC-Votes-\d{13}", first["Name"])


def test_reports_by_partition_key_and_by_pair(server, client):
    report = client.get_insight_rule_report(**request(server, "PKC"))
    assert report["KeyLabels"] == ["PartitionKey"]
    assert report["AggregationStatistic"] == "Sum"
    assert values(report) == {("Ada",): 12, ("Bob",): 1}
    assert report["AggregateValue"] == 13
    assert report["ApproximateUniqueCount"] == 2
    (point,) = report["Contributors"][0]["Datapoints"]
    assert point["ApproximateValue"] == 12
    assert "MetricDatapoints" not in report or report["MetricDatapoints"] == []
    pairs = client.get_insight_rule_report(**request(server, "SKC", MaxContributorCount=2))
    assert pairs["KeyLabels"] == ["PartitionKey", "SortKey"]
    assert values(pairs) == {("Ada", "0"): 6, ("Ada", "1"): 6}
    assert values(client.get_insight_rule_report(**request(server, "PKT"))) == {}


def test_metrics(server, client):
    report = client.get_insight_rule_report(**request(server, "PKC", Metrics=["MaxContributorValue", "Maximum", "SampleCount"]))
    (point,) = report["MetricDatapoints"]
    assert {name: value for name, value in point.items() if name != "Timestamp"} == {
        "MaxContributorValue": 12, "Maximum": 12, "SampleCount": 5}


def test_what_is_refused(server, client):
    assert refused("InvalidParameterValue", client.get_insight_rule_report, **request(server, "PKC", MaxContributorCount=26)) == (
        "The parameter MaxContributorCount must be at most 25.")
    assert refused("ResourceNotFoundException", client.get_insight_rule_report, **{**request(server, "PKC"), "RuleName": "none"}) == (
        "The insight rule none does not exist.")
    assert refused("InvalidParameterValue", client.get_insight_rule_report, **request(server, "PKC", Metrics=["p99"]))
    assert refused("InvalidAction", client.put_insight_rule, RuleName="own", RuleDefinition="{}") == (
        "The operation PutInsightRule of CloudWatch is not served by Partita.")


def test_the_protocols_agree(server, client):
    asked = request(server, "PKC")
    expected = values(client.get_insight_rule_report(**asked))
    times = {name: asked[name].timestamp() for name in ("StartTime", "EndTime")}
    status, _, body = by_json(server, "GetInsightRuleReport", {**asked, **times})
    assert status == 200, body
    assert values(json.loads(body)) == expected
    status, _, body = by_cbor(server, "GetInsightRuleReport", cbor(asked))
    assert status == 200, body
    assert values(of_cbor(body)[0]) == expected
    form = "&".join(["Action=GetInsightRuleReport", "Version=2010-08-01", "Period=60", f"RuleName={asked['RuleName']}",
                     *(f"{name}={asked[name].strftime('%Y-%m-%dT%H:%M:%SZ').replace(':', '%3A')}" for name in times)])
    status, _, body = post(server, form, {"Content-Type": "application/x-www-form-urlencoded"})
    assert status == 200, body
    assert b"<Keys><member>Ada</member></Keys>" in body, body
    # Errors, in the two protocols that newer SDKs speak.
    for status, headers, body in (by_json(server, "GetInsightRuleReport", {**asked, **times, "RuleName": "none"}),
                                  by_cbor(server, "GetInsightRuleReport", cbor({**asked, "RuleName": "none"}))):
        assert (status, headers["x-amzn-query-error"]) == (404, "ResourceNotFoundException;Sender"), body


def test_counts_survive_a_restart(tmp_path):
    with running_server(data_dir=tmp_path / "data", extra_args=minute_ends_in(6)) as server:
        client = server.client()
        client.create_table(TableName="Votes", **TABLE)
        enable(client, "Votes")
        cloud = cloudwatch(server)

        def reported():
            client.put_item(TableName="Votes", Item={"p": {"S": "Ada"}, "n": {"N": "1"}})
            return values(cloud.get_insight_rule_report(**request(server, "PKC")))
        wait_until(reported)
        before = values(cloud.get_insight_rule_report(**request(server, "PKC")))
    with running_server(data_dir=tmp_path / "data") as server:
        assert values(cloudwatch(server).get_insight_rule_report(**request(server, "PKC"))) == before


def test_the_limit_of_rules():
    with running_server(in_memory=True) as server:
        client = server.client()
        plain = {**TABLE, "KeySchema": TABLE["KeySchema"][:1], "AttributeDefinitions": TABLE["AttributeDefinitions"][:1]}
        client.create_table(TableName="Plain", **plain)
        enable(client, "Plain")
        for n in range(25):
            client.create_table(TableName=f"Table{n:02}", **TABLE)
        for n in range(24):
            enable(client, f"Table{n:02}")
        assert len(cloudwatch(server).describe_insight_rules()["InsightRules"]) == 98
        started = client.update_contributor_insights(TableName="Table24", ContributorInsightsAction="ENABLE")
        assert started["ContributorInsightsStatus"] == "ENABLING"

        def state(table="Table24"):
            found = client.describe_contributor_insights(TableName=table)
            return found["ContributorInsightsStatus"]
        wait_until(lambda: state() == "FAILED")
        found = client.describe_contributor_insights(TableName="Table24")
        assert found["FailureException"] == {
            "ExceptionName": "LimitExceededException",
            "ExceptionDescription": "Amazon CloudWatch Contributor Insights rule limit reached. Please disable Contributor "
                                    "Insights for other tables/indexes OR disable other CloudWatch Contributor Insights rules "
                                    "before retrying."}
        assert "ContributorInsightsRuleList" not in found
        assert client.list_contributor_insights(TableName="Table24")["ContributorInsightsSummaries"][0][
            "ContributorInsightsStatus"] == "FAILED"
        assert len(cloudwatch(server).describe_insight_rules()["InsightRules"]) == 98, "no rule in part"
        client.update_contributor_insights(TableName="Table00", ContributorInsightsAction="DISABLE")
        wait_until(lambda: state("Table00") == "DISABLED")
        assert state() == "FAILED", "it does not recover by itself"
        client.update_contributor_insights(TableName="Table24", ContributorInsightsAction="ENABLE")
        wait_until(lambda: state() == "ENABLED")
        assert "FailureException" not in client.describe_contributor_insights(TableName="Table24")
