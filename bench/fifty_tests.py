"""The same fifty tests of five tables with pytest, jest and go test (bench/shop): with Partita's packages for them,
which undo what a test changed, beside other servers in memory, on which each test creates and deletes its tables."""

import contextlib
import dataclasses
import itertools
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time
import venv

import against_peers
import page
import peers
import servers

sys.path.append(str(servers.ROOT / "packaging"))
import npm_packages  # noqa: E402
import python_wheel  # noqa: E402

SHOP = pathlib.Path(__file__).with_name("shop")
TESTS = 50
FILES_OF_JEST = 5
WITH = ("DynamoDB Local", "Dynoxide")
KINDS = ("partita", "tables")
US = against_peers.US
RUN_S = 300
LEFT_OUT = ("PARTITA_", "AWS_", "PYTEST_", "PYTHON", "NODE_", "JEST_")
PYTHON = ["boto3", "pytest", "pytest-xdist"]
NPM = ["@aws-sdk/client-dynamodb@3", "jest@29"]


@dataclasses.dataclass(frozen=True)
class Run:
    seconds: float
    cpu_seconds: float  # of the tests and of the server


@dataclasses.dataclass(frozen=True)
class Runner:
    """A project with the fifty tests, for Partita or for any server."""

    folder: pathlib.Path
    commands: dict  # {one of WAYS: words}
    passed: str  # what it says when all fifty have passed


WAYS = {
    "pytest": "pytest", "pytest2": "pytest-xdist, 2 workers",
    "jest": "jest, one worker", "jest2": "jest, 2 workers",
    "go": "go test, one at a time", "go2": "go test, parallel",
}


def project(folder, language, kind):
    """A copy of the suite; `kind`: partita, or tables for any server."""
    shutil.copytree(SHOP / "tables", folder / "tables")
    for path in [*(SHOP / language).iterdir(), *(SHOP / language / kind).iterdir()]:
        if path.is_file():
            shutil.copy(path, folder)
    return folder


# --- one for each language --------------------------------------------------------------------------------------------


def python_projects(build, scratch):
    home = peers.CACHE / "fifty-python"
    pip = home / "bin" / "pip"
    if not (home / "bin" / "pytest").exists():
        venv.create(home, with_pip=True)
        peers.run(pip, "install", "-q", *PYTHON)
    wheel = python_wheel.make(build / "partita", scratch / "wheel")
    peers.run(pip, "install", "-q", "--no-deps", "--force-reinstall", wheel)
    words = [str(home / "bin" / "pytest"), "-q", "-p", "no:cacheprovider"]
    for kind, more in (("partita", []), ("tables", ["-p", "no:partita"])):
        folder = project(scratch / f"pytest-{kind}", "pytest", kind)
        mine = [*words, *more]
        yield Runner(folder, {"pytest": mine, "pytest2": [*mine, "-n", "2"]}, f"{TESTS} passed")


def npm_projects(build, scratch):
    home = peers.CACHE / "fifty-npm"
    if not (home / "node_modules" / "jest").exists():
        peers.run("npm", "install", "--prefix", home, "--no-audit", "--no-fund", *NPM)
    packed = npm_packages.make(build / "partita", scratch / "npm")
    peers.run("npm", "install", "--prefix", home, "--no-audit", "--no-fund", "--no-save", *packed)
    words = ["node", str(home / "node_modules" / "jest" / "bin" / "jest.js"), "--colors=false"]
    for kind in KINDS:
        folder = project(scratch / f"jest-{kind}", "jest", kind)
        for n in range(FILES_OF_JEST):
            (folder / f"shop{n}.test.js").write_text(f'require("./begin.js").begin({n * TESTS // FILES_OF_JEST});\n')
        (folder / "package.json").write_text('{"private": true}\n')
        (folder / "node_modules").symlink_to(home / "node_modules")
        yield Runner(folder, {"jest": [*words, "-i"], "jest2": [*words, "--maxWorkers", "2"]}, f"{TESTS} passed")


def go_projects(_, scratch):
    if not shutil.which("go"):
        raise peers.NotToBeHad("there is no go on this machine.")
    pinned = (servers.ROOT / "tests" / "sdks" / "go" / "go.mod").read_text()
    required = pinned[pinned.index("require"):]
    module = f"require partita.example/go v0.0.0\n\nreplace partita.example/go => {servers.ROOT / 'clients' / 'go'}\n"
    for kind in KINDS:
        folder = project(scratch / f"go-{kind}", "go", kind)
        own = module if kind == "partita" else ""
        (folder / "go.mod").write_text(f"module shop\n\ngo 1.24\n\n{required}\n{own}")
        shutil.copy(servers.ROOT / "tests" / "sdks" / "go" / "go.sum", folder)
        with contextlib.chdir(folder):
            peers.run("go", "mod", "tidy")
            peers.run("go", "test", "-c", "-o", "shop.test", ".")
        words = ["./shop.test", "-test.v"]
        yield Runner(folder, {"go": [*words, "-test.parallel", "1"], "go2": words}, "--- PASS: TestShop (")


LANGUAGES = (python_projects, npm_projects, go_projects)


