"""Waiting for what is to come, however long a busy machine takes."""

import pathlib
import time

PATIENCE_S = 60  # of a test that will fail


def wait_until(true, why=None):
    """Asks again and again until `true()` is, and returns that; `why()` is said when it does not come."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := true()):
        assert time.monotonic() < deadline, why() if why else "it did not come"
        time.sleep(0.01)
    return found


def wait_for_end(process):
    """Until the process of that id, of whose parent nothing is asked, has ended."""
    wait_until(lambda: not pathlib.Path(f"/proc/{process}/exe").exists(), lambda: f"process {process} goes on")
