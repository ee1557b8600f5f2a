"""Holds policy.cc against the cases of policy_cases.py, and against policy_model.py on random policies and requests:
policy_property_test.py PROGRAM [--seed N] [--lines N] [--bench N]. PROGRAM is policy_property.cc.
"""

import argparse
import json
import random
import subprocess
import sys

import policy_cases
import policy_model

TABLES = ["arn:aws:dynamodb:r:123456789012:table/" + name for name in
          ("T", "Tt", "U", "alice", "T/index/I", "T/index/J", "T/stream/S")]
ACTIONS = ["GetItem", "PutItem", "Query", "Scan", "DeleteItem", "PartiQLSelect", "DescribeTable", "SearchVectors"]
NAMES = ["alice", "bob", policy_cases.ACCOUNT, policy_cases.ALICE, policy_cases.ROLE, policy_cases.SESSION]
TEXTS = ["", "a", "A", "ab", "a*", "?", "${aws:username}", "é", "alice", "ALL_OLD"]
CONTEXT = {
    "dynamodb:LeadingKeys": TEXTS, "dynamodb:SecondPartitionKeyValues": TEXTS, "dynamodb:Attributes": TEXTS, "dynamodb:Select": ["COUNT", "ALL_ATTRIBUTES"],
    "dynamodb:ReturnValues": ["NONE", "ALL_OLD"], "dynamodb:FullTableScan": ["true", "false"],
    "aws:username": ["alice", "a", "*", "T"], "aws:userid": ["a", "é"], "aws:SourceIp": ["10.0.0.1", "10.9.0.1", "2001:db8::1"],
    "aws:EpochTime": ["1767225600", "1767225601"], "aws:CurrentTime": ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"],
    "aws:PrincipalArn": NAMES[3:], "aws:ResourceTag/team": TEXTS, "aws:TagKeys": TEXTS,
}
# What policies may ask for; what a request has is under the first names.
ASKED = [*CONTEXT, "dynamodb:FirstPartitionKeyValues", "aws:CalledVia"]
SEVERAL = {"dynamodb:LeadingKeys", "dynamodb:FirstPartitionKeyValues", "dynamodb:SecondPartitionKeyValues", "dynamodb:Attributes", "aws:TagKeys"}
FITTING = {
    "String": lambda chance: chance.choice([*TEXTS, "*", "a?", "ab*", "?*b", "${aws:username, 'a'}", "${*}", "${aws:userid}b"]),
    "Numeric": lambda chance: chance.choice(["1767225600", 1767225601, "1.5", "-2"]),
    "Date": lambda chance: chance.choice(["2026-01-01", "2026-01-01T00:00:01Z", "1767225600", "2025-12-31T23:30:00-00:30"]),
    "Bool": lambda chance: chance.choice(["true", "FALSE", True]),
    "Null": lambda chance: chance.choice(["true", "false"]),
    "Ip": lambda chance: chance.choice(["10.0.0.0/16", "10.9.0.1", "2001:db8::/40", "0.0.0.0/0"]),
    "Arn": lambda chance: chance.choice([*NAMES[3:], "arn:aws:iam::*:user/*", "arn:aws:iam::*:user/${aws:username}", "arn:aws:iam::*"]),
    "Binary": lambda chance: chance.choice(["YQ==", "YWI="]),
}
KEYS_OF = {"Ip": ["aws:SourceIp"], "Numeric": ["aws:EpochTime"], "Date": ["aws:CurrentTime", "aws:EpochTime"],
           "Arn": ["aws:PrincipalArn"], "Bool": ["dynamodb:FullTableScan"]}
OPERATORS = [
    "StringEquals", "StringNotEquals", "StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase", "StringLike", "StringNotLike",
    *[kind + order for kind in ("Numeric", "Date")
      for order in ("Equals", "NotEquals", "LessThan", "LessThanEquals", "GreaterThan", "GreaterThanEquals")],
    "Bool", "BinaryEquals", "IpAddress", "NotIpAddress", "ArnEquals", "ArnLike", "ArnNotEquals", "ArnNotLike", "Null",
]


def some(chance, values, most=3):
    return chance.choices(values, k=chance.randint(1, most))


def condition(chance):
    lines = {}
    for _ in range(chance.choice([0, 0, 1, 1, 2])):
        operator = chance.choice(OPERATORS)
        kind = "Ip" if operator.endswith("IpAddress") else next(one for one in FITTING if operator.startswith(one))
        key = chance.choice(KEYS_OF.get(kind, ASKED))
        if chance.random() < 0.1:
            key = chance.choice(ASKED)
        wanted = [FITTING[kind](chance) for _ in range(chance.randint(1, 3))]
        if operator != "Null" and chance.random() < 0.3:
            operator += "IfExists"
        if chance.random() < (0.7 if key in SEVERAL else 0.1):
            operator = chance.choice(["ForAllValues:", "ForAnyValue:"]) + operator
        lines.setdefault(operator, {})[key] = wanted if len(wanted) > 1 else wanted[0]
    return lines


