"""What the program says and how it ends."""

import pathlib
import re
import signal
import socket
import subprocess
import time

import pytest
from raw import connection, exchange, request
from server import binary, running_server


def run(*words):
    return subprocess.run([binary(), *map(str, words)], capture_output=True, text=True, timeout=60)


def assert_one_sentence(text):
    assert re.fullmatch(r"partita: [^\n]+\.\n", text), text


def test_version():
    done = run("version")
    assert done.returncode == 0
    assert re.fullmatch(r"partita \d+\.\d+\.\d+\n", done.stdout)


@pytest.mark.parametrize("words", [["help"], ["--help"], ["serve", "--help"], ["version", "--help"], ["help", "serve"]])
def test_help(words):
    done = run(*words)
    assert done.returncode == 0 and done.stderr == ""
    assert "Usage: partita" in done.stdout


@pytest.mark.parametrize("words", [[], ["dance"], ["serve", "--dance"], ["serve", "--listen", "x"], ["serve", "--threads"]])
def test_misuse(words):
    done = run(*words)
    assert done.returncode == 2 and done.stdout == ""
    assert_one_sentence(done.stderr)


@pytest.mark.parametrize("in_memory", [True, False])
def test_the_ready_line(in_memory):
    with running_server(in_memory=in_memory) as server:
        place = "memory" if in_memory else str(server.data_dir)
        pattern = rf"partita \d+\.\d+\.\d+ is serving DynamoDB on {re.escape(server.url)}, data in {re.escape(place)}\n"
        assert re.fullmatch(pattern, server.ready_line)
        assert exchange(server, request()).status == 200


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_cleanly(how):
    with running_server(in_memory=True) as server, connection(server) as idle:
        idle.send(request())
        assert idle.reply().status == 200
        begin = time.monotonic()
        server.process.send_signal(how)
        assert server.process.wait(20) == 0
        assert time.monotonic() - begin < 3
        assert idle.at_end()


def test_a_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("serve", "--in-memory", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert done.returncode == 1 and done.stdout == ""
    assert_one_sentence(done.stderr)
    assert "in use" in done.stderr


def test_an_address_of_another_machine():
    done = run("serve", "--in-memory", "--listen", "192.0.2.1:0")
    assert done.returncode == 1
    assert_one_sentence(done.stderr)


@pytest.mark.parametrize("place", ["/dev/null/x", "/proc/x", "/dev/null"])
def test_a_directory_that_cannot_be_written(place):
    done = run("serve", "--listen", "127.0.0.1:0", "--data", place)
    assert done.returncode == 1 and done.stdout == ""
    assert_one_sentence(done.stderr)
    assert place in done.stderr


def test_a_directory_that_is_in_use():
    with running_server() as server:
        done = run("serve", "--listen", "127.0.0.1:0", "--data", server.data_dir)
        assert done.returncode == 1 and done.stdout == ""
        assert_one_sentence(done.stderr)
        assert str(server.data_dir) in done.stderr
        assert exchange(server, request()).status == 200


def test_a_store_that_is_damaged(tmp_path):
    with running_server(data_dir=tmp_path):
        pass
    for name in pathlib.Path(tmp_path).rglob("CURRENT"):
        name.write_bytes(b"nonsense")
    done = run("serve", "--listen", "127.0.0.1:0", "--data", tmp_path)
    assert done.returncode == 1 and done.stdout == ""
    assert_one_sentence(done.stderr)
    assert str(tmp_path) in done.stderr
