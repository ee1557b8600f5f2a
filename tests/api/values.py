"""Attribute values in few letters, as they stand on the wire."""

import base64


def S(text):
    return {"S": text}


def N(number):
    return {"N": str(number)}


def B(data):
    return {"B": base64.b64encode(data).decode()}


def SS(*members):
    return {"SS": list(members)}


def NS(*members):
    return {"NS": [str(member) for member in members]}


def BS(*members):
    return {"BS": [base64.b64encode(member).decode() for member in members]}


def L(*members):
    return {"L": list(members)}


def M(**members):
    return {"M": members}


TRUE = {"BOOL": True}
FALSE = {"BOOL": False}
NULL = {"NULL": True}


def nested(depth, leaf=None):
    """A leaf inside `depth` maps."""
    value = leaf or S("leaf")
    for _ in range(depth):
        value = {"M": {"m": value}}
    return value
