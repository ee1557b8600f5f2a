"""The program's size, how soon it answers after its start, and its memory at rest, beside other servers in one run."""

import contextlib
import gzip
import itertools
import lzma
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

import against_peers
import page
import peers
import servers
import signing

US = against_peers.US
PORTABLE = "Partita, portable"  # what is published, if build/portable has it
STARTS = {US: 15, PORTABLE: 15, "Dynoxide": 15, "DynamoDB Local": 3}  # of each kind, in a round
START_S = 60
REST_S = 1.5  # Partita gives back what only the start needed a second after it (src/app/signals.cc)
MODES = {"memory": "in memory", "new": "with a new directory", "full": "with 1,000 items in a directory"}
TABLE = {
    "TableName": "Music", "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "Artist", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"}],
}
ITEMS = 1000


class Contestant:
    def __init__(self, name, command):
        self.name = name
        self.command = command  # (port, a directory or None) -> words


def request():
    """A signed ListTables."""
    date, body = signing.now(), "{}"
    return (
        f"POST / HTTP/1.1\r\nHost: {signing.HOST}\r\nContent-Type: {signing.CONTENT_TYPE}\r\nX-Amz-Date: {date}\r\n"
        f"X-Amz-Target: {signing.target_of('ListTables')}\r\nContent-Length: {len(body)}\r\n"
        f"Authorization: {signing.authorization('ListTables', body, date)}\r\n\r\n{body}"
    ).encode()


def wait_for_answer(port, asked, process, log):
    """Asks without a pause: a refused connection on loopback takes some microseconds."""
    ends = time.perf_counter() + START_S
    while time.perf_counter() < ends and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=START_S) as connection:
            connection.sendall(asked)
            if b" 200 " in connection.recv(4096).split(b"\r\n")[0]:
                return
    raise RuntimeError(f"{process.args[0]} did not start: {os.pread(log.fileno(), 2000, 0).decode(errors='replace')}")


