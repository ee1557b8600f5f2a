"""Clients keep for ever which id stands for which attribute names, so an id means the same after a restart and on every
server of a store."""

import contextlib
import itertools
import pathlib
import sys
import tempfile
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from at_once import at_once, shared  # noqa: E402
from drivers import NAMES, RARE, started  # noqa: E402
from relay import relayed  # noqa: E402
from same import compared  # noqa: E402
from served import available, dax_server  # noqa: E402
from tables import N, S, table  # noqa: E402
from moved_clock import moved_clock  # noqa: E402
from postgres import running_postgres  # noqa: E402
from server import is_sanitized  # noqa: E402

SHAPES = {
    "one": ["a"],
    "two": ["a", "b"],
    "three": ["b", "c", "a"],
    "none": [],
    "wide": [f"attribute {n}" for n in range(40)],
}
TABLE = table("shapes", {"pk": "S"}, ("pk",))


def item(shape, value):
    return {"pk": S(shape), **{name: N(f"{value}{place}") for place, name in enumerate(SHAPES[shape])}}


def puts(value):
    return [
        {"name": f"put {shape}", "call": "PutItem", "input": {"TableName": "shapes", "Item": item(shape, value)}}
        for shape in SHAPES
    ]


def gets():
    return [
        {
            "name": f"get {shape}",
            "call": "GetItem",
            "input": {"TableName": "shapes", "Key": {"pk": S(shape)}, "ConsistentRead": True},
        }
        for shape in SHAPES
    ]


def scan():
    return [{"name": "scan", "call": "Scan", "input": {"TableName": "shapes"}}]


def must_be(results, value):
    expected = [
        {"outputs": [{"Item": each}], "error": None}
        for each in (compared({"outputs": [item(shape, value)]})["outputs"][0] for shape in SHAPES)
    ]
    assert [compared(result) for result in results] == expected


def over_http(server):
    client = server.client()
    return [
        {"outputs": [{"Item": client.get_item(TableName="shapes", Key={"pk": S(shape)}, ConsistentRead=True)["Item"]}]}
        for shape in SHAPES
    ]


def wait_for_pool(client):
    """Those for JavaScript never settle a call on a connection that ended while it was idle. The newer one closes its
    connections after five idle seconds."""
    if client == "javascript-1":
        pytest.skip("the client javascript-1 never settles a call on a connection that has ended")
    if client == "javascript-3":
        time.sleep(9)


def made(driver, steps):
    """Repeated where the client met the connections of a server that is gone: it gives up after a few."""
    for _ in range(10):
        results = driver.make(steps)
        if not any(result.get("error") for result in results):
            break
    return results


@shared
def postgres():
    with running_postgres() as started_postgres:
        started_postgres.ask("ALTER SYSTEM SET max_connections = 500")  # of many servers at once
        started_postgres.stop()
        yield started_postgres.start()


DATABASES = itertools.count()


def new_store():
    """The URL of an empty database of PostgreSQL."""
    name = f"store{next(DATABASES)}"
    postgres().ask(f"CREATE DATABASE {name}")
    return postgres().url.replace("///postgres", f"///{name}")


@pytest.mark.parametrize("client", NAMES)
@at_once
def test_a_killed_server_is_started_again(client):
    available(client)
    with tempfile.TemporaryDirectory() as directory, dax_server(data_dir=directory) as server:
        server.client().create_table(**TABLE)
        with started(client, server.dax_url) as driver:
            made(driver, puts(1))
            must_be(driver.make(gets()), 1)
            server.kill()
            server.start()
            wait_for_pool(client)
            must_be(made(driver, gets()), 1)
            made(driver, puts(2))  # with ids that the client has from the first process
        must_be(over_http(server), 2)
        with started(client, server.dax_url) as driver:
            must_be(driver.make(gets()), 2)


@pytest.mark.parametrize("client", NAMES)
@at_once
def test_another_store_is_served_at_the_address(client, tmp_path):
    """Its server knows no id of the first store. It stores an item as it was meant, or says that it cannot."""
    available(client)
    with relayed(0) as relay, contextlib.ExitStack() as servers:
        advertised = ["--dax-advertise", f"127.0.0.1:{relay.port}"]
        first, second = (servers.enter_context(dax_server(in_memory=True, extra_args=advertised)) for _ in range(2))
        relay.turn_to(first.dax_port)
        for server in (first, second):
            server.client().create_table(**TABLE)
        with started(client, f"dax://127.0.0.1:{relay.port}") as driver:
            made(driver, puts(1))
            relay.turn_to(second.dax_port)
            wait_for_pool(client)
            results = made(driver, puts(2))
            stored = {each["pk"]["S"]: each for each in second.client().scan(TableName="shapes")["Items"]}
            for shape, result in zip(SHAPES, results):
                assert result.get("error") or compared({"outputs": [stored[shape]]}) == compared(
                    {"outputs": [item(shape, 2)]}
                )


@pytest.mark.parametrize("client", NAMES)
@at_once
def test_two_servers_on_one_store(client):
    available(client)
    store = new_store()
    with relayed(0) as relay, contextlib.ExitStack() as servers:
        advertised = ["--dax-advertise", f"127.0.0.1:{relay.port}"]
        first, second = (servers.enter_context(dax_server(store=store, extra_args=advertised)) for _ in range(2))
        relay.turn_to(first.dax_port)
        first.client().create_table(**TABLE)
        with started(client, f"dax://127.0.0.1:{relay.port}") as driver:
            made(driver, puts(1))
            must_be(made(driver, gets()), 1)
            relay.turn_to(second.dax_port)
            wait_for_pool(client)
            must_be(made(driver, gets()), 1)
            made(driver, puts(2))
            must_be(over_http(first), 2)
            relay.turn_to(first.dax_port)
            wait_for_pool(client)
            must_be(made(driver, gets()), 2)
            assert relay.accepted >= 3


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer must be the first library of its program")
@pytest.mark.parametrize("client", RARE)
@at_once
def test_two_servers_of_one_store_have_caches_of_their_own(client):
    """What one writes is stale at the other until its entry is five minutes old."""
    available(client)
    with moved_clock() as clock, contextlib.ExitStack() as opened:
        how = {"store": new_store(), "extra_args": ["--dax-cache", "16"], "environment": clock.environment}
        servers = [opened.enter_context(dax_server(**how)) for _ in range(2)]
        servers[0].client().create_table(**TABLE)
        writer, reader = (opened.enter_context(started(client, server.dax_url)) for server in servers)
        [consistent] = gets()[:1]
        get = {**consistent, "input": {**consistent["input"], "ConsistentRead": False}}

        def read(driver, *steps):
            """The values of the attribute a, as they are over DAX."""
            results = made(driver, steps)
            assert not any(result.get("error") for result in results), results
            outputs = [result["outputs"][0] for result in results]
            return [float((output.get("Item") or output["Items"][0])["a"]["N"]) for output in outputs]

        made(writer, puts(1)[:1])
        assert read(reader, get, *scan()) == [10, 10]
        made(writer, puts(2)[:1])
        assert read(writer, get, consistent, *scan()) == [20, 20, 20]
        assert read(reader, get, consistent, *scan()) == [10, 20, 10]
        clock.move(290)
        assert read(reader, get, *scan()) == [10, 10]
        clock.move(11)
        assert read(reader, get, *scan()) == [20, 20]
