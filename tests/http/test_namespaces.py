"""Databases that are apart in one server, by access key or by header (--namespaces)."""

import concurrent.futures
import http.client
import json
import pathlib
import re
import subprocess
import threading
import time
import urllib.parse

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from pages import samples, value
from server import binary, is_sanitized, running_server
from stream_records import records_of

KEYS = {"AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}
STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}}
HEADER = "X-Partita-Namespace"
BY = ["key", "header"]


def client_of(server, name, by="key", service="dynamodb", secret="secret", key="local", **more):
    """Of a namespace; None is the one without a name."""
    keys = {"aws_access_key_id": name if by == "key" and name else key, "aws_secret_access_key": secret}
    config = Config(retries={"max_attempts": 0}, max_pool_connections=20)
    client = boto3.client(service, endpoint_url=server.url, region_name="us-east-1", config=config, **keys, **more)
    if by == "header" and name is not None:
        add = lambda request, **_: request.headers.add_header(HEADER, name)  # noqa: E731
        client.meta.events.register("before-sign.*.*", add)
    return client


def ask(server, operation, body=None, headers=None, key="local", prefix="Partita_20261123."):
    """A call by hand: its status and what came back."""
    where = urllib.parse.urlsplit(server.url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
    authorization = (f"AWS4-HMAC-SHA256 Credential={key}/20260102/us-east-1/dynamodb/aws4_request, "
                     "SignedHeaders=host;x-amz-date, Signature=00")
    everything = {"X-Amz-Target": prefix + operation, "Content-Type": "application/x-amz-json-1.0",
                  "X-Amz-Date": "20260102T000000Z", "Authorization": authorization, **(headers or {})}
    connection.request("POST", "/", json.dumps(body or {}), everything)
    reply = connection.getresponse()
    found = json.loads(reply.read())
    connection.close()
    return reply.status, found


def shards_of(streams, arn):
    return [each["ShardId"] for each in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]]


def streamed(streams, arn):
    """The keys of all records, sorted."""
    records = [each for shard in shards_of(streams, arn) for each in records_of(streams, arn, shard)]
    return sorted(each["dynamodb"]["Keys"]["k"]["S"] for each in records)


def refused(server, operation, body=None, **more):
    status, found = ask(server, operation, body, **more)
    assert status == 400, found
    return found["__type"].split("#")[1], found.get("message", found.get("Message"))


def namespaces_of(server, **more):
    status, found = ask(server, "ListNamespaces", more)
    assert status == 200, found
    return found["Namespaces"]


@pytest.fixture(params=["memory", "rocksdb"])
def store(request):
    return {"in_memory": request.param == "memory"}


@pytest.mark.parametrize("by", BY)
def test_each_has_its_own_tables_items_and_streams(store, by):
    names = ["one", "two", "one.more"]
    with running_server(**store, extra_args=["--namespaces", by]) as server:
        clients = {name: client_of(server, name, by) for name in names}
        for name, client in clients.items():
            assert client.list_tables()["TableNames"] == []
            client.create_table(TableName="same", **KEYS, **STREAM)
            client.put_item(TableName="same", Item={"k": {"S": "item"}, "of": {"S": name}})
            client.put_item(TableName="same", Item={"k": {"S": "only " + name}})
        for name, client in clients.items():
            key = {"k": {"S": "item"}}
            assert client.get_item(TableName="same", Key=key)["Item"]["of"]["S"] == name
            assert {each["k"]["S"] for each in client.scan(TableName="same")["Items"]} == {"item", "only " + name}
            found = client.query(TableName="same", KeyConditionExpression="k = :k",
                                 ExpressionAttributeValues={":k": {"S": "only " + name}})
            assert found["Count"] == 1
            selected = client.execute_statement(Statement="SELECT * FROM same WHERE k = 'item'")["Items"]
            assert [each["of"]["S"] for each in selected] == [name]
            assert client.describe_table(TableName="same")["Table"]["ItemCount"] == 2
            streams = client_of(server, name, by, "dynamodbstreams")
            listed = streams.list_streams()["Streams"]
            assert len(listed) == 1
            arn = listed[0]["StreamArn"]
            assert streamed(streams, arn) == ["item", "only " + name]
        clients["one"].transact_write_items(TransactItems=[
            {"Delete": {"TableName": "same", "Key": {"k": {"S": "item"}}}},
            {"Put": {"TableName": "same", "Item": {"k": {"S": "new"}}}}], ClientRequestToken="token")
        clients["two"].delete_table(TableName="same")
        assert clients["two"].list_tables()["TableNames"] == []
        assert {each["k"]["S"] for each in clients["one"].scan(TableName="same")["Items"]} == {"only one", "new"}
        assert clients["one.more"].scan(TableName="same")["Count"] == 2
        # The same token means something else to another.
        clients["one.more"].transact_write_items(TransactItems=[
            {"Put": {"TableName": "same", "Item": {"k": {"S": "other"}}}}], ClientRequestToken="token")
        assert namespaces_of(server) == ["one", "one.more", "two"]


