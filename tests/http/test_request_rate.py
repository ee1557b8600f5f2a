"""Each user's share of a server (--request-rate)."""

import collections
import subprocess
import time

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from raw import AUTHORIZATION, connection, request
from server import binary, running_server

RATE = 40


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rate")
    profile = "[{0}]\naws_access_key_id = {0}\naws_secret_access_key = secret of {0}\n"
    (folder / "credentials").write_text(profile.format("AKIDANN") + profile.format("AKIDBOB"))
    with running_server(in_memory=True, extra_args=["--credentials", str(folder / "credentials"), "--request-rate",
                                                    str(RATE)]) as started:
        yield started


def client(server, key, attempts=1):
    config = Config(retries={"max_attempts": attempts, "mode": "standard"})
    return boto3.client("dynamodb", endpoint_url=server.url, region_name="us-east-1", config=config,
                        aws_access_key_id=key, aws_secret_access_key=f"secret of {key}")


def ask(user, count):
    """How many were answered, and what the others were told."""
    answered, told = 0, set()
    for _ in range(count):
        try:
            user.list_tables()
            answered += 1
        except ClientError as refused:
            told.add((refused.response["Error"]["Code"], refused.response["Error"]["Message"]))
    return answered, told


def test_more_is_throttled_and_others_are_not(server):
    ann, bob = client(server, "AKIDANN"), client(server, "AKIDBOB")
    began = time.monotonic()
    answered, told = ask(ann, 300)
    most = RATE * (1 + time.monotonic() - began) + 1
    assert RATE <= answered <= most
    assert answered == 300 or told == {("ThrottlingException", "Rate exceeded")}
    assert ask(bob, 10) == (10, set())


def test_calls_that_administer_count_as_others_do(server):
    bob = client(server, "AKIDBOB")

    def administer(request, **_):
        request.headers.replace_header("X-Amz-Target", "Partita_20261123.ListNamespaces")

    bob.meta.events.register("before-sign.dynamodb.ListTables", administer)
    answered, told = ask(bob, 300)
    assert answered == 300 or told == {("ThrottlingException", "Rate exceeded")}
    began = time.monotonic()
    answered, _ = ask(bob, 300)  # what was saved up is used up
    assert answered <= RATE * (1 + time.monotonic() - began) + 1


def test_refused_signatures_share_a_rate_and_take_nobody_elses(server):
    """An access key's id is no secret: who knows it and not the secret must not throttle its owner."""
    forged = {"Authorization": AUTHORIZATION.replace("local/", "AKIDBOB/")}
    began, kinds = time.monotonic(), collections.Counter()
    for headers in ({"Authorization": None}, forged):
        with connection(server) as opened:
            opened.send(request("{}", headers) * 300)
            kinds.update(opened.reply().kind() for _ in range(300))
    throttled = kinds.pop("ThrottlingException")
    assert set(kinds) == {"MissingAuthenticationTokenException", "InvalidSignatureException"} or len(kinds) == 1
    assert 600 - throttled <= RATE * (1 + time.monotonic() - began) + 1
    assert ask(client(server, "AKIDBOB"), 5)[0] > 0


def test_an_sdk_waits_and_tries_again(server):
    patient = client(server, "AKIDANN", attempts=10)
    assert ask(patient, RATE + 20) == (RATE + 20, set())


def test_it_needs_credentials():
    ended = subprocess.run([binary(), "serve", "--in-memory", "--request-rate", "5"], stdin=subprocess.DEVNULL,
                           capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2 and "--request-rate needs --credentials" in ended.stderr, ended.stderr
