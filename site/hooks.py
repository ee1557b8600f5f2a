"""What the site adds to MkDocs: two pages of the repository's root, links that lead out of the site, the navigation.

README.md and CHANGELOG.md are read where they are; MkDocs is told of them as pages below project/. A link to a file of
the repository that is no page of the site becomes its text and the file's path. The navigation has the headings and the
order of docs/README.md, so a page that is not listed there fails the build.
"""

import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PROJECT = ("README.md", "CHANGELOG.md")  # pages of the site that are not in docs/

FENCED = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
TOPIC = re.compile(r"^## (.*)$|\]\(([^()\s#]+)", re.MULTILINE)


def page_of(path):
    """The page of the site that a file of the repository is, or None."""
    if path.is_dir():
        path = path / "README.md"
    if path.suffix != ".md" or not path.exists():
        return None
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS).as_posix()
    return f"project/{path.name}" if path.parent == ROOT and path.name in PROJECT else None


def source_of(page):
    """The other way round."""
    return ROOT / page.removeprefix("project/") if page.startswith("project/") else DOCS / page


def rewritten(text, page):
    """`text` with links as the site has them."""
    folder = source_of(page).parent

    def replace(found):
        words, target = found.groups()
        name, mark, anchor = target.partition("#")
        meant = pathlib.Path(os.path.normpath(folder / name))
        if not name or "://" in target or not meant.exists() or not meant.is_relative_to(ROOT):
            return found[0]  # a dead one is for MkDocs to report
        to = page_of(meant)
        if to is not None:
            return f"[{words}]({os.path.relpath(to, pathlib.PurePosixPath(page).parent)}{mark}{anchor})"
        path = meant.relative_to(ROOT).as_posix()
        return words if words.strip("`/") in path or meant.stem in words else f"{words} (`{path}`)"

    parts = FENCED.split(text)
    return "".join(part if part.startswith("```") else LINK.sub(replace, part) for part in parts)


def pages_below(path):
    """Of a page itself, or of a folder: README.md first."""
    found = sorted(path.glob("*.md"), key=lambda each: (each.name != "README.md", each.name)) if path.is_dir() else [path]
    return [page for page in map(page_of, found) if page]


def navigation(text):
    """MkDocs's `nav` for docs/README.md: its headings, the pages that are linked below each, and folders as sections."""
    top, seen = ["README.md"], {"README.md"}
    section = top

    def add(meant):
        pages = [page for page in pages_below(meant) if page not in seen]
        seen.update(pages)
        section.extend([{meant.name.capitalize(): pages}] if meant.is_dir() and pages else pages)

    for heading, target in TOPIC.findall(FENCED.sub("", text)):
        if heading:
            section = []
            top.append({heading: section})
        else:
            add(pathlib.Path(os.path.normpath(DOCS / target)))
    section = top
    for name in PROJECT:
        add(ROOT / name)
    return [each for each in top if isinstance(each, str) or all(each.values())]  # without empty sections


def on_config(config):
    config.nav = navigation((DOCS / "README.md").read_text())
    return config


def on_files(files, config):
    from mkdocs.structure.files import File  # the tests import this file without MkDocs

    for name in PROJECT:
        files.append(File.generated(config, f"project/{name}", abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown, page, **_):
    return rewritten(markdown, page.file.src_uri)
