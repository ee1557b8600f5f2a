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

With pytest-xdist, all workers share a server, and each has a namespace of its own. With `partita_in_process = true` in
pytest.ini there is no server: each worker has a database in its own process.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any, Callable, Iterator, Union

import pytest

from partita._calls import CallFailed, Database
from partita._embedded import EmbeddedDatabase, open
from partita._server import Server

AnyDatabase = Union[Database, EmbeddedDatabase]
CLEAN, START = "pytest-clean", "pytest-start"
SERVER = pytest.StashKey[Server]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("partita_options", "Options of `partita serve`, one per line, as --seed=tests/tables", type="linelist")
    parser.addini("partita_endpoint", "A running server, instead of one for the session. It runs with --namespaces key")
    parser.addini("partita_in_process", "A database in the process of the tests, not a server", type="bool",
                  default=False)


def pytest_configure(config: pytest.Config) -> None:
    others = [name for name, value in (("partita_options", config.getini("partita_options")),
                                       ("partita_endpoint or PARTITA_ENDPOINT", _endpoint(config))) if value]
    if _in_process(config) and others:
        raise pytest.UsageError(f"partita_in_process = true has no server, for which {' and '.join(others)} would be.")


def _in_process(config: pytest.Config) -> bool:
    return config.getini("partita_in_process")


def _endpoint(config: pytest.Config) -> str:
    return os.environ.get("PARTITA_ENDPOINT") or config.getini("partita_endpoint")


def _new_server(config: pytest.Config) -> Server:
    return Server(options=["--namespaces", "key", *config.getini("partita_options")])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Before a worker of pytest-xdist begins, in the process that has the workers."""
    if _in_process(node.config):
        return
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
    if _in_process(request.config):
        pytest.fail("With partita_in_process = true there is no server, and no endpoint: use `partita`.")
    given = getattr(request.config, "workerinput", {}).get("partita_endpoint") or _endpoint(request.config)
    if given:
        yield given
        return
    with _new_server(request.config) as server:
        yield server.endpoint_url


@pytest.fixture(scope="session")
def partita_tables() -> Callable[[AnyDatabase], None]:
    """Override it: a function that is called once, and makes the tables and items that each test finds."""
    return lambda database: None


@pytest.fixture(scope="session")
def partita_session(request: pytest.FixtureRequest,
                    partita_tables: Callable[[AnyDatabase], None]) -> Iterator[AnyDatabase]:
    """The database of all tests of this session or worker, with the tables. Tests use `partita`."""
    if _in_process(request.config):
        with open() as database:
            partita_tables(database)
            database.create_snapshot(CLEAN)
            yield database
        return
    endpoint = request.getfixturevalue("partita_endpoint")
    database = Database(endpoint, os.environ.get("PYTEST_XDIST_WORKER", "main"))
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
    yield database


@pytest.fixture
def partita(partita_session: AnyDatabase, _partita_clients: dict[str, Any],
            monkeypatch: pytest.MonkeyPatch) -> Iterator[AnyDatabase]:
    """The database, as `partita_tables` left it; rolled back, and its clock reset, after the test.

    Programs under test find it by themselves: the variables of AWS's SDKs name it meanwhile. In process, clients of
    boto3's default session lead to it.
    """
    if isinstance(partita_session, EmbeddedDatabase):
        _lead_here(partita_session, _partita_clients, monkeypatch)
    else:
        settings = partita_session.settings()
        monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", settings["endpoint_url"])
        monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB_STREAMS", settings["endpoint_url"])
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", settings["aws_access_key_id"])
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", settings["aws_secret_access_key"])
        monkeypatch.setenv("AWS_DEFAULT_REGION", settings["region_name"])
    yield partita_session
    partita_session.rollback(CLEAN)
    partita_session.reset_clock()


def _lead_here(database: EmbeddedDatabase, made: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        import boto3
    except ImportError:
        return
    if "session" not in made:
        made["session"] = boto3.Session("any", "any", region_name=database.region)
        database.attach(made["session"])
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", made["session"])


@pytest.fixture(scope="session")
def _partita_clients() -> dict[str, Any]:
    return {}


@pytest.fixture
def dynamodb_client(partita: AnyDatabase, _partita_clients: dict[str, Any]) -> Any:
    """A client of boto3 for `partita`."""
    if "client" not in _partita_clients:  # to make one takes as long as a test
        _partita_clients["client"] = partita.client()
    return _partita_clients["client"]


@pytest.fixture
def dynamodb(partita: AnyDatabase, _partita_clients: dict[str, Any]) -> Any:
    """A resource of boto3 for `partita`."""
    if "resource" not in _partita_clients:
        _partita_clients["resource"] = partita.resource()
    return _partita_clients["resource"]
