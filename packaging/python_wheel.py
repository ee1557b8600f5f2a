"""Makes the wheel of clients/python with the program and the library in it: python_wheel.py PROGRAM INTO [VERSION]

The library is libpartita.so.1 in the program's folder. Prints the wheel's path. The wheel is one of the platform whose
glibc has all that both ask for. VERSION spares asking PROGRAM and the library, which may not run here.
"""

import os
import pathlib
import re
import shutil
import sys
import tempfile

import archive
from archive import ran, version_of

# In a process of its own, which ends without the library.
TELLS_VERSION = """
import ctypes, sys
version = ctypes.CDLL(sys.argv[1]).partita_version
version.restype = ctypes.c_char_p
print(version().decode())
"""
SOURCE = pathlib.Path(__file__).resolve().parents[1] / "clients" / "python"


def platform_of(*files):
    """As manylinux_2_36_x86_64."""
    asked = set()
    for file in files:
        versions = re.findall(r"GLIBC_(\d+\.\d+)", ran("readelf", "-VW", file))
        if not versions:
            raise SystemExit(f"python_wheel.py: {file} asks for no glibc, so its platform is not known.")
        asked.update(tuple(map(int, version.split("."))) for version in versions)
    major, minor = max(asked)
    return f"manylinux_{major}_{minor}_{archive.machine_of(files[0])[1].split('-')[0]}"


def library_of(program, version):
    """The library that was built with the program. `version` is that of the program, or None."""
    path = program.absolute().parent / "libpartita.so.1"
    if not path.is_file():
        raise SystemExit(f"python_wheel.py: there is no {path}: build the target libpartita.")
    if version is None and (found := ran(sys.executable, "-c", TELLS_VERSION, path).strip()) != version_of(program):
        raise SystemExit(f"python_wheel.py: {path} is {found} and {program} is {version_of(program)}.")
    return path


def make(program, into, version=None):
    with tempfile.TemporaryDirectory(prefix="partita-wheel-") as folder:
        folder = pathlib.Path(folder)
        tree = shutil.copytree(SOURCE, folder / "tree")
        library = library_of(program, version)
        for built, name in ((program, "bin/partita"), (library, "lib/libpartita.so.1")):
            archive.install(built, tree / "src" / "partita" / name)
        shutil.copy(SOURCE.parents[1] / "LICENSE", tree)
        ran(sys.executable, "-m", "venv", folder / "tools")
        told = {**os.environ, "PARTITA_VERSION": version or version_of(program),
                "PARTITA_PLATFORM": platform_of(program, library)}
        ran(folder / "tools" / "bin" / "pip", "wheel", "-q", "--no-deps", "-w", folder / "made", tree, env=told)
        [wheel] = (folder / "made").glob("*.whl")
        into.mkdir(parents=True, exist_ok=True)
        return pathlib.Path(shutil.copy(wheel, into))


if __name__ == "__main__":
    archive.main(__doc__, make)
