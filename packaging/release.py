"""Makes every package of a release but Debian's: release.py PROGRAM INTO

Beside them it leaves what jobs of continuous integration fetch, and SHA256SUMS of all files there. PARTITA_RELEASES is
the URL of the folder to which they will be published; without it the formula names none that exists.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

import archive
import homebrew_formula
import npm_packages
import oci_image
import python_wheel

SCRIPT = pathlib.Path(__file__).resolve().parent / "ci" / "partita.sh"
PUBLISHED = (".deb", ".gz", ".rb", ".sh", ".tar", ".tgz", ".whl")


def make(program, into):
    into.mkdir(parents=True, exist_ok=True)
    url = os.environ.get("PARTITA_RELEASES") or f"https://partita.invalid/releases/v{archive.version_of(program)}"
    packed = archive.make(program, into)
    made = [python_wheel.make(program, into), *npm_packages.make(program, into), packed]
    made += oci_image.make(program, into)
    if oci_image.needed(program):
        made += oci_image.make(program, into, full=True)
    made += [homebrew_formula.make(url, into, [packed]), pathlib.Path(shutil.copy(SCRIPT, into))]
    files = sorted(path for path in into.iterdir() if path.suffix in PUBLISHED)
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (into / "SHA256SUMS").write_text("".join(sums))
    return [*made, into / "SHA256SUMS"]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        print(*make(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])), sep="\n")
    except subprocess.CalledProcessError as error:
        sys.exit(f"release.py: {' '.join(map(str, error.cmd))} failed: {error.stderr.strip()[-2000:]}")
