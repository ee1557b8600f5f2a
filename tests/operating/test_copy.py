"""`partita copy`: a store goes to PostgreSQL and back, killed on the way again and again, and is the same to its clients."""

import decimal
import json
import random
import re
import subprocess
import time

import foundationdb
import pytest
from postgres import running_postgres
from server import binary, running_server
from stream_records import records_of
from test_namespaces import KEYS, client_of

ITEMS = 6_000
KILLS = 4


def run(*words, end_after_s=None, kill_when_told=False):
    """(exit code, stdout, stderr); killed when it takes longer than that, or as soon as it says how far it is."""
    process = subprocess.Popen([binary(), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = ""
    if kill_when_told:
        for line in process.stderr:
            said += line
            if re.match("(copying|comparing): [1-9]", line):
                process.kill()
                break
    try:
        out, err = process.communicate(timeout=end_after_s)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
    return process.returncode, out, said + err


def fill(server):
    """A little of all that a store holds."""
    client = server.client()
    attributes = [{"AttributeName": name, "AttributeType": kind} for name, kind in (("p", "S"), ("s", "N"), ("g", "S"))]
    keys = [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}]
    local = [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "g", "KeyType": "RANGE"}]
    everything = {"ProjectionType": "ALL"}
    client.create_table(
        TableName="full",
        AttributeDefinitions=attributes,
        KeySchema=keys,
        BillingMode="PAY_PER_REQUEST",
        GlobalSecondaryIndexes=[{"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": everything}],
        LocalSecondaryIndexes=[{"IndexName": "by-p-g", "KeySchema": local, "Projection": everything}],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        Tags=[{"Key": "of", "Value": "ours"}],
    )
    client.update_time_to_live(TableName="full", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
    resource = server.resource().Table("full")
    chance = random.Random(5)
    with resource.batch_writer() as batch:
        for number in range(ITEMS):
            item = {"p": f"p{number % 97}", "s": number, "g": f"g{number % 13}", "text": "x" * chance.randrange(600)}
            if number % 10 == 0:
                item |= {"ends": int(time.time()) + 100_000, "bytes": bytes(chance.randrange(256) for _ in range(40))}
            batch.put_item(Item=item)
    for number in range(50):
        resource.delete_item(Key={"p": f"p{number % 97}", "s": number})
    resource.put_item(Item={"p": "large", "s": 1, "text": "y" * 390_000})
    resource.put_item(Item={"p": "long" * 500, "s": decimal.Decimal("-1.5")})
    client.create_table(
        TableName="empty",
        AttributeDefinitions=attributes[:1],
        KeySchema=keys[:1],
        ProvisionedThroughput={"ReadCapacityUnits": 3, "WriteCapacityUnits": 4},
    )
    client.transact_write_items(
        TransactItems=[{"Put": {"TableName": "empty", "Item": {"p": {"S": "by token"}}}}], ClientRequestToken="a token of ours"
    )


def everything(server):
    """What clients see, as one value that can be compared."""
    client, streams = server.client(), server.client("dynamodbstreams")
    seen = {}
    for name in client.list_tables()["TableNames"]:
        table = client.describe_table(TableName=name)["Table"]
        scanned = [page["Items"] for page in client.get_paginator("scan").paginate(TableName=name, ConsistentRead=True)]
        seen[name] = {
            "table": table,
            "items": scanned,
            "ttl": client.describe_time_to_live(TableName=name),
            "tags": client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"],
            "indexes": {
                index["IndexName"]: list(client.get_paginator("scan").paginate(TableName=name, IndexName=index["IndexName"]))
                for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
                for index in table.get(kind, [])
            },
        }
        for one in streams.list_streams(TableName=name)["Streams"]:
            stream = streams.describe_stream(StreamArn=one["StreamArn"])["StreamDescription"]
            seen[name]["stream"] = stream
            seen[name]["records"] = [records_of(streams, one["StreamArn"], shard["ShardId"]) for shard in stream["Shards"]]
    return json.loads(json.dumps(seen, default=str, sort_keys=True), object_hook=without_request)


def without_request(found):
    found.pop("ResponseMetadata", None)
    return found


def copied(source, target, in_other_words=None):
    """Copies, killed KILLS times on the way; a half is never served. What it says in the end, when the source is
    named in other words."""
    began = time.monotonic()
    words = ["--store" if ":" in str(target) else "--data", target]
    for _ in range(KILLS):
        code, out, err = run("copy", source, target, kill_when_told=True)
        assert code == -9, (code, out, err)
        code, _, err = run("serve", "--listen", "127.0.0.1:0", *words, end_after_s=10)
        assert code == 1 and "not whole yet" in err, (code, err)
    code, out, err = run("copy", in_other_words or source, target)
    assert "an interrupted copy went on" in out, (out, err)
    assert code == 0, err
    print(f"{time.monotonic() - began:.1f} s\n{out}{err}")
    return out


def test_there_and_back_everything_is_the_same(tmp_path):
    first, last = tmp_path / "first", tmp_path / "last"
    with running_server(data_dir=first) as server:
        fill(server)
        before = everything(server)
    with running_postgres() as postgres:
        said = copied(first, postgres.url)
        assert "table full: " in said and "read back" in said
        with running_server(store=postgres.url) as server:
            assert everything(server) == before
            check_goes_on(server, before)
            between = everything(server)
        back = copied(postgres.url, last, postgres.url + "&sslmode=prefer")
        assert "table full: " in back
    with running_server(data_dir=last) as server:
        assert everything(server) == between
        check_goes_on(server, between)


@pytest.mark.skipif(**foundationdb.WITHOUT_CLUSTER)
def test_into_foundationdb_and_on_to_another_everything_is_the_same(tmp_path):
    first = tmp_path / "first"
    with running_server(data_dir=first) as server:
        fill(server)
        before = everything(server)
    one, other = foundationdb.new_store(), foundationdb.new_store()
    said = copied(first, one)
    assert "table full: " in said and "read back" in said
    with running_server(store=one) as server:
        assert everything(server) == before
        check_goes_on(server, before)
        between = everything(server)
        code, _, err = run("copy", one, tmp_path / "last")
        assert code == 1 and "stop them first" in err, err
    copied(one, other)
    with running_server(store=other) as server:
        assert everything(server) == between
        check_goes_on(server, between)
    # Entries of its logs have no place in one of another kind, and a copy without them would be none.
    code, _, err = run("copy", other, tmp_path / "last")
    assert code == 1 and "positions" in err, err


@pytest.mark.skipif(**foundationdb.WITHOUT_CLUSTER)
def test_a_store_in_foundationdb_is_used_again_when_its_server_or_its_copy_was_killed(tmp_path):
    store = foundationdb.new_store()
    with running_server(store=store) as server:
        fill(server)
        before = everything(server)
        server.kill()
    target = foundationdb.new_store()
    code, out, err = run("copy", store, target, kill_when_told=True)
    assert code == -9, (code, out, err)
    with running_server(store=store) as server:
        assert everything(server) == before


def check_goes_on(server, before):
    """That what clients hold from the store before is good here: a token, a sequence number; and that writes go on."""
    client, streams = server.client(), server.client("dynamodbstreams")
    again = [{"Put": {"TableName": "empty", "Item": {"p": {"S": "by token"}}}}]
    client.transact_write_items(TransactItems=again, ClientRequestToken="a token of ours")
    other = [{"Put": {"TableName": "empty", "Item": {"p": {"S": "another"}}}}]
    with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
        client.transact_write_items(TransactItems=other, ClientRequestToken="a token of ours")
    def news():
        """What came behind the last record that clients saw, by its sequence number in that store."""
        stream = before["full"]["stream"]
        for shard, records in zip(stream["Shards"], before["full"]["records"]):
            last = records[-1]["dynamodb"]["SequenceNumber"]
            where = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last}
            for record in records_of(streams, stream["StreamArn"], shard["ShardId"], **where):
                assert int(record["dynamodb"]["SequenceNumber"]) > int(last)
                yield record["dynamodb"]["Keys"]["p"]["S"]

    assert list(news()) == []
    client.put_item(TableName="full", Item={"p": {"S": "new"}, "s": {"N": str(time.time())}})
    assert list(news()) == ["new"]


