"""Starts a real Partita server on a free port for a test, and ends it.

    with running_server(in_memory=True) as server:
        client = server.client()            # boto3, any credentials
        requests_go_to(server.url)          # "http://127.0.0.1:39871"

The binary is $PARTITA_BINARY, by default build/release/partita. Each server gets a fresh temporary directory, which is
removed afterwards, unless `data_dir` names one to keep. Leaving the `with` block stops the server with SIGTERM and
fails when it does not exit cleanly: a crash or a sanitizer's report in a test is never overlooked.
"""

import contextlib
import functools
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from ports import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_TIMEOUT_S = 30
STOP_TIMEOUT_S = 30
MAKING_CLIENTS = threading.Lock()  # boto3's sessions are not thread-safe


def binary():
    """The server program under test."""
    return os.environ.get("PARTITA_BINARY", str(ROOT / "build" / "release" / "partita"))


def is_sanitized():
    """Whether the server is built with a sanitizer, which keeps freed memory and asks for files of its own."""
    program = pathlib.Path(binary()).read_bytes()
    return b"__asan_init" in program or b"__tsan_init" in program


@functools.cache
def session():
    """boto3's, for all servers: a new one reads megabytes of JSON, which takes longer than a test's requests."""
    import boto3  # Only the tests that want a client need it.

    return boto3.session.Session(aws_access_key_id="local", aws_secret_access_key="local")


class Server:
    """One server process. `host`, `port` and `url` say where it listens, `data_dir` where its data is."""

    def __init__(self, data_dir, in_memory=False, extra_args=(), port=0, host="127.0.0.1", store=None, environment=None):
        self.data_dir = data_dir
        self._environment = {**os.environ, **environment} if environment else None
        self._arguments = [binary(), "serve"]
        if store:
            self._arguments += ["--store", store]
        else:
            self._arguments += ["--in-memory"] if in_memory else ["--data", str(data_dir)]
        self._arguments += list(extra_args)
        self._log = tempfile.NamedTemporaryFile()
        self.process = None
        self.host = host
        self.port = port or free_port(host)
        self.url = None
        self.ready_line = None

    def start(self):
        """Starts the process and waits until it serves. Started again, it listens on the same port."""
        arguments = self._arguments + ["--listen", f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"]
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log, env=self._environment)
        self.ready_line = self._read_line(time.monotonic() + START_TIMEOUT_S)
        found = re.search(r"https?://([\d.]+|\[[\da-f:]+\]):(\d+)", self.ready_line)
        if not found:
            self.kill()
            raise RuntimeError(f"the server did not start: {self.ready_line!r}\n{self.log()}")
        self.url = found.group(0)
        self.host, self.port = found.group(1).strip("[]"), int(found.group(2))
        return self

    def _read_line(self, deadline):
        line = b""
        out = self.process.stdout.fileno()
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([out], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                break
            byte = os.read(out, 1)
            if not byte:
                break
            line += byte
        return line.decode()

    def running(self):
        return self.process is not None and self.process.poll() is None

    def log(self):
        """What the server has written to stderr so far."""
        # The server shares the offset of our descriptor: to move it would make the server overwrite its own lines.
        return pathlib.Path(self._log.name).read_text()

    def stop(self):
        """Asks the server to stop, and fails unless it exits cleanly."""
        if self.process is None:
            return
        process, self.process = self.process, None
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = "none, it hung"
        process.stdout.close()
        if code != 0:
            raise AssertionError(f"the server did not stop cleanly (exit code {code})\n{self.log()}")

    def kill(self):
        """Ends the process at once, as a power cut would (kill -9)."""
        if self.process is None:
            return
        process, self.process = self.process, None
        process.kill()
        process.wait()
        process.stdout.close()

    def client(self, service="dynamodb", region="us-east-1", **config):
        """A boto3 client of this server; `service` may be "dynamodbstreams"."""
        with MAKING_CLIENTS:
            return session().client(service, **self._client_options(region, config))

    def resource(self, region="us-east-1", **config):
        """A boto3 resource of this server."""
        with MAKING_CLIENTS:
            return session().resource("dynamodb", **self._client_options(region, config))

    def _client_options(self, region, config):
        from botocore.config import Config

        options = {"retries": {"max_attempts": 0}, "read_timeout": 60, "connect_timeout": 10}
        return {"endpoint_url": self.url, "region_name": region, "config": Config(**{**options, **config})}


@contextlib.contextmanager
def running_server(in_memory=False, extra_args=(), data_dir=None, host="127.0.0.1", store=None, environment=None):
    """A started Server, stopped (and its directory removed, unless it was given) at the end of the block. `store`: the
    URL of one that is neither in a directory nor in memory. `environment`: variables beside those of the test."""
    directory = pathlib.Path(data_dir) if data_dir else pathlib.Path(tempfile.mkdtemp(prefix="partita-test-"))
    server = Server(directory, in_memory, extra_args, host=host, store=store, environment=environment)
    try:
        yield server.start()
        server.stop()
    finally:
        server.kill()
        if not data_dir:
            shutil.rmtree(directory, ignore_errors=True)
