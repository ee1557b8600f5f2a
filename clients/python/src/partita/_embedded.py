"""A database in the process of the program, without a server or a socket."""

from __future__ import annotations

import ctypes
import json
import os
import threading
import uuid
import weakref
from typing import Any, Callable

from partita import _library
from partita._calls import REGION, CallFailed

# Never resolved: a request for it that is sent by mistake goes nowhere.
NOWHERE = "http://in-process.partita.invalid"
SERVICES = ("dynamodb", "dynamodb-streams")
NAMES = {_library.INVALID: "INVALID", _library.UNAVAILABLE: "UNAVAILABLE", _library.NO_MEMORY: "NO_MEMORY",
         _library.FORKED: "FORKED"}
# What a server answers. PARTITA_REFUSED does not say which of its reasons it is; the sentence does.
FAULTS = {_library.NOT_FOUND: "ResourceNotFoundException", _library.REFUSED: "ValidationException"}
FORKED = ("The database belongs to the process that opened it, and this one was forked from it: fork first and open "
          "the database then, or use multiprocessing's method spawn.")


class LibraryFailed(Exception):
    """libpartita has not opened a database or has no answer; the message has its sentence. `code` is the name in
    partita.h without PARTITA_: INVALID, UNAVAILABLE, NO_MEMORY or FORKED."""

    def __init__(self, code: str, sentence: str):
        super().__init__(sentence)
        self.code = code


def open(path: str | os.PathLike[str] | None = None, *, region: str = REGION, clock: float = 0) -> "EmbeddedDatabase":
    """Opens a database in this process: in memory, or with its data in the directory `path`, made if it is missing.
    A directory can be open once on a machine, in a process or a server.

    `region` is that of the ARNs of tables and of the clients. `clock`: how many seconds the database's clock is ahead
    of the machine's. Errors: LibraryNotFound, LibraryFailed.
    """
    return EmbeddedDatabase(path, region, clock)


