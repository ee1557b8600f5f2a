"""Where the bench writes: one file of bench/results for each measurement, and the lines of docs/performance.md that it
has there. A part of the bench replaces its own lines and leaves the rest."""

import dataclasses
import datetime
import os
import re

import servers

PAGE = servers.ROOT / "docs" / "performance.md"
RESULTS = servers.ROOT / "bench" / "results"
LOAD_BEFORE = os.getloadavg()[0]

BUDGETS = ["measure", "measured", "budget"]
COSTS = ["what", "measured", "compared with", "ratio"]


@dataclasses.dataclass
class Measured:
    """What a part of the bench found."""

    text: str  # how it was measured, and all rows
    plots: dict = dataclasses.field(default_factory=dict)  # {file name: SVG}
    block: str = ""  # what the page has between this part's markers
    budgets: list = dataclasses.field(default_factory=list)  # rows of the page's table; "–" for none stays off the page
    costs: list = dataclasses.field(default_factory=list)

    def whole(self):
        """For the file: also what the page has of it, so that the page can be checked against it."""
        parts = [self.text, "## In docs/performance.md", self.block]
        parts += [table(head, rows) for head, rows in ((BUDGETS, self.budgets), (COSTS, self.costs)) if rows]
        return "\n\n".join(part for part in parts if part)


def update(part, found, command):
    RESULTS.mkdir(exist_ok=True)
    name = stem(part)
    head = f"# {name}\n\nMeasured {datetime.date.today()} by `{command}`."
    (RESULTS / f"{name}.md").write_text(f"{head}\n\n{found.whole()}\n")
    for plot, svg in found.plots.items():
        (RESULTS / f"{name}-{plot}").write_text(svg)
    index = RESULTS / "README.md"
    index.write_text(with_block(index.read_text(), "index", indexed()))
    link = f"[{name}](../bench/results/{name}.md)"
    text = PAGE.read_text()
    if found.block:
        text = with_block(text, part, f"{found.block}\n\nAll rows: {link}.")
    for table_name, rows in (("budgets", found.budgets), ("costs", found.costs)):
        text = with_rows(text, table_name, part, [[*row, link] for row in rows if row[-1] != "–"])
    PAGE.write_text(text)


def stem(part):
    """The file name, without its ending, of what is measured now."""
    return f"{part}-{servers.revision().replace(' ', '-')}"


def block_of(text, name):
    """(what is before the markers and the first of them, what is between, the rest)"""
    begin, end = f"<!-- bench {name}: begin -->\n", f"<!-- bench {name}: end -->"
    before, rest = text.split(begin)
    block, after = rest.split(end)
    return before + begin, block, end + after


def with_block(text, name, block):
    before, _, after = block_of(text, name)
    return f"{before}{block}\n{after}"


def with_rows(text, name, part, rows):
    """`text` with these rows where the table had those that link to a file of this part, or else at its end."""
    before, block, after = block_of(text, name)
    lines = block.splitlines()
    old = [n for n, line in enumerate(lines) if f"](../bench/results/{part}-" in line]
    at = old[0] if old else len(lines)
    kept = [line for n, line in enumerate(lines) if n not in old]
    return "\n".join([before + "\n".join([*kept[:at], *map(row_of, rows), *kept[at:]]), after])


def indexed():
    """A table of the files of bench/results: of each part the newest first."""
    found = []
    for path in RESULTS.glob("*-*.md"):
        text = path.read_text()
        date = re.search(r"^Measured ([\d-]+)", text, re.MULTILINE)[1]
        machine = re.search(r"^Revision [^,]+, [^,]+, (.*?\)+);", text, re.MULTILINE)[1]
        load = re.search(r"Load average ([\d.]+) before", text)
        row = [f"[{path.stem}]({path.name})", date, machine, load[1] if load else "–"]
        found.append((path.name.split("-")[0], date, row))
    found.sort(key=lambda each: each[1:], reverse=True)
    found.sort(key=lambda each: each[0])
    return table(["measurement", "date", "machine", "load average before"], [row for _, _, row in found])


# --- Markdown ---------------------------------------------------------------------------------------------------------


def provenance(how):
    """What every part opens with: what was measured, where, and how busy the machine was."""
    return (
        f"Revision {servers.revision()}, {servers.machine()}; {how} Load average {LOAD_BEFORE:.1f} before and "
        f"{os.getloadavg()[0]:.1f} after; the bench itself adds about 2. Above 0.5 before, rates and latencies are "
        "unreliable, and CPU times slightly high."
    )


def row_of(cells):
    return "| " + " | ".join(cells) + " |"


def table(head, rows):
    """A Markdown table whose first column is text and whose others are numbers."""
    return "\n".join([row_of(head), "|---" + "|--:" * (len(head) - 1) + "|", *map(row_of, rows)])


def picture(part, name, says):
    return f"![{says}]({stem(part)}-{name})"


def ms(us):
    return f"{us / 1000:,.2f}" if us < 100_000 else f"{us / 1000:,.0f}"


def cost(what, measured, beside, compared, unit="µs"):
    """A row of COSTS: two figures, what the second is of, and their ratio."""
    ratio = measured / compared
    figures = [f"{value:,.2f}" if value < 2 else f"{value:,.1f}" for value in (measured, compared)]
    return [what, f"{figures[0]} {unit}", f"{beside}: {figures[1]} {unit}", f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.1g}"]
