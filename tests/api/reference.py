"""A second, independent evaluator of conditions, small enough to be believed. It works on trees of tuples:

    ("and", a, b) ("or", a, b) ("not", a)
    ("=", x, y) and the other comparators, ("between", x, lo, hi), ("in", x, [y, ...])
    ("attribute_exists", path) ("attribute_not_exists", path) ("attribute_type", path, name)
    ("begins_with", x, y) ("contains", x, y)

An operand is ("path", ("a", 0, "b")), ("value", {"S": "x"}) or ("size", operand). `Absent` means no such attribute.
"""

import base64
import decimal


class Absent(Exception):
    """The operand names nothing."""


def kind_of(value):
    (kind,) = value
    return kind


def number(text):
    return decimal.Decimal(text)


def comparable(value):
    """The Python value whose equality is DynamoDB's."""
    kind, content = kind_of(value), value[kind_of(value)]
    if kind == "N":
        return ("N", number(content))
    if kind == "B":
        return ("B", base64.b64decode(content))
    if kind == "SS":
        return ("SS", frozenset(content))
    if kind == "NS":
        return ("NS", frozenset(number(member) for member in content))
    if kind == "BS":
        return ("BS", frozenset(base64.b64decode(member) for member in content))
    if kind == "L":
        return ("L", tuple(comparable(member) for member in content))
    if kind == "M":
        return ("M", frozenset((name, comparable(member)) for name, member in content.items()))
    return (kind, content)


def ordered(value):
    """The key by which S, N and B are in order, or None for the types that have none."""
    kind = kind_of(value)
    if kind == "S":
        return value["S"].encode()
    return comparable(value)[1] if kind in ("N", "B") else None


def size_of(value):
    kind, content = kind_of(value), value[kind_of(value)]
    if kind == "S":
        return len(content.encode("utf-16-le")) // 2
    if kind == "B":
        return len(base64.b64decode(content))
    if kind in ("SS", "NS", "BS", "L", "M"):
        return len(content)
    raise Absent


def resolve(operand, item):
    if operand[0] == "value":
        return operand[1]
    if operand[0] == "size":
        return {"N": str(size_of(resolve(operand[1], item)))}
    value = {"M": item}
    for step in operand[1]:
        content = value.get("L" if isinstance(step, int) else "M")
        if content is None or (isinstance(step, int) and step >= len(content)):
            raise Absent
        if not isinstance(step, int) and step not in content:
            raise Absent
        value = content[step]
    return value


def found(operand, item):
    try:
        resolve(operand, item)
        return True
    except Absent:
        return False


def compare(sign, left, right, item):
    present = [found(operand, item) for operand in (left, right)]
    if not all(present):
        return sign == "<>"
    x, y = resolve(left, item), resolve(right, item)
    if sign in ("=", "<>"):
        return (comparable(x) == comparable(y)) == (sign == "=")
    if kind_of(x) != kind_of(y) or ordered(x) is None:
        return False
    a, b = ordered(x), ordered(y)
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]


def begins(text, start):
    if kind_of(text) != kind_of(start) or kind_of(text) not in ("S", "B"):
        return False
    return ordered(text).startswith(ordered(start))


def contains(whole, part):
    kind = kind_of(whole)
    if kind in ("S", "B"):
        return kind_of(part) == kind and ordered(part) in ordered(whole)
    if kind in ("SS", "NS", "BS"):
        return kind_of(part) == kind[0] and comparable(part)[1] in comparable(whole)[1]
    if kind == "L":
        return comparable(part) in comparable(whole)[1]
    return False


def holds(tree, item):
    """Does the condition hold for the item?"""
    head = tree[0]
    if head == "and":
        return holds(tree[1], item) and holds(tree[2], item)
    if head == "or":
        return holds(tree[1], item) or holds(tree[2], item)
    if head == "not":
        return not holds(tree[1], item)
    if head in ("=", "<>", "<", "<=", ">", ">="):
        return compare(head, tree[1], tree[2], item)
    if head == "between":
        return compare(">=", tree[1], tree[2], item) and compare("<=", tree[1], tree[3], item)
    if head == "in":
        return any(compare("=", tree[1], member, item) for member in tree[2])
    if head == "attribute_exists":
        return found(tree[1], item)
    if head == "attribute_not_exists":
        return not found(tree[1], item)
    if head == "attribute_type":
        return found(tree[1], item) and kind_of(resolve(tree[1], item)) == tree[2]
    if not found(tree[1], item) or not found(tree[2], item):
        return False
    function = begins if head == "begins_with" else contains
    return function(resolve(tree[1], item), resolve(tree[2], item))
