"""A plugin of pytest for `./dev test --quick`: runs of a suite only what quick.txt names, and counts the others.

    python3 -m pytest -p quick --left-out FILE tests/api        (with tests/support in PYTHONPATH)

FILE gets a line that says how many tests were left out. A line of quick.txt that fits no test ends the run.
"""

import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = pathlib.Path(__file__).with_name("quick.txt")


def named():
    """The lines of quick.txt: a file, "file::test" or "file::test[parameters]"."""
    lines = (line.split("#")[0].strip() for line in LIST.read_text().splitlines())
    return [line for line in lines if line]


def names_of(item):
    """The lines that would name this test."""
    path = item.path.relative_to(ROOT).as_posix()
    return {path, f"{path}::{getattr(item, 'originalname', item.name)}", f"{path}::{item.name}"}


def pytest_addoption(parser):
    parser.addoption("--left-out", type=pathlib.Path, help="the file that gets how many tests were left out")


def pytest_collection_modifyitems(config, items):
    suites = {item.path.relative_to(ROOT).parts[:2] for item in items}
    wanted = {line for line in named() if pathlib.PurePosixPath(line).parts[:2] in suites}
    if not wanted:
        raise pytest.UsageError(f"{LIST.name} names no test of this suite")
    known = set().union(*map(names_of, items))
    if wanted - known:
        raise pytest.UsageError(f"{LIST.name} names tests that do not exist: {', '.join(sorted(wanted - known))}")
    left_out = [item for item in items if not names_of(item) & wanted]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        suite = " and ".join(sorted("/".join(parts) for parts in suites))
        config.getoption("--left-out").write_text(f"{suite}: {len(left_out)} of {len(items)} tests\n")
    items[:] = [item for item in items if names_of(item) & wanted]
