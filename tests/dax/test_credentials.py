"""Credentials and rights of a DAX client: those of HTTP, for the actions of the operations."""

import pathlib
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import signed  # noqa: E402
from at_once import at_once, shared  # noqa: E402
from drivers import NAMES, started  # noqa: E402
from same import compared  # noqa: E402
from served import available, dax_server  # noqa: E402
from server import MAKING_CLIENTS  # noqa: E402
from tables import N, S, index, table  # noqa: E402

KEY = {"pk": S("a")}
PUT = {"name": "put", "call": "PutItem", "input": {"TableName": "owned", "Item": {**KEY, "n": N(1)}}}
GET = {"name": "get", "call": "GetItem", "input": {"TableName": "owned", "Key": KEY}}
OTHER = {"name": "get other", "call": "GetItem", "input": {"TableName": "other", "Key": KEY}}
NONE = {"name": "get none", "call": "GetItem", "input": {"TableName": "none", "Key": KEY}}
QUERY = {"name": "query", "call": "Query", "input": {
    "TableName": "owned", "IndexName": "by-g", "KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": S("x")}}}
READER = [signed.allow("dynamodb:GetItem", signed.arn("owned"))]
PUTTER = [signed.allow("dynamodb:PutItem", signed.arn("owned"), {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}})]
INDEXER = [signed.allow("dynamodb:Query", signed.arn("owned") + "/index/by-g")]


@shared
def server():
    with tempfile.TemporaryDirectory() as folder:
        options = signed.files(pathlib.Path(folder), {
            "reader": READER, "putter": PUTTER, "indexer": INDEXER, "nobody": []})
        with dax_server(in_memory=True, extra_args=options) as started_server:
            root = client_of(started_server, "root")
            for name in ("owned", "other"):
                root.create_table(**table(name, {"pk": "S", "g": "S"}, ("pk",),
                                          GlobalSecondaryIndexes=[index("by-g", ("g",))]))
                root.put_item(TableName=name, Item={**KEY, "n": N(1)})
            yield started_server


def client_of(server, user, service="dynamodb"):
    with MAKING_CLIENTS:
        return signed.client_of(server, user, service)


def results(client, key, secret, steps):
    available(client)
    with started(client, server().dax_url, AWS_ACCESS_KEY_ID=key, AWS_SECRET_ACCESS_KEY=secret) as driver:
        return [compared(result) for result in driver.make(steps)]


@pytest.mark.parametrize("client", NAMES)
@at_once
def test_the_right_key(client):
    put, get = results(client, *signed.key_of("root"), [PUT, GET])
    assert (put["error"], get["error"]) == (None, None)
    assert get["outputs"] == compared({"outputs": [{"Item": PUT["input"]["Item"]}]})["outputs"]


@pytest.mark.parametrize("key, secret", [(signed.key_of("root")[0], "wrong"), ("AKIAUNKNOWN", "any")])
@pytest.mark.parametrize("client", NAMES)
@at_once
def test_a_wrong_secret_and_an_unknown_key(client, key, secret):
    """Some clients make one error of all that happens before their first call; those for JavaScript try for seconds."""
    [result] = results(client, key, secret, [PUT if secret == "wrong" else GET])
    assert result["error"] and not result["outputs"]


@pytest.mark.parametrize("client", NAMES)
@at_once
def test_rights(client):
    denied = "Unknown" if client.startswith("go") else "AccessDeniedException"  # those for Go have no class for it
    get, put, other = results(client, *signed.key_of("reader"), [GET, PUT, OTHER])
    assert get["outputs"] and get["error"] is None
    for result in (put, other):
        assert result["error"]["code"] == denied and not result["outputs"]
    for result in results(client, *signed.key_of("nobody"), [GET, PUT]):
        assert result["error"]["code"] == denied and not result["outputs"]


@pytest.mark.parametrize("client", NAMES)
@at_once
def test_what_clients_ask_for_first_needs_no_more_rights(client):
    """The key schema of a table, and before a put the id of its attribute names."""
    put, get = results(client, *signed.key_of("putter"), [PUT, GET])
    assert put["error"] is None and get["error"], (put, get)
    query, get = results(client, *signed.key_of("indexer"), [QUERY, GET])
    assert query["error"] is None and get["error"], (query, get)


@pytest.mark.parametrize("client", NAMES)
@at_once
def test_nobody_learns_which_tables_exist(client):
    denied = "Unknown" if client.startswith("go") else "AccessDeniedException"
    for user in ("nobody", "putter"):
        for result in results(client, *signed.key_of(user), [OTHER, NONE]):
            assert result["error"]["code"] == denied and not result["outputs"]
