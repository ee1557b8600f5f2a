"""Clients that mean harm, or merely do too much at once: each alone, against a server of its own with tight limits. The
server stays within its memory, answers others meanwhile, and lives on."""

import base64
import json
import os
import resource
import socket
import stat
import threading
import time

import pytest
from raw import Connection, assert_healthy, connection, exchange, head, request
from server import binary, is_sanitized, running_server
from waiting import wait_until

MIB = 1 << 20

measured = pytest.mark.skipif(is_sanitized(), reason="measures memory, which a sanitizer takes for itself")
without_files = pytest.mark.skipif(is_sanitized(), reason="a sanitizer's checks need files")


def operation(name, **body):
    return request(json.dumps(body), {"X-Amz-Target": f"DynamoDB_20120810.{name}"})


def memory(server, what="VmRSS"):
    """Bytes that the server's process has; "VmHWM" is the most that it ever had."""
    with open(f"/proc/{server.process.pid}/status") as status:
        return int(next(line for line in status if line.startswith(what)).split()[1]) << 10


class Watched:
    """The most memory that the server took while the block ran, beyond what it had before."""

    def __init__(self, server):
        self.server = server

    def __enter__(self):
        with open(f"/proc/{self.server.process.pid}/clear_refs", "w") as file:
            file.write("5")  # begins VmHWM anew
        self.before = memory(self.server)
        return self

    def __exit__(self, *_):
        self.grown = memory(self.server, "VmHWM") - self.before


def make_table(server, name="tab", indexes=()):
    keys = {"AttributeDefinitions": [{"AttributeName": each, "AttributeType": "S"} for each in ("k", *indexes)]}
    keys["KeySchema"] = [{"AttributeName": "k", "KeyType": "HASH"}]
    if indexes:
        whole = {"Projection": {"ProjectionType": "ALL"}}
        keys["GlobalSecondaryIndexes"] = [
            {"IndexName": f"of_{each}", "KeySchema": [{"AttributeName": each, "KeyType": "HASH"}], **whole}
            for each in indexes
        ]
    assert exchange(server, operation("CreateTable", TableName=name, BillingMode="PAY_PER_REQUEST", **keys)).status == 200
    description = operation("DescribeTable", TableName=name)
    wait_until(lambda: exchange(server, description).json()["Table"]["TableStatus"] == "ACTIVE")


