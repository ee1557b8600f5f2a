"""A handler for Lambda, unchanged, under AWS's own runtime client beside Partita."""

import contextlib
import os
import pathlib
import subprocess
import sys

import pytest
from ports import free_port
from server import ROOT, running_server
from sinks import create_sink, letters_of, sink, sinks_of
from waiting import wait_until

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT / "tests" / "sdks")]

import clients  # noqa: E402  (it stands in tests/sdks)

TABLE = "orders"
RETRIES = 2


@pytest.fixture(scope="module")
def python():
    """The interpreter that has awslambdaric."""
    directory, lock = ROOT / "build" / "awslambdaric", HERE / "awslambdaric.txt"

    def install():
        clients._install("venv", sys.executable, "-m", "venv", directory)
        clients._install("pip install", directory / "bin" / "pip", "install", "-q", "--disable-pip-version-check",
                         "--only-binary", ":all:", "--require-hashes", "-r", lock)

    try:
        clients.once(directory, lock, install)
    except clients.Unavailable as missing:
        pytest.skip(str(missing))
    return directory / "bin" / "python"


@contextlib.contextmanager
def running_runtime(python, port, taken):
    environment = {**os.environ, "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{port}", "TAKEN": str(taken),
                   "AWS_LAMBDA_FUNCTION_NAME": "hook", "AWS_LAMBDA_FUNCTION_VERSION": "1",
                   "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "128", "LAMBDA_TASK_ROOT": str(HERE)}
    with open(f"{taken}.log", "ab") as log:
        runtime = subprocess.Popen([python, "-m", "awslambdaric", "lambda_handler.handle"], cwd=HERE, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            yield runtime
        finally:
            runtime.kill()
            runtime.wait()


def taken_in(taken):
    return [int(line) for line in taken.read_text().split()] if taken.exists() else []


def put(client, values):
    for value in values:
        client.put_item(TableName=TABLE, Item={"k": {"S": "a"}, "v": {"N": str(value)}})


def test_a_handler_runs_unchanged(python, tmp_path):
    port, taken = free_port(), tmp_path / "taken"
    with running_server() as server:
        client = server.client()
        client.create_table(TableName=TABLE, BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}])
        create_sink(server, TABLE, f"runtime://127.0.0.1:{port}", "--name", "hook",
                    "--set", "FunctionResponseTypes=ReportBatchItemFailures", "--set", "BisectBatchOnFunctionError=true",
                    "--set", f"MaximumRetryAttempts={RETRIES}")
        put(client, range(10))
        wait_until(lambda: "No runtime asks" in sinks_of(server)[0].get("Message", ""))
        with running_runtime(python, port, taken):
            wait_until(lambda: sorted(set(taken_in(taken))) == list(range(10)))
            assert "Message" not in sinks_of(server)[0] or wait_until(lambda: "Message" not in sinks_of(server)[0])
        put(client, range(10, 20))
        with running_runtime(python, port, taken):  # another one goes on
            wait_until(lambda: set(taken_in(taken)) == set(range(20)) - {13})
            wait_until(lambda: letters_of(client, f"{TABLE}-dead-letters"))
            [letter] = letters_of(client, f"{TABLE}-dead-letters").values()
            assert "an unlucky number" in letter["reason"]["S"]
            pathlib.Path(f"{taken}.mended").touch()
            sink(server, "retry", TABLE, "hook")
            wait_until(lambda: taken_in(taken)[-1] == 13)
        arrived = taken_in(taken)
        assert list(dict.fromkeys(arrived)) == [*range(13), *range(14, 20), 13], "in order"
