"""Spans of OpenTelemetry, as a collector is sent them: the JSON of OTLP's ExportTraceServiceRequest."""

import contextlib
import http.server
import json
import pathlib
import re
import socket
import ssl
import subprocess
import threading
import time

import pytest
from botocore.exceptions import ClientError
from certificate import write_certificate
from server import binary, is_sanitized, running_server
from test_namespaces import ask, client_of

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
KEYS = {"AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}


class Collector:
    def __init__(self):
        self.requests, self.changed, self.status, self.answer = [], threading.Condition(), 200, b"{}"

    def spans(self):
        with self.changed:
            return [span for _, body in self.requests for resource in body["resourceSpans"]
                    for scope in resource["scopeSpans"] for span in scope["spans"]]

    def wait_for(self, count):
        deadline = time.monotonic() + 30
        while len(self.spans()) < count:
            with self.changed:
                assert self.changed.wait(deadline - time.monotonic()), f"{len(self.spans())} of {count} spans came"
        return self.spans()


@contextlib.contextmanager
def collecting(pair=None):
    """With a certificate and its key, over TLS."""
    collector = Collector()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.headers["Content-Type"] == "application/json"
            assert self.headers["Host"] == collector.url.split("//")[1]
            with collector.changed:
                if collector.status == 200:
                    collector.requests.append((self.path, body))
                collector.changed.notify_all()
            self.send_response(collector.status)
            self.send_header("content-length", str(len(collector.answer)))
            self.end_headers()
            self.wfile.write(collector.answer)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if pair is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*pair)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    collector.port = server.server_port
    collector.url = f"http{'s' if pair else ''}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def attributes(of):
    def plain(value):
        (kind, held), = value.items()
        return [plain(each) for each in held["values"]] if kind == "arrayValue" else int(held) if kind == "intValue" else held
    return {each["key"]: plain(each["value"]) for each in of["attributes"]}


def with_header(client, value):
    client.meta.events.register("before-send.dynamodb", lambda request, **_: request.headers.__setitem__("traceparent", value))
    return client


def metric(server, outcome):
    import urllib.request

    text = urllib.request.urlopen(server.url + "/metrics").read().decode()
    return float(re.search(rf'partita_trace_spans_total{{outcome="{outcome}"}} (\S+)', text).group(1))


def test_a_span_of_each_request():
    with collecting() as collector, running_server(in_memory=True, extra_args=["--trace-to", collector.url]) as server:
        began = time.time_ns()
        client = server.client()
        client.create_table(TableName="Music", **KEYS)
        got = client.get_item(TableName="Music", Key={"k": {"S": "a secret key"}})
        with pytest.raises(ClientError):
            client.get_item(TableName="Nowhere", Key={"k": {"S": "a"}})
        client.batch_get_item(RequestItems={"Music": {"Keys": [{"k": {"S": "a"}}]}})
        spans = collector.wait_for(4)
        assert [span["name"] for span in spans] == [
            "DynamoDB.CreateTable", "DynamoDB.GetItem", "DynamoDB.GetItem", "DynamoDB.BatchGetItem"]
        path, body = collector.requests[0]
        assert path == "/v1/traces"
        service = attributes(body["resourceSpans"][0]["resource"])
        assert service["service.name"] == "partita" and re.fullmatch(r"\d+\.\d+\.\d+", service["service.version"])
        for span in spans:
            assert re.fullmatch("[0-9a-f]{32}", span["traceId"]) and re.fullmatch("[0-9a-f]{16}", span["spanId"])
            assert "parentSpanId" not in span and span["kind"] == 2 and "status" not in span
            start, end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
            assert began - 10**9 < start < end < time.time_ns() + 10**9
        assert len({span["traceId"] for span in spans}) == len({span["spanId"] for span in spans}) == 4
        told = attributes(spans[1])
        assert told == {
            "rpc.system": "aws-api", "rpc.service": "DynamoDB", "rpc.method": "GetItem",
            "aws.request_id": got["ResponseMetadata"]["RequestId"], "aws.dynamodb.table_names": ["Music"],
            "http.response.status_code": 200, "client.address": "127.0.0.1", "cloud.region": "us-east-1"}
        told = attributes(spans[2])
        assert told["error.type"] == "ResourceNotFoundException" and told["http.response.status_code"] == 400
        assert "a secret key" not in json.dumps(collector.requests)
        deadline = time.monotonic() + 30
        while metric(server, "sent") < 4 and time.monotonic() < deadline:  # they count once the collector has answered
            time.sleep(0.01)
        assert metric(server, "sent") == 4 and metric(server, "dropped") == 0


@pytest.mark.parametrize("flags, count", [("01", 1), ("00", 0)])
def test_the_caller_decides(flags, count):
    with collecting() as collector, running_server(in_memory=True, extra_args=["--trace-to", collector.url]) as server:
        with_header(server.client(), f"00-{TRACE}-{PARENT}-{flags}").list_tables()
        server.client().list_tables()
        spans = collector.wait_for(count + 1)
        server.stop()
        assert [(span["traceId"], span.get("parentSpanId")) for span in spans[:-1]] == [(TRACE, PARENT)] * count
        assert len(collector.spans()) == count + 1


def test_one_in_many_and_a_path():
    extra = ["--trace-one-in", "4"]
    with collecting() as collector:
        with running_server(in_memory=True, extra_args=["--trace-to", collector.url + "/otel/v1", *extra]) as server:
            client = server.client()
            for _ in range(400):
                client.list_tables()
        # What was begun is sent before the server ends; 400 draws of a quarter, ten deviations wide.
        assert 20 < len(collector.spans()) < 190
        assert {path for path, _ in collector.requests} == {"/otel/v1"}


