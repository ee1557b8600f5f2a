"""Users, groups, roles and policies in the store, changed by IAM's and STS's own clients while it serves."""

import configparser
import json
import re
import stat
import subprocess
import time
import urllib.error
import urllib.request

import boto3
import botocore.auth
import pytest
from botocore.auth import SigV4Auth
from botocore.config import Config
from botocore.exceptions import ClientError
from moved_clock import moved_clock
from postgres import running_postgres
from server import binary, is_sanitized, running_server

ACCOUNT = "123456789012"
ROOT = ("AKIAROOT", "the secret of the root")
FILE = f"[root]\naws_access_key_id = {ROOT[0]}\naws_secret_access_key = {ROOT[1]}\n"
TABLE = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/games"
LATE_S = 10  # a server hears of a change within about a second


def client_of(server, service="dynamodb", key=ROOT[0], secret=ROOT[1], token=None):
    return boto3.client(service, endpoint_url=server.url, region_name="us-east-1", aws_access_key_id=key,
                        aws_secret_access_key=secret, aws_session_token=token, config=Config(retries={"max_attempts": 0}))


def given(credentials):
    return {"key": credentials["AccessKeyId"], "secret": credentials["SecretAccessKey"],
            "token": credentials.get("SessionToken")}


def allow(action, resource="*"):
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": resource}]})


def trusting(principal):
    return json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"AWS": principal}, "Action": "sts:AssumeRole"}]})


def refused(code, call, **parameters):
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    assert caught.value.response["Error"]["Code"] == code, caught.value
    return caught.value.response["Error"]["Message"]


def soon(check):
    deadline = time.monotonic() + LATE_S
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture(scope="module")
def credentials(tmp_path_factory):
    path = tmp_path_factory.mktemp("iam") / "credentials"
    path.write_text(FILE)
    return path


@pytest.fixture(scope="module")
def server(credentials, tmp_path_factory):
    audit = tmp_path_factory.mktemp("audit") / "audit.json"
    with running_server(in_memory=True, extra_args=["--credentials", str(credentials), "--audit-log", str(audit)]) as started:
        client_of(started).create_table(
            TableName="games", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}])
        started.audit = audit
        yield started


@pytest.fixture
def iam(server):
    return client_of(server, "iam")


@pytest.fixture
def user(iam, request):
    """A user with a key who may read the table; its name is that of the test."""
    name = re.sub(r"\W", "-", request.node.name)[:60]
    iam.create_user(UserName=name)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    iam.put_user_policy(UserName=name, PolicyName="own", PolicyDocument=allow(["dynamodb:GetItem", "sts:AssumeRole"]))
    return name, given(key)


def get(client):
    return client.get_item(TableName="games", Key={"id": {"S": "x"}})


