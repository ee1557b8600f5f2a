"""A page of a stream costs no more than three times the Query page of as many bytes."""

import json
import pathlib
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests" / "simulation"), str(ROOT / "tests" / "support")]

import workload  # noqa: E402
from conftest import FIGURES  # noqa: E402
from instructions import CountedServer  # noqa: E402
from links import Link  # noqa: E402
from test_budget import BINARY, pytestmark  # noqa: E402, F401

MOST = 3.0
ITEMS, TIMES = 50, 20
KEYS = {"order": ("HASH", "S"), "line": ("RANGE", "N")}
PAYLOADS = {"small": 200, "large": 940}


def make_table(link, name, payload):
    link.call("CreateTable", {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": kind} for key, (_, kind) in KEYS.items()],
        "KeySchema": [{"AttributeName": key, "KeyType": kind} for key, (kind, _) in KEYS.items()],
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    })
    for line in range(ITEMS):
        text = {"S": workload.text_of(payload, line)}
        link.call("PutItem", {"TableName": name, "Item": {"order": {"S": "1"}, "line": {"N": str(line)}, "text": text}})


def records_request(link, name):
    """Of the shard that all of one item collection is in."""
    arn = link.call("DescribeTable", {"TableName": name})["Table"]["LatestStreamArn"]
    for shard in link.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]:
        where = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        at = {"ShardIterator": link.call("GetShardIterator", where)["ShardIterator"]}
        if len(link.call("GetRecords", at)["Records"]) == ITEMS:
            return at
    raise AssertionError("no shard has all records")


def spent_per_byte(server, link, operation, request):
    reply = link.call(operation, request)
    spent = server.count_of(lambda: [link.call(operation, request) for _ in range(TIMES)], TIMES)
    return spent.instructions / len(json.dumps(reply, separators=(",", ":")))


@pytest.mark.parametrize("size", PAYLOADS)
def test_records_cost_no_more_than_three_times_a_query(size):
    with CountedServer(BINARY) as server:
        link = Link(types.SimpleNamespace(host="127.0.0.1", port=server.port))
        make_table(link, "Followed", PAYLOADS[size])
        values = {":order": {"S": "1"}}
        query = {"TableName": "Followed", "KeyConditionExpression": "#o = :order", "ExpressionAttributeValues": values,
                 "ExpressionAttributeNames": {"#o": "order"}}
        of_query = spent_per_byte(server, link, "Query", query)
        of_records = spent_per_byte(server, link, "GetRecords", records_request(link, "Followed"))
    ratio = of_records / of_query
    FIGURES.append(f"GetRecords / Query of as many bytes, {size} items: {ratio:.2f}  of {MOST}")
    assert ratio <= MOST
