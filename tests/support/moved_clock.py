"""Moves the machine's clocks for one server alone: signatures and caches follow these, and not MoveClock.

    with moved_clock() as clock, running_server(environment=clock.environment) as server:
        clock.move(300)         # the time of day and the monotonic clock are five minutes later
"""

import contextlib
import functools
import mmap
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "moved_clock.c"
BUILT = SOURCE.parents[2] / "build"


@functools.cache
def library():
    """Also for several runs at a time: each puts the same file there in one step."""
    BUILT.mkdir(parents=True, exist_ok=True)
    made = BUILT / "moved_clock.so"
    new = f"{made}.{os.getpid()}"  # another run may have loaded the old one
    compiler = shutil.which("cc") or shutil.which("gcc-12") or "g++-12"
    with tempfile.TemporaryDirectory(dir=BUILT) as folder:
        new = pathlib.Path(folder) / made.name
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", new, "-x", "c", SOURCE], check=True)
        new.rename(made)
    return made


class MovedClock:
    """`environment`: the variables of a server that follows it."""

    def __init__(self, path):
        path.write_bytes(bytes(16))
        self.environment = {"LD_PRELOAD": str(library()), "MOVED_CLOCK": str(path)}
        with open(path, "r+b") as file:
            self._numbers = mmap.mmap(file.fileno(), 16)

    def move(self, seconds, monotonic=True):
        """The monotonic clock goes forward alone."""
        by = struct.unpack("<qq", self._numbers[:])
        self._numbers[:] = struct.pack("<qq", by[0] + seconds, by[1] + (seconds if monotonic else 0))


@contextlib.contextmanager
def moved_clock():
    with tempfile.TemporaryDirectory() as folder:
        yield MovedClock(pathlib.Path(folder) / "clock")
