"""Fixtures for pytest: one server a session, and the same tables and items before each test.

    # conftest.py
    @pytest.fixture(scope="session")
    def partita_tables():
        def make(database):
            database.client().create_table(TableName="Music", ...)
        return make

    # test_music.py
    def test_that_a_song_is_added(dynamodb):
        dynamodb.Table("Music").put_item(Item={"Artist": "Acme"})

With pytest-xdist, all workers share a server, and each has a namespace of its own.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any, Callable, Iterator

import pytest

from partita._calls import CallFailed, Database
from partita._server import Server

CLEAN, START = "pytest-clean", "pytest-start"
SERVER = pytest.StashKey[Server]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("partita_options", "Options of `partita serve`, one per line, as --seed=tests/tables", type="linelist")
    parser.addini("partita_endpoint", "A running server, instead of one for the session. It runs with --namespaces key")


def _endpoint(config: pytest.Config) -> str:
    return os.environ.get("PARTITA_ENDPOINT") or config.getini("partita_endpoint")


def _new_server(config: pytest.Config) -> Server:
    return Server(options=["--namespaces", "key", *config.getini("partita_options")])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Before a worker of pytest-xdist begins, in the process that has the workers."""
    endpoint = _endpoint(node.config)
    if not endpoint:
        if SERVER not in node.config.stash:
            node.config.stash[SERVER] = _new_server(node.config).start()
        endpoint = node.config.stash[SERVER].endpoint_url
    node.workerinput["partita_endpoint"] = endpoint


def pytest_unconfigure(config: pytest.Config) -> None:
    if SERVER in config.stash:
        config.stash[SERVER].stop()


@pytest.fixture(scope="session")
def partita_endpoint(request: pytest.FixtureRequest) -> Iterator[str]:
    """The server's URL."""
    given = getattr(request.config, "workerinput", {}).get("partita_endpoint") or _endpoint(request.config)
    if given:
        yield given
        return
    with _new_server(request.config) as server:
        yield server.endpoint_url


@pytest.fixture(scope="session")
def partita_tables() -> Callable[[Database], None]:
    """Override it: a function that is called once, and makes the tables and items that each test finds."""
    return lambda database: None


@pytest.fixture(scope="session")
def partita_session(partita_endpoint: str, partita_tables: Callable[[Database], None]) -> Database:
    """The database of all tests of this session or worker, with the tables. Tests use `partita`."""
    database = Database(partita_endpoint, os.environ.get("PYTEST_XDIST_WORKER", "main"))
    # A server that was there before may hold what an earlier run has left.
    try:
        database.rollback(START)
    except CallFailed as why:
        if why.code != "ResourceNotFoundException":
            raise
        database.create_snapshot(START)
    with contextlib.suppress(CallFailed):
        database.delete_snapshot(CLEAN)
    partita_tables(database)
    database.create_snapshot(CLEAN)
    return database


@pytest.fixture
def partita(partita_session: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """The database, as `partita_tables` left it; rolled back, and its clock reset, after the test.

    Programs under test find it by themselves: the variables of AWS's SDKs name it meanwhile.
    """
    settings = partita_session.settings()
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", settings["endpoint_url"])
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB_STREAMS", settings["endpoint_url"])
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", settings["aws_access_key_id"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", settings["aws_secret_access_key"])
    monkeypatch.setenv("AWS_DEFAULT_REGION", settings["region_name"])
    yield partita_session
    partita_session.rollback(CLEAN)
    partita_session.reset_clock()


@pytest.fixture(scope="session")
def _partita_clients() -> dict[str, Any]:
    return {}


@pytest.fixture
def dynamodb_client(partita: Database, _partita_clients: dict[str, Any]) -> Any:
    """A client of boto3 for `partita`."""
    if "client" not in _partita_clients:  # to make one takes as long as a test
        _partita_clients["client"] = partita.client()
    return _partita_clients["client"]


@pytest.fixture
def dynamodb(partita: Database, _partita_clients: dict[str, Any]) -> Any:
    """A resource of boto3 for `partita`."""
    if "resource" not in _partita_clients:
        _partita_clients["resource"] = partita.resource()
    return _partita_clients["resource"]