def test_the_one_without_a_name_is_apart_too(store):
    with running_server(**store, extra_args=["--namespaces", "header"]) as server:
        plain, named = client_of(server, None), client_of(server, "named", "header")
        plain.create_table(TableName="plain", **KEYS)
        named.create_table(TableName="named", **KEYS)
        assert plain.list_tables()["TableNames"] == ["plain"]
        assert named.list_tables()["TableNames"] == ["named"]
        with pytest.raises(ClientError, match="ResourceNotFoundException"):
            named.describe_table(TableName="plain")
        assert namespaces_of(server) == ["named"]


def test_items_expire_in_each(store):
    with running_server(**store, extra_args=["--namespaces", "key"]) as server:
        clients = [client_of(server, name) for name in ("a", "b")]
        for client in clients:
            client.create_table(TableName="tab", **KEYS)
        old = {"k": {"S": "old"}, "at": {"N": str(int(time.time()) - 100)}}
        for client in clients:
            client.put_item(TableName="tab", Item=old)
        clients[0].update_time_to_live(TableName="tab", TimeToLiveSpecification={"Enabled": True, "AttributeName": "at"})
        deadline = time.monotonic() + 60
        while clients[0].scan(TableName="tab")["Count"] and time.monotonic() < deadline:
            time.sleep(0.05)
        assert clients[0].scan(TableName="tab")["Count"] == 0
        assert clients[1].scan(TableName="tab")["Count"] == 1


def test_they_are_there_again_after_a_restart(tmp_path):
    more = ["--namespaces", "header"]
    with running_server(data_dir=tmp_path / "data", extra_args=more) as server:
        for name in ("a", "b"):
            client = client_of(server, name, "header")
            client.create_table(TableName="tab", **KEYS)
            client.put_item(TableName="tab", Item={"k": {"S": name}})
        plain = client_of(server, None)
        plain.create_table(TableName="plain", **KEYS)
    with running_server(data_dir=tmp_path / "data") as server:
        assert client_of(server, None).list_tables()["TableNames"] == ["plain"]
    with running_server(data_dir=tmp_path / "data", extra_args=more) as server:
        for name in ("a", "b"):
            found = client_of(server, name, "header").scan(TableName="tab")["Items"]
            assert found == [{"k": {"S": name}}]


@pytest.mark.parametrize("more", [[], ["--namespaces", "key"]])
def test_a_header_that_nothing_is_made_of_is_refused(more):
    with running_server(in_memory=True, extra_args=more) as server:
        kind, message = refused(server, "ListTables", headers={HEADER: "a"}, prefix="DynamoDB_20120810.")
        assert kind == "ValidationException"
        assert "X-Partita-Namespace" in message and "--namespaces header" in message


