"""Nonsense at every layer: a 4xx or the end of the connection, and the next request is answered as ever."""

import os
import random
import resource
import socket
import struct
import time

import pytest
from conftest import IDLE_TIMEOUT_S, MAX_CONNECTIONS, REQUEST_TIMEOUT_S
from raw import Connection, assert_healthy, assert_refused, connection, exchange, head, request
from server import running_server
from test_hostile import make_table, measured, memory, operation

# --- bodies -----------------------------------------------------------------------------------------------------------

PUT = {"X-Amz-Target": "DynamoDB_20120810.PutItem"}


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"}", b"[]", b"null", b"1", b'"', b"{]", b"{}{}", b'{"a":}', b'{"a":1,}', b"\x00", b"\xef\xbb\xbf{}", b"'a'"],
)
def test_malformed_json(server, body):
    reply = exchange(server, request(body, PUT))
    assert reply.status == 400
    assert "__type" in reply.json()


LONE_SURROGATES = [b"\\ud800", b"\\udc00", b"\\ud800\\u0041", b"\\ud800\\ud800", b"\\udfffx"]


@pytest.mark.parametrize(
    "text",
    [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82", *LONE_SURROGATES, b"\\uZZZZ", b"\x01"],
)
def test_invalid_text_in_strings(server, text):
    body = b'{"TableName":"absent","Item":{"a":{"S":"' + text + b'"}}}'
    assert exchange(server, request(body, PUT)).kind() == "SerializationException"


@pytest.mark.parametrize("opening, closing", [(b'{"L":[', b"]}"), (b'{"M":{"a":', b"}}"), (b"[", b"]"), (b'{"a":', b"}")])
@pytest.mark.parametrize("depth", [33, 1000, 10_000, 100_000])
def test_deep_nesting(server, opening, closing, depth):
    body = b'{"TableName":"absent","Item":{"a":' + opening * depth + b'{"S":"x"}' + closing * depth + b"}}"
    assert exchange(server, request(body, PUT)).status == 400


def test_deep_nesting_that_never_ends(server):
    assert exchange(server, request(b'{"a":' * 200_000, PUT)).status == 400


@pytest.mark.parametrize("expression", ["(" * 10_000, "NOT " * 10_000 + "a = :a", "a." * 5_000 + "a = :a", "#" * 4096])
def test_monstrous_expressions(server, expression):
    import json

    body = {"TableName": "absent", "Item": {"a": {"S": "a"}}, "ConditionExpression": expression}
    body["ExpressionAttributeValues"] = {":a": {"S": "a"}}
    assert exchange(server, request(json.dumps(body), PUT)).status == 400


def test_a_number_of_many_digits(server):
    body = b'{"TableName":"absent","Item":{"a":{"N":"' + b"9" * 1_000_000 + b'"}}}'
    assert exchange(server, request(body, PUT)).status == 400


# --- headers that matter ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["X-Partita-Namespace", "x-amz-target", "Authorization"])
def test_one_that_comes_twice(server, name):
    reply = exchange(server, request().replace(b"\r\n", f"\r\n{name}: a\r\n{name}: b\r\n".encode(), 1))
    assert (reply.status, reply.body) == (400, f"The header {name.lower()} came twice.\n".encode())


@pytest.mark.parametrize("content_type", [None, "", "text/plain", "application/xml", "application/x-amz-json-9", ";", "/"])
def test_wrong_content_type(server, content_type):
    assert_refused(exchange(server, request(headers={"Content-Type": content_type})))


@pytest.mark.parametrize(
    "target",
    [None, "", ".", "ListTables", "DynamoDB_20120810", "DynamoDB_20120810.", "DynamoDB_20120810.Nothing", "X.ListTables",
     "DynamoDB_20120810.ListTables.x", "DynamoDB_20120810." + "A" * 10_000],
)  # fmt: skip
def test_unknown_operation(server, target):
    reply = exchange(server, request(headers={"X-Amz-Target": target}))
    assert reply.status == 400
    assert reply.kind() == "UnknownOperationException"


@pytest.mark.parametrize(
    "authorization, kind",
    [
        (None, "MissingAuthenticationTokenException"),
        ("", "MissingAuthenticationTokenException"),
        ("Basic dTpw", "MissingAuthenticationTokenException"),
        ("AWS4-HMAC-SHA256", "IncompleteSignatureException"),
        ("AWS4-HMAC-SHA256 Credential", "IncompleteSignatureException"),
        ("AWS4-HMAC-SHA256 Credential=a/b/c, SignedHeaders=x, Signature=y", "IncompleteSignatureException"),
        ("AWS4-HMAC-SHA256 Credential=a/b/c/s3/aws4_request, SignedHeaders=x, Signature=y", "InvalidSignatureException"),
        ("AWS4-" + "=" * 15_000, "IncompleteSignatureException"),
    ],
)
def test_bad_credentials(server, authorization, kind):
    reply = exchange(server, request(headers={"Authorization": authorization}))
    assert reply.status == 400
    assert reply.kind() == kind


def test_bad_presigned_credentials(server):
    reply = exchange(server, request(headers={"Authorization": None}, target="/?X-Amz-Algorithm=%&%%%=&&&=%zz"))
    assert reply.status == 400
    assert reply.kind() == "IncompleteSignatureException"


# --- HTTP -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n",
        b"\r\n" * 100_000,
        b"\x00" * 10_000,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # the start of TLS
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST / HTTP/7.3\r\n\r\n",
        b"POST\r\n\r\n",
        b"POST / HTTP/1.1\r\nno colon here\r\n\r\n",
        b"POST / HTTP/1.1\r\n: no name\r\n\r\n",
        b"POST / HTTP/1.1\r\nA\x00B: c\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1e3\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}}",
        b"POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab\r\n0\r\n\r\n",
    ],
)
def test_not_http(server, data):
    assert_refused(exchange(server, data, finish=True))


