#!/usr/bin/env python3
"""How a well-behaved client fares beside a crowd: connections that each hold a large body back, and many idle ones.

    bench/crowd.py [--bodies 200] [--megabytes 15] [--idle 1000] [--budget 512]

Prints one line of JSON: the most memory that the server took, and the client's latencies alone and beside the crowd.
Fails when the memory passes the budget and the fixed part, or the 99th percentile passes three times its quiet figure.
"""

import argparse
import json
import multiprocessing
import pathlib
import resource
import selectors
import socket
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "http"), str(ROOT / "tests" / "support")]

from raw import connection, head, request  # noqa: E402
from server import running_server  # noqa: E402

MIB = 1 << 20
FIXED = 64 * MIB  # the program, its threads, and what 1,200 connections take beside the budget


def hold_bodies(port, count, size, ready, done):
    """In a process of its own: sends all of each body but its end, as fast as the server takes it, then waits."""
    opening = head({"Content-Length": size})
    filler = memoryview(b" " * MIB)
    waiting, kept = selectors.DefaultSelector(), []
    for _ in range(count):
        opened = socket.create_connection(("127.0.0.1", port))
        opened.sendall(opening)
        opened.setblocking(False)
        waiting.register(opened, selectors.EVENT_WRITE, [size - 1])
        kept.append(opened)
    deadline = time.monotonic() + 60
    while waiting.get_map() and time.monotonic() < deadline:
        for key, _ in waiting.select(1):
            try:
                key.data[0] -= key.fileobj.send(filler[: key.data[0]])
            except BlockingIOError:
                continue
            except OSError:  # refused: 503
                key.data[0] = 0
            if key.data[0] == 0:
                waiting.unregister(key.fileobj)
    ready.set()
    done.wait(120)


def memory(process, what):
    with open(f"/proc/{process.pid}/status") as status:
        return int(next(line for line in status if line.startswith(what)).split()[1]) << 10


def latencies(server, until):
    """Milliseconds of one request after another while `until` says so, sorted."""
    taken = []
    with connection(server) as opened:
        while until(len(taken)):
            began = time.monotonic()
            opened.send(request())
            assert opened.reply().status == 200
            taken.append((time.monotonic() - began) * 1000)
            time.sleep(0.001)
    return sorted(taken)


def quantile(taken, share):
    return round(taken[min(len(taken) - 1, int(len(taken) * share))], 3)


def measure(arguments):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with running_server(in_memory=True, extra_args=["--memory-budget", str(arguments.budget)]) as server:
        quiet = latencies(server, lambda count: count < 3000)
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(arguments.idle)]
        ready, done = multiprocessing.Event(), multiprocessing.Event()
        size = arguments.megabytes * 1_000_000
        crowd = multiprocessing.Process(
            target=hold_bodies, args=(server.port, arguments.bodies, size, ready, done), daemon=True
        )
        crowd.start()
        arriving = latencies(server, lambda _: not ready.is_set())
        beside = latencies(server, lambda count: count < 3000)
        peak = memory(server.process, "VmHWM")
        done.set()
        crowd.join()
        for each in idle:
            each.close()
    return {
        "peak_mib": round(peak / MIB),
        "quiet_p50_ms": quantile(quiet, 0.5),
        "quiet_p99_ms": quantile(quiet, 0.99),
        "arriving_p99_ms": quantile(arriving, 0.99),
        "beside_p50_ms": quantile(beside, 0.5),
        "beside_p99_ms": quantile(beside, 0.99),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, default=200)
    parser.add_argument("--megabytes", type=int, default=15)
    parser.add_argument("--idle", type=int, default=1000)
    parser.add_argument("--budget", type=int, default=512, help="the server's, in MiB")
    arguments = parser.parse_args()
    found = measure(arguments)
    print(json.dumps(found))
    if found["peak_mib"] > arguments.budget + FIXED // MIB:
        sys.exit("The memory passed its budget.")
    if found["beside_p99_ms"] > 3 * found["quiet_p99_ms"]:
        sys.exit("The client had to wait.")


if __name__ == "__main__":
    main()
