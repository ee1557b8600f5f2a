"""Counts the system calls of a server on a core of its own, by strace."""

import os
import pathlib
import re
import signal
import subprocess
import tempfile

CORES = sorted(os.sched_getaffinity(0))
STOP_TIMEOUT_S = 30


def on(core):
    return lambda: os.sched_setaffinity(0, {core})


def syscalls_of(binary, before, requests):
    """System calls per request: what a server that also gets `requests` makes more than one that gets only `before`.

    `before` is a list of lists: each is answered before the next is sent.
    """
    return (_total(binary, [*before, requests]) - _total(binary, before)) / len(requests)


def _total(binary, parts):
    with tempfile.TemporaryDirectory() as scratch:
        counts = pathlib.Path(scratch) / "counts"
        command = ["strace", "-f", "-c", "-o", counts, binary, "serve", "--listen", "127.0.0.1:0"]
        command += ["--data", f"{scratch}/data", "--log-level", "error"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=on(CORES[0]))
        try:
            port = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline()).group(1)
            for requests in parts:
                _send(binary, port, process.pid, requests)
            # strace passes no signal on: the server itself is asked to stop.
            server = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
            os.kill(int(server), signal.SIGTERM)
            process.wait(STOP_TIMEOUT_S)
        finally:
            process.stdout.close()
            if process.poll() is None:
                process.kill()
        return int(re.search(r"^\s*100\.00\s+\S+\s+\d*\s+(\d+).*total$", counts.read_text(), re.M).group(1))


def _send(binary, port, pid, requests):
    command = [binary.parent / "bench" / "load", "--port", port, "--pid", str(pid), "--connections", "1", "--once"]
    client = on(CORES[-1])
    subprocess.run(command, input="".join(requests), text=True, check=True, capture_output=True, preexec_fn=client)