@pytest.mark.parametrize(
    "bomb",
    [
        b"GET /" + b"a" * 1_000_000,
        b"POST / HTTP/1.1\r\n" + b"a" * 1_000_000,
        b"POST / HTTP/1.1\r\nA: " + b"a" * 1_000_000 + b"\r\n\r\n",
        b"POST / HTTP/1.1\r\n" + b"a: b\r\n" * 100_000 + b"\r\n",
        b"POST / HTTP/1.1\r\n" + b"".join(b"h%d: x\r\n" % i for i in range(200)) + b"\r\n",
    ],
)
def test_header_bombs(server, bomb):
    reply = exchange(server, bomb)
    assert reply is not None and reply.status == 400


def test_headers_just_within_the_limit(server):
    def of_size(size):
        bare = len(head({"Content-Length": 2, "X-Fill": ""}))
        return request(headers={"X-Fill": "x" * (size - bare)})

    assert exchange(server, of_size(16 << 10)).status == 200
    assert exchange(server, of_size((16 << 10) + 1)).status == 400


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_of_17_mb(server, announced):
    body = b'{"a":"' + b"x" * 17_000_000 + b'"}'
    if announced:
        data = request(body)
    else:
        data = head({"Transfer-Encoding": "chunked"}) + b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
    reply = exchange(server, data)
    assert reply is not None and reply.status == 413


@pytest.mark.parametrize("size", ["17825792", "4294967296", "9223372036854775807", "18446744073709551615"])
def test_an_announced_body_that_is_too_large_is_refused_at_once(server, size):
    reply = exchange(server, head({"Content-Length": size}))
    assert reply is not None and reply.status == 413


def test_chunks_that_are_mostly_framing(server):
    with connection(server) as opened:
        opened.send(head({"Transfer-Encoding": "chunked"}))
        sent = all(opened.send(b"1;" + b"x" * 100_000 + b"\r\n \r\n") for _ in range(100))
        if sent:
            opened.finish_sending()
        assert_refused(opened.reply())


def test_many_announced_bodies_take_no_memory(server):
    def memory_kb():
        with open(f"/proc/{server.process.pid}/status") as status:
            return int(next(line for line in status if line.startswith("VmRSS")).split()[1])

    before = memory_kb()
    opened = [Connection(server) for _ in range(100)]
    for each in opened:
        each.send(head({"Content-Length": 16 << 20}) + b"{")
    time.sleep(0.3)
    assert memory_kb() < before + 50_000
    for each in opened:
        each.close()


# --- connections ------------------------------------------------------------------------------------------------------


def test_truncated_requests(server):
    whole = request(b'{"Limit":5}')
    for size in range(len(whole)):
        assert_refused(exchange(server, whole[:size], finish=True))


def test_a_client_that_has_only_finished_sending_gets_its_reply(server):
    assert exchange(server, request(), finish=True).status == 200


