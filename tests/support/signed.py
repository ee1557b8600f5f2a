"""Requests signed by hand, for users of a file of identities: what SDKs of a distribution do not know or send."""

import json
import time
import urllib.error
import urllib.request

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

ACCOUNT, REGION = "123456789012", "us-east-1"


def key_of(user):
    return f"AKIA{user.upper()}", f"secret of {user}"


def credentials_of(user):
    return Credentials(*key_of(user))


def allow(action, resource="*", condition=None, effect="Allow"):
    return {"Effect": effect, "Action": action, "Resource": resource} | ({"Condition": condition} if condition else {})


def deny(action, resource="*", condition=None):
    return allow(action, resource, condition, "Deny")


def document(*statements):
    return {"Version": "2012-10-17", "Statement": list(statements)}


def arn(table):
    return f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{table}"


def files(folder, users):
    """The options of a server whose users have these statements; beside them there is the root."""
    (folder / "credentials").write_text("".join(
        "[{}]\naws_access_key_id = {}\naws_secret_access_key = {}\n".format(name, *key_of(name)) for name in ("root", *users)))
    (folder / "identities.json").write_text(json.dumps({"UserDetailList": [
        {"UserName": name, "UserPolicyList": [{"PolicyName": "own", "PolicyDocument": document(*statements)}] if statements else []}
        for name, statements in users.items()]}))
    return ["--credentials", str(folder / "credentials"), "--identities", str(folder / "identities.json"), "--region", REGION]


def client_of(server, user, service):
    key, secret = key_of(user)
    return boto3.client(service, endpoint_url=server.url, region_name=REGION, aws_access_key_id=key,
                        aws_secret_access_key=secret, config=Config(retries={"max_attempts": 0}))


def call(server, who, operation, body, headers=None, prefix="DynamoDB_20120810."):
    """Status and body. `who`: a user's name, or credentials."""
    request = AWSRequest("POST", server.url + "/", data=json.dumps(body).encode())
    request.headers["Content-Type"] = "application/x-amz-json-1.0"
    request.headers["X-Amz-Target"] = prefix + operation
    for name, value in (headers or {}).items():
        request.headers[name] = value
    SigV4Auth(credentials_of(who) if isinstance(who, str) else who, "dynamodb", REGION).add_auth(request)
    made = request.prepare()
    try:
        with urllib.request.urlopen(urllib.request.Request(made.url, made.body, dict(made.headers))) as reply:
            return reply.status, json.loads(reply.read() or b"{}")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def ok(server, who, operation, body, headers=None):
    status, found = call(server, who, operation, body, headers)
    assert status == 200, found
    return found


def told(server, who, operation, body, headers=None):
    """The exception of a refused request, and its text."""
    status, found = call(server, who, operation, body, headers)
    assert status == 400, found
    return found["__type"].partition("#")[2], found.get("message", found.get("Message"))


def refused(server, who, operation, body, headers=None):
    exception, text = told(server, who, operation, body, headers)
    assert exception == "AccessDeniedException", (exception, text)
    return text


def logged(server, text):
    """Whether the server's log says that, now or in a moment."""
    until = time.monotonic() + 5
    while text not in server.log():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def table(name, key="k", **more):
    return {"TableName": name, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"}], **more}