def test_a_user_from_nothing_to_least_privilege(server, iam):
    made = iam.create_user(UserName="first", Path="/team/", Tags=[{"Key": "team", "Value": "red"}])["User"]
    assert made["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/team/first"
    key = iam.create_access_key(UserName="first")["AccessKey"]
    mine = client_of(server, **given(key))
    assert "is not authorized to perform: dynamodb:GetItem" in refused("AccessDeniedException", lambda: get(mine))
    policy = iam.create_policy(PolicyName="gets", PolicyDocument=allow("dynamodb:GetItem", TABLE))["Policy"]["Arn"]
    iam.attach_user_policy(UserName="first", PolicyArn=policy)
    get(mine)
    assert refused("AccessDeniedException", mine.scan, TableName="games")
    assert client_of(server, "sts", **given(key)).get_caller_identity()["Arn"] == made["Arn"]
    refused("AccessDenied", client_of(server, "iam", **given(key)).create_user, UserName="second")
    version = iam.create_policy_version(PolicyArn=policy, PolicyDocument=allow("dynamodb:Scan"), SetAsDefault=True)
    assert version["PolicyVersion"]["VersionId"] == "v2"
    mine.scan(TableName="games")
    refused("AccessDeniedException", lambda: get(mine))
    assert iam.get_policy_version(PolicyArn=policy, VersionId="v1")["PolicyVersion"]["Document"] == json.loads(
        allow("dynamodb:GetItem", TABLE))


def test_groups_and_boundaries_count(server, iam, user):
    name, key = user
    mine = client_of(server, **key)
    refused("AccessDeniedException", mine.scan, TableName="games")
    iam.create_group(GroupName="scanners")
    iam.put_group_policy(GroupName="scanners", PolicyName="own", PolicyDocument=allow("dynamodb:Scan"))
    iam.add_user_to_group(GroupName="scanners", UserName=name)
    mine.scan(TableName="games")
    boundary = iam.create_policy(PolicyName="bound", PolicyDocument=allow("dynamodb:GetItem"))["Policy"]["Arn"]
    iam.put_user_permissions_boundary(UserName=name, PermissionsBoundary=boundary)
    assert "permissions boundary" in refused("AccessDeniedException", mine.scan, TableName="games")
    get(mine)
    iam.delete_user_permissions_boundary(UserName=name)
    assert [one["GroupName"] for one in iam.list_groups_for_user(UserName=name)["Groups"]] == ["scanners"]
    assert [one["UserName"] for one in iam.get_group(GroupName="scanners")["Users"]] == [name]


def test_a_key_ends_when_it_is_taken_away(server, iam, user):
    name, key = user
    mine = client_of(server, **key)
    get(mine)
    iam.update_access_key(UserName=name, AccessKeyId=key["key"], Status="Inactive")
    refused("UnrecognizedClientException", lambda: get(mine))
    refused("InvalidClientTokenId", client_of(server, "sts", **key).get_caller_identity)
    iam.update_access_key(UserName=name, AccessKeyId=key["key"], Status="Active")
    get(mine)
    iam.delete_access_key(UserName=name, AccessKeyId=key["key"])
    refused("UnrecognizedClientException", lambda: get(mine))


def test_a_role_is_taken(server, iam, user):
    name, key = user
    iam.create_role(RoleName="reader", AssumeRolePolicyDocument=trusting(f"arn:aws:iam::{ACCOUNT}:user/{name}"),
                    Tags=[{"Key": "team", "Value": "red"}])
    iam.put_role_policy(RoleName="reader", PolicyName="own", PolicyDocument=allow(["dynamodb:Scan", "dynamodb:Query"]))
    arn = f"arn:aws:iam::{ACCOUNT}:role/reader"
    sts = client_of(server, "sts", **key)
    taken = sts.assume_role(RoleArn=arn, RoleSessionName="job", DurationSeconds=900)
    assert taken["AssumedRoleUser"]["Arn"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/job"
    session = given(taken["Credentials"])
    mine = client_of(server, **session)
    mine.scan(TableName="games")
    message = refused("AccessDeniedException", lambda: get(mine))
    assert "assumed-role/reader/job is not authorized" in message
    whose = client_of(server, "sts", **session).get_caller_identity()
    assert whose["Arn"] == taken["AssumedRoleUser"]["Arn"] and whose["UserId"].endswith(":job")
    narrow = sts.assume_role(RoleArn=arn, RoleSessionName="job", Policy=allow("dynamodb:Query"))["Credentials"]
    assert "no session policy allows" in refused(
        "AccessDeniedException", client_of(server, **given(narrow)).scan, TableName="games")
    # Only a role's policies may ask for these keys: of a user they are others.
    iam.put_role_policy(RoleName="reader", PolicyName="own", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": "dynamodb:Scan", "Resource": "*", "Condition": {
            "ArnEquals": {"aws:PrincipalArn": arn}, "StringEquals": {"aws:PrincipalTag/team": "red",
                                                                    "aws:PrincipalType": "AssumedRole"},
            "DateGreaterThan": {"aws:TokenIssueTime": "2020-01-01T00:00:00Z"}, "Null": {"aws:username": "true"}}}]}))
    mine.scan(TableName="games")
    refused("AccessDenied", client_of(server, "sts", **session).assume_role, RoleArn=arn, RoleSessionName="again")
    iam.delete_role_policy(RoleName="reader", PolicyName="own")
    iam.delete_role(RoleName="reader")
    refused("UnrecognizedClientException", mine.scan, TableName="games")


