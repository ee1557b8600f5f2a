"""Change files in S3: every change is in one file that the manifest names, those of an item in their order."""

import importlib.machinery
import importlib.util
import os
import pathlib
import random
import time

import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from counters import Writers, change, create_table, expected_of, wait_for
from kinesis_servers import Unavailable
from s3_server import assert_all_described, files_of, lines_of, running_s3, running_s3_relay
from server import running_server
from sinks import create_sink, run_sink, sinks_of, states_of
from waiting import wait_until

KILLS = int(os.environ.get("PARTITA_SINK_KILLS", 3))
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "changes" / "run"
FAST = ("--set", "max-seconds=1")
PLAIN = (*FAST, "--set", "compression=none")


@pytest.fixture(scope="module")
def s3():
    try:
        with running_s3() as running:
            yield running
    except Unavailable as why:
        pytest.skip(f"moto: {why}")


def assert_each_once(found, expected):
    assert {item: sorted(values) for item, values in found.items()} == {
        item: list(range(1, count + 1)) for item, count in expected.items()}
    assert all(values == sorted(values) for values in found.values())


def duckdb():
    """As the example finds it; it ends with why there is none."""
    loader = importlib.machinery.SourceFileLoader("changes_example", str(EXAMPLE))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("changes_example", loader))
    loader.exec_module(module)
    try:
        return module.duckdb()
    except SystemExit as why:
        pytest.skip(str(why))


def test_duckdb_finds_every_change_once(s3, tmp_path):
    s3.client.create_bucket(Bucket="queried")
    with running_server() as server:
        client = server.client()
        create_table(client, "Orders")
        create_sink(server, "Orders", f"s3+{s3.url}/queried/day=1/orders", *FAST)
        with Writers(server, "Orders"):
            time.sleep(3)
        expected = expected_of(client, "Orders")
        wait_until(lambda: sinks_of(server, "Orders")[0]["Sent"] == sum(expected.values()))
    for key, body in s3.objects("queried").items():
        file = tmp_path / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
    folder = tmp_path / "day=1" / "orders"
    connection = duckdb().connect()
    rows = connection.execute(f"""
        SELECT dynamodb.NewImage.p.S, list(dynamodb.NewImage.n.N::INT ORDER BY slice, position)
        FROM read_json('{folder}/changes-*.jsonl.zst') GROUP BY ALL""").fetchall()
    assert_each_once(dict(rows), expected)
    described = connection.execute(f"SELECT sum(changes), count(*) FROM read_json('{folder}/manifest/*.json')").fetchone()
    assert described == (sum(expected.values()), len(list(folder.glob("changes-*"))))


def test_kills_and_lost_replies_leave_each_change_once(s3):
    chance = random.Random(1)
    s3.client.create_bucket(Bucket="killed")
    with running_s3_relay(s3) as relay, running_server() as server:
        client = server.client()
        create_table(client, "Orders")
        create_sink(server, "Orders", f"s3+{relay.url}/killed", *PLAIN)
        wait_until(lambda: "sink.json" in s3.objects("killed"))
        relay.fate = lambda method, path: chance.choice(["refused", "lost", "slow"]) if chance.random() < 0.15 else None
        with Writers(server, "Orders"):
            for _ in range(KILLS):
                # The lease of the killed server lasts three seconds.
                time.sleep(4 + chance.random())
                server.kill()
                server.start()
            time.sleep(1)
        relay.fate = lambda method, path: None
        expected = expected_of(client, "Orders")
        assert_each_once(wait_for(lambda: files_of(s3, "killed"), expected), expected)
        assert set(relay.fates) == {"refused", "lost", "slow"}
        wait_until(lambda: sinks_of(server, "Orders")[0]["Sent"] >= sum(expected.values()))
        server.stop()
        objects = s3.objects("killed")
        assert_all_described(objects)
        print(f"{sum(expected.values())} changes in {len(objects)} objects, {KILLS} kills, {len(relay.fates)} failures")


