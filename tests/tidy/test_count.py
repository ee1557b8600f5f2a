"""No failure gets lost between a test and the last line of ./dev test."""

import pathlib
import subprocess
import sys

COUNT = pathlib.Path(__file__).resolve().parents[1] / "support" / "count.py"


def count(directory, **files):
    """The exit code and the last line that count.py gives for a directory with these files."""
    (directory / "gtest").mkdir()
    for name, text in files.items():
        (directory / (name.replace("__", "/").replace("_xml", ".xml").replace("_pytest", ".pytest"))).write_text(text)
    ran = subprocess.run([sys.executable, COUNT, directory], capture_output=True, text=True)
    return ran.returncode, ran.stdout.splitlines()[-1]


def ctest(*cases):
    return "<testsuite>" + "".join(f'<testcase name="{name}" status="{how}"/>' for name, how in cases) + "</testsuite>"


ONE_GOOD_ONE_BAD = '<testsuites><testcase name="a"/><testcase name="b"><failure/></testcase></testsuites>'
TWO_GOOD = '<testsuites><testcase name="a"/><testcase name="b"/></testsuites>'


def test_cases_are_counted_one_by_one(tmp_path):
    files = {"ctest_xml": ctest(("x_test", "run"), ("link_x", "run")), "gtest__x_test_xml": TWO_GOOD}
    assert count(tmp_path, **files) == (0, "3 passed, 0 failed")


def test_a_failing_case_fails(tmp_path):
    files = {"ctest_xml": ctest(("x_test", "fail")), "gtest__x_test_xml": ONE_GOOD_ONE_BAD}
    assert count(tmp_path, **files) == (1, "1 passed, 1 failed")


def test_a_program_that_crashes_fails(tmp_path):
    assert count(tmp_path, ctest_xml=ctest(("x_test", "fail"), ("y", "run"))) == (1, "1 passed, 1 failed")


def test_a_program_that_fails_after_its_last_case_fails(tmp_path):
    files = {"ctest_xml": ctest(("x_test", "fail")), "gtest__x_test_xml": TWO_GOOD}
    assert count(tmp_path, **files) == (1, "2 passed, 1 failed")


def test_a_program_that_was_not_run_fails(tmp_path):
    assert count(tmp_path, ctest_xml=ctest(("x_test", "notrun"), ("y", "run"))) == (1, "1 passed, 1 failed")


def test_a_python_suite_counts_and_its_skips_show(tmp_path):
    suite = '<testsuite><testcase/><testcase><skipped/></testcase><testcase><error/></testcase></testsuite>'
    files = {"ctest_xml": ctest(("y", "run")), "api_pytest_xml": suite}
    assert count(tmp_path, **files) == (1, "2 passed, 1 failed, 1 skipped")


def test_nothing_is_no_success(tmp_path):
    assert count(tmp_path)[0] == 1
    (tmp_path / "again").mkdir()
    assert count(tmp_path / "again", ctest_xml=ctest())[0] == 1
