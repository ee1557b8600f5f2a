"""Adds up the results that `./dev test` left in a directory, and prints them.

    count.py DIRECTORY

Reads ctest.xml, gtest/*.xml (a program's own cases, counted one by one), NAME.pytest.xml and NAME.gtest.xml.
NAME.broken says that a suite did not run to its end, NAME.left_out what --quick did not run of a suite. Prints a line
for each suite, the slowest tests (also into slowest.txt), what was left out and, last, "N passed, N failed". Exits
with 1 unless tests ran and none failed.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree

SLOWEST = 50


class Count:
    """How many tests passed, failed and were skipped, and the seconds from the first to the last."""

    def __init__(self, passed=0, failed=0, skipped=0, seconds=0.0):
        self.passed, self.failed, self.skipped, self.seconds = passed, failed, skipped, seconds

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


def seconds_of(element):
    return float(element.get("time") or 0)


def count_cases(root):
    count = Count(seconds=sum(map(seconds_of, root.iter("testsuite"))))
    for case in root.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            count.failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            count.skipped += 1
        else:
            count.passed += 1
    return count


def count_program(case, cases):
    """One test of ctest: its GoogleTest cases, or one where it has none. A crash or a leak at the end is a failure."""
    failed = case.get("status") != "run"
    count = Count(failed=1) if failed else Count(passed=1)
    if cases is not None:
        count = count_cases(cases)
        if failed and count.failed == 0:
            count.failed = 1
    count.seconds = seconds_of(case)
    return count


def times(suite, root):
    """(seconds, "suite  test") of each case of a suite, its set-up included."""
    return [(seconds_of(case), f"{suite}  {case.get('classname', '')}.{case.get('name')}") for case in root.iter("testcase")]


def print_slowest(timed, path):
    lines = [f"{seconds:8.2f} s  {test}" for seconds, test in sorted(timed, reverse=True)[:SLOWEST]]
    path.write_text("".join(line + "\n" for line in lines))
    print(f"\nThe slowest tests (also in {path}):\n")
    for line in lines:
        print(line)


def print_left_out(directory):
    left_out = [line for path in sorted(directory.glob("*.left_out")) for line in path.read_text().splitlines()]
    if left_out:
        print("\nLeft out by --quick; ./dev test runs all of it:\n")
    for line in left_out:
        print(f"  {line}")


def main():
    directory = pathlib.Path(sys.argv[1])
    suites, timed = {}, []
    programs = read(directory / "ctest.xml")
    if programs is None:
        suites["C++ (ctest did not run)"] = Count(failed=1)
    else:
        for case in programs.iter("testcase"):
            name = case.get("name")
            cases = read(directory / "gtest" / (name + ".xml"))
            suites[name] = count_program(case, cases)
            timed += [(seconds_of(case), name)] if cases is None else times(name, cases)
    for path in sorted([*directory.glob("*.pytest.xml"), *directory.glob("*.gtest.xml")]):
        name, root = path.name.split(".")[0], read(path)
        suites[name] = Count(failed=1) if root is None else count_cases(root)
        timed += [] if root is None else times(name, root)
    for path in sorted(directory.glob("*.broken")):
        suites[f"{path.stem} (did not run to its end)"] = Count(failed=1)

    total = Count()
    print()
    for name, count in suites.items():
        print(f"  {name:32} {count.seconds:7.1f} s   {count}")
        total += count
    print_slowest(timed, directory / "slowest.txt")
    print_left_out(directory)
    print()
    print(total)
    return 0 if total.passed and not total.failed else 1


if __name__ == "__main__":
    sys.exit(main())
