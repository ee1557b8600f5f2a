"""How long one client's GetItem takes beside another client that scans everything, or hammers one key."""

import contextlib
import statistics

import page
import servers
import signing
import workload

RATE = 200  # of the client that is looked at, requests a second, over four connections
TABLES_ITEMS = 100_000  # that are scanned: about 30 MB
BUDGET = 3


def scan_all(pages):
    """Pages of 1 MB from everywhere in the table."""
    return [
        workload.request("Scan", TableName="bench", ExclusiveStartKey={"id": {"S": f"user-{n * 997 % TABLES_ITEMS:08}"}})
        for n in range(pages)
    ]


# {what the other client does: (its connections, its requests)}
OTHERS = {
    "scans everything, one connection": (1, scan_all(500)),
    "scans everything, 16 connections": (16, scan_all(500)),
    "reads one item, 64 connections": (64, [workload.get_item(7)]),
    "updates one item, 64 connections": (64, [workload.count_up(0)]),
    "puts one item, 64 connections": (64, [workload.put_item(7), workload.put_item(7, version=1)]),
}


@contextlib.contextmanager
def beside(build, server, other, seconds):
    """While another client does this. It yields the core that both clients have to the one that is looked at."""
    if other is None:
        yield
        return
    connections, requests = OTHERS[other]
    client = servers.start_load(build, server, connections=connections, seconds=seconds, niceness=19)
    try:
        client.stdin.write("".join(signing.signed(requests)))
        client.stdin.close()
        yield
    finally:
        client.terminate()
        client.wait()


def measure(build, scratch, rounds, seconds):
    """{what the other client does, or None: [what the client that is looked at reports, per round]}"""
    found = {}
    requests = signing.signed(workload.in_turn(workload.get_item))
    with servers.partita(build, scratch / "fairness") as server:
        servers.prepare(build, server, (workload.put_batch(n) for n in range(TABLES_ITEMS // 25)))
        for n in range(rounds):
            servers.say(f"round {n + 1} of {rounds}")
            for other in (None, *OTHERS):
                with beside(build, server, other, 2 * seconds + 5):
                    result = servers.load(build, server, requests, connections=4, seconds=seconds, rate=RATE)
                    found.setdefault(other, []).append(result)
    return found


def part(build, scratch, arguments):
    seconds = max(arguments.seconds, 2)
    found = measure(build, scratch, arguments.rounds, seconds)

    def of(other, field):
        return statistics.median(result[field] for result in found[other])

    rows = [
        [other or "nothing", *(page.ms(of(other, field)) for field in ("p50_us", "p99_us", "p999_us")),
         f"{of(other, 'p99_us') / of(None, 'p99_us'):.1f}" if other else "–", f"≤ {BUDGET}" if other else "–"]
        for other in (None, *OTHERS)
    ]
    text = [
        page.provenance(
            f"medians of {arguments.rounds} interleaved rounds of {seconds:g} s. The measured client asks for {RATE} items "
            "a second over four connections, with random arrivals; the server has one core, all clients the other."
        ),
        page.table(
            ["the other client", "GetItem p50 ms", "p99 ms", "p99.9 ms", "p99 ÷ quiet", "budget"], rows
        ),
    ]
    worst = max(OTHERS, key=lambda other: of(other, "p99_us"))
    ratio = of(worst, "p99_us") / of(None, "p99_us")
    shown = [f"GetItem beside a client that {worst}: p99 ÷ quiet", f"{ratio:.1f}", f"≤ {BUDGET}"]
    return page.Measured("\n\n".join(text), budgets=[shown])
