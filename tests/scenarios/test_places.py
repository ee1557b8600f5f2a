"""Scenario 4, and the fifth way of scenario 7: hierarchies in a sort key, with the JavaScript SDK."""

import pathlib

import pytest

HARRIS = ["USA#South#TX#Harris#Houston#Midtown", "USA#South#TX#Harris#Houston#Montrose"]
TEXAS = HARRIS + ["USA#South#TX#Harris#Pasadena#Deepwater", "USA#South#TX#Travis#Austin#Hyde Park"]
SOUTH = ["USA#South#LA#Orleans#New Orleans#Treme"] + TEXAS
USA = SOUTH + ["USA#West#WA#King#Seattle#Ballard"]
NEW_YORK = ["NY#New York#10001", "NY#New York#10019"]


@pytest.fixture(scope="module")
def printed(run_program):
    modules = pathlib.Path(__file__).resolve().parents[2] / "examples" / "node_modules"
    assert modules.is_dir(), "install the SDK first: npm ci --prefix examples"
    return run_program("node", "places.mjs")


@pytest.mark.parametrize(
    "question, expected",
    [
        ("City first: every Houston", ["Houston-BC-Canada", "Houston-MO-USA", "Houston-TX-USA"]),
        ("City first: all of the USA cannot be asked", ["(nothing)"]),
        ("Country first: the USA", ["USA-MO-Houston", "USA-TX-Austin", "USA-TX-Houston", "USA-WA-Seattle"]),
        ("Country first: Texas", ["USA-TX-Austin", "USA-TX-Houston"]),
        ("Country first: Houston, Texas", ["USA-TX-Houston"]),
        ("Neighborhoods of a country", USA),
        ("Neighborhoods of a region", SOUTH),
        ("Neighborhoods of a state", TEXAS),
        ("Neighborhoods of a county", TEXAS[:3]),
        ("Neighborhoods of a city", HARRIS),
        ("One neighborhood", HARRIS[1:]),
        ("Stores in a country", ["NY#Buffalo#14202"] + NEW_YORK + ["TX#Houston#77002", "WA#Seattle#98101"]),
        ("Stores in a state", ["NY#Buffalo#14202"] + NEW_YORK),
        ("Stores in a city", NEW_YORK),
        ("Stores at a zip code", NEW_YORK[1:]),
    ],
)
def test_answers(printed, question, expected):
    assert printed[question] == expected


def test_every_question_is_asserted(printed):
    assert len(printed) == 15
