"""TransactWriteItems and TransactGetItems."""

import re
import threading
import uuid

import pytest
import tables
from client import CANCELED, INVALID, NOT_FOUND, NOT_VALID, at_least, at_most, call, expect_error, expect_validation
from client import ok, one, several, unsatisfied
from tables import ABSENT, HASH, HASH_B, HASH_N, INDEXED, RANGE, fresh, get
from values import NULL, SS, B, L, M, N, S, nested

op = pytest.mark.op
WRITE, READ = "TransactWriteItems", "TransactGetItems"
SUMMARY = "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]"
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
NONE = {"Code": "None"}
SCHEMA = "The provided key element does not match the schema"


def put(item, table=HASH, **more):
    return {"Put": {"TableName": table, "Item": item, **more}}


def delete(key, table=HASH, **more):
    return {"Delete": {"TableName": table, "Key": key, **more}}


def check(key, condition, table=HASH, **more):
    return {"ConditionCheck": {"TableName": table, "Key": key, "ConditionExpression": condition, **more}}


def update(key, expression, values=None, table=HASH, **more):
    request = {"TableName": table, "Key": key, "UpdateExpression": expression, **more}
    if values:
        request["ExpressionAttributeValues"] = values
    return {"Update": request}


def read(key, table=HASH, **more):
    return {"Get": {"TableName": table, "Key": key, **more}}


def cancelled(operation, actions, *reasons):
    """The request must be cancelled for exactly these reasons."""
    reply = expect_error(operation, {"TransactItems": actions}, CANCELED)
    assert reply.message == SUMMARY.format(", ".join(reason["Code"] for reason in reasons))
    assert reply.body["CancellationReasons"] == list(reasons)
    assert reply.full_type == "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"
    assert "Message" in reply.body


def fault(text):
    return {"Code": "ValidationError", "Message": text}


@op(WRITE)
def test_all_kinds_of_actions():
    new, changed, gone, checked = ({"pk": S(fresh())} for _ in range(4))
    tables.put(HASH, {**changed, "n": N(1)})
    tables.put(HASH, gone)
    tables.put(HASH, {**checked, "v": S("x")})
    there = {"pk": S(fresh()), "sk": S("1")}
    actions = [
        put({**new, "a": S("b")}),
        update(changed, "SET n = n + :v", {":v": N(1)}),
        delete(gone),
        check(checked, "v = :v", ExpressionAttributeValues={":v": S("x")}),
        put(there, RANGE),
    ]
    assert ok(WRITE, TransactItems=actions) == {}
    assert get(HASH, new) == {**new, "a": S("b")}
    assert get(HASH, changed) == {**changed, "n": N(2)}
    assert get(HASH, gone) is None
    assert get(HASH, checked) == {**checked, "v": S("x")}
    assert get(RANGE, there) == there


@op(WRITE)
@pytest.mark.parametrize("kind", ["put", "update", "delete", "check"])
def test_one_failing_condition_cancels_all(kind):
    mine, rest = {"pk": S(fresh())}, {"pk": S(fresh())}
    tables.put(HASH, {**mine, "v": N(1)})
    condition = "attribute_not_exists(pk)"
    failing = {
        "put": put({**mine, "v": N(2)}, ConditionExpression=condition),
        "update": update(mine, "SET v = :v", {":v": N(2)}, ConditionExpression=condition),
        "delete": delete(mine, ConditionExpression=condition),
        "check": check(mine, condition),
    }[kind]
    cancelled(WRITE, [put(rest), failing], NONE, FAILED)
    cancelled(WRITE, [failing, put(rest)], FAILED, NONE)
    assert get(HASH, mine) == {**mine, "v": N(1)}
    assert get(HASH, rest) is None


@op(WRITE)
@pytest.mark.parametrize("kind", ["put", "update", "delete", "check"])
def test_the_old_item_comes_when_asked(kind):
    mine = {"pk": S(fresh())}
    tables.put(HASH, {**mine, "v": N(1)})
    more = {"ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    failing = {
        "put": put(mine, **more),
        "update": update(mine, "SET v = v", **more),
        "delete": delete(mine, **more),
        "check": check(mine, more["ConditionExpression"], ReturnValuesOnConditionCheckFailure="ALL_OLD"),
    }[kind]
    cancelled(WRITE, [failing], {**FAILED, "Item": {**mine, "v": N(1)}})


