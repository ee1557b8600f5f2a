#!/usr/bin/python3
"""Item collections: the items that share a partition key, kept together in the order of their sort keys.

Table ShoppingCart: partition key `CartID` ("Pete's Cart"), sort key `ProductID`.
Table Orders: partition key `OrderID` (a number), sort key `ItemID`: both the ordered products (SKUs, numbers as
text) and the events of the order (with ids that sort by time).
"""

from boto3.dynamodb.conditions import Key

from common import fresh_table, main, query

CART_KEY = {"CartID": "S", "ProductID": "S"}
CART = [
    {"CartID": "Pete's Cart", "ProductID": "P-3307", "Name": "Bread knife", "Quantity": 1},
    {"CartID": "Pete's Cart", "ProductID": "P-0912", "Name": "Espresso cup", "Quantity": 6},
    {"CartID": "Pete's Cart", "ProductID": "P-2040", "Name": "Tea towel", "Quantity": 2},
    {"CartID": "Ann's Cart", "ProductID": "P-0912", "Name": "Espresso cup", "Quantity": 2},
]

ORDER_KEY = {"OrderID": "N", "ItemID": "S"}
ORDERS = [
    {"OrderID": 100123, "ItemID": "4200017", "Name": "Kettle", "Quantity": 1},
    {"OrderID": 100123, "ItemID": "4200355", "Name": "Coffee filter", "Quantity": 3},
    {"OrderID": 100123, "ItemID": "EVENT#20180829T120000", "Status": "ordered"},
    {"OrderID": 100123, "ItemID": "EVENT#20180829T174500", "Status": "packed"},
    {"OrderID": 100123, "ItemID": "EVENT#20180830T081000", "Status": "on its way"},
    {"OrderID": 100124, "ItemID": "4200017", "Name": "Kettle", "Quantity": 2},
    {"OrderID": 100124, "ItemID": "EVENT#20180830T090000", "Status": "ordered"},
]


def change_quantity(table, cart, product, by):
    """Adds to the quantity of a product in a cart, also a new one; returns the new quantity."""
    updated = table.update_item(
        Key={"CartID": cart, "ProductID": product},
        UpdateExpression="ADD Quantity :by",
        ExpressionAttributeValues={":by": by},
        ReturnValues="UPDATED_NEW",
    )
    return int(updated["Attributes"]["Quantity"])


def run(dynamodb):
    carts = fresh_table(dynamodb, "ShoppingCart", CART_KEY, items=CART)
    orders = fresh_table(dynamodb, "Orders", ORDER_KEY, items=ORDERS)

    def cart(**order):
        return [
            f"{item['ProductID']} {item['Quantity']} x {item['Name']}"
            for item in query(carts, Key("CartID").eq("Pete's Cart"), **order)
        ]

    def order(order_id, prefix=None, **more):
        condition = Key("OrderID").eq(order_id)
        if prefix:
            condition &= Key("ItemID").begins_with(prefix)
        return [
            f"{item['ItemID']} " + (item["Status"] if "Status" in item else f"{item['Quantity']} x {item['Name']}")
            for item in query(orders, condition, **more)
        ]

    return {
        "Pete's cart": cart(),
        "Pete's cart, last product first": cart(ScanIndexForward=False),
        "Espresso cups, now that Pete took two more": change_quantity(carts, "Pete's Cart", "P-0912", 2),
        "Pete's cart now": cart(),
        "The tracking page of order 100123, one Query": order(100123),
        "Only what was ordered": order(100123, prefix="4"),
        "Only what happened": order(100123, prefix="EVENT#"),
        "The newest event": order(100123, prefix="EVENT#", ScanIndexForward=False)[:1],
    }


if __name__ == "__main__":
    main(run, __doc__)
