"""/metrics says what happened, in a form that Prometheus' own linter likes."""

import itertools
import subprocess
import time
import urllib.error
import urllib.request

import botocore.exceptions
import pytest
from pages import get, samples, value
from server import binary, running_server
from store_content import SIGNED
from waiting import wait_until

TABLE = {
    "TableName": "counted",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
}


@pytest.fixture(scope="module")
def server():
    with running_server() as started:
        started.client().create_table(**TABLE)
        yield started


def put(client, number, **more):
    client.put_item(TableName="counted", Item={"id": {"S": str(number)}}, **more)


def test_what_happened_is_counted(server):
    client = server.client()
    put(client, 0)
    before = samples(server)
    for number in range(10):
        put(client, number)
    for _ in range(3):
        client.get_item(TableName="counted", Key={"id": {"S": "1"}}, ConsistentRead=True)
    for _ in range(2):
        with pytest.raises(botocore.exceptions.ClientError):
            put(client, 1, ConditionExpression="attribute_not_exists(id)")
    client.meta.events.register("before-call", lambda params, **_: params["headers"].update({"X-Amz-Target": "DynamoDB_20120810.No"}))
    with pytest.raises(botocore.exceptions.ClientError):
        client.list_tables()
    after = samples(server)

    def grown(name, **labels):
        known = any(named == name and labels.items() <= dict(said).items() for named, said in before)
        return value(after, name, **labels) - (value(before, name, **labels) if known else 0)

    assert grown("partita_request_seconds_count", operation="PutItem") == 12
    assert grown("partita_request_seconds_count", operation="GetItem") == 3
    assert grown("partita_request_seconds_bucket", operation="PutItem", le="+Inf") == 12
    assert 0 < grown("partita_request_seconds_sum", operation="PutItem") < 60
    assert grown("partita_errors_total", operation="PutItem", error="ConditionalCheckFailedException") == 2
    assert grown("partita_errors_total", operation="unknown", error="UnknownOperationException") == 1
    # The two whose condition failed are charged, too.
    assert grown("partita_consumed_capacity_units_total", table="counted", kind="write") == 12
    assert grown("partita_consumed_capacity_units_total", table="counted", kind="read") == 3
    # Refused writes rest on what is durable and may wait for a group, but write nothing: only /ready and jobs do.
    assert 10 <= grown("partita_store_group_transactions_sum") <= 11
    assert grown("partita_store_commit_seconds_count") >= 1
    # Each write has read what it replaces.
    assert grown("partita_store_reads_total", **{"from": "memory"}) >= 15
    assert value(after, "partita_connections") >= 1
    assert value(after, "partita_tables") == 1
    assert value(after, "partita_store_up") == 1


def consumed_by(server, call, failing="conditional request failed", **request):
    """The write units that a failing call consumes, as the metrics have them."""
    def units():
        return sum(number for (name, said), number in samples(server).items()
                   if name == "partita_consumed_capacity_units_total" and {("table", "counted"), ("kind", "write")} <= set(said))

    before = units()
    with pytest.raises(botocore.exceptions.ClientError, match=failing):
        call(**request)
    return units() - before


