"""TLS: what clients of it get, what becomes of bytes that are none, and certificates that are replaced."""

import json
import os
import random
import signal
import socket
import ssl
import struct
import subprocess
import time

import boto3
import pytest
from botocore.config import Config
from certificate import write_certificate
from raw import Connection, request
from server import binary, running_server
from waiting import wait_until

IDLE_TIMEOUT_S = 2
MIB = 1 << 20


def flags(certificate):
    return ["--tls-cert", str(certificate[0]), "--tls-key", str(certificate[1])]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return write_certificate(tmp_path_factory.mktemp("tls"), "first")


@pytest.fixture(scope="module")
def shared(certificate):
    limits = ["--idle-timeout", str(IDLE_TIMEOUT_S), "--threads", "2"]
    with running_server(in_memory=True, extra_args=[*flags(certificate), *limits]) as started:
        assert started.url.startswith("https://")
        yield started


@pytest.fixture
def server(shared, certificate):
    """It still runs and answers after the case."""
    yield shared
    assert ask(shared, certificate, request()).status == 200


class Tls(Connection):
    """As its base, over TLS; the certificate is verified."""

    def __init__(self, server, certificate, most=ssl.TLSVersion.MAXIMUM_SUPPORTED, protocols=()):
        super().__init__(server)
        context = ssl.create_default_context(cafile=certificate[0])
        context.maximum_version = most
        context.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF
        if protocols:
            context.set_alpn_protocols(list(protocols))
        self.socket = context.wrap_socket(self.socket, server_hostname="localhost")


def ask(server, certificate, data, **how):
    opened = Tls(server, certificate, **how)
    opened.send(data)
    reply = opened.reply()
    opened.close()
    return reply


def boto(server, certificate, access="local", secret="local"):
    keys = {"aws_access_key_id": access, "aws_secret_access_key": secret, "region_name": "us-east-1"}
    config = Config(retries={"max_attempts": 0})
    verify = str(certificate[0]) if certificate else None
    return boto3.client("dynamodb", endpoint_url=server.url, verify=verify, config=config, **keys)


def operation(name, **body):
    return request(json.dumps(body), {"X-Amz-Target": f"DynamoDB_20120810.{name}"})


@pytest.mark.parametrize("suites, taken", [("ECDHE+AESGCM", True), ("ECDHE+CHACHA20", True), ("AES128-SHA:AES256-SHA256", False),
                                           ("ECDHE+AES+SHA:ECDHE+AES+SHA256:ECDHE+AES+SHA384:!AESGCM", False), ("AESGCM:!ECDHE:!DHE", False)])
def test_suites_of_tls_1_2(server, certificate, suites, taken):
    """None of CBC, whose padding was attacked again and again, and none without forward secrecy."""
    context = ssl.create_default_context(cafile=certificate[0])
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(suites)
    with socket.create_connection((server.host, server.port), 20) as plain:
        if taken:
            with context.wrap_socket(plain, server_hostname="localhost") as agreed:
                assert agreed.cipher()[0].startswith("ECDHE-")
        else:
            with pytest.raises(ssl.SSLError, match="HANDSHAKE_FAILURE"):
                context.wrap_socket(plain, server_hostname="localhost")


@pytest.mark.parametrize("version", ["TLSv1.2", "TLSv1.3"])
def test_versions(server, certificate, version):
    opened = Tls(server, certificate, ssl.TLSVersion[version.replace(".", "_")])
    assert opened.socket.version() == version
    opened.send(request())
    assert opened.reply().status == 200
    opened.close()


