"""What small requests make a server hold: trees of items that are many times as large as what is stored."""

import pytest
from raw import exchange
from server import running_server
from test_hostile import MIB, Watched, make_table, measured, operation

# An empty string is one byte of an item and its list two, and a value of a tree takes dozens.
DENSE = 190_000


@pytest.fixture
def server():
    with running_server(in_memory=True, extra_args=["--threads", "1"]) as started:
        make_table(started)
        yield started


def put_dense(server, items, values):
    for at in range(items):
        item = {"k": {"S": str(at)}, "l": {"L": [{"S": ""}] * values}}
        assert exchange(server, operation("PutItem", TableName="tab", Item=item)).status == 200


def key(at):
    return {"k": {"S": str(at)}}


@measured
def test_projected_items_of_a_batch(server):
    put_dense(server, 16, DENSE)
    asked = {"tab": {"Keys": [key(at) for at in range(16)], "ProjectionExpression": "l"}}
    with Watched(server) as watched:
        reply = exchange(server, operation("BatchGetItem", RequestItems=asked))
    assert len(reply.json()["Responses"]["tab"]) == 16
    assert all(len(item["l"]["L"]) == DENSE for item in reply.json()["Responses"]["tab"])
    assert watched.grown < 110 * MIB, watched.grown


@measured
def test_projected_items_of_a_transaction(server):
    put_dense(server, 10, DENSE)
    gets = [{"Get": {"TableName": "tab", "Key": key(at), "ProjectionExpression": "l"}} for at in range(10)]
    with Watched(server) as watched:
        reply = exchange(server, operation("TransactGetItems", TransactItems=gets))
    assert [len(one["Item"]["l"]["L"]) for one in reply.json()["Responses"]] == [DENSE] * 10
    assert watched.grown < 75 * MIB, watched.grown


@measured
def test_projected_items_of_a_page(server):
    put_dense(server, 30, 17_000)
    with Watched(server) as watched:
        reply = exchange(server, operation("Scan", TableName="tab", ProjectionExpression="l"))
    assert reply.json()["Count"] >= 28
    assert watched.grown < 18 * MIB, watched.grown


@measured
@pytest.mark.parametrize("in_memory", [True, False])
def test_a_transaction_that_would_read_forty_megabytes(in_memory):
    with running_server(in_memory=in_memory, extra_args=["--threads", "1"]) as server:
        make_table(server)
        for at in range(100):
            item = {**key(at), "v": {"S": "v" * 390_000}}
            assert exchange(server, operation("PutItem", TableName="tab", Item=item)).status == 200
        gets = [{"Get": {"TableName": "tab", "Key": key(at)}} for at in range(100)]
        with Watched(server) as watched:
            reply = exchange(server, operation("TransactGetItems", TransactItems=gets))
        assert (reply.status, reply.kind()) == (400, "ValidationException")
        assert watched.grown < 20 * MIB, watched.grown
        gets = gets[:10]
        assert len(exchange(server, operation("TransactGetItems", TransactItems=gets)).json()["Responses"]) == 10
