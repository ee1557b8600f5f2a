"""Scenario 7: one to many, five ways (the fifth is asserted in test_places.py)."""

import one_to_many
import pytest
from boto3.dynamodb.conditions import Key

TICKETS = ["Blue screen", "No sound", "Lost password"]
PORTLAND = "Born in Portland, Maine, in 1947."


@pytest.fixture(scope="module")
def answers(dynamodb):
    return one_to_many.run(dynamodb)


@pytest.mark.parametrize(
    "question, expected",
    [
        ("The home address", ["City: Omaha", "Street: 1111 1st St.", "Zip: 68102"]),
        ("Where the parents live", "Lincoln"),
        ("The zip codes after work moved and the parents were removed", ["Home: 68102", "Work: 68154"]),
        ("A book knows its author's biography", "Born in Maine in 1947."),
        (
            "All books after the biography was changed",
            ["The Casual Vacancy: Born in Yate in 1965."] + [f"{book}: {PORTLAND}" for book in ("Carrie", "It", "Misery")],
        ),
        ("The organization", "Microsoft"),
        ("The organization and its users", ["Microsoft", "Bill Gates", "Satya Nadella"]),
        ("Only its users", ["Bill Gates", "Satya Nadella"]),
        ("One user", "Jeff Bezos"),
        ("A ticket", "No sound"),
        ("A user, then the tickets from the newest", ["Bill Gates"] + TICKETS),
        ("A user and the newest ticket", ["Bill Gates"] + TICKETS[:1]),
    ],
)
def test_answers(answers, question, expected):
    assert answers[question] == expected


def test_every_question_is_asserted(answers):
    assert len(answers) == 12


def test_a_nested_write_touches_nothing_else(answers, dynamodb):
    item = dynamodb.Table("OneToManyCustomers").get_item(Key={"CustomerID": "alexdebrie"})["Item"]
    addresses = one_to_many.CUSTOMER["MailingAddresses"]
    assert item == {
        "CustomerID": "alexdebrie",
        "MailingAddresses": {"Home": addresses["Home"], "Work": {**addresses["Work"], "Zip": "68154"}},
    }


def test_a_nested_write_returns_only_what_it_changed(answers, dynamodb):
    updated = dynamodb.Table("OneToManyCustomers").update_item(
        Key={"CustomerID": "alexdebrie"},
        UpdateExpression="SET MailingAddresses.Home.City = :city",
        ExpressionAttributeValues={":city": "Omaha"},
        ReturnValues="UPDATED_NEW",
    )
    assert updated["Attributes"] == {"MailingAddresses": {"Home": {"City": "Omaha"}}}


def test_a_nested_condition_guards_a_write(answers, dynamodb):
    customers = dynamodb.Table("OneToManyCustomers")
    with pytest.raises(customers.meta.client.exceptions.ConditionalCheckFailedException):
        customers.update_item(
            Key={"CustomerID": "alexdebrie"},
            UpdateExpression="REMOVE MailingAddresses.Home",
            ConditionExpression="attribute_exists(MailingAddresses.Parents)",
        )
    assert "Home" in customers.get_item(Key={"CustomerID": "alexdebrie"})["Item"]["MailingAddresses"]


def test_organization_and_users_are_one_query(answers, dynamodb):
    organizations = dynamodb.Table("OneToManyOrganizations")
    found = organizations.query(KeyConditionExpression=Key("PK").eq("ORG#AMAZON"))
    assert [item["SK"] for item in found["Items"]] == ["METADATA#AMAZON", "USER#JEFFBEZOS"]


@pytest.mark.parametrize(
    "user, expected",
    [
        ("ORG#MICROSOFT#USER#BILLGATES", ["Bill Gates"] + TICKETS),
        ("ORG#MICROSOFT#USER#SATYANADELLA", ["Satya Nadella"]),
        ("ORG#AMAZON#USER#JEFFBEZOS", ["Jeff Bezos"]),
        ("ORG#AMAZON#USER#NOBODY", []),
    ],
)
def test_every_user_has_a_collection_in_the_index(answers, dynamodb, user, expected):
    found = dynamodb.Table("OneToManyTickets").query(
        IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq(user), ScanIndexForward=False
    )
    assert [item["Name"] for item in found["Items"]] == expected


def test_tickets_alone_and_of_one_month(answers, dynamodb):
    tickets = dynamodb.Table("OneToManyTickets")
    bill = Key("GSI1PK").eq("ORG#MICROSOFT#USER#BILLGATES")
    for prefix, expected in (("TICKET#", sorted(TICKETS)), ("TICKET#201808", ["No sound"])):
        found = tickets.query(IndexName="GSI1", KeyConditionExpression=bill & Key("GSI1SK").begins_with(prefix))
        assert sorted(item["Name"] for item in found["Items"]) == expected


def test_pages_of_the_index(answers, dynamodb):
    """A page of the index ends with a key of the index and of the table, from which the next goes on."""
    tickets = dynamodb.Table("OneToManyTickets")
    request = {
        "IndexName": "GSI1",
        "KeyConditionExpression": Key("GSI1PK").eq("ORG#MICROSOFT#USER#BILLGATES"),
        "ScanIndexForward": False,
        "Limit": 2,
    }
    first = tickets.query(**request)
    assert set(first["LastEvaluatedKey"]) == {"PK", "SK", "GSI1PK", "GSI1SK"}
    second = tickets.query(ExclusiveStartKey=first["LastEvaluatedKey"], **request)
    assert [item["Name"] for item in first["Items"] + second["Items"]] == ["Bill Gates"] + TICKETS
