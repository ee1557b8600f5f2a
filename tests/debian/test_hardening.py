"""The program as it was built: what makes a mistake in memory harder to exploit, and nothing of the builder."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("PARTITA_BINARY", ROOT / "build" / "release" / "partita")).resolve()
BUILD = BINARY.parent
X86 = os.uname().machine == "x86_64"
FLAGS = ["-fPIC", "-fstack-protector-strong", "-fstack-clash-protection", "-D_FORTIFY_SOURCE=3"]
HARDENED = ("rocksdb.dir", "rocksdb_cold.dir", "simdjson_archive.dir", "engines_rocksdb.dir", "net.dir", "http.dir",
            "auth.dir", "wire.dir", "expr.dir", "rows.dir", "catalog.dir", "items.dir", "ops.dir", "app.dir")


def ran(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def dynamic():
    return ran("readelf", "-dW", str(BINARY))


def test_what_reads_the_disk_and_requests_is_compiled_with_it():
    """A flag that goes missing would not be seen in the program."""
    compiled = [line for line in ran("ninja", "-C", str(BUILD), "-t", "commands", "partita").splitlines() if " -c " in line]
    for folder in HARDENED:
        lines = [line for line in compiled if f"/{folder}/" in line or f"_{folder}/" in line]
        assert lines, folder
        for line in lines:
            lacks = [flag for flag in FLAGS + ["-fcf-protection=return"] * X86 if f" {flag} " not in line]
            assert lacks == [], (lacks, line)


def test_it_took_effect():
    """A good part of the objects has functions with arrays, and some call functions that know a size."""
    objects = [str(path) for path in BUILD.rglob("*.o") if any(path.parts[-i].endswith(HARDENED) for i in (2, 3))]
    undefined = {}
    for line in ran("nm", "-uA", *objects).splitlines():
        name, _, symbol = line.partition(":")
        undefined.setdefault(name, set()).add(symbol.split()[-1])
    guarded = [name for name, symbols in undefined.items() if "__stack_chk_fail" in symbols]
    checked = {symbol for symbols in undefined.values() for symbol in symbols if symbol.endswith("_chk")}
    assert len(guarded) > len(objects) / 2 and len(objects) > 15
    assert {"__memcpy_chk"} <= checked, checked


def test_the_program_is_bound_before_it_runs(dynamic):
    """Its place is random, its table of functions is read-only, and no page is written and executed."""
    assert "DYN (Position-Independent" in ran("readelf", "-hW", str(BINARY))
    assert re.search(r"\(FLAGS\)\s+BIND_NOW", dynamic) and "(RPATH)" not in dynamic and "(RUNPATH)" not in dynamic
    segments = ran("readelf", "-lW", str(BINARY))
    assert "GNU_RELRO" in segments and re.search(r"GNU_STACK .* RW ", segments)
    assert "TEXTREL" not in dynamic
    assert not X86 or "SHSTK" in ran("readelf", "-nW", str(BINARY))


def test_nothing_of_the_builder_is_in_it():
    home = os.path.expanduser("~")
    # ccache may name the sources from the build's folder on.
    sources = [f"../src/{folder.name}/" for folder in (ROOT / "src").iterdir() if folder.is_dir()]
    paths = [path for path in (str(ROOT), home + "/.cache", str(BUILD), *sources) if len(path) > 1]
    found = [line for line in ran("strings", "-a", str(BINARY)).splitlines() if any(path in line for path in paths)]
    assert found == []
