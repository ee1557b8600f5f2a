"""Requests of Partita beside what its database does when it is driven directly: what the scripts of PostgreSQL and of
FoundationDB share."""

import argparse
import pathlib
import statistics

import page
import servers
import signing
import workload


def parser(says):
    made = argparse.ArgumentParser(description=says, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--rounds", type=int, default=5, help="how often each is measured (5)")
    made.add_argument("--seconds", type=int, default=3, help="for how long (3)")
    made.add_argument("--build", type=pathlib.Path, default=servers.ROOT / "build" / "release")
    return made


def measure(arguments, url, in_flight, directly):
    """{operation: [(requests a second on a store at `url`, transactions a second directly) per round]}

    `directly`: {operation: what measures it, called without anything}. They take turns."""
    build = arguments.build.resolve()
    requests = workload.rows()
    rows = {what: signing.signed(requests[what]) for what in directly}
    found = {what: [] for what in directly}
    port = servers.free_port()
    command = [build / "partita", "serve", "--listen", f"127.0.0.1:{port}", "--store", url]
    with servers.Server(command, port, set(servers.CORES)) as server:
        servers.say("tables and items for Partita are put")
        servers.prepare(build, server, workload.fill_requests())
        for n in range(arguments.rounds):
            for what, direct in directly.items():
                ours = servers.load(build, server, rows[what], connections=in_flight, seconds=arguments.seconds)
                pair = ours["per_second"], direct()
                found[what].append(pair)
                told = f"{pair[0]:,.0f} and directly {pair[1]:,.0f} a second"
                servers.say(f"round {n + 1} of {arguments.rounds}, {what}: {told}")
    return found


def table(found, instead):
    """Of what measure() found; `instead`: {operation: what is done directly}. Medians, and each round's ratio from the
    least to the most."""
    rows = []
    for what, results in found.items():
        ours, direct = (statistics.median(rates) for rates in zip(*results))
        ratios = sorted(one / other for one, other in results)
        spread = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})"
        rows.append([workload.LABELS[what], f"{ours:,.0f}", instead[what], f"{direct:,.0f}", spread])
    return page.table(["", "requests/s", "directly", "transactions/s", "ratio"], rows)
