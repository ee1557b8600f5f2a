"""Hooks: functions over HTTP that get every change, as Lambda calls them."""

import base64
import collections
import datetime
import json
import os
import random
import signal
import threading
import time

import pytest
from botocore.exceptions import BotoCoreError, ClientError
from receiver import running_receiver
from server import running_server
from sinks import create_sink, letters_of, sink, sinks_of
from waiting import wait_until

TABLE = "orders"
SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef").decode()
SECONDS = float(os.environ.get("PARTITA_SINK_SECONDS", 8))
WRITERS = 4


@pytest.fixture
def server():
    with running_server() as started:
        create_table(started.client())
        yield started


def create_table(client):
    client.create_table(TableName=TABLE, BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                        KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}])


def options(**values):
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


def put(client, key, value):
    client.put_item(TableName=TABLE, Item={"k": {"S": key}, "v": {"N": str(value)}})


def key_of(record):
    return record["dynamodb"]["Keys"]["k"]["S"]


def value_of(record):
    return int(record["dynamodb"]["NewImage"]["v"]["N"])


def well(_records):
    return 200, {}


def test_events_are_those_of_lambda(server, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(SECRET + "\n")
    secret.chmod(0o600)
    client = server.client()
    with running_receiver(well, SECRET) as receiver:
        create_sink(server, TABLE, receiver.url, "--name", "hook", "--credentials", secret)
        put(client, "a", 1)
        put(client, "a", 2)
        client.delete_item(TableName=TABLE, Key={"k": {"S": "a"}})
        wait_until(lambda: len(receiver.records) == 3)
        assert not receiver.wrong
    assert [record["eventName"] for record in receiver.records] == ["INSERT", "MODIFY", "REMOVE"]
    modified = receiver.records[1]
    assert set(modified) == {"eventID", "eventName", "eventVersion", "eventSource", "awsRegion", "dynamodb",
                             "eventSourceARN"}
    arn = client.describe_table(TableName=TABLE)["Table"]["TableArn"]
    assert modified["eventSourceARN"] == arn + "/stream/hook"
    change = modified["dynamodb"]
    assert change.pop("ApproximateCreationDateTime") == pytest.approx(time.time(), abs=60)
    assert change.pop("SequenceNumber").isdigit()
    assert change == {"Keys": {"k": {"S": "a"}}, "NewImage": {"k": {"S": "a"}, "v": {"N": "2"}},
                      "OldImage": {"k": {"S": "a"}, "v": {"N": "1"}}, "SizeBytes": 12,
                      "StreamViewType": "NEW_AND_OLD_IMAGES"}


def test_a_wrong_secret_loses_nothing(server, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("whsec_" + base64.b64encode(b"another").decode())
    secret.chmod(0o600)
    with running_receiver(well, SECRET) as receiver:
        create_sink(server, TABLE, receiver.url, "--name", "hook", "--credentials", secret,
                    *options(MaximumRetryAttempts=0))
        put(server.client(), "a", 1)
        wait_until(lambda: "401" in sinks_of(server)[0].get("Message", ""))
        assert receiver.records == []
        secret.write_text(SECRET)
        wait_until(lambda: len(receiver.records) == 1)
        wait_until(lambda: "Message" not in sinks_of(server)[0])


def test_failed_records_are_sent_again_from_the_first(server):
    failures = collections.Counter()

    def fail_some(records):
        for record in records:
            if value_of(record) % 5 == 3 and failures[value_of(record)] < 2:
                failures[value_of(record)] += 1
                return 200, {"batchItemFailures": [{"itemIdentifier": record["dynamodb"]["SequenceNumber"]}]}
            done.append(value_of(record))
        return 200, None

    done = []
    client = server.client()
    with running_receiver(fail_some) as receiver:
        create_sink(server, TABLE, receiver.url, "--name", "hook",
                    *options(FunctionResponseTypes="ReportBatchItemFailures", BatchSize=10,
                             MaximumBatchingWindowInSeconds=1))
        for value in range(20):
            put(client, "a", value)
        wait_until(lambda: len(done) == 20)
    assert done == list(range(20))
    assert failures == {3: 2, 8: 2, 13: 2, 18: 2}
    assert max(len(records) for records, _ in receiver.events) == 10


def test_bisection_makes_letters_of_what_fails_alone(server):
    poison = {7, 12}

    def fail(records):
        return (500 if any(value_of(record) in poison for record in records) else 200), {}

    client = server.client()
    with running_receiver(fail) as receiver:
        create_sink(server, TABLE, receiver.url, "--name", "hook",
                    *options(BisectBatchOnFunctionError="true", MaximumRetryAttempts=1, BatchSize=20,
                             MaximumBatchingWindowInSeconds=2))
        for value in range(20):
            put(client, "a", value)
        wait_until(lambda: len(receiver.records) == 18)
        assert [value_of(record) for record in receiver.records] == [n for n in range(20) if n not in poison]
        wait_until(lambda: len(letters_of(client, f"{TABLE}-dead-letters")) == 2)
        for letter in letters_of(client, f"{TABLE}-dead-letters").values():
            assert letter["reason"]["S"].startswith("No retries are left. The hook answered 500"), letter
        poison.clear()
        sink(server, "retry", TABLE, "hook")
        wait_until(lambda: not letters_of(client, f"{TABLE}-dead-letters"))
        assert [value_of(record) for record in receiver.records[-2:]] == [7, 12]


def test_on_failure_gets_what_is_given_up(server, tmp_path):
    def fail(records):
        return (500 if any(value_of(record) == 1 for record in records) else 200), {}

    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    client = server.client()
    with running_receiver(fail, SECRET) as receiver, running_receiver(well, SECRET) as failures:
        create_sink(server, TABLE, receiver.url, "--name", "hook", "--credentials", secret,
                    *options(OnFailure=failures.url, MaximumRetryAttempts=1, BatchSize=1))
        for value in range(3):
            put(client, "a", value)
        wait_until(lambda: len(receiver.records) == 2)
        wait_until(lambda: failures.bodies)
        assert not failures.wrong
    [told] = failures.bodies
    assert told["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert told["requestContext"]["approximateInvokeCount"] == 2
    assert told["DDBStreamBatchInfo"]["batchSize"] == 1
    [record] = json.loads(told["payload"])["Records"]
    assert value_of(record) == 1
    assert record["dynamodb"]["SequenceNumber"] == told["DDBStreamBatchInfo"]["startSequenceNumber"]
    assert letters_of(client, f"{TABLE}-dead-letters") == {}


def test_filters_and_what_is_refused(server):
    client = server.client()
    with running_receiver(well) as receiver:
        criteria = r'{"Filters":[{"Pattern":"{\"dynamodb\":{\"NewImage\":{\"v\":{\"N\":[{\"numeric\":[\">\",5]}]}}}}"}]}'
        create_sink(server, TABLE, receiver.url, "--name", "hook", *options(FilterCriteria=criteria))
        for value in range(10):
            put(client, "a", value)
        wait_until(lambda: len(receiver.records) == 4)
        assert [value_of(record) for record in receiver.records] == [6, 7, 8, 9]
        for name, value in (("TumblingWindowInSeconds", 901), ("OnFailure", "x"), ("BatchSize", 0), ("Other", 1)):
            with pytest.raises(AssertionError, match=name):
                create_sink(server, TABLE, receiver.url, "--name", "other", *options(**{name: value}))


@pytest.mark.parametrize("kills", [0, 2])
def test_tumbling_windows_count_every_change(tmp_path, kills):
    finals = []

    def count(event):
        state = event["state"]
        if event["isFinalInvokeForWindow"]:
            assert event["Records"] == []
            finals.append((event["window"]["start"], event["shardId"], state["count"]))
        for record in event["Records"]:
            written_s = record["dynamodb"]["ApproximateCreationDateTime"]
            end_s = datetime.datetime.fromisoformat(event["window"]["end"]).timestamp()
            assert written_s < end_s
        return {"state": {"count": state.get("count", 0) + len(event["Records"])}}

    written = 0
    with running_receiver(None, of_event=count) as receiver, running_server(data_dir=tmp_path / "data") as server:
        create_table(server.client())
        create_sink(server, TABLE, receiver.url, "--name", "hook", *options(TumblingWindowInSeconds=1, BatchSize=7))
        for number in range(kills + 1):
            client = server.client()
            for _ in range(120):
                put(client, f"k{written % 20}", written)
                written += 1
                time.sleep(0.01)
            if number < kills:
                server.process.send_signal(signal.SIGKILL)
                server.process.wait()
                server.start()
        wait_until(lambda: sum(count for _, _, count in finals) >= written)
        time.sleep(2.5)  # further last calls
    counted = sum(count for _, _, count in finals)
    assert not receiver.wrong
    assert counted == written if kills == 0 else counted >= written
    assert len({start for start, _, _ in finals}) > 1
    print(f"{written} changes, {counted} counted in {len(finals)} windows, {kills} kills")


def write_some(server, stop, number, written):
    """One writer of keys of its own; each value once, in order."""
    client = server.client()
    chance = random.Random(number)
    while not stop.is_set():
        key = f"{number}-{chance.randrange(6)}"
        value = written[key] + 1
        try:
            put(client, key, value)
        except (BotoCoreError, ClientError, OSError):
            # It may have been written. The next one then has the same value, which is no change.
            time.sleep(0.05)
            continue
        written[key] = value


def test_nothing_is_lost_and_items_keep_their_order_under_kills(tmp_path):
    chance = random.Random(1)
    done = []

    def fail_some(records):
        first = next((i for i in range(len(records)) if chance.random() < 0.01), None)
        draw = chance.random()
        if draw < 0.05:
            return 500, {}
        taken = records if first is None else records[:first]
        done.extend((key_of(record), value_of(record)) for record in taken)
        if first is None:
            return 200, {}
        return 200, {"batchItemFailures": [{"itemIdentifier": records[first]["dynamodb"]["SequenceNumber"]}]}

    written = collections.Counter()
    kills = 0
    with running_receiver(fail_some) as receiver, running_server(data_dir=tmp_path / "data") as server:
        create_table(server.client())
        create_sink(server, TABLE, receiver.url, "--name", "hook",
                    *options(FunctionResponseTypes="ReportBatchItemFailures", BatchSize=20, ParallelizationFactor=4,
                             BisectBatchOnFunctionError="true"))
        stop = threading.Event()
        writers = [threading.Thread(target=write_some, args=(server, stop, n, written)) for n in range(WRITERS)]
        for writer in writers:
            writer.start()
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            time.sleep(1 + chance.random())
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            server.start()
            kills += 1
        stop.set()
        for writer in writers:
            writer.join()
        expected = {key: list(range(1, value + 1)) for key, value in written.items()}

        def first_arrivals():
            seen = collections.defaultdict(list)
            for key, value in list(done):
                if value not in seen[key]:
                    seen[key].append(value)
            return seen

        wait_until(lambda: sum(map(len, first_arrivals().values())) >= sum(map(len, expected.values())))
        arrived = first_arrivals()
    for key, values in expected.items():
        assert arrived[key][:len(values)] == values, key
    print(f"{sum(map(len, expected.values()))} changes, {len(done)} arrivals, {len(receiver.events)} calls, {kills} kills")
    assert kills >= 3


def test_attempts_are_counted_through_kills(tmp_path):
    def fail(_records):
        return 500, {}

    with running_receiver(fail) as receiver, running_server(data_dir=tmp_path / "data") as server:
        create_table(server.client())
        create_sink(server, TABLE, receiver.url, "--name", "hook", *options(MaximumRetryAttempts=6))
        put(server.client(), "a", 1)
        wait_until(lambda: len(receiver.events) >= 4)
        time.sleep(0.7)  # until that is stored
        before = len(receiver.events)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        server.start()
        wait_until(lambda: letters_of(server.client(), f"{TABLE}-dead-letters"))
        assert before <= len(receiver.events) <= 8, "an attempt may be made again after a kill"
        assert len(set(receiver.ids)) == 1, "the same records have the same id"
