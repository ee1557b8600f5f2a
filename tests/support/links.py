"""Links between pages of Markdown."""

import re

LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(page):
    """Of headings, as readers of Markdown make them, and those that the page sets itself."""
    text = CODE.sub("", page.read_text())
    headings = [re.sub(r"\]\([^)]*\)", "", each).lower() for each in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    set_by_page = re.findall(r'^<a id="([\w-]+)"></a>$', text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each).replace(" ", "-") for each in headings} | set(set_by_page)


def dead_links(root, pages):
    """Those that lead to no file or heading below `root`, and how many do."""
    dead, live = [], 0
    for page in pages:
        for link in LINK.findall(CODE.sub("", page.read_text())):
            if "://" in link:
                continue
            name, _, anchor = link.partition("#")
            meant = (page.parent / name).resolve() if name else page
            there = meant.exists() and meant.is_relative_to(root.resolve())
            if there and (not anchor or meant.suffix != ".md" or anchor in anchors(meant)):
                live += 1
            else:
                dead.append(f"{page.relative_to(root)}: {link}")
    return dead, live
