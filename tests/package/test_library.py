"""libpartita.so: what it exports, that its ABI is the one that programs were built with, and that it stands alone."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PARTITA_BINARY", ROOT / "build" / "release" / "partita")).resolve().parent
LIBRARY = BUILD / "libpartita.so.1"
HEADER = ROOT / "src" / "library" / "partita.h"
ABI = ROOT / "src" / "library" / "abi.txt"
STRUCTS = ("partita_options", "partita_reply", "partita_attribute")
COMPILERS = [("gcc-12", "-x", "c", "-std=c11"), *(("g++-12", "-x", "c++", f"-std={each}") for each in ("c++11", "c++20"))]
STRICT = ("-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")


def ran(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True, **options).stdout


def symbols():
    """"name@@VERSION" of all that it exports."""
    lines = ran("nm", "-D", "--defined-only", "--with-symbol-versions", LIBRARY).splitlines()
    return sorted(line.split()[2] for line in lines if line.split()[1] != "A")


def sizes(folder):
    """The lines "struct.member offset size", those of whole structs and those of constants, as the compiler knows them."""
    text = HEADER.read_text()
    shown = []
    for struct in STRUCTS:
        body = re.search(rf"struct {struct} {{\n(.*?)^}}", text, re.MULTILINE | re.DOTALL)[1]
        members = re.findall(r"(\w+);", re.sub(r"//.*", "", body))
        assert members, struct
        shown.append(f'printf("struct {struct} %zu\\n", sizeof({struct}));')
        shown += [f'printf("{struct}.{member} %zu %zu\\n", offsetof({struct}, {member}), sizeof((({struct}*)0)->{member}));'
                  for member in members]
    constants = re.findall(r"^  (PARTITA_\w+) = \d+", text, re.MULTILINE)
    assert len(constants) > 15
    shown += [f'printf("{name} %d\\n", (int){name});' for name in ("PARTITA_ABI", *constants)]
    program = folder / "sizes.c"
    program.write_text("#include <partita.h>\n#include <stdio.h>\nint main(void) {\n" + "\n".join(shown) + "\n}\n")
    ran("gcc-12", "-std=c11", *STRICT, f"-I{HEADER.parent}", program, "-o", folder / "sizes")
    return ran(folder / "sizes").splitlines()


def prototypes():
    text = re.sub(r"//.*", "", HEADER.read_text())
    found = re.findall(r"PARTITA_EXPORT (?!__)(\w[^;{]*\));", text) + re.findall(r"^(typedef [^{;]*);", text, re.MULTILINE)
    return sorted(" ".join(one.split()) for one in found)


def test_the_abi_is_the_one_that_is_committed(tmp_path):
    """A line that changes or goes breaks programs that exist: that takes another soname, PARTITA_ABI and file. A line
    that is new is added to the file."""
    assert ABI.read_text().splitlines() == [*symbols(), *prototypes(), *sizes(tmp_path)]


def test_it_exports_what_the_header_declares():
    declared = {re.search(r"(\w+)\(", line)[1] for line in prototypes() if not line.startswith("typedef")}
    assert {symbol.split("@")[0] for symbol in symbols()} == declared
    assert {symbol.split("@")[2] for symbol in symbols()} == {"PARTITA_1"}


def test_it_stands_alone():
    dynamic = ran("readelf", "-dW", LIBRARY)
    assert "[libpartita.so.1]" in re.search(r"\(SONAME\).*", dynamic)[0]
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    assert needed <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}, needed
    assert re.search(r"\(FLAGS_1\).*NODELETE", dynamic) and "BIND_NOW" in dynamic and "RPATH" not in dynamic
    assert "TEXTREL" not in dynamic and "GNU_RELRO" in ran("readelf", "-lW", LIBRARY)


def test_threads_have_room_for_it():
    """glibc keeps 1,664 bytes of each thread for libraries that are loaded later, Python's among them."""
    [size] = re.findall(r"^ +TLS +(?:0x\w+ +){4}(0x\w+)", ran("readelf", "-lW", LIBRARY), re.MULTILINE)
    assert int(size, 16) <= 1024


@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda words: words[-1])
def test_the_header_is_strict(compiler, tmp_path):
    (tmp_path / "twice.c").write_text("#include <partita.h>\n#include <partita.h>\nint main(void) { return 0; }\n")
    ran(*compiler, *STRICT, f"-I{HEADER.parent}", "-fsyntax-only", tmp_path / "twice.c")


def test_pkg_config_knows_it():
    where = {**os.environ, "PKG_CONFIG_PATH": str(BUILD)}
    assert "-lpartita" in ran("pkg-config", "--cflags", "--libs", "partita", env=where)
    said = ran("pkg-config", "--print-provides", "partita", env=where)
    version = re.search(r"VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text().split("project(")[1])[1]
    assert f"partita = {version}" in said
