"""Starts a server of others that speaks the protocol of Kinesis, and ends it.

    with running_kinesis("kinesalite") as kinesis:
        kinesis.url                             # "http://127.0.0.1:39871"
        kinesis.client.create_stream(StreamName="orders", ShardCount=2)

kinesalite comes through npm and moto through pip into build/kinesis, once. Unavailable says why one cannot be had.
"""

import contextlib
import fcntl
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from ports import free_port

CACHE = pathlib.Path(__file__).resolve().parents[2] / "build" / "kinesis"
START_TIMEOUT_S = 60
INSTALL_TIMEOUT_S = 600
VERSIONS = {"kinesalite": "kinesalite@3.3.3", "moto": "moto[server]==5.2.5"}


class Unavailable(Exception):
    pass


def _run(*command):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=INSTALL_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]}: {error}") from error
    if done.returncode:
        raise Unavailable(f"{command[0]} failed: {(done.stdout + done.stderr).strip()[-400:]}")


def _install(name, folder):
    shutil.rmtree(folder, ignore_errors=True)
    if name == "kinesalite":
        _run("npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", VERSIONS[name])
    else:
        _run(sys.executable, "-m", "venv", folder)
        _run(folder / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:", VERSIONS[name])


def installed(name):
    """Its folder; fetched if it is not there yet."""
    folder = CACHE / name
    stamp = CACHE / f"{name}.version"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text() != VERSIONS[name]:
            _install(name, folder)
            stamp.write_text(VERSIONS[name])
    return folder


def _command(name, port):
    folder = installed(name)
    if name == "kinesalite":
        program = folder / "node_modules" / "kinesalite" / "cli.js"
        return ["node", program, "--port", str(port), "--createStreamMs", "0", "--deleteStreamMs", "0", "--shardLimit", "100"]
    return [folder / "bin" / "moto_server", "-H", "127.0.0.1", "-p", str(port)]


class Kinesis:
    def __init__(self, name, port, client):
        self.name = name
        self.url = f"http://127.0.0.1:{port}"
        self.client = client

    def create_stream(self, stream, shards=2):
        self.client.create_stream(StreamName=stream, ShardCount=shards)
        self.client.get_waiter("stream_exists").wait(StreamName=stream, WaiterConfig={"Delay": 1, "MaxAttempts": 30})
        return self.client.describe_stream(StreamName=stream)["StreamDescription"]["StreamARN"]

    def records(self, stream):
        """[(partition key, document)] of all shards; those of one shard in their order."""
        found = []
        for shard in self.client.describe_stream(StreamName=stream)["StreamDescription"]["Shards"]:
            at = self.client.get_shard_iterator(StreamName=stream, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
            at, some = at["ShardIterator"], True
            while at and some:
                page = self.client.get_records(ShardIterator=at, Limit=10_000)
                some, at = page["Records"], page.get("NextShardIterator")
                found += [(record["PartitionKey"], json.loads(record["Data"])) for record in some]
        return found


@contextlib.contextmanager
def running_kinesis(name):
    import boto3
    from botocore.config import Config

    port = free_port()
    with tempfile.TemporaryFile() as log:
        command = ["setpriv", "--pdeathsig=KILL", "--", *_command(name, port)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        session = boto3.session.Session(aws_access_key_id="local", aws_secret_access_key="local", region_name="us-east-1")
        # moto fails readers while others write.
        config = Config(retries={"max_attempts": 8})
        client = session.client("kinesis", endpoint_url=f"http://127.0.0.1:{port}", config=config)
        try:
            deadline = time.monotonic() + START_TIMEOUT_S
            while True:
                with contextlib.suppress(Exception):
                    client.list_streams()
                    break
                log.seek(0)
                assert process.poll() is None and time.monotonic() < deadline, log.read()[-2000:]
                time.sleep(0.1)
            yield Kinesis(name, port, client)
        finally:
            process.kill()
            process.wait()
