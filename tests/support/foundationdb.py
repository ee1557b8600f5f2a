"""FoundationDB for a test, which no registry has: whoever has it brings it.

PARTITA_TEST_FDB           the cluster file of a running cluster that is there for tests: what they write stays in it
PARTITA_TEST_FDB_PROGRAMS  a folder with fdbserver and fdbcli, for tests that kill servers of a cluster of their own

Its client library, libfdb_c.so, has to be where the loader finds it (LD_LIBRARY_PATH).

    with running_foundationdb() as foundationdb:
        with running_server(store=foundationdb.url) as server:
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import uuid

from ports import free_port

CLUSTER_FILE = os.environ.get("PARTITA_TEST_FDB")
PROGRAMS = os.environ.get("PARTITA_TEST_FDB_PROGRAMS")
# What pytest.mark.skipif() takes for tests that need them.
WITHOUT_CLUSTER = {"condition": not CLUSTER_FILE, "reason": "PARTITA_TEST_FDB names no cluster file"}
WITHOUT_PROGRAMS = {"condition": not PROGRAMS, "reason": "PARTITA_TEST_FDB_PROGRAMS names no folder with fdbserver"}
START_TIMEOUT_S = 60


def new_store():
    """The URL of an empty store in the cluster that was brought."""
    return f"fdb:{CLUSTER_FILE}?prefix=test-{uuid.uuid4()}"


class FoundationDB:
    """Three processes on this machine, each of which counts as a machine of its own: every row is on two of them.

    `ports` are theirs, pids() those that run."""

    def __init__(self, directory):
        self.directory = directory
        self.cluster_file = directory / "fdb.cluster"
        self.url = f"fdb:{self.cluster_file}"
        self.ports = [free_port() for _ in range(3)]
        self._processes = [None] * len(self.ports)

    def start(self):
        addresses = ",".join(f"127.0.0.1:{port}" for port in self.ports)
        self.cluster_file.write_text(f"partita:{uuid.uuid4().hex}@{addresses}\n")
        for number in range(len(self.ports)):
            self.start_process(number)
        self.tell("configure new double ssd")
        return self

    def tell(self, command):
        """What fdbcli says to it, once the cluster is there."""
        cli = [pathlib.Path(PROGRAMS) / "fdbcli", "-C", self.cluster_file, "--timeout", str(START_TIMEOUT_S), "--exec", command]
        ran = subprocess.run(cli, capture_output=True, text=True, timeout=2 * START_TIMEOUT_S, check=False)
        if ran.returncode != 0:
            raise RuntimeError(f"fdbcli could not '{command}': {ran.stdout}{ran.stderr}")
        return ran.stdout

    def start_process(self, number):
        folder = self.directory / f"process{number}"
        folder.mkdir(exist_ok=True)
        address = f"127.0.0.1:{self.ports[number]}"
        words = ["-p", address, "-l", address, "-C", self.cluster_file, "-d", folder, "-L", folder, "-m", "2GiB", "--cache-memory", "256MiB"]
        words += [f"--locality-zoneid=zone{number}", f"--locality-machineid=machine{number}"]
        with open(folder / "output", "a", encoding="utf-8") as output:
            self._processes[number] = subprocess.Popen(
                [pathlib.Path(PROGRAMS) / "fdbserver", *words], stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def pids(self):
        return [process.pid for process in self._processes if process is not None]

    def kill_process(self, number):
        process, self._processes[number] = self._processes[number], None
        process.kill()
        process.wait()

    def stop(self):
        for number, process in enumerate(self._processes):
            if process is not None:
                self.kill_process(number)


@contextlib.contextmanager
def running_foundationdb():
    """A started FoundationDB, ended with its data at the end of the block."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="partita-fdb-"))
    cluster = FoundationDB(directory)
    try:
        yield cluster.start()
    finally:
        cluster.stop()
        shutil.rmtree(directory, ignore_errors=True)
