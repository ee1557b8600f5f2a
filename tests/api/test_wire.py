"""Below the operations: methods, content types, targets, authentication, JSON that is none."""

import json
import re

import pytest
import tables
from client import SERIALIZATION, call, send, signed_headers
from values import S

op = pytest.mark.op
SERVICE = "com.amazon.coral.service"
LIST = b"{}"
HEADER = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.ListTables"}


@op("ListTables")
def test_headers_of_a_success():
    reply = call("ListTables", {})
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/x-amz-json-1.0"
    assert re.fullmatch(r"[A-Z0-9]{52}", reply.headers["x-amzn-requestid"])
    assert "x-amz-crc32" in reply.headers


@op("GetItem")
def test_headers_and_body_of_an_error():
    reply = call("GetItem", {"TableName": tables.ABSENT, "Key": {"pk": S("a")}})
    assert reply.status == 400
    assert reply.headers["content-type"] == "application/x-amz-json-1.0"
    assert re.fullmatch(r"[A-Z0-9]{52}", reply.headers["x-amzn-requestid"])
    assert "x-amz-crc32" in reply.headers
    assert reply.body == {
        "__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
        "message": "Requested resource not found",
    }


@op("GetItem")
def test_validation_has_its_own_namespace():
    reply = call("GetItem", {"TableName": "x"})
    assert reply.full_type == "com.amazon.coral.validate#ValidationException"


@op("ListTables")
def test_request_ids_differ():
    assert len({call("ListTables", {}).headers["x-amzn-requestid"] for _ in range(5)}) == 5


@op("ListTables")
@pytest.mark.parametrize("kind", ["application/json", "application/json;", "application/json ;charset=utf-8", "application/x-amz-json-1.0; x=y"])
def test_json_is_answered_as_what_it_was_asked_as(kind):
    for body, status in ((b"{}", 200), (b"hello", 400), (b'{"Limit":0}', 400)):
        reply = call("ListTables", body, {"Content-Type": kind})
        assert (reply.status, reply.headers["content-type"]) == (status, kind.split(";")[0].strip())


@op("ListTables")
@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "application/x-www-form-urlencoded", "application/x-amz-json-1.1", "application/jsonx", None])
def test_other_content_types_are_unknown(kind):
    reply = call("ListTables", {}, {"Content-Type": kind})
    assert reply.status == 404
    assert reply.raw == b"<UnknownOperationException/>\n"


@op("ListTables")
@pytest.mark.parametrize("kind", [None, "text/plain", "application/json", "application/x-amz-json-1.0"])
def test_an_empty_body_is_judged_last(kind):
    """DynamoDB asks first what is called and who calls, and then only misses the JSON."""
    expected = "application/x-amz-json-1.0" if kind == "application/x-amz-json-1.0" else "application/json"
    for target, unsigned, name in (
        ("DynamoDB_20120810.Nothing", True, "UnknownOperationException"),
        (None, False, "UnknownOperationException"),
        ("DynamoDB_20120810.ListTables", True, "MissingAuthenticationTokenException"),
        ("DynamoDB_20120810.ListTables", False, SERIALIZATION),
    ):
        reply = call("ListTables", b"", {"Content-Type": kind, "X-Amz-Target": target}, unsigned=unsigned)
        assert (reply.status, reply.type, reply.headers["content-type"]) == (400, name, expected)


@op("ListTables")
def test_a_body_that_is_no_json_is_judged_first():
    assert call("ListTables", b"hello", unsigned=True).type == SERIALIZATION


@op("ListTables")
@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_other_methods_are_unknown(method):
    reply = send(LIST, signed_headers(LIST, dict(HEADER)), method)
    assert reply.status == 404


@op("ListTables")
def test_get_says_healthy():
    reply = send(None, {}, "GET")
    assert reply.status == 200
    assert reply.raw.startswith(b"healthy: dynamodb.")


@op("ListTables")
@pytest.mark.parametrize(
    "target",
    [
        None,
        "",
        "ListTables",
        "DynamoDB_20120810",
        "DynamoDB_20120810.",
        "DynamoDB_20120810.NoSuchThing",
        "DynamoDB_20120810.listTables",
        "DynamoDB_20120811.ListTables",
        "Dynamo.ListTables",
        "DynamoDB_20120810.ListTables.More",
    ],
)
def test_unknown_targets(target):
    reply = call("ListTables", {}, {"X-Amz-Target": target})
    assert reply.status == 400
    assert reply.body.pop("message", "").endswith(f" {(target or '').removeprefix('DynamoDB_20120810.')} is not served by Partita") == bool(target)
    assert reply.body == {"__type": SERVICE + "#UnknownOperationException"}


@op("ListTables")
def test_an_unknown_target_beats_missing_authentication():
    reply = call("ListTables", {}, {"X-Amz-Target": "DynamoDB_20120810.Nothing"}, unsigned=True)
    assert reply.type == "UnknownOperationException"


@op("ListTables")
@pytest.mark.parametrize("authorization", [None, "", "Basic YTpi", "AWS3 x", "Bearer abc"])
def test_missing_authentication(authorization):
    headers = {} if authorization is None else {"Authorization": authorization}
    reply = call("ListTables", {}, headers, unsigned=True)
    assert reply.status == 400
    assert reply.body == {
        "__type": SERVICE + "#MissingAuthenticationTokenException",
        "message": "Request is missing Authentication Token",
    }


CREDENTIAL = "Authorization header requires 'Credential' parameter. "
SIGNATURE = "Authorization header requires 'Signature' parameter. "
SIGNED = "Authorization header requires 'SignedHeaders' parameter. "
DATE = "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "


