"""Installs each SDK from its registry into build/sdks, and builds the program that runs the cases with it.

    command_of("go")        # ["…/build/sdks/go/throttled"]; a program takes the endpoint as its last argument

Unavailable says that a tool, or what a lock file pins, cannot be had on this machine, and why. A program that does not
compile is no such case: it fails.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import typing

HERE = pathlib.Path(__file__).resolve().parent
BUILT = HERE.parents[1] / "build" / "sdks"
CONSOLE_NODE = HERE.parent / "console" / "node_modules" / ".bin" / "node"
NODE = 20  # the oldest that the SDK takes
CLASSPATH_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
JAVA = threading.Lock()  # two entries below share its directory


class Unavailable(Exception):
    pass


def tool(name):
    found = shutil.which(name)
    if not found:
        raise Unavailable(f"there is no {name}")
    return found


def _install(what, *command, **more):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)
    if done.returncode:
        raise Unavailable(f"{what} failed: {(done.stderr + done.stdout).strip()[-400:]}")


def once(directory, lock, install):
    """Runs install() in a fresh `directory`, unless it was done for this content of the file `lock`."""
    stamp = directory / ".installed"
    if not stamp.is_file() or stamp.read_bytes() != lock.read_bytes():
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        install()
        stamp.write_bytes(lock.read_bytes())


def pip_install(directory, lock):
    _install("venv", sys.executable, "-m", "venv", directory)
    _install("pip install", directory / "bin" / "pip", "install", "-q", "--disable-pip-version-check",
             "--only-binary", ":all:", "--require-hashes", "-r", lock)


def boto3(version):
    directory, lock = BUILT / version, HERE / "python" / f"{version}.txt"
    once(directory, lock, lambda: pip_install(directory, lock))
    return [directory / "bin" / "python", HERE / "python" / "throttled.py"]


def _node():
    """The machine's, or the one that tests/console brings where that is older."""
    for each in filter(None, (shutil.which("node"), shutil.which(CONSOLE_NODE))):
        version = subprocess.run([each, "--version"], capture_output=True, text=True, check=True).stdout
        if int(re.match(r"v(\d+)", version)[1]) >= NODE:
            return each
    raise Unavailable(f"there is no node of version {NODE} or later")


def javascript():
    directory, source = BUILT / "javascript", HERE / "javascript"
    node = _node()

    def install():
        for name in ("package.json", "package-lock.json"):
            shutil.copy(source / name, directory)
        _install("npm ci", tool("npm"), "ci", "--prefix", directory, "--no-audit", "--no-fund", "--loglevel=error")

    once(directory, source / "package-lock.json", install)
    shutil.copy(source / "throttled.mjs", directory)  # modules are looked for beside the program
    return [node, "--no-warnings", directory / "throttled.mjs"]


def go():
    directory = BUILT / "go"
    paths = {"GOMODCACHE": str(directory / "mod"), "GOCACHE": str(directory / "cache"), "GOFLAGS": "-modcacherw"}
    how = {"cwd": HERE / "go", "env": os.environ | paths}
    _install("go mod download", tool("go"), "mod", "download", **how)
    subprocess.run(["go", "build", "-o", directory / "throttled", "."], check=True, **how)
    return [directory / "throttled"]


def java(*options):
    directory, source = BUILT / "java", HERE / "java"
    compiler, maven = tool("javac"), tool("mvn")

    def install():
        _install("mvn", maven, "-B", "-q", "-f", source / "pom.xml", f"-Dmaven.repo.local={directory / 'repository'}",
                 f"{CLASSPATH_PLUGIN}:build-classpath", f"-Dmdep.outputFile={directory / 'classpath'}")

    with JAVA:
        once(directory, source / "pom.xml", install)
        classpath = (directory / "classpath").read_text()
        subprocess.run([compiler, "--release", "17", "-cp", classpath, "-d", directory / "classes",
                        source / "Throttled.java"], check=True)
    return [tool("java"), *options, "-cp", f"{classpath}:{directory / 'classes'}", "Throttled"]


class Sdk(typing.NamedTuple):
    """How an SDK is installed, and what it does by itself when it is throttled, with its own defaults."""

    install: typing.Callable
    attempts: int
    waits: bool = True  # as long as x-amz-retry-after says
    knows_reasons: bool = True  # and the class ThrottlingException


SDKS = {
    "boto3": Sdk(lambda: boto3("boto3"), attempts=4),
    "boto3-1.34": Sdk(lambda: boto3("boto3-1.34"), attempts=10, waits=False, knows_reasons=False),
    "javascript": Sdk(javascript, attempts=4),
    "go": Sdk(go, attempts=4),
    "java": Sdk(java, attempts=9, waits=False),
    # Its core reads the header then, but not for a client with a retry strategy of its own, which DynamoDB's has.
    "java-new-retries": Sdk(lambda: java("-Daws.newRetries2026=true"), attempts=4, waits=False),
}
