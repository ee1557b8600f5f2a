"""The Python package: made, installed in an empty environment, and used there as its README says."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import venv
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging"), str(ROOT / "tests" / "support")]

import python_wheel  # noqa: E402
from waiting import wait_for_end  # noqa: E402

CASES = pathlib.Path(__file__).with_name("embedded_cases.py")
README = ROOT / "clients" / "python" / "README.md"
MOST_BYTES = 21_000_000


class Environment:
    """Python with nothing but what was installed, and no `partita` of this checkout."""

    def __init__(self, folder):
        self.bin = folder / "bin"
        venv.create(folder, with_pip=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PARTITA_", "AWS_", "PYTHON"))}
        self.variables = {**kept, "PATH": f"{self.bin}:/usr/bin:/bin"}

    def end(self, *command, cwd=None):
        return subprocess.run([str(self.bin / command[0]), *map(str, command[1:])], capture_output=True, text=True,
                              env=self.variables, cwd=cwd, timeout=300, check=False)

    def run(self, *command, cwd=None):
        ended = self.end(*command, cwd=cwd)
        assert ended.returncode == 0, f"{command}: {ended.stdout[-3000:]} {ended.stderr[-3000:]}"
        return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return python_wheel.make(pathlib.Path(os.environ["PARTITA_BINARY"]), tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    made = Environment(tmp_path_factory.mktemp("environment"))
    made.run("pip", "install", "-q", f"{wheel}[test]", "pytest-xdist")
    return made


@pytest.fixture
def project(tmp_path):
    """The files that the README shows."""
    for name, text in re.findall(r"```python\n# (\S+\.py)\n(.*?)```", README.read_text(), re.DOTALL):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_what_is_in_the_wheel(wheel):
    assert re.fullmatch(r"partita-[\d.]+-py3-none-manylinux_2_\d+_\w+\.whl", wheel.name)
    assert wheel.stat().st_size <= MOST_BYTES
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        assert archive.getinfo("partita/bin/partita").external_attr >> 16 & 0o111
    assert {"partita/py.typed", "partita/pytest_plugin.py", "partita/lib/libpartita.so.1"} <= names


def test_the_command(environment):
    assert environment.run("partita", "--version").startswith("partita ")


def test_the_readme_with_pytest(environment, project):
    assert "2 passed" in environment.run("pytest", "-q", cwd=project)


def test_the_readme_in_process(environment, project):
    said = environment.run("python", "songs.py", cwd=project)
    shown = re.findall(r"print\(.*\)  # (.*)$", (project / "songs.py").read_text(), re.MULTILINE)
    assert shown and said.splitlines() == shown
    assert (project / "music-data").is_dir()


def test_a_database_in_the_process(environment, tmp_path):
    shutil.copy(CASES, tmp_path / "test_embedded.py")
    assert re.search(r"\d+ passed", environment.run("pytest", "-q", cwd=tmp_path))


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_the_fixtures_in_process(environment, project, workers):
    (project / "pytest.ini").write_text("[pytest]\npartita_in_process = true\n")
    (project / "test_more.py").write_text("""
import boto3
import partita as package
import pytest
from botocore.config import Config
from botocore.exceptions import EndpointConnectionError

@pytest.mark.parametrize("n", range(10))
def test_a_program_under_test_finds_it(dynamodb, dynamodb_client, partita, n):
    assert type(partita) is package.EmbeddedDatabase
    boto3.client("dynamodb").update_item(TableName="Music", Key={"Artist": {"S": str(n)}},
        UpdateExpression="ADD Plays :one", ExpressionAttributeValues={":one": {"N": "1"}})
    boto3.resource("dynamodb").Table("Music").put_item(Item={"Artist": "Acme"})
    partita.advance_clock(60)
    found = sorted((item["Artist"], item.get("Plays")) for item in dynamodb.Table("Music").scan()["Items"])
    assert found == [(str(n), 1), ("Acme", None)]
    assert dynamodb_client.describe_table(TableName="Music")["Table"]["ItemCount"] == 2

def test_that_it_is_led_there_no_longer():
    client = boto3.client("dynamodb", "us-east-1", endpoint_url="http://localhost:1", aws_access_key_id="any",
                          aws_secret_access_key="any", config=Config(retries={"max_attempts": 0}))
    with pytest.raises(EndpointConnectionError):
        client.list_tables()
""")
    assert "13 passed" in environment.run("pytest", "-q", *workers, cwd=project)


@pytest.mark.parametrize("line", ["partita_options = --seed=tables", "partita_endpoint = http://localhost:1"])
def test_options_of_a_server_are_refused_in_process(environment, project, line):
    (project / "pytest.ini").write_text(f"[pytest]\npartita_in_process = true\n{line}\n")
    ended = environment.end("pytest", "-q", cwd=project)
    assert ended.returncode == 4 and "partita_in_process = true has no server" in ended.stderr
    assert line.split()[0] in ended.stderr


def test_workers_share_a_server_and_no_tables(environment, project):
    (project / "test_more.py").write_text("""
