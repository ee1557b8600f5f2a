"""kill -9 of processes of a FoundationDB cluster and of servers over it: what was acknowledged is there, counted once.

PARTITA_TEST_FDB_PROGRAMS names the folder of fdbserver and fdbcli: the cluster is made for each test.
"""

import contextlib
import time

import pytest
from callers import TABLE, callers_on, check, kills_by_turns  # noqa: F401  (a fixture, too)
from foundationdb import WITHOUT_PROGRAMS, running_foundationdb
from server import running_server

pytestmark = pytest.mark.skipif(**WITHOUT_PROGRAMS)
RECOVERY_S = 12


@pytest.fixture
def three_servers():
    """The cluster, and three servers on it with a table."""
    with contextlib.ExitStack() as running:
        cluster = running.enter_context(running_foundationdb())
        servers = [running.enter_context(running_server(store=cluster.url)) for _ in range(3)]
        servers[0].client().create_table(**TABLE)
        yield cluster, servers


def test_servers_that_are_killed_by_turns_are_not_missed(three_servers, callers_on):  # noqa: F811
    _, servers = three_servers
    callers = callers_on(lambda _: servers)
    for _ in kills_by_turns(servers):
        pass
    callers_on.end()
    check(servers[0], callers)


@pytest.mark.parametrize("process", [0, 1, 2])
def test_a_process_of_the_cluster_that_is_killed_takes_nothing_along(three_servers, callers_on, process):  # noqa: F811
    cluster, servers = three_servers
    callers = callers_on(lambda _: servers)
    for turn in kills_by_turns(servers):
        if turn == 1:
            cluster.kill_process(process)
            time.sleep(RECOVERY_S)
            cluster.start_process(process)
            time.sleep(2)
    callers_on.end()
    check(servers[0], callers)
