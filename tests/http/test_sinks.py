"""Sinks without their other end: the verbs, the calls behind them, and who may make these. tests/sinks has the rest."""

import json
import subprocess
import time

import pytest
import signed
from pages import get
from ports import free_port
from raw import exchange, request
from server import binary, running_server
from signed import allow, files
from sinks import create_sink, run_sink, sink, sinks_of
from waiting import wait_until

PREFIX = "Partita_20261123."
KEYS = {"AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}


def nobody():
    return f"opensearch+http://127.0.0.1:{free_port()}"


def ask(server, operation, body):
    reply = exchange(server, request(json.dumps(body), {"X-Amz-Target": PREFIX + operation}))
    return reply.status, reply.json()


@pytest.fixture(scope="module")
def server():
    with running_server(extra_args=["--namespaces", "header", "--sink-hosts", "x,127.0.0.1"]) as started:
        started.client().create_table(TableName="music", **KEYS)
        yield started


def status_of(server):
    command = [binary(), "status", str(server.data_dir)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_sink_from_its_creation_to_its_end(server):
    url = nobody()
    create_sink(server, "music", url, "--name", "search", "--fields", "k,title", "--filter", "released > :y",
                "--filter-values", '{":y": {"N": "1990"}}', "--max-backlog", "2")
    [shown] = sinks_of(server, "music")
    assert shown["TableName"] == "music" and shown["SinkName"] == "search" and shown["Url"] == url
    assert shown["Fields"] == ["k", "title"] and shown["FilterExpression"] == "released > :y"
    assert shown["ExpressionAttributeValues"] == {":y": {"N": "1990"}}
    assert shown["DeadLetterTableName"] == "music-dead-letters" and shown["MaxBacklogBytes"] == 2 << 20
    assert shown["LagSeconds"] == 0 and shown["LagEntries"] == 0 and "LagEntriesAtLeast" not in shown
    assert "music-dead-letters" in server.client().list_tables()["TableNames"]
    wait_until(lambda: "Message" in sinks_of(server)[0])
    assert sinks_of(server)[0]["State"] == "FILLING"
    assert 'partita_sink_state{table="music",sink="search",state="FILLING"} 1' in get(server, "/metrics")[1]
    assert get(server, "/ready")[0] == 200
    sink(server, "pause", "music", "search")
    assert "State\tPAUSED" in sink(server, "show", "music", "search")
    assert "Message" not in sinks_of(server)[0]
    wait_until(lambda: "sink search of table music (PAUSED)" in status_of(server))
    sink(server, "resume", "music", "search")
    sink(server, "retry", "music", "search", "--fill")
    assert run_sink(server, "list").startswith("music\tsearch\tFILLING\t" + url)
    sink(server, "delete", "music", "search")
    wait_until(lambda: not sinks_of(server))
    server.client().put_item(TableName="music", Item={"k": {"S": "one"}})


def test_how_far_a_sink_is_behind(server):
    create_sink(server, "music", nobody(), "--name", "behind")
    changes_of = f"http://127.0.0.1:{free_port()}"
    create_sink(server, "music", changes_of, "--name", "hook")
    for key in ("far-1", "far-2", "far-3"):
        server.client().put_item(TableName="music", Item={"k": {"S": key}})
    time.sleep(0.2)
    for shown in sinks_of(server, "music"):
        assert shown["LagEntries"] == 3 and 0.1 < shown["LagSeconds"] < 60, shown
        found = ask(server, "DescribeSink", {"TableName": "music", "SinkName": shown["SinkName"]})[1]["Sink"]
        assert found["LagEntries"] == 3 and found["LagSeconds"] >= shown["LagSeconds"]
    # More than are counted: five images of 300 KB.
    for number in range(5):
        server.client().put_item(TableName="music", Item={"k": {"S": "far-1"}, "v": {"S": "x" * 300_000}, "n": {"N": str(number)}})
    behind, hook = sinks_of(server, "music")
    assert behind["LagEntries"] == 8 and "LagEntriesAtLeast" not in behind
    assert 1 <= hook["LagEntries"] < 8 and hook["LagEntriesAtLeast"] is True
    for name in ("behind", "hook"):
        sink(server, "delete", "music", name)
    wait_until(lambda: not sinks_of(server))


def test_the_schemes_of_urls(server):
    schemes = {one["Scheme"]: one for one in ask(server, "ListSinks", {})[1]["Schemes"]}
    assert schemes["opensearch+https"] == {"Scheme": "opensearch+https", "TakesChanges": False, "UsesServersMachine": False}
    assert schemes["kafka"] == {"Scheme": "kafka", "TakesChanges": True, "UsesServersMachine": False}
    assert schemes["file"] == {"Scheme": "file", "TakesChanges": True, "UsesServersMachine": True}
    refused = ask(server, "CreateSink", {"TableName": "music", "Url": "gopher://x"})[1]
    for scheme in schemes:
        assert scheme in refused.get("message", refused.get("Message"))


@pytest.mark.parametrize("body, said", [
    ({"TableName": "music"}, "Url is missing."),
    ({"TableName": "music", "Url": "gopher://x"}, "begins with one of these schemes"),
    ({"TableName": "music", "Url": "opensearch+http://x", "SinkName": "a b"}, "'a b' is none"),
    ({"TableName": "music", "Url": "opensearch+http://x", "Document": "round"}, 'Document is "template" or "flat".'),
    ({"TableName": "music", "Url": "opensearch+http://x", "Fields": "k"}, "Fields is a list of strings."),
    ({"TableName": "music", "Url": "opensearch+http://x", "FilterExpression": "a ="}, "Invalid FilterExpression"),
    ({"TableName": "music", "Url": "opensearch+http://x", "MaxBacklogBytes": 5}, "1 MiB or more"),
    ({"TableName": "music", "Url": "opensearch+http://x", "DeadLetterTableName": "music"}, "its own dead letters"),
    ({"TableName": "music", "Url": "opensearch+http://x", "DeadLetterTableName": "other"}, "socket"),
    ({"TableName": "music", "Url": "opensearch+http://x", "CredentialsFile": "/etc/passwd"}, "administration socket alone"),
    ({"TableName": "music", "Url": "opensearch+http://x", "Options": {"acks": "1"}}, "The option 'acks' is for sinks that take every change"),
    ({"TableName": "music", "Url": "opensearch+http://x", "Options": {"acks": 1}}, "Options is an object of strings."),
    ({"TableName": "music", "Url": "opensearch+http://x", "Colour": "red"}, "There is no member 'Colour'."),
    ({"TableName": "music", "Url": "opensearch+http://x", "Namespace": "ann"}, ""),
    ({"TableName": "music", "Url": "opensearch+http://169.254.169.254/x"}, "none of those that --sink-hosts names"),
    ({"TableName": "music", "Url": "https://169.254.169.254/x"}, "none of those that --sink-hosts names"),
    ({"TableName": "music", "Url": "https://x@169.254.169.254/"}, "none of those that --sink-hosts names"),
    ({"TableName": "music", "Url": "runtime://127.0.0.1:9001"}, "ports of the server's machine"),
    ({"TableName": "music", "Url": "https://x/#y"}, "The URL of a hook is"),
    ({"TableName": "music", "Url": "http://x", "Options": {"TumblingWindowInSeconds": "60", "ParallelizationFactor": "2"}},
     "TumblingWindowInSeconds needs a ParallelizationFactor of 1."),
    ({"TableName": "music", "Url": "http://x", "Options": {"OnFailure": "http://169.254.169.254/x"}},
     "The host of OnFailure is none of those that --sink-hosts names"),
    ({"TableName": "music", "Url": "http://x", "Options": {"OnFailure": "http://x/#y"}}, "The option OnFailure: The URL"),
    ({"TableName": "music", "Url": "http://x", "IndexName": "y"}, "IndexName"),
])
def test_what_is_refused(server, body, said):
    status, found = ask(server, "CreateSink", body)
    assert status == 400 and said in found.get("message", found.get("Message")), found
    assert not sinks_of(server)


def test_a_sink_that_is_not_there(server):
    for operation in ("DescribeSink", "PauseSink", "ResumeSink", "RetrySink", "VerifySink", "DeleteSink"):
        status, found = ask(server, operation, {"TableName": "music", "SinkName": "none"})
        assert status == 400 and "has no sink named 'none'" in found.get("message", found.get("Message")), found


@pytest.mark.parametrize("words, said", [
    (["create", "music"], "needs a TABLE and --to URL"),
    (["create", "music", "--to", "opensearch+http://x", "--filter-values", "[]"], "takes a JSON object"),
    (["show", "music"], "needs a TABLE and the NAME of a sink"),
    (["pause", "music", "one", "two"], "takes no third word"),
])
def test_verbs_say_what_they_take(words, said):
    done = subprocess.run([binary(), "sink", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and said in done.stderr, done.stderr


def test_each_call_needs_its_own_permission(tmp_path):
    users = {"ann": [allow("partita:CreateSink", signed.arn("music")), allow("partita:ListSinks")], "bob": [allow("dynamodb:*")]}
    with running_server(in_memory=True, extra_args=[*files(tmp_path, users), "--sink-hosts", "127.0.0.1"]) as server:
        for table in ("music", "other"):
            assert signed.call(server, "root", "CreateTable", {"TableName": table, **KEYS})[0] == 200

        def denied(user, operation, body):
            status, found = signed.call(server, user, operation, body, prefix=PREFIX)
            return status == 400 and found["__type"].endswith("#AccessDeniedException")

        created = {"TableName": "music", "Url": nobody()}
        assert signed.call(server, "ann", "CreateSink", created, prefix=PREFIX)[0] == 200
        assert denied("ann", "CreateSink", {**created, "TableName": "other"})
        assert denied("bob", "CreateSink", created)
        assert signed.call(server, "ann", "ListSinks", {}, prefix=PREFIX)[0] == 200
        assert denied("bob", "ListSinks", {})
        for operation in ("DescribeSink", "PauseSink", "ResumeSink", "RetrySink", "VerifySink", "DeleteSink"):
            assert denied("ann", operation, {"TableName": "music", "SinkName": "opensearch"})


def test_without_a_list_of_hosts_only_the_socket_creates_sinks(tmp_path):
    with running_server(data_dir=tmp_path) as server:
        server.client().create_table(TableName="music", **KEYS)
        status, found = ask(server, "CreateSink", {"TableName": "music", "Url": nobody()})
        assert status == 400 and "without --sink-hosts" in found.get("message", found.get("Message")), found
        create_sink(server, "music", nobody())
        assert len(sinks_of(server, "music")) == 1


def test_offline_verbs_leave_sinks_alone(tmp_path):
    with running_server(data_dir=tmp_path / "store") as server:
        server.client().create_table(TableName="music", **KEYS)
        server.client().put_item(TableName="music", Item={"k": {"S": "one"}})
        create_sink(server, "music", nobody())
    done = subprocess.run([binary(), "verify", str(tmp_path / "store")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    copied = [binary(), "copy", str(tmp_path / "store"), str(tmp_path / "copy")]
    done = subprocess.run(copied, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with running_server(data_dir=tmp_path / "copy") as server:
        assert [one["SinkName"] for one in sinks_of(server)] == ["opensearch"]
        status = subprocess.run([binary(), "status", str(tmp_path / "copy")], capture_output=True, text=True, check=False)
        assert "sink opensearch of table music" in status.stdout, status.stdout
