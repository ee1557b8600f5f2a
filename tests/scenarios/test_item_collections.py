"""Scenario 6, first half: item collections, and the log of what they hold."""

import item_collections
import pytest
from boto3.dynamodb.conditions import Key
from common import create_table, index

CUPS, TOWELS, KNIFE = "P-0912 6 x Espresso cup", "P-2040 2 x Tea towel", "P-3307 1 x Bread knife"
LINES = ["4200017 1 x Kettle", "4200355 3 x Coffee filter"]
EVENTS = [
    "EVENT#20180829T120000 ordered",
    "EVENT#20180829T174500 packed",
    "EVENT#20180830T081000 on its way",
]


@pytest.fixture(scope="module")
def answers(dynamodb):
    return item_collections.run(dynamodb)


@pytest.mark.parametrize(
    "question, expected",
    [
        ("Pete's cart", [CUPS, TOWELS, KNIFE]),
        ("Pete's cart, last product first", [KNIFE, TOWELS, CUPS]),
        ("Espresso cups, now that Pete took two more", 8),
        ("Pete's cart now", ["P-0912 8 x Espresso cup", TOWELS, KNIFE]),
        ("The tracking page of order 100123, one Query", LINES + EVENTS),
        ("Only what was ordered", LINES),
        ("Only what happened", EVENTS),
        ("The newest event", EVENTS[-1:]),
    ],
)
def test_answers(answers, question, expected):
    assert answers[question] == expected


def test_every_question_is_asserted(answers):
    assert len(answers) == 8


def test_the_tracking_page_is_one_query(answers, dynamodb):
    found = dynamodb.Table("Orders").query(KeyConditionExpression=Key("OrderID").eq(100123))
    assert (found["Count"], "LastEvaluatedKey" in found) == (5, False)


def test_a_quantity_starts_at_nothing(answers, dynamodb):
    carts = dynamodb.Table("ShoppingCart")
    assert item_collections.change_quantity(carts, "New Cart", "P-1", 3) == 3
    assert item_collections.change_quantity(carts, "New Cart", "P-1", -1) == 2


def test_a_collection_grows_past_a_page(answers, dynamodb):
    """2.5 MB in one collection: a Query answers in pages of at most 1 MB, in order, and nothing is lost between them."""
    carts = dynamodb.Table("ShoppingCart")
    with carts.batch_writer() as batch:
        for n in range(250):
            batch.put_item(Item={"CartID": "huge", "ProductID": f"P-{n:04}", "Text": "x" * 10_000})
    request = {"KeyConditionExpression": Key("CartID").eq("huge")}
    pages = [carts.query(**request)]
    while "LastEvaluatedKey" in pages[-1]:
        pages.append(carts.query(ExclusiveStartKey=pages[-1]["LastEvaluatedKey"], **request))
    assert [page["Count"] for page in pages] == [104, 104, 42]
    assert [i["ProductID"] for page in pages for i in page["Items"]] == [f"P-{n:04}" for n in range(250)]


def test_only_a_local_index_limits_a_collection(dynamodb, client):
    """A table with a local index says how large a collection is, because it may not pass 10 GB; others do not."""
    key, by_name = {"Owner": "S", "Number": "N"}, {"Owner": "S", "Name": "S"}
    local = index("ByName", by_name)
    create_table(client, "CollectionsLimited", key, [by_name], LocalSecondaryIndexes=[local])
    create_table(client, "CollectionsUnlimited", key)
    item = {"Owner": {"S": "Pete"}, "Number": {"N": "1"}, "Name": {"S": "one"}}

    def metrics(table):
        put = client.put_item(TableName=table, Item=item, ReturnItemCollectionMetrics="SIZE")
        return put.get("ItemCollectionMetrics")

    assert metrics("CollectionsUnlimited") is None
    assert metrics("CollectionsLimited") == {
        "ItemCollectionKey": {"Owner": {"S": "Pete"}},
        "SizeEstimateRangeGB": [0.0, 1.0],
    }