@pytest.mark.parametrize("name", ["with space", "a/b", "ü", "x" * 65, "a\\b", "*"])
def test_bad_names(name):
    with running_server(in_memory=True, extra_args=["--namespaces", "header"]) as server:
        kind, message = refused(server, "ListTables", headers={HEADER: name.encode()}, prefix="DynamoDB_20120810.")
        assert kind == "ValidationException" and "64 letters" in message
        said = f" is no namespace's name: '{name}'. It takes 1 to 64 letters, digits, '_', '-' and '.'."
        for operation, member, more in (
            ("DeleteNamespace", "Name", {}),
            ("ListNamespaces", "ExclusiveStartName", {}),
            ("ListSnapshots", "Namespace", {}),
            ("CreateSnapshot", "Namespace", {"Name": "clean"}),
        ):
            kind, message = refused(server, operation, {member: name, **more})
            assert kind == "ValidationException" and message.endswith(member + said), message
        assert namespaces_of(server) == []


def test_bad_keys():
    with running_server(in_memory=True, extra_args=["--namespaces", "key"]) as server:
        kind, message = refused(server, "ListTables", key="x" * 65, prefix="DynamoDB_20120810.")
        assert kind == "ValidationException" and "64 letters" in message
        assert ask(server, "ListTables", key="x" * 64, prefix="DynamoDB_20120810.")[0] == 200


def test_listed_a_page_at_a_time():
    names = [f"n{at:02}" for at in range(7)]
    with running_server(in_memory=True, extra_args=["--namespaces", "key"]) as server:
        for name in names:
            client_of(server, name).create_table(TableName="tab", **KEYS)
        client_of(server, "looked").list_tables()  # holds nothing
        assert namespaces_of(server) == names
        status, page = ask(server, "ListNamespaces", {"Limit": 3})
        assert (status, page) == (200, {"Namespaces": names[:3], "LastEvaluatedName": names[2]})
        assert namespaces_of(server, ExclusiveStartName=names[2], Limit=100) == names[3:]
        assert namespaces_of(server, ExclusiveStartName=names[6]) == []
        for wrong in ({"Limit": 0}, {"Limit": 1001}, {"Limit": "3"}, {"Limits": 3}, {"": 3},
                      {"ExclusiveStartName": "a b"}, {"ExclusiveStartName": 3}):
            assert refused(server, "ListNamespaces", wrong)[0] == "ValidationException", wrong


def test_dropped_whole(store):
    with running_server(**store, extra_args=["--namespaces", "key"]) as server:
        gone, kept = client_of(server, "a"), client_of(server, "b")
        for client in (gone, kept):
            client.create_table(TableName="tab", **KEYS, **STREAM)
            client.put_item(TableName="tab", Item={"k": {"S": "x"}})
        before = client_of(server, "a", service="dynamodbstreams").list_streams()["Streams"][0]["StreamArn"]
        assert ask(server, "DeleteNamespace", {"Name": "a"}) == (200, {})
        assert namespaces_of(server) == ["b"]
        assert gone.list_tables()["TableNames"] == []
        assert client_of(server, "a", service="dynamodbstreams").list_streams()["Streams"] == []
        with pytest.raises(ClientError, match="ResourceNotFound"):
            client_of(server, "a", service="dynamodbstreams").describe_stream(StreamArn=before)
        assert kept.scan(TableName="tab")["Count"] == 1
        gone.create_table(TableName="tab", **KEYS)
        assert gone.scan(TableName="tab")["Count"] == 0
        kind, message = refused(server, "DeleteNamespace", {"Name": "never"})
        assert kind == "ResourceNotFoundException" and "never" in message
        assert refused(server, "DeleteNamespace")[0] == "ValidationException"
        assert refused(server, "Nothing")[0] == "UnknownOperationException"