def test_conditions_guard_calls_of_iam_too(server, iam, user):
    """What denies by tags, policies and boundaries denies here as well: an administrator of a part stays one of it."""
    name, key = user
    aws = "arn:aws:iam::aws:policy/"
    bound = iam.create_policy(PolicyName="guard", PolicyDocument=allow("*"))["Policy"]["Arn"]

    def deny(action, condition):
        return {"Effect": "Deny", "Action": action, "Resource": "*", "Condition": condition}

    iam.put_user_policy(UserName=name, PolicyName="own", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": "iam:*", "Resource": "*"},
        deny("iam:CreateUser", {"StringEquals": {"aws:RequestTag/admin": "true"}}),
        deny(["iam:TagUser", "iam:UntagUser"], {"ForAnyValue:StringEquals": {"aws:TagKeys": ["admin"]}}),
        deny("iam:DeleteUser", {"StringEquals": {"aws:ResourceTag/kept": "yes"}}),
        deny("iam:DeletePolicy", {"StringEquals": {"iam:ResourceTag/kept": "yes"}}),
        deny("iam:AttachUserPolicy", {"ArnEquals": {"iam:PolicyARN": aws + "AdministratorAccess"}}),
        deny("iam:CreateRole", {"StringNotEquals": {"iam:PermissionsBoundary": bound}}),
        deny("iam:PutRolePolicy", {"StringEquals": {"iam:PermissionsBoundary": bound}})]}))
    mine = client_of(server, "iam", **key)
    admin = [{"Key": "Admin", "Value": "true"}]
    refused("AccessDenied", mine.create_user, UserName="guarded", Tags=admin)
    mine.create_user(UserName="guarded", Tags=[{"Key": "kept", "Value": "yes"}])
    refused("AccessDenied", mine.tag_user, UserName=name, Tags=[{"Key": "x", "Value": ""}, {"Key": "admin", "Value": ""}])
    refused("AccessDenied", mine.untag_user, UserName=name, TagKeys=["x", "admin"])
    mine.tag_user(UserName=name, Tags=[{"Key": "x", "Value": ""}])
    refused("AccessDenied", mine.delete_user, UserName="guarded")
    mine.untag_user(UserName="guarded", TagKeys=["kept"])
    mine.delete_user(UserName="guarded")
    tagged = mine.create_policy(PolicyName="kept", PolicyDocument=allow("*"), Tags=[{"Key": "kept", "Value": "yes"}])["Policy"]
    refused("AccessDenied", mine.delete_policy, PolicyArn=tagged["Arn"])
    refused("AccessDenied", mine.attach_user_policy, UserName=name, PolicyArn=aws + "AdministratorAccess")
    mine.attach_user_policy(UserName=name, PolicyArn=aws + "IAMReadOnlyAccess")
    role = {"RoleName": "guarded", "AssumeRolePolicyDocument": trusting("*")}
    refused("AccessDenied", mine.create_role, **role)
    mine.create_role(**role, PermissionsBoundary=bound)
    refused("AccessDenied", mine.put_role_policy, RoleName="guarded", PolicyName="p", PolicyDocument=allow("*"))
    mine.delete_role_permissions_boundary(RoleName="guarded")
    mine.put_role_policy(RoleName="guarded", PolicyName="p", PolicyDocument=allow("*"))


def test_lists_and_tags_need_their_own_right(server, iam, user):
    name, key = user
    client = client_of(server, "iam", **key)
    own = json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": "iam:*", "Resource": f"arn:aws:iam::{ACCOUNT}:user/${{aws:username}}"}]})
    iam.put_user_policy(UserName=name, PolicyName="own", PolicyDocument=own)
    assert f"resource: arn:aws:iam::{ACCOUNT}:user/ " in refused("AccessDenied", client.list_users)
    assert client.get_user()["User"]["UserName"] == name
    iam.put_user_policy(UserName=name, PolicyName="own", PolicyDocument=allow(
        ["iam:ListUsers", "iam:CreateUser"], f"arn:aws:iam::{ACCOUNT}:user/crew/*"))
    assert client.list_users(PathPrefix="/crew/")["Users"] == []
    refused("AccessDenied", client.list_users)
    tagged = {"UserName": "tagged", "Path": "/crew/", "Tags": [{"Key": "crew", "Value": "admin"}]}
    assert "perform: iam:TagUser on" in refused("AccessDenied", client.create_user, **tagged)
    refused("NoSuchEntity", iam.get_user, UserName="tagged")
    for who in (name.upper(), "NOBODY"):
        message = refused("AccessDenied", client.get_user, UserName=who)
        assert f":user/{who} because" in message, "whether there is one of another spelling"


