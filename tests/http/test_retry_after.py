"""x-amz-retry-after: how many milliseconds an SDK should wait before it tries again, with whatever may succeed then."""

import contextlib
import json

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from raw import connection, exchange, head, request
from server import running_server

MIB = 1 << 20


def test_a_caller_who_is_too_fast_is_told_until_when(tmp_path):
    (tmp_path / "credentials").write_text("[ann]\naws_access_key_id = AKIDANN\naws_secret_access_key = secret\n")
    rate = 5
    arguments = ["--credentials", str(tmp_path / "credentials"), "--request-rate", str(rate)]
    with running_server(in_memory=True, extra_args=arguments) as server:
        config = Config(retries={"max_attempts": 1, "mode": "standard"})
        ann = boto3.client("dynamodb", endpoint_url=server.url, region_name="us-east-1", config=config,
                           aws_access_key_id="AKIDANN", aws_secret_access_key="secret")
        told = []
        for _ in range(20 * rate):
            try:
                ann.list_tables()
            except ClientError as refused:
                assert refused.response["Error"]["Code"] == "ThrottlingException"
                told.append(int(refused.response["ResponseMetadata"]["HTTPHeaders"]["x-amz-retry-after"]))
        assert told and all(0 < wait_ms <= 1000 // rate + 1 for wait_ms in told), told


def test_a_request_without_memory_is_told_too():
    with running_server(in_memory=True, extra_args=["--memory-budget", "64"]) as server:
        size = 16 * MIB
        with contextlib.ExitStack() as opened:
            for _ in range(4):
                last = opened.enter_context(connection(server))
                last.send(head({"Content-Length": size}) + b" " * (size - 1))
            reply = last.reply()
        assert reply.status == 503
        assert int(reply.headers["x-amz-retry-after"]) > 0


def test_one_connection_too_many_is_told_too():
    with running_server(in_memory=True, extra_args=["--max-connections", "1"]) as server:
        with connection(server) as busy, connection(server) as other:
            busy.send(b"POST / HTTP/1.1\r\nHost: h\r\n")  # not idle, so it is not closed for the other
            assert other.reply().headers["x-amz-retry-after"] == "1000"


def test_what_will_not_succeed_is_told_nothing():
    with running_server(in_memory=True) as server:
        data = request(json.dumps({"TableName": "none"}), {"X-Amz-Target": "DynamoDB_20120810.DescribeTable"})
        reply = exchange(server, data)
        assert reply.status == 400 and "x-amz-retry-after" not in reply.headers
