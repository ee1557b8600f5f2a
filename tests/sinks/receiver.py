"""A function behind a hook: it takes events, checks their signatures, and answers as a test tells it.

    with running_receiver(lambda records: (200, {})) as receiver:
        create_sink(server, "orders", receiver.url)
        wait_until(lambda: receiver.records)

As a program, which kill -9 ends: python3 receiver.py PORT FILE. A line of the file is a key and a value of n, in JSON.
"""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from ports import free_port  # noqa: E402

TOLERANCE_S = 300
START_TIMEOUT_S = 30


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
    """`events`: the records of each call, and the status that it was answered. `bodies`: what else was posted.
    `of_event`: the answer to an event, instead of the function of its records. What it raises is in `wrong`."""

    def __init__(self, function, secret=None, port=0, of_event=None):
        self.function = function
        self.of_event = of_event
        self.secret = secret
        self.events = []
        self.bodies = []
        self.ids = []
        self.wrong = []
        self._lock = threading.Lock()
        self._server = Server(("127.0.0.1", port), Handler)
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
            status, answer = self._answer(event, records)
            self.events.append((records, status))
            self.ids.append(headers["webhook-id"])
            return status, answer

    def _answer(self, event, records):
        if self.of_event is None:
            return self.function(records)
        try:
            return 200, self.of_event(event)
        except (AssertionError, LookupError, ValueError) as error:
            self.wrong.append(repr(error))
            return 500, {}

    @property
    def records(self):
        """All that were in calls that went well."""
        with self._lock:
            return [record for records, status in self.events if status == 200 for record in records]

    def serve(self):
        self._server.serve_forever()

    def run(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@contextlib.contextmanager
def running_receiver(function, secret=None, of_event=None):
    receiver = Receiver(function, secret, of_event=of_event)
    receiver.run()
    try:
        yield receiver
    finally:
        receiver.close()


class ReceiverProgram:
    """start() and kill() may follow each other: it keeps its port and its file. What was killed before it answered may
    be in the file, and comes again."""

    def __init__(self, directory):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/function"
        self.file = directory / "received"
        self.file.touch()
        self.process = None

    def start(self):
        command = [sys.executable, __file__, str(self.port), str(self.file)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return self
            assert self.process.poll() is None and time.monotonic() < deadline, "no receiver"
            time.sleep(0.05)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def taken(self):
        """[key, n] of each record, in the order of arrival."""
        return [json.loads(line) for line in self.file.read_text().splitlines()]


@contextlib.contextmanager
def running_receiver_program(directory):
    program = ReceiverProgram(directory)
    try:
        yield program.start()
    finally:
        program.kill()


def note_in(file):
    """A function that succeeds once its records are in the file, all or none of them."""

    def note(records):
        images = [record["dynamodb"]["NewImage"] for record in records]
        os.write(file, "".join(json.dumps([image["p"]["S"], int(image["n"]["N"])]) + "\n" for image in images).encode())
        return 200, {}

    return note


if __name__ == "__main__":
    noted = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND)
    Receiver(note_in(noted), port=int(sys.argv[1])).serve()
