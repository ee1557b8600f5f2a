"""The administration socket: who may open the file may do everything, and signs nothing."""

import contextlib
import http.client
import http.server
import json
import os
import signal
import socket
import socketserver
import stat
import subprocess
import threading

import pytest
from certificate import write_certificate
from pages import get
from postgres import running_postgres
from server import Server, binary, running_server
from waiting import wait_until

NEXT = "start one, or name its directory, or the file of its --admin-socket."
FILE = "[root]\naws_access_key_id = AKIAROOT\naws_secret_access_key = secret\n"


class Unix(http.client.HTTPConnection):
    """Speaks HTTP over a socket in a directory, whose path may be longer than addresses are."""

    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        directory = os.open(self.path.parent, os.O_PATH)
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(f"/proc/self/fd/{directory}/{self.path.name}")
        os.close(directory)

    def ask(self, target, body="{}"):
        self.request("POST", "/", body, {"X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.0"})
        reply = self.getresponse()
        return reply.status, json.loads(reply.read())


def status(place):
    return subprocess.run([binary(), "status", str(place)], capture_output=True, text=True, timeout=60)


@pytest.fixture
def directory(tmp_path):
    """Longer than the address of a socket may be."""
    path = tmp_path / ("long" * 30)
    path.mkdir()
    return path


