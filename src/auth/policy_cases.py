"""Requests and what policies say to them. The first half follows the examples of "Using IAM policy conditions for
fine-grained access control" and the pages around it in DynamoDB's developer guide; the second goes through the rest of
the language as IAM's user guide tells it.

A group is a title, the policies, and its requests: an action, a resource, what the request's context has, and the
decision: "+" allowed, "-" not allowed by an identity's policy, "D" denied by one; "R" denied by the resource's policy;
"B" and "b", denied by and not in the boundary; "S" and "s", the same of the session's policy.
"""

ACCOUNT = "123456789012"
ALICE = f"arn:aws:iam::{ACCOUNT}:user/alice"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/reader"
SESSION = f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/monday"
WHO = {"arn": ALICE, "role": "", "account": ACCOUNT}
IN_ROLE = {"arn": SESSION, "role": ROLE, "account": ACCOUNT}
WORDS = {
    "+": "allowed", "-": "not in identity", "D": "denied by identity", "R": "denied by resource",
    "B": "denied by boundary", "b": "not in boundary", "S": "denied by session", "s": "not in session",
}


def table(name, region="us-west-2"):
    return f"arn:aws:dynamodb:{region}:{ACCOUNT}:table/{name}"


def policy(*statements, version="2012-10-17"):
    return {"Version": version, "Statement": list(statements)}


def allow(action, resource="*", condition=None, **more):
    return {"Effect": "Allow", "Action": action, "Resource": resource} | ({"Condition": condition} if condition else {}) | more


def deny(action, resource="*", condition=None, **more):
    return allow(action, resource, condition, **more) | {"Effect": "Deny"}


def to(names, statement):
    """The statement as one of a resource policy."""
    return statement | {"Principal": names if names == "*" else {"AWS": names}}


def keys(*values, **more):
    return {"dynamodb:LeadingKeys": list(values)} | {f"dynamodb:{name}": value for name, value in more.items()}


ITEMS = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem",
         "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"]
SCORES = table("GameScores")
BOOKS = table("Books")
ME = {"aws:userid": ["AIDAALICE"], "aws:username": ["alice"], "aws:PrincipalArn": [ALICE]}
OWN = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:userid}"]}}
COLUMNS = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:userid}"],
                                         "dynamodb:Attributes": ["UserId", "GameTitle", "Wins", "Losses"]},
           "StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES",
                                    "dynamodb:ReturnValues": ["NONE", "UPDATED_OLD", "UPDATED_NEW"]}}

