"""What a table is for, and who pays for it."""

import pytest
import tags


@pytest.fixture(scope="module")
def answers(dynamodb):
    return tags.run(dynamodb)


@pytest.mark.parametrize(
    "question, expected",
    [
        ("Tags that the table was made with", ["stage = test", "team = blue"]),
        ("One changed, one added", ["cost centre = 4711", "stage = live", "team = blue"]),
        ("One taken away", ["cost centre = 4711", "stage = live"]),
        ("Keys of AWS's own are refused", "ValidationException: Tag Key cannot be prefixed with aws:, Key: aws:team"),
    ],
)
def test_answers(answers, question, expected):
    assert answers[question] == expected


def test_every_question_is_asserted(answers):
    assert len(answers) == 4
