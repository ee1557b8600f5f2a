"""Kinesis streaming of tables: every change arrives, those of an item in their order, whatever happens."""

import datetime
import json
import os
import random
import time
import urllib.request

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from counters import Writers, by_item, change, create_table, expected_of, last_of_each, wait_for
from fake_kinesis import running_fake_kinesis
from kinesis_servers import Unavailable, running_kinesis
from server import running_server
from sinks import create_sink, letters_of, run_sink, sinks_of, states_of
from store_content import SIGNED
from waiting import wait_until

ARN = "arn:aws:kinesis:us-east-1:000000000000:stream/{}"
STATUS = "DestinationStatus"
KILLS = int(os.environ.get("PARTITA_SINK_KILLS", 3))


@pytest.fixture(scope="module", params=["kinesalite", "moto"])
def kinesis(request):
    try:
        with running_kinesis(request.param) as running, running_fake_kinesis(upstream=running.url) as relay:
            # It loses records of requests that come at the same time; the relay sends them one by one.
            if request.param == "moto":
                running.url = relay.url
            yield running
    except Unavailable as why:
        pytest.skip(f"{request.param}: {why}")


def destination(client, table):
    return client.describe_kinesis_streaming_destination(TableName=table)["KinesisDataStreamDestinations"][0]


def call(server, operation, **members):
    """For members that older clients do not know."""
    headers = {"X-Amz-Target": f"DynamoDB_20120810.{operation}", "Content-Type": "application/x-amz-json-1.0",
               "Authorization": SIGNED, "X-Amz-Date": "20260101T000000Z"}
    request = urllib.request.Request(server.url, json.dumps(members).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


def enable(server, table, arn, **configuration):
    client = server.client()
    reply = call(server, "EnableKinesisStreamingDestination", TableName=table, StreamArn=arn, EnableKinesisStreamingConfiguration=configuration)
    assert reply[STATUS] == "ENABLING"
    wait_until(lambda: destination(client, table)[STATUS] != "ENABLING")
    assert destination(client, table)[STATUS] == "ACTIVE", destination(client, table)


def test_every_change_arrives_once_and_in_order(kinesis):
    arn = kinesis.create_stream("once", shards=3)
    with running_server(extra_args=["--kinesis-endpoint", kinesis.url]) as server:
        client = server.client()
        create_table(client, "Orders")
        change(client, "Orders", "before")
        enable(server, "Orders", arn)
        with Writers(server, "Orders"):
            time.sleep(3)
        expected = expected_of(client, "Orders")
        del expected["before"]
        found = wait_for(lambda: kinesis.records("once"), expected)
        assert all(values == sorted(values) and len(values) == expected[item] for item, values in found.items())
        assert sum(expected.values()) > 100
        ids = [record["eventID"] for _, record in kinesis.records("once")]
        assert len(set(ids)) == len(ids) == sum(expected.values())


def test_a_record_is_what_dynamodb_sends():
    with running_fake_kinesis() as kinesis, running_server(in_memory=True, extra_args=["--kinesis-endpoint", kinesis.url]) as server:
        client = server.client()
        create_table(client, "Orders")
        enable(server, "Orders", ARN.format("orders"), ApproximateCreationDateTimePrecision="MICROSECOND")
        change(client, "Orders", "a")
        client.delete_item(TableName="Orders", Key={"p": {"S": "a"}})
        wait_until(lambda: len(kinesis.records("orders")) == 2)
        (key, first), (same_key, second) = kinesis.records("orders")
        assert key == same_key and len(key) == 32
        micros = first["dynamodb"].pop("ApproximateCreationDateTime")
        assert abs(micros / 1e6 - time.time()) < 60
        event = first.pop("eventID")
        assert event != second["eventID"]
        assert first == {
            "awsRegion": "us-east-1", "eventName": "INSERT", "userIdentity": None, "recordFormat": "application/json",
            "tableName": "Orders", "eventSource": "aws:dynamodb",
            "dynamodb": {"Keys": {"p": {"S": "a"}}, "NewImage": {"p": {"S": "a"}, "n": {"N": "1"}}, "SizeBytes": 7,
                         "ApproximateCreationDateTimePrecision": "MICROSECOND"}}
        assert second["eventName"] == "REMOVE" and second["dynamodb"]["OldImage"] == {"p": {"S": "a"}, "n": {"N": "1"}}
        call(server, "UpdateKinesisStreamingDestination", TableName="Orders", StreamArn=ARN.format("orders"),
             UpdateKinesisStreamingConfiguration={"ApproximateCreationDateTimePrecision": "MILLISECOND"})
        wait_until(lambda: destination(client, "Orders")[STATUS] == "ACTIVE")
        change(client, "Orders", "b")
        wait_until(lambda: len(kinesis.records("orders")) == 3)
        third = kinesis.records("orders")[2][1]["dynamodb"]
        assert "ApproximateCreationDateTimePrecision" not in third and abs(third["ApproximateCreationDateTime"] / 1e3 - time.time()) < 60


def test_requests_are_signed_as_aws_wants(tmp_path):
    keys = tmp_path / "keys"
    keys.write_text("[streams]\naws_access_key_id = AKIDSTREAMS\naws_secret_access_key = some secret\naws_session_token = a+token\n")
    keys.chmod(0o600)
    with running_fake_kinesis() as kinesis, running_server(
            in_memory=True, extra_args=["--kinesis-endpoint", kinesis.url, "--kinesis-credentials", keys]) as server:
        client = server.client()
        create_table(client, "Orders")
        enable(server, "Orders", "arn:aws:kinesis:eu-west-3:000000000000:stream/orders")
        change(client, "Orders", "a")
        wait_until(lambda: kinesis.records("orders"))
        for headers, body in kinesis.seen:
            request = AWSRequest("POST", kinesis.url + "/", {name: headers[name] for name in ("Content-Type", "X-Amz-Target")}, body)
            signer = SigV4Auth(Credentials("AKIDSTREAMS", "some secret", "a+token"), "kinesis", "eu-west-3")
            request.context["timestamp"] = headers["X-Amz-Date"]
            request.headers["X-Amz-Date"] = headers["X-Amz-Date"]
            request.headers["X-Amz-Security-Token"] = headers["X-Amz-Security-Token"]
            signature = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
            assert headers["Authorization"].endswith(f", Signature={signature}")
            sent = datetime.datetime.strptime(headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
            assert abs(sent.timestamp() - time.time()) < 60


def test_partial_failures_keep_the_order_of_items(kinesis):
    arn = kinesis.create_stream("partial", shards=2)
    chance = random.Random(1)
    with running_fake_kinesis(upstream=kinesis.url) as relay, running_server(extra_args=["--kinesis-endpoint", relay.url]) as server:
        client = server.client()
        create_table(client, "Orders")
        enable(server, "Orders", arn)
        relay.fails = lambda record: chance.random() < 0.1
        with Writers(server, "Orders"):
            time.sleep(3)
        relay.fails = lambda record: False
        expected = expected_of(client, "Orders")
        found = wait_for(lambda: kinesis.records("partial"), expected)
        assert relay.failed > 20
        for values in found.values():
            assert last_of_each(values) == sorted(set(values)), values
        # A failure sends the later changes of the same item again, and no others.
        assert sum(map(len, found.values())) < 1.5 * sum(expected.values())


def test_kills_lose_nothing(kinesis):
    arn = kinesis.create_stream("kills", shards=2)
    chance = random.Random(2)
    with running_fake_kinesis(upstream=kinesis.url) as relay, running_server(extra_args=["--kinesis-endpoint", relay.url]) as server:
        client = server.client()
        create_table(client, "Orders")
        enable(server, "Orders", arn)
        relay.fails = lambda record: chance.random() < 0.02
        with Writers(server, "Orders"):
            for _ in range(KILLS):
                # The lease of the killed server lasts three seconds.
                time.sleep(4 + chance.random())
                server.kill()
                server.start()
        relay.fails = lambda record: False
        expected = expected_of(client, "Orders")
        found = wait_for(lambda: kinesis.records("kills"), expected)
        for values in found.values():
            assert last_of_each(values) == sorted(set(values)), values
        assert destination(client, "Orders")[STATUS] == "ACTIVE"
        doubles = sum(map(len, found.values())) - sum(expected.values())
        print(f"{kinesis.name}: {sum(expected.values())} changes, {KILLS} kills, {relay.failed} failures, {doubles} doubles")


def test_enabling_goes_on_after_a_kill():
    with running_fake_kinesis() as kinesis, running_server(extra_args=["--kinesis-endpoint", kinesis.url]) as server:
        client = server.client()
        create_table(client, "Orders")
        for stream, status in (("absent", "ENABLE_FAILED"), ("orders", "ACTIVE")):
            client.enable_kinesis_streaming_destination(TableName="Orders", StreamArn=ARN.format(stream))
            server.kill()
            server.start()
            wait_until(lambda: destination(client, "Orders")[STATUS] != "ENABLING")
            assert destination(client, "Orders")[STATUS] == status
        assert [each["State"] for each in sinks_of(server, "Orders") if each["State"] != "DELETING"] == ["CARRYING"]
        client.delete_table(TableName="Orders")
        wait_until(lambda: json.loads(run_sink(server, "list", "--json"))["Sinks"] == [])


def test_changes_wait_while_the_endpoint_is_away():
    """Also if the server is started meanwhile."""
    away = "http://127.0.0.1:1"
    with running_fake_kinesis() as kinesis, running_server(extra_args=["--kinesis-endpoint", kinesis.url]) as server:
        arguments = server._arguments
        client = server.client()
        create_table(client, "Orders")
        enable(server, "Orders", ARN.format("orders"))
        server.stop()
        arguments[arguments.index(kinesis.url)] = away
        server.start()
        change(client, "Orders", "a")
        wait_until(lambda: "Cannot reach" in destination(client, "Orders").get("DestinationStatusDescription", ""))
        assert destination(client, "Orders")[STATUS] == "ACTIVE"
        assert states_of(server, "Orders") == ["CARRYING"]
        server.stop()
        arguments[arguments.index(away)] = kinesis.url
        server.start()
        wait_for(lambda: kinesis.records("orders"), {"a": 1})


def test_credentials_are_checked_at_the_start(tmp_path):
    keys = tmp_path / "keys"
    for text, mode, why in (("[a]", 0o600, "aws_access_key_id"), ("", 0o644, "chmod 600")):
        keys.write_text(text)
        keys.chmod(mode)
        with pytest.raises(RuntimeError, match=why), running_server(
                in_memory=True, extra_args=["--kinesis-endpoint", "http://127.0.0.1:1", "--kinesis-credentials", keys]):
            pass


def test_without_an_endpoint_and_in_namespaces():
    with running_server(in_memory=True) as server:
        client = server.client()
        create_table(client, "Orders")
        with pytest.raises(client.exceptions.ClientError, match="--kinesis-endpoint"):
            client.enable_kinesis_streaming_destination(TableName="Orders", StreamArn=ARN.format("orders"))
    with running_fake_kinesis() as kinesis, running_server(
            in_memory=True, extra_args=["--kinesis-endpoint", kinesis.url, "--namespaces", "key"]) as server:
        client = server.client()
        create_table(client, "Orders")
        with pytest.raises(client.exceptions.ClientError, match="default namespace"):
            client.enable_kinesis_streaming_destination(TableName="Orders", StreamArn=ARN.format("orders"))


def test_a_sink_of_an_operator(kinesis):
    """The same without the operations, to any server; what is refused becomes a dead letter."""
    kinesis.create_stream("mine")
    with running_server() as server:
        client = server.client()
        create_table(client, "Orders")
        create_sink(server, "Orders", f"kinesis+{kinesis.url}/mine", "--set", "region=us-east-1")
        for _ in range(3):
            change(client, "Orders", "a")
        # JSON doubles quotation marks. Both images together are larger than these take in one record.
        large = {"p": {"S": "b"}, "text": {"S": '"' * 390_000}}
        for n in "12":
            client.put_item(TableName="Orders", Item={**large, "n": {"N": n}})
        change(client, "Orders", "b")
        wait_until(lambda: sinks_of(server, "Orders")[0]["Sent"] + sinks_of(server, "Orders")[0]["Rejected"] == 6)
        found = by_item(kinesis.records("mine"))
        assert found["a"] == [1, 2, 3]
        rejected = sinks_of(server, "Orders")[0]["Rejected"]
        # Large ones are in several parts.
        letters = {key: letter for key, letter in letters_of(client, "Orders-dead-letters").items() if "/" not in key}
        assert len(letters) == rejected and len(found["b"]) == 3 - rejected
        assert all("PutRecords" in letter["reason"]["S"] for letter in letters.values())
