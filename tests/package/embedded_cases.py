"""partita.open() in an environment that has the wheel: test_python_wheel.py runs this file there, with the pytest of
that environment."""

import os
import subprocess
import sys
import threading
import time

import boto3
import botocore.exceptions
import pytest
from boto3.dynamodb.conditions import Attr
from botocore.config import Config

import partita

MUSIC = {"TableName": "Music", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "Artist", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"}]}
ACME = {"TableName": "Music", "Key": {"Artist": {"S": "Acme"}}}
COUNT = {**ACME, "UpdateExpression": "ADD Plays :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}


@pytest.fixture
def database():
    with partita.open() as opened:
        yield opened


@pytest.fixture
def music(database):
    database.call("CreateTable", MUSIC)
    return database


def plays(database):
    return int(database.call("GetItem", ACME)["Item"]["Plays"]["N"])


def test_it_needs_no_boto3():
    program = """
import sys
sys.modules["boto3"] = sys.modules["botocore"] = None
import partita
with partita.open() as database:
    print(database.call("ListTables", Limit=1))
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == "{'TableNames': []}\n"


def test_a_resource(database):
    table = database.resource().create_table(**MUSIC)
    table.wait_until_exists()
    with table.batch_writer() as batch:
        for n in range(60):
            batch.put_item(Item={"Artist": str(n), "Cover": b"\0\xff", "Tags": {"a", "b"}, "Year": 1900 + n})
    assert table.scan(FilterExpression=Attr("Year").lt(1910))["Count"] == 10
    item = table.get_item(Key={"Artist": "7"})["Item"]
    assert (item["Cover"].value, item["Tags"], item["Year"]) == (b"\0\xff", {"a", "b"}, 1907)


def test_a_client_with_exceptions_pages_waiters_and_transactions(music):
    client = music.client()
    client.transact_write_items(TransactItems=[
        {"Put": {"TableName": "Music", "Item": {"Artist": {"S": str(n)}}}} for n in range(10)])
    pages = list(client.get_paginator("scan").paginate(TableName="Music", PaginationConfig={"PageSize": 3}))
    assert [page["Count"] for page in pages] == [3, 3, 3, 1]
    once = {"TableName": "Music", "Item": {"Artist": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(Artist)"}
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as failed:
        client.put_item(**once, ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert failed.value.response["Item"] == {"Artist": {"S": "1"}}
    assert len(failed.value.response["ResponseMetadata"]["RequestId"]) == 32
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(TransactItems=[{"Put": once}])
    assert cancelled.value.response["CancellationReasons"][0]["Code"] == "ConditionalCheckFailed"
    client.delete_table(TableName="Music")
    client.get_waiter("table_not_exists").wait(TableName="Music", WaiterConfig={"Delay": 1})
    with pytest.raises(botocore.exceptions.ParamValidationError):
        client.get_item(TableName="Music")


def test_streams(database):
    client, streams = database.client(), database.client("dynamodbstreams")
    client.create_table(**MUSIC, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    client.put_item(TableName="Music", Item={"Artist": {"S": "Acme"}})
    [stream] = streams.list_streams(TableName="Music")["Streams"]
    arn, records = stream["StreamArn"], []
    for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
        iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
        records += streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
    [record] = records
    assert record["dynamodb"]["NewImage"] == {"Artist": {"S": "Acme"}}


@pytest.mark.parametrize("mode", ["legacy", "standard"])
def test_answers_of_status_500_are_retried(music, monkeypatch, mode):
    client = music.client(config=Config(retries={"mode": mode, "total_max_attempts": 3}))
    answer, failures = music._answer, [(500, b'{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}')] * 2
    monkeypatch.setattr(music, "_answer", lambda *asked: failures.pop() if failures else answer(*asked))
    assert client.update_item(**COUNT)["ResponseMetadata"]["RetryAttempts"] == 2
    assert plays(music) == 1


def test_threads(music):
    client = music.client()

    def write():
        for _ in range(50):
            client.update_item(**COUNT)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert plays(music) == 400


def test_close_waits_for_calls_in_other_threads():
    database, ended = partita.open(), []
    database.call("CreateTable", MUSIC)

    def write():
        try:
            while True:
                database.call("UpdateItem", COUNT)
        except RuntimeError as why:
            ended.append(str(why))

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    database.close()
    for thread in threads:
        thread.join()
    assert ended == ["The database is closed."] * 4
    database.close()
    with pytest.raises(RuntimeError, match="closed"):
        database.create_snapshot("late")


def test_a_session_is_led_here_and_each_request_is_done_once(music):
    session = boto3.Session("key", "secret", region_name="us-east-1")
    with partita.open() as before:
        before.attach(session)
    music.attach(session)
    music.attach(session)
    client = session.client("dynamodb", endpoint_url="http://localhost:1")
    music.attach(client)
    client.update_item(**COUNT)
    assert plays(music) == 1
    elsewhere = session.client("sqs", endpoint_url="http://localhost:1", config=Config(retries={"max_attempts": 0}))
    with pytest.raises(botocore.exceptions.EndpointConnectionError):
        elsewhere.list_queues()


def test_databases_are_apart():
    with partita.open(region="eu-west-1") as one, partita.open() as two:
        described = one.resource().create_table(**MUSIC)
        assert described.table_arn == "arn:aws:dynamodb:eu-west-1:123456789012:table/Music"
        assert two.client().list_tables()["TableNames"] == []


def test_snapshots_and_the_clock(music):
    client = music.client()
    client.update_time_to_live(TableName="Music", TimeToLiveSpecification={"AttributeName": "Until", "Enabled": True})
    client.put_item(TableName="Music", Item={"Artist": {"S": "Brief"}, "Until": {"N": str(int(time.time()) + 3600)}})
    music.create_snapshot("clean")
    music.advance_clock(7200)
    ends = time.monotonic() + 20
    while client.scan(TableName="Music")["Count"]:
        assert time.monotonic() < ends
        time.sleep(0.05)
    music.reset_clock()
    music.rollback("clean")
    assert client.scan(TableName="Music")["Count"] == 1
    music.delete_snapshot("clean")
    with pytest.raises(partita.CallFailed, match="There is no snapshot clean.") as why:
        music.rollback("clean")
    assert why.value.code == "ResourceNotFoundException"


def test_the_clock_may_begin_ahead():
    with partita.open(clock=31 * 86400) as database:
        created = database.resource().create_table(**MUSIC).creation_date_time.timestamp()
        assert created - time.time() > 30 * 86400


def test_a_directory_moves_between_a_process_and_a_server(tmp_path):
    with partita.open(tmp_path / "data") as database:
        database.call("CreateTable", MUSIC)
        database.call("UpdateItem", COUNT)
        with pytest.raises(partita.LibraryFailed, match="data") as why:
            partita.open(tmp_path / "data")
        assert why.value.code == "UNAVAILABLE"
        with pytest.raises(partita.ServerFailed):
            partita.Server(tmp_path / "data").start()
    with partita.Server(tmp_path / "data") as server:
        server.client().update_item(**COUNT)
    with partita.open(str(tmp_path / "data")) as database:
        assert plays(database) == 2


def test_what_is_left_open(tmp_path):
    program = """
import threading
import partita
database = partita.open("data")
if not database.call("ListTables")["TableNames"]:
    database.call("CreateTable", TableName="Kept", BillingMode="PAY_PER_REQUEST",
                  AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                  KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}])
