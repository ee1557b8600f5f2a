"""Packed bodies: what is read, what is refused, and which replies are packed."""

import gzip
import json
import random
import re
import string
import zlib

import pytest
import raw
from server import running_server

LIMIT = 16 << 20
PACKERS = {"gzip": gzip.compress, "deflate": zlib.compress}
UNPACKERS = {"gzip": gzip.decompress, "deflate": zlib.decompress}
TABLE = "packed"


@pytest.fixture(scope="module", autouse=True)
def table(shared_server):
    shared_server.client().create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
    )
    yield
    shared_server.client().delete_table(TableName=TABLE)


def put_of(name, **more):
    return json.dumps({"TableName": TABLE, "Item": {"id": {"S": name}, **more}}).encode()


def call(server, operation, body, **headers):
    target = {"X-Amz-Target": f"DynamoDB_20120810.{operation}"}
    return raw.exchange(server, raw.request(body, {**target, **{n.replace("_", "-"): v for n, v in headers.items()}}))


def stored(server, name):
    reply = call(server, "GetItem", json.dumps({"TableName": TABLE, "Key": {"id": {"S": name}}}))
    assert reply.status == 200
    return reply.json().get("Item")


def name_of(request):
    return re.sub("[^a-z0-9]", "-", request.node.name.lower())


def noise(size, seed=1):
    """Text that deflate can make little of."""
    chance = random.Random(seed)
    return "".join(chance.choices(string.ascii_letters + string.digits, k=size))


# --- requests


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "deflate"])
@pytest.mark.parametrize("size", [0, 10, 5_000, 70_000, 390_000])
@pytest.mark.parametrize("filler", [lambda size: "x" * size, noise], ids=["dense", "noisy"])
def test_packed_requests_are_read(server, request, coding, size, filler):
    text = {"S": filler(size)}
    reply = call(server, "PutItem", PACKERS[coding.lower()](put_of(name_of(request), v=text)), Content_Encoding=coding)
    assert (reply.status, reply.body) == (200, b"{}")
    assert stored(server, name_of(request)) == {"id": {"S": name_of(request)}, "v": text}


def in_members(body):
    return b"".join(gzip.compress(body[at : at + 50]) for at in range(0, len(body), 50))


WELL_FORMED = {
    "several members": ("gzip", in_members),
    "an empty member in between": ("gzip", lambda body: gzip.compress(body[:9]) + gzip.compress(b"") + gzip.compress(body[9:])),
    "stored, not packed": ("gzip", lambda body: gzip.compress(body, compresslevel=0)),
    # AWS does so as well.
    "text behind a member": ("gzip", lambda body: gzip.compress(body) + b"junk"),
    "text behind a stream": ("deflate", lambda body: zlib.compress(body) + b"junk"),
    "identity": ("identity", lambda body: body),
}


@pytest.mark.parametrize("case", WELL_FORMED)
def test_what_else_is_read(server, request, case):
    coding, packed = WELL_FORMED[case]
    reply = call(server, "PutItem", packed(put_of(name_of(request))), Content_Encoding=coding)
    assert reply.status == 200, reply.body
    assert stored(server, name_of(request))


def raw_deflate(body):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


