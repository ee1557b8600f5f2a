"""A partition serves 1,000 write units and 3,000 read units a second. It refuses more of the kind until it has paid."""

import contextlib
import subprocess
import time

import pytest
from botocore.exceptions import ClientError
from server import binary, running_server
from test_namespaces import ask
from throttling import (
    ARN, BIG, HOT, HOT_INDEX_TEXT, INDEX_TEXT, N, ON_DEMAND_TEXT, S, TABLE_TEXT, assert_refused, client, key,
    make_hot, make_table, put, reasons, refusal, strict, succeeds,
)
from waiting import wait_until


def heat_writes(client, table):
    """Takes 2,352 write units of one key. They are known only afterwards, so it refuses for more than a second."""
    change = {"TableName": table, "UpdateExpression": "ADD a :one", "ExpressionAttributeValues": {":one": N(1)}}
    with contextlib.suppress(ClientError):  # it is hot already
        client.transact_write_items(TransactItems=[{"Update": {**change, "Key": key(n, "hot")}} for n in HOT])


def heat_reads(client, table):
    """Takes 588 read units of one key at a time, until it refuses more. They are known only afterwards."""
    gets = [{"Get": {"TableName": table, "Key": key(n, "hot"), "ProjectionExpression": "n"}} for n in HOT]
    with contextlib.suppress(ClientError):
        for _ in range(50):
            client.transact_get_items(TransactItems=gets)


def refused_while_hot(client, table, call, heat=heat_writes):
    """The refusal of a call that a hot key refuses for a moment; heats it again if the machine was too slow for it."""
    for _ in range(50):
        heat(client, table)
        try:
            call()
        except ClientError as refused:
            return refused.response
    raise AssertionError("nothing was refused")


def told_while_hot(server, client, table, operation, heat=heat_writes, **body):
    for _ in range(50):
        heat(client, table)
        status, found = ask(server, operation, body, prefix="DynamoDB_20120810.")
        if status == 400:
            return found
    raise AssertionError("nothing was refused")


def test_a_hot_key_of_a_provisioned_table(strict, client):
    table = make_hot(client, "hot")
    refused = refused_while_hot(client, table, lambda: client.put_item(TableName=table, Item=key(9, "hot")))
    assert_refused(refused)
    assert 0 < int(refused["ResponseMetadata"]["HTTPHeaders"]["x-amz-retry-after"]) <= 2_400
    found = told_while_hot(strict, client, table, "PutItem", TableName=table, Item=key(9, "hot"))
    assert reasons(found) == [("TableWriteKeyRangeThroughputExceeded", ARN + table)]
    found = told_while_hot(strict, client, table, "GetItem", heat_reads, TableName=table, Key=key(9, "hot"))
    assert reasons(found) == [("TableReadKeyRangeThroughputExceeded", ARN + table)]
    query = {"KeyConditionExpression": "k = :k", "ExpressionAttributeValues": {":k": S("hot")}}
    for forward in (True, False):
        read = {"TableName": table, "ScanIndexForward": forward, "Limit": 1, **query}
        assert_refused(refused_while_hot(client, table, lambda: client.query(**read), heat_reads))  # noqa: B023
    wait_until(lambda: succeeds(client.get_item, TableName=table, Key=key(9, "hot")))
    refused_while_hot(client, table, lambda: client.put_item(TableName=table, Item=key(9, "hot")))
    client.get_item(TableName=table, Key=key(9, "hot"))  # reads have a limit of their own
    heat_writes(client, table)
    for k in ("a", "c", "d"):  # in other partitions of 54
        put(client, table, 1, k)


def test_a_hot_key_of_a_table_on_demand(strict, client):
    table = make_hot(client, "hot-on-demand", BillingMode="PAY_PER_REQUEST")
    refused = refused_while_hot(client, table, lambda: client.put_item(TableName=table, Item=key(9, "hot")))
    assert_refused(refused, "ThrottlingException", ON_DEMAND_TEXT)
    found = told_while_hot(strict, client, table, "PutItem", TableName=table, Item=key(9, "hot"))
    assert reasons(found, "throttlingReasons") == [("TableWriteKeyRangeThroughputExceeded", ARN + table)]


