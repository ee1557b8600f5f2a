#!/usr/bin/python3
"""A DynamoDB in this process, in Python with ctypes: a table, items, a query and a rollback.

Without an argument it is in memory, else in the directory of that name. The environment variable PARTITA_LIBRARY may
name the library."""

import ctypes
import json
import os
import sys


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("path", ctypes.c_char_p), ("region", ctypes.c_char_p),
                ("clock_ms", ctypes.c_int64), ("flags", ctypes.c_uint64)]


class Reply(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int32), ("item_count", ctypes.c_uint32), ("body", ctypes.c_void_p),
                ("length", ctypes.c_size_t), ("item", ctypes.c_void_p), ("owned", ctypes.c_void_p)]


LIBRARY = ctypes.CDLL(os.environ.get("PARTITA_LIBRARY", "libpartita.so.1"))
TEXT, WORD, POINTER = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p
LIBRARY.partita_open.argtypes = [ctypes.POINTER(Options), ctypes.POINTER(POINTER), TEXT, WORD]
LIBRARY.partita_close.argtypes = [POINTER]
LIBRARY.partita_call.argtypes = [POINTER, TEXT, TEXT, WORD, ctypes.POINTER(Reply)]
LIBRARY.partita_reply_free.argtypes = [ctypes.POINTER(Reply)]
LIBRARY.partita_snapshot.argtypes = LIBRARY.partita_rollback.argtypes = [POINTER, TEXT, TEXT, WORD]
LIBRARY.partita_close.restype = LIBRARY.partita_reply_free.restype = None


class Database:
    """Use it in a `with` statement. ctypes releases Python's lock during calls, so threads run side by side."""

    def __init__(self, path=None):
        self._db, why = POINTER(), ctypes.create_string_buffer(512)
        options = Options(ctypes.sizeof(Options), os.fsencode(path) if path else None)
        if LIBRARY.partita_open(options, self._db, why, len(why)) != 0:
            raise OSError(why.value.decode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        LIBRARY.partita_close(self._db)
        self._db = POINTER()

    def call(self, operation, **members):
        body, reply = json.dumps(members).encode(), Reply()
        if LIBRARY.partita_call(self._db, operation.encode(), body, len(body), reply) != 0:
            raise OSError(f"{operation} has no answer")
        try:
            answer = json.loads(ctypes.string_at(reply.body, reply.length))
        finally:
            status = reply.status
            LIBRARY.partita_reply_free(reply)
        if status != 200:
            raise ValueError(answer)
        return answer

    def snapshot(self, name):
        self._change(LIBRARY.partita_snapshot, name)

    def rollback(self, name):
        self._change(LIBRARY.partita_rollback, name)

    def _change(self, function, name):
        why = ctypes.create_string_buffer(512)
        if function(self._db, name.encode(), why, len(why)) != 0:
            raise ValueError(why.value.decode())


def key(song):
    return {"Artist": {"S": "No One You Know"}, "Song": {"S": song}}


def main():
    with Database(*sys.argv[1:2]) as db:
        db.call("CreateTable", TableName="Music", BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("Artist", "Song")],
                KeySchema=[{"AttributeName": "Artist", "KeyType": "HASH"}, {"AttributeName": "Song", "KeyType": "RANGE"}])

        def put(song, year):
            db.call("PutItem", TableName="Music", Item={**key(song), "Year": {"N": year}})

        def show(song):
            item = db.call("GetItem", TableName="Music", Key=key(song)).get("Item")
            print(f"{song}: {item['Year']['N'] if item else 'none'}")

        put("Call Me Today", "1998")
        put("My Dog Spot", "2001")
        db.snapshot("two-songs")
        put("Somewhere Down The Road", "2003")
        show("Call Me Today")
        show("Somewhere Down The Road")
        db.rollback("two-songs")
        show("Somewhere Down The Road")
        found = db.call("Query", TableName="Music", KeyConditionExpression="Artist = :a", Select="COUNT",
                        ExpressionAttributeValues={":a": {"S": "No One You Know"}})
        print(json.dumps(found, separators=(",", ":")))


if __name__ == "__main__":
    main()