BROKEN = {
    "an unknown coding": ("garbage", lambda body: body),
    "the old name of gzip": ("x-gzip", gzip.compress),
    "two codings": ("gzip, gzip", lambda body: gzip.compress(gzip.compress(body))),
    "two different codings": ("deflate, gzip", lambda body: gzip.compress(zlib.compress(body))),
    "another coding": ("gzip", zlib.compress),
    "yet another": ("deflate", gzip.compress),
    "plain, said to be gzip": ("gzip", lambda body: body),
    "plain, said to be deflate": ("deflate", lambda body: body),
    "deflate without its frame": ("deflate", raw_deflate),
    "cut short by a byte": ("gzip", lambda body: gzip.compress(body)[:-1]),
    "cut in the middle": ("deflate", lambda body: zlib.compress(body)[:-10]),
    "a wrong check sum": ("gzip", lambda body: gzip.compress(body)[:-5] + b"?" + gzip.compress(body)[-4:]),
    "a second member cut short": ("gzip", lambda body: gzip.compress(body) + gzip.compress(body)[:-1]),
    "nothing at all, gzip": ("gzip", lambda body: b""),
    "nothing at all, deflate": ("deflate", lambda body: b""),
    "nothing at all, garbage": ("garbage", lambda body: b""),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_can_not_be_unpacked_is_answered_500_and_writes_nothing(server, request, case):
    coding, packed = BROKEN[case]
    body = packed(put_of(name_of(request)))
    with raw.connection(server) as opened:
        opened.send(raw.request(body, {"X-Amz-Target": "DynamoDB_20120810.PutItem", "Content-Encoding": coding}))
        reply = opened.reply()
        assert (reply.status, reply.kind()) == (500, "InternalServerError")
        opened.send(raw.request())  # the connection goes on
        assert opened.reply().status == 200
    assert stored(server, name_of(request)) is None


def test_a_text_that_is_no_json_is_told_as_such(server):
    assert call(server, "PutItem", gzip.compress(b"hello"), Content_Encoding="gzip").kind() == "SerializationException"
    assert call(server, "PutItem", gzip.compress(b""), Content_Encoding="gzip").kind() == "SerializationException"
    # Of two zlib streams only the first is read, here and at AWS.
    body = put_of("two streams")
    twice = zlib.compress(body[:10]) + zlib.compress(body[10:])
    assert call(server, "PutItem", twice, Content_Encoding="deflate").kind() == "SerializationException"
    assert stored(server, "two streams") is None


def test_two_content_encodings_are_ambiguous(server):
    head = raw.head({"Content-Length": 2, "Content-Encoding": "identity"}).replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n")
    assert raw.exchange(server, head + b"{}").status == 400


@pytest.mark.parametrize("coding", PACKERS)
def test_16_mib_unpacked_are_the_limit(server, coding):
    body = put_of("at the limit")
    fits = PACKERS[coding](body + b" " * (LIMIT - len(body)))
    assert len(fits) < 100_000
    assert call(server, "PutItem", fits, Content_Encoding=coding).status == 200
    assert stored(server, "at the limit")
    bomb = PACKERS[coding](put_of("beyond") + b" " * LIMIT)
    with raw.connection(server) as opened:
        opened.send(raw.request(bomb, {"X-Amz-Target": "DynamoDB_20120810.PutItem", "Content-Encoding": coding}))
        reply = opened.reply()
        assert (reply.status, reply.body) == (413, b"")
        opened.send(raw.request())
        assert opened.reply().status == 200
    assert stored(server, "beyond") is None


def test_a_bomb_takes_no_more_memory_than_there_is():
    bomb = gzip.compress(b"{" + b" " * (LIMIT - 1))
    with running_server(in_memory=True, extra_args=["--memory-budget", "16", "--threads", "1"]) as server:
        for _ in range(20):
            reply = call(server, "PutItem", bomb, Content_Encoding="gzip")
            assert (reply.status, reply.kind()) == (503, "ServiceUnavailableException")
        raw.assert_healthy(server)
        metrics = raw.exchange(server, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").body.decode()
        assert re.search(r"^partita_request_memory_bytes 0$", metrics, re.M)


def test_boto3_may_pack_its_requests(server):
    def pack(params, **_):
        params["body"] = gzip.compress(params["body"])
        params["headers"]["Content-Encoding"] = "gzip"

    client = server.client()
    client.meta.events.register("before-call.dynamodb", pack)
    item = {"id": {"S": "boto"}, "v": {"S": "v" * 20_000}}
    client.put_item(TableName=TABLE, Item=item)
    assert client.get_item(TableName=TABLE, Key={"id": {"S": "boto"}})["Item"] == item


# --- replies


def get(server, name, **headers):
    return call(server, "GetItem", json.dumps({"TableName": TABLE, "Key": {"id": {"S": name}}}), **headers)


@pytest.fixture(scope="module")
def items(shared_server, table):
    """Items by the size of a GetItem's reply."""
    plain = len(json.dumps({"Item": {"id": {"S": "0000"}, "v": {"S": ""}}}, separators=(",", ":")))
    names = {}
    for number, size in enumerate((200, 4095, 4096, 70_000, 390_000)):
        name = f"{number:04}"
        item = {"id": {"S": name}, "v": {"S": "v" * (size - plain)}}
        shared_server.client().put_item(TableName=TABLE, Item=item)
        names[size] = name
    return names


@pytest.mark.parametrize("coding", PACKERS)
@pytest.mark.parametrize("size", [200, 4095, 4096, 70_000, 390_000])
def test_large_replies_are_packed_for_those_who_accept_it(server, items, coding, size):
    plain = get(server, items[size])
    assert len(plain.body) == size and "content-encoding" not in plain.headers
    reply = get(server, items[size], Accept_Encoding=coding)
    if size < 4096:
        assert (reply.body, "content-encoding" in reply.headers) == (plain.body, False)
        return
    assert reply.headers["content-encoding"] == coding
    assert len(reply.body) < size / 20
    assert UNPACKERS[coding](reply.body) == plain.body
    assert int(reply.headers["x-amz-crc32"]) == zlib.crc32(reply.body)  # of what is sent


def test_the_client_s_weights_decide(server, items):
    for accepted, coding in {
        "identity": None,
        "br, zstd": None,
        "": None,
        "gzip;q=0": None,
        "gzip, deflate, br": "gzip",
        "deflate, gzip": "deflate",
        "deflate;q=0.5, gzip;q=0.8": "gzip",
        "*": "gzip",
    }.items():
        assert get(server, items[4096], Accept_Encoding=accepted).headers.get("content-encoding") == coding, accepted
    several = raw.request(
        json.dumps({"TableName": TABLE, "Key": {"id": {"S": items[4096]}}}),
        {"X-Amz-Target": "DynamoDB_20120810.GetItem", "Accept-Encoding": "gzip\r\nAccept-Encoding: identity"},
    )
    assert "content-encoding" not in raw.exchange(server, several).headers  # the last one counts


def test_what_would_not_become_shorter_is_sent_as_it_is(server):
    value = "".join(chr(random.Random(n).randrange(0x20000, 0x2A000)) for n in range(3000))
    call(server, "PutItem", put_of("noise", v={"S": value}))
    reply = get(server, "noise", Accept_Encoding="gzip")
    body = gzip.decompress(reply.body) if "content-encoding" in reply.headers else reply.body
    assert json.loads(body)["Item"]["v"]["S"] == value


def test_errors_and_requests_may_both_be_packed(server):
    name = "x" * 70_000
    body = gzip.compress(json.dumps({"TableName": TABLE, "Key": {"id": {"S": "a"}}, "ProjectionExpression": name}).encode())
    reply = call(server, "GetItem", body, Content_Encoding="gzip", Accept_Encoding="gzip")
    assert reply.status == 400
