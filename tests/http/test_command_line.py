"""What the program says and how it ends."""

import contextlib
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import time

import pytest
from raw import connection, exchange, head, request
from server import ROOT, binary, is_sanitized, running_server
from waiting import wait_until

STOPS_WITHIN_S = 4  # what is being answered has 5


def run(*words):
    return subprocess.run([binary(), *map(str, words)], capture_output=True, text=True, timeout=60)


def assert_one_sentence(text):
    assert re.fullmatch(r"partita: [^\n]+\.\n", text), text


def test_version():
    done = run("version")
    assert done.returncode == 0
    first, revision, *formats = done.stdout.splitlines()
    assert re.fullmatch(r"partita \d+\.\d+\.\d+", first)
    assert re.fullmatch(r"revision ([0-9a-f]{7,40}(-dirty)?|unknown)", revision)
    assert formats[0] == "format 1 of rocksdb:DIR"
    assert [line.split(":")[0] for line in formats[1:]] == ["format 1 of postgresql", "format 1 of fdb"]


@pytest.mark.parametrize("words", [["help"], ["--help"], ["serve", "--help"], ["version", "--help"], ["help", "serve"]])
def test_help(words):
    done = run(*words)
    assert done.returncode == 0 and done.stderr == ""
    assert "Usage: partita" in done.stdout


@pytest.mark.parametrize("words", [[], ["dance"], ["serve", "--dance"], ["serve", "--listen", "x"], ["serve", "--threads"]])
def test_misuse(words):
    done = run(*words)
    assert done.returncode == 2 and done.stdout == ""
    assert_one_sentence(done.stderr)


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize("console", [True, False])
def test_the_ready_line(in_memory, console):
    with running_server(in_memory=in_memory, extra_args=[] if console else ["--no-console"]) as server:
        place = "memory" if in_memory else str(server.data_dir)
        pattern = rf"partita \d+\.\d+\.\d+ is serving DynamoDB on {re.escape(server.url)}, data in {re.escape(place)}"
        pattern += rf", console at {re.escape(server.url)}/console/\n" if console else "\n"
        assert re.fullmatch(pattern, server.ready_line)
        assert exchange(server, request()).status == 200


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_cleanly(how):
    with running_server(in_memory=True) as server, connection(server) as idle:
        idle.send(request())
        assert idle.reply().status == 200
        begin = time.monotonic()
        server.process.send_signal(how)
        assert server.process.wait(20) == 0
        assert time.monotonic() - begin < STOPS_WITHIN_S
        assert idle.at_end()


def stops_at_once(server, how=signal.SIGTERM):
    begin = time.monotonic()
    server.process.send_signal(how)
    assert server.process.wait(20) == 0, server.log()
    assert time.monotonic() - begin < STOPS_WITHIN_S
    return True


def test_half_sent_requests_do_not_hold_up_a_stop():
    halves = [b"POST / HT", head({"Content-Length": 100}) + b"{", head({"Transfer-Encoding": "chunked"}) + b"5\r\nab"]
    with running_server(in_memory=True) as server, contextlib.ExitStack() as stack:
        opened = [stack.enter_context(connection(server)) for _ in range(30)]
        for at, each in enumerate(opened):
            each.send(halves[at % len(halves)])
        time.sleep(0.1)
        assert stops_at_once(server)
        assert all(each.at_end() for each in opened)