def write():
    while True:
        database.call("PutItem", TableName="Kept", Item={"k": {"S": "kept"}})
for _ in range(3):
    threading.Thread(target=write, daemon=True).start()
print(database.call("ListTables"))
"""
    for _ in range(3):  # the program ends while others are in calls
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path,
                               check=False)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "{'TableNames': ['Kept']}\n", "")
    database = partita.open(tmp_path / "data")
    del database
    with partita.open(tmp_path / "data") as database:
        assert database.call("ListTables")["TableNames"] == ["Kept"]


def test_errors_have_the_sentences_of_the_library(database):
    with pytest.raises(partita.CallFailed, match="is not served by Partita") as unknown:
        database.call("MakeCoffee")
    assert unknown.value.code == "UnknownOperationException"
    with pytest.raises(partita.CallFailed) as missing:
        database.call("GetItem", ACME)
    assert missing.value.code == "ResourceNotFoundException"
    with pytest.raises(partita.LibraryFailed, match="'a b' is no name of an operation"):
        database.call("a b")
    with pytest.raises(partita.LibraryFailed, match="region must be like"):
        partita.open(region="EU")
    with pytest.raises(ValueError):
        partita.open("da\0ta")
    with pytest.raises(ValueError):
        database.call("ListTables\0")


def test_the_path_of_a_refusal_need_not_be_text(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(partita.LibraryFailed, match="is a file|cannot be made"):
        partita.open(os.fsencode(tmp_path / "file") + b"/\xff\xfe")


def test_a_child_is_refused_in_words(music):
    client, (reads, writes) = music.client(), os.pipe()
    child = os.fork()
    if child == 0:
        said = []
        for work in (client.list_tables, lambda: music.call("ListTables"), partita.open):
            try:
                work()
            except partita.LibraryFailed as why:
                said.append(f"{why.code}: {why}\n")
        music.close()
        os.write(writes, "".join(said).encode())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as pipe:
        said = pipe.read().splitlines()
    os.waitpid(child, 0)
    assert len(said) == 3
    assert all(line.startswith("FORKED: ") and "fork first" in line for line in said)
    assert client.list_tables()["TableNames"] == ["Music"]


def test_another_library_may_be_named(tmp_path):
    for named, sentence in ((tmp_path / "none", "no file that can be read"), (__file__, "cannot be used")):
        program = "import partita\ntry:\n  partita.open()\nexcept partita.LibraryNotFound as why:\n  print(why)"
        told = {**os.environ, "PARTITA_LIBRARY": str(named)}
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=told)
        assert sentence in ended.stdout and str(named) in ended.stdout
