"""Credentials that end, are wrong or are renewed under a program that runs. Only the server's clocks move."""

import pathlib
import sys
import tempfile
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import signed  # noqa: E402
from at_once import at_once  # noqa: E402
from drivers import RARE, started  # noqa: E402
from moved_clock import moved_clock  # noqa: E402
from same import compared  # noqa: E402
from served import available, dax_server  # noqa: E402
from server import MAKING_CLIENTS, is_sanitized  # noqa: E402
from tables import N, S, table  # noqa: E402
from vault import LIFETIME_S, vault  # noqa: E402

pytestmark = pytest.mark.skipif(is_sanitized(), reason="a sanitizer must be the first library of its program")

ITEM = {"pk": S("a"), "n": N(1)}
PUT = {"name": "put", "call": "PutItem", "input": {"TableName": "owned", "Item": ITEM}}
GET = {"name": "get", "call": "GetItem", "input": {"TableName": "owned", "Key": {"pk": S("a")}}}
SHORTEST_TOKEN_S = 900
WITHIN_S = 30  # clients look for nodes every four seconds
KEEPER = [signed.allow("dynamodb:*")]


def server_with_users(folder, clock):
    options = signed.files(pathlib.Path(folder), {"keeper": KEEPER})
    return dax_server(in_memory=True, extra_args=options, environment=clock.environment)


def client_of(server, user, service):
    with MAKING_CLIENTS:
        return signed.client_of(server, user, service)


def temporary(server):
    found = client_of(server, "keeper", "sts").get_session_token(DurationSeconds=SHORTEST_TOKEN_S)["Credentials"]
    return found["AccessKeyId"], found["SecretAccessKey"], found["SessionToken"]


def lifetime_of(client):
    """The SDK 2 for Java renews a minute before the end."""
    return LIFETIME_S + (60 if client == "java-2" else 0)


def gets(driver, within_s=0):
    """Finds the item, at once or so many seconds later."""
    until = time.monotonic() + within_s
    while True:
        [result] = map(compared, driver.make([GET]))
        if result["error"] is None or time.monotonic() > until:
            break
        time.sleep(0.5)
    assert result == compared({"outputs": [{"Item": ITEM}]}), driver.log()


@pytest.mark.parametrize("client", RARE)
@at_once
def test_temporary_credentials_are_renewed(client):
    available(client)
    patience = WITHIN_S if client == "java-2" else 0  # on each connection it tells its caller that it must sign again
    with tempfile.TemporaryDirectory() as folder, moved_clock() as clock, vault(lifetime_of(client)) as keys:
        clock.move(-290, monotonic=False)  # a signature is valid five minutes before its date, and 15 after it
        with server_with_users(folder, clock) as server:
            client_of(server, "root", "dynamodb").create_table(**table("owned", {"pk": "S"}, ("pk",)))
            first = temporary(server)
            keys.give(*first)
            with started(client, server.dax_url, **keys.environment) as driver:
                assert driver.make([PUT])[0].get("error") is None
                clock.move(301)
                gets(driver)
                keys.give(*temporary(server))
                time.sleep(LIFETIME_S + 1)
                clock.move(301)  # the authorisation of ten minutes is over
                gets(driver, patience)
                clock.move(301)  # the first credentials are over
                gets(driver, patience)
            keys.give(*first)
            with started(client, server.dax_url, **keys.environment) as driver:
                assert driver.make([GET])[0]["error"]


@pytest.mark.parametrize("client", RARE)
@at_once
def test_what_is_wrong_and_then_right(client):
    """The secret, and then the server's clock: credentials and signatures of a quarter of an hour ago are too old."""
    available(client)
    with tempfile.TemporaryDirectory() as folder, moved_clock() as clock, vault(lifetime_of(client)) as keys:
        with server_with_users(folder, clock) as server:
            root = client_of(server, "root", "dynamodb")
            root.create_table(**table("owned", {"pk": "S"}, ("pk",)))
            root.put_item(TableName="owned", Item=ITEM)
            key, secret, token = temporary(server)  # without a token the SDK 2 for JavaScript does not take them
            keys.give(key, "wrong", token)
            with started(client, server.dax_url, **keys.environment) as driver:
                assert driver.make([GET])[0]["error"]
                keys.give(key, secret, token)
                time.sleep(LIFETIME_S + 1)
                gets(driver, WITHIN_S)
            clock.move(901)
            with started(client, server.dax_url, **keys.environment) as driver:
                assert driver.make([GET])[0]["error"]
                clock.move(-901, monotonic=False)
                gets(driver, WITHIN_S)
