"""Rebuilds a table from its stream with AWS's own library: the Kinesis adapter for DynamoDB Streams, from Maven.

    kinesis_adapter.py [CHANGES]

Not of the ordinary run: it needs a JDK and Maven (apt-get install maven default-jdk-headless), and the network for the
first time. Eight writers make that many changes (100,000) while the library follows, with its leases in the same
server. Then both tables must be equal. A library that is starved loses its leases and is given records again, as with
AWS: "repeated" counts the records that do not go on from what it had.
"""

import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
WORK = ROOT / "build" / "kinesis-adapter"
CHANGES = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
os.environ["PARTITA_STREAM_CHANGES"] = str(CHANGES)
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "support"), str(ROOT / "examples")]

import test_streams as streams  # noqa: E402  (its writers)
from server import running_server  # noqa: E402

FIRST_RECORD_S, QUIET_S = 120, 15
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>partita</groupId><artifactId>kinesis-adapter</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>com.amazonaws</groupId><artifactId>dynamodb-streams-kinesis-adapter</artifactId><version>1.6.0</version>
    </dependency>
  </dependencies>
</project>
"""


def build():
    WORK.mkdir(parents=True, exist_ok=True)
    (WORK / "pom.xml").write_text(POM)
    if not (WORK / "lib").is_dir():
        command = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib"]
        subprocess.run(command, cwd=WORK, check=True)
    command = ["javac", "-nowarn", "-cp", "lib/*", "-d", "classes", str(HERE / "Rebuild.java")]
    subprocess.run(command, cwd=WORK, check=True)


class Library:
    """The Java program; it answers a line on its standard input with its counts, or with its table."""

    def __init__(self, url, arn):
        command = ["java", "-Xmx600m", "-cp", f"{WORK}/classes:{WORK}/lib/*", "Rebuild", url, arn]
        log = open(WORK / "log", "w")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)

    def ask(self, what):
        """(records, repeated, items)"""
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return tuple(map(int, self.process.stdout.readline().split()))

    def wait_until_quiet(self):
        last, since = None, time.monotonic()
        while time.monotonic() - since < (QUIET_S if last and last[0] else FIRST_RECORD_S):
            now = self.ask("count")
            if now != last:
                last, since = now, time.monotonic()
            time.sleep(0.5)

    def table(self):
        counts, items = self.ask("table"), {}
        while (line := self.process.stdout.readline()) != ".\n":
            key, stamp = line.rstrip("\n").split("\t")
            items[key] = stamp
        return counts, items

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    build()
    with running_server() as server:
        library = Library(server.url, streams.make_table(server.client())["LatestStreamArn"])
        started = time.monotonic()
        writers = [streams.Writer(server, number) for number in range(streams.WRITERS)]
        for writer in writers:
            writer.start()
        while sum(len(writer.acknowledged) for writer in writers) < CHANGES:
            time.sleep(0.1)
        for writer in writers:
            writer.done = True
        for writer in writers:
            writer.join()
        library.wait_until_quiet()
        (records, repeated, _), rebuilt = library.table()
        scanned = {key: item["stamp"]["S"] for key, item in streams.scanned(server.client()).items()}
        library.end()
        acknowledged = sum(len(writer.acknowledged) for writer in writers)
        print(f"{acknowledged} acknowledged changes, {records} records ({repeated} repeated), {len(scanned)} items, "
              f"{time.monotonic() - started:.0f} s")
        assert rebuilt == scanned, "the library's table is not the one that is there"
        print("the tables are equal")


if __name__ == "__main__":
    main()
