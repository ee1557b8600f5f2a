"""Scenario 5: versions kept by prefix, written in transactions by many at once."""

from concurrent.futures import ThreadPoolExecutor

import equipment_versions
import pytest
from boto3.dynamodb.conditions import Key
from common import query
from conftest import refused

AUDITORS = 16
ROUNDS = 4


@pytest.fixture(scope="module")
def answers(dynamodb):
    return equipment_versions.run(dynamodb)


@pytest.fixture
def table(answers, dynamodb):
    return dynamodb.Table("EquipmentVersions")


@pytest.mark.parametrize(
    "question, expected",
    [
        ("The newest audit of Equipment_1", ["v0_Audit: version 3, Rick, passed"]),
        (
            "Its history",
            [
                "v1_Audit: version 1, Rick, passed",
                "v2_Audit: version 2, Padma, failed: worn belt",
                "v3_Audit: version 3, Rick, passed",
            ],
        ),
        (
            "The newest audit of each part of Equipment_2",
            ["v0_Belt: version 2, Jorge, replaced", "v0_Motor: version 1, Mary, passed"],
        ),
        ("The newest audit of its belt", ["v0_Belt: version 2, Jorge, replaced"]),
        ("The history of its belt", ["v1_Belt: version 1, Mary, worn", "v2_Belt: version 2, Jorge, replaced"]),
        ("Versions that 16 auditors wrote at the same time", ", ".join(str(n) for n in range(1, AUDITORS + 1))),
        ("The newest of them", ["version 16"]),
    ],
)
def test_answers(answers, question, expected):
    assert answers[question] == expected


def test_every_question_is_asserted(answers):
    assert len(answers) == 7


def test_sixteen_auditors_lose_nothing(table):
    """Each writes four audits, as fast as it can, trying again whenever another was first."""

    def audits_of(auditor):
        return [
            (equipment_versions.audit(table, "Equipment_9", "Audit", auditor, f"round {n}"), auditor, f"round {n}")
            for n in range(ROUNDS)
        ]

    with ThreadPoolExecutor(max_workers=AUDITORS) as pool:
        written = sorted(sum(pool.map(audits_of, [f"auditor {n}" for n in range(AUDITORS)]), []))

    total = AUDITORS * ROUNDS
    assert [version for version, _, _ in written] == list(range(1, total + 1)), "a version number was used twice"

    kept = equipment_versions.history(table, "Equipment_9", "Audit")
    assert [(int(i["Version"]), i["Auditor"], i["Result"]) for i in kept] == written

    (copy,) = equipment_versions.newest(table, "Equipment_9")
    assert copy == {**kept[-1], "VersionAndPart": "v0_Audit"}
    assert len(query(table, Key("EquipmentID").eq("Equipment_9"))) == total + 1


def test_a_transaction_that_came_second_writes_nothing(table):
    """Its reasons say which of its conditions did not hold."""
    before = query(table, Key("EquipmentID").eq("Equipment_1"))
    stale = {"EquipmentID": "Equipment_1", "Version": 2, "Auditor": "late", "Result": "lost"}
    new = {"TableName": table.name, "Item": {**stale, "VersionAndPart": "v99_Audit"}}
    copy = {
        "TableName": table.name,
        "Item": {**stale, "VersionAndPart": "v0_Audit"},
        "ConditionExpression": "Version = :read",
        "ExpressionAttributeValues": {":read": 1},
    }
    name, text = refused(table.meta.client.transact_write_items, TransactItems=[{"Put": new}, {"Put": copy}])
    assert name == "TransactionCanceledException"
    assert text == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]"
    )
    assert query(table, Key("EquipmentID").eq("Equipment_1")) == before


def test_newest_and_history_are_prefixes_of_one_collection(table):
    everything = [item["VersionAndPart"] for item in query(table, Key("EquipmentID").eq("Equipment_2"))]
    assert everything == ["v0_Belt", "v0_Motor", "v1_Belt", "v1_Motor", "v2_Belt"]
