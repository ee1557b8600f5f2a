"""docs/performance.md is short, has its figures from bench/results, and explains each missed budget."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import page  # noqa: E402  (it stands in bench)

TEXT = page.PAGE.read_text()
LINES = 140  # two screens, and the markers
LINK = re.compile(r" \[([\w-]+)\]\(\.\./bench/results/\1\.md\) \|$")


def rows(table):
    """[(a row without the last cell, the text of the file that the last cell leads to)]"""
    lines = page.block_of(TEXT, table)[1].splitlines()[2:]
    assert lines
    return [(line[: LINK.search(line).start()], (page.RESULTS / f"{LINK.search(line)[1]}.md").read_text()) for line in lines]


def test_it_is_two_screens():
    assert TEXT.count("\n") <= LINES


def test_its_rows_are_those_of_the_files():
    for row, file in rows("budgets") + rows("costs"):
        assert f"{row}\n" in file, row
    for part in ("peers", "start", "fifty_tests", "ycsb"):
        block = page.block_of(TEXT, part)[1]
        name = re.search(r"^All rows: \[([\w-]+)\]\(\.\./bench/results/\1\.md\)\.$", block, re.MULTILINE)[1]
        file = (page.RESULTS / f"{name}.md").read_text()
        assert block.split("\nAll rows: ")[0] in file and name.startswith(f"{part}-")


def missed(table_rows):
    found = []
    for row in table_rows:
        measure, measured, budget = (cell.strip() for cell in row.strip("|").split("|"))
        sign, limit = budget.split()
        assert sign in "≤≥"
        if (float(measured) > float(limit)) if sign == "≤" else (float(measured) < float(limit)):
            found.append(measure)
    return found


def test_each_missed_budget_has_its_sentence():
    told = TEXT.split("\nMissed:\n")[1].split("\n## ")[0]
    assert sorted(re.findall(r"\*\*(.+?)\*\*", " ".join(told.split()))) == sorted(missed(row for row, _ in rows("budgets")))


def test_what_is_missed():
    assert missed(["| a | 1.50 | ≤ 1.5 |", "| b | 1.51 | ≤ 1.5 |", "| c | 0.99 | ≥ 1.0 |", "| d | 1.0 | ≥ 1.0 |"]) == ["b", "c"]


def test_each_file_says_its_revision_and_its_command_and_is_listed():
    index = page.RESULTS / "README.md"
    assert page.block_of(index.read_text(), "index")[1] == page.indexed() + "\n"
    for path in page.RESULTS.glob("*-*.md"):
        text = path.read_text()
        revision = re.search(r"^Revision ([^,]+), ", text, re.MULTILINE)[1]
        assert path.stem == f"{path.stem.split('-')[0]}-{revision.replace(' ', '-')}"
        assert re.search(r"^Measured \d{4}-\d\d-\d\d by (about )?`\./dev bench\b", text, re.MULTILINE), path
