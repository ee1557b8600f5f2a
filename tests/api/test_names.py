"""Names of attributes that are empty or too long, wherever a request may name one; and how much may be named at all."""

import pytest
from client import call, expect_validation, ok
from tables import ABSENT, HASH, fresh, get
from values import L, M, N, S

op = pytest.mark.op
EMPTY = "Empty attribute name"
LONGEST = "n" * 65535
LONG = "Attribute name is too large, must be less than 65536 bytes"
IS = {"ComparisonOperator": "EQ", "AttributeValueList": [S("x")]}
KEY = {"pk": S("a")}

# Each names an attribute as it is told to.
PLACES = [
    ("PutItem", lambda name: {"Item": {**KEY, name: S("x")}}),
    ("PutItem", lambda name: {"Item": {**KEY, "a": M(**{name: S("x")})}}),
    ("PutItem", lambda name: {"Item": {**KEY, "a": L(M(b=L(M(**{name: S("x")}))))}}),
    ("PutItem", lambda name: {"Item": KEY, "Expected": {name: {"Value": S("x")}}}),
    ("DeleteItem", lambda name: {"Key": KEY, "Expected": {name: {"Exists": False}}}),
    ("UpdateItem", lambda name: {"Key": KEY, "AttributeUpdates": {name: {"Value": S("x")}}}),
    ("UpdateItem", lambda name: {"Key": KEY, "AttributeUpdates": {"a": {"Value": M(**{name: S("x")})}}}),
    ("GetItem", lambda name: {"Key": KEY, "AttributesToGet": ["a", name]}),
    ("Query", lambda name: {"KeyConditions": {"pk": IS}, "QueryFilter": {name: IS}}),
    ("Query", lambda name: {"KeyConditions": {name: IS}}),
    ("Scan", lambda name: {"ScanFilter": {name: IS}}),
    ("Scan", lambda name: {"AttributesToGet": [name]}),
]


@pytest.mark.parametrize("operation, request_", PLACES, ids=[f"{n}-{p[0]}" for n, p in enumerate(PLACES)])
def test_a_name_is_neither_empty_nor_too_long(operation, request_):
    request = {"TableName": ABSENT}
    expect_validation(operation, {**request, **request_("")}, EMPTY)
    expect_validation(operation, {**request, **request_(LONGEST + "n")}, LONG)


@op("PutItem", "GetItem")
def test_the_longest_name():
    item = {"pk": S(fresh()), LONGEST: M(**{LONGEST: N(1)})}
    ok("PutItem", TableName=HASH, Item=item)
    assert get(HASH, {"pk": item["pk"]}) == item


def values(size):
    return {":v": S("x" * (size - 2))}


@op("Scan", "PutItem")
def test_two_megabytes_of_names_and_values():
    limit = 2 * 1024 * 1024
    filter_ = {"TableName": HASH, "FilterExpression": "a = :v", "Limit": 1}
    ok("Scan", **filter_, ExpressionAttributeValues=values(limit))
    text = "ExpressionAttributeValues exceeds max size"
    expect_validation("Scan", {**filter_, "ExpressionAttributeValues": values(limit + 1)}, text)
    named = {**filter_, "FilterExpression": "#n = :v", "ExpressionAttributeNames": {"#n": "a"}}
    ok("Scan", **named, ExpressionAttributeValues=values(limit - 3))
    both = "Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size"
    expect_validation("Scan", {**named, "ExpressionAttributeValues": values(limit - 2)}, both)
    names = {f"#{n}": f"{n:065535}" for n in range(33)}
    projection = {"TableName": HASH, "ProjectionExpression": ", ".join(names), "ExpressionAttributeNames": names}
    expect_validation("Scan", projection, "ExpressionAttributeNames exceeds max size")


@op("UpdateItem", "Query")
def test_of_a_name_that_is_sent_twice_the_last_counts():
    pk = fresh()
    body = (
        '{"TableName":"%s","Key":{"pk":{"S":"%s"}},"UpdateExpression":"SET #a = :v",'
        '"ExpressionAttributeNames":{"#a":"first","#a":"last"},'
        '"ExpressionAttributeValues":{":v":{"N":"1"},":v":{"N":"2"}}}' % (HASH, pk)
    )
    assert call("UpdateItem", body.encode()).status == 200
    assert get(HASH, {"pk": S(pk)}) == {"pk": S(pk), "last": N(2)}
    body = (
        '{"TableName":"%s","Key":{"pk":{"S":"%s"}},'
        '"AttributeUpdates":{"last":{"Value":{"N":"3"}},"last":{"Value":{"N":"4"}}}}' % (HASH, pk)
    )
    assert call("UpdateItem", body.encode()).status == 200
    assert get(HASH, {"pk": S(pk)})["last"] == N(4)