def projects(build, scratch, left_out):
    """[(with Partita, with any server)]"""
    found = []
    for make in LANGUAGES:
        try:
            found.append(tuple(make(build, scratch)))
        except peers.NotToBeHad as why:
            servers.say(str(why))
            left_out.append(f"A runner is left out: {why}")
    return found


# --- a run ------------------------------------------------------------------------------------------------------------


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_seconds(server):
    fields = pathlib.Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(runner, way, variables, server=None):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LEFT_OUT)}
    served = cpu_seconds(server) if server else 0
    cpu, began = cpu_of_children(), time.perf_counter()
    ended = subprocess.run(runner.commands[way], cwd=runner.folder, env={**kept, "CI": "1", **variables},
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=RUN_S, check=False)
    seconds = time.perf_counter() - began
    said = ended.stdout + ended.stderr
    fewer = way.startswith("go") and said.count("--- PASS: TestShop/") != TESTS
    if ended.returncode or runner.passed not in said or fewer:
        raise RuntimeError(f"{WAYS[way]} did not pass {TESTS} tests: {said[-3000:]}")
    served = cpu_seconds(server) - served if server else 0
    return Run(seconds, cpu_of_children() - cpu + served)


def variables_for(server):
    return {"AWS_ENDPOINT_URL_DYNAMODB": f"http://127.0.0.1:{server.port}", "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any", "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1"}


def measure(build, scratch, arguments):
    """({(name, way): [a Run per round]}, what is said of those that are left out and of priority)"""
    left_out, results = [], {}
    pairs = projects(build, scratch, left_out)
    with contextlib.ExitStack() as running:
        others = {}
        if running.enter_context(servers.real_time()):
            left_out.append("All processes have real-time priority.")
        for peer in peers.PEERS:
            if peer.name not in WITH:
                continue
            try:
                peer.home()
            except peers.NotToBeHad as why:
                left_out.append(str(why))
                continue
            others[peer.name] = running.enter_context(peer.start(cores=set(servers.CORES)))
        for n in range(arguments.rounds + 1):
            servers.say(f"round {n} of {arguments.rounds}" if n else "warming up")
            for (ours, theirs), name in itertools.product(pairs, [US, *others]):
                for way in ours.commands:
                    if name == US:
                        took = run(ours, way, {"PARTITA_BINARY": str(build / "partita")})
                    else:
                        took = run(theirs, way, variables_for(others[name]), others[name])
                    if n:
                        results.setdefault((name, way), []).append(took)
    return results, left_out


# --- the page ---------------------------------------------------------------------------------------------------------


def median(results, name, way, field):
    return statistics.median(getattr(each, field) for each in results[name, way])


def names_of(results):
    return list(dict.fromkeys(name for name, _ in results))


def text(results, left_out, rounds):
    rows = []
    for way in WAYS:
        for name in names_of(results):
            if (name, way) not in results:
                continue
            seconds = [each.seconds for each in results[name, way]]
            middle, cpu = median(results, name, way, "seconds"), median(results, name, way, "cpu_seconds")
            rows.append([f"{WAYS[way]}, {name}", f"{middle:.2f}", f"{min(seconds):.2f} to {max(seconds):.2f}", f"{cpu:.2f}",
                         f"{middle / median(results, US, way, 'seconds'):.2f}",
                         f"{cpu / median(results, US, way, 'cpu_seconds'):.2f}"])
    head = ["in memory", "whole run, s", "least to most", "CPU of tests and server, s", "time ÷ Partita", "CPU ÷ Partita"]
    how = (f"medians of interleaved rounds: {rounds}, after a warm-up round. {TESTS} tests of bench/shop, on five tables and "
           "an index; each makes 12 calls. With Partita, its package for the runner starts a server in the run, and rolls "
           "back each test's changes (for Go: gives each test a database). With the others, which run already, each test "
           "creates its five tables and deletes them. Tests and servers share all cores. Times include the runner's own "
           "start; those of Go do not include its compiler.")
    return "\n\n".join([page.provenance(how), *left_out, page.table(head, rows)])


def ratios(results):
    """{way: the nearest peer's CPU time ÷ Partita's}. Other programs change it less than the time of a run."""
    others = [name for name in names_of(results) if name != US]
    return {way: min(median(results, name, way, "cpu_seconds") for name in others) / median(results, US, way, "cpu_seconds")
            for way in WAYS if others and (US, way) in results}


def block(results):
    ways = [way for way in WAYS if (US, way) in results]
    rows = []
    for name in names_of(results):
        figures = [[median(results, name, way, field) for field in ("seconds", "cpu_seconds")] for way in ways]
        rows.append([name, *(f"{seconds:.2f} / {cpu:.2f}" for seconds, cpu in figures)])
    return page.table([f"{TESTS} tests, in memory: time of the run / CPU time, s", *(WAYS[way] for way in ways)], rows)


def part(build, scratch, arguments):
    results, left_out = measure(build, scratch, arguments)
    least = ratios(results).values()
    budgets = [["Fifty tests: CPU of tests and server, nearest peer's ÷ Partita's", f"{min(least):.2f}", "≥ 1.0"]] if least else []
    return page.Measured(text(results, left_out, arguments.rounds), block=block(results), budgets=budgets)
