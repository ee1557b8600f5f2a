"""The log's lines about single requests: who, about what, from where, and how it ended."""

import json
import re
import time
import urllib.error
import urllib.request

import boto3
import botocore.exceptions
import pytest
from botocore.config import Config
from server import running_server

KEYS = "[alice]\naws_access_key_id = AKIDALICE\naws_secret_access_key = alices-secret\n"
IDENTITIES = """{"UserDetailList": [{"UserName": "alice", "UserId": "AIDAALICE", "Path": "/",
  "Arn": "arn:aws:iam::123456789012:user/alice", "CreateDate": "2026-01-01T00:00:00Z", "GroupList": [],
  "UserPolicyList": [{"PolicyName": "reads", "PolicyDocument": {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": "dynamodb:ListTables", "Resource": "*"}]}}]}],
  "GroupDetailList": [], "RoleDetailList": [], "Policies": []}"""


def client_of(server, key="AKIDALICE", secret="alices-secret"):
    session = boto3.session.Session(aws_access_key_id=key, aws_secret_access_key=secret)
    return session.client("dynamodb", endpoint_url=server.url, region_name="us-east-1",
                          config=Config(retries={"max_attempts": 0}))


def lines_of(server, text, at_least=1):
    """The lines that have the text, once there are as many: the log is written behind the reply."""
    deadline = time.monotonic() + 10
    while True:
        lines = [line for line in server.log().splitlines() if text in line]
        if len(lines) >= at_least or time.monotonic() > deadline:
            return lines
        time.sleep(0.02)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "keys").write_text(KEYS)
    (tmp_path / "identities").write_text(IDENTITIES)
    (tmp_path / "keys").chmod(0o600)
    return ["--credentials", str(tmp_path / "keys"), "--identities", str(tmp_path / "identities")]


def refused(client, operation, **members):
    with pytest.raises(botocore.exceptions.ClientError) as caught:
        getattr(client, operation)(**members)
    return caught.value.response["Error"]["Code"]


def test_a_refused_signature_is_logged_at_info(files):
    with running_server(in_memory=True, extra_args=files) as server:
        assert refused(client_of(server, secret="wrong"), "list_tables") == "InvalidSignatureException"
        [line] = lines_of(server, "InvalidSignatureException")
        assert re.search(r" info  ListTables was answered 400 InvalidSignatureException after \d+ ms \(request \w{52}", line)
        assert "from 127.0.0.1" in line


def test_a_refusal_by_policy_names_user_table_and_client(files):
    with running_server(in_memory=True, extra_args=files) as server:
        assert refused(client_of(server), "describe_table", TableName="Music") == "AccessDeniedException"
        [line] = lines_of(server, "AccessDeniedException")
        assert " info  DescribeTable was answered 400 AccessDeniedException" in line
        assert "about Music, by arn:aws:iam::123456789012:user/alice, from 127.0.0.1)" in line


@pytest.mark.parametrize(("operation", "table"), [("x" * 4000, "Music"), ("DescribeTable", "x" * 4000)])
def test_a_long_name_does_not_hide_who_sent_it(operation, table):
    """Callers who guess keys must not be able to keep their address out of the log."""
    with running_server(in_memory=True, extra_args=["--log-level", "debug"]) as server:
        unsigned = urllib.request.Request(server.url, json.dumps({"TableName": table}).encode(), {
            "X-Amz-Target": "DynamoDB_20120810." + operation, "Content-Type": "application/x-amz-json-1.0"})  # fmt: skip
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(unsigned)
        [line] = lines_of(server, "xxxxx")
        assert " was answered 400 " in line and "xxx..." in line and "from 127.0.0.1)" in line


def test_refusals_are_bounded_and_counted(files):
    with running_server(in_memory=True, extra_args=files) as server:
        client = client_of(server, secret="wrong")
        for _ in range(40):
            refused(client, "list_tables")
        time.sleep(1.1)
        refused(client, "list_tables")
        deadline = time.monotonic() + 10
        held = 0
        while held < 30 and time.monotonic() < deadline:
            lines = lines_of(server, "InvalidSignatureException", 2)
            held = sum(int(n) for line in lines for n in re.findall(r"\((\d+) more such lines were held back\)", line))
            time.sleep(0.02)
        assert len(lines) <= 6 and held + len(lines) == 41, lines


def test_ordinary_errors_are_not_logged_but_at_debug(files):
    missing = "describe_table", {"TableName": "Music"}
    with running_server(in_memory=True) as server:
        assert refused(server.client(), missing[0], **missing[1]) == "ResourceNotFoundException"
        assert "DescribeTable" not in server.log()
    with running_server(in_memory=True, extra_args=["--log-level", "debug"]) as server:
        assert refused(server.client(), missing[0], **missing[1]) == "ResourceNotFoundException"
        [line] = lines_of(server, "DescribeTable")
        assert " debug DescribeTable was answered 400 ResourceNotFoundException" in line
        assert "about Music, by access key local, from 127.0.0.1)" in line


def test_debug_names_the_tables_of_a_batch(files):
    with running_server(in_memory=True, extra_args=["--log-level", "debug"]) as server:
        keys = {f"t{i}t": {"Keys": [{"id": {"S": "1"}}]} for i in range(5)}
        refused(server.client(), "batch_get_item", RequestItems=keys)
        [line] = lines_of(server, "BatchGetItem")
        assert "about t0t and t1t and t2t and 2 more, by" in line


def test_names_cannot_forge_a_line(files):
    with running_server(in_memory=True, extra_args=["--log-level", "debug"]) as server:
        forged = "x\n2026-01-01T00:00:00.000Z error All is lost"
        client = server.client(parameter_validation=False)
        with pytest.raises(botocore.exceptions.ClientError):
            client.describe_table(TableName=forged)
        lines_of(server, "DescribeTable")
        assert not [line for line in server.log().splitlines() if line.startswith("2026-01-01T")]


def test_each_line_is_an_object_of_json(files):
    extra = ["--log-format", "json", "--log-level", "debug"]
    with running_server(in_memory=True, extra_args=extra) as server:
        client = server.client(parameter_validation=False)
        with pytest.raises(botocore.exceptions.ClientError):
            client.describe_table(TableName='a"b\\c\n{}')
        lines_of(server, "DescribeTable")
        for line in server.log().splitlines():
            assert sorted(json.loads(line)) == ["level", "message", "time"]
