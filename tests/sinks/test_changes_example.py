"""examples/changes: the changes of a table in files, queried with DuckDB."""

import os
import pathlib
import subprocess

import pytest
from server import binary

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "examples" / "changes" / "run"
ANSWERS = """\
Which changes there were
    INSERT 3
    MODIFY 8
    REMOVE 1
The way of P-2
    posted
    in Lyon
    in Turin
    returned
    posted
    delivered
How often parcels went from one place to the next
    posted -> in Lyon 2
    in Lyon -> delivered 1
    in Lyon -> in Turin 1
Where the parcels are, by the changes alone
    P-2 delivered
    P-3 in Turin
What the manifest says
    12 changes in 3 slices
The same, by a Scan
    P-2 delivered
    P-3 in Turin
"""


def test_changes_are_queried(tmp_path):
    done = subprocess.run([PROGRAM, "--keep", tmp_path / "kept"], env={**os.environ, "PARTITA_BINARY": binary()},
                          capture_output=True, text=True, timeout=300, check=False)
    if "DuckDB cannot be installed here" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == ANSWERS, done.stdout
    assert (tmp_path / "kept" / "sink.json").is_file()
