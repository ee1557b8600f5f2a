"""Programs that use a table right after they made, changed or deleted it, as those made for DynamoDB Local do."""

import itertools

import pytest

NUMBERS = itertools.count()


def units(each):
    return {"ReadCapacityUnits": each, "WriteCapacityUnits": each}


@pytest.fixture
def table(client):
    name = f"first-contact-{next(NUMBERS)}"
    yield {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "ProvisionedThroughput": units(1),
    }
    try:
        client.delete_table(TableName=name)
    except client.exceptions.ResourceNotFoundException:
        pass


ITEM = {"pk": {"S": "a"}, "n": {"N": "1"}}
KEY = {"pk": {"S": "a"}}

CALLS = {
    "PutItem": lambda client, name: client.put_item(TableName=name, Item=ITEM),
    "GetItem": lambda client, name: client.get_item(TableName=name, Key=KEY),
    "UpdateItem": lambda client, name: client.update_item(TableName=name, Key=KEY),
    "DeleteItem": lambda client, name: client.delete_item(TableName=name, Key=KEY),
    "Query": lambda client, name: client.query(
        TableName=name, KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "a"}}
    ),
    "Scan": lambda client, name: client.scan(TableName=name),
    "BatchGetItem": lambda client, name: client.batch_get_item(RequestItems={name: {"Keys": [KEY]}}),
    "BatchWriteItem": lambda client, name: client.batch_write_item(
        RequestItems={name: [{"PutRequest": {"Item": ITEM}}]}
    ),
    "TransactGetItems": lambda client, name: client.transact_get_items(
        TransactItems=[{"Get": {"TableName": name, "Key": KEY}}]
    ),
    "TransactWriteItems": lambda client, name: client.transact_write_items(
        TransactItems=[{"Put": {"TableName": name, "Item": ITEM}}]
    ),
    "UpdateTable": lambda client, name: client.update_table(TableName=name, ProvisionedThroughput=units(2)),
    "DeleteTable": lambda client, name: client.delete_table(TableName=name),
}


@pytest.mark.parametrize("operation", CALLS)
def test_a_call_right_after_create_table(client, table, operation):
    assert client.create_table(**table)["TableDescription"]["TableStatus"] == "CREATING"
    CALLS[operation](client, table["TableName"])


def test_a_table_is_made_again_right_after_it_was_deleted(client, table):
    name = table["TableName"]
    for _ in range(3):
        client.create_table(**table)
        assert client.scan(TableName=name)["Count"] == 0
        client.put_item(TableName=name, Item=ITEM)
        assert client.delete_table(TableName=name)["TableDescription"]["TableStatus"] == "DELETING"


def test_two_changes_after_each_other(client, table):
    name = table["TableName"]
    client.create_table(**table)
    for each in (2, 3, 4):
        client.update_table(TableName=name, ProvisionedThroughput=units(each))
    throughput = client.describe_table(TableName=name)["Table"]["ProvisionedThroughput"]
    assert (throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]) == (4, 4)


def test_an_index_that_is_being_deleted_is_not_there(client, table):
    name = table["TableName"]
    table["AttributeDefinitions"].append({"AttributeName": "g", "AttributeType": "S"})
    index = {
        "IndexName": "by-g",
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
        "ProvisionedThroughput": units(1),
    }
    client.create_table(**table, GlobalSecondaryIndexes=[index])
    query = {
        "TableName": name,
        "IndexName": "by-g",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": {"S": "x"}},
    }
    assert client.query(**query)["Count"] == 0
    client.update_table(TableName=name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-g"}}])
    with pytest.raises(client.exceptions.ClientError, match="The table does not have the specified index: by-g"):
        client.query(**query)
    client.get_waiter("table_exists").wait(TableName=name)
