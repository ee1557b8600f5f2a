"""Changes in Kafka: all of them, those of an item in their order, whatever is killed."""

import json
import os
import random
import time

import pytest
from counters import Writers, change, create_table, expected_of, last_of_each, wait_for
from kafka_server import Unavailable, running_kafka
from server import running_server
from sinks import create_sink, letters_of, run_sink, sinks_of, states_of
from waiting import wait_until

KILLS = int(os.environ.get("PARTITA_SINK_KILLS", 3))


@pytest.fixture(scope="module")
def kafka():
    try:
        with running_kafka() as running:
            yield running
    except Unavailable as why:
        pytest.skip(f"Kafka: {why}")


def keyed(kafka, topic):
    return [(key, record) for _, key, record in kafka.records(topic) if record]


def test_every_change_arrives_once_and_in_order(kafka):
    kafka.create_topic("once")
    with running_server() as server:
        client = server.client()
        create_table(client, "Orders")
        change(client, "Orders", "before")
        create_sink(server, "Orders", kafka.sink_url("once"), "--set", "compression=lz4")
        with Writers(server, "Orders"):
            time.sleep(3)
        expected = expected_of(client, "Orders")
        del expected["before"]
        found = wait_for(lambda: keyed(kafka, "once"), expected)
        assert all(values == sorted(values) and len(values) == expected[item] for item, values in found.items())
        assert sum(expected.values()) > 100
        records = kafka.records("once")
        places = {(key, partition) for partition, key, _ in records}
        assert len(places) == len({key for key, _ in places}) == len(expected)
        assert len({partition for _, partition in places}) > 1
        key, record = next((key, record) for _, key, record in records)
        assert json.loads(key) == record["dynamodb"]["Keys"]
        assert record["tableName"] == "Orders" and record["eventSource"] == "aws:dynamodb"


def test_removals_can_have_tombstones(kafka):
    kafka.create_topic("removed", partitions=1)
    with running_server() as server:
        client = server.client()
        create_table(client, "Orders")
        create_sink(server, "Orders", kafka.sink_url("removed"), "--set", "tombstones=true")
        change(client, "Orders", "gone")
        client.delete_item(TableName="Orders", Key={"p": {"S": "gone"}})
        wait_until(lambda: len(kafka.records("removed")) == 3)
        events = [record and record["eventName"] for _, key, record in kafka.records("removed")]
        assert events == ["INSERT", "REMOVE", None]
        assert {key for _, key, _ in kafka.records("removed")} == {'{"p":{"S":"gone"}}'}


def test_kills_of_either_side_lose_nothing(kafka):
    kafka.create_topic("kills")
    chance = random.Random(3)
    with running_server() as server:
        client = server.client()
        create_table(client, "Orders")
        create_sink(server, "Orders", kafka.sink_url("kills"))
        with Writers(server, "Orders"):
            for turn in range(KILLS):
                time.sleep(4 + chance.random())  # the lease of a killed server lasts three seconds
                server.kill()
                server.start()
                if turn % 2:
                    kafka.kill()
                    time.sleep(chance.random())
                    kafka.start()
        expected = expected_of(client, "Orders")
        found = wait_for(lambda: keyed(kafka, "kills"), expected)
        for values in found.values():
            assert last_of_each(values) == sorted(set(values)), values
        doubles = sum(map(len, found.values())) - sum(expected.values())
        print(f"{sum(expected.values())} changes, {KILLS} kills of Partita, {KILLS // 2} of Kafka, {doubles} doubles")


def test_a_broker_that_is_killed_makes_no_doubles(kafka):
    kafka.create_topic("broker")
    with running_server() as server:
        client = server.client()
        create_table(client, "Orders")
        create_sink(server, "Orders", kafka.sink_url("broker"))
        with Writers(server, "Orders"):
            for _ in range(2):
                time.sleep(1)
                kafka.kill()
                time.sleep(1)
                kafka.start()
        expected = expected_of(client, "Orders")
        found = wait_for(lambda: keyed(kafka, "broker"), expected)
        assert all(values == sorted(values) and len(values) == expected[item] for item, values in found.items())


def test_a_backlog_fits_into_a_topic_of_small_records(kafka):
    kafka.create_topic("little", partitions=1, max_message_bytes=20_000)
    with running_server() as server:
        client = server.client()
        create_table(client, "Orders")
        create_sink(server, "Orders", kafka.sink_url("little"), "--name", "little")
        run_sink(server, "pause", "Orders", "little")
        for number in range(300):
            client.put_item(TableName="Orders", Item={"p": {"S": f"item-{number % 50}"}, "n": {"N": str(number)},
                                                      "text": {"S": "x" * 300}})
        run_sink(server, "resume", "Orders", "little")
        wait_until(lambda: len(kafka.records("little")) >= 300)
        assert sinks_of(server, "Orders")[0]["Rejected"] == 0
        found = {}
        for key, record in keyed(kafka, "little"):
            found.setdefault(key, []).append(int(record["dynamodb"]["NewImage"]["n"]["N"]))
        assert all(last_of_each(values) == sorted(set(values)) for values in found.values())


def test_what_kafka_refuses(kafka):
    kafka.create_topic("small", partitions=1, max_message_bytes=2_000)
    with running_server() as server:
        client = server.client()
        create_table(client, "Orders")
        create_sink(server, "Orders", kafka.sink_url("absent"), "--name", "absent")
        wait_until(lambda: states_of(server, "Orders") == ["FAILED"])
        assert sinks_of(server, "Orders")[0]["Message"] == "Kafka has no topic absent."
        create_sink(server, "Orders", kafka.sink_url("small"), "--name", "small")
        client.put_item(TableName="Orders", Item={"p": {"S": "large"}, "text": {"S": "x" * 5_000}})
        client.put_item(TableName="Orders", Item={"p": {"S": "little"}})
        wait_until(lambda: len(kafka.records("small")) == 1)
        wait_until(lambda: letters_of(client, "Orders-dead-letters"))
        (letter,) = letters_of(client, "Orders-dead-letters").values()
        assert "large" in letter["reason"]["S"] and letter["event"]["S"] == "INSERT"
