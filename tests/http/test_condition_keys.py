"""Which condition keys policies may ask for, what requests have for them, and what is refused or warned of."""

import json
import subprocess

import boto3
import pytest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from server import binary, running_server
from signed import ACCOUNT, allow, arn, client_of, deny, document, files, logged, ok, refused, table, told

READS = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:BatchGetItem", "dynamodb:TransactGetItems"]
DELETE = "dynamodb:DeleteItem"
PAGE = "http://example.com"


def own(key, values=("${aws:username}",)):
    return [allow(READS, "*", {"ForAllValues:StringEquals": {f"dynamodb:{key}": list(values)}})]


def unless(condition):
    return [allow("dynamodb:*"), deny(DELETE, "*", condition)]


USERS = {
    "first": own("FirstPartitionKeyValues"),
    "leading": own("LeadingKeys"),
    "anyfirst": [allow("dynamodb:Query", "*", {"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": "mine"}})],
    "plain": [allow("dynamodb:Query", "*", {"StringEquals": {"dynamodb:FirstPartitionKeyValues": "mine"}})],
    "second": own("SecondPartitionKeyValues", ["7"]),
    "third": own("ThirdPartitionKeyValues", ["eu"]),
    "fourth": own("FourthPartitionKeyValues", ["YQ=="]),
    "notbob": [allow("dynamodb:*"), deny("*", "*", {"ForAnyValue:StringEquals": {"dynamodb:FirstPartitionKeyValues": "bob"}})],
    "service": unless({"Bool": {"aws:PrincipalIsAWSService": "false"}}),
    "via": unless({"Bool": {"aws:ViaAWSMCPService": "false"}}),
    "agent": unless({"StringLike": {"aws:UserAgent": "*"}}),
    "curl": unless({"StringNotLike": {"aws:UserAgent": "curl/*"}}),
    "linked": unless({"StringLike": {"aws:Referer": "http://*"}}),
    "owner": unless({"StringEquals": {"aws:ResourceAccount": ACCOUNT}}),
    "mfa": unless({"Bool": {"aws:MultiFactorAuthPresent": "false"}}) + [allow("sts:GetSessionToken")],
    "network": unless({"StringNotEquals": {"aws:SourceVpce": "vpce-1"}}),
    "never": unless({"StringEquals": {"aws:SourceVpce": "vpce-1"}}),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    more = files(tmp_path_factory.mktemp("keys"), USERS)
    with running_server(in_memory=True, extra_args=[*more, "--allow-origin", PAGE]) as one:
        one.options = more
        parts = [("a", "S"), ("b", "N"), ("c", "S"), ("d", "B")]
        made = table("books", GlobalSecondaryIndexes=[
            {"IndexName": "four", "KeySchema": [{"AttributeName": name, "KeyType": "HASH"} for name, _ in parts],
             "Projection": {"ProjectionType": "ALL"}}])
        made["AttributeDefinitions"] += [{"AttributeName": name, "AttributeType": kind} for name, kind in parts]
        ok(one, "root", "CreateTable", made)
        ok(one, "root", "PutItem", {"TableName": "books", "Item": {"k": {"S": "bob"}, **parts_of()}})
        yield one


def parts_of(a="mine", b="7", c="eu", d="YQ=="):
    return {"a": {"S": a}, "b": {"N": b}, "c": {"S": c}, "d": {"B": d}}


def query(**parts):
    return {"TableName": "books", "IndexName": "four", "KeyConditionExpression": "a = :a AND b = :b AND c = :c AND d = :d",
            "ExpressionAttributeValues": {":" + name: value for name, value in parts_of(**parts).items()}}


def of(name):
    return {"TableName": "books", "Key": {"k": {"S": name}}}