def test_changes_wait_for_a_server_that_was_killed():
    """moto keeps nothing: what it had is read before it is killed."""
    try:
        with running_s3() as s3, running_server() as server:
            client = server.client()
            create_table(client, "Orders")
            s3.client.create_bucket(Bucket="music")
            create_sink(server, "Orders", f"s3+{s3.url}/music", *PLAIN)
            before = {}
            for _ in range(2):
                with Writers(server, "Orders"):
                    time.sleep(1)
                total = sum(expected_of(client, "Orders").values())
                wait_until(lambda: sinks_of(server, "Orders")[0]["Sent"] == total)
                before |= s3.objects("music")
                s3.kill()
                change(client, "Orders", "x")
                wait_until(lambda: "Connection refused" in sinks_of(server, "Orders")[0].get("Message", ""))
                s3.start()
                wait_until(lambda: "NoSuchBucket" in sinks_of(server, "Orders")[0].get("Message", ""))
                assert states_of(server, "Orders") == ["CARRYING"]
                s3.client.create_bucket(Bucket="music")
            expected = expected_of(client, "Orders")
            found = wait_for(lambda: lines_of(before | s3.objects("music")), expected)
            assert_each_once(found, expected)
    except Unavailable as why:
        pytest.skip(f"moto: {why}")


def test_requests_are_signed_as_aws_wants(s3, tmp_path):
    keys = tmp_path / "keys"
    keys.write_text("[files]\naws_access_key_id = AKIDFILES\naws_secret_access_key = some secret\naws_session_token = a+token\n")
    keys.chmod(0o600)
    s3.client.create_bucket(Bucket="signed")
    with running_s3_relay(s3) as relay, running_server() as server:
        client = server.client()
        create_table(client, "Orders")
        create_sink(server, "Orders", f"s3+{relay.url}/signed/a=1/B_~+,/x", *FAST, "--set", "region=eu-west-3", "--credentials", keys)
        change(client, "Orders", "a")
        wait_until(lambda: any(key.startswith("a=1/B_~+,/x/manifest/") for key in s3.objects("signed")))
        assert {method for method, *_ in relay.seen} == {"GET", "PUT"}
        for method, path, headers, body in relay.seen:
            wanted = {name: value for name, value in headers.items() if name not in ("Authorization", "Host")}
            request = AWSRequest(method, relay.url + path, wanted, body)
            request.context["timestamp"] = headers["X-Amz-Date"]
            # botocore leaves the hash of the body out of requests to servers without TLS, unless it is told not to.
            request.context["client_config"] = type("Config", (), {"s3": {"payload_signing_enabled": True}})()
            signer = S3SigV4Auth(Credentials("AKIDFILES", "some secret", "a+token"), "s3", "eu-west-3")
            assert signer.payload(request) == headers["X-Amz-Content-Sha256"]
            signature = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
            assert headers["Authorization"].endswith(f", Signature={signature}"), (method, path)


def test_what_cannot_work_is_said(s3):
    s3.client.create_bucket(Bucket="taken")
    with running_server() as server:
        client = server.client()
        create_table(client, "Orders")
        create_sink(server, "Orders", f"s3+{s3.url}/nowhere", "--name", "nowhere")
        create_sink(server, "Orders", f"s3+{s3.url}/taken", "--name", "first")
        wait_until(lambda: "sink.json" in s3.objects("taken"))
        create_sink(server, "Orders", f"s3+{s3.url}/taken", "--name", "second")
        wait_until(lambda: states_of(server, "Orders") == ["CARRYING", "FAILED", "FAILED"])
        messages = [one.get("Message", "") for one in sinks_of(server, "Orders")]
        assert "404 to PutObject in s3://nowhere: NoSuchBucket" in messages[1] and "another sink" in messages[2]
        s3.client.create_bucket(Bucket="nowhere")
        run_sink(server, "resume", "Orders", "nowhere")
        wait_until(lambda: states_of(server, "Orders") == ["CARRYING", "CARRYING", "FAILED"])
        with pytest.raises(AssertionError, match="--credentials FILE"):
            create_sink(server, "Orders", "s3://music", "--name", "aws")
        with pytest.raises(AssertionError, match="no option endpoint"):
            create_sink(server, "Orders", f"s3+{s3.url}/music", "--set", "endpoint=x", "--name", "aws")