def test_no_text_breaks_a_list(server, iam):
    """U+FFFE and U+FFFF are UTF-8, and yet in no XML."""
    made = iam.create_policy(PolicyName="odd", PolicyDocument=allow("*"), Description="\ufffe<\uffff>\x01&")["Policy"]
    assert made["Description"] == "\ufffd<\ufffd>\ufffd&"
    assert "odd" in [one["PolicyName"] for one in iam.list_policies(Scope="Local")["Policies"]]


def test_a_session_of_a_user(server, iam, user):
    name, key = user
    session = given(client_of(server, "sts", **key).get_session_token()["Credentials"])
    get(client_of(server, **session))
    refused("UnrecognizedClientException", lambda: get(client_of(server, **{**session, "token": None})))
    refused("UnrecognizedClientException", lambda: get(client_of(server, **{**session, "token": session["token"][:-8] + "AAAAAAA="})))
    refused("InvalidSignatureException", lambda: get(client_of(server, **{**session, "secret": key["secret"]})))
    refused("AccessDenied", client_of(server, "sts", **session).get_session_token)
    refused("InvalidClientTokenId", client_of(server, "iam", **session).get_user)
    iam.delete_access_key(UserName=name, AccessKeyId=key["key"])
    refused("UnrecognizedClientException", lambda: get(client_of(server, **session)))


class LaterSignature(SigV4Auth):
    """Of a client whose clock is `later_s` ahead."""

    later_s = 0

    def _modify_request_before_signing(self, request):
        request.context["timestamp"] = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() + self.later_s))
        super()._modify_request_before_signing(request)


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer must be the first library of its program")
def test_a_session_ends(credentials, monkeypatch):
    """By the machine's clock, which the client has too."""
    monkeypatch.setitem(botocore.auth.AUTH_TYPE_MAPS, "v4", LaterSignature)
    options = {"in_memory": True, "extra_args": ["--credentials", str(credentials)]}
    with moved_clock() as clock, running_server(**options, environment=clock.environment) as server:
        iam = client_of(server, "iam")
        iam.create_user(UserName="a")
        key = given(iam.create_access_key(UserName="a")["AccessKey"])
        session = given(client_of(server, "sts", **key).get_session_token(DurationSeconds=3600)["Credentials"])
        ask = client_of(server, "sts", **session).get_caller_identity
        assert ask()["Arn"].endswith("user/a")
        clock.move(59 * 60)
        monkeypatch.setattr(LaterSignature, "later_s", 59 * 60)
        ask()
        clock.move(120)
        monkeypatch.setattr(LaterSignature, "later_s", 61 * 60)
        assert refused("ExpiredToken", ask) == "The security token included in the request is expired"
        refused("ExpiredTokenException", client_of(server, **session).list_tables)
        client_of(server, "sts", **key).get_caller_identity()


def test_sessions_keep_the_clock_of_the_start(credentials):
    """Wherever MoveClock moves the clock of the database."""
    ahead_s = 10 * 86_400
    with running_server(in_memory=True, extra_args=["--credentials", str(credentials), "--clock", "+10d"]) as server:
        root = client_of(server, "sts")
        for seconds in (0, 3_600, -7_200):
            body = json.dumps({"Seconds": seconds})
            assert post(server, "dynamodb", body, "application/x-amz-json-1.0", "Partita_20261123.MoveClock")[0] == 200
            given_now = root.get_session_token(DurationSeconds=900)["Credentials"]
            assert abs(given_now["Expiration"].timestamp() - time.time() - ahead_s - 900) < 60, seconds
            client_of(server, "sts", **given(given_now)).get_caller_identity()


