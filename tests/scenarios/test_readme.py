"""The session and the lines of Python and JavaScript of README.md, run as they stand there."""

import os
import re
import subprocess
import sys

import pytest
import sample
from conftest import EXAMPLES, ROOT

PAGE = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def words(text):
    """Tabs, and lines that the page breaks, do not count."""
    return text.split()


@pytest.fixture(scope="module")
def environment(dynamodb):
    sample.run(dynamodb)
    found = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {**found, "PATH": f"/usr/bin:/bin:{found['PATH']}"}  # Debian's own aws before any other


def test_the_session(server, environment):
    [session] = [text for _, text in BLOCKS if text.startswith("$ ")]
    before, *steps = re.split(r"^\$ ", session, flags=re.MULTILINE)
    assert before == "" and len(steps) == 3
    setup = ""
    for step in steps:
        command, printed = re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", step, re.DOTALL).groups()
        if command.startswith("export "):
            setup += command
            continue
        assert "http://localhost:8000" in command
        done = subprocess.run(["bash", "-c", setup + command.replace("http://localhost:8000", server.url) + "\n"],
                              env=environment, capture_output=True, text=True, timeout=60, check=False)
        assert words(done.stdout + done.stderr) == words(printed), command


@pytest.mark.parametrize("language,command", [("python", [sys.executable, "-c"]),
                                              ("js", ["node", "--input-type=module", "-e"])])
def test_the_lines_of(language, command, server, environment):
    [code] = [text for name, text in BLOCKS if name == language]
    keys = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1"}
    done = subprocess.run([*command, code.replace("http://localhost:8000", server.url)], text=True, cwd=EXAMPLES,
                          env={**environment, **keys}, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0 and "'ChatRoom'" in done.stdout, done.stderr
