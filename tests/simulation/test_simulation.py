"""Hundreds of histories of concurrent clients, each judged for strict serialisability. `./dev simulate` runs thousands.

PARTITA_SIMULATION_SEED chooses others, PARTITA_SIMULATION_HISTORIES how many.
"""

import os

import pytest
from foundationdb import WITHOUT_CLUSTER
from simulate import describe, simulate

SEED = int(os.environ.get("PARTITA_SIMULATION_SEED", "2018"))
HISTORIES = int(os.environ.get("PARTITA_SIMULATION_HISTORIES", "300"))


@pytest.mark.parametrize(
    "engine, kills",
    [("rocksdb", 0), ("rocksdb", 5), ("memory", 0), ("postgres", 0), ("postgres", 5)]
    + [pytest.param("foundationdb", kills, marks=pytest.mark.skipif(**WITHOUT_CLUSTER)) for kills in (0, 5)],
)
def test_histories_are_strictly_serialisable(engine, kills):
    simulation = simulate(range(SEED, SEED + HISTORIES), engine, kills)
    print(f"seeds {SEED} to {SEED + HISTORIES - 1}: {simulation.outcomes}")
    assert not simulation.failed, describe(simulation.failed)
    assert simulation.judged == HISTORIES
    # Histories in which nothing happens, or everything is refused, say nothing.
    assert simulation.outcomes["ok"] > 40 * HISTORIES > simulation.outcomes["failed"] > HISTORIES
