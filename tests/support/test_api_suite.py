"""What the suites themselves promise to whoever reads their output."""

import os
import pathlib
import shutil
import subprocess
import sys

API = pathlib.Path(__file__).resolve().parents[1] / "api"
FAILING = """
import pytest
from client import ok

@pytest.mark.op("ListTables")
def test_one(new_table):
    assert ok("ListTables")["TableNames"] == ["a table that nobody made"]

@pytest.mark.op("ListTables")
def test_never_reached():
    pass
"""


def run_suite(folder, *options):
    """Runs the API suite with only FAILING in it, and gives what it says."""
    suite = folder / "tests" / "api"
    suite.mkdir(parents=True)
    for name in ("conftest.py", "client.py", "tables.py"):
        shutil.copy(API / name, suite)
    shutil.copytree(API.parent / "support", suite.parent / "support")
    (suite / "test_failing.py").write_text(FAILING)
    environment = {name: value for name, value in os.environ.items() if name != "PARTITA_ENDPOINT"}
    root = API.parents[1]
    environment.setdefault("PARTITA_BINARY", str(root / "build" / "release" / "partita"))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, suite],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )


def test_stopping_at_the_first_failure_shows_it(tmp_path):
    ran = run_suite(tmp_path, "-x")
    assert ran.returncode == 1, ran.stdout
    assert "a table that nobody made" in ran.stdout
    assert "INTERNALERROR" not in ran.stdout and "ConnectionRefused" not in ran.stdout, ran.stdout
    assert "1 failed" in ran.stdout and "error" not in ran.stdout.splitlines()[-1], ran.stdout
