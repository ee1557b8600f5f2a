"""The calls that the console polls: what the server is, what its requests do, which keys are hot, which jobs there are."""

import json
import time

import pytest
import signed
from raw import exchange, request
from server import running_server
from signed import allow, files
from waiting import wait_until

PREFIX = "Partita_20261123."
KEYS = {"AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}


def ask(server, operation, body=None, **headers):
    """Status and reply of a call with a signature that nobody verifies."""
    headers = {"X-Amz-Target": PREFIX + operation, **{name.replace("_", "-"): value for name, value in headers.items()}}
    reply = exchange(server, request(json.dumps(body or {}), headers))
    return reply.status, reply.json()


def told(server, operation, body=None, **headers):
    status, found = ask(server, operation, body, **headers)
    assert status == 200, found
    return found


def refused(server, operation, body=None, **headers):
    status, found = ask(server, operation, body, **headers)
    assert status == 400, found
    return found["__type"].split("#")[-1], found.get("message", found.get("Message"))


@pytest.fixture(scope="module")
def busy():
    """A server of its own: what others ask for would be counted too."""
    with running_server(in_memory=True, extra_args=["--namespaces", "header"]) as started:
        yield started


# --- DescribeConsole


def test_an_open_server_tells_what_it_is(busy):
    unsigned = {"X-Amz-Target": PREFIX + "DescribeConsole", "Authorization": None, "X-Amz-Date": None}
    reply = exchange(busy, request("{}", unsigned))
    assert reply.status == 200, reply.body
    found = reply.json()
    assert found.pop("Version").count(".") == 2
    assert abs(found.pop("Time") - time.time()) < 60
    assert found == {"Mode": "open", "Namespaces": "header",
                     "Features": ["DescribeHeat", "DescribeHotKeys", "DescribeMetrics", "ListJobs", "MoveClock", "Snapshots"]}
    assert refused(busy, "DescribeConsole", {"Region": "x"}) == ("ValidationException", "There is no member 'Region'.")


def test_a_server_that_verifies_tells_so_to_everybody_and_nothing_else(tmp_path):
    with running_server(in_memory=True, extra_args=files(tmp_path, {})) as server:
        for marks in ({"Authorization": None, "X-Amz-Date": None}, {}):  # unsigned, and with a signature that is wrong
            headers = {"X-Amz-Target": PREFIX + "DescribeConsole", **marks}
            found = exchange(server, request("{}", headers)).json()
            assert (found["Mode"], found["Region"], found["Namespaces"]) == ("verified", signed.REGION, "none")
            for other in ("DescribeMetrics", "DescribeHotKeys", "ListJobs", "ListNamespaces", "DescribeConsoles"):
                reply = exchange(server, request("{}", {**headers, "X-Amz-Target": PREFIX + other}))
                assert reply.status == 400 and "Version" not in reply.json(), other


def test_calls_without_a_valid_signature_are_limited(tmp_path):
    with running_server(in_memory=True, extra_args=[*files(tmp_path, {}), "--request-rate", "5"]) as server:
        data = request("{}", {"X-Amz-Target": PREFIX + "DescribeConsole", "Authorization": None, "X-Amz-Date": None})
        statuses = [exchange(server, data).status for _ in range(20)]
        assert statuses[0] == 200 and 400 in statuses


def test_without_the_console_there_is_no_such_call():
    with running_server(in_memory=True, extra_args=["--no-console"]) as server:
        assert refused(server, "DescribeConsole")[0] == "UnknownOperationException"
        assert told(server, "ListJobs")["Jobs"] == []


# --- DescribeMetrics


def sum_of(samples, name, **of):
    """Of a member, over all samples: of the whole, or of a table or an operation."""
    total = 0
    for sample in samples:
        parts = sample.get({"TableName": "Tables", "Operation": "Operations"}[next(iter(of))], []) if of else [sample]
        total += sum(part[name] for part in parts if of.items() <= part.items())
    return total


def test_metrics_tell_what_happens(busy):
    client = busy.client()
    client.create_table(TableName="measured", **KEYS)
    since = told(busy, "DescribeMetrics")["Samples"]
    last = since[-1]["Time"] if since else 0
    before = told(busy, "DescribeMetrics")["Totals"]
    written = sum(client.put_item(TableName="measured", Item={"k": {"S": str(n)}, "text": {"S": "x" * 2000}},
                                  ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]["CapacityUnits"] for n in range(7))
    for _ in range(5):
        client.get_item(TableName="measured", Key={"k": {"S": "1"}})  # half a unit
    for _ in range(2):
        with pytest.raises(client.exceptions.ConditionalCheckFailedException):
            client.put_item(TableName="measured", Item={"k": {"S": "1"}}, ConditionExpression="attribute_not_exists(k)")
    found = {}

    def all_counted():
        found.update(told(busy, "DescribeMetrics", {"Since": last}))
        return sum_of(found["Samples"], "Requests", Operation="PutItem") >= 9

    wait_until(all_counted)
    samples = found["Samples"]
    assert all(0 < sample["Seconds"] < 60 and sample["Time"] > last for sample in samples)
    assert sum_of(samples, "Requests", Operation="PutItem") == 9
    assert sum_of(samples, "Errors", Operation="PutItem") == 2
    assert sum_of(samples, "Requests", Operation="GetItem") == 5
    assert sum_of(samples, "Requests") >= 14 and sum_of(samples, "Errors") == 2
    assert sum_of(samples, "Throttled") == 0
    assert sum_of(samples, "Requests", TableName="measured") == 14
    assert sum_of(samples, "ReadUnits", TableName="measured") == 2.5
    assert sum_of(samples, "WriteUnits", TableName="measured") == written + 2 * 2
    for sample in samples:
        assert sum(count for _, count in sample["Latency"]) == sample["Requests"]
        bounds = [bound for bound, _ in sample["Latency"] if bound is not None]
        assert bounds == sorted(bounds) and ("P50Ms" in sample) == (sample["Requests"] > 0)
        if sample["Requests"]:
            assert 0 < sample["P50Ms"] <= sample["P99Ms"] < 60_000
    assert found["Totals"]["Requests"] - before["Requests"] == 14
    assert found["Totals"]["Errors"] - before["Errors"] == 2
    assert abs(found["Time"] - time.time()) < 60 and found["UptimeSeconds"] > 0
    # Nothing comes twice.
    newest = samples[-1]["Time"]
    assert all(sample["Time"] > newest for sample in told(busy, "DescribeMetrics", {"Since": newest})["Samples"])


def test_samples_come_each_second(busy):
    told(busy, "DescribeMetrics")
    samples = wait_until(lambda: (lambda found: found if len(found) >= 3 else None)(told(busy, "DescribeMetrics")["Samples"]))
    # One that came late is followed sooner.
    assert 0.5 < samples[-1]["Time"] - samples[-2]["Time"] < 10
    assert abs(samples[-1]["Time"] - samples[-2]["Time"] - samples[-1]["Seconds"]) < 0.1


def test_a_namespace_sees_its_own_tables_alone(busy):
    told(busy, "DescribeMetrics")
    for space, table in ((None, "plain"), ("ann", "anns"), ("bob", "bobs")):
        marks = {"X-Partita-Namespace": space} if space else {}
        body = json.dumps({"TableName": table, **KEYS})
        assert exchange(busy, request(body, {"X-Amz-Target": "DynamoDB_20120810.CreateTable", **marks})).status == 200
        body = json.dumps({"TableName": table, "Item": {"k": {"S": "1"}}})
        assert exchange(busy, request(body, {"X-Amz-Target": "DynamoDB_20120810.PutItem", **marks})).status == 200

    def tables(**of):
        return {table["TableName"] for sample in told(busy, "DescribeMetrics", **of)["Samples"] for table in sample["Tables"]}

    wait_until(lambda: tables(body={"Namespace": "bob"}) and tables(body={"Namespace": "ann"}) and "plain" in tables())
    assert tables(X_Partita_Namespace="ann") == {"anns"}
    assert tables(body={"Namespace": "bob"}) == {"bobs"}
    assert not {"anns", "bobs"} & tables()


@pytest.mark.parametrize("since", ["1", -1, True, 1e13, [], {"a": 1}])
def test_a_time_that_is_none(busy, since):
    exception, text = refused(busy, "DescribeMetrics", {"Since": since})
    assert exception == "ValidationException" and "Since is a time" in text


# --- DescribeHotKeys


def test_a_hot_key_is_named_at_once(busy):
    client = busy.client()
    client.create_table(TableName="heat", **KEYS)
    assert told(busy, "DescribeHotKeys", {"TableName": "heat"})["HotKeys"] == []
    exact = {}
    for n in range(400):
        key = "hot" if n % 4 == 0 else f"cold {n}"
        size = 3000 if key == "hot" else 10
        reply = client.put_item(TableName="heat", Item={"k": {"S": key}, "text": {"S": "x" * size}},
                                ReturnConsumedCapacity="TOTAL")
        exact[key] = exact.get(key, 0) + reply["ConsumedCapacity"]["CapacityUnits"]
    client.scan(TableName="heat")  # has no key
    found = told(busy, "DescribeHotKeys", {"TableName": "heat", "Limit": 5})
    assert found["TableName"] == "heat" and 0 < found["WindowSeconds"] < 60
    assert found["Units"] == sum(exact.values())
    assert len(found["HotKeys"]) == 5
    first = found["HotKeys"][0]
    assert first["Key"] == {"k": {"S": "hot"}} and "IndexName" not in first
    assert first["Units"] - first["ErrorUnits"] <= exact["hot"] <= first["Units"]
    assert len(told(busy, "DescribeHotKeys", {"TableName": "heat"})["HotKeys"]) == 20


def test_keys_of_every_kind_of_request(busy):
    """Batches, transactions and statements name keys too; indexes have partitions of their own."""
    client = busy.client()
    attributes = [{"AttributeName": name, "AttributeType": kind} for name, kind in (("n", "N"), ("s", "S"), ("g", "B"))]
    keys = [{"AttributeName": "n", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}]
    index = {"IndexName": "by_g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}
    client.create_table(TableName="kinds", AttributeDefinitions=attributes, KeySchema=keys, BillingMode="PAY_PER_REQUEST",
                        GlobalSecondaryIndexes=[index])
    told(busy, "DescribeHotKeys", {"TableName": "kinds"})

    def item(n, s="a"):
        return {"n": {"N": n}, "s": {"S": s}, "g": {"B": b"same"}}

    key = {"n": {"N": "1"}, "s": {"S": "a"}}
    client.put_item(TableName="kinds", Item=item("1.0"))  # 1 for the key; the index's row is in another partition
    client.batch_write_item(RequestItems={"kinds": [{"PutRequest": {"Item": item("1e0", "b")}}]})  # 1
    client.transact_write_items(TransactItems=[{"Put": {"TableName": "kinds", "Item": item("2")}}])  # 2 for another key
    client.get_item(TableName="kinds", Key=key, ConsistentRead=True)  # 1
    client.batch_get_item(RequestItems={"kinds": {"Keys": [key], "ConsistentRead": True}})  # 1
    client.query(TableName="kinds", KeyConditionExpression="n = :n", ExpressionAttributeValues={":n": {"N": "1"}},
                 ConsistentRead=True)  # 1
    client.execute_statement(Statement="SELECT * FROM kinds WHERE n = 1 AND s = 'a'", ConsistentRead=True)  # 1
    client.query(TableName="kinds", IndexName="by_g", KeyConditionExpression="g = :g",
                 ExpressionAttributeValues={":g": {"B": b"same"}})  # 0.5 of the index
    found = told(busy, "DescribeHotKeys", {"TableName": "kinds"})["HotKeys"]
    assert [(each["Key"], each.get("IndexName"), each["Units"], each["ErrorUnits"]) for each in found] == [
        ({"n": {"N": "1"}}, None, 6, 0),
        ({"n": {"N": "2"}}, None, 2, 0),
        ({"g": {"B": "c2FtZQ=="}}, "by_g", 0.5, 0),
    ]


def test_a_table_that_is_not_there(busy):
    assert refused(busy, "DescribeHotKeys", {"TableName": "nothere"})[0] == "ResourceNotFoundException"
    assert refused(busy, "DescribeHotKeys") == ("ValidationException", "TableName is missing.")
    for limit in (0, 101, "1", 1.5):
        assert "Limit" in refused(busy, "DescribeHotKeys", {"TableName": "x", "Limit": limit})[1]


# --- DescribeHeat


def test_the_heat_of_a_table_and_its_indexes(busy):
    client = busy.client()
    attributes = [{"AttributeName": name, "AttributeType": "S"} for name in "kg"]
    index = {"IndexName": "by_g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}
    client.create_table(TableName="warm", AttributeDefinitions=attributes, BillingMode="PAY_PER_REQUEST",
                        KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}], GlobalSecondaryIndexes=[index])
    idle = told(busy, "DescribeHeat", {"TableName": "warm"})
    assert [each["IndexName"] for each in idle["Indexes"]] == ["by_g"]
    assert idle["TableName"] == "warm" and len(idle["Partitions"]) == len(idle["Indexes"][0]["Partitions"]) == 8
    assert [each["From"] for each in idle["Partitions"]] == pytest.approx([n / 8 for n in range(8)])
    assert {(each["Load"], each["Throttled"]) for each in idle["Partitions"]} == {(0, 0)}

    def busiest(of):
        return max(of["Partitions"], key=lambda each: each["WriteUnitsPerSecond"])

    def loaded():
        for n in range(20):
            client.put_item(TableName="warm", Item={"k": {"S": "hot"}, "g": {"S": str(n)}, "text": {"S": "x" * 300_000}})
        found = told(busy, "DescribeHeat", {"TableName": "warm"})
        return found if "HottestKey" in busiest(found) else None

    found = wait_until(loaded, 30)
    hot = busiest(found)
    assert hot["HottestKey"]["Key"] == {"k": {"S": "hot"}} and hot["HottestKey"]["Share"] == 1
    assert hot["Load"] > 0.5 and hot["ThrottledPerSecond"] > 0 and hot["NotSplit"]["Reason"] == "TooEarly"
    assert sum(each["WriteUnitsPerSecond"] > 0 for each in found["Partitions"]) == 1
    assert sum(each["WriteUnitsPerSecond"] > 0 for each in found["Indexes"][0]["Partitions"]) > 1
    assert found["Text"].startswith("warm: 8 partitions\n") and "\nwarm, index by_g: 8 partitions\n" in found["Text"]
    assert '{"k":{"S":"hot"}} (100%)' in found["Text"]
    assert refused(busy, "DescribeHeat", {"TableName": "nothere"})[0] == "ResourceNotFoundException"
    assert refused(busy, "DescribeHeat") == ("ValidationException", "TableName is missing.")


# --- ListJobs


def test_jobs_are_listed_while_they_run(busy):
    client = busy.client()
    client.create_table(TableName="dropped", **KEYS)
    client.put_item(TableName="dropped", Item={"k": {"S": "1"}})
    client.delete_table(TableName="dropped")

    def job():
        jobs = told(busy, "ListJobs")["Jobs"]
        return next((each for each in jobs if each["Kind"] == "drop_table" and each["TableName"] == "dropped"), None)

    found = wait_until(job)
    assert found["Description"] == "dropping table dropped"
    assert found["Here"] in (True, False) and found["UntouchedSeconds"] >= 0
    assert "Total" not in found and "IndexName" not in found
    assert told(busy, "ListJobs", X_Partita_Namespace="ann")["Jobs"] == []
    wait_until(lambda: job() is None)


# --- permissions and the audit log


def test_each_call_needs_its_own_permission(tmp_path):
    users = {"ann": [allow("partita:ListJobs"), allow("partita:DescribeHotKeys", signed.arn("music"))],
             "bob": [allow("dynamodb:*")], "eve": [allow("partita:Describe*")]}
    with running_server(in_memory=True, extra_args=files(tmp_path, users)) as server:
        def call(user, operation, body):
            return signed.call(server, user, operation, body, prefix=PREFIX)

        def denied(user, operation, body, resource="*"):
            status, found = call(user, operation, body)
            text = found.get("message", found.get("Message"))
            assert status == 400 and found["__type"].endswith("#AccessDeniedException"), found
            assert f"is not authorized to perform: partita:{operation} on resource: {resource}" in text, text

        for table in ("music", "other"):
            assert signed.call(server, "root", "CreateTable", {"TableName": table, **KEYS})[0] == 200
        assert call("ann", "ListJobs", {})[0] == 200
        assert call("ann", "DescribeHotKeys", {"TableName": "music"})[0] == 200
        denied("ann", "DescribeHotKeys", {"TableName": "other"}, signed.arn("other"))
        denied("ann", "DescribeHotKeys", {"TableName": "nothere"}, signed.arn("nothere"))
        denied("ann", "DescribeHeat", {"TableName": "music"}, signed.arn("music"))
        denied("ann", "DescribeMetrics", {})
        denied("bob", "ListJobs", {})
        denied("bob", "DescribeMetrics", {"Since": "wrong"})
        denied("bob", "DescribeHotKeys", {"TableName": "music"}, signed.arn("music"))
        assert call("eve", "DescribeMetrics", {})[0] == 200
        assert call("eve", "DescribeHotKeys", {"TableName": "other"})[0] == 200
        denied("eve", "ListJobs", {})
        assert call("bob", "DescribeConsole", {})[0] == 200


@pytest.mark.parametrize("data", [False, True])
def test_the_audit_log_tells_who_saw_keys(tmp_path, data):
    path = tmp_path / "audit"
    with running_server(in_memory=True, extra_args=["--audit-log", str(path)] + ["--audit-data"] * data) as server:
        server.client().create_table(TableName="music", **KEYS)
        for operation in ("DescribeConsole", "DescribeMetrics", "ListJobs"):
            told(server, operation)
        told(server, "DescribeHotKeys", {"TableName": "music"})
        told(server, "DescribeHeat", {"TableName": "music"})
        told(server, "ListNamespaces")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    keys = ["DescribeHotKeys", "DescribeHeat"] if data else []
    assert [line["eventName"] for line in lines] == ["CreateTable", *keys, "ListNamespaces"]
    if data:
        assert lines[1]["resources"] == ["music"] and lines[1]["readOnly"] is True
