"""PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy; ResourcePolicy of CreateTable."""

import json
import time

import pytest
import tables
from client import INVALID, NOT_FOUND, NOT_NULL, VALIDATION, at_least, at_most, expect_error, expect_validation
from client import ok, one, region, several, unsatisfied
from tables import definitions, fresh_table, index, simple

op = pytest.mark.op
PUT, GET, DELETE = ALL = "PutResourcePolicy", "GetResourcePolicy", "DeleteResourcePolicy"
ACCOUNT = "123456789012"
ROOT = f"arn:aws:iam::{ACCOUNT}:root"
MISSING_POLICY = "PolicyNotFoundException"
NO_POLICY = "Resource-based policy not found for the provided ResourceArn: "
DOCUMENT = INVALID + "Invalid policy document: "


def statement(arn, **more):
    return {"Sid": "Read", "Effect": "Allow", "Principal": {"AWS": ROOT}, "Action": "dynamodb:GetItem", "Resource": arn, **more}


def policy(*statements, version="2012-10-17"):
    return json.dumps({**({"Version": version} if version else {}), "Statement": list(statements)})


def canonical(*statements, version="2012-10-17"):
    return json.dumps({"Version": version, "Statement": list(statements)}, separators=(",", ":"), ensure_ascii=False)


def sent(operation, arn):
    return {"ResourceArn": arn, **({"Policy": policy(statement(arn))} if operation == PUT else {})}


def put(arn, text, **more):
    return ok(PUT, ResourceArn=arn, Policy=text, **more)["RevisionId"]


def absent(arn):
    expect_error(GET, {"ResourceArn": arn}, MISSING_POLICY, NO_POLICY + arn)


@pytest.fixture
def arn(new_table):
    return new_table(simple(fresh_table("policy")))["TableArn"]


@op(*ALL)
def test_a_policy_comes_changes_and_goes(arn):
    absent(arn)
    assert ok(DELETE, ResourceArn=arn) == {}
    before = time.time() * 1000
    first = put(arn, policy(statement(arn)))
    assert before - 1 <= int(first) <= time.time() * 1000
    assert ok(GET, ResourceArn=arn) == {"Policy": canonical(statement(arn)), "RevisionId": first}
    second = put(arn, policy(statement(arn, Sid="Other")))
    assert int(second) > int(first)
    assert ok(GET, ResourceArn=arn)["RevisionId"] == second
    assert ok(DELETE, ResourceArn=arn) == {"RevisionId": second}
    absent(arn)
    tombstone = ok(DELETE, ResourceArn=arn)["RevisionId"]
    assert int(tombstone) > int(second)
    assert int(put(arn, policy(statement(arn)))) > int(tombstone)


@op(PUT, GET)
def test_the_same_document_is_no_change(arn):
    first = put(arn, json.dumps(json.loads(policy(statement(arn))), indent=2))
    scrambled = dict(reversed(statement(arn).items()))
    ways = {"Action": ["dynamodb:GetItem"]}, {"Resource": [arn]}, {"Principal": {"AWS": ACCOUNT}}, {"Effect": "allow"}
    for other in (scrambled, *[statement(arn, **way) for way in ways], statement(arn, Principal={"AWS": [ACCOUNT, ROOT]})):
        assert put(arn, policy(other)) == first
    assert put(arn, ok(GET, ResourceArn=arn)["Policy"]) == first
    assert put(arn, policy(statement(arn, Action="dynamodb:getitem"))) != first


@op(PUT, GET)
def test_a_policy_without_version(arn):
    bare = policy(statement(arn), version=None)
    first = put(arn, bare)
    shown = ok(GET, ResourceArn=arn)["Policy"]
    assert shown == canonical(statement(arn), version="2008-10-17")
    assert put(arn, bare) == first
    assert put(arn, shown) != first


SHOWN = [
    ({"Action": ["dynamodb:Query", "dynamodb:GetItem", "dynamodb:GetItem"]}, {}),
    ({"Action": "dynamodb:*"}, {}),
    ({"Resource": "*"}, {}),
    ({"Resource": f"arn:aws:dynamodb:{region()}:{ACCOUNT}:table/other/index/any"}, {}),
    ({"Principal": {"AWS": [ACCOUNT, "arn:aws:iam::111122223333:role/r"]}}, {"Principal": {"AWS": [ROOT, "arn:aws:iam::111122223333:role/r"]}}),
    ({"Principal": {"Service": ["s3.amazonaws.com"]}}, {"Principal": {"Service": "s3.amazonaws.com"}}),
    ({"Effect": "deny", "Principal": "*"}, {"Effect": "Deny"}),
    ({"Effect": "Deny", "Principal": "*", "Action": "dynamodb:DeleteResourcePolicy"}, {}),
    ({"Sid": "é\"\n"}, {}),
    ({"Condition": {"StringEquals": {"aws:userid": ["a", "b"], "aws:username": 1, "aws:UserAgent": True}}}, {}),
    ({"Condition": {"IpAddress": {"aws:SourceIp": ["1.2.3.4"]}, "Null": {"aws:userid": [False]}}},
     {"Condition": {"IpAddress": {"aws:SourceIp": "1.2.3.4"}, "Null": {"aws:userid": False}}}),
    ({"Principal": "*", "Condition": {"StringEquals": {"aws:PrincipalAccount": ACCOUNT}}}, {}),
]


