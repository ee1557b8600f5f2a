"""README.md stays short, and its figures are those of the pages that it leads to."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "README.md").read_text()
MOST_WORDS = 900


def test_it_is_short():
    assert len(PAGE.split()) <= MOST_WORDS


def test_the_count_of_operations():
    counts = re.findall(r"(\d+) of (\d+) (?:operations )?of (DynamoDB|Application Auto Scaling)", " ".join(PAGE.split()))
    assert [title for _, _, title in counts] == ["DynamoDB", "Application Auto Scaling"]
    compatibility = (ROOT / "docs" / "compatibility.md").read_text()
    for served, known, title in counts:
        assert f"- {served} of {known} of {title}\n" in compatibility, title


def test_its_options_are_options_of_serve():
    options = (ROOT / "docs" / "options.md").read_text()
    [table] = re.findall(r"^\| option of `serve` \| meaning \|\n(.*?)\n\n", PAGE, re.MULTILINE | re.DOTALL)
    named = re.findall(r"`(--[a-z-]+[^`]*)`", table.split("\n", 1)[1])
    assert len(named) >= 7
    for option in named:
        assert f"| `{option}` |" in options or option == "--users", option