@op(WRITE)
def test_every_failing_action_has_its_reason():
    keys = [{"pk": S(fresh())} for _ in range(4)]
    for key in keys[:2]:
        tables.put(HASH, key)
    condition = {"ConditionExpression": "attribute_not_exists(pk)"}
    cancelled(WRITE, [put(key, **condition) for key in keys], FAILED, FAILED, NONE, NONE)


@op(WRITE)
@pytest.mark.parametrize(
    "expression, condition",
    [("ADD n :v", "attribute_exists(pk)"), ("SET n = :v", "n > :v"), ("SET n = :v", "attribute_exists(pk) AND n = :v")],
)
def test_a_failed_update_leaves_no_ghost(expression, condition):
    key = {"pk": S(fresh())}
    cancelled(WRITE, [update(key, expression, {":v": N(1)}, ConditionExpression=condition)], FAILED)
    assert get(HASH, key) is None


@op(WRITE)
def test_an_update_makes_an_absent_item():
    key = {"pk": S(fresh())}
    ok(WRITE, TransactItems=[update(key, "SET v = :v", {":v": N(1)}, ConditionExpression="attribute_not_exists(pk)")])
    assert get(HASH, key) == {**key, "v": N(1)}


KEY_FAULTS = [
    (put({"pk": N(5)}), INVALID + "Type mismatch for key pk expected: S actual: N"),
    (put({"pk": L(S("x"))}), INVALID + "Type mismatch for key pk expected: S actual: L"),
    (put({"other": S("x")}), INVALID + "Missing the key pk in the item"),
    (put({"pk": S("x")}, RANGE), INVALID + "Missing the key sk in the item"),
    (put({"pk": S("x"), "sk": S("1"), "owner": N(1)}, INDEXED), INVALID + "Type mismatch for Index Key owner Expected: S Actual: N IndexName: by_owner"),
    (update({"pk": N(5)}, "SET a = :v", {":v": N(1)}), SCHEMA),
    (update({}, "SET a = :v", {":v": N(1)}), SCHEMA),
    (delete({"pk": N(5)}), SCHEMA),
    (delete({"pk": L(S("x"))}), SCHEMA),
    (delete({"pk": S("x"), "sk": S("y")}), SCHEMA),
    (delete({"pk": S("x")}, RANGE), SCHEMA),
    (check({"pk": N(5)}, "attribute_not_exists(pk)"), SCHEMA),
    (update({"pk": S("x")}, "SET pk = :v", {":v": S("y")}), None),
]


@op(WRITE)
@pytest.mark.parametrize("action, text", KEY_FAULTS, ids=range(len(KEY_FAULTS)))
def test_key_faults_cancel(action, text):
    rest = {"pk": S(fresh())}
    if text is None:
        reply = call(WRITE, {"TransactItems": [put(rest), action]})
        assert reply.status == 400
    else:
        cancelled(WRITE, [put(rest), action], NONE, fault(text))
        cancelled(WRITE, [action], fault(text))
    assert get(HASH, rest) is None


@op(READ)
@pytest.mark.parametrize(
    "key, table", [({}, HASH), ({"pk": N(1)}, HASH), ({"pk": S("a")}, RANGE), ({"pk": S("a"), "b": S("c")}, HASH)]
)
def test_key_faults_cancel_reads(key, table):
    cancelled(READ, [read({"pk": S(fresh())}), read(key, table)], NONE, fault(SCHEMA))


EMPTY = NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty {} value. Key: pk"


@op(WRITE)
@pytest.mark.parametrize("table, value, kind", [(HASH, S(""), "string"), (HASH_B, B(b""), "binary")])
def test_empty_keys_are_refused_at_the_door(table, value, kind):
    for action in (
        put({"pk": value}, table),
        update({"pk": value}, "SET a = :v", {":v": N(1)}, table),
        delete({"pk": value}, table),
        check({"pk": value}, "attribute_not_exists(pk)", table),
    ):
        expect_validation(WRITE, {"TransactItems": [action]}, EMPTY.format(kind))


EVALUATION = [
    ({"a": S("x")}, "SET b = a + :v", "An operand in the update expression has an incorrect data type"),
    ({}, "SET b = a + :v", "The provided expression refers to an attribute that does not exist in the item"),
    ({}, "SET a.b = :v", "The document path provided in the update expression is invalid for update"),
    ({"a": S("x")}, "ADD a :v", "An operand in the update expression has an incorrect data type"),
    ({"a": N("9e125")}, "SET a = a + a, b = :v", "Number overflow. Attempting to store a number with magnitude larger than supported range"),
]