def test_failed_conditions_consume_write_capacity(server):
    """The larger of the item that is there and the one of a put, at least a unit, for the table alone: as DynamoDB's
    documentation of condition expressions says."""
    client = server.client()
    large = {"id": {"S": "large"}, "text": {"S": "x" * 2500}}
    key, absent = {"id": {"S": "large"}}, {"id": {"S": "absent"}}
    client.put_item(TableName="counted", Item=large)
    never = {"TableName": "counted", "ConditionExpression": "attribute_exists(nothing)"}
    assert consumed_by(server, client.put_item, Item=key, **never) == 3
    assert consumed_by(server, client.put_item, Item={**large, **absent}, **never) == 3
    assert consumed_by(server, client.put_item, Item=absent, **never) == 1
    assert consumed_by(server, client.delete_item, Key=key, **never) == 3
    assert consumed_by(server, client.delete_item, Key=absent, **never) == 1
    update = {"UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}
    assert consumed_by(server, client.update_item, Key=key, **update, **never) == 3
    statement = "UPDATE \"counted\" SET n = 1 WHERE id = 'large' AND other = 1"
    assert consumed_by(server, client.execute_statement, Statement=statement) == 3
    client.delete_item(TableName="counted", Key=key)


def test_transactions_cancelled_by_a_condition_consume_write_capacity(server):
    """Twice the units of each action, for the table alone; other cancellations cost nothing."""
    client = server.client()
    large = {"id": {"S": "large"}, "text": {"S": "x" * 2500}}
    key = {"id": {"S": "large"}}
    client.put_item(TableName="counted", Item=large)
    put = {"Put": {"TableName": "counted", "Item": {"id": {"S": "new"}, "text": {"S": "x" * 1500}}}}
    update = {"TableName": "counted", "Key": key, "UpdateExpression": "SET n = :n",
              "ExpressionAttributeValues": {":n": {"N": "1"}}}
    never = {"ConditionExpression": "attribute_exists(nothing)"}
    check = {"ConditionCheck": {"TableName": "counted", "Key": {"id": {"S": "absent"}}, **never}}
    write, execute = client.transact_write_items, client.execute_transaction

    assert consumed_by(server, write, failing=r"\[None, ConditionalCheckFailed\]",
                       TransactItems=[put, {"Update": {**update, **never}}]) == 2 * (2 + 3)
    assert consumed_by(server, write, failing=r"\[ConditionalCheckFailed, None\]",
                       TransactItems=[check, {"Update": update}]) == 2 * (1 + 3)
    statements = ["INSERT INTO \"counted\" VALUE {'id': 'new'}", "UPDATE \"counted\" SET n = 1 WHERE id = 'large' AND o = 1"]
    assert consumed_by(server, execute, failing=r"\[None, ConditionalCheckFailed\]",
                       TransactStatements=[{"Statement": one} for one in statements]) == 2 * (1 + 3)
    wrong = {"Update": {**update, "UpdateExpression": "SET n = nothing + :n"}}
    assert consumed_by(server, write, failing=r"\[None, ValidationError\]", TransactItems=[put, wrong]) == 0
    client.delete_item(TableName="counted", Key=key)


@pytest.mark.parametrize("coding", ["gzip", "unknown"])
def test_a_body_that_cannot_be_unpacked_is_its_senders_fault(coding):
    """It is answered as AWS does, and no alert about internal errors or line of an error follows."""
    with running_server(in_memory=True) as server:
        request = urllib.request.Request(server.url, b"no gzip", {
            "X-Amz-Target": "DynamoDB_20120810.PutItem", "Content-Type": "application/x-amz-json-1.0",
            "Content-Encoding": coding, "X-Amz-Date": "20260101T000000Z", "Authorization": SIGNED})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=30)
        with refused.value as reply:
            assert reply.code == 500 and b"InternalServerError" in reply.read()
        counted = [(dict(labels)["operation"], dict(labels)["error"]) for name, labels in samples(server)
                   if name == "partita_errors_total"]
        assert counted == [("PutItem", "SerializationException")]
        [line] = [line for line in server.log().splitlines() if "PutItem" in line]
        assert " info  PutItem was answered 500 InternalServerError" in line and "Content-Encoding" in line


def test_times_are_told_by_table_too():
    other = {**TABLE, "TableName": "another"}
    with running_server(in_memory=True) as server:
        client = server.client()
        for table in (TABLE, other):
            client.create_table(**table)
        key = {"id": {"S": "1"}}
        for _ in range(3):
            client.get_item(TableName="counted", Key=key)
        client.get_item(TableName="arn:aws:dynamodb:us-east-1:123456789012:table/another", Key=key)
        client.query(TableName="another", KeyConditionExpression="id = :i", ExpressionAttributeValues={":i": key["id"]})
        client.execute_statement(Statement="SELECT * FROM another WHERE id = '1'")
        request = {"PutRequest": {"Item": key}}
        client.batch_write_item(RequestItems={"counted": [request], "another": [request]})
        client.batch_write_item(RequestItems={"another": [request, {"PutRequest": {"Item": {"id": {"S": "2"}}}}]})
        with pytest.raises(botocore.exceptions.ClientError):
            put(client, 1, ConditionExpression="attribute_not_exists(id)")
        with pytest.raises(botocore.exceptions.ClientError):
            client.get_item(TableName="absent", Key=key)
        found = samples(server)
        name = "partita_table_request_seconds_count"
        lines = [(dict(labels), number) for (named, labels), number in found.items() if named == name]
        counts = {(labels["table"], labels["operation"]): number for labels, number in lines}
        assert counts == {
            ("counted", "GetItem"): 3,
            ("another", "GetItem"): 1,
            ("another", "Query"): 1,
            ("another", "ExecuteStatement"): 1,
            ("counted", "BatchWriteItem"): 1,
            ("another", "BatchWriteItem"): 2,
            ("counted", "PutItem"): 1,
        }
        name = "partita_consumed_capacity_units_total"
        lines = [(dict(labels), number) for (named, labels), number in found.items() if named == name]
        units = {(labels["table"], labels["kind"]): number for labels, number in lines}
        assert units == {("counted", "read"): 1.5, ("counted", "write"): 2, ("another", "read"): 1.5, ("another", "write"): 3}
        whole = {"table": "counted", "operation": "GetItem"}
        assert value(found, "partita_table_request_seconds_bucket", **whole, le="+Inf") == 3
        in_all = value(found, "partita_request_seconds_sum", operation="GetItem")
        assert 0 < value(found, "partita_table_request_seconds_sum", **whole) <= in_all
        client.delete_table(TableName="another")
        client.get_waiter("table_not_exists").wait(TableName="another")
        deadline = time.monotonic() + 20
        while any(("table", "another") in labels for _, labels in samples(server)):
            assert time.monotonic() < deadline


