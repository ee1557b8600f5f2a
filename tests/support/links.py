"""Links between pages of Markdown."""

import collections
import re

# [x](here "title"), which may stand around a picture; [x]: here; href="here" and src="here" of HTML.
LINK = re.compile(r"""\]\(<?([^()\s>]+)>?(?:\s+["'][^"']*["'])?\)|^ {0,3}\[[^\]]+\]:\s+<?(\S+?)>?\s*$|\b(?:href|src)=["']([^"']+)""",
                  re.MULTILINE)
CODE = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.DOTALL)


def without_code(text):
    return SPAN.sub("``", CODE.sub("", text))


def links(text):
    return ["".join(found) for found in LINK.findall(without_code(text))]


def anchors(page):
    """Of the headings, as readers of Markdown make them, and of HTML."""
    text = CODE.sub("", page.read_text())
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    found, seen = set(re.findall(r"""\b(?:id|name)=["']([^"']+)""", without_code(text))), collections.Counter()
    for each in headings:
        anchor = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", each).lower()).replace(" ", "-")
        found.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return found


def dead_links(root, pages):
    """Those that lead to no file or heading below `root`, and how many do."""
    dead, live = [], 0
    for page in pages:
        for link in links(page.read_text()):
            if "://" in link or link.startswith("mailto:"):
                continue
            name, _, anchor = link.partition("#")
            meant = (page.parent / name).resolve() if name else page
            there = meant.exists() and meant.is_relative_to(root.resolve())
            if there and meant.is_dir() and anchor:
                meant = meant / "README.md"
                there = meant.exists()
            if there and (not anchor or meant.suffix != ".md" or anchor in anchors(meant)):
                live += 1
            else:
                dead.append(f"{page.relative_to(root)}: {link}")
    return dead, live
