"""A small client of DAX, for what the real ones never send.

    with Connection(host, port) as connection:
        connection.authorize("AKID", "secret")
        schema = connection.call("defineKeySchema", b"Music")       # {"artist": "S"}
        connection.put("Music", {"artist": "a"}, {"year": 2026})
        connection.get("Music", {"artist": "a"})                    # {"year": 2026}

Values are Python's: text, bytes, int, bool, None, list and dict. Numbers are integers. An error reply is raised.
"""

import hashlib
import hmac
import socket
import struct
import time

METHODS = {
    "authorizeConnection": 1489122155,
    "endpoints": 455855874,
    "defineKeySchema": -742646399,
    "defineAttributeListId": -1230579644,
    "defineAttributeList": 670678385,
    "getItem": 263244906,
    "putItem": -2106490455,
    "deleteItem": 1013539361,
    "query": -931250863,
    "batchWriteItem": 116217951,
    "describeTable": -819330193,
}
MAGIC = "J7yne5G"
TIMEOUT_S = 120  # a sanitizer on a crowded machine takes its time
BREAK = object()


class DaxError(Exception):
    def __init__(self, numbers, message, details):
        super().__init__(message)
        self.numbers, self.message = numbers, message
        self.request_id, self.code, self.status = (details or [None, None, None])[:3]


class Ended(Exception):
    """The server closed the connection."""


# --- CBOR


def head(major, argument):
    for low, size, form in ((24, 1 << 8, ">B"), (25, 1 << 16, ">H"), (26, 1 << 32, ">I"), (27, 1 << 64, ">Q")):
        if argument < 24:
            return bytes([major << 5 | argument])
        if argument < size:
            return bytes([major << 5 | low]) + struct.pack(form, argument)
    raise ValueError(argument)


def encoded(value):
    """A value as CBOR."""
    if value is None or isinstance(value, bool):
        return {None: b"\xf6", False: b"\xf4", True: b"\xf5"}[value]
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(encoded, value))
    return head(5, len(value)) + b"".join(encoded(key) + encoded(of) for key, of in value.items())


class Reader:
    """Reads values from a function that returns exactly so many bytes."""

    def __init__(self, take):
        self._take = take

    def head(self):
        first = self._take(1)[0]
        major, low = first >> 5, first & 31
        if low < 24:
            return major, low, low
        if low == 31:
            return major, low, None
        size = 1 << (low - 24)
        return major, low, int.from_bytes(self._take(size), "big")

    def value(self):
        major, low, argument = self.head()
        if major in (0, 1):
            return argument if major == 0 else -1 - argument
        if major in (2, 3):
            content = self._take(argument)
            return content if major == 2 else content.decode()
        if major == 4:
            return list(self._members(argument))
        if major == 5:
            return {key: self.value() for key in self._members(argument)}
        if major == 6:
            return self.value()
        if argument is None:
            return BREAK
        if low == 27:
            return struct.unpack(">d", struct.pack(">Q", argument))[0]
        return {20: False, 21: True, 22: None}[argument]

    def _members(self, count):
        while count is None or count > 0:
            value = self.value()
            if value is BREAK:
                return
            yield value
            count = None if count is None else count - 1


def read(content):
    """All values in the bytes."""
    values = []
    at = 0

    def take(size):
        nonlocal at
        at += size
        return content[at - size : at]

    reader = Reader(take)
    while at < len(content):
        values.append(reader.value())
    return values


# --- authorization


def sign(secret, date=None, host="dax.amazonaws.com", region="us-east-1", service="dax"):
    """The string to sign, and its signature."""
    date = date or time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    empty = hashlib.sha256(b"").hexdigest()
    canonical = f"POST\n/\n\nhost:{host}\nx-amz-date:{date}\n\nhost;x-amz-date\n{empty}"
    scope = [date[:8], region, service, "aws4_request"]
    text = f"AWS4-HMAC-SHA256\n{date}\n{'/'.join(scope)}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = b"AWS4" + secret.encode()
    for part in scope:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return text, hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def request(method, *arguments):
    """The bytes of a request; a method may be a number."""
    return b"".join(map(encoded, [1, METHODS.get(method, method), *arguments]))


def authorization(key, secret, token=None, **signed):
    text, signature = sign(secret, **signed)
    return request("authorizeConnection", key, signature, text.encode(), token, "test")


def preamble(layering=0, magic=MAGIC):
    return b"".join(map(encoded, [magic, layering, None, {"UserAgent": "test"}, 0]))


class Connection:
    """One connection. `framed`: replies come in frames. `greeting`: what is sent instead of a preamble."""

    def __init__(self, host, port, framed=False, wrap=lambda plain: plain, greeting=None):
        self.socket = wrap(socket.create_connection((host, port), TIMEOUT_S))
        self._framed = framed
        self._received = b""
        self._in_frame = 0
        self._schemas = {}
        self.send(preamble(1 if framed else 0) if greeting is None else greeting)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def authorize(self, key="local", secret="local", **others):
        self.send(authorization(key, secret, **others))

    def _take_raw(self, size):
        while len(self._received) < size:
            some = self.socket.recv(65536)
            if not some:
                raise Ended
            self._received += some
        taken, self._received = self._received[:size], self._received[size:]
        return taken

    def _take(self, size):
        if not self._framed:
            return self._take_raw(size)
        taken = b""
        while len(taken) < size:
            if self._in_frame == 0:
                length, flags = struct.unpack(">IB3x", self._take_raw(8))
                assert flags == 1 and length > 8
                self._in_frame = length - 8
            piece = min(size - len(taken), self._in_frame)
            taken += self._take_raw(piece)
            self._in_frame -= piece
        return taken

    def reply(self, values=1):
        """The values after the empty array of a success; one value is not in a list."""
        reader = Reader(self._take)
        numbers = reader.value()
        if numbers:
            raise DaxError(numbers, reader.value(), reader.value())
        found = [reader.value() for _ in range(values)]
        return found[0] if values == 1 else found

    def call(self, method, *arguments, values=1):
        self.send(request(method, *arguments))
        return self.reply(values)

    def ended(self):
        """Whether the server has closed its side, and sent nothing more before."""
        try:
            return self._received + self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def rest(self):
        """All that comes until the server closes its side."""
        self._received, received = b"", self._received
        while piece := self.socket.recv(65536):
            received += piece
        return received

    # --- items of tables whose keys are texts

    def _key(self, table, key):
        if table not in self._schemas:
            self._schemas[table] = list(self.call("defineKeySchema", table.encode()))
        names = self._schemas[table]
        if len(names) == 1:
            return key[names[0]].encode()
        return encoded(key[names[0]]) + key[names[1]].encode()

    def values(self, item):
        names = sorted(item, key=str.encode)
        number = self.call("defineAttributeListId", names) if names else 1
        return encoded(number) + b"".join(encoded(item[name]) for name in names)

    def put(self, table, key, item, keywords=None):
        return self.call("putItem", table.encode(), self._key(table, key), self.values(item), keywords)

    def get(self, table, key, keywords=None):
        found = self.call("getItem", table.encode(), self._key(table, key), keywords)
        if found is None or 0 not in found:
            return None
        number, *values = read(found[0])
        return dict(zip(self.call("defineAttributeList", number), values, strict=True))