FINE_GRAINED = [
    ("all of one's own items of a table", {"identity": [policy(allow(ITEMS, SCORES, OWN))]}, ME, [
        ("dynamodb:GetItem", SCORES, keys("AIDAALICE"), "+"),
        ("dynamodb:GetItem", SCORES, keys("AIDABOB"), "-"),
        ("dynamodb:BatchGetItem", SCORES, keys("AIDAALICE", "AIDABOB"), "-"),
        ("dynamodb:BatchGetItem", SCORES, keys("AIDAALICE", "AIDAALICE"), "+"),
        ("dynamodb:Query", SCORES, keys("AIDAALICE"), "+"),
        ("dynamodb:Query", SCORES + "/index/Wins", keys("AIDAALICE"), "-"),
        ("dynamodb:PutItem", SCORES, keys("AIDAALICE"), "+"),
        ("dynamodb:PutItem", SCORES, keys("aidaalice"), "-"),
        ("dynamodb:UpdateItem", SCORES, keys("AIDAALICE1"), "-"),
        ("dynamodb:DeleteItem", SCORES, keys("AIDAALICE"), "+"),
        ("dynamodb:DeleteItem", table("GameScores2"), keys("AIDAALICE"), "-"),
        ("dynamodb:Scan", SCORES, {}, "-"),
        ("dynamodb:DescribeTable", SCORES, {}, "-"),
        ("dynamodb:ConditionCheckItem", SCORES, keys("AIDAALICE"), "-"),
    ]),
    ("nobody's key is everybody's", {"identity": [policy(allow(ITEMS, SCORES, OWN))]}, {}, [
        ("dynamodb:GetItem", SCORES, keys("AIDAALICE"), "-"),
        ("dynamodb:GetItem", SCORES, keys("${aws:userid}"), "-"),
        ("dynamodb:GetItem", SCORES, keys(""), "-"),
    ]),
    ("some attributes of one's own items", {"identity": [policy(allow(ITEMS, SCORES, COLUMNS))]}, ME, [
        ("dynamodb:GetItem", SCORES, keys("AIDAALICE", Attributes=["UserId", "GameTitle", "Wins"],
                                          Select=["SPECIFIC_ATTRIBUTES"]), "+"),
        ("dynamodb:GetItem", SCORES, keys("AIDAALICE", Attributes=["UserId", "GameTitle"],
                                          Select=["ALL_ATTRIBUTES"]), "-"),
        ("dynamodb:GetItem", SCORES, keys("AIDAALICE", Attributes=["UserId", "GameTitle", "Email"],
                                          Select=["SPECIFIC_ATTRIBUTES"]), "-"),
        ("dynamodb:Query", SCORES, keys("AIDAALICE", Attributes=["Wins"], Select=["SPECIFIC_ATTRIBUTES"]), "+"),
        ("dynamodb:Query", SCORES, keys("AIDAALICE", Attributes=["wins"], Select=["SPECIFIC_ATTRIBUTES"]), "-"),
        ("dynamodb:Query", SCORES, keys("AIDAALICE", Attributes=["Wins"], Select=["COUNT"]), "-"),
        ("dynamodb:PutItem", SCORES, keys("AIDAALICE", Attributes=["UserId", "GameTitle", "Losses"],
                                          ReturnValues=["NONE"]), "+"),
        ("dynamodb:PutItem", SCORES, keys("AIDAALICE", Attributes=["UserId", "GameTitle"],
                                          ReturnValues=["ALL_OLD"]), "-"),
        ("dynamodb:UpdateItem", SCORES, keys("AIDAALICE", Attributes=["UserId", "GameTitle", "Wins"],
                                             ReturnValues=["UPDATED_NEW"]), "+"),
        ("dynamodb:UpdateItem", SCORES, keys("AIDAALICE", Attributes=["UserId", "GameTitle", "Wins"],
                                             ReturnValues=["ALL_NEW"]), "-"),
        ("dynamodb:UpdateItem", SCORES, keys("AIDABOB", Attributes=["UserId"], ReturnValues=["NONE"]), "-"),
        ("dynamodb:DeleteItem", SCORES, keys("AIDAALICE", Attributes=["UserId", "GameTitle"]), "+"),
        ("dynamodb:BatchWriteItem", SCORES, keys("AIDAALICE", Attributes=["UserId", "Coins"]), "-"),
    ]),
    ("reading some attributes and no others", {"identity": [policy(
        allow(["dynamodb:GetItem", "dynamodb:Query"], BOOKS, {
            "ForAllValues:StringEquals": {"dynamodb:Attributes": ["Id", "Title", "Price"]},
            "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}}))]}, {}, [
        ("dynamodb:Query", BOOKS, keys("1", Attributes=["Id", "Title"], Select=["SPECIFIC_ATTRIBUTES"]), "+"),
        ("dynamodb:Query", BOOKS, keys("1", Attributes=["Id", "Author"], Select=["SPECIFIC_ATTRIBUTES"]), "-"),
        ("dynamodb:Query", BOOKS, keys("1", Attributes=["Id"]), "-"),
        ("dynamodb:Query", BOOKS, keys("1", Select=["SPECIFIC_ATTRIBUTES"]), "+"),
        ("dynamodb:Query", BOOKS, keys("1", Attributes=[], Select=["SPECIFIC_ATTRIBUTES"]), "+"),
        ("dynamodb:GetItem", BOOKS, keys("1", Attributes=["Price"], Select=["SPECIFIC_ATTRIBUTES"]), "+"),
    ]),
    ("an index, with what is projected into it", {"identity": [policy(
        allow("dynamodb:Query", [SCORES + "/index/TopScoreDateTimeIndex"], {
            "StringEquals": {"dynamodb:Select": "ALL_PROJECTED_ATTRIBUTES"}}))]}, {}, [
        ("dynamodb:Query", SCORES + "/index/TopScoreDateTimeIndex", keys("x", Select=["ALL_PROJECTED_ATTRIBUTES"]), "+"),
        ("dynamodb:Query", SCORES + "/index/TopScoreDateTimeIndex", keys("x", Select=["ALL_ATTRIBUTES"]), "-"),
        ("dynamodb:Query", SCORES + "/index/Other", keys("x", Select=["ALL_PROJECTED_ATTRIBUTES"]), "-"),
        ("dynamodb:Query", SCORES, keys("x", Select=["ALL_PROJECTED_ATTRIBUTES"]), "-"),
        ("dynamodb:Scan", SCORES + "/index/TopScoreDateTimeIndex", {"dynamodb:Select": ["ALL_PROJECTED_ATTRIBUTES"]}, "-"),
    ]),
    ("a table without its indexes", {"identity": [policy(allow("dynamodb:*", SCORES),
                                                         deny("dynamodb:*", SCORES + "/index/*"))]}, {}, [
        ("dynamodb:Query", SCORES, keys("x"), "+"),
        ("dynamodb:Query", SCORES + "/index/Any", keys("x"), "D"),
        ("dynamodb:Scan", SCORES + "/index/Any", {}, "D"),
        ("dynamodb:GetRecords", SCORES + "/stream/2026-01-01T00:00:00.000", {}, "-"),
        ("dynamodb:DeleteTable", SCORES, {}, "+"),
    ]),
    ("what must not be touched", {"identity": [policy(
        allow("dynamodb:*", SCORES),
        deny(["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:BatchWriteItem"], SCORES, {
            "ForAnyValue:StringEquals": {"dynamodb:Attributes": ["FreeGamesPlayed", "Balance"]}}))]}, {}, [
        ("dynamodb:UpdateItem", SCORES, keys("x", Attributes=["UserId", "Wins"]), "+"),
        ("dynamodb:UpdateItem", SCORES, keys("x", Attributes=["UserId", "Balance"]), "D"),
        ("dynamodb:PutItem", SCORES, keys("x", Attributes=["FreeGamesPlayed"]), "D"),
        ("dynamodb:PutItem", SCORES, keys("x"), "+"),
        ("dynamodb:BatchWriteItem", SCORES, keys("x", Attributes=["Balance"]), "D"),
        ("dynamodb:GetItem", SCORES, keys("x", Attributes=["Balance"]), "+"),
    ]),
    ("no returned values", {"identity": [policy(
        allow(["dynamodb:UpdateItem", "dynamodb:DeleteItem"], BOOKS, {
            "StringEquals": {"dynamodb:ReturnValues": "NONE"}}))]}, {}, [
        ("dynamodb:UpdateItem", BOOKS, keys("1", ReturnValues=["NONE"]), "+"),
        ("dynamodb:UpdateItem", BOOKS, keys("1", ReturnValues=["ALL_OLD"]), "-"),
        ("dynamodb:DeleteItem", BOOKS, keys("1", ReturnValues=["ALL_OLD"]), "-"),
        ("dynamodb:DeleteItem", BOOKS, keys("1"), "-"),
    ]),
    ("PartiQL that reads no whole table", {"identity": [policy(
        allow(["dynamodb:PartiQLSelect"], [BOOKS, BOOKS + "/index/*"]),
        deny(["dynamodb:PartiQLSelect"], [BOOKS, BOOKS + "/index/*"], {
            "Bool": {"dynamodb:FullTableScan": ["true"]}}))]}, {}, [
        ("dynamodb:PartiQLSelect", BOOKS, keys("1", FullTableScan=["false"]), "+"),
        ("dynamodb:PartiQLSelect", BOOKS, {"dynamodb:FullTableScan": ["true"]}, "D"),
        ("dynamodb:PartiQLSelect", BOOKS + "/index/ByYear", {"dynamodb:FullTableScan": ["true"]}, "D"),
        ("dynamodb:PartiQLSelect", BOOKS + "/index/ByYear", keys("2001", FullTableScan=["false"]), "+"),
        ("dynamodb:PartiQLInsert", BOOKS, keys("1"), "-"),
    ]),
    ("PartiQL on one's own items", {"identity": [policy(
        allow(["dynamodb:PartiQLSelect", "dynamodb:PartiQLUpdate"], SCORES, {
            "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:userid}"],
                                          "dynamodb:Attributes": ["UserId", "Wins"]}}),
        deny("dynamodb:PartiQLSelect", SCORES, {"Bool": {"dynamodb:FullTableScan": "true"}}))]}, ME, [
        ("dynamodb:PartiQLSelect", SCORES, keys("AIDAALICE", Attributes=["UserId", "Wins"], FullTableScan=["false"]), "+"),
        ("dynamodb:PartiQLSelect", SCORES, keys("AIDABOB", Attributes=["UserId", "Wins"], FullTableScan=["false"]), "-"),
        ("dynamodb:PartiQLSelect", SCORES, {"dynamodb:Attributes": ["Wins"], "dynamodb:FullTableScan": ["true"]}, "D"),
        ("dynamodb:PartiQLUpdate", SCORES, keys("AIDAALICE", Attributes=["Wins"]), "+"),
        ("dynamodb:PartiQLUpdate", SCORES, keys("AIDAALICE", Attributes=["Losses"]), "-"),
        ("dynamodb:PartiQLDelete", SCORES, keys("AIDAALICE", Attributes=["UserId"]), "-"),
    ]),
    ("only within transactions", {"identity": [policy(
        allow(["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:GetItem"], BOOKS, {
            "ForAnyValue:StringEquals": {"dynamodb:EnclosingOperation": ["TransactWriteItems", "TransactGetItems"]}}))]},
        {}, [
        ("dynamodb:PutItem", BOOKS, keys("1", EnclosingOperation=["TransactWriteItems"]), "+"),
        ("dynamodb:GetItem", BOOKS, keys("1", EnclosingOperation=["TransactGetItems"]), "+"),
        ("dynamodb:PutItem", BOOKS, keys("1"), "-"),
        ("dynamodb:GetItem", BOOKS, keys("1", EnclosingOperation=["BatchGetItem"]), "-"),
        ("dynamodb:ConditionCheckItem", BOOKS, keys("1", EnclosingOperation=["TransactWriteItems"]), "-"),
    ]),
    ("never within transactions", {"identity": [policy(
        allow("dynamodb:*", BOOKS),
        deny("dynamodb:*", BOOKS, {
            "ForAnyValue:StringLike": {"dynamodb:EnclosingOperation": ["Transact*"]}}))]}, {}, [
        ("dynamodb:PutItem", BOOKS, keys("1"), "+"),
        ("dynamodb:PutItem", BOOKS, keys("1", EnclosingOperation=["TransactWriteItems"]), "D"),
        ("dynamodb:ConditionCheckItem", BOOKS, keys("1", EnclosingOperation=["TransactWriteItems"]), "D"),
        ("dynamodb:GetItem", BOOKS, keys("1", EnclosingOperation=["TransactGetItems"]), "D"),
    ]),
    ("tags of tables", {"identity": [policy(
        allow(["dynamodb:GetItem", "dynamodb:DeleteTable"], "*", {"StringEquals": {"aws:ResourceTag/team": "${aws:PrincipalTag/team}"}}),
        allow("dynamodb:CreateTable", table("*"), {"StringEquals": {"aws:RequestTag/team": ["red", "blue"]}}),
        allow(["dynamodb:TagResource"], "*", {"ForAllValues:StringEquals": {"aws:TagKeys": ["team", "cost"]},
                                              "Null": {"aws:TagKeys": "false"}}))]},
        {"aws:PrincipalTag/team": ["red"]}, [
        ("dynamodb:GetItem", BOOKS, {"aws:ResourceTag/team": ["red"]}, "+"),
        ("dynamodb:GetItem", BOOKS, {"aws:ResourceTag/team": ["blue"]}, "-"),
        ("dynamodb:GetItem", BOOKS, {}, "-"),
        ("dynamodb:DeleteTable", BOOKS, {"aws:ResourceTag/team": ["red"], "aws:ResourceTag/cost": ["7"]}, "+"),
        ("dynamodb:CreateTable", BOOKS, {"aws:RequestTag/team": ["blue"], "aws:TagKeys": ["team"]}, "+"),
        ("dynamodb:CreateTable", BOOKS, {"aws:RequestTag/team": ["green"], "aws:TagKeys": ["team"]}, "-"),
        ("dynamodb:CreateTable", BOOKS, {}, "-"),
        ("dynamodb:TagResource", BOOKS, {"aws:TagKeys": ["team"]}, "+"),
        ("dynamodb:TagResource", BOOKS, {"aws:TagKeys": ["team", "owner"]}, "-"),
        ("dynamodb:TagResource", BOOKS, {}, "-"),
    ]),
    ("all tables of a name", {"identity": [policy(
        allow(["dynamodb:DescribeTable", "dynamodb:Query", "dynamodb:Scan"], table("Book*")),
        allow("dynamodb:ListTables", "*"))]}, {}, [
        ("dynamodb:Query", BOOKS, keys("1"), "+"),
        ("dynamodb:Query", table("Book"), keys("1"), "+"),
        ("dynamodb:Query", table("Bok"), keys("1"), "-"),
        ("dynamodb:Query", table("Books", "eu-west-1"), keys("1"), "-"),
        ("dynamodb:Query", BOOKS + "/index/ByYear", keys("1"), "+"),
        ("dynamodb:Scan", table("MyBooks"), {}, "-"),
        ("dynamodb:ListTables", table("*"), {}, "+"),
        ("dynamodb:DeleteTable", BOOKS, {}, "-"),
    ]),
    ("a stream alone", {"identity": [policy(
        allow(["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], SCORES + "/stream/*"),
        allow("dynamodb:ListStreams"))]}, {}, [
        ("dynamodb:GetRecords", SCORES + "/stream/2026-01-01T00:00:00.000", {}, "+"),
        ("dynamodb:GetRecords", BOOKS + "/stream/2026-01-01T00:00:00.000", {}, "-"),
        ("dynamodb:ListStreams", SCORES + "/stream/*", {}, "+"),
        ("dynamodb:GetItem", SCORES, keys("x"), "-"),
    ]),
    ("from one network, encrypted, until a day", {"identity": [policy(
        allow("dynamodb:*", "*"),
        deny("*", "*", {"NotIpAddress": {"aws:SourceIp": ["192.0.2.0/24", "2001:db8::/32"]}}),
        deny("*", "*", {"Bool": {"aws:SecureTransport": "false"}}),
        deny("*", "*", {"DateGreaterThan": {"aws:CurrentTime": "2026-06-30T23:59:59Z"}}))]},
        {"aws:SourceIp": ["192.0.2.9"], "aws:SecureTransport": ["true"], "aws:CurrentTime": ["2026-06-30T12:00:00Z"]}, [
        ("dynamodb:GetItem", BOOKS, {}, "+"),
        ("dynamodb:GetItem", BOOKS, {"aws:SourceIp": ["192.0.3.9"]}, "D"),
        ("dynamodb:GetItem", BOOKS, {"aws:SourceIp": ["2001:db8:7::1"]}, "+"),
        ("dynamodb:GetItem", BOOKS, {"aws:SourceIp": ["2001:db9::1"]}, "D"),
        ("dynamodb:GetItem", BOOKS, {"aws:SecureTransport": ["false"]}, "D"),
        ("dynamodb:GetItem", BOOKS, {"aws:CurrentTime": ["2026-07-01T00:00:00Z"]}, "D"),
        ("dynamodb:GetItem", BOOKS, {"aws:CurrentTime": ["2026-06-30T23:59:59Z"]}, "+"),
        ("dynamodb:GetItem", BOOKS, {"aws:CurrentTime": ["2026-06-30T23:59:59.500Z"]}, "D"),
    ]),
]

NEGATIONS = [
    (operator, values, there, absent)
    for operator, values, there, absent in [
        ("StringEquals", "SPECIFIC_ATTRIBUTES", "+", "-"),
        ("StringNotEquals", "SPECIFIC_ATTRIBUTES", "-", "+"),
        ("StringEqualsIfExists", "SPECIFIC_ATTRIBUTES", "+", "+"),
        ("StringNotEqualsIfExists", "SPECIFIC_ATTRIBUTES", "-", "+"),
        ("StringEqualsIgnoreCase", "specific_ATTRIBUTES", "+", "-"),
        ("StringNotEqualsIgnoreCase", "specific_ATTRIBUTES", "-", "+"),
        ("StringLike", "SPECIFIC_*", "+", "-"),
        ("StringLike", "SPECIFIC?ATTRIBUTES", "+", "-"),
        ("StringLike", "SPECIFIC?", "-", "-"),
        ("StringNotLike", "SPECIFIC_*", "-", "+"),
        ("StringEquals", "SPECIFIC_*", "-", "-"),
        ("StringEquals", ["COUNT", "SPECIFIC_ATTRIBUTES"], "+", "-"),
        ("StringNotEquals", ["COUNT", "SPECIFIC_ATTRIBUTES"], "-", "+"),
        ("ForAllValues:StringEquals", "SPECIFIC_ATTRIBUTES", "+", "+"),
        ("ForAnyValue:StringEquals", "SPECIFIC_ATTRIBUTES", "+", "-"),
        ("ForAnyValue:StringEqualsIfExists", "SPECIFIC_ATTRIBUTES", "+", "+"),
        ("ForAnyValue:StringNotEquals", "COUNT", "+", "-"),
        ("ForAllValues:StringNotEquals", "SPECIFIC_ATTRIBUTES", "-", "+"),
        ("Null", "true", "-", "+"),
        ("Null", "false", "+", "-"),
        ("Null", True, "-", "+"),
    ]
]

SETS = [
    ("ForAllValues:StringEquals", ["a", "b"], [(["a"], "+"), (["a", "b"], "+"), (["a", "c"], "-"), ([], "+")]),
    ("ForAnyValue:StringEquals", ["a", "b"], [(["c"], "-"), (["c", "b"], "+"), ([], "-")]),
    ("ForAllValues:StringNotEquals", ["a", "b"], [(["c", "d"], "+"), (["c", "a"], "-"), ([], "+")]),
    ("ForAnyValue:StringNotEquals", ["a", "b"], [(["a"], "-"), (["a", "c"], "+"), ([], "-")]),
    ("ForAllValues:StringLike", ["user-*"], [(["user-1", "user-2"], "+"), (["user-1", "team-2"], "-")]),
    ("StringEquals", ["a"], [(["b", "a"], "+"), (["b"], "-")]),
    ("StringNotEquals", ["a"], [(["b", "a"], "-"), (["b"], "+")]),
]

NUMBERS = [
    ("NumericEquals", "7", [("7", "+"), ("7.0", "+"), ("8", "-"), ("x", "-")]),
    ("NumericNotEquals", 7, [("7", "-"), ("8", "+")]),
    ("NumericLessThan", "7", [("6.5", "+"), ("7", "-")]),
    ("NumericEquals", "9007199254740993", [("9007199254740993", "+"), ("9007199254740992", "-"), ("9007199254740993.0", "+")]),
    ("NumericGreaterThan", "0.1", [("0.10000000000000000000000000000000000001", "+"), ("1e-1", "-"), ("1e38", "+")]),
    ("NumericLessThanEquals", "7", [("7", "+"), ("7.5", "-")]),
    ("NumericGreaterThan", "-7", [("-6", "+"), ("-7", "-")]),
    ("NumericGreaterThanEquals", ["7", "100"], [("7", "+"), ("6", "-")]),
    ("DateLessThan", "2026-01-01", [("1767225599", "+"), ("1767225600", "-")]),
    ("DateEquals", "2026-01-01T01:00:00+01:00", [("1767225600", "+"), ("1767225601", "-")]),
    ("DateNotEquals", "2026-01", [("1767225600", "-"), ("1767225601", "+")]),
    ("DateGreaterThanEquals", "2026-01-01T00:00Z", [("1767225600", "+"), ("1767225599", "-")]),
    ("DateLessThanEquals", "1767225600", [("1767225600", "+"), ("1767225601", "-")]),
]

ADDRESSES = [
    ("IpAddress", "10.0.0.0/8", [("10.255.1.2", "+"), ("11.0.0.1", "-"), ("::ffff:10.0.0.1", "+")]),
    ("IpAddress", "10.1.2.3", [("10.1.2.3", "+"), ("10.1.2.4", "-")]),
    ("IpAddress", "10.1.2.192/26", [("10.1.2.191", "-"), ("10.1.2.192", "+"), ("10.1.2.255", "+")]),
    ("IpAddress", "2001:db8::/33", [("2001:db8:7fff::1", "+"), ("2001:db8:8000::1", "-")]),
    ("IpAddress", "0.0.0.0/0", [("203.0.113.1", "+"), ("2001:db8::1", "-")]),
    ("IpAddress", "::/0", [("203.0.113.1", "-"), ("2001:db8::1", "+")]),
    ("NotIpAddress", "10.0.0.0/8", [("10.0.0.1", "-"), ("203.0.113.1", "+")]),
]

ARNS = [
    ("ArnEquals", ALICE, [(ALICE, "+"), (ALICE + "2", "-")]),
    ("ArnLike", f"arn:aws:iam::{ACCOUNT}:user/*", [(ALICE, "+"), (ROLE, "-"), (f"arn:aws:iam::999999999999:user/alice", "-")]),
    ("ArnLike", "arn:*:iam::*:role/read??", [(ROLE, "+"), (ALICE, "-")]),
    ("ArnLike", "arn:aws:iam::*", [(ALICE, "+")]),
    ("ArnLike", "arn:*", [(ALICE, "+"), ("alice", "-")]),
    ("ArnLike", "*", [(ALICE, "+")]),
    ("ArnNotLike", "arn:aws:sts*", [(ALICE, "+"), (SESSION, "-")]),
    ("ArnNotLike", f"arn:aws:iam::{ACCOUNT}:user/*", [(ALICE, "-"), (ROLE, "+")]),
    ("ArnNotEquals", ALICE, [(ALICE, "-"), (ROLE, "+")]),
]


def on_key(key, lines):
    """Groups of one condition each, over the values of one key."""
    return [(f"{operator} {wanted}", {"identity": [policy(allow("*", "*", {operator: {key: wanted}}))]}, {},
             [("dynamodb:Query", BOOKS, {key: value if isinstance(value, list) else [value]}, decision)
              for value, decision in cases])
            for operator, wanted, cases in lines]


LANGUAGE = [
    *[(f"{operator} {wanted}", {"identity": [policy(allow("*", "*", {operator: {"dynamodb:Select": wanted}}))]}, {}, [
        ("dynamodb:Query", BOOKS, {"dynamodb:Select": ["SPECIFIC_ATTRIBUTES"]}, there),
        ("dynamodb:Query", BOOKS, {}, absent),
    ]) for operator, wanted, there, absent in NEGATIONS],
    *on_key("dynamodb:LeadingKeys", SETS),
    *on_key("aws:EpochTime", NUMBERS),
    *on_key("aws:SourceIp", ADDRESSES),
    *on_key("aws:PrincipalArn", ARNS),
    ("a denial wins, wherever it stands", {"identity": [
        policy(deny("dynamodb:PutItem")), policy(allow("*"), allow("dynamodb:PutItem"))]}, {}, [
        ("dynamodb:PutItem", BOOKS, {}, "D"),
        ("dynamodb:GetItem", BOOKS, {}, "+"),
    ]),
    ("a denial wins over what stands before it", {"identity": [
        policy(allow("dynamodb:PutItem"), deny("dynamodb:PutItem"))]}, {}, [("dynamodb:PutItem", BOOKS, {}, "D")]),
    ("nothing is allowed by nothing", {"identity": []}, {}, [("dynamodb:GetItem", BOOKS, {}, "-")]),
    ("all but", {"identity": [policy(
        {"Effect": "Allow", "NotAction": "dynamodb:Delete*", "NotResource": BOOKS + "/index/*"})]}, {}, [
        ("dynamodb:GetItem", BOOKS, {}, "+"),
        ("dynamodb:DeleteItem", BOOKS, {}, "-"),
        ("dynamodb:deletetable", BOOKS, {}, "-"),
        ("dynamodb:Query", BOOKS + "/index/a", {}, "-"),
    ]),
    ("all but what nobody knows", {"identity": [policy(
        {"Effect": "Allow", "Action": "dynamodb:GetItem", "NotResource": table("${aws:username}")},
        {"Effect": "Allow", "Action": "dynamodb:PutItem", "Resource": "*"},
        {"Effect": "Deny", "Action": "dynamodb:PutItem", "NotResource": table("${aws:username}")})]}, {}, [
        ("dynamodb:GetItem", BOOKS, {"aws:username": ["x"]}, "+"),
        ("dynamodb:GetItem", table("x"), {"aws:username": ["x"]}, "-"),
        ("dynamodb:GetItem", BOOKS, {}, "-"),
        ("dynamodb:PutItem", BOOKS, {}, "D"),
        ("dynamodb:PutItem", table("x"), {"aws:username": ["x"]}, "+"),
    ]),
    ("letters of either case in actions only", {"identity": [policy(allow("DynamoDB:getitem", BOOKS))]}, {}, [
        ("dynamodb:GetItem", BOOKS, {}, "+"),
        ("dynamodb:GetItem", table("books"), {}, "-"),
    ]),
    ("variables", {"identity": [policy(
        allow("dynamodb:GetItem", table("${aws:username}-*")),
        allow("dynamodb:PutItem", table("${aws:PrincipalTag/home, 'lobby'}")),
        allow("dynamodb:Query", table("${*}${?}${$}")),
        allow("dynamodb:Scan", "*", {"StringLike": {"dynamodb:Select": "${aws:username}*"}}))]}, {}, [
        ("dynamodb:GetItem", table("alice-1"), {"aws:username": ["alice"]}, "+"),
        ("dynamodb:GetItem", table("bob-1"), {"aws:username": ["alice"]}, "-"),
        ("dynamodb:GetItem", table("bob-1"), {"aws:username": ["*"]}, "-"),
        ("dynamodb:GetItem", table("-1"), {}, "-"),
        ("dynamodb:PutItem", table("lobby"), {}, "+"),
        ("dynamodb:PutItem", table("den"), {"aws:PrincipalTag/home": ["den"]}, "+"),
        ("dynamodb:PutItem", table("lobby"), {"aws:PrincipalTag/home": ["den"]}, "-"),
        ("dynamodb:Query", table("*?$"), {}, "+"),
        ("dynamodb:Query", table("ab$"), {}, "-"),
        ("dynamodb:Scan", BOOKS, {"dynamodb:Select": ["COUNT"], "aws:username": ["CO"]}, "+"),
        ("dynamodb:Scan", BOOKS, {"dynamodb:Select": ["COUNT"], "aws:username": ["C?"]}, "-"),
    ]),
    ("no variables in an old policy", {"identity": [policy(
        allow("dynamodb:GetItem", table("${aws:username}")), version="2008-10-17")]}, {"aws:username": ["alice"]}, [
        ("dynamodb:GetItem", table("alice"), {}, "-"),
        ("dynamodb:GetItem", table("${aws:username}"), {}, "+"),
    ]),
    ("keys by any letters, and keys that nobody knows", {"identity": [policy(
        allow("dynamodb:GetItem", "*", {"StringEquals": {"DYNAMODB:select": "COUNT"}}),
        allow("dynamodb:PutItem", "*", {"Bool": {"aws:MultiFactorAuthPresent": "true"}}),
        allow("dynamodb:Scan", "*", {"BoolIfExists": {"aws:MultiFactorAuthPresent": "true"}}))]},
        {"dynamodb:Select": ["COUNT"]}, [
        ("dynamodb:GetItem", BOOKS, {}, "+"),
        ("dynamodb:PutItem", BOOKS, {}, "-"),
        ("dynamodb:Scan", BOOKS, {}, "+"),
    ]),
    ("a boundary", {"identity": [policy(allow("dynamodb:*"), deny("dynamodb:DeleteTable"))],
                    "boundary": policy(allow("dynamodb:Get*"), allow("dynamodb:DeleteTable"), deny("dynamodb:GetRecords"))}, {}, [
        ("dynamodb:GetItem", BOOKS, {}, "+"),
        ("dynamodb:PutItem", BOOKS, {}, "b"),
        ("dynamodb:GetRecords", BOOKS, {}, "B"),
        ("dynamodb:DeleteTable", BOOKS, {}, "D"),
    ]),
    ("a boundary allows nothing by itself", {"identity": [], "boundary": policy(allow("*"))}, {}, [
        ("dynamodb:GetItem", BOOKS, {}, "-")]),
    ("a session", {"identity": [policy(allow("dynamodb:*"))], "who": IN_ROLE,
                   "session": policy(allow("dynamodb:Get*"), deny("dynamodb:GetRecords"))}, {}, [
        ("dynamodb:GetItem", BOOKS, {}, "+"),
        ("dynamodb:PutItem", BOOKS, {}, "s"),
        ("dynamodb:GetRecords", BOOKS, {}, "S"),
    ]),
    ("a boundary and a session", {"identity": [policy(allow("dynamodb:*"))], "who": IN_ROLE,
                                  "boundary": policy(allow("dynamodb:*Item")),
                                  "session": policy(allow("dynamodb:Get*"))}, {}, [
        ("dynamodb:GetItem", BOOKS, {}, "+"),
        ("dynamodb:PutItem", BOOKS, {}, "s"),
        ("dynamodb:GetRecords", BOOKS, {}, "b"),
    ]),
    ("a resource's policy", {"identity": [policy(allow("dynamodb:Query"))], "resource": [policy(
        to(ALICE, allow("dynamodb:GetItem", BOOKS)),
        to([f"arn:aws:iam::{ACCOUNT}:root"], allow("dynamodb:PutItem", BOOKS)),
        to("*", allow("dynamodb:Scan", BOOKS)),
        to(ROLE, allow("dynamodb:UpdateItem", BOOKS)),
        to(ACCOUNT, deny("dynamodb:DeleteItem", BOOKS)),
        to("*", deny("dynamodb:Query", BOOKS + "/index/*")))]}, {}, [
        ("dynamodb:GetItem", BOOKS, {}, "+"),
        ("dynamodb:PutItem", BOOKS, {}, "-"),
        ("dynamodb:Scan", BOOKS, {}, "+"),
        ("dynamodb:UpdateItem", BOOKS, {}, "-"),
        ("dynamodb:DeleteItem", BOOKS, {}, "R"),
        ("dynamodb:Query", BOOKS, {}, "+"),
        ("dynamodb:Query", BOOKS + "/index/i", {}, "R"),
        ("dynamodb:GetItem", SCORES, {}, "-"),
    ]),
    ("a resource's policy and a boundary", {"identity": [], "boundary": policy(allow("dynamodb:Query")), "resource": [policy(
        to(ALICE, allow("dynamodb:GetItem", BOOKS)), to("*", allow(["dynamodb:Scan", "dynamodb:Query"], BOOKS)))]}, {}, [
        ("dynamodb:GetItem", BOOKS, {}, "+"),
        ("dynamodb:Scan", BOOKS, {}, "b"),
        ("dynamodb:Query", BOOKS, {}, "+"),
    ]),
    ("a resource's policy and a role's session", {"identity": [], "who": IN_ROLE,
                                                  "session": policy(allow("dynamodb:Query")), "resource": [policy(
        to(SESSION, allow("dynamodb:GetItem", BOOKS)), to(ROLE, allow(["dynamodb:Scan", "dynamodb:Query"], BOOKS)))]}, {}, [
        ("dynamodb:GetItem", BOOKS, {}, "+"),
        ("dynamodb:Scan", BOOKS, {}, "s"),
        ("dynamodb:Query", BOOKS, {}, "+"),
    ]),
    *[(f"for all but {names}", {"identity": [policy(allow("dynamodb:GetItem"))], "who": who, "resource": [policy(
        {"Effect": "Deny", "NotPrincipal": {"AWS": names}, "Action": "dynamodb:*", "Resource": BOOKS})]} | more, {}, [
        ("dynamodb:GetItem", BOOKS, {}, decision)]) for names, who, more, decision in [
            ([ALICE, ACCOUNT], WHO, {}, "+"), ([ALICE], WHO, {}, "R"), ([ACCOUNT], WHO, {}, "R"),
            ([f"arn:aws:iam::{ACCOUNT}:root", ALICE], WHO, {}, "+"), (["*"], WHO, {}, "+"),
            ([ALICE, ACCOUNT], WHO, {"boundary": policy(allow("*"))}, "R"),
            ([SESSION, ROLE, ACCOUNT], IN_ROLE, {}, "+"), ([SESSION, ACCOUNT], IN_ROLE, {}, "R"),
            ([ROLE, ACCOUNT], IN_ROLE, {}, "R"),
        ]],
    ("for all but somebody else", {"identity": [policy(allow("dynamodb:GetItem"))], "resource": [policy(
        {"Effect": "Deny", "NotPrincipal": {"AWS": [ROLE]}, "Action": "dynamodb:*", "Resource": BOOKS})]}, {}, [
        ("dynamodb:GetItem", BOOKS, {}, "R")]),
]

VALUELESS = [
    # A variable without a value: what is to be unlike it is not allowed, and is denied.
    ("unlike nothing is not allowed", {"identity": [policy(allow("*", "*", {
        "StringNotEquals": {"dynamodb:Select": "${aws:PrincipalTag/team}"}}))]}, {}, [
        ("dynamodb:Query", BOOKS, {"dynamodb:Select": ["COUNT"]}, "-"),
        ("dynamodb:Query", BOOKS, {"dynamodb:Select": ["COUNT"], "aws:PrincipalTag/team": ["red"]}, "+"),
        ("dynamodb:Query", BOOKS, {"dynamodb:Select": ["red"], "aws:PrincipalTag/team": ["red"]}, "-"),
        ("dynamodb:Query", BOOKS, {}, "+")]),
    *[(f"unlike nothing is denied, by {operator}", {"identity": [policy(allow("*"), deny("*", "*", {
        operator: {"dynamodb:Select": "${aws:PrincipalTag/team}"}}))]}, {}, [
        ("dynamodb:Query", BOOKS, {"dynamodb:Select": ["COUNT"]}, "D"),
        ("dynamodb:Query", BOOKS, {"dynamodb:Select": ["red"], "aws:PrincipalTag/team": ["red"]}, "+")])
      for operator in ("StringNotEquals", "StringNotLike", "ForAnyValue:StringNotEquals")],
    ("no ARN is unlike nothing", {"identity": [policy(allow("*", "*", {
        "ArnNotLike": {"aws:PrincipalArn": "arn:aws:iam::*:user/${aws:username}"}}))]}, {"aws:PrincipalArn": [ALICE]}, [
        ("dynamodb:Query", BOOKS, {}, "-"),
        ("dynamodb:Query", BOOKS, {"aws:username": ["bob"]}, "+")]),
]

# A statement that asks for keys of fine-grained access is never about a search, whatever it does with them.
SEARCHES = [
    (f"a search, with {operator} of {name}",
     {"identity": [policy(allow("dynamodb:*", "*", {operator: {f"dynamodb:{name}": value}}))]}, {}, [
        ("dynamodb:SearchVectors", BOOKS + "/index/i", {}, "-"),
        ("dynamodb:SearchVectors", BOOKS + "/index/i", {"dynamodb:" + name: ["x"]}, "-")])
    for operator, name, value in [
        ("ForAllValues:StringEquals", "LeadingKeys", "x"), ("ForAllValues:StringEquals", "Attributes", "x"),
        ("StringEqualsIfExists", "Select", "x"), ("Null", "Select", "true"), ("StringNotEquals", "LeadingKeys", "y")]
] + [
    ("a search, beside a denial of items", {"identity": [policy(allow("dynamodb:*"), deny("dynamodb:*", "*", {
        "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "x"}}))]}, {}, [
        ("dynamodb:SearchVectors", BOOKS + "/index/i", {}, "+"), ("dynamodb:Query", BOOKS, {}, "D")]),
]

# Of an index whose key has several parts, each part has a key of its own; the first has two names.
PARTS = [
    (f"one's own part, by {key}", {"identity": [policy(allow("dynamodb:Query", "*", {
        "ForAllValues:StringEquals": {f"dynamodb:{key}": ["mine"]}}))]}, {}, [
        ("dynamodb:Query", BOOKS, {f"dynamodb:{value}": ["mine"]}, "+"),
        ("dynamodb:Query", BOOKS, {f"dynamodb:{value}": ["theirs"]}, "-"),
        ("dynamodb:Query", BOOKS, {f"dynamodb:{other}": ["theirs"]}, "+")])
    for key, value, other in [
        ("FirstPartitionKeyValues", "LeadingKeys", "SecondPartitionKeyValues"),
        ("firstpartitionkeyvalues", "LeadingKeys", "FourthPartitionKeyValues"),
        ("LeadingKeys", "LeadingKeys", "SecondPartitionKeyValues"),
        ("SecondPartitionKeyValues", "SecondPartitionKeyValues", "LeadingKeys"),
        ("ThirdPartitionKeyValues", "ThirdPartitionKeyValues", "SecondPartitionKeyValues"),
        ("FourthPartitionKeyValues", "FourthPartitionKeyValues", "ThirdPartitionKeyValues")]
]
# What every request of a user has, and what none of this server has.
ALWAYS = [
    (f"denied where {key} is {value}", {"identity": [policy(allow("*"), deny("dynamodb:DeleteItem", "*", {
        operator: {key: value}}))]}, {}, [
        ("dynamodb:DeleteItem", BOOKS, {key: [given]}, "D"), ("dynamodb:DeleteItem", BOOKS, {}, "+")])
    for operator, key, value, given in [
        ("Bool", "aws:PrincipalIsAWSService", "false", "false"), ("StringLike", "aws:UserAgent", "*", "curl/8"),
        ("Bool", "aws:MultiFactorAuthPresent", "false", "false"), ("StringEquals", "aws:ResourceAccount", ACCOUNT, ACCOUNT),
        ("Bool", "aws:ViaAWSMCPService", "false", "false"), ("StringLike", "aws:referer", "*", "x")]
] + [
    (f"no request has {key}", {"identity": [policy(
        allow("dynamodb:GetItem", "*", {"StringEquals": {key: "x"}}), allow("dynamodb:Query", "*", {"StringNotEquals": {key: "x"}}),
        allow("dynamodb:Scan"), deny("dynamodb:Scan", "*", {"StringEquals": {key: "x"}}))]}, {}, [
        ("dynamodb:GetItem", BOOKS, {key: ["x"]}, "-"), ("dynamodb:Query", BOOKS, {key: ["x"]}, "+"),
        ("dynamodb:Scan", BOOKS, {key: ["x"]}, "+")])
    for key in ("aws:PrincipalOrgID", "aws:SourceVpce", "dynamodb:FisActionId", "s3:prefix", "sts:ExternalId")
]

GROUPS = FINE_GRAINED + LANGUAGE + VALUELESS + SEARCHES + PARTS + ALWAYS


def cases():
    """(title, request, decision) of each, the request as policy_property takes it."""
    for title, policies, context, requests in GROUPS:
        for action, on, more, decision in requests:
            request = {
                "identity": policies.get("identity", []), "resource": policies.get("resource", []),
                "boundary": policies.get("boundary"), "session": policies.get("session"),
                "action": action, "on": on, "context": context | more, **policies.get("who", WHO),
            }
            yield f"{title}: {action} on {on} with {more}", request, WORDS[decision]


MALFORMED_OF_RESOURCES = [
    *[{"Statement": {"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "*", "Resource": "*",
                     "Condition": {"ForAllValues:StringEquals": {key: "x"}}}} for key in ("LeadingKeys", "dynamodb:LeadingKey")],
    {"Statement": {"Effect": "Allow", "NotPrincipal": {"AWS": ACCOUNT}, "Action": "*", "Resource": "*"}},
]
MALFORMED = [
    "", "[]", "{}", "3", '{"Statement": []}', '{"Statement": {}, "Statement": {}}', '{"Version": "2013-01-01", "Statement": []}',
    {"Statement": {"Effect": "Allow", "Action": "*"}},
    {"Statement": {"Effect": "allow", "Action": "*", "Resource": "*"}},
    {"Statement": {"Effect": "Allow", "Action": "*", "NotAction": "*", "Resource": "*"}},
    {"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*", "NotResource": "*"}},
    {"Statement": {"Effect": "Allow", "Action": "GetItem", "Resource": "*"}},
    {"Statement": {"Effect": "Allow", "Action": "dyn*:GetItem", "Resource": "*"}},
    {"Statement": {"Effect": "Allow", "Action": [], "Resource": "*"}},
    {"Statement": {"Effect": "Allow", "Action": "*", "Resource": "table/Books"}},
    {"Statement": {"Effect": "Allow", "Action": "*", "Resource": "arn:aws:dynamodb"}},
    {"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*", "Principal": "*"}},
    {"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*", "Sid": "a b"}},
    {"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*", "Color": "red"}},
    {"Statement": [{"Sid": "a", "Effect": "Allow", "Action": "*", "Resource": "*"}] * 2},
    {"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": []}},
    {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "arn:aws:dynamodb:a:b:${aws:x"}},
    {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "arn:aws:dynamodb:a:b:${x}"}},
    {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "arn:aws:dynamodb:a:b:${aws:usernam}"}},
    *[{"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": condition}} for condition in [
        {"StringIs": {"aws:username": "x"}}, {"NullIfExists": {"aws:username": "true"}}, {"Null": {"aws:username": "x"}},
        {"ForSomeValues:StringEquals": {"aws:username": "x"}}, {"StringEquals": {"username": "x"}},
        {"StringEquals": {"aws:username": {}}}, {"StringEquals": {"aws:username": []}}, {"StringEquals": "x"},
        {"NumericEquals": {"aws:EpochTime": "x"}}, {"DateEquals": {"aws:CurrentTime": "2026-13-01"}},
        {"DateEquals": {"aws:CurrentTime": "2026-01-01T25:00Z"}}, {"Bool": {"aws:SecureTransport": "yes"}},
        {"IpAddress": {"aws:SourceIp": "10.0.0.0/33"}}, {"IpAddress": {"aws:SourceIp": "10.0.0"}},
        {"BinaryEquals": {"aws:username": "%"}}, {"NumericEquals": {"aws:EpochTime": "inf"}},
        {"ArnLike": {"aws:PrincipalArn": "arn:aws:*:user/alice"}}, {"ArnNotEquals": {"aws:PrincipalArn": "alice"}},
        *[{"ForAllValues:StringEquals": {key: "x"}} for key in (
            "dynamodb:LeadingKey", "dynamodb:FifthPartitionKeyValues", "aws:SourceIP4", "aws:PrincipalTag", "iam:Policy",
            "sts:RoleSession", "DynamoDB:leadingkeyz")],
    ]],
]
