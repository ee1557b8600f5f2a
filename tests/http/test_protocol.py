"""HTTP as clients speak it."""

import concurrent.futures
import re

import pytest
from raw import assert_healthy, connection, exchange, head, request


def test_every_reply_has_dynamodbs_headers(server):
    reply = exchange(server, request())
    assert reply.status == 200
    assert re.fullmatch(r"[0-9A-Z]{52}", reply.headers["x-amzn-requestid"])
    assert reply.headers["content-type"] == "application/x-amz-json-1.0"
    assert reply.headers["connection"] == "keep-alive"
    assert re.fullmatch(r"\w{3}, \d{2} \w{3} \d{4} \d\d:\d\d:\d\d GMT", reply.headers["date"])
    assert "x-amz-crc32" in reply.headers


def test_request_ids_differ(server):
    with connection(server) as opened:
        seen = set()
        for _ in range(100):
            opened.send(request())
            seen.add(opened.reply().headers["x-amzn-requestid"])
    assert len(seen) == 100


def test_get_says_healthy(server):
    reply = exchange(server, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    assert (reply.status, reply.body) == (200, b"healthy: dynamodb.us-east-1.amazonaws.com ")


def test_head_says_healthy_without_a_body(server):
    with connection(server) as opened:
        opened.send(b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        reply = opened.reply(has_body=False)
        assert reply.status == 200 and int(reply.headers["content-length"]) > 0
        opened.send(request())
        assert opened.reply().status == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_other_methods_are_unknown(server, method):
    reply = exchange(server, request(method=method))
    assert (reply.status, reply.body) == (404, b"<UnknownOperationException/>\n")


@pytest.mark.parametrize("kind", [None, "application/x-www-form-urlencoded"])
@pytest.mark.parametrize("body", ["", "{}", '{"TableName": "a"}'])
def test_a_post_that_says_nothing_is_answered_in_json(server, kind, body):
    """As curl sends one, with -X POST or with -d."""
    reply = exchange(server, request(body, {"Content-Type": kind, "X-Amz-Target": None, "Authorization": None, "X-Amz-Date": None}))
    assert (reply.status, reply.headers["content-type"]) == (400, "application/json")
    assert reply.kind() == "MissingAuthenticationTokenException"


def test_other_paths_of_get_are_unknown(server):
    assert exchange(server, b"GET /favicon.ico HTTP/1.1\r\nHost: a\r\n\r\n").status == 404


PAGE = {"Origin": "http://example.com"}
ASKED = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-amz-target,content-type"}


def test_a_welcome_page_may_ask_first(server):
    reply = exchange(server, request(b"", {**PAGE, **ASKED}, method="OPTIONS"))
    assert (reply.status, reply.body) == (200, b"")
    assert reply.headers["access-control-allow-origin"] == "http://example.com"
    assert reply.headers["access-control-allow-methods"] == "POST"
    assert reply.headers["access-control-allow-headers"] == "x-amz-target,content-type"


def test_a_welcome_page_may_read_its_replies(server):
    reply = exchange(server, request(headers=PAGE))
    assert reply.status == 200
    assert reply.headers["access-control-allow-origin"] == "http://example.com"
    assert reply.headers["vary"] == "Origin"
    assert "x-amz-retry-after" in reply.headers["access-control-expose-headers"].split(",")
    assert "access-control-allow-origin" not in exchange(server, request()).headers


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "http://example.com.evil.example", "https://example.com", "http://example.com:8000", "null",
     "http://127.0.0.1:8000", "HTTP://EXAMPLE.COM", "*"],
)  # fmt: skip
def test_other_pages_are_refused(server, origin):
    create = {"X-Amz-Target": "DynamoDB_20120810.CreateTable", "Origin": origin}
    with connection(server) as opened:
        for data in (request(TABLE, create), request(b"", {"Origin": origin, **ASKED}, method="OPTIONS")):
            opened.send(data)
            reply = opened.reply()
            assert reply.status == 403
            assert "access-control-allow-origin" not in reply.headers
        opened.send(request())
        assert "page" not in opened.reply().json()["TableNames"]
        # Not even its large body is read.
        opened.send(head({"Origin": origin, "Content-Length": 10_000_000}))
        assert opened.reply().status == 403
        assert opened.at_end()


