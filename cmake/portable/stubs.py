"""stubs.py LEFT_OUT NM MACHINE ARCHIVE...: assembler text that stands for the members of archives that LEFT_OUT lists.

OpenSSL's default provider names the table of every algorithm, so a static program has all of them. An empty table is
one that OpenSSL skips: nobody can fetch the algorithm. A function of such a member returns 0, which is failure or
absence. When a member is needed after all, the linker reports a duplicate symbol.
"""

import pathlib
import re
import subprocess
import sys

RETURN_0 = {"x86_64": "xorl %eax, %eax\nret", "aarch64": "mov x0, #0\nret"}


SYMBOL = re.compile(r".*:(?:lib\w+-lib-)?(?P<member>[^:]+)\.o:[0-9a-f]+ (?P<kind>[A-Z]) (?P<name>\S+)")


def symbols(nm, archives):
    """{(member, kind, name)}"""
    ran = subprocess.run([nm, "-A", "--defined-only", "--extern-only", *archives], capture_output=True, text=True, check=True)
    return {match.groups() for match in map(SYMBOL.fullmatch, ran.stdout.splitlines()) if match}


def stubs(left_out, nm, machine, archives):
    """The text, and the members that no archive has."""
    wanted = {line.split("#")[0].strip() for line in left_out.read_text().splitlines()} - {""}
    defined = symbols(nm, archives)
    lines = []
    for member, kind, name in sorted(defined):
        if member not in wanted:
            continue
        if kind == "T":
            body = f'.section .text.{name},"ax",%progbits\n{name}:\n{RETURN_0[machine]}'
        else:
            body = f'.section .data.rel.ro.{name},"aw",%progbits\n.balign 8\n{name}: .zero 64'
        lines += [f".globl {name}", f".hidden {name}", body]
    return "\n".join([*lines, '.section .note.GNU-stack,"",%progbits', ""]), wanted - {member for member, _, _ in defined}


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    text, unknown = stubs(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
    if unknown:
        print(f"stubs.py: no archive has {', '.join(sorted(unknown))}", file=sys.stderr)
    sys.stdout.write(text)
