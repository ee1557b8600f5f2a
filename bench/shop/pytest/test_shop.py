"""The tests of a shop. Each finds five empty tables."""

import pytest


@pytest.mark.parametrize("n", range(50))
def test_an_order(shop, n):
    customer, product, order = f"customer {n}", f"product {n}", f"order {n}"
    shop.client.put_item(TableName=shop.name("Customers"), Item={"Customer": {"S": customer}, "Town": {"S": "Turin"}})
    shop.client.put_item(TableName=shop.name("Products"), Item={"Product": {"S": product}, "Stock": {"N": "10"}})
    lines = [{"Customer": {"S": customer}, "Product": {"S": f"{product}-{line}"}, "Count": {"N": "2"}} for line in range(5)]
    shop.client.batch_write_item(
        RequestItems={shop.name("Carts"): [{"PutRequest": {"Item": line}} for line in lines]})

    cart = shop.client.query(TableName=shop.name("Carts"), KeyConditionExpression="Customer = :customer",
                             ExpressionAttributeValues={":customer": {"S": customer}})
    assert cart["Items"] == lines

    taken = shop.client.update_item(
        TableName=shop.name("Products"), Key={"Product": {"S": product}}, UpdateExpression="SET Stock = Stock - :count",
        ConditionExpression="Stock >= :count", ExpressionAttributeValues={":count": {"N": "2"}}, ReturnValues="UPDATED_NEW")
    assert taken["Attributes"] == {"Stock": {"N": "8"}}

    placed = {"Customer": {"S": customer}, "Order": {"S": order}, "State": {"S": "PAID"}}
    actions = [
        {"Put": {"TableName": shop.name("Orders"), "Item": placed}},
        {"Put": {"TableName": shop.name("Payments"), "Item": {"Order": {"S": order}, "Amount": {"N": "19.9"}},
                 "ConditionExpression": "attribute_not_exists(#order)", "ExpressionAttributeNames": {"#order": "Order"}}},
        {"Delete": {"TableName": shop.name("Carts"), "Key": {name: lines[0][name] for name in ("Customer", "Product")}}},
    ]
    shop.client.transact_write_items(TransactItems=actions)
    with pytest.raises(shop.client.exceptions.TransactionCanceledException):
        shop.client.transact_write_items(TransactItems=actions)

    paid = shop.client.query(TableName=shop.name("Orders"), IndexName="ByState", KeyConditionExpression="#state = :state",
                             ExpressionAttributeNames={"#state": "State"}, ExpressionAttributeValues={":state": {"S": "PAID"}})
    assert paid["Items"] == [placed]
    payment = shop.client.get_item(TableName=shop.name("Payments"), Key={"Order": {"S": order}}, ConsistentRead=True)
    assert payment["Item"]["Amount"] == {"N": "19.9"}
    assert shop.client.scan(TableName=shop.name("Customers"))["Count"] == 1
    assert shop.client.scan(TableName=shop.name("Carts"))["Count"] == 4