@pytest.mark.parametrize("tls", [False, True])
def test_nobody_signs_there(tmp_path, directory, tls):
    keys = tmp_path / "keys"
    keys.write_text(FILE)
    extra = ["--credentials", str(keys), "--region", "eu-west-1"]
    if tls:
        certificate, key = write_certificate(tmp_path, "localhost")
        extra += ["--tls-cert", str(certificate), "--tls-key", str(key)]
    with running_server(data_dir=directory, extra_args=extra):
        path = directory / "admin.sock"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        door = Unix(path)
        table = {"TableName": "Music", "BillingMode": "PAY_PER_REQUEST",
                 "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
                 "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}]}
        code, made = door.ask("DynamoDB_20120810.CreateTable", json.dumps(table))
        assert code == 200 and made["TableDescription"]["TableArn"].startswith("arn:aws:dynamodb:eu-west-1:")
        # A large body is not asked for a signature either.
        item = {"TableName": "Music", "Item": {"k": {"S": "a"}, "v": {"S": "x" * 100_000}}}
        assert door.ask("DynamoDB_20120810.PutItem", json.dumps(item)) == (200, {})
        assert door.ask("DynamoDB_20120810.ListTables") == (200, {"TableNames": ["Music"]})
        code, said = door.ask("Partita_20261123.Nothing")
        assert code == 400 and said["__type"].endswith("UnknownOperationException")
    assert not path.exists()


def test_a_directory_may_be_called_as_a_store_is(tmp_path):
    with running_server(data_dir=tmp_path / "memory"):
        for place in ("memory", "rocksdb:memory"):
            told = subprocess.run([binary(), "status", place], cwd=tmp_path, capture_output=True, text=True, timeout=60)
            assert told.returncode == 0 and "data in " in told.stdout, told


def test_credentials_that_nobody_would_believe_are_not_given(directory):
    with running_server(data_dir=directory, extra_args=["--users"]):
        door = Unix(directory / "admin.sock")
        door.request("POST", "/", "Action=GetSessionToken&Version=2011-06-15",
                     {"Content-Type": "application/x-www-form-urlencoded"})
        reply = door.getresponse()
        said = reply.read().decode()
        assert reply.status == 403 and "<Code>AccessDenied</Code>" in said
        assert "Cannot call GetSessionToken without a signature" in said


def test_metrics_need_no_token_there(tmp_path, directory):
    keys = tmp_path / "keys"
    keys.write_text(FILE)
    with running_server(data_dir=directory, extra_args=["--credentials", str(keys)]) as server:
        assert get(server, "/metrics")[0] == 403
        door = Unix(directory / "admin.sock")
        door.request("GET", "/metrics")
        reply = door.getresponse()
        assert reply.status == 200 and b"partita_build_info" in reply.read()


def test_a_store_that_is_away_is_told_of(tmp_path):
    door = tmp_path / "door"
    with running_postgres() as postgres, running_server(store=postgres.url, extra_args=["--admin-socket", str(door)]):
        told = status(door)
        assert told.returncode == 0 and f"\ndata in {postgres.url}\n" in told.stdout, told
        postgres.kill()
        away = f"partita: The store at {postgres.url} does not answer: "
        wait_until(lambda: status(door).returncode == 1)
        told = status(door)
        assert told.stderr.startswith(away) and "serving http" in told.stdout, told
        for words in (["namespace", "list", str(door)], ["user", "create", "ann", "--data", str(door)]):
            done = subprocess.run([binary(), *words], capture_output=True, text=True, timeout=60)
            assert (done.returncode, done.stdout) == (1, "") and done.stderr.startswith(away), done
    told = status(postgres.url)
    assert told.returncode == 1 and "start it with --admin-socket FILE, and name FILE here." in told.stderr


class Snapshotting(http.server.BaseHTTPRequestHandler):
    """What a server says while it makes a snapshot, which it does for an instant only."""

    def do_POST(self):
        said = json.dumps({"Version": "1", "Revision": "r", "Store": "s", "Urls": [], "ProcessId": 1, "UptimeSeconds": 1,
                           "UnderWay": "A snapshot is being made."}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def address_string(self):
        return ""


def test_what_requests_wait_for_is_no_failure(tmp_path):
    with socketserver.UnixStreamServer(str(tmp_path / "door"), Snapshotting) as server:
        threading.Thread(target=server.handle_request).start()
        told = status(tmp_path / "door")
        assert told.returncode == 0 and told.stdout.endswith("for 1 second\nA snapshot is being made.\n"), told


def test_the_port_has_none_of_it():
    with running_server() as server:
        door = http.client.HTTPConnection(server.host, server.port)
        headers = {"X-Amz-Target": "Partita_20261123.DescribeServer", "Content-Type": "application/x-amz-json-1.0",
                   "Authorization": "AWS4-HMAC-SHA256 Credential=a/20261123/us-east-1/dynamodb/aws4_request, "
                                    "SignedHeaders=host;x-amz-date, Signature=0", "X-Amz-Date": "20261123T000000Z"}
        door.request("POST", "/", "{}", headers)
        reply = door.getresponse()
        assert reply.status == 400 and b"UnknownOperationException" in reply.read()


def test_who_administers_is_counted_by_no_rate_and_audited(tmp_path, directory):
    keys, audit = tmp_path / "keys", tmp_path / "audit"
    keys.write_text(FILE)
    with running_server(data_dir=directory, extra_args=["--credentials", str(keys), "--request-rate", "1", "--audit-log",
                                                        str(audit)]):
        door = Unix(directory / "admin.sock")
        assert [door.ask("DynamoDB_20120810.ListTables")[0] for _ in range(5)] == [200] * 5
        assert [door.ask("Partita_20261123.ListNamespaces")[0] for _ in range(5)] == [200] * 5
        assert door.ask("Partita_20261123.Nothing")[0] == 400
        assert status(directory).returncode == 0
    *_, last = map(json.loads, audit.read_text().splitlines())
    assert (last["eventSource"], last["eventName"], last["readOnly"]) == ("partita", "Nothing", False)
    assert last["userIdentity"] == {"accessKeyId": "administrator"}
    assert last["errorCode"] == "UnknownOperationException"


def test_status(directory):
    with running_server(data_dir=directory) as server:
        for place in (directory, directory / "admin.sock"):
            told = status(place)
            assert told.returncode == 0 and told.stderr == ""
            assert f"process {server.process.pid}\n" in told.stdout
            assert f"serving {server.url}\n" in told.stdout and f"data in {directory}\n" in told.stdout
    told = status(directory)
    assert told.returncode == 1 and told.stdout == ""
    assert told.stderr == f"partita: No server listens at {directory}/admin.sock: {NEXT}\n"


def test_what_a_killed_server_left_is_replaced(directory):
    server = Server(directory).start()
    server.kill()
    assert (directory / "admin.sock").is_socket() and status(directory).returncode == 1
    with running_server(data_dir=directory):
        assert status(directory).returncode == 0


def test_where_it_is_asked_for(tmp_path):
    path = tmp_path / "door"
    with running_server(in_memory=True, extra_args=["--admin-socket", str(path)]):
        assert status(path).returncode == 0
        second = subprocess.run([binary(), "serve", "--in-memory", "--listen", "localhost:0", "--admin-socket", str(path)],
                                capture_output=True, text=True, timeout=60)
        assert second.returncode == 1 and "Address already in use" in second.stderr
        # It is still the first one's.
        assert status(path).returncode == 0
    assert not path.exists()
    with running_server(in_memory=True):
        assert list(tmp_path.iterdir()) == []


def test_a_file_in_its_place_is_left_alone(directory):
    path = directory / "admin.sock"
    with running_server(data_dir=directory):
        pass
    path.write_text("mine")
    with running_server(data_dir=directory) as server:
        assert server.client().list_tables()["TableNames"] == []
        assert "Verbs such as `partita status` cannot reach this server. Cannot listen at" in server.log()
        assert "there is something else of that name, which is left alone; move it away" in server.log()
    assert path.read_text() == "mine"


def test_who_listens_and_does_not_answer_is_not_waited_for(tmp_path):
    path = tmp_path / "door"
    with socket.socket(socket.AF_UNIX) as other, socket.socket(socket.AF_UNIX) as waits:
        other.bind(str(path))
        other.listen(0)
        waits.connect(str(path))
        ended = subprocess.run([binary(), "serve", "--in-memory", "--listen", "localhost:0", "--admin-socket", str(path)],
                               capture_output=True, text=True, timeout=60)
        assert ended.returncode == 1 and "Address already in use" in ended.stderr
        assert path.is_socket()


@contextlib.contextmanager
def stopped(server):
    """As one that is swapped out, or whose machine has no time for it."""
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.send_signal(signal.SIGCONT)


def verb(*words, err=subprocess.PIPE):
    return subprocess.Popen([binary(), *map(str, words)], stdout=subprocess.PIPE, stderr=err, text=True)


def test_a_server_that_does_not_answer_keeps_nobody_waiting_unknowing(tmp_path):
    """Short verbs end, and those that may take long say that they wait."""
    data = tmp_path / "data"
    backups = tmp_path / "backups"
    with running_server(data_dir=data) as server:
        with stopped(server):
            short = [verb("status", data), verb("snapshot", "list", data), verb("user", "list", "--data", data)]
            long = {"CreateSnapshot": ["snapshot", "create", "clean", data], "StartBackup": ["backup", data, backups]}
            for operation, words in long.items():
                said = tmp_path / operation
                with said.open("w") as err, verb(*words, err=err) as waits:
                    wait_until(lambda: said.read_text().endswith("\n"), lambda: f"{operation} says nothing")
                    waits.kill()
                assert said.read_text() == f"Waiting for the server at {data}, which has not answered yet.\n"
            silent = f"partita: The server at {data} does not answer: is its process stopped, or overloaded?"
            open_ = " Whether the call was carried out is not known.\n"
            for ends, rest in zip(short, ("\n", open_, open_)):
                assert ends.communicate(timeout=120) == ("", silent + rest)
                assert ends.returncode == 1
        # Those that were killed are not carried out.
        for operation in long:
            wait_until(lambda: f"{operation} was not carried out" in server.log())
        assert status(data).returncode == 0 and not backups.exists()


def test_a_socket_at_which_too_many_wait_is_told_of(tmp_path):
    path = tmp_path / "door"
    with contextlib.ExitStack() as stack, socket.socket(socket.AF_UNIX) as door:
        door.bind(str(path))
        door.listen(0)
        with pytest.raises(BlockingIOError):
            while True:
                waits = stack.enter_context(socket.socket(socket.AF_UNIX))
                waits.setblocking(False)
                waits.connect(str(path))
        done = status(path)
    assert (done.returncode, done.stderr) == (1, f"partita: Cannot reach the server at {path}: it does not answer.\n")


@pytest.mark.parametrize("body", ["{}", "[1]", "1", "no JSON"])
def test_what_is_no_server_of_partita_is_told_of(tmp_path, body):
    path = tmp_path / "door"
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(path))
        door.listen(1)
        asks = verb("status", path)
        with door.accept()[0] as asked:
            asked.recv(65536)
            asked.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            said = asks.communicate(timeout=60)
    assert (asks.returncode, *said) == (1, "", f"partita: The program at {path} is not a Partita server.\n")


def test_what_nobody_waits_for_any_more_is_not_carried_out(tmp_path):
    body = b'{"Name": "clean"}'

    def ask(operation):
        door = Unix(tmp_path / "admin.sock")
        door.connect()
        head = f"POST / HTTP/1.1\r\nHost: a\r\nX-Amz-Target: Partita_20261123.{operation}\r\n"
        head += f"Content-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}\r\n\r\n"
        door.sock.sendall(head.encode() + body)
        return door.sock

    with running_server(data_dir=tmp_path) as server:
        assert verb("snapshot", "create", "clean", tmp_path).wait(60) == 0
        with stopped(server):
            ask("DeleteSnapshot").close()
            # Who only says no more still wants to know.
            waits = ask("ListSnapshots")
            waits.shutdown(socket.SHUT_WR)
        wait_until(lambda: "DeleteSnapshot was not carried out: who asked for it has gone." in server.log())
        listed = verb("snapshot", "list", tmp_path).communicate(timeout=60)[0]
        assert listed.startswith("clean:")
        with contextlib.closing(waits):
            assert waits.recv(65536).startswith(b"HTTP/1.1 400 ")
