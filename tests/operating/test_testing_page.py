"""The conftest.py of docs/testing.md does what the page says: a suite that may be run again against the same server."""

import os
import pathlib
import re
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


def conftest_of_the_page():
    blocks = re.findall(r"```python\n(# conftest\.py\n.*?)```", PAGE.read_text(), re.DOTALL)
    [chosen] = [block for block in blocks if "CreateSnapshot" in block]
    return chosen


def run_suite(directory, server, worker="main"):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment |= {"AWS_ENDPOINT_URL_DYNAMODB": server.url, "PYTEST_XDIST_WORKER": worker, "PYTEST_ADDOPTS": ""}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(directory)],
                          cwd=directory, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


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
        client = boto3.client("dynamodb", endpoint_url=server.url, region_name="us-east-1", aws_access_key_id="main",
                              aws_secret_access_key="any")
        client.put_item(TableName="Music", Item={"Artist": {"S": "left behind"}})
        client.create_table(TableName="Half", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
        run_suite(directory, server)