def post(server, service, body, content_type="application/x-www-form-urlencoded; charset=utf-8", target=None):
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    headers = {"Content-Type": content_type} | ({"X-Amz-Target": target} if target else {})
    request = AWSRequest("POST", server.url + "/", data=body, headers=headers)
    SigV4Auth(Credentials(*ROOT), service, "us-east-1").add_auth(request)
    try:
        sent = urllib.request.Request(server.url + "/", body.encode(), dict(request.headers.items()))
        with urllib.request.urlopen(sent) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


LIST_USERS = "Action=ListUsers&Version=2010-05-08"
WHO = "Action=GetCallerIdentity&Version=2011-06-15"
JSON = ("application/x-amz-json-1.0", "DynamoDB_20120810.ListTables")


def policy_call(server, operation, **body):
    """Status and reply; this botocore may not know the operation yet."""
    body = json.dumps({"ResourceArn": TABLE} | body)
    status, text = post(server, "dynamodb", body, "application/x-amz-json-1.0", "DynamoDB_20120810." + operation)
    return status, json.loads(text)


def put_policy(server, principal, effect="Allow"):
    return policy_call(server, "PutResourcePolicy", Policy=json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": effect, "Principal": {"AWS": principal}, "Action": "dynamodb:Scan", "Resource": TABLE}]}))


def named(server):
    """Whom the table's policy names, as it is shown."""
    policy = json.loads(policy_call(server, "GetResourcePolicy")[1]["Policy"])
    return policy["Statement"][0]["Principal"]["AWS"]


NOBODY = [f"arn:aws:iam::{ACCOUNT}:{one}" for one in ("user/ghost", "role/ghost", "user/*", "group/g", "user/${aws:username}")] + [
    "AIDAAAAAAAAAAAAAAAAAA", "arn:aws:iam::999999999999:user/*", "arn:aws:iam::999999999999:group/g",
    "arn:aws:iam::999999999999:user/", "arn:aws:sts::999999999999:assumed-role/r/*", "arn:aws:sts::999999999999:root"]


@pytest.mark.parametrize("principal", NOBODY)
def test_a_policy_of_a_table_names_who_is_there(server, iam, principal):
    iam.create_group(GroupName="g")
    try:
        status, reply = put_policy(server, principal)
    finally:
        iam.delete_group(GroupName="g")
    wanted = "One or more parameter values were invalid: Invalid principal in policy document."
    assert (status, reply.get("message")) == (400, wanted)


def test_a_policy_of_a_table_means_who_was_named(server, iam):
    arn = f"arn:aws:iam::{ACCOUNT}:user/guest"

    def made():
        iam.create_user(UserName="guest")
        return given(iam.create_access_key(UserName="guest")["AccessKey"])

    def gone(key):
        iam.delete_access_key(UserName="guest", AccessKeyId=key["key"])
        iam.delete_user(UserName="guest")

    first = made()
    refused("AccessDeniedException", client_of(server, **first).scan, TableName="games")
    status, put = put_policy(server, [arn, arn])
    assert status == 200 and named(server) == arn
    assert put_policy(server, arn)[1] == put, "the same policy again"
    client_of(server, **first).scan(TableName="games")
    number = iam.get_user(UserName="guest")["User"]["UserId"]
    gone(first)
    assert named(server) == number
    second = made()
    refused("AccessDeniedException", client_of(server, **second).scan, TableName="games")
    assert put_policy(server, number)[0] == 400, "he is gone"
    assert put_policy(server, arn)[1] != put
    client_of(server, **second).scan(TableName="games")
    again = policy_call(server, "GetResourcePolicy")[1]
    assert put_policy(server, iam.get_user(UserName="guest")["User"]["UserId"])[1]["RevisionId"] == again["RevisionId"]
    put_policy(server, arn, effect="Deny")
    iam.put_user_policy(UserName="guest", PolicyName="own", PolicyDocument=allow("dynamodb:Scan"))
    assert "resource-based" in refused("AccessDeniedException", client_of(server, **second).scan, TableName="games")
    iam.delete_user_policy(UserName="guest", PolicyName="own")
    gone(second)
    policy_call(server, "DeleteResourcePolicy")


def test_a_policy_of_a_table_means_the_role_that_was_named(server, iam, user):
    arn = f"arn:aws:iam::{ACCOUNT}:role/scans"

    def session():
        iam.create_role(RoleName="scans", AssumeRolePolicyDocument=trusting(f"arn:aws:iam::{ACCOUNT}:user/{user[0]}"))
        taken = client_of(server, "sts", **user[1]).assume_role(RoleArn=arn, RoleSessionName="job")
        return client_of(server, **given(taken["Credentials"]))

    first = session()
    assert put_policy(server, arn)[0] == 200 and named(server) == arn
    first.scan(TableName="games")
    iam.delete_role(RoleName="scans")
    refused("AccessDeniedException", session().scan, TableName="games")
    assert named(server).startswith("AROA")
    iam.delete_role(RoleName="scans")
    policy_call(server, "DeleteResourcePolicy")


@pytest.mark.parametrize("service, body, more, status, word", [
    ("iam", LIST_USERS, (), 200, "<ListUsersResult>"),
    ("sts", WHO, (), 200, f"<Account>{ACCOUNT}</Account>"),
    ("sts", LIST_USERS, (), 403, "<Code>SignatureDoesNotMatch</Code>"),
    ("iam", WHO, (), 403, "correct service: 'sts'"),
    ("dynamodb", LIST_USERS, (), 403, "correct service: 'iam'"),
    ("s3", LIST_USERS, (), 403, "correct service: 'iam'"),
    ("dynamodb", "{}", JSON, 200, "TableNames"),
    ("iam", "{}", JSON, 400, "InvalidSignatureException"),
    ("sts", "{}", JSON, 400, "correct service: 'dynamodb'"),
    ("iam", "Action=CreateLoginProfile&Version=2010-05-08", (), 400, "<Code>InvalidAction</Code>"),
    ("iam", "Action=ListUsers&Version=2011-06-15", (), 400, "<Code>InvalidAction</Code>"),
    ("iam", "Version=2010-05-08", (), 400, "<Code>MissingAction</Code>"),
    ("iam", LIST_USERS + "&Verbose=1", (), 400, "The parameter Verbose of ListUsers is not supported here."),
    ("iam", LIST_USERS + "&Marker=%", (), 404, "<Code>MalformedQueryString</Code>"),
    ("iam", LIST_USERS + "&Marker=" + "x" * (1 << 17), (), 400, "<Code>InvalidInput</Code>"),
])
def test_each_service_has_its_own_signature(server, service, body, more, status, word):
    got, text = post(server, service, body, *more)
    assert (got, word in text) == (status, True), text


def test_nobody_changes_users_unsigned(server):
    request = urllib.request.Request(server.url, LIST_USERS.encode(), {"Content-Type": "application/x-www-form-urlencoded"})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request)
    assert caught.value.code == 403 and b"<Code>MissingAuthenticationToken</Code>" in caught.value.read()


