"""Requests over DAX, which ask for what those of bench/workload.py ask for over HTTP, and what sends them.

tests/budget counts their instructions, and bench/dax.py measures their times.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from dax_client import Connection, authorization, encoded, preamble, request  # noqa: E402

CONSISTENT = b"\xbf\x02\xf5\xff"
NO_KEYWORDS = b"\xbf\xff"
FORMAT, EQUAL, VARIABLE, PATH = 1, 0, 17, 18


def greeting():
    """What opens a connection, for ten minutes."""
    return preamble() + authorization("local", "local")


def get_item(n, table="bench", keywords=CONSISTENT):
    return request("getItem", table.encode(), f"user-{n:08}".encode()) + keywords


def query(n):
    of_collection = [FORMAT, [EQUAL, [PATH, "order"], [VARIABLE, 0]], [f"order-{n:06}"]]
    return request("query", b"bench-orders", encoded(of_collection)) + NO_KEYWORDS


class DaxSender:
    """Sends requests one after the other on one connection. Each must find something."""

    def __init__(self, port):
        self._connection = Connection("127.0.0.1", port)
        self._connection.authorize()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._connection.__exit__()

    def send(self, requests):
        for one in requests:
            self._connection.send(one)
            if not self._connection.reply():
                raise RuntimeError("a request over DAX found nothing")
