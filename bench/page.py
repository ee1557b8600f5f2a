"""docs/performance.md: each part of the bench writes what stands between its own pair of markers, and nothing else."""

import os

import servers

PAGE = servers.ROOT / "docs" / "performance.md"
PLOTS = servers.ROOT / "docs" / "plots"
LOAD_BEFORE = os.getloadavg()[0]


def update(part, text, plots):
    """`plots`: {file name: SVG}."""
    whole = PAGE.read_text()
    begin, end = f"<!-- bench {part}: begin -->", f"<!-- bench {part}: end -->"
    before, rest = whole.split(begin)
    _, after = rest.split(end)
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}")
    PLOTS.mkdir(exist_ok=True)
    for name, svg in plots.items():
        (PLOTS / name).write_text(svg)


def provenance(how):
    """What every part opens with: what was measured, where, and how busy the machine was."""
    return (
        f"Revision {servers.revision()}, {servers.machine()}; {how} Before it began, the machine's load was "
        f"{LOAD_BEFORE:.1f}, at the end {os.getloadavg()[0]:.1f} (the bench itself makes about 2); above 0.5 before, "
        "rates and latencies say little, and CPU times a bit too much."
    )


def table(head, rows):
    """A Markdown table whose first column is text and whose others are numbers."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def picture(name, says):
    return f"![{says}](plots/{name})"


def ms(us):
    return f"{us / 1000:,.2f}" if us < 100_000 else f"{us / 1000:,.0f}"
