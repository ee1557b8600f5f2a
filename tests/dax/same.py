"""What is compared of two results: everything, except what the API does not define and what a client itself changes.

    same(step, result, client)                  # what is compared of a result over HTTP with another SDK's
    same(step, result, client, over_dax)        # of one over HTTP, and of the same client's over DAX

Each difference that is forgiven is a function or a row here, with its reason; nothing else is.
"""

import decimal
import json
import re

# --- what the API does not define -------------------------------------------------------------------------------------


def without_absent(value):
    """Programs of typed languages print absent members as null."""
    if isinstance(value, dict):
        return {name: without_absent(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [without_absent(each) for each in value]
    return value


def canonical(value):
    """Numbers by their value, since 1.5 and 15E-1 are one number; sets in one order."""
    if isinstance(value, list):
        return [canonical(each) for each in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("N"), str) and len(value) == 1:
        return {"N": number(value["N"])}
    for kind in ("SS", "NS", "BS"):
        if isinstance(value.get(kind), list) and len(value) == 1:
            return {kind: sorted(number(each) if kind == "NS" else each for each in value[kind])}
    return {name: canonical(each) for name, each in value.items()}


def number(text):
    with decimal.localcontext(prec=50, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN):
        value = decimal.Decimal(text).normalize()
        return format(value, "E") if value else "0"


def text_of(value):
    return json.dumps(value, sort_keys=True)


def ordered(output):
    """The items of a batch and the list of consumed capacities in one order."""
    output = dict(output)
    for member in ("Responses", "UnprocessedKeys", "UnprocessedItems"):
        if isinstance(output.get(member), dict):
            output[member] = {
                table: sorted(each, key=text_of) if isinstance(each, list) else each
                for table, each in output[member].items()
            }
    if isinstance(output.get("ConsumedCapacity"), list):
        output["ConsumedCapacity"] = sorted(output["ConsumedCapacity"], key=text_of)
    return output


def shortened(message):
    """DynamoDB repeats the value that violates a constraint, with members in the order of the request."""
    message = re.sub(r"Value '.*' at '", "Value '…' at '", message or "", flags=re.DOTALL)
    return "" if message == "UnknownError" else message  # of the SDK for JavaScript, for no message


def compared(result):
    error = canonical(without_absent(result.get("error")))
    if error is not None:
        error["message"] = shortened(error.get("message"))
    return {"outputs": [ordered(canonical(without_absent(output))) for output in result["outputs"]], "error": error}


# --- what a client itself changes -------------------------------------------------------------------------------------


def refused_by_client(over_http, over_dax):
    """A call that a client refuses never reaches the server, and the client has words of its own: both fail."""
    if over_http["error"] and (over_dax["error"] or {}).get("client"):
        over_http["error"] = over_dax["error"] = {"refused": True}


def item_of_failed_condition(over_http, over_dax):
    """DAX has no ReturnValuesOnConditionCheckFailure of single writes, and old SDKs do not know it."""
    if (over_http["error"] or {}).get("code") == "ConditionalCheckFailedException":
        over_http["error"].pop("item", None)


def unprocessed_writes(over_http, over_dax):
    """Two clients lose the keys of unprocessed puts, so the server repeats them, and fails if they stay throttled."""
    if any(output.get("UnprocessedItems") for output in over_http["outputs"]):
        code = (over_dax["error"] or {}).get("code")
        over_http["outputs"], over_http["error"] = [], {"throttled": True}
        over_dax["error"] = {"throttled": True} if code == "ProvisionedThroughputExceededException" else over_dax["error"]


def reasons_of_python(over_http, over_dax):
    """It leaves the old items of cancellation reasons as bytes."""
    for reason in (over_http["error"] or {}).get("reasons") or []:
        reason.pop("Item", None)


def retry_of_python(over_http, over_dax):
    """It writes into a batch of puts, and refuses what it wrote when it tries again."""
    throttled = any(output.get("UnprocessedItems") for output in over_http["outputs"])
    if throttled and '"attr_names"' in (over_dax["error"] or {}).get("message", ""):
        over_dax["error"] = {"code": "ProvisionedThroughputExceededException"}


def prefix_of_javascript(over_http, over_dax):
    """It puts the code of an error before its message."""
    if over_dax["error"]:
        prefix = f"{over_dax['error'].get('code')}: "
        over_dax["error"]["message"] = over_dax["error"].get("message", "").removeprefix(prefix)


def holes_of_javascript(over_http, over_dax):
    """It keeps the places of a nested list that are not projected, as undefined."""
    over_dax["outputs"] = without_holes(over_dax["outputs"])


def without_holes(value):
    if isinstance(value, list):
        return [without_holes(each) for each in value if each is not None]
    return {name: without_holes(each) for name, each in value.items()} if isinstance(value, dict) else value


def prefix_of_java(over_http, over_dax):
    """Its second version puts DAX's codes before the message."""
    if over_dax["error"]:
        over_dax["error"]["message"] = re.sub(r"^\[[\d.]+\] ", "", over_dax["error"].get("message", ""))


def prefix_of_go(over_http, over_dax):
    """Its second version puts the words of an SDK's error before the message."""
    if over_dax["error"]:
        prefix = f"api error {over_dax['error'].get('code')}: "
        over_dax["error"]["message"] = over_dax["error"].get("message", "").removeprefix(prefix)


def silence_of_go(over_http, over_dax):
    """It sends nothing, or a part, if a write names an unknown table, and waits for an answer."""
    if (over_http["error"] or {}).get("code") == "ResourceNotFoundException":
        if (over_dax["error"] or {}).get("code") in ("ResponseTimeout", "Unknown"):
            over_http["error"] = over_dax["error"] = {"silent": True}


def numbers_of_go(over_http, over_dax):
    """It misreads the exponents of large and small sort keys by 2^32, and cannot begin a page at such a key."""
    for place, output in enumerate(over_dax["outputs"]):
        if re.search(r"E[+-]42949", text_of(output.get("LastEvaluatedKey"))):
            del over_http["outputs"][place + 1:], over_dax["outputs"][place + 1:]
            over_dax["error"] = over_http["error"]
    over_dax["outputs"] = with_exponents(over_dax["outputs"])


def with_exponents(value):
    if isinstance(value, list):
        return [with_exponents(each) for each in value]
    if not isinstance(value, dict):
        return value
    found = re.fullmatch(r"(.*)E([+-]42949\d+)", value["N"]) if isinstance(value.get("N"), str) else None
    if found:
        exponent = int(found[2])
        return {"N": f"{found[1]}E{exponent - 2**32 if exponent > 0 else exponent + 2**32:+}"}
    return {name: with_exponents(each) for name, each in value.items()}


def without_empty(over_http, over_dax):
    """Typed languages do not tell an empty list or map of unprocessed requests or of counted items from an absent one."""
    for output in over_http["outputs"] + over_dax["outputs"]:
        for member in ("UnprocessedKeys", "UnprocessedItems", "Items"):
            if output.get(member) in ({}, []):
                del output[member]


def order_of_java(over_http, over_dax):
    """Its second version gives the reasons of a cancelled transaction in another order, each with its own item."""
    for result in (over_http, over_dax):
        if (result["error"] or {}).get("reasons"):
            result["error"]["reasons"].sort(key=text_of)


# Calls that a client cannot express over DAX: the server never sees what is wrong with them.
NOT_SENT = {
    "invalid: a key of two parts": "Clients write the key attributes of the table, and leave out others.",
    "invalid: a reserved word": "Clients parse expressions and know no reserved words; the server sees no text.",
    "invalid: a function": "Those for Go send another operator, with one operand; others refuse it.",
    "invalid: an empty condition": "Clients send no condition, or an expression of no bytes.",
}


RULES = [refused_by_client, item_of_failed_condition, unprocessed_writes]
OF_CLIENTS = {"go-1": [silence_of_go, numbers_of_go, without_empty],
              "go-2": [silence_of_go, prefix_of_go, numbers_of_go, without_empty],
              "java-1": [without_empty], "java-2": [prefix_of_java, order_of_java, without_empty],
              "python": [reasons_of_python, retry_of_python],
              "javascript-1": [prefix_of_javascript, holes_of_javascript],
              "javascript-3": [prefix_of_javascript, holes_of_javascript]}


def same(step, result, client, over_dax=None):
    over_http = compared(result)
    if over_dax is None:
        item_of_failed_condition(over_http, None)
        return over_http
    over_dax = compared(over_dax)
    given = step["input"]
    # Go's second version sends ALL_ATTRIBUTES with every call, so the server cannot tell when its user asks for it.
    says_nothing = client == "go-2" and given.get("Select") == "ALL_ATTRIBUTES" and "IndexName" in given
    if step["name"].split(" ", 2)[-1] in NOT_SENT or says_nothing:
        return None, None
    for rule in OF_CLIENTS.get(client, []) + RULES:
        rule(over_http, over_dax)
    return over_http, over_dax


def differences(step, expected, found):
    """None, or where two results begin to differ."""
    if expected == found:
        return None
    texts = text_of(expected), text_of(found)
    at = next((place for place, pair in enumerate(zip(*texts)) if pair[0] != pair[1]), min(map(len, texts)))
    parts = [text[max(0, at - 80):at + 160] for text in texts]
    return f"{step['name'][:100]}\n  expected …{parts[0]}\n  found    …{parts[1]}"
