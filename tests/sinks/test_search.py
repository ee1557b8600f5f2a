"""Tables in OpenSearch and Elasticsearch: whatever happens, the documents become the items."""

import base64
import contextlib
import decimal
import os
import random
import threading
import time

import pytest
from botocore.exceptions import BotoCoreError, ClientError
from certificate import write_certificate
from documents import difference, expected_documents, id_of
from relay import basic, running_relay
from search_engines import Unavailable, running_search_engine
from server import running_server
from sinks import create_sink, letters_of, sink, states_of
from waiting import wait_until

SECONDS = float(os.environ.get("PARTITA_SINK_SECONDS", 8))
CATCH_UP_S = 120
WRITERS = 8
ITEMS = 2_000
KEYS = ("p", "s")
EXPECTED_ERRORS = {"ConditionalCheckFailedException", "TransactionCanceledException", "TransactionConflictException"}
PRECISE = "1.2345678901234567890123456789012345678"


@pytest.fixture(scope="module", params=["opensearch", "elasticsearch"])
def engine(request):
    try:
        with running_search_engine(request.param) as running:
            yield running
    except Unavailable as why:
        pytest.skip(f"{request.param}: {why}")


@pytest.fixture(scope="module")
def shared():
    with running_server() as server:
        yield server


def create_table(client, name, names=KEYS):
    roles = ("HASH", "RANGE")
    client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": each, "AttributeType": "S"} for each in names],
                        KeySchema=[{"AttributeName": each, "KeyType": role} for each, role in zip(names, roles)])


def put(client, table, p, s, **attributes):
    client.put_item(TableName=table, Item={"p": {"S": p}, "s": {"S": s}, **attributes})


def wait_for_equality(engine, client, table, index, left_out=(), flat=False):
    """`left_out`: the ids of items that are not there."""
    expected = {key: item for key, item in expected_documents(client, table, KEYS).items() if key not in left_out}
    deadline = time.monotonic() + CATCH_UP_S
    while True:
        status, _ = engine.ask("GET", f"/{index}")
        found = engine.documents(index) if status == 200 else {}
        if flat:
            found = {key: next(iter(document.values())) for key, document in found.items()}
        if found == expected:
            return found
        assert time.monotonic() < deadline, difference(expected, found)
        time.sleep(0.1)


# --- writers ----------------------------------------------------------------------------------------------------------


