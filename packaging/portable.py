"""Packs the portable program, which loads client libraries where they are: portable.py PROGRAM INTO [VERSION]

Prints the path of partita-VERSION-linux-ARCHITECTURE-glibc.tar.xz. VERSION spares asking PROGRAM, which may not run
here. The same inputs give the same bytes.
"""

import lzma
import pathlib

from archive import NAME, machine_of, main, tar_of_program, version_of

# The first filter makes calls of one function alike, which spares a tenth. lzma knows none for aarch64 before xz 5.4.
FILTERS = {"amd64": [{"id": lzma.FILTER_X86}], "arm64": []}


def make(program, into, version=None):
    version = version or version_of(program)
    machine, _ = machine_of(program)
    inside = f"{NAME}-{version}-linux-{machine}-glibc"
    packed = tar_of_program(program, inside, {})
    filters = [*FILTERS[machine], {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    into.mkdir(parents=True, exist_ok=True)
    path = into / f"{inside}.tar.xz"
    path.write_bytes(lzma.compress(packed, check=lzma.CHECK_CRC64, filters=filters))
    return path


if __name__ == "__main__":
    main(__doc__, make)
