"""The site that `./dev site` makes of docs/: what is in it, that it needs no other host, and that its search finds."""

import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "site")]

import hooks  # noqa: E402  (it stands in site)

SITE = ROOT / "build" / "site"
MKDOCS = ROOT / "build" / "mkdocs" / "bin" / "mkdocs"
FETCHED = {("link", "href"), ("use", "href"), ("use", "xlink:href"), *((tag, attribute) for attribute in (
    "src", "srcset", "data", "poster", "action") for tag in (
    "script", "img", "source", "iframe", "embed", "object", "video", "audio", "track", "input", "form"))}
ELSEWHERE = re.compile(r"^\s*(https?:)?//", re.IGNORECASE)


class Page(html.parser.HTMLParser):
    """What a page fetches, the scripts and styles within it, its ids, classes and components, and the text of paragraphs."""

    def __init__(self, path):
        super().__init__()
        self.fetched, self.inline, self.links, self.ids, self.marks = [], [], [], set(), set()
        self.paragraphs, self._within = [], []
        self.title = ""
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        given = {name: value or "" for name, value in attributes}
        self.fetched += [value for name, value in given.items() if (tag, name) in FETCHED]
        self.inline.append(given.get("style", ""))
        self.marks.update(given.get("class", "").split(), [given.get("data-md-component", "")])
        self.ids.update(value for name, value in given.items() if name in ("id", "name"))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in ("p", "script", "style", "title", "code"):
            self._within.append(tag)
            if tag == "p":
                self.paragraphs.append("")

    def handle_endtag(self, tag):
        if self._within[-1:] == [tag]:
            self._within.pop()

    def handle_data(self, data):
        inside = self._within[-1:]
        if inside in (["script"], ["style"]):
            self.inline.append(data)
        if self._within[:1] == ["p"]:
            self.paragraphs[-1] += data if inside == ["p"] else "code"
        if inside == ["title"]:
            self.title += data


@pytest.fixture(scope="module")
def pages():
    """{path below build/site: page}"""
    shutil.rmtree(SITE, ignore_errors=True)
    made = subprocess.run([ROOT / "dev", "site"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    found = {path.relative_to(SITE).as_posix(): Page(path) for path in SITE.rglob("*.html")}
    del found["404.html"]
    return found


def path_in_site(page):
    """The file that a page of Markdown becomes."""
    return re.sub(r"README\.html$", "index.html", page.removesuffix(".md") + ".html")


def test_each_page_of_docs_is_in_it_and_nothing_else(pages):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "docs"], cwd=ROOT, capture_output=True,
                            text=True, check=True).stdout.split()
    names = {name.removeprefix("docs/") for name in listed if (ROOT / name).exists()}
    expected = {path_in_site(name) for name in names if name.endswith(".md")}
    assert set(pages) == expected | {"project/index.html", "project/CHANGELOG.html"}
    others = {path.relative_to(SITE).as_posix() for path in SITE.rglob("*") if path.is_file()} - set(pages)
    made_by_mkdocs = {"404.html", "sitemap.xml", "sitemap.xml.gz", "search/search_index.json"}
    assert {name for name in others - made_by_mkdocs if not name.startswith("assets/")} == {
        name for name in names if not name.endswith(".md")}


def test_nothing_is_fetched_from_another_host(pages):
    for name, page in pages.items():
        assert [each for each in page.fetched if ELSEWHERE.match(each)] == [], name
        for text in page.inline:
            assert not re.search(r"https?://", text.replace("http://www.w3.org/", "")), name
    sheets = list(SITE.rglob("*.css"))
    assert sheets
    for sheet in sheets:
        fetched = re.findall(r"url\(\s*['\"]?([^'\")]*)|@import\s+['\"]?([^'\";]*)", sheet.read_text())
        assert [each for each in map("".join, fetched) if ELSEWHERE.match(each)] == [], sheet


def test_the_theme_s_script_has_no_reason_to_fetch_from_another_host(pages):
    """It knows two hosts: one for diagrams (class mermaid), one for the number of a repository's stars."""
    [script] = (SITE / "assets" / "javascripts").glob("bundle.*.js")
    code = re.sub(r"/\*.*?\*/", "", script.read_text(), flags=re.DOTALL)
    assert len(set(re.findall(r"https?://([\w.-]+)", code)) - {"www.w3.org"}) == 2
    for name, page in pages.items():
        assert "mermaid" not in page.marks and "source" not in page.marks, name


