"""examples/partita.mjs: snapshots and the clock for suites in JavaScript, with the SDK as it is pinned there."""

import os
import pathlib
import subprocess

from server import running_server

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def run_suite(server, worker):
    assert (EXAMPLES / "node_modules").is_dir(), "install the SDK first: npm ci --prefix examples"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment |= {"AWS_ENDPOINT_URL_DYNAMODB": server.url, "JEST_WORKER_ID": worker}
    done = subprocess.run(["node", "--test", "--test-reporter=tap", "snapshots.test.mjs"], cwd=EXAMPLES, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 5" in done.stdout, done.stdout


def test_a_suite_runs_again_and_again_and_side_by_side():
    with running_server(in_memory=True, extra_args=["--namespaces", "key"]) as server:
        for worker in ("1", "1", "2", "1"):
            run_suite(server, worker)
