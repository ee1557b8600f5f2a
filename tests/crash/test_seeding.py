"""kill -9 in the middle of `--seed`: the next start completes it, and touches nothing that was there before."""

import json
import os
import signal
import subprocess
import threading

import botocore.exceptions
import pytest
from postgres import running_postgres
from server import Server, binary, running_server
from waiting import wait_until

KEYS = {
    "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
COUNTS = {"One": 60, "Two": 100_000}  # the last takes longer than a kill
LIMIT_S = 60


@pytest.fixture(name="seed")
def seed_of(tmp_path):
    """The options of a server that begins with tables One and Two, and with Old, which is of somebody else."""
    directory = tmp_path / "seed"
    directory.mkdir()
    for name, count in {**COUNTS, "Old": 3}.items():
        (directory / f"{name}.json").write_text(json.dumps({"TableName": name, **KEYS}))
        lines = [json.dumps({"Item": {"k": {"S": str(at)}}}) for at in range(count)]
        (directory / f"{name}.jsonl").write_text("\n".join(lines))
    return ["--seed", str(directory)]


def client_of(server, namespace):
    client = server.client()
    client.meta.events.register("before-sign.*.*", lambda request, **_: request.headers.add_header("X-Partita-Namespace", namespace))
    return client


def counts_of(client):
    found = {}
    for name in client.list_tables()["TableNames"]:
        pages = client.get_paginator("scan").paginate(TableName=name, Select="COUNT")
        found[name] = sum(page["Count"] for page in pages)
    return found


def make_old(client):
    client.create_table(TableName="Old", **KEYS)
    client.put_item(TableName="Old", Item={"k": {"S": "old"}})


def killed_at(line, data, more):
    """A start that is killed when it has said that."""
    words = [binary(), "serve", "--data", str(data), "--listen", "127.0.0.1:0", *more]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        limit = threading.Timer(LIMIT_S, process.kill)
        limit.start()
        said = ""
        for text in process.stderr:
            said += text
            if line in text:
                break
        else:
            pytest.fail(f"it never said {line!r}:\n{said}")
        process.kill()
        out, _ = process.communicate()
        limit.cancel()
    assert out == "" and process.returncode == -signal.SIGKILL, "it served already"


def check_whole(counts, client):
    """And seeded once: what is deleted stays so."""
    assert counts_of(client) == counts
    for name in COUNTS:
        client.delete_item(TableName=name, Key={"k": {"S": "7"}})


AFTER_THAT = {name: count - 1 for name, count in COUNTS.items()} | {"Old": 1}


def test_the_next_start_completes_it(tmp_path, seed):
    """Killed before there are items, between the tables, among the items of one; and again where it went on."""
    data = tmp_path / "data"
    with running_server(data_dir=data) as server:
        make_old(server.client())
    for line in ("The table One was", "The table Two was", "One.jsonl", "The table Two was begun earlier",
                 "One.jsonl"):
        killed_at(line, data, seed)
    with running_server(data_dir=data) as server:
        client = server.client()
        half = counts_of(client)
        assert half["One"] == 60 and half["Two"] < COUNTS["Two"] and half["Old"] == 1
        client.put_item(TableName="One", Item={"k": {"S": "8"}, "of": {"S": "a client"}})
    with running_server(data_dir=data, extra_args=seed) as server:
        client = server.client()
        check_whole({**COUNTS, "Old": 1}, client)
        assert client.get_item(TableName="One", Key={"k": {"S": "8"}})["Item"]["of"] == {"S": "a client"}
    with running_server(data_dir=data, extra_args=seed) as server:
        assert counts_of(server.client()) == AFTER_THAT


def test_a_table_that_was_made_anew_meanwhile_is_left_alone(tmp_path, seed):
    data = tmp_path / "data"
    killed_at("One.jsonl", data, seed)
    with running_server(data_dir=data) as server:
        client = server.client()
        client.delete_table(TableName="One")
        client.get_waiter("table_not_exists").wait(TableName="One", WaiterConfig={"Delay": 1})
        client.create_table(TableName="One", **KEYS)
    with running_server(data_dir=data, extra_args=seed) as server:
        assert counts_of(server.client()) == {"One": 0, "Two": COUNTS["Two"], "Old": 3}


def test_a_namespace_is_completed_too(tmp_path, seed):
    data = tmp_path / "data"
    more = ["--namespaces", "header"]
    with running_server(data_dir=data, extra_args=more) as server:
        make_old(server.client())
        make_old(client_of(server, "apart"))
    with running_server(data_dir=data, extra_args=more + seed) as server:
        client = client_of(server, "mine")

        answered = []

        def ask():
            try:
                answered.append(client.list_tables())
            except (botocore.exceptions.ConnectionError, botocore.exceptions.HTTPClientError):
                answered.append(None)

        asking = threading.Thread(target=ask)
        asking.start()
        wait_until(lambda: server.log().count(" 60 items were put") == 2)
        server.kill()
        asking.join()
        assert answered == [None], "all of it was there already"
        server.start()
        assert counts_of(client) == {**COUNTS, "Old": 3}
        # What was there before the seed is as it was.
        assert counts_of(client_of(server, "apart")) == {"Old": 1}


def test_another_server_of_the_store_waits_and_takes_over(seed):
    with running_postgres() as postgres:
        words = ["--store", postgres.url, *seed]
        first = subprocess.Popen([binary(), "serve", "--listen", "127.0.0.1:0", *words], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        try:
            for line in first.stderr:
                if " 60 items were put" in line:
                    break
            os.kill(first.pid, signal.SIGSTOP)
            second = Server(None, store=postgres.url, extra_args=seed)
            starting = threading.Thread(target=second.start)
            starting.start()
            wait_until(lambda: "Another server is seeding the store" in second.log())
            assert second.ready_line is None
            starting.join()
            try:
                client = second.client()
                check_whole({**COUNTS, "Old": 3}, client)
                # It sees that it was given up, and puts nothing.
                os.kill(first.pid, signal.SIGCONT)
                out, said = first.communicate(timeout=LIMIT_S)
                assert out == "" and "another server has taken over the seeding" in said, said
                assert counts_of(client) == {**AFTER_THAT, "Old": 3}
            finally:
                second.stop()
        finally:
            first.kill()
            first.wait()
