#!/usr/bin/python3
"""Prints docs/options.md, generated from what a partita program's own `help` says: options.py PROGRAM >docs/options.md"""

import re
import sys

import help_text

HEAD = """# Command line

<!-- Generated: packaging/options.py build/release/partita >docs/options.md. A test compares it with the program. -->

Every verb and option of `partita`, as `partita VERB --help` prints them. After `./dev up` or `./dev build` the program is
`build/release/partita`; the Debian package installs `/usr/bin/partita`.

- `--option VALUE` and `--option=VALUE` mean the same. `partita VERB --help` and `partita help VERB` do too.
- The exit code is 0 on success, 1 when the verb failed, and 2 when the command line is wrong. The reason is one sentence on
  stderr. Verbs with other exit codes say so below.
- A running server is named by its data directory or by its administration socket
  ([more](operations.md#administration)).
"""

# Where a page explains more: {verb, option, or both: (page below docs/, what the link says)}
MORE = {
    "--listen": ("security.md", "Security"),
    "--tls-cert": ("security.md#tls", "TLS"),
    "--dax": ("dax.md", "DAX clients"),
    "--dax-advertise": ("dax.md#addresses", "Addresses"),
    "--dax-cache": ("dax-caches.md", "Caches of DAX"),
    "--store": ("operations.md#several-servers", "Several servers"),
    "--scrub": ("operations.md#the-scrub", "The scrub"),
    "--credentials": ("security.md", "Security"),
    "--users": ("security.md#a-user-with-least-privilege", "A user with least privilege"),
    "--identities": ("security.md#policies", "Policies"),
    "--metrics-token": ("operations.md#metrics", "Metrics"),
    "--admin-socket": ("operations.md#administration", "Administration"),
    "--request-rate": ("security.md#rate-limits", "Rate limits"),
    "--capacity": ("capacity.md", "Capacity"),
    "--capacity-of": ("capacity.md#modes", "Modes"),
    "--vector-memory": ("vectors.md", "Vector search"),
    "--log-level": ("operations.md#the-log", "The log"),
    "--audit-log": ("security.md#audit-log", "Audit log"),
    "--trace-to": ("operations.md#traces", "Traces"),
    "--alarm-hook": ("cloudwatch.md#actions", "CloudWatch"),
    "--sink-hosts": ("sinks.md#calls", "Calls"),
    "--seed": ("testing.md#seed-data", "Seed data"),
    "--namespaces": ("testing.md#parallel-workers", "Namespaces"),
    "--root-400": ("testing.md#tools-that-wait-for-dynamodb-local", "DynamoDB Local"),
    "--clock": ("testing.md#time", "Time"),
    "status": ("operations.md#administration", "Administration"),
    "sink create": ("sinks.md", "Sinks"),
    "sink create --credentials": ("sinks.md#creating-one", "Sinks"),
    "mcp": ("mcp.md", "Stores for AI agents"),
    "backup": ("operations.md#backups", "Backups"),
    "restore": ("operations.md#restoring", "Restoring"),
    "verify": ("operations.md#verifying-a-store", "Verifying a store"),
    "copy": ("operations.md#moving-a-store-to-another-engine", "Moving a store"),
    "salvage": ("formats/store.md#salvage", "Salvage"),
    "user create": ("security.md#a-user-with-least-privilege", "A user with least privilege"),
    "role create": ("security.md#roles-and-temporary-credentials", "Roles"),
    "policy simulate": ("security.md#testing-policies", "Testing policies"),
    "snapshot create": ("testing.md#snapshots", "Snapshots"),
    "clock advance": ("testing.md#time", "Time"),
    "namespace list": ("testing.md#parallel-workers", "Namespaces"),
}


def more(name, verb=""):
    name = f"{verb} {name}" if f"{verb} {name}" in MORE else name
    return "" if name not in MORE else " See [{1}]({0}).".format(*MORE[name])


def marked(text):
    """Options as code; outside of code, nothing that a table of Markdown takes for more than text."""

    def plain(words):
        return re.sub(r"(?<![\w-])(--[a-z][a-z-]*)", r"`\1`", re.sub(r"([|*])", r"\\\1", words))

    return "".join(each if each.startswith("`") else plain(each) for each in re.split(r"(`[^`]*`)", text))


def part(verb, title, entries, lines):
    if lines:
        return "```\n" + "\n".join(lines) + "\n```\n"
    rows = "".join(f"| `{left}` | {marked(right)}{more(left.split()[0], verb)} |\n" for left, right in entries)
    return f"| {title.lower()} | meaning |\n|---|---|\n{rows}"


def section(verb):
    out = [f"### partita {verb.name}\n", f"```\n{verb.usage}\n```\n", f"{marked(verb.meaning)}{more(verb.name)}\n"]
    for each in verb.parts:
        if verb.name == "serve" and each.entries:
            out.append(f"#### {each.title}\n")
        out.append(part(verb.name, "option" if verb.name == "serve" and each.title != "Stores" else each.title.removesuffix("s"),
                        each.entries, each.lines))
    return "\n".join(out)


def page(program):
    out = [HEAD]
    for title, verbs in help_text.groups(program):
        out.append(f"## {title}\n")
        out += [section(verb) for verb in verbs]
    return "\n".join(out)


if __name__ == "__main__":
    sys.stdout.write(page(sys.argv[1]))
