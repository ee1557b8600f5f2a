"""What backups are for: the disk of a store is lost, or spoilt, and a timer goes on each night.

The timer's commands are those of docs/operations.md, with other directories.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import time

import botocore.exceptions
import pytest
from pages import get, samples, value
from server import Server, binary, running_server
from store_content import call
from waiting import wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = {
    "TableName": "notes",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def partita(*words):
    ended = subprocess.run([binary(), *map(str, words)], capture_output=True, text=True)
    return ended.returncode, ended.stdout + ended.stderr


def done(*words):
    code, said = partita(*words)
    assert code == 0, said
    return said


def commands_of_the_timer(keep):
    """The words of each ExecStart of the packaged unit, as docs/operations.md shows it."""
    page = (ROOT / "docs" / "operations.md").read_text()
    lines = re.findall(r"^ExecStart=/usr/bin/partita (.*)$", page, re.MULTILINE)
    assert len(lines) == 2 and lines[0].startswith("backup ") and lines[1].startswith("verify "), lines
    return [re.sub(r"--keep \d+", f"--keep {keep}", line) for line in lines]


def night(data, backups, keep=2):
    """(0 or the code of the command that failed, what was said), as systemd runs a unit of several commands."""
    all_said = ""
    for line in commands_of_the_timer(keep):
        words = line.replace("/var/lib/partita/data", str(data)).replace("/var/backups/partita", str(backups)).split()
        code, said = partita(*words)
        all_said += said
        if code != 0:
            return code, all_said
    return 0, all_said


def put(server, count, size=4_000, prefix="n"):
    client = server.client()
    for number in range(count):
        item = {"id": {"S": f"{prefix}{number}"}, "text": {"S": os.urandom(size // 2).hex()}}
        client.put_item(TableName="notes", Item=item)


def count_of(server):
    return sum(page["Count"] for page in server.client().get_paginator("scan").paginate(TableName="notes"))


def listed(backups):
    return done("backup", "list", backups).splitlines()


def test_a_lost_disk_leaves_the_good_backup_and_is_told_of(tmp_path):
    data, backups = tmp_path / "data", tmp_path / "backups"
    with running_server(data_dir=data) as server:
        server.client().create_table(**TABLE)
        put(server, 50)
        for _ in range(3):
            code, said = night(data, backups)
            assert code == 0, said
    good = listed(backups)
    assert [line.split()[0] for line in good] == ["2", "3"]
    shutil.rmtree(data)  # the disk; it is mounted empty
    with running_server(data_dir=data) as server:
        assert f"A new, empty store was made in {data}." in server.log()
        server.client().create_table(**TABLE)
        put(server, 3)
        for _ in range(4):
            code, said = night(data, backups)
            assert code == 1
            assert f"{backups} holds backups of another store" in said and "partita restore" in said, said
    assert listed(backups) == good
    # As the page on restoring has it.
    data.rename(tmp_path / "data.lost")
    done("restore", backups, data)
    with running_server(data_dir=data) as server:
        assert "A new, empty store" not in server.log()
        assert count_of(server) == 50
        put(server, 1, prefix="later")
        code, said = night(data, backups)
        assert code == 0, said
    assert [line.split()[0] for line in listed(backups)] == ["3", "4"]


def test_a_store_that_was_moved_goes_on_with_its_backups(tmp_path):
    backups = tmp_path / "backups"
    with running_server(data_dir=tmp_path / "data") as server:
        server.client().create_table(**TABLE)
        assert night(tmp_path / "data", backups)[0] == 0
    (tmp_path / "data").rename(tmp_path / "moved")
    with running_server(data_dir=tmp_path / "moved"):
        code, said = night(tmp_path / "moved", backups)
        assert code == 0, said
    assert listed(backups)[1].endswith(f" of {tmp_path / 'moved'}")


def make_older(backups):
    """The list of each backup as a version from before there were ids wrote it."""
    (backups / "PARTITA-CHECKED").unlink()
    for file in (backups / "meta").iterdir():
        said = file.read_text()
        metadata = re.search(r"^metadata ([0-9A-F]+)$", said, re.MULTILINE).group(1)
        text = bytes.fromhex(metadata).decode()
        older = re.sub(r"id .*\n", "", text.replace("partita 2", "partita 1"))
        assert older != text
        file.write_text(said.replace(metadata, older.encode().hex().upper()))


def test_backups_of_before_there_were_ids_are_their_store_s(tmp_path):
    data, backups = tmp_path / "data", tmp_path / "backups"
    with tarfile.open(ROOT / "tests" / "operating" / "stores" / "now.tar.xz") as archive:
        archive.extractall(data)
    for _ in range(2):
        done("backup", data, backups)
    make_older(backups)
    shutil.copytree(backups, tmp_path / "others")
    done("backup", data, backups)
    assert len(done("backup", "list", backups).splitlines()) == 3
    done("backup", data, backups, "--keep", 2)
    assert [line.split()[0] for line in listed(backups)] == ["3", "4"]
    data.rename(tmp_path / "lost")
    with running_server(data_dir=data):
        code, said = partita("backup", data, tmp_path / "others", "--keep", 1)
        assert code == 1 and "holds backups of another store, which was in" in said, said
    assert len(listed(tmp_path / "others")) == 2


def table_files(directory):
    return {path for path in directory.glob("*.sst")}


def flip(file, at=None):
    with open(file, "r+b") as out:
        out.seek(file.stat().st_size // 2 if at is None else at)
        byte = out.read(1)
        out.seek(-1, os.SEEK_CUR)
        out.write(bytes([byte[0] ^ 0x10]))


def grown(data, backups):
    """A table file that no backup has yet, of a stopped store."""
    with running_server(data_dir=data) as server:
        server.client().create_table(**TABLE)
        put(server, 1_500, size=8_000)
    with running_server(data_dir=data):
        assert night(data, backups)[0] == 0
    before = table_files(data)
    with running_server(data_dir=data) as server:
        put(server, 1_500, size=8_000, prefix="more")
    new = table_files(data) - before
    assert new
    return max(new, key=lambda file: file.stat().st_size)


def test_what_the_disk_has_spoilt_makes_no_backup(tmp_path):
    data, backups = tmp_path / "data", tmp_path / "backups"
    table = grown(data, backups)
    flip(table)
    with running_server(data_dir=data, extra_args=["--log-level", "error"]) as server:
        assert get(server, "/ready") == (200, "ready\n")
        for _ in range(2):
            code, said = night(data, backups, keep=1)
            assert code == 1
            assert f"the file {table} is damaged" in said and "earlier backups are left as they are" in said, said
        status, why = get(server, "/ready")
        assert status == 503 and str(table) in why
    assert [line.split()[0] for line in listed(backups)] == ["1"]
    assert "All is well." in done("verify", backups)
    code, said = partita("copy", data, tmp_path / "copy")
    assert code == 1, said


def test_damage_that_is_read_is_counted_and_turns_readiness(tmp_path):
    data = tmp_path / "data"
    with running_server(data_dir=data) as server:
        server.client().create_table(**TABLE)
        put(server, 1_500, size=8_000)
    flip(max(table_files(data), key=lambda file: file.stat().st_size))
    with running_server(data_dir=data) as server:
        assert get(server, "/ready") == (200, "ready\n")
        assert value(samples(server), "partita_store_corrupt_reads_total") == 0
        with pytest.raises(botocore.exceptions.ClientError, match="InternalServerError"):
            count_of(server)
        assert value(samples(server), "partita_store_corrupt_reads_total") >= 1
        assert value(samples(server), "partita_store_up") == 0
        status, why = get(server, "/ready")
        assert status == 503 and "The store is damaged" in why and ".sst" in why, why
        assert get(server, "/")[0] == 503
        assert get(server, "/health") == (200, "alive\n")
        code, said = partita("status", data)
        assert code == 1 and "The store is damaged" in said, said
        put(server, 1, prefix="it serves")


def test_a_scrub_finds_damage_that_nobody_reads(tmp_path):
    data = tmp_path / "data"
    with running_server(data_dir=data) as server:
        server.client().create_table(**TABLE)
        put(server, 1_500, size=8_000)
        assert "\nscrub: " not in done("status", data)
    scrubbed = ["--scrub", "24", "--scrub-rate", "1000"]
    with running_server(data_dir=data, extra_args=scrubbed) as server:
        wait_until(lambda: "the last round ended at" in done("status", data))
        assert "; no damage was found" in done("status", data)
        numbers = samples(server)
        files = sum(file.stat().st_size for file in table_files(data))
        assert value(numbers, "partita_store_scrubbed_bytes_total") == files
        assert value(numbers, "partita_store_scrub_rounds_total") == 1
        assert abs(value(numbers, "partita_store_scrub_ended_timestamp_seconds") - time.time()) < 60
        assert value(numbers, "partita_store_damaged_files") == 0
        assert get(server, "/ready")[0] == 200
    table = max(table_files(data), key=lambda file: file.stat().st_size)
    flip(table)
    with running_server(data_dir=data, extra_args=scrubbed) as server:
        wait_until(lambda: get(server, "/ready")[0] == 503)
        wait_until(lambda: "the last round ended at" in partita("status", data)[1])
        code, said = partita("status", data)
        assert code == 1 and "1 file is damaged" in said and str(table) in said, said
        assert value(samples(server), "partita_store_damaged_files") == 1
        assert server.log().count(f"Scrub: the file {table} is damaged") == 1
    slow = ["--scrub", "24", "--scrub-rate", "1"]
    with running_server(data_dir=data, extra_args=slow) as server:
        wait_until(lambda: "scrub: reading, " in partita("status", data)[1])
        assert "the last round" not in partita("status", data)[1]


@pytest.mark.parametrize("words, part", [
    (["--in-memory", "--scrub", "1"], "--scrub needs a store in a directory"),
    (["--data", "nowhere", "--scrub", "0"], "--scrub"),
    (["--data", "nowhere", "--scrub-rate", "5"], "--scrub-rate needs --scrub"),
])
def test_a_scrub_that_can_not_be_is_refused(words, part):
    code, said = partita("serve", *words)
    assert code == 2 and part in said, said


def test_a_lost_list_of_a_backup_is_missed(tmp_path):
    data, backups = tmp_path / "data", tmp_path / "backups"
    with running_server(data_dir=data) as server:
        server.client().create_table(**TABLE)
        for _ in range(2):
            done("backup", data, backups)
        (backups / "meta" / "2").unlink()
        assert "2  damaged: its list, meta/2, is missing" in listed(backups)
        code, said = partita("verify", backups)
        assert code == 1 and "Backup 2 is damaged: its list, meta/2, is missing." in said, said
        assert "is damaged" in partita("restore", backups, tmp_path / "new")[1]
        assert f"Backup 2 is lost: its list, {backups}/meta/2, is missing." in done("backup", data, backups)


def test_a_backup_whose_command_is_killed_is_named_in_the_list(tmp_path):
    """Killed at its very end the command leaves a whole backup; killed earlier, something that is none."""
    data, backups = tmp_path / "data", tmp_path / "backups"
    server = Server(data).start()
    server.client().create_table(**TABLE)
    put(server, 10)
    server.stop()
    done("backup", data, backups)
    (backups / "private" / "2").mkdir()
    assert listed(backups)[1].startswith("2  no backup: it is being made, or its command was ended;")
    done("backup", data, backups)
    checked = backups / "PARTITA-CHECKED"
    checked.write_text("".join(line for line in checked.read_text().splitlines(True) if not line.startswith("2 ")))
    assert listed(backups)[1].endswith("(not checked: its command was ended; verify it)")
    assert "All is well." in done("verify", backups)
    assert "It was never checked" in done("restore", backups, tmp_path / "new")


INDEX = {
    "TableName": "notes",
    "AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}],
    "GlobalSecondaryIndexUpdates": [
        {"Create": {"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}
    ],
}
VECTORS = {
    "TableName": "notes",
    "VectorIndexUpdates": [
        {"Create": {"IndexName": "near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "KEYS_ONLY"}}}
    ],
}
DROPPED = {"TableName": "notes", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-g"}}]}


def fill_to_index(server):
    client = server.client()
    client.create_table(**TABLE)
    for first in range(0, 3_000, 25):
        items = [
            {"id": {"S": f"n{n}"}, "g": {"S": f"g{n % 7}"}, "v": {"L": [{"N": str(n)}, {"N": "1"}]}, "x": {"S": "x" * 300}}
            for n in range(first, first + 25)
        ]
        client.batch_write_item(RequestItems={"notes": [{"PutRequest": {"Item": item}} for item in items]})


def settled(server):
    def is_active():
        table = call(server, "DescribeTable", TableName="notes")["Table"]
        indexes = table.get("GlobalSecondaryIndexes", []) + table.get("VectorIndexes", [])
        return all(index["IndexStatus"] == "ACTIVE" for index in indexes)

    wait_until(is_active)


@pytest.mark.parametrize("change", ["index", "vector index", "drop of an index", "drop of the table", "time to live"])
@pytest.mark.parametrize("pause_s", [0, 0.05, 0.3])
def test_a_store_is_sound_while_it_changes(tmp_path, change, pause_s):
    """Killed at some moment of the change, and looked at before anything goes on."""
    server = Server(tmp_path).start()
    try:
        fill_to_index(server)
        client = server.client()
        if change == "drop of an index":
            client.update_table(**INDEX)
            settled(server)
        if change == "index":
            client.update_table(**INDEX)
        elif change == "vector index":
            call(server, "UpdateTable", **VECTORS)
        elif change == "drop of an index":
            client.update_table(**DROPPED)
        elif change == "time to live":
            client.update_time_to_live(TableName="notes", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
        else:
            client.delete_table(TableName="notes")
        time.sleep(pause_s)
        server.kill()
        assert "All is well." in done("verify", tmp_path)
        if change == "drop of the table":
            return
        server.start()
        settled(server)
        server.stop()
        assert "All is well." in done("verify", tmp_path)
    finally:
        server.kill()
