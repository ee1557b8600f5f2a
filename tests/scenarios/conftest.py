"""The examples, run as a newcomer runs them, against each engine.

PARTITA_ENGINE (rocksdb, memory, postgres or foundationdb) picks one.
PARTITA_ENDPOINT (a URL) runs the suite against a server that runs already, whatever it is.
"""

import contextlib
import os
import pathlib
import subprocess
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
sys.path[:0] = [str(EXAMPLES), str(ROOT / "tests" / "support")]

import common  # noqa: E402  (the examples' own connection: tests use the same unmodified SDK)
from foundationdb import WITHOUT_CLUSTER  # noqa: E402
from postgres import store_arguments  # noqa: E402
from server import running_server  # noqa: E402

ENGINES = [os.environ["PARTITA_ENGINE"]] if "PARTITA_ENGINE" in os.environ else [
    "rocksdb", "memory", "postgres", pytest.param("foundationdb", marks=pytest.mark.skipif(**WITHOUT_CLUSTER))]


@contextlib.contextmanager
def server_under_test(engine):
    if "PARTITA_ENDPOINT" in os.environ:
        yield types.SimpleNamespace(url=os.environ["PARTITA_ENDPOINT"])
    else:
        with store_arguments(engine) as store, running_server(**store) as started:
            yield started


@pytest.fixture(scope="session", params=ENGINES)
def server(request):
    """One server for all scenarios of an engine: the examples stay out of each other's way."""
    with server_under_test(request.param) as started:
        yield started


@pytest.fixture(scope="session")
def dynamodb(server):
    return common.connect(server.url)


@pytest.fixture(scope="session")
def client(server):
    return common.connect_client(server.url)


@pytest.fixture(scope="session")
def run_program(server):
    """Runs an example that is not Python, and returns what it printed as {question: [answer, ...]}."""

    def run(*command):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        environment["PATH"] = f"/usr/bin:/bin:{os.environ['PATH']}"  # Debian's own aws before any other.
        done = subprocess.run(
            [*command, "--endpoint-url", server.url],
            cwd=EXAMPLES,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        answers = {}
        for line in done.stdout.splitlines():
            if line.startswith("    "):
                answers[question].append(line.strip())
            else:
                question = line
                answers[question] = []
        return answers

    return run


def refused(call, **request):
    """The error of a call that must be refused, as (name, text)."""
    with pytest.raises(common.ClientError) as caught:
        call(**request)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]
