"""Clang's -Wthread-safety over every source of `src` that uses a lock of base/mutex.h: an access to a member without
the lock that guards it is an error. The sources of a folder are read together, so that this takes seconds."""

import concurrent.futures
import json
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

import sources

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER = "clang++-19"
LOCKS = re.compile(r"\b(MutexLock|ReaderLock|WriterLock|CondVar|PARTITA_GUARDED_BY)\b")
MAY_USE_STANDARD_LOCKS = ("src/base/mutex.h",)  # the annotated locks themselves
STANDARD_LOCKS = re.compile(r"\bstd::(mutex|shared_mutex|lock_guard|unique_lock|shared_lock|scoped_lock)\b")


def of_src():
    return [name for name in sources.files() if name.startswith("src/") and name.endswith((".h", ".cc"))
            and not name.endswith("_test.cc")]


def locking_sources():
    """{folder: [the files that use a lock, and the sources that include one of these from their own folder]}"""
    names = of_src()
    users = {name for name in names if LOCKS.search(sources.text(name))} - {"src/base/mutex.h"}
    folders = {}
    for name in names:
        folder = str(pathlib.Path(name).parent)
        included = re.findall(r'^#include "([^"]+)"', sources.text(name), re.MULTILINE)
        beside = [f"src/{one}" for one in included if str(pathlib.Path("src", one).parent) == folder]
        if name in users or (name.endswith(".cc") and users.intersection(beside)):
            folders.setdefault(folder, []).append(name)
    return folders


def system_flags():
    """Where the headers of libraries are, and macros: from the newest build."""
    builds = sorted((ROOT / "build").glob("*/compile_commands.json"), key=lambda file: file.stat().st_mtime)
    if not builds:
        pytest.skip("nothing is built: ./dev build")
    flags = {}
    for entry in json.loads(builds[-1].read_text()):
        words = shlex.split(entry["command"])
        for before, word in zip(words, words[1:]):
            if before == "-isystem":
                flags[f"-isystem{word}"] = None
            elif word.startswith("-D"):
                flags[word] = None
    return list(flags)


def faults_of(names, flags, more=""):
    text = "".join(f'#include "{ROOT / name}"\n' for name in names) + more
    command = [COMPILER, "-std=c++23", "-fsyntax-only", "-ferror-limit=0", "-Wno-everything", "-Wthread-safety",
               "-Werror=thread-safety", f"-I{ROOT / 'src'}", *flags, "-x", "c++", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, cwd=ROOT)
    return [line for line in run.stderr.splitlines() if " error: " in line] or ["?"] * bool(run.returncode)


@pytest.fixture(scope="module")
def flags():
    if shutil.which(COMPILER) is None:
        pytest.skip(f"{COMPILER} is not installed: see packages.txt")
    return system_flags()


def test_what_a_lock_guards_is_accessed_with_it(flags):
    folders = locking_sources()
    assert sum(map(len, folders.values())) >= 40
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        faults = list(threads.map(lambda names: faults_of(names, flags), folders.values()))
    assert not any(faults), "\n" + "\n".join(fault for one in faults for fault in one)


def test_an_access_without_the_lock_is_noticed(flags):
    planted = "namespace partita { struct Planted { Mutex m; int guarded PARTITA_GUARDED_BY(m) = 0; " \
              "int without() { return guarded; } }; }\n"
    faults = faults_of(["src/base/mutex.h"], flags, planted)
    assert len(faults) == 1 and "requires holding mutex 'm'" in faults[0], faults


def test_shared_classes_use_annotated_locks():
    others = [name for name in of_src() if name not in MAY_USE_STANDARD_LOCKS
              and STANDARD_LOCKS.search(re.sub(r"//[^\n]*", "", sources.text(name)))]
    assert not others, f"use Mutex, MutexLock and CondVar of base/mutex.h: {others}"
