"""A database is set back to what it was (Partita_20261123.CreateSnapshot, RollbackToSnapshot, ...)."""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import time

import pytest
from botocore.exceptions import ClientError
from postgres import store_arguments
from server import binary, running_server
from stream_records import records_of
from test_namespaces import (CREDENTIALS, HEADER, KEYS, STREAM, ask, client_of, namespaces_of, refused, shards_of,
                             streamed)

INDEX = {"AttributeDefinitions": KEYS["AttributeDefinitions"] + [{"AttributeName": "g", "AttributeType": "S"}],
         "GlobalSecondaryIndexes": [{"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                                     "Projection": {"ProjectionType": "ALL"}}]}


@pytest.fixture(params=["memory", "rocksdb"])
def server(request):
    with running_server(in_memory=request.param == "memory", extra_args=["--namespaces", "header"]) as server:
        yield server


def create(server, name="s", **more):
    status, found = ask(server, "CreateSnapshot", {"Name": name, **more})
    assert status == 200, found
    return found["Snapshot"]


def roll_back(server, name="s", **more):
    status, found = ask(server, "RollbackToSnapshot", {"Name": name, **more})
    assert status == 200, found
    return found["RowsWritten"]


def names_of(server, **more):
    status, found = ask(server, "ListSnapshots", more)
    assert status == 200, found
    return [each["Name"] for each in found["Snapshots"]]


def state_of(client, name):
    table = client.describe_table(TableName=name)["Table"]
    items = client.scan(TableName=name)["Items"]
    indexed = [client.scan(TableName=name, IndexName=each["IndexName"])["Items"]
               for each in table.get("GlobalSecondaryIndexes", [])]
    return json.dumps([table, sorted(map(str, items)), [sorted(map(str, each)) for each in indexed],
                       client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"],
                       client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]],
                      default=str, sort_keys=True)


def state(client):
    """All that a client sees of tables and items; moments of now are left out."""
    found = {}
    for name in client.list_tables()["TableNames"]:
        with contextlib.suppress(client.exceptions.ResourceNotFoundException):  # deleted since it was listed
            found[name] = state_of(client, name)
    return found


def fill(client, tables=3, items=20):
    for table in range(tables):
        client.create_table(TableName=f"tab{table}", **{**KEYS, **(INDEX if table == 1 else {}),
                                                     **(STREAM if table == 2 else {})})
        for item in range(items):
            client.put_item(TableName=f"tab{table}", Item={"k": {"S": f"i{item}"}, "g": {"S": f"g{item % 3}"}})


def upset(client, round_=0):
    """Changes of every kind."""
    client.put_item(TableName="tab0", Item={"k": {"S": f"new{round_}"}})
    client.delete_item(TableName="tab0", Key={"k": {"S": "i1"}})
    client.update_item(TableName="tab1", Key={"k": {"S": "i2"}}, UpdateExpression="SET g = :g",
                       ExpressionAttributeValues={":g": {"S": "other"}})
    client.put_item(TableName="tab2", Item={"k": {"S": f"streamed{round_}"}})
    client.create_table(TableName="made", **KEYS)
    client.put_item(TableName="made", Item={"k": {"S": "x"}})
    arn = client.describe_table(TableName="tab0")["Table"]["TableArn"]
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "round", "Value": str(round_)}])
    client.update_time_to_live(TableName="tab0", TimeToLiveSpecification={"Enabled": True, "AttributeName": "at"})
    if round_ % 2:
        client.delete_table(TableName="tab1")
    if round_ % 3 == 1:
        client.update_table(TableName="tab2", StreamSpecification={"StreamEnabled": False})


@pytest.mark.parametrize("space", [None, "mine"])
def test_all_of_it_goes_back_as_often_as_one_likes(server, space):
    other, client = client_of(server, "other", "header"), client_of(server, space, "header")
    about = {"Namespace": space or ""}
    other.create_table(TableName="tab0", **KEYS)
    fill(client)
    before = state(client)
    made = create(server, **about)
    assert made["Name"] == "s" and made["Rows"] > 60 and made["SizeBytes"] > 1000
    assert abs(made["CreationDateTime"] - time.time()) < 60
    for round_ in range(6):
        upset(client, round_)
        assert state(client) != before
        assert roll_back(server, **about) > 0
        assert state(client) == before
        client.put_item(TableName="tab1", Item={"k": {"S": "after"}, "g": {"S": "after"}})
        assert client.query(TableName="tab1", IndexName="by-g", KeyConditionExpression="g = :g",
                            ExpressionAttributeValues={":g": {"S": "after"}})["Count"] == 1
    assert other.list_tables()["TableNames"] == ["tab0"]


