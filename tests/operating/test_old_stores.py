"""Stores that older revisions made, kept in stores/: each opens, and holds what a client of that revision read.

stores/make.py makes one. The list beside each says when it was made: servers here believe that it is just then, so that
no record of a stream is too old.

durable          8156e32, the first with its format written down: no WITNESS of today's form, counters of another kind
before-streams   4966887: WITNESS without a secret
before-graphs    99f4aa0: indexes of vectors whose writes are in no log, the first tables compressed with LZ4 alone
now              0249f76: streams, time to live, tags, vectors, secrets
users            6338187: users, and a role that trusts one of them by his ARN
"""

import json
import pathlib
import struct
import subprocess
import tarfile
import time

import pytest
from server import Server, binary, running_server
from store_content import account_of, content_of
from waiting import wait_until

STORES = pathlib.Path(__file__).with_name("stores")
FORMAT = b"\x07Mformat\x04\0\0\0\1"
NAMES = sorted(file.name.removesuffix(".tar.xz") for file in STORES.glob("*.tar.xz"))


def unpack(name, directory):
    with tarfile.open(STORES / f"{name}.tar.xz") as archive:
        archive.extractall(directory)
    return json.loads((STORES / f"{name}.json").read_text())


def verify(directory):
    ended = subprocess.run([binary(), "verify", str(directory)], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_all_of_them_are_there():
    assert NAMES == ["before-graphs", "before-streams", "durable", "now", "users"]


@pytest.mark.parametrize("name", NAMES)
def test_an_old_store_holds_what_was_read_of_it(name, tmp_path):
    said = unpack(name, tmp_path)
    assert "All is well." in verify(tmp_path)
    then = ("--clock", f"-{int(time.time() - said['made'])}")
    with running_server(data_dir=tmp_path, extra_args=then) as server:
        client = server.client()
        # What older versions counted otherwise is counted anew behind the first requests.
        wanted = {table: content.pop("count") for table, content in said["content"].items()}
        deadline = time.monotonic() + 30
        while {table: client.describe_table(TableName=table)["Table"]["ItemCount"] for table in wanted} != wanted:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        found = content_of(server)
        for table in found.values():
            table.pop("count")
            if "records" in table and "records" not in said["content"]["plain"]:
                assert table.pop("records") == []
        assert found == said["content"]
        if "account" in said:
            assert account_of(server) == said["account"]
        client.put_item(TableName="plain", Item={"p": {"S": "new"}, "s": {"N": "1"}, "g": {"S": "g"}})
    assert "All is well." in verify(tmp_path)


def crc32c(data):
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def test_a_store_of_a_newer_format_is_refused_and_left_as_it_is(tmp_path):
    server = Server(tmp_path).start()
    wait_until(lambda: any(FORMAT in log.read_bytes() for log in tmp_path.glob("*.log")))  # after the first answer
    server.kill()
    changed = 0
    for log in tmp_path.glob("*.log"):
        data = bytearray(log.read_bytes())
        at = data.find(FORMAT)
        if at < 0:
            continue
        data[at + 12] = 2
        # The first record of the log: its checksum, masked as RocksDB does, its length, its type.
        size = struct.unpack_from("<H", data, 4)[0]
        assert at + 13 <= 7 + size
        crc = crc32c(data[6 : 7 + size])
        struct.pack_into("<I", data, 0, ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)
        log.write_bytes(data)
        changed += 1
    assert changed == 1
    for verb in (("serve", "--listen", "localhost:0", "--data"), ("verify",)):
        ended = subprocess.run([binary(), *verb, str(tmp_path)], capture_output=True, text=True)
        assert ended.returncode == 1
        assert f"The store in {tmp_path} has format 2 of a newer version of Partita; this version reads formats up to 1." in ended.stderr
