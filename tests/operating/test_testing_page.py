"""What docs/testing.md shows is run as it stands there: its conftest.py files, its calls with curl and its commands."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import boto3
import pytest
from server import running_server

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "testing.md"

SUITE = """
import boto3

def artists(table):
    return sorted(item["Artist"] for item in table.scan()["Items"])

def test_one_writes(dynamodb):
    dynamodb.Table("Music").put_item(Item={"Artist": "Acme"})
    assert artists(dynamodb.Table("Music")) == ["Acme"]

def test_another_writes_and_drops(dynamodb):
    assert artists(dynamodb.Table("Music")) == []
    dynamodb.Table("Music").put_item(Item={"Artist": "Zelda"})
    dynamodb.Table("Music").delete()
    dynamodb.create_table(TableName="More", BillingMode="PAY_PER_REQUEST",
                          AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                          KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])

def test_nothing_is_left(dynamodb):
    assert [table.name for table in dynamodb.tables.all()] == EXPECTED
    assert artists(dynamodb.Table("Music")) == []
"""

SEED = ('{"TableName": "Seeded", "BillingMode": "PAY_PER_REQUEST",'
        ' "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],'
        ' "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}')


MUSIC = {"TableName": "Music", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "Artist", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"}]}


def blocks_of_the_page(language, having):
    """Its code in this language in which all of `having` are found."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return [block for name, block in blocks if name == language and all(words in block for words in having)]


def conftest_of_the_page(having="CreateSnapshot"):
    [chosen] = blocks_of_the_page("python", ["# conftest.py", having])
    return chosen


def client_of(server, key="main"):
    return boto3.client("dynamodb", endpoint_url=server.url, region_name="us-east-1", aws_access_key_id=key,
                        aws_secret_access_key="any")


def run_suite(directory, server, worker="main", passed=3, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment |= {"PYTEST_XDIST_WORKER": worker, "PYTEST_ADDOPTS": "", **variables}
    if server:
        environment["AWS_ENDPOINT_URL_DYNAMODB"] = server.url
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(directory)],
                          cwd=directory, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{passed} passed" in done.stdout


@pytest.fixture(params=["empty", "seeded"])
def suite(request, tmp_path):
    """(the suite's directory, what the server is started with)"""
    directory, seed = tmp_path / "suite", tmp_path / "seed"
    directory.mkdir(), seed.mkdir()
    seeded = request.param == "seeded"
    if seeded:
        (seed / "seeded.json").write_text(SEED)
    (directory / "conftest.py").write_text(conftest_of_the_page())
    expected = ["Music", "Seeded"] if seeded else ["Music"]
    (directory / "test_music.py").write_text(SUITE.replace("EXPECTED", repr(expected)))
    return directory, ["--namespaces", "key", "--seed", str(seed)]


def test_it_runs_again_and_again_and_side_by_side(suite):
    directory, options = suite
    with running_server(in_memory=True, extra_args=options) as server:
        for worker in ("gw0", "gw0", "gw1", "gw0"):
            run_suite(directory, server, worker)