TABLE = b'{"TableName":"page","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST",'
TABLE += b'"AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}]}'
EVIL = "evil.example:8000"


@pytest.mark.parametrize(
    "marks",
    [
        {"Origin": f"http://{EVIL}"},
        {"Origin": f"http://{EVIL}", "Sec-Fetch-Site": "same-origin", "Referer": f"http://{EVIL}/"},
        {"Origin": "null"},
        {"Referer": f"http://{EVIL}/"},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "cross-site", "Host": "localhost:8000"},
        {"Sec-Fetch-Site": ""},
    ],
)
def test_a_page_whose_name_was_made_to_lead_here(server, marks):
    """DNS rebinding: for the browser the page and this server are one site, so no rule of the browser's holds it back."""
    create = {"X-Amz-Target": "DynamoDB_20120810.CreateTable", "Host": EVIL, **marks}
    reply = exchange(server, request(TABLE, create))
    assert reply.status == 403
    assert "access-control-allow-origin" not in reply.headers
    assert "page" not in exchange(server, request()).json()["TableNames"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "dynamodb:8000"},  # a container's name
        {"Host": EVIL},
        {"Sec-Fetch-Mode": "cors"},  # what fetch() of Node.js sends
        {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"},  # typed by a person
        {**PAGE, "Referer": "http://example.com/", "Sec-Fetch-Site": "cross-site", "Host": "dynamodb:8000"},
    ],
)
def test_callers_that_are_no_strange_pages_use_any_name(server, headers):
    assert exchange(server, request(headers=headers)).status == 200


def test_requests_sent_at_once_are_answered_in_order(server):
    with connection(server) as opened:
        opened.send((request() + request(method="PUT")) * 50)
        statuses = [opened.reply().status for _ in range(100)]
    assert statuses == [200, 404] * 50


def test_connection_close_is_obeyed(server):
    with connection(server) as opened:
        opened.send(request(headers={"Connection": "close"}))
        reply = opened.reply()
        assert (reply.status, reply.headers["connection"]) == (200, "close")
        assert opened.at_end()


def test_http_1_0_ends_the_connection(server):
    with connection(server) as opened:
        opened.send(b"GET / HTTP/1.0\r\n\r\n")
        assert opened.reply().status == 200
        assert opened.at_end()


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_chunked_bodies(server, size):
    body = b'{"Limit": 5' + b" " * 500 + b"}"
    chunks = b"".join(
        b"%x\r\n%s\r\n" % (len(body[at : at + size]), body[at : at + size]) for at in range(0, len(body), size)
    )
    with connection(server) as opened:
        for _ in range(2):
            opened.send(head({"Transfer-Encoding": "chunked"}) + chunks + b"0\r\n\r\n")
            assert opened.reply().status == 200


def test_expect_100_continue(server):
    with connection(server) as opened:
        opened.send(head({"Content-Length": 2, "Expect": "100-continue"}))
        assert opened.reply().status == 100
        opened.send(b"{}")
        assert opened.reply().status == 200


def test_expect_with_a_body_that_is_too_large(server):
    with connection(server) as opened:
        opened.send(head({"Content-Length": 17 << 20, "Expect": "100-continue"}))
        assert opened.reply().status == 413


def test_a_body_of_almost_16_mib_is_read(server):
    body = b'{"Limit": 5' + b" " * ((16 << 20) - 12) + b"}"
    assert len(body) == 16 << 20
    assert exchange(server, request(body)).status == 200


def test_an_upgrade_is_declined_silently(server):
    asked = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAAQAoAAAAAIAAAAA"}
    assert exchange(server, request(headers=asked)).status == 200


def test_header_names_in_any_case(server):
    data = request().replace(b"X-Amz-Target", b"x-AMZ-taRGet").replace(b"Authorization", b"AUTHORIZATION")
    assert exchange(server, data).status == 200


def test_a_request_byte_by_byte(server):
    with connection(server) as opened:
        for byte in request():
            opened.send(bytes([byte]))
        assert opened.reply().status == 200


def test_many_clients_at_once(server):
    def visit(_):
        with connection(server) as opened:
            for _ in range(20):
                opened.send(request())
                assert opened.reply().status == 200

    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        list(pool.map(visit, range(64)))
    assert_healthy(server)
