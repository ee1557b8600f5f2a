"""Generated conditions over generated items: the server must agree with reference.py on every one."""

import random

import pytest
import tables
from client import call, ok
from reference import holds, kind_of, ordered
from tables import RANGE, SCANNED, fresh
from values import BS, FALSE, NS, NULL, SS, TRUE, B, L, M, N, S

SEED = 20120810
NAMES = ["a1", "b1", "c1", "d1", "e1"]
ITEMS = 40
CONDITIONS = 300


def scalar(chance):
    return chance.choice(
        [
            lambda: S(chance.choice(["", "a", "ab", "abc", "b", "é", "\U0001f600", "10"])),
            lambda: N(chance.choice(["0", "1", "-1", "1.5", "10", "9", "1e2", "100.0", "-0"])),
            lambda: B(chance.choice([b"", b"a", b"ab", b"\x80", b"\xff\0"])),
            lambda: chance.choice([TRUE, FALSE, NULL]),
        ]
    )()


def value(chance, depth=0):
    dice = chance.random()
    if dice < 0.6 or depth > 2:
        return scalar(chance)
    if dice < 0.75:
        return chance.choice(
            [SS(*chance.sample(["", "a", "b", "ab"], 2)), NS(*chance.sample([1, 2, "1.5", 10], 2)), BS(b"a", b"\x80")]
        )
    if dice < 0.88:
        return L(*(value(chance, depth + 1) for _ in range(chance.randrange(4))))
    return M(**{name: value(chance, depth + 1) for name in chance.sample(NAMES, chance.randrange(4))})


def path(chance):
    steps = [chance.choice(NAMES)]
    while chance.random() < 0.35 and len(steps) < 4:
        steps.append(chance.choice([chance.randrange(3), chance.choice(NAMES)]))
    return ("path", tuple(steps))


SIZED = ("S", "B", "SS", "NS", "BS", "L", "M")


def operand(chance, kinds=None):
    """A path, a value of one of these kinds, or a size."""
    dice = chance.random()
    if dice < 0.55:
        return path(chance)
    if dice < 0.65 and (kinds is None or "N" in kinds):
        return ("size", path(chance))
    while True:
        made = value(chance)
        if kinds is None or kind_of(made) in kinds:
            return ("value", made)


def distinct(chance, kinds, count):
    """Operands of which the first is none of the others: DynamoDB refuses a = a."""
    while True:
        made = [operand(chance, kinds) for _ in range(count)]
        if made[0] not in made[1:]:
            return made


def bounds(chance):
    """Two bounds: values of one type and in order, or one of them from the item."""
    if chance.random() < 0.3:
        return [path(chance), ("value", scalar_of(chance, "N"))]
    kind = chance.choice("SNB")
    pair = sorted((scalar_of(chance, kind) for _ in range(2)), key=ordered)
    return [("value", bound) for bound in pair]


def scalar_of(chance, kind):
    while True:
        made = scalar(chance)
        if kind_of(made) == kind:
            return made


def leaf(chance):
    kind = chance.choice(["=", "<>", "<", "<=", ">", ">=", "between", "in", "exists", "absent", "type", "begins", "contains"])
    if kind == "=":
        return (kind, *distinct(chance, None, 2))
    if kind == "<>":
        # What size(x) <> y means without an x has not been measured.
        return (kind, path(chance), ("value", value(chance)))
    if kind in ("<", "<=", ">", ">="):
        return (kind, *distinct(chance, ("S", "N", "B"), 2))
    if kind == "between":
        low, high = bounds(chance)
        first = path(chance)
        return ("between", first, low, high) if first not in (low, high) else leaf(chance)
    if kind == "in":
        first, *members = distinct(chance, None, chance.randrange(2, 5))
        return ("in", first, members)
    if kind == "exists":
        return ("attribute_exists", path(chance))
    if kind == "absent":
        return ("attribute_not_exists", path(chance))
    if kind == "type":
        return ("attribute_type", path(chance), chance.choice("S N B BOOL NULL SS NS BS L M".split()))
    if kind == "begins":
        first, second = path(chance), chance.choice([path(chance), ("value", scalar_of(chance, chance.choice("SB")))])
        return ("begins_with", first, second) if first != second else leaf(chance)
    first, second = path(chance), operand(chance)
    return ("contains", first, second) if first != second and second[0] != "size" else leaf(chance)


def tree(chance, depth=0):
    if depth > 3 or chance.random() < 0.4:
        return leaf(chance)
    head = chance.choice(["and", "or", "not"])
    parts = [tree(chance, depth + 1) for _ in range(1 if head == "not" else 2)]
    return (head, *parts)