@op(WRITE)
@pytest.mark.parametrize("before, expression, text", EVALUATION, ids=range(len(EVALUATION)))
def test_updates_that_the_item_does_not_allow(before, expression, text):
    key, rest = {"pk": S(fresh())}, {"pk": S(fresh())}
    tables.put(HASH, {**key, **before})
    cancelled(WRITE, [put(rest), update(key, expression, {":v": N(1)})], NONE, fault(text))
    assert get(HASH, rest) is None


INDEX_EMPTY = (
    NOT_VALID + "A value specified for a secondary index key is not supported. "
    "The AttributeValue for a key attribute cannot contain an empty {} value. IndexName: {}, IndexKey: {}"
)
UPDATE_EMPTY = (
    NOT_VALID + "The update expression attempted to update a secondary index key to a value that is not supported. "
    "The AttributeValue for a key attribute cannot contain an empty {} value."
)


@op(WRITE)
@pytest.mark.parametrize("name, value, kind", [("owner", S(""), "string"), ("when", S(""), "string"), ("code", B(b""), "binary")])
def test_empty_index_keys_are_refused_at_the_door(name, value, kind):
    key, rest = {"pk": S(fresh()), "sk": S("1")}, {"pk": S(fresh())}
    whole = put({**key, name: value}, INDEXED)
    expect_validation(WRITE, {"TransactItems": [put(rest), whole]}, INDEX_EMPTY.format(kind, f"by_{name}", name))
    change = update(key, "SET #n = :v", {":v": value}, INDEXED, ExpressionAttributeNames={"#n": name})
    expect_validation(WRITE, {"TransactItems": [put(rest), change]}, UPDATE_EMPTY.format(kind))
    assert get(HASH, rest) is None


@op(WRITE)
@pytest.mark.parametrize("value", [N(1), NULL, M(a=S("x")), L(), SS("a")], ids=lambda value: list(value)[0])
def test_index_keys_of_the_wrong_type_cancel(value):
    key, rest = {"pk": S(fresh()), "sk": S("1")}, {"pk": S(fresh())}
    text = INVALID + f"Type mismatch for Index Key owner Expected: S Actual: {list(value)[0]} IndexName: by_owner"
    cancelled(WRITE, [put(rest), put({**key, "owner": value}, INDEXED)], NONE, fault(text))
    change = update(key, "SET #n = :v", {":v": value}, INDEXED, ExpressionAttributeNames={"#n": "owner"})
    cancelled(WRITE, [put(rest), change], NONE, fault(text))
    assert get(HASH, rest) is None and get(INDEXED, key) is None


LISTS = [
    (WRITE, [], "Value '[]' at 'transactItems' failed to satisfy constraint: " + at_least(1)),
    (READ, [], "Value '[]' at 'transactItems' failed to satisfy constraint: " + at_least(1)),
]


@pytest.mark.parametrize("operation, actions, text", LISTS, ids=[WRITE, READ])
def test_no_actions(operation, actions, text):
    expect_validation(operation, {"TransactItems": actions}, one(text))


@pytest.mark.parametrize("operation", [WRITE, READ])
def test_too_many_actions(operation):
    actions = [(put if operation == WRITE else read)({"pk": S(f"{n}")}) for n in range(101)]
    text = r"1 validation error detected: Value '\[.+\]' at 'transactItems' failed to satisfy constraint: "
    expect_validation(operation, {"TransactItems": actions}, re.compile(text + re.escape(at_most(100)), re.S))


@op(WRITE, READ)
def test_a_hundred_actions():
    keys = [{"pk": S(fresh())} for _ in range(100)]
    ok(WRITE, TransactItems=[put({**key, "n": N(n)}) for n, key in enumerate(keys)])
    reply = ok(READ, TransactItems=[read(key) for key in keys])
    assert [response["Item"]["n"] for response in reply["Responses"]] == [N(n) for n in range(100)]


@op(WRITE)
@pytest.mark.parametrize(
    "actions",
    [
        [put({"pk": S("a")}), put({"pk": S("a")})],
        [put({"pk": S("a")}), delete({"pk": S("a")})],
        [check({"pk": S("a")}, "attribute_exists(pk)"), update({"pk": S("a")}, "REMOVE b")],
        [put({"pk": N("1000")}, HASH_N), delete({"pk": N("1e3")}, HASH_N)],
    ],
)
def test_one_action_for_an_item(actions):
    text = "Transaction request cannot include multiple operations on one item"
    expect_validation(WRITE, {"TransactItems": actions}, text)


