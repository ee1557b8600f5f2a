"""deploy/: that its files keep to the rules of manifests.py, fit the server, and that its PostgreSQL fails over."""

import contextlib
import copy
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest
import yaml
from manifests import compose_complaints, kubernetes_complaints
from pages import get
from ports import free_port
from postgres import programs
from server import binary, running_server

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"


def manifests():
    return [one for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")) for one in yaml.safe_load_all(path.read_text())]


def compose(name="compose"):
    return yaml.safe_load((DEPLOY / "compose" / f"{name}.yaml").read_text())


def named(found, kind, name="partita"):
    return next(one for one in found if one["kind"] == kind and one["metadata"]["name"] == name)


def server_of(found):
    return named(found, "Deployment")["spec"]["template"]["spec"]["containers"][0]


def test_the_files_keep_to_the_rules():
    assert kubernetes_complaints(manifests()) == []
    assert compose_complaints(compose()) == [] == compose_complaints(compose("single"))
    assert named(manifests(), "Deployment")["spec"]["replicas"] == 3
    assert len([name for name in compose()["services"] if name.startswith("partita-")]) == 3


def spoil_probe(found):
    server_of(found)["livenessProbe"]["httpGet"]["path"] = "/ready"


def spoil_word(found):
    server_of(found)["livenessprobe"] = server_of(found).pop("livenessProbe")


def spoil_image(found):
    server_of(found)["image"] = "partita:latest"


def spoil_resources(found):
    del server_of(found)["resources"]["limits"]


def spoil_rights(found):
    server_of(found)["securityContext"]["allowPrivilegeEscalation"] = True


def spoil_budget(found):
    named(found, "PodDisruptionBudget")["spec"]["minAvailable"] = 3


def spoil_secret(found):
    named(found, "Secret")["stringData"].pop("PGPASSWORD")


def spoil_plain(found):
    server_of(found)["env"] = [{"name": "PGPASSWORD", "value": "secret"}]


def spoil_selector(found):
    named(found, "Service")["spec"]["selector"] = {"app": "other"}


def spoil_mount(found):
    named(found, "Deployment")["spec"]["template"]["spec"]["volumes"] = []


def spoil_memory(found):
    server_of(found)["args"].remove("--vector-memory=256")


def spoil_root(found):
    named(found, "StatefulSet", "postgres")["spec"]["template"]["spec"]["securityContext"].pop("runAsNonRoot")


@pytest.mark.parametrize("spoil", [one for name, one in sorted(globals().items()) if name.startswith("spoil_")])
def test_a_mistake_is_found(spoil):
    spoiled = copy.deepcopy(manifests())
    spoil(spoiled)
    assert kubernetes_complaints(spoiled)


@pytest.mark.parametrize(
    "word, value",
    [
        ("image", "partita"), ("healthcheck", None), ("mem_limit", "512m"), ("cap_drop", []), ("ports", ["8000:8000"]),
        ("depends_on", {"pg-9": {}}), ("secrets", ["other"]), ("environment", {"PGPASSWORD": "secret"}),
    ],
)  # fmt: skip
def test_a_mistake_in_the_compose_file_is_found(word, value):
    spoiled = compose()
    service = spoiled["services"]["partita-1"] = dict(spoiled["services"]["partita-1"])
    if value is None:
        service.pop(word)
    else:
        service[word] = value
    assert compose_complaints(spoiled)


def single():
    return named(manifests(), "StatefulSet", "partita-single")["spec"]["template"]["spec"]


def words_of_server():
    yield server_of(manifests())["args"]
    yield single()["containers"][0]["args"]
    yield compose()["services"]["partita-1"]["command"]
    yield compose("single")["services"]["partita"]["command"]


@pytest.mark.parametrize("words", words_of_server())
def test_the_server_knows_the_words_that_it_is_started_with(words):
    told = subprocess.run([binary(), "help", "serve"], capture_output=True, text=True, check=True).stdout
    assert words[0] == "serve"
    for word in words[1:]:
        assert re.search(rf"^  {re.escape(word.split('=')[0])} ", told, re.M), word


def test_probes_ask_for_pages_that_there_are():
    paths = {probe["httpGet"]["path"] for name, probe in server_of(manifests()).items() if name.endswith("Probe")}
    assert paths == {"/health", "/ready"}
    with running_server(in_memory=True) as server:
        assert {get(server, path)[0] for path in paths} == {200}


def test_all_use_the_image_of_this_version_and_its_user():
    version = re.search(r"project\(partita VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    images = [server_of(manifests())["image"], single()["containers"][0]["image"]]
    images += [compose()["services"]["partita-1"]["image"], compose("single")["services"]["partita"]["image"]]
    assert images == [f"partita:{version}-full", f"partita:{version}"] * 2
    user = str(re.search(r"^USER = (\d+)$", (ROOT / "packaging" / "oci_image.py").read_text(), re.M)[1])
    for pod in (named(manifests(), "Deployment")["spec"]["template"]["spec"], single()):
        context = pod["securityContext"]
        assert {str(context[word]) for word in ("runAsUser", "runAsGroup", "fsGroup")} == {user}
    assert compose()["services"]["partita-1"]["tmpfs"] == [f"/data:uid={user},gid={user},mode=0700"]


def test_the_connection_string_names_both_hosts():
    url = named(manifests(), "Secret")["stringData"]["PARTITA_STORE"]
    for store in (url, next(word for word in compose()["services"]["partita-1"]["command"] if "--store" in word)[8:]):
        hosts = re.fullmatch(r"postgresql://partita@([\w.-]+),([\w.-]+)/partita", store)
        assert hosts, store
        # None of them is there; but it is understood.
        tried = store.replace(hosts.group(1), "127.0.0.1:1").replace(hosts.group(2), "127.0.0.1:2")
        ran = subprocess.run([binary(), "serve", "--store", tried], capture_output=True, text=True)
        assert ran.returncode == 1 and "PostgreSQL cannot be reached" in ran.stderr, ran.stderr


# --- the two PostgreSQL servers, as deploy/postgres.sh starts them ---


PASSWORD = "it's a \\ word"


class Begun:
    """One of the two, run as the container would run it."""

    def __init__(self, directory, name, ports):
        self.port, peer = ports[name], ports["pg-1" if name == "pg-0" else "pg-0"]
        self.directory = directory / name
        self.directory.mkdir()
        self.environment = {
            "PATH": f"{programs()}:{os.environ['PATH']}",
            "POSTGRES_NAME": name, "POSTGRES_PASSWORD": PASSWORD,
            "POSTGRES_PEER": "127.0.0.1", "POSTGRES_PEER_PORT": str(peer), "POSTGRES_LISTEN": "127.0.0.1",
            "PGDATA": str(self.directory / "data"), "PGPORT": str(self.port),
        }  # fmt: skip
        self.as_user = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            self.as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"]
            os.chown(self.directory, user.pw_uid, user.pw_gid)
        self.process = None

    def start(self, alone=False):
        """False: it ended, as it does while it waits for the other."""
        log = open(self.directory / "log", "a")
        command = [*self.as_user, "bash", "-s", "--", "-c", "fsync=off", "-c", f"unix_socket_directories={self.directory}"]
        with open(DEPLOY / "postgres.sh") as script:
            environment = self.environment | ({"POSTGRES_ALONE": self.environment["POSTGRES_NAME"]} if alone else {})
            self.process = subprocess.Popen(command, env=environment, stdin=script, stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                return False
            if self.ask("SELECT 1") == "1":
                return True
            time.sleep(0.1)
        raise AssertionError(self.log())

    def ask(self, sql, user="partita"):
        environment = {**self.environment, "PGPASSWORD": PASSWORD}
        command = ["psql", "-h", "127.0.0.1", "-U", user, "-d", "partita", "-AtXc", sql]
        return subprocess.run(command, env=environment, capture_output=True, text=True).stdout.strip()

    def owner(self):
        return (self.directory.stat().st_uid, self.directory.stat().st_gid)

    def promote(self):
        subprocess.run([*self.as_user, "pg_ctl", "promote"], env=self.environment, check=True, capture_output=True)

    def kill(self, how=signal.SIGKILL):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait()

    def log(self):
        return (self.directory / "log").read_text()


@pytest.fixture
def two():
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        ports = {name: free_port() for name in ("pg-0", "pg-1")}
        both = [Begun(pathlib.Path(place), name, ports) for name in ports]
        with contextlib.ExitStack() as ending:
            for one in both:
                ending.callback(one.kill, signal.SIGINT)
            yield both


def begin_both(first, second):
    assert first.start(alone=True), first.log()
    assert second.start(), second.log()
    deadline = time.monotonic() + 20
    while first.ask("SELECT sync_state FROM pg_stat_replication", "postgres") != "sync":
        assert time.monotonic() < deadline, first.log()
        time.sleep(0.1)


def test_postgresql_begins_follows_and_fails_over(two, monkeypatch):
    first, second = two
    assert not second.start() and "Waiting for" in second.log()
    assert not first.start() and "Waiting for" in first.log()
    begin_both(first, second)
    assert first.ask("SELECT rolsuper FROM pg_roles WHERE rolname = 'partita'") == "f"
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    store = f"postgresql://partita@127.0.0.1:{first.port},127.0.0.1:{second.port}/partita"
    with running_server(store=store) as server:
        client = server.client()
        client.create_table(
            TableName="kept",
            KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "p", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        client.put_item(TableName="kept", Item={"p": {"S": "acknowledged"}})
        first.kill()
        second.promote()
        # Until somebody says otherwise it waits for a standby of its own.
        second.ask("ALTER SYSTEM SET synchronous_standby_names = ''", "postgres")
        second.ask("SELECT pg_reload_conf()", "postgres")
        deadline = time.monotonic() + 30
        while get(server, "/ready")[0] != 200:
            assert time.monotonic() < deadline, get(server, "/ready")
            time.sleep(0.2)
        assert client.get_item(TableName="kept", Key={"p": {"S": "acknowledged"}}, ConsistentRead=True)["Item"]
        assert not first.start()
        assert "is the primary: remove the data here" in first.log()
    # Without its data it follows; and while it may have been promoted, the one that was the primary waits for it.
    shutil.rmtree(first.directory / "data")
    assert first.start(), first.log()
    second.kill(signal.SIGINT)
    first.kill(signal.SIGINT)
    assert not second.start() and "which may be the primary now" in second.log()
    assert second.start(alone=True), second.log()


def test_who_is_killed_while_it_begins_begins_again(two):
    """Its data is not there before it is whole."""
    first, second = two
    for one, alone in ((first, True), (second, False)):
        data = one.directory / "data"
        made = one.directory / "data.new"
        made.mkdir()
        (made / "PG_VERSION").write_text("15\n")
        for path in (made, made / "PG_VERSION"):
            shutil.chown(path, *one.owner())
        assert one.start(alone=alone), one.log()
        assert data.exists() and not made.exists()