def fill(server, items, size, name="tab"):
    for at in range(items):
        item = {"k": {"S": str(at)}, "v": {"S": f"{at:06}" * (size // 6)}}
        assert exchange(server, operation("PutItem", TableName=name, Item=item)).status == 200


def close_all(connections):
    for each in connections:
        each.close()


# --- memory -----------------------------------------------------------------------------------------------------------

BUDGET = 64
SLACK = 24 * MIB  # what many connections and the allocator take beside it


@pytest.fixture(scope="module")
def tight_server():
    arguments = ["--memory-budget", str(BUDGET), "--threads", "2", "--request-timeout", "20"]
    with running_server(in_memory=True, extra_args=arguments) as started:
        make_table(started)
        yield started


@measured
def test_bodies_that_are_held_back(tight_server):
    """Each sends all of a large body but its end. Who asks for little is served meanwhile."""
    size = 15_000_000
    piece = head({"Content-Length": size}) + b" " * (size - 1)
    with Watched(tight_server) as watched:
        opened = [Connection(tight_server) for _ in range(20)]
        threads = [threading.Thread(target=each.send, args=[piece]) for each in opened]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            assert_healthy(tight_server)
        assert_healthy(tight_server)
        refused = [each for each in opened if each.send(b"\n")]
        statuses = [reply.status for reply in (each.reply() for each in refused) if reply is not None]
        close_all(opened)
    assert watched.grown < BUDGET * MIB + SLACK
    assert 503 in statuses
    assert_healthy(tight_server)


def test_a_refusal_for_want_of_memory_says_so(tight_server):
    with connection(tight_server) as opened:
        size = 16 * MIB
        with connection(tight_server) as first, connection(tight_server) as second, connection(tight_server) as third:
            for each in (first, second, third):
                each.send(head({"Content-Length": size}) + b" " * (size - 1))
            opened.send(head({"Content-Length": size}) + b" " * (size - 1))
            reply = opened.reply()
    assert reply.status == 503
    assert reply.kind() == "ServiceUnavailableException"
    assert reply.headers["connection"] == "close"
    assert_healthy(tight_server)


@measured
@pytest.mark.parametrize("value", [b"1", b'""', b"{}", b"[]"])
def test_bodies_whose_tree_is_many_times_as_large(tight_server, value):
    body = b"[" + (value + b",") * (16_000_000 // (len(value) + 1)) + b"1]"
    body = b'{"TableName":"tab","Item":{"k":{"S":"x"}},"Unknown":' + body + b"}"
    data = request(body, {"X-Amz-Target": "DynamoDB_20120810.PutItem"})
    statuses = []

    def send():
        reply = exchange(tight_server, data)
        statuses.append(reply and reply.status)

    with Watched(tight_server) as watched:
        threads = [threading.Thread(target=send) for _ in range(6)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            assert_healthy(tight_server)
    assert set(statuses) <= {200, 503, None}
    assert watched.grown < BUDGET * MIB + SLACK, watched.grown
    assert_healthy(tight_server)


@measured
def test_replies_that_nobody_reads(tight_server):
    fill(tight_server, 38, 400_000)
    keys = [{"k": {"S": str(at)}} for at in range(38)]
    data = operation("BatchGetItem", RequestItems={"tab": {"Keys": keys}})
    with Watched(tight_server) as watched:
        opened = [Connection(tight_server) for _ in range(20)]
        for each in opened:
            each.send(data)
        for _ in range(20):
            assert_healthy(tight_server)
        time.sleep(0.5)
    # Beside what waits to be read, each thread makes one reply, which takes some copies.
    assert watched.grown < BUDGET * MIB + 2 * 4 * 16 * MIB + SLACK, watched.grown
    statuses = [reply and reply.status for reply in (each.reply() for each in opened)]
    assert 200 in statuses and 503 in statuses, statuses
    close_all(opened)


@measured
def test_requests_of_a_client_that_never_reads(tight_server):
    """Nothing more is read from whoever takes no replies."""
    with Watched(tight_server) as watched, connection(tight_server) as opened:
        data = memoryview(request(method="PUT") * 100_000)
        opened.socket.settimeout(0.5)
        sent = 0
        try:
            while sent < len(data):
                sent += opened.socket.send(data[sent : sent + MIB])
        except TimeoutError:
            pass
    assert len(data) > 30 * MIB
    assert sent < 20 * MIB
    assert watched.grown < 10 * MIB


def test_a_large_reply_arrives_whole_at_a_slow_reader(tight_server):
    fill(tight_server, 38, 400_000)
    keys = [{"k": {"S": str(at)}} for at in range(38)]
    with connection(tight_server) as opened:
        opened.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        opened.send(operation("BatchGetItem", RequestItems={"tab": {"Keys": keys}}))
        received = b""
        while b"\r\n\r\n" not in received:
            received += opened.socket.recv(1000)
        size = int(received.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        body = bytearray(received.split(b"\r\n\r\n", 1)[1])
        while len(body) < size:
            time.sleep(0.002)
            body += opened.socket.recv(100_000)
        opened.send(request())  # nothing was left behind it
        assert opened.reply().status == 200
    items = json.loads(body)["Responses"]["tab"]
    assert {item["k"]["S"] for item in items} == {str(at) for at in range(38)}
    assert all(item["v"]["S"] == f"{int(item['k']['S']):06}" * (400_000 // 6) for item in items)


@measured
def test_a_body_without_credentials_is_not_read(tight_server):
    size = 15_000_000
    with Watched(tight_server) as watched:
        opened = [Connection(tight_server) for _ in range(10)]
        for each in opened:
            each.send(head({"Content-Length": size, "Authorization": None}))
            reply = each.reply()
            assert (reply.status, reply.kind()) == (400, "MissingAuthenticationTokenException")
            each.send(b" " * MIB)
        close_all(opened)
    assert watched.grown < 10 * MIB


def test_a_small_body_is_judged_as_dynamodb_does(tight_server):
    """Its JSON before its sender."""
    assert exchange(tight_server, request("{", {"Authorization": None})).kind() == "SerializationException"


@measured
@pytest.mark.parametrize("in_memory", [True, False])
def test_a_limit_of_the_address_space(in_memory):
    """Allocations fail, for real: requests do too, with a 5xx, and the server lives."""
    with running_server(in_memory=in_memory, extra_args=["--threads", "2"]) as server:
        make_table(server)
        fill(server, 10, 300_000)
        keys = [{"k": {"S": str(at)}} for at in range(10)]
        items = {f"a{at}": {"B": base64.b64encode(bytes(3)).decode()} for at in range(15_000)}
        shapes = [
            operation("PutItem", TableName="tab", Item={"k": {"S": "x"}, "v": {"S": "v" * 390_000}}),
            operation("BatchGetItem", RequestItems={"tab": {"Keys": keys}}),
            operation("PutItem", TableName="tab", Item={"k": {"S": "y"}, **items}),
            operation("PutItem", TableName="tab", Item={"k": {"S": "y"}, "v": {"S": "v" * 15_000_000}}),
            operation("Scan", TableName="tab"),
        ]
        seen = set()
        for room in range(0, 40, 2):
            limit = memory(server, "VmSize") + room * MIB
            resource.prlimit(server.process.pid, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
            for data in shapes:
                reply = exchange(server, data)
                seen.add(reply and reply.status)
                if reply is not None and reply.status == 400:
                    assert reply.kind() == "ValidationException", reply.body
        assert seen <= {None, 200, 400, 500, 503}
        assert seen & {500, 503}, seen
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert_healthy(server)
        for data in shapes[:3]:
            assert exchange(server, data).status == 200
        assert "memory" in server.log()


# --- time -------------------------------------------------------------------------------------------------------------


def checks(items, functions):
    """A transaction that looks for what is not there, in all of these items that nearly match everywhere."""
    condition = " OR ".join(f"contains(v, :v{at})" for at in range(functions))
    values = {f":v{at}": {"S": "0" * 100 + f"x{at}"} for at in range(functions)}
    check = {"TableName": "tab", "ConditionExpression": condition, "ExpressionAttributeValues": values}
    actions = [{"ConditionCheck": {**check, "Key": {"k": {"S": str(at)}}}} for at in range(items)]
    return operation("TransactWriteItems", TransactItems=actions)


@pytest.mark.parametrize("in_memory", [True, False])
def test_a_long_transaction_keeps_nobody_waiting(in_memory):
    """Neither on its only thread, nor for the items that it looks at."""
    with running_server(in_memory=in_memory, extra_args=["--threads", "1"]) as server:
        make_table(server)
        for at in range(40):
            item = {"k": {"S": str(at)}, "v": {"S": "0" * 390_000}}
            assert exchange(server, operation("PutItem", TableName="tab", Item=item)).status == 200
        replies = []
        thread = threading.Thread(target=lambda: replies.append(exchange(server, checks(40, 75), timeout_s=300)))
        began = time.monotonic()
        thread.start()
        worst = 0.0
        others = [operation("ListTables"), operation("GetItem", TableName="tab", Key={"k": {"S": "7"}})]
        others.append(operation("PutItem", TableName="tab", Item={"k": {"S": "8"}, "v": {"S": "0" * 390_000}}))
        with connection(server) as opened:
            while thread.is_alive():
                for each in others:
                    sent = time.monotonic()
                    opened.send(each)
                    assert opened.reply().status == 200
                    worst = max(worst, time.monotonic() - sent)
                time.sleep(0.3)
        thread.join()
        took = time.monotonic() - began
        assert replies[0].kind() == "TransactionCanceledException"
        assert took > 1.5, "this machine is too fast for the test"
        assert worst < took / 3, (worst, took)


def many(entry):
    """So many members that they fill most of what a body may hold."""
    return "{" + ",".join(entry % at for at in range(14_000_000 // len(entry % 100_000))) + "}"


@pytest.mark.parametrize(
    ("name", "member", "entry", "status"),
    [
        ("PutItem", "Expected", '"%x":{"Exists":false}', 200),
        ("PutItem", "ExpressionAttributeNames", '"#%x":"a"', 400),
        ("Query", "QueryFilter", '"%x":{"ComparisonOperator":"NULL"}', 200),
        ("UpdateItem", "AttributeUpdates", '"%x":{"Action":"DELETE"}', 200),
    ],
)
def test_a_body_of_very_many_members_keeps_nobody_waiting(name, member, entry, status):
    """It takes long to read, but not on the thread that serves others."""
    key = {"k": {"S": "x"}}
    others = {
        "PutItem": {"Item": key},
        "UpdateItem": {"Key": key},
        "Query": {"KeyConditions": {"k": {"ComparisonOperator": "EQ", "AttributeValueList": [key["k"]]}}},
    }
    body = {"TableName": "tab", **others[name]}
    if status == 400:
        body["ConditionExpression"] = "attribute_exists(#1)"
    text = json.dumps(body)[:-1] + f',"{member}":{many(entry)}}}'
    data = request(text, {"X-Amz-Target": f"DynamoDB_20120810.{name}"})
    with running_server(in_memory=True, extra_args=["--threads", "1"]) as server:
        make_table(server)
        shares = []
        for _ in range(3):
            replies = []
            thread = threading.Thread(target=lambda into=replies: into.append(exchange(server, data)))
            began = time.monotonic()
            thread.start()
            worst = 0.0
            with connection(server) as opened:
                while thread.is_alive():
                    sent = time.monotonic()
                    opened.send(operation("ListTables"))
                    assert opened.reply().status == 200
                    worst = max(worst, time.monotonic() - sent)
                    time.sleep(0.01)
            assert replies[0].status == status
            shares.append(worst / (time.monotonic() - began))
        assert min(shares) < 0.4, shares


@measured
def test_a_large_batch_takes_the_memory_of_a_piece():
    """Each of its items is stored in 21 places."""
    indexes = [f"g{at}" for at in range(20)]
    with running_server(extra_args=["--threads", "2"]) as server:
        make_table(server, indexes=indexes)
        keys = {name: {"S": "x"} for name in indexes}
        puts = [{"PutRequest": {"Item": {"k": {"S": str(at)}, "v": {"S": "v" * 390_000}, **keys}}} for at in range(25)]
        data = operation("BatchWriteItem", RequestItems={"tab": puts})
        with Watched(server) as watched:
            reply = exchange(server, data)
        assert (reply.status, reply.json()["UnprocessedItems"]) == (200, {})
        assert watched.grown < 200 * MIB, watched.grown
        assert exchange(server, operation("Scan", TableName="tab", IndexName="of_g19", Limit=1)).json()["Count"] == 1


# --- file descriptors -------------------------------------------------------------------------------------------------


@pytest.fixture
def few_files(tmp_path, monkeypatch):
    """The server may open 128 files and no more."""
    script = tmp_path / "partita"
    script.write_text(f'#!/bin/sh\nulimit -n 128\nexec {binary()} "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PARTITA_BINARY", str(script))


def test_idle_clients_do_not_take_the_stores_files(few_files):
    with running_server(extra_args=["--threads", "2"]) as server:
        make_table(server)
        opened = []
        for at in range(300):
            opened.append(Connection(server))
            if at % 50 == 49:
                fill(server, 2, 200_000)
                assert_healthy(server)
        files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        assert files < 128
        close_all(opened)
        fill(server, 2, 1000)
        assert "Fewer connections" in server.log()


def answers(server):
    reply = exchange(server, request())
    return reply is not None and reply.status == 200


@without_files
def test_a_flood_of_connections_leaves_no_loop_behind(few_files):
    """All of them at once, so that accepting fails; then there is quiet."""
    with running_server(in_memory=True, extra_args=["--threads", "2"]) as server:
        opened = [Connection(server) for _ in range(400)]
        for each in opened:
            each.send(b"POST / HTTP/1.1\r\n")
        close_all(opened)
        wait_until(lambda: answers(server))  # it may still be closing them

        def cpu():
            with open(f"/proc/{server.process.pid}/stat") as file:
                return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

        before = cpu()
        time.sleep(0.5)
        assert cpu() - before < 0.1


# --- one connection, two readers --------------------------------------------------------------------------------------

SMUGGLED = b"POST / HTTP/1.1\r\nHost: smuggled\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize(
    "lines",
    [
        {"Content-Length": 4, "Transfer-Encoding": "chunked"},
        {"Transfer-Encoding": "gzip, chunked"},
        {"Transfer-Encoding": "chunked, identity"},
        {"Transfer-Encoding": "xchunked"},
        {"Transfer-Encoding": "chunked\r\nTransfer-Encoding: identity"},
        {"Transfer-Encoding": "\x0bchunked"},
        {"Transfer-Encoding ": "chunked"},
        {"Transfer-Encoding\t": "chunked", "Content-Length": 4},
        {"X: y\r\n Transfer-Encoding": "chunked", "Content-Length": 4},
        {"X: y\rTransfer-Encoding": "chunked", "Content-Length": 4},
        {"X: y\nTransfer-Encoding": "chunked", "Content-Length": 4},
        {"Content-Length": "4\r\nContent-Length: 4"},
        {"Content-Length": "4\r\nContent-Length: 90"},
        {"Content-Length": "4, 4"},
        {"Content-Length": "+4"},
        {"Content-Length": "4 0"},
        {"Content-Length": "0x4"},
        {"": "no name", "Content-Length": 4},
        {"Host": "a\r\nHost: b", "Content-Length": 4},
        {"Host": None, "Content-Length": 4},
        {"X-Amz-Target": "DynamoDB_20120810.ListTables\r\nx-amz-target: DynamoDB_20120810.DeleteTable", "Content-Length": 4},
        {"Authorization": "a\r\nAuthorization: b", "Content-Length": 4},
    ],
)  # fmt: skip
def test_smuggling(tight_server, lines):
    """The first request is refused, and what stands behind it is never taken for a second one."""
    with connection(tight_server) as opened:
        opened.send(head(lines) + b"0\r\n\r\n" + SMUGGLED)
        assert opened.reply().status == 400
        assert opened.at_end()


@pytest.mark.parametrize("version", [b"HTTP/2.0", b"HTTP/1.2", b"HTTP/0.9", b"HTTP/1.1 ", b"http/1.1", b""])
def test_versions(tight_server, version):
    with connection(tight_server) as opened:
        opened.send(request(b"").replace(b"HTTP/1.1", version, 1) + SMUGGLED)
        assert opened.reply().status == 400
        assert opened.at_end()


@pytest.mark.parametrize(
    "chunks",
    [b"2;\r\n{}\r\n0\r\n\r\n", b'2;a="\r\n{}\r\n0\r\n\r\n', b"2 ;a\r\n{}\r\n0\r\n\r\n", b"2;a\n{}\r\n0\r\n\r\n", b"2\n{}\r\n0\r\n\r\n",
     b"2\r\n{}0\r\n\r\n", b"2\r\n{}\n0\r\n\r\n", b"0x2\r\n{}\r\n0\r\n\r\n", b"2\r\n{}\r\n0\r\nA: b\n\r\n", b"2\r\n{}\r\n0\r\n bad\r\n\r\n"],
)  # fmt: skip
def test_odd_chunks(tight_server, chunks):
    with connection(tight_server) as opened:
        opened.send(head({"Transfer-Encoding": "chunked"}) + chunks + SMUGGLED)
        assert opened.reply().status == 400
        assert opened.at_end()


def test_a_refused_body_is_read_on_so_that_the_refusal_arrives(tight_server):
    data = head({"Content-Length": 17 * MIB}) + b" " * (17 * MIB)
    for _ in range(5):
        with connection(tight_server) as opened:
            assert opened.send(data)
            opened.finish_sending()
            assert opened.reply().status == 413
            assert opened.at_end()
