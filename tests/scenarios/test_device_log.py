"""Scenario 1: a number as sort key."""

from decimal import Decimal

import device_log
import pytest
from boto3.dynamodb.conditions import Key
from common import query

JULY = "2011-07-09 13:00 installed"
AUGUST = "2018-08-29 12:00 battery low"
SEPTEMBER = "2018-09-04 13:00 battery replaced"


@pytest.fixture(scope="module")
def answers(dynamodb):
    return device_log.run(dynamodb)


@pytest.mark.parametrize(
    "question, expected",
    [
        ("Before 4 September 2018 (<)", [JULY, AUGUST]),
        ("The same, newest first", [AUGUST, JULY]),
        ("After 4 September 2018 (>)", [SEPTEMBER]),
        ("At the last event or before it (<=)", [JULY, AUGUST, SEPTEMBER]),
        ("Before the last event (<)", [JULY, AUGUST]),
        ("At the last event or after it (>=)", [SEPTEMBER]),
        ("After the last event (>)", []),
        ("Exactly at the last event (=)", [SEPTEMBER]),
        ("From 2011 until August 2018 (BETWEEN)", [JULY, AUGUST]),
        ("Numbers order as numbers", ["-40", "-5", "0.5", "9", "10", "1000"]),
        ("1000 is the number that was written as 1e3", ["1000"]),
    ],
)
def test_answers(answers, question, expected):
    assert answers[question] == expected


def test_every_question_is_asserted(answers):
    assert len(answers) == 11


def test_the_moment_of_the_scenario():
    assert device_log.utc(2018, 9, 4) == 1536019200


def test_the_scenarios_own_words(answers, client):
    """`timestamp < 1536019200`, as an expression and in the order that it prescribes."""
    request = {
        "TableName": "DeviceLog",
        "KeyConditionExpression": "DeviceID = :device AND #time < :moment",
        "ExpressionAttributeNames": {"#time": "timestamp"},
        "ExpressionAttributeValues": {":device": {"S": "123"}, ":moment": {"N": "1536019200"}},
    }
    found = client.query(**request)
    assert [item["timestamp"]["N"] for item in found["Items"]] == ["1310216400", "1535544000"]
    assert (found["Count"], found["ScannedCount"]) == (2, 2)
    assert "LastEvaluatedKey" not in found
    found = client.query(ScanIndexForward=False, **request)
    assert [item["timestamp"]["N"] for item in found["Items"]] == ["1535544000", "1310216400"]


def test_between_includes_both_ends(answers, dynamodb):
    ends = Key("timestamp").between(1310216400, 1535544000)
    assert len(query(dynamodb.Table("DeviceLog"), Key("DeviceID").eq("123") & ends)) == 2


@pytest.mark.parametrize("spelling", ["1000", "1e3", "1E+3", "1000.0", "01000", "0.1e4"])
def test_a_number_has_many_spellings_and_is_one_key(answers, client, spelling):
    key = {"DeviceID": {"S": "thermometer"}, "timestamp": {"N": spelling}}
    assert client.get_item(TableName="DeviceLog", Key=key)["Item"]["timestamp"] == {"N": "1000"}


def test_pages_go_on_where_they_ended(answers, dynamodb):
    """One item a page gives the same events in the same order, in both directions."""
    table = dynamodb.Table("DeviceLog")
    thermometer = Key("DeviceID").eq("thermometer")
    for forward in (True, False):
        found = [i["timestamp"] for i in query(table, thermometer, Limit=1, ScanIndexForward=forward)]
        assert found == sorted(found, reverse=not forward)
        assert len(found) == 6
        assert Decimal("0.5") in found