class Writers:
    """Threads that change items of a table in every way, whatever becomes of the server."""

    def __init__(self, server, table, keys):
        self.server, self.table, self.keys = server, table, keys
        self.done = 0
        self._stop = threading.Event()
        self._faults = []
        self._threads = [threading.Thread(target=self._work, args=(number,)) for number in range(WRITERS)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()
        assert not self._faults, self._faults[0]

    def _work(self, number):
        chance = random.Random(number)
        client = self.server.client(read_timeout=5)
        while not self._stop.is_set():
            try:
                self._change(client, chance)
                self.done += 1
            except ClientError as error:
                down = error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500
                if not down and error.response["Error"]["Code"] not in EXPECTED_ERRORS:
                    self._faults.append(error)
                    return
            except BotoCoreError:
                time.sleep(0.02)  # the server is down

    def _key(self, chance):
        number = chance.randrange(self.keys)
        return {"p": {"S": f"p{number % 50}"}, "s": {"S": f"s{number}"}}

    def _item(self, chance):
        return {**self._key(chance), "n": {"N": str(chance.randrange(10**9))}, "text": {"S": "x" * chance.randrange(300)},
                "exact": {"N": PRECISE}, "list": {"L": [{"N": "1"}, {"N": "2"}]}}

    def _change(self, client, chance):
        table, kind = self.table, chance.randrange(8)
        if kind <= 1:
            client.put_item(TableName=table, Item=self._item(chance))
        elif kind == 2:
            client.update_item(TableName=table, Key=self._key(chance), UpdateExpression="ADD n :n REMOVE #text",
                               ExpressionAttributeNames={"#text": "text"}, ExpressionAttributeValues={":n": {"N": "1"}})
        elif kind == 3:
            client.delete_item(TableName=table, Key=self._key(chance))
        elif kind == 4:
            items = {tuple(each["S"] for each in self._key(chance).values()) for _ in range(10)}
            puts = [{"PutRequest": {"Item": {"p": {"S": p}, "s": {"S": s}, "n": {"N": "7"}}}} for p, s in items]
            client.batch_write_item(RequestItems={table: puts})
        elif kind == 5:
            one, other = self._item(chance), self._key(chance)
            if any(one[name] != other[name] for name in KEYS):
                client.transact_write_items(TransactItems=[{"Put": {"TableName": table, "Item": one}},
                                                           {"Delete": {"TableName": table, "Key": other}}])
        elif kind == 6:
            client.put_item(TableName=table, Item=self._item(chance), ConditionExpression="attribute_not_exists(p)")
        else:
            key = self._key(chance)
            client.execute_statement(Statement=f'UPDATE "{table}" SET n = ? WHERE p = ? AND s = ?',
                                     Parameters=[{"N": "3"}, key["p"], key["s"]])


def load(client, table, count):
    items = [{"p": {"S": f"p{i % 50}"}, "s": {"S": f"s{i}"}, "n": {"N": str(i)}} for i in range(count)]
    for at in range(0, count, 25):
        client.batch_write_item(RequestItems={table: [{"PutRequest": {"Item": each}} for each in items[at:at + 25]]})


def test_writers_and_kills(engine, tmp_path):
    """All kinds of changes while the table is filled, and Partita killed again and again."""
    with running_server(data_dir=tmp_path) as server:
        client = server.client()
        create_table(client, "busy")
        load(client, "busy", ITEMS)
        create_sink(server, "busy", engine.sink_url, "--index", "busy")
        chance, kills = random.Random(3), 0
        with Writers(server, "busy", 2 * ITEMS) as writers:
            ends = time.monotonic() + SECONDS
            while time.monotonic() < ends:
                time.sleep(min(chance.uniform(1, 5), max(0.5, SECONDS / 4)))
                server.kill()
                server.start()
                kills += 1
                if kills % 10 == 5:
                    engine.kill()
                    time.sleep(chance.uniform(0, 3))
                    engine.start()
        client = server.client()
        wait_for_equality(engine, client, "busy", "busy")
        assert kills >= 2 and writers.done > 10 * SECONDS, (kills, writers.done)
        assert states_of(server, "busy") == ["CARRYING"]


# --- what items hold --------------------------------------------------------------------------------------------------

EVERYTHING = {
    "n": {"N": PRECISE},
    "large": {"N": "12345678901234567890123456789012345678"},
    "tiny": {"N": "-1E-130"},
    "huge": {"N": "9.9E+125"},
    "b": {"B": b"\x00\xff"},
    "ss": {"SS": ["b", "a", "\u00e9"]},
    "ns": {"NS": ["10", "9", "-1.5"]},
    "bs": {"BS": [b"b", b"a"]},
    "null": {"NULL": True},
    "yes": {"BOOL": True},
    "map": {"M": {"inner": {"L": [{"S": "x"}, {"S": "y"}]}}},
    "text": {"S": "\u0000 \" \\ \n \U0001f600"},
}


def test_all_values_and_keys(engine, shared):
    client, index = shared.client(), f"values-{engine.name}"
    create_table(client, index)
    put(client, index, "all", "types", **EVERYTHING)
    put(client, index, "a|b", "c")
    put(client, index, "a", "b|c")
    put(client, index, "p" * 2048, "s" * 1024)
    put(client, index, "p" * 2048, "s" * 1023 + "t")
    put(client, index, "large", "one", text={"S": "y" * 390_000})
    create_sink(shared, index, engine.sink_url, "--index", index)
    found = wait_for_equality(engine, client, index, index)
    assert len(found) == 6
    assert found["3:all|types"]["n"] == decimal.Decimal(PRECISE)
    put(client, index, "late", "r", binary={"B": base64.b64decode("AAEC")})
    client.delete_item(TableName=index, Key={"p": {"S": "a"}, "s": {"S": "b|c"}})
    found = wait_for_equality(engine, client, index, index)
    assert "3:a|b|c" in found and "1:a|b|c" not in found


REFUSED = {"point": {".": {"N": "1"}}, "a point within": {"w": {"N": "1"}, "w.b": {"N": "2"}},
           "a value for a map": {"object": {"N": "1"}}}


def test_items_that_are_refused(engine, shared):
    """They become dead letters, and hold up no other; flat mode takes them all."""
    client, index = shared.client(), f"refused-{engine.name}"
    create_table(client, index)
    create_sink(shared, index, engine.sink_url, "--index", index, "--dead-letters", f"{index}-letters")
    create_sink(shared, index, engine.sink_url, "--index", f"{index}-flat", "--name", "flat", "--document", "flat")
    put(client, index, "first", "0", object={"M": {"x": {"N": "1"}}}, number={"N": "1"})
    wait_for_equality(engine, client, index, index)
    for name, attributes in REFUSED.items():
        put(client, index, name, "0", **attributes)
        put(client, index, name, "another")
    put(client, index, "text for a number", "0", number={"S": "none"})
    put(client, index, "large", "0", text={"S": "y" * 390_000})
    letters = {id_of({"p": {"S": name}, "s": {"S": "0"}}, KEYS) for name in REFUSED}
    wait_for_equality(engine, client, index, index, left_out=letters)
    wait_until(lambda: letters_of(client, f"{index}-letters").keys() == letters)
    assert all(letter["reason"]["S"] for letter in letters_of(client, f"{index}-letters").values())
    flat = wait_for_equality(engine, client, index, f"{index}-flat", flat=True)
    assert flat["5:point|0"] == {"p": "point", "s": "0", ".": 1}
    # An item that was mended goes, and its letter with it.
    put(client, index, "point", "0", mended={"BOOL": True})
    sink(shared, "retry", index, engine.name)
    letters.remove("5:point|0")
    wait_until(lambda: letters_of(client, f"{index}-letters").keys() == letters)
    wait_for_equality(engine, client, index, index, left_out=letters)


# --- the other end ----------------------------------------------------------------------------------------------------


def test_an_index_that_is_deleted(engine, shared):
    """The table is sent again, to a new index behind the same alias."""
    client, index = shared.client(), f"deleted-{engine.name}"
    create_table(client, index)
    load(client, index, 200)
    create_sink(shared, index, engine.sink_url, "--index", index)
    wait_for_equality(engine, client, index, index)
    [before] = [each for each in engine.indexes(f"{index}-*") if not each.endswith("-marks")]
    assert engine.ask("DELETE", f"/{before}")[0] == 200
    put(client, index, "after", "that")
    wait_for_equality(engine, client, index, index)
    [after] = [each for each in engine.indexes(f"{index}-*") if not each.endswith("-marks")]
    assert after != before
    sink(shared, "retry", index, engine.name, "--fill")
    wait_until(lambda: [each for each in engine.indexes(f"{index}-*") if not each.endswith("-marks")] != [after])
    wait_for_equality(engine, client, index, index)


def test_an_engine_that_refuses_requests(engine, shared):
    client, index = shared.client(), f"busy-{engine.name}"
    create_table(client, index)
    with running_relay(engine) as relay:
        create_sink(shared, index, relay.sink_url, "--index", index)
        for status in (429, 503, 500, 413):
            put(client, index, f"before {status}", "0")
            relay.refuse(status, seconds=0.5)
            for number in range(30):
                put(client, index, str(status), str(number))
            time.sleep(0.5)
        left_out = letters_of(client, f"{index}-dead-letters")
        assert all("413" in letter["reason"]["S"] for letter in left_out.values())
        wait_for_equality(engine, client, index, index, left_out=left_out)
        assert relay.refused


def test_credentials_and_a_private_authority(engine, shared, tmp_path):
    client, index = shared.client(), f"secured-{engine.name}"
    create_table(client, index)
    put(client, index, "one", "0")
    certificate = write_certificate(tmp_path, "engine")
    secret = tmp_path / "secret"
    secret.write_text("partita:wrong\n")
    secret.chmod(0o600)
    with running_relay(engine, basic("partita:secret"), certificate) as relay:
        create_sink(shared, index, relay.sink_url, "--index", index, "--credentials", secret, "--authority", certificate[0])
        wait_until(lambda: ("GET", "/") in relay.seen)
        secret.write_text("partita:secret\n")
        wait_for_equality(engine, client, index, index)
        sink(shared, "delete", index, engine.name, "--delete-index")
        wait_until(lambda: not engine.indexes(f"{index}-*"))


@contextlib.contextmanager
def untrusted(engine, tmp_path):
    certificate = write_certificate(tmp_path, "unknown")
    with running_relay(engine, certificate=certificate) as relay:
        yield relay


def test_an_authority_that_is_not_trusted(engine, shared, tmp_path):
    client, index = shared.client(), f"untrusted-{engine.name}"
    create_table(client, index)
    with untrusted(engine, tmp_path) as relay:
        create_sink(shared, index, relay.sink_url, "--index", index)
        wait_until(lambda: "certificate" in sink(shared, "show", index, engine.name))
        assert not relay.seen
        sink(shared, "delete", index, engine.name)
