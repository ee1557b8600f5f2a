#!/usr/bin/env python3
"""Writes src/app/start_order.txt: the functions that a server runs from its start to its first requests, in that order.

    cmake/start_order.py build/release

The linker puts them first (src/app/CMakeLists.txt), so that a start and a server at rest touch few of its pages.
A name that is no longer there does no harm; run this again when a start costs more pages than it did.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIST = ROOT / "src" / "app" / "start_order.txt"
ARCHIVES = ("libcrypto.a", "libssl.a", "liblz4.a", "libzstd.a")  # without a section for each function
KEY = {"id": {"S": "a"}}
TABLE = {
    "TableName": "things",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def values(**value):
    return {"ExpressionAttributeValues": {":v": value}}


REQUESTS = [
    ("ListTables", {}),
    ("CreateTable", TABLE),
    ("DescribeTable", {"TableName": "things"}),
    ("PutItem", {"TableName": "things", "Item": {**KEY, "n": {"N": "1"}}}),
    ("GetItem", {"TableName": "things", "Key": KEY}),
    ("UpdateItem", {"TableName": "things", "Key": KEY, "UpdateExpression": "ADD n :v", **values(N="1")}),
    ("Query", {"TableName": "things", "KeyConditionExpression": "id = :v", **values(S="a")}),
    ("DeleteItem", {"TableName": "things", "Key": KEY}),
    ("DeleteTable", {"TableName": "things"}),
]
RESTS_S = 4


def send(port, operation, body):
    headers = {
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Date": "20260101T000000Z",
        "Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host, Signature=0",
    }
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", json.dumps(body).encode(), headers)
    urllib.request.urlopen(request, timeout=60).read()


def start(program, where, out):
    command = ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={out}", program, "serve"]
    server = subprocess.Popen(
        [*command, "--listen", "127.0.0.1:0", *where], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return server, int(re.search(r"http://127\.0\.0\.1:(\d+)", server.stdout.readline()).group(1))


def executed(program, where):
    """The mangled names of the functions that ran, of a new store and of one that was killed."""
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "out"
        for requests in (REQUESTS, REQUESTS[:1]):
            server, port = start(program, [word.replace("DIR", scratch + "/data") for word in where], out)
            for operation, body in requests:
                send(port, operation, body)
                if operation in ("ListTables", "CreateTable"):
                    time.sleep(RESTS_S)
                if operation == "ListTables":
                    found += dumped(server, out, program)
            found += dumped(server, out, program)
            server.kill()
            server.wait()
    return list(dict.fromkeys(found))


def dumped(server, out, program):
    subprocess.run(["callgrind_control", "--dump", str(server.pid)], capture_output=True, check=True)
    newest = max(out.parent.glob("out.*"), key=lambda path: path.stat().st_mtime)
    return names_in(newest.read_text(), program)


def names_in(text, program):
    """In the order of callgrind's file. A name or object is written out once, and stands for itself by number after."""
    names, objects, found, inside = {}, {}, [], False
    for kind, number, name in re.findall(r"^(ob|fn|cob|cfn)=\((\d+)\)(?: (.*))?$", text, re.M):
        known = objects if kind.endswith("ob") else names
        if name:
            known[number] = name
        if kind == "ob":
            inside = pathlib.Path(known[number]).name == pathlib.Path(program).name
        elif kind == "fn" and inside:
            found.append(section_of(names[number].split("'")[0]))
    return found


def section_of(name):
    """That of a constructor or destructor has the name of its variant for bases, of which the other is an alias."""
    return name.replace("C1E", "C2E").replace("C1I", "C2I").replace("D1Ev", "D2Ev")


def objects_of(archive):
    """{function: object} of one of the system's archives."""
    path = subprocess.run(["g++-12", f"-print-file-name={archive}"], capture_output=True, text=True).stdout.strip()
    listed = subprocess.run(["nm", "--defined-only", "-A", path], capture_output=True, text=True).stdout
    return {m[2]: m[1] for m in re.finditer(r"^[^:]*:([^:]+):[0-9a-f]+ [tT] (\S+)$", listed, re.M)}


def linked_without_order(build, to):
    """The program of that build directory. Valgrind knows no names in a section that is not .text."""
    words = ["ninja", "-C", build, "-t", "commands", "partita"]
    listed = subprocess.run(words, capture_output=True, text=True, check=True)
    command = listed.stdout.strip().splitlines()[-1]
    script = re.search(r"-Wl,-T,(\S+)", command).group(1)
    plain = pathlib.Path(f"{to}.ld")
    plain.write_text(re.sub(r"SECTIONS\s*\{\s*\.text\.first.*", "", pathlib.Path(script).read_text(), flags=re.S))
    command = command.replace(script, str(plain)).replace("-o partita ", f"-o {to} ")
    subprocess.run(command, shell=True, cwd=build, check=True)
    return str(to)


def main(build):
    archives = {name: objects_of(name) for name in ARCHIVES}
    lines = {}
    with tempfile.TemporaryDirectory() as scratch:
        program = linked_without_order(build, pathlib.Path(scratch) / "partita")
        for where in (["--in-memory"], ["--data", "DIR"]):
            for name in executed(program, where):
                of = next((archive for archive, objects in archives.items() if name in objects), None)
                lines[f"{of}:{archives[of][name]}" if of else name] = None
    LIST.write_text("".join(line + "\n" for line in lines if re.fullmatch(r"[A-Za-z_][\w.$:+-]*", line)))


if __name__ == "__main__":
    main(sys.argv[1])
