"""What the clients of one history do, and what their replies say of it.

A history has a few items of its own. Lists (`l`) grow by unique numbers, each of which also moves a sum (`n`).
Registers hold a unique number (`w`), are replaced and deleted, and are only where a stream tells their order. A client
is a generator that yields (operation, request) and is sent the Reply. Seeds choose what is asked; when it arrives is
chance.
"""

import itertools
import math
import random

from checker import FAILED, OK, UNKNOWN, Anomaly, Last, Transaction, check

PLAIN, FOLLOWED = "Plain", "Followed"
REFUSALS = {
    "ConditionalCheckFailedException", "TransactionCanceledException", "TransactionConflictException",
    "TransactionInProgressException",
}
APPEND = "SET l = list_append(if_not_exists(l, :none), :one) ADD n :by"
OPERATIONS = 48


class Reply:
    """`body` is None when the connection was lost before it came."""

    def __init__(self, status, body, began, ended):
        self.status, self.body, self.began, self.ended = status, body, began, ended

    def kind(self):
        return self.body.get("__type", "").split("#")[-1]


def number(value):
    return {"N": str(value)}


def moved(by):
    """The values of APPEND."""
    return {":none": {"L": []}, ":by": number(by)}


class History:
    """One seed's clients, and what they were told."""

    def __init__(self, seed):
        self.seed = seed
        self.chance = random.Random(seed)
        self.table = self.chance.choice([PLAIN, FOLLOWED])
        self.spread = self.chance.random() < 0.5  # each item in a partition of its own
        self.lists = [f"l{i}" for i in range(self.chance.randrange(2, 5))]
        self.registers = [f"r{i}" for i in range(self.chance.randrange(3))] if self.table == FOLLOWED else []
        self.size = self.chance.randrange(3, 9)
        self.transactions = []
        self.anomalies = []
        self.amounts = {}  # (list, value) -> what it adds to the sum
        self.absent = []  # (transaction, register) of each read that found none
        self.offers = []  # (request, its transaction) of those with a token
        self.replies = {}  # id -> the outcomes of a transaction that was sent more than once
        self.values = itertools.count(1)
        self.records = {}  # name -> [(old, new)] as the stream tells them

    def clients(self):
        return [Client(self, random.Random(f"{self.seed}/{i}")).run() for i in range(self.size)]

    def key(self, name):
        partition = f"{self.seed}/{name}" if self.spread else str(self.seed)
        return {"pk": {"S": partition}, "sk": {"S": name}}

    def transaction(self, writes=(), note=""):
        one = Transaction(len(self.transactions), math.inf, math.inf, UNKNOWN, [], list(writes), note)
        self.transactions.append(one)
        return one

    def wrong(self, kind, what):
        self.anomalies.append(Anomaly(kind, what))

    def settle(self, one, reply):
        """Notes a reply; of one that was sent twice the first good one counts."""
        outcomes = self.replies.setdefault(one.id, [])
        one.began = min(one.began, reply.began)
        if reply.body is None:
            outcomes.append(UNKNOWN)
        elif reply.status == 200:
            outcomes.append(OK)
            one.ended = min(one.ended, reply.ended)
        elif reply.kind() in REFUSALS:
            outcomes.append(FAILED)
        else:
            raise AssertionError(f"seed {self.seed}: {one} was answered {reply.status} {reply.body}")
        one.outcome = next(outcome for outcome in (OK, UNKNOWN, FAILED) if outcome in outcomes)

    def saw(self, one, name, item, own=None):
        """Notes what a reply shows of an item; `own` is what this transaction has written to it itself."""
        if name in self.registers:
            if item:
                one.reads.append((name, Last(int(item["w"]["N"]))))
            else:
                self.absent.append((one, name))
            return
        values = tuple(int(value["N"]) for value in item["l"]["L"]) if item else ()
        total = sum(self.amounts.get((name, value), math.nan) for value in values)
        if total != (int(item["n"]["N"]) if item else 0):
            self.wrong("torn", f"{name} is {item}, and its values make {total}: {one}")
        if own is not None:
            if values[-1:] != (own,):
                self.wrong("own write", f"{name} is {values} right behind its own {own}: {one}")
            values = values[:-1]
        one.reads.append((name, values))

    def last_look(self):
        """A client that reads everything when all others are done."""
        for _ in range(50):
            one = self.transaction(note="the last look")
            names = self.lists + self.registers
            gets = [{"Get": {"TableName": self.table, "Key": self.key(name)}} for name in names]
            reply = yield "TransactGetItems", {"TransactItems": gets}
            self.settle(one, reply)
            if one.outcome == OK:
                for name, response in zip(names, reply.body["Responses"]):
                    self.saw(one, name, response.get("Item"))
                return
        self.wrong("no answer", "the last look was refused again and again")

    # --- judging ------------------------------------------------------------------------------------------------------

    def take(self, record):
        """One record of the stream."""
        images = record["dynamodb"]
        self.records.setdefault(images["Keys"]["sk"]["S"], []).append((images.get("OldImage"), images.get("NewImage")))

    def claimed(self):
        """{name: versions} as the stream tells them."""
        orders = {}
        for name in self.lists + self.registers:
            order, last = [], None
            for old, new in self.records.get(name, []):
                if old != last:
                    self.wrong("stream", f"a record of {name} begins with {old}, and the one before ended with {last}")
                last = new
                if name in self.registers:
                    order.append(int(new["w"]["N"]) if new else ("gone", int(old["w"]["N"])))
                else:
                    before, after = (image["l"]["L"] if image else [] for image in (old, new))
                    if after[:-1] != before:
                        self.wrong("stream", f"a record of {name} makes {after} of {before}")
                    order.append(int(after[-1]["N"]))
            orders[name] = order
        return orders

    def judge(self):
        """All that is wrong with this history."""
        claimed = self.claimed() if self.table == FOLLOWED else {}
        for one, name in self.absent:
            # Which of several absences it was nobody can tell.
            if not any(isinstance(version, tuple) for version in claimed[name]):
                one.reads.append((name, ()))
        self.anomalies += check(self.transactions, claimed)
        for name in self.lists:
            total = 0
            for value in max((values for one in self.transactions for to, values in one.reads if to == name), key=len):
                total += self.amounts[name, value]
                if total < 0:
                    self.wrong("overdrawn", f"{name} falls to {total} by {value}")
        return self.anomalies


