"""Many connections to servers in one thread: each asks what its generator yields, and sends it the Reply."""

import itertools
import json
import select
import socket
import time

from clients import Reply

SILENCE_S = 120
HEAD = (
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\n"
    "X-Amz-Target: {}.{}\r\nX-Amz-Date: 20260102T000000Z\r\n"
    "Authorization: AWS4-HMAC-SHA256 Credential=local/20260102/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=0123456789abcdef\r\nContent-Length: {}\r\n\r\n"
)
OF_STREAMS = {"DescribeStream", "GetShardIterator", "GetRecords"}


class Link:
    """One connection, and the one request that is under way on it."""

    def __init__(self, server):
        self.server = server
        self.socket = None
        self.received = b""
        self.began = 0.0
        self.script = None
        self.done = None  # called when the script has ended
        self.connect()

    def connect(self):
        self.socket = socket.create_connection((self.server.host, self.server.port), SILENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def ask(self, operation, request):
        body = json.dumps(request).encode()
        service = "DynamoDBStreams_20120810" if operation in OF_STREAMS else "DynamoDB_20120810"
        self.began = time.perf_counter()
        self.socket.sendall(HEAD.format(service, operation, len(body)).encode() + body)

    def reply(self):
        """The reply, or None while it is not all there. Reads once."""
        piece = self.socket.recv(1 << 18)
        if not piece:
            raise ConnectionResetError("the server hung up")
        self.received += piece
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return None
        head = self.received[:end].lower()
        at = head.index(b"content-length:") + 15
        length = int(head[at:head.find(b"\r\n", at) if b"\r\n" in head[at:] else None])
        if len(self.received) < end + 4 + length:
            return None
        body = json.loads(self.received[end + 4:end + 4 + length])
        self.received = self.received[end + 4 + length:]
        return Reply(int(head[9:12]), body, self.began, time.perf_counter())

    def call(self, operation, request, patient=False):
        """Asks, and waits for the body of the reply. `patient`: asks again when the store gave the server none."""
        deadline = time.monotonic() + SILENCE_S
        while True:
            self.ask(operation, request)
            while (reply := self.reply()) is None:
                pass
            if reply.status == 200:
                return reply.body
            assert patient and reply.status == 500 and time.monotonic() < deadline, reply.body


class Loop:
    """Serves all links until no script is left. `may_fail`: an internal error is no answer, and no mistake."""

    def __init__(self, servers, may_fail=False):
        self.next_server = itertools.cycle(servers)
        self.next_killed = itertools.cycle(servers)
        self.may_fail = may_fail
        self.errors = 0
        self.poll = select.epoll()
        self.idle, self.busy = [], {}

    def start(self, script, done):
        """`done()` is called when the script has ended."""
        link = self.idle.pop() if self.idle else Link(next(self.next_server))
        link.script, link.done = script, done
        self.busy[link.socket.fileno()] = link
        self.poll.register(link.socket, select.EPOLLIN)
        self.go_on(link, None)

    def go_on(self, link, reply):
        try:
            link.ask(*link.script.send(reply))
        except StopIteration:
            self.poll.unregister(link.socket)
            del self.busy[link.socket.fileno()]
            self.idle.append(link)
            link.done()

    def turn(self):
        """Waits for replies, and goes on with what waited for them."""
        events = self.poll.poll(SILENCE_S)
        assert events, "the server is silent"
        for place, _ in events:
            link = self.busy[place]
            reply = link.reply()
            if reply is not None and reply.status == 500:
                assert self.may_fail, reply.body
                self.errors += 1
                reply = Reply(500, None, reply.began, reply.ended)
            if reply is not None:
                self.go_on(link, reply)

    def kill(self):
        """Kills the next server in the middle of everything, and starts it again. Who waited was not answered."""
        server = next(self.next_killed)
        server.kill()
        waiting = [link for link in self.busy.values() if link.server is server]
        for link in waiting:
            del self.busy[link.socket.fileno()]
            self.poll.unregister(link.socket)
        for link in waiting + [link for link in self.idle if link.server is server]:
            link.socket.close()
        self.idle = [link for link in self.idle if link.server is not server]
        server.start()
        for link in waiting:
            link.connect()
            self.busy[link.socket.fileno()] = link
            self.poll.register(link.socket, select.EPOLLIN)
        for link in waiting:
            self.go_on(link, Reply(0, None, link.began, time.perf_counter()))
