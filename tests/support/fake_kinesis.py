"""A small Kinesis in place of a real one, and a relay in front of a real one. Both fail records when they are told to.

    with running_fake_kinesis() as kinesis:
        kinesis.url                             # for --kinesis-endpoint
        kinesis.records("orders")               # [(partition key, document)] in their order
    with running_fake_kinesis(upstream="http://127.0.0.1:4567") as relay:
        relay.fails = lambda record: random.random() < 0.2

Streams whose names begin with "absent" do not exist in the fake one.
"""

import base64
import collections
import contextlib
import http.client
import http.server
import json
import threading
import urllib.parse

FAILED = {"ErrorCode": "ProvisionedThroughputExceededException", "ErrorMessage": "Rate exceeded"}


class FakeKinesis(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, upstream):
        super().__init__(("127.0.0.1", 0), Handler)
        self.upstream = upstream and urllib.parse.urlsplit(upstream).netloc
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.fails = lambda record: False
        self.failed = 0  # records
        self.seen = []  # of the last requests: (headers, body)
        self._lock = threading.Lock()
        self._putting = threading.Lock()  # moto loses records of requests that come at the same time
        self._streams = collections.defaultdict(list)

    def records(self, stream):
        with self._lock:
            return [(record["PartitionKey"], json.loads(base64.b64decode(record["Data"]))) for record in self._streams[stream]]

    def handle_error(self, request, client_address):
        """A client that goes is no fault."""

    def answer(self, headers, body):
        operation = headers["X-Amz-Target"].split(".")[-1]
        request = json.loads(body)
        with self._lock:
            self.seen = [*self.seen[-50:], (dict(headers), body)]
        if operation != "PutRecords":
            return self._forward(headers, body) if self.upstream else self._other(operation, request)
        fate = [self.fails(record) for record in request["Records"]]
        taken = [record for record, fails in zip(request["Records"], fate) if not fails]
        with self._lock:
            self.failed += sum(fate)
        results = []
        if taken and self.upstream:
            with self._putting:
                status, reply = self._forward(headers, json.dumps({**request, "Records": taken}).encode())
            if status != 200:
                return status, reply
            results = json.loads(reply)["Records"]
        elif taken:
            results = self._put(request["StreamName"], taken)
        results = iter(results)
        merged = [FAILED if fails else next(results) for fails in fate]
        return 200, json.dumps({"FailedRecordCount": sum(fate), "Records": merged}).encode()

    def _put(self, stream, records):
        with self._lock:
            first = len(self._streams[stream])
            self._streams[stream] += records
        return [{"SequenceNumber": str(first + at), "ShardId": "shardId-000000000000"} for at in range(len(records))]

    def _other(self, operation, request):
        stream = request["StreamName"]
        if operation != "DescribeStream" or stream.startswith("absent"):
            missing = {"__type": "ResourceNotFoundException", "message": f"Stream {stream} under account 000000000000 not found."}
            return 400, json.dumps(missing).encode()
        return 200, json.dumps({"StreamDescription": {"StreamName": stream, "StreamStatus": "ACTIVE"}}).encode()

    def _forward(self, headers, body):
        passed = {name: value for name, value in headers.items() if name.lower() not in ("host", "content-length")}
        with contextlib.closing(http.client.HTTPConnection(self.upstream, timeout=60)) as connection:
            try:
                connection.request("POST", "/", body, passed)
                reply = connection.getresponse()
                return reply.status, reply.read()
            except (OSError, http.client.HTTPException) as error:
                return 502, str(error).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, reply = self.server.answer(self.headers, body)
        self.send_response(status)
        self.send_header("Content-Type", "application/x-amz-json-1.1")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)


@contextlib.contextmanager
def running_fake_kinesis(upstream=None):
    server = FakeKinesis(upstream)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