def test_prometheus_own_linter_finds_nothing(server):
    status, text = get(server, "/metrics")
    assert status == 200
    ran = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_what_expires_late_and_is_read_late_shows(server):
    client = server.client()
    streams = server.client("dynamodbstreams")
    client.update_time_to_live(TableName="counted", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
    counted = server.resource().Table("counted")
    numbers = itertools.count()

    def is_late():
        """They are deleted beside this, perhaps as fast as they come: so more come until some are seen to wait."""
        with counted.batch_writer() as batch:
            for number in itertools.islice(numbers, 25):
                batch.put_item(Item={"id": f"old{number}", "ends": int(time.time()) - 500})
        now = samples(server)
        shown = any(name == "partita_ttl_late_seconds" for name, _ in now)
        return shown and value(now, "partita_ttl_late_seconds", table="counted") > 400

    wait_until(is_late)
    wait_until(lambda: value(samples(server), "partita_ttl_late_seconds", table="counted") == 0)
    stream = client.describe_table(TableName="counted")["Table"]["LatestStreamArn"]
    for shard in streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"]:
        found = streams.get_shard_iterator(StreamArn=stream, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
        streams.get_records(ShardIterator=found["ShardIterator"])
    assert value(samples(server), "partita_stream_read_age_seconds_count") >= 1


def test_with_credentials_metrics_are_for_who_has_the_token(tmp_path):
    keys = tmp_path / "keys"
    keys.write_text("[default]\naws_access_key_id = AKID\naws_secret_access_key = secret\n")
    token = tmp_path / "token"
    token.write_text(" a word of ours \r\n")
    with running_server(in_memory=True, extra_args=["--credentials", str(keys)]) as server:
        assert get(server, "/metrics")[0] == 403
        assert get(server, "/metrics", {"Authorization": "Bearer "})[0] == 403
        assert (get(server, "/health")[0], get(server, "/ready")[0]) == (200, 200)
    arguments = ["--credentials", str(keys), "--metrics-token", str(token)]
    with running_server(in_memory=True, extra_args=arguments) as server:
        assert get(server, "/metrics")[0] == 403
        for wrong in ("a word of ours", "Bearer a word of our", "Bearer a word of ourS", "Basic a word of ours"):
            assert get(server, "/metrics", {"Authorization": wrong})[0] == 403
        for right in ("Bearer a word of ours", "bearer a word of ours", "BEARER  a word of ours"):
            assert get(server, "/metrics", {"Authorization": right})[0] == 200


def test_no_page_reads_metrics_under_a_name_of_its_own(server, tmp_path):
    """A name that its owner made lead here (DNS rebinding): of such a GET nothing but Host tells."""
    own = ["localhost", f"127.0.0.1:{server.port}", f"[::1]:{server.port}", "partita", "partita.default.svc.cluster.local"]
    for name in own:
        assert get(server, "/metrics", {"Host": name})[0] == 200, name
    for name in (f"rebound.example.com:{server.port}", "localhost.example.com", "127.0.0.1.example.com"):
        status, text = get(server, "/metrics", {"Host": name})
        assert status == 403 and "--metrics-token" in text and "counted" not in text, name
        for path in ("/", "/health", "/ready"):
            assert get(server, path, {"Host": name})[0] == 200, "a load balancer asks so"
    token = tmp_path / "token"
    token.write_text("word")
    with running_server(in_memory=True, extra_args=["--metrics-token", str(token)]) as asks:
        assert get(asks, "/metrics", {"Host": "db.example.com", "Authorization": "Bearer word"})[0] == 200
        assert get(asks, "/metrics", {"Host": "localhost"})[0] == 403


@pytest.mark.parametrize("text", ["", " \nword", "w\0rd", "wörd", "w" * 1025])
def test_a_token_that_no_header_can_have_is_named(tmp_path, text):
    token = tmp_path / "token"
    token.write_text(text)
    arguments = [binary(), "serve", "--in-memory", "--listen", "127.0.0.1:0", "--metrics-token", str(token)]
    ended = subprocess.run(arguments, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert ended.returncode == 1 and str(token) in ended.stderr, ended.stderr
