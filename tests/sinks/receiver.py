"""A function behind a hook: it takes events, checks their signatures, and answers as a test tells it.

    with running_receiver(lambda records: (200, {})) as receiver:
        create_sink(server, "orders", receiver.url)
        wait_until(lambda: receiver.records)
"""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import threading
import time

TOLERANCE_S = 300


def verify(secret, headers, body, now):
    """Raises a ValueError unless the body was signed with the secret, within the last five minutes."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    stamp = headers["webhook-timestamp"]
    if abs(now - int(stamp)) > TOLERANCE_S:
        raise ValueError("an old request")
    signed = b".".join([headers["webhook-id"].encode(), stamp.encode(), body])
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not hmac.compare_digest(expected, headers["webhook-signature"]):
        raise ValueError("a wrong signature")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, answer = self.server.receiver.take(self.headers, body)
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # Partita was killed.


class Receiver:
    """`events`: the records of each call, and the status that it was answered. `bodies`: what else was posted."""

    def __init__(self, function, secret=None):
        self.function = function
        self.secret = secret
        self.events = []
        self.bodies = []
        self.ids = []
        self.wrong = []
        self._lock = threading.Lock()
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.receiver = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/function"

    def take(self, headers, body):
        with self._lock:
            if self.secret:
                try:
                    verify(self.secret, headers, body, time.time())
                except (ValueError, KeyError) as error:
                    self.wrong.append(repr(error))
                    return 401, {}
            event = json.loads(body)
            if "Records" not in event:
                self.bodies.append(event)
            records = event.get("Records", [])
            status, answer = self.function(records)
            self.events.append((records, status))
            self.ids.append(headers["webhook-id"])
            return status, answer

    @property
    def records(self):
        """All that were in calls that went well."""
        with self._lock:
            return [record for records, status in self.events if status == 200 for record in records]

    def run(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@contextlib.contextmanager
def running_receiver(function, secret=None):
    receiver = Receiver(function, secret)
    receiver.run()
    try:
        yield receiver
    finally:
        receiver.close()
