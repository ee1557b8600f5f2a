"""Every expression of the Grafana dashboard, asked of a real Prometheus that reads a real server under load."""

import contextlib
import json
import pathlib
import subprocess
import threading
import time
import urllib.parse
import urllib.request

import botocore.exceptions
import pytest
from pages import get
from ports import free_port
from postgres import running_postgres
from server import binary, running_server

ROOT = pathlib.Path(__file__).resolve().parents[2]
DASHBOARD = ROOT / "deploy" / "grafana" / "partita.json"
SCRAPES = 5  # those that a rate is made of
TIMEOUT_S = 100

TABLE = {
    "TableName": "shown",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
}


def expressions():
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [(panel["title"], target["expr"]) for panel in panels for target in panel.get("targets", [])]


def load(server, stop, may_move_clock):
    """A little of everything that a panel shows."""
    client, streams = server.client(), server.client("dynamodbstreams")
    client.create_table(**TABLE)
    if may_move_clock:  # old records of streams are looked for once a minute, and when the clock was moved
        subprocess.run([binary(), "clock", "advance", "1s", server.data_dir], check=True, capture_output=True)
        nobody = f"opensearch+http://127.0.0.1:{free_port()}"
        subprocess.run([binary(), "sink", "create", "shown", "--to", nobody, "--data", server.data_dir], check=True, capture_output=True)
    client.update_time_to_live(TableName="shown", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
    stream = client.describe_table(TableName="shown")["Table"]["LatestStreamArn"]
    shard = streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"][0]["ShardId"]
    number = 0
    while not stop.is_set():
        number += 1
        key = {"id": {"S": str(number)}}
        client.put_item(TableName="shown", Item={**key, "ends": {"N": str(int(time.time()) - 1)}, "text": {"S": "x" * 300}})
        client.get_item(TableName="shown", Key=key)
        client.query(TableName="shown", KeyConditionExpression="id = :i", ExpressionAttributeValues={":i": key["id"]})
        with contextlib.suppress(botocore.exceptions.ClientError):
            client.delete_item(TableName="shown", Key=key, ConditionExpression="attribute_exists(nothing)")
        found = streams.get_shard_iterator(StreamArn=stream, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
        streams.get_records(ShardIterator=found["ShardIterator"], Limit=10)


@contextlib.contextmanager
def running_prometheus(directory, servers):
    """Its URL; it reads the servers once a second."""
    port = free_port()
    target = {"job_name": "partita", "static_configs": [{"targets": [f"{server.host}:{server.port}" for server in servers]}]}
    config = directory / "prometheus.json"  # JSON is YAML
    config.write_text(json.dumps({"global": {"scrape_interval": "1s", "scrape_timeout": "1s"}, "scrape_configs": [target]}))
    command = ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={directory}/data"]
    command += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"]
    with open(directory / "log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def ask(url, expression):
    """The numbers of an instant query; None while Prometheus does not answer yet."""
    words = urllib.parse.urlencode({"query": expression})
    try:
        with urllib.request.urlopen(f"{url}/api/v1/query?{words}", timeout=10) as reply:
            said = json.load(reply)
    except urllib.error.HTTPError as error:
        if error.code == 503:
            return None
        raise AssertionError(f"{expression}: {error.read()}") from error
    except OSError:
        return None
    return [float(one["value"][1]) for one in said["data"]["result"]]


def is_data(numbers):
    """An operation that nobody called lately has no latency."""
    return bool(numbers) and any(number == number for number in numbers)


def wait_for_data(url, expression):
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        numbers = ask(url, expression)
        if is_data(numbers):
            return numbers
        time.sleep(0.3)
    return ask(url, expression)


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory):
    """Some panels are of one engine alone, so there are two servers."""
    stop = threading.Event()
    caches = ["--dax", f"127.0.0.1:{free_port()}", "--dax-cache", "16"]
    with contextlib.ExitStack() as running:
        postgres = running.enter_context(running_postgres())
        one = running.enter_context(running_server(extra_args=caches))
        other = running.enter_context(running_server(store=postgres.url))
        loaders = [threading.Thread(target=load, args=(server, stop, server is one)) for server in (one, other)]
        for loader in loaders:
            loader.start()
        try:
            with running_prometheus(tmp_path_factory.mktemp("prometheus"), (one, other)) as url:
                counted = wait_for_data(url, f"min(count_over_time(partita_build_info[1m])) >= {SCRAPES}")
                assert counted, get(one, "/metrics")[1]
                yield url
        finally:
            stop.set()
            for loader in loaders:
                loader.join()


def test_there_are_panels():
    assert len(expressions()) > 20


@pytest.mark.parametrize("title, expression", expressions())
def test_a_panel_shows_data(prometheus, title, expression):
    # As Grafana fills in the blanks, for all servers.
    asked = expression.replace("$__rate_interval", "10s").replace("$instance", ".*")
    assert "$" not in asked
    numbers = wait_for_data(prometheus, asked)
    assert is_data(numbers), (title, asked, numbers)


def test_the_dashboard_shows_all_that_is_counted(prometheus):
    """But for what needs no panel of its own."""
    known = {
        "partita_build_info",
        "partita_connections_limit",
        "partita_job_rows",
        "partita_request_memory_limit_bytes",
        "partita_store_cache_limit_bytes",
        "partita_store_compaction_seconds_total",
        "partita_store_info",
        "partita_store_retries_total",
        "partita_tables",
    }
    with urllib.request.urlopen(f"{prometheus}/api/v1/label/__name__/values", timeout=10) as reply:
        names = {name for name in json.load(reply)["data"] if name.startswith("partita_")}
    shown = " ".join(expression for _, expression in expressions())
    operations = (ROOT / "docs" / "operations.md").read_text()
    for name in sorted(names - known):
        family = name
        for suffix in ("_bucket", "_sum", "_count"):
            family = family.removesuffix(suffix)
        assert family in operations, f"docs/operations.md does not explain {family}"
        assert family in shown, f"the dashboard has no panel of {family}"
