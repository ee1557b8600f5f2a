"""old_glibc.py LIBRARY VERSION TEXT SCRIPT: a stand-in to link with for a library of a newer glibc, as assembler text
and a script of versions.

It has each symbol in the newest version that is not newer than VERSION, such as 2.28, and no others, so that a program
linked with it runs on that glibc. What the program asks for beyond it is undefined when it is linked; glibc.c has it.
"""

import pathlib
import re
import subprocess
import sys

ROW = re.compile(r"\s*\d+: \S+\s+(?P<size>\w+) (?P<type>FUNC|IFUNC|OBJECT|TLS)\s+(?:GLOBAL|WEAK)\s+DEFAULT\s+(?!UND)\S+ "
                 r"(?P<name>[^@\s]+)@@?GLIBC_(?P<version>[\d.]+)")


def numbers(version):
    return tuple(map(int, version.split(".")))


def symbols(library, newest):
    """{name: (version, type, size)}"""
    found = {}
    table = subprocess.run(["readelf", "--dyn-syms", "-W", library], capture_output=True, text=True, check=True).stdout
    for row in filter(None, map(ROW.match, table.splitlines())):
        version = numbers(row["version"])
        if version <= numbers(newest) and version >= found.get(row["name"], ((0,),))[0]:
            found[row["name"]] = (version, row["type"], int(row["size"], 0))
    return found


def text(found):
    lines = []
    for name, (_, kind, size) in sorted(found.items()):
        size = 8 if "FUNC" in kind else max(size, 8)
        section = {"TLS": '.section .tbss,"awT",%nobits', "OBJECT": ".bss"}.get(kind, ".text")
        kind = {"TLS": "tls_object", "OBJECT": "object"}.get(kind, "function")
        lines.append(f"{section}\n.globl {name}\n.type {name}, %{kind}\n.size {name}, {size}\n{name}: .zero {size}")
    return "\n".join([*lines, '.section .note.GNU-stack,"",%progbits', ""])


def script(found):
    nodes = {}
    for name, (version, _, _) in sorted(found.items()):
        nodes.setdefault(version, []).append(name)
    lines = [f"GLIBC_{'.'.join(map(str, version))} {{ {' '.join(name + ';' for name in names)} }};"
             for version, names in sorted(nodes.items())]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    rows = symbols(sys.argv[1], sys.argv[2])
    pathlib.Path(sys.argv[3]).write_text(text(rows))
    pathlib.Path(sys.argv[4]).write_text(script(rows))
