"""Requests by chance for every operation that Partita serves, as (operation, body)."""

from values import Values

TABLES = {
    "diff-hash": ("pk", "S", None, None),
    "diff-range": ("pk", "S", "sk", "N"),
    "diff-text": ("pk", "N", "sk", "S"),
    "diff-bytes": ("pk", "B", "sk", "B"),
}
NAMES = ("a", "b", "c", "n", "list", "map", "set", "Größe", "g1", "g2", "l1")
CAPACITY = ("TOTAL", "INDEXES", "NONE") * 6 + ("BOTH",)


def table(name):
    partition, kind, sort, sort_kind = TABLES[name]
    keys = [{"AttributeName": partition, "KeyType": "HASH"}]
    kinds = {partition: kind}
    body = {"TableName": name, "KeySchema": keys, "BillingMode": "PAY_PER_REQUEST"}
    if sort:
        keys.append({"AttributeName": sort, "KeyType": "RANGE"})
        kinds.update({sort: sort_kind, "g1": "S", "g2": "N", "l1": "S"})
        body["GlobalSecondaryIndexes"] = [
            {"IndexName": "by-g1", "KeySchema": [{"AttributeName": "g1", "KeyType": "HASH"}, {"AttributeName": "g2",
             "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}},
            {"IndexName": "by-g2", "KeySchema": [{"AttributeName": "g2", "KeyType": "HASH"}],
             "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "map"]}},
        ]
        body["LocalSecondaryIndexes"] = [
            {"IndexName": "by-l1", "KeySchema": [keys[0], {"AttributeName": "l1", "KeyType": "RANGE"}],
             "Projection": {"ProjectionType": "KEYS_ONLY"}},
        ]
    body["AttributeDefinitions"] = [{"AttributeName": n, "AttributeType": k} for n, k in kinds.items()]
    return body


class Requests:
    def __init__(self, chance):
        self.chance = chance
        self.values = Values(chance)
        self.token = 0
        self.makers = {
            "PutItem": (20, self.put_item), "GetItem": (12, self.get_item), "UpdateItem": (14, self.update_item),
            "DeleteItem": (4, self.delete_item), "Query": (16, self.query), "Scan": (8, self.scan),
            "BatchWriteItem": (6, self.batch_write), "BatchGetItem": (6, self.batch_get),
            "TransactWriteItems": (6, self.transact_write), "TransactGetItems": (3, self.transact_get),
            "DescribeTable": (1, self.describe), "ListTables": (1, self.list_tables), "CreateTable": (1, self.create),
            "UpdateTable": (1, self.update_table), "DeleteTable": (0.3, self.delete_table),
        }

    def next(self):
        weights = [weight for weight, _ in self.makers.values()]
        operation = self.chance.choices(list(self.makers), weights)[0]
        return operation, self.values.body(self.makers[operation][1]())

    # --- parts ---

    def often(self, probability):
        return self.values.often(probability)

    def table_name(self):
        if self.often(0.03):
            return self.chance.choice(("nowhere", "no such name!", "ab", "", "x" * 256))
        name = self.chance.choice(list(TABLES))
        return f"arn:aws:dynamodb:us-east-1:123456789012:table/{name}" if self.often(0.03) else name

    def scalar(self, kind, few=12):
        if self.often(0.02):
            return self.values.value()
        n = self.chance.randrange(few)
        return {kind: {"S": f"k{n}", "N": str(n), "B": "AAEC" + "QUJD" * n}[kind]}

    def key(self, name):
        partition, kind, sort, sort_kind = TABLES.get(name.split("/")[-1], TABLES["diff-hash"])
        key = {partition: self.scalar(kind)}
        if sort:
            key[sort] = self.scalar(sort_kind)
        if self.often(0.02):
            key[self.values.word()] = self.values.value()
        return key

    def item(self, name):
        item = self.key(name)
        for _ in range(self.chance.randrange(6)):
            item[self.chance.choice(NAMES) if self.often(0.8) else self.values.word()] = self.values.value()
        for index_key, kind in (("g1", "S"), ("g2", "N"), ("l1", "S")):
            if self.often(0.4):
                item[index_key] = self.scalar(kind)
        if self.often(0.01):
            item["big"] = {"S": "v" * self.chance.choice((100_000, 390_000, 409_600, 420_000))}
        return item

    def optional(self, body, **members):
        """Each of the members with its probability; a value may be made when it is wanted."""
        for name, (probability, make) in members.items():
            if self.often(probability):
                body[name] = make() if callable(make) else make
        return body

    def one_of(self, *words):
        return lambda: self.chance.choice(words)

    def path(self, given, names=NAMES + ("pk", "sk")):
        name = self.chance.choice(names)
        if self.often(0.5) or name == "Größe" or name in ("list", "map", "set"):
            placeholder = "#" + {"Größe": "u"}.get(name, name)
            given.setdefault("ExpressionAttributeNames", {})[placeholder] = name
            name = placeholder
        tails = ("[0]", ".w1", "[1].a") if name in ("#list", "#map", "a", "b") else ("[0]",)
        return name + (self.chance.choice(tails) if self.often(0.15) else "")

    def operand(self, given, kinds="SN"):
        held = given.setdefault("ExpressionAttributeValues", {})
        name = ":v%d" % len(held)
        held[name] = self.values.value(2) if self.often(0.15) else self.scalar(self.chance.choice(kinds))
        return name

    def condition(self, given, depth=0):
        path, operand = lambda: self.path(given), lambda: self.operand(given)
        if depth < 3 and self.often(0.3):
            joined = self.chance.choice((" AND ", " OR ", " and "))
            return f"({self.condition(given, depth + 1)}{joined}{self.condition(given, depth + 1)})"
        forms = (
            lambda: f"{path()} {self.chance.choice(('=', '<>', '<', '<=', '>', '>='))} {operand()}",
            lambda: f"attribute_exists({path()})", lambda: f"attribute_not_exists({path()})",
            lambda: f"begins_with({path()}, {operand()})", lambda: f"contains({path()}, {operand()})",
            lambda: f"size({path()}) > {operand()}", lambda: f"{path()} IN ({operand()}, {operand()})",
            lambda: f"{path()} BETWEEN {operand()} AND {operand()}", lambda: f"NOT {path()} = {operand()}",
            lambda: f"attribute_type({path()}, {operand()})", lambda: f"{path()} == ", lambda: "size()",
        )
        weights = (9, 3, 3, 3, 3, 2, 2, 2, 2, 1, 0.2, 0.2)
        return self.chance.choices(forms, weights)[0]()

    def update(self, given):
        names = self.chance.sample(NAMES if self.often(0.2) else NAMES[:8], 8)
        def path():  # seldom the same twice
            once = names and not self.often(0.05)
            return self.path(given, (names.pop(),) if once else NAMES)

        def operand():
            return self.operand(given)

        clauses = []
        if self.often(0.8):
            sets = (lambda: f"{path()} = {operand()}", lambda: f"{path()} = if_not_exists({path()}, {self.operand(given, 'N')}) + {self.operand(given, 'N')}",
                    lambda: f"{path()} = list_append({path()}, {operand()})", lambda: f"{path()} = {path()}")
            clauses.append("SET " + ", ".join(self.chance.choice(sets)() for _ in range(self.chance.randrange(1, 4))))
        if self.often(0.3):
            clauses.append(f"REMOVE {path()}")
        if self.often(0.3):
            clauses.append(f"ADD {path()} {self.operand(given, 'N')}")
        if self.often(0.15):
            clauses.append(f"DELETE {path()} {operand()}")
        return " ".join(clauses)

    def legacy(self, attributes, filters=True):
        made = {}
        for _ in range(self.chance.randrange(1, 3)):
            words = ("EQ", "NE", "LT", "GE", "BETWEEN", "IN", "NULL", "NOT_NULL", "CONTAINS", "BEGINS_WITH")
            word = self.chance.choice(words)
            count = {"BETWEEN": 2, "NULL": 0, "NOT_NULL": 0}.get(word, 1)
            values = [self.scalar(self.chance.choice("SN")) for _ in range(count)]
            entry = {"ComparisonOperator": word, "AttributeValueList": values}
            if not filters and self.often(0.5):
                entry = {"Value": values[0]} if values else {"Exists": False}
            made[self.chance.choice(attributes)] = entry
        return made

    def projection(self, body):
        if self.often(0.15):
            body["ProjectionExpression"] = ", ".join(self.path(body) for _ in range(self.chance.randrange(1, 4)))
        elif self.often(0.05):
            body["AttributesToGet"] = [self.chance.choice(NAMES) for _ in range(2)]

    # --- operations on items ---

    def write_options(self, body, returned=("NONE", "ALL_OLD") * 4 + ("ALL_NEW",)):
        return self.optional(
            body, ReturnValues=(0.3, self.one_of(*returned)), ReturnConsumedCapacity=(0.2, self.one_of(*CAPACITY)),
            ReturnItemCollectionMetrics=(0.1, self.one_of("SIZE", "NONE")),
            ReturnValuesOnConditionCheckFailure=(0.1, self.one_of("ALL_OLD", "NONE")))

    def conditioned(self, body):
        if self.often(0.3):
            body["ConditionExpression"] = self.condition(body)
        elif self.often(0.06):
            body["Expected"] = self.legacy(NAMES, filters=False)
            self.optional(body, ConditionalOperator=(0.3, self.one_of("AND", "OR", "XOR")))
        return body

    def put_item(self):
        name = self.table_name()
        return self.conditioned(self.write_options({"TableName": name, "Item": self.item(name)}))

    def delete_item(self):
        name = self.table_name()
        return self.conditioned(self.write_options({"TableName": name, "Key": self.key(name)}))

    def update_item(self):
        name = self.table_name()
        body = {"TableName": name, "Key": self.key(name)}
        if self.often(0.85):
            body["UpdateExpression"] = self.update(body)
        elif self.often(0.8):
            actions = ("PUT", "ADD", "DELETE", "MOVE")
            body["AttributeUpdates"] = {
                self.chance.choice(NAMES): {"Action": self.chance.choice(actions), "Value": self.values.value()}
                for _ in range(2)}
        return self.conditioned(self.write_options(body, ("NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW") * 4 + ("ALL",)))

    def get_item(self):
        name = self.table_name()
        body = {"TableName": name, "Key": self.key(name)}
        self.projection(body)
        return self.optional(body, ConsistentRead=(0.3, self.one_of(True, False)),
                             ReturnConsumedCapacity=(0.2, self.one_of(*CAPACITY)))

    def range_options(self, body, name):
        self.projection(body)
        if self.often(0.2):
            body["FilterExpression"] = self.condition(body)
        return self.optional(
            body, Limit=(0.3, self.one_of(*(1, 2, 3, 10, 1000) * 3, 0, -1)),
            ExclusiveStartKey=(0.15, lambda: self.key(name)),
            ConsistentRead=(0.2, self.one_of(True, False)), ReturnConsumedCapacity=(0.2, self.one_of(*CAPACITY)),
            Select=(0.1, self.one_of("COUNT", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "X")))

    def query(self):
        name = self.table_name()
        partition, kind, sort, sort_kind = TABLES.get(name.split("/")[-1], TABLES["diff-range"])
        body = {"TableName": name}
        if self.often(0.3):
            body["IndexName"], partition, kind, sort, sort_kind = self.chance.choice((
                ("by-g1", "g1", "S", "g2", "N"), ("by-g2", "g2", "N", None, None), ("by-l1", partition, kind, "l1", "S"),
                ("by-nothing", partition, kind, sort, sort_kind)))
        if self.often(0.1):
            body["KeyConditions"] = {partition: {"ComparisonOperator": "EQ", "AttributeValueList": [self.scalar(kind)]}}
            self.optional(body, QueryFilter=(0.4, lambda: self.legacy(NAMES)))
        else:
            values = {":p": self.scalar(kind)}
            expression = f"{partition} = :p"
            if sort and self.often(0.5):
                values.update({":s": self.scalar(sort_kind), ":t": self.scalar(sort_kind)})
                forms = ("{} BETWEEN :s AND :t", "{} > :s", "{} <= :s", "begins_with({}, :s)", "{} = :s")
                expression += " AND " + self.chance.choice(forms).format(sort)
                if ":t" not in expression and self.often(0.95):
                    del values[":t"]
            body.update(KeyConditionExpression=expression, ExpressionAttributeValues=values)
        self.optional(body, ScanIndexForward=(0.3, self.one_of(True, False, "false")))
        return self.range_options(body, name)

    def scan(self):
        name = self.table_name()
        body = self.optional({"TableName": name}, IndexName=(0.2, self.one_of("by-g1", "by-g2", "by-l1", "by-x")))
        if self.often(0.2):
            total = self.chance.randrange(1, 5)
            body.update(TotalSegments=total, Segment=self.chance.randrange(total + 1))
        self.optional(body, ScanFilter=(0.06, lambda: self.legacy(NAMES)))
        return self.range_options(body, name)

    def batch_write(self):
        items = {}
        for _ in range(self.chance.choice((1, 2, 5, 25, 26))):
            name = self.table_name()
            put = self.often(0.8)
            one = {"PutRequest": {"Item": self.item(name)}} if put else {"DeleteRequest": {"Key": self.key(name)}}
            items.setdefault(name, []).append(one)
        return self.optional({"RequestItems": items}, ReturnConsumedCapacity=(0.2, self.one_of(*CAPACITY)))

    def batch_get(self):
        items = {}
        for _ in range(self.chance.choice((1, 2, 5, 20, 100))):
            name = self.table_name()
            items.setdefault(name, {"Keys": []})["Keys"].append(self.key(name))
        for part in items.values():
            if self.often(0.9):
                part["Keys"] = list({repr(key): key for key in part["Keys"]}.values())
            self.projection(part)
            self.optional(part, ConsistentRead=(0.2, True))
        return self.optional({"RequestItems": items}, ReturnConsumedCapacity=(0.2, self.one_of(*CAPACITY)))

    def action(self):
        name = self.table_name()
        kind = self.chance.choice(("Put", "Put", "Update", "Delete", "ConditionCheck"))
        body = {"TableName": name}
        body.update({"Item": self.item(name)} if kind == "Put" else {"Key": self.key(name)})
        if kind == "Update":
            body["UpdateExpression"] = self.update(body)
        if kind == "ConditionCheck" or self.often(0.2):
            body["ConditionExpression"] = self.condition(body)
        self.optional(body, ReturnValuesOnConditionCheckFailure=(0.1, "ALL_OLD"))
        return {kind: body}

    def transact_write(self):
        count = self.chance.choice((1, 2, 3, 8, 100, 101) if self.often(0.1) else (1, 2, 3))
        items = [self.action() for _ in range(count)]
        self.token += 1
        return self.optional(
            {"TransactItems": items}, ReturnConsumedCapacity=(0.2, self.one_of(*CAPACITY)),
            ClientRequestToken=(0.3, lambda: "token-%d" % (self.token - self.chance.randrange(3))))

    def transact_get(self):
        def one():
            name = self.table_name()
            body = {"TableName": name, "Key": self.key(name)}
            if self.often(0.15):
                body["ProjectionExpression"] = self.path(body)
            return {"Get": body}
        items = [one() for _ in range(self.chance.choice((1, 2, 5)))]
        return self.optional({"TransactItems": items}, ReturnConsumedCapacity=(0.2, self.one_of(*CAPACITY)))

    # --- operations on tables ---

    def describe(self):
        return {"TableName": self.table_name()}

    def list_tables(self):
        return self.optional({}, Limit=(0.5, self.one_of(1, 2, 100, 101)), ExclusiveStartTableName=(0.3, "diff-hash"))

    def create(self):
        made = table(self.chance.choice(list(TABLES)))
        made["TableName"] = self.chance.choice((made["TableName"], "made-%d" % self.chance.randrange(3)))
        return self.values.spoil(made) if self.often(0.6) else made

    def update_table(self):
        body = {"TableName": self.chance.choice(("made-0", "made-1", "nowhere"))}
        return self.optional(body, DeletionProtectionEnabled=(0.5, self.one_of(True, False)),
                             BillingMode=(0.3, self.one_of("PAY_PER_REQUEST", "PROVISIONED")))

    def delete_table(self):
        return {"TableName": "made-%d" % self.chance.randrange(3)}