def test_by_the_header_or_by_name(server):
    client = client_of(server, "mine", "header")
    client.create_table(TableName="tab", **KEYS)
    assert ask(server, "CreateSnapshot", {"Name": "s"}, {HEADER: "mine"})[0] == 200
    assert names_of(server) == [] and names_of(server, Namespace="mine") == ["s"]
    client.delete_table(TableName="tab")
    assert ask(server, "RollbackToSnapshot", {"Name": "s"}, {HEADER: "mine"})[0] == 200
    assert client.list_tables()["TableNames"] == ["tab"]
    assert ask(server, "DeleteNamespace", {"Name": "mine"})[0] == 200
    assert refused(server, "ListSnapshots", {"Namespace": "mine"})[0] == "ResourceNotFoundException"


def test_several_snapshots(server):
    client = client_of(server, None)
    fill(client, items=3)
    states = {}
    for name in ("a", "b", "c"):
        create(server, name)
        states[name] = state(client)
        client.put_item(TableName="tab0", Item={"k": {"S": "behind " + name}})
        client.put_item(TableName="tab2", Item={"k": {"S": "behind " + name}})
    chance = random.Random(4)
    for round_ in range(12):
        name = chance.choice("abc")
        roll_back(server, name)
        assert state(client) == states[name]
        if round_ % 2:
            upset(client, round_)
    assert names_of(server) == ["a", "b", "c"]
    assert ask(server, "DeleteSnapshot", {"Name": "b"}) == (200, {})
    assert names_of(server) == ["a", "c"]
    roll_back(server, "c")
    assert state(client) == states["c"]


def test_streams_go_back_and_iterators_of_before_are_expired(server):
    client, streams = client_of(server, None), client_of(server, None, service="dynamodbstreams")
    client.create_table(TableName="tab", **KEYS, **STREAM)
    for item in range(3):
        client.put_item(TableName="tab", Item={"k": {"S": f"kept{item}"}})
    create(server)
    arn = streams.list_streams()["Streams"][0]["StreamArn"]
    shards = shards_of(streams, arn)

    def newest():
        where = {"StreamArn": arn, "ShardIteratorType": "LATEST"}
        return [streams.get_shard_iterator(ShardId=shard, **where)["ShardIterator"] for shard in shards]

    for round_ in range(3):
        client.put_item(TableName="tab", Item={"k": {"S": "gone"}})
        assert set(streamed(streams, arn)) >= {"gone", "kept0", "kept1", "kept2"}
        before = newest()
        roll_back(server)
        for iterator in before:
            with pytest.raises(ClientError, match="ExpiredIteratorException"):
                streams.get_records(ShardIterator=iterator)
        assert streamed(streams, arn) == ["kept0", "kept1", "kept2"]
        after = newest()
        client.put_item(TableName="tab", Item={"k": {"S": f"new{round_}"}})
        records = [each for iterator in after for each in streams.get_records(ShardIterator=iterator)["Records"]]
        assert [each["dynamodb"]["Keys"]["k"]["S"] for each in records] == [f"new{round_}"]
        for shard in shards:
            numbers = [each["dynamodb"]["SequenceNumber"] for each in records_of(streams, arn, shard)]
            assert numbers == sorted(numbers)


def test_tokens_go_back(server):
    client = client_of(server, None)
    client.create_table(TableName="tab", **KEYS)
    create(server)
    for value in "abc":  # the same token with another request is refused, unless it was never used
        client.transact_write_items(ClientRequestToken="token", TransactItems=[
            {"Put": {"TableName": "tab", "Item": {"k": {"S": value}}}}])
        assert client.scan(TableName="tab")["Items"] == [{"k": {"S": value}}]
        roll_back(server)