def test_no_markdown_is_left_in_paragraphs(pages):
    """MkDocs wants a blank line before a list or a table, and no HTML around them; other readers of Markdown do not."""
    left = re.compile(r"^\s*([-*+] |1\. |\||#+ |```)|\]\(", re.MULTILINE)
    faults = [f"{name}: {text[:80]!r}" for name, page in pages.items() for text in page.paragraphs if left.search(text)]
    assert faults == []


def test_links_lead_to_pages_and_headings_of_the_site(pages):
    """Of what is written, which MkDocs checks too, and of the navigation."""
    checked = 0
    for name, page in pages.items():
        for link in page.links:
            if "://" in link or link.startswith("mailto:"):
                continue
            target, _, anchor = link.partition("#")
            meant = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            meant = "index.html" if meant == "." else meant
            assert meant in pages or (SITE / meant).is_file(), f"{name}: {link}"
            assert not anchor or meant not in pages or anchor in pages[meant].ids, f"{name}: {link}"
            checked += 1
    assert checked > 1000


def test_the_search_finds_each_page_by_its_title(pages):
    titles = {name: re.sub(r"\W+", " ", page.title.removesuffix(" - Partita")).strip() for name, page in pages.items()}
    found = subprocess.run(["node", ROOT / "tests" / "site" / "search.mjs", SITE], input="\n".join(titles.values()),
                           capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(found) == len(titles)
    for (name, title), line in zip(titles.items(), found):
        assert name in {location.partition("#")[0] for location in json.loads(line)}, title


@pytest.fixture
def checkout(tmp_path):
    """What the site is made of, to be changed; the rest by links, as pages name it."""
    for path in ROOT.iterdir():
        if path.name in ("docs", "site"):
            shutil.copytree(path, tmp_path / path.name)
        elif path.suffix == ".md":
            shutil.copy(path, tmp_path)
        elif path.name != "build":
            (tmp_path / path.name).symlink_to(path)
    return tmp_path


def test_dead_links_dead_anchors_and_unlisted_pages_fail_the_build(checkout, pages):
    (checkout / "docs" / "unlisted.md").write_text("# Unlisted\n")
    with open(checkout / "docs" / "streams.md", "a") as page:
        page.write("\n[x](no-such-page.md) [x](vectors.md#no-such-heading) [x](../src/no-such-file.cc) [x](#nowhere)\n")
    with open(checkout / "README.md", "a") as page:
        page.write("\n[x](docs/no-such-page-either.md)\n")
    ran = subprocess.run([MKDOCS, "build", "-f", checkout / "site" / "mkdocs.yml"], capture_output=True, text=True,
                         check=False, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    assert ran.returncode != 0
    for fault in ("unlisted.md", "no-such-page.md", "#no-such-heading", "no-such-file.cc", "#nowhere", "no-such-page-either.md"):
        assert fault in ran.stderr, fault


def test_a_link_out_of_the_site_becomes_text():
    def links(text, page="engines/postgres.md"):
        return hooks.rewritten(text, page)

    assert links("[the interface](../../src/storage/engine.h)") == "the interface (`src/storage/engine.h`)"
    assert links("[`streams.py`](../../examples/streams.py)") == "`streams.py`"
    assert links("[read](../../README.md#x), [too](../security.md)") == "[read](../project/README.md#x), [too](../security.md)"
    assert links("[more](docs/scale.md)", "project/README.md") == "[more](../scale.md)"
    assert links("[all](docs/decisions)", "project/README.md") == "[all](../decisions/README.md)"
    kept = "[x](https://aws.example/) [x](#here) [x](gone.md) ![p](../plots/growth.svg)\n```\n[x](../../src/main.cc)\n```\n"
    assert links(kept) == kept


def test_the_navigation_is_that_of_the_map():
    text = "[a](streams.md) [a](../README.md)\n## Inside\n[b](vectors.md) [again](streams.md) [c](../examples/)\n## Nothing\n"
    assert hooks.navigation(text) == [
        "README.md", "streams.md", "project/README.md", {"Inside": ["vectors.md"]}, "project/CHANGELOG.md"]