def unread_reply(server, stack):
    """A connection with a reply under way that its client does not take."""
    keys = {"AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}]}
    keys["KeySchema"] = [{"AttributeName": "k", "KeyType": "HASH"}]
    client = server.client()
    client.create_table(TableName="tab", BillingMode="PAY_PER_REQUEST", **keys)
    client.get_waiter("table_exists").wait(TableName="tab")
    for at in range(38):
        client.put_item(TableName="tab", Item={"k": {"S": str(at)}, "v": {"S": "x" * 400_000}})
    body = {"RequestItems": {"tab": {"Keys": [{"k": {"S": str(at)}} for at in range(38)]}}}
    opened = stack.enter_context(connection(server))
    opened.send(request(json.dumps(body), {"X-Amz-Target": "DynamoDB_20120810.BatchGetItem"}))
    time.sleep(0.5)
    return opened


def test_a_stop_lets_a_reply_under_way_arrive():
    with running_server(in_memory=True) as server, contextlib.ExitStack() as stack:
        opened = unread_reply(server, stack)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        reply = opened.reply()
        assert reply.status == 200 and len(reply.body) > 15_000_000
        assert opened.at_end()
        assert server.process.wait(5) == 0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_server_that_waits_for_a_file(tmp_path, how):
    """A pipe that nobody writes to, as any of the files that options name may be."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    server = subprocess.Popen([binary(), "serve", "--in-memory", "--listen", "localhost:0", "--metrics-token", str(pipe)])

    def opened():
        with contextlib.suppress(OSError):  # until there is a reader
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)

    writer = wait_until(opened)
    try:
        server.send_signal(how)
        assert server.wait(20) == -how
    finally:
        os.close(writer)
        server.kill()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_stops_it_at_once(how):
    with running_server(in_memory=True) as server, contextlib.ExitStack() as stack:
        unread_reply(server, stack)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(1.1)
        assert server.running()
        assert stops_at_once(server, how)
        assert "at once" in server.log()


def test_a_hangup_changes_nothing():
    with running_server(in_memory=True) as server:
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        assert exchange(server, request()).status == 200
        assert "SIGHUP" in server.log()


def test_two_signals_at_once_are_one():
    """What `timeout` does to the processes of a group."""
    with running_server(in_memory=True) as server, contextlib.ExitStack() as stack:
        opened = unread_reply(server, stack)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.001)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        assert len(opened.reply().body) > 15_000_000
        assert server.process.wait(5) == 0
        assert "at once" not in server.log()


def test_many_connections_do_not_hold_up_a_stop():
    halves = [b"", request(), b"POST / HT", head({"Content-Length": 15_000_000}) + b"{" * 200_000]
    with running_server(extra_args=["--threads", "2"]) as server, contextlib.ExitStack() as stack:
        opened = [stack.enter_context(connection(server)) for _ in range(800)]
        for at, each in enumerate(opened):
            each.send(halves[at % len(halves)])
        time.sleep(0.3)
        assert stops_at_once(server)


def test_it_listens_on_both_loopback_addresses():
    with running_server(in_memory=True, host="localhost") as server:
        assert f"http://127.0.0.1:{server.port} and http://[::1]:{server.port}, data in" in server.ready_line
        for host in ("127.0.0.1", "::1"):
            with socket.create_connection((host, server.port), 5) as opened:
                opened.sendall(request(headers={"Connection": "close"}))
                assert b" 200 OK" in opened.recv(1000)


def test_one_address_of_version_6():
    with running_server(in_memory=True, host="::1") as server:
        assert f" on http://[::1]:{server.port}, data in" in server.ready_line
        assert exchange(server, request()).status == 200
    done = run("serve", "--in-memory", "--listen", "::1")
    assert done.returncode == 2
    assert_one_sentence(done.stderr)
    assert "[::1]:8000" in done.stderr


@pytest.mark.parametrize("host, warned", [("localhost", False), ("ip6-loopback", False), ("127.0.0.1", False), ("0.0.0.0", True)])
def test_it_warns_of_other_machines_only_where_they_reach_it(host, warned):
    try:
        socket.getaddrinfo(host, 0)
    except socket.gaierror as error:
        pytest.skip(f"this machine does not know {host}: {error}")
    with running_server(in_memory=True, extra_args=["--insecure"], host=host) as server:
        assert ("Anyone who reaches the port" in server.log()) == warned


def test_as_many_threads_as_it_may_use_processors():
    mine = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(mine)})  # the server inherits it
        with running_server(in_memory=True) as server:
            assert "Serving with 1 thread," in server.log() and "capacity" not in server.log()
    finally:
        os.sched_setaffinity(0, mine)


@pytest.mark.parametrize("address", ["0.0.0.0", "[::]"])
def test_it_stays_on_this_machine_unless_told(address):
    done = run("serve", "--in-memory", "--listen", f"{address}:0")
    assert done.returncode == 1 and done.stdout == ""
    assert_one_sentence(done.stderr)
    assert "--insecure" in done.stderr


def test_one_place_for_the_data(tmp_path):
    done = run("serve", "--in-memory", "--data", tmp_path / "data")
    assert done.returncode == 2
    assert_one_sentence(done.stderr)
    assert not (tmp_path / "data").exists()


def test_a_directory_of_somebody_else(tmp_path):
    (tmp_path / "thesis.tex").write_text("Chapter 1")
    done = run("serve", "--listen", "127.0.0.1:0", "--data", tmp_path)
    assert done.returncode == 1 and done.stdout == ""
    assert_one_sentence(done.stderr)
    assert "thesis.tex" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["thesis.tex"]


LINE = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (error|warn |info |debug) [^\n]+\n"


def test_what_it_tells():
    with running_server(in_memory=True) as server:
        assert exchange(server, request()).status == 200
        log = server.log()
        assert re.fullmatch(f"({LINE})+", log), log
        assert "Serving with" in log and "ListTables" not in log
    with running_server(in_memory=True, extra_args=["--log-level", "debug"]) as server:
        assert exchange(server, request()).status == 200
        assert "ListTables was answered 200" in server.log()
    with running_server(in_memory=True, extra_args=["--log-level", "error"]) as server:
        assert exchange(server, request()).status == 200
        assert server.log() == ""
    with running_server(in_memory=True, extra_args=["--slow-request", "0"]) as server:
        assert exchange(server, request()).status == 200
        assert re.search(r"warn  ListTables was answered 200 after \d+ ms \(request [0-9A-Z]{52}, by access key \w+, from 127\.0\.0\.1\)\.", server.log())


def test_a_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("serve", "--in-memory", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert done.returncode == 1 and done.stdout == ""
    assert_one_sentence(done.stderr)
    assert "in use" in done.stderr


def test_an_address_of_another_machine():
    done = run("serve", "--in-memory", "--listen", "192.0.2.1:0")
    assert done.returncode == 1
    assert_one_sentence(done.stderr)


def refused_before_the_store(tmp_path, *options):
    """The sentence of a server that does not start; no store was made for it."""
    data = tmp_path / "data"
    done = run("serve", "--data", data, *options)
    assert done.returncode == 1 and done.stdout == ""
    assert_one_sentence(done.stderr)
    assert not data.exists()
    return done.stderr


def test_a_refused_start_leaves_no_store(tmp_path):
    missing = tmp_path / "missing"
    free = ("--listen", "127.0.0.1:0")
    assert "--insecure" in refused_before_the_store(tmp_path, "--listen", "0.0.0.0:0")
    assert "Cannot listen on" in refused_before_the_store(tmp_path, "--listen", "192.0.2.1:0")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "in use" in refused_before_the_store(tmp_path, "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    for option in ("--credentials", "--metrics-token", "--seed"):
        assert str(missing) in refused_before_the_store(tmp_path, *free, option, missing)
    assert str(missing) in refused_before_the_store(tmp_path, *free, "--tls-cert", missing, "--tls-key", missing)
    for option in ("--audit-log", "--admin-socket"):
        assert str(missing) in refused_before_the_store(tmp_path, *free, option, missing / "file")


def test_an_administration_socket_in_a_new_store(tmp_path):
    """Its directory is made with the store."""
    path = tmp_path / "data" / "operator"
    with running_server(data_dir=tmp_path / "data", extra_args=["--admin-socket", str(path)]):
        assert path.is_socket()
    assert not path.exists()


@contextlib.contextmanager
def server_of_a_manager(notify_socket):
    """A server that somebody else is to be told of. Whatever becomes of the test, it is there no longer afterwards."""
    with subprocess.Popen([binary(), "serve", "--in-memory", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
                          env=os.environ | {"NOTIFY_SOCKET": notify_socket}) as server:
        try:
            yield server
        finally:
            server.kill()


@pytest.mark.parametrize("abstract", [False, True])
def test_systemd_is_told(tmp_path, abstract):
    """That it serves, once it does, and that it stops."""
    name = f"partita-test-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"\0{name}" if abstract else name)
        manager.settimeout(60)
        with server_of_a_manager(f"@{name}" if abstract else name) as server:
            assert manager.recv(1000) == b"READY=1"
            assert b"is serving" in server.stdout.readline()
            server.terminate()
            assert manager.recv(1000) == b"STOPPING=1"
            assert server.wait(timeout=60) == 0


@pytest.mark.parametrize("name", ["/nowhere/socket", "@nobody", "relative", "", "/" + "long" * 100])
def test_a_manager_that_does_not_listen_is_left_alone(name):
    with server_of_a_manager(name) as server:
        assert b"is serving" in server.stdout.readline()
        server.terminate()
        assert server.wait(timeout=60) == 0


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer's checks need files")
@pytest.mark.parametrize("files", range(4, 8))
def test_fewer_files_than_its_threads_need(files):
    command = [binary(), "serve", "--in-memory", "--threads", "2", "--listen", "127.0.0.1:0"]
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    done = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stdout == ""
    assert_one_sentence(done.stderr)
    assert "Too many open files" in done.stderr


@pytest.mark.parametrize("place", ["/dev/null/x", "/proc/x", "/dev/null"])
def test_a_directory_that_cannot_be_written(place):
    done = run("serve", "--listen", "127.0.0.1:0", "--data", place)
    assert done.returncode == 1 and done.stdout == ""
    assert_one_sentence(done.stderr)
    assert place in done.stderr


def test_a_file_where_a_directory_should_be(tmp_path):
    (tmp_path / "notes").write_text("mine")
    done = run("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "notes")
    assert done.returncode == 1 and done.stdout == ""
    assert_one_sentence(done.stderr)
    assert f"{tmp_path / 'notes'} is a file" in done.stderr
    assert (tmp_path / "notes").read_text() == "mine"


def test_a_directory_that_is_in_use():
    with running_server() as server:
        done = run("serve", "--listen", "127.0.0.1:0", "--data", server.data_dir)
        assert done.returncode == 1 and done.stdout == ""
        assert_one_sentence(done.stderr)
        assert str(server.data_dir) in done.stderr
        assert exchange(server, request()).status == 200


def test_a_store_that_is_damaged(tmp_path):
    with running_server(data_dir=tmp_path):
        pass
    for name in pathlib.Path(tmp_path).rglob("CURRENT"):
        name.write_bytes(b"nonsense")
    done = run("serve", "--listen", "127.0.0.1:0", "--data", tmp_path)
    assert done.returncode == 1 and done.stdout == ""
    assert_one_sentence(done.stderr)
    assert str(tmp_path) in done.stderr


def completed(tmp_path, *words):
    """What bash offers behind these words."""
    program = tmp_path / "bin" / "partita"
    if not program.exists():
        program.parent.mkdir()
        program.symlink_to(pathlib.Path(binary()).resolve())
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _partita 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script, "bash", str(ROOT / "packaging" / "partita.bash"), "partita", *map(str, words)],
                          capture_output=True, text=True, timeout=60, cwd=tmp_path, check=True,
                          env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"})
    return done.stdout.split()


def test_completions_behind_names_and_places(tmp_path):
    (tmp_path / "home").mkdir()
    for words, offered in [
        (["user", "create", "alice", "--da"], ["--data"]),
        (["snapshot", "rollback", "clean", "./home", "--na"], ["--namespace"]),
        (["backup", "./home", "./b", "--ke"], ["--keep"]),
        (["backup", "./ho"], ["./home"]),
        (["backup", "li"], ["list"]),
        (["status", "ho"], ["home"]),
        (["role", "create", "r", "ho"], ["home"]),
        (["user", "create", "ho"], []),
        (["help", "us"], ["user"]),
        (["help", "user", "key", ""], ["create", "delete"]),
        (["help", "serve", "--"], []),
        (["user", "k"], ["key"]),
        (["serve", "--listen", ""], []),
        (["serve", "--in-memory", "--li"], ["--listen"]),
    ]:
        assert completed(tmp_path, *words) == offered, words