@op(READ)
def test_one_read_of_an_item():
    text = "Transaction request cannot include multiple operations on one item"
    expect_validation(READ, {"TransactItems": [read({"pk": S("a")}), read({"pk": S("a")})]}, text)


@op(WRITE, READ)
def test_absent_tables():
    text = "Requested resource not found"
    expect_error(WRITE, {"TransactItems": [put({"pk": S("a")}), put({"pk": S("a")}, ABSENT)]}, NOT_FOUND, text)
    expect_error(READ, {"TransactItems": [read({"pk": S("a")}), read({"pk": S("a")}, ABSENT)]}, NOT_FOUND, text)


@op(WRITE)
@pytest.mark.parametrize("action", [{}, {**put({"pk": S("a")}), **delete({"pk": S("b")})}], ids=["none", "two"])
def test_an_action_is_one_thing(action):
    expect_validation(WRITE, {"TransactItems": [action]})


@op(WRITE)
def test_required_expressions():
    action = check({"pk": S("a")}, None)
    del action["ConditionCheck"]["ConditionExpression"]
    member = "transactItems.1.member.conditionCheck.conditionExpression"
    expect_validation(WRITE, {"TransactItems": [action]}, one(unsatisfied(None, member, "Member must not be null")))
    action = update({"pk": S("a")}, None)
    del action["Update"]["UpdateExpression"]
    member = "transactItems.1.member.update.updateExpression"
    expect_validation(WRITE, {"TransactItems": [action]}, one(unsatisfied(None, member, "Member must not be null")))


UNUSED = "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"
OPEN = 'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "("'
unused = check({"pk": S("cc")}, "attribute_not_exists(pk)", ExpressionAttributeValues={":v": S("x")})
broken = check({"pk": S("cc")}, "attribute_not_exists(")
nowhere = put({"pk": S("a")}, ABSENT)
EXPRESSIONS = [
    ([broken], OPEN),
    ([nowhere, broken], OPEN),
    ([unused], UNUSED),
    ([nowhere, unused], UNUSED),
    ([unused, nowhere], UNUSED),
    ([put({"pk": S("cc")}), unused], UNUSED),
    ([update({"pk": S("a")}, "SET")], 'Invalid UpdateExpression: Syntax error; token: "<EOF>", near: "SET"'),
    ([update({"pk": S("a")}, "SET a = :v")], "Invalid UpdateExpression: An expression attribute value used in expression is not defined; attribute value: :v"),
    ([unused, broken], UNUSED),
    ([broken, unused], OPEN),
]


@op(WRITE)
@pytest.mark.parametrize("actions, text", EXPRESSIONS, ids=range(len(EXPRESSIONS)))
def test_expressions_are_checked_at_the_door(actions, text):
    """Action by action, before any table is looked up."""
    expect_validation(WRITE, {"TransactItems": actions}, text)


@op(READ)
def test_projections_are_checked_at_the_door():
    text = 'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"'
    expect_validation(READ, {"TransactItems": [read({"pk": S("a")}, ABSENT, ProjectionExpression="!!!")]}, text)


def long_condition(length):
    text = " AND ".join(f"attribute_not_exists({'a' * 50}{n:04})" for n in range(50))
    return text + " " * (length - len(text))


def long_update(length):
    text = "SET " + ", ".join(f"{'a' * 50}{n:04} = :v" for n in range(50))
    return text + " " * (length - len(text))


@op(WRITE)
def test_long_expressions_are_refused_at_the_door():
    first, second = {"pk": S(fresh())}, {"pk": S(fresh())}
    value = {":v": S("x")}

    def members(length):
        condition = {"ConditionExpression": long_condition(length)}
        yield put(second, **condition)
        yield delete(second, **condition)
        yield check(second, long_condition(length))
        yield update(second, "SET b = :v", value, **condition)
        yield update(second, long_update(length), value)

    for member in members(4097):
        reply = call(WRITE, {"TransactItems": [put(first), member]})
        assert reply.type == "ValidationException", repr(reply)
        assert "Expression: Expression size has exceeded the maximum allowed size;" in reply.message
        assert get(HASH, first) is None and get(HASH, second) is None
    for member in members(4096):
        ok(WRITE, TransactItems=[member])
        ok("DeleteItem", TableName=HASH, Key=second)