def test_after_a_restart(tmp_path):
    with running_server(data_dir=tmp_path / "data") as server:
        client = client_of(server, None)
        fill(client)
        create(server)
        before = state(client)
        upset(client, 1)
    with running_server(data_dir=tmp_path / "data") as server:
        client = client_of(server, None)
        assert names_of(server) == ["s"]
        assert state(client) != before
        roll_back(server)
        assert state(client) == before
        upset(client, 2)
        roll_back(server)
        assert state(client) == before


def test_whoever_writes_meanwhile_writes_to_the_one_or_the_other(server):
    """A write that is acknowledged before the rollback is gone, one that begins behind it stays."""
    client = client_of(server, None)
    client.create_table(TableName="tab", **KEYS)
    for item in range(50):
        client.put_item(TableName="tab", Item={"k": {"S": f"kept{item}"}})
    create(server)
    done = threading.Event()
    acknowledged = []  # (name, begun, ended)

    def keep_writing(writer, mine):
        number = 0
        while not done.is_set():
            name, begun = f"{writer} {number}", time.monotonic()
            mine.put_item(TableName="tab", Item={"k": {"S": name}})
            acknowledged.append((name, begun, time.monotonic()))
            number += 1

    clients = [client_of(server, None) for _ in range(8)]  # boto3 makes one at a time
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        writers = [pool.submit(keep_writing, writer, mine) for writer, mine in enumerate(clients)]
        for _ in range(15):
            time.sleep(0.03)
            begun = time.monotonic()
            roll_back(server)
            ended = time.monotonic()
        done.set()
        for writer in writers:
            writer.result()
    found = set()
    for page in client.get_paginator("scan").paginate(TableName="tab"):
        found |= {each["k"]["S"] for each in page["Items"]}
    assert {name for name in found if name.startswith("kept")} == {f"kept{item}" for item in range(50)}
    written = {name for name in found if not name.startswith("kept")}
    assert not written & {name for name, _, then in acknowledged if then < begun}
    assert written >= {name for name, then, _ in acknowledged if then > ended}
    assert written <= {name for name, _, _ in acknowledged}


@pytest.mark.parametrize("spaces", [1, 12])
def test_many_at_once(tmp_path, spaces):
    """More than there are threads for it, whether of one database or each of its own."""
    with running_server(data_dir=tmp_path / "data", extra_args=["--namespaces", "header"]) as server:
        clients = {f"n{at}": client_of(server, f"n{at}", "header") for at in range(spaces)}
        for name, client in clients.items():
            client.create_table(TableName="tab", **KEYS, **STREAM)
            client.put_item(TableName="tab", Item={"k": {"S": "kept"}})
            create(server, Namespace=name)

        def work(worker):
            name = f"n{worker % spaces}"
            for _ in range(10):
                clients[name].put_item(TableName="tab", Item={"k": {"S": f"gone{worker}"}})
                roll_back(server, Namespace=name)

        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            list(pool.map(work, range(12)))
        for name, client in clients.items():
            roll_back(server, Namespace=name)
            assert client.scan(TableName="tab")["Items"] == [{"k": {"S": "kept"}}]


@pytest.mark.parametrize("round_", range(4))
def test_killed_in_the_middle_it_is_before_or_after(tmp_path, round_):
    data = tmp_path / "data"
    with running_server(data_dir=data) as server:
        client = client_of(server, None)
        client.create_table(TableName="tab", **KEYS, **STREAM)
        for item in range(300):
            client.put_item(TableName="tab", Item={"k": {"S": f"kept{item}"}, "v": {"S": "x" * 3000}})
        create(server)
        before = state(client)
        for item in range(300):
            client.put_item(TableName="tab", Item={"k": {"S": f"kept{item}"}, "v": {"S": "y" * 3000}})
            if item % 3 == 0:
                client.put_item(TableName="tab", Item={"k": {"S": f"new{item}"}})
        changed = state(client)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            def try_to():
                try:
                    return ask(server, "RollbackToSnapshot", {"Name": "s"})
                except OSError:
                    return None
            under_way = pool.submit(try_to)
            time.sleep(0.002 * (round_ * 3 + 1))
            server.kill()
            answered = under_way.result()
    code, out, _ = run("verify", str(data))
    assert code == 0 and out.endswith(" is well.\n"), out  # what is half done is not held against it
    with running_server(data_dir=data) as server:
        found = state(client_of(server, None))
        assert found == before or (found == changed and answered is None)
        roll_back(server)
        assert state(client_of(server, None)) == before


