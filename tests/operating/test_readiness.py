"""/health and /ready: alive while the process serves, ready while its store takes writes."""

import time

import botocore.exceptions
import pytest
from pages import get
from postgres import running_postgres
from server import running_server

RED_WITHIN_S = 20
GREEN_WITHIN_S = 30


def wait_for(server, status, within_s):
    """The text, once /ready answers with that status; each answer is to come at once."""
    deadline = time.monotonic() + within_s
    while True:
        asked = time.monotonic()
        got, text = get(server, "/ready")
        assert time.monotonic() - asked < 15
        assert get(server, "/health") == (200, "alive\n")
        if got == status:
            return text
        assert time.monotonic() < deadline, text
        time.sleep(0.1)


def assert_all_say(server, ready):
    """There is one judgement."""
    assert get(server, "/")[0] == (200 if ready else 503)
    assert f"\npartita_store_up {int(ready)}\n" in get(server, "/metrics")[1]


@pytest.mark.parametrize("in_memory", [False, True])
def test_a_server_that_serves_is_alive_and_ready(in_memory):
    with running_server(in_memory=in_memory) as server:
        assert get(server, "/health") == (200, "alive\n")
        assert get(server, "/ready") == (200, "ready\n")
        assert get(server, "/ready?from=probe") == (200, "ready\n")
        # DynamoDB's own answer stays what it is, and nothing else is there.
        assert get(server, "/") == (200, "healthy: dynamodb.us-east-1.amazonaws.com ")
        assert get(server, "/readyness")[0] == 404


def test_who_asks_often_causes_few_writes():
    with running_server(extra_args=["--threads", "1"]) as server:
        began = time.monotonic()
        for _ in range(200):
            assert get(server, "/ready")[0] == 200
        seconds = time.monotonic() - began
        commits = [line for line in get(server, "/metrics")[1].splitlines() if line.startswith("partita_store_commit_seconds_count")]
        # The catalogue, jobs and the like write a few times too.
        assert float(commits[0].split()[-1]) < seconds + 30


def test_readiness_follows_postgresql():
    with running_postgres() as postgres, running_server(store=postgres.url, extra_args=["--threads", "1"]) as server:
        wait_for(server, 200, GREEN_WITHIN_S)
        postgres.kill()
        reason = wait_for(server, 503, RED_WITHIN_S)
        assert reason.startswith("not ready: There is no connection to PostgreSQL"), reason
        assert_all_say(server, ready=False)
        foreign = {"Host": "rebound.example.com"}  # perhaps of a web page, which is not told of the store
        assert get(server, "/ready", foreign) == (503, "not ready\n")
        assert get(server, "/", foreign) == (503, "unhealthy\n")
        postgres.start()
        wait_for(server, 200, GREEN_WITHIN_S)


REFUSES = """
CREATE FUNCTION refuse_large() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF length(NEW.v) > {bytes} THEN RAISE EXCEPTION 'no space is left' USING ERRCODE = 'disk_full'; END IF; RETURN NEW;
END $$;
CREATE TRIGGER refuse_large BEFORE INSERT OR UPDATE ON partita_kv FOR EACH ROW EXECUTE FUNCTION refuse_large();
"""


@pytest.mark.parametrize("bytes_left", [1_000, 20_000])
def test_a_database_without_room_for_what_users_write_is_not_ready(bytes_left):
    """It still has room for a very small row. What the probe does not find out, a user's write does."""
    with running_postgres() as postgres, running_server(store=postgres.url, extra_args=["--threads", "1"]) as server:
        wait_for(server, 200, GREEN_WITHIN_S)
        client = server.client()
        client.create_table(TableName="full", BillingMode="PAY_PER_REQUEST", AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
        postgres.ask(REFUSES.format(bytes=bytes_left))
        if bytes_left > 10_000:
            assert get(server, "/ready")[0] == 200
            with pytest.raises(botocore.exceptions.ClientError) as refused:
                client.put_item(TableName="full", Item={"id": {"S": "large"}, "text": {"S": "x" * 30_000}})
            assert int(refused.value.response["ResponseMetadata"]["HTTPHeaders"]["x-amz-retry-after"]) > 0
        reason = wait_for(server, 503, RED_WITHIN_S)
        assert "no space is left (53100)" in reason, reason
        client.put_item(TableName="full", Item={"id": {"S": "small"}})
        postgres.ask("DROP TRIGGER refuse_large ON partita_kv")
        wait_for(server, 200, GREEN_WITHIN_S)


def test_a_silent_postgresql_is_noticed_and_keeps_nobody_waiting():
    """It takes connections, and answers nothing, as one whose disk or whose synchronous standby is gone."""
    with running_postgres() as postgres, running_server(store=postgres.url, extra_args=["--threads", "1"]) as server:
        wait_for(server, 200, GREEN_WITHIN_S)
        postgres.ask("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        postgres.ask("SELECT pg_reload_conf()")
        reason = wait_for(server, 503, RED_WITHIN_S)
        assert "has not answered a small write" in reason, reason
        assert_all_say(server, ready=False)
        assert server.log().count("Not ready: The store has not answered a small write") == 1, server.log()
        postgres.ask("ALTER SYSTEM RESET synchronous_standby_names")
        postgres.ask("SELECT pg_reload_conf()")
        wait_for(server, 200, GREEN_WITHIN_S)
        assert_all_say(server, ready=True)
        assert server.log().count("Ready again") == 1, server.log()
