"""GetItem from each place where an item can be, one at a time.

Which place it is follows from what the server did before; nobody can ask it, so the files are looked at.
"""

import os
import random
import statistics
import time

import page
import servers
import signing
import workload

ROUNDS = 3
FEW, MANY = 20_000, 500_000  # items: what the memtable holds, and what it does not, nor the cache of records
CONNECTIONS = 64

LABELS = {
    "records": "cache of records",
    "memtable": "memtable, after a start",
    "block cache": "block cache",
    "page cache": "the system's page cache, after a start",
    "disk": "disk, after a start and with the page cache emptied",
}


def gets(numbers):
    return signing.signed([workload.get_item(n) for n in numbers])


def make(build, directory, count):
    with servers.partita(build, directory) as server:
        servers.prepare(build, server, (workload.put_batch(n) for n in range(count // 25)))
        wait_until_calm(directory)


def wait_until_calm(directory):
    """Until no flush or compaction has changed the files for a second."""
    before, since = None, time.monotonic()
    while time.monotonic() - since < 1:
        now = sorted((path.name, path.stat().st_size) for path in directory.rglob("*.sst"))
        if now != before:
            before, since = now, time.monotonic()
        time.sleep(0.1)


def forget_pages(directory):
    """Takes the files out of the system's page cache. What is dirty stays, so all is synced first."""
    os.sync()
    for path in directory.rglob("*"):
        if path.is_file():
            with open(path, "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_once(build, server, numbers):
    return servers.fill(build, server, gets(numbers), connections=CONNECTIONS)


def in_one_round(build, few, many, chance):
    """{a place: what the client reports}"""
    found = {}
    if any(few.rglob("*.sst")):
        raise RuntimeError("the memtable was written to a file, so there is none to measure")
    with servers.partita(build, few) as server:
        numbers = chance.sample(range(FEW), FEW * 4 // 5)
        found["memtable"] = read_once(build, server, numbers)
        read_once(build, server, numbers)  # what is asked for again is kept
        found["records"] = read_once(build, server, numbers)
    # So few that hardly two of them are in the same block of 16 KiB, of which there are about 11,000.
    numbers = chance.sample(range(MANY * 3 // 4), 162_000)
    cold, colder, warming, warm = numbers[:1000], numbers[1000:2000], numbers[2000:122_000], numbers[122_000:]
    forget_pages(many)
    with servers.partita(build, many) as server:
        found["disk"] = read_once(build, server, cold)
    with servers.partita(build, many) as server:
        for path in many.rglob("*.sst"):
            path.read_bytes()
        found["page cache"] = read_once(build, server, colder)
        # Others of the same blocks.
        read_once(build, server, warming)
        found["block cache"] = read_once(build, server, warm)
    return found


def measure(build, scratch):
    """{a place: {a field of what the client reports: its median over the rounds}}"""
    few, many = scratch / "few", scratch / "many"
    servers.say(f"GetItem from each place: writing {MANY:,} items")
    make(build, few, FEW)
    make(build, many, MANY)
    chance, found = random.Random(1), {}
    for _ in range(ROUNDS):
        for place, result in in_one_round(build, few, many, chance).items():
            found.setdefault(place, []).append(result)
    fields = ("per_second", "p50_us", "p99_us", "cpu_us")
    return {
        place: {field: statistics.median(result[field] for result in rounds) for field in fields}
        for place, rounds in found.items()
    }


def table(found):
    rows = []
    for place, label in LABELS.items():
        *values, cpu = found[place].values()
        rows.append([label, *(f"{value:,.0f}" for value in values), f"{cpu:.1f}"])
    return page.table(["GetItem, ~300 B, from", "requests/s", "p50 µs", "p99 µs", "CPU µs/request"], rows)
