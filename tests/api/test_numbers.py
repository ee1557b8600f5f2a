"""Numbers: what is accepted, how it comes back, arithmetic, and order as a sort key."""

import decimal
import random

import pytest
import tables
from client import VALIDATION, expect_error, expect_validation, ok
from tables import HASH, HASH_N, RANGE_N, fresh, get, update
from test_values import CONVERT, OVERFLOW, PRECISION, UNDERFLOW
from values import NS, N, S

op = pytest.mark.op
TOP = "9." + "9" * 37 + "E+125"
CANONICAL = [
    ("0", "0"),
    ("-0", "0"),
    ("0.0", "0"),
    ("-0.00", "0"),
    ("0e125", "0"),
    ("0e-130", "0"),
    ("00042", "42"),
    ("1e3", "1000"),
    ("1E3", "1000"),
    ("1e+3", "1000"),
    ("1.10", "1.1"),
    ("1.0", "1"),
    ("3.1400", "3.14"),
    (".5", "0.5"),
    ("5.", "5"),
    ("-.25", "-0.25"),
    ("1.5E2", "150"),
    ("100e-2", "1"),
    ("12.5e-3", "0.0125"),
    ("-123.456", "-123.456"),
    ("0042.1200", "42.12"),
    ("1" + "0" * 37, "1" + "0" * 37),
    ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
    ("0." + "1" * 38, "0." + "1" * 38),
    ("1E125", "1" + "0" * 125),
    ("-1E125", "-1" + "0" * 125),
    (TOP, "9" * 38 + "0" * 88),
    ("-" + TOP, "-" + "9" * 38 + "0" * 88),
    ("1E-130", "0." + "0" * 129 + "1"),
    ("-1E-130", "-0." + "0" * 129 + "1"),
    ("0." + "0" * 37 + "1", "0." + "0" * 37 + "1"),
    ("1" + "0" * 60, "1" + "0" * 60),
    ("0" * 100 + "7", "7"),
    ("7" + "." + "0" * 100, "7"),
    ("+5", "5"),
    ("+0", "0"),
    ("+0.0", "0"),
    ("+1.5", "1.5"),
    ("+.5", "0.5"),
    ("+1e2", "100"),
    ("+1e-2", "0.01"),
    ("1.e5", "100000"),
    ("1.5E+3", "1500"),
    ("1.23E10", "12300000000"),
    ("1.", "1"),
    ("1e+2", "100"),
    ("0.0e126", "0"),
    ("-0.00e-128", "0"),
]


@op("PutItem", "GetItem")
@pytest.mark.parametrize("sent, kept", CANONICAL, ids=[c[0][:30] for c in CANONICAL])
def test_canonical_form(sent, kept):
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, "n": N(sent), "s": NS(sent)})
    assert get(HASH, key) == {**key, "n": N(kept), "s": NS(kept)}


REFUSED = [
    ("abc", f"{CONVERT}: abc"),
    ("1.2.3", f"{CONVERT}: 1.2.3"),
    (" 1", f"{CONVERT}:  1"),
    ("1 ", f"{CONVERT}: 1 "),
    ("0x10", f"{CONVERT}: 0x10"),
    ("1e", f"{CONVERT}: 1e"),
    ("e5", f"{CONVERT}: e5"),
    ("NaN", f"{CONVERT}: NaN"),
    ("Infinity", f"{CONVERT}: Infinity"),
    ("-", f"{CONVERT}: -"),
    (".", f"{CONVERT}: ."),
    ("1,5", f"{CONVERT}: 1,5"),
    ("--1", f"{CONVERT}: --1"),
    ("1_000", f"{CONVERT}: 1_000"),
    *[(text, f"{CONVERT}: {text}") for text in ("+", "++5", "+-5", "-+5", "+1+2", "1+2", "+1.2.3", "+e2", "1 5", "1e+", "1e2e3", "1.2e3.4")],
    ("1e126", OVERFLOW),
    ("-1e126", OVERFLOW),
    ("9" * 39, PRECISION),
    ("1e2147483648", OVERFLOW),
    ("1e99999999999", OVERFLOW),
    ("-1e99999999999", OVERFLOW),
    ("0e126", OVERFLOW),
    ("0.0e127", OVERFLOW),
    ("1e9223372036854775807", OVERFLOW),
    ("1e9223372036854775808", f"{CONVERT}: 1e9223372036854775808"),
    ("1e-9223372036854775809", f"{CONVERT}: 1e-9223372036854775809"),
    ("1e-131", UNDERFLOW),
    ("-1e-131", UNDERFLOW),
    ("1e-2147483649", UNDERFLOW),
    ("1e-99999999999", UNDERFLOW),
    ("0e-131", UNDERFLOW),
    ("123456789012345678901234567890123456789", PRECISION),
    ("0." + "1" * 39, PRECISION),
    ("1" + "0" * 38 + "1", PRECISION),
    ("1." + "0" * 37 + "1", PRECISION),
]


@op("PutItem")
@pytest.mark.parametrize("number, text", REFUSED, ids=[r[0][:30] for r in REFUSED])
def test_refused(number, text):
    expect_validation("PutItem", {"TableName": HASH, "Item": {"pk": S(fresh()), "n": N(number)}}, text)