@pytest.mark.parametrize("user", ["first", "leading"])
def test_the_first_part_of_a_key_has_two_names(server, user):
    ok(server, user, "GetItem", of(user))
    ok(server, user, "PutItem", {"TableName": "books", "Item": {"k": {"S": user}}})
    refused(server, user, "GetItem", of("bob"))
    refused(server, user, "PutItem", {"TableName": "books", "Item": {"k": {"S": "bob2"}}})
    batch = {"RequestItems": {"books": {"Keys": [of(user)["Key"], of("bob")["Key"]]}}}
    refused(server, user, "BatchGetItem", batch)
    refused(server, user, "Query", query(a="theirs", c=user))
    ok(server, user, "Query", query(a=user))


@pytest.mark.parametrize("user", ["anyfirst", "plain"])
def test_leading_keys_hold_the_first_part_alone(server, user):
    assert ok(server, user, "Query", query())["Count"] == 1
    refused(server, user, "Query", query(a="theirs", c="mine"))


@pytest.mark.parametrize("user, part, other", [("second", "b", "8"), ("third", "c", "us"), ("fourth", "d", "Yg==")])
def test_each_further_part_has_a_key(server, user, part, other):
    assert ok(server, user, "Query", query())["Count"] == 1
    refused(server, user, "Query", query(**{part: other}))
    ok(server, user, "Query", query(a="theirs"))
    ok(server, user, "GetItem", of("bob"))  # no second part: ForAllValues lets it pass, as AWS does


def test_a_denial_by_the_first_part(server):
    refused(server, "notbob", "GetItem", of("bob"))
    ok(server, "notbob", "GetItem", of("ann"))


@pytest.mark.parametrize("user", ["service", "via", "agent", "owner", "network"])
def test_what_every_request_has(server, user):
    assert "explicit deny" in refused(server, user, "DeleteItem", of("ann"), {"User-Agent": "x"})
    ok(server, user, "GetItem", of("ann"))


def test_headers(server):
    refused(server, "curl", "DeleteItem", of("ann"), {"User-Agent": "aws-sdk/1"})
    ok(server, "curl", "DeleteItem", of("ann"), {"User-Agent": "curl/8"})
    ok(server, "linked", "DeleteItem", of("ann"))
    refused(server, "linked", "DeleteItem", of("ann"), {"Origin": PAGE, "Referer": PAGE + "/a"})


