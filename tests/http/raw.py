"""HTTP by hand over a socket, so that every kind of nonsense can be sent."""

import contextlib
import json
import re
import socket
import zlib

AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=local/20260102/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=0123456789abcdef"
)
HEADERS = {
    "Host": "localhost",
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Target": "DynamoDB_20120810.ListTables",
    "X-Amz-Date": "20260102T000000Z",
    "Authorization": AUTHORIZATION,
}
TIMEOUT_S = 120  # a sanitizer on a crowded machine takes its time


def head(headers=None, method="POST", target="/", without=()):
    """Request line and headers, with the empty line; a header of None is left out."""
    lines = [f"{method} {target} HTTP/1.1"]
    for name, value in {**HEADERS, **(headers or {})}.items():
        if value is not None and name not in without:
            lines.append(f"{name}: {value}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def request(body=b"{}", headers=None, **others):
    body = body.encode() if isinstance(body, str) else body
    return head({"Content-Length": len(body), **(headers or {})}, **others) + body


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def kind(self):
        """The exception's name without its namespace."""
        return self.json()["__type"].split("#")[-1]


class Connection:
    """A connected socket with a buffer of what came back."""

    def __init__(self, server):
        self.socket = socket.create_connection((server.host, server.port), TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = b""

    def send(self, data):
        """True when all of it was taken; the server may have hung up before."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def finish_sending(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def _more(self):
        try:
            piece = self.socket.recv(65536)
        except ConnectionResetError:
            return False
        self._received += piece
        return bool(piece)

    def reply(self, has_body=True):
        """The next reply, checked for what every reply must be; None when the connection ends before it."""
        while b"\r\n\r\n" not in self._received:
            if not self._more():
                assert self._received == b"", self._received
                return None
        start, _, self._received = self._received.partition(b"\r\n\r\n")
        first, *lines = start.decode().split("\r\n")
        found = re.fullmatch(r"HTTP/1\.1 (\d{3}) .+", first)
        assert found, first
        headers = {}
        for line in lines:
            name, _, value = line.partition(": ")
            assert name.lower() not in headers, f"twice: {name}"
            headers[name.lower()] = value
        status = int(found.group(1))
        size = int(headers.get("content-length", 0)) if has_body and status != 100 else 0
        while len(self._received) < size:
            assert self._more(), "the connection ended in the middle of a reply"
        body, self._received = self._received[:size], self._received[size:]
        if has_body and "x-amz-crc32" in headers:
            assert int(headers["x-amz-crc32"]) == zlib.crc32(body)
        return Reply(status, headers, body)

    def at_end(self):
        """Waits until the server ends the connection; False if it sends something instead."""
        return self._received == b"" and not self._more()

    def close(self):
        self.socket.close()


@contextlib.contextmanager
def connection(server):
    opened = Connection(server)
    try:
        yield opened
    finally:
        opened.close()


def exchange(server, data, finish=False, timeout_s=TIMEOUT_S):
    """Sends bytes on a connection of their own; the first reply, or None."""
    with connection(server) as opened:
        opened.socket.settimeout(timeout_s)
        opened.send(data)
        if finish:
            opened.finish_sending()
        return opened.reply()


def assert_healthy(server):
    reply = exchange(server, request())
    assert reply is not None and reply.status == 200, reply and reply.body
    assert "TableNames" in reply.json()


def assert_refused(reply):
    """A 4xx, or no reply at all."""
    assert reply is None or 400 <= reply.status < 500, (reply.status, reply.body)
