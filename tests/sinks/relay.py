"""Stands between Partita and a search engine: asks for credentials, speaks TLS, and fails requests when it is told to.

    with running_relay(engine, authorization="Basic ...") as relay:
        relay.refuse(429, seconds=1)
"""

import base64
import contextlib
import http.client
import http.server
import ssl
import threading
import time


class Relay(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, engine, authorization, certificate):
        super().__init__(("127.0.0.1", 0), Handler)
        self.engine = engine
        self.authorization = authorization
        self.seen = []  # (method, path)
        self.refused = 0
        self._status, self._until = None, 0
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        scheme = "https" if certificate else "http"
        self.sink_url = f"{engine.name}+{scheme}://127.0.0.1:{self.server_port}"

    def refuse(self, status, seconds):
        """All _bulk requests of the next seconds are answered with that status."""
        self._status, self._until = status, time.monotonic() + seconds

    def refusal(self):
        return self._status if time.monotonic() < self._until else None

    def handle_error(self, request, client_address):
        """A client that goes, or trusts no such certificate, is no fault."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def _answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _relay(self):
        relay = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        relay.seen.append((self.command, self.path))
        if relay.authorization and self.headers.get("Authorization") != relay.authorization:
            return self._answer(401, b'{"error":"no such user"}')
        status = relay.refusal() if "/_bulk" in self.path else None
        if status:
            relay.refused += 1
            return self._answer(status, b'{"error":"told to"}')
        connection = http.client.HTTPConnection("127.0.0.1", relay.engine.port, timeout=60)
        with contextlib.closing(connection):
            headers = {name: self.headers[name] for name in ("Content-Type",) if name in self.headers}
            connection.request(self.command, self.path, body or None, headers)
            reply = connection.getresponse()
            self._answer(reply.status, reply.read())

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _relay


def basic(user):
    return "Basic " + base64.b64encode(user.encode()).decode()


@contextlib.contextmanager
def running_relay(engine, authorization=None, certificate=None):
    relay = Relay(engine, authorization, certificate)
    thread = threading.Thread(target=relay.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield relay
    finally:
        relay.shutdown()
        thread.join()
        relay.server_close()