def test_a_collector_with_tls_shows_a_certificate_that_is_trusted(tmp_path, monkeypatch):
    pair = write_certificate(tmp_path, "collector")
    for authorities, sent in ((pair[0], 1), (write_certificate(tmp_path, "other")[0], 0)):
        monkeypatch.setenv("SSL_CERT_FILE", str(authorities))
        monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
        with collecting(pair) as collector:
            with running_server(in_memory=True, extra_args=["--trace-to", collector.url]) as server:
                server.client().list_tables()
                server.stop()
                assert len(collector.spans()) == sent
                assert sent or "certificate" in server.log()


def test_a_proxy_of_the_environment_is_asked(monkeypatch):
    with collecting() as proxy:
        proxy.url = "http://collector.invalid"
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        with running_server(in_memory=True, extra_args=["--trace-to", proxy.url]) as server:
            monkeypatch.delenv("http_proxy")
            server.client().list_tables()
            server.stop()
        assert len(proxy.spans()) == 1
        assert {path for path, _ in proxy.requests} == {"http://collector.invalid/v1/traces"}


def test_nobody_waits_for_a_collector():
    """Whether it refuses, is gone, or takes the connection and says nothing."""
    with socket.socket() as silent, collecting() as collector:
        silent.bind(("127.0.0.1", 0))
        silent.listen(0)
        collector.status = 503
        for url in (f"http://127.0.0.1:{silent.getsockname()[1]}", collector.url, "http://127.0.0.1:9"):
            with running_server(in_memory=True, extra_args=["--trace-to", url]) as server:
                client = server.client()
                began = time.monotonic()
                for _ in range(2_000):
                    client.list_tables()
                assert time.monotonic() - began < 60
                if url != collector.url and "9" != url[-1]:
                    continue
                deadline = time.monotonic() + 30
                while metric(server, "dropped") < 2_000:
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
                assert metric(server, "sent") == 0
                assert "The collector of traces took none of" in server.log()


@contextlib.contextmanager
def saying(what):
    """A collector that reads a request and then says `what`, bit by bit; the URL, and how much it could say so far."""
    said = [0]

    def serve(listening):
        while True:
            try:
                peer, _ = listening.accept()
                with peer:
                    peer.recv(1 << 16)
                    for part in what():
                        peer.sendall(part)
                        said[0] += len(part)
            except OSError:
                if listening.fileno() < 0:
                    return

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(8)
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", said
        listening.shutdown(socket.SHUT_RDWR)


def test_a_collector_that_never_ends_its_answer_holds_up_no_end():
    def drip():
        yield b"HTTP/1.1 200 OK\r\n"
        while True:
            yield b"x"
            time.sleep(0.05)

    with saying(drip) as (url, said):
        with running_server(in_memory=True, extra_args=["--trace-to", url]) as server:
            server.client().list_tables()
            deadline = time.monotonic() + 30
            while not said[0] and time.monotonic() < deadline:
                time.sleep(0.01)
            server.stop()  # fails when the server hangs


def test_garbage_is_not_read_for_long():
    def garbage():
        while True:
            yield b"x" * 65536

    with saying(garbage) as (url, said), running_server(in_memory=True, extra_args=["--trace-to", url]) as server:
        server.client().list_tables()
        deadline = time.monotonic() + 60
        while metric(server, "dropped") < 1:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert said[0] < 32 << 20


def test_what_waits_takes_little_memory():
    names = [f"{number:03}" + "t" * 252 for number in range(100)]
    request = {"RequestItems": {name: {"Keys": [{"k": {"S": "a"}}]} for name in names}}
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(0)
        with running_server(in_memory=True, extra_args=["--trace-to", f"http://127.0.0.1:{silent.getsockname()[1]}"]) as server:
            for number in range(4_000):
                ask(server, "BatchGetItem", request if number % 4 else {"TableName": "t" * 60_000}, prefix="DynamoDB_20120810.")
            resident = re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{server.process.pid}/status").read_text())
            assert int(resident.group(1)) < (768 if is_sanitized() else 64) << 10  # freed memory is kept for a while
            assert metric(server, "dropped") > 1_000


def test_what_a_collector_says_that_it_refused_is_counted():
    with collecting() as collector, running_server(in_memory=True, extra_args=["--trace-to", collector.url]) as server:
        for answer, dropped in ((b'{"partialSuccess":{}}', 0), (b'{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}', 1),
                                (b"nothing of the kind", 1), (b'{"partialSuccess":{"rejectedSpans":1000}}', 2)):
            collector.answer = answer
            count = len(collector.spans())
            server.client().list_tables()
            collector.wait_for(count + 1)
            deadline = time.monotonic() + 30
            while metric(server, "sent") + metric(server, "dropped") < count + 1:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            assert metric(server, "dropped") == dropped


def test_spans_name_the_namespace():
    extra = ["--namespaces", "header"]
    with collecting() as collector, running_server(in_memory=True, extra_args=["--trace-to", collector.url, *extra]) as server:
        for name in ("mine", None):
            client_of(server, name, "header").list_tables()
        assert [attributes(span).get("db.namespace") for span in collector.wait_for(2)] == ["mine", None]


@pytest.mark.parametrize("words", [["--trace-to", "ftp://h"], ["--trace-to", "h:1"], ["--trace-one-in", "2"],
                                   ["--trace-to", "http://h", "--trace-one-in", "0"]])
def test_misuse(words):
    done = subprocess.run([binary(), "serve", "--in-memory", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and re.fullmatch(r"partita: [^\n]+\.\n", done.stderr)
