"""kill -9 of PostgreSQL and of servers over it: what was acknowledged is there, counted exactly once."""

import concurrent.futures
import contextlib
import os
import signal
import time

import botocore.exceptions
from callers import KILLS, TABLE, callers_on, check, kills_by_turns  # noqa: F401  (a fixture, too)
from postgres import running_postgres
from server import running_server


def test_nothing_acknowledged_is_lost(callers_on):
    with contextlib.ExitStack() as running:
        postgres = running.enter_context(running_postgres())
        one, other = [running.enter_context(running_server(store=postgres.url)) for _ in range(2)]
        one.client().create_table(**TABLE)
        callers = callers_on(lambda n: [(one, other)[n % 2]])
        for _ in range(3):
            time.sleep(0.7)
            postgres.kill()
            postgres.start()
        time.sleep(0.7)
        other.kill()
        other.start()
        time.sleep(0.7)
        callers_on.end()
        check(one, callers)


def test_a_frozen_database_keeps_nobody_longer_than_it_may():
    """All its processes are stopped, as behind a network that drops packets. 20 seconds, and a little for a commit that
    is under way by then."""
    with running_postgres() as postgres, running_server(store=postgres.url) as server:
        server.client().create_table(**TABLE)
        key = {"name": {"S": "frozen"}}
        asks = [
            lambda client: client.put_item(TableName="counts", Item=key),
            lambda client: client.get_item(TableName="counts", Key=key, ConsistentRead=True),
            lambda client: client.transact_get_items(TransactItems=[{"Get": {"TableName": "counts", "Key": key}}]),
            lambda client: client.scan(TableName="counts"),
            lambda client: client.update_table(TableName="counts", BillingMode="PAY_PER_REQUEST"),
        ]
        asks[0](server.client())
        frozen = postgres.pids()
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        try:
            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                waiting = [pool.submit(timed, server, ask) for ask in asks]
                time.sleep(8)
                waiting += [pool.submit(timed, server, ask) for ask in asks[:2]]
                for one in waiting:
                    seconds, error = one.result()
                    assert seconds < 25, (seconds, error)
                    assert error.response["Error"]["Code"] == "InternalServerError"
                    assert error.response["ResponseMetadata"]["HTTPHeaders"]["x-amz-retry-after"] == "1000"
        finally:
            for pid in frozen:
                os.kill(pid, signal.SIGCONT)
        deadline = time.monotonic() + 10
        while timed(server, asks[0])[1] is not None:
            assert time.monotonic() < deadline


def timed(server, ask):
    """How long it took, and its error, if any."""
    began = time.monotonic()
    error = None
    try:
        ask(server.client(max_pool_connections=1))
    except botocore.exceptions.ClientError as refused:
        error = refused
    return time.monotonic() - began, error


def test_marks_of_connections_that_are_long_gone_go():
    with running_postgres() as postgres, running_server(store=postgres.url) as server:
        client = server.client()
        client.create_table(**TABLE)
        old = "INSERT INTO partita_mark (slot, at) VALUES ('old', now() - interval '{}')"
        postgres.ask(old.format("25 hours"))
        postgres.ask(old.format("23 hours").replace("'old'", "'younger'"))
        # Not when the server starts alone: whenever it connects again.
        postgres.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'partita'")
        marks = "SELECT string_agg(encode(slot, 'escape'), ' ') FROM partita_mark WHERE seq = 0 AND length(slot) < 16"
        deadline = time.monotonic() + 10
        while postgres.ask(marks) != "younger":
            assert time.monotonic() < deadline, postgres.ask(marks)
            client.put_item(TableName="counts", Item={"name": {"S": "any"}})
            time.sleep(0.1)


def test_servers_that_are_killed_by_turns_are_not_missed(callers_on):
    with contextlib.ExitStack() as running:
        postgres = running.enter_context(running_postgres())
        servers = [running.enter_context(running_server(store=postgres.url)) for _ in range(3)]
        servers[0].client().create_table(**TABLE)
        callers = callers_on(lambda _: servers)
        for _ in kills_by_turns(servers):
            pass
        callers_on.end()
        check(servers[0], callers)


def test_a_promoted_standby_has_all_that_was_acknowledged(callers_on):
    with contextlib.ExitStack() as running:
        primary = running.enter_context(running_postgres())
        standby = running.enter_context(running_postgres(primary=primary))
        primary.wait_for_standby()
        store = f"{primary.url},{standby.directory}"
        servers = [running.enter_context(running_server(store=store)) for _ in range(3)]
        servers[0].client().create_table(**TABLE)
        callers = callers_on(lambda _: servers)
        for turn in kills_by_turns(servers):
            if turn == KILLS // 2:
                time.sleep(0.5)
                primary.kill()
                standby.promote()
        time.sleep(1)
        callers_on.end()
        check(servers[0], callers)