def test_it_is_written_down_and_counted(server, iam, user):
    name, key = user
    refused("AccessDenied", client_of(server, "iam", **key).delete_user, UserName=name)
    client_of(server, "sts", **key).get_caller_identity()
    lines = [json.loads(line) for line in server.audit.read_text().splitlines()]
    made = [line for line in lines if line["eventName"] == "CreateUser" and line["resources"] == [name]]
    assert made[0]["eventSource"] == "iam.amazonaws.com" and not made[0]["readOnly"]
    denied = [line for line in lines if line["eventName"] == "DeleteUser" and line["resources"] == [name]]
    assert denied[0]["errorCode"] == "AccessDeniedException" and denied[0]["userIdentity"]["arn"].endswith(name)
    assert [line["eventSource"] for line in lines if line["eventName"] == "GetCallerIdentity"][-1] == "sts.amazonaws.com"
    assert key["secret"] not in server.audit.read_text() and key["secret"] not in server.log()


def test_the_whole_account_can_be_taken_elsewhere(server, iam, user, credentials, tmp_path):
    iam.create_role(RoleName="whole", AssumeRolePolicyDocument=trusting(ACCOUNT))
    details = iam.get_account_authorization_details()
    del details["ResponseMetadata"]
    path = tmp_path / "users.json"
    path.write_text(json.dumps(details, default=str))
    with running_server(in_memory=True, extra_args=["--credentials", str(credentials), "--identities", str(path)]) as other:
        there = client_of(other, "iam")
        assert user[0] in [one["UserName"] for one in there.list_users()["Users"]]
        assert there.get_user_policy(UserName=user[0], PolicyName="own")["PolicyDocument"]["Version"] == "2012-10-17"
        refused("UnmodifiableEntity", there.create_user, UserName="more")
        assert client_of(other, "sts").assume_role(RoleArn=f"arn:aws:iam::{ACCOUNT}:role/whole", RoleSessionName="here")
    done = subprocess.run([binary(), "policy", "simulate", "--identities", str(path), "--role", "whole", "--action",
                           "dynamodb:GetItem", "--resource", TABLE], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "assumed-role/whole/simulated is not authorized" in done.stdout, done.stderr


def test_without_credentials_everybody_may(tmp_path):
    with running_server(in_memory=True) as server:
        iam = server.client("iam")
        iam.create_user(UserName="a")
        assert [one["UserName"] for one in iam.list_users()["Users"]] == ["a"]
        iam.create_role(RoleName="r", AssumeRolePolicyDocument=trusting(ACCOUNT))
        session = server.client("sts").assume_role(RoleArn=f"arn:aws:iam::{ACCOUNT}:role/r", RoleSessionName="tests")
        client_of(server, **given(session["Credentials"])).list_tables()


def verb(server, *words):
    done = subprocess.run([binary(), *words, "--data", str(server.data_dir)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def test_verbs_from_nothing(tmp_path):
    """--users: nobody may call before there is a user, and the first one is made over the administration socket."""
    (tmp_path / "gets.json").write_text(allow("dynamodb:ListTables"))
    (tmp_path / "trust.json").write_text(trusting(ACCOUNT))
    with running_server(data_dir=tmp_path / "data", extra_args=["--users"]) as server:
        refused("UnrecognizedClientException", client_of(server).list_tables)
        assert "Nobody has an access key, so all calls are refused" in server.log()
        assert verb(server, "user", "create", "alice") == (0, f"arn:aws:iam::{ACCOUNT}:user/alice\n")
        assert verb(server, "user", "create", "alice") == (1, "partita: User with name alice already exists.\n")
        code, profile = verb(server, "user", "key", "create", "alice")
        key = dict(re.findall(r"^aws_(\w+) = (.*)$", profile, re.MULTILINE))
        assert code == 0 and profile.startswith("[alice]\n")
        mine = client_of(server, key=key["access_key_id"], secret=key["secret_access_key"])
        refused("AccessDeniedException", mine.list_tables)
        assert verb(server, "policy", "put", "user", "alice", "own", str(tmp_path / "gets.json")) == (0, "")
        mine.list_tables()
        assert verb(server, "group", "create", "g")[0] == 0
        assert verb(server, "group", "add", "g", "alice") == (0, "")
        assert verb(server, "policy", "create", "gets", str(tmp_path / "gets.json")) == (
            0, f"arn:aws:iam::{ACCOUNT}:policy/gets\n")
        assert verb(server, "policy", "attach", "group", "g", "gets") == (0, "")
        code, said = verb(server, "policy", "attach", "group", "g", "IAMFullAccess")
        assert code == 1 and said.endswith(" Name AWS's own policy by its ARN: arn:aws:iam::aws:policy/IAMFullAccess.\n")
        assert f"arn:aws:iam::{ACCOUNT}:policy/gets\t1\n" in verb(server, "policy", "list")[1]
        shown = verb(server, "user", "show", "alice")[1]
        for line in ("UserName\talice", "GroupName\tg", f"AccessKeyId\t{key['access_key_id']}", "PolicyNames\town"):
            assert line in shown.splitlines(), shown
        assert [part.split("\t")[0] for part in shown.split("\n\n")] == ["Path", "Path", "UserName", "PolicyNames"], shown
        assert key["secret_access_key"] not in shown
        assert verb(server, "role", "create", "r", str(tmp_path / "trust.json"))[0] == 0
        assert json.dumps(json.loads(trusting(ACCOUNT))) in verb(server, "role", "show", "r")[1]
        assert verb(server, "role", "list")[1] == f"r\tarn:aws:iam::{ACCOUNT}:role/r\n"
        assert verb(server, "user", "delete", "alice")[1] == (
            "partita: Cannot delete entity, must remove users from group first.\n")
        assert verb(server, "user", "key", "delete", "alice", key["access_key_id"]) == (0, "")
        refused("UnrecognizedClientException", mine.list_tables)
    code, text = verb(server, "user", "list")
    assert code == 1 and text.startswith("partita: ")


def test_a_key_is_rotated_in_its_file(tmp_path):
    """One profile of a name, however often: boto3 and the AWS CLI refuse a file with two. What else is there stays."""
    path, link = tmp_path / "credentials", tmp_path / "link"
    link.symlink_to(path)
    with running_server(data_dir=tmp_path / "data", extra_args=["--users"]) as server:
        assert verb(server, "user", "create", "alice")[0] == 0
        code, said = verb(server, "user", "key", "create", "alice", "--into", str(path))
        [first] = re.findall(r"^aws_access_key_id = (\w+)$", path.read_text(), re.MULTILINE)
        assert (code, said) == (0, f"{first} is the key of the profile [alice] in {path}.\n")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.write_text(path.read_text() + "region = eu-west-1\n\n[other]\naws_access_key_id = o\naws_secret_access_key = p\n")
        path.chmod(0o640)
        code, said = verb(server, "user", "key", "create", "alice", "--into", str(link))
        profiles = configparser.ConfigParser()
        profiles.read(path)
        key = profiles["alice"]
        assert code == 0 and said.splitlines()[2] == f"partita user key delete alice {first} --data {tmp_path / 'data'}", said
        assert said.splitlines()[3:] == [f"partita: Other users can read {link}, which holds the secret of this key. "
                                         f"To keep it to its owner: chmod 600 {link}"]
        code, third = verb(server, "user", "key", "create", "alice", "--into", str(path))
        assert code == 1 and "Cannot exceed quota" in third and "`partita user show alice` lists the keys" in third
        assert key["aws_access_key_id"] != first and key["region"] == "eu-west-1"
        assert profiles["other"]["aws_secret_access_key"] == "p"
        assert stat.S_IMODE(path.stat().st_mode) == 0o640 and link.is_symlink()
        assert key["aws_secret_access_key"] not in said
        assert verb(server, "user", "key", "delete", "alice", first) == (0, "")
        mine = client_of(server, key=key["aws_access_key_id"], secret=key["aws_secret_access_key"])
        refused("AccessDeniedException", mine.list_tables)
        assert sorted(each.name for each in tmp_path.iterdir()) == ["credentials", "data", "link"]
        path.write_text("[alice]\n[alice]\n")
        for file, why in (path, "The profile [alice] is there twice"), (tmp_path / "no" / "such", "No such file"):
            code, said = verb(server, "user", "key", "create", "alice", "--into", str(file))
            assert code == 1 and why in said, said
        assert verb(server, "user", "show", "alice")[1].count("AccessKeyId\t") == 1, "no key was made that nobody has"


@pytest.mark.parametrize("words", [("user", "create"), ("user", "list", "x"), ("policy", "put", "user", "a", "p")])
def test_verbs_say_what_they_take(words):
    done = subprocess.run([binary(), *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and f"`partita {' '.join(words[:2])}` takes " in done.stderr


def test_two_servers_of_one_store(credentials):
    """What one is told the other knows about a second later, without being asked."""
    with running_postgres() as postgres:
        more = {"store": postgres.url, "extra_args": ["--credentials", str(credentials)]}
        with running_server(**more) as one, running_server(**more) as other:
            iam = client_of(one, "iam")
            iam.create_user(UserName="a")
            key = given(iam.create_access_key(UserName="a")["AccessKey"])

            def believed(who):
                try:
                    client_of(other, "sts", **who).get_caller_identity()
                    return True
                except ClientError as error:
                    assert error.response["Error"]["Code"] == "InvalidClientTokenId", error
                    return False

            soon(lambda: believed(key))
            session = given(client_of(one, "sts", **key).get_session_token()["Credentials"])
            soon(lambda: believed(session))
            iam.delete_access_key(UserName="a", AccessKeyId=key["key"])
            soon(lambda: not believed(key))
            assert not believed(session)