def test_dropped_while_in_use():
    """Whoever writes meanwhile is answered, and what they wrote is gone or new, never half."""
    with running_server(in_memory=True, extra_args=["--namespaces", "key"]) as server:
        done = threading.Event()

        begun = threading.Semaphore(0)

        def keep_making(client):
            made = 0
            while not done.is_set():
                try:
                    client.create_table(TableName=f"tab{made % 5}", **KEYS)
                    client.put_item(TableName=f"tab{made % 5}", Item={"k": {"S": "x"}})
                except ClientError as error:
                    assert error.response["Error"]["Code"] in ("ResourceInUseException", "ResourceNotFoundException")
                made += 1
                begun.release()
            return made

        clients = [client_of(server, "a") for _ in range(4)]  # boto3 makes one at a time
        with concurrent.futures.ThreadPoolExecutor() as pool:
            makers = [pool.submit(keep_making, client) for client in clients]
            for _ in range(30):
                assert begun.acquire(timeout=60)
                status, found = ask(server, "DeleteNamespace", {"Name": "a"})
                assert status == 200 or "ResourceNotFound" in found["__type"], found
            done.set()
            assert all(maker.result() > 0 for maker in makers)
        ask(server, "DeleteNamespace", {"Name": "a"})
        assert namespaces_of(server) == []
        assert client_of(server, "a").list_tables()["TableNames"] == []


def test_many_in_a_row_take_no_more_memory_or_threads():
    with running_server(in_memory=True, extra_args=["--namespaces", "key", "--max-namespaces", "8"]) as server:
        status = pathlib.Path(f"/proc/{server.process.pid}/status")
        number = lambda name: int(re.search(rf"{name}:\s+(\d+)", status.read_text()).group(1))  # noqa: E731
        seen = []
        for at in range(200):
            client = client_of(server, f"n{at}")
            client.create_table(TableName="tab", **KEYS)
            client.put_item(TableName="tab", Item={"k": {"S": "x"}})
            client.delete_table(TableName="tab")
            assert ask(server, "DeleteNamespace", {"Name": f"n{at}"})[0] == 200
            if at % 50 == 49:
                seen.append((number("Threads"), number("VmRSS")))
        assert max(threads for threads, _ in seen) <= seen[0][0] + 8, seen
        if not is_sanitized():  # they keep what was freed
            assert seen[-1][1] < seen[0][1] + 16 * 1024, seen
        assert value(samples(server), "partita_namespaces_open") == 0


def test_only_so_many_are_open_at_a_time():
    with running_server(in_memory=True, extra_args=["--namespaces", "key", "--max-namespaces", "3"]) as server:
        for at in range(12):
            client = client_of(server, f"n{at}")
            client.create_table(TableName="tab", **KEYS)
            client.put_item(TableName="tab", Item={"k": {"S": str(at)}})
            assert value(samples(server), "partita_namespaces_open") == min(at + 1, 3)
        for at in range(12):  # closed ones are opened again
            assert client_of(server, f"n{at}").scan(TableName="tab")["Items"] == [{"k": {"S": str(at)}}]
        clients = [client_of(server, f"n{at}") for at in range(12)]
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            def use(at):
                client = clients[at]
                for time_ in range(20):
                    try:
                        client.put_item(TableName="tab", Item={"k": {"S": f"{at} {time_}"}})
                    except ClientError as error:
                        assert error.response["Error"]["Code"] == "RequestLimitExceeded"
                        assert "--max-namespaces" in error.response["Error"]["Message"]
            list(pool.map(use, range(12)))
        assert value(samples(server), "partita_namespaces_open") == 3


def test_opened_by_many_at_once_it_is_one():
    with running_server(in_memory=True, extra_args=["--namespaces", "header"]) as server:
        for round_ in range(10):
            name = f"n{round_}"
            clients = [client_of(server, name, "header") for _ in range(8)]
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                def make(client):
                    try:
                        client.create_table(TableName="tab", **KEYS)
                        return 1
                    except client.exceptions.ResourceInUseException:
                        return 0
                assert sum(pool.map(make, clients)) == 1
        assert value(samples(server), "partita_namespaces_open") == 10


