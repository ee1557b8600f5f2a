"""Adds up the results that `./dev test` left in a directory, and says them.

    count.py DIRECTORY

Reads ctest.xml, gtest/*.xml (a program's own cases, counted one by one) and NAME.pytest.xml; NAME.broken says that a
suite did not run to its end. Prints a line for each suite and, last, "N passed, N failed". Exits with 1 unless tests ran
and none failed.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


class Count:
    """How many tests passed, failed and were skipped."""

    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def __iadd__(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        return self

    def __str__(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def read(path):
    """The root of an XML file, or None where there is none (a program that crashed leaves none, or half of one)."""
    try:
        return ElementTree.parse(path).getroot()
    except (FileNotFoundError, ElementTree.ParseError):
        return None


def count_cases(root):
    count = Count()
    for case in root.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            count.failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            count.skipped += 1
        else:
            count.passed += 1
    return count


def count_program(case, gtest_directory):
    """One test of ctest: its GoogleTest cases, or one where it has none. A crash or a leak at the end is a failure."""
    failed = case.get("status") != "run"
    cases = read(gtest_directory / (case.get("name") + ".xml"))
    if cases is None:
        return Count(failed=1) if failed else Count(passed=1)
    count = count_cases(cases)
    if failed and count.failed == 0:
        count.failed = 1
    return count


def main():
    directory = pathlib.Path(sys.argv[1])
    suites = {}
    programs = read(directory / "ctest.xml")
    if programs is None:
        suites["C++ (ctest did not run)"] = Count(failed=1)
    else:
        for case in programs.iter("testcase"):
            suites[case.get("name")] = count_program(case, directory / "gtest")
    for path in sorted(directory.glob("*.pytest.xml")):
        root = read(path)
        suites[path.name.removesuffix(".pytest.xml")] = Count(failed=1) if root is None else count_cases(root)
    for path in sorted(directory.glob("*.broken")):
        suites[f"{path.stem} (did not run to its end)"] = Count(failed=1)

    total = Count()
    print()
    for name, count in suites.items():
        print(f"  {name:32} {count}")
        total += count
    print()
    print(total)
    return 0 if total.passed and not total.failed else 1


if __name__ == "__main__":
    sys.exit(main())
