"""The console's files, and which web pages may call: those of this server, and no others (docs/decisions/031)."""

import contextlib
import gzip
import json
import pathlib
import re
import ssl

import pytest
from certificate import write_certificate
from raw import Connection, connection, exchange, head, request
from server import ROOT, running_server
from signed import call, files

DIST = ROOT / "console" / "dist"
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
          "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
          "require-trusted-types-for 'script'")
NAMES = sorted({str(path.relative_to(DIST).with_suffix("")) for path in DIST.rglob("*") if path.is_file()})


def get(server, path, method="GET", **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *(f"{name}: {value}" for name, value in headers.items())]
    with connection(server) as opened:
        opened.send("\r\n".join(lines).encode() + b"\r\n\r\n")
        reply = opened.reply(has_body=method == "GET")
        opened.send(request())  # what comes behind it is read as a reply of its own
        assert "TableNames" in opened.reply().json()
        return reply


@pytest.mark.parametrize("name", NAMES)
def test_each_file_is_sent_as_it_was_packed(server, name):
    br, gz = ((DIST / f"{name}.{coding}").read_bytes() for coding in ("br", "gz"))
    plain = gzip.decompress(gz)
    for accepted, coding, body in [("gzip, deflate, br", "br", br), ("gzip, deflate", "gzip", gz), ("deflate", None, plain)]:
        reply = get(server, f"/console/{name}", Accept_Encoding=accepted)
        assert reply.status == 200 and reply.body == body
        assert reply.headers.get("content-encoding") == coding
        assert reply.headers["vary"] == "Accept-Encoding"
        hashed = name.startswith("assets/")
        assert ("immutable" in reply.headers["cache-control"]) == hashed
        assert reply.headers["content-type"] != "application/octet-stream"
        asked = get(server, f"/console/{name}", "HEAD", Accept_Encoding=accepted)
        assert {**asked.headers, "date": ""} == {**reply.headers, "date": ""}


def test_every_view_is_the_index(server):
    index = get(server, "/console/", Accept_Encoding="gzip")
    assert index.status == 200 and b"<!doctype html>" in gzip.decompress(index.body).lower()
    for path in ("/console/index.html", "/console/tables", "/console/?x=1", "/console/explore/Music?order=down"):
        assert get(server, path, Accept_Encoding="gzip").body == index.body
    assert get(server, "/console/explore/prod.music", Accept_Encoding="gzip", Accept="text/html,*/*").body == index.body
    for path in ("/console/nothere.js", "/console/assets/gone", "/console/../etc/passwd.x", "/console/%2e%2e/x.y"):
        assert get(server, path).status == 404


def test_it_is_found_without_the_slash(server):
    reply = get(server, "/console")
    assert (reply.status, reply.headers["location"]) == (308, "/console/")


def test_an_unchanged_index_is_not_sent_again(server):
    tag = get(server, "/console/", Accept_Encoding="br").headers["etag"]
    reply = get(server, "/console/", "HEAD", Accept_Encoding="br", If_None_Match=tag)
    assert reply.status == 304 and reply.headers["etag"] == tag
    assert get(server, "/console/", Accept_Encoding="gzip", If_None_Match=tag).status == 200


