"""Generated updates of generated items, against a model in Python of what each clause does."""

import copy
import decimal
import random

import pytest
import tables
from client import call
from tables import RANGE, fresh, get
from test_updates import sorted_sets
from values import NS, SS, L, M, N, S

SEED = 5
ROUNDS = 400
ITEM = {
    "n1": N(5),
    "n2": N("-2.5"),
    "s1": S("text"),
    "l1": L(S("a"), S("b"), N(3)),
    "m1": M(x=N(1), y=S("why"), l=L(S("p"), S("q"))),
    "ss": SS("a", "b", "c"),
    "ns": NS(1, 2, 3),
}


class Refused(Exception):
    """The update does not fit the item."""


def canonical(number):
    return format(number.normalize() + 0, "f")


def read(item, path):
    value = {"M": item}
    for step in path:
        content = value.get("L" if isinstance(step, int) else "M")
        if content is None or step not in (range(len(content)) if isinstance(content, list) else content):
            raise Refused
        value = content[step]
    return value


def evaluate(item, operand):
    head = operand[0]
    if head == "value":
        return operand[1]
    if head == "path":
        return copy.deepcopy(read(item, operand[1]))
    if head == "if_not_exists":
        try:
            return copy.deepcopy(read(item, operand[1]))
        except Refused:
            return evaluate(item, operand[2])
    left, right = evaluate(item, operand[1]), evaluate(item, operand[2])
    if head == "list_append":
        if "L" not in left or "L" not in right:
            raise Refused
        return {"L": left["L"] + right["L"]}
    if "N" not in left or "N" not in right:
        raise Refused
    a, b = decimal.Decimal(left["N"]), decimal.Decimal(right["N"])
    return {"N": canonical(a + b if head == "+" else a - b)}


def parent_of(item, path):
    parent = read(item, path[:-1]) if len(path) > 1 else {"M": item}
    content = parent.get("L" if isinstance(path[-1], int) else "M")
    if content is None:
        raise Refused
    return content


def apply(before, clauses):
    """The item afterwards. Every operand is read from the item as it was."""
    after = copy.deepcopy(before)
    for kind, path, operand in clauses:
        if kind == "SET":
            value, content = evaluate(before, operand), parent_of(after, path)
            if isinstance(path[-1], int) and path[-1] >= len(content):
                content.append(value)
            else:
                content[path[-1]] = value
        elif kind == "REMOVE":
            content = parent_of(after, path)
            if isinstance(content, dict):
                content.pop(path[-1], None)
            elif path[-1] < len(content):
                del content[path[-1]]
        else:
            change_number_or_set(after, kind, path, operand[1])
    return after


def change_number_or_set(after, kind, path, value):
    content = parent_of(after, path)
    (of,) = value
    old = content.get(path[-1])
    if old is not None and of not in old:
        raise Refused
    if kind == "DELETE":
        left = [member for member in (old or {of: []})[of] if member not in value[of]]
        if left:
            content[path[-1]] = {of: left}
        else:
            content.pop(path[-1], None)
    elif of == "N":
        start = decimal.Decimal(old["N"]) if old else decimal.Decimal(0)
        content[path[-1]] = {"N": canonical(start + decimal.Decimal(value["N"]))}
    else:
        members = (old or {of: []})[of]
        content[path[-1]] = {of: members + [member for member in value[of] if member not in members]}


PATHS = [("n1",), ("n2",), ("s1",), ("new1",), ("l1", 0), ("l1", 2), ("l1", 9), ("m1", "x"), ("m1", "z"), ("m1", "l", 1)]
PATHS += [("m1", "l", 7), ("new2",), ("l1", "x"), ("n1", "x"), ("gone", "x")]