def test_old_versions_are_refused(server, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.load_verify_locations(certificate[0])
    with pytest.raises(ssl.SSLError, match="(?i)protocol version"):
        context.wrap_socket(Connection(server).socket, server_hostname="localhost")


@pytest.mark.parametrize("offered, chosen", [((), None), (["http/1.1"], "http/1.1"), (["h2", "http/1.1"], "http/1.1")])
def test_alpn(server, certificate, offered, chosen):
    assert Tls(server, certificate, protocols=offered).socket.selected_alpn_protocol() == chosen


def test_who_speaks_only_another_protocol_is_told(server, certificate):
    with pytest.raises(ssl.SSLError, match="(?i)no application protocol"):
        Tls(server, certificate, protocols=["h2"])


def test_an_unmodified_client(server, certificate):
    client = boto(server, certificate)
    key = {"AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
           "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}]}
    client.create_table(TableName="plain", BillingMode="PAY_PER_REQUEST", **key)
    client.put_item(TableName="plain", Item={"k": {"S": "a"}, "v": {"N": "1"}})
    assert client.get_item(TableName="plain", Key={"k": {"S": "a"}})["Item"]["v"] == {"N": "1"}
    client.delete_table(TableName="plain")


def test_large_requests_and_replies(server, certificate):
    """Larger than what is sealed, or received, at once; on one connection."""
    client = boto(server, certificate)
    client.create_table(TableName="large", BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                        KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}])
    values = {str(at): random.Random(at).randbytes(390_000 // 2).hex() for at in range(40)}
    for most in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        opened = Tls(server, certificate, most)
        for first in range(0, 40, 20):
            puts = [{"PutRequest": {"Item": {"k": {"S": str(at)}, "v": {"S": values[str(at)]}}}}
                    for at in range(first, first + 20)]
            opened.send(operation("BatchWriteItem", RequestItems={"large": puts}))
            assert opened.reply().json() == {"UnprocessedItems": {}}
        keys = [{"k": {"S": at}} for at in values]
        opened.send(operation("BatchGetItem", RequestItems={"large": {"Keys": keys}}))
        read = {each["k"]["S"]: each["v"]["S"] for each in opened.reply().json()["Responses"]["large"]}
        assert read == values
        opened.close()
    client.delete_table(TableName="large")


def test_many_requests_at_once(server, certificate):
    """In one record."""
    opened = Tls(server, certificate)
    opened.send(request() * 50)
    for _ in range(50):
        assert opened.reply().status == 200
    opened.close()


def handshake_bytes(server, certificate):
    """What a client sends first."""
    context = ssl.create_default_context(cafile=certificate[0])
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    inside = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        inside.do_handshake()
    return inside, incoming, outgoing


def test_a_byte_at_a_time(server, certificate):
    inside, incoming, outgoing = handshake_bytes(server, certificate)
    plain = Connection(server)
    plain.socket.settimeout(0.2)

    def pump():
        for byte in outgoing.read():
            plain.send(bytes([byte]))
        try:
            incoming.write(plain.socket.recv(65536))
        except TimeoutError:
            pass

    while True:
        pump()
        try:
            inside.do_handshake()
            break
        except ssl.SSLWantReadError:
            continue
    inside.write(request())
    received = b""
    while b"TableNames" not in received:
        pump()
        try:
            received += inside.read(65536)
        except ssl.SSLWantReadError:
            continue
    assert received.startswith(b"HTTP/1.1 200 OK\r\n")
    plain.close()


def test_the_end_is_said(server, certificate):
    """So that a client can tell it from a connection that somebody cut."""
    opened = Tls(server, certificate)
    opened.socket.suppress_ragged_eofs = False
    opened.send(request(headers={"Connection": "close"}))
    assert opened.reply().status == 200
    assert opened.socket.recv(1) == b""
    opened.close()


def test_plain_http_is_told_the_scheme(server):
    opened = Connection(server)
    opened.send(request())
    reply = opened.reply()
    assert reply.status == 400
    assert b"https://" in reply.body
    assert opened.at_end()
    opened.close()


@pytest.mark.parametrize("seed", range(40))
def test_bytes_that_are_no_tls(server, certificate, seed):
    """The client's first message with bytes changed, cut, or nothing of it: never more than an alert comes back."""
    how = random.Random(seed)
    _, _, outgoing = handshake_bytes(server, certificate)
    data = bytearray(outgoing.read())
    if seed % 4 == 0:
        data = bytearray(how.randbytes(how.randrange(1, 70_000)))
    for _ in range(how.randrange(1, 8)):
        data[how.randrange(len(data))] = how.randrange(256)
    if seed % 3 == 0:
        del data[how.randrange(len(data)):]
    opened = Connection(server)
    opened.send(bytes(data))
    opened.finish_sending()
    received = b""
    try:
        while piece := opened.socket.recv(65536):
            received += piece
    except ConnectionResetError:
        pass
    assert len(received) < 20_000
    assert b"TableNames" not in received
    opened.close()


def test_a_handshake_does_not_last_for_ever(server, certificate):
    """Its bytes come slowly: the idle timeout is for all of it."""
    _, _, outgoing = handshake_bytes(server, certificate)
    opened = Connection(server)
    began = time.monotonic()
    ended = False
    for byte in outgoing.read():
        opened.send(bytes([byte]))
        opened.socket.settimeout(0.1)
        try:
            ended = opened.socket.recv(1) == b""
        except TimeoutError:
            continue
        except ConnectionResetError:
            ended = True
        break
    assert ended and time.monotonic() - began < IDLE_TIMEOUT_S + 13
    opened.close()


def test_clients_that_vanish(server, certificate):
    """In the middle of a handshake, of a record, of a reply; with a reset, so that writing fails."""
    for at in range(60):
        inside, _, outgoing = handshake_bytes(server, certificate)
        opened = Connection(server) if at % 2 else Tls(server, certificate)
        if at % 2:
            opened.send(outgoing.read()[: 50 * at])
        else:
            opened.send(request() * at)
        opened.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        opened.close()


def write_certificate_of(directory, name, begin, end):
    """As write_certificate() does, for another time."""
    (directory / "index").touch()
    (directory / "serial").write_text("01\n")
    parts = write_certificate(directory, name)
    settings = f"[ca]\ndefault_ca=d\n[d]\ndatabase={directory}/index\nserial={directory}/serial\nnew_certs_dir={directory}\n"
    (directory / "settings").write_text(settings + "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
    asked = directory / "asked.csr"
    for command in (["req", "-new", "-key", parts[1], "-subj", f"/CN={name}", "-out", asked],
                    ["ca", "-batch", "-selfsign", "-notext", "-config", directory / "settings", "-keyfile", parts[1],
                     "-in", asked, "-startdate", begin, "-enddate", end, "-out", parts[0]]):
        subprocess.run(["openssl", *map(str, command)], check=True, capture_output=True)
    return parts


@pytest.mark.parametrize("begin, end, why", [("20200101000000Z", "20200102000000Z", " has expired."),
                                             ("20980101000000Z", "20990101000000Z", " is not valid yet.")])
def test_a_certificate_of_another_time_is_warned_of(tmp_path, begin, end, why):
    parts = write_certificate_of(tmp_path, "old", begin, end)
    with running_server(in_memory=True, extra_args=flags(parts)) as server:
        assert f"warn  The certificate in {parts[0]}{why} Clients will refuse it." in server.log()


def test_a_certificate_is_replaced(tmp_path, certificate):
    """On SIGHUP. Open connections go on; files that cannot be used leave what is there."""
    mine = write_certificate(tmp_path, "mine")
    other = write_certificate(tmp_path, "other")
    with running_server(in_memory=True, extra_args=flags(mine)) as server:
        before = [path.read_bytes() for path in mine]
        opened = Tls(server, mine)

        def replace(parts):
            lines = server.log().count("SIGHUP")
            for path, text in zip(mine, parts):
                path.write_bytes(text)
            os.kill(server.process.pid, signal.SIGHUP)
            wait_until(lambda: server.log().count("SIGHUP") > lines)

        replace([path.read_bytes() for path in other])
        opened.send(request())
        assert opened.reply().status == 200
        assert ask(server, other, request()).status == 200
        replace([b"nothing", b"of use"])
        assert "previous certificate is kept" in server.log()
        assert ask(server, other, request()).status == 200
        replace([before[0], other[1].read_bytes()])  # a key of another certificate
        assert ask(server, other, request()).status == 200
        replace(before)
        assert ask(server, mine, request()).status == 200
        with pytest.raises(ssl.SSLCertVerificationError):
            ask(server, other, request())
        opened.close()


def locked_key(pair, key):
    subprocess.run(["openssl", "ec", "-in", pair[1], "-aes256", "-passout", "pass:secret", "-out", key], check=True,
                   capture_output=True)


def other_kind_of_key(_, key):
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)


def write_text(text):
    return lambda _, path: path.write_text(text)


NO_KEY = "The key in {key} is not the key of the certificate in {pem}."


@pytest.mark.parametrize("which, make, said", [
    ("pem", lambda *_: None, "The certificate in {pem} cannot be read: No such file or directory."),
    ("key", lambda *_: None, "The key in {key} cannot be read: No such file or directory."),
    ("pem", lambda _, path: path.mkdir(), "The certificate in {pem} cannot be read: Is a directory."),
    ("pem", write_text(""), "The certificate in {pem} cannot be read: it is empty."),
    ("pem", write_text("hello\n"), "The certificate in {pem} is not PEM: there is no line '-----BEGIN CERTIFICATE-----' in it."),
    ("pem", lambda pair, path: path.write_bytes(pair[1].read_bytes()),
     "The certificate in {pem} is not PEM: there is no line '-----BEGIN CERTIFICATE-----' in it."),
    ("pem", write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), "The certificate in {pem} is damaged ("),
    ("key", lambda pair, path: path.write_bytes(pair[0].read_bytes()),
     "The key in {key} is not PEM: there is no line '-----BEGIN PRIVATE KEY-----' in it."),
    ("key", write_text("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), "The key in {key} is damaged ("),
    ("key", lambda _, path: path.write_bytes(write_certificate(path.parent, "another")[1].read_bytes()), NO_KEY),
    ("key", other_kind_of_key, NO_KEY),
    ("key", locked_key, "The key in {key} has a passphrase, and there is nobody to be asked for it."),
])
def test_what_can_not_be_used_is_named(tmp_path, which, make, said):
    pair = write_certificate(tmp_path, "one")
    other = tmp_path / f"other.{which}"
    make(pair, other)
    pair[0 if which == "pem" else 1] = other
    ended = subprocess.run([binary(), "serve", "--in-memory", "--listen", "127.0.0.1:0", *flags(pair)],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr.startswith("partita: " + said.format(pem=pair[0], key=pair[1])), ended.stderr


def test_one_of_both_files_is_not_enough(tmp_path):
    pair = write_certificate(tmp_path, "one")
    ended = subprocess.run([binary(), "serve", "--in-memory", "--listen", "127.0.0.1:0", *flags(pair)[:2]],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2 and "--tls-key" in ended.stderr


def test_policies_see_that_it_is_encrypted(tmp_path, certificate):
    """aws:SecureTransport, with TLS and without."""
    credentials, identities = tmp_path / "credentials", tmp_path / "identities"
    credentials.write_text("[one]\naws_access_key_id = AKIDONE\naws_secret_access_key = secret-of-one\n")
    document = {"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*",
                              "Condition": {"Bool": {"aws:SecureTransport": "true"}}}}
    inline = {"PolicyName": "over-tls", "PolicyDocument": document}
    identities.write_text(json.dumps({"UserDetailList": [{"UserName": "one", "UserPolicyList": [inline]}]}))
    callers = ["--credentials", str(credentials), "--identities", str(identities)]
    for shown in (certificate, None):
        with running_server(in_memory=True, extra_args=[*callers, *(flags(shown) if shown else [])]) as server:
            client = boto(server, shown, "AKIDONE", "secret-of-one")
            if shown:
                assert client.list_tables()["TableNames"] == []
            else:
                with pytest.raises(client.exceptions.ClientError, match="AccessDenied"):
                    client.list_tables()