def test_each_begins_with_the_seed(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps({"TableName": "Seeded", **KEYS}))
    (tmp_path / "Seeded.jsonl").write_text('{"Item": {"k": {"S": "first"}}}\n')
    more = ["--namespaces", "key", "--seed", str(tmp_path), "--max-namespaces", "1"]
    with running_server(in_memory=True, extra_args=more) as server:
        one, two = client_of(server, "one"), client_of(server, "two")
        one.delete_item(TableName="Seeded", Key={"k": {"S": "first"}})
        assert two.scan(TableName="Seeded")["Count"] == 1
        two.delete_table(TableName="Seeded")
        # Closed and opened again, it is as it was left.
        assert one.scan(TableName="Seeded")["Count"] == 0
        assert two.list_tables()["TableNames"] == []


def test_times_of_tables_are_told_apart_by_namespace():
    def lines_of(server):
        found = samples(server)
        return {(dict(labels).get("namespace"), dict(labels)["table"]): number
                for (name, labels), number in found.items() if name == "partita_table_request_seconds_count"}

    with running_server(in_memory=True, extra_args=["--namespaces", "header", "--max-namespaces", "1"]) as server:
        for name, puts in ((None, 1), ("mine", 2)):
            client = client_of(server, name, "header")
            client.create_table(TableName="tab", **KEYS)
            for _ in range(puts):
                client.put_item(TableName="tab", Item={"k": {"S": "1"}})
        assert lines_of(server) == {(None, "tab"): 1, ("mine", "tab"): 2}
        client_of(server, "other", "header").list_tables()  # closes the one before
        assert lines_of(server) == {(None, "tab"): 1}


def test_what_tables_cost_is_told_apart_by_namespace():
    with running_server(in_memory=True, extra_args=["--namespaces", "header"]) as server:
        for name, puts in ((None, 1), ("mine", 2), ("other", 3)):
            client = client_of(server, name, "header")
            client.create_table(TableName="tab", **KEYS)
            for _ in range(puts):
                client.put_item(TableName="tab", Item={"k": {"S": "1"}})
            client.get_item(TableName="tab", Key={"k": {"S": "1"}}, ConsistentRead=True)
        found = samples(server)

        def by_space(wanted, **labels):
            all_of = [(dict(said), number) for (named, said), number in found.items() if named == wanted]
            assert {said["table"] for said, _ in all_of} == {"tab"}
            return {said.get("namespace"): number for said, number in all_of if labels.items() <= said.items()}

        assert by_space("partita_consumed_capacity_units_total", kind="write") == {None: 1, "mine": 2, "other": 3}
        assert by_space("partita_consumed_capacity_units_total", kind="read") == {None: 1, "mine": 1, "other": 1}
        assert by_space("partita_table_throttled_total") == {None: 0, "mine": 0, "other": 0}


def test_a_seed_that_went_bad_leaves_no_half(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps({"TableName": "Seeded", **KEYS}))
    items = tmp_path / "Seeded.jsonl"
    good = '{"Item": {"k": {"S": "first"}}}\n'
    items.write_text(good)
    with running_server(in_memory=True, extra_args=["--namespaces", "key", "--seed", str(tmp_path)]) as server:
        items.write_text(good + "{no item\n")
        for _ in range(2):
            with pytest.raises(ClientError, match="--seed says.*Seeded.jsonl: line 2"):
                client_of(server, "one").list_tables()
            assert namespaces_of(server) == []
        items.write_text(good)
        assert client_of(server, "one").scan(TableName="Seeded")["Count"] == 1


