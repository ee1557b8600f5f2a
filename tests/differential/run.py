#!/usr/bin/env python3
"""Whether two builds give the same answers, byte for byte.

    tests/differential/run.py BASE NEW [--requests N] [--seed S] [--in-memory]

Sends the same requests, drawn from the seed, to a server of each binary: all operations, right and wrong ones, odd
JSON, odd headers, odd HTTP. Compares status lines, headers and bodies; only ids, dates and times may differ. Prints the
first differences, and fails when there are any. It is no part of `./dev test`, which knows no second build: run it when
answers must stay what they are.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import socket
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import operations  # noqa: E402
from server import Server  # noqa: E402

MOST_SHOWN, SHOWN_BYTES = 10, 2000
CREDENTIAL = "local/20260102/us-east-1/dynamodb/aws4_request"
SIGNED = f"AWS4-HMAC-SHA256 Credential={CREDENTIAL}, SignedHeaders=host;x-amz-date, Signature={'a' * 64}"
AUTHORIZATIONS = (
    None, "", "Bearer x", "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA512 " + SIGNED[17:], SIGNED.replace("/us-east-1/", "/eu-west-3/"),
    SIGNED.replace("dynamodb", "s3"), SIGNED.replace("aws4_request", "aws3"), SIGNED.replace("20260102/", ""),
    SIGNED.replace(", ", ","), SIGNED.replace("Signature", "Sig"), SIGNED + "x", "  " + SIGNED + "  ",
    SIGNED.replace("local/", "other/"), SIGNED.replace("us-east-1", "!"), SIGNED.replace("Credential=", "Credential="  "x/"),
    SIGNED.replace("SignedHeaders=host;x-amz-date, ", ""), SIGNED.replace(" Credential", "Credential"), SIGNED + ", A=b", SIGNED + ", A",
)
TYPES = ("application/x-amz-json-1.1", "application/json", "application/x-amz-json-1.0; charset=utf-8", "text/plain", "", None)
TARGETS = ("", None, "GetItem", "DynamoDB_20120810.", "DynamoDB_20120810.NoSuch", "DynamoDB_20111205.GetItem", "X.Y.Z")
MORE = (
    ("Accept", "*/*"), ("User-Agent", "differential/1.0"), ("Origin", "http://localhost:3000"), ("Origin", "http://elsewhere"),
    ("Referer", "http://elsewhere/x"), ("Sec-Fetch-Site", "none"), ("Connection", "close"), ("connection", "Keep-Alive, x"),
    ("Host", "again"), ("X-Empty", ""), ("x-amz-date", "20260102T000000Z"), ("Expect", "100-continue"), ("bad name", "x"),
    ("X-Long", "v" * 3000), ("X-Tab", "a\tb"), ("X-Bell", "a\x07b"), ("X-High", "é"), ("Transfer-Encoding", "gzip"), ("", "v"),
    ("X-Amz-Security-Token", "token"), ("Accept-Encoding", "identity"),
)
ODD_HTTP = (
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n",
    b"OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://localhost:3000\r\nAccess-Control-Request-Method: POST\r\n\r\n",
    b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n", b"POST / HTTP/2.0\r\nHost: x\r\n\r\n",
    b"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}", b"\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", b"nonsense\r\n\r\n", b"\x16\x03\x01\r\n",
    b"GET / HTTP/1.1\nHost: x\n\n", b"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n{", b"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n", b"POST / HTTP/1.1\r\nHost: x y\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\nTrailer: x\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 130 + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"b" * 17_000 + b"\r\n\r\n", b"POST /?X-Amz-Algorithm=AWS4-HMAC-SHA256 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
)

# What two servers may say differently: ids, dates and times of bodies and heads.
UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(rb'("(?:\w*DateTime|LastUpdateToPayPerRequestDateTime)":)[\d.E+]+')
HEAD = re.compile(rb"^(date|x-amzn-requestid|x-amz-crc32|content-length): .*$", re.I | re.M)  # lengths follow from times


class Side:
    """One of the two servers, and a connection to it that is opened again whenever it was closed."""

    def __init__(self, binary, in_memory):
        self._directory = tempfile.mkdtemp(prefix="partita-differential-")
        os.environ["PARTITA_BINARY"] = str(pathlib.Path(binary).resolve())
        more = ["--log-level", "error", "--allow-origin", "http://localhost:3000"]
        self.server = Server(pathlib.Path(self._directory) / "data", in_memory, more).start()
        self._socket = None

    def close(self):
        self._drop()
        self.server.stop()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _drop(self):
        if self._socket:
            self._socket.close()
        self._socket = None

    def ask(self, pieces):
        """All bytes that answer, and whether the server closed the connection behind them."""
        if self._socket is None:
            self._socket = socket.create_connection((self.server.host, self.server.port), timeout=20)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in pieces:
            try:
                self._socket.sendall(piece)
            except OSError:
                break  # refused before all of it was sent
        answer, closed = self._read(pieces[0].startswith(b"HEAD"))
        if closed:
            self._drop()
        return answer, closed

    def _read(self, headless):
        held = b""
        while True:
            head, found, body = held.partition(b"\r\n\r\n")
            length = re.search(rb"^content-length: (\d+)", head, re.I | re.M)
            size = 0 if headless or not length else int(length.group(1))
            if found and head.startswith(b"HTTP/1.1 100"):
                held = body
                continue
            if found and len(body) >= size and b"\r\nConnection: close" not in head:
                return held, False
            try:
                received = self._socket.recv(1 << 20)
            except (ConnectionResetError, TimeoutError) as error:
                received, held = b"", held + (b"" if isinstance(error, ConnectionResetError) else b"(no end)")
            if not received:
                return held, True
            held += received


def comparable(answer):
    """The answer without what may differ; what its own head says wrong of its body shows in it."""
    head, _, body = answer.partition(b"\r\n\r\n")
    crc = re.search(rb"^x-amz-crc32: (\d+)", head, re.I | re.M)
    wrong = b"wrong CRC" if crc and body and int(crc.group(1)) != zlib.crc32(body) else b""
    return HEAD.sub(rb"\1", head) + b"\r\n\r\n" + TIME.sub(rb"\1", UUID.sub(b"uuid", body)) + wrong


EARLY = re.compile(rb"^(origin|referer|sec-fetch-site|expect):", re.I | re.M)  # may be answered when the head is there


def pieces_of(whole, chance):
    """Seldom the bytes come in several pieces."""
    if chance.random() > 0.05 or len(whole) < 4 or EARLY.search(whole):
        return [whole]
    cuts = sorted(chance.sample(range(1, len(whole)), min(3, len(whole) - 1)))
    return [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)])]


def request_of(operation, body, chance):
    """The bytes of one HTTP request, seldom with odd headers."""
    def seldom(usual, odd, probability=0.01):
        return chance.choice(odd) if chance.random() < probability else usual
    headers = [
        ("Host", "127.0.0.1"), ("Content-Type", seldom("application/x-amz-json-1.0", TYPES)),
        ("X-Amz-Target", seldom("DynamoDB_20120810." + operation, TARGETS)), ("X-Amz-Date", seldom("20260102T000000Z", ("", None))),
        ("Authorization", seldom(SIGNED, AUTHORIZATIONS, 0.02)), ("Content-Length", str(len(body))),
    ]
    if chance.random() < 0.1:
        chance.shuffle(headers)
    for _ in range(chance.choice((0, 0, 1, 2))):
        headers.insert(chance.randrange(len(headers)), seldom(MORE[0], MORE, 0.1))
    if chance.random() < 0.2:
        headers = [(chance.choice((str.lower, str.upper))(name), value) for name, value in headers]
    lines = [f"POST {seldom('/', ('/x', '*', '/?a=b'))} HTTP/1.1"]
    lines += [f"{name}:{seldom(' ', ('', '  ', chr(9)))}{value}" for name, value in headers if value is not None]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def drawn(count, seed):
    chance = random.Random(seed)
    made = operations.Requests(chance)
    for name in operations.TABLES:
        yield [request_of("CreateTable", json.dumps(operations.table(name)).encode(), random.Random(1))]
    for _ in range(count):
        if chance.random() < 0.01:
            yield pieces_of(chance.choice(ODD_HTTP), chance)
        else:
            yield pieces_of(request_of(*made.next(), chance), chance)


def show(number, pieces, said):
    print(f"--- request {number}: {b''.join(pieces)[:SHOWN_BYTES]!r}")
    alike = os.path.commonprefix([text for text, _ in said])
    begin = max(0, len(alike) - 100)
    for name, (text, closed) in zip(("base", "new"), said):
        print(f"{name:5} {text[begin:begin + SHOWN_BYTES]!r}{' (closed)' if closed else ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("base")
    parser.add_argument("new")
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--in-memory", action="store_true")
    options = parser.parse_args()
    sides = [Side(binary, options.in_memory) for binary in (options.base, options.new)]
    differing, good, number = 0, 0, 0
    try:
        for number, pieces in enumerate(drawn(options.requests, options.seed)):
            answers = [side.ask(pieces) for side in sides]
            good += answers[0][0].startswith(b"HTTP/1.1 200")
            said = [(comparable(answer), closed) for answer, closed in answers]
            if said[0] != said[1]:
                differing += 1
                if differing <= MOST_SHOWN:
                    show(number, pieces, said)
    finally:
        for side in sides:
            side.close()
    print(f"{number + 1} requests, {good} of them answered 200: {differing} answers differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
