"""Reads what `partita help` prints into verbs, options and examples, for the man page and docs/options.md."""

import re
import subprocess
import typing


class Part(typing.NamedTuple):
    """A list below a verb's description, such as "Options" or "Examples"."""

    title: str
    entries: list  # pairs of an option and its meaning; empty for examples
    lines: list  # of examples


class Verb(typing.NamedTuple):
    name: str
    usage: str
    meaning: str
    parts: list


def said(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def entries(text):
    """The two columns of a list, each right column on one line."""
    found = re.findall(r"^  (\S.*?)(?:  +|\n {9,})(\S.*(?:\n {9,}\S.*)*)$", text, re.MULTILINE)
    return [(left, " ".join(right.split())) for left, right in found]


def part(paragraph):
    title, _, rows = paragraph.partition("\n")
    title = title.removesuffix(":")
    if title.startswith("Example"):
        return Part(title, [], [row.strip() for row in rows.splitlines()])
    return Part(title, entries(rows), [])


def verb(program, name):
    usage, meaning, *lists = said(program, "help", *name.split()).strip().split("\n\n")
    usage = " ".join(usage.removeprefix("Usage: ").split())
    return Verb(name, usage, " ".join(meaning.split()), [part(each) for each in lists])


def groups(program):
    """[(title, [Verb])], in the order of `partita help`."""
    found = []
    for paragraph in said(program, "help").strip().split("\n\n"):
        title, _, rows = paragraph.partition("\n")
        names = [name for name, _ in entries(rows)]
        if names:
            found.append((title.removesuffix(":"), [verb(program, name) for name in names]))
    return found
