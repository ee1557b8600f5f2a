"""The sources compile for macOS (docs/decisions/044): what of them uses the system is read by clang with the headers of
its C library, which PyPI's ziglang has. Nothing is linked or run.

    /usr/bin/python3 tests/package/test_macos.py      # compiles each file of src by itself: 15 minutes
"""

import concurrent.futures
import fcntl
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "zig"
PACKAGE = "ziglang==0.17.1"
TARGET = "aarch64-macos"
INSTALL_TIMEOUT_S = 600
WHOLE = ("base", "net")  # folders; of the others, the sources with a header of the system
OF_LINUX = {"event_queue_epoll.cc", "priority_linux.cc"}  # the build has others in their place elsewhere
# In /usr/include, besides the C library's, which must not be seen.
LIBRARIES = ("curl", "hnswlib", "libdeflate.h", "librdkafka", "lz4.h", "lz4frame.h", "openssl", "rocksdb", "simdjson.h",
             "xxhash.h", "zdict.h", "zstd.h", "zstd_errors.h")  # fmt: skip
MACROS = ('-DPARTITA_VERSION="0"', '-DPARTITA_REVISION="0"')
SYSTEM_HEADER = re.compile(r"^#include <((?:[a-z0-9_]+/)*[a-z0-9_]+\.h)>", re.MULTILINE)
# What only one file may name: the others use its interface.
PLACES = {
    r"\b(epoll|kevent|kqueue)_?\w*\(": {"net/event_queue.h", "net/event_queue_epoll.cc", "net/event_queue_kqueue.cc"},
    r"<sys/e(poll|vent)\.h>": {"net/event_queue.h"},
    r"<sys/eventfd\.h>|\beventfd\w*\(": {"net/event_queue_epoll.cc", "base/poll_wakeup.cc"},
    r"\baccept4\(|[^\w]::accept\(|\bSOCK_(CLOEXEC|NONBLOCK)\b": {"net/sockets.h"},
    r"\bf(data)?sync\(": {"base/sync_to_disk.h"},
    r'"lib[\w-]+\.so\b': {"net/libcurl.cc"},  # of a name that only Debian has
}


def run(*command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT, **more)


def must_run(*command, **more):
    done = run(*command, **more)
    assert done.returncode == 0, f"{' '.join(map(str, command))} failed: {(done.stdout + done.stderr).strip()[-400:]}"
    return done.stdout


def installed():
    """The compiler; fetched if it is not there yet."""
    folder, stamp = CACHE / "venv", CACHE / "version"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text() != PACKAGE:
            must_run(sys.executable, "-m", "venv", "--clear", folder)
            pip = [folder / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:"]
            must_run(*pip, PACKAGE, timeout=INSTALL_TIMEOUT_S)
            stamp.write_text(PACKAGE)
    [zig] = folder.glob("lib/python*/site-packages/ziglang/zig")
    return zig


def library_headers(into):
    """A directory with links to the headers of libraries, and to nothing else of /usr/include."""
    machine = must_run("g++-12", "-dumpmachine").strip()
    for name in LIBRARIES:
        places = (pathlib.Path("/usr/include", name), pathlib.Path("/usr/include", machine, name))
        found = [path for path in places if path.exists()]
        assert found, f"/usr/include has no {name}: see packages.txt"
        for path in found:
            for file in path.rglob("*") if path.is_dir() else [path]:
                link = into / name / file.relative_to(path) if path.is_dir() else into / name
                link.parent.mkdir(parents=True, exist_ok=True)
                if file.is_file() and not link.exists():
                    link.symlink_to(file)
    return into


def build_headers():
    """Where RocksDB's and libpq's are, from the newest build."""
    builds = sorted((ROOT / "build").glob("*/compile_commands.json"), key=lambda file: file.stat().st_mtime)
    assert builds, "nothing is built: ./dev build"
    words = [shlex.split(entry["command"]) for entry in json.loads(builds[-1].read_text())]
    found = {after for each in words for word, after in zip(each, each[1:]) if word == "-isystem"}
    of_linux = {path for path in found if pathlib.Path(path, "stdio.h").exists() or pathlib.Path(path, "bits").exists()}
    return sorted(found - of_linux)


class Compiler:
    """Of zig's clang, with zig's own settings for macOS: it reads a source, and makes nothing of it."""

    def __init__(self, zig, scratch):
        self._zig = zig
        empty = scratch / "empty.cc"
        empty.write_text("")
        environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(CACHE / "cache")}
        said = run(zig, "c++", "-target", TARGET, "-v", "-c", empty, "-o", scratch / "empty.o", env=environment)
        settings = next(shlex.split(line) for line in said.stderr.splitlines() if " -cc1 " in line)
        pairs = [pair for pair in zip(settings, settings[1:]) if pair[0] in ("-isystem", "-D")]
        kept = [word for pair in pairs for word in pair]
        triple = settings[settings.index("-triple") + 1]
        headers = [f"-isystem{path}" for path in [*build_headers(), library_headers(scratch / "include")]]
        self._flags = [f"--target={triple}", "-nostdinc", "-std=c++23", "-fsyntax-only", "-w", "-ferror-limit=0", *kept,
                       *MACROS, f"-I{ROOT / 'src'}", *headers]  # fmt: skip

    def faults(self, source, *more):
        done = run(self._zig, "clang", *self._flags, *more, source)
        return [line for line in done.stderr.splitlines() if "error: " in line] or ["?"] * bool(done.returncode)


