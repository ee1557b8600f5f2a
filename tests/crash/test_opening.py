"""Servers that are killed between two steps of opening a store: the next server finds all that was acknowledged.

strace kills the server at a call that opening makes.
"""

import re
import shutil
import signal
import subprocess

import pytest
from common import create_table
from ports import free_port
from server import binary, is_sanitized, running_server
from waiting import PATIENCE_S, wait_until

# As many as one thread makes of each during an opening.
MOST = {"fdatasync": 6, "fsync": 2, "rename": 2, "unlink": 2}
MOMENTS = [(call, n) for call, most in MOST.items() for n in range(1, most + 1)]
RUNS_S = 1.5  # longer than an opening takes, usually
ITEMS = 20

pytestmark = [
    pytest.mark.skipif(not shutil.which("strace"), reason="there is no strace"),
    pytest.mark.skipif(is_sanitized(), reason="a sanitizer's process has no room for strace's"),
]


def open_and_kill(directory, call, n):
    """Kills the server at the `n`th call of `call`. Each opening makes the first one, and perhaps fewer than `n`."""
    serve = [binary(), "serve", "--listen", f"127.0.0.1:{free_port()}", "--data", directory, "--log-level", "error"]
    traced = ["strace", "-f", "-o", "/dev/null", "-e", f"inject={call}:signal=SIGKILL:when={n}", *map(str, serve)]
    process = subprocess.Popen(traced, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        assert process.wait(PATIENCE_S if n == 1 else RUNS_S) in (-signal.SIGKILL, 128 + signal.SIGKILL)
    except subprocess.TimeoutExpired:
        assert n > 1, f"the opening made no call of {call}"
    finally:
        subprocess.run(["pkill", "-KILL", "-s", str(process.pid)], check=False)
        process.wait()
        wait_until(lambda: subprocess.run(["pgrep", "-s", str(process.pid)], stdout=subprocess.DEVNULL).returncode)


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A store of a killed server."""
    directory = tmp_path_factory.mktemp("killed") / "store"
    with running_server(data_dir=directory) as server:
        client = server.client()
        create_table(client, "things", {"pk": "S"})
        for n in range(ITEMS):
            client.put_item(TableName="things", Item={"pk": {"S": f"{n}"}})
        server.kill()
    return directory


@pytest.mark.parametrize("call, n", MOMENTS)
def test_a_store_is_as_it_was(killed, tmp_path, call, n):
    directory = tmp_path / "store"
    shutil.copytree(killed, directory, ignore=shutil.ignore_patterns("*.sock"))
    open_and_kill(directory, call, n)
    open_and_kill(directory, call, n)
    with running_server(data_dir=directory) as server:
        assert server.client().scan(TableName="things", Select="COUNT")["Count"] == ITEMS


@pytest.mark.parametrize("call, n", MOMENTS)
def test_a_new_store_is_made_again(tmp_path, call, n):
    directory = tmp_path / "store"
    open_and_kill(directory, call, n)
    open_and_kill(directory, call, n)
    with running_server(data_dir=directory) as server:
        create_table(server.client(), "things", {"pk": "S"})


@pytest.mark.parametrize("is_new", [True, False])
def test_current_and_the_first_write_come_last(killed, tmp_path, is_new):
    directory = tmp_path / "store"
    if not is_new:
        shutil.copytree(killed, directory, ignore=shutil.ignore_patterns("*.sock"))
    trace = tmp_path / "trace"
    port = free_port()
    serve = [binary(), "serve", "--listen", f"127.0.0.1:{port}", "--data", str(directory), "--log-level", "error"]
    calls = "fdatasync,fsync,rename,unlink"
    command = ["strace", "-f", "-y", "-o", str(trace), "-e", f"trace={calls}", *serve]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    try:
        process.stdout.readline()
        wait_until(lambda: "unlink(" in trace.read_text())
    finally:
        subprocess.run(["pkill", "-TERM", "-s", str(process.pid)], check=False)
        process.wait(30)
        process.stdout.close()
    text = trace.read_text()
    named = text.index('/CURRENT")')
    synced = [text.index(f"{what}") for what in ("dbtmp>)", "MANIFEST-")]
    assert max(synced) < named
    listed = re.compile(rf"fsync\(\d+<{re.escape(str(directory))}>\)").search(text, named)
    assert listed and listed.start() < text.index("unlink(")
