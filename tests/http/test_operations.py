"""The operations that the server answers are those that docs/compatibility.md promises."""

import json
import pathlib
import sys

import pytest
import raw

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import compatibility  # noqa: E402  (it stands in tests)

OPERATIONS = [(t, o) for t, names in compatibility.model()["services"].items() for o in names]
TARGETS = {
    "DynamoDB": "DynamoDB_20120810",
    "DynamoDB Streams": "DynamoDBStreams_20120810",
    "Application Auto Scaling": "AnyScaleFrontendService",
    "DAX": "AmazonDAXV3",
}


@pytest.mark.parametrize("title, operation", OPERATIONS)
def test_an_operation_is_served_or_unknown(server, title, operation):
    reply = raw.exchange(server, raw.request(b"{}", {"X-Amz-Target": f"{TARGETS[title]}.{operation}"}))
    unknown = reply.status == 400 and json.loads(reply.body).get("__type", "").endswith("UnknownOperationException")
    assert unknown == ((title, operation) not in compatibility.served()), (reply.status, reply.body)
