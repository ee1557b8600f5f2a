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
import threading

BUILT = pathlib.Path(__file__).resolve().parents[2] / "build"

# Preloaded into a server: $MOVED_CLOCK is a file of two 64-bit numbers, the seconds that are added to the time of day
# and to the monotonic clock, and may change while it runs.
SOURCE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t* moved;

__attribute__((constructor)) static void open_file(void) {
  const char* path = getenv("MOVED_CLOCK");
  const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void* mapped = mmap(NULL, 2 * sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) moved = mapped;
  close(fd);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || moved == NULL) return (int)result;
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) time->tv_sec += moved[0];
  if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE) time->tv_sec += moved[1];
  return 0;
}
"""


@functools.cache
def library():
    BUILT.mkdir(parents=True, exist_ok=True)
    made = BUILT / "moved_clock.so"
    new = f"{made}.{os.getpid()}.{threading.get_ident()}"  # another run may have loaded the old one
    compiler = shutil.which("cc") or shutil.which("gcc-12") or "g++-12"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", new, "-x", "c", "-"]
    subprocess.run(command, input=SOURCE, text=True, check=True)
    os.replace(new, made)
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
