"""Prints the man page of a partita program, made of what its own `help` says: man.py PROGRAM DATE"""

import re
import subprocess
import sys

HEAD = r""".\" Made of what `partita help` says.
.TH PARTITA 1 "{date}" "{version}" "User Commands"
.SH NAME
partita \- server of the DynamoDB API on storage of your own
.SH SYNOPSIS
.B partita
.I VERB
[\fIOPTION\fR...]
.SH DESCRIPTION
Partita serves the DynamoDB and DynamoDB Streams API over HTTP or HTTPS. Applications written for DynamoDB change their
endpoint and nothing else. It keeps its data in a directory, in memory, in PostgreSQL or in FoundationDB.
.SH VERBS
"""
TAIL = r""".SH FILES
.TP
.I /etc/partita/partita.conf
The options that the service of systemd starts with.
.TP
.I /var/lib/partita
Its data.
.SH SIGNALS
SIGTERM and SIGINT stop a server when what it is answering is answered; SIGHUP has it read its certificate again,
and open its audit log again.
.SH EXIT STATUS
0; 1 when the verb failed, with the reason on standard error; 2 when it was not asked rightly.
"""


def said(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def quoted(text):
    """Text that roff takes for nothing but text."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def entries(text):
    """The two columns of lists in a help text, each right column on one line."""
    found = re.findall(r"^  (\S.*?)(?:  +|\n {9,})(\S.*(?:\n {9,}\S.*)*)$", text, re.MULTILINE)
    return [(left, " ".join(right.split())) for left, right in found]


def page(program, date):
    overview = said(program, "help")
    out = [HEAD.format(date=date, version=said(program, "version").strip().splitlines()[0])]
    for verb, _ in entries(overview):
        usage, meaning, *lists = said(program, "help", *verb.split()).strip().split("\n\n", 2)
        usage, meaning = " ".join(usage.removeprefix("Usage: ").split()), " ".join(meaning.split())
        out.append(f".SS {quoted(verb)}\n.B {quoted(usage)}\n.PP\n{quoted(meaning)}\n")
        for paragraph in "".join(lists).split("\n\n"):
            title, _, rows = paragraph.partition("\n")
            if not rows:
                continue
            if title != "Options:":
                out.append(f".PP\n{quoted(title)}\n")
            if title.startswith("Example"):
                out.append(".nf\n" + "".join(f"{quoted(row.strip())}\n" for row in rows.splitlines()) + ".fi\n")
                continue
            for left, right in entries(rows):
                flag, _, argument = left.partition(" ")
                named = f"\\fB{quoted(flag)}\\fR" + (f" \\fI{quoted(argument)}\\fR" if argument else "")
                out.append(f".TP\n{named}\n{quoted(right)}\n")
    return "".join(out) + TAIL


if __name__ == "__main__":
    sys.stdout.write(page(sys.argv[1], sys.argv[2]))