def test_snapshots_stay_where_they_can_be_deleted(tmp_path):
    first, second, last = tmp_path / "first", tmp_path / "second", tmp_path / "last"

    def snapshots_of(directory, *more):
        code, out, err = run("snapshot", "list", directory, *more)
        assert code == 0, err
        return re.findall("^(s[0-9])\\b", out, re.MULTILINE)

    with running_server(data_dir=first, extra_args=["--namespaces", "header"]) as server:
        client = server.client()
        client.create_table(TableName="kept", KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}],
                            AttributeDefinitions=[{"AttributeName": "p", "AttributeType": "S"}], BillingMode="PAY_PER_REQUEST")
        client.put_item(TableName="kept", Item={"p": {"S": "a"}})
        for words in (["s1"], ["s2"], ["s3"]):
            code, _, err = run("snapshot", "create", *words, first)
            assert code == 0, err
        client_of(server, "other", by="header").create_table(TableName="theirs", **KEYS)
        code, _, err = run("snapshot", "create", "s4", first, "--namespace", "other")
        assert code == 0, err
    code, out, err = run("copy", first, second)
    assert code == 0 and "namespaces and snapshots: " in out and "left out: " not in out, (out, err)
    with running_server(data_dir=second, extra_args=["--namespaces", "header"]):
        assert snapshots_of(second) == ["s1", "s2", "s3"]
        assert snapshots_of(second, "--namespace", "other") == ["s4"]
    with running_postgres() as postgres:
        code, out, err = run("copy", second, postgres.url)
        assert code == 0 and "left out: 4 snapshots; " in out and "snapshots: " not in out, (out, err)
        code, out, err = run("copy", postgres.url, last)
        assert code == 0 and "left out: " not in out, (out, err)
    with running_server(data_dir=last, extra_args=["--namespaces", "header"]) as server:
        assert snapshots_of(last) == []
        assert server.client().scan(TableName="kept")["Count"] == 1


