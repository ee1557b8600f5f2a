"""The stream of examples/streams.py tells each change once, and the whole of it."""

import pytest
import streams

ALICE = ["INSERT alice: nothing -> 100", "MODIFY alice: 100 -> 70", "REMOVE alice: 70 -> nothing"]
BOB = ["INSERT bob: nothing -> 20", "MODIFY bob: 20 -> 50"]


@pytest.fixture(scope="module")
def answers(dynamodb):
    return streams.run(dynamodb)


@pytest.mark.parametrize(
    "question, expected",
    [
        ("What became of alice", ALICE),
        ("What became of bob", BOB),
        ("The table, from its records", ["bob: 50"]),
        ("The table, scanned", ["bob: 50"]),
    ],
)
def test_answers(answers, question, expected):
    assert answers[question] == expected


def test_every_question_is_asserted(answers):
    assert len(answers) == 4
