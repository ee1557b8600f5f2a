"""Requests beyond the capacity of a table or an index (--capacity, the tag partita:capacity)."""

import subprocess
import time

import pytest
from pages import samples, value
from server import binary, running_server
from test_namespaces import ask, client_of
from throttling import (
    ARN, BIG, INDEX_TEXT, MAXIMUM_TEXT, N, PROVISIONED, S, TABLE_TEXT, assert_refused, client, drain_reads,
    drain_writes, key, make_table, put, reasons, refusal, strict, succeeds, told, units,
)
from waiting import wait_until


def test_writes(strict, client):
    table = make_table(client, "writes", write=1)
    drain_writes(client, table)
    assert_refused(refusal(put, client, table, 9))
    faulty = refusal(client.put_item, TableName=table, Item={"k": N(1)})
    assert faulty["Error"]["Code"] == "ValidationException", "faults are told before the lack of units"
    assert_refused(refusal(client.delete_item, TableName=table, Key=key(1)))
    assert_refused(refusal(client.update_item, TableName=table, Key=key(9), UpdateExpression="SET a = k"))
    found = told(strict, "PutItem", TableName=table, Item=key(9))
    assert found["__type"] == "com.amazonaws.dynamodb.v20120810#" + PROVISIONED
    assert reasons(found) == [("TableWriteProvisionedThroughputExceeded", ARN + table)]
    assert client.get_item(TableName=table, Key=key(9)).get("Item") is None
    assert len(client.scan(TableName=table)["Items"]) == 2


def test_reads(strict, client):
    table = make_table(client, "reads", read=1, local=True)
    drain_reads(client, table)
    assert_refused(refusal(client.get_item, TableName=table, Key=key(1)))
    assert_refused(refusal(client.scan, TableName=table))
    query = {"TableName": table, "KeyConditionExpression": "k = :k", "ExpressionAttributeValues": {":k": S("a")}}
    assert_refused(refusal(client.query, **query))
    assert_refused(refusal(client.query, **query, IndexName="by-l"))  # a local index has no units of its own
    found = told(strict, "GetItem", TableName=table, Key=key(1))
    assert reasons(found) == [("TableReadProvisionedThroughputExceeded", ARN + table)]
    put(client, table, 9)


def test_reads_of_a_local_index_take_the_tables_units(client):
    table = make_table(client, "local", read=1, local=True)
    drain_reads(client, table, IndexName="by-l")
    assert_refused(refusal(client.get_item, TableName=table, Key=key(1)))


def test_a_global_index_short_of_reads_refuses_its_readers_alone(strict, client):
    table = make_table(client, "index-reads", index=(1, 1000))
    drain_reads(client, table, IndexName="by-g")
    assert_refused(refusal(client.scan, TableName=table, IndexName="by-g"), text=INDEX_TEXT)
    found = told(strict, "Scan", TableName=table, IndexName="by-g")
    assert reasons(found) == [("IndexReadProvisionedThroughputExceeded", ARN + table + "/index/by-g")]
    assert len(client.scan(TableName=table)["Items"]) == 4
    put(client, table, 9, g=S("g"))


def test_a_global_index_short_of_writes_refuses_the_tables_writes_to_it(strict, client):
    table = make_table(client, "index-writes", index=(1000, 1))
    drain_writes(client, table, g=S("g"))
    assert_refused(refusal(put, client, table, 9, g=S("h")), text=INDEX_TEXT)
    found = told(strict, "PutItem", TableName=table, Item={**key(9), "g": S("h")})
    assert reasons(found) == [("IndexWriteProvisionedThroughputExceeded", ARN + table + "/index/by-g")]
    assert_refused(refusal(client.delete_item, TableName=table, Key=key(1)), text=INDEX_TEXT)
    assert client.get_item(TableName=table, Key=key(9)).get("Item") is None
    put(client, table, 9, l=S("not in the index"))
    assert len(client.scan(TableName=table, IndexName="by-g")["Items"]) == 2


def test_the_header_says_when(client):
    table = make_table(client, "when", write=1)
    drain_writes(client, table)
    headers = refusal(put, client, table, 9)["ResponseMetadata"]["HTTPHeaders"]
    assert 60_000 < int(headers["x-amz-retry-after"]) <= 92_001


def test_sdks_try_again_until_there_is_capacity(strict):
    patient = strict.client(retries={"max_attempts": 10})
    table = make_table(patient, "patient", write=2)
    for n in range(3):  # 612 units of 600, so it refuses for 6 seconds at most
        put(patient, table, n, big=S(BIG + "x" * 8_000))
    began = time.monotonic()
    assert patient.put_item(TableName=table, Item=key(999))["ResponseMetadata"]["RetryAttempts"] > 0
    assert time.monotonic() - began < 30


