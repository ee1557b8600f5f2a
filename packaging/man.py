"""Prints the man page of a partita program, generated from its own `help`: man.py PROGRAM DATE"""

import sys

import help_text

HEAD = r""".\" Generated from `partita help`.
.TH PARTITA 1 "{date}" "{version}" "User Commands"
.SH NAME
partita \- server of the DynamoDB API on storage of your own
.SH SYNOPSIS
.B partita
.I VERB
[\fIOPTION\fR...]
.SH DESCRIPTION
Partita serves the DynamoDB and DynamoDB Streams API over HTTP or HTTPS. An application written for DynamoDB changes
its endpoint and nothing else, as long as it uses what docs/compatibility.md lists. Data is kept in a directory, in
memory, in PostgreSQL or in FoundationDB.
.SH VERBS
"""
TAIL = r""".SH FILES
.TP
.I /etc/partita/partita.conf
The options of the systemd service.
.TP
.I /var/lib/partita
The data of the systemd service.
.SH SIGNALS
SIGTERM and SIGINT stop a server after the requests in progress are answered. SIGHUP reloads its certificate and reopens
its audit log.
.SH EXIT STATUS
0 on success; 1 when the verb failed; 2 when the command line is wrong. The reason is on standard error. A verb with
other exit codes names them above.
"""


def quoted(text):
    """Text that roff takes for nothing but text."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def page(program, date):
    version = help_text.said(program, "version").strip().splitlines()[0]
    out = [HEAD.format(date=date, version=version)]
    for verb in (verb for _, verbs in help_text.groups(program) for verb in verbs):
        out.append(f".SS {quoted(verb.name)}\n.B {quoted(verb.usage)}\n.PP\n{quoted(verb.meaning)}\n")
        for part in verb.parts:
            if part.title != "Options":
                out.append(f".PP\n{quoted(part.title)}:\n")
            if part.lines:
                out.append(".nf\n" + "".join(f"{quoted(line)}\n" for line in part.lines) + ".fi\n")
            for left, right in part.entries:
                flag, _, argument = left.partition(" ")
                named = f"\\fB{quoted(flag)}\\fR" + (f" \\fI{quoted(argument)}\\fR" if argument else "")
                out.append(f".TP\n{named}\n{quoted(right)}\n")
    return "".join(out) + TAIL


if __name__ == "__main__":
    sys.stdout.write(page(sys.argv[1], sys.argv[2]))
