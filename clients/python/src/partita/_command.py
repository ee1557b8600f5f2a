"""The command `partita`: the program itself, in the place of this process."""

import os
import sys

from partita._program import ProgramNotFound, program


def main() -> None:
    try:
        path = program()
    except ProgramNotFound as why:
        sys.exit(f"partita: {why}")
    os.execv(path, [path, *sys.argv[1:]])