def test_of_a_namespace_that_holds_nothing_else(server):
    for operation in ("CreateSnapshot", "RollbackToSnapshot", "DeleteSnapshot", "ListSnapshots"):
        body = {"Namespace": "bare"} | ({} if operation == "ListSnapshots" else {"Name": "s"})
        assert refused(server, operation, body) == ("ResourceNotFoundException", "There is no namespace bare.")
    assert namespaces_of(server) == []
    # Who calls in a namespace, and does not name it from outside, begins it.
    assert ask(server, "CreateSnapshot", {"Name": "s"}, headers={HEADER: "bare"})[0] == 200
    assert namespaces_of(server) == ["bare"] and names_of(server, Namespace="bare") == ["s"]
    client = client_of(server, "bare", "header")
    client.create_table(TableName="tab", **KEYS)
    roll_back(server, Namespace="bare")
    assert client.list_tables()["TableNames"] == []
    assert ask(server, "DeleteNamespace", {"Name": "bare"}) == (200, {})
    assert namespaces_of(server) == []


def test_bad_requests(server):
    for name in ("", "a b", "x" * 65, "ü"):
        kind, message = refused(server, "CreateSnapshot", {"Name": name})
        assert kind == "ValidationException" and "64 letters" in message
    assert refused(server, "CreateSnapshot", {"Name": 3})[0] == "ValidationException"
    assert refused(server, "CreateSnapshot", {"Nam": "s"})[0] == "ValidationException"
    assert refused(server, "CreateSnapshot", {"Name": "s", "Namespace": "a b"})[0] == "ValidationException"
    for operation in ("RollbackToSnapshot", "DeleteSnapshot"):
        kind, message = refused(server, operation, {"Name": "none"})
        assert kind == "ResourceNotFoundException" and "none" in message
    create(server)
    assert refused(server, "CreateSnapshot", {"Name": "s"})[0] == "ResourceInUseException"
    for number in range(31):
        create(server, f"s{number}")
    assert refused(server, "CreateSnapshot", {"Name": "more"})[0] == "LimitExceededException"
    assert len(names_of(server)) == 32
    assert namespaces_of(server) == []


def test_without_namespaces_none_is_named():
    with running_server(in_memory=True) as server:
        create(server)
        kind, message = refused(server, "RollbackToSnapshot", {"Name": "s", "Namespace": "a"})
        assert kind == "ValidationException" and "--namespaces" in message
        assert refused(server, "RollbackToSnapshot", {"Name": "s"}, headers={HEADER: "a"})[0] == "ValidationException"


def test_a_store_of_several_servers_has_none():
    with store_arguments("postgres") as store:
        with running_server(**store, extra_args=["--namespaces", "key"]) as one, \
                running_server(**store, extra_args=["--namespaces", "key"]) as two:
            first, second = client_of(one, "a"), client_of(two, "a")
            first.create_table(TableName="tab", **KEYS)
            second.put_item(TableName="tab", Item={"k": {"S": "x"}})
            assert first.scan(TableName="tab")["Count"] == 1
            assert client_of(two, "b").list_tables()["TableNames"] == []
            for operation in ("CreateSnapshot", "RollbackToSnapshot", "DeleteSnapshot"):
                kind, message = refused(one, operation, {"Name": "s", "Namespace": "a"})
                assert kind == "ValidationException" and "several may share" in message
            assert refused(one, "ListSnapshots", {"Namespace": "a"})[0] == "ValidationException"
            # The other server knows the table, and would take for it what gets its id.
            kind, message = refused(one, "DeleteNamespace", {"Name": "a"})
            assert kind == "ValidationException" and "several may share" in message
            assert second.scan(TableName="tab")["Count"] == 1
            assert namespaces_of(two) == ["a"]


def test_only_with_a_signature_where_they_are_verified(tmp_path):
    (tmp_path / "credentials").write_text(CREDENTIALS)
    with running_server(in_memory=True, extra_args=["--credentials", str(tmp_path / "credentials")]) as server:
        for operation in ("CreateSnapshot", "RollbackToSnapshot", "ListSnapshots", "DeleteSnapshot"):
            assert refused(server, operation)[0] in ("UnrecognizedClientException", "InvalidSignatureException")


