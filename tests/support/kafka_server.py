"""Starts a Kafka of a test's own, and ends it.

    with running_kafka() as kafka:
        kafka.create_topic("changes", partitions=4)
        kafka.sink_url("changes")       # "kafka://127.0.0.1:39871/changes"
        kafka.records("changes")        # [(partition, key, document or None)], each partition in its order

Its jars come through Maven into build/search, once. Unavailable says what this machine lacks. Records are read by kcat.
"""

import contextlib
import fcntl
import json
import pathlib
import shutil
import subprocess
import tempfile
import time

from ports import free_port
from search_engines import CACHE, DEPENDENCY, POM, Unavailable, fetch_jars, java_17

VERSION = "4.1.1"
START_TIMEOUT_S = 120

PROPERTIES = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{control}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{control}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
log.dirs={folder}/logs
auto.create.topics.enable=false
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.cleaner.enable=false
"""


def _jars():
    folder = CACHE / "kafka"
    needed = [("org.apache.kafka", name, VERSION) for name in ("kafka_2.13", "kafka-tools")]
    pom = POM.format(name="kafka", dependencies="".join(DEPENDENCY.format(*each) for each in needed))
    stamp = folder / ".installed"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text() != pom:
            fetch_jars(folder, pom)
            stamp.write_text(pom)
    return f"{folder / 'jars'}/*"


class Kafka:
    """One broker. start() and kill() may follow each other: it keeps its port and its data."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.process = None
        self._properties = folder / "server.properties"
        self._properties.write_text(PROPERTIES.format(port=self.port, control=free_port(), folder=folder))
        self._log = open(folder / "log", "w+")
        self._run("kafka.tools.StorageTool", "format", "-t", "AAAAAAAAAAAAAAAAAAAAAA", "-c", self._properties)

    def _java(self, program, *words):
        return ["setpriv", "--pdeathsig=KILL", "--", java_17("java"), "-Xms256m", "-Xmx512m", "-XX:TieredStopAtLevel=1",
                "-cp", _jars(), program, *words]

    def _run(self, program, *words):
        done = subprocess.run(self._java(program, *words), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=START_TIMEOUT_S, check=False)
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
        return done.stdout

    def sink_url(self, topic):
        return f"kafka://{self.address}/{topic}"

    def start(self):
        self.process = subprocess.Popen(self._java("kafka.Kafka", self._properties), stdin=subprocess.DEVNULL,
                                        stdout=self._log, stderr=self._log)
        deadline = time.monotonic() + START_TIMEOUT_S
        while subprocess.run(["kcat", "-b", self.address, "-L", "-m", "2"], capture_output=True, check=False).returncode:
            assert self.process.poll() is None and time.monotonic() < deadline, self.log()
        return self

    def log(self):
        return (self.folder / "log").read_text()[-5000:]

    def kill(self):
        """Ends the process at once (kill -9)."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def create_topic(self, topic, partitions=4, **settings):
        self._run("org.apache.kafka.tools.TopicCommand", "--bootstrap-server", self.address, "--create", "--topic", topic,
                  "--partitions", str(partitions), *(word for name, value in settings.items()
                                                     for word in ("--config", f"{name.replace('_', '.')}={value}")))

    def records(self, topic):
        done = subprocess.run(["kcat", "-b", self.address, "-t", topic, "-C", "-e", "-q", "-J", "-o", "beginning"],
                              capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        found = []
        for line in done.stdout.splitlines():
            record = json.loads(line)
            value = record["payload"]
            found.append((record["partition"], record["key"], json.loads(value) if value else None))
        return found


@contextlib.contextmanager
def running_kafka():
    if not shutil.which("kcat"):
        raise Unavailable("there is no kcat")
    with tempfile.TemporaryDirectory() as folder:
        kafka = Kafka(pathlib.Path(folder))
        try:
            yield kafka.start()
        finally:
            kafka.kill()