def statement(chance, resource_policy):
    actions = [*["dynamodb:" + one for one in ACTIONS], "*", "dynamodb:*", "dynamodb:*Item", "DYNAMODB:?etItem", "dynamodb:getitem",
               "DynamoDB:QUERY"]
    resources = [*TABLES, "*", "arn:aws:dynamodb:*", TABLES[0] + "*", "arn:aws:dynamodb:*:*:table/T/*",
                 "arn:aws:dynamodb:r:123456789012:table/${aws:username}", "arn:aws:dynamodb:?:*:table/?"]
    made = {"Effect": "Deny" if chance.random() < 0.25 else "Allow",
            chance.choice(["Action"] * 4 + ["NotAction"]): some(chance, actions),
            chance.choice(["Resource"] * 4 + ["NotResource"]): some(chance, resources, 2)}
    if lines := condition(chance):
        made["Condition"] = lines
    if resource_policy:
        names = [*NAMES[2:], f"arn:aws:iam::{policy_cases.ACCOUNT}:root", "*"]
        inverse = made["Effect"] == "Deny" and chance.random() < 0.3
        made["NotPrincipal" if inverse else "Principal"] = {"AWS": some(chance, names, 4 if inverse else 2)}
    return made


def policy(chance, resource_policy=False):
    version = {"Version": chance.choice(["2012-10-17"] * 6 + ["2008-10-17"])} if chance.random() < 0.95 else {}
    return version | {"Statement": [statement(chance, resource_policy) for _ in range(chance.choice([1, 2, 3, 4, 12]))]}


def request(chance):
    context = {}
    for key, values in CONTEXT.items():
        if chance.random() < 0.6:
            context[key] = chance.choices(values, k=chance.choice([0, 1, 2, 3]) if key in SEVERAL else 1)
    who = chance.choice([policy_cases.WHO, policy_cases.IN_ROLE])
    return {
        "identity": [policy(chance) for _ in range(chance.randint(0, 3))],
        "resource": [policy(chance, True) for _ in range(chance.choice([0, 0, 1, 2]))],
        "boundary": policy(chance) if chance.random() < 0.3 else None,
        "session": policy(chance) if chance.random() < 0.3 else None,
        "action": "dynamodb:" + chance.choice(ACTIONS), "on": chance.choice(TABLES), "context": context, **who,
    }


def line_of(made):
    text = lambda one: one if one is None or isinstance(one, str) else json.dumps(one)  # noqa: E731
    return json.dumps(made | {
        "identity": [text(one) for one in made["identity"]], "resource": [text(one) for one in made["resource"]],
        "boundary": text(made["boundary"]), "session": text(made["session"])})


def answers(program, requests, *words):
    lines = "".join(line_of(one) + "\n" for one in requests)
    ran = subprocess.run([program, *words], input=lines, capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


def check(program, named):
    """Of (title, request, decision): exits at the first that is answered otherwise."""
    found = answers(program, [made for _, made, _ in named])
    assert len(found) == len(named), (len(found), len(named))
    for (title, made, decision), answer in zip(named, found):
        if answer != decision:
            sys.exit(f"{title}\n{json.dumps(made, indent=1)}\nis {answer}, and should be {decision}")


def check_table(program):
    table = list(policy_cases.cases())
    fine = sum(len(group[3]) for group in policy_cases.FINE_GRAINED)
    assert len(table) >= 200 and fine >= 100, (len(table), fine)
    check(program, table)
    check(program, [(title + " (by the model)", made, policy_model.decide(made)) for title, made, _ in table])
    plain = table[0][1]
    wrong = [plain | {"identity": [one]} for one in policy_cases.MALFORMED]
    wrong += [plain | {"resource": [one]} for one in policy_cases.MALFORMED_OF_RESOURCES]
    for one, answer in zip(policy_cases.MALFORMED + policy_cases.MALFORMED_OF_RESOURCES, answers(program, wrong)):
        if not answer.startswith("malformed: "):
            sys.exit(f"{one} is taken for a policy: {answer}")
    print(f"{len(table)} cases, {fine} of fine-grained access; {len(wrong)} malformed policies")


def check_random(program, seed, lines):
    chance = random.Random(seed)
    made = [request(chance) for _ in range(lines)]
    decided = [policy_model.decide(one) for one in made]
    check(program, [(f"a random request of seed {seed}", one, word) for one, word in zip(made, decided)])
    print(", ".join(f"{decided.count(word)} {word}" for word in sorted(set(decided))))


def bench(program, times):
    """Twenty statements, the last of which allows."""
    items = policy_cases.ITEMS
    others = [policy_cases.allow(items, policy_cases.table(f"Other{i}"), policy_cases.OWN) for i in range(17)]
    three = [policy_cases.deny("dynamodb:*", "*", {"Bool": {"aws:SecureTransport": "false"}}),
             policy_cases.deny("dynamodb:DeleteTable", "*"),
             policy_cases.allow(items, policy_cases.SCORES, policy_cases.OWN)]
    request_ = {"resource": [], "boundary": None, "session": None, "action": "dynamodb:GetItem", "on": policy_cases.SCORES,
                "context": policy_cases.ME | policy_cases.keys("AIDAALICE") | {"aws:SecureTransport": ["true"]},
                **policy_cases.WHO}
    twenty = request_ | {"identity": [policy_cases.policy(*others, *three)]}
    any_region = [policy_cases.allow(items, f"arn:aws:dynamodb:*:*:table/Other{i}", policy_cases.OWN) for i in range(17)]
    with_stars = request_ | {"identity": [policy_cases.policy(*any_region, *three)]}
    one = request_ | {"identity": [policy_cases.policy(three[-1])]}
    for _ in range(5):
        print(dict(zip(["one statement", "twenty", "twenty with stars"],
                       answers(program, [one, twenty, with_stars], str(times)))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=6000)
    parser.add_argument("--bench", type=int, default=0)
    given = parser.parse_args()
    if given.bench:
        bench(given.program, given.bench)
        return
    check_table(given.program)
    check_random(given.program, given.seed, given.lines)


if __name__ == "__main__":
    main()
