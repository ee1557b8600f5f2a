"""Partita beside other servers of the same API: DynamoDB Local, Dynoxide and dynalite, in one interleaved run."""

import contextlib
import itertools
import statistics

import page
import peers
import plot
import servers
import signing
import workload

CONNECTIONS = (16, 64)
US = "Partita"
CPU_BUDGET = 5  # times Partita's
MODES = {"durable": "with data in a directory", "memory": "in memory"}


class Contestant:
    """One server in one mode, while it runs."""

    def __init__(self, name, mode, start):
        self.name, self.mode, self.start = name, mode, start
        self.server = None
        self.cannot = {}  # {a row: the server's own words}


def contestants(build, scratch, left_out):
    """Those that can be had, not started; what is said of the others goes to `left_out`."""
    found = [
        Contestant(US, "durable", lambda data: servers.partita(build, data)),
        Contestant(US, "memory", lambda _: servers.partita(build)),
    ]
    for peer in peers.PEERS:
        try:
            peer.home()
        except peers.NotToBeHad as why:
            servers.say(str(why))
            left_out.append(str(why))
            continue
        found.append(Contestant(peer.name, "durable", peer.start))
        found.append(Contestant(peer.name, "memory", lambda _, peer=peer: peer.start()))
    return found


def prepare(build, each):
    servers.say(f"filling {each.name}, {MODES[each.mode]}")
    servers.prepare(build, each.server, workload.fill_requests())


def measure_row(build, each, what, requests, connections, seconds):
    """What the client reports, or nothing when this server does not know the operation."""
    if what in each.cannot:
        return None
    try:
        return servers.load(build, each.server, requests, connections=connections, seconds=seconds)
    except servers.LoadFailed as why:
        if "UnknownOperation" not in str(why):
            raise
        each.cannot[what] = "UnknownOperationException"
        return None


def measure(build, scratch, all_of_them, rounds, seconds):
    """{(name, mode, row, connections): [a result per round]}"""
    results = {}
    rows = {what: signing.signed(requests) for what, requests in workload.rows().items()}
    with contextlib.ExitStack() as running:
        for each in all_of_them:
            each.server = running.enter_context(each.start(scratch / f"{each.name}-{each.mode}"))
            prepare(build, each)
        servers.say("warming up")
        for what, requests in rows.items():
            for each in all_of_them:
                measure_row(build, each, what, requests, 16, seconds)
        for n in range(rounds):
            for connections in CONNECTIONS:
                for what, requests in rows.items():
                    servers.say(f"round {n + 1} of {rounds}, {connections} connections, {what}")
                    for each in all_of_them:
                        result = measure_row(build, each, what, requests, connections, seconds)
                        if result:
                            results.setdefault((each.name, each.mode, what, connections), []).append(result)
    return results


# --- the page ---------------------------------------------------------------------------------------------------------


class Figures:
    """Medians over the rounds."""

    def __init__(self, results):
        self.results = results

    def __call__(self, name, mode, what, connections, field):
        """Nothing when that server has no such row."""
        rounds = self.results.get((name, mode, what, connections))
        return statistics.median(result[field] for result in rounds) if rounds else None

    def ratio(self, name, mode, what, connections, field):
        theirs, ours = (self(who, mode, what, connections, field) for who in (name, US))
        return theirs / ours if theirs is not None and ours else None


def others(all_of_them):
    return list(dict.fromkeys(each.name for each in all_of_them if each.name != US))


def ratio_table(figures, names, mode, connections):
    """A peer's CPU time per request ÷ Partita's, and both sides' p99."""
    head = [f"{MODES[mode]}, {connections} connections", "Partita, CPU µs", *(f"{name} ÷" for name in names)]
    head += ["least ÷", "Partita, p99 ms", *(f"{name}, p99 ms" for name in names)]
    rows = []
    for what, label in workload.LABELS.items():
        ours = figures(US, mode, what, connections, "cpu_us")
        if ours is None:
            continue
        ratios = [figures.ratio(name, mode, what, connections, "cpu_us") for name in names]
        had = [ratio for ratio in ratios if ratio is not None]
        p99s = [figures(name, mode, what, connections, "p99_us") for name in (US, *names)]
        rows.append(
            [label, f"{ours:.1f}", *("–" if ratio is None else f"{ratio:.1f}" for ratio in ratios)]
            + [f"**{min(had):.1f}**" if had else "–", *("–" if p99 is None else page.ms(p99) for p99 in p99s)]
        )
    return page.table(head, rows)


def least_ratios(figures, names, field, counts):
    """{(operation, mode): the least of the peers' figures ÷ Partita's}"""
    found = {}
    for name, mode, what, connections in itertools.product(names, MODES, workload.LABELS, counts):
        ratio = figures.ratio(name, mode, what, connections, field)
        if ratio is not None:
            found[what, mode] = min(ratio, found.get((what, mode), ratio))
    return found


