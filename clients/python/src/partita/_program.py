"""Where the program is."""

import os
import pathlib
import shutil


class ProgramNotFound(Exception):
    """There is no program `partita` here; the message says where it was looked for."""


def program() -> str:
    """The path of the program: PARTITA_BINARY, or the one of this package, or else the first in PATH."""
    named = os.environ.get("PARTITA_BINARY")
    if named:
        if not os.access(named, os.X_OK):
            raise ProgramNotFound(f"PARTITA_BINARY is {named}, which is no program that can be run.")
        return named
    packaged = pathlib.Path(__file__).parent / "bin" / "partita"
    if packaged.is_file():
        if not os.access(packaged, os.X_OK):  # an installer that drops modes
            packaged.chmod(0o755)
        return str(packaged)
    # The command that this package installs is a script that asks here.
    for folder in os.get_exec_path():
        found = shutil.which("partita", path=folder)
        if found and not _is_script(found):
            return found
    raise ProgramNotFound(
        "The program partita is neither in this package (which has none for this platform) nor in PATH: install it, "
        "or name it in PARTITA_BINARY."
    )


def _is_script(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"#!"
