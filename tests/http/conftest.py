"""One server for the whole suite: whatever a case throws at it, the next case must still be answered."""

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import raw  # noqa: E402  (it stands beside this file)
from server import running_server  # noqa: E402

REQUEST_TIMEOUT_S = 2
IDLE_TIMEOUT_S = 4
MAX_CONNECTIONS = 200


@pytest.fixture(scope="session")
def shared_server():
    limits = ["--request-timeout", REQUEST_TIMEOUT_S, "--idle-timeout", IDLE_TIMEOUT_S]
    limits += ["--max-connections", MAX_CONNECTIONS, "--threads", 2, "--allow-origin", "http://example.com"]
    with running_server(in_memory=True, extra_args=map(str, limits)) as started:
        yield started


@pytest.fixture
def server(shared_server):
    """The shared server; it is checked after the case that it still runs and answers."""
    yield shared_server
    assert shared_server.running(), shared_server.log()
    raw.assert_healthy(shared_server)
