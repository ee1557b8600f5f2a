"""Starts a PostgreSQL of a test's own, on a socket in a fresh directory, and ends it.

    with running_postgres() as postgres:
        with running_server(store=postgres.url) as server:
            ...

Run by root it runs as another user, as PostgreSQL demands; it ends with whoever started it. `durable`: it flushes to
the disk. `tcp`: it listens on a port of the loopback address too.
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

import foundationdb
from ports import free_port

START_TIMEOUT_S = 30


def programs():
    """Debian keeps the server's programs of each version in a directory of their own."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    assert found, "There is no PostgreSQL here: install what packages.txt names."
    return found[-1].parent


class Postgres:
    """One server. `url` names its database; start() and kill() may follow each other. `primary`: it is a copy of that
    server, which follows it until promote()."""

    def __init__(self, directory, durable=False, primary=None, tcp=False):
        self.directory = directory
        self.url = f"postgresql:///postgres?user=partita&host={directory}"
        self.port, self.tcp_url = None, None
        if tcp:
            self.port = free_port()
            self.url += f"&port={self.port}"
            self.tcp_url = f"postgresql://partita@127.0.0.1:{self.port}/postgres"
        self.process = None
        self._durable = durable
        self._log = open(directory / "log", "w+")
        self._as_user = ["setpriv", "--pdeathsig=QUIT"]
        if os.geteuid() == 0:
            names = [user.pw_name for user in pwd.getpwall()]
            user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            os.chown(directory, user.pw_uid, user.pw_gid)
            self._as_user += [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        if primary:
            self._run("pg_basebackup", "--no-sync", "--checkpoint=fast", "--write-recovery-conf", "-d", primary.url)
        else:
            options = ["-U", "partita", "-A", "trust", "--no-sync", "--no-instructions", "-E", "UTF8", "--locale=C"]
            self._run("initdb", *options)

    def _spawn(self, program, *arguments):
        command = [*self._as_user, "--", str(programs() / program), *arguments]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)

    def _run(self, program, *arguments):
        assert self._spawn(program, "-D", str(self.directory / "data"), *arguments).wait() == 0, self.log()

    def log(self):
        return (self.directory / "log").read_text()

    def ask(self, sql):
        """What a statement says, as text."""
        command = [str(programs() / "psql"), "-q", "-A", "-t", "-d", self.url, "-c", sql]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def begin(self, sql):
        """The process that waits for a statement's answer."""
        return subprocess.Popen([str(programs() / "psql"), "-q", "-d", self.url, "-c", sql], stdout=subprocess.DEVNULL)

    def start(self):
        settings = [f"fsync={'on' if self._durable else 'off'}", "max_wal_size=256MB"]
        settings += ["listen_addresses=127.0.0.1", f"port={self.port}"] if self.port else ["listen_addresses="]
        settings += ["wal_retrieve_retry_interval=100ms"]  # a promotion may have to wait so long
        words = [word for setting in settings for word in ("-c", setting)]
        command = ["postgres", "-D", str(self.directory / "data"), "-k", str(self.directory), *words]
        deadline = time.monotonic() + START_TIMEOUT_S
        while subprocess.call([str(programs() / "pg_isready"), "-q", "-d", self.url]) != 0:
            assert time.monotonic() < deadline, self.log()
            # None starts while processes of one that was killed are left.
            if self.process is None or self.process.poll() is not None:
                self.process = self._spawn(*command)
            time.sleep(0.05)
        return self

    def pids(self):
        """All its processes, of each connection one."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [self.process.pid, *map(int, children)]

    @property
    def ports(self):
        return [self.port] if self.port else []

    def wait_for_standby(self):
        """From now on nothing is acknowledged that the standby has not."""
        self.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.ask("SELECT pg_reload_conf()")
        deadline = time.monotonic() + START_TIMEOUT_S
        while self.ask("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1":
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.05)

    def promote(self):
        """Returns when it takes writes."""
        self._run("pg_ctl", "promote")

    def kill(self):
        """Ends all its processes at once: one of a connection would answer what it is asked before it notices."""
        children = self.pids()[1:] if self.process is not None else []
        self._end(signal.SIGKILL)
        for each in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)

    def stop(self):
        self._end(signal.SIGINT)

    def _end(self, how):
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None


@contextlib.contextmanager
def running_postgres(durable=False, primary=None, tcp=False):
    """A started Postgres, ended with its data at the end of the block."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="partita-pg-"))
    server = Postgres(directory, durable, primary, tcp)
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(directory, ignore_errors=True)


@contextlib.contextmanager
def store_arguments(engine):
    """What running_server() takes for a store on that engine: "rocksdb", "memory", "postgres" or "foundationdb"."""
    if engine == "postgres":
        with running_postgres() as postgres:
            yield {"store": postgres.url}
    elif engine == "foundationdb":
        yield {"store": foundationdb.new_store()}
    else:
        yield {"in_memory": engine == "memory"}