class Client:
    """One client: a row of operations, chosen by its own chance."""

    def __init__(self, history, chance):
        self.history, self.chance = history, chance
        self.own = {}  # register -> what this client last put there
        self.table = history.table
        self.steps = [
            (self.append, 4), (self.get, 3), (self.get_several, 4), (self.append_several, 3), (self.transfer, 3),
            (self.skew, 5), (self.compare_and_append, 2), (self.get_batch, 1), (self.select_several, 1),
            (self.send_twice, 1), (self.send_anothers, 2),
        ]
        if not history.spread:
            self.steps.append((self.query, 1))
        if history.registers:
            self.steps += [(self.put, 3), (self.put_batch, 1), (self.put_several, 2), (self.delete, 2)]

    def run(self):
        steps, weights = zip(*self.steps)
        for step in self.chance.choices(steps, weights, k=OPERATIONS // self.history.size):
            yield from step()

    # --- pieces -------------------------------------------------------------------------------------------------------

    def ask(self, one, operation, request):
        reply = yield operation, request
        self.history.settle(one, reply)
        return reply

    def on(self, name, **more):
        return {"TableName": self.table, "Key": self.history.key(name), **more}

    def names(self, most=3):
        names = self.history.lists + self.history.registers
        return self.chance.sample(names, min(len(names), self.chance.randrange(1, most) + 1))

    def some_lists(self, most=2):
        return self.chance.sample(self.history.lists, min(most, len(self.history.lists)))

    def appending(self, name, by=None, condition="", values=None):
        """(the value, the request) of an append."""
        value = next(self.history.values)
        self.history.amounts[name, value] = by = self.chance.randrange(9) if by is None else by
        request = self.on(name, UpdateExpression=APPEND,
                          ExpressionAttributeValues={**moved(by), ":one": {"L": [number(value)]}, **(values or {})})
        if condition:
            request["ConditionExpression"] = condition
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        return value, request

    def putting(self, name):
        value = next(self.history.values)
        return value, {"TableName": self.table, "Item": {**self.history.key(name), "w": number(value)}}

    def refused(self, reply, names, note):
        """The items that a cancelled transaction shows with its reasons are a read of one moment."""
        if reply.body is None or reply.kind() != "TransactionCanceledException":
            return
        seen = [
            (name, reason.get("Item")) for name, reason in zip(names, reply.body["CancellationReasons"])
            if reason["Code"] == "ConditionalCheckFailed"
        ]
        if seen:
            self.shown(reply, seen, note + ": the reasons")

    def shown(self, reply, seen, note):
        one = self.history.transaction(note=note)
        self.history.settle(one, Reply(200, {}, reply.began, reply.ended))
        for name, item in seen:
            self.history.saw(one, name, item)

    # --- steps: one item ----------------------------------------------------------------------------------------------

    def append(self):
        name = self.chance.choice(self.history.lists)
        value, request = self.appending(name)
        request["ReturnValues"] = shows = self.chance.choice(["NONE", "ALL_OLD", "ALL_NEW"])
        one = self.history.transaction([(name, value)], f"UpdateItem {shows}")
        reply = yield from self.ask(one, "UpdateItem", request)
        if one.outcome == OK and shows != "NONE":
            self.history.saw(one, name, reply.body.get("Attributes"), value if shows == "ALL_NEW" else None)

    def compare_and_append(self):
        name = self.chance.choice(self.history.lists)
        one = self.history.transaction(note="GetItem before a condition")
        reply = yield from self.ask(one, "GetItem", self.on(name, ConsistentRead=True))
        if one.outcome != OK:
            return
        item = reply.body.get("Item")
        self.history.saw(one, name, item)
        condition, values = self.unchanged(item)
        value, request = self.appending(name, None, condition, values)
        one = self.history.transaction([(name, value)], "UpdateItem with a condition")
        reply = yield from self.ask(one, "UpdateItem", request)
        if one.outcome == OK:
            self.history.saw(one, name, item)
        elif one.outcome == FAILED and reply.kind() == "ConditionalCheckFailedException":
            self.shown(reply, [(name, reply.body.get("Item"))], "UpdateItem's failed condition")

    @staticmethod
    def unchanged(item):
        """(condition, its values) that holds while a list is as it was seen."""
        if not item:
            return "attribute_not_exists(pk)", {}
        return "size(l) = :size", {":size": number(len(item["l"]["L"]))}

    def get(self):
        name = self.chance.choice(self.history.lists + self.history.registers)
        one = self.history.transaction(note="GetItem")
        reply = yield from self.ask(one, "GetItem", self.on(name, ConsistentRead=True))
        if one.outcome == OK:
            self.history.saw(one, name, reply.body.get("Item"))

    def put(self):
        name = self.chance.choice(self.history.registers)
        value, request = self.putting(name)
        one = self.history.transaction([(name, value)], "PutItem")
        reply = yield from self.ask(one, "PutItem", {**request, "ReturnValues": "ALL_OLD"})
        self.own[name] = value
        if one.outcome == OK:
            self.history.saw(one, name, reply.body.get("Attributes"))

    def delete(self):
        """What this client put itself, so that nobody else asks to delete the same version."""
        name = self.chance.choice(self.history.registers)
        if name not in self.own:
            return
        seen = self.own.pop(name)
        condition = {"ConditionExpression": "w = :seen", "ExpressionAttributeValues": {":seen": number(seen)}}
        one = self.history.transaction([(name, ("gone", seen))], "DeleteItem")
        if self.chance.random() < 0.5:
            yield from self.ask(one, "DeleteItem", self.on(name, **condition))
        else:
            yield from self.ask(one, "TransactWriteItems", {"TransactItems": [{"Delete": self.on(name, **condition)}]})
        if one.outcome == OK:
            one.reads.append((name, Last(seen)))

    # --- steps: several items -----------------------------------------------------------------------------------------

    def saw_several(self, one, names, reply):
        if one.outcome == OK:
            for name, response in zip(names, reply.body["Responses"]):
                self.history.saw(one, name, response.get("Item"))

    def get_several(self):
        names = self.names()
        one = self.history.transaction(note="TransactGetItems")
        gets = [{"Get": self.on(name)} for name in names]
        reply = yield from self.ask(one, "TransactGetItems", {"TransactItems": gets})
        self.saw_several(one, names, reply)

    def select_several(self):
        names = self.names()
        keys = [self.history.key(name) for name in names]
        statements = [
            {"Statement": f"SELECT * FROM {self.table} WHERE pk = '{key['pk']['S']}' AND sk = '{key['sk']['S']}'"}
            for key in keys
        ]
        one = self.history.transaction(note="ExecuteTransaction")
        reply = yield from self.ask(one, "ExecuteTransaction", {"TransactStatements": statements})
        self.saw_several(one, names, reply)

    def get_batch(self):
        """Each of its items is a read of its own."""
        names = self.names()
        request = {"Keys": [self.history.key(name) for name in names], "ConsistentRead": True}
        reply = yield "BatchGetItem", {"RequestItems": {self.table: request}}
        if reply.body is None:
            return
        assert reply.status == 200, reply.body
        items = {item["sk"]["S"]: item for item in reply.body["Responses"].get(self.table, [])}
        for name in names:
            self.shown(reply, [(name, items.get(name))], "BatchGetItem")

    def query(self):
        """What fits a page is of one moment."""
        one = self.history.transaction(note="Query")
        condition = {"KeyConditionExpression": "pk = :pk", "ConsistentRead": True}
        values = {":pk": {"S": str(self.history.seed)}}
        reply = yield from self.ask(
            one, "Query", {"TableName": self.table, **condition, "ExpressionAttributeValues": values}
        )
        if one.outcome == OK:
            items = {item["sk"]["S"]: item for item in reply.body["Items"]}
            for name in self.history.lists + self.history.registers:
                self.history.saw(one, name, items.get(name))

    def put_batch(self):
        """Each of its items is a write of its own."""
        names = self.chance.sample(self.history.registers, self.chance.randrange(len(self.history.registers)) + 1)
        ones, requests = [], []
        for name in names:
            value, request = self.putting(name)
            self.own[name] = value
            ones.append(self.history.transaction([(name, value)], "BatchWriteItem"))
            requests.append({"PutRequest": {"Item": request["Item"]}})
        reply = yield "BatchWriteItem", {"RequestItems": {self.table: requests}}
        assert reply.body is None or not reply.body.get("UnprocessedItems"), reply.body
        for one in ones:
            self.history.settle(one, reply)

    def several(self):
        """A transaction of appends to lists, and of a put into a register: (writes, actions)."""
        writes, actions = [], []
        for name in self.some_lists(self.chance.randrange(2, 4)):
            value, request = self.appending(name)
            writes.append((name, value))
            actions.append({"Update": request})
        if self.history.registers and self.chance.random() < 0.5:
            name = self.chance.choice(self.history.registers)
            value, request = self.putting(name)
            self.own[name] = value
            writes.append((name, value))
            actions.append({"Put": request})
        self.chance.shuffle(actions)
        return writes, actions

    def append_several(self):
        writes, actions = self.several()
        one = self.history.transaction(writes, "TransactWriteItems")
        yield from self.ask(one, "TransactWriteItems", {"TransactItems": actions})

    def put_several(self):
        writes, actions = [], []
        for name in self.history.registers:
            value, request = self.putting(name)
            self.own[name] = value
            writes.append((name, value))
            actions.append({"Put": request})
        one = self.history.transaction(writes, "TransactWriteItems of puts")
        yield from self.ask(one, "TransactWriteItems", {"TransactItems": actions})

    def transfer(self):
        source, target = self.some_lists()
        amount = self.chance.randrange(1, 9)
        taken, take = self.appending(source, -amount, "n >= :amount", {":amount": number(amount)})
        given, give = self.appending(target, amount)
        one = self.history.transaction([(source, taken), (target, given)], "a transfer")
        names, actions = [source, target], [{"Update": take}, {"Update": give}]
        if self.chance.random() < 0.5:
            names.reverse()
            actions.reverse()
        reply = yield from self.ask(one, "TransactWriteItems", {"TransactItems": actions})
        if one.outcome == FAILED:
            self.refused(reply, names, one.note)

    def skew(self):
        """Writes one list when another is still as it was seen. Two who do it crosswise must not both succeed."""
        seen, written = self.some_lists()
        if self.chance.random() < 0.5:
            one = self.history.transaction(note="GetItem before a check")
            reply = yield from self.ask(one, "GetItem", self.on(seen, ConsistentRead=True))
            item = reply.body.get("Item") if one.outcome == OK else None
        else:
            one = self.history.transaction(note="TransactGetItems before a check")
            gets = {"TransactItems": [{"Get": self.on(seen)}]}
            reply = yield from self.ask(one, "TransactGetItems", gets)
            item = reply.body["Responses"][0].get("Item") if one.outcome == OK else None
        if one.outcome != OK:
            return
        self.history.saw(one, seen, item)
        condition, values = self.unchanged(item)
        check_ = self.on(seen, ConditionExpression=condition, ReturnValuesOnConditionCheckFailure="ALL_OLD")
        if values:
            check_["ExpressionAttributeValues"] = values
        value, request = self.appending(written)
        one = self.history.transaction([(written, value)], "a write with a check")
        actions = {"TransactItems": [{"ConditionCheck": check_}, {"Update": request}]}
        reply = yield from self.ask(one, "TransactWriteItems", actions)
        if one.outcome == OK:
            self.history.saw(one, seen, item)
        elif one.outcome == FAILED:
            self.refused(reply, [seen, written], one.note)

    # --- steps: tokens ------------------------------------------------------------------------------------------------

    def send_twice(self):
        writes, actions = self.several()
        one = self.history.transaction(writes, "TransactWriteItems with a token")
        request = {"TransactItems": actions, "ClientRequestToken": f"{self.history.seed}/{one.id}"}
        self.history.offers.append((request, one))
        yield from self.ask(one, "TransactWriteItems", request)
        if self.chance.random() < 0.5:
            yield from self.ask(one, "TransactWriteItems", request)

    def send_anothers(self):
        """The same transaction from somebody else, while the first is under way or later."""
        if self.history.offers:
            request, one = self.history.offers[-1]
            yield from self.ask(one, "TransactWriteItems", request)