@op("ListTables")
@pytest.mark.parametrize(
    "authorization, date, complaint",
    [
        ("AWS4-HMAC-SHA256", False, CREDENTIAL + SIGNATURE + SIGNED + DATE),
        ("AWS4-HMAC-SHA256 Credential=a", False, SIGNATURE + SIGNED + DATE),
        ("AWS4-HMAC-SHA256 Signature=a", False, CREDENTIAL + SIGNED + DATE),
        ("AWS4-HMAC-SHA256 SignedHeaders=a", False, CREDENTIAL + SIGNATURE + DATE),
        ("AWS4-HMAC-SHA256 Credential=a", True, SIGNATURE + SIGNED),
        ("AWS4-HMAC-SHA256 Credential=a, Signature=b, SignedHeaders=c", False, DATE),
    ],
)
def test_incomplete_signatures(authorization, date, complaint):
    headers = {"Authorization": authorization}
    if date:
        headers["X-Amz-Date"] = "20260101T000000Z"
    reply = call("ListTables", {}, headers, unsigned=True)
    assert reply.type == "IncompleteSignatureException"
    assert reply.message == complaint + "Authorization=" + authorization


BAD_JSON = [b"", b"hello", b"{", b'{"a"', b'{"a":}', b'{"a":1,}', b"{'a':1}", b"[", b'{"a":01}', b"\xff\xfe{}"]


@op("ListTables")
@pytest.mark.parametrize("body", BAD_JSON, ids=repr)
def test_what_is_not_json(body):
    reply = call("ListTables", body)
    assert reply.status == 400
    assert reply.full_type == SERVICE + "#" + SERIALIZATION


@op("ListTables")
@pytest.mark.parametrize("body", [b"1", b'"a"', b"[]", b"true"], ids=repr)
def test_json_that_is_no_object(body):
    reply = call("ListTables", body)
    assert (reply.status, reply.type) == (400, SERIALIZATION)


@op("PutItem")
def test_deep_json_is_refused_and_does_no_harm():
    depth = 10_000
    body = b'{"TableName":"abc","Item":{"pk":{"S":"a"},"d":' + b'{"L":[' * depth + b"]}" * depth + b"}}"
    reply = call("PutItem", body)
    assert reply.status == 400
    assert call("ListTables", {}).status == 200


@op("PutItem")
def test_a_body_over_16_mb_is_refused():
    body = json.dumps({"TableName": tables.HASH, "Item": {"pk": S("a"), "v": S("x" * (17 << 20))}}).encode()
    try:
        reply = call("PutItem", body)
    except (ConnectionError, OSError):
        reply = None  # The server may close the connection while the rest of the body is on its way.
    assert reply is None or reply.status in (413, 400)
    assert call("ListTables", {}).status == 200


@op("ListTables")
def test_unknown_members_are_ignored():
    assert call("ListTables", {"Nonsense": {"a": [1]}, "Limit": 1}).status == 200


@op("GetItem")
def test_unknown_members_beside_an_attribute_value_are_ignored():
    reply = call("GetItem", {"TableName": tables.HASH, "Key": {"pk": {"S": "a", "Z": 1}}, "Also": None})
    assert reply.status == 200


@op("ListTables")
@pytest.mark.parametrize("body", [{"Limit": None}, {"ExclusiveStartTableName": None}])
def test_null_means_absent(body):
    assert call("ListTables", body).status == 200


@op("PutItem", "GetItem")
def test_text_of_every_plane_survives():
    text = "Ä ß 漢字 \U0001f600 \u0000 \u001f \" \\ / \u2028 \u007f"
    key = {"pk": S(tables.fresh())}
    tables.put(tables.HASH, {**key, "text": S(text), text: S("as a name")})
    item = tables.get(tables.HASH, key)
    assert item["text"] == S(text)
    assert item[text] == S("as a name")


@op("PutItem", "GetItem")
def test_escapes_in_the_request_are_understood():
    pk = tables.fresh()
    raw = '{"TableName":"%s","Item":{"pk":{"S":"%s"},"\\u0061":{"S":"\\ud83d\\ude00\\n\\/"}}}' % (tables.HASH, pk)
    assert call("PutItem", raw.encode()).status == 200
    assert tables.get(tables.HASH, {"pk": S(pk)})["a"] == S("\U0001f600\n/")


@op("ListTables")
def test_keep_alive_serves_many_requests():
    for _ in range(50):
        assert call("ListTables", {"Limit": 1}).status == 200


@op("BatchWriteItem", "BatchGetItem")
def test_of_two_tables_of_one_name_in_a_batch_the_last_counts():
    first, last = tables.fresh(), tables.fresh()
    puts = ['"%s":[{"PutRequest":{"Item":{"pk":{"S":"%s"}}}}]' % (tables.HASH, pk) for pk in (first, last)]
    assert call("BatchWriteItem", ('{"RequestItems":{%s}}' % ",".join(puts)).encode()).status == 200
    assert tables.get(tables.HASH, {"pk": S(first)}) is None
    assert tables.get(tables.HASH, {"pk": S(last)}) is not None
    gets = ['"%s":{"Keys":[{"pk":{"S":"%s"}}]}' % (tables.HASH, pk) for pk in (first, last)]
    reply = call("BatchGetItem", ('{"RequestItems":{%s}}' % ",".join(gets)).encode())
    assert reply.raw.count(tables.HASH.encode()) == 1
    assert reply.body["Responses"] == {tables.HASH: [{"pk": S(last)}]}