class Text:
    """The expression of a tree, with the placeholders that it needs."""

    def __init__(self, condition):
        self.names, self.values = {}, {}
        self.text = self.of(condition, True)

    def parameters(self, kind):
        more = {kind: self.text}
        if self.names:
            more["ExpressionAttributeNames"] = self.names
        if self.values:
            more["ExpressionAttributeValues"] = self.values
        return more

    def operand(self, shape):
        if shape[0] == "size":
            return f"size({self.operand(shape[1])})"
        if shape[0] == "value":
            self.values[f":v{len(self.values)}"] = shape[1]
            return f":v{len(self.values) - 1}"
        text = ""
        for step in shape[1]:
            if isinstance(step, int):
                text += f"[{step}]"
            else:
                name = step if len(self.names) > 3 else "#" + step
                if name.startswith("#"):
                    self.names[name] = step
                text += ("." if text else "") + name
        return text

    def of(self, condition, outermost=False):
        head, *rest = condition
        if head in ("and", "or"):
            text = f" {head.upper()} ".join(self.of(part) for part in rest)
            return text if outermost else f"({text})"
        if head == "not":
            return f"NOT {self.of(rest[0])}" if outermost else f"(NOT {self.of(rest[0])})"
        if head == "between":
            return f"{self.operand(rest[0])} BETWEEN {self.operand(rest[1])} AND {self.operand(rest[2])}"
        if head == "in":
            return f"{self.operand(rest[0])} IN ({', '.join(self.operand(member) for member in rest[1])})"
        if head == "attribute_type":
            return f"attribute_type({self.operand(rest[0])}, {self.operand(('value', S(rest[1])))})"
        operands = [self.operand(part) for part in rest]
        if head in ("=", "<>", "<", "<=", ">", ">="):
            return f"{operands[0]} {head} {operands[1]}"
        return f"{head}({', '.join(operands)})"


@pytest.fixture(scope="module")
def stored():
    chance = random.Random(SEED)
    pk = fresh("random")
    items = {}
    for number in range(ITEMS):
        item = {name: value(chance) for name in chance.sample(NAMES, chance.randrange(1, len(NAMES) + 1))}
        key = f"{number:03}"
        items[key] = item
        tables.put(RANGE, {"pk": S(pk), "sk": S(key), **item})
        tables.put(SCANNED, {"pk": S(f"{pk}-{key}"), **item})
    return pk, items


@pytest.mark.op("Query")
@pytest.mark.parametrize("number", range(CONDITIONS))
def test_filters_agree_with_the_reference(stored, number):
    pk, items = stored
    condition = tree(random.Random(SEED + number))
    text = Text(condition)
    keys = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [S(pk)]}}
    request = {"TableName": RANGE, "KeyConditions": keys, **text.parameters("FilterExpression")}
    page = ok("Query", **request)
    got = [item["sk"]["S"] for item in page["Items"]]
    assert page["ScannedCount"] == ITEMS
    assert got == [key for key, item in items.items() if holds(condition, item)], text.text


@pytest.mark.op("Scan")
@pytest.mark.parametrize("number", range(CONDITIONS, CONDITIONS + 20))
def test_scans_agree_with_the_reference(stored, number):
    pk, items = stored
    condition = tree(random.Random(SEED + number))
    request = {"TableName": SCANNED, **Text(condition).parameters("FilterExpression")}
    got, start = set(), {}
    while start is not None:
        page = ok("Scan", **request, **start)
        got |= {item["pk"]["S"] for item in page["Items"] if item["pk"]["S"].startswith(pk + "-")}
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]} if "LastEvaluatedKey" in page else None
    assert got == {f"{pk}-{key}" for key, item in items.items() if holds(condition, item)}


@pytest.mark.op("UpdateItem")
def test_conditions_of_writes_agree_with_the_reference(stored):
    pk, items = stored
    chance = random.Random(SEED)
    for number in range(200):
        condition = tree(random.Random(SEED + 1000 + number))
        key, item = chance.choice(list(items.items()))
        request = {"TableName": RANGE, "Key": {"pk": S(pk), "sk": S(key)}, "UpdateExpression": "REMOVE z1"}
        text = Text(condition)
        reply = call("UpdateItem", {**request, **text.parameters("ConditionExpression")})
        assert reply.status == 200 or reply.type == "ConditionalCheckFailedException", repr(reply)
        assert (reply.status == 200) == holds(condition, item), (text.text, item)
