"""./dev mutate: plants small mistakes in a copy of the sources, one at a time, and says which the tests catch.

    run.py [NAME...]                    the mistakes of mutants.py, all or those whose name has NAME in it
    run.py --list                       what there is, and whether each still fits the sources
    run.py --random N [--seed S] [PATH...]
                                        N places below src/ (or PATH) changed by an operator of operators.py, against
                                        the programs of ctest and the suites http and api

A mistake that no longer fits its source is stale: it fails the run until the list is mended. Exits with 0 only when all
were caught. The copy and its build are in build/mutate.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import operators
from mutants import MUTANTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = ROOT / "build" / "mutate"
BUILD = TREE / "build" / "release"
LOG = TREE / "last.log"
PYTHON = "/usr/bin/python3"
TEST_TIMEOUT_S = 300
ON_DOUBLE = "contract_on_"  # contract_test by another name
EVERYTHING = ("ctest", "http", "api")


def copy_sources():
    """Brings the copy up to date. What did not change keeps its time, so that little is built again."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()
    wanted = {name for name in listed if (ROOT / name).is_file()}
    for name in sorted(wanted):
        source, copy = ROOT / name, TREE / name
        if copy.is_file() and copy.read_bytes() == source.read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
        shutil.copymode(source, copy)
    for top in ("src", "tests", "bench", "cmake"):
        for copy in (TREE / top).rglob("*"):
            if copy.is_file() and "__pycache__" not in copy.parts and str(copy.relative_to(TREE)) not in wanted:
                copy.unlink()


def run(command, timeout_s=None, **environment):
    """True when the command succeeds. One that hangs is ended, with all that it started."""
    environment = {**os.environ, "PARTITA_BINARY": str(BUILD / "partita"), "PYTHONDONTWRITEBYTECODE": "1",
                   "CCACHE_BASEDIR": str(TREE), "CCACHE_NOHASHDIR": "1", **environment}
    with LOG.open("w") as log:
        with subprocess.Popen(command, cwd=TREE, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment,
                              start_new_session=True) as process:
            try:
                return process.wait(timeout_s) == 0
            except subprocess.TimeoutExpired:
                return False
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)


def is_program(test):
    return test.split(":")[0].endswith("_test") or test.startswith(ON_DOUBLE)


def targets_of(tests):
    programs = ["contract_test" if test.startswith(ON_DOUBLE) else test.split(":")[0] for test in tests if is_program(test)]
    if "ctest" in tests:
        return ["all"]
    return programs + ([] if len(programs) == len(tests) else ["partita"])


def build(tests):
    return run(["cmake", "--build", str(BUILD), "--", *targets_of(tests)])


def passes(test):
    """`test` is a program of ctest or a folder of tests/, with a filter of GoogleTest's or pytest's behind a colon; or
    all programs ("ctest")."""
    name, _, chosen = test.partition(":")
    if name == "ctest":
        return run(["ctest", "--test-dir", str(BUILD), "-j", str(os.cpu_count()), "--stop-on-failure",
                    "-E", "number_property|^link_"], TEST_TIMEOUT_S)
    if is_program(test):
        return run(["ctest", "--test-dir", str(BUILD), "-R", f"^{name}$", "--no-tests=error"], TEST_TIMEOUT_S,
                   GTEST_FILTER=chosen or "*", GTEST_FAIL_IF_NO_TEST_SELECTED="1")
    chosen = ["-k", chosen] if chosen else []
    return run([PYTHON, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *chosen, f"tests/{name}"], TEST_TIMEOUT_S)


class Runner:
    """Plants one mutant after another and keeps the score."""

    def __init__(self, total):
        self.total = total
        self.results = {}
        self._sound = {}  # whether a test passes while nothing is planted

    def say(self, mutant, outcome, started, more=""):
        self.results[mutant.name] = outcome
        took = time.monotonic() - started
        print(f"{len(self.results):4}/{self.total}  {outcome:9} {mutant.name}  ({took:.0f} s{more})", flush=True)

    def is_sound(self, test):
        if test not in self._sound:
            self._sound[test] = build([test]) and passes(test)
            if not self._sound[test]:
                print(f"           {test} fails without any mistake: see {LOG}", flush=True)
        return self._sound[test]

    def try_one(self, mutant):
        started = time.monotonic()
        path = TREE / mutant.file
        whole = path.read_text() if path.is_file() else ""
        planted = mutant.planted_in(whole)
        if planted is None:
            return self.say(mutant, "STALE", started)
        tests = [test for test in mutant.tests if self.is_sound(test)]
        if not tests:
            return self.say(mutant, "UNTESTED", started)
        path.write_text(planted)
        try:
            if not build(tests):
                return self.say(mutant, "no build", started)
            for test in tests:
                if not passes(test):
                    return self.say(mutant, "caught", started, f", by {test}")
        finally:
            path.write_text(whole)
        self.say(mutant, "SURVIVED", started)


def show(mutants):
    stale = 0
    for mutant in mutants:
        fits = mutant.planted_in((ROOT / mutant.file).read_text()) if (ROOT / mutant.file).is_file() else None
        stale += fits is None
        print(f"{'' if fits else 'STALE  '}{mutant.name}  {mutant.file}  {' '.join(mutant.tests)}")
    return 1 if stale else 0


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", help="parts of names; with --random, paths below src/")
    parser.add_argument("--list", action="store_true", help="show the list and what is stale in it")
    parser.add_argument("--random", type=int, metavar="N", help="instead of the list, N random changes")
    parser.add_argument("--seed", type=int, default=1, help="of the random changes")
    options = parser.parse_args()
    if options.random:
        mutants = operators.choose(ROOT, options.random, random.Random(options.seed), options.names, EVERYTHING)
    else:
        mutants = [m for m in MUTANTS if not options.names or any(name in m.name for name in options.names)]
    if options.list:
        return show(mutants)
    TREE.mkdir(parents=True, exist_ok=True)
    copy_sources()
    if not run(["cmake", "--preset", "release"]):
        sys.exit(f"cmake could not configure the copy: see {LOG}")
    runner = Runner(len(mutants))
    for mutant in mutants:
        runner.try_one(mutant)
    outcomes = list(runner.results.values())
    tried = len(outcomes) - outcomes.count("no build")
    print(f"\n{outcomes.count('caught')} of {tried} caught")
    for wrong in ("SURVIVED", "UNTESTED", "STALE"):
        for name, outcome in runner.results.items():
            if outcome == wrong:
                print(f"  {wrong.lower()}: {name}")
    return 0 if tried and outcomes.count("caught") == tried else 1


if __name__ == "__main__":
    sys.exit(main())