def test_what_can_not_be_copied_is_refused_in_a_sentence(tmp_path):
    store = tmp_path / "store"
    with running_server(data_dir=store) as server:
        server.client().create_table(
            TableName="one",
            KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "p", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        code, _, err = run("copy", store, tmp_path / "copy")
        assert code == 1 and "in use by another server; stop that one, or name another directory." in err
    code, _, err = run("copy", tmp_path / "nothing", tmp_path / "copy")
    assert code == 1 and "There is no store" in err and not (tmp_path / "nothing").exists()
    code, _, err = run("copy", store, store)
    assert code == 1 and "onto itself" in err
    assert run("copy", store, tmp_path / "copy")[0] == 0
    code, _, err = run("copy", store, tmp_path / "copy")
    assert code == 1 and "not empty" in err
    with running_postgres() as postgres:
        # Whatever it calls itself there.
        with running_server(store=postgres.url + "&application_name=another"):
            for words in ((postgres.url, tmp_path / "third"), (store, postgres.url)):
                code, _, err = run("copy", *words)
                assert code == 1 and "stop them first" in err, err
        code, _, err = run("copy", postgres.url, tmp_path / "third")
        assert code == 1 and "nothing to copy" in err and not (tmp_path / "third").exists()
        code, _, err = run("copy", postgres.url, postgres.url + "&application_name=another")
        assert code == 1, err


def test_a_mistyped_name_of_a_source_makes_nothing(tmp_path):
    for words in (("verify", tmp_path / "typo"), ("copy", tmp_path / "typo", tmp_path / "copy")):
        code, out, err = run(*words)
        assert (code, out, err) == (1, "", f"partita: There is no store in {tmp_path / 'typo'}: check the name.\n")
    assert list(tmp_path.iterdir()) == []
    with running_postgres() as postgres:
        for words in (("verify", postgres.url), ("copy", postgres.url, tmp_path / "copy")):
            code, out, err = run(*words)
            assert (code, out) == (1, "") and "There is no store in the database postgres (in its schema public)" in err, err
        made = "SELECT (SELECT count(*) FROM pg_class WHERE relname ~ 'partita'), (SELECT count(*) FROM pg_proc WHERE proname ~ 'partita')"
        assert postgres.ask(made) == "0|0" and list(tmp_path.iterdir()) == []
        # What a server made is a store, of however little.
        with running_server(store=postgres.url):
            pass
        code, out, err = run("verify", postgres.url)
        assert code == 0 and "All is well." in out, err
        # Where tables would go there is nowhere to go.
        code, out, err = run("verify", postgres.url + "&options=-csearch_path%3Dnowhere")
        assert (code, out) == (1, "") and "of those that it names (nowhere) the database has none that this user may use: make" in err, err


def test_a_store_that_is_copied_is_served_by_nobody():
    """The lock is what a copy has of it: whoever has it here does so for longer."""
    with running_postgres() as postgres:
        with running_server(store=postgres.url):
            pass
        holder = postgres.begin("SELECT pg_advisory_lock(7237134, hashtext(current_schema())), pg_sleep(60)")
        try:
            deadline = time.monotonic() + 10
            while postgres.ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted") == "0":
                assert time.monotonic() < deadline
            code, _, err = run("serve", "--listen", "127.0.0.1:0", "--store", postgres.url, end_after_s=20)
            assert code == 1 and "is being copied" in err, (code, err)
        finally:
            holder.kill()
            holder.wait()
        postgres.ask("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
        with running_server(store=postgres.url) as server:
            server.client().list_tables()
