"""Servers for the tests of this folder, with the scenario's tables.

with dax_server(in_memory=True) as server:
    server.url, server.dax_url      # "http://127.0.0.1:39871", "dax://127.0.0.1:39872"
"""

import contextlib
import pathlib
import sys

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "support")]

from ports import free_port  # noqa: E402
from server import running_server  # noqa: E402

from drivers import Unavailable, command_of  # noqa: E402
from tables import BIG_ITEMS, TABLES  # noqa: E402


def available(client):
    """Skips a test of a client that cannot be installed here, and names it."""
    try:
        command_of(client)
    except Unavailable as why:
        pytest.skip(f"the client {client} is not available: {why}")


@contextlib.contextmanager
def dax_server(extra_args=(), tls=False, **more):
    """A running_server() that has the attribute dax_url, and dax_port."""
    port = free_port()
    option = "--dax-tls" if tls else "--dax"
    with running_server(extra_args=[option, f"127.0.0.1:{port}", *extra_args], **more) as server:
        server.dax_port = port
        server.dax_url = f"{'daxs' if tls else 'dax'}://127.0.0.1:{port}"
        yield server


def make_tables(server, tables=TABLES):
    client = server.client()
    for table in tables:
        client.create_table(**table)
    if tables is TABLES:
        for number in range(BIG_ITEMS):
            client.put_item(
                TableName="big",
                Item={"pk": {"S": f"big {number:02}"}, "n": {"N": str(number)}, "v": {"S": "x" * 390_000}},
            )


def drain(server):
    """Leaves the throttled table without capacity for minutes: what a call costs is known, and charged, afterwards."""
    client = server.client()
    for number in range(100):
        try:
            client.transact_write_items(
                TransactItems=[
                    {
                        "Put": {
                            "TableName": "slow",
                            "Item": {"pk": {"S": f"{number} {place}"}, "v": {"S": "x" * 380_000}},
                        }
                    }
                    for place in range(10)
                ]
            )
        except client.exceptions.TransactionCanceledException:
            break
    for number in range(100):
        try:
            client.scan(TableName="slow", ConsistentRead=True)
        except client.exceptions.ProvisionedThroughputExceededException:
            return
    raise AssertionError("the table still has capacity")
