"""The clock of a database is moved while the server runs (Partita_20261123.MoveClock, DescribeClock, `partita clock`)."""

import json
import subprocess
import time

import pytest
from botocore.exceptions import ClientError
from postgres import store_arguments
from server import binary, running_server
from test_namespaces import CREDENTIALS, KEYS, STREAM, ask, client_of, refused, shards_of, streamed

DAY_S = 86_400
MONTH_S = 31 * DAY_S


@pytest.fixture(params=["memory", "rocksdb"])
def server(request):
    with running_server(in_memory=request.param == "memory", extra_args=["--namespaces", "header"]) as server:
        yield server


def clock(server, **more):
    status, found = ask(server, "DescribeClock", more)
    assert status == 200, found
    return found


def move(server, **how):
    status, found = ask(server, "MoveClock", how)
    assert status == 200, found
    return found["OffsetSeconds"]


def until(holds, timeout_s=20):
    """For what is done in the background at once, or within a second."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def with_ttl(client, name="tab"):
    client.create_table(TableName=name, **KEYS)
    client.update_time_to_live(TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
    for key, days in (("week", 7), ("quarter", 90)):
        until_s = int(time.time()) + days * DAY_S
        client.put_item(TableName=name, Item={"k": {"S": key}, "until": {"N": str(until_s)}})


def keys_of(client, name="tab"):
    return sorted(item["k"]["S"] for item in client.scan(TableName=name)["Items"])


def test_it_is_told_and_moved(server):
    assert clock(server)["OffsetSeconds"] == 0
    assert abs(clock(server)["Time"] - time.time()) < 30
    assert move(server, Seconds=MONTH_S) == MONTH_S
    assert abs(clock(server)["Time"] - time.time() - MONTH_S) < 30
    assert move(server, Seconds=-DAY_S) == 30 * DAY_S
    assert move(server, OffsetSeconds=-DAY_S) == -DAY_S
    made = client_of(server, None).create_table(TableName="tab", **KEYS)["TableDescription"]["CreationDateTime"]
    assert abs(made.timestamp() - time.time() + DAY_S) < 30
    assert move(server, OffsetSeconds=0) == 0


def test_what_it_does_not_take(server):
    for body in ({}, {"Seconds": 1, "OffsetSeconds": 1}, {"Seconds": 1.5}, {"Seconds": "1"}, {"Minutes": 1},
                 {"Seconds": 10**12}, {"OffsetSeconds": -10**11}, {"Seconds": 10**18}, {"Seconds": None}):
        assert refused(server, "MoveClock", body)[0] == "ValidationException", body
    assert refused(server, "MoveClock", {"Seconds": 1, "Namespace": "none"})[0] == "ResourceNotFoundException"
    assert clock(server)["OffsetSeconds"] == 0


def test_items_expire_at_their_time(server):
    client = client_of(server, None)
    with_ttl(client)
    move(server, Seconds=MONTH_S)
    until(lambda: keys_of(client) == ["quarter"])
    move(server, Seconds=2 * MONTH_S)
    until(lambda: keys_of(client) == [])


def test_records_and_iterators_of_streams_expire(server):
    client, streams = client_of(server, None), client_of(server, None, service="dynamodbstreams")
    arn = client.create_table(TableName="tab", **KEYS, **STREAM)["TableDescription"]["LatestStreamArn"]
    client.put_item(TableName="tab", Item={"k": {"S": "before"}})
    where = {"StreamArn": arn, "ShardId": shards_of(streams, arn)[0], "ShardIteratorType": "TRIM_HORIZON"}
    old = streams.get_shard_iterator(**where)["ShardIterator"]
    streams.get_records(ShardIterator=old)
    move(server, Seconds=16 * 60)
    with pytest.raises(streams.exceptions.ExpiredIteratorException):
        streams.get_records(ShardIterator=old)
    assert streamed(streams, arn) == ["before"]
    move(server, Seconds=DAY_S)
    client.put_item(TableName="tab", Item={"k": {"S": "after"}})

    def only_after():
        try:
            return streamed(streams, arn) == ["after"]
        except streams.exceptions.TrimmedDataAccessException:  # between the iterator and its use
            return False

    until(only_after)
    # Back, iterators of now are good, what is stamped with a later time is there, and what was not trimmed yet may be.
    move(server, OffsetSeconds=0)
    client.put_item(TableName="tab", Item={"k": {"S": "now"}})
    assert {"after", "now"} <= set(streamed(streams, arn)) <= {"before", "after", "now"}


def test_after_a_rollback_iterators_are_good_though_the_clock_goes_back(server):
    client, streams = client_of(server, None), client_of(server, None, service="dynamodbstreams")
    arn = client.create_table(TableName="tab", **KEYS, **STREAM)["TableDescription"]["LatestStreamArn"]
    assert ask(server, "CreateSnapshot", {"Name": "s"})[0] == 200
    move(server, Seconds=MONTH_S)
    assert ask(server, "RollbackToSnapshot", {"Name": "s"})[0] == 200
    move(server, OffsetSeconds=0)
    client.put_item(TableName="tab", Item={"k": {"S": "now"}})
    assert streamed(streams, arn) == ["now"]


def test_request_tokens_expire(server):
    client = client_of(server, None)
    client.create_table(TableName="tab", **KEYS)

    def add(number):
        update = {"TableName": "tab", "Key": {"k": {"S": "counter"}}, "UpdateExpression": "ADD n :n",
                  "ExpressionAttributeValues": {":n": {"N": str(number)}}}
        client.transact_write_items(TransactItems=[{"Update": update}], ClientRequestToken="the same")

    add(1), add(1)
    with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
        add(2)
    move(server, Seconds=11 * 60)
    add(2)
    assert client.get_item(TableName="tab", Key={"k": {"S": "counter"}})["Item"]["n"] == {"N": "3"}


def test_each_namespace_has_its_own():
    """Also one that was closed meanwhile to make room for another."""
    with running_server(in_memory=True, extra_args=["--namespaces", "header", "--max-namespaces", "1"]) as server:
        ours, theirs = client_of(server, "ours", "header"), client_of(server, "theirs", "header")
        with_ttl(ours), with_ttl(theirs)
        assert move(server, Seconds=MONTH_S, Namespace="ours") == MONTH_S
        until(lambda: keys_of(ours) == ["quarter"])
        assert keys_of(theirs) == ["quarter", "week"]
        assert clock(server, Namespace="ours")["OffsetSeconds"] == MONTH_S
        assert clock(server, Namespace="theirs")["OffsetSeconds"] == clock(server)["OffsetSeconds"] == 0
        assert ask(server, "DeleteNamespace", {"Name": "ours"}) == (200, {})
        with_ttl(ours)
        assert clock(server, Namespace="ours")["OffsetSeconds"] == 0


def test_it_begins_as_the_server_was_told():
    more = ["--namespaces", "header", "--clock", "+1h"]
    with running_server(in_memory=True, extra_args=more) as server:
        client_of(server, "mine", "header").create_table(TableName="tab", **KEYS)
        for where in ({}, {"Namespace": "mine"}):
            assert clock(server, **where)["OffsetSeconds"] == 3600
            assert move(server, Seconds=60, **where) == 3660
            assert move(server, OffsetSeconds=0, **where) == 0


def test_requests_meanwhile_are_answered(server):
    client = client_of(server, None)
    client.create_table(TableName="tab", **KEYS)
    for number in range(50):
        move(server, Seconds=60)
        client.put_item(TableName="tab", Item={"k": {"S": str(number)}})
    assert len(keys_of(client)) == 50


def test_a_shared_store_refuses():
    with store_arguments("postgres") as store, running_server(**store) as server:
        kind, message = refused(server, "MoveClock", {"Seconds": 1})
        assert kind == "ValidationException" and "--clock" in message
        assert clock(server)["OffsetSeconds"] == 0


@pytest.mark.parametrize("exposed", ["verifying", "beyond loopback"])
def test_stored_data_of_others_keeps_its_time(tmp_path, exposed):
    """A command for the wrong server would delete what expires; --clock says that the server is for development."""
    how = {"extra_args": ["--users"]} if exposed == "verifying" else {"host": "0.0.0.0", "extra_args": ["--insecure"]}
    data = tmp_path / "data"
    with running_server(data_dir=data, **how):
        code, _, why = run("clock", "advance", "31d", str(data))
        assert code == 1 and "--clock 0" in why
        assert run("clock", "show", str(data))[1].endswith("Z, the machine's time\n")
    how["extra_args"] += ["--clock", "0"]
    with running_server(data_dir=data, **how):
        assert run("clock", "advance", "31d", str(data))[0] == 0
    del how["extra_args"][-2:]
    with running_server(in_memory=True, **{**how, "extra_args": [*how["extra_args"], "--admin-socket", str(tmp_path / "socket")]}):
        assert run("clock", "advance", "31d", str(tmp_path / "socket"))[0] == 0


def test_policies_judge_it_and_the_audit_log_names_it(tmp_path):
    (tmp_path / "credentials").write_text(CREDENTIALS)
    users = [{"UserName": name, "UserId": name, "Arn": f"arn:aws:iam::123456789012:user/{name}", "Path": "/",
              "UserPolicyList": [{"PolicyName": "p", "PolicyDocument": {"Version": "2012-10-17", "Statement": [
                  {"Effect": "Allow", "Action": [action, "dynamodb:*"], "Resource": "*"}]}}]}
             for name, action in (("alice", "partita:MoveClock"), ("bob", "partita:DescribeClock"))]
    (tmp_path / "identities").write_text(json.dumps({"UserDetailList": users}))
    more = ["--credentials", str(tmp_path / "credentials"), "--identities", str(tmp_path / "identities"),
            "--audit-log", str(tmp_path / "audit")]
    with running_server(in_memory=True, extra_args=more) as server:
        def call(operation, key, secret, **body):
            client = client_of(server, None, key=key, secret=secret)

            def instead(params, **_):
                params["headers"]["X-Amz-Target"] = "Partita_20261123." + operation
                params["body"] = json.dumps(body).encode()

            client.meta.events.register("before-call.*.*", instead)
            return client.list_tables()

        call("MoveClock", "AKIAALICE", "one", Seconds=DAY_S)
        call("DescribeClock", "AKIABOB", "two")
        with pytest.raises(ClientError, match="bob is not authorized to perform: partita:MoveClock"):
            call("MoveClock", "AKIABOB", "two", Seconds=1)
        with pytest.raises(ClientError, match="alice is not authorized to perform: partita:DescribeClock"):
            call("DescribeClock", "AKIAALICE", "one")
        # Signatures go by the machine's clock: a client of now is let in.
        client_of(server, None, key="AKIAALICE", secret="one").list_tables()
    lines = [json.loads(line) for line in (tmp_path / "audit").read_text().splitlines()]
    told = [(each["eventName"], each.get("errorCode")) for each in lines if each["eventName"].endswith("Clock")]
    assert told == [("MoveClock", None), ("MoveClock", "AccessDeniedException")]  # what reads is not in it


def run(*words):
    ran = subprocess.run([binary(), *words], capture_output=True, text=True, timeout=60)
    return ran.returncode, ran.stdout, ran.stderr


def test_by_command(tmp_path):
    data = tmp_path / "data"
    with running_server(data_dir=data, extra_args=["--namespaces", "header"]) as server:
        client_of(server, "mine", "header").create_table(TableName="tab", **KEYS)
        code, out, _ = run("clock", "show", str(data))
        assert code == 0 and out.endswith("Z, the machine's time\n")
        code, out, _ = run("clock", "advance", "31d", str(data))
        assert code == 0 and out.endswith(f"Z, {MONTH_S} seconds ahead of the machine's clock\n")
        assert run("clock", "advance", "1", str(data), "--namespace", "mine")[1].endswith("Z, 1 second ahead of the machine's clock\n")
        assert clock(server)["OffsetSeconds"] == MONTH_S and clock(server, Namespace="mine")["OffsetSeconds"] == 1
        move(server, OffsetSeconds=-2)
        assert run("clock", "show", str(data))[1].endswith("Z, 2 seconds behind the machine's clock\n")
        assert "warn  The clock is 2 s behind the machine's: for development only." in server.log()
        code, out, _ = run("clock", "reset", str(data))
        assert code == 0 and out.endswith("Z, the machine's time\n")
        assert "info  The clock is the machine's again." in server.log()
        assert clock(server)["OffsetSeconds"] == 0 and clock(server, Namespace="mine")["OffsetSeconds"] == 1
    for words in (("clock", "advance"), ("clock", "advance", "soon", str(data))):
        code, _, why = run(*words)
        assert code != 0 and "31d" in why, why
    assert run("clock", "show", str(data))[0] != 0  # nobody serves it
