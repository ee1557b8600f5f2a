"""The caches of DAX: what is stale, for how long, and what is not."""

import contextlib
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support")]

from dax_client import Connection, encoded  # noqa: E402
from pages import samples, value  # noqa: E402
from ports import free_port  # noqa: E402
from server import binary, running_server  # noqa: E402

TABLE = {
    "TableName": "Music",
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
# The numbers of keywords, members of replies and expressions.
CONSISTENT_READ, RETURN_CONSUMED_CAPACITY = 2, 3
ITEM, CONSUMED_CAPACITY, COUNT = 0, 1, 8
EQUALS, ATTRIBUTE, VALUE = 0, 18, 17


@contextlib.contextmanager
def dax_server(*arguments):
    port = free_port()
    with running_server(extra_args=["--dax", f"127.0.0.1:{port}", *arguments]) as started:
        started.dax_port = port
        started.client().create_table(**TABLE)
        yield started


@pytest.fixture
def server():
    with dax_server("--dax-cache", "16") as started:
        yield started


@pytest.fixture
def dax(server):
    with Connection("127.0.0.1", server.dax_port) as connection:
        connection.authorize()
        yield connection


def put(server, artist, year):
    """Over HTTP."""
    server.client().put_item(TableName="Music", Item={"artist": {"S": artist}, "year": {"N": str(year)}})


def count(connection, artist, consistent=False):
    condition = encoded([1, [EQUALS, [ATTRIBUTE, "artist"], [VALUE, 0]], [artist]])
    found = connection.call("query", b"Music", condition, {CONSISTENT_READ: 1} if consistent else None)
    return found[COUNT]


def advance(server, how):
    subprocess.run([binary(), "clock", "advance", how, server.data_dir], check=True, capture_output=True)


def test_without_the_option_nothing_is_stale():
    with dax_server() as server, Connection("127.0.0.1", server.dax_port) as dax:
        dax.authorize()
        for year in (1, 2):
            put(server, "a", year)
            assert dax.get("Music", {"artist": "a"}) == {"year": year}
            assert count(dax, "a") == 1
        assert not [name for name, _ in samples(server) if name.startswith("partita_dax_cache")]


def test_a_write_over_http_is_seen_when_the_entry_is_too_old(server, dax):
    put(server, "a", 1)
    assert dax.get("Music", {"artist": "a"}) == {"year": 1}
    assert dax.get("Music", {"artist": "absent"}) is None
    put(server, "a", 2)
    put(server, "absent", 3)
    assert dax.get("Music", {"artist": "a"}) == {"year": 1}
    assert dax.get("Music", {"artist": "absent"}) is None
    assert dax.get("Music", {"artist": "a"}, {CONSISTENT_READ: True}) == {"year": 2}
    assert dax.get("Music", {"artist": "a"}) == {"year": 1}
    advance(server, "5m")
    assert dax.get("Music", {"artist": "a"}) == {"year": 2}
    assert dax.get("Music", {"artist": "absent"}) == {"year": 3}


def test_a_write_over_dax_is_seen_at_once(server, dax):
    put(server, "a", 1)
    assert dax.get("Music", {"artist": "a"}) == {"year": 1}
    dax.put("Music", {"artist": "a"}, {"year": 2})
    assert dax.get("Music", {"artist": "a"}) == {"year": 2}
    with Connection("127.0.0.1", server.dax_port) as other:
        other.authorize()
        assert other.get("Music", {"artist": "a"}) == {"year": 2}
    dax.call("deleteItem", b"Music", b"a", None)
    assert dax.get("Music", {"artist": "a"}) is None
    found = samples(server)
    assert value(found, "partita_dax_cache_misses_total", cache="item") == 1
    assert value(found, "partita_dax_cache_hits_total", cache="item") == 3
    assert value(found, "partita_dax_cache_entries", cache="item") == 1


def test_no_write_changes_the_reply_to_a_query(server, dax):
    assert count(dax, "a") == 0
    dax.put("Music", {"artist": "a"}, {"year": 1})
    assert count(dax, "a") == 0
    assert count(dax, "a", consistent=True) == 1
    assert dax.get("Music", {"artist": "a"}) == {"year": 1}
    advance(server, "5m")
    assert count(dax, "a") == 1


def test_a_hit_consumes_no_capacity(server, dax):
    put(server, "a", 1)
    replies = [dax.call("getItem", b"Music", b"a", {RETURN_CONSUMED_CAPACITY: 1}) for _ in range(2)]
    assert [CONSUMED_CAPACITY in reply for reply in replies] == [True, False]
    assert replies[0][ITEM] == replies[1][ITEM]
    # Without an item there is nothing to say.
    assert CONSUMED_CAPACITY in dax.call("getItem", b"Music", b"b", {RETURN_CONSUMED_CAPACITY: 1})
    assert dax.call("getItem", b"Music", b"b", {RETURN_CONSUMED_CAPACITY: 1}) is None
