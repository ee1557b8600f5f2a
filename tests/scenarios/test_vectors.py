"""Vector search on a table that was there before."""

import pytest
import vectors


@pytest.fixture(scope="module")
def answers(dynamodb):
    return vectors.run(dynamodb)


@pytest.mark.parametrize(
    "question, expected",
    [
        ("About the sea", ["The Whale (0.01)", "Under Sail (0.07)", "Stars of the South (0.47)"]),
        ("About the stars, for a journey", ["Stars of the South (0.15)", "Under Sail (0.65)"]),
        ("About fish, without the whale", ["Fish for Dinner (0.07)", "Under Sail (0.26)"]),
        ("What is stored beside the vector", {"Title": {"S": "First Light"}, "Shelf": {"S": "fiction"}}),
    ],
)
def test_answers(answers, question, expected):
    assert answers[question] == expected


def test_every_question_is_asserted(answers):
    assert len(answers) == 4
