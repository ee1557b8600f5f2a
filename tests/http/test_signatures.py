"""With --credentials only what is signed with one of their keys is answered, and each forgery gets AWS's error."""

import gzip
import hashlib
import http.client
import json
import re
import zlib

import boto3
import pytest
from botocore.auth import SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from server import running_server

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI+K7MDENG/bPxRfiCYEXAMPLEKEY"
TEMPORARY, TEMPORARY_SECRET, TOKEN = "ASIAEXAMPLE", "another secret", "a/session+token=="
FILE = f"""
[default]
aws_access_key_id = {KEY}
aws_secret_access_key = {SECRET}
region = eu-west-3

[temporary]
aws_access_key_id = {TEMPORARY}
aws_secret_access_key = {TEMPORARY_SECRET}
aws_session_token = {TOKEN}
"""
MISMATCH = "The request signature we calculated does not match the signature you provided."
INVALID_TOKEN = "The security token included in the request is invalid"
LARGE = 2 << 20  # beyond what is answered on the thread that serves


@pytest.fixture(scope="module")
def credentials_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("credentials") / "credentials"
    path.write_text(FILE)
    return path


@pytest.fixture(scope="module")
def verifying(credentials_file):
    with running_server(in_memory=True, extra_args=["--credentials", str(credentials_file)]) as server:
        client = client_of(server)
        client.create_table(
            TableName="signed",
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        )
        yield server
        assert client.list_tables()["TableNames"] == ["signed"]


def client_of(server, key=KEY, secret=SECRET, token=None):
    return boto3.client(
        "dynamodb",
        endpoint_url=server.url,
        region_name="eu-west-3",
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        aws_session_token=token,
        config=Config(retries={"total_max_attempts": 1}),
    )


def refusal(call):
    with pytest.raises(ClientError) as caught:
        call()
    error = caught.value.response
    assert error["ResponseMetadata"]["HTTPStatusCode"] == 400
    return error["Error"]["Code"], error["Error"]["Message"]


def signed(server, body="{}", operation="ListTables", how=SigV4Auth, key=KEY, secret=SECRET, **headers):
    """A request as botocore signs it, to be altered and sent."""
    request = AWSRequest("POST", server.url + "/", data=body if isinstance(body, bytes) else body.encode())
    request.headers["Content-Type"] = "application/x-amz-json-1.0"
    request.headers["X-Amz-Target"] = f"DynamoDB_20120810.{operation}"
    for name, value in headers.items():
        request.headers[name.replace("_", "-")] = value
    how(Credentials(key, secret), "dynamodb", "eu-west-3").add_auth(request)
    return request.prepare()


class Presigned(SigV4QueryAuth):
    """botocore takes a body for more of the query, and signs none; this signs "{}", to be sent with it."""

    def __init__(self, *rest):
        super().__init__(*rest, expires=60)

    def _modify_request_before_signing(self, request):
        request.data = ""
        super()._modify_request_before_signing(request)

    def payload(self, request):
        return hashlib.sha256(b"{}").hexdigest()


