"""The list of small mistakes fits the sources, and so do the random ones."""

import pathlib
import random
import re
import subprocess

import operators
from mutants import MUTANTS, Mutant

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_every_mistake_still_fits():
    stale = []
    for mutant in MUTANTS:
        path = ROOT / mutant.file
        if not path.is_file() or mutant.planted_in(path.read_text()) is None:
            stale.append(f"{mutant.name}: {mutant.file}")
    assert not stale, "\n".join(stale)


def test_every_mistake_has_a_name_and_a_test_of_its_own():
    names = [mutant.name for mutant in MUTANTS]
    assert len(set(names)) == len(names)
    lists = subprocess.run(["git", "ls-files", "*CMakeLists.txt"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    programs = set(re.findall(r"(?:partita_test\(|add_test\(NAME )(\w+)", "".join((ROOT / each).read_text() for each in lists)))
    for mutant in MUTANTS:
        assert mutant.tests, mutant.name
        for test in mutant.tests:
            name = test.split(":")[0]
            assert name in programs or (ROOT / "tests" / name).is_dir(), f"{mutant.name}: there is no {name}"


def test_a_mistake_is_planted_once_or_not_at_all():
    mutant = Mutant("m", "f", "a < b", "a <= b", ("x_test",))
    assert mutant.planted_in("if (a < b)") == "if (a <= b)"
    assert mutant.planted_in("a < b, a < b") is None
    assert mutant.planted_in("a > b") is None


def test_random_changes_are_in_code_and_repeat_with_their_seed():
    chosen = operators.choose(ROOT, 30, random.Random(7), [], ("ctest",))
    assert chosen == operators.choose(ROOT, 30, random.Random(7), [], ("ctest",))
    assert len({(change.file, change.start) for change in chosen}) == 30
    for change in chosen:
        whole = (ROOT / change.file).read_text()
        line = whole.count("\n", 0, change.start)
        assert change.planted_in(whole) != whole
        assert not whole.splitlines()[line].lstrip().startswith(("//", "#")), change
