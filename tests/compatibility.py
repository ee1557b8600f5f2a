#!/usr/bin/python3
"""Writes the generated part of docs/compatibility.md, between its markers.

    tests/compatibility.py [RESULTS]
    tests/compatibility.py --model WHEEL

What AWS has is in tests/service_model.json: the names of the operations and of their parameters, and the version of
botocore whose service model they are from. `--model` writes that file anew from a wheel (pip download --no-deps
botocore). What is here comes from the operation list and the handlers in src/ops, and the counts from the last run of
tests/api, which `./dev test` leaves in build/test-results/api.json. Without such a run, the page keeps its counts.
"""

import gzip
import json
import pathlib
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "compatibility.md"
MODEL = ROOT / "tests" / "service_model.json"
OPS = ROOT / "src" / "ops"
DAX_METHODS = ROOT / "src" / "wire" / "dax" / "scanner.h"
BEGIN, END = "<!-- operations: begin -->", "<!-- operations: end -->"
SERVICES = {
    "DynamoDB": "dynamodb",
    "DynamoDB Streams": "dynamodbstreams",
    "Application Auto Scaling": "application-autoscaling",
    "DAX": "dax",
}
APIS = {
    "kDynamoDb": "DynamoDB",
    "kStreams": "DynamoDB Streams",
    "kAutoScaling": "Application Auto Scaling",
    "kDax": "DAX",
}
SHORT = {"Application Auto Scaling": "AutoScaling", "DAX": "DAX"}


def served():
    """{(the service's title, operation): what kind of operation it is}"""
    rows = (OPS / "operation_list.inc").read_text()
    found = re.findall(r"^PARTITA_OPERATION\((\w+), k(\w+), .*, (\w+)\)$", rows, re.MULTILINE)
    return {(APIS[api], name): kind.lower() for name, kind, api in found}


def label(title, name):
    """What cases of tests/api call the operation: its name, with that of the service if DynamoDB has one of the name."""
    is_second = title != "DynamoDB" and ("DynamoDB", name) in served()
    return f"{SHORT[title]}.{name}" if is_second else name


def over_dax():
    """The operations of DAX's protocol, which no service model describes."""
    methods = DAX_METHODS.read_text().split("kGetItem", 1)[1].split("//", 1)[0]
    return sorted(["GetItem", *re.findall(r"\bk(\w+) =", methods)])


def refused():
    """{operation: [the parameters that are refused by their names]}"""
    found = {}
    for path in sorted(OPS.rglob("*.cc")):
        for names in re.findall(r"refuse_named\(\s*\w+,\s*\{([^}]*)\}", path.read_text()):
            operation = "".join(word.capitalize() for word in path.stem.split("_"))
            found[operation] = re.findall(r"Field::k(\w+)", names)
    return found


def model():
    return json.loads(MODEL.read_text())


def parameters(operation, shapes):
    return sorted(shapes[operation["input"]["shape"]].get("members", {})) if "input" in operation else []


def read_wheel(path):
    """The names in a botocore wheel: {"source": ..., "services": {title: {operation: [parameter]}}}"""
    services = {}
    with zipfile.ZipFile(path) as wheel:
        for title, name in SERVICES.items():
            pattern = re.compile(rf"botocore/data/{name}/[^/]+/service-2.json.gz")
            (entry,) = filter(pattern.fullmatch, wheel.namelist())
            known = json.loads(gzip.decompress(wheel.read(entry)))
            operations = sorted(known["operations"].items())
            services[title] = {name: parameters(operation, known["shapes"]) for name, operation in operations}
    version = pathlib.Path(path).name.split("-")[1]
    return {"source": f"botocore {version}", "services": services}


def counts_of(results, name):
    count = results.get(name, {"passed": 0, "failed": 0})
    failed = f", **{count['failed']} failed**" if count["failed"] else ""
    return f"{count['passed']} passed{failed}"


def counts_on_page():
    row = r"^\| (\w+) \| ([\w ]+) \| \w+ \| (\d+) passed(?:, \*\*(\d+) failed\*\*)? \|$"
    rows = re.findall(row, PAGE.read_text(), re.MULTILINE)
    return {label(title, name): {"passed": int(passed), "failed": int(failed or 0)} for name, title, passed, failed in rows}


def generated(results):
    kinds, known, lines = served(), model(), []
    services = known["services"]
    lines.append(f"Of the operations in the service model of {known['source']}, Partita serves")
    lines.append("")
    lines += [f"- {sum(title == of for of, _ in kinds)} of {len(names)} of {title}" for title, names in services.items()]
    lines += ["", f"{len(over_dax())} operations are also served over [DAX's protocol](dax.md), which no service model describes:"]
    lines += [f"{', '.join(over_dax())}. `tests/dax` runs AWS's clients, and compares each result with the one over HTTP;"]
    lines += ["[DAX](#dax) has the differences. The rows of the service DAX are its [control API](dax-control.md)."]
    lines += ["", "| operation | service | kind | cases in tests/api |", "|---|---|---|--:|"]
    for title in services:
        of_service = sorted((name, kind) for (of, name), kind in kinds.items() if of == title)
        lines += [f"| {name} | {title} | {kind} | {counts_of(results, label(title, name))} |" for name, kind in of_service]
    lines += ["", "Not served yet; calls get UnknownOperationException:", ""]
    for title, operations in services.items():
        missing = [name for name in operations if (title, name) not in kinds]
        if missing:
            lines.append(f"- {title}: {', '.join(missing)}")
    lines += ["", "Parameters that are not supported yet; they are refused with a message that names them:", ""]
    lines += [f"- {operation}: {', '.join(names)}" for operation, names in refused().items()]
    return "\n".join(lines)


def main():
    if sys.argv[1:2] == ["--model"]:
        MODEL.write_text(json.dumps(read_wheel(sys.argv[2]), indent=1) + "\n")
        return
    given = sys.argv[1:2]
    path = pathlib.Path(*given) if given else ROOT / "build" / "test-results" / "api.json"
    results = json.loads(path.read_text()) if given or path.is_file() else counts_on_page()
    before, rest = PAGE.read_text().split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n{generated(results)}\n{END}{after}")


if __name__ == "__main__":
    main()
