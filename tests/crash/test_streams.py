"""Writers on a table with a stream, and a server that is killed again and again: a consumer that follows the shards
has the table that a Scan has, and every acknowledged change once.

PARTITA_STREAM_CHANGES is how many changes there are at least, PARTITA_CRASH_SEED chooses others. A million of them:

    PARTITA_STREAM_CHANGES=1000000 ./dev test whatever_is_killed
"""

import os
import random
import threading
import time

import botocore.exceptions
from server import running_server

SEED = int(os.environ.get("PARTITA_CRASH_SEED", "2018"))
CHANGES = int(os.environ.get("PARTITA_STREAM_CHANGES", "6000"))
KILLS = 5
WRITERS = 8
ITEMS = max(400, CHANGES // 100)
BATCH = 25
TABLE = "Followed"
LOST_CONNECTION = (botocore.exceptions.ConnectionError, botocore.exceptions.HTTPClientError)


class Writer(threading.Thread):
    """Changes the items whose numbers are its own until it is told to stop; knows which changes were acknowledged."""

    def __init__(self, server, number):
        super().__init__()
        self.server, self.number = server, number
        self.random = random.Random(SEED * 100 + number)
        self.acknowledged = []  # (key, stamp or None when it was deleted)
        self.done = False
        self.stamp = 0

    def run(self):
        client = self.server.client()
        while not self.done:
            chosen = self.random.sample(range(self.number, ITEMS, WRITERS), BATCH)
            requests, changes = [], []
            for item in chosen:
                self.stamp += 1
                key = {"pk": {"S": f"item {item}"}}
                if self.random.random() < 0.2:
                    requests.append({"DeleteRequest": {"Key": key}})
                    changes.append((key["pk"]["S"], None))
                else:
                    stamp = f"{self.number}-{self.stamp}"
                    requests.append({"PutRequest": {"Item": {**key, "stamp": {"S": stamp}}}})
                    changes.append((key["pk"]["S"], stamp))
            try:
                client.batch_write_item(RequestItems={TABLE: requests})
                self.acknowledged += changes
            except LOST_CONNECTION:
                time.sleep(0.02)
            except botocore.exceptions.ClientError as error:
                assert error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500


class Consumer:
    """Reads a stream to where it is now, each shard from where it was."""

    def __init__(self, arn):
        self.arn = arn
        self.last = {}  # shard -> the last sequence number
        self.items = {}
        self.stamps = []
        self.records = 0

    def follow(self, streams):
        for shard in streams.describe_stream(StreamArn=self.arn)["StreamDescription"]["Shards"]:
            name = shard["ShardId"]
            place = {"ShardIteratorType": "TRIM_HORIZON"}
            if name in self.last:
                place = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self.last[name]}
            at = streams.get_shard_iterator(StreamArn=self.arn, ShardId=name, **place)["ShardIterator"]
            while at:
                page = streams.get_records(ShardIterator=at)
                for record in page["Records"]:
                    self.take(record["dynamodb"])
                    self.last[name] = record["dynamodb"]["SequenceNumber"]
                if not page["Records"]:
                    break
                at = page.get("NextShardIterator")

    def take(self, change):
        self.records += 1
        key = change["Keys"]["pk"]["S"]
        assert self.items.get(key) == change.get("OldImage"), "a record is missing, doubled or out of order"
        self.items.pop(key, None)
        if "NewImage" in change:
            self.items[key] = change["NewImage"]
            self.stamps.append(change["NewImage"]["stamp"]["S"])


def make_table(client):
    return client.create_table(
        TableName=TABLE,
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )["TableDescription"]


def scanned(client):
    """{key: item}"""
    pages = client.get_paginator("scan").paginate(TableName=TABLE, ConsistentRead=True)
    return {item["pk"]["S"]: item for page in pages for item in page["Items"]}


def test_a_consumer_has_the_table_whatever_is_killed(tmp_path):
    started = time.monotonic()
    with running_server(data_dir=tmp_path / "data") as server:
        consumer = Consumer(make_table(server.client())["LatestStreamArn"])
        writers = [Writer(server, number) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        try:
            for part in range(KILLS + 1):
                streams = server.client("dynamodbstreams")
                while sum(len(writer.acknowledged) for writer in writers) < CHANGES * (part + 1) // (KILLS + 1):
                    consumer.follow(streams)
                if part < KILLS:
                    server.kill()
                    server.start()
        finally:
            for writer in writers:
                writer.done = True
            for writer in writers:
                writer.join()
        consumer.follow(streams)
        there = scanned(server.client())
        assert consumer.items == there, f"seed {SEED}"
        shards = len(consumer.last)
        print(f"{sum(len(writer.acknowledged) for writer in writers)} acknowledged changes, {consumer.records} records "
              f"of {shards} shards, {len(there)} items, {time.monotonic() - started:.0f} s")
        put = [stamp for writer in writers for _, stamp in writer.acknowledged if stamp is not None]
        assert set(put) <= set(consumer.stamps), f"an acknowledged change has no record (seed {SEED})"
        assert len(consumer.stamps) == len(set(consumer.stamps)), f"a change has two records (seed {SEED})"
