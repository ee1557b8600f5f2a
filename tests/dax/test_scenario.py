"""Each DAX client gets the same results over DAX as the SDK of its language gets over HTTP, and all SDKs get the same.

PARTITA_DAX_CLIENTS="python go-2" runs some of the clients.
"""

import collections
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from at_once import at_once, once  # noqa: E402
from drivers import NAMES, started  # noqa: E402
from same import differences, same  # noqa: E402
from scenario import PARTS, STEPS, THROTTLED  # noqa: E402
from served import available, dax_server, drain, make_tables  # noqa: E402
from server import running_server  # noqa: E402
from tables import THROTTLED_TABLES  # noqa: E402



@once
def results(client, over):
    """Of the whole scenario, on a server of its own."""
    available(client)
    with running_server(in_memory=True) if over == "http" else dax_server(in_memory=True) as server:
        make_tables(server)
        with started(client, server.url if over == "http" else server.dax_url) as driver:
            return driver.make(STEPS)


def of_part(part, client, over):
    return [(step, result) for step, result in zip(STEPS, results(client, over)) if step["part"] == part]


def test_the_scenario_has_every_operation_and_every_error():
    calls = collections.Counter(step["call"] for step in STEPS)
    assert len(calls) == 10 and min(calls.values()) >= 10 and calls.total() >= 400
    assert {step.get("error") for step in STEPS + THROTTLED} == {
        None,
        "ConditionalCheckFailedException",
        "IdempotentParameterMismatchException",
        "ProvisionedThroughputExceededException",
        "ResourceNotFoundException",
        "TransactionCanceledException",
        "ValidationException",
    }


@pytest.mark.parametrize("over", ["http", "dax"])
@pytest.mark.parametrize("client", NAMES)
@at_once
def test_every_call_has_a_result(client, over):
    assert [result["name"] for result in results(client, over)] == [step["name"] for step in STEPS]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("client", NAMES)
def test_http_answers_what_the_scenario_says(client, part):
    wrong = [
        (step["name"], result.get("error"))
        for step, result in of_part(part, client, "http")
        if (result.get("error") or {}).get("code") != step.get("error")
    ]
    assert not wrong, wrong[:10]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("client", [name for name in NAMES if name != "python"])
def test_all_sdks_get_the_same_over_http(client, part):
    different = [
        differences(step, same(step, expected, "python"), same(step, result, client))
        for (step, result), (_, expected) in zip(of_part(part, client, "http"), of_part(part, "python", "http"))
    ]
    assert not list(filter(None, different)), "\n".join(filter(None, different))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("client", NAMES)
def test_dax_answers_as_http(client, part):
    different = [
        differences(step, *same(step, expected, client, result))
        for (step, result), (_, expected) in zip(of_part(part, client, "dax"), of_part(part, client, "http"))
    ]
    assert not list(filter(None, different)), "\n".join(filter(None, different))


@pytest.mark.parametrize("client", NAMES)
@at_once
def test_without_capacity(client):
    """Clients try again; the tables stay without capacity for longer than they do."""
    available(client)
    with dax_server(in_memory=True, extra_args=["--capacity", "enforce"]) as server:
        make_tables(server, THROTTLED_TABLES)
        with started(client, server.url) as http, started(client, server.dax_url) as dax:
            drain(server)
            expected, found = http.make(THROTTLED), dax.make(THROTTLED)
    different = [
        differences(step, *same(step, result, client, over_dax))
        for step, result, over_dax in zip(THROTTLED, expected, found)
    ]
    assert [(result.get("error") or {}).get("code") for result in expected] == [step.get("error") for step in THROTTLED]
    assert not list(filter(None, different)), "\n".join(filter(None, different))
