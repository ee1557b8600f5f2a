"""A record has the same eventID for whoever reads it, wherever and whenever."""

import contextlib

import pytest
from postgres import running_postgres
from server import running_server
from stream_records import records_of

RECORDS = 30


def ids(server, region):
    streams = server.client("dynamodbstreams", region=region)
    (stream,) = streams.list_streams()["Streams"]
    shards = streams.describe_stream(StreamArn=stream["StreamArn"])["StreamDescription"]["Shards"]
    records = [record for shard in shards for record in records_of(streams, stream["StreamArn"], shard["ShardId"])]
    assert {record["awsRegion"] for record in records} == {region}
    return [record["eventID"] for record in records]


def fill(client):
    client.create_table(
        TableName="changes",
        KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "p", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    )
    for number in range(RECORDS):
        client.put_item(TableName="changes", Item={"p": {"S": str(number)}})


@pytest.mark.parametrize("engine", ["rocksdb", "postgres"])
def test_ids_are_the_same_in_every_region_and_from_every_server(engine, tmp_path):
    with contextlib.ExitStack() as stack:
        where = {"data_dir": tmp_path / "data"}
        if engine == "postgres":
            where = {"store": stack.enter_context(running_postgres()).url}
        with running_server(**where) as server:
            fill(server.client())
            before = ids(server, "us-east-1")
            assert len(set(before)) == RECORDS
            assert ids(server, "eu-west-3") == before
            if engine == "postgres":
                with running_server(**where) as other:
                    assert ids(other, "us-east-1") == before
        with running_server(**where) as server:
            assert ids(server, "us-east-1") == before