def operand(chance, depth=0):
    dice = chance.random()
    if dice < 0.35 or depth > 1:
        return ("value", chance.choice([N(7), N("-0.5"), S("v"), L(S("z")), M(k=N(1)), SS("q")]))
    if dice < 0.6:
        return ("path", chance.choice(PATHS))
    if dice < 0.75:
        return ("if_not_exists", chance.choice(PATHS), operand(chance, depth + 1))
    if depth == 0 and dice < 0.9:
        return (chance.choice("+-"), numeric(chance), numeric(chance))
    return ("list_append", lists(chance), lists(chance)) if depth == 0 else operand(chance, 2)


def numeric(chance):
    return chance.choice(
        [
            ("path", chance.choice([("n1",), ("n2",), ("m1", "x"), ("s1",)])),
            ("value", N(chance.choice(["1", "2.25", "-10"]))),
            ("if_not_exists", ("new1",), ("value", N(100))),
        ]
    )


def lists(chance):
    new = ("if_not_exists", ("new1",), ("value", L()))
    return chance.choice([("path", ("l1",)), ("path", ("m1", "l")), ("value", L(S("added"))), new])


def clauses(chance):
    """One to four clauses whose paths neither overlap nor conflict, nor move each other's list elements."""
    made, heads = [], set()
    for _ in range(chance.randrange(1, 5)):
        kind = chance.choice(["SET", "SET", "SET", "REMOVE", "ADD", "DELETE"])
        if kind in ("SET", "REMOVE"):
            path = chance.choice(PATHS)
            shape = (kind, path, operand(chance) if kind == "SET" else None)
        else:
            name = chance.choice(["ss", "ns", "new3", "s1"] + (["n1"] if kind == "ADD" else []))
            value = N(3) if name == "n1" else chance.choice([SS("a", "zz"), NS(1, 9)])
            shape = (kind, (name,), ("value", value))
        if shape[1][0] not in heads:
            heads.add(shape[1][0])
            made.append(shape)
    return made


def written(path):
    return "".join(f"[{s}]" if isinstance(s, int) else ("." if n else "") + "#" + s for n, s in enumerate(path))


class Text:
    def __init__(self, shapes):
        self.values, self.names = {}, {}
        sections = {}
        for kind, path, value in shapes:
            text = self.path(path)
            if kind == "SET":
                text += " = " + self.operand(value)
            elif kind != "REMOVE":
                text += " " + self.operand(value)
            sections.setdefault(kind, []).append(text)
        self.text = " ".join(f"{kind} {', '.join(parts)}" for kind, parts in sections.items())

    def path(self, path):
        self.names |= {"#" + step: step for step in path if isinstance(step, str)}
        return written(path)

    def operand(self, shape):
        if shape[0] == "value":
            self.values[f":v{len(self.values)}"] = shape[1]
            return f":v{len(self.values) - 1}"
        if shape[0] == "path":
            return self.path(shape[1])
        left = self.path(shape[1]) if shape[0] == "if_not_exists" else self.operand(shape[1])
        right = self.operand(shape[2])
        return f"{left} {shape[0]} {right}" if shape[0] in "+-" else f"{shape[0]}({left}, {right})"


@pytest.mark.op("UpdateItem")
@pytest.mark.parametrize("part", range(10))
def test_updates_agree_with_the_model(part):
    key = {"pk": S(fresh("rnd")), "sk": S("1")}
    for number in range(ROUNDS // 10):
        shapes = clauses(random.Random(SEED + part * 1000 + number))
        text = Text(shapes)
        tables.put(RANGE, {**key, **ITEM})
        request = {"TableName": RANGE, "Key": key, "UpdateExpression": text.text, "ExpressionAttributeNames": text.names}
        if text.values:
            request["ExpressionAttributeValues"] = text.values
        reply = call("UpdateItem", request)
        try:
            expected = {**key, **apply(ITEM, shapes)}
        except Refused:
            expected = {**key, **ITEM}
            assert reply.type == "ValidationException", (text.text, text.values, repr(reply))
        else:
            assert reply.status == 200 or "Incorrect operand type" in reply.message, (text.text, text.values, repr(reply))
            if reply.status != 200:
                expected = {**key, **ITEM}
        assert sorted_sets(get(RANGE, key)) == sorted_sets(expected), (text.text, text.values)
