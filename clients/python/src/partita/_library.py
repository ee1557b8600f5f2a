"""libpartita, by ctypes: where the library is, its structs and its functions. partita.h of Partita's sources says what
each does."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

ABI = 1
OK, INVALID, UNAVAILABLE, NOT_FOUND, REFUSED, NO_MEMORY, FORKED = range(7)
WHY_BYTES = 1024


class LibraryNotFound(Exception):
    """There is no libpartita here that this package can use; the message says where it was looked for."""


class Options(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("region", c_char_p), ("clock_ms", c_int64),
                ("flags", c_uint64)]


class Reply(ctypes.Structure):
    _fields_ = [("status", c_int32), ("item_count", c_uint32), ("body", c_void_p), ("length", c_size_t),
                ("item", c_void_p), ("owned", c_void_p)]


class Library:
    """The functions that this package calls. Python's other threads run during a call."""

    def __init__(self, path: str):
        try:
            calls = ctypes.CDLL(path)
            # For what is over in less time than it takes to get the interpreter's lock back from another thread.
            short = ctypes.PyDLL(path)
            if calls.partita_abi() != ABI:
                raise LibraryNotFound(f"{path} has ABI {calls.partita_abi()} of libpartita, not {ABI}.")
            self.open = _function(calls.partita_open, c_int32, POINTER(Options), POINTER(c_void_p), c_char_p,
                                  c_size_t)
            self.close = _function(calls.partita_close, None, c_void_p)
            self.call = _function(calls.partita_call, c_int32, c_void_p, c_char_p, c_char_p, c_size_t, POINTER(Reply))
            self.free = _function(short.partita_reply_free, None, POINTER(Reply))
            self.snapshot, self.rollback, self.delete_snapshot = (
                _function(function, c_int32, c_void_p, c_char_p, c_char_p, c_size_t)
                for function in (calls.partita_snapshot, calls.partita_rollback, calls.partita_delete_snapshot))
            self.move_clock = _function(calls.partita_move_clock, c_int32, c_void_p, c_int64, c_int32, c_char_p,
                                        c_size_t)
        except (OSError, AttributeError) as error:
            raise LibraryNotFound(f"The library {path} cannot be used: {error}.") from None


def _function(function, result, *arguments):
    function.restype, function.argtypes = result, arguments
    return function


def library() -> Library:
    """PARTITA_LIBRARY, or the library of this package, or else the system's. Errors: LibraryNotFound."""
    named = os.environ.get("PARTITA_LIBRARY")
    if named:
        if not os.access(named, os.R_OK):
            raise LibraryNotFound(f"PARTITA_LIBRARY is {named}, which is no file that can be read.")
        return _loaded(os.path.abspath(named))
    packaged = pathlib.Path(__file__).parent / "lib" / "libpartita.so.1"
    if packaged.is_file():
        return _loaded(str(packaged))
    try:
        return _loaded("libpartita.so.1")
    except LibraryNotFound as why:
        raise LibraryNotFound(
            "libpartita.so.1 is neither in this package (which has none for this platform) nor among the system's "
            f"libraries: install it, or name it in PARTITA_LIBRARY. {why}") from None


@functools.lru_cache(maxsize=None)
def _loaded(path: str) -> Library:
    return Library(path)
