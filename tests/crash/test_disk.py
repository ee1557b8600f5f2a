"""A store whose files were damaged after a kill, and a disk that is full: the server refuses, or lives and says so."""

import os
import pathlib
import resource
import subprocess
import tempfile
import time

import botocore.exceptions
import pytest
from common import create_table
from server import START_TIMEOUT_S, binary, running_server
from waiting import wait_until

KEY = {"Id": "S"}
DISK_BYTES = 48 << 20


def put(client, number, size=100):
    client.put_item(TableName="Disk", Item={"Id": {"S": f"item {number}"}, "Value": {"S": "v" * size}})


def scan_ids(client):
    pages = client.get_paginator("scan").paginate(TableName="Disk", ConsistentRead=True)
    return {item["Id"]["S"] for page in pages for item in page["Items"]}


def start_in_vain(data_dir):
    """Starts a server that should refuse; returns its exit code and what it says."""
    command = [binary(), "serve", "--data", str(data_dir), "--listen", "127.0.0.1:0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=START_TIMEOUT_S, check=False)
    return done.returncode, done.stderr


def salvage_of(data_dir, saved):
    command = [binary(), "salvage", "--data", str(data_dir), "--to", str(saved)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def killed_store():
    """The directory of a server that was killed once it had acknowledged 200 items."""
    with tempfile.TemporaryDirectory(prefix="partita-damage-") as directory:
        data = pathlib.Path(directory) / "data"
        with running_server(data_dir=data) as server:
            create_table(server.client(), "Disk", KEY)
            client = server.client()
            for number in range(200):
                put(client, number)
            time.sleep(0.1)
            server.kill()
        yield data


def newest_log(data):
    return max((file for file in data.glob("*.log") if file.stat().st_size), key=lambda file: int(file.stem))


def test_a_log_damaged_in_the_middle_is_refused_and_salvaged(killed_store):
    log = newest_log(killed_store)
    with open(log, "r+b") as file:
        file.seek(log.stat().st_size // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))
    for _ in range(2):
        code, said = start_in_vain(killed_store)
        assert code == 1
        assert log.name in said and "salvage" in said
    saved = killed_store.parent / "saved"
    salvage = salvage_of(killed_store, saved)
    assert salvage.returncode == 3
    assert f"cannot be read in {log.name}" in salvage.stdout
    with running_server(data_dir=saved) as server:
        found = scan_ids(server.client())
        assert len(found) == 199
        put(server.client(), 1000)


@pytest.mark.parametrize("is_there", [False, True])
def test_salvage_tells_of_a_log_that_is_missing_or_empty(killed_store, is_there):
    log = newest_log(killed_store)
    log.unlink()
    if is_there:
        log.touch()
    salvage = salvage_of(killed_store, killed_store.parent / "saved")
    assert salvage.returncode == 3
    assert "lost: " in salvage.stdout
    assert "nothing is lost" not in salvage.stdout


def test_salvage_refuses_what_is_no_store_and_what_is_served(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "hello.txt").touch()
    salvage = salvage_of(tmp_path / "other", tmp_path / "saved")
    assert (salvage.returncode, "holds no store" in salvage.stderr) == (1, True)
    with running_server(data_dir=tmp_path / "data"):
        salvage = salvage_of(tmp_path / "data", tmp_path / "saved")
    assert (salvage.returncode, "is in use" in salvage.stderr) == (1, True)
    assert not (tmp_path / "saved").exists()


def test_a_salvage_that_is_killed_leaves_no_store_and_goes_on(killed_store):
    saved = killed_store.parent / "saved"
    command = [binary(), "salvage", "--data", str(killed_store), "--to", str(saved)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: (saved / "salvaging").exists() or process.poll() is not None)
        process.kill()
    if not (saved / "CURRENT").exists():  # it was not faster
        code, said = start_in_vain(saved)
        assert code == 1 and "run `partita salvage` again" in said, said
        assert salvage_of(killed_store, saved).returncode == 0
    with running_server(data_dir=saved) as server:
        assert len(scan_ids(server.client())) == 200


@pytest.mark.parametrize("pattern", ["*.log", "CURRENT", "MANIFEST-*"])
def test_a_missing_file_is_refused(killed_store, pattern):
    for file in killed_store.glob(pattern):
        file.unlink()
    code, said = start_in_vain(killed_store)
    assert code == 1
    assert "is damaged" in said


def test_a_manifest_cut_short_is_damaged_and_not_foreign(killed_store):
    (manifest,) = killed_store.glob("MANIFEST-*")
    os.truncate(manifest, manifest.stat().st_size // 2)
    code, said = start_in_vain(killed_store)
    assert code == 1
    assert manifest.name in said and "is damaged" in said


@pytest.fixture
def small_disk():
    """A file system of 48 MB of its own."""
    with tempfile.TemporaryDirectory(prefix="partita-small-") as directory:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", directory], capture_output=True, check=False
        )
        if mounted.returncode != 0:
            pytest.skip("this user may not mount")
        try:
            yield pathlib.Path(directory)
        finally:
            subprocess.run(["umount", "-l", directory], check=True)


def fill(disk):
    """Takes all the space that is left, again and again; removing the file gives it back."""
    ballast = disk / "ballast"
    with open(ballast, "ab", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    return ballast


def try_put(client, number, acknowledged):
    """Whether it was acknowledged; if not, with an error of the server's own."""
    try:
        put(client, number, 30_000)
    except botocore.exceptions.ClientError as error:
        assert error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500
        return False
    acknowledged.add(f"item {number}")
    return True


def test_a_full_disk_is_told_and_recovered_from(small_disk):
    with running_server(data_dir=small_disk / "data") as server:
        client = server.client()
        create_table(client, "Disk", KEY)
        acknowledged = set()
        assert try_put(client, 0, acknowledged)
        refused = 0
        for number in range(1, 3000):
            # What the server gives back while it recovers is taken again.
            ballast = fill(small_disk)
            if not try_put(client, number, acknowledged):
                refused += 1
                assert acknowledged <= scan_ids(client)
                time.sleep(0.02)
            if refused == 40:
                break
        assert refused == 40
        assert "No space left on device" in server.log()
        ballast.unlink()
        wait_until(lambda: try_put(client, 100_001, acknowledged), server.log)
        assert "takes writes again" in server.log()
        assert acknowledged <= scan_ids(client)
        server.kill()
        server.start()
        assert acknowledged <= scan_ids(server.client())


def test_a_limit_on_the_size_of_files_is_told_as_a_full_disk_is(tmp_path):
    with running_server(data_dir=tmp_path / "data") as server:
        client = server.client()
        create_table(client, "Disk", KEY)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        acknowledged = set()
        number = 0
        while try_put(client, number, acknowledged):
            number += 1
            assert number < 100
        assert acknowledged and acknowledged <= scan_ids(client)
        assert "File too large" in server.log()
        server.kill()
        server.start()
        assert acknowledged <= scan_ids(server.client())


def start_without_room(data, room):
    """Tries to start a server whose files may have that many bytes; what it says."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        code, said = start_in_vain(data)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert code == 1
    assert "File too large" in said and "damaged" not in said
    return said


@pytest.mark.parametrize("room", [10, 100])
def test_a_first_start_without_room_leaves_no_damage(tmp_path, room):
    for _ in range(2):
        start_without_room(tmp_path / "data", room)
    with running_server(data_dir=tmp_path / "data") as server:
        create_table(server.client(), "Disk", KEY)
        assert "damaged" not in server.log()


def test_a_start_without_room_is_told_in_lines(killed_store):
    said = start_without_room(killed_store, 100)
    assert "rocksdb: " in said
    assert "VersionEdit { " in said and "?" not in said
    with running_server(data_dir=killed_store) as server:
        assert len(scan_ids(server.client())) == 200


def oldest_log(witness):
    return witness.read_text().split("oldest-log ")[1].split()[0]


def test_a_log_that_nothing_was_written_to_is_no_damage(tmp_path):
    """A recovery begins a log, and a server that is killed then leaves it empty, through any number of starts."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with running_server(data_dir=tmp_path / "data") as server:
        client = server.client()
        create_table(client, "Disk", KEY)
        witness = tmp_path / "data" / "WITNESS"
        oldest = oldest_log(witness)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (20_000, 20_000))
        acknowledged = set()
        while try_put(client, len(acknowledged), acknowledged):
            assert len(acknowledged) < 10
        wait_until(lambda: oldest_log(witness) != oldest, server.log)
        for _ in range(2):
            server.kill()
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
            try:
                server.start()
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        server.kill()
        server.start()
        assert acknowledged <= scan_ids(server.client())


def test_starting_on_a_full_disk_ends_in_a_sentence_or_a_server(small_disk):
    data = small_disk / "data"
    with running_server(data_dir=data) as server:
        create_table(server.client(), "Disk", KEY)
        put(server.client(), 0)
        server.kill()
    # The first start may find the space that the killed one had set aside.
    for _ in range(2):
        ballast = fill(small_disk)
        try:
            with running_server(data_dir=data) as server:
                assert scan_ids(server.client()) == {"item 0"}
                server.kill()
        except RuntimeError as refusal:
            assert "No space left on device" in str(refusal)
            assert "Assertion" not in str(refusal)
    ballast.unlink()
    with running_server(data_dir=data) as server:
        assert scan_ids(server.client()) == {"item 0"}
