"""kill -9 of PostgreSQL and of one of two servers over it: what was acknowledged is there, counted exactly once."""

import threading
import time

import botocore.exceptions
import pytest
from postgres import running_postgres
from server import running_server

TABLE = {
    "TableName": "counts",
    "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "name", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
CALLERS = 6
LOST_CONNECTION = (botocore.exceptions.ConnectionError, botocore.exceptions.HTTPClientError)


class Caller(threading.Thread):
    """Puts an item of its own and counts up a shared one, by turns, until told to stop."""

    def __init__(self, client, number, stop):
        super().__init__()
        self.client, self.number, self.stop = client, number, stop
        self.counted = self.put = self.doubtful = 0
        self.refusals = []

    def run(self):
        while not self.stop.is_set():
            try:
                self.client.put_item(TableName="counts", Item={"name": {"S": f"{self.number}/{self.put}"}})
                self.put += 1
                self.client.update_item(
                    TableName="counts",
                    Key={"name": {"S": "shared"}},
                    UpdateExpression="ADD n :one",
                    ExpressionAttributeValues={":one": {"N": "1"}},
                )
                self.counted += 1
            except LOST_CONNECTION:
                self.doubtful += 1
                time.sleep(0.05)
            except botocore.exceptions.ClientError as error:
                self.refusals.append(str(error))


@pytest.fixture
def two_servers():
    with running_postgres() as postgres, running_server(store=postgres.url) as one:
        with running_server(store=postgres.url) as other:
            yield postgres, one, other


def test_nothing_acknowledged_is_lost(two_servers):
    postgres, one, other = two_servers
    one.client().create_table(**TABLE)
    stop = threading.Event()
    callers = [Caller((one, other)[n % 2].client(), n, stop) for n in range(CALLERS)]
    for caller in callers:
        caller.start()
    for _ in range(3):
        time.sleep(0.7)
        postgres.kill()
        postgres.start()
    time.sleep(0.7)
    other.kill()
    other.start()
    time.sleep(0.7)
    stop.set()
    for caller in callers:
        caller.join()
    assert not [refusal for caller in callers for refusal in caller.refusals]
    pages = one.client().get_paginator("scan").paginate(TableName="counts", ConsistentRead=True)
    items = {item["name"]["S"]: item for page in pages for item in page["Items"]}
    lost = [f"{caller.number}/{n}" for caller in callers for n in range(caller.put) if f"{caller.number}/{n}" not in items]
    assert not lost
    counted = sum(caller.counted for caller in callers)
    doubtful = sum(caller.doubtful for caller in callers)
    assert counted > 0
    assert counted <= int(items["shared"]["n"]["N"]) <= counted + doubtful
