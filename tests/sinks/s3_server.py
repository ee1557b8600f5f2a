"""moto as a server of S3, which forgets everything when it is killed, and a relay in front of it.

    with running_s3() as s3, running_s3_relay(s3) as relay:
        s3.client.create_bucket(Bucket="music")
        relay.fate = lambda method, key: "lost"     # done, and the connection ends without a reply
        files_of(s3, "music")                       # what the manifest names
"""

import contextlib
import http.client
import http.server
import json
import subprocess
import tempfile
import threading
import time

from kinesis_servers import installed
from ports import free_port

START_TIMEOUT_S = 60
KEPT_HEADERS = ("Authorization", "Content-Type", "If-None-Match", "X-Amz-Content-Sha256", "X-Amz-Date", "X-Amz-Security-Token", "Host")
SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"


class S3:
    def __init__(self):
        import boto3
        from botocore.config import Config

        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = ["setpriv", "--pdeathsig=KILL", "--", installed("moto") / "bin" / "moto_server", "-H", "127.0.0.1", "-p", str(self.port)]
        self._log = tempfile.TemporaryFile()
        session = boto3.session.Session(aws_access_key_id="local", aws_secret_access_key="local", region_name="us-east-1")
        self.client = session.client("s3", endpoint_url=self.url, config=Config(retries={"max_attempts": 8}))
        self._process = None

    def start(self):
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            with contextlib.suppress(Exception):
                self.client.list_buckets()
                return
            assert self._process.poll() is None and time.monotonic() < deadline, "moto does not start"
            time.sleep(0.1)

    def kill(self):
        self._process.kill()
        self._process.wait()

    def objects(self, bucket):
        """{key: bytes}"""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        keys = [each["Key"] for page in pages for each in page.get("Contents", [])]
        return {key: self.client.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys}


@contextlib.contextmanager
def running_s3():
    s3 = S3()
    s3.start()
    try:
        yield s3
    finally:
        s3.kill()


class Relay(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, s3):
        super().__init__(("127.0.0.1", 0), Handler)
        self.port = s3.port
        self.url = f"http://127.0.0.1:{self.server_port}"
        # What becomes of a request: None (it is done), "refused" (a connection that ends), "lost" (the same, when it is
        # done), "slow" (503).
        self.fate = lambda method, path: None
        self.fates = []
        self.seen = []  # (method, path, headers, body)

    def handle_error(self, request, client_address):
        """A client that goes is no fault."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def _answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _relay(self):
        relay = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: self.headers[name] for name in KEPT_HEADERS if name in self.headers}
        relay.seen.append((self.command, self.path, headers, body))
        fate = relay.fate(self.command, self.path)
        if fate:
            relay.fates.append(fate)
        if fate == "slow":
            return self._answer(503, SLOW_DOWN)
        self.close_connection = bool(fate)
        if fate == "refused":
            return None
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", relay.port, timeout=60)) as connection:
            connection.request(self.command, self.path, body or None, headers)
            reply = connection.getresponse()
            status, body = reply.status, reply.read()
        return None if fate == "lost" else self._answer(status, body)

    do_GET = do_PUT = _relay


@contextlib.contextmanager
def running_s3_relay(s3):
    relay = Relay(s3)
    thread = threading.Thread(target=relay.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield relay
    finally:
        relay.shutdown()
        thread.join()
        relay.server_close()


def files_of(s3, bucket, prefix=""):
    """[(slice, line)] of the files that the manifest names, which have no compression; those of a slice in their order."""
    return lines_of(s3.objects(bucket), prefix)


def lines_of(objects, prefix=""):
    manifest = [json.loads(body) for key, body in objects.items() if key.startswith(f"{prefix}manifest/")]
    found = []
    for entry in sorted(manifest, key=lambda entry: (entry["slice"], entry["first"])):
        lines = [json.loads(line) for line in objects[prefix + entry["file"]].splitlines()]
        assert len(lines) == entry["changes"]
        assert [lines[0]["position"], lines[-1]["position"]] == [entry["first"], entry["last"]]
        assert {line["slice"] for line in lines} == {entry["slice"]}
        found += [(str(entry["slice"]), line) for line in lines]
    return found


def assert_all_described(objects, prefix=""):
    """Each file has an entry in the manifest, and there is nothing else."""
    files = {key for key in objects if key.startswith(f"{prefix}changes-")}
    manifest = {key for key in objects if key.startswith(f"{prefix}manifest/")}
    assert {prefix + json.loads(objects[key])["file"] for key in manifest} == files and len(manifest) == len(files)
    assert set(objects) - files - manifest == {f"{prefix}once", f"{prefix}sink.json"}
