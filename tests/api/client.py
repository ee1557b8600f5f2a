"""A small client that sends exactly what it is told: no validation, no retries, nothing added to the body.

    reply = call("GetItem", {"TableName": "t", "Key": {"pk": S("a")}})
    item = ok("GetItem", TableName="t", Key={"pk": S("a")})["Item"]
    expect_validation("GetItem", {"TableName": "t", "Key": {}}, "The provided key element does not match the schema")

The endpoint and the credentials come from the environment (see conftest.py), so that the same cases can be sent to
any server, the real one included.
"""

import http.client
import json
import os
import re
import threading
import urllib.parse
import zlib

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

TARGET = "DynamoDB_20120810"
DAX_TARGET = "AmazonDAXV3"
SCALING_TARGET = "AnyScaleFrontendService"
STREAMS_TARGET = "DynamoDBStreams_20120810"
OF_STREAMS = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}
VALIDATION = "ValidationException"
NOT_FOUND = "ResourceNotFoundException"
IN_USE = "ResourceInUseException"
CHECK_FAILED = "ConditionalCheckFailedException"
CANCELED = "TransactionCanceledException"
SERIALIZATION = "SerializationException"
INVALID = "One or more parameter values were invalid: "
NOT_VALID = "One or more parameter values are not valid. "

_connections = threading.local()


def endpoint():
    return urllib.parse.urlsplit(os.environ["PARTITA_ENDPOINT"])


def region():
    return os.environ.get("AWS_REGION", "us-east-1")


class Reply:
    """What came back: `status`, `type` (the exception's short name, or None), `message`, `body`, `headers`, `raw`."""

    def __init__(self, status, headers, raw):
        self.status = status
        self.headers = headers
        self.raw = raw
        try:
            self.body = json.loads(raw) if raw else {}
        except ValueError:
            self.body = {}
        full = self.body.get("__type") if isinstance(self.body, dict) and status != 200 else None
        self.full_type = full
        self.type = full.split("#")[-1] if full else None
        self.message = self.body.get("message", self.body.get("Message")) if full else None

    def __repr__(self):
        return f"{self.status} {self.type or ''}: {self.message or self.raw[:2000]}"


def _connection():
    connection = getattr(_connections, "open", None)
    if connection is None:
        where = endpoint()
        kind = http.client.HTTPSConnection if where.scheme == "https" else http.client.HTTPConnection
        connection = _connections.open = kind(where.hostname, where.port, timeout=60)
    return connection


def signed_headers(body, headers, service="dynamodb"):
    request = AWSRequest("POST", os.environ["PARTITA_ENDPOINT"] + "/", headers=headers, data=body)
    key = os.environ.get("AWS_ACCESS_KEY_ID", "local")
    secret = os.environ.get("AWS_SECRET_ACCESS_KEY", "local")
    SigV4Auth(Credentials(key, secret, os.environ.get("AWS_SESSION_TOKEN")), service, region()).add_auth(request)
    return dict(request.headers.items())


def send(body, headers, method="POST", path="/"):
    """One HTTP exchange with these headers and nothing else. A connection that the server closed is opened again."""
    for attempt in (1, 2):
        connection = _connection()
        try:
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            raw = answer.read()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, raw)
        except (http.client.HTTPException, ConnectionError, OSError):
            connection.close()
            _connections.open = None
            if attempt == 2:
                raise


def call(operation, body=None, headers=None, unsigned=False):
    """Sends one request; `body` is a dict or the bytes themselves. `headers` replace or (None) remove the usual ones."""
    data = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
    target = STREAMS_TARGET if operation in OF_STREAMS else TARGET
    wanted = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"{target}.{operation}"}
    for name, value in (headers or {}).items():
        wanted.pop(name, None)
        if value is not None:
            wanted[name] = value
    reply = send(data, wanted if unsigned else signed_headers(data, wanted))
    if "x-amz-crc32" in reply.headers:
        assert int(reply.headers["x-amz-crc32"]) == zlib.crc32(reply.raw), "x-amz-crc32 does not fit the body"
    return reply


