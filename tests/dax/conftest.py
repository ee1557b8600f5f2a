"""Begins the tests of at_once.py before the first test of this folder, and ends their servers with the run."""

import pathlib
import sys

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

import at_once  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def _at_once(request):
    for item in request.session.items:
        begin = getattr(item.function, "begin", None)
        if begin:
            begin(item.callspec.params)
    yield
    at_once.end()
