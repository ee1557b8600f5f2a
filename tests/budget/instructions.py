"""Counts what a server spends on requests where no clock can: instructions, allocations and system calls.

    with CountedServer(binary) as server:
        server.send(requests)                      # not counted
        server.count(requests)                     # Spent(instructions=..., allocations=..., syscalls=...), per request

The server runs under callgrind (valgrind), some fifty times slower than alone, so its counts hardly depend on the
machine or on what else runs there. What remains of noise is how many requests a turn of the loop or a group of the
committer meets at once.
"""

import dataclasses
import pathlib
import re
import select
import subprocess
import tempfile

ALLOCATORS = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "memalign"}
START_TIMEOUT_S = 60


@dataclasses.dataclass
class Spent:
    """Per request."""

    instructions: float
    allocations: float
    syscalls: float


class CountedServer:
    def __init__(self, binary, more=(), in_memory=False):
        self._more = [str(word) for word in more]
        self._in_memory = in_memory
        self._binary = pathlib.Path(binary)
        self._scratch = tempfile.TemporaryDirectory()
        self._directory = pathlib.Path(self._scratch.name)
        self._dumps = 0

    def __enter__(self):
        command = ["valgrind", "--tool=callgrind", "--collect-systime=yes", "--fair-sched=yes"]
        command += [f"--callgrind-out-file={self._directory}/counts", str(self._binary), "serve"]
        command += ["--listen", "127.0.0.1:0", "--log-level", "error", *self._more]
        command += ["--in-memory"] if self._in_memory else ["--data", f"{self._directory}/data"]
        self._log = open(self._directory / "log", "w+")
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._log, text=True)
        if not select.select([self._process.stdout], [], [], START_TIMEOUT_S)[0]:
            self._process.kill()
        line = self._process.stdout.readline()
        self.port = self._port_in(line, "http")
        self.dax_port = self._port_in(line, "dax") if "--dax" in self._more else None
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(START_TIMEOUT_S)
        self._process.stdout.close()
        self._log.close()
        self._scratch.cleanup()

    def _port_in(self, line, scheme):
        found = re.search(rf"\b{scheme}://127\.0\.0\.1:(\d+)", line)
        if not found:
            self._log.seek(0)
            raise RuntimeError(f"the server did not start under valgrind: {line}{self._log.read()}")
        return int(found.group(1))

    def send(self, requests, connections=1, status=200):
        """Sends each line of `requests` once, as bench/load.cc reads them. Each reply must have this status."""
        load = self._binary.parent / "bench" / "load"
        command = [load, "--port", self.port, "--pid", self._process.pid, "--connections", connections, "--once"]
        command += ["--status", status]
        ran = subprocess.run([str(word) for word in command], input="".join(requests), capture_output=True, text=True)
        if ran.returncode != 0:
            raise RuntimeError(ran.stderr[:2000])

    def count(self, requests, connections=1, status=200):
        return self.count_of(lambda: self.send(requests, connections, status), len(requests))

    def count_of(self, work, times):
        """What one of that many requests takes that `work` sends."""
        self._control("--zero")
        work()
        return Spent(*(value / times for value in dataclasses.astuple(self.spent())))

    def spent(self):
        """Since the last count, or else since the start."""
        self._control("--dump")
        self._dumps += 1
        return totals((self._directory / f"counts.{self._dumps}").read_text())

    def _control(self, what):
        command = ["callgrind_control", what, str(self._process.pid)]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            raise RuntimeError(f"callgrind_control: {ran.stdout}{ran.stderr}")


def totals(dump):
    """What a file of callgrind's adds up to, over all threads."""
    events = re.search(r"^events: (.*)$", dump, re.M).group(1).split()
    sums = dict(zip(events, map(int, re.search(r"^(?:totals|summary): (.*)$", dump, re.M).group(1).split())))
    return Spent(sums["Ir"], calls_of(ALLOCATORS, dump), sums["sysCount"])


def calls_of(functions, dump):
    """How often these functions were called. A name is written once, with a number that stands for it afterwards."""
    numbers = {
        number
        for number, name in re.findall(r"^c?fn=\((\d+)\) (.+)$", dump, re.M)
        if name.split("@")[0].split("'")[0] in functions
    }
    calls = re.findall(r"^cfn=\((\d+)\).*\ncalls=(\d+)", dump, re.M)
    return sum(int(count) for number, count in calls if number in numbers)
