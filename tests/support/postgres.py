"""Starts a PostgreSQL of a test's own, on a socket in a fresh directory, and ends it.

    with running_postgres() as postgres:
        with running_server(store=postgres.url) as server:
            ...

Run by root it runs as another user, as PostgreSQL demands. `durable`: it flushes to the disk.
"""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

START_TIMEOUT_S = 30


def programs():
    """Debian keeps the server's programs of each version in a directory of their own."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    assert found, "There is no PostgreSQL here: install what packages.txt names."
    return found[-1].parent


class Postgres:
    """One server. `url` names its database; start() and kill() may follow each other."""

    def __init__(self, directory, durable=False):
        self.directory = directory
        self.url = f"postgresql:///postgres?user=partita&host={directory}"
        self.process = None
        self._durable = durable
        self._log = open(directory / "log", "w+")
        self._user = None
        if os.geteuid() == 0:
            names = [user.pw_name for user in pwd.getpwall()]
            self._user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            os.chown(directory, self._user.pw_uid, self._user.pw_gid)
        options = ["-U", "partita", "-A", "trust", "--no-sync", "--no-instructions", "-E", "UTF8", "--locale=C"]
        assert self._spawn("initdb", "-D", str(directory / "data"), *options).wait() == 0, self.log()

    def _spawn(self, program, *arguments):
        as_user = {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []} if self._user else {}
        command = [str(programs() / program), *arguments]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, **as_user)

    def log(self):
        return (self.directory / "log").read_text()

    def start(self):
        settings = [f"fsync={'on' if self._durable else 'off'}", "listen_addresses=", "max_wal_size=256MB"]
        words = [word for setting in settings for word in ("-c", setting)]
        self.process = self._spawn("postgres", "-D", str(self.directory / "data"), "-k", str(self.directory), *words)
        deadline = time.monotonic() + START_TIMEOUT_S
        while subprocess.call([str(programs() / "pg_isready"), "-q", "-h", str(self.directory)]) != 0:
            assert time.monotonic() < deadline and self.process.poll() is None, self.log()
            time.sleep(0.05)
        return self

    def kill(self):
        """Ends it at once; its other processes end when they notice."""
        self._end(signal.SIGKILL)

    def stop(self):
        self._end(signal.SIGINT)

    def _end(self, how):
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None


@contextlib.contextmanager
def running_postgres(durable=False):
    """A started Postgres, ended with its data at the end of the block."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="partita-pg-"))
    server = Postgres(directory, durable)
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(directory, ignore_errors=True)


@contextlib.contextmanager
def store_arguments(engine):
    """What running_server() takes for a store on that engine: "rocksdb", "memory" or "postgres"."""
    if engine == "postgres":
        with running_postgres() as postgres:
            yield {"store": postgres.url}
    else:
        yield {"in_memory": engine == "memory"}
