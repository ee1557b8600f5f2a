"""BatchExecuteStatement, where each statement stands for itself, and ExecuteTransaction, where all stand together."""

import uuid

import pytest
from client import CANCELED, NOT_FOUND, VALIDATION, call, expect_error, ok
from statements import BATCH, NOT_WELL_FORMED, ONE, TRANSACTION, batch, transaction
from tables import ABSENT, HASH, INDEXED, MULTI, RANGE, fresh, get, put
from values import SS, L, N, S

op = pytest.mark.op

BATCH_KEY = "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
READ_KEY = "Select statements within ExecuteTransaction must specify the primary key in the where clause."
SUMMARY = "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]"
MISMATCH = "The provided key element does not match the schema"
EXISTS = "EXISTS() must contain a single item read with additional condition"


def error(code, message, **more):
    return {"Error": {"Code": code, "Message": message}, **more}


def stored(pk):
    return get(HASH, {"pk": S(pk)})


def cancelled(reply, *reasons):
    """Each reason is a code, or a code and a message."""
    assert reply.type == CANCELED, reply
    codes = [reason if isinstance(reason, str) else reason[0] for reason in reasons]
    assert reply.message == SUMMARY.format(", ".join(codes))
    for told, reason in zip(reply.body["CancellationReasons"], reasons, strict=True):
        assert told["Code"] == reason if isinstance(reason, str) else (told["Code"], told["Message"]) == reason


def invalid(reply, text, which=0):
    assert (reply.type, reply.message) == (VALIDATION, f"Validation failed in TransactStatements[{which}]: {text}")


# BatchExecuteStatement


@op(BATCH)
def test_a_batch_of_reads():
    one, two = fresh(), fresh()
    put(HASH, {"pk": S(one), "a": L(S("x"))})
    select = f'SELECT * FROM "{HASH}" WHERE pk = ?'
    responses = batch(
        {"Statement": select, "Parameters": [S(one)]},
        {"Statement": select, "Parameters": [S(two)]},
        f"SELECT a[0] FROM \"{HASH}\" WHERE pk IN ['{one}'] AND pk = '{one}'",
    )
    assert responses == [
        {"TableName": HASH, "Item": {"pk": S(one), "a": L(S("x"))}},
        {"TableName": HASH},
        {"TableName": HASH, "Item": {"a[0]": S("x")}},
    ]


@op(BATCH)
def test_a_batch_of_writes():
    new, changed, gone = fresh(), fresh(), fresh()
    put(HASH, {"pk": S(changed), "ss": SS("a")})
    put(HASH, {"pk": S(gone), "a": N(1)})
    responses = batch(
        f"INSERT INTO \"{HASH}\" VALUE {{'pk': '{new}'}}",
        f"UPDATE \"{HASH}\" SET ss = set_add(ss, <<'t'>>) WHERE pk = '{changed}' RETURNING MODIFIED NEW *",
        f"UPDATE \"{HASH}\" SET n = 1 WHERE pk = '{changed}' RETURNING ALL NEW *",
        f"UPDATE \"{HASH}\" REMOVE n WHERE pk = '{changed}' RETURNING MODIFIED NEW *",
        f"FROM \"{HASH}\" WHERE pk = '{changed}' REMOVE ss RETURNING MODIFIED NEW *",
        f"DELETE FROM \"{HASH}\" WHERE pk = '{gone}' RETURNING ALL OLD *",
    )
    assert responses == [
        {"TableName": HASH},
        {"TableName": HASH, "Item": {"ss": SS("a", "t")}},
        {"TableName": HASH, "Item": {"pk": S(changed), "ss": SS("a", "t"), "n": N(1)}},
        {"TableName": HASH},
        {"TableName": HASH},
        {"TableName": HASH, "Item": {"pk": S(gone), "a": N(1)}},
    ]
    assert (stored(new), stored(changed), stored(gone)) == ({"pk": S(new)}, {"pk": S(changed)}, None)


