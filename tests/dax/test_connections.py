"""Connections of DAX: what clients that behave send, and what others do."""

import contextlib
import json
import pathlib
import ssl
import sys
import threading
import time

import boto3
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support")]

from certificate import write_certificate  # noqa: E402
from dax_client import Connection, DaxError, Ended, authorization, encoded, preamble, request  # noqa: E402
from ports import free_port  # noqa: E402
from server import running_server  # noqa: E402

REQUEST_TIMEOUT_S = 2
TABLE = {
    "TableName": "Music",
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@contextlib.contextmanager
def dax_server(*arguments, keys=("local", "local")):
    """A server with `dax_port`, and the table Music."""
    port = free_port()
    arguments = ["--dax", f"127.0.0.1:{port}", "--request-timeout", str(REQUEST_TIMEOUT_S), *map(str, arguments)]
    with running_server(in_memory=True, extra_args=arguments) as started:
        started.dax_port = port
        client_of(started, *keys).create_table(**TABLE)
        yield started


@pytest.fixture(scope="module")
def shared_server():
    with dax_server() as started:
        yield started


@pytest.fixture
def server(shared_server):
    """The shared server, which must answer after the test too."""
    yield shared_server
    with connect(shared_server) as connection:
        assert connection.call("endpoints")


def connect(server, framed=False, **credentials):
    connection = Connection("127.0.0.1", server.dax_port, framed)
    connection.authorize(**credentials)
    return connection


def client_of(server, key, secret="x"):
    keys = {"aws_access_key_id": key, "aws_secret_access_key": secret}
    return boto3.client("dynamodb", "us-east-1", endpoint_url=server.url, **keys)


def refusal(connection, method, *arguments):
    with pytest.raises(DaxError) as refused:
        connection.call(method, *arguments)
    return refused.value


def test_the_ready_line_names_the_address(server):
    assert f"dax://127.0.0.1:{server.dax_port}" in server.ready_line


@pytest.mark.parametrize("framed", [False, True])
def test_items_are_those_of_http(server, framed):
    table = server.client()
    with connect(server, framed) as connection:
        connection.put("Music", {"artist": "a"}, {"n": 12345678901234567890, "b": b"\0", "l": [True, None, {"m": "x"}]})
        item = table.get_item(TableName="Music", Key={"artist": {"S": "a"}})["Item"]
        assert item == {
            "artist": {"S": "a"},
            "n": {"N": "12345678901234567890"},
            "b": {"B": b"\0"},
            "l": {"L": [{"BOOL": True}, {"NULL": True}, {"M": {"m": {"S": "x"}}}]},
        }
        table.put_item(TableName="Music", Item={"artist": {"S": "b"}, "year": {"N": "2026"}})
        assert connection.get("Music", {"artist": "b"}) == {"year": 2026}
        assert connection.get("Music", {"artist": "c"}) is None


def test_endpoints_name_the_address_of_the_connection(server):
    with connect(server) as connection:
        (node,) = connection.call("endpoints")
        assert (node[2], node[3], node[4]) == (b"\x7f\0\0\1", server.dax_port, 1)


def test_advertised_addresses():
    with dax_server("--dax-advertise", "192.0.2.1:8111", "--dax-advertise", "[2001:db8::1]") as server:
        with connect(server) as connection:
            nodes = connection.call("endpoints")
        own = server.dax_port
        assert [(node[1], len(node[2]), node[3]) for node in nodes] == [("192.0.2.1", 4, 8111), ("2001:db8::1", 16, own)]


def test_large_items_pass(server):
    text = "x" * 390_000
    with connect(server) as connection:
        connection.put("Music", {"artist": "large"}, {"text": text})
        assert connection.get("Music", {"artist": "large"}) == {"text": text}


def test_pipelined_requests_are_answered_in_order(server):
    with connect(server) as connection:
        for number in range(20):
            connection.put("Music", {"artist": f"p{number}"}, {"n": number})
        connection.send(b"".join(request("getItem", b"Music", b"p%d" % number, None) for number in range(20)))
        found = [connection.reply()[0] for _ in range(20)]
        assert [content[-1] if number < 24 else None for number, content in enumerate(found)] == list(range(20))


def test_pieces_of_one_byte(server):
    with connect(server) as connection:
        for byte in request("defineKeySchema", b"Music"):
            connection.send(bytes([byte]))
        assert connection.reply() == {"artist": "S"}


def test_a_half_sent_request_delays_nobody(server):
    with connect(server) as slow, connect(server) as other:
        whole = request("getItem", b"Music", b"nobody", None)
        slow.send(whole[:-1])
        other.put("Music", {"artist": "quick"}, {})
        slow.send(whole[-1:])
        assert slow.reply() is None


def test_a_request_that_never_ends_is_given_up(server):
    with connect(server) as connection:
        connection.send(request("getItem", b"Music", b"nobody"))
        assert connection.ended()


@pytest.mark.parametrize(
    "sent",
    [
        preamble(magic="J7yne5X"),
        preamble(layering=2),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\xff" * 100,
        preamble() + b"\xff",
        preamble() + b"\x9f" * 1000,
        preamble() + encoded("not an id"),
        preamble() + request("authorizeConnection", 1, 2, 3, 4, 5),
    ],
)
def test_what_is_no_dax_ends_silently(server, sent):
    with Connection("127.0.0.1", server.dax_port, greeting=sent) as connection:
        assert connection.ended()


def logged(server, text):
    deadline = time.monotonic() + 10
    while text not in server.log():
        assert time.monotonic() < deadline, (text, server.log())
        time.sleep(0.02)


def test_what_speaks_another_protocol_is_logged():
    with dax_server("--log-level", "debug") as server:
        for method in ("GET", "POST"):
            asked = f"{method} / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".encode()
            with Connection("127.0.0.1", server.dax_port, greeting=asked) as connection:
                answer = connection.rest()
            assert answer.startswith(b"HTTP/1.1 400 ") and b"This port speaks the protocol of DAX" in answer
        logged(server, " spoke HTTP to the DAX port: DynamoDB's API is at --listen.")
        for sent, line in [
            (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", " spoke TLS to the DAX port of --dax: it has none."),
            (b"\xff" * 10, " sent bytes that are no preamble of DAX."),
            (preamble(layering=2), "The preamble of a DAX client at 127.0.0.1"),
            (preamble() + b"\xff", " sent a request that is malformed."),
        ]:
            with Connection("127.0.0.1", server.dax_port, greeting=sent) as connection:
                assert connection.ended()
            logged(server, line)
        with Connection("127.0.0.1", server.port, greeting=preamble() + authorization("local", "local")) as connection:
            assert b"400" in connection.rest()
        with Connection("127.0.0.1", server.port, greeting=preamble()):
            pass
        logged(server, " spoke DAX to the HTTP port: give it the address of --dax.")
        with connect(server) as connection:
            connection.send(request("putItem", b"Music", b"a") + b"\x5a\x7f\xff\xff\xff")
            with pytest.raises(DaxError):
                connection.reply()
        logged(server, " was refused: it has at least 2147483")
        logged(server, " bytes, and the limit is 16777216.")
        with connect(server) as connection:
            assert refusal(connection, "defineKeySchema", b"Nothing").code == "ResourceNotFoundException"
        logged(server, "about Nothing")


def test_operations_on_tables_are_refused_by_name(server):
    with connect(server) as connection:
        refused = refusal(connection, "describeTable", b"Music")
        assert refused.numbers == [4, 37, 38, 44]
        assert refused.message == "DescribeTable is not supported over DAX."
        assert connection.call("endpoints")


def test_an_unknown_method_ends_the_connection(server):
    with connect(server) as connection:
        assert refusal(connection, 785068263, 1).numbers == [4, 37, 38, 44]
        assert connection.ended()


def test_wrong_requests_are_answered(server):
    with connect(server) as connection:
        refused = refusal(connection, "getItem", b"Nothing", b"a", None)
        assert (refused.code, refused.status, refused.numbers) == ("ResourceNotFoundException", 400, [4, 37, 38, 39, 41])
        assert len(refused.request_id) == 52
        assert refusal(connection, "defineKeySchema", b"Nothing").code == "ResourceNotFoundException"
        for arguments in [(b"Music", b"", None), (b"Music", "text", None), (1, 2, 3), (b"Music", b"a", {2: "x"})]:
            assert refusal(connection, "getItem", *arguments).code == "ValidationException", arguments
        assert refusal(connection, "putItem", b"Music", b"a", encoded(99), None).code == "ValidationException"
        assert refusal(connection, "defineAttributeList", 99).code == "ValidationException"


def test_deep_and_large_requests_are_bounded(server):
    with connect(server) as connection:
        connection.send(request("putItem", b"Music", b"a") + b"\x81" * 100)
        assert connection.ended()
    with connect(server) as connection:
        connection.send(request("putItem", b"Music", b"a") + b"\x5a\x7f\xff\xff\xff")
        with pytest.raises(DaxError, match="16777216 bytes"):
            connection.reply()
        assert connection.ended()


def test_many_connections_at_once(server):
    failures = []

    def work(number):
        try:
            with connect(server) as connection:
                for turn in range(20):
                    connection.put("Music", {"artist": f"w{number}"}, {"turn": turn, f"only{number % 3}": number})
                    assert connection.get("Music", {"artist": f"w{number}"})["turn"] == turn
        except Exception as failure:  # each thread's own
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_an_authorization_is_needed(server):
    with Connection("127.0.0.1", server.dax_port) as connection:
        refused = refusal(connection, "endpoints")
        assert (refused.code, refused.numbers) == ("MissingAuthenticationTokenException", [4, 23, 31, 32])
        connection.send(request("putItem", b"Music", b"a") + b"\x5a\x00\x10\x00\x00")
        with pytest.raises(DaxError):
            connection.reply()
        assert connection.ended()


# --- with keys


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    path = tmp_path_factory.mktemp("keys") / "credentials"
    path.write_text(
        "[alice]\naws_access_key_id = AKIAALICE\naws_secret_access_key = secret of alice\n"
        "[root]\naws_access_key_id = AKIAROOT\naws_secret_access_key = secret of root\n"
        "[guest]\naws_access_key_id = ASIAGUEST\naws_secret_access_key = secret of guest\naws_session_token = token\n"
    )
    return path


@pytest.fixture(scope="module")
def strict_server(keys, tmp_path_factory):
    """Alice may read the table Music and write no item of it."""
    arn = "arn:aws:dynamodb:us-east-1:123456789012:table/Music"
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": arn}]}
    users = [
        {"UserName": name, "UserPolicyList": [{"PolicyName": "own", "PolicyDocument": document}] if document else []}
        for name, document in (("alice", policy), ("guest", None))
    ]
    path = tmp_path_factory.mktemp("users") / "users.json"
    path.write_text(json.dumps({"UserDetailList": users}))
    audit = tmp_path_factory.mktemp("audit") / "audit.log"
    arguments = ["--credentials", keys, "--identities", path, "--audit-log", audit, "--audit-data"]

    with dax_server(*arguments, keys=("AKIAROOT", "secret of root")) as started:
        started.audit = audit
        yield started


def test_policies_are_those_of_dynamodb(strict_server):
    with connect(strict_server, key="AKIAROOT", secret="secret of root") as root:
        root.put("Music", {"artist": "a"}, {"n": 1})
    with connect(strict_server, key="AKIAALICE", secret="secret of alice") as alice:
        assert alice.get("Music", {"artist": "a"}) == {"n": 1}
        refused = refusal(alice, "putItem", b"Music", b"a", encoded(1), None)
        assert (refused.code, refused.numbers) == ("AccessDeniedException", [4, 37, 38, 42])
        assert "dynamodb:PutItem" in refused.message
        refused = refusal(alice, "getItem", b"Other", b"a", None)
        assert refused.code == "AccessDeniedException"
    lines = [json.loads(line) for line in strict_server.audit.read_text().splitlines()]
    assert [(line["eventName"], line.get("errorCode")) for line in lines if line["eventName"] != "CreateTable"] == [
        ("PutItem", None),
        ("GetItem", None),
        ("PutItem", "AccessDeniedException"),
        ("GetItem", "AccessDeniedException"),
    ]
    assert lines[-1]["sourceIPAddress"] == "127.0.0.1"


def test_wrong_signatures_are_refused_by_the_next_request(strict_server):
    wrong = [
        ({"key": "AKIAROOT", "secret": "wrong"}, "InvalidSignatureException"),
        ({"key": "AKIANOBODY", "secret": "secret of root"}, "UnrecognizedClientException"),
        ({"key": "AKIAROOT", "secret": "secret of root", "date": "20260102T030405Z"}, "InvalidSignatureException"),
        ({"key": "AKIAROOT", "secret": "secret of root", "service": "dynamodb"}, "InvalidSignatureException"),
        ({"key": "AKIAROOT", "secret": "secret of root", "host": "example.com"}, "InvalidSignatureException"),
        ({"key": "ASIAGUEST", "secret": "secret of guest"}, "UnrecognizedClientException"),
        ({"key": "ASIAGUEST", "secret": "secret of guest", "token": "other"}, "UnrecognizedClientException"),
    ]
    with Connection("127.0.0.1", strict_server.dax_port) as connection:
        for credentials, code in wrong:
            connection.authorize(**credentials)
            refused = refusal(connection, "endpoints")
            assert (refused.code, refused.numbers[:3]) == (code, [4, 23, 31]), credentials
            connection.authorize("AKIAROOT", "secret of root")
            assert connection.call("endpoints")
        connection.authorize("ASIAGUEST", "secret of guest", token="token")
        assert connection.call("endpoints")
        connection.authorize("AKIAROOT", "secret of root", host="https://dax.amazonaws.com")
        assert connection.call("endpoints")


def test_namespaces_by_key():
    with dax_server("--namespaces", "key", keys=("one", "x")) as server:
        with connect(server, key="one") as first, connect(server, key="two") as second:
            first.put("Music", {"artist": "a"}, {"n": 1})
            assert first.get("Music", {"artist": "a"}) == {"n": 1}
            assert refusal(second, "defineKeySchema", b"Music").code == "ResourceNotFoundException"


def test_tls(tmp_path):
    certificate, key = write_certificate(tmp_path, "server")
    port = free_port()
    arguments = ["--dax-tls", f"127.0.0.1:{port}", "--tls-cert", certificate, "--tls-key", key]
    context = ssl.create_default_context(cafile=certificate)
    with running_server(in_memory=True, extra_args=map(str, arguments)) as server:
        assert f"daxs://127.0.0.1:{port}" in server.ready_line
        wrap = lambda plain: context.wrap_socket(plain, server_hostname="localhost")  # noqa: E731
        with Connection("127.0.0.1", port, framed=True, wrap=wrap) as connection:
            connection.authorize()
            assert connection.call("endpoints")[0][3] == port
        with pytest.raises((Ended, ConnectionError)), Connection("127.0.0.1", port) as plain:
            plain.send(authorization("local", "local"))
            plain.call("endpoints")


def test_connections_end_when_the_server_stops():
    with dax_server() as server:
        connection = connect(server)
        assert connection.call("endpoints")
    assert connection.ended()


def test_failed_authorizations_are_audited_when_they_happen(tmp_path):
    """And do not fill the disk: those that are left out are counted."""
    path, credentials = tmp_path / "audit", tmp_path / "credentials"
    credentials.write_text("[ann]\naws_access_key_id = AKIDANN\naws_secret_access_key = right\n")
    began = time.monotonic()
    with dax_server("--credentials", credentials, "--audit-log", path, keys=("AKIDANN", "right")) as server:
        with Connection("127.0.0.1", server.dax_port) as connection:
            connection.send(authorization("AKIDANN", "wrong") * 1_500)
            while "InvalidSignatureException" not in path.read_text():
                assert time.monotonic() - began < 60
                time.sleep(0.05)
            connection.authorize("AKIDANN", "right")
            assert connection.call("endpoints")
        assert path.stat().st_size < 70_000 + 4_096 * (time.monotonic() - began)
        time.sleep(1)
        client_of(server, "AKIDANN", "right").list_tables()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    told = [line for line in lines if line.get("errorCode") == "InvalidSignatureException"]
    left_out = sum(line["count"] for line in lines if line["eventName"] == "RefusedCallsLeftOut")
    assert len(told) > 50 and left_out and len(told) + left_out == 1_500
    assert {line["eventName"] for line in told} == {"DescribeEndpoints"}
