"""A refusal says nothing of a table with which the caller may do nothing: not whether it is there, nor its keys."""

import json

import pytest
from server import running_server
from signed import allow, arn, call, deny, document, files, ok, refused, table, told

OWN = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["own"]}}
EXACT = {"StringEquals": {"dynamodb:LeadingKeys": "own"}}
SECRET = {"ForAnyValue:StringEquals": {"dynamodb:Attributes": ["secret"]}}
USERS = {
    "own": [allow("dynamodb:*", arn("known"), OWN)],
    "exact": [allow("dynamodb:*", arn("known"), EXACT)],
    "secret": [allow("dynamodb:*", arn("known")), deny("dynamodb:*", "*", SECRET)],
    "tagged": [allow("dynamodb:*", arn("known")), deny("dynamodb:*", "*", {"StringEquals": {"aws:ResourceTag/team": "red"}})],
    "nobody": [],
    "admin": [allow("*")],
    "columns": [allow(["dynamodb:Scan", "dynamodb:Query", "dynamodb:PartiQLSelect"], [arn("known"), arn("known") + "/index/*"], {
        "ForAllValues:StringEquals": {"dynamodb:Attributes": ["k", "plain"]},
        "StringEqualsIfExists": {"dynamodb:Select": ["SPECIFIC_ATTRIBUTES", "COUNT"]}})],
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running_server(in_memory=True, extra_args=files(tmp_path_factory.mktemp("told"), USERS)) as one:
        made = table("known", GlobalSecondaryIndexes=[
            {"IndexName": "hidden", "KeySchema": [{"AttributeName": "secret", "KeyType": "HASH"}],
             "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["plain"]}},
            {"IndexName": "shown", "KeySchema": [{"AttributeName": "plain", "KeyType": "HASH"}],
             "Projection": {"ProjectionType": "KEYS_ONLY"}}])
        made["AttributeDefinitions"] += [{"AttributeName": name, "AttributeType": "S"} for name in ("secret", "plain")]
        ok(one, "root", "CreateTable", made)
        for i in range(3):
            ok(one, "root", "PutItem", {"TableName": "known", "Item": {
                "k": {"S": f"k{i}"}, "secret": {"S": f"hidden {i}"}, "plain": {"S": "p"}}})
        yield one


def key(value):
    return {"k": {"S": value}}


def of_both(first, second):
    """Each way to name two tables in one request: the first with a key, the second with any."""
    statements = [{"Statement": f"SELECT * FROM {name} WHERE k = '{value}'"} for name, value in ((first[0], first[1]), (second, "x"))]
    gets = [{"Get": {"TableName": name, "Key": key(value)}} for name, value in (first, (second, "x"))]
    deletes = [{"DeleteRequest": {"Key": key(value)}} for value in (first[1], "x")]
    return [
        ("BatchGetItem", {"RequestItems": {first[0]: {"Keys": [key(first[1])]}, second: {"Keys": [key("x")]}}}),
        ("BatchWriteItem", {"RequestItems": {first[0]: deletes[:1], second: deletes[1:]}}),
        ("TransactGetItems", {"TransactItems": gets}),
        ("TransactWriteItems", {"TransactItems": [{"Delete": one["Get"]} for one in gets]}),
        ("TransactWriteItems", {"TransactItems": [{"Delete": one["Get"]} for one in reversed(gets)]}),
        ("ExecuteTransaction", {"TransactStatements": statements}),
        ("BatchExecuteStatement", {"Statements": statements}),
    ]


def of_one(name):
    """Requests about that table alone."""
    at = {"TableName": name, "Key": key("x")}
    return [
        ("GetItem", at), ("GetItem", at | {"ProjectionExpression": "secret"}), ("GetItem", at | {"Key": {"other": {"N": "1"}}}),
        ("GetItem", at | {"ReturnConsumedCapacity": "TOTAL"}), ("GetItem", {"TableName": arn(name), "Key": key("x")}),
        ("PutItem", {"TableName": name, "Item": {"k": {"S": "x"}, "secret": {"S": "x"}}}),
        ("PutItem", {"TableName": name, "Item": {"k": {"NULL": True}}}),
        ("UpdateItem", at | {"UpdateExpression": "SET secret = :s", "ExpressionAttributeValues": {":s": {"S": "x"}}}),
        ("DeleteItem", at | {"ConditionExpression": "attribute_exists(secret)"}),
        ("Scan", {"TableName": name}), ("Scan", {"TableName": name, "ProjectionExpression": "secret"}),
        ("Scan", {"TableName": name, "IndexName": "none"}),
        ("Query", {"TableName": name, "KeyConditionExpression": "secret = :s", "ExpressionAttributeValues": {":s": {"S": "x"}}}),
        ("ExecuteStatement", {"Statement": f"SELECT secret FROM {name}"}),
        ("ExecuteStatement", {"Statement": f"UPDATE {name} SET secret = 1 WHERE k = 'x'"}),
        ("DescribeTable", {"TableName": name}), ("DeleteTable", {"TableName": name}), ("DescribeTimeToLive", {"TableName": name}),
        ("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": True}),
        ("ListTagsOfResource", {"ResourceArn": arn(name)}), ("GetResourcePolicy", {"ResourceArn": arn(name)}),
        ("TagResource", {"ResourceArn": arn(name), "Tags": [{"Key": "team", "Value": "red"}]}),
    ]


def answers(server, name):
    asked = []
    for user in ("own", "exact", "secret", "tagged", "nobody"):
        for value in ("own", "other"):
            asked += [(user, operation, body) for operation, body in of_both(("known", value), name)]
        asked += [(user, operation, body) for operation, body in of_one(name)]
    return [(user, operation, body, call(server, user, operation, body)) for user, operation, body in asked]


def test_a_table_is_there_or_not(server):
    before = answers(server, "absent")
    assert all(status == 400 or "Responses" in found for *_, (status, found) in before)
    ok(server, "root", "CreateTable", table("absent", Tags=[{"Key": "team", "Value": "red"}]))
    denied = deny("dynamodb:*", arn("absent")) | {"Principal": "*"}
    ok(server, "root", "PutResourcePolicy", {"ResourceArn": arn("absent"), "Policy": json.dumps(document(denied)),
                                             "ConfirmRemoveSelfResourceAccess": True})
    try:
        for once, now in zip(before, answers(server, "absent")):
            assert now == once
    finally:
        ok(server, "root", "DeleteTable", {"TableName": "absent"})


def test_who_may_something_is_told_in_awss_words(server):
    """What a policy says of a table is told to those whose own policies allow something with it."""
    text = refused(server, "secret", "GetItem", {"TableName": "known", "Key": key("x"), "ProjectionExpression": "secret"})
    assert text.endswith("with an explicit deny in an identity-based policy")
    statement = deny("dynamodb:GetItem", arn("known")) | {"Principal": "*"}
    ok(server, "root", "PutResourcePolicy", {"ResourceArn": arn("known"), "Policy": json.dumps(document(statement))})
    for user, why in (("admin", "with an explicit deny in a resource-based policy"),
                      ("nobody", "because no identity-based policy allows the dynamodb:GetItem action")):
        assert refused(server, user, "GetItem", {"TableName": "known", "Key": key("x")}).endswith(why)
    ok(server, "root", "DeleteResourcePolicy", {"ResourceArn": arn("known")})
    assert told(server, "exact", "GetItem", {"TableName": "known", "Key": {"other": {"S": "own"}}})[0] == "ValidationException"
    ok(server, "exact", "GetItem", {"TableName": "known", "Key": key("own")})
    refused(server, "exact", "GetItem", {"TableName": "known", "Key": key("other")})


MISSING = {"BatchGetItem": "ResourceNotFoundException", "BatchWriteItem": "ResourceNotFoundException",
           "TransactGetItems": "ResourceNotFoundException", "TransactWriteItems": "ResourceNotFoundException",
           "ExecuteTransaction": "TransactionCanceledException"}


@pytest.mark.parametrize("tables", [1, 3])
def test_a_missing_table_is_no_throttle(server, tmp_path, tables):
    """Also when the policies of the others have not been looked at for a while, as of a server that has just started."""
    with running_server(in_memory=True, extra_args=files(tmp_path, {"admin": [allow("*")]})) as fresh:
        for i in range(tables):
            ok(fresh, "root", "CreateTable", table(f"table{i}"))
        names = [f"table{i}" for i in range(tables)] + ["missing"]
        parts = [{"Get": {"TableName": name, "Key": key("x")}} for name in names]
        asked = [
            ("TransactGetItems", {"TransactItems": parts}),
            ("TransactWriteItems", {"TransactItems": [{"Delete": one["Get"]} for one in parts]}),
            ("BatchGetItem", {"RequestItems": {name: {"Keys": [key("x")]} for name in names}}),
            ("BatchWriteItem", {"RequestItems": {name: [{"DeleteRequest": {"Key": key("x")}}] for name in names}}),
            ("ExecuteTransaction", {"TransactStatements": [{"Statement": f'SELECT * FROM "{name}" WHERE k = \'x\''} for name in names]}),
        ]
        for number, (operation, body) in enumerate(asked):
            ok(fresh, "root", "PutResourcePolicy", {"ResourceArn": arn("table0"), "Policy": json.dumps(document(
                allow("dynamodb:GetItem", arn("table0")) | {"Sid": f"s{number}", "Principal": {"AWS": "123456789012"}}))})
            assert told(fresh, "admin", operation, body)[0] == MISSING[operation], operation


def test_pages_do_not_end_with_what_may_not_be_named(server):
    """LastEvaluatedKey has the keys of the table and of the index: they count as attributes that are asked for."""
    plain = {"TableName": "known", "ProjectionExpression": "plain", "Limit": 1}
    assert ok(server, "columns", "Scan", plain)["LastEvaluatedKey"]
    assert set(ok(server, "columns", "Scan", plain | {"IndexName": "shown"})["LastEvaluatedKey"]) == {"k", "plain"}
    refused(server, "columns", "Scan", plain | {"IndexName": "hidden"})
    refused(server, "columns", "Scan", {"TableName": "known", "IndexName": "hidden", "Select": "COUNT"})
    for index, may in (("shown", True), ("hidden", False)):
        status, found = call(server, "columns", "ExecuteStatement", {"Statement": f'SELECT plain FROM known."{index}"', "Limit": 1})
        assert (status == 200) == may, found
