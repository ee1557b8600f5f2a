"""Starts under ever tighter limits of threads, memory and open files: a server either serves, or says in one sentence
why it cannot and ends with exit code 1. It never aborts, and never takes requests that it does not answer.

The ordinary run tries a few limits of each kind; PARTITA_LIMITS=all tries every one."""

import contextlib
import json
import os
import pathlib
import pwd
import resource
import select
import shutil
import socket
import ssl
import subprocess
import tempfile
import time

import pytest
from certificate import write_certificate
from ports import free_port
from postgres import running_postgres
from server import binary, is_sanitized

ALL = os.environ.get("PARTITA_LIMITS") == "all"
MIB = 1 << 20
ANSWER_TIMEOUT_S = 20
STOP_TIMEOUT_S = 20
NAMESPACES = 6
SIGNED = ("Authorization: AWS4-HMAC-SHA256 Credential=local/20260102/us-east-1/dynamodb/aws4_request, "
          "SignedHeaders=host;x-amz-date, Signature=0123456789abcdef")

THREADS = range(1, 25)
MEMORY_MIB = [*range(40, 200, 10), *range(200, 520, 40), 2000]  # a thread reserves 64 MiB of addresses or more
FILES = range(6, 80)
SHORT = {"threads": (1, 4, 7, 8, 9, 10, 12, 14, 16), "memory": (60, 120, 180, 240, 320, 440, 2000), "files": (10, 16, 18, 24, 40, 56, 64)}
LIMITS = {"threads": THREADS, "memory": MEMORY_MIB, "files": FILES}

pytestmark = pytest.mark.skipif(is_sanitized(), reason="a sanitizer's own memory and threads are beyond these limits")


def steps(kind):
    return LIMITS[kind] if ALL else SHORT[kind]


class User:
    """Whose threads are counted: the kernel lets root have any number of them."""

    def __init__(self):
        self.prefix = []
        self.uid, self.gid = os.geteuid(), os.getegid()
        if self.uid == 0:
            names = {user.pw_name: user for user in pwd.getpwall()}
            user = names.get("games") or names["nobody"]
            self.uid, self.gid = user.pw_uid, user.pw_gid
            self.prefix = ["setpriv", f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"]

    def threads(self):
        count = 0
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            with contextlib.suppress(OSError):
                lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
                if int(lines["Uid"].split()[0]) == self.uid:
                    count += int(lines["Threads"])
        return count


def command_under(kind, limit, user):
    if kind == "threads":
        return [*user.prefix, "prlimit", f"--nproc={user.threads() + limit}"]
    if kind == "memory":
        return [*user.prefix, "prlimit", f"--as={limit * MIB}"]
    return [*user.prefix, "prlimit", f"--nofile={limit}"]


def ask(port, context, space=""):
    """The status of ListTables, answered in time."""
    with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_TIMEOUT_S) as plain:
        plain.settimeout(ANSWER_TIMEOUT_S)
        with context.wrap_socket(plain) if context else contextlib.nullcontext(plain) as connection:
            lines = ["POST / HTTP/1.1", "Host: h", "X-Amz-Target: DynamoDB_20120810.ListTables", "Connection: close", SIGNED,
                     "X-Amz-Date: 20260102T000000Z", "Content-Type: application/x-amz-json-1.0", "Content-Length: 2"]
            if space:
                lines.append(f"X-Partita-Namespace: {space}")
            connection.sendall(("\r\n".join(lines) + "\r\n\r\n{}").encode())
            reply = b""
            with contextlib.suppress(ConnectionResetError, ssl.SSLError):
                while piece := connection.recv(1 << 16):
                    reply += piece
    return int(reply.split()[1]) if reply.startswith(b"HTTP/1.1 ") else 0


def first_line(process):
    ready, _, _ = select.select([process.stdout], [], [], 60)
    assert ready, "neither served nor ended"
    return process.stdout.readline()