@op(BATCH)
def test_what_fails_in_a_batch_fails_alone():
    pk = fresh()
    put(HASH, {"pk": S(pk), "a": N(1)})
    fine = f"SELECT * FROM \"{HASH}\" WHERE pk = '{pk}'"
    wrong = f"UPDATE \"{HASH}\" SET b = 1 WHERE pk = '{pk}' AND a = 2"
    responses = batch(
        f"SLECT * FROM \"{HASH}\" WHERE pk = '{pk}'",
        fine,
        f"SELECT * FROM \"{ABSENT}\" WHERE pk = 'x'",
        f"INSERT INTO \"{HASH}\" VALUE {{'pk': '{pk}'}}",
        wrong,
        {"Statement": wrong, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
        {"Statement": wrong, "ReturnValuesOnConditionCheckFailure": "NONE"},
        f"DELETE FROM \"{HASH}\" WHERE pk = '{pk}' RETURNING MODIFIED OLD *",
        {"Statement": fine, "Parameters": [{"SS": []}]},
        f"EXISTS(SELECT * FROM \"{HASH}\" WHERE pk = '{pk}' AND a IS MISSING)",
        f"SELECT * FROM \"{HASH}\" WHERE",
    )
    item = {"pk": S(pk), "a": N(1)}
    failed = error("ConditionalCheckFailed", "The conditional request failed", TableName=HASH)
    assert responses[:5] == [
        error("ValidationError", NOT_WELL_FORMED + "Expected data manipulation"),
        {"TableName": HASH, "Item": item},
        error("ResourceNotFound", "Requested resource not found"),
        error("DuplicateItem", "Duplicate primary key exists in table", TableName=HASH),
        failed,
    ]
    assert responses[5] == {**failed, "Error": {**failed["Error"], "Item": item}}
    assert responses[6] == failed
    assert responses[7:] == [
        error(
            "ValidationError",
            "Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed in DELETE statements.",
        ),
        error("ValidationError", "One or more parameter values were invalid: An string set  may not be empty"),
        error("ValidationError", "EXISTS can only be used in ExecuteTransaction write requests."),
        error("ValidationError", NOT_WELL_FORMED + "Unexpected term"),
    ]
    assert stored(pk) == item


@op(BATCH)
def test_a_read_in_a_batch_is_of_one_item_by_its_key():
    many = "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys."
    pk = fresh()
    put(RANGE, {"pk": S(pk), "sk": S("1"), "flag": S("one")})
    start = f'SELECT sk FROM "{RANGE}" WHERE '
    values = ", ".join(f"'v{i}'" for i in range(51))
    responses = batch(
        start + f"pk = '{pk}'",
        start + f"pk = '{pk}' AND sk = '1' AND flag = 'one'",
        start + f"pk = '{pk}' AND sk = '1' AND pk = 'other'",
        start + f"pk = '{pk}' AND sk > '0'",
        f"SELECT * FROM \"{INDEXED}\".\"by_kind\" WHERE pk = 'p' AND sk = 's' AND kind = 'x'",
        f"SELECT * FROM \"{MULTI}\".\"by_many\" WHERE pk = 'p'",
        start + f"pk IN [{values}] AND sk = '1'",
        start + f"pk IN ['{pk}'] AND sk IN ['1']",
    )
    assert [one.get("Error", {}).get("Message") for one in responses[:-1]] == [BATCH_KEY] * 5 + [
        many,
        "Too many decomposed read operations for a given query.",
    ]
    assert responses[-1]["Item"] == {"sk": S("1")}


@op(BATCH)
def test_the_capacity_of_a_batch():
    pk = fresh()
    put(HASH, {"pk": S(pk)})
    select = {"Statement": f"SELECT * FROM \"{HASH}\" WHERE pk = '{pk}'"}

    def total(*statements):
        reply = ok(BATCH, Statements=list(statements), ReturnConsumedCapacity="TOTAL")
        return sum(one["CapacityUnits"] for one in reply["ConsumedCapacity"])

    assert total(select) == total({**select, "ConsistentRead": False}) == 0.5
    assert total({**select, "ConsistentRead": True}) == 1
    assert total({**select, "ConsistentRead": True}, select) == 1.5
    assert total({"Statement": f"UPDATE \"{HASH}\" SET a = 1 WHERE pk = '{pk}'"}) == 1


@op(BATCH)
def test_how_large_a_batch_is():
    statement = {"Statement": f"SELECT * FROM \"{HASH}\" WHERE pk = 'x'"}
    assert len(batch(*[statement] * 25)) == 25
    for count in (0, 26):
        expect_error(BATCH, {"Statements": [statement] * count}, VALIDATION)


# ExecuteTransaction


@op(TRANSACTION)
def test_a_transaction_of_writes():
    new, changed, gone, seen = fresh(), fresh(), fresh(), fresh()
    for pk in (changed, gone, seen):
        put(HASH, {"pk": S(pk), "n": N(1)})
    reply = transaction(
        {"Statement": f'INSERT INTO "{HASH}" VALUE {{\'pk\': ?}}', "Parameters": [S(new)]},
        f"UPDATE \"{HASH}\" SET n = n + 1 WHERE pk = '{changed}' AND attribute_exists(n)",
        f"DELETE FROM \"{HASH}\" WHERE pk = '{gone}'",
        f"EXISTS(SELECT * FROM \"{HASH}\" WHERE (pk = '{seen}') AND nope IS MISSING)",
        ReturnConsumedCapacity="TOTAL",
    )
    assert reply.body == {
        "Responses": [],
        "ConsumedCapacity": [{"TableName": HASH, "CapacityUnits": 8, "WriteCapacityUnits": 8}],
    }
    assert (stored(new), stored(changed)["n"], stored(gone)) == ({"pk": S(new)}, N(2), None)


@op(TRANSACTION)
def test_a_transaction_of_reads():
    pk = fresh()
    for sk in "12":
        put(RANGE, {"pk": S(pk), "sk": S(sk), "a": S("x" + sk)})
    start = f'SELECT * FROM "{RANGE}" WHERE '
    reply = transaction(
        start + f"(sk = '1') AND pk = '{pk}' AND pk = '{pk}'",
        f"SELECT a FROM \"{RANGE}\" WHERE pk IN ['{pk}'] AND sk IN ['2']",
        start + f"pk = '{pk}' AND sk = '3'",
        ReturnConsumedCapacity="TOTAL",
    )
    assert reply.body["Responses"] == [
        {"Item": {"pk": S(pk), "sk": S("1"), "a": S("x1")}},
        {"Item": {"a": S("x2")}},
        {},
    ]
    assert reply.body["ConsumedCapacity"] == [{"TableName": RANGE, "CapacityUnits": 6, "ReadCapacityUnits": 6}]


@op(TRANSACTION)
def test_all_or_nothing():
    there, new = fresh(), fresh()
    put(HASH, {"pk": S(there), "a": N(1)})
    insert = f'INSERT INTO "{HASH}" VALUE {{\'pk\': \'%s\'}}'
    reply = transaction(insert % there, insert % new)
    cancelled(reply, ("DuplicateItem", "Duplicate primary key exists in table"), "None")
    absent = fresh()
    wrong = {"Statement": f"UPDATE \"{HASH}\" SET b = 1 WHERE pk = '{there}' AND a = 2"}
    failed = ("ConditionalCheckFailed", "The conditional request failed")
    reply = transaction(
        insert % new,
        {**wrong, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
        f"UPDATE \"{HASH}\" SET b = 1 WHERE pk = '{absent}'",
    )
    cancelled(reply, "None", failed, failed)
    assert [reason.get("Item") for reason in reply.body["CancellationReasons"]] == [None, stored(there), None]
    assert stored(new) is None


@op(TRANSACTION)
def test_exists():
    pk, other = fresh(), fresh()
    put(HASH, {"pk": S(pk), "Awards": N(1)})
    put(HASH, {"pk": S(other)})
    update = f"UPDATE \"{HASH}\" SET a = 1 WHERE pk = '{other}'"
    exists = f'EXISTS(SELECT * FROM "{HASH}" WHERE %s)'
    cancelled(transaction(exists % f"pk = '{pk}' AND Awards IS MISSING", update), "ConditionalCheckFailed", "None")
    assert transaction(exists % f"pk = '{pk}' AND Awards = 1", update).status == 200
    # Of two keys the first is read, and the other cannot be true of it.
    cancelled(transaction(exists % f"pk = '{pk}' AND pk = '{other}' AND Awards = 1", update), "ConditionalCheckFailed", "None")
    for where in (f"pk = '{pk}'", f"pk IN ['{pk}'] AND Awards = 1", "Awards = 1"):
        invalid(transaction(exists % where, update), EXISTS)


@op(TRANSACTION)
def test_tokens():
    pk, token = fresh(), uuid.uuid4().hex
    put(HASH, {"pk": S(pk), "n": N(0)})
    statements = [{"Statement": f"UPDATE \"{HASH}\" SET n = n + ? WHERE pk = '{pk}'", "Parameters": [N(1)]}]
    sent = {"TransactStatements": statements, "ClientRequestToken": token, "ReturnConsumedCapacity": "TOTAL"}
    first, again = ok(TRANSACTION, **sent), ok(TRANSACTION, **sent)
    assert stored(pk)["n"] == N(1)
    assert first["ConsumedCapacity"] == [{"TableName": HASH, "CapacityUnits": 2, "WriteCapacityUnits": 2}]
    assert again["ConsumedCapacity"] == [{"TableName": HASH, "CapacityUnits": 2, "ReadCapacityUnits": 2}]
    statements[0]["Parameters"] = [N(2)]
    expect_error(TRANSACTION, sent, "IdempotentParameterMismatchException")


@op(TRANSACTION)
def test_statements_that_a_transaction_does_not_take():
    pk = fresh()
    update = f"UPDATE \"{HASH}\" SET a = 1 WHERE pk = '{pk}'"
    select = f"SELECT * FROM \"{RANGE}\" WHERE "
    invalid(transaction(update, update + " RETURNING ALL NEW *"), "RETURNING clause is not supported in ExecuteTransaction.", 1)
    invalid(transaction(f'SELECT * FROM "{HASH}" WHERE'), NOT_WELL_FORMED + "Unexpected term")
    indexed = f"SELECT * FROM \"{INDEXED}\".\"by_kind\" WHERE kind = 'x'"
    invalid(transaction(indexed), "Reads on indices are not supported within transactions.")
    invalid(
        transaction(f"UPDATE \"{INDEXED}\".\"by_kind\" SET a = 1 WHERE pk = 'p' AND sk = 's'"),
        "This operation is not supported on an index",
    )
    for where in (
        "pk = 'x'",
        "pk = 'x' AND sk = '1' AND flag = 'y'",
        "pk = 'x' AND sk = '1' AND pk = 'y'",
        "pk IN ['other'] AND pk = 'x' AND sk = '1'",
        "pk = 'x' AND sk = '1' AND attribute_exists(a)",
    ):
        invalid(transaction(select + where), READ_KEY)
    overlap = "Overlapping conditions with range keys are not supported in where clause"
    invalid(transaction(select + "pk IN ['x', 'x'] AND sk = '1'"), overlap)
    many = ", ".join(f"'{i}'" for i in range(101))
    text = "The IN operator is provided with too many operands; number of operands: 101"
    invalid(transaction(select + f"pk IN [{many}] AND sk = '1'"), text)
    mixed = transaction(f"SELECT * FROM \"{HASH}\" WHERE pk = '{pk}'", update)
    assert mixed.message == "ExecuteTransaction API does not support both read and write operations in the same request."
    both = f"SELECT * FROM \"{HASH}\" WHERE pk = '{pk}'"
    twice = transaction(both, f"SELECT pk FROM \"{HASH}\" WHERE pk = '{pk}'")
    assert twice.message == "Transaction request cannot include multiple operations on one item"
    cancelled(transaction(both, both, f'SELECT * FROM "{HASH}" WHERE pk = 1'), "None", "None", ("ValidationError", MISMATCH))


@op(TRANSACTION)
def test_tables_and_keys_that_are_wrong_cancel():
    pk = fresh()
    put(RANGE, {"pk": S(pk), "sk": S("1")})
    missing = ("ResourceNotFound", "Requested resource not found")
    absent = f"UPDATE \"{ABSENT}\" SET a = 1 WHERE pk = 'x'"
    cancelled(transaction(absent + " RETURNING ALL NEW *", f"DELETE FROM \"{ABSENT}\" WHERE pk = 'x'"), missing, missing)
    read = f"SELECT * FROM \"{RANGE}\" WHERE pk = '{pk}' AND sk = '1'"
    cancelled(transaction(read, f"SELECT * FROM \"{ABSENT}\".\"idx\" WHERE pk = 'x'"), "None", missing)
    update = f'UPDATE "{RANGE}" SET a = 1 WHERE '
    wrong = ("ValidationError", MISMATCH)
    reply = transaction(
        update + f"pk = '{pk}'",
        update + f"pk IN ['{pk}'] AND sk = '1'",
        update + f"pk = '{pk}' AND sk = '1' AND pk = 'other'",
        update + f"pk = '{pk}' AND sk = 1",
        update + f"pk = '{pk}' AND sk = '1'",
    )
    cancelled(reply, wrong, wrong, wrong, wrong, "None")
    reply = transaction(f"INSERT INTO \"{RANGE}\" VALUE {{'pk': 'x'}}", f"DELETE FROM \"{RANGE}\" WHERE sk = '1'")
    lacks = "One or more parameter values were invalid: Missing the key sk in the item"
    cancelled(reply, ("ValidationError", lacks), wrong)
    assert get(RANGE, {"pk": S(pk), "sk": S("1")}) == {"pk": S(pk), "sk": S("1")}


@op(TRANSACTION)
def test_values_that_are_wrong_in_a_transaction():
    update = f"UPDATE \"{HASH}\" SET n = ? WHERE pk = 'x'"
    reply = transaction(
        {"Statement": update, "Parameters": [N(1)]}, {"Statement": "nonsense", "Parameters": [N("1e99999999999")]}
    )
    assert reply.message == "The parameter cannot be converted to a numeric value: 1e99999999999"
    invalid(
        transaction(f"INSERT INTO \"{HASH}\" VALUE {{'pk': 'x', 'x': [<<'a', 'a'>>]}}"),
        "One or more parameter values were invalid: Input collection [a, a] contains duplicates.",
    )
    deep = f"UPDATE \"{HASH}\" SET d = {'[' * 32}1{']' * 32} WHERE pk = 'x'"
    invalid(transaction(deep), "Nesting Levels have exceeded supported limits under root" + "[0]" * 32)
    pk, value = fresh(), S("x")
    put(HASH, {"pk": S(pk), "m": {"M": {}}})
    for _ in range(31):
        value = {"M": {"a": value}}
    too_deep = {"Statement": f"UPDATE \"{HASH}\" SET m.deep = ? WHERE pk = '{pk}'", "Parameters": [value]}
    text = "Nesting Levels have exceeded supported limits"
    cancelled(transaction(too_deep), ("ValidationError", text))
    assert batch(too_deep) == [error("ValidationError", text, TableName=HASH)]


@op(TRANSACTION)
def test_how_large_a_transaction_is():
    assert call(TRANSACTION, {"TransactStatements": []}).type == VALIDATION
    statements = [{"Statement": f"SELECT * FROM \"{HASH}\" WHERE pk = '{i}'"} for i in range(101)]
    assert len(ok(TRANSACTION, TransactStatements=statements[:100])["Responses"]) == 100
    expect_error(TRANSACTION, {"TransactStatements": statements}, VALIDATION)


@op(ONE)
def test_a_table_that_goes_while_statements_run(new_table):
    name = f"{HASH}_gone_{fresh()}"
    new_table({"TableName": name, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
               "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
    insert = {"Statement": f"INSERT INTO \"{name}\" VALUE {{'pk': 'x'}}"}
    ok(ONE, **insert)
    ok("DeleteTable", TableName=name)
    expect_error(ONE, insert, NOT_FOUND)
