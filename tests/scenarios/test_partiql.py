"""PartiQL: statements, batches and transactions of them."""

import partiql
import pytest


@pytest.fixture(scope="module")
def answers(dynamodb):
    return partiql.run(dynamodb)


@pytest.mark.parametrize(
    "question, expected",
    [
        ("An album that is there already", "DuplicateItemException: Duplicate primary key exists in table"),
        ("The albums of a band", ["Songs About Life (2015)", "Louder Than Ever (2020)"]),
        ("Everything with rock in it", ["Louder Than Ever", "Still Here"]),
        ("Four stars since 2016, by an index", ["No One You Know: Still Here"]),
        ("A first page and the rest", ["Louder Than Ever", "Songs About Life"]),
        ("An album as it was changed", ["Awards: {'Grammys': [Decimal('2020')]}", "Genres: ['folk', 'live']", "Stars: 5"]),
        ("Part of a document", [{"Grammys[0]": 2020}]),
        (
            "A batch",
            [
                "4 stars",
                "Select statements within BatchExecuteStatement must specify the primary key in the where clause.",
            ],
        ),
        (
            "The same transaction again",
            "Transaction cancelled, please refer cancellation reasons for specific reasons [None, DuplicateItem, None]",
        ),
        (
            "What is left",
            [
                "Acme Band: Louder Than Ever",
                "Acme Band: Songs About Life",
                "No One You Know: Still Here",
                "Someone You Know: Somewhat Famous",
            ],
        ),
    ],
)
def test_answers(answers, question, expected):
    assert answers[question] == expected


def test_every_question_is_asserted(answers):
    assert len(answers) == 10


def test_a_statement_and_the_call_that_it_is_find_the_same(answers, dynamodb):
    music = dynamodb.Table("Music")
    read = {"Statement": "SELECT * FROM Music WHERE Artist = ?", "Parameters": ["Acme Band"]}
    from_statement = music.meta.client.execute_statement(**read)["Items"]
    assert from_statement == music.query(
        KeyConditionExpression="Artist = :artist", ExpressionAttributeValues={":artist": "Acme Band"}
    )["Items"]


def test_a_cancelled_transaction_changes_nothing(answers, dynamodb):
    """The transaction that failed the second time changed nothing."""
    item = dynamodb.Table("Music").get_item(Key={"Artist": "Someone You Know", "Album": "Somewhat Famous"})["Item"]
    assert item == {"Artist": "Someone You Know", "Album": "Somewhat Famous"}