@op(PUT, GET)
@pytest.mark.parametrize("change, shown", SHOWN, ids=range(len(SHOWN)))
def test_how_a_statement_is_shown(arn, change, shown):
    put(arn, json.dumps({"Statement": statement(arn, **change), "Version": "2012-10-17"}))
    assert ok(GET, ResourceArn=arn)["Policy"] == canonical(statement(arn, **change) | shown)


@op(PUT, GET)
def test_a_statement_without_sid_and_with_opposites(arn):
    one_ = {"Effect": "Deny", "NotPrincipal": {"AWS": ROOT}, "NotAction": "dynamodb:GetItem", "NotResource": arn}
    put(arn, policy(one_))
    assert ok(GET, ResourceArn=arn)["Policy"] == canonical(one_)


def without(member, arn):
    kept = statement(arn)
    del kept[member]
    return policy(kept)


def conditional(arn, operator, key, value):
    text = policy(statement(arn, Condition={operator: {key: value}}))
    return text.replace(f'"{operator}"', f'\n"{operator}"')


UNBOUNDED = "Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure least-privilege form of access"
BAD = {
    "nothing": (lambda arn: "", DOCUMENT + "This policy contains invalid Json"),
    "no json": (lambda arn: "{not json", DOCUMENT + "This policy contains invalid Json"),
    "list": (lambda arn: "[]", DOCUMENT + "This policy contains invalid Json"),
    "null": (lambda arn: "null", DOCUMENT + "This text appears not to be a policy"),
    "empty": (lambda arn: "{}", DOCUMENT + "Syntax error at position (1,3)"),
    "no statement": (lambda arn: policy(), DOCUMENT + "Could not parse the policy: Statement is empty!"),
    "no effect": (lambda arn: policy({}), DOCUMENT + "Missing required field Effect"),
    "no resource": (lambda arn: without("Resource", arn), DOCUMENT + "Missing required field Resource"),
    "no action": (lambda arn: without("Action", arn), DOCUMENT + "Missing required field Action"),
    "no principal": (lambda arn: without("Principal", arn), DOCUMENT + "Missing required field Principal"),
    "sid twice": (lambda arn: policy(statement(arn), statement(arn)), DOCUMENT + "The Statement Ids in the policy are not unique"),
    "bare account": (
        lambda arn: '{"Version":"2012-10-17","Statement":[{"Sid":"V22","Effect":"Allow","Principal":"123456789012",'
        f'"Action":"dynamodb:GetItem","Resource":"{arn}"}}]}}',
        DOCUMENT + "Syntax error at position (1,94)",
    ),
    "unknown member": (lambda arn: '{"Statement":[],\n "Other":1}', DOCUMENT + "Syntax error at position (2,9)"),
    "unknown operator": (lambda arn: conditional(arn, "StringIs", "aws:userid", "x"), DOCUMENT + "Syntax error at position (2,11)"),
    "unknown key": (
        lambda arn: conditional(arn, "ForAllValues:StringEquals", "dynamodb:LeadingKey", "x"),
        DOCUMENT + "The condition key dynamodb:LeadingKey is not known",
    ),
    "no key": (lambda arn: conditional(arn, "StringEquals", "LeadingKeys", "x"), DOCUMENT + "Syntax error at position (2,31)"),
    "no operator": (lambda arn: conditional(arn, "NullIfExists", "aws:userid", "true"), DOCUMENT + "Syntax error at position (2,15)"),
    "everyone": (lambda arn: policy(statement(arn, Principal="*")), UNBOUNDED),
    "everyone of AWS": (lambda arn: policy(statement(arn, Principal={"AWS": "*"})), UNBOUNDED),
    "no principal of AWS": (lambda arn: policy(statement(arn, Principal={"AWS": [ROOT, "me"]})), INVALID + "Invalid principal in policy document."),
    "stream's actions": (
        lambda arn: policy(statement(arn, Action=["dynamodb:DescribeStream", "dynamodb:GetItem", "dynamodb:GetRecords"])),
        DOCUMENT + 'The following action names are invalid: "dynamodb:GetRecords", "dynamodb:DescribeStream"',
    ),
    "stream": (
        lambda arn: policy(statement(arn + "/stream/2026-01-01T00:00:00.000")),
        lambda arn: DOCUMENT + f'The relative-id "{arn.split(":")[-1]}/stream/2026-01-01T00:00:00.000" is invalid for ARN "{arn}/stream/2026-01-01T00:00:00.000"',
    ),
    "long": (lambda arn: policy(statement(arn)) + " " * 20480, INVALID + "Maximum policy size of 20480 bytes exceeded"),
    "long and no json": (lambda arn: "x" * 20481, INVALID + "Maximum policy size of 20480 bytes exceeded"),
}  # fmt: skip


