"""The audit log: a line for each call, whatever became of it, and none lost when the file is moved away."""

import json
import os
import resource
import signal
import stat
import subprocess
import threading
import time
import urllib.request

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from raw import AUTHORIZATION, Connection, exchange, request
from server import binary, running_server

KEYS = {"AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def boto(server, access="local", secret="local", service="dynamodb"):
    keys = {"aws_access_key_id": access, "aws_secret_access_key": secret, "region_name": "eu-west-1"}
    return boto3.client(service, endpoint_url=server.url, config=Config(retries={"max_attempts": 0}), **keys)


def do_some(client):
    """What an audit should tell of, and what only on request; the ids that the replies have."""
    ids = []
    done = [
        client.create_table(TableName="Music", **KEYS),
        client.put_item(TableName="Music", Item={"k": {"S": "a secret of the item"}}),
        client.get_item(TableName="Music", Key={"k": {"S": "a"}}),
        client.batch_write_item(RequestItems={"Music": [{"DeleteRequest": {"Key": {"k": {"S": "b"}}}}]}),
        client.transact_get_items(TransactItems=[{"Get": {"TableName": "Music", "Key": {"k": {"S": "a"}}}}]),
    ]
    ids += [each["ResponseMetadata"]["RequestId"] for each in done]
    with pytest.raises(ClientError) as refused:
        client.delete_table(TableName="Nowhere")
    ids.append(refused.value.response["ResponseMetadata"]["RequestId"])
    return ids


@pytest.mark.parametrize("data", [False, True])
def test_who_did_what(tmp_path, data):
    path = tmp_path / "audit"
    with running_server(in_memory=True, extra_args=["--audit-log", str(path)] + ["--audit-data"] * data) as server:
        ids = do_some(boto(server, "AKIDLOCAL"))
    lines = lines_of(path)
    names = ["CreateTable", "PutItem", "GetItem", "BatchWriteItem", "TransactGetItems", "DeleteTable"]
    wanted = [(name, each) for name, each in zip(names, ids) if data or "Table" in name]
    assert [(line["eventName"], line["requestID"]) for line in lines] == wanted
    for line in lines:
        assert line["eventSource"] == "dynamodb.amazonaws.com"
        assert line["awsRegion"] == "eu-west-1"
        assert line["sourceIPAddress"] == "127.0.0.1"
        assert line["userIdentity"] == {"accessKeyId": "AKIDLOCAL"}
        assert line["resources"] == (["Nowhere"] if line["eventName"] == "DeleteTable" else ["Music"])
        assert line["readOnly"] == (line["eventName"] in ("GetItem", "TransactGetItems"))
        assert line.get("errorCode") == ("ResourceNotFoundException" if line["eventName"] == "DeleteTable" else None)
        assert abs(time.time() - time.mktime(time.strptime(line["eventTime"][:19], "%Y-%m-%dT%H:%M:%S")) + time.timezone) < 120
    assert "a secret of the item" not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_the_server_was_asked_of_which_namespace(tmp_path):
    path = tmp_path / "audit"
    with running_server(in_memory=True, extra_args=["--audit-log", str(path), "--namespaces", "header"]) as server:
        def ask(operation, body=None, space="one", service="Partita_20261123."):
            request = urllib.request.Request(server.url + "/", json.dumps(body or {}).encode(), {
                "X-Amz-Target": service + operation, "Content-Type": "application/x-amz-json-1.0", "X-Partita-Namespace": space,
                "X-Amz-Date": "20260102T000000Z",
                "Authorization": "AWS4-HMAC-SHA256 Credential=local/20260102/us-east-1/dynamodb/aws4_request, "
                                 "SignedHeaders=host;x-amz-date, Signature=00"})
            with urllib.request.urlopen(request) as reply:
                assert reply.status == 200

        for space in ("one", "two"):
            ask("CreateTable", {"TableName": "Music"} | KEYS, space, "DynamoDB_20120810.")
        ask("ListNamespaces")
        ask("CreateSnapshot", {"Name": "s", "Namespace": "two"})
        ask("ListSnapshots", {"Namespace": "two"})
        ask("RollbackToSnapshot", {"Name": "s", "Namespace": "two"})
        ask("ListSnapshots", {"Namespace": ""})
        ask("ListSnapshots")
    assert [(line["eventName"], line["readOnly"], line.get("namespace")) for line in lines_of(path)] == [
        ("CreateTable", False, "one"), ("CreateTable", False, "two"), ("ListNamespaces", True, "one"),
        ("CreateSnapshot", False, "two"), ("ListSnapshots", True, "two"), ("RollbackToSnapshot", False, "two"),
        ("ListSnapshots", True, None), ("ListSnapshots", True, "one")]


def test_who_was_refused(tmp_path):
    """A wrong secret, and a user whose policy does not allow it."""
    path, credentials, identities = tmp_path / "audit", tmp_path / "credentials", tmp_path / "identities"
    credentials.write_text("[ann]\naws_access_key_id = AKIDANN\naws_secret_access_key = secret-of-ann\n")
    identities.write_text(json.dumps({"UserDetailList": [{"UserName": "ann"}]}))
    more = ["--credentials", str(credentials), "--identities", str(identities), "--audit-log", str(path)]
    with running_server(in_memory=True, extra_args=more) as server:
        for secret in ("guessed", "secret-of-ann"):
            with pytest.raises(ClientError):
                boto(server, "AKIDANN", secret).create_table(TableName="Music", **KEYS)
        log = server.log()
    forged, denied = lines_of(path)
    assert "userIdentity" not in forged
    assert forged["errorCode"] == "InvalidSignatureException"
    assert denied["errorCode"] == "AccessDeniedException"
    assert denied["userIdentity"]["accessKeyId"] == "AKIDANN"
    assert denied["userIdentity"]["arn"].endswith(":user/ann")
    assert "secret-of-ann" not in path.read_text() + log


@pytest.mark.parametrize("kind", ["unsigned", "throttled"])
def test_refused_calls_do_not_fill_the_disk(tmp_path, kind):
    """Neither from callers without a key nor from one who asks too much: what is left out is counted."""
    path, credentials = tmp_path / "audit", tmp_path / "credentials"
    credentials.write_text("[ann]\naws_access_key_id = AKIDANN\naws_secret_access_key = secret-of-ann\n")
    more = ["--credentials", str(credentials), "--audit-log", str(path), "--request-rate", "1"]
    began = time.monotonic()
    with running_server(in_memory=True, extra_args=more) as server:
        body = {"TableName": "A" * 255}
        if kind == "unsigned":
            asked = request(json.dumps(body), {"X-Amz-Target": "DynamoDB_20120810.DescribeTable", "Authorization": None})
            asked = [asked] * 1_500
        else:
            asked = signed_by_ann(server, "DescribeTable", body, 1_500)
        connection = Connection(server)
        for at in range(0, len(asked), 50):
            connection.send(b"".join(asked[at:at + 50]))
            for _ in range(50):
                assert connection.reply().status == 400
        written = path.stat().st_size
        assert written < 70_000 + 4_096 * (time.monotonic() - began), written
        time.sleep(1)
        boto(server, "AKIDANN", "secret-of-ann").list_tables()
    lines = lines_of(path)
    left_out = [line for line in lines if line["eventName"] == "RefusedCallsLeftOut"]
    told = [line for line in lines if line["eventName"] == "DescribeTable"]
    assert len(told) > 50 and left_out
    assert len(told) + sum(line["count"] for line in left_out) == 1_500
    assert lines[-1]["eventName"] == "ListTables" and "errorCode" not in lines[-1]


def signed_by_ann(server, operation, body, count):
    asked = AWSRequest("POST", server.url + "/", data=json.dumps(body).encode(), headers={
        "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810." + operation})
    SigV4Auth(Credentials("AKIDANN", "secret-of-ann"), "dynamodb", "us-east-1").add_auth(asked)
    asked.headers["Host"] = f"{server.host}:{server.port}"
    return [request(asked.data, dict(asked.headers.items()))] * count


def test_a_large_request_hides_no_table(tmp_path):
    """Nor does a key that is no text spoil its line; what only looks is said to."""
    path = tmp_path / "audit"
    with running_server(in_memory=True, extra_args=["--audit-log", str(path)]) as server:
        padded = '{"TableName": "Nowhere", "Pad": "' + "x" * 100_000 + '"}'
        assert exchange(server, request(padded, {"X-Amz-Target": "DynamoDB_20120810.DeleteTable"})).status == 400
        odd = request(headers={"Authorization": AUTHORIZATION.replace("local", "A~B")}).replace(b"A~B", b"A\xffB")
        assert exchange(server, odd).status == 200
        assert exchange(server, request(headers={"Authorization": None, "X-Amz-Date": None})).status == 400
    deleted, listed, unsigned = lines_of(path)
    assert deleted["resources"] == ["Nowhere"] and not deleted["readOnly"]
    assert listed["userIdentity"]["accessKeyId"] == "A?B" and listed["readOnly"]
    assert unsigned["errorCode"] == "MissingAuthenticationTokenException" and unsigned["readOnly"]


def test_no_line_is_lost_when_the_file_is_moved(tmp_path):
    path = tmp_path / "audit"
    with running_server(in_memory=True, extra_args=["--audit-log", str(path), "--audit-data", "--threads", "2"]) as server:
        boto(server).create_table(TableName="Music", **KEYS)
        ends = threading.Event()
        counts = []

        def write():
            client, count = boto(server), 0
            while not ends.is_set():
                client.put_item(TableName="Music", Item={"k": {"S": str(count)}})
                count += 1
            counts.append(count)

        threads = [threading.Thread(target=write) for _ in range(3)]
        for each in threads:
            each.start()
        for at in range(6):
            time.sleep(0.15)
            path.rename(tmp_path / f"audit.{at}")
            os.kill(server.process.pid, signal.SIGHUP)
            deadline = time.monotonic() + 30
            while not path.exists():
                assert time.monotonic() < deadline
                time.sleep(0.005)
        ends.set()
        for each in threads:
            each.join()
        boto(server).list_tables()
        assert lines_of(path)[-1]["eventName"] == "ListTables"  # not in the one that was moved
    lines = [line for each in tmp_path.glob("audit*") for line in lines_of(each)]
    assert sum(line["eventName"] == "PutItem" for line in lines) == sum(counts)
    assert len({line["requestID"] for line in lines}) == len(lines)


def test_a_full_disk_is_said_and_calls_go_on(tmp_path):
    with running_server(in_memory=True, extra_args=["--audit-log", "/dev/full"]) as server:
        boto(server).create_table(TableName="Music", **KEYS)
        assert boto(server).list_tables()["TableNames"] == ["Music"]
        assert "The audit log /dev/full cannot be written: No space left" in server.log()


def ids_of(client, count):
    return {client.list_tables()["ResponseMetadata"]["RequestId"] for _ in range(count)}


def test_a_line_that_was_cut_short_costs_no_other(tmp_path):
    """A limit on the size of files is as a disk that is full in the middle of a line; then it is not any more."""
    path = tmp_path / "audit"
    path.write_text("what a server left that ended on a full disk")
    with running_server(in_memory=True, extra_args=["--audit-log", str(path)]) as server:
        client = boto(server)
        ids = ids_of(client, 3)
        _, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (4_000, hard))
        ids_of(client, 20)
        assert path.stat().st_size == 4_000
        assert "cannot be written: File too large" in server.log()
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        ids |= ids_of(client, 3)
    torn, whole = 0, set()
    for line in path.read_text().splitlines():
        try:
            whole.add(json.loads(line)["requestID"])
        except ValueError:
            torn += 1
    assert ids <= whole
    assert torn == 2