def test_clients_that_vanish(server):
    whole = request(b'{"Limit":5}')
    for size in (0, 1, 20, len(whole) - 1, len(whole)):
        for _ in range(20):
            with connection(server) as opened:
                opened.send(whole[:size])
                # Closing with a reset instead of an orderly end.
                opened.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def test_clients_that_never_read(server):
    opened = [Connection(server) for _ in range(5)]
    for each in opened:
        each.socket.settimeout(0.3)
        try:
            for _ in range(100):
                each.socket.sendall(request(method="PUT") * 500)
        except OSError:
            pass
    assert_healthy(server)
    for each in opened:
        each.close()


def test_a_head_that_trickles_in_is_cut_off(server):
    begin = time.monotonic()
    with connection(server) as opened:
        for byte in head({"X-Fill": "x" * 1000}):
            if not opened.send(bytes([byte])):
                break
            opened.socket.settimeout(0.05)
            try:
                if opened.socket.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except ConnectionResetError:
                break
    assert REQUEST_TIMEOUT_S * 0.5 < time.monotonic() - begin < REQUEST_TIMEOUT_S * 5


@pytest.mark.parametrize("data", [b"", b"POST / HT", head({"Content-Length": 100}) + b"{"])
def test_half_open_connections_are_ended(server, data):
    begin = time.monotonic()
    with connection(server) as opened:
        opened.send(data)
        assert opened.reply() is None
    assert time.monotonic() - begin < 4 * max(IDLE_TIMEOUT_S, REQUEST_TIMEOUT_S)


def test_more_connections_than_there_may_be(server):
    """The oldest idle ones make room, and whoever asks for something is served."""
    opened = [Connection(server) for _ in range(MAX_CONNECTIONS + 20)]
    opened[-1].send(request())
    assert opened[-1].reply().status == 200
    assert opened[0].at_end()
    for each in opened:
        each.close()
    expect_recovery(server)


def expect_recovery(server):
    """Connections that were closed here count there until their thread has looked."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        reply = exchange(server, request())
        if reply is not None and reply.status == 200:
            return
        time.sleep(0.05)
    pytest.fail("the server did not recover")


def busy_connections(server, count):
    """So many that wait for a body, none refused for one of an earlier test that still counts."""
    deadline = time.monotonic() + 10
    while True:
        opened = [Connection(server) for _ in range(count)]
        for each in opened:
            each.send(head({"Content-Length": 2, "Expect": "100-continue"}))
        if {each.reply().status for each in opened} == {100}:
            return opened
        assert time.monotonic() < deadline, "some were always refused"
        for each in opened:
            each.close()
        time.sleep(0.05)


def test_no_room_beside_busy_connections(server):
    opened = busy_connections(server, MAX_CONNECTIONS)
    late = [Connection(server) for _ in range(10)]
    assert {each.reply().status for each in late} == {503}
    for each in opened + late:
        each.close()
    expect_recovery(server)


# --- chance -----------------------------------------------------------------------------------------------------------

SEED = int(os.environ.get("PARTITA_SEED", "1"))


def test_random_bytes(server):
    chance = random.Random(SEED)
    for _ in range(200):
        assert_refused(exchange(server, chance.randbytes(chance.randrange(1, 5000)), finish=True))


def test_requests_with_random_changes(server):
    chance = random.Random(SEED)
    body = b'{"TableName":"absent","Key":{"a":{"S":"x"}},"ConsistentRead":true}'
    whole = request(body, {"X-Amz-Target": "DynamoDB_20120810.GetItem"})
    for _ in range(500):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 8)):
            at = chance.randrange(len(data))
            change = chance.randrange(3)
            if change == 0:
                data[at] = chance.randrange(256)
            elif change == 1:
                del data[at : at + chance.randrange(1, 20)]
            else:
                data[at:at] = chance.randbytes(chance.randrange(1, 20))
            if not data:
                data = bytearray(b"x")
        reply = exchange(server, bytes(data), finish=True)
        assert reply is None or reply.status < 500


@measured
def test_a_large_request_when_no_thread_can_be_made():
    with running_server(in_memory=True) as server:
        make_table(server)
        limit = memory(server, "VmSize") + (4 << 20)  # less than a thread's stack
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        put = operation("PutItem", TableName="tab", Item={"k": {"S": "x"}, "v": {"S": "v" * 300_000}})
        reply = exchange(server, put)
        assert reply is not None and (reply.status == 200 or reply.status >= 500)
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert exchange(server, put).status == 200
