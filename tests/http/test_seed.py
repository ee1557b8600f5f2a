"""A server that begins with tables and items (--seed), for test suites."""

import json
import os
import subprocess
import urllib.error
import urllib.request

import pytest
from server import binary, running_server

TABLE = {
    "TableName": "Music",
    "AttributeDefinitions": [{"AttributeName": "Artist", "AttributeType": "S"},
                             {"AttributeName": "Song", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"}, {"AttributeName": "Song", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def item(at):
    return {"Item": {"Artist": {"S": f"artist {at % 7}"}, "Song": {"S": f"{at:04}"}, "Year": {"N": str(1900 + at)},
                     "Cover": {"B": "AAE="}, "Tags": {"SS": ["a", "b"]}}}


def write(directory, tables, lines):
    for name, body in tables.items():
        (directory / f"{name}.json").write_text(json.dumps(body, indent=2))
    for name, text in lines.items():
        (directory / f"{name}.jsonl").write_text(text)
    return ["--seed", str(directory)]


def lines_of(count):
    return "".join(json.dumps(item(at)) + "\n" for at in range(count)) + "\n"


@pytest.mark.parametrize("count", [0, 1, 25, 260])
def test_tables_and_items_are_there_when_it_serves(tmp_path, count):
    more = write(tmp_path, {"music": TABLE, "empty": {**TABLE, "TableName": "Empty"}}, {"Music": lines_of(count)})
    with running_server(in_memory=True, extra_args=more) as server:
        client = server.client()
        assert client.list_tables()["TableNames"] == ["Empty", "Music"]
        table = server.resource().Table("Music")
        songs = {each["Song"]: each for each in table.scan()["Items"]}
        assert sorted(songs) == [f"{at:04}" for at in range(count)]
        if count:
            assert songs["0000"] == {"Artist": "artist 0", "Song": "0000", "Year": 1900, "Cover": b"\x00\x01",
                                     "Tags": {"a", "b"}}


def test_a_table_that_is_there_keeps_its_items(tmp_path):
    """A second start changes nothing; a table that was deleted meanwhile is seeded again."""
    (tmp_path / "seed").mkdir()
    more = write(tmp_path / "seed", {"a": TABLE, "b": {**TABLE, "TableName": "Other"}},
                 {"Music": lines_of(3), "Other": lines_of(4)})
    data = tmp_path / "data"
    with running_server(data_dir=data, extra_args=more) as server:
        client = server.client()
        client.delete_item(TableName="Music", Key={name: item(1)["Item"][name] for name in ("Artist", "Song")})
        client.delete_table(TableName="Other")
    with running_server(data_dir=data, extra_args=more) as server:
        client = server.client()
        assert client.scan(TableName="Music", Select="COUNT")["Count"] == 2
        assert client.scan(TableName="Other", Select="COUNT")["Count"] == 4
        assert "Music is there already" in server.log()


@pytest.mark.parametrize("tables, lines, said", [
    ({"bad": {"TableName": "Music"}}, {}, "bad.json: ValidationException: "),
    ({"bad": [1]}, {}, "bad.json: this is not what CreateTable takes: there is no TableName."),
    ({"bad": {**TABLE, "KeySchema": "Artist"}}, {}, "bad.json: KeySchema: SerializationException: "),
    ({"bad": {**TABLE, "KeySchema": [{"AttributeName": 7}]}}, {}, "bad.json: KeySchema[0].AttributeName: SerializationException: "),
    ({}, {"Nowhere": lines_of(1)}, "Nowhere.jsonl: there is no table Nowhere."),
    ({"m": TABLE}, {"Music": lines_of(2) + "{\n"}, 'Music.jsonl: line 4 is not {"Item": {...}}.'),
    ({"m": TABLE}, {"Music": json.dumps({"Item": {}, "More": 1})}, 'Music.jsonl: line 1 is not {"Item": {...}}.'),
    ({"m": TABLE}, {"Music": lines_of(2) + '{"Item": {"Artist": {"S": "a"}}}'}, "Music.jsonl: line 4: ValidationException: "),
    ({"m": TABLE}, {"Music": lines_of(2) + '{"Item": {"Artist": "a"}}'}, "Music.jsonl: line 4, Item.Artist: SerializationException: "),
    ({"m": TABLE}, {"Music": lines_of(2) + json.dumps({"Item": {**item(3)["Item"], "Year": {"N": "x"}}}) + "\n" + lines_of(3)},
     "Music.jsonl: line 4, Item.Year: ValidationException: "),
    ({"m": TABLE}, {"Music": '{"Item": {"Artist": {"L": [{"S": "a"}, {"S": 7}]}}}'}, "Music.jsonl: line 1, Item.Artist: SerializationException: "),
])
def test_what_can_not_be_seeded_is_named(tmp_path, tables, lines, said):
    arguments = ["serve", "--in-memory", "--listen", "127.0.0.1:0", *write(tmp_path, tables, lines)]
    ended = subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert ended.returncode == 1 and said in ended.stderr, ended.stderr
    assert ended.stdout == ""


def test_requests_of_the_seed_are_no_users(tmp_path):
    """What the server does by itself counts to nobody's rate."""
    more = write(tmp_path, {"m": TABLE}, {"Music": lines_of(2_000)})
    with running_server(in_memory=True, extra_args=[*more, "--users", "--request-rate", "1"]) as server:
        assert "2000 items were put" in server.log()


def test_what_a_bad_file_stopped_goes_on_when_it_is_mended(tmp_path):
    (tmp_path / "seed").mkdir()
    other = {**TABLE, "TableName": "Other"}
    more = write(tmp_path / "seed", {"a": TABLE, "b": other}, {"Music": lines_of(30) + "{\n", "Other": lines_of(4)})
    data = tmp_path / "data"
    for _ in range(2):
        arguments = [binary(), "serve", "--data", data, "--listen", "127.0.0.1:0", *more]
        ended = subprocess.run(arguments, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        assert ended.returncode == 1 and "Music.jsonl: line 32 is not" in ended.stderr, ended.stderr
        assert subprocess.run([binary(), "verify", data], capture_output=True, timeout=60).returncode == 0
    write(tmp_path / "seed", {}, {"Music": lines_of(30)})
    with running_server(data_dir=data, extra_args=more) as server:
        counts = [server.client().scan(TableName=name, Select="COUNT")["Count"] for name in ("Music", "Other")]
        assert counts == [30, 4]


@pytest.mark.parametrize("name", ["music.json", "Music.jsonl"])
@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink("/no/such", path)])
def test_what_is_no_file_is_named(tmp_path, name, make):
    """And neither waited for nor taken for an empty one."""
    more = write(tmp_path, {"a": TABLE}, {})
    make(tmp_path / name)
    arguments = ["serve", "--in-memory", "--listen", "127.0.0.1:0", *more]
    ended = subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert ended.returncode == 1 and f"{name}: this cannot be read, or is no file." in ended.stderr, ended.stderr


def test_items_whose_letters_are_escaped(tmp_path):
    """25 lines of them are more than a request may be."""
    lines = [json.dumps({"Item": {**item(at)["Item"], "Text": {"S": "é" * 190_000}}}) for at in range(30)]
    assert sum(map(len, lines[:25])) > 16 << 20
    with running_server(in_memory=True, extra_args=write(tmp_path, {"m": TABLE}, {"Music": "\n".join(lines)})) as server:
        pages = server.client().get_paginator("scan").paginate(TableName="Music", Select="COUNT")
        assert sum(page["Count"] for page in pages) == 30


def test_a_signal_ends_it_before_it_has_served(tmp_path):
    more = write(tmp_path, {"m": TABLE}, {"Music": lines_of(200_000)})
    arguments = [binary(), "serve", "--in-memory", "--listen", "127.0.0.1:0", *more]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "was made" in process.stderr.readline()
        process.terminate()
        said, log = process.communicate(timeout=120)
    assert (process.returncode, said) == (1, "") and "stopped by a signal; the table has " in log


def test_no_directory(tmp_path):
    arguments = ["serve", "--in-memory", "--listen", "127.0.0.1:0", "--seed", str(tmp_path / "no")]
    ended = subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert ended.returncode == 1 and "no: the directory cannot be read" in ended.stderr, ended.stderr


@pytest.mark.parametrize("flags, status", [([], 200), (["--root-400"], 400)])
def test_what_a_get_is_answered_with(flags, status):
    """jest-dynamodb and others wait until GET / is answered with DynamoDB Local's 400."""
    with running_server(in_memory=True, extra_args=flags) as server:
        try:
            answered = urllib.request.urlopen(server.url, timeout=30)
        except urllib.error.HTTPError as refused:
            answered = refused
        assert answered.status == status
        body = answered.read()
        if status == 400:
            assert json.loads(body)["__type"].endswith("#MissingAuthenticationTokenException")
        assert server.client().list_tables()["TableNames"] == []
