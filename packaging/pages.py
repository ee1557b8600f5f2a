"""Makes the links of a package's pages lead to what is in the package: pages.py DIRECTORY

A link to a file that the package has under another name gets that name. A link to one that it has not becomes its text.
"""

import os
import pathlib
import re
import sys

# As debhelper installs them.
INSTALLED = {"CHANGELOG.md": "changelog.gz", "LICENSE": "copyright"}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def rewritten(text, page, root):
    def replace(found):
        target, mark, anchor = found[3].partition("#")
        if not target or "://" in target:
            return found[0]
        meant = pathlib.Path(os.path.normpath(page.parent / target))
        if meant.exists():
            return found[0]
        known = INSTALLED.get(os.path.relpath(meant, root))
        if known is None:
            return found[2]
        return f"{found[1]}[{found[2]}]({os.path.relpath(root / known, page.parent)}{mark}{anchor})"

    return LINK.sub(replace, text)


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv[1])
    for each in sorted(ROOT.rglob("*.md")):
        each.write_text(rewritten(each.read_text(), each, ROOT))
