"""Installs each DAX client and the SDK of its language into build/dax, and runs the program that makes calls with it.

    with started("go-2", server.dax_url) as driver:
        driver.make(steps)          # [{"name": …, "outputs": […], "error": {…}}, …]

Unavailable says that a tool, or what a lock file pins, is not available on this machine, and why. A program that does
not compile is no such case: it fails.
"""

import contextlib
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "sdks")]

import clients  # noqa: E402
from clients import Unavailable, tool  # noqa: E402

BUILT = HERE.parents[1] / "build" / "dax"
GO = threading.Lock()  # two entries below share its program
MOST_S = 600
RUNNING = set()  # drivers
ENDED = threading.Event()  # the run; nothing is started any more


def python():
    directory, lock = BUILT / "python", HERE / "python" / "requirements.txt"

    def install():
        clients._install("venv", sys.executable, "-m", "venv", directory)
        clients._install(
            "pip install",
            directory / "bin" / "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--require-hashes",
            "-r",
            lock,
        )

    clients.once(directory, lock, install)
    return [directory / "bin" / "python", HERE / "python" / "driver.py"]


def javascript(name):
    directory, source = BUILT / name, HERE / name
    node = clients._node()

    def install():
        for each in ("package.json", "package-lock.json"):
            shutil.copy(source / each, directory)
        clients._install(
            "npm ci", tool("npm"), "ci", "--prefix", directory, "--no-audit", "--no-fund", "--loglevel=error"
        )

    clients.once(directory, source / "package-lock.json", install)
    shutil.copy(source / "driver.mjs", directory)  # modules are looked for beside the program
    return [node, "--no-warnings", directory / "driver.mjs"]


def go(version):
    directory = BUILT / "go"
    paths = {"GOMODCACHE": str(directory / "mod"), "GOCACHE": str(directory / "cache"), "GOFLAGS": "-modcacherw"}
    how = {"cwd": HERE / "go", "env": os.environ | paths}
    with GO:
        clients._install("go mod download", tool("go"), "mod", "download", **how)
        subprocess.run(["go", "build", "-o", directory / "driver", "."], check=True, **how)
    return [directory / "driver", version]


def java(name):
    directory, source = BUILT / name, HERE / name
    compiler, maven = tool("javac"), tool("mvn")

    def install():
        clients._install(
            "mvn",
            maven,
            "-B",
            "-q",
            "-f",
            source / "pom.xml",
            f"-Dmaven.repo.local={BUILT / 'maven'}",
            f"{clients.CLASSPATH_PLUGIN}:build-classpath",
            f"-Dmdep.outputFile={directory / 'classpath'}",
        )

    clients.once(directory, source / "pom.xml", install)
    classpath = (directory / "classpath").read_text()
    subprocess.run(
        [
            compiler,
            "--release",
            "17",
            "-Xlint:-options",
            "-nowarn",
            "-cp",
            classpath,
            "-d",
            directory / "classes",
            source / "Driver.java",
        ],
        check=True,
    )
    return [
        tool("java"),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        f"{classpath}:{directory / 'classes'}",
        "Driver",
    ]


def dotnet():
    raise Unavailable("AWSSDK.DAX.Client is on NuGet alone, and neither that nor .NET is here")


CLIENTS = {
    "python": python,
    "javascript-3": lambda: javascript("javascript-3"),
    "javascript-1": lambda: javascript("javascript-1"),
    "go-1": lambda: go("1"),
    "go-2": lambda: go("2"),
    "java-1": lambda: java("java-1"),
    "java-2": lambda: java("java-2"),
    "dotnet": dotnet,
}
# The clients under test, and those of tests of rare cases, which take long.
NAMES = os.environ.get("PARTITA_DAX_CLIENTS", " ".join(CLIENTS)).split()
RARE = os.environ.get("PARTITA_DAX_RARE_CLIENTS", " ".join(NAMES)).split()
COMMAND_LOCKS = {name: threading.Lock() for name in CLIENTS}


@functools.cache
def _command(name):
    try:
        return CLIENTS[name]()
    except Unavailable as why:
        return why


def command_of(name):
    with COMMAND_LOCKS[name]:
        found = _command(name)
    if isinstance(found, Unavailable):
        raise found
    return list(map(str, found))


class Driver:
    """A running program, which keeps its client, with all its caches, from one make() to the next."""

    def __init__(self, name, url, environment, log):
        self._log = log
        variables = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
        variables |= {
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            **environment,
        }
        variables = {key: value for key, value in variables.items() if value is not None}
        self.process = subprocess.Popen(
            [*command_of(name), url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            encoding="utf-8",
            env=variables,
        )

    def make(self, steps):
        """The results of these calls, which it makes one after the other."""

        def send():
            with contextlib.suppress(BrokenPipeError):
                for step in steps:
                    self.process.stdin.write(json.dumps(step) + "\n")
                self.process.stdin.flush()

        sender, results = threading.Thread(target=send), []
        alarm = threading.Timer(MOST_S, self.process.kill)
        sender.start()
        alarm.start()
        try:
            for step in steps:
                line = self.process.stdout.readline()
                assert line, f"the program ended at {step['name']}: {self.log()}"
                results.append(json.loads(line))
        finally:
            alarm.cancel()
            if len(results) < len(steps):
                self.process.kill()
            sender.join()
        return results

    def log(self):
        self._log.seek(0)
        return self._log.read()[-4000:]


@contextlib.contextmanager
def started(name, url, **environment):
    """Programs take as url http://host:port, dax://host:port or daxs://host:port. A variable that is None is unset."""
    with tempfile.TemporaryFile("w+") as log:
        assert not ENDED.is_set(), "the run was interrupted"
        driver = Driver(name, url, environment, log)
        RUNNING.add(driver)
        try:
            yield driver
        finally:
            RUNNING.discard(driver)
            driver.process.kill()
            driver.process.communicate()