@op(PUT, GET)
@pytest.mark.parametrize("case", BAD)
def test_bad_documents_change_nothing(arn, case):
    first = put(arn, policy(statement(arn, Sid="kept")))
    make, text = BAD[case]
    expect_validation(PUT, {"ResourceArn": arn, "Policy": make(arn)}, text(arn) if callable(text) else text)
    assert ok(GET, ResourceArn=arn)["RevisionId"] == first


@op(PUT)
def test_the_longest_document(arn):
    text = policy(statement(arn))
    put(arn, text + " " * (20480 - len(text)))


@op("CreateTable", GET)
def test_a_table_is_created_with_a_policy(new_table):
    name = fresh_table()
    arn = f"arn:aws:dynamodb:{region()}:{ACCOUNT}:table/{name}"
    made = new_table(simple(name, ResourcePolicy=policy(statement(arn))))
    assert "ResourcePolicy" not in made
    found = ok(GET, ResourceArn=arn)
    assert found == {"Policy": canonical(statement(arn)), "RevisionId": str(round(made["CreationDateTime"] * 1000))}
    tables.drop(name)
    new_table(simple(name))
    absent(arn)


@op("CreateTable", "DescribeTable")
@pytest.mark.parametrize("text, fault", [("", "This policy contains invalid Json"), ("{}", "Syntax error at position (1,3)")])
def test_no_table_is_created_with_a_bad_policy(text, fault):
    name = fresh_table()
    expect_validation("CreateTable", simple(name, ResourcePolicy=text), DOCUMENT + fault)
    expect_error("DescribeTable", {"TableName": name}, NOT_FOUND)


@op(*ALL)
@pytest.mark.parametrize("operation", ALL)
def test_no_policy_outlives_its_table(operation, new_table):
    name = fresh_table()
    arn = new_table(simple(name))["TableArn"]
    put(arn, policy(statement(arn)))
    tables.drop(name)
    expect_error(operation, sent(operation, arn), NOT_FOUND, f"Requested resource not found: Table: {name} not found")


@op(PUT, DELETE)
@pytest.mark.parametrize("operation", [PUT, DELETE])
def test_expected_revisions(operation, arn):
    name = arn.split("/")[-1]
    asked = NO_POLICY + "Requested update for policy with revision id "
    missing = asked + f"123456789, but table {name} has no associated policy."
    expect_error(operation, {**sent(operation, arn), "ExpectedRevisionId": "123456789"}, MISSING_POLICY, missing)
    first = put(arn, policy(statement(arn, Sid="first")), ExpectedRevisionId="NO_POLICY")
    second = put(arn, policy(statement(arn, Sid="second")), ExpectedRevisionId=first)
    none = f"{NO_POLICY}Requested policy update expecting none to be present for table {name}, but a policy exists with revision id {second}."
    for wrong in (first, "NO_POLICY", "000"):
        other = asked + f"{wrong}, but the policy associated to target table {name} has revision id {second}."
        other = none if wrong == "NO_POLICY" else other
        expect_error(operation, {**sent(operation, arn), "ExpectedRevisionId": wrong}, MISSING_POLICY, other)
    assert ok(GET, ResourceArn=arn)["RevisionId"] == second
    assert ok(operation, **sent(operation, arn), ExpectedRevisionId=second)["RevisionId"]


@op(PUT, GET)
def test_nobody_locks_himself_out_by_mistake(arn):
    for action in ("dynamodb:PutResourcePolicy", ["dynamodb:GetItem", "dynamodb:put*"], "*"):
        for principal in ("*", {"AWS": ACCOUNT}):
            text = policy(statement(arn, Effect="Deny", Principal=principal, Action=action))
            for more in ({}, {"ConfirmRemoveSelfResourceAccess": False}):
                expect_error(PUT, {"ResourceArn": arn, "Policy": text, **more}, "AccessDeniedException", "The new resource policy will not allow you to update the resource policy in the future.")
            absent(arn)
    put(arn, text, ConfirmRemoveSelfResourceAccess=True)
    put(arn, policy(statement(arn, Effect="Deny", Action="dynamodb:PutResourcePolicy", Principal={"AWS": "111122223333"})))


