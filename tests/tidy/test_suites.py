"""Each folder of tests says what it is, and what ./dev test --quick runs of it exists."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support")]

import sources  # noqa: E402
from quick import named  # noqa: E402

LINES = range(8, 26)
LEFT_OUT = {"budget", "dax", "debian", "fuzz", "mutate", "package", "sdks", "sinks", "site", "tidy"}  # by --quick, or run whole


def folders():
    return sorted({name.split("/")[1] for name in sources.files() if name.startswith("tests/") and name.count("/") >= 2})


def test_each_folder_of_tests_has_a_readme():
    """What it shows, how to run one test of it, and where to add one."""
    faults = []
    for folder in folders():
        name = f"tests/{folder}/README.md"
        text = sources.text(name) if name in sources.files() else ""
        if text.count("\n") not in LINES:
            faults.append(f"{name} has {text.count(chr(10))} lines, and should have {LINES.start} to {LINES.stop - 1}")
        if not text.startswith(f"# tests/{folder}: "):
            faults.append(f"{name} does not begin with its title")
        if not re.search(r"^```\n.+?^```\n", text, re.MULTILINE | re.DOTALL):
            faults.append(f"{name} shows no command that runs a test")
        if not re.search(r"^Add ", text, re.MULTILINE):
            faults.append(f"{name} does not say where to add a test")
    assert not faults, "\n" + "\n".join(faults)


def test_files_that_the_readmes_name_exist():
    missing = []
    for folder in folders():
        name = f"tests/{folder}/README.md"
        for path in re.findall(r"`([\w./]+\.(?:py|sh|h|cc|txt|mjs))`|(tests/[\w./]+\.(?:py|sh))", sources.text(name)):
            path = path[0] or path[1]
            if not any((ROOT / place / path).exists() for place in ("", f"tests/{folder}")) and "NAME" not in path:
                missing.append(f"{name}: {path}")
    assert not missing, "\n" + "\n".join(missing)


def test_what_the_quick_run_names_exists():
    """(The plugin checks the names of cases too, when it runs.)"""
    suites = {pathlib.PurePosixPath(name).parts[1] for name in sources.files() if re.match(r"tests/\w+/test_\w+\.py$", name)}
    assert {line.split("/")[1] for line in named()} == suites - LEFT_OUT
    missing = []
    for line in named():
        name, _, test = line.partition("::")
        text = sources.text(name) if name in sources.files() else ""
        if not text or (test and not re.search(rf"^def {test.split('[')[0]}\(", text, re.MULTILINE)):
            missing.append(line)
    assert not missing, f"tests/support/quick.txt names what is not there: {missing}"
