"""What sinks send when there is nothing to send, and after the store or the index was replaced under them. On each
engine: one server on RocksDB, three on PostgreSQL."""

import contextlib
import shutil
import subprocess
import time

import pytest
from documents import difference, expected_documents
from fake_search import running_fake_search
from pages import samples
from postgres import running_postgres
from receiver import running_receiver
from relay import running_relay
from server import running_server
from sinks import create_sink, sinks_of
from waiting import wait_until

TABLE = "quiet"
KEYS = ("p",)
ITEMS = 50
LEASE_S = 3
IDLE_S = 2  # longer than the mark of what was sent is kept back
CATCH_UP_S = 60


class Setting:
    """Servers, and what they send to the search engine and to the hook."""

    def __init__(self, servers, engine, relay, receiver, postgres):
        self.servers, self.engine, self.relay, self.receiver = servers, engine, relay, receiver
        self.postgres = postgres
        self.data = postgres.directory / "data" if postgres else servers[0].data_dir

    @property
    def client(self):
        return self.servers[0].client()

    def put(self, first, count, **attributes):
        for number in range(first, first + count):
            self.client.put_item(TableName=TABLE, Item={"p": {"S": f"i{number}"}, **attributes})

    def wait_for_equality(self):
        deadline = time.monotonic() + CATCH_UP_S
        while True:
            expected = expected_documents(self.client, TABLE, KEYS)
            status, _ = self.engine.ask("GET", f"/{TABLE}")
            found = self.engine.documents(TABLE) if status == 200 else {}
            if found == expected:
                return
            assert time.monotonic() < deadline, f"{difference(expected, found)}; {sinks_of(self.servers[0])}"
            time.sleep(0.1)

    def carried_by(self):
        """The servers that carry a sink."""
        return [server for server in self.servers if any(name == "partita_sink_state" for name, _ in samples(server))]

    def sent(self):
        """Requests so far, without those that only read."""
        writes = [(method, path) for method, path in self.relay.seen
                  if method != "GET" and not path.partition("?")[0].endswith(("/_count", "/_mget", "/_search", "/_refresh"))]
        return writes, len(self.receiver.events)

    def stop(self):
        """Servers first."""
        for server in self.servers:
            server.stop()
        if self.postgres:
            self.postgres.stop()

    def start(self):
        if self.postgres:
            self.postgres.start()
        for server in self.servers:
            server.start()

    def copy_store(self, source, target):
        shutil.rmtree(target, ignore_errors=True)
        subprocess.run(["cp", "-a", source, target], check=True)


@pytest.fixture(params=["rocksdb", "postgres"])
def setting(request, tmp_path):
    with contextlib.ExitStack() as running:
        engine = running.enter_context(running_fake_search())
        relay = running.enter_context(running_relay(engine))
        receiver = running.enter_context(running_receiver(lambda records: (200, {})))
        postgres = running.enter_context(running_postgres()) if request.param == "postgres" else None
        if postgres:
            sockets = [tmp_path / f"admin{number}.sock" for number in range(3)]
            servers = [running.enter_context(running_server(store=postgres.url, data_dir=each,
                                                            extra_args=["--admin-socket", str(each)])) for each in sockets]
        else:
            servers = [running.enter_context(running_server(data_dir=tmp_path / "data"))]
        made = Setting(servers, engine, relay, receiver, postgres)
        made.client.create_table(TableName=TABLE, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}],
                                 AttributeDefinitions=[{"AttributeName": "p", "AttributeType": "S"}])
        made.put(0, ITEMS)
        create_sink(servers[0], TABLE, relay.sink_url, "--index", TABLE)
        create_sink(servers[0], TABLE, receiver.url, "--name", "hook")
        made.put(ITEMS, ITEMS)
        made.wait_for_equality()
        wait_until(lambda: len(receiver.records) == ITEMS)
        yield made


def test_a_restart_with_nothing_to_do_sends_nothing(setting):
    time.sleep(IDLE_S)
    before, reads = setting.sent(), len(setting.relay.seen)
    for turn in range(2):
        for server in setting.servers:
            if turn == 0:
                server.stop()
            else:
                server.kill()
            server.start()
        wait_until(setting.carried_by)
        setting.put(0, ITEMS)  # as they are
        time.sleep(LEASE_S + IDLE_S)
        assert setting.sent() == before
    assert len(setting.relay.seen) > reads, "nobody has even looked"
    setting.put(0, 1, n={"N": "1"})
    setting.wait_for_equality()
    wait_until(lambda: len(setting.receiver.records) == ITEMS + 1)


def test_a_store_that_was_restored(setting, tmp_path):
    """The other end has changes that the older store has not."""
    saved = tmp_path / "saved"
    setting.stop()
    setting.copy_store(setting.data, saved)
    setting.start()
    setting.put(ITEMS, 2 * ITEMS, later={"BOOL": True})
    setting.client.delete_item(TableName=TABLE, Key={"p": {"S": "i0"}})
    setting.wait_for_equality()
    wait_until(lambda: len(setting.receiver.records) == 3 * ITEMS + 1)
    time.sleep(IDLE_S)
    setting.stop()
    setting.copy_store(saved, setting.data)
    setting.start()
    setting.wait_for_equality()
    assert len(setting.engine.documents(TABLE)) == 2 * ITEMS
    arrived = len(setting.receiver.records)
    setting.put(0, 5, restored={"BOOL": True})
    setting.wait_for_equality()
    wait_until(lambda: len(setting.receiver.records) == arrived + 5)


def test_an_index_that_is_deleted_while_servers_are_down(setting):
    [index] = setting.engine.indexes(f"{TABLE}-*[0-9]")
    setting.stop()
    assert setting.engine.ask("DELETE", f"/{index}")[0] == 200
    setting.start()
    setting.wait_for_equality()


def test_an_index_that_is_deleted_and_no_change_comes(setting):
    """It is noticed all the same."""
    [index] = setting.engine.indexes(f"{TABLE}-*[0-9]")
    time.sleep(IDLE_S)
    assert setting.engine.ask("DELETE", f"/{index}")[0] == 200
    setting.wait_for_equality()
