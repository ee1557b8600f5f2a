"""No failure gets lost between a test and the last line of ./dev test."""

import pathlib
import subprocess
import sys

COUNT = pathlib.Path(__file__).resolve().parents[1] / "support" / "count.py"


def said(directory, **files):
    """The exit code and the lines that count.py gives for a directory with these files."""
    (directory / "gtest").mkdir()
    for name, text in files.items():
        for kind in ("xml", "pytest", "gtest.", "left_out"):
            name = name.replace(f"_{kind}", f".{kind}")
        (directory / name.replace("__", "/")).write_text(text)
    ran = subprocess.run([sys.executable, COUNT, directory], capture_output=True, text=True)
    return ran.returncode, ran.stdout.splitlines()


def count(directory, **files):
    """The exit code and the last line."""
    code, lines = said(directory, **files)
    return code, lines[-1]


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


def test_the_slowest_of_all_suites_are_named(tmp_path):
    programs = '<testsuite><testcase name="x_test" status="run" time="9"/><testcase name="link_x" status="run" time="3"/></testsuite>'
    cases = '<testsuites><testsuite><testcase name="a" classname="X" time="2.5"/></testsuite></testsuites>'
    many = "".join(f'<testcase name="t{n}" classname="tests.api" time="{n / 100}"/>' for n in range(100))
    _, lines = said(tmp_path, ctest_xml=programs, gtest__x_test_xml=cases, api_pytest_xml=f"<testsuite>{many}</testsuite>",
                    engine_gtest_xml='<testsuite><testcase name="b" classname="Y" time="2.7"/></testsuite>')
    slowest = (tmp_path / "slowest.txt").read_text().splitlines()
    assert [line.split() for line in slowest[:4]] == [
        ["3.00", "s", "link_x"], ["2.70", "s", "engine", "Y.b"], ["2.50", "s", "x_test", "X.a"], ["0.99", "s", "api", "tests.api.t99"]]
    assert len(slowest) == 50 and set(slowest) <= set(lines)


def test_what_was_left_out_is_said(tmp_path):
    files = {"ctest_xml": ctest(("y", "run")), "api_pytest_xml": TWO_GOOD}
    assert not any("Left out" in line for line in said(tmp_path, **files)[1])
    (tmp_path / "again").mkdir()
    _, lines = said(tmp_path / "again", **files, api_left_out="tests/api: 7 of 9 tests\n", whole_left_out="tests/fuzz\n")
    assert "  tests/api: 7 of 9 tests" in lines and "  tests/fuzz" in lines and lines[-1] == "3 passed, 0 failed"