def sources():
    names = [path for path in sorted((ROOT / "src").rglob("*.cc")) if path.name not in OF_LINUX]
    return [path for path in names if not re.search(r"_(test|testing|bench)\.cc$", path.name)]


def uses_system(path):
    """Whether it, or a header beside it that it includes, includes one of the C library's."""
    text = path.read_text()
    beside = [ROOT / "src" / name for name in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)]
    texts = [text, *(each.read_text() for each in beside if each.parent == path.parent and each.is_file())]
    return any(not name.startswith(LIBRARIES) for each in texts for name in SYSTEM_HEADER.findall(each))


def units():
    """{folder: its sources that are read together}"""
    found = {}
    for path in sources():
        folder = str(path.parent.relative_to(ROOT / "src"))
        if folder in WHOLE or uses_system(path):
            found.setdefault(folder, []).append(path)
    return found


@pytest.fixture(scope="module")
def compiler(tmp_path_factory):
    return Compiler(installed(), tmp_path_factory.mktemp("macos"))


def test_what_uses_the_system_compiles(compiler, tmp_path):
    folders = units()
    assert {"base", "net", "app", "engines/postgres", "engines/rocksdb", "observe", "sinks"} <= set(folders)
    assert sum(map(len, folders.values())) >= 80

    def faults(folder):
        unit = tmp_path / f"{folder.replace('/', '_')}.cc"
        unit.write_text("".join(f'#include "{path}"\n' for path in folders[folder]))
        return compiler.faults(unit)

    slowest_first = sorted(folders, key=lambda folder: -len(folders[folder]))
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        found = [fault for each in threads.map(faults, slowest_first) for fault in each]
    assert not found, "\n" + "\n".join(found)


def test_the_files_of_rocksdb_compile(compiler, tmp_path):
    """The settings are those of cmake/rocksdb. HAVE_FULLFSYNC makes RocksDB sync to the disk, not only to the drive's cache."""
    headers = [pathlib.Path(path) for path in build_headers() if re.search(r"/rocksdb-[\d.]+/include$", path)]
    if not headers:
        pytest.skip("RocksDB is Debian's archive here, without its source")
    root = headers[0].parent
    text = (ROOT / "cmake/rocksdb/CMakeLists.txt").read_text()
    [settings] = re.findall(r"^if\(APPLE\).*\n  set\(system ([^)]+)\)$", text, re.MULTILINE)
    assert "HAVE_FULLFSYNC" in settings.split()
    flags = ["-std=c++17", f"-I{root}", *(f"-D{name}" for name in settings.split())]
    for name in ("env/fs_posix.cc", "env/io_posix.cc"):
        assert not compiler.faults(root / name, *flags)
    unit = tmp_path / "without.cc"
    unit.write_text(f'#include <fcntl.h>\n#undef F_FULLFSYNC\n#include "{root}/env/io_posix.cc"\n')
    assert compiler.faults(unit, *flags)  # so it is used


@pytest.mark.parametrize("header, call", [("sys/socket.h", "accept4(0, nullptr, nullptr, 0)"),
                                          ("unistd.h", "fdatasync(0)"), ("sys/epoll.h", "epoll_create1(0)")])  # fmt: skip
def test_what_only_linux_has_is_noticed(compiler, tmp_path, header, call):
    """The C library of this machine is not seen."""
    unit = tmp_path / "planted.cc"
    unit.write_text(f"#include <{header}>\nint planted() {{ return {call}; }}\n")
    assert len(compiler.faults(unit)) == 1


def test_each_concern_of_a_system_has_one_place():
    faults = []
    for path in sorted((ROOT / "src").rglob("*")):
        name = str(path.relative_to(ROOT / "src"))
        if path.suffix not in (".cc", ".h") or re.search(r"_test(ing)?\.", path.name):
            continue
        code = re.sub(r"//[^\n]*", "", path.read_text())
        faults += [f"{name}: {found.group()}, of {sorted(places)}" for pattern, places in PLACES.items()
                   for found in re.finditer(pattern, code) if name not in places]  # fmt: skip
    assert not faults, "use what these offer: " + "\n".join(faults)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as threads:
        whole = Compiler(installed(), pathlib.Path(scratch))
        sys.exit("\n".join(fault for each in threads.map(whole.faults, sources()) for fault in each) or 0)
