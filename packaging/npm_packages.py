"""Makes the npm packages of clients/npm: npm_packages.py PROGRAM INTO [PROGRAM...]

Prints their paths: one with the program for each processor, and the one that people install, which depends on the first
kind where it fits. The first PROGRAM runs here, and says the version of all. A static one fits any C library.
"""

import json
import pathlib
import shutil
import sys
import tempfile

import archive
from archive import ROOT, ran

SOURCE = ROOT / "clients" / "npm"
ARCHITECTURES = {"amd64": "x64", "arm64": "arm64"}  # as Node.js names them


def pack(folder, into):
    [packed] = json.loads(ran("npm", "pack", "--json", "--pack-destination", into, cwd=folder))
    return into / packed["filename"]


def platform_package(program, version, folder):
    """The folder of the package with the program."""
    architecture = ARCHITECTURES[archive.machine_of(program)[0]]
    own = folder / f"partita-linux-{architecture}"
    archive.install(program, own / "partita")
    package = {
        "name": own.name, "version": version, "description": "The program of the package partita", "license": "Apache-2.0",
        "os": ["linux"], "cpu": [architecture], "files": ["partita"],
    }
    if archive.is_dynamic(program):
        package["libc"] = ["glibc"]
    (own / "package.json").write_text(json.dumps(package))
    return own


def make(program, into, beside=()):
    into = into.resolve()
    into.mkdir(parents=True, exist_ok=True)
    version = archive.version_of(program)
    with tempfile.TemporaryDirectory(prefix="partita-npm-") as folder:
        platforms = [platform_package(each, version, pathlib.Path(folder)) for each in (program, *beside)]
        whole = pathlib.Path(folder) / "partita"
        shutil.copytree(SOURCE, whole)
        package = json.loads((whole / "package.json").read_text())
        package.update({"version": version, "optionalDependencies": {own.name: version for own in platforms}})
        (whole / "package.json").write_text(json.dumps(package, indent=2))
        for each in (*platforms, whole):
            shutil.copy(ROOT / "LICENSE", each)
        return [pack(each, into) for each in (*platforms, whole)]


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    told = [pathlib.Path(word) for word in sys.argv[1:]]
    with archive.explained_failures():
        print(*make(told[0], told[1], told[2:]), sep="\n")