class EmbeddedDatabase:
    """What partita.open() returns. Any thread may call any method. It ends with close() or a `with` block."""

    def __init__(self, path: str | os.PathLike[str] | None, region: str, clock: float):
        self.region = region
        self._library = _library.library()
        self._pid = os.getpid()
        self._idle = threading.Condition()  # guards the two below
        self._handle: int | None = None
        self._calls = 0
        handle, why = ctypes.c_void_p(), ctypes.create_string_buffer(_library.WHY_BYTES)
        options = _library.Options(ctypes.sizeof(_library.Options), None if path is None else _text(os.fsencode(path)),
                                   _text(region), _milliseconds(clock), 0)
        _expect_ok(self._library.open(options, handle, why, len(why)), why)
        self._handle = handle.value
        self._finalizer = weakref.finalize(self, self._library.close, handle.value)
        # At exit other threads may be in a call. What was answered is kept without closing, too.
        self._finalizer.atexit = False

    def client(self, service: str = "dynamodb", **more: Any) -> Any:
        """A client of boto3, which must be installed. `service`: dynamodb or dynamodbstreams. `more`: what boto3.client
        takes."""
        import boto3

        client = boto3.client(service, **self._settings(more))
        self.attach(client)
        return client

    def resource(self, **more: Any) -> Any:
        """A resource of boto3, which must be installed."""
        import boto3

        resource = boto3.resource("dynamodb", **self._settings(more))
        self.attach(resource)
        return resource

    def attach(self, to: Any) -> None:
        """Leads a client or resource of boto3 here, whatever its endpoint, or the clients and resources that a
        boto3.Session makes from now on. Requests to other services are sent as before. The last database attached
        counts."""
        meta = getattr(to, "meta", None)
        events = to.events if meta is None else getattr(meta, "client", to).meta.events
        for service in SERVICES:
            event = f"before-send.{service}"
            # botocore calls all handlers of an event: with two, a request would be done twice.
            events.unregister(event, unique_id=f"partita-{service}")
            events.register_first(event, self._answer_of_request, unique_id=f"partita-{service}")

    def call(self, operation: str, members: dict[str, Any] | None = None, /, **more: Any) -> dict[str, Any]:
        """Any operation of DynamoDB and its streams, without boto3, as call("GetItem", {"TableName": "Music", ...}) or
        call("ListTables", Limit=10). Members are those of the API's JSON, binary values in base64. Errors: CallFailed,
        LibraryFailed."""
        status, body = self._answer(_text(operation), json.dumps({**(members or {}), **more}).encode())
        reply = json.loads(body)
        if status != 200:
            code = str(reply.get("__type", status)).split("#")[-1]
            raise CallFailed(operation, code, str(reply.get("message", reply.get("Message", ""))))
        return reply

    def create_snapshot(self, name: str) -> None:
        self._change("CreateSnapshot", self._library.snapshot, _text(name))

    def rollback(self, name: str) -> None:
        """All tables, items and settings as they were when the snapshot of that name was created."""
        self._change("RollbackToSnapshot", self._library.rollback, _text(name))

    def delete_snapshot(self, name: str) -> None:
        self._change("DeleteSnapshot", self._library.delete_snapshot, _text(name))

    def advance_clock(self, seconds: float) -> None:
        """Moves the database's clock. What has expired by the new time is deleted within about a second."""
        self._change("MoveClock", self._library.move_clock, _milliseconds(seconds), 0)

    def reset_clock(self) -> None:
        """The clock is the machine's again."""
        self._change("MoveClock", self._library.move_clock, 0, 1)

    def close(self) -> None:
        """Waits for calls in progress, and ends it. Later calls raise RuntimeError. A second time, and in a process
        that was forked, nothing happens."""
        if os.getpid() != self._pid:
            return
        with self._idle:
            self._handle = None
            while self._calls:
                self._idle.wait()
        self._finalizer()

    def __enter__(self) -> "EmbeddedDatabase":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _settings(self, more: dict[str, Any]) -> dict[str, Any]:
        import botocore
        from botocore.config import Config

        # Nobody verifies signatures, which take longer than an operation.
        config = Config(signature_version=botocore.UNSIGNED)
        if more.get("config") is not None:
            config = config.merge(more["config"])
        return {"endpoint_url": NOWHERE, "region_name": self.region, "aws_access_key_id": "any",
                "aws_secret_access_key": "any", **more, "config": config}

    def _answer_of_request(self, request: Any, **_: Any) -> Any:
        """botocore's event before-send: its answer is taken instead of one from the network."""
        from botocore.awsrequest import AWSResponse

        target, body = request.headers["X-Amz-Target"], request.body or b""
        status, answer = self._answer(_text(target), body.encode() if isinstance(body, str) else bytes(body))
        headers = {"Content-Type": "application/x-amz-json-1.0", "Content-Length": str(len(answer)),
                   "x-amzn-RequestId": uuid.uuid4().hex.upper()}
        return AWSResponse(request.url, status, headers, _Body(answer))

    def _answer(self, operation: bytes, body: bytes) -> tuple[int, bytes]:
        reply = _library.Reply()
        handle = self._begin()
        try:
            code = self._library.call(handle, operation, body, len(body), reply)
        finally:
            self._end()
        if code != _library.OK:
            raise LibraryFailed(NAMES.get(code, str(code)), _sentence(code, operation))
        try:
            return reply.status, ctypes.string_at(reply.body, reply.length)
        finally:
            self._library.free(reply)

    def _change(self, operation: str, function: Callable[..., int], *arguments: Any) -> None:
        why = ctypes.create_string_buffer(_library.WHY_BYTES)
        handle = self._begin()
        try:
            code = function(handle, *arguments, why, len(why))
        finally:
            self._end()
        if code in FAULTS:
            raise CallFailed(operation, FAULTS[code], _said(why))
        _expect_ok(code, why)

    def _begin(self) -> int:
        if os.getpid() != self._pid:  # before the lock, which another thread of the parent may have held
            raise LibraryFailed("FORKED", FORKED)
        with self._idle:
            if self._handle is None:
                raise RuntimeError("The database is closed.")
            self._calls += 1
            return self._handle

    def _end(self) -> None:
        with self._idle:
            self._calls -= 1
            if self._handle is None:
                self._idle.notify_all()


class _Body:
    """What botocore reads an answer from."""

    def __init__(self, data: bytes):
        self._data = data

    def stream(self, *_: Any, **__: Any) -> tuple[bytes]:
        return (self._data,)


def _text(given: str | bytes) -> bytes:
    text = given.encode() if isinstance(given, str) else given
    if b"\0" in text:
        raise ValueError("a text for libpartita has a zero byte")
    return text


def _milliseconds(seconds: float) -> int:
    moved = round(seconds * 1000)
    if not -(2**63) <= moved < 2**63:
        raise ValueError(f"{seconds} seconds are more than a clock can be moved")
    return moved


def _said(why: Any) -> str:
    """A sentence may have the path in it, which need not be UTF-8."""
    return why.value.decode(errors="replace")


def _expect_ok(code: int, why: Any) -> None:
    if code != _library.OK:
        sentence = _said(why) or f"libpartita has failed with code {code}."
        raise LibraryFailed(NAMES.get(code, str(code)), sentence)


def _sentence(code: int, operation: bytes) -> str:
    """partita_call() has no sentence for what is no answer."""
    name = operation.decode(errors="replace")
    if code == _library.INVALID:
        return f"{name[:256]!r} is no name of an operation."
    if code == _library.NO_MEMORY:
        return f"There is not enough memory for {name}, which may have taken effect."
    return FORKED if code == _library.FORKED else f"{name} has no answer: libpartita returned code {code}."
