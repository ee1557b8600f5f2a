"""kill -9 of the one server of three that does a job: another goes on within seconds, and nothing is done twice.

Who does a job is what the servers' own metrics say.
"""

import contextlib
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from pages import samples
from postgres import running_postgres
from server import running_server
from stream_records import records_of
from waiting import wait_until

LEASE_S = 3  # after which a job that nobody touches is taken over
TAKEN_OVER_WITHIN_S = LEASE_S + 30
ITEMS = 12_000
EXPIRED = 3_000

KEYS = [{"AttributeName": "p", "KeyType": "HASH"}]
DEFINITIONS = [{"AttributeName": "p", "AttributeType": "S"}]


@pytest.fixture
def servers():
    with contextlib.ExitStack() as running:
        postgres = running.enter_context(running_postgres())
        yield [running.enter_context(running_server(store=postgres.url)) for _ in range(3)]


def does(server, kind):
    """Whether that server does a job of that kind now."""
    jobs = [dict(labels) for name, labels in samples(server) if name == "partita_job_untouched_seconds"]
    return any(job["kind"] == kind and job["here"] == "yes" for job in jobs)


def wait_for_worker(servers, kind, within_s):
    """The server that does it; None when none is seen to in that time."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        for server in servers:
            if does(server, kind):
                return server
        time.sleep(0.005)
    return None


def kill_worker(servers, kind, is_done):
    """Kills who does the job; the others, once one of them has taken it over or it is done. In how many seconds."""
    worker = wait_for_worker(servers, kind, 10)
    assert worker, f"nobody was seen to do {kind}"
    worker.kill()
    killed = time.monotonic()
    assert not is_done(), "it was done before it was killed: make it larger"
    left = [server for server in servers if server is not worker]
    while not wait_for_worker(left, kind, 0.1) and not is_done():
        assert time.monotonic() - killed < TAKEN_OVER_WITHIN_S
    print(f"{kind}: taken over after {time.monotonic() - killed:.1f} s")
    return left


def put_all(server, table, items):
    with server.resource().Table(table).batch_writer() as batch:
        for item in items:
            batch.put_item(Item=item)


def scan(client, **words):
    pages = client.get_paginator("scan").paginate(**words)
    return [item for page in pages for item in page["Items"]]


def test_an_index_is_filled_by_the_next(servers):
    client = servers[0].client()
    client.create_table(TableName="filled", KeySchema=KEYS, AttributeDefinitions=DEFINITIONS, BillingMode="PAY_PER_REQUEST")
    put_all(servers[0], "filled", ({"p": f"p{n}", "g": f"g{n % 7}", "n": n} for n in range(ITEMS)))
    index = {"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}
    client.update_table(
        TableName="filled",
        AttributeDefinitions=[*DEFINITIONS, {"AttributeName": "g", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{"Create": index}],
    )
    others = [server.client() for server in servers]

    def is_active():
        """To all that run: a server may hear of an index, and of its state, half a second later than another."""
        tables = [one.describe_table(TableName="filled")["Table"] for one, server in zip(others, servers) if server.running()]
        return all(table.get("GlobalSecondaryIndexes", [{}])[0].get("IndexStatus") == "ACTIVE" for table in tables)

    left = kill_worker(servers, "fill_index", is_active)
    # While it is filled items change, also those that are filled already.
    table = left[0].resource().Table("filled")
    for n in range(0, 200, 2):
        table.delete_item(Key={"p": f"p{n}"})
        table.update_item(Key={"p": f"p{n + 1}"}, UpdateExpression="SET g = :g", ExpressionAttributeValues={":g": "moved"})
    wait_until(is_active)
    client = left[1].client()
    items = sorted(item["p"]["S"] + item["g"]["S"] for item in scan(client, TableName="filled", ConsistentRead=True))
    rows = sorted(item["p"]["S"] + item["g"]["S"] for item in scan(client, TableName="filled", IndexName="by-g"))
    assert len(items) == ITEMS - 100 and rows == items
    described = client.describe_table(TableName="filled")["Table"]
    assert (described["ItemCount"], described["GlobalSecondaryIndexes"][0]["ItemCount"]) == (ITEMS - 100, ITEMS - 100)


def test_each_item_expires_once(servers):
    client = servers[0].client()
    client.create_table(
        TableName="expiring",
        KeySchema=KEYS,
        AttributeDefinitions=DEFINITIONS,
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    )
    ended, later = int(time.time()) - 10, int(time.time()) + 9_999
    items = [{"p": f"p{n}", "ends": ended} for n in range(EXPIRED)] + [{"p": f"stays{n}", "ends": later} for n in range(50)]
    put_all(servers[0], "expiring", items)
    clients = [server.client() for server in servers]

    def left_items():
        for one, server in zip(clients, servers):
            if server.running():
                return one.scan(TableName="expiring", Select="COUNT", ConsistentRead=True)["Count"]

    client.update_time_to_live(TableName="expiring", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
    left = kill_worker(servers, "expire", lambda: left_items() == 50)
    wait_until(lambda: left_items() <= 50)
    client = left[0].client()
    assert all(item["p"]["S"].startswith("stays") for item in scan(client, TableName="expiring"))
    records = all_records(left[1], "expiring")
    removed = [record["dynamodb"]["Keys"]["p"]["S"] for record in records if record["eventName"] == "REMOVE"]
    assert sorted(removed) == sorted(f"p{n}" for n in range(EXPIRED))
    assert all(record["userIdentity"]["Type"] == "Service" for record in records if record["eventName"] == "REMOVE")
    assert client.describe_table(TableName="expiring")["Table"]["ItemCount"] == 50


def all_records(server, table):
    streams = server.client("dynamodbstreams")
    stream = server.client().describe_table(TableName=table)["Table"]["LatestStreamArn"]
    shards = streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"]
    return [record for shard in shards for record in records_of(streams, stream, shard["ShardId"])]


def test_a_stream_is_trimmed_by_whoever_lives(tmp_path):
    """A day later, on servers that are killed as they begin to trim; what is fresh stays."""
    later = ["--clock=+25h"]
    streams = 4
    with running_postgres() as postgres:
        with running_server(store=postgres.url) as server:
            for number in range(streams):
                server.client().create_table(
                    TableName=f"trimmed{number}",
                    KeySchema=KEYS,
                    AttributeDefinitions=DEFINITIONS,
                    BillingMode="PAY_PER_REQUEST",
                    StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
                )
                put_all(server, f"trimmed{number}", ({"p": f"p{n}", "text": "x" * 200} for n in range(1_500)))
        entries = "SELECT count(*) FROM partita_log"
        assert int(postgres.ask(entries)) >= streams * 1_500
        kills = amidst = 0
        while kills < 6:
            with running_server(store=postgres.url, extra_args=later) as server, ThreadPoolExecutor() as pool:
                # From its start: a server may have trimmed all before a client is made.
                seen = pool.submit(wait_for_worker, [server], "tend_streams", LEASE_S + 2)
                client = server.client()
                for number in range(streams):
                    client.put_item(TableName=f"trimmed{number}", Item={"p": {"S": f"fresh{kills}"}})
                amidst += seen.result() is not None
                server.kill()
            kills += 1
        assert amidst, "none was seen to trim before it was killed"
        begin = {"store": postgres.url, "extra_args": later}
        with running_server(**begin) as server, running_server(**begin) as other:
            # In each shard one that is too old stays, and tells that there were older ones, and marks do.
            most = streams * (kills + 4 * 4)
            wait_until(lambda: int(postgres.ask(entries)) <= most, lambda: postgres.ask(entries))
            for number in range(streams):
                fresh = [f"fresh{kill}" for kill in range(kills)]
                for one in (server, other):
                    kept = [record["dynamodb"]["Keys"]["p"]["S"] for record in all_records(one, f"trimmed{number}")]
                    assert sorted(kept) == fresh
