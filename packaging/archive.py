"""Makes an archive of the program to unpack anywhere: archive.py PROGRAM INTO [VERSION]

Prints the path of partita-VERSION-linux-ARCHITECTURE.tar.gz, which the action, the formula and the template for GitLab
install from. VERSION spares asking PROGRAM, which may not run here. The same inputs give the same bytes.
"""

import contextlib
import functools
import io
import os
import pathlib
import struct
import subprocess
import sys
import tarfile
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
NAME = "partita"
MACHINES = {62: ("amd64", "x86_64-linux-gnu"), 183: ("arm64", "aarch64-linux-gnu")}  # e_machine of ELF


def ran(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, **options).stdout


def version_of(program):
    return ran(program, "version").split()[1]


def machine_of(path):
    """(the processor's name in container images, Debian's name of the platform)."""
    head = path.read_bytes()[:20]
    machine = struct.unpack_from("<H", head, 18)[0] if head[:4] == b"\x7fELF" and len(head) == 20 else None
    if machine not in MACHINES:
        raise SystemExit(f"{path} is not a program for x86-64 or aarch64.")
    return MACHINES[machine]


def is_dynamic(path):
    """Whether a program or library loads others, that of C at least."""
    return "(NEEDED)" in ran("readelf", "-dW", path)


def stripped(path):
    if ".symtab" not in ran("readelf", "-SW", path):
        return path.read_bytes()
    with tempfile.TemporaryDirectory(prefix="partita-strip-") as folder:
        ran(f"{machine_of(path)[1]}-strip", "-o", f"{folder}/{NAME}", path)
        return pathlib.Path(folder, NAME).read_bytes()


def install(file, path):
    """Puts a program or library, stripped, at `path`, whose folder is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(stripped(file))
    path.chmod(0o755)


def tar(files, folders=None, at=0):
    """The bytes of a tar with {path: (bytes, mode)} and {folder: (owner, mode)}, in order, with the folders above them."""
    entries = {}
    for path in [*files, *(folders or {})]:
        for above in list(pathlib.PurePosixPath(path).parents)[:-1]:
            entries.setdefault(str(above), (tarfile.DIRTYPE, b"", 0, 0o755))
    entries |= {path: (tarfile.REGTYPE, data, 0, mode) for path, (data, mode) in files.items()}
    entries |= {path: (tarfile.DIRTYPE, b"", owner, mode) for path, (owner, mode) in (folders or {}).items()}
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, (kind, data, owner, mode) in sorted(entries.items()):
            member = tarfile.TarInfo(path)
            member.type, member.size, member.mode, member.mtime = kind, len(data), mode, at
            member.uid = member.gid = owner
            archive.addfile(member, io.BytesIO(data))
    return made.getvalue()


@functools.lru_cache(maxsize=4)  # of one release, several images have the same layer
def compressed(data):
    stream = zlib.compressobj(9, zlib.DEFLATED, 31)  # gzip without a time
    return stream.compress(data) + stream.flush()


def tar_of_program(program, inside, others):
    """The bytes of a tar whose folder `inside` has the program and these files: {name in it: path in the sources}."""
    others = {"LICENSE": "LICENSE", "CHANGELOG.md": "CHANGELOG.md", **others}
    files = {f"{inside}/{name}": ((ROOT / path).read_bytes(), 0o644) for name, path in others.items()}
    files[f"{inside}/{NAME}"] = (stripped(program), 0o755)
    return tar(files, at=int(os.environ.get("SOURCE_DATE_EPOCH", "0")))


def make(program, into, version=None):
    version = version or version_of(program)
    architecture, _ = machine_of(program)
    inside = f"{NAME}-{version}"
    packed = tar_of_program(program, inside, {f"completions/{NAME}.bash": "packaging/partita.bash"})
    into.mkdir(parents=True, exist_ok=True)
    path = into / f"{inside}-linux-{architecture}.tar.gz"
    path.write_bytes(compressed(packed))
    return path


@contextlib.contextmanager
def explained_failures():
    """Ends the script with a sentence if a command fails in it, or a file cannot be read or written."""
    script = pathlib.Path(sys.argv[0]).name
    try:
        yield
    except subprocess.CalledProcessError as error:
        sys.exit(f"{script}: {' '.join(error.cmd)} failed: {error.stderr.strip()[-2000:]}")
    except OSError as error:
        sys.exit(f"{script}: {error}")


def main(usage, maker):
    """What `maker` makes of PROGRAM INTO [VERSION], the words of the command line, is printed."""
    if len(sys.argv) not in (3, 4):
        sys.exit(usage)
    with explained_failures():
        print(maker(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:]))


if __name__ == "__main__":
    main(__doc__, make)
