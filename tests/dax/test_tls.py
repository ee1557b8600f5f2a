"""DAX over TLS, with a certificate of an authority that the machine does not know."""

import pathlib
import subprocess
import sys
import tempfile

import boto3
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from at_once import at_once, once, shared  # noqa: E402
from certificate import write_certificate  # noqa: E402
from drivers import NAMES, started, tool  # noqa: E402
from same import compared  # noqa: E402
from served import available, dax_server  # noqa: E402
from server import MAKING_CLIENTS  # noqa: E402
from tables import N, S, table  # noqa: E402

PUT = {"name": "put", "call": "PutItem", "input": {"TableName": "safe", "Item": {"pk": S("a"), "n": N("1.5")}}}
GET = {"name": "get", "call": "GetItem", "input": {"TableName": "safe", "Key": {"pk": S("a")}}}


def told_of(authority, client):
    """The variables that make a program trust an authority."""
    if client.startswith("javascript"):
        return {"NODE_EXTRA_CA_CERTS": str(authority)}
    if not client.startswith("java"):
        return {"SSL_CERT_FILE": str(authority)}
    options = f"-Djavax.net.ssl.trustStore={trust_store(authority)} -Djavax.net.ssl.trustStorePassword=trusted"
    return {"JAVA_TOOL_OPTIONS": options}


@once
def trust_store(authority):
    store = authority.with_suffix(".p12")
    command = [tool("keytool"), "-importcert", "-noprompt", "-alias", "authority", "-file", authority]
    subprocess.run([*command, "-keystore", store, "-storepass", "trusted"], check=True, capture_output=True)
    return store


def write_files(folder):
    """The authority's certificate, the server's certificate and its key."""
    authority, authority_key = write_certificate(folder, "authority")
    key, request, certificate, names = (folder / name for name in ("server.key", "server.csr", "server.pem", "names"))
    names.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    asked = "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=server".split()
    subprocess.run([*asked, "-keyout", key, "-out", request], check=True, capture_output=True)
    signed = ["openssl", "x509", "-req", "-days", "2", "-in", request, "-CA", authority, "-CAkey", authority_key]
    subprocess.run([*signed, "-CAcreateserial", "-extfile", names, "-out", certificate], check=True, capture_output=True)
    return authority, certificate, key


@shared
def server():
    """Its `authority` is a file."""
    with tempfile.TemporaryDirectory() as folder:
        authority, certificate, key = write_files(pathlib.Path(folder))
        options = ["--tls-cert", str(certificate), "--tls-key", str(key)]
        with dax_server(in_memory=True, tls=True, extra_args=options) as started_server:
            keys = {"region_name": "us-east-1", "aws_access_key_id": "local", "aws_secret_access_key": "local"}
            with MAKING_CLIENTS:
                client = boto3.client("dynamodb", endpoint_url=started_server.url, verify=str(authority), **keys)
            client.create_table(**table("safe", {"pk": "S"}, ("pk",)))
            started_server.authority = authority
            yield started_server


@pytest.mark.parametrize("client", NAMES)
@at_once
def test_with_the_authority(client):
    available(client)
    with started(client, server().dax_url, **told_of(server().authority, client)) as driver:
        for _ in range(5):  # Java's first client gives a handshake one second, which is little on a busy machine
            found = [compared(result) for result in driver.make([PUT, GET])]
            if not any(result["error"] for result in found):
                break
    assert [result["error"] for result in found] == [None, None]
    assert found[1]["outputs"] == compared({"outputs": [{"Item": PUT["input"]["Item"]}]})["outputs"]


@pytest.mark.parametrize("client", NAMES)
@at_once
def test_without_the_authority(client):
    available(client)
    with started(client, server().dax_url) as driver:
        assert driver.make([GET])[0]["error"]