def test_a_session_says_that_there_was_no_second_factor(server):
    given = client_of(server, "mfa", "sts").get_session_token()["Credentials"]
    session = Credentials(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"])
    assert "explicit deny" in refused(server, session, "DeleteItem", of("ann"))
    ok(server, "mfa", "DeleteItem", of("ann"))  # AWS's requests of long-lived keys do not have it either


def test_what_no_request_has(server):
    ok(server, "never", "DeleteItem", of("ann"))
    wanted = "the user never, own: Statement 2 denies nothing: it asks for aws:SourceVpce, which no request to this server has."
    assert logged(server, wanted)
    assert "the user network" not in server.log()


UNKNOWN = ["dynamodb:LeadingKey", "dynamodb:FifthPartitionKeyValues", "aws:UserName2", "aws:PrincipalTag", "iam:PolicyName"]


@pytest.mark.parametrize("key", UNKNOWN)
def test_a_file_with_an_unknown_key_ends_the_start(tmp_path, key):
    more = files(tmp_path, {"ann": [allow("*", "*", {"ForAllValues:StringEquals": {key: "x"}})]})
    with pytest.raises(RuntimeError, match="did not start") as raised:
        with running_server(in_memory=True, extra_args=more):
            pass
    assert f"the user ann, own: The condition key {key} is not known" in str(raised.value)


@pytest.fixture(scope="module")
def changing(tmp_path_factory):
    """A server whose users are in its store."""
    folder = tmp_path_factory.mktemp("changing")
    files(folder, {})
    with running_server(data_dir=folder / "data", extra_args=["--credentials", str(folder / "credentials")]) as one:
        one.folder = folder / "data"
        ok(one, "root", "CreateTable", table("books"))
        client_of(one, "root", "iam").create_user(UserName="ann")
        yield one


@pytest.mark.parametrize("key", UNKNOWN)
def test_no_call_takes_an_unknown_key(changing, key):
    iam, sts = client_of(changing, "root", "iam"), client_of(changing, "root", "sts")
    bad = json.dumps(document(allow("*", "*", {"StringEqualsIfExists": {key: "x"}})))
    trust = {"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "sts:AssumeRole"}
    bad_trust = json.dumps(document(trust | {"Condition": {"StringNotEquals": {key: "x"}}}))

    def malformed(made, **parameters):
        with pytest.raises(ClientError, match="MalformedPolicyDocument") as raised:
            made(**parameters)
        assert f"The condition key {key} is not known" in str(raised.value)

    malformed(iam.put_user_policy, UserName="ann", PolicyName="p", PolicyDocument=bad)
    malformed(iam.create_policy, PolicyName="p", PolicyDocument=bad)
    malformed(iam.create_role, RoleName="r", AssumeRolePolicyDocument=bad_trust)
    iam.create_role(RoleName="r", AssumeRolePolicyDocument=json.dumps(document(trust)))
    malformed(iam.update_assume_role_policy, RoleName="r", PolicyDocument=bad_trust)
    malformed(sts.assume_role, RoleArn=f"arn:aws:iam::{ACCOUNT}:role/r", RoleSessionName="ses", Policy=bad)
    iam.delete_role(RoleName="r")
    statement = allow("dynamodb:GetItem", arn("books"), {"Null": {key: "true"}}) | {"Principal": {"AWS": ACCOUNT}}
    wanted = f"One or more parameter values were invalid: Invalid policy document: The condition key {key} is not known"
    policy = json.dumps(document(statement))
    assert told(changing, "root", "PutResourcePolicy", {"ResourceArn": arn("books"), "Policy": policy}) == ("ValidationException", wanted)
    assert told(changing, "root", "CreateTable", table("more", ResourcePolicy=policy)) == ("ValidationException", wanted)
    assert told(changing, "root", "GetResourcePolicy", {"ResourceArn": arn("books")})[0] == "PolicyNotFoundException"


def test_sessions_are_told_apart_by_their_names(changing):
    iam = client_of(changing, "root", "iam")
    key = iam.create_access_key(UserName="ann")["AccessKey"]
    ann = {"aws_access_key_id": key["AccessKeyId"], "aws_secret_access_key": key["SecretAccessKey"]}
    trust = {"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "sts:AssumeRole",
             "Condition": {"StringLike": {"sts:RoleSessionName": "${aws:username}-*"}}}
    iam.create_role(RoleName="named", AssumeRolePolicyDocument=json.dumps(document(trust)))
    iam.put_user_policy(UserName="ann", PolicyName="p", PolicyDocument=json.dumps(document(allow("sts:AssumeRole"))))
    sts = boto3.client("sts", endpoint_url=changing.url, region_name="us-east-1", **ann)
    role = f"arn:aws:iam::{ACCOUNT}:role/named"
    sts.assume_role(RoleArn=role, RoleSessionName="ann-1")
    with pytest.raises(ClientError, match="AccessDenied"):
        sts.assume_role(RoleArn=role, RoleSessionName="bob-1")


def test_what_does_nothing_is_warned_of(changing):
    iam = client_of(changing, "root", "iam")
    useless = [allow("*"), deny("dynamodb:*", "*", {"Bool": {"aws:MultiFactorAuthPresent": "false"}}),
               allow("s3:*", "*", {"ForAllValues:StringEquals": {"aws:PrincipalOrgPaths": "o-1/*"}})]
    iam.put_user_policy(UserName="ann", PolicyName="p", PolicyDocument=json.dumps(document(*useless)))
    wanted = "A policy given to PutUserPolicy: Statement 3 is not restricted by aws:PrincipalOrgPaths, which no request to this server has."
    assert logged(changing, wanted)
    statement = deny("dynamodb:GetItem", arn("books"), {"StringEquals": {"dynamodb:FisActionId": "x"}}) | {"Principal": "*"}
    ok(changing, "root", "PutResourcePolicy", {"ResourceArn": arn("books"), "Policy": json.dumps(document(statement))})
    wanted = f"The policy of {arn('books')}: Statement 1 denies nothing: it asks for dynamodb:FisActionId"
    assert logged(changing, wanted)
    ok(changing, "root", "DeleteResourcePolicy", {"ResourceArn": arn("books")})


def simulate(*words):
    ran = subprocess.run([binary(), "policy", "simulate", *map(str, words)], capture_output=True, text=True, check=False, timeout=30)
    return ran.returncode, ran.stdout.strip(), ran.stderr.strip()


def test_a_server_is_asked_what_its_policies_decide(changing):
    iam = client_of(changing, "root", "iam")
    iam.create_user(UserName="eve", Tags=[{"Key": "team", "Value": "red"}])
    iam.put_user_policy(UserName="eve", PolicyName="p", PolicyDocument=json.dumps(document(
        allow("dynamodb:GetItem", "*", {"StringEquals": {"aws:ResourceTag/team": "${aws:PrincipalTag/team}"}}))))

    def eve(action, *more, resource=arn("books")):
        return simulate("--data", changing.folder, "--user", "eve", "--action", "dynamodb:" + action, "--resource", resource, *more)

    no = f"User: arn:aws:iam::{ACCOUNT}:user/eve is not authorized to perform: dynamodb:GetItem on resource: {arn('books')} "
    assert eve("GetItem") == (1, no + "because no identity-based policy allows the dynamodb:GetItem action", "")
    ok(changing, "root", "TagResource", {"ResourceArn": arn("books"), "Tags": [{"Key": "team", "Value": "red"}]})
    assert eve("GetItem") == (0, "allowed", "")
    assert eve("GetItem", "--context", "aws:ResourceTag/team=blue")[0] == 1
    statement = deny("dynamodb:GetItem", arn("books")) | {"Principal": "*"}
    ok(changing, "root", "PutResourcePolicy", {"ResourceArn": arn("books"), "Policy": json.dumps(document(statement))})
    assert eve("GetItem") == (1, no + "with an explicit deny in a resource-based policy", "")
    other = changing.folder / "policy.json"
    other.write_text(json.dumps(document(allow("dynamodb:GetItem", arn("books")) | {"Principal": {"AWS": ACCOUNT}})))
    assert eve("GetItem", "--resource-policy", other)[0] == 0, "in the place of the one that is there"
    ok(changing, "root", "DeleteResourcePolicy", {"ResourceArn": arn("books")})
    assert eve("GetItem", resource=arn("absent"))[0] == 1
    iam.put_user_policy(UserName="eve", PolicyName="p", PolicyDocument=json.dumps(document(
        allow("dynamodb:*"), deny("dynamodb:*", "*", {"Bool": {"aws:ViaAWSService": "true"}}),
        deny("dynamodb:*", "*", {"StringEquals": {"aws:CalledViaLast": "x"}}))))
    warning = "Warning: Statement 3 denies nothing: it asks for aws:CalledViaLast, which no request to this server has."
    assert eve("Scan") == (0, "allowed", warning)
    assert simulate("--data", changing.folder, "--user", "nobody", "--action", "dynamodb:Scan", "--resource", "*")[0] == 2
    assert eve("Scan", "--context", "dynamodb:Leading=x")[::2] == (2, "partita: No request has the condition key dynamodb:Leading. Check its spelling.")


def test_a_file_and_a_server_are_not_asked_at_once(server):
    code, _, said = simulate("--identities", server.options[3], "--data", "x", "--user", "a", "--action", "s:A", "--resource", "*")
    assert code == 2 and "--identities evaluates a file, and --data asks a server" in said
