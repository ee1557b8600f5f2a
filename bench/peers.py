"""Other servers of DynamoDB's API: how each is fetched, once, into a cache outside the tree, and how it is started.

Each comes through the ordinary client of its registry, as that is set up on this machine. Nothing here is a part of
Partita, and nothing of it is kept in the tree.
"""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import servers

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "partita-bench"

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>partita</groupId> <artifactId>peers</artifactId> <version>1</version> <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>software.amazon.dynamodb</groupId> <artifactId>DynamoDBLocal</artifactId> <version>{version}</version>
    </dependency>
  </dependencies>
</project>
"""


class NotToBeHad(Exception):
    """Why a peer is left out, in one sentence."""


@dataclasses.dataclass(frozen=True)
class Peer:
    name: str
    version: str
    on_disk: str  # what it does before it acknowledges a write of one item when its data is in a directory (by strace)
    fetch: callable  # (version, empty directory) -> None
    command: callable  # (directory that was filled by fetch, port, a data directory or None) -> the words of a command

    def home(self):
        """Where it is; fetched if it is not there yet. Raises NotToBeHad."""
        home = CACHE / f"{self.name.lower().replace(' ', '-')}-{self.version}"
        if home.is_dir():
            return home
        CACHE.mkdir(parents=True, exist_ok=True)
        servers.say(f"fetching {self.name} {self.version} into {home}, once")
        unfinished = pathlib.Path(tempfile.mkdtemp(dir=CACHE, prefix="unfinished-"))
        try:
            self.fetch(self.version, unfinished)
            unfinished.rename(home)
        except NotToBeHad as why:
            raise NotToBeHad(f"{self.name} {self.version} is left out: {why}") from None
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        return home

    def start(self, data=None, cores=None):
        """With its data in this directory, which is made, or in memory. Call home() before."""
        if data:
            data.mkdir(parents=True)
        port = servers.free_port()
        return servers.Server(self.command(self.home(), port, data), port, cores)


def run(*command):
    """Runs a registry's client, with a word about it now and then, since it may take minutes."""
    tool = command[0]
    if not shutil.which(tool):
        raise NotToBeHad(f"there is no {tool} on this machine.")
    began = told = time.monotonic()
    with tempfile.TemporaryFile("w+") as log:
        words = ["nice", "-n", "15", *map(str, command)]
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        try:
            while process.poll() is None:
                time.sleep(0.2)
                if time.monotonic() - told > 20:
                    told = time.monotonic()
                    servers.say(f"{tool} has worked for {told - began:.0f} s: {last_line(log)}")
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        if process.returncode != 0:
            raise NotToBeHad(f"{tool} could not get it: {last_line(log, 'error')}")


def last_line(log, having=""):
    """The last line that `log` has, or the first in which `having` is found."""
    log.seek(0)
    lines = [line.strip() for line in log.read().splitlines() if line.strip()]
    log.seek(0, os.SEEK_END)
    telling = [line for line in lines if having and having in line.lower()]
    return (telling[:1] or lines[-1:] or ["nothing was said"])[0][:300]


# --- DynamoDB Local ---------------------------------------------------------------------------------------------------


def fetch_dynamodb_local(version, directory):
    if not shutil.which("java"):
        raise NotToBeHad("there is no java on this machine.")
    (directory / "pom.xml").write_text(POM.format(version=version))
    goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={directory / 'lib'}"]
    run("mvn", "-q", "-B", "-f", directory / "pom.xml", *goal)


def start_dynamodb_local(home, port, data):
    where = ["-dbPath", data] if data else ["-inMemory"]
    main = "software.amazon.dynamodb.services.local.main.ServerRunner"
    libraries = [f"-Djava.library.path={home / 'lib'}", "-cp", f"{home / 'lib'}/*"]
    return ["java", *libraries, main, "-port", port, "-disableTelemetry", *where]


# --- Dynoxide ---------------------------------------------------------------------------------------------------------


def fetch_dynoxide(version, directory):
    # What it is built of is large, and of no use afterwards.
    target = directory / "target"
    run("cargo", "install", "dynoxide-rs", "--version", version, "--locked", "--root", directory, "--target-dir", target)
    shutil.rmtree(target)


def start_dynoxide(home, port, data):
    where = ["--db-path", data / "dynoxide.db"] if data else []
    return [home / "bin" / "dynoxide", "serve", "--host", "127.0.0.1", "--port", port, *where]


# --- dynalite ---------------------------------------------------------------------------------------------------------


def fetch_dynalite(version, directory):
    if not shutil.which("node"):
        raise NotToBeHad("there is no node on this machine.")
    run("npm", "install", "--prefix", directory, "--no-audit", "--no-fund", f"dynalite@{version}")


def start_dynalite(home, port, data):
    where = ["--path", data] if data else []
    program = home / "node_modules" / "dynalite" / "cli.js"
    return ["node", program, "--host", "127.0.0.1", "--port", port, "--createTableMs", 0, *where]


# Versions are named so that two runs compare. DynamoDB Local 3.3.1 asks for libraries that its registry did not have.
PEERS = (
    Peer("DynamoDB Local", "3.1.0", "syncs four times", fetch_dynamodb_local, start_dynamodb_local),
    Peer("Dynoxide", "3.2.0", "syncs once", fetch_dynoxide, start_dynoxide),
    Peer("dynalite", "4.0.0", "never syncs", fetch_dynalite, start_dynalite),
)
