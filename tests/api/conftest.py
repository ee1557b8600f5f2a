"""The API suite against any endpoint.

PARTITA_ENDPOINT  URL of the server; without it the suite starts the binary on an empty store
PARTITA_ENGINE    of that store: memory (the default), rocksdb, postgres or foundationdb
PARTITA_RESULTS   path of a JSON file that gets {operation: {"passed": n, "failed": n}}

Every case says which operations it concerns: by the marker `op`, or by a parameter named `operation`.
"""

import collections
import json
import os
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import tables  # noqa: E402  (it stands beside this file)
from fake_kinesis import running_fake_kinesis  # noqa: E402
from postgres import store_arguments  # noqa: E402
from server import running_server  # noqa: E402

_counts = collections.defaultdict(lambda: {"passed": 0, "failed": 0})


def pytest_configure(config):
    config.addinivalue_line("markers", "op(*names): the operations that a case concerns")


def operations_of(item):
    names = [name for mark in item.iter_markers("op") for name in mark.args]
    callspec = getattr(item, "callspec", None)
    if callspec and isinstance(callspec.params.get("operation"), str):
        names.append(callspec.params["operation"])
    return sorted(set(names))


def pytest_collection_modifyitems(items):
    lost = [item.nodeid for item in items if not operations_of(item)]
    assert not lost, f"cases without an operation: {lost[:5]}"


def pytest_sessionfinish(session):
    if os.environ.get("PARTITA_RESULTS"):
        pathlib.Path(os.environ["PARTITA_RESULTS"]).write_text(json.dumps(_counts, indent=1, sort_keys=True) + "\n")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" or report.outcome == "failed":
        for name in operations_of(item):
            _counts[name]["passed" if report.outcome == "passed" else "failed"] += report.outcome != "skipped"


@pytest.fixture(scope="session")
def endpoint():
    """A fixture, so that it ends behind all others: under -x they end only after the session's own hook."""
    if "PARTITA_ENDPOINT" in os.environ:
        os.environ["PARTITA_ENDPOINT"] = os.environ["PARTITA_ENDPOINT"].rstrip("/")
        yield
        return
    with store_arguments(os.environ.get("PARTITA_ENGINE", "memory")) as store, running_fake_kinesis() as kinesis, \
            running_server(**store, extra_args=["--dax", "127.0.0.1:0", "--kinesis-endpoint", kinesis.url]) as server:
        os.environ["PARTITA_ENDPOINT"] = server.url
        yield
        del os.environ["PARTITA_ENDPOINT"]


@pytest.fixture(scope="session", autouse=True)
def shared_tables(endpoint):
    tables.make_shared()
    yield
    tables.drop_shared()


@pytest.fixture
def new_table():
    """Makes tables that are dropped after the case: new_table(definition) returns the description, when ACTIVE."""
    made = []

    def make(definition, wait=True):
        from client import ok

        made.append(definition["TableName"])
        description = ok("CreateTable", **definition)["TableDescription"]
        return tables.wait_active(definition["TableName"]) if wait else description

    yield make
    for name in made:
        tables.drop(name)
