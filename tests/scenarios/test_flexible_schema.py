"""Scenario 8: only keys have a declared type."""

import flexible_schema
import pytest
from common import create_table
from conftest import refused

INVALID = "ValidationException: One or more parameter values were invalid: "


@pytest.fixture(scope="module")
def answers(dynamodb):
    return flexible_schema.run(dynamodb)


@pytest.mark.parametrize(
    "question, expected",
    [
        (
            "What is known of the book",
            ["Authors: list", "Category: str", "Pages: Decimal", "Price: Decimal", "ProductID: str"],
        ),
        ("What is known of the song", ["Category: str", "Length: dict", "Price: Decimal", "ProductID: str"]),
        (
            "What is known of the shirt",
            ["Category: str", "Pages: str", "Price: Decimal", "ProductID: str", "Sizes: set"],
        ),
        (
            "What is known of the chip",
            ["Firmware: Binary", "Pins: set", "ProductID: str", "Successor: NoneType", "Tested: bool"],
        ),
        ("A number for a key that is a string", INVALID + "Type mismatch for key ProductID expected: S actual: N"),
        ("No key at all", INVALID + "Missing the key ProductID in the item"),
        (
            "An empty string for a key",
            "ValidationException: One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: ProductID",
        ),
        ("Reading with a number for the key", "ValidationException: The provided key element does not match the schema"),
        (
            "A string for an index's number",
            INVALID + "Type mismatch for Index Key Price Expected: N Actual: S IndexName: ByPrice",
        ),
        ("A batch with one wrong key", "ValidationException: The provided key element does not match the schema"),
        ("Products in the table after all that", ["book", "chip", "shirt", "song"]),
        ("The index holds those that have a category and a price", ["song", "book", "shirt"]),
    ],
)
def test_answers(answers, question, expected):
    assert answers[question] == expected


def test_an_update_may_not_break_an_index_either(answers, dynamodb):
    assert answers["Changing an index's number into a string"].startswith("ValidationException: ")
    assert len(answers) == 13
    assert dynamodb.Table("FlexibleSchema").get_item(Key={"ProductID": "book"})["Item"]["Price"] == 12


VALUES = {
    "S": "12",
    "N": "12",
    "B": b"12",
    "SS": ["12"],
    "NS": ["12"],
    "BS": [b"12"],
    "M": {"a": {"N": "1"}},
    "L": [{"N": "1"}],
    "NULL": True,
    "BOOL": False,
}


@pytest.mark.parametrize("declared", ["S", "N", "B"])
def test_a_key_of_any_other_type_is_refused_and_nothing_is_written(client, declared):
    table = f"FlexibleSchema{declared}"
    create_table(client, table, {"Id": declared})
    for type_, value in VALUES.items():
        key = {"Id": {type_: value}}
        if type_ == declared:
            client.put_item(TableName=table, Item=key)
            continue
        expected = f"One or more parameter values were invalid: Type mismatch for key Id expected: {declared} actual: {type_}"
        assert refused(client.put_item, TableName=table, Item=key) == ("ValidationException", expected)
        mismatch = ("ValidationException", "The provided key element does not match the schema")
        assert refused(client.update_item, TableName=table, Key=key) == mismatch
        assert refused(client.delete_item, TableName=table, Key=key) == mismatch
        assert refused(client.get_item, TableName=table, Key=key) == mismatch
    assert client.scan(TableName=table)["Items"] == [{"Id": {declared: VALUES[declared]}}]


def test_every_type_comes_back_as_it_went_in(answers, client):
    """And one attribute may have a different type in every item."""
    for type_, value in VALUES.items():
        item = {"ProductID": {"S": f"any-{type_}"}, "Anything": {type_: value}}
        client.put_item(TableName="FlexibleSchema", Item=item)
        found = client.get_item(TableName="FlexibleSchema", Key={"ProductID": item["ProductID"]}, ConsistentRead=True)
        assert found["Item"] == item
        client.delete_item(TableName="FlexibleSchema", Key={"ProductID": item["ProductID"]})
