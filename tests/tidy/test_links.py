"""Links of the pages lead to files that are there, and to headings that they have; the maps list every page."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support")]

from links import anchors, dead_links, links  # noqa: E402


def pages(*where):
    """Those that git knows or would add."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *(where or ["*.md"])],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in sorted(set(listed.splitlines())) if (ROOT / name).is_file()]


def test_no_link_is_dead():
    dead, live = dead_links(ROOT, pages())
    assert dead == [] and live > 100


def listed_by(page):
    """The files, and what is in the folders, that a page links to."""
    targets = [(page.parent / name).resolve() for name in links(page.read_text()) if "://" not in name]
    return set(targets) | {each for target in targets if target.is_dir() for each in target.rglob("*.md")}


@pytest.mark.parametrize("page, folder", [("docs/README.md", "docs"), ("docs/decisions/README.md", "docs/decisions")])
def test_a_map_lists_every_page(page, folder):
    missing = set(pages(f"{folder}/*.md")) - listed_by(ROOT / page) - {ROOT / page}
    assert {str(each.relative_to(ROOT)) for each in missing} == set(), f"add a line for it to {page}"


def test_each_record_is_one_line_of_the_map():
    """Under its number."""
    lines = re.findall(r"^\| \[(\d{3}) [^\]]+\]\((\d{3})-", (ROOT / "docs/decisions/README.md").read_text(), re.MULTILINE)
    numbers = [path.name[:3] for path in pages("docs/decisions/0*.md") if path.name[:3] != "000"]
    assert lines == [(number, number) for number in sorted(numbers)]


def test_what_is_dead_is_found(tmp_path):
    page = tmp_path / "a.md"
    page.write_text("# One `two`, three\n\n[x](a.md) [x](#one-two-three) [x](a.md#four) [x](b.md) [x](../b) [x](http://h/)\n"
                    "[x](#old)\n\n<a id=\"old\"></a>\n\n"
                    "```\n# no heading\n[x](c.md)\n```\n")
    assert anchors(page) == {"one-two-three", "old"}
    assert dead_links(tmp_path, [page]) == (["a.md: a.md#four", "a.md: b.md", "a.md: ../b"], 3)


def test_links_of_every_form_are_looked_at(tmp_path):
    """With a title, around a picture, by reference, in HTML, over two lines; none of what is code."""
    page = tmp_path / "a.md"
    page.write_text('[x](b1.md "why") [![p](b2.png)](b3.md) [x][far] <a href="b4.md">x</a> [two\nlines](b5.md) <img src="b6.png">\n'
                    "[far]: b7.md\n`[x](code.md)` `<a href=\"code.md\">`\n~~~\n[x](code.md)\n~~~\n")
    dead, live = dead_links(tmp_path, [page])
    assert sorted(dead) == [f"a.md: b{n}.{'png' if n in (2, 6) else 'md'}" for n in range(1, 8)] and live == 0


def test_anchors_are_those_of_readers(tmp_path):
    """Repeated headings are numbered, ids of HTML count, and a link in a heading counts by its words."""
    page = tmp_path / "a.md"
    page.write_text("# A [link](b.md), `--flag` & more\n\n## Twice\n\n## Twice\n\n### What_is 1.5 × it?\n\n<a id=\"own\"></a>\n")
    assert anchors(page) == {"a-link---flag--more", "twice", "twice-1", "what_is-15--it", "own"}
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "README.md").write_text("# Here\n")
    page.write_text("[x](folder#here) [x](folder/#gone) [x](folder)\n")
    assert dead_links(tmp_path, [page]) == (["a.md: folder/#gone"], 2)