@pytest.mark.parametrize("path", ["/console", "/console/", "/console/nothere.js"])
def test_the_headers_keep_other_pages_out(server, path):
    headers = get(server, path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("marks", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Referer": "http://a/"}])
def test_the_files_are_for_everybody(server, marks):
    reply = get(server, "/console/", **marks)
    assert reply.status == 200 and "access-control-allow-origin" not in reply.headers


def test_only_get_and_head_get_files(server):
    assert exchange(server, head({"Content-Length": 0}, method="POST", target="/console/")).headers[
        "content-type"] == "application/x-amz-json-1.0"
    assert exchange(server, head({"Content-Length": 0}, method="DELETE", target="/console/")).status == 404


def test_it_can_be_turned_off():
    with running_server(in_memory=True, extra_args=["--no-console"]) as server:
        for path in ("/console", "/console/", "/console/index.html"):
            assert get(server, path).status == 404
        assert exchange(server, request(headers=own("localhost:8000"))).status == 403


# --- which pages may call


REFUSED = "Pages of this origin may not call this server: see --allow-origin.\n"


def own(host, scheme="http", **more):
    return {"Host": host, "Origin": f"{scheme}://{host}", **more}


def table_named(name):
    body = ('{"TableName":"%s","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST",'
            '"AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}]}' % name)
    return body, {"X-Amz-Target": "DynamoDB_20120810.CreateTable"}


@pytest.mark.parametrize("headers", [
    own("localhost:8000"),
    own("localhost:8000", **{"Sec-Fetch-Site": "same-origin", "Referer": "http://localhost:8000/console/"}),
    own("localhost"),
    own("LOCALHOST:8000"),
    {"Host": "localhost:80", "Origin": "http://localhost"},
    own("127.0.0.1:8000"),
    own("192.168.1.7:49153"),  # a mapped port, unknown to the server
    own("[::1]:8000"),
], ids=str)  # fmt: skip
def test_the_pages_of_this_server_may_call(server, headers):
    reply = exchange(server, request(headers=headers))
    assert reply.status == 200 and "TableNames" in reply.json()
    assert "access-control-allow-origin" not in reply.headers


@pytest.mark.parametrize("headers", [
    own("evil.example"),  # DNS rebinding
    own("evil.example:8000", **{"Sec-Fetch-Site": "same-origin"}),
    own("EVIL.example:8000"),
    own("dynamodb:8000"),
    own("localhost.evil.example"),
    own("x.localhost:8000"),
    own("localhost.:8000"),
    own("2130706433:8000"),
    own("localhost:8000", "https"),
    own("localhost:8000", **{"Sec-Fetch-Site": "same-site"}),
    own("localhost:8000", **{"Sec-Fetch-Site": "cross-site"}),
    own("localhost:8000", **{"Sec-Fetch-Site": "none"}),
    {"Host": "localhost:8000", "Origin": "http://localhost:3000"},  # another port
    {"Host": "localhost:8000", "Origin": "http://localhost"},
    {"Host": "localhost", "Origin": "http://localhost:8000"},
    {"Host": "localhost:8000", "Origin": "http://127.0.0.1:8000"},
    {"Host": "localhost:8000", "Origin": "null"},
    {"Host": "null", "Origin": "null"},
    {"Host": "localhost:8000", "Origin": ""},
    {"Host": "localhost:8000", "Origin": "http://localhost:8000@evil.example"},
    own("localhost:8000@evil.example"),
    own("evil@localhost:8000"),
    own("[::1]@evil.example"),
    own("[::1].evil.example"),
    own("localhost:8000/.evil.example"),
    {"Host": "localhost:8000", "Origin": "http://localhost:8000/"},
    {"Host": "localhost:8000", "Origin": "http://localhost:8000, http://evil.example"},
    {"Host": "localhost:8000", "Referer": "http://localhost:8000/console/"},
    {"Host": "localhost:8000", "Sec-Fetch-Site": "same-origin"},
], ids=str)  # fmt: skip
def test_no_other_page_may(server, headers):
    body, target = table_named("evil")
    reply = exchange(server, request(body, {**headers, **target}))
    assert reply.status == 403 and b"--allow-origin" in reply.body
    assert "access-control-allow-origin" not in reply.headers
    assert "evil" not in exchange(server, request()).json()["TableNames"]
    # Nor is a large body read before.
    with connection(server) as opened:
        opened.send(head({**headers, "Content-Length": 10_000_000}))
        assert opened.reply().status == 403
        assert opened.at_end()


@pytest.mark.parametrize("target", ["http://localhost:8000/", "http://evil.example/"])
def test_a_url_as_the_target_is_no_pages(server, target):
    """Browsers send it to proxies; by RFC 9112 it would count instead of Host."""
    assert exchange(server, request(headers=own("localhost:8000"), target=target)).status == 403


@pytest.mark.parametrize("twice", ["Host: localhost:8000", "Host: evil.example", "Origin: http://localhost:8000",
                                   "Origin: http://evil.example", "Sec-Fetch-Site: same-origin"])
def test_a_header_that_comes_twice_is_refused(server, twice):
    marks = own("localhost:8000", **{"Sec-Fetch-Site": "same-origin"})
    data = request(headers=marks).replace(b"\r\n\r\n", f"\r\n{twice}\r\n\r\n".encode(), 1)
    assert exchange(server, data).status == 400


def test_a_pages_large_body_is_read(server):
    body = '{"Limit": 1' + " " * 200_000 + "}"
    assert exchange(server, request(body, own("localhost:8000"))).status == 200


def test_over_tls_the_scheme_is_https(tmp_path):
    certificate = write_certificate(tmp_path, "own")
    flags = ["--tls-cert", str(certificate[0]), "--tls-key", str(certificate[1])]
    with running_server(in_memory=True, extra_args=flags) as server:
        assert server.ready_line.rstrip().endswith(f"console at {server.url}/console/")
        assert re.match("https:", server.url)

        def status(headers):
            with tls(server, certificate) as opened:
                opened.send(request(headers=headers))
                return opened.reply().status

        assert status(own("localhost:8443", "https")) == 200
        assert status({"Host": "localhost:443", "Origin": "https://localhost"}) == 200
        assert status(own("localhost:8443", "http")) == 403
        assert status(own("evil.example", "https")) == 403


def tls(server, certificate):
    opened = Connection(server)
    context = ssl.create_default_context(cafile=certificate[0])
    opened.socket = context.wrap_socket(opened.socket, server_hostname="localhost")
    return contextlib.closing(opened)


def test_where_signatures_are_verified_any_name_will_do(tmp_path):
    """A page without a secret signs nothing, and a proxy may speak TLS."""
    with running_server(in_memory=True, extra_args=files(pathlib.Path(tmp_path), {})) as server:
        def listed(headers):
            try:
                return call(server, "root", "ListTables", {}, headers)[0]
            except json.JSONDecodeError as text:
                return text.doc

        assert listed(own("db.example")) == 200
        assert listed(own("db.example", "https")) == 200
        assert listed({**own("db.example"), "Origin": "http://evil.example"}) == REFUSED
        assert listed({**own("db.example"), "Sec-Fetch-Site": "cross-site"}) == REFUSED
        # The origin is accepted; the call is refused because it is not signed.
        reply = exchange(server, request(headers=own("evil.example")))
        assert reply.status == 400 and reply.kind() == "InvalidSignatureException"