def send(server, request):
    """Status, the error's name without its prefix, and the message."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=20)
    headers = {name: value for name, value in request.headers.items() if name != "Content-Length"}
    connection.request("POST", request.url[len(server.url) :], request.body, headers)
    reply = connection.getresponse()
    body = json.loads(reply.read())
    connection.close()
    return reply.status, body.get("__type", "").split("#")[-1], body.get("message", body.get("Message"))


def test_clients_with_a_key_are_served(verifying):
    for client in (client_of(verifying), client_of(verifying, TEMPORARY, TEMPORARY_SECRET, TOKEN)):
        for size in (10, 1000, 300_000):
            client.put_item(TableName="signed", Item={"id": {"S": "é\x00"}, "text": {"S": "ü" * (size // 2)}})
            assert len(client.get_item(TableName="signed", Key={"id": {"S": "é\x00"}})["Item"]["text"]["S"]) == size // 2


def test_wrong_keys_secrets_and_tokens(verifying):
    assert refusal(client_of(verifying, key="AKIDOTHER").list_tables) == ("UnrecognizedClientException", INVALID_TOKEN + ".")
    code, message = refusal(client_of(verifying, secret=SECRET + "x").list_tables)
    assert code == "InvalidSignatureException" and message.startswith(MISMATCH)
    for token in (None, TOKEN + "x"):
        told = refusal(client_of(verifying, TEMPORARY, TEMPORARY_SECRET, token).list_tables)
        assert told == ("UnrecognizedClientException", INVALID_TOKEN)
    assert refusal(client_of(verifying, token=TOKEN).list_tables) == ("UnrecognizedClientException", INVALID_TOKEN)


def test_a_request_without_a_signature(verifying):
    request = signed(verifying)
    del request.headers["Authorization"]
    told = send(verifying, request)
    assert told == (400, "MissingAuthenticationTokenException", "Request is missing Authentication Token")


ALTERED = {
    "another body": lambda r: setattr(r, "body", b"[]"),
    "another operation": lambda r: r.headers.__setitem__("X-Amz-Target", "DynamoDB_20120810.DescribeLimits"),
    "another host": lambda r: r.headers.__setitem__("Host", "example.com"),
    "another path": lambda r: setattr(r, "url", r.url + "other"),
    "a query": lambda r: setattr(r, "url", r.url + "?a=b"),
    "another signature": lambda r: r.headers.__setitem__(
        "Authorization", re.sub("Signature=.", lambda m: m[0][:-1] + ("1" if m[0][-1] == "0" else "0"), r.headers["Authorization"])
    ),
    "a signed header less": lambda r: r.headers.__setitem__("Authorization", r.headers["Authorization"].replace("content-type;", "")),
}


@pytest.mark.parametrize("what", ALTERED)
def test_an_altered_request(verifying, what):
    request = signed(verifying)
    assert send(verifying, request)[0] == 200
    ALTERED[what](request)
    status, code, message = send(verifying, request)
    assert (status, code) == (400, "InvalidSignatureException") and message.startswith(MISMATCH)
    assert "The Canonical String for this request should have been\n'POST\n" in message
    assert SECRET not in message


def test_what_is_done_has_to_be_signed(verifying):
    request = signed(verifying)
    assert send(verifying, request)[0] == 200
    request.headers["Authorization"] = request.headers["Authorization"].replace(";x-amz-target", "")
    wanted = "'x-amz-target' must be a 'SignedHeader' in the AWS Authorization."
    assert send(verifying, request) == (400, "InvalidSignatureException", wanted)


def test_a_header_signed_thousands_of_times(verifying):
    """In the header and in the query: the reply is small, whatever was named how often."""
    request = signed(verifying, x_pad="v" * 4_000)
    assert send(verifying, request)[0] == 200
    names = re.search("SignedHeaders=([^,]*)", request.headers["Authorization"])[1]
    for more in (";x-pad" * 1_500, ";x-pad", ";host"):
        request.headers["Authorization"] = request.headers["Authorization"].replace(names, names + more)
        status, code, message = send(verifying, request)
        assert (status, code) == (400, "InvalidSignatureException")
        assert message.startswith("'SignedHeaders' names ") and len(message) < 200
        names += more
    presigned = signed(verifying, how=Presigned)
    presigned.body = b"{}"
    presigned.url = presigned.url.replace("X-Amz-SignedHeaders=", "X-Amz-SignedHeaders=host%3B")
    told = send(verifying, presigned)
    assert told == (400, "InvalidSignatureException", "'SignedHeaders' names 'host' more than once in the AWS Authorization.")


def test_an_altered_request_with_a_large_body(verifying):
    body = json.dumps({"TableName": "signed", "Item": {"id": {"S": "a"}}, "Unknown": "x" * LARGE})
    request = signed(verifying, body, "PutItem")
    assert send(verifying, request)[0] == 200
    request.body = body.replace("xx}", "xy}").replace('"a"', '"b"').encode()
    assert send(verifying, request)[1] == "InvalidSignatureException"
    assert "Item" not in client_of(verifying).get_item(TableName="signed", Key={"id": {"S": "b"}})
    request = signed(verifying, body, "PutItem", key="AKIDOTHER")
    try:
        assert send(verifying, request)[1] == "UnrecognizedClientException"
    except (BrokenPipeError, ConnectionResetError):
        pass  # it was refused while it was still sent


def test_a_forged_request_is_not_looked_into(verifying):
    for body in ('{"TableName": 5}', '{"TableName": "none-such"}', "{}"):
        request = signed(verifying, body, "DescribeTable", secret="wrong")
        assert send(verifying, request)[1] == "InvalidSignatureException"


def test_a_presigned_request(verifying):
    request = signed(verifying, how=Presigned)
    assert "X-Amz-Signature" in request.url and "Authorization" not in request.headers
    request.body = b"{}"
    status, code, message = send(verifying, request)
    assert status == 200, (code, message)
    request.url = request.url.replace("X-Amz-Expires=60", "X-Amz-Expires=61")
    assert send(verifying, request)[1] == "InvalidSignatureException"


def test_an_old_request(verifying):
    request = signed(verifying)
    date = request.headers["X-Amz-Date"]
    request.headers["X-Amz-Date"] = "20200101T000000Z"
    status, code, message = send(verifying, request)
    assert (status, code) == (400, "InvalidSignatureException")
    assert re.fullmatch(r"Signature expired: 20200101T000000Z is now earlier than \w+ \(\w+ - 5 min\.\)", message)
    request.headers["X-Amz-Date"] = "29990101T000000Z"
    assert re.fullmatch(r"Signature not yet current: .* \(\w+ \+ 5 min\.\)", send(verifying, request)[2])
    request.headers["X-Amz-Date"] = "yesterday"
    assert send(verifying, request)[1] == "IncompleteSignatureException"
    request.headers["X-Amz-Date"] = date
    assert send(verifying, request)[0] == 200


def test_the_asymmetric_form(verifying):
    request = signed(verifying)
    request.headers["Authorization"] = request.headers["Authorization"].replace("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256")
    assert send(verifying, request) == (
        400,
        "IncompleteSignatureException",
        "Unsupported AWS 'algorithm': 'AWS4-ECDSA-P256-SHA256' (only AWS4-HMAC-SHA256 for now). ",
    )


def test_other_machines_may_call_when_signatures_are_verified(credentials_file):
    with running_server(in_memory=True, extra_args=["--credentials", str(credentials_file)], host="0.0.0.0") as server:
        server.url = f"http://127.0.0.1:{server.port}"
        assert client_of(server).list_tables()["TableNames"] == []
        assert "may do anything" not in server.log()
        assert "Other machines may connect without TLS" in server.log()
        assert SECRET not in server.log() and TOKEN not in server.log()


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "The credentials hold no profile."),
        ("[a]\naws_access_key_id = K\n", "Line 1 of the credentials begins [a], which has no aws_secret_access_key."),
        ("[a]\naws_secret_access_key\n", "Line 2 of the credentials is neither [a profile] nor NAME = VALUE."),
    ],
)
def test_credentials_that_can_not_be_used(tmp_path, text, sentence):
    path = tmp_path / "credentials"
    path.write_text(text)
    with pytest.raises(RuntimeError, match=re.escape(f"{path}: {sentence}")):
        with running_server(in_memory=True, extra_args=["--credentials", str(path)]):
            pass


def test_credentials_that_are_not_there(tmp_path):
    for path, why in (tmp_path / "none", "No such file or directory"), (tmp_path, "Is a directory"):
        with pytest.raises(RuntimeError, match=re.escape(f"The credentials in {path} cannot be read: {why}.")):
            with running_server(in_memory=True, extra_args=["--credentials", str(path)]):
                pass


@pytest.mark.parametrize("content", ["application/x-amz-json-1.0", "text/plain", None])
def test_who_asks_is_judged_before_a_body_that_is_empty(verifying, content):
    def told(authorization=None, date=None):
        headers = {"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": content}
        headers |= {"Authorization": authorization, "X-Amz-Date": date}
        request = AWSRequest("POST", verifying.url + "/", {n: v for n, v in headers.items() if v}, b"").prepare()
        return send(verifying, request)[:2]

    assert told() == (400, "MissingAuthenticationTokenException")
    scope = f"AWS4-HMAC-SHA256 Credential={KEY}/%s/eu-west-3/dynamodb/aws4_request"
    for date in ("20200101T010101Z", "30200101T010101Z"):
        forged = scope % date[:8] + ", SignedHeaders=host;x-amz-date, Signature=123"
        assert told(forged, date) == (400, "InvalidSignatureException")
    assert send(verifying, signed(verifying, ""))[1] == "SerializationException"


@pytest.mark.parametrize("packed", [gzip.compress, zlib.compress])
def test_a_signature_is_over_the_body_as_it_is_sent(verifying, packed):
    coding = "gzip" if packed is gzip.compress else "deflate"
    item = {"TableName": "signed", "Item": {"id": {"S": coding}, "pad": {"S": "p" * 100_000}}}
    body = packed(json.dumps(item).encode())
    right = signed(verifying, body, "PutItem", Content_Encoding=coding)
    assert send(verifying, right)[0] == 200
    client = client_of(verifying)
    assert "Item" in client.get_item(TableName="signed", Key={"id": {"S": coding}})
    wrong = signed(verifying, body, "PutItem", Content_Encoding=coding)
    wrong.body = packed(json.dumps({**item, "Item": {"id": {"S": "other"}}}).encode())
    status, name, text = send(verifying, wrong)
    assert (status, name) == (400, "InvalidSignatureException") and text.startswith(MISMATCH)
    assert "Item" not in client.get_item(TableName="signed", Key={"id": {"S": "other"}})


def test_nobody_unpacks_for_strangers(verifying):
    """Whether the body can be unpacked is not told to those who may not ask."""
    for body in (b"no gzip", gzip.compress(b" " * (32 << 20)), b""):
        forged = signed(verifying, body, "PutItem", secret="wrong", Content_Encoding="gzip")
        status, name, text = send(verifying, forged)
        assert (status, name) == (400, "InvalidSignatureException") and text.startswith(MISMATCH)
