"""The bench's client of DAX: it sends what it was given, and waits for whole replies."""

import json
import os
import pathlib
import socket
import subprocess
import threading

import pytest

LOAD = pathlib.Path(os.environ["PARTITA_BINARY"]).parent / "bench" / "load"
GREETING, REQUEST = b"hello dax", b"one request"


class FixedServer:
    """Answers every request with the same bytes, in pieces; keeps what each connection sent."""

    def __init__(self, *pieces):
        self.pieces, self.greetings, self.requests = pieces, [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.greetings.append(stream.read(len(GREETING)))
            while request := stream.read(len(REQUEST)):
                self.requests.append(request)
                for piece in self.pieces:
                    connection.sendall(piece)

    def load(self, requests, *options):
        command = [LOAD, "--port", str(self.listener.getsockname()[1]), "--pid", str(os.getpid()), "--once"]
        lines = "".join(f"GetItem {request.hex()}\n" for request in requests)
        return subprocess.run([*command, "--greeting", GREETING.hex(), *options], input=lines, capture_output=True,
                              text=True, timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


# A map without a length: {0: bytes, 7: [[tag 4, 2 members], {text: 1.5}], 8: null, 9: "" with a length of two bytes}
WHOLE = bytes.fromhex("80bf 0043010203 0782 c4822118fa a16161fb3ff8000000000000 08f6 09790000 ff".replace(" ", ""))


@pytest.mark.parametrize("pieces", [[WHOLE], [bytes([byte]) for byte in WHOLE], [b"\x80\x82\xf4\x9f\xff"]])
def test_load_greets_and_sends_each_once(pieces):
    requests = [f"request {n:03}".encode() for n in range(40)]
    with FixedServer(*pieces) as server:
        ran = server.load(requests, "--connections", "3")
        assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert (found["requests"], found["reply_bytes"]) == (40, len(b"".join(pieces)))
    assert server.greetings == [GREETING] * 3 and sorted(server.requests) == requests


@pytest.mark.parametrize("reply, fault", [
    (b"\x84\x04\x18\x25", "is an error, or has nothing"),
    (b"\x80\xf6", "is an error, or has nothing"),
    (WHOLE + b"\x80", "more bytes than a reply has"),
    (b"\x80" + b"\x81" * 20, "too deep"),
])
def test_load_fails_at_a_wrong_reply(reply, fault):
    with FixedServer(reply) as server:
        ran = server.load([REQUEST])
    assert ran.returncode == 1 and fault in ran.stderr
