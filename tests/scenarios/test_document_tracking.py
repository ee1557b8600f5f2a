"""Scenario 3: a generic sort key, with the AWS CLI."""

import pytest


@pytest.fixture(scope="module")
def printed(run_program):
    answers = run_program("./document_tracking.sh")
    return {question: [line.split("\t") for line in lines] for question, lines in answers.items()}


@pytest.mark.parametrize(
    "question, expected",
    [
        ("The metadata", [["metadata", "Lease", "Mary Major"]]),
        ("Who may read and write it", [["permissions", "tenants", "lawyers"]]),
        (
            "The whole history",
            [["v_0", "2", "The draft, signed."], ["v_1", "1", "A first draft."], ["v_2", "2", "The draft, signed."]],
        ),
        ("The newest version", [["v_0", "2", "The draft, signed."]]),
    ],
)
def test_answers(printed, question, expected):
    assert printed[question] == expected


def test_a_version_is_never_written_twice(printed, client):
    assert printed["Saving version 2 a second time"] == [
        [
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            "[ConditionalCheckFailed, None]"
        ]
    ]
    assert len(printed) == 5


def document(client, condition="", **values):
    return client.query(
        TableName="DocumentTracking",
        KeyConditionExpression="DocumentID = :document" + condition,
        ExpressionAttributeValues={":document": {"S": "contract-7"}, **{f":{k}": {"S": v} for k, v in values.items()}},
    )["Items"]


def test_metadata_is_one_item(printed, client):
    (found,) = document(client, " AND documentInfo = :info", info="metadata")
    assert found["Title"] == {"S": "Lease"}


def test_the_newest_version_is_always_v_0(printed, client):
    versions = document(client, " AND begins_with(documentInfo, :prefix)", prefix="v_")
    copy, *originals = versions
    newest = max(originals, key=lambda item: int(item["Version"]["S"]))
    assert copy == {**newest, "documentInfo": {"S": "v_0"}}
    assert [item["documentInfo"]["S"] for item in versions] == ["v_0", "v_1", "v_2"]


def test_each_item_has_its_own_attributes(printed, client):
    """Nothing is added to an item, and nothing of it is left out."""
    key = {"DocumentID", "documentInfo"}
    version = {"Version", "Text"}
    assert [set(item) - key for item in document(client)] == [
        {"Title", "Author"},
        {"Readers", "Writers"},
        version,
        version,
        version,
    ]
