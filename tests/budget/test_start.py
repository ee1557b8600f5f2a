"""What a start may cost: instructions to the first answer, the memory of a server at rest, and how often it wakes up.

The milliseconds are in docs/performance.md (./dev bench). Only the release build is measured.
"""

import pathlib
import re
import sys
import time

import pytest
import test_budget
import workload
from conftest import FIGURES
from instructions import CountedServer

sys.path.insert(0, str(test_budget.ROOT / "tests" / "support"))

from server import running_server  # noqa: E402

# Instructions from exec to the first answer; MiB that the server holds once it rests (VmRSS). The store is empty. How
# many pages a fault maps depends on how the system has read the program, hence the room.
STARTS = {"in memory": (1_245_000, 5.5), "on disk": (3_100_000, 7.5)}
ROOM, SLACK = 1.06, 0.85
WAKES_PER_S = 4
ENDS_S = 2.5  # until the start is over, and what only it needed is given back
RESTS_S = 3

pytestmark = test_budget.pytestmark

FIRST = workload.request("ListTables")


def status_of(server, name):
    text = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(rf"^{name}:\s+(\d+)", text, re.M).group(1))


def wakes_of(server):
    """How often its threads have gone to sleep."""
    tasks = pathlib.Path(f"/proc/{server.process.pid}/task").glob("*/status")
    return sum(int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", task.read_text(), re.M).group(1)) for task in tasks)


@pytest.mark.parametrize("where", STARTS)
def test_instructions_to_the_first_answer(where):
    limit = STARTS[where][0]
    with CountedServer(test_budget.BINARY, in_memory=where == "in memory") as server:
        server.send([FIRST])
        spent = server.spent().instructions
    FIGURES.append(f"{'start ' + where:25}{'instructions':14}{spent:12,.1f}  of {limit:,.1f}")
    assert spent <= limit * ROOM, f"a start {where} spends {spent:,} instructions; its budget is {limit:,}"
    assert spent >= limit * SLACK, f"a start {where} spends only {spent:,} instructions: lower its budget of {limit:,}"


@pytest.mark.parametrize("where", STARTS)
def test_a_server_at_rest(where):
    limit = STARTS[where][1]
    with running_server(in_memory=where == "in memory") as server:
        server.client().list_tables()
        time.sleep(ENDS_S)
        held = status_of(server, "VmRSS") / 1024
        before = wakes_of(server)
        time.sleep(RESTS_S)
        wakes = (wakes_of(server) - before) / RESTS_S
    FIGURES.append(f"{'rest ' + where:25}{'MiB':14}{held:12.1f}  of {limit:.1f}; wakes up {wakes:.1f} times a second")
    assert held <= limit
    assert wakes <= WAKES_PER_S