def test_batches_of_writes(strict, client):
    open_, drained = make_table(client, "batch-open"), make_table(client, "batch-drained", write=1)
    drain_writes(client, drained)
    puts = [{"PutRequest": {"Item": key(n)}} for n in (10, 11)]
    done = client.batch_write_item(RequestItems={open_: puts, drained: puts})
    assert done["UnprocessedItems"] == {drained: puts}
    assert {item["n"]["N"] for item in client.scan(TableName=open_)["Items"]} == {"10", "11"}
    assert_refused(refusal(client.batch_write_item, RequestItems={drained: puts}))
    found = told(strict, "BatchWriteItem", RequestItems={drained: puts})
    assert reasons(found) == [("TableWriteProvisionedThroughputExceeded", ARN + drained)]


def test_batches_of_writes_to_an_index(client):
    table = make_table(client, "batch-index", index=(1000, 1))
    drain_writes(client, table, g=S("g"))
    inside = [{"PutRequest": {"Item": {**key(n), "g": S("g")}}} for n in (10, 12)]
    outside = [{"PutRequest": {"Item": key(n)}} for n in (11, 13)]
    mixed = [inside[0], outside[0], inside[1], outside[1]]
    done = client.batch_write_item(RequestItems={table: mixed}, ReturnConsumedCapacity="TOTAL")
    assert done["UnprocessedItems"] == {table: inside}
    assert done["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 2.0}]
    assert {item["n"]["N"] for item in client.scan(TableName=table, ProjectionExpression="n")["Items"]} == {
        "1", "2", "11", "13"}
    assert_refused(refusal(client.batch_write_item, RequestItems={table: inside}), text=INDEX_TEXT)


def test_collections_of_refused_writes_are_not_measured(client):
    table = make_table(client, "batch-collections", index=(1000, 1), local=True)
    drain_writes(client, table, g=S("g"))
    puts = [{"PutRequest": {"Item": {**key(1, k), **more}}} for k, more in (("in", {"g": S("g")}), ("out", {}))]
    done = client.batch_write_item(RequestItems={table: puts}, ReturnItemCollectionMetrics="SIZE")
    assert done["UnprocessedItems"] == {table: puts[:1]}
    assert [each["ItemCollectionKey"] for each in done["ItemCollectionMetrics"][table]] == [{"k": S("out")}]


def test_batches_of_reads(strict, client):
    open_, drained = make_table(client, "gets-open"), make_table(client, "gets-drained", read=1)
    put(client, open_, 1)
    drain_reads(client, drained)
    keys = {"Keys": [key(1), key(2)]}
    found = client.batch_get_item(RequestItems={open_: keys, drained: keys})
    assert found["UnprocessedKeys"] == {drained: keys}
    assert found["Responses"] == {open_: [key(1)], drained: []}
    assert_refused(refusal(client.batch_get_item, RequestItems={drained: keys}))
    found = told(strict, "BatchGetItem", RequestItems={drained: keys})
    assert reasons(found) == [("TableReadProvisionedThroughputExceeded", ARN + drained)]


def test_transactions(client):
    open_ = make_table(client, "both-open")
    drained, unread = make_table(client, "both-drained", write=1), make_table(client, "both-unread", read=1)
    drain_writes(client, drained)
    drain_reads(client, unread)
    actions = [{"Put": {"TableName": name, "Item": key(50)}} for name in (open_, drained)]
    refused = refusal(client.transact_write_items, TransactItems=actions)
    assert refused["Error"]["Code"] == "TransactionCanceledException"
    assert refused["CancellationReasons"] == [
        {"Code": "None"}, {"Code": "ProvisionedThroughputExceeded", "Message": TABLE_TEXT}]
    assert client.get_item(TableName=open_, Key=key(50)).get("Item") is None
    gets = [{"Get": {"TableName": name, "Key": key(1)}} for name in (unread, open_)]
    refused = refusal(client.transact_get_items, TransactItems=gets)
    assert [each["Code"] for each in refused["CancellationReasons"]] == ["ProvisionedThroughputExceeded", "None"]


def test_a_transaction_is_admitted_whole(client):
    """One of 4 MB takes 8,000 units, twice what a new table on demand has in a second."""
    table = make_table(client, "Large", BillingMode="PAY_PER_REQUEST")
    client.transact_write_items(TransactItems=[
        {"Put": {"TableName": table, "Item": {**key(1, k=str(i)), "big": S(2 * BIG)}}} for i in range(10)])


def test_transactions_that_write_to_an_index(client):
    table = make_table(client, "both-index", index=(1000, 1))
    drain_writes(client, table, g=S("g"))
    actions = [{"Put": {"TableName": table, "Item": {**key(n), **more}}} for n, more in ((50, {}), (51, {"g": S("g")}))]
    refused = refusal(client.transact_write_items, TransactItems=actions)
    assert refused["CancellationReasons"] == [
        {"Code": "None"}, {"Code": "ProvisionedThroughputExceeded", "Message": INDEX_TEXT}]
    assert client.get_item(TableName=table, Key=key(50)).get("Item") is None


def test_statements(client):
    table = make_table(client, "statements", write=1)
    open_ = make_table(client, "statements-open")
    drain_writes(client, table)
    insert = """INSERT INTO "{}" VALUE {{'k': 'a', 'n': 50}}"""
    assert_refused(refusal(client.execute_statement, Statement=insert.format(table)))
    done = client.batch_execute_statement(Statements=[{"Statement": insert.format(one)} for one in (table, open_)])
    assert done["Responses"] == [{"Error": {"Code": "ProvisionedThroughputExceeded", "Message": TABLE_TEXT}},
                                 {"TableName": open_}]
    both = [{"Statement": insert.format(one).replace("50", "51")} for one in (open_, table)]
    refused = refusal(client.execute_transaction, TransactStatements=both)
    assert [each["Code"] for each in refused["CancellationReasons"]] == ["None", "ProvisionedThroughputExceeded"]
    assert client.get_item(TableName=open_, Key=key(51)).get("Item") is None


def test_a_statement_of_several_reads_ends_where_capacity_does(client):
    """300 units: five reads of 49, then two of three."""
    table = make_table(client, "statements-in", read=1)
    for name in ("k1", "k2", "k3"):
        put(client, table, 1, name, big=S(BIG))
    for _ in range(5):
        client.get_item(TableName=table, Key=key(1, "k1"), ConsistentRead=True)
    statement = {"Statement": f"SELECT k FROM \"{table}\" WHERE k IN ('k1', 'k2', 'k3')", "ConsistentRead": True}
    page = client.execute_statement(**statement)
    assert [item["k"]["S"] for item in page["Items"]] == ["k1", "k2"]
    assert_refused(refusal(client.execute_statement, **statement, NextToken=page["NextToken"]))


def capped(client, name, **limits):
    return make_table(client, name, BillingMode="PAY_PER_REQUEST", **limits)


def test_the_maximum_of_a_table_on_demand(strict, client):
    table = capped(client, "capped")
    limits = {"OnDemandThroughput": {"MaxWriteRequestUnits": 1, "MaxReadRequestUnits": 1}}
    assert ask(strict, "UpdateTable", {"TableName": table, **limits}, prefix="DynamoDB_20120810.")[0] == 200
    drain_writes(client, table)
    assert_refused(refusal(put, client, table, 9), "ThrottlingException", MAXIMUM_TEXT)
    found = told(strict, "PutItem", TableName=table, Item=key(9))
    assert reasons(found, "throttlingReasons") == [("TableWriteMaxOnDemandThroughputExceeded", ARN + table)]
    refused = refusal(client.transact_write_items, TransactItems=[{"Put": {"TableName": table, "Item": key(9)}}])
    assert refused["CancellationReasons"] == [{"Code": "ThrottlingError", "Message": MAXIMUM_TEXT}]
    statement = f"""UPDATE "{table}" SET a = 1 WHERE k = 'a' AND n = 9"""
    done = client.batch_execute_statement(Statements=[{"Statement": statement}])
    assert done["Responses"][0]["Error"]["Code"] == "ThrottlingError"


def test_what_a_table_on_demand_begins_with(client):
    table = capped(client, "default")
    # One hash key each, over all partitions.
    puts = [{"PutRequest": {"Item": {**key(n, f"k{n}"), "big": S(BIG)}}} for n in range(25)]
    done = client.batch_write_item(RequestItems={table: puts})  # 4,900 units; the table has 4,000
    assert done["UnprocessedItems"] == {table: puts[21:]}


def test_units_that_are_raised_count_at_once(client):
    table = make_table(client, "raised", write=1)
    drain_writes(client, table)
    assert_refused(refusal(put, client, table, 9))
    client.update_table(TableName=table, ProvisionedThroughput=units(1, 1000))  # the 92 owed take a tenth of a second
    wait_until(lambda: succeeds(client.put_item, TableName=table, Item=key(9)))


def test_metrics_of_what_was_refused(strict, client):
    table = make_table(client, "refused", write=1)
    drain_writes(client, table)
    for _ in range(3):
        refusal(put, client, table, 9)
    found = samples(strict)
    mine = {"table": table}
    assert value(found, "partita_table_throttle_events_total", **mine, kind="write") == 3
    assert value(found, "partita_table_throttle_events_total", **mine, kind="read") == 0
    assert value(found, "partita_table_would_throttle_total", **mine) == 0
    assert value(found, "partita_table_throttled_total", table=table) == 3


@pytest.fixture(scope="module")
def lenient():
    with running_server(in_memory=True) as started:
        yield started


def test_record_serves_and_counts(lenient):
    client = lenient.client()
    table = make_table(client, "rehearsed", read=1, write=1, index=(1, 1))
    ask(lenient, "DescribeMetrics")
    drain_writes(client, table)
    for n in range(10, 15):
        put(client, table, n, g=S("g"))
    for _ in range(12):
        client.scan(TableName=table, ConsistentRead=True)
    puts = [{"PutRequest": {"Item": key(n)}} for n in range(25)]
    assert client.batch_write_item(RequestItems={table: puts})["UnprocessedItems"] == {}
    client.transact_write_items(TransactItems=[{"Put": {"TableName": table, "Item": key(1)}}])
    found = samples(lenient)
    mine = {"table": table}
    assert value(found, "partita_table_would_throttle_total", **mine, kind="write") == 5 + 25 + 1
    reads = value(found, "partita_table_would_throttle_total", **mine, kind="read")
    assert 0 < reads < 12
    assert value(found, "partita_table_throttle_events_total", **mine) == 0
    assert value(found, "partita_table_throttled_total", table=table) == 0

    def is_sampled():
        told_ = ask(lenient, "DescribeMetrics", {"Since": 0})[1]
        return sum(each["WouldThrottle"] for sample in told_["Samples"] for each in sample["Tables"]
                   if each["TableName"] == table) == 31 + reads

    wait_until(is_sampled)


def test_a_tag_has_precedence(lenient):
    client = lenient.client()
    tags = [{"Key": "partita:capacity", "Value": "enforce"}]
    table = make_table(client, "tagged", write=1, Tags=tags)
    drain_writes(client, table)
    assert_refused(refusal(put, client, table, 9))
    arn = client.describe_table(TableName=table)["Table"]["TableArn"]
    wait_until(lambda: succeeds(client.untag_resource, ResourceArn=arn, TagKeys=["partita:capacity"]))
    put(client, table, 9)
    wrong = [{"Key": "partita:capacity", "Value": "Enforce"}]
    wait_until(lambda: succeeds(client.tag_resource, ResourceArn=arn, Tags=wrong))
    put(client, table, 9)
    assert "The tag partita:capacity of the table tagged is ignored" in lenient.log()


def test_after_a_start_buckets_are_full(tmp_path):
    with running_server(data_dir=tmp_path, extra_args=["--capacity", "enforce"]) as server:
        assert "; capacity is enforced." in server.log()
        table = make_table(server.client(), "kept", write=1)
        drain_writes(server.client(), table)
        assert_refused(refusal(put, server.client(), table, 9))
        server.stop()
        server.start()
        put(server.client(), table, 9)


def test_a_namespace_has_its_own_mode():
    modes = ["--namespaces", "key", "--capacity-of", "strict=enforce"]
    with running_server(in_memory=True, extra_args=modes) as server:
        for name in ("strict", "lenient"):
            client = client_of(server, name)
            drain_writes(client, make_table(client, "mine", write=1))
        assert_refused(refusal(put, client_of(server, "strict"), "mine", 9))
        put(client_of(server, "lenient"), "mine", 9)


@pytest.mark.parametrize("wrong", ["strict", "strict=on", "=enforce", "a/b=enforce"])
def test_a_mode_of_no_namespace(wrong):
    asked = subprocess.run([binary(), "serve", "--in-memory", "--namespaces", "key", "--capacity-of", wrong],
                           capture_output=True, text=True)
    assert asked.returncode == 2
    assert "--capacity-of takes NAMESPACE=MODE, such as worker1=enforce, not '" in asked.stderr


def test_modes_of_namespaces_need_namespaces():
    asked = subprocess.run([binary(), "serve", "--in-memory", "--capacity-of", "a=enforce"], capture_output=True, text=True)
    assert asked.returncode == 2 and "--capacity-of needs --namespaces." in asked.stderr


def test_a_mode_that_there_is_not():
    asked = subprocess.run([binary(), "serve", "--in-memory", "--capacity", "strict"], capture_output=True, text=True)
    assert asked.returncode == 2
    assert "--capacity takes record or enforce, not 'strict'." in asked.stderr