@pytest.mark.parametrize("on_demand", [False, True])
def test_a_hot_key_of_an_index(strict, client, on_demand):
    """Many items of the table with one value of the index's key."""
    more = {"BillingMode": "PAY_PER_REQUEST"} if on_demand else {}
    table = make_table(client, f"hot-index-{on_demand}", 40_000, 40_000, index=(40_000, 40_000), **more)

    def heat(client, table):
        puts = [{"PutRequest": {"Item": {**key(n, f"k{n}"), "big": S(BIG), "g": S("hot")}}} for n in range(10)]
        with contextlib.suppress(ClientError):  # 1,960 units of the index, which are taken afterwards
            client.batch_write_item(RequestItems={table: puts})

    item = {**key(9, "cold"), "g": S("hot")}
    refused = refused_while_hot(client, table, lambda: client.put_item(TableName=table, Item=item), heat)
    assert_refused(refused, "ThrottlingException", HOT_INDEX_TEXT)
    found = told_while_hot(strict, client, table, "PutItem", heat, TableName=table, Item=item)
    assert reasons(found, "throttlingReasons") == [
        ("IndexWriteKeyRangeThroughputExceeded", ARN + table + "/index/by-g")]
    put(client, table, 9, "cold")  # not in the index
    query = {"TableName": table, "IndexName": "by-g", "KeyConditionExpression": "g = :g",
             "ExpressionAttributeValues": {":g": S("hot")}}

    def heat_index_reads(client, _table):
        with contextlib.suppress(ClientError):
            for _ in range(200):
                client.query(**query, Select="COUNT")

    found = told_while_hot(strict, client, table, "Query", heat_index_reads, **query, Limit=1)
    member, text = ("throttlingReasons", ON_DEMAND_TEXT) if on_demand else ("ThrottlingReasons", INDEX_TEXT)
    assert reasons(found, member) == [("IndexReadKeyRangeThroughputExceeded", ARN + table + "/index/by-g")]
    assert found.get("message", found.get("Message")) == text


def test_a_hot_key_in_batches(client):
    table = make_table(client, "hot-batch", read=40_000, write=40_000)
    puts = [{"PutRequest": {"Item": {**key(n, "hot"), "big": S(BIG)}}} for n in range(12)]
    puts.insert(0, {"PutRequest": {"Item": key(0, "a")}})
    done = client.batch_write_item(RequestItems={table: puts})
    assert done["UnprocessedItems"] == {table: puts[7:]}
    table = make_hot(client, "hot-gets")
    put(client, table, 0)
    keys = [key(n, "hot") for n in range(5)]
    refused = refused_while_hot(client, table, lambda: client.batch_get_item(RequestItems={table: {"Keys": keys}}),
                                heat_reads)
    assert_refused(refused)
    heat_reads(client, table)
    found = client.batch_get_item(RequestItems={table: {"Keys": [key(0, "a"), *keys]}})
    assert found["UnprocessedKeys"] in ({}, {table: {"Keys": keys}})  # {}: the machine was slow


def test_a_hot_key_in_transactions(client):
    for name, more, code, text in (
            ("hot-both", {}, "ProvisionedThroughputExceeded", TABLE_TEXT),
            ("hot-both-on-demand", {"BillingMode": "PAY_PER_REQUEST"}, "ThrottlingError", ON_DEMAND_TEXT)):
        table = make_hot(client, name, **more)
        actions = [{"Put": {"TableName": table, "Item": key(50, k)}} for k in ("a", "hot")]
        refused = refused_while_hot(client, table, lambda: client.transact_write_items(TransactItems=actions))
        assert refused["CancellationReasons"] == [{"Code": "None"}, {"Code": code, "Message": text}]
        gets = [{"Get": {"TableName": table, "Key": key(50, k)}} for k in ("hot", "a")]
        refused = refused_while_hot(client, table, lambda: client.transact_get_items(TransactItems=gets), heat_reads)
        assert refused["CancellationReasons"] == [{"Code": code, "Message": text}, {"Code": "None"}]


def test_a_hot_key_in_statements(client):
    table = make_hot(client, "hot-statements")
    insert = f"""UPDATE "{table}" SET a = 1 WHERE k = 'hot' AND n = 1"""
    select = f"""SELECT n FROM "{table}" WHERE k = 'hot'"""
    for statement, heat in ((insert, heat_writes), (select, heat_reads)):
        assert_refused(refused_while_hot(client, table, lambda: client.execute_statement(Statement=statement), heat))
    for _ in range(50):
        heat_writes(client, table)
        done = client.batch_execute_statement(Statements=[{"Statement": insert}])
        if "Error" in done["Responses"][0]:
            break
    assert done["Responses"] == [{"Error": {"Code": "ProvisionedThroughputExceeded", "Message": TABLE_TEXT}}]
    both = [{"Statement": insert}, {"Statement": insert.replace("'hot'", "'a'")}]
    refused = refused_while_hot(client, table, lambda: client.execute_transaction(TransactStatements=both))
    assert refused["CancellationReasons"][0]["Code"] == "ProvisionedThroughputExceeded"


def test_the_verb_that_shows_heat(tmp_path):
    def heat(*words):
        return subprocess.run([binary(), "heat", *words], capture_output=True, text=True, timeout=60)

    with running_server(data_dir=tmp_path / "data") as server:
        client = server.client()
        make_hot(client, "Votes", index=(1, 1))
        for _ in range(3):  # over more than a second, which is what the figures are made of
            heat_writes(client, "Votes")
            time.sleep(0.5)
        shown = heat("Votes", str(tmp_path / "data"))
        assert shown.returncode == 0, shown.stderr
        lines = shown.stdout.splitlines()
        assert lines[0] == "Votes: 54 partitions" and lines[-3] == "Votes, index by-g: 1 partition"
        assert sum("#" in line for line in lines) == 1
        missing = heat("Poll", str(tmp_path / "data"))
        assert missing.returncode == 1 and "Poll" in missing.stderr
    asked = heat()
    assert asked.returncode == 2 and "`partita heat` needs the name of a TABLE." in asked.stderr
