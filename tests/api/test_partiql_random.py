"""Random WHERE clauses: a SELECT finds what a Scan with the same condition as its filter finds, by whatever keys it
reads; an UPDATE or DELETE does what UpdateItem and DeleteItem do."""

import random

import pytest
import tables
from client import VALIDATION, call, ok
from statements import ONE, pages
from tables import fresh_table, get, put
from values import N, S

pytestmark = pytest.mark.op(ONE)

PARTITIONS = "abcd"
SORT = range(6)


@pytest.fixture(scope="module")
def table():
    name = fresh_table("random")
    definition = tables.plain(name, {"pk": "S", "sk": "N"})
    for name in tables.standing(definition):
        chance = random.Random(5)
        for pk in PARTITIONS:
            for sk in SORT:
                item = {"pk": S(pk), "sk": N(sk), "x": N(chance.randrange(4))}
                if chance.random() < 0.7:
                    item["y"] = S(chance.choice(["p", "q", "pq"]))
                put(name, item)
        yield name


class Condition:
    """The same condition in PartiQL and for a FilterExpression, which shares the values."""

    def __init__(self, chance):
        self.chance = chance
        self.values = []

    def value(self, value):
        self.values.append(value)
        return "?", f":v{len(self.values) - 1}"

    def number(self):
        return self.value(N(self.chance.choice(SORT)))

    def leaf(self):
        kind = self.chance.randrange(10)
        if kind < 3:
            partiql, native = self.value(S(self.chance.choice(PARTITIONS)))
            return f"pk = {partiql}", f"pk = {native}"
        name = self.chance.choice(["sk", "sk", "x"])
        if kind < 6:
            sign = self.chance.choice(["=", "<", "<=", ">", ">=", "<>"])
            partiql, native = self.number()
            return f"{name} {sign} {partiql}", f"{name} {sign} {native}"
        if kind == 6:
            given = [self.number() for _ in range(self.chance.randrange(1, 4))]
            lists = [", ".join(one[side] for one in given) for side in (0, 1)]
            return f"{name} IN [{lists[0]}]", f"{name} IN ({lists[1]})"
        if kind == 7:
            low, high = sorted(self.chance.sample(SORT, 2))
            pairs = [self.value(N(low)), self.value(N(high))]
            return tuple(f"{name} BETWEEN {pairs[0][side]} AND {pairs[1][side]}" for side in (0, 1))
        if kind == 8:
            return "y IS MISSING", "attribute_not_exists(y)"
        partiql, native = self.value(S("p"))
        return f"begins_with(y, {partiql})", f"begins_with(y, {native})"

    def tree(self, depth):
        kind = self.chance.randrange(6)
        if depth == 0 or kind < 2:
            return self.leaf()
        if kind == 2:
            inner = self.tree(0)
            return tuple(f"NOT ({side})" for side in inner)
        word = " AND " if kind < 5 else " OR "
        left, right = self.tree(depth - 1), self.tree(depth - 1)
        return tuple(f"({left[side]}{word}{right[side]})" for side in (0, 1))


def unwrapped(text):
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def scanned(table, native, values):
    reply = call(
        "Scan",
        {
            "TableName": table,
            "FilterExpression": unwrapped(native) if outer_parentheses(native) else native,
            "ExpressionAttributeValues": {f":v{i}": value for i, value in enumerate(values)},
        },
    )
    return reply


def outer_parentheses(text):
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and i < len(text) - 1:
            return False
    return text.startswith("(")


def key(item):
    return item["pk"]["S"], int(item["sk"]["N"])


@pytest.mark.parametrize("seed", range(12))
def test_a_select_finds_what_a_scan_finds(table, seed):
    chance = random.Random(seed)
    found = refused = 0
    for _ in range(40):
        condition = Condition(chance)
        partiql, native = condition.tree(3)
        if not condition.values:
            continue
        wanted = scanned(table, native, condition.values)
        assert wanted.status == 200, (native, wanted)
        statement = f'SELECT * FROM "{table}" WHERE {partiql}'
        probe = call(ONE, {"Statement": statement, "Parameters": condition.values})
        if probe.status == 400:
            assert probe.type == VALIDATION and probe.message.startswith("Overlapping conditions"), (partiql, probe)
            refused += 1
            continue
        limit = {} if chance.random() < 0.5 else {"Limit": chance.randrange(1, 9)}
        items, _ = pages(statement, *condition.values, **limit)
        assert sorted(map(key, items)) == sorted(map(key, wanted.body["Items"])), (partiql, condition.values)
        found += 1
    assert found > 10


@pytest.mark.parametrize("seed", range(4))
def test_writes_do_what_native_writes_do(table, seed):
    chance = random.Random(seed)
    changes = [
        ("SET x = x + {0}", "SET x = x + {1}"),
        ("SET y = {2} REMOVE x", "SET y = {3} REMOVE x"),
        ("SET l = [1] SET x = {0}", "SET l = :one, x = {1}"),
        ("REMOVE y", "REMOVE y"),
    ]
    native_table = table + "_n"
    try:
        ok("CreateTable", **tables.plain(native_table, {"pk": "S", "sk": "N"}))
        tables.wait_active(native_table)
        one, two = {"pk": S(f"w{seed}"), "sk": N(1)}, {"pk": S(f"w{seed}"), "sk": N(1)}
        for _ in range(30):
            condition = Condition(chance)
            number, text = condition.value(N(chance.randrange(5))), condition.value(S(chance.choice("pq")))
            partiql, native = chance.choice(changes)
            filled = partiql.format(number[0], number[1], text[0], text[1]), native.format(
                number[0], number[1], text[0], text[1]
            )
            used = [value for i, value in enumerate(condition.values) if "{%d}" % (2 * i) in partiql]
            start = {"x": N(chance.randrange(4)), "y": S(chance.choice("pq"))}
            for name in (table, native_table):
                put(name, {**(one if name == table else two), **start})
            guard = chance.choice(["x < 3", "y = 'p'", "NOT x = 1", "attribute_exists(x)"])
            guard_native = guard.replace("3", ":g").replace("'p'", ":g").replace("1", ":g")
            guards = {":g": S("p") if "'p'" in guard else N(3 if "3" in guard else 1)} if ":g" in guard_native else {}
            where = f" WHERE pk = 'w{seed}' AND sk = 1 AND {guard}"
            statement = {"Statement": f'UPDATE "{table}" {filled[0]}{where}', **({"Parameters": used} if used else {})}
            values = {f":v{i}": value for i, value in enumerate(condition.values) if f":v{i}" in filled[1]}
            values |= guards | ({":one": {"L": [N(1)]}} if ":one" in filled[1] else {})
            request = {
                "TableName": native_table,
                "Key": two,
                "UpdateExpression": filled[1],
                "ConditionExpression": guard_native,
                **({"ExpressionAttributeValues": values} if values else {}),
            }
            left, right = call(ONE, statement), call("UpdateItem", request)
            assert (left.status, left.type) == (right.status, right.type), (statement, left, right)
            assert get(table, one) == get(native_table, two)
    finally:
        tables.drop(native_table)
        ok("DeleteItem", TableName=table, Key={"pk": S(f"w{seed}"), "sk": N(1)})
