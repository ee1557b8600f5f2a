#!/usr/bin/python3
"""Flexible schema: only key attributes have a declared type; every item may have any other attributes of any type."""

from boto3.dynamodb.conditions import Key

from common import fresh_table, index, main, query, refusal

KEY = {"ProductID": "S"}
BY_PRICE = {"Category": "S", "Price": "N"}

PRODUCTS = [
    {"ProductID": "book", "Category": "media", "Price": 12, "Pages": 320, "Authors": ["Ann", "Ben"]},
    {"ProductID": "song", "Category": "media", "Price": 1, "Length": {"Minutes": 3, "Seconds": 41}},
    {"ProductID": "shirt", "Category": "clothes", "Price": 25, "Sizes": {"S", "M", "L"}, "Pages": "has none"},
    {"ProductID": "chip", "Firmware": b"\x00\xff", "Pins": {1, 2, 3}, "Tested": True, "Successor": None},
]


def run(dynamodb):
    by_price = index("ByPrice", BY_PRICE)
    table = fresh_table(
        dynamodb, "FlexibleSchema", KEY, [BY_PRICE], PRODUCTS, GlobalSecondaryIndexes=[by_price]
    )
    client = table.meta.client

    def attributes(product):
        item = table.get_item(Key={"ProductID": product})["Item"]
        return [f"{name}: {type(value).__name__}" for name, value in sorted(item.items())]

    bad_batch = [{"PutRequest": {"Item": {"ProductID": id_}}} for id_ in ("good", 7)]
    answers = {f"What is known of the {item['ProductID']}": attributes(item["ProductID"]) for item in PRODUCTS}
    answers |= {
        "A number for a key that is a string": refusal(table.put_item, Item={"ProductID": 7}),
        "No key at all": refusal(table.put_item, Item={"Price": 7}),
        "An empty string for a key": refusal(table.put_item, Item={"ProductID": ""}),
        "Reading with a number for the key": refusal(table.get_item, Key={"ProductID": 7}),
        "A string for an index's number": refusal(
            table.put_item, Item={"ProductID": "mug", "Category": "kitchen", "Price": "7 dollars"}
        ),
        "Changing an index's number into a string": refusal(
            table.update_item,
            Key={"ProductID": "book"},
            UpdateExpression="SET Price = :price",
            ExpressionAttributeValues={":price": "7 dollars"},
        ),
        "A batch with one wrong key": refusal(client.batch_write_item, RequestItems={table.name: bad_batch}),
    }
    return answers | {
        "Products in the table after all that": sorted(item["ProductID"] for item in table.scan()["Items"]),
        "The index holds those that have a category and a price": [
            item["ProductID"]
            for category in ("media", "clothes")
            for item in query(table, Key("Category").eq(category), IndexName="ByPrice")
        ],
    }


if __name__ == "__main__":
    main(run, __doc__)