import pytest

@pytest.mark.parametrize("n", range(40))
def test_alone(dynamodb, partita, n):
    table = dynamodb.Table("Music")
    assert table.scan()["Count"] == 0
    table.put_item(Item={"Artist": str(n)})
    assert [item["Artist"] for item in table.scan()["Items"]] == [str(n)]
    with open("used", "a") as file:
        file.write(f"{partita.endpoint_url} {partita.namespace}\\n")
""")
    assert "42 passed" in environment.run("pytest", "-q", "-n", "2", cwd=project)
    used = set((project / "used").read_text().splitlines())
    assert len(used) == 2
    assert len({line.split()[0] for line in used}) == 1


def test_a_program_under_test_finds_the_server_and_its_clock(environment, project):
    (project / "test_clock.py").write_text("""
import time

import boto3

def test_that_items_expire(partita):
    client = boto3.client("dynamodb")
    client.update_time_to_live(TableName="Music", TimeToLiveSpecification={"AttributeName": "Until", "Enabled": True})
    until = str(int(time.time()) + 3600)
    client.put_item(TableName="Music", Item={"Artist": {"S": "Brief"}, "Until": {"N": until}})
    partita.advance_clock(7200)
    ends = time.monotonic() + 20
    while client.scan(TableName="Music")["Count"]:
        assert time.monotonic() < ends
        time.sleep(0.05)

def test_that_the_clock_is_back(partita):
    assert partita.call("DescribeClock")["OffsetSeconds"] == 0
    described = boto3.client("dynamodb").describe_time_to_live(TableName="Music")
    assert described["TimeToLiveDescription"]["TimeToLiveStatus"] == "DISABLED"
""")
    assert "4 passed" in environment.run("pytest", "-q", cwd=project)


def test_the_readme_without_pytest(environment, tmp_path):
    [code] = re.findall(r"```python\n(import partita\n.*?)```", README.read_text(), re.DOTALL)
    (tmp_path / "shown.py").write_text(code)
    assert environment.run("python", "shown.py", cwd=tmp_path) == "[]\n"


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM"])
def test_a_server_ends_with_its_program(environment, tmp_path, how):
    (tmp_path / "ended.py").write_text(f"""
import os, signal
import partita

server = partita.Server().start()
server.client().list_tables()
print(server.pid, flush=True)
os.kill(os.getpid(), signal.{how})
""")
    ended = environment.end("python", "ended.py", cwd=tmp_path)
    assert ended.returncode == -getattr(signal, how), ended.stderr
    wait_for_end(int(ended.stdout))


def test_the_container_is_configured_without_an_engine(environment, tmp_path):
    """None is started: there is no engine here. Docker's client is given a version, so that it asks no engine for one."""
    environment.run("pip", "install", "-q", "testcontainers==4.15.0")
    (tmp_path / "container.py").write_text("""
import partita
from partita.testcontainers import PORT, PartitaContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy

with partita.Server(options=["--namespaces", "key"]) as server:
    class Started(PartitaContainer):
        def get_container_host_ip(self):
            return "127.0.0.1"

        def get_exposed_port(self, port):
            return server.endpoint_url.rsplit(":", 1)[1] if port == PORT else None

    container = Started(options=["--seed", "/tables"], docker_client_kw={"version": "1.41"})
    print(container.image, " ".join(container._command), *container.ports)
    assert isinstance(container._wait_strategy, HttpWaitStrategy)
    assert container.database("worker1").client().list_tables()["TableNames"] == []
""")
    said = environment.run("python", "container.py", cwd=tmp_path)
    assert said == ("partita:0.1.0 serve --listen 0.0.0.0:8000 --insecure --in-memory --namespaces key --seed /tables "
                    "8000\n")


def test_without_pytest(environment, tmp_path):
    (tmp_path / "kept.py").write_text("""
import partita

for _ in range(2):
    with partita.Server("data") as server:
        client = server.client()
        if "Kept" not in client.list_tables()["TableNames"]:
            client.create_table(TableName="Kept", BillingMode="PAY_PER_REQUEST",
                                AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                                KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}])
            client.put_item(TableName="Kept", Item={"k": {"S": "kept"}})
print(client.meta.service_model.service_name)
try:
    partita.Server(options=["--nonsense"]).start()
except partita.ServerFailed as why:
    print(why)
with partita.Server() as server:
    try:
        server.rollback("none")
    except partita.CallFailed as why:
        print(why.code)
""")
    said = environment.run("python", "kept.py", cwd=tmp_path)
    assert "--nonsense" in said and said.splitlines()[-1] == "ResourceNotFoundException"
    assert (tmp_path / "data").is_dir()