@op(WRITE)
def test_deep_values_in_a_transaction_meet_only_the_item():
    """A value of 32 levels may be compared with, and may not be stored: that cancels."""
    key, rest = {"pk": S(fresh())}, {"pk": S(fresh())}
    tables.put(HASH, {**key, "marker": S("x")})
    deep = {":d": nested(32)}
    compared = [
        check(key, "d = :d", ExpressionAttributeValues=deep),
        update(key, "SET t = :t", {**deep, ":t": S("y")}, ConditionExpression="d = :d"),
    ]
    for action in compared:
        cancelled(WRITE, [put(rest), action], NONE, FAILED)
    text = "Nesting Levels have exceeded supported limits"
    reply = expect_error(WRITE, {"TransactItems": [put(rest), update(key, "SET d = :d", deep)]}, CANCELED)
    codes, reason = [each["Code"] for each in reply.body["CancellationReasons"]], reply.body["CancellationReasons"][1]
    assert codes == ["None", "ValidationError"] and reason["Message"].startswith(text)
    assert get(HASH, rest) is None and get(HASH, key) == {**key, "marker": S("x")}


RCC = unsatisfied("BOGUS", "returnConsumedCapacity", "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]")


@op(WRITE)
def test_the_model_comes_first():
    bogus = {"ReturnConsumedCapacity": "BOGUS"}
    expect_validation(WRITE, {"TransactItems": [nowhere], **bogus}, one(RCC))
    twice = [put({"pk": S("a")}), delete({"pk": S("a")})]
    expect_validation(WRITE, {"TransactItems": twice, **bogus}, one(RCC))
    token = unsatisfied("x" * 37, "clientRequestToken", at_most(36))
    request = {"TransactItems": [put({"pk": S("tok")})], "ClientRequestToken": "x" * 37}
    expect_validation(WRITE, request, one(token))
    expect_validation(WRITE, {**request, **bogus}, several(token, RCC))
    assert get(HASH, {"pk": S("tok")}) is None


@op(WRITE)
def test_a_token_makes_a_request_idempotent():
    key, token = {"pk": S(fresh())}, str(uuid.uuid4())
    request = {"TransactItems": [update(key, "ADD n :v", {":v": N(1)})], "ClientRequestToken": token}
    for _ in range(3):
        ok(WRITE, **request)
    assert get(HASH, key)["n"] == N(1)
    changed = {"TransactItems": [update(key, "ADD n :v", {":v": N(2)})], "ClientRequestToken": token}
    expect_error(WRITE, changed, "IdempotentParameterMismatchException")
    assert get(HASH, key)["n"] == N(1)
    ok(WRITE, TransactItems=request["TransactItems"], ClientRequestToken=str(uuid.uuid4()))
    assert get(HASH, key)["n"] == N(2)


@op(WRITE)
def test_a_token_s_request_is_the_same_in_any_order_of_members():
    key, token = {"pk": S(fresh()), "m": M(a=S("1"), b=S("2"))}, str(uuid.uuid4())
    action = put(key, ConditionExpression="attribute_not_exists(#p)", ExpressionAttributeNames={"#p": "pk"})

    def turned(value):
        if isinstance(value, list):
            return [turned(one_) for one_ in value]
        return {k: turned(value[k]) for k in reversed(value)} if isinstance(value, dict) else value

    assert list(turned(action)["Put"]) == list(reversed(action["Put"]))
    ok(WRITE, TransactItems=[action], ClientRequestToken=token)
    ok(WRITE, TransactItems=turned([action]), ClientRequestToken=token)
    ok(WRITE, TransactItems=[{"Put": {**action["Put"], "ReturnValuesOnConditionCheckFailure": None}}], ClientRequestToken=token)


@op(WRITE)
@pytest.mark.parametrize("kind, members", [("NS", ["3", "1", "2"]), ("SS", ["b", "c", "a"]), ("BS", ["Yg==", "YQ=="])])
def test_a_set_has_no_order_in_a_token_s_request(kind, members):
    key, token = {"pk": S(fresh())}, str(uuid.uuid4())
    for sent in (members, sorted(members)):
        ok(WRITE, TransactItems=[put({**key, "m": M(deep={kind: sent})})], ClientRequestToken=token)
    other = [put({**key, "m": M(deep={kind: members[:-1]})})]
    expect_error(WRITE, {"TransactItems": other, "ClientRequestToken": token}, "IdempotentParameterMismatchException")
    token = str(uuid.uuid4())
    ok(WRITE, TransactItems=[put({**key, "l": L(N(1), N(2))})], ClientRequestToken=token)
    turned = [put({**key, "l": L(N(2), N(1))})]
    expect_error(WRITE, {"TransactItems": turned, "ClientRequestToken": token}, "IdempotentParameterMismatchException")


