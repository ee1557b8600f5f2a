"""Links of the pages lead to files that are there, and to headings that they have."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support")]

from links import anchors, dead_links  # noqa: E402


def test_no_link_is_dead():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    dead, live = dead_links(ROOT, [ROOT / name for name in listed.split()])
    assert dead == [] and live > 100


def test_what_is_dead_is_found(tmp_path):
    page = tmp_path / "a.md"
    page.write_text("# One `two`, three\n\n[x](a.md) [x](#one-two-three) [x](a.md#four) [x](b.md) [x](../b) [x](http://h/)\n"
                    "[x](#old)\n\n<a id=\"old\"></a>\n\n"
                    "```\n# no heading\n[x](c.md)\n```\n")
    assert anchors(page) == {"one-two-three", "old"}
    assert dead_links(tmp_path, [page]) == (["a.md: a.md#four", "a.md: b.md", "a.md: ../b"], 3)
