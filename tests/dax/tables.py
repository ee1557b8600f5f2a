"""The values of the scenario, as in S("text"), N("1.50") or M(a=L(NULL)), and its tables, as inputs of CreateTable."""

import base64
import itertools

# --- values -----------------------------------------------------------------------------------------------------------


def S(text):
    return {"S": text}


def N(text):
    return {"N": str(text)}


def B(data):
    return {"B": base64.b64encode(data).decode()}


def SS(*texts):
    return {"SS": list(texts)}


def NS(*texts):
    return {"NS": [str(text) for text in texts]}


def BS(*data):
    return {"BS": [base64.b64encode(each).decode() for each in data]}


def L(*values):
    return {"L": list(values)}


def M(**values):
    return {"M": values}


def BOOL(value):
    return {"BOOL": value}


NULL = {"NULL": True}

# --- tables -----------------------------------------------------------------------------------------------------------

# Of each type, in the order of the type, with what is difficult to encode: zero, the limits, bytes that begin others.
KEYS = {
    "S": [S("a"), S("a\x00b"), S("b#1"), S("ä"), S("\N{GRINNING FACE}"), S("z" * 300)],
    "N": [
        N("-9.9999999999999999999999999999999999999E125"),
        N("-7.5"),
        N("-1E-130"),
        N("0"),
        N("1E-130"),
        N("3"),
        N("12345.678"),
        N("99999999999999999999999999999999999999"),
        N("1E125"),
    ],
    "B": [B(b"\x00"), B(b"\x00\x00"), B(b"a"), B(b"\x7f\x80"), B(bytes(range(256))), B(b"\xff")],
}
TYPES = "SNB"
SIMPLE = {f"key-{kind.lower()}": kind for kind in TYPES}
COMPOSITE = {f"key-{p.lower()}-{s.lower()}": (p, s) for p, s in itertools.product(TYPES, TYPES)}


def index(name, keys, projection="ALL", *attributes):
    schema = [{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"))]
    projected = {"ProjectionType": projection, **({"NonKeyAttributes": list(attributes)} if attributes else {})}
    return {"IndexName": name, "KeySchema": schema, "Projection": projected}


def table(name, attributes, keys=("pk", "sk"), **more):
    schema = [{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"))]
    return {
        "TableName": name,
        "KeySchema": schema,
        "BillingMode": "PAY_PER_REQUEST",
        **more,
        "AttributeDefinitions": [
            {"AttributeName": attribute, "AttributeType": kind} for attribute, kind in attributes.items()
        ],
    }


ONE_UNIT = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}
TABLES = [
    *(table(name, {"pk": kind}, ("pk",)) for name, kind in SIMPLE.items()),
    *(table(name, {"pk": p, "sk": s}) for name, (p, s) in COMPOSITE.items()),
    table(
        "indexed",
        {"pk": "S", "sk": "N", "l": "S", "ln": "N", "g": "S", "n": "N", "b": "B"},
        LocalSecondaryIndexes=[index("by-l", ("pk", "l")), index("by-ln", ("pk", "ln"), "KEYS_ONLY")],
        GlobalSecondaryIndexes=[
            index("by-g", ("g", "n")),
            index("by-b", ("b",), "INCLUDE", "x", "doc"),
            index("by-n", ("n",), "KEYS_ONLY"),
        ],
    ),
    table("doc", {"pk": "S"}, ("pk",)),
    table("doc-2", {"pk": "S", "sk": "S"}),
    table("big", {"pk": "S"}, ("pk",)),
]
THROTTLED_TABLES = [table("slow", {"pk": "S"}, ("pk",), **ONE_UNIT), table("quick", {"pk": "S"}, ("pk",))]
BIG_ITEMS = 45  # of 390 KB: more than the 16 MB of a batch