def budgets(figures, names):
    """The operations that miss the budget, the least of the others, and the least ratio of 99th percentiles."""
    cpu = least_ratios(figures, names, "cpu_us", [64])
    rows = [
        [f"{what}, {MODES[mode]}: nearest peer's CPU ÷ Partita's", f"{ratio:.1f}", f"≥ {CPU_BUDGET}"]
        for (what, mode), ratio in cpu.items() if ratio < CPU_BUDGET
    ]
    rest = [ratio for ratio in cpu.values() if ratio >= CPU_BUDGET]
    if rest:
        rows.append(["every other operation: nearest peer's CPU ÷ Partita's", f"{min(rest):.1f}", f"≥ {CPU_BUDGET}"])
    p99 = least_ratios(figures, names, "p99_us", CONNECTIONS)
    if p99:
        rows.append(["every operation: best peer's p99 ÷ Partita's", f"{min(p99.values()):.1f}", "≥ 1.0"])
    return rows


def missed(figures, names):
    """A sentence for each row that is not five times the fastest peer, or whose p99 is worse than some peer's."""
    found = []
    for mode in MODES:
        for what, label in workload.LABELS.items():
            cpu = {name: figures.ratio(name, mode, what, 64, "cpu_us") for name in names}
            cpu = {name: ratio for name, ratio in cpu.items() if ratio is not None and ratio < CPU_BUDGET}
            found += [f"{label}, {MODES[mode]}: CPU {ratio:.1f} × ({name})" for name, ratio in cpu.items()]
            for connections in CONNECTIONS:
                p99 = {name: figures.ratio(name, mode, what, connections, "p99_us") for name in names}
                p99 = {name: ratio for name, ratio in p99.items() if ratio is not None and ratio < 1}
                found += [
                    f"{label}, {MODES[mode]}, {connections} connections: p99 {ratio:.2f} × ({name})"
                    for name, ratio in p99.items()
                ]
    return found


def whole_table(figures, names):
    head = ["", "connections", "server", "requests/s", "p50 ms", "p99 ms", "CPU µs/request", "client busy"]
    rows = []
    for mode in MODES:
        for what, label in workload.LABELS.items():
            for connections in CONNECTIONS:
                for name in (US, *names):
                    got = [
                        figures(name, mode, what, connections, field)
                        for field in ("per_second", "p50_us", "p99_us", "cpu_us", "client_busy")
                    ]
                    if got[0] is None:
                        continue
                    rate, p50, p99, cpu, busy = got
                    rows.append(
                        [f"{label}, {MODES[mode]}", str(connections), name, f"{rate:,.0f}", page.ms(p50), page.ms(p99)]
                        + [f"{cpu:,.1f}", f"{busy:.0%}"]
                    )
    return page.table(head, rows)


def picture_of(figures, names, mode):
    groups = {}
    for what in workload.LABELS:
        values = {name: figures(name, mode, what, 64, "cpu_us") for name in (US, *names)}
        groups[what] = {name: value for name, value in values.items() if value}
    return plot.bars(f"Server CPU per request, {MODES[mode]}, 64 connections", "µs", groups)


def text(figures, all_of_them, left_out, arguments):
    """How it was measured, and all rows."""
    names = others(all_of_them)
    cannot = {(each.name, what): why for each in all_of_them for what, why in each.cannot.items()}
    versions = ", ".join(f"{peer.name} {peer.version} ({peer.on_disk})" for peer in peers.PEERS if peer.name in names)
    parts = [
        page.provenance(
            f"medians of {arguments.rounds} interleaved rounds of {arguments.seconds:g} s each, after a warm-up round. "
            "Peers, and what each does before it acknowledges a PutItem with its data in a directory: "
            f"{versions}; Partita syncs once for all waiting writes. Server and client have a core each. Every request "
            "carries a Signature Version 4 that was computed before the clock started; no server verifies it on loopback."
        )
    ]
    parts += [f"Left out: {why}" for why in left_out]
    parts += [f"{name} has no {what}: {why}." for (name, what), why in cannot.items()]
    parts += ["“÷” is a peer's CPU time (user and system, of the server process) per request divided by Partita's."]
    for connections in reversed(CONNECTIONS):
        parts += [ratio_table(figures, names, mode, connections) for mode in MODES]
    parts += [page.picture("peers", f"{mode}.svg", f"CPU per request, {MODES[mode]}") for mode in MODES]
    misses = missed(figures, names)
    parts += ["Below 5 × in CPU at 64 connections, or with a worse p99 than a peer:"]
    parts += ["\n".join(f"- {miss}" for miss in misses or ["none"])]
    return "\n\n".join([*parts, whole_table(figures, names)])


def part(build, scratch, arguments):
    left_out = []
    all_of_them = contestants(build, scratch, left_out)
    figures = Figures(measure(build, scratch, all_of_them, arguments.rounds, arguments.seconds))
    names = others(all_of_them)
    durable, memory = (figures(US, mode, "PutItem", 64, "cpu_us") for mode in MODES)
    return page.Measured(
        text(figures, all_of_them, left_out, arguments),
        {f"{mode}.svg": picture_of(figures, names, mode) for mode in MODES},
        block=ratio_table(figures, names, 'durable', CONNECTIONS[-1]),
        budgets=budgets(figures, names),
        costs=[page.cost("PutItem, with data in a directory", durable, "in memory", memory)],
    )