TESTS = """
import pytest

@pytest.mark.parametrize("round_", range(5))
def test_clean(dynamodb, round_):
    table = dynamodb.Table("Music")
    assert table.scan()["Count"] == 0
    table.put_item(Item={"Artist": f"No One You Know {round_}"})
    assert table.scan()["Count"] == 1
"""


def test_the_pages_example(tmp_path):
    """docs/testing.md as somebody copies it, by two workers at once."""
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "testing.md").read_text()
    example = next(block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "RollbackToSnapshot" in block)
    with running_server(in_memory=True, extra_args=["--namespaces", "key"]) as server:
        (tmp_path / "conftest.py").write_text(example.replace("http://localhost:8000", server.url))
        (tmp_path / "test_it.py").write_text(TESTS)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
        workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path,
                                    env={**os.environ, "PYTEST_XDIST_WORKER": name}) for name in ("gw0", "gw1")]
        for worker in workers:
            out, _ = worker.communicate(timeout=120)
            assert worker.returncode == 0 and "5 passed" in out, out
        assert namespaces_of(server) == ["gw0", "gw1"]


def run(*words):
    ran = subprocess.run([binary(), *words], capture_output=True, text=True, timeout=60)
    return ran.returncode, ran.stdout, ran.stderr


def test_by_command(tmp_path):
    socket = str(tmp_path / "socket")
    with running_server(in_memory=True, extra_args=["--namespaces", "header", "--admin-socket", socket]) as server:
        plain, named = client_of(server, None), client_of(server, "mine", "header")
        for client in (plain, named):
            client.create_table(TableName="tab", **KEYS)
        assert run("snapshot", "create", "clean", socket)[0] == 0
        assert run("snapshot", "create", "clean", socket, "--namespace", "mine")[0] == 0
        for client in (plain, named):
            client.put_item(TableName="tab", Item={"k": {"S": "x"}})
        assert run("snapshot", "rollback", "clean", socket, "--namespace", "mine")[0] == 0
        assert (plain.scan(TableName="tab")["Count"], named.scan(TableName="tab")["Count"]) == (1, 0)
        assert run("snapshot", "rollback", "clean", socket) == (0, "2 rows were written\n", "")
        assert run("snapshot", "rollback", "clean", socket) == (0, "0 rows were written\n", "")
        assert plain.scan(TableName="tab")["Count"] == 0
        code, out, _ = run("snapshot", "list", socket)
        assert code == 0 and out.startswith("clean: ")
        assert run("namespace", "list", socket)[:2] == (0, "mine\n")
        code, _, err = run("snapshot", "rollback", "none", socket)
        assert code == 1 and "There is no snapshot none." in err
        assert run("snapshot", "delete", "clean", socket)[0] == 0
        assert run("snapshot", "list", socket)[:2] == (0, "")
        assert run("namespace", "drop", "mine", socket)[0] == 0
        assert named.list_tables()["TableNames"] == []
        assert run("namespace", "drop", "mine", socket)[0] == 1
    assert run("snapshot", "list", socket)[0] == 1
    assert run("snapshot", "create")[0] == 2


def test_stores_with_them_are_verified_and_copied(tmp_path):
    data, copy = tmp_path / "data", tmp_path / "copy"
    with running_server(data_dir=data, extra_args=["--namespaces", "header"]) as server:
        for name in (None, "a", "b"):
            client = client_of(server, name, "header")
            fill(client, items=5)
            create(server, Namespace=name or "")
            upset(client)
    code, out, _ = run("verify", str(data))
    assert code == 0 and out.endswith("All is well.\n") and "belong" not in out, out
    assert [out.count(f"namespace {name}:\n") for name in "ab"] == [1, 1]
    code, out, err = run("copy", str(data), str(copy))
    assert code == 0 and "namespaces and snapshots: " in out, out + err
    with running_server(data_dir=copy, extra_args=["--namespaces", "header"]) as server:
        for name in (None, "a", "b"):
            roll_back(server, Namespace=name or "")
            assert client_of(server, name, "header").scan(TableName="tab0")["Count"] == 5
