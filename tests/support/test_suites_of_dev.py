"""./dev test runs suites beside each other: none is left behind when it is ended, and none is lost from the sum."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

DEV = (pathlib.Path(__file__).resolve().parents[2] / "dev").read_text()
SUITES = DEV[DEV.index("# --- tests ---"):DEV.index("# fuzz_tests NAME")]
TRAP = re.search("^ *trap interrupt_suites .*$", DEV, re.MULTILINE).group()

# Says that it runs, and when it is ended: what a suite's servers depend on.
ENDLESS = """import pathlib, time
def test():
    try:
        pathlib.Path(__file__).with_suffix(".begun").touch()
        time.sleep(60)
    finally:
        pathlib.Path(__file__).with_suffix(".ended").touch()
"""
KILLS_ITS_SHELL = "import os, signal\ndef test(): os.kill(os.getppid(), signal.SIGKILL)\n"


@contextlib.contextmanager
def suites(directory, lines, ignored=()):
    """The part of ./dev that runs suites in results/, as it runs these lines of bash."""
    (directory / "results").mkdir()
    head = [f"PYTHON='{sys.executable}' RESULTS=results PYTEST_OPTIONS=() AT_ONCE=2", "say() { :; }"]
    text = "\n".join(["set -euo pipefail", *head, SUITES, TRAP, *lines])
    ended_by = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # whoever runs the tests may ignore them

    def ignore():
        for each in ended_by:
            signal.signal(each, signal.SIG_IGN if each in ignored else signal.SIG_DFL)

    with subprocess.Popen(["/bin/bash", "-c", text], cwd=directory, stdout=subprocess.DEVNULL, preexec_fn=ignore,
                          env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}) as shell:
        try:
            yield shell
        finally:
            shell.kill()


def two_endless(directory):
    for name in ("one", "two"):
        (directory / f"test_{name}.py").write_text(ENDLESS)
    return [f"beside {name} python_tests test_{name}.py" for name in ("one", "two")]


def endless(directory, how):
    return sorted(each.stem for each in directory.glob(f"*.{how}"))


def wait_until_both_run(directory):
    deadline = time.monotonic() + 60
    while endless(directory, "begun") != ["test_one", "test_two"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("how, ignored", [("SIGINT", []), ("SIGHUP", []), ("SIGTERM", []), ("SIGTERM", [signal.SIGINT])])
def test_what_ends_it_ends_its_suites(tmp_path, how, ignored):
    with suites(tmp_path, [*two_endless(tmp_path), "wait"], ignored) as shell:
        wait_until_both_run(tmp_path)
        shell.send_signal(signal.Signals[how])
        assert shell.wait(30) == 130
    assert endless(tmp_path, "ended") == ["test_one", "test_two"]


def test_a_suite_that_ends_meanwhile_keeps_none_from_being_ended(tmp_path):
    no_process = 2**22
    jobs = f"jobs() {{ echo {no_process}; builtin jobs -rp; }}"
    with suites(tmp_path, [*two_endless(tmp_path), jobs, "wait"]) as shell:
        wait_until_both_run(tmp_path)
        shell.terminate()
        assert shell.wait(30) == 130
    assert endless(tmp_path, "ended") == ["test_one", "test_two"]


def test_what_did_not_run_to_its_end_is_broken(tmp_path):
    texts = {"good": "def test(): pass", "bad": "def test(): assert 0", "killed": KILLS_ITS_SHELL, "none": ""}
    for name, text in texts.items():
        (tmp_path / f"test_{name}.py").write_text(text)
    with suites(tmp_path, [*(f"beside {name} python_tests test_{name}.py" for name in texts), "wait"]) as shell:
        assert shell.wait(60) == 0
    assert sorted(each.stem for each in tmp_path.glob("results/*.broken")) == ["killed", "none"]