def resident_mib(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def one_start(command, port):
    """(milliseconds from exec to the first answer, resident MiB at rest)"""
    asked = request()
    with tempfile.TemporaryFile("w+") as log:
        # The child inherits its core; a preexec_fn would have this interpreter copied first.
        os.sched_setaffinity(0, servers.SERVER_CORE)
        began = time.perf_counter()
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        os.sched_setaffinity(0, servers.CLIENT_CORE)
        try:
            wait_for_answer(port, asked, process, log)
            took = (time.perf_counter() - began) * 1000
            time.sleep(REST_S)
            return took, resident_mib(process.pid)
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def fill(each, directory):
    port = servers.free_port()
    with servers.Server(each.command(port, directory), port) as server:
        call = servers.Caller(port, 30)
        call("CreateTable", TABLE)
        servers.wait_until_active(server, [TABLE["TableName"]])
        for first in range(0, ITEMS, 25):
            puts = [{"PutRequest": {"Item": {"Artist": {"S": f"artist {n}"}, "Note": {"S": "n" * 200}}}}
                    for n in range(first, first + 25)]
            call("BatchWriteItem", {"RequestItems": {TABLE["TableName"]: puts}})


def contestants(build, left_out):
    found = []
    for name, program in ((US, build / "partita"), (PORTABLE, build.parent / "portable" / "partita")):
        if program.exists():
            found.append(Contestant(name, lambda port, data, program=program: [
                program, "serve", "--listen", f"127.0.0.1:{port}", *(["--data", data] if data else ["--in-memory"])]))
    for peer in peers.PEERS:
        if peer.name not in STARTS:
            continue
        try:
            home = peer.home()
        except peers.NotToBeHad as why:
            left_out.append(str(why))
            continue
        found.append(Contestant(peer.name, lambda port, data, peer=peer, home=home: peer.command(home, port, data)))
    return found


def measure(scratch, all_of_them, rounds):
    """({(name, mode): [(milliseconds, MiB)]}, whether with real-time priority)"""
    results = {}
    full = {each.name: scratch / f"full-{each.name.replace(' ', '-')}" for each in all_of_them}
    for each in all_of_them:
        full[each.name].mkdir()
        fill(each, full[each.name])
    before = os.sched_getaffinity(0)
    with servers.real_time() as urgent:
        for n, start in itertools.product(range(rounds), range(max(STARTS.values()))):
            if start == 0:
                servers.say(f"round {n + 1} of {rounds}")
            for each, mode in itertools.product(all_of_them, MODES):
                if start < STARTS[each.name]:
                    new = scratch / "new"
                    shutil.rmtree(new, ignore_errors=True)
                    new.mkdir()
                    port = servers.free_port()
                    command = each.command(port, {"memory": None, "new": new, "full": full[each.name]}[mode])
                    results.setdefault((each.name, mode), []).append(one_start(command, port))
    os.sched_setaffinity(0, before)
    return results, urgent


# --- sizes ------------------------------------------------------------------------------------------------------------


def sizes_of(program, scratch):
    """MB of the stripped program, of what gzip and of what xz makes of it."""
    stripped = scratch / "stripped"
    subprocess.run(["strip", "-o", stripped, program], check=True)
    content = stripped.read_bytes()
    return [len(each) / 1e6 for each in (content, gzip.compress(content, 9), lzma.compress(content, preset=9))]


def sizes(all_of_them, scratch):
    """{name: [MB]}"""
    found = {}
    for each in all_of_them:
        program = pathlib.Path(each.command(0, None)[0])
        if program.is_absolute():
            found[each.name] = sizes_of(program, scratch)
        else:  # DynamoDB Local, for Java
            [peer] = [peer for peer in peers.PEERS if peer.name == each.name]
            found[each.name] = [sum(path.stat().st_size for path in (peer.home() / "lib").iterdir()) / 1e6, None, None]
    return found


# --- the page ---------------------------------------------------------------------------------------------------------

SIZES = {"stripped program, MB": "≤ 9", "by gzip, MB": "–", "by xz, MB": "≤ 3"}
BUDGETS = {"memory": "2", "new": "5", "full": "5"}
IDLE_BUDGET = "6.5"


def figure(value):
    return "–" if value is None else f"{value:,.1f}"


def block(results, sized):
    """A row for each server, and the budget of Partita's."""
    head = ["", *(f"start to first answer {label}, ms" for label in MODES.values()), "memory at rest, MiB", *SIZES]
    rows = []
    for name in dict.fromkeys(name for name, _ in results):
        starts = [figure(statistics.median(ms for ms, _ in results[name, mode])) for mode in MODES]
        rest = figure(statistics.median(mib for _, mib in results[name, "memory"]))
        rows.append([name, *starts, rest, *(figure(mb) for mb in sized[name])])
    rows.append(["budget", *(f"≤ {BUDGETS[mode]}" for mode in MODES), f"≤ {IDLE_BUDGET}", *SIZES.values()])
    return page.table(head, rows)


def text(results, urgent, sized, left_out, arguments):
    rows = []
    for (name, mode), took in results.items():
        milliseconds, mib = zip(*took)
        rows.append([f"{name}, {MODES[mode]}", str(len(took)), f"{statistics.median(milliseconds):,.2f}",
                     f"{min(milliseconds):,.2f} to {max(milliseconds):,.2f}", f"{statistics.median(mib):,.2f}"])
    priority = ", both with real-time priority" if urgent else ""
    how = (
        f"medians; starts of all servers alternate, in {arguments.rounds} rounds. A start lasts from exec to the answer of "
        f"the first ListTables. The server has one core and the client another{priority}. Memory is what is resident "
        f"{REST_S:g} s after that answer. Sizes are of the stripped program, and of all of DynamoDB Local's libraries."
    )
    head = ["", "starts", "to first answer, ms", "least to most", "memory at rest, MiB"]
    return "\n\n".join([page.provenance(how), *left_out, page.table(head, rows)])


def part(build, scratch, arguments):
    left_out = []
    all_of_them = contestants(build, left_out)
    results, urgent = measure(scratch, all_of_them, arguments.rounds)
    sized = sizes(all_of_them, scratch)
    return page.Measured(text(results, urgent, sized, left_out, arguments), block=block(results, sized))
