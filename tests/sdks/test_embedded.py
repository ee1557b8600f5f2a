"""The examples of libpartita, in each language: one output, in memory and in a directory, which a second process cannot
open. C and Python always run; those of other languages where their compilers are."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support")]

from server import running_server  # noqa: E402

EXAMPLES = ROOT / "examples" / "embedded"
HEADER = ROOT / "src" / "library"
BUILD = pathlib.Path(os.environ.get("PARTITA_BINARY", ROOT / "build" / "release" / "partita")).resolve().parent
SAYS = """Call Me Today: 1998
Somewhere Down The Road: 2003
Somewhere Down The Road: none
{"Count":2,"ScannedCount":2}
"""
BUILD_S = 300


def built(*command, **environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=BUILD_S, check=False,
                          env={**os.environ, **environment}, cwd=EXAMPLES / "go")
    assert done.returncode == 0, done.stderr[-4000:]


def in_c(folder):
    built("gcc-12", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{HEADER}", EXAMPLES / "music.c", f"-L{BUILD}",
          "-lpartita", "-o", folder / "music")
    return [folder / "music"]


def in_python(_):
    return [sys.executable, EXAMPLES / "music.py"]


def in_rust(folder):
    built("rustc", "--edition", "2021", "-D", "warnings", "-L", BUILD, EXAMPLES / "music.rs", "-o", folder / "music")
    return [folder / "music"]


def in_go(folder):
    built("go", "vet", ".", CGO_CFLAGS=f"-I{HEADER}", CGO_LDFLAGS=f"-L{BUILD}")
    built("go", "build", "-o", folder / "music", ".", CGO_CFLAGS=f"-I{HEADER}", CGO_LDFLAGS=f"-L{BUILD}")
    return [folder / "music"]


LANGUAGES = {"c": (in_c, None), "python": (in_python, None), "rust": (in_rust, "rustc"), "go": (in_go, "go")}


@pytest.fixture(scope="module", params=LANGUAGES)
def program(request, tmp_path_factory):
    make, needs = LANGUAGES[request.param]
    if needs and not shutil.which(needs):
        pytest.skip(f"there is no {needs}")
    return make(tmp_path_factory.mktemp(request.param))


def ran(program, *words):
    where = {"LD_LIBRARY_PATH": str(BUILD), "PARTITA_LIBRARY": str(BUILD / "libpartita.so.1")}
    return subprocess.run([str(word) for word in (*program, *words)], capture_output=True, text=True, timeout=60,
                          check=False, env={**os.environ, **where})


def test_in_memory(program):
    done = ran(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, SAYS, "")


def test_in_a_directory_which_a_server_then_serves(program, tmp_path):
    data = tmp_path / "data"
    done = ran(program, data)
    assert (done.returncode, done.stdout, done.stderr) == (0, SAYS, "")
    again = ran(program, data)
    assert again.returncode != 0 and "ResourceInUseException" in again.stderr
    with running_server(data_dir=data) as server:
        assert server.client().scan(TableName="Music")["Count"] == 2
        held = ran(program, data)
        assert held.returncode != 0 and "in use" in held.stderr, held.stderr
