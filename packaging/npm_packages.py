"""Makes the npm packages of clients/npm: npm_packages.py PROGRAM INTO

Prints the paths of both: the one with the program, for this platform alone, and the one that people install, which
depends on the first where it fits.
"""

import json
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE = ROOT / "clients" / "npm"
ARCHITECTURES = {"x86_64": "x64", "aarch64": "arm64"}


def ran(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, **options).stdout


def pack(folder, into):
    [packed] = json.loads(ran("npm", "pack", "--json", "--pack-destination", into, cwd=folder))
    return into / packed["filename"]


def make(program, into):
    into = into.resolve()
    into.mkdir(parents=True, exist_ok=True)
    version = ran(program, "--version").split()[1]
    architecture = ARCHITECTURES[platform.machine()]
    name = f"partita-linux-{architecture}"
    with tempfile.TemporaryDirectory(prefix="partita-npm-") as folder:
        own, whole = pathlib.Path(folder) / name, pathlib.Path(folder) / "partita"
        own.mkdir()
        ran("strip", "-o", own / "partita", program)
        (own / "package.json").write_text(json.dumps({
            "name": name, "version": version, "description": "The program of the package partita", "license": "Apache-2.0",
            "os": ["linux"], "cpu": [architecture], "libc": ["glibc"], "files": ["partita"],
        }))
        shutil.copytree(SOURCE, whole)
        package = json.loads((whole / "package.json").read_text())
        package.update({"version": version, "optionalDependencies": {name: version}})
        (whole / "package.json").write_text(json.dumps(package, indent=2))
        for each in (own, whole):
            shutil.copy(ROOT / "LICENSE", each)
        return [pack(own, into), pack(whole, into)]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        print(*make(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])), sep="\n")
    except subprocess.CalledProcessError as error:
        sys.exit(f"npm_packages.py: {' '.join(error.cmd)} failed: {error.stderr.strip()[-2000:]}")
