"""Hundreds of histories of concurrent clients, each judged for strict serialisability. `./dev simulate` runs thousands.

PARTITA_SIMULATION_SEED chooses others, PARTITA_SIMULATION_HISTORIES how many.
"""

import os

import pytest
from foundationdb import WITHOUT_CLUSTER, WITHOUT_PROGRAMS
from simulate import describe, simulate

SEED = int(os.environ.get("PARTITA_SIMULATION_SEED", "2018"))
HISTORIES = int(os.environ.get("PARTITA_SIMULATION_HISTORIES", "300"))


def on_foundationdb(needed, **what):
    return pytest.param("foundationdb", what, marks=pytest.mark.skipif(**needed))


@pytest.mark.parametrize(
    "engine, what",
    [
        ("rocksdb", {}),
        ("rocksdb", {"kills": 5}),
        ("memory", {}),
        ("postgres", {}),
        ("postgres", {"kills": 5}),
        ("postgres", {"servers": 3, "kills": 3, "faults": 3}),
        on_foundationdb(WITHOUT_CLUSTER),
        on_foundationdb(WITHOUT_CLUSTER, kills=5),
        on_foundationdb(WITHOUT_PROGRAMS, servers=3, kills=3, faults=4),
    ],
)
def test_histories_are_strictly_serialisable(engine, what):
    simulation = simulate(range(SEED, SEED + HISTORIES), engine, **what)
    print(f"seeds {SEED} to {SEED + HISTORIES - 1}: {simulation.outcomes}")
    assert not simulation.failed, describe(simulation.failed)
    assert simulation.judged == HISTORIES
    # Histories in which nothing happens, or everything is refused, say nothing.
    assert simulation.outcomes["ok"] > 40 * HISTORIES > simulation.outcomes["failed"] > HISTORIES