@op(WRITE, READ)
def test_placeholders_need_no_expression():
    key = {"pk": S(fresh())}
    names, values = {"ExpressionAttributeNames": {"#a": "a"}}, {"ExpressionAttributeValues": {":a": S("a")}}
    ok(WRITE, TransactItems=[put(key, **names, **values)])
    assert ok(READ, TransactItems=[read(key, **names)])["Responses"] == [{"Item": key}]
    ok(WRITE, TransactItems=[delete(key, **values)])


@op(WRITE)
def test_of_several_wrong_keys_the_first_is_blamed():
    wrong = {"pk": N(1)}
    cancelled(WRITE, [put({"pk": S(fresh())}), delete(wrong), delete({"pk": N(2)})], NONE, fault(SCHEMA), NONE)


@op(READ)
def test_four_megabytes_are_read_at_most():
    keys = [{"pk": S(fresh("read4mb"))} for _ in range(11)]
    for key in keys:
        tables.put(HASH, {**key, "v": S("x" * 399_000)})
    assert len(ok(READ, TransactItems=[read(key) for key in keys[:10]])["Responses"]) == 10
    assert call(READ, {"TransactItems": [read(key, ProjectionExpression="pk") for key in keys]}).type == "ValidationException"
    for key in keys:
        ok("DeleteItem", TableName=HASH, Key=key)


@op(WRITE)
def test_a_cancelled_request_may_be_sent_again_with_its_token():
    key, token = {"pk": S(fresh())}, str(uuid.uuid4())
    request = {"TransactItems": [put(key, ConditionExpression="a = b")], "ClientRequestToken": token}
    for _ in range(2):
        expect_error(WRITE, request, CANCELED)


@op(WRITE)
def test_four_megabytes_at_most():
    def actions(count):
        return [put({"pk": S(f"4mb-{n}"), "v": S("x" * 350_000)}) for n in range(count)]

    text = "Transaction payload size cannot exceed 4MB. Payload Size: "
    found = re.fullmatch(f"{text}: {text}([0-9]+)", expect_validation(WRITE, {"TransactItems": actions(12)}).message)
    assert found and 12 * 350_000 < int(found[1]) < 12 * 350_100
    ok(WRITE, TransactItems=actions(10))
    ok(WRITE, TransactItems=[delete({"pk": S(f"4mb-{n}")}) for n in range(10)])


@op(WRITE, "PutItem")
def test_a_small_request_may_delete_much():
    keys = [{"pk": S(fresh("much"))} for _ in range(14)]
    for key in keys:
        tables.put(HASH, {**key, "v": S("x" * 390_000)})
    ok(WRITE, TransactItems=[delete(key) for key in keys])
    assert all(get(HASH, key) is None for key in keys)


@op(READ)
def test_reads_answer_by_position():
    here, sorted_ = {"pk": S(fresh()), "a": N(1), "b": N(2)}, {"pk": S(fresh()), "sk": S("1"), "c": N(3)}
    tables.put(HASH, here)
    tables.put(RANGE, sorted_)
    actions = [
        read({"pk": sorted_["pk"], "sk": S("1")}, RANGE, ProjectionExpression="#c", ExpressionAttributeNames={"#c": "c"}),
        read({"pk": S(fresh())}),
        read({"pk": here["pk"]}),
        read({"pk": here["pk"] | {}, "sk": S("none")}, RANGE),
    ]
    assert ok(READ, TransactItems=actions)["Responses"] == [{"Item": {"c": N(3)}}, {}, {"Item": here}, {}]


@op(WRITE)
def test_concurrent_transactions_are_each_whole():
    """Transfers between two accounts from many threads: no sum is ever lost, and a conflict says so."""
    left, right = {"pk": S(fresh())}, {"pk": S(fresh())}
    for key in (left, right):
        tables.put(HASH, {**key, "n": N(100)})
    done, strange = [], []

    def transfer():
        for _ in range(20):
            actions = [update(left, "ADD n :v", {":v": N(-1)}), update(right, "ADD n :v", {":v": N(1)})]
            reply = call(WRITE, {"TransactItems": actions})
            if reply.status == 200:
                done.append(1)
            elif reply.type not in (CANCELED, "TransactionInProgressException"):
                strange.append(repr(reply))

    threads = [threading.Thread(target=transfer) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not strange
    assert done
    assert get(HASH, left)["n"] == N(100 - len(done))
    assert get(HASH, right)["n"] == N(100 + len(done))
