"""examples/search: the messages of the chat room, found by words as they are written."""

import os
import pathlib
import subprocess

import pytest
from search_engines import Unavailable, installed, running_search_engine
from server import binary

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "examples" / "search" / "run"
ANSWERS = """\
About rain, among the messages from before the sink
    2018-08-30:18:15:00#amsg Is it raining again?
After one more was written
    2018-08-30:18:15:00#amsg Is it raining again?
    2018-09-01:07:00:00#bsky Raining cats and dogs.
After the one about sunshine was edited
    2018-08-30:18:15:00#amsg Is it raining again?
    2018-08-31:08:00:00#amsg Raining after all.
    2018-09-01:07:00:00#bsky Raining cats and dogs.
After the one with cats and dogs was deleted
    2018-08-30:18:15:00#amsg Is it raining again?
    2018-08-31:08:00:00#amsg Raining after all.
About sunshine
    (nothing)
About a place, and usual
    2018-08-29:12:01:30#bsky Yes, the usual place.
"""


def run_example(*options):
    done = subprocess.run([PROGRAM, *options], env={**os.environ, "PARTITA_BINARY": binary()}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_it_starts_everything():
    try:
        installed("opensearch")
    except Unavailable as why:
        pytest.skip(f"opensearch: {why}")
    done = run_example()
    assert done.stdout == ANSWERS, done.stdout
    assert "The new message was found after" in done.stderr


@pytest.mark.parametrize("name", ["opensearch", "elasticsearch"])
def test_it_uses_one_that_is_running(name):
    try:
        with running_search_engine(name) as engine:
            for _ in range(2):  # the first leaves nothing behind
                assert run_example("--search", engine.url).stdout == ANSWERS
                assert engine.indexes("chat-messages-*") == []
    except Unavailable as why:
        pytest.skip(f"{name}: {why}")
