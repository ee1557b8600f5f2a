"""examples/dax.py and dax.mjs, run as their first lines say, on servers with and without caches."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from at_once import at_once  # noqa: E402
from drivers import NAMES, clients, command_of  # noqa: E402
from served import available, dax_server  # noqa: E402

EXAMPLES = HERE.parents[1] / "examples"
CALLS = 20


def interpreter(client):
    available(client)
    if client == "python":
        return command_of(client)[0]
    assert (EXAMPLES / "node_modules").is_dir(), "install the SDK first: npm ci --prefix examples"
    return clients._node()


def printed(client, program, *options):
    """{question: [line, …]}, the figures as #."""
    with dax_server(in_memory=True, extra_args=options) as server:
        command = [interpreter(client), EXAMPLES / program, "--endpoint-url", server.url, "--dax-url", server.dax_url]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        done = subprocess.run([*command, "--calls", str(CALLS)], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    answers = {}
    for line in done.stdout.splitlines():
        if line.startswith("    "):
            answers[question].append(re.sub(r"[\d,]+ µs", "# µs", line.strip()))
        else:
            question = line
            answers[question] = []
    return answers


def expected(gets, queries, stale, stale_query):
    """What depends on caches: their hits, and what is read after an edit over HTTP, and by Query after one over DAX."""
    times = ["over HTTP: p50 # µs, p99 # µs", "over DAX: p50 # µs, p99 # µs"]
    return {
        "A room over HTTP and over DAX": ["the same"],
        "GetItem of a message": [*times, gets],
        "Query of 50 messages": [*times, queries],
        "A message that is edited over HTTP": [
            f"GetItem: {stale}", "consistent GetItem: Lunch?", f"Query: {stale}",
            "GetItem, five minutes later: Lunch?", "Query, five minutes later: Lunch?"],
        "A message that is edited over DAX": [
            "GetItem: Dinner?", "consistent GetItem: Dinner?", f"Query: {stale_query}",
            "GetItem, five minutes later: Dinner?", "Query, five minutes later: Dinner?"],
    }


@pytest.mark.parametrize("client, program", [
    each for each in [("python", "dax.py"), ("javascript-3", "dax.mjs")] if each[0] in NAMES])
@at_once
def test_the_example(client, program):
    found = printed(client, program, "--dax-cache", "16")
    assert found == expected(f"hits {CALLS - 1}, misses 1", f"hits {CALLS}, misses 0", "Message 0", "Lunch?")
    found = printed(client, program)
    assert found == expected(*["no cache: the server reads the store"] * 2, "Lunch?", "Dinner?")
