"""./dev up starts the server that was just built, and leaves it alone while it is the one that runs."""

import os
import pathlib
import shutil
import subprocess

import ports
import server

DEV = (pathlib.Path(__file__).resolve().parents[2] / "dev").read_text()
SERVER = DEV[DEV.index("# --- the server that"):DEV.index("# --- tests ---")]
HEAD = """set -euo pipefail
PID_FILE=build/up.pid UP_LOG=build/up.log PYTHON=true
say() { echo "== $*"; }
die() { echo "$*"; exit 1; }
need() { :; }
build() { :; }
"""


def dev(folder, line):
    """What ./dev prints where everything is built."""
    return subprocess.run(["/bin/bash", "-c", f"{HEAD}{SERVER}\n{line}"], cwd=folder, capture_output=True, text=True,
                          timeout=60, check=False).stdout


def install(folder, preset):
    """Puts the program where a build of this preset would, in the place of an older one."""
    target = folder / "build" / preset / "partita"
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_suffix(".new")
    shutil.copy(server.binary(), new)
    new.rename(target)


def pid(folder):
    return int((folder / "build/up.pid").read_text().split()[0])


def test_a_server_of_an_older_build_is_restarted_and_no_other(tmp_path):
    port = ports.free_port()
    install(tmp_path, "release")
    install(tmp_path, "dev")
    try:
        dev(tmp_path, f"dev_up --port {port}")
        first = pid(tmp_path)
        assert "already runs" in dev(tmp_path, f"dev_up --port {port}")
        assert pid(tmp_path) == first
        install(tmp_path, "release")
        assert f"Stopping the server of another build (process {first})" in dev(tmp_path, f"dev_up --port {port}")
        second = pid(tmp_path)
        assert second != first
        dev(tmp_path, f"dev_up --debug --port {port}")
        assert os.readlink(f"/proc/{pid(tmp_path)}/exe") == str(tmp_path / "build/dev/partita")
    finally:
        assert "Stopped" in dev(tmp_path, "dev_down")


def test_what_up_does_not_take_is_named(tmp_path):
    assert dev(tmp_path, "dev_up --port") == "--port takes a number from 1 to 65535, such as 8001.\n"
    assert dev(tmp_path, "dev_up --port 99999") == '--port takes a number from 1 to 65535, such as 8001, not "99999".\n'
    assert dev(tmp_path, "dev_up --fast") == "up takes --port N and --debug, not --fast.\n"
