"""examples/copy_tables.py, as docs/coming-from.md has it run."""

import subprocess
import sys

import common
import pytest
from conftest import EXAMPLES
from server import running_server

TABLE = {
    "TableName": "copied-orders",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in [
        ("customer", "S"), ("at", "N"), ("state", "S")]],
    "KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
    "LocalSecondaryIndexes": [{"IndexName": "ByState", "Projection": {"ProjectionType": "KEYS_ONLY"}, "KeySchema": [
        {"AttributeName": "customer", "KeyType": "HASH"}, {"AttributeName": "state", "KeyType": "RANGE"}]}],
    "GlobalSecondaryIndexes": [{
        "IndexName": "AllByState", "KeySchema": [{"AttributeName": "state", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["note"]},
        "ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 3}}],
    "ProvisionedThroughput": {"ReadCapacityUnits": 4, "WriteCapacityUnits": 5},
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
}
KEPT = ("AttributeDefinitions", "KeySchema", "StreamSpecification")


def item(number):
    return {"customer": {"S": f"c{number % 7}"}, "at": {"N": str(number)}, "state": {"S": "open" if number % 3 else "done"},
            "note": {"S": "n" * 40_000}, "more": {"M": {"bytes": {"B": bytes([number])}, "set": {"NS": ["1", "2.5"]}}}}


@pytest.fixture(scope="module")
def source(client):
    client.create_table(**TABLE)
    common.wait(client, "table_exists", TABLE["TableName"])
    for number in range(60):  # several pages of a Scan
        client.put_item(TableName=TABLE["TableName"], Item=item(number))
    client.update_time_to_live(TableName=TABLE["TableName"],
                               TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
    yield client
    client.delete_table(TableName=TABLE["TableName"])


def copied(source_url, target_url, *names):
    return subprocess.run([sys.executable, str(EXAMPLES / "copy_tables.py"), "--from", source_url, "--to", target_url, *names],
                          capture_output=True, text=True, timeout=120)


def described(client):
    table = client.describe_table(TableName=TABLE["TableName"])["Table"]
    indexes = {each["IndexName"]: (each["KeySchema"], each["Projection"]["ProjectionType"],
                                   each["Projection"].get("NonKeyAttributes"))
               for each in table["LocalSecondaryIndexes"] + table["GlobalSecondaryIndexes"]}
    units = [table["ProvisionedThroughput"], table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]]
    return [table[name] for name in KEPT], indexes, [(each["ReadCapacityUnits"], each["WriteCapacityUnits"]) for each in units]


def items(client):
    pages = client.get_paginator("scan").paginate(TableName=TABLE["TableName"])
    return sorted((each for page in pages for each in page["Items"]), key=lambda each: int(each["at"]["N"]))


def test_a_copy_is_like_its_source(source, server):
    with running_server(in_memory=True) as target:
        done = copied(server.url, target.url, TABLE["TableName"])
        assert (done.returncode, done.stdout) == (0, "copied-orders: 60 items\n"), done.stderr
        there = common.connect_client(target.url)
        assert described(there) == described(source)
        assert items(there) == items(source) == [item(number) for number in range(60)]
        expiry = there.describe_time_to_live(TableName=TABLE["TableName"])["TimeToLiveDescription"]
        assert (expiry["TimeToLiveStatus"], expiry["AttributeName"]) == ("ENABLED", "until")
        again = copied(server.url, target.url, TABLE["TableName"])
        assert again.returncode != 0 and "has a table of this name already" in again.stderr
        missing = copied(server.url, target.url, "nowhere")
        assert missing.returncode != 0 and missing.stderr.startswith("nowhere: there is no such table")


def test_without_names_all_tables_go(source, server):
    with running_server(in_memory=True) as target:
        done = copied(server.url, target.url)
        assert done.returncode == 0 and "copied-orders: 60 items\n" in done.stdout, done.stderr
        names = {line.split(":")[0] for line in done.stdout.splitlines()}
        assert set(common.connect_client(target.url).list_tables()["TableNames"]) == names
