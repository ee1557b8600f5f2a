"""A proxy between an SDK and a server, which sees each attempt of each call.

    with proxied(server, cases, before) as proxy:
        run_a_program_with(proxy.url)
        proxy.attempts["table-write"]       # [Attempt, ...]

A request belongs to the case whose name is that of a table in it; each program makes one call per case. `before(case,
"""

import contextlib
import http.client
import http.server
import re
import threading
import time
import typing


class Attempt(typing.NamedTuple):
    began: float  # of time.monotonic()
    answered: float
    status: int
    told_ms: int  # of x-amz-retry-after


class Proxy(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, server, cases, before):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind, self.before = (server.host, server.port), before
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.attempts = {case: [] for case in cases}
        self.failure = None  # of `before`, or of a request that belongs to no case
        self._table = re.compile(rb"(?<![\w-])(" + b"|".join(map(str.encode, sorted(cases, key=len, reverse=True))) + rb")(?![\w-])")

    def handle_error(self, request, client_address):
        """Of a connection that a program left open when it ended."""

    def case_of(self, body):
        found = {name.decode() for name in self._table.findall(body)}
        if len(found) != 1:
            raise ValueError(f"a request of {len(found)} cases: {body[:300]}")
        return found.pop()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # one packet for head and body

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            status, headers, data = self._pass_on(body)
        except Exception as failure:  # noqa: BLE001  (the test raises it)
            self.server.failure = failure
            status, headers, data = 400, [("Content-Length", "2")], b"{}"
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() != "connection":
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _pass_on(self, body):
        case = self.server.case_of(body)
        attempts = self.server.attempts[case]
        self.server.before(case, len(attempts) + 1)
        began, (host, port) = time.monotonic(), self.server.behind
        with contextlib.closing(http.client.HTTPConnection(host, port, timeout=60)) as connection:
            connection.request("POST", self.path, body, dict(self.headers))
            reply = connection.getresponse()
            data = reply.read()
        told_ms = int(reply.headers.get("x-amz-retry-after", 0))
        attempts.append(Attempt(began, time.monotonic(), reply.status, told_ms))
        return reply.status, reply.getheaders(), data

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def proxied(server, cases, before):
    proxy = Proxy(server, cases, before)
    thread = threading.Thread(target=proxy.serve_forever)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()
    if proxy.failure:
        raise proxy.failure