def what_happens(kind, command, port, context):
    """"serves" or the sentence that it ended with; fails for anything else."""
    # One that there is no thread or memory for is refused so that SDKs try again.
    refusals = {500, 503} if kind == "memory" else set()
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
        told = lambda: (log.seek(0), log.read())[1]
        try:
            if not first_line(process):
                assert process.wait(STOP_TIMEOUT_S) == 1, (process.returncode, told())
                sentences = [line for line in told().splitlines() if line.startswith("partita: ")]
                assert len(sentences) == 1, told()
                return sentences[0]
            assert ask(port, context) in {200} | refusals, told()
            statuses = [ask(port, context, f"space{number}") for number in range(NAMESPACES)]
            assert set(statuses) <= {200, 500, 503}, (statuses, told())
            assert ask(port, context) in {200} | refusals, (statuses, told())
            assert process.poll() is None, told()
            process.terminate()
            assert process.wait(STOP_TIMEOUT_S) == 0, (process.returncode, told())
            return "serves"
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def sweep(kind, extra, store=None, context=None):
    user = User()
    found = {}
    for limit in steps(kind):
        directory = pathlib.Path(tempfile.mkdtemp(prefix="partita-limits-"))
        os.chown(directory, user.uid, user.gid)
        port = free_port()
        command = [*command_under(kind, limit, user), binary(), "serve", "--listen", f"127.0.0.1:{port}", "--namespaces", "header",
                   *extra, *(["--store", store] if store else ["--data", str(directory)])]
        try:
            found[limit] = what_happens(kind, command, port, context)
        except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
            raise AssertionError(f"{kind} {limit}: {error}") from error
        finally:
            shutil.rmtree(directory, ignore_errors=True)
    return found


@pytest.fixture
def place():
    """A directory that the user can look into."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="partita-limits-"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


def check(found):
    """The least ends, and the most serves."""
    outcomes = list(found.values())
    assert outcomes[0] != "serves" and outcomes[-1] == "serves", json.dumps(found, indent=1)


@pytest.mark.parametrize("kind", LIMITS)
def test_a_server_over_a_directory(kind):
    check(sweep(kind, ["--threads", "2"]))


@pytest.mark.parametrize("kind", LIMITS)
def test_a_server_that_speaks_tls(kind, place):
    certificate, key = write_certificate(place, "server")
    key.chmod(0o644)
    context = ssl.create_default_context(cafile=str(certificate))
    context.check_hostname = False
    check(sweep(kind, ["--tls-cert", str(certificate), "--tls-key", str(key)], context=context))


@pytest.mark.parametrize("kind", LIMITS)
def test_a_server_over_postgresql(kind):
    with running_postgres(tcp=True) as postgres:
        check(sweep(kind, [], store=postgres.tcp_url))


def limit_threads(user, process, soft):
    """As the user: root may not touch limits of others everywhere."""
    words = "unlimited" if soft == resource.RLIM_INFINITY else soft
    subprocess.run([*user.prefix, "prlimit", f"--pid={process.pid}", f"--nproc={words}:"], check=True)


def test_a_namespace_that_no_thread_can_be_made_for(place):
    """The limit falls while the server runs."""
    user = User()
    directory = place / "data"
    directory.mkdir()
    os.chown(directory, user.uid, user.gid)
    port = free_port()
    command = [*user.prefix, binary(), "serve", "--listen", f"127.0.0.1:{port}", "--data", str(directory), "--namespaces", "header"]
    with open(place / "log", "w+") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert first_line(process)
            assert ask(port, None, "before") == 200
            usual = resource.getrlimit(resource.RLIMIT_NPROC)[0]
            limit_threads(user, process, 1)
            assert {ask(port, None, f"during{number}") for number in range(8)} == {503}
            assert ask(port, None, "before") == 200
            limit_threads(user, process, usual)
            assert ask(port, None, "during1") == 200
            process.terminate()
            assert process.wait(STOP_TIMEOUT_S) == 0
            log.seek(0)
            assert "The namespace during0 was not opened. " in log.read()
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
