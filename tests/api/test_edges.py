"""What is exactly full, what comes in another order, what is just going away: where one step more would be wrong."""

import json
import uuid

import pytest
import tables
from client import call, ok
from tables import HASH, INDEXED, RANGE, fresh
from values import N, S

op = pytest.mark.op
MIB = 1024 * 1024


def of_size(key, size):
    """An item of that many bytes, by DynamoDB's count: names and strings as long as their UTF-8."""
    used = sum(len(name) + len(value["S"]) for name, value in key.items())
    return {**key, "v": S("x" * (size - used - len("v")))}


@op("Query", "PutItem")
@pytest.mark.parametrize("more", [0, 1])
def test_a_page_holds_one_mebibyte_and_no_byte_more(more):
    pk = S(fresh())
    for number in range(4):
        tables.put(RANGE, of_size({"pk": pk, "sk": S(f"{number}")}, MIB // 4 + (more if number == 3 else 0)))
    reply = ok(
        "Query",
        TableName=RANGE,
        KeyConditionExpression="pk = :p",
        ExpressionAttributeValues={":p": pk},
        ProjectionExpression="sk",
    )
    assert [item["sk"]["S"] for item in reply["Items"]] == ["0", "1", "2", "3"][: 4 - more]
    assert ("LastEvaluatedKey" in reply) == bool(more)


@op("BatchGetItem", "PutItem")
def test_no_item_beyond_16_mb_comes_back():
    size = 16 * MIB // 42 + 1
    keys = [{"pk": S(fresh("edge"))} for _ in range(43)]
    for key in keys:
        tables.put(HASH, of_size(key, size))
    reply = ok("BatchGetItem", RequestItems={HASH: {"Keys": keys, "ProjectionExpression": "pk"}})
    assert len(reply["Responses"][HASH]) == 41
    assert len(reply["UnprocessedKeys"][HASH]["Keys"]) == 2
    for key in keys:
        ok("DeleteItem", TableName=HASH, Key=key)


@op("TransactWriteItems")
def test_a_repeated_token_does_not_mind_the_order_of_members():
    key = {"pk": S(fresh()), "sk": S("1")}
    update = {
        "TableName": RANGE,
        "Key": key,
        "UpdateExpression": "ADD n :one, m :two",
        "ExpressionAttributeValues": {":one": N(1), ":two": N(2)},
    }

    def turned(value):
        if isinstance(value, dict):
            return {name: turned(value[name]) for name in reversed(value)}
        return [turned(one) for one in value] if isinstance(value, list) else value

    request = {"TransactItems": [{"Update": update}], "ClientRequestToken": str(uuid.uuid4())}
    assert json.dumps(turned(request)) != json.dumps(request)
    for repeated in (request, turned(request), request):
        reply = call("TransactWriteItems", repeated)
        assert reply.status == 200, reply
    assert tables.get(RANGE, key)["n"] == N(1)


@op("TransactWriteItems", "TransactGetItems")
def test_transactions_say_what_each_index_cost():
    key = {"pk": S(fresh()), "sk": S("1")}
    item = {**key, "when": S("w"), "owner": S("o")}
    put = {"Put": {"TableName": INDEXED, "Item": item}}
    (capacity,) = ok("TransactWriteItems", TransactItems=[put], ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert capacity["CapacityUnits"] == 6
    assert capacity["Table"]["CapacityUnits"] == 2
    assert {name: part["CapacityUnits"] for name, part in capacity["LocalSecondaryIndexes"].items()} == {"by_when": 2}
    assert {name: part["CapacityUnits"] for name, part in capacity["GlobalSecondaryIndexes"].items()} == {"by_owner": 2}
    get = {"Get": {"TableName": INDEXED, "Key": key}}
    (capacity,) = ok("TransactGetItems", TransactItems=[get], ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert (capacity["CapacityUnits"], capacity["Table"]["CapacityUnits"]) == (2, 2)


@op("UpdateTable", "Query", "Scan")
def test_an_index_on_its_way_out_is_not_read(new_table):
    definition = tables.plain(tables.fresh_table(), {"pk": "S"})
    definition["AttributeDefinitions"] = tables.definitions(pk="S", owner="S")
    definition["GlobalSecondaryIndexes"] = [tables.index("by_owner", "owner")]
    new_table(definition)
    name = definition["TableName"]
    tables.put(name, {"pk": S("a"), "owner": S("o")})
    query = {"KeyConditionExpression": "#o = :o", "ExpressionAttributeNames": {"#o": "owner"}}
    query |= {"TableName": name, "IndexName": "by_owner", "ExpressionAttributeValues": {":o": S("o")}}
    assert call("Query", query).status == 200
    ok("UpdateTable", TableName=name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by_owner"}}])
    assert call("Query", query).type in ("ValidationException", "ResourceNotFoundException")
    reply = call("Scan", {"TableName": name, "IndexName": "by_owner"})
    assert reply.type in ("ValidationException", "ResourceNotFoundException")


@op("DeleteTable", "ListTables")
def test_a_deleted_small_table_is_listed_no_more():
    definition = tables.simple(tables.fresh_table())
    name = definition["TableName"]
    ok("CreateTable", **definition)
    assert name in ok("ListTables", ExclusiveStartTableName=name[:-1])["TableNames"]
    ok("DeleteTable", TableName=name)
    assert name not in ok("ListTables", ExclusiveStartTableName=name[:-1])["TableNames"]
