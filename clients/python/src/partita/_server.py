"""A server of one's own, on a free port."""

from __future__ import annotations

import atexit
import os
import re
import select
import subprocess
import tempfile
import time
from typing import Any, Iterable

from partita._calls import REGION, Database
from partita._program import program

START_S = 60
STOP_S = 30
# Becomes the server, and has a process beside it that ends it when this one has gone, and with it its end of the pipe.
UNTIL_END_OF_INPUT = """exec 3<&0
{ read -r _; read -r _ _ _ parent _ </proc/self/stat; [ "$parent" != $$ ] || kill $$; } <&3 >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null"""


class ServerFailed(Exception):
    """The server did not start; the message has what it said."""


class Server(Database):
    """A server in memory, or with its data in the directory `data`, from the beginning of a `with` block to its end.

    `options` are those of `partita serve` (`partita serve --help`), as ["--seed", "tests/tables"]. The server listens on
    a free port of the loopback interface. It ends with this process, also after kill -9.
    """

    def __init__(self, data: str | os.PathLike[str] | None = None, options: Iterable[str] = (), region: str = REGION):
        super().__init__("", region=region)
        where = ["--in-memory"] if data is None else ["--data", os.fspath(data)]
        self._words = ["serve", "--listen", "127.0.0.1:0", *where, *map(str, options)]
        self._process: subprocess.Popen[str] | None = None
        self._log: Any = None

    def start(self) -> "Server":
        """As `with` does. Errors: ProgramNotFound, ServerFailed."""
        if self._process is not None:
            raise RuntimeError("The server runs already.")
        self._log = tempfile.TemporaryFile("w+")
        command = ["/bin/sh", "-c", UNTIL_END_OF_INPUT, "partita", program(), *self._words]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._log, text=True)
        atexit.register(self.stop)
        try:
            self.endpoint_url = self._read_address()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Ends it and waits. Nothing happens if it does not run."""
        process, self._process = self._process, None
        if process is None:
            return
        atexit.unregister(self.stop)
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdin and process.stdout
        process.stdin.close()
        process.stdout.close()
        self._log.close()

    @property
    def pid(self) -> int:
        if self._process is None:
            raise RuntimeError("The server does not run.")
        return self._process.pid

    def database(self, namespace: str) -> Database:
        """That of a namespace, for a server with the options ["--namespaces", "key"]."""
        return Database(self.endpoint_url, namespace, self.region)

    def _read_address(self) -> str:
        assert self._process and self._process.stdout
        ends = time.monotonic() + START_S
        line = ""
        while not line.endswith("\n") and time.monotonic() < ends:
            if not select.select([self._process.stdout], [], [], 0.1)[0]:
                continue
            line = self._process.stdout.readline()
            if not line:
                break  # it has ended
        found = re.search(r"https?://[^ ,]+", line)
        if found:
            return found[0]
        self._log.seek(0)
        raise ServerFailed(f"The server did not start: {self._log.read().strip()[-2000:] or 'it said nothing.'}")

    def __enter__(self) -> "Server":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