def test_a_pipe_is_not_waited_for(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    arguments = [binary(), "serve", "--in-memory", "--listen", "127.0.0.1:0", "--audit-log", str(path)]
    ended = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1 and "pipe cannot be opened" in ended.stderr
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with running_server(in_memory=True, extra_args=["--audit-log", str(path)]) as server:
        client = boto(server)
        ids_of(client, 500)  # more than a pipe holds
        assert "pipe cannot be written: Resource temporarily unavailable" in server.log()
        assert os.read(reader, 1 << 20).startswith(b'{"eventTime"')
        os.close(reader)
        os.kill(server.process.pid, signal.SIGHUP)
        deadline = time.monotonic() + 30
        while "SIGHUP: the previous audit log is kept." not in server.log():
            assert time.monotonic() < deadline
            ids_of(client, 1)


@pytest.mark.parametrize("flags, said", [(["--audit-log", "{}/no/such"], "no/such cannot be opened: No such file"),
                                         (["--audit-data"], "--audit-data needs --audit-log.")])
def test_what_can_not_be_written_is_named(tmp_path, flags, said):
    arguments = [binary(), "serve", "--in-memory", "--listen", "127.0.0.1:0", *(f.format(tmp_path) for f in flags)]
    ended = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert ended.returncode != 0 and said in ended.stderr, ended.stderr
