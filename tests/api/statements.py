"""PartiQL statements sent and answered, for the cases of ExecuteStatement, BatchExecuteStatement and ExecuteTransaction."""

from client import VALIDATION, call, expect_error, ok

ONE, BATCH, TRANSACTION = "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"
NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: "
LEFTOVER = NOT_WELL_FORMED + "Unexpected token after expression"


def with_parameters(statement, parameters, **more):
    return {"Statement": statement, **({"Parameters": list(parameters)} if parameters else {}), **more}


def run(statement, *parameters, **more):
    """The items that the statement answers with."""
    return ok(ONE, **with_parameters(statement, parameters, **more))["Items"]


def page(statement, *parameters, **more):
    """The whole reply."""
    return ok(ONE, **with_parameters(statement, parameters, **more))


def pages(statement, *parameters, **more):
    """All items over all pages, and how many pages there were."""
    items, token, count = [], {}, 0
    while True:
        reply = page(statement, *parameters, **more, **token)
        items += reply["Items"]
        count += 1
        if "NextToken" not in reply:
            return items, count
        token = {"NextToken": reply["NextToken"]}


def refused(statement, text, *parameters, **more):
    return expect_error(ONE, with_parameters(statement, parameters, **more), VALIDATION, text)


def fails(name, statement, text, *parameters, **more):
    return expect_error(ONE, with_parameters(statement, parameters, **more), name, text)


def batch(*statements, **more):
    """The responses to a batch; a statement is a text or a dict."""
    sent = [one if isinstance(one, dict) else {"Statement": one} for one in statements]
    return ok(BATCH, Statements=sent, **more)["Responses"]


def transaction(*statements, **more):
    sent = [one if isinstance(one, dict) else {"Statement": one} for one in statements]
    return call(TRANSACTION, {"TransactStatements": sent, **more})


def place(statement, token, length=None, start=0):
    """Where the token stands, as the errors say it."""
    at = statement.index(token, start)
    line = statement.count("\n", 0, at) + 1
    return f"{line}:{at - statement.rfind(chr(10), 0, at)}:{len(token) if length is None else length}"