@op(*ALL)
@pytest.mark.parametrize("operation", ALL)
def test_arns(operation, new_table):
    request = simple(fresh_table("policy"), GlobalSecondaryIndexes=[index("glo", "g")])
    request["AttributeDefinitions"] = definitions(pk="S", g="S")
    arn = new_table(request)["TableArn"]
    name = request["TableName"]

    def refused(arn, text, exception=VALIDATION):
        expect_error(operation, sent(operation, arn), exception, text)

    refused(name, INVALID + f"ARNs must start with 'arn:': {name}")
    refused(arn + "/backup/0170", INVALID + f"Provided Arn is not a DynamoDB resource arn: {arn}/backup/0170")
    refused(arn + "/index/glo", INVALID + f"Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}/index/glo")
    refused(arn.replace(f":{ACCOUNT}:", ":111122223333:"), "This action is only supported by accounts that match the resource owner’s account.")
    for elsewhere in (arn.replace(region(), "eu-north-1"), arn.replace("arn:aws:", "arn:aws-cn:")):
        refused(elsewhere, INVALID + f"Invalid resource Arn: {elsewhere}")
    refused(arn + "x", f"Requested resource not found: Table: {name}x not found", NOT_FOUND)
    stream = arn + "/stream/2000-01-01T00:00:00.000"
    if operation != PUT:
        refused(stream, f"Requested resource not found: Stream: 2000-01-01T00:00:00.000 not found for Table: {name}", NOT_FOUND)
    else:
        for action in ("dynamodb:GetRecords", "dynamodb:GetItem"):  # which is none of a stream, but the resource is told first
            expect_validation(PUT, {"ResourceArn": stream, "Policy": policy(statement(arn, Action=action))}, DOCUMENT + f'The relative-id "table/{name}" is invalid for ARN "{arn}"')
        one_ = statement(stream, Action="dynamodb:GetRecords")
        expect_error(PUT, {"ResourceArn": stream, "Policy": policy(one_)}, NOT_FOUND, f"Requested resource not found: Stream: 2000-01-01T00:00:00.000 not found for Table: {name}")


@op(*ALL)
@pytest.mark.parametrize("operation", ALL)
def test_constraints_come_first(operation):
    absent_ = [unsatisfied(None, member, NOT_NULL) for member in (["resourceArn", "policy"] if operation == PUT else ["resourceArn"])]
    expect_validation(operation, {}, several(*absent_) if len(absent_) > 1 else one(absent_[0]))
    nothing = {**sent(operation, ""), **({"Policy": ""} if operation == PUT else {})}
    expect_validation(operation, nothing, one(unsatisfied("", "resourceArn", at_least(1))))
    if operation == GET:
        return
    bad = {**sent(operation, "not-an-arn"), "ExpectedRevisionId": ""}
    expect_validation(operation, bad, one(unsatisfied("", "expectedRevisionId", at_least(1))))
    long = "1" * 256
    expect_validation(operation, {**bad, "ExpectedRevisionId": long}, one(unsatisfied(long, "expectedRevisionId", at_most(255))))


@op(*ALL, "CreateTable")
def test_a_stream_has_a_policy_of_its_own(new_table):
    request = simple(fresh_table("policy"), StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    made = new_table(request)
    arn, stream = made["TableArn"], made["LatestStreamArn"]
    absent(stream)
    own = statement(stream, Action=["dynamodb:DescribeStream", "dynamodb:GetRecords"])
    first = put(stream, policy(own))
    assert ok(GET, ResourceArn=stream) == {"Policy": canonical(own), "RevisionId": first}
    absent(arn)
    put(arn, policy(statement(arn)))
    assert ok(DELETE, ResourceArn=stream) == {"RevisionId": first}
    absent(stream)
    assert ok(GET, ResourceArn=arn)
    table_action = policy(statement(stream, Action=["dynamodb:DescribeStream", "dynamodb:PutItem"]))
    refusal = DOCUMENT + 'The following action names are invalid: "dynamodb:PutItem"'
    expect_validation(PUT, {"ResourceArn": stream, "Policy": table_action}, refusal)


@op(GET)
def test_a_stream_whose_table_is_gone_keeps_its_policy(new_table):
    name = fresh_table("policy")
    request = simple(name, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    stream = new_table(request)["LatestStreamArn"]
    first = put(stream, policy(statement(stream, Action="dynamodb:GetRecords")))
    tables.drop(name)
    assert ok(GET, ResourceArn=stream)["RevisionId"] == first
    other = fresh_table("policy")
    stream = new_table(simple(other, StreamSpecification=request["StreamSpecification"]))["LatestStreamArn"]
    tables.drop(other)
    absent(stream)
    never = stream.rpartition("/")[0] + "/2000-01-01T00:00:00.000"
    expect_error(GET, {"ResourceArn": never}, NOT_FOUND, f"Requested resource not found: Table: {other} not found")
