"""Makes the wheel of clients/python with the program in it: python_wheel.py PROGRAM INTO [VERSION]

Prints the wheel's path. The wheel is one of the platform whose glibc has all that the program asks for. VERSION spares
asking PROGRAM, which may not run here.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import archive

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "clients" / "python"


def ran(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, **options).stdout


def platform_of(program):
    """As manylinux_2_36_x86_64."""
    asked = {tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_(\d+\.\d+)", ran("readelf", "-VW", program))}
    if not asked:
        raise SystemExit(f"python_wheel.py: {program} asks for no glibc, so its platform is not known.")
    major, minor = max(asked)
    return f"manylinux_{major}_{minor}_{archive.machine_of(program)[1].split('-')[0]}"


def version_of(program):
    return ran(program, "--version").split()[1]


def make(program, into, version=None):
    with tempfile.TemporaryDirectory(prefix="partita-wheel-") as folder:
        folder = pathlib.Path(folder)
        tree = shutil.copytree(SOURCE, folder / "tree")
        (tree / "src" / "partita" / "bin").mkdir()
        copy = tree / "src" / "partita" / "bin" / "partita"
        copy.write_bytes(archive.stripped(program))
        copy.chmod(0o755)
        shutil.copy(SOURCE.parents[1] / "LICENSE", tree)
        ran(sys.executable, "-m", "venv", folder / "tools")
        told = {**os.environ, "PARTITA_VERSION": version or version_of(program), "PARTITA_PLATFORM": platform_of(program)}
        ran(folder / "tools" / "bin" / "pip", "wheel", "-q", "--no-deps", "-w", folder / "made", tree, env=told)
        [wheel] = (folder / "made").glob("*.whl")
        into.mkdir(parents=True, exist_ok=True)
        return pathlib.Path(shutil.copy(wheel, into))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        print(make(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"python_wheel.py: {' '.join(error.cmd)} failed: {error.stderr.strip()[-2000:]}")
