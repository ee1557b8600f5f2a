"""stderr, stdout and the audit log are pipes that nobody reads: no request waits for whoever should read them."""

import contextlib
import fcntl
import os
import re
import signal
import subprocess
import time

import pytest
from pages import get
from ports import free_port
from server import Server, binary, running_server

TABLE = {
    "TableName": "told",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
# Each request is told of.
TALKATIVE = ["--slow-request", "0", "--log-level", "debug"]
PIPE_BYTES = 4096
STOP_TIMEOUT_S = 20


class Piped(Server):
    """A server whose stderr is a pipe with little room. `told()` reads what is there."""

    def __init__(self, data_dir, **options):
        super().__init__(data_dir, **options)
        self._read_end, write_end = os.pipe()
        fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        os.set_blocking(self._read_end, False)
        self._log.close()
        self._log = os.fdopen(write_end, "wb", buffering=0)

    def log(self):
        return "(nobody reads it)"

    def told(self):
        text, quiet = b"", 0
        while quiet < 20:
            with contextlib.suppress(BlockingIOError):
                piece = os.read(self._read_end, 1 << 16)
                text, quiet = text + piece, -1
            quiet += 1
            time.sleep(0.005)
        return text.decode()


@pytest.fixture
def server(tmp_path):
    piped = Piped(tmp_path, extra_args=TALKATIVE)
    try:
        yield piped.start()
    finally:
        piped.kill()


def dropped(server, log="server"):
    found = re.search(rf'^partita_log_lines_dropped_total\{{log="{log}"\}} (\d+)', get(server, "/metrics")[1], re.MULTILINE)
    return int(found.group(1)) if found else None


def talk_until_lines_are_dropped(server):
    client = server.client(read_timeout=5)
    client.create_table(**TABLE)
    for number in range(20_000):
        client.put_item(TableName="told", Item={"id": {"S": str(number)}})
        if number % 100 == 99 and dropped(server) > 100:
            return
    raise AssertionError("nothing was dropped")


def test_requests_do_not_wait_for_whoever_reads_stderr(server):
    talk_until_lines_are_dropped(server)
    assert get(server, "/health") == (200, "alive\n")
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(STOP_TIMEOUT_S) == 0


def test_it_says_how_many_lines_were_lost_once_it_is_read(server):
    talk_until_lines_are_dropped(server)
    lost = dropped(server)
    text = server.told()
    said = re.findall(r" warn  The log lost (\d+) lines because nobody read stderr\.\n", text)
    assert len(said) == 1 and int(said[0]) >= lost, text[-500:]
    server.client().put_item(TableName="told", Item={"id": {"S": "heard"}})
    assert "PutItem was answered 200" in server.told()
    assert dropped(server) == int(said[0])


def test_a_stopped_reader_of_the_audit_log_is_not_waited_for(tmp_path):
    fifo = tmp_path / "audit"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    try:
        with running_server(in_memory=True, extra_args=["--audit-log", str(fifo), "--audit-data"]) as server:
            client = server.client(read_timeout=5)
            client.create_table(**TABLE)
            for number in range(100):
                client.put_item(TableName="told", Item={"id": {"S": str(number)}})
            assert dropped(server, "audit") > 10
    finally:
        os.close(reader)


def test_a_full_stdout_does_not_keep_it_from_serving(tmp_path):
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(write_end, b"x" * PIPE_BYTES)
    os.set_blocking(write_end, True)
    port = free_port()
    command = [binary(), "serve", "--in-memory", "--listen", f"127.0.0.1:{port}"]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": write_end, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        server = Server(tmp_path, port=port)
        server.url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + STOP_TIMEOUT_S
        try:
            while not answers(server):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            process.terminate()
            _, told = process.communicate(timeout=STOP_TIMEOUT_S)
        finally:
            process.kill()
    os.close(read_end)
    os.close(write_end)
    assert process.returncode == 0
    assert "its ready line could not be written to stdout" in told


def test_closed_standard_files_are_not_those_of_the_store(tmp_path):
    data, port = tmp_path / "data", free_port()
    command = [binary(), "serve", "--data", str(data), "--listen", f"127.0.0.1:{port}", *TALKATIVE]
    shut = subprocess.Popen(["sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-', *command])
    server = Server(tmp_path, port=port)
    server.url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while not answers(server):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        server.client().create_table(**TABLE)
        server.client().put_item(TableName="told", Item={"id": {"S": "kept"}})
        files = [os.readlink(f"/proc/{shut.pid}/fd/{number}") for number in range(3)]
        shut.terminate()
        assert shut.wait(STOP_TIMEOUT_S) == 0
    finally:
        shut.kill()
        shut.wait()
    assert files == ["/dev/null"] * 3
    with running_server(data_dir=data) as again:
        assert "Item" in again.client().get_item(TableName="told", Key={"id": {"S": "kept"}})


def answers(server):
    with contextlib.suppress(OSError):
        return get(server, "/health")[0] == 200
    return False