def test_metrics_and_the_audit_log_name_them(tmp_path):
    audit = tmp_path / "audit"
    more = ["--namespaces", "header", "--audit-log", str(audit)]
    with running_server(in_memory=True, extra_args=more) as server:
        named = client_of(server, "mine", "header")
        named.create_table(TableName="tab", **KEYS)
        with pytest.raises(ClientError):
            named.describe_table(TableName="none")
        client_of(server, None).create_table(TableName="plain", **KEYS)
        assert ask(server, "DeleteNamespace", {"Name": "none"})[0] == 400
        found = samples(server)
        assert value(found, "partita_namespaces_open") == 1
        assert value(found, "partita_namespace_requests_total", namespace="mine") == 2
        assert value(found, "partita_namespace_errors_total", namespace="mine") == 1
    lines = [json.loads(line) for line in audit.read_text().splitlines()]
    assert [(line["eventName"], line.get("namespace")) for line in lines] == [
        ("CreateTable", "mine"), ("DescribeTable", "mine"), ("CreateTable", None), ("DeleteNamespace", None)]
    assert lines[-1]["eventSource"] == "partita" and lines[-1]["resources"] == ["none"]
    assert lines[-1]["errorCode"] == "ResourceNotFoundException"


def test_callers_whom_nobody_knows_add_no_names_to_the_metrics():
    with running_server(in_memory=True, extra_args=["--namespaces", "header"]) as server:
        client_of(server, "mine", "header").list_tables()
        unsigned = {"Authorization": "", HEADER: "theirs"}
        assert ask(server, "ListTables", headers=unsigned, prefix="DynamoDB_20120810.")[0] == 400
        names = {dict(labels)["namespace"] for name, labels in samples(server) if name == "partita_namespace_requests_total"}
        assert names == {"mine"}


CREDENTIALS = """
[alice]
aws_access_key_id = AKIAALICE
aws_secret_access_key = one
[bob]
aws_access_key_id = AKIABOB
aws_secret_access_key = two
"""


def test_a_verified_key_leads_to_its_own_alone(tmp_path):
    (tmp_path / "credentials").write_text(CREDENTIALS)
    more = ["--namespaces", "key", "--credentials", str(tmp_path / "credentials")]
    with running_server(in_memory=True, extra_args=more) as server:
        alice, bob = client_of(server, "AKIAALICE", secret="one"), client_of(server, "AKIABOB", secret="two")
        alice.create_table(TableName="tab", **KEYS)
        assert bob.list_tables()["TableNames"] == []
        with pytest.raises(ClientError, match="InvalidSignatureException"):
            client_of(server, "AKIAALICE", secret="two").list_tables()
        with pytest.raises(ClientError, match="UnrecognizedClientException"):
            client_of(server, "AKIAMALLORY").list_tables()


def test_the_header_is_to_be_signed(tmp_path):
    (tmp_path / "credentials").write_text(CREDENTIALS)
    more = ["--namespaces", "header", "--credentials", str(tmp_path / "credentials")]
    with running_server(in_memory=True, extra_args=more) as server:
        alice = {"key": "AKIAALICE", "secret": "one"}
        signed = client_of(server, "mine", "header", **alice)
        signed.create_table(TableName="tab", **KEYS)
        late = client_of(server, None, "header", **alice)
        assert late.list_tables()["TableNames"] == []
        late.meta.events.register("before-send.*.*",
                                  lambda request, **_: request.headers.__setitem__(HEADER, "mine"))
        with pytest.raises(ClientError, match="'x-partita-namespace' must be a 'SignedHeader'"):
            late.list_tables()
        assert signed.list_tables()["TableNames"] == ["tab"]


