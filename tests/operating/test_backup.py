"""`partita backup`, `restore` and `verify` beside a server that serves, is killed, and is damaged."""

import base64
import contextlib
import ctypes
import os
import re
import stat
import struct
import subprocess
import threading

import pytest
from server import Server, binary, running_server
from waiting import wait_until

WRITERS = 8
TABLE = {
    "TableName": "pairs",
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}],
    "AttributeDefinitions": [
        {"AttributeName": "p", "AttributeType": "S"},
        {"AttributeName": "n", "AttributeType": "N"},
        {"AttributeName": "g", "AttributeType": "S"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
    "GlobalSecondaryIndexes": [{"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}


def incompressible(size):
    return base64.b64encode(os.urandom(size))[:size].decode()


def partita(*words):
    return subprocess.run([binary(), *map(str, words)], capture_output=True, text=True)


def done(*words):
    ended = partita(*words)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    return ended.stdout


def refused(*words):
    ended = partita(*words)
    assert ended.returncode == 1, ended.stdout
    *_progress, said = ended.stderr.splitlines(keepends=True)
    assert said.startswith("partita: ") and said.endswith(".\n"), ended.stderr
    return said


class Writer(threading.Thread):
    """Puts pairs of items, each in one transaction, until told to stop. `acknowledged`: how many."""

    def __init__(self, server, number, stop, padding=1_000):
        super().__init__(daemon=True)
        self.client, self.number, self.stop = server.client(), number, stop
        self.padding = incompressible(padding)
        self.acknowledged = 0
        self.start()

    def run(self):
        while not self.stop.is_set():
            n = {"N": str(self.acknowledged)}
            items = [{"p": {"S": f"{side}{self.number}"}, "n": n, "g": {"S": f"g{self.number}"}, "x": {"S": self.padding}} for side in "lr"]
            try:
                self.client.transact_write_items(TransactItems=[{"Put": {"TableName": "pairs", "Item": item}} for item in items])
            except Exception:  # noqa: BLE001
                if not self.stop.is_set():
                    raise
                return
            self.acknowledged += 1


@pytest.fixture
def writers():
    stop = threading.Event()
    all_of_them = []

    def begin(server, **more):
        all_of_them.extend(Writer(server, number, stop, **more) for number in range(WRITERS))
        return all_of_them

    begin.stop = stop
    yield begin
    stop.set()
    for writer in all_of_them:
        writer.join()


def put_large(server, number):
    item = {"p": {"S": "a"}, "n": {"N": str(number)}, "x": {"S": incompressible(300_000)}}
    server.client().put_item(TableName="pairs", Item=item)


def fill(server, items):
    server.client().create_table(**TABLE)
    for number in range(items):
        put_large(server, number)


def written(writers):
    return sum(writer.acknowledged for writer in writers)


def numbers_in(server, index=None):
    """{p: the numbers of its items}"""
    more = {"IndexName": index} if index else {}
    found = {}
    for page in server.client().get_paginator("scan").paginate(TableName="pairs", ProjectionExpression="p, n", **more):
        for item in page["Items"]:
            found.setdefault(item["p"]["S"], set()).add(int(item["n"]["N"]))
    return found


def expect_whole(server, acknowledged):
    """All that was acknowledged, and of each pair both or none, in the index too."""
    found = numbers_in(server)
    assert found == numbers_in(server, "by-g")
    for number, count in enumerate(acknowledged):
        assert found.get(f"l{number}", set()) == found.get(f"r{number}", set())
        assert found.get(f"l{number}", set()) >= set(range(count))


def test_a_backup_ends_with_the_command_that_asked_for_it(tmp_path):
    backups = tmp_path / "backups"
    with running_server(data_dir=tmp_path / "data") as server:
        fill(server, 300)
        command = subprocess.Popen([binary(), "backup", server.data_dir, backups], stdout=subprocess.PIPE, text=True)
        wait_until(lambda: (backups / "private").exists())
        command.kill()
        assert command.communicate()[0] == "", "it was too fast for this test"
        wait_until(lambda: "it was stopped. The client that asked for it has gone." in server.log())
        assert "There is no backup" in done("backup", "list", backups)
        left = [path for path in backups.rglob("*") if path.is_file()]
        assert left == [backups / "PARTITA-BACKUPS"]
        done("backup", server.data_dir, backups)
    assert "All is well." in done("verify", backups)


def test_backups_beside_writers_hold_all_that_was_acknowledged_before(tmp_path, writers):
    backups = tmp_path / "backups"
    acknowledged = []
    with running_server(data_dir=tmp_path / "data") as server:
        server.client().create_table(**TABLE)
        busy = writers(server)
        for _ in range(4):
            wait_until(lambda so_far=written(busy): written(busy) >= so_far + 300)
            acknowledged.append([writer.acknowledged for writer in busy])
            assert re.match(rf"Backup {len(acknowledged)} is in {backups}: [\d.]+ MiB, [\d.]+ MiB of it new", done("backup", server.data_dir, backups))
        writers.stop.set()
        for writer in busy:
            writer.join()
        assert "in use by another server" in refused("verify", server.data_dir)
        assert "All is well." in done("verify", backups, "--backup", 2)
    lines = done("backup", "list", backups).splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2", "3", "4"]
    assert all(line.endswith(f" of {tmp_path / 'data'}") for line in lines)
    for number, counts in enumerate(acknowledged, start=1):
        restored = tmp_path / f"restored{number}"
        done("restore", backups, restored, "--backup", number)
        assert "All is well." in done("verify", restored)
        with running_server(data_dir=restored) as server:
            expect_whole(server, counts)
            server.client().put_item(TableName="pairs", Item={"p": {"S": "new"}, "n": {"N": "1"}})
    assert done("backup", "prune", backups, "--keep", 1) == "3 backups were deleted.\n"
    assert len(done("backup", "list", backups).splitlines()) == 1
    assert "All is well." in done("verify", backups)


def test_a_stopped_store_is_backed_up_by_the_command(tmp_path):
    with running_server(data_dir=tmp_path / "data") as server:
        server.client().create_table(**TABLE)
        server.client().put_item(TableName="pairs", Item={"p": {"S": "a"}, "n": {"N": "1"}, "g": {"S": "g"}})
    for number in (1, 2, 3):
        assert f"Backup {number} " in done("backup", tmp_path / "data", tmp_path / "backups", "--keep", 2)
    assert len(done("backup", "list", tmp_path / "backups").splitlines()) == 2
    said = done("verify", tmp_path / "data")
    assert "table pairs: 1 item, 1 index row, 1 stream record; all is well" in said


def test_what_can_not_be_is_said(tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear").write_text("you")
    assert "There is no store in" in refused("backup", tmp_path / "nothing", tmp_path / "backups")
    assert not (tmp_path / "backups").exists()
    assert "There are no backups in" in refused("restore", tmp_path / "letters", tmp_path / "new")
    assert "There are no backups in" in refused("backup", "list", tmp_path / "nothing")
    assert "There is no store in" in refused("verify", tmp_path / "nothing")
    assert "pg_basebackup" in refused("backup", "postgresql://nowhere/db", tmp_path / "backups")
    with running_server(data_dir=tmp_path / "data") as server:
        assert "is not empty and holds no backups (there is 'dear'" in refused("backup", server.data_dir, tmp_path / "letters")
        done("backup", server.data_dir, tmp_path / "backups")
        assert "is not empty" in refused("restore", tmp_path / "backups", tmp_path / "letters")
        assert "is in use by a server" in refused("restore", tmp_path / "backups", tmp_path / "data")
        assert "There is no backup 7 in" in refused("restore", tmp_path / "backups", tmp_path / "new", "--backup", 7)


def make_directory_of(file):
    """What no process can read as a file, root's neither. The file itself stays beside it."""
    file.rename(file.with_name(file.name + ".away"))
    file.mkdir()


def put_back(file):
    file.rmdir()
    file.with_name(file.name + ".away").rename(file)


def test_a_mark_that_can_not_be_read_is_named(tmp_path):
    data, backups = tmp_path / "data", tmp_path / "backups"
    mark = backups / "PARTITA-BACKUPS"
    said = f"The file {mark} cannot be read: Is a directory.\n"
    with running_server(data_dir=data) as server:
        fill(server, 3)
        done("backup", data, backups)
        make_directory_of(mark)
        assert refused("backup", data, backups).endswith(said)
        put_large(server, 3)  # it serves on
        put_back(mark)
        done("backup", data, backups)
    make_directory_of(mark)
    words = [("backup", data, backups), ("backup", "list", backups), ("backup", "prune", backups, "--keep", 1)]
    for verb in *words, ("restore", backups, tmp_path / "new"), ("verify", backups):
        assert refused(*verb).endswith(said), verb


@pytest.mark.parametrize("name", ["CURRENT", "WITNESS"])
def test_a_file_of_the_store_that_can_not_be_read_is_named(tmp_path, name):
    data = tmp_path / "data"
    with running_server(data_dir=data) as server:
        fill(server, 3)
    make_directory_of(data / name)
    said = f"The file {data / name} cannot be read: Is a directory.\n"
    words = [("serve", "--data", data, "--listen", "127.0.0.1:0"), ("verify", data), ("backup", data, tmp_path / "backups")]
    for verb in words:
        assert refused(*verb).endswith(said), verb
    put_back(data / name)
    with running_server(data_dir=data) as server:
        assert len(numbers_in(server)["a"]) == 3


def test_backups_of_two_stores_do_not_mix(tmp_path):
    with running_server(data_dir=tmp_path / "one"), running_server(data_dir=tmp_path / "two"):
        done("backup", tmp_path / "one", tmp_path / "backups")
        said = refused("backup", tmp_path / "two", tmp_path / "backups", "--keep", 1)
        assert "holds backups of another store" in said and f"which was in {tmp_path / 'one'};" in said
        assert len(done("backup", "list", tmp_path / "backups").splitlines()) == 1
        assert "is within the store itself" in refused("backup", tmp_path / "two", tmp_path / "two" / "backups")
        assert not (tmp_path / "two" / "backups").exists()


def test_an_older_backup_is_restored_only_when_it_is_named(tmp_path):
    with running_server(data_dir=tmp_path / "data"):
        for _ in range(2):
            done("backup", tmp_path / "data", tmp_path / "backups")
    next((tmp_path / "backups" / "private" / "2").glob("*.log")).unlink()
    assert "The newest backup in" in refused("restore", tmp_path / "backups", tmp_path / "restored")
    assert "Backup 1 of" in done("restore", tmp_path / "backups", tmp_path / "restored", "--backup", 1)


def test_what_holds_secrets_is_its_users_alone(tmp_path):
    with running_server(data_dir=tmp_path / "above" / "data"):
        done("backup", tmp_path / "above" / "data", tmp_path / "backups")
    done("restore", tmp_path / "backups", tmp_path / "restored")
    for made in ("above/data", "backups", "restored"):
        assert stat.S_IMODE((tmp_path / made).stat().st_mode) == 0o700
    # What was there already is as its user wanted it.
    (tmp_path / "open").mkdir(mode=0o755)
    with running_server(data_dir=tmp_path / "open"):
        assert stat.S_IMODE((tmp_path / "open").stat().st_mode) == 0o755


def test_a_server_killed_during_a_backup_leaves_the_others(tmp_path, writers):
    backups = tmp_path / "backups"
    server = Server(tmp_path / "data").start()
    try:
        server.client().create_table(**TABLE)
        busy = writers(server, padding=100_000)
        wait_until(lambda: written(busy) > 30)
        acknowledged = [writer.acknowledged for writer in busy]
        done("backup", server.data_dir, backups)
        wait_until(lambda so_far=written(busy): written(busy) > so_far + 150)
        command = [binary(), "backup", str(server.data_dir), str(backups)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        wait_until(lambda: any((backups / "shared_checksum").glob("*.tmp")) or (backups / "private" / "2").exists())
        writers.stop.set()
        server.kill()
        assert process.wait() == 1
        assert process.stderr.read().endswith(".\n")
        first, *left = done("backup", "list", backups).splitlines()
        assert first.startswith("1  ") and all(line.startswith("2  no backup: ") for line in left), left
        assert "All is well." in done("verify", backups)
        done("restore", backups, tmp_path / "restored")
        with running_server(data_dir=tmp_path / "restored") as restored:
            expect_whole(restored, acknowledged)
        server.start()
        assert "Backup 2 is in" in done("backup", server.data_dir, backups)
        assert "All is well." in done("verify", backups)
        assert not list((backups / "shared_checksum").glob("*.tmp"))
    finally:
        server.kill()


def test_a_killed_restore_is_not_served_and_begins_anew(tmp_path):
    backups, restored = tmp_path / "backups", tmp_path / "restored"
    with running_server(data_dir=tmp_path / "data") as server:
        fill(server, 100)
        done("backup", server.data_dir, backups)
    process = subprocess.Popen([binary(), "restore", str(backups), str(restored)])
    wait_until(lambda: (restored / "restoring").exists())
    process.kill()
    process.wait()
    assert not (restored / "CURRENT").exists()
    assert "restoration did not end" in refused("serve", "--data", restored, "--listen", "localhost:0")
    done("restore", backups, restored)
    with running_server(data_dir=restored) as server:
        assert len(numbers_in(server)["a"]) == 100


def arrivals(directory, run):
    """The names of the files that are moved into a directory while run() goes on, in their order, as inotify tells."""
    libc = ctypes.CDLL(None, use_errno=True)
    moved_to = 0x80
    watch = libc.inotify_init1(os.O_NONBLOCK)
    try:
        assert libc.inotify_add_watch(watch, os.fsencode(directory), moved_to) >= 0
        run()
        told, names = os.read(watch, 1 << 20), []
        while told:
            *_, length = struct.unpack_from("iIII", told)
            names.append(told[16:16 + length].rstrip(b"\0").decode())
            told = told[16 + length:]
        return names
    finally:
        os.close(watch)


def test_a_restored_store_is_one_with_its_last_file(tmp_path):
    backups, restored = tmp_path / "backups", tmp_path / "restored"
    restored.mkdir()
    with running_server(data_dir=tmp_path / "data") as server:
        server.client().create_table(**TABLE)
        done("backup", server.data_dir, backups)
    names = arrivals(restored, lambda: done("restore", backups, restored))
    assert len(names) > 2 and names[-1] == "CURRENT", names


@pytest.mark.parametrize("serves", [True, False])
def test_a_damaged_file_of_all_backups_is_named_and_mended(tmp_path, serves):
    data, backups = tmp_path / "data", tmp_path / "backups"
    server = Server(data).start()
    fill(server, 40)
    server.stop()
    with contextlib.ExitStack() as stack:
        if serves:
            stack.enter_context(running_server(data_dir=data))
        for _ in range(2):
            done("backup", data, backups)
        table = max((backups / "shared_checksum").glob("*.sst"), key=lambda file: file.stat().st_size)
        flip_a_bit(table)
        done("backup", data, backups)  # it takes the file over as it is
        ended = partita("verify", backups)
        assert ended.returncode == 1
        advice = f"`partita backup STORE {backups} --mend` copies it again while the store has it.\n"
        assert f"The backup 3 in {backups} cannot be used: its file shared_checksum/{table.name} is damaged; {advice}" in ended.stdout
        assert refused("restore", backups, tmp_path / "new").endswith(f"shared_checksum/{table.name} is damaged; {advice}")
        said = done("backup", data, backups, "--mend")
        assert said.startswith("Files of earlier backups that were damaged and are copied again: 1.\nBackup 4 is in "), said
        for number in range(1, 5):
            assert "All is well." in done("verify", backups, "--backup", number)
        assert done("backup", data, backups, "--mend").startswith("Backup 5 is in ")


def flip_a_bit(file):
    whole = file.read_bytes()
    half = len(whole) // 2
    file.write_bytes(whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :])


def test_verify_finds_a_damaged_backup_and_a_damaged_store(tmp_path):
    backups = tmp_path / "backups"
    with running_server(data_dir=tmp_path / "data") as server:
        fill(server, 40)
    done("backup", tmp_path / "data", backups)
    for directory, pattern in ((backups / "shared_checksum", "*.sst"), (tmp_path / "data", "*.sst")):
        flip_a_bit(max(directory.glob(pattern), key=lambda file: file.stat().st_size))
    for place in (backups, tmp_path / "data"):
        ended = partita("verify", place)
        assert ended.returncode == 1
        assert ".sst" in ended.stdout and "Something is wrong: see above." in ended.stdout
