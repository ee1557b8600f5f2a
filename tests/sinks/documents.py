"""What the other end of a sink is to hold for the items of a table, told by another program than Partita."""

import base64
import decimal
import hashlib

LONGEST_ID = 512


def value_of(typed):
    """A typed value of DynamoDB's as the plain one of a document."""
    [(kind, value)] = typed.items()
    if kind == "N":
        return decimal.Decimal(value)
    if kind == "B":
        return base64.b64encode(value).decode()
    if kind == "NULL":
        return None
    if kind == "M":
        return document_of(value)
    if kind == "L":
        return [value_of(each) for each in value]
    if kind == "SS":
        return sorted(value, key=str.encode)
    if kind == "NS":
        return sorted(map(decimal.Decimal, value))
    if kind == "BS":
        return [base64.b64encode(each).decode() for each in sorted(value)]
    return value


def document_of(item):
    return {name: value_of(value) for name, value in item.items()}


def _key_text(typed):
    value = value_of(typed)
    return format(value, "f") if isinstance(value, decimal.Decimal) else value


def id_of(item, names):
    """The id of the document; `names` are those of the key attributes."""
    texts = [_key_text(item[name]) for name in names]
    text = texts[0] if len(texts) == 1 else f"{len(texts[0].encode())}:{texts[0]}|{texts[1]}"
    if len(text.encode()) <= LONGEST_ID and not text.startswith("sha256:"):
        return text
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def expected_documents(client, table, names):
    """By id, for all items of the table."""
    found = {}
    for page in client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
        found.update((id_of(item, names), document_of(item)) for item in page["Items"])
    return found


def difference(expected, found):
    """In a few words, for a test that fails."""
    missing = sorted(expected.keys() - found.keys())
    extra = sorted(found.keys() - expected.keys())
    other = sorted(each for each in expected.keys() & found.keys() if expected[each] != found[each])
    say = [f"{len(expected)} items, {len(found)} documents"]
    for what, ids in (("missing", missing), ("too many", extra), ("other", other)):
        if ids:
            say.append(f"{len(ids)} {what}, such as {ids[0]!r}")
    if other:
        say.append(f"item {expected[other[0]]!r:.500}, document {found[other[0]]!r:.500}")
    return "; ".join(say)
