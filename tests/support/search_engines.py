"""Starts a real OpenSearch or Elasticsearch of a test's own, and ends it.

    with running_search_engine("opensearch") as engine:
        engine.ask("GET", "/_cat/indices?format=json")
        engine.sink_url                     # "opensearch+http://127.0.0.1:39871"

Their jars come through Maven into build/search, once. Unavailable says that this machine has no Java 17 or no Maven,
or that Maven cannot get the jars, and why.
"""

import contextlib
import decimal
import fcntl
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import typing
import urllib.error
import urllib.request

from ports import free_port

CACHE = pathlib.Path(__file__).resolve().parents[2] / "build" / "search"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
START_TIMEOUT_S = 120
FETCH_TIMEOUT_S = 600
PAGE = 500

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>partita.tests</groupId> <artifactId>{name}</artifactId> <version>0</version> <packaging>pom</packaging>
  <dependencies>{dependencies}</dependencies>
</project>
"""
DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"

# A node outside its distribution has no plug-in for HTTP unless it is named.
PROGRAM = """
import {package}.common.settings.Settings;
import {package}.node.InternalSettingsPreparer;
import {package}.node.Node;
import {package}.transport.Netty4Plugin;
import java.util.List;
import java.util.Map;

public class SearchEngine extends Node {{
  SearchEngine(Settings settings) {{
    super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "node"),
          List.of(Netty4Plugin.class), false);
  }}
  public static void main(String[] words) throws Exception {{
    Settings.Builder settings = Settings.builder();
    for (String word : words) settings.put(word.split("=", 2)[0], word.split("=", 2)[1]);
    new SearchEngine(settings.build()).start();
    Thread.sleep(Long.MAX_VALUE);
  }}
}}
"""


class Unavailable(Exception):
    pass


class Kind(typing.NamedTuple):
    package: str
    version: str
    log4j: str  # the version that it is built with, which it needs but does not name


KINDS = {
    "opensearch": Kind("org.opensearch", "2.19.1", "2.21.0"),
    "elasticsearch": Kind("org.elasticsearch", "7.17.28", "2.17.1"),
}


def java_17(program):
    """Both engines run on Java 17; later ones have no security manager."""
    found = sorted(pathlib.Path("/usr/lib/jvm").glob(f"java-17-openjdk-*/bin/{program}"))
    if not found:
        raise Unavailable(f"there is no {program} of Java 17")
    return found[0]


def fetch_jars(directory, pom):
    """Into directory/jars, what the pom depends on."""
    if not shutil.which("mvn"):
        raise Unavailable("there is no mvn")
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    (directory / "pom.xml").write_text(pom)
    try:
        fetched = subprocess.run(["mvn", "-B", "-q", "-f", directory / "pom.xml",
                                  f"-Dmaven.repo.local={CACHE / 'repository'}", COPY,
                                  f"-DoutputDirectory={directory / 'jars'}"],
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"mvn did not end in {FETCH_TIMEOUT_S} s") from error
    if fetched.returncode:
        raise Unavailable(f"mvn failed: {(fetched.stdout + fetched.stderr).strip()[-400:]}")


def _install(directory, pom, program):
    fetch_jars(directory, pom)
    (directory / "SearchEngine.java").write_text(program)
    subprocess.run([java_17("javac"), "-nowarn", "-cp", f"{directory / 'jars'}/*", "-d", directory / "classes",
                    directory / "SearchEngine.java"], check=True, capture_output=True)


def installed(name):
    """The class path of that engine; fetched and compiled if it is not there yet."""
    kind, directory = KINDS[name], CACHE / name
    needed = [(kind.package, name, kind.version), (f"{kind.package}.plugin", "transport-netty4-client", kind.version),
              ("org.apache.logging.log4j", "log4j-core", kind.log4j)]
    pom = POM.format(name=name, dependencies="".join(DEPENDENCY.format(*each) for each in needed))
    program = PROGRAM.format(package=kind.package)
    stamp = directory / ".installed"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text() != pom + program:
            _install(directory, pom, program)
            stamp.write_text(pom + program)
    return f"{directory / 'classes'}:{directory / 'jars'}/*"


def is_installed(name):
    """Whether installed() would fetch nothing."""
    return (CACHE / name / ".installed").is_file()


class SearchEngine:
    """One server. start() and kill() may follow each other: it keeps its port and its data."""

    def __init__(self, name, directory):
        self.name = name
        self.directory = directory
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.sink_url = f"{name}+{self.url}"
        self.process = None
        self._log = open(directory / "log", "w+")
        settings = {"path.home": directory, "http.port": self.port, "transport.port": free_port(),
                    "network.host": "127.0.0.1", "discovery.type": "single-node", "node.name": "node",
                    "cluster.routing.allocation.disk.threshold_enabled": "false"}
        self._command = ["setpriv", "--pdeathsig=KILL", "--", str(java_17("java")), "-Xms256m", "-Xmx512m",
                         "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.security.manager=allow",
                         "-cp", installed(name), "SearchEngine", *(f"{key}={value}" for key, value in settings.items())]

    def start(self):
        self.process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
                                        cwd=self.directory)
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            with contextlib.suppress(OSError):
                if self.ask("GET", "/_cluster/health?wait_for_status=yellow&timeout=1s")[0] == 200:
                    return self
            assert self.process.poll() is None and time.monotonic() < deadline, self.log()
            time.sleep(0.1)

    def log(self):
        return (self.directory / "log").read_text()[-5000:]

    def kill(self):
        """Ends the process at once (kill -9)."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def ask(self, method, path, body=None):
        """Status and document; numbers with a fraction are decimals with all their digits."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                status, text = reply.status, reply.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        return status, json.loads(text, parse_float=decimal.Decimal) if text else None

    def documents(self, index):
        """All documents of an index or alias, by id."""
        self.ask("POST", f"/{index}/_refresh")
        status, page = self.ask("POST", f"/{index}/_search?scroll=1m", {"size": PAGE, "sort": ["_doc"]})
        found = {}
        while True:
            assert status == 200, page
            hits = page["hits"]["hits"]
            if not hits:
                self.ask("DELETE", "/_search/scroll", {"scroll_id": page["_scroll_id"]})
                return found
            found.update((hit["_id"], hit["_source"]) for hit in hits)
            status, page = self.ask("POST", "/_search/scroll", {"scroll": "1m", "scroll_id": page["_scroll_id"]})

    def indexes(self, pattern):
        """The names of the indexes that match, without hidden ones."""
        status, found = self.ask("GET", f"/{pattern}/_alias")
        return sorted(found) if status == 200 else []


@contextlib.contextmanager
def running_search_engine(name):
    """A started SearchEngine, ended with its data at the end of the block."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix=f"partita-{name}-"))
    engine = None
    try:
        engine = SearchEngine(name, directory)
        yield engine.start()
    finally:
        if engine:
            engine.kill()
        shutil.rmtree(directory, ignore_errors=True)
