"""./dev reports its progress while it installs, configures and builds, and hides no output of what failed."""

import os
import pathlib
import pty
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEV = (ROOT / "dev").read_text()
PHASES = DEV[DEV.index("# Seconds as a clock"):DEV.index("# --- packages ---")]
PROGRESS = [sys.executable, ROOT / "cmake/progress.py"]
STEP = re.compile(r"   \[(\d+)/3\] \d+:\d\d elapsed(, about \d+:\d\d left)?")


def phase(command, between=0.2):
    """What `phase` prints of a command that is no longer than one line of bash."""
    text = f"set -euo pipefail\nsay() {{ echo \"== $*\" >&2; }}\n{PHASES}\nphase Working {command}\necho \"<$output>\""
    return subprocess.run(["/bin/bash", "-c", text], env=os.environ | {"SECONDS_BETWEEN_LINES": str(between)},
                          capture_output=True, text=True, timeout=60)


def test_a_phase_reports_that_it_still_runs_and_keeps_its_output():
    ran = phase("bash -c 'echo said; sleep 2'")
    first, *lines = ran.stderr.splitlines()
    assert first == "== Working"
    assert len(lines) >= 3 and all(re.fullmatch(r"   0:\d\d elapsed", line) for line in lines)
    assert ran.stdout == "<said>\n"


def test_a_phase_that_fails_shows_its_output():
    ran = phase("bash -c 'echo said; exit 3'", between=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (3, "", "== Working\nsaid\n")


@pytest.mark.parametrize("caller, status, last", [
    ("need build", 1, "apt-get update failed; see above."),
    ("need_package_index", 1, "apt-get update failed; see above."),
    ("need_newest release", 0, "== The package index could not be fetched; it may be old."),
])
def test_fetching_the_package_index_is_a_phase_whatever_needs_it(tmp_path, caller, status, last):
    programs = {"apt-get": "echo said; sleep 1; exit 100", "apt-cache": "", "find": "", "sudo": 'exec "$@"'}
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    functions = DEV[DEV.index("# Bold on a terminal"):DEV.index("# --- building ---")]
    text = f"set -euo pipefail\nPYTHON=true\n{functions}\nmissing_packages() {{ echo lacked; }}\n{caller}"
    environment = os.environ | {"SECONDS_BETWEEN_LINES": "0.2", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ran = subprocess.run(["/bin/bash", "-c", text], env=environment, capture_output=True, text=True, timeout=60)
    first, *lines = ran.stderr.splitlines()
    assert (ran.returncode, ran.stdout, first) == (status, "", "== Fetching the package index")
    assert len(lines) >= 5 and all(re.fullmatch(r"   0:\d\d elapsed", line) for line in lines[:-2])
    assert [line.removeprefix("./dev: ") for line in lines[-2:]] == ["said", last]


def ninja_folder(folder, *commands):
    """A folder whose build has these commands as its steps, one after the other."""
    lines = ["rule step", "  command = $run", "  description = Building $out"]
    for number, command in enumerate(commands):
        lines += [f"build step{number}: step {f'step{number - 1}' if number else ''}", f"  run = {command}"]
    (folder / "build.ninja").write_text("\n".join(lines) + "\n")
    return folder


def build(folder, *targets, between=0.2):
    return subprocess.run([*PROGRESS, folder, *targets], env=os.environ | {"SECONDS_BETWEEN_LINES": str(between)},
                          capture_output=True, text=True, timeout=60)


@pytest.fixture(name="three")
def three_steps(tmp_path):
    return ninja_folder(tmp_path, *(f"sleep 1.2 && touch step{number}" for number in range(3)))


def test_a_build_reports_steps_and_times(three):
    lines = build(three).stderr.splitlines()
    steps = [STEP.fullmatch(line) for line in lines[:-1]]
    assert None not in steps
    assert sorted({step[1] for step in steps}) == ["0", "1", "2"]
    assert all((step[2] is None) == (step[1] == "0") for step in steps)
    assert re.fullmatch(r"   \[3/3\] built in 0:\d\d", lines[-1])


def test_a_build_expects_what_its_steps_took_before(three):
    # A step of ten seconds and two of none: with the first done all is.
    rows = [f"0\t{milliseconds}\t0\tstep{number}\t0" for number, milliseconds in enumerate((10000, 1, 1))]
    (three / ".ninja_log").write_text("\n".join(["# ninja log v5", *rows]) + "\n")
    lines = build(three).stderr.splitlines()
    assert any(line.startswith("   [1/3]") and line.endswith("about 0:00 left") for line in lines)


def test_a_build_up_to_date_reports_nothing(three):
    build(three)
    assert build(three).stderr == ""


def test_a_build_that_fails_shows_the_output_of_its_compiler(tmp_path):
    ran = build(ninja_folder(tmp_path, "echo x.cc:1: error; exit 1"), between=60)
    assert ran.returncode == 1
    assert "x.cc:1: error" in ran.stderr.splitlines()


def test_a_warning_is_shown(tmp_path):
    ran = build(ninja_folder(tmp_path, "echo x.cc:1: warning; touch step0"), between=60)
    assert (ran.returncode, ran.stderr) == (0, "x.cc:1: warning\n   [1/1] built in 0:00\n")


def test_a_terminal_has_one_line_of_progress(three):
    ours, theirs = pty.openpty()
    with subprocess.Popen([*PROGRESS, three], stderr=theirs) as ran:
        os.close(theirs)
        shown = b""
        while chunk := read(ours):
            shown += chunk
    os.close(ours)
    assert ran.returncode == 0
    assert shown.count(b"\n") == 1
    assert b"\r[1/3] " in shown and b"\r[3/3] built in " in shown


def read(terminal):
    try:
        return os.read(terminal, 1024)
    except OSError:  # its other end is closed
        return b""