def test_it_runs_again_after_a_run_that_was_killed(suite):
    """What that left, and other tables than those of now, are gone."""
    directory, options = suite
    with running_server(in_memory=True, extra_args=options) as server:
        run_suite(directory, server)
        client = client_of(server)
        client.put_item(TableName="Music", Item={"Artist": {"S": "left behind"}})
        client.create_table(TableName="Half", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
        run_suite(directory, server)


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """A folder in PATH with the program under the name that the page has for it."""
    folder = tmp_path / "commands"
    folder.mkdir()
    (folder / "partita").symlink_to(os.environ["PARTITA_BINARY"])
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_a_server_for_the_session(commands, tmp_path):
    (tmp_path / "conftest.py").write_text(conftest_of_the_page("subprocess.Popen"))
    (tmp_path / "test_music.py").write_text(f"""
def test_it(dynamodb):
    assert list(dynamodb.tables.all()) == []
    dynamodb.create_table(**{MUSIC!r})
    assert dynamodb.Table("Music").scan()["Count"] == 0
""")
    run_suite(tmp_path, None, passed=1)


def test_workers_have_namespaces(tmp_path):
    with running_server(in_memory=True, extra_args=["--namespaces", "key"]) as server:
        conftest = conftest_of_the_page('os.environ.get("PYTEST_XDIST_WORKER", "main")\n    return')
        assert "http://localhost:8000" in conftest
        (tmp_path / "conftest.py").write_text(conftest.replace("http://localhost:8000", server.url))
        (tmp_path / "test_music.py").write_text(f"""
def test_it(dynamodb):
    dynamodb.create_table(**{MUSIC!r})
""")
        for worker in ("gw0", "gw1"):
            run_suite(tmp_path, server, worker, passed=1)
            assert client_of(server, worker).list_tables()["TableNames"] == ["Music"]


def test_the_clock_moves_and_is_back(tmp_path):
    [more] = blocks_of_the_page("python", ["def advance()"])
    fixture, test = more.split("def test_that_items_expire")
    body = test.replace("    ...  ", "    expire()").replace("    advance(86400)", "    advance(86400)\n    wait()")
    assert "expire()" in body and "wait()" in body
    (tmp_path / "conftest.py").write_text(f"{conftest_of_the_page()}\n{fixture}")
    (tmp_path / "test_clock.py").write_text(f"""
import time

from conftest import SERVER
import boto3

client = boto3.client("dynamodb", **SERVER)

def expire():
    client.update_time_to_live(TableName="Music", TimeToLiveSpecification={{"AttributeName": "Until", "Enabled": True}})
    until = str(int(time.time()) + 3600)
    client.put_item(TableName="Music", Item={{"Artist": {{"S": "Brief"}}, "Until": {{"N": until}}}})

def wait():
    ends = time.monotonic() + 20
    while client.scan(TableName="Music")["Count"]:
        assert time.monotonic() < ends
        time.sleep(0.05)

def test_that_items_expire{body}
""")
    with running_server(in_memory=True, extra_args=["--namespaces", "key"]) as server:
        run_suite(tmp_path, server, passed=1)


def shell(text):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    done = subprocess.run(["bash", "-c", text], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{text}: {done.stdout} {done.stderr}"
    return done.stdout


def test_calls_with_curl():
    [listed], [rolled_back] = (blocks_of_the_page("", [f"Partita_20261123.{name}"]) for name in (
        "ListNamespaces", "RollbackToSnapshot"))
    with running_server(in_memory=True, extra_args=["--namespaces", "key"]) as server:
        def call(text):
            assert text.startswith("curl localhost:8000 ")
            return json.loads(shell(text.replace("localhost:8000", server.url, 1)))

        client = client_of(server, "any")  # the user of the page's calls
        client.create_table(**MUSIC)
        assert call(listed)["Namespaces"] == ["any"]
        call(rolled_back.replace("RollbackToSnapshot", "CreateSnapshot"))
        client.delete_table(TableName="Music")
        assert call(rolled_back)["RowsWritten"] > 0
        assert client.list_tables()["TableNames"] == ["Music"]


def test_commands_of_snapshots_and_of_the_clock(commands, tmp_path):
    data = str(tmp_path / "data")
    snapshots = blocks_of_the_page("", ["partita snapshot create"])[0].splitlines()
    clock = blocks_of_the_page("", ["partita clock advance"])[0].splitlines()
    with running_server(data_dir=data, extra_args=["--namespaces", "key"]) as server:
        client = client_of(server, "worker1")
        client.create_table(**MUSIC)
        for line in snapshots:
            # The page rolls back another database than the one whose snapshot it has just created.
            words = [data if word == "DIR" else word for word in shlex.split(line)]
            words += ["--namespace", "worker1"] if "create" in words else []
            shell(shlex.join(words))
            if "create" in words:
                client.delete_table(TableName="Music")
        assert client.list_tables()["TableNames"] == ["Music"]
        for line in clock:
            said = shell(line.replace("DIR", data))
            assert ("31" in said or str(31 * 86400) in said) == ("reset" not in line), (line, said)
