"""The sample that `./dev up` loads, and the examples' command line."""

import subprocess
import sys

import sample
from conftest import EXAMPLES


def command(name, url):
    return subprocess.run(
        [sys.executable, str(EXAMPLES / name), "--endpoint-url", url], capture_output=True, text=True, timeout=60
    )


def test_loading_twice_is_like_loading_once(server, client):
    expected = {name: len(items) for name, _, _, items in sample.TABLES}
    for _ in range(2):
        done = command("sample.py", server.url)
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr.endswith("Sample data: 4 of 4 tables\n")
        for name, at_least in expected.items():  # The example of the same table may have left more.
            assert client.scan(TableName=name)["Count"] >= at_least


def test_the_first_query_to_try(server, client):
    """The command that `./dev up` prints."""
    found = client.query(
        TableName="ChatRoom",
        KeyConditionExpression="ChatRoomID = :room AND begins_with(ChatMessageIdentifier, :prefix)",
        ExpressionAttributeValues={":room": {"S": "seattle-1"}, ":prefix": {"S": "amsg#2018-08"}},
    )
    assert [item["Message"]["S"] for item in found["Items"]] == ["Lunch?", "Is it raining again?"]


def test_an_example_prints_its_questions_and_answers(server):
    done = command("device_log.py", server.url)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "Before 4 September 2018 (<)\n    2011-07-09 13:00 installed\n    2018-08-29 12:00 battery low\n"
    )


def test_an_example_without_a_server_says_so():
    done = command("device_log.py", "http://127.0.0.1:9")
    assert done.returncode != 0
    assert done.stderr == "Nothing answers at http://127.0.0.1:9. Start the server with: ./dev up\n"
