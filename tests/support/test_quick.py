"""./dev test --quick runs what quick.txt names, counts what it leaves out, and does not overlook a name that is gone."""

import pathlib
import shutil
import subprocess
import sys

import pytest

SUPPORT = pathlib.Path(__file__).resolve().parent
ONE = """import pytest
def test_named(): pass
@pytest.mark.parametrize("n", [1, 2])
def test_chosen(n): pass
def test_other(): assert False
"""


@pytest.fixture
def run(tmp_path):
    """Runs the plugin on tests/one of a directory of its own: what pytest said, and what it left out."""
    support, suite = tmp_path / "tests" / "support", tmp_path / "tests" / "one"
    suite.mkdir(parents=True)
    support.mkdir()
    shutil.copy(SUPPORT / "quick.py", support)
    (suite / "test_one.py").write_text(ONE)
    (suite / "test_whole.py").write_text("def test_first(): pass\ndef test_second(): pass\n")

    def run_with(*lines):
        (support / "quick.txt").write_text("\n".join(lines))
        ran = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "quick", "--left-out",
                              tmp_path / "left_out", suite], cwd=tmp_path, env={"PYTHONPATH": str(support)},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        left_out = tmp_path / "left_out"
        return ran.returncode, ran.stdout, left_out.read_text() if left_out.exists() else ""

    return run_with


def test_a_file_a_test_and_a_case_are_named(run):
    code, said, left_out = run("# why", "tests/one/test_whole.py", "tests/one/test_one.py::test_named  # fast",
                               "tests/one/test_one.py::test_chosen[2]", "tests/two/test_of_another_suite.py")
    assert code == 0 and "4 passed, 2 deselected" in said, said
    assert left_out == "tests/one: 2 of 6 tests\n"


@pytest.mark.parametrize("gone", ["tests/one/test_gone.py", "tests/one/test_one.py::test_gone", "tests/one/test_one.py::test_chosen[3]"])
def test_a_name_that_fits_nothing_ends_the_run(run, gone):
    code, said, _ = run("tests/one/test_whole.py", gone)
    assert code == 4 and gone in said, said


def test_a_suite_without_a_name_ends_the_run(run):
    code, said, _ = run("tests/two/test_of_another_suite.py")
    assert code == 4 and "names no test of this suite" in said, said
