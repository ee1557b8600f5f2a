"""Makes every package of a release but Debian's: release.py PROGRAM INTO [STATIC...]

STATIC are static programs of the same version, for one processor each: the archives, the formula and the image without
client libraries are made of them instead of PROGRAM, and so is the npm package of a processor that PROGRAM is not for.
Beside them it leaves what jobs of continuous integration fetch, and SHA256SUMS of all files there. PARTITA_RELEASES is
the URL of the folder to which they will be published; without it the formula names none that exists.
"""

import hashlib
import os
import pathlib
import shutil
import sys

import archive
import homebrew_formula
import npm_packages
import oci_image
import portable
import python_wheel

SCRIPT = pathlib.Path(__file__).resolve().parent / "ci" / "partita.sh"
PUBLISHED = (".deb", ".gz", ".rb", ".sh", ".tar", ".tgz", ".whl", ".xz")


def make(program, into, static=()):
    into.mkdir(parents=True, exist_ok=True)
    version = archive.version_of(program)
    url = os.environ.get("PARTITA_RELEASES") or f"https://partita.invalid/releases/v{version}"
    alone = static or [program]
    packed = [archive.make(each, into, version) for each in alone]
    made = [python_wheel.make(program, into), portable.make(program, into, version)]
    others = [each for each in static if archive.machine_of(each) != archive.machine_of(program)]
    made += [*npm_packages.make(program, into, others), *packed]
    made += oci_image.make(alone[0], into, *alone[1:])
    if archive.is_dynamic(program):
        made += oci_image.make(program, into, full=True)
    made += [homebrew_formula.make(url, into, packed), pathlib.Path(shutil.copy(SCRIPT, into))]
    files = sorted(path for path in into.iterdir() if path.suffix in PUBLISHED)
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (into / "SHA256SUMS").write_text("".join(sums))
    return [*made, into / "SHA256SUMS"]


if __name__ == "__main__":
    os.umask(0o022)  # some packages keep the modes of files
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, into, *static = map(pathlib.Path, sys.argv[1:])
    with archive.explained_failures():
        print(*make(program, into, static), sep="\n")
