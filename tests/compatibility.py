#!/usr/bin/python3
"""Writes the table of docs/compatibility.md, between its markers.

    tests/compatibility.py [RESULTS]

The operations that there are come from the operation list (src/ops/operations.cc), those that DynamoDB has from the
service model that Debian's botocore carries, and the counts from the last run of tests/api, which `./dev test` leaves
in build/test-results/api.json.
"""

import json
import pathlib
import re
import sys

import botocore.session

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "compatibility.md"
BEGIN, END = "<!-- operations: begin -->", "<!-- operations: end -->"


def served():
    """{operation: what kind of operation it is}"""
    rows = (ROOT / "src" / "ops" / "operations.cc").read_text()
    return {name: kind.lower() for name, kind in re.findall(r'Operation\{"(\w+)", Kind::k(\w+)', rows)}


def existing():
    """[(service, [operation])]: what AWS has."""
    session = botocore.session.get_session()
    return [
        (title, session.get_service_model(name).operation_names)
        for title, name in (("DynamoDB", "dynamodb"), ("DynamoDB Streams", "dynamodbstreams"))
    ]


def table(results):
    kinds = served()
    lines = ["| operation | kind | cases in tests/api |", "|---|---|--:|"]
    for name in sorted(kinds):
        count = results.get(name, {"passed": 0, "failed": 0})
        failed = f", **{count['failed']} failed**" if count["failed"] else ""
        lines.append(f"| {name} | {kinds[name]} | {count['passed']} passed{failed} |")
    lines += ["", "Not served yet; a call is answered with UnknownOperationException:", ""]
    for title, names in existing():
        missing = [name for name in names if name not in kinds]
        if missing:
            lines += [f"- {title}: {', '.join(missing)}"]
    return "\n".join(lines)


def main():
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "test-results" / "api.json"
    if not path.is_file():
        sys.exit(f"There is no {path}: run ./dev test first.")
    before, rest = PAGE.read_text().split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table(json.loads(path.read_text()))}\n{END}{after}")


if __name__ == "__main__":
    main()