def call_scaling(operation, body):
    """As call(), of Application Auto Scaling."""
    data = json.dumps(body).encode()
    wanted = {"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": f"{SCALING_TARGET}.{operation}"}
    return send(data, signed_headers(data, wanted, "application-autoscaling"))


def call_dax(operation, body):
    """As call(), of DAX's control API."""
    data = json.dumps(body).encode()
    wanted = {"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": f"{DAX_TARGET}.{operation}"}
    return send(data, signed_headers(data, wanted, "dax"))


def ok_scaling(operation, **parameters):
    """As ok(), of Application Auto Scaling."""
    reply = call_scaling(operation, parameters)
    assert reply.status == 200, f"{operation} {json.dumps(parameters)[:1500]}\n  answered {reply!r}"
    return reply.body


def ok(operation, **parameters):
    """The body of a reply that must be a success."""
    reply = call(operation, parameters)
    assert reply.status == 200, f"{operation} {json.dumps(parameters)[:1500]}\n  answered {reply!r}"
    return reply.body


def expect_error(operation, parameters, name, text=None):
    """Sends a request that must be refused with this exception and text: a str is the whole text, a compiled pattern
    must match all of it, a tuple lists the texts that are right as well. Returns the reply."""
    reply = call(operation, parameters)
    sent = json.dumps(parameters)[:1500] if not isinstance(parameters, bytes) else parameters[:1500]
    where = f"{operation} {sent}\n  answered {reply!r}\n  instead of {name}: {text}"
    assert reply.type == name, where
    assert reply.status == 400, where
    if isinstance(text, re.Pattern):
        assert text.fullmatch(reply.message or ""), where
    elif isinstance(text, tuple):
        assert reply.message in text, where
    elif text is not None:
        assert reply.message == text, where
    return reply


def expect_validation(operation, parameters, text=None):
    """As expect_error, with the fault's text before told()."""
    return expect_error(operation, parameters, VALIDATION, told(operation, text))


def one(fault):
    """The text of a request with one fault against the service's model."""
    return f"1 validation error detected: {fault}"


# Faults that need the table, or the item in it, to be found: these are told as they are.
NEEDS_THE_TABLE = re.compile(
    "The provided key element does not match the schema|Key attributes must be scalars.*|Item size .*"
    "|(One or more parameter values were invalid: )?(Missing the key|Type mismatch for|Size of hashkey|Aggregated size|Cannot update attribute).*"
    "|One or more parameter values are not valid.*|The update expression attempted .*|The document path provided .*"
    "|The provided expression refers to .*|An operand in the update expression .*"
)


def told(operation, text):
    """A text, a pattern or several texts as the operation words them: a write of one item tells every fault that it
    finds before it looks at the table in the sentence for faults against the model."""
    if operation not in ("PutItem", "UpdateItem", "DeleteItem") or text is None:
        return text
    if isinstance(text, tuple):
        return tuple(told(operation, each) for each in text)
    if isinstance(text, re.Pattern):
        return text if "detected: " in text.pattern else re.compile(re.escape(one("")) + f"(?:{text.pattern})")
    return text if "detected: " in text or NEEDS_THE_TABLE.fullmatch(text) else one(text)


def several(*faults):
    return f"{len(faults)} validation errors detected: " + "; ".join(faults)


def unsatisfied(value, member, constraint):
    shown = "null" if value is None else f"'{value}'"
    return f"Value {shown} at '{member}' failed to satisfy constraint: {constraint}"


def too_short(member):
    """What the newer checks say of an empty value: not what it is, and the member's name as it was sent."""
    return one(f"Value at '{member}' failed to satisfy constraint: {at_least(1)}")


# What they say of a word that ReturnValues and ConditionalOperator do not know.
RETURN_VALUES = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
JOINS = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"


def at_least(length):
    return f"Member must have length greater than or equal to {length}"


def at_most(length):
    return f"Member must have length less than or equal to {length}"


NOT_NULL = "Member must not be null"
NAME_PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"


def enum(*values):
    return f"Member must satisfy enum value set: [{', '.join(values)}]"