@pytest.mark.parametrize("operation", ["GetItem", "DeleteItem", "UpdateItem"])
@pytest.mark.parametrize("number, text", [("1e99999999999", OVERFLOW), ("1e-99999999999", UNDERFLOW), ("x", f"{CONVERT}: x")])
def test_refused_as_a_key(operation, number, text):
    expect_validation(operation, {"TableName": HASH_N, "Key": {"pk": N(number)}}, text)


@op("GetItem", "PutItem")
@pytest.mark.parametrize("written, asked", [("1000", "1e3"), ("-5.50", "-5.5"), ("0.0", "-0"), ("42", "042.0"), ("+17", "17"), ("18", "+18.0")])
def test_a_number_key_is_found_by_value(written, asked):
    tables.put(HASH_N, {"pk": N(written), "v": S(written)})
    assert get(HASH_N, {"pk": N(asked)})["v"] == S(written)
    ok("DeleteItem", TableName=HASH_N, Key={"pk": N(written)})


ARITHMETIC = [
    ("1", "+", "2", "3"),
    ("0.1", "+", "0.2", "0.3"),
    ("1", "-", "1", "0"),
    ("-1", "+", "0.5", "-0.5"),
    ("1e125", "-", "1e125", "0"),
    ("9" * 38, "-", "9" * 38, "0"),
    ("9" * 37, "+", "1", "1" + "0" * 37),
    ("1e-130", "+", "1e-130", "0." + "0" * 129 + "2"),
    ("12.34", "-", "0.34", "12"),
    ("0", "-", "7", "-7"),
    ("1e37", "+", "1", "1" + "0" * 36 + "1"),
]


@op("UpdateItem")
@pytest.mark.parametrize("left, sign, right, result", ARITHMETIC, ids=["".join(a[:3])[:30] for a in ARITHMETIC])
def test_arithmetic(left, sign, right, result):
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, "n": N(left)})
    update(HASH, key, f"SET r = n {sign} :v", {":v": N(right)})
    assert get(HASH, key)["r"] == N(result)
    if sign == "+":
        update(HASH, key, "ADD n :v", {":v": N(right)})
        assert get(HASH, key)["n"] == N(result)


IMPOSSIBLE = [
    ("9e125", "+", "9e125", OVERFLOW),
    ("-9e125", "-", "9e125", OVERFLOW),
    ("1e38", "+", "1", OVERFLOW),
    ("1e50", "-", "1", OVERFLOW),
    ("1e50", "-", "1e-50", OVERFLOW),
]


@op("UpdateItem")
@pytest.mark.parametrize("left, sign, right, text", IMPOSSIBLE, ids=["".join(i[:3]) for i in IMPOSSIBLE])
def test_arithmetic_that_does_not_fit(left, sign, right, text):
    key = {"pk": S(fresh())}
    tables.put(HASH, {**key, "n": N(left)})
    values = {":v": N(right)}
    request = {"TableName": HASH, "Key": key, "ExpressionAttributeValues": values}
    expect_error("UpdateItem", {**request, "UpdateExpression": f"SET n = n {sign} :v"}, VALIDATION, text)
    if sign == "+":
        expect_error("UpdateItem", {**request, "UpdateExpression": "ADD n :v"}, VALIDATION, text)
    assert get(HASH, key) == {**key, "n": N(canonical(left))}


def canonical(text):
    return format(decimal.Decimal(text), "f")


@op("UpdateItem")
def test_random_sums_are_exact():
    """Sums and differences against Python's decimal."""
    chance = random.Random(20120810)
    context = decimal.Context(prec=200)
    key = {"pk": S(fresh())}
    for _ in range(60):
        left, right = (
            decimal.Decimal(chance.randrange(-(10**18), 10**18)).scaleb(chance.randrange(-9, 9)) for _ in range(2)
        )
        tables.put(HASH, {**key, "n": N(str(left))})
        update(HASH, key, "SET p = n + :v, m = n - :v", {":v": N(str(right))})
        item = get(HASH, key)
        assert decimal.Decimal(item["p"]["N"]) == context.add(left, right)
        assert decimal.Decimal(item["m"]["N"]) == context.subtract(left, right)


@op("Query", "PutItem")
def test_order_of_a_number_sort_key():
    numbers = ["-" + TOP, "-1e20", "-100", "-5", "-1.5", "-1e-130", "0", "1e-130", "0.001", "1", "1.5", "9", "10", "100"]
    numbers += ["99999999999999999999999999999999999999", "1e100", TOP]
    pk = fresh()
    shuffled = numbers[:]
    random.Random(5).shuffle(shuffled)
    for number in shuffled:
        tables.put(RANGE_N, {"pk": S(pk), "sk": N(number)})
    found = [decimal.Decimal(item["sk"]["N"]) for item in in_order(pk)]
    assert found == [decimal.Decimal(number) for number in numbers]
    assert [decimal.Decimal(i["sk"]["N"]) for i in in_order(pk, ScanIndexForward=False)] == found[::-1]


def in_order(pk, **more):
    condition = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": S(pk)}}
    return ok("Query", TableName=RANGE_N, **condition, **more)["Items"]


@op("PutItem")
def test_equal_numbers_are_one_sort_key():
    pk = fresh()
    for number in ("1000", "1e3", "1000.0", "+1000"):
        tables.put(RANGE_N, {"pk": S(pk), "sk": N(number), "as": S(number)})
    assert in_order(pk) == [{"pk": S(pk), "sk": N("1000"), "as": S("+1000")}]