def test_what_policies_let_users_do(tmp_path):
    (tmp_path / "credentials").write_text(CREDENTIALS)
    statement = {"Effect": "Allow", "Action": ["partita:ListNamespaces", "dynamodb:*"], "Resource": "*"}
    users = [{"UserName": name, "UserId": name, "Arn": f"arn:aws:iam::123456789012:user/{name}", "Path": "/",
              "UserPolicyList": [{"PolicyName": "p", "PolicyDocument": {"Version": "2012-10-17", "Statement": those}}]}
             for name, those in (("alice", [statement]), ("bob", [{**statement, "Action": "dynamodb:*"}]))]
    (tmp_path / "identities").write_text(json.dumps({"UserDetailList": users}))
    more = ["--namespaces", "header", "--credentials", str(tmp_path / "credentials"),
            "--identities", str(tmp_path / "identities")]
    with running_server(in_memory=True, extra_args=more) as server:
        def call(operation, key, secret, **body):
            client = client_of(server, None, key=key, secret=secret)

            def instead(params, **_):
                params["headers"]["X-Amz-Target"] = "Partita_20261123." + operation
                params["body"] = json.dumps(body).encode()

            client.meta.events.register("before-call.*.*", instead)
            return client.list_tables()

        call("ListNamespaces", "AKIAALICE", "one")
        with pytest.raises(ClientError, match="bob is not authorized to perform: partita:ListNamespaces"):
            call("ListNamespaces", "AKIABOB", "two")
        with pytest.raises(ClientError, match="alice is not authorized to perform: partita:DeleteNamespace"):
            call("DeleteNamespace", "AKIAALICE", "one", Name="a")
        assert refused(server, "ListNamespaces")[0] in ("InvalidSignatureException", "UnrecognizedClientException")


def test_who_may_nothing_makes_no_namespace(tmp_path):
    """Policies judge a call before a namespace is made for it, and seeded."""
    (tmp_path / "credentials").write_text(CREDENTIALS)
    document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*",
                                                        "Condition": {"StringEquals": {"dynamodb:LeadingKeys": "a"}}}]}
    users = [{"UserName": "alice", "UserPolicyList": [{"PolicyName": "p", "PolicyDocument": document}]}, {"UserName": "bob"}]
    (tmp_path / "identities").write_text(json.dumps({"UserDetailList": users}))
    (tmp_path / "tables.json").write_text(json.dumps({"TableName": "tab", **KEYS}))
    (tmp_path / "seed").mkdir()
    (tmp_path / "tables.json").rename(tmp_path / "seed" / "tab.json")
    more = ["--namespaces", "header", "--credentials", str(tmp_path / "credentials"), "--seed", str(tmp_path / "seed"),
            "--identities", str(tmp_path / "identities")]
    with running_server(data_dir=tmp_path / "data", extra_args=more) as server:
        def listed():
            ran = subprocess.run([binary(), "namespace", "list", str(tmp_path / "data")], capture_output=True, text=True, check=True)
            return ran.stdout.split()

        statement = {"Statement": "SELECT * FROM tab WHERE k = 'a'"}
        get = {"TableName": "tab", "Key": {"k": {"S": "a"}}}
        bob = client_of(server, "bobs", "header", key="AKIABOB", secret="two")
        for call, body in ((bob.list_tables, {}), (bob.get_item, get), (bob.create_table, {"TableName": "new", **KEYS}),
                           (bob.describe_table, {"TableName": "tab"}), (bob.scan, {"TableName": "tab"}),
                           (bob.batch_get_item, {"RequestItems": {"tab": {"Keys": [get["Key"]]}}}),
                           (bob.execute_statement, statement), (bob.execute_transaction, {"TransactStatements": [statement]}),
                           (bob.describe_limits, {})):
            with pytest.raises(ClientError, match="AccessDeniedException.*bob is not authorized"):
                call(**body)
        assert bob.batch_execute_statement(Statements=[statement])["Responses"][0]["Error"]["Code"] == "AccessDenied"
        assert listed() == []
        alice = client_of(server, "alices", "header", key="AKIAALICE", secret="one")
        with pytest.raises(ClientError, match="AccessDeniedException"):
            alice.scan(TableName="tab")
        assert listed() == []
        assert "Item" not in alice.get_item(**get)
        assert listed() == ["alices"]
        with pytest.raises(ClientError, match="AccessDeniedException"):
            client_of(server, "alices", "header", key="AKIABOB", secret="two").get_item(**get)
