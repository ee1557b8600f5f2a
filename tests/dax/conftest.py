"""Begins the tests of at_once.py, and ends their servers with the run."""

import pathlib
import sys

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

import at_once  # noqa: E402


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    if session.config.option.collectonly or session.testsfailed:
        return
    for item in session.items:
        begin = getattr(item.function, "begin", None)
        if begin:
            begin(item.callspec.params)


@pytest.fixture(scope="session", autouse=True)
def _ends_with_the_run():
    yield
    at_once.end()
