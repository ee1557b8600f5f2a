"""Sessions that end by themselves; and the clock of a development server, moved so that nobody has to wait."""

import time

import common
import pytest
import ttl
from server import running_server


@pytest.fixture(scope="module")
def answers(dynamodb):
    return ttl.run(dynamodb)


@pytest.mark.parametrize(
    "question, expected",
    [
        ("Time to live is", "ENABLED, by ExpiresAt"),
        ("A session is there at once", "yes"),
        ("What is left when its seconds are over", ["for an hour", "for ever"]),
        ("What is valid, whether deleted yet or not", ["for an hour", "for ever"]),
        ("Switched on once more", "ValidationException: TimeToLive is already enabled"),
    ],
)
def test_answers(answers, question, expected):
    assert answers[question] == expected


def test_every_question_is_asserted(answers):
    assert len(answers) == 5


def left(dynamodb):
    return sorted(item["SessionID"] for item in dynamodb.Table("Sessions").scan()["Items"])


def test_a_moved_clock(tmp_path):
    off = {"TableName": "Sessions", "TimeToLiveSpecification": {"AttributeName": "ExpiresAt", "Enabled": False}}
    with running_server(data_dir=tmp_path) as server:
        ttl.run(common.connect(server.url))
    with running_server(data_dir=tmp_path, extra_args=["--clock", "+50m"]) as server:
        dynamodb = common.connect(server.url)
        time.sleep(1.5)
        assert left(dynamodb) == ["for an hour", "for ever"]
    with running_server(data_dir=tmp_path, extra_args=["--clock=+2h"]) as server:
        assert "clock is moved by 7200 s" in server.log()
        dynamodb = common.connect(server.url)
        deadline = time.monotonic() + 10
        while left(dynamodb) != ["for ever"] and time.monotonic() < deadline:
            time.sleep(0.1)
        assert left(dynamodb) == ["for ever"]
        dynamodb.meta.client.update_time_to_live(**off)
    with running_server(data_dir=tmp_path) as server:
        assert left(common.connect(server.url)) == ["for ever"]
