"""Starts servers on a core of their own, loads them from another, and looks at them from outside."""

import contextlib
import dataclasses
import http.client
import json
import os
import pathlib
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import signing
import workload

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "support"))
from ports import free_port  # noqa: E402
CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, CLIENT_CORE = {CORES[0]}, {CORES[-1]}
START_TIMEOUT_S = 60


def on(cores):
    return lambda: os.sched_setaffinity(0, cores)


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def real_time():
    """Real-time priority for this process and for those that it starts, so that a busy machine does not slow them down;
    yields whether that is allowed. Not on one core, where what waits for a server in a loop would stop it."""
    urgent = len(CORES) > 1
    try:
        if urgent:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        urgent = False
    try:
        yield urgent
    finally:
        if urgent:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


@contextlib.contextmanager
def telling(what, minutes):
    """Says every minute how many of so many are over, so that nobody takes the bench for dead."""
    over = threading.Event()

    def tell():
        minute = 1
        while minute < minutes and not over.wait(60):
            say(f"{what}: {minute} of {minutes:g} minutes")
            minute += 1

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def need_room(scratch, needed, what):
    """What is measured needs so many bytes of disk, and a GiB is to be left."""
    free = shutil.disk_usage(scratch).free
    if free < needed + 2**30:
        raise RuntimeError(
            f"{what} need {needed / 2**30:.0f} GiB and one more, and {free / 2**30:.0f} GiB are free."
        )


class Server:
    """A server that was started with `command` and is to listen on `port`; ended at the end of the block."""

    def __init__(self, command, port, cores=None):
        self.port = port
        self._log = tempfile.TemporaryFile("w+")
        started = time.perf_counter()
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
            preexec_fn=on(cores or SERVER_CORE),
        )
        try:
            self._wait_for_answer()
        except BaseException:
            self._end()
            raise
        self.start_ms = (time.perf_counter() - started) * 1000
        self.idle_mib = self.resident_mib()

    def _wait_for_answer(self):
        deadline = time.perf_counter() + START_TIMEOUT_S
        while time.perf_counter() < deadline:
            if self.process.poll() is not None:
                break
            try:
                if b" 200 " in exchange(self.port, "ListTables", {}).split(b"\r\n")[0]:
                    return
            except OSError:
                pass  # not yet
            time.sleep(0.0005)
        raise RuntimeError(f"{self.process.args[0]} did not start: {self.said()[:2000]}")

    def said(self):
        """What it has written to its standard outputs so far."""
        return os.pread(self._log.fileno(), 1 << 20, 0).decode(errors="replace")

    @property
    def pid(self):
        return self.process.pid

    def resident_mib(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def _end(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._end()


def partita(build, data=None, cores=None, options=()):
    """Partita with its data in this directory, or in memory."""
    port = free_port()
    where = ["--data", data] if data else ["--in-memory"]
    return Server([build / "partita", "serve", "--listen", f"127.0.0.1:{port}", *where, *options], port, cores)


@dataclasses.dataclass(frozen=True)
class Loop:
    """A raw loop that runs: what load() needs of a server."""

    process: subprocess.Popen
    port: int

    @property
    def pid(self):
        return self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.process.stdout.close()


def raw_loop(build, reply_bytes):
    command = [str(build / "bench" / "raw_loop"), str(reply_bytes)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=on(SERVER_CORE))
    return Loop(process, int(process.stdout.readline()))


def start_load(
    build, server, connections=1, seconds=1.0, rate=0, once=False, niceness=0, refusals=False, greeting=b""
):
    """A client that reads its requests from a pipe. `greeting`: what opens a connection for DAX."""

    def yielding():
        os.nice(niceness)
        os.sched_setaffinity(0, CLIENT_CORE)

    command = [build / "bench" / "load", "--port", server.port, "--pid", server.pid, "--connections", connections]
    command += ["--seconds", seconds, "--rate", rate] + (["--once"] if once else [])
    command += ["--refusals"] if refusals else []
    command += ["--greeting", greeting.hex()] if greeting else []
    return subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, preexec_fn=yielding,
    )


class LoadFailed(Exception):
    """The client's own words."""


def load(build, server, requests, **options):
    """Sends `requests` (lines) as bench/load.cc does; what it reports."""
    client = start_load(build, server, **options)
    out, err = client.communicate("".join(requests))
    return report_of(client, out, err, server)


def fill(build, server, requests, connections=16):
    """Sends each of `requests`, which may be a generator of more than there is memory for, once."""
    client = start_load(build, server, connections=connections, once=True)
    try:
        for line in requests:
            client.stdin.write(line)
    except BrokenPipeError:
        pass  # the client says why
    out, err = client.communicate()
    return report_of(client, out, err, server)


def prepare(build, server, requests):
    """Makes the workload's tables, then sends `requests`, which fill them."""
    fill(build, server, workload.create_tables(), connections=1)
    wait_until_active(server, workload.TABLES)
    fill(build, server, requests)


def report_of(client, out, err, server):
    if client.returncode == 0:
        return json.loads(out)
    said = server.said() if isinstance(server, Server) else ""
    raise LoadFailed(f"{err.strip()[:2000]}\nThe server's last words: {said[-2000:]}")


def wait_until_active(server, tables):
    for name in tables:
        for _ in range(200):
            if b'"ACTIVE"' in exchange(server.port, "DescribeTable", {"TableName": name}):
                break
            time.sleep(0.05)
        else:
            raise RuntimeError(f"the table {name} did not become active")


def exchange(port, operation, body):
    """One signed request, one reply, with nothing but a socket."""
    text = json.dumps(body)
    date = signing.now()
    head = (
        f"POST / HTTP/1.1\r\nHost: {signing.HOST}\r\nContent-Type: {signing.CONTENT_TYPE}\r\nConnection: close\r\n"
        f"X-Amz-Date: {date}\r\nX-Amz-Target: {signing.target_of(operation)}\r\n"
        f"Authorization: {signing.authorization(operation, text, date)}\r\nContent-Length: {len(text)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall((head + text).encode())
        reply = b""
        while chunk := connection.recv(65536):
            reply += chunk
    return reply


class Caller:
    """Calls over a connection that stays, by hand: the distribution's SDK does not know vectors. Nothing is signed."""

    HEADERS = {
        "Content-Type": signing.CONTENT_TYPE,
        "Authorization": "AWS4-HMAC-SHA256 Credential=local/20260102/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host, Signature=" + "0" * 64,
        "X-Amz-Date": "20260102T030405Z",
    }

    def __init__(self, port, timeout):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def ask(self, operation, body):
        """Status, and the answer. `body` is a text of JSON, or what becomes one."""
        raw = body if isinstance(body, str) else json.dumps(body)
        self._connection.request("POST", "/", raw, {**self.HEADERS, "X-Amz-Target": signing.target_of(operation)})
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    def __call__(self, operation, body):
        status, answer = self.ask(operation, body)
        if status != 200:
            raise RuntimeError(f"{operation}: {answer}")
        return answer


# --- the machine ------------------------------------------------------------------------------------------------------


def machine():
    cpu = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    name = cpu.group(1).strip() if cpu else "processor unknown"
    return f"{platform.machine()}, {len(CORES)} cores ({name})"


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def revision():
    changed = git("status", "--porcelain", "--", ".", ":!docs", ":!bench/results")
    return git("describe", "--always") + (" with changes" if changed else "")
