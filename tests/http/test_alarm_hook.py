"""The actions of alarms, as the server of --alarm-hook gets them: notifications of SNS about alarms of CloudWatch."""

import contextlib
import http.server
import json
import re
import subprocess
import sys
import threading

import pytest
from minutes import cloudwatch, dimensions, minute_ends_in
from ports import free_port
from server import ROOT, running_server
from waiting import wait_until

TABLE = {"KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}]}
ALARM, OK = "arn:aws:sns:us-east-1:123456789012:alarms", "arn:aws:sns:us-east-1:123456789012:calm"


class Receiver:
    """What came: the path, the headers and the body of each request. `status` is what it answers."""

    def __init__(self, port):
        self.port, self.requests, self.status, self.headers = port, [], 200, {}

    @contextlib.contextmanager
    def running(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                receiver.requests.append((self.path, dict(self.headers), json.loads(body)))
                self.send_response(receiver.status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def actions(self):
        return [body["TopicArn"] for _, _, body in self.requests]

    def states(self):
        return [json.loads(body["Message"])["NewStateValue"] for _, _, body in self.requests]


@pytest.fixture
def receiver():
    return Receiver(free_port())


def hooked(receiver, minute_ends=55):
    """By default no evaluation changes the states that a test sets."""
    return ["--alarm-hook", f"http://127.0.0.1:{receiver.port}/alarms?of=partita", *minute_ends_in(minute_ends)]


def put(client, **more):
    client.put_metric_alarm(**{
        "AlarmName": "busy", "Namespace": "AWS/DynamoDB", "MetricName": "ConsumedWriteCapacityUnits", "Statistic": "Sum",
        "Dimensions": dimensions(TableName="Votes"), "Period": 60, "EvaluationPeriods": 1, "Threshold": 4.0,
        "ComparisonOperator": "GreaterThanThreshold", "AlarmActions": [ALARM], "OKActions": [OK], **more})


def set_state(client, state, reason="a test"):
    client.set_alarm_state(AlarmName="busy", StateValue=state, StateReason=reason)


def history(client):
    """The summaries of actions, the oldest first."""
    found = client.describe_alarm_history(AlarmName="busy", HistoryItemType="Action", ScanBy="TimestampAscending")
    assert all(item["HistoryItemType"] == "Action" for item in found["AlarmHistoryItems"])
    return [item["HistorySummary"] for item in found["AlarmHistoryItems"]]


def test_a_change_of_state_is_a_notification_of_sns(receiver):
    with receiver.running(), running_server(in_memory=True, extra_args=hooked(receiver)) as server:
        client = cloudwatch(server)
        put(client, AlarmDescription="many votes", AlarmActions=[ALARM, ALARM + "2"], DatapointsToAlarm=1)
        (shown,) = client.describe_alarms()["MetricAlarms"]
        set_state(client, "ALARM", 'a "test"')
        wait_until(lambda: len(receiver.requests) == 2)
        assert receiver.actions() == [ALARM, ALARM + "2"]
        path, headers, body = receiver.requests[0]
        body = dict(body)
        assert path == "/alarms?of=partita"
        assert headers["Content-Type"] == "text/plain; charset=UTF-8"
        assert headers["x-amz-sns-message-type"] == "Notification"
        assert headers["x-amz-sns-topic-arn"] == body["TopicArn"] == ALARM
        assert headers["x-amz-sns-message-id"] == body["MessageId"]
        assert re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", body["MessageId"])
        assert body["MessageId"] != receiver.requests[1][2]["MessageId"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", body.pop("Timestamp"))
        message = json.loads(body.pop("Message"))
        body.pop("MessageId")
        assert body == {"Type": "Notification", "TopicArn": ALARM, "Subject": 'ALARM: "busy" in US East (N. Virginia)'}
        for name in ("AlarmConfigurationUpdatedTimestamp", "StateChangeTime"):
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000", message.pop(name))
        assert message == {
            "AlarmName": "busy", "AlarmDescription": "many votes", "AWSAccountId": "123456789012", "NewStateValue": "ALARM",
            "NewStateReason": 'a "test"', "Region": "US East (N. Virginia)", "AlarmArn": shown["AlarmArn"],
            "OldStateValue": "INSUFFICIENT_DATA", "OKActions": [OK], "AlarmActions": [ALARM, ALARM + "2"],
            "InsufficientDataActions": [], "Trigger": {
                "MetricName": "ConsumedWriteCapacityUnits", "Namespace": "AWS/DynamoDB", "StatisticType": "Statistic",
                "Statistic": "SUM", "Unit": None, "Dimensions": [{"value": "Votes", "name": "TableName"}], "Period": 60,
                "EvaluationPeriods": 1, "DatapointsToAlarm": 1, "ComparisonOperator": "GreaterThanThreshold",
                "Threshold": 4.0, "TreatMissingData": "missing", "EvaluateLowSampleCountPercentile": ""}}
        wait_until(lambda: len(history(client)) == 2)
        assert sorted(history(client)) == [f"Successfully executed action {ALARM}", f"Successfully executed action {ALARM}2"]
        client.disable_alarm_actions(AlarmNames=["busy"])
        set_state(client, "OK")
        client.enable_alarm_actions(AlarmNames=["busy"])
        set_state(client, "ALARM")
        wait_until(lambda: len(receiver.requests) == 4)
        assert receiver.states() == ["ALARM"] * 4, "actions were disabled"


def test_an_evaluation_sends_too(receiver):
    with receiver.running(), running_server(in_memory=True, extra_args=hooked(receiver, 8)) as server:
        tables, client = server.client(), cloudwatch(server)
        tables.create_table(TableName="Votes", **TABLE)
        put(client)
        for n in range(5):
            tables.put_item(TableName="Votes", Item={"p": {"S": str(n)}})
        wait_until(lambda: ALARM in receiver.actions())
        reason = json.loads(receiver.requests[-1][2]["Message"])["NewStateReason"]
        assert reason.startswith("Threshold Crossed: 1 out of the last 1 datapoints [5.0 ("), reason


@pytest.mark.parametrize("status", [302, 404, 503])
def test_a_refusal_is_repeated(receiver, status):
    with receiver.running(), running_server(in_memory=True, extra_args=hooked(receiver)) as server:
        client = cloudwatch(server)
        put(client)
        receiver.status, receiver.headers = status, {"Location": f"http://127.0.0.1:{receiver.port}/elsewhere"}
        set_state(client, "ALARM")
        wait_until(lambda: len(receiver.requests) >= 2)
        receiver.status = 200
        wait_until(lambda: len(history(client)) == 2)
        assert history(client) == [f'Failed to execute action {ALARM}. Received error: "The hook answered {status}."',
                                   f"Successfully executed action {ALARM}"]
        assert len({body["MessageId"] for _, _, body in receiver.requests}) == 1
        assert {path for path, _, _ in receiver.requests} == {"/alarms?of=partita"}, "redirects are not followed"


def test_kill(tmp_path, receiver):
    """What was decided while nobody listened is delivered by the next server, once somebody does."""
    with running_server(data_dir=tmp_path, extra_args=hooked(receiver)) as server:
        client = cloudwatch(server)
        put(client)
        set_state(client, "ALARM")
        server.kill()
        server.start()
        client = cloudwatch(server)
        assert client.describe_alarms()["MetricAlarms"][0]["StateValue"] == "ALARM"
        wait_until(lambda: history(client))
        assert history(client)[0].startswith(f"Failed to execute action {ALARM}. Received error: \"Cannot reach 127.0.0.1")
        set_state(client, "OK")
        server.kill()
        with receiver.running():
            server.start()
            client = cloudwatch(server)
            wait_until(lambda: set(receiver.states()) == {"ALARM", "OK"})
            done = {f"Successfully executed action {action}" for action in (ALARM, OK)}
            wait_until(lambda: done <= set(history(client)))


def test_a_deleted_alarm_sends_nothing(receiver):
    with running_server(in_memory=True, extra_args=hooked(receiver)) as server:
        client = cloudwatch(server)
        put(client)
        set_state(client, "ALARM")
        client.delete_alarms(AlarmNames=["busy"])
        put(client)
        with receiver.running():
            set_state(client, "OK")
            wait_until(lambda: OK in receiver.actions())
            assert receiver.actions() == [OK]


def test_the_receiver_of_the_page(tmp_path, receiver):
    code = re.search(r"```python\n(# receiver\.py\n.*?)```", (ROOT / "docs" / "cloudwatch.md").read_text(), re.DOTALL).group(1)
    program = tmp_path / "receiver.py"
    program.write_text(code)
    with subprocess.Popen([sys.executable, program, str(receiver.port)], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL) as shown:
        try:
            with running_server(in_memory=True, extra_args=["--alarm-hook", f"http://localhost:{receiver.port}/"]) as server:
                client = cloudwatch(server)
                put(client)
                set_state(client, "ALARM")
                assert shown.stdout.readline() == f"{ALARM} busy ALARM a test\n"
        finally:
            shown.kill()


def test_a_server_without_the_option_stores_nothing(tmp_path, receiver):
    with running_server(data_dir=tmp_path) as server:
        put(cloudwatch(server))
        set_state(cloudwatch(server), "ALARM")
    with receiver.running(), running_server(data_dir=tmp_path, extra_args=hooked(receiver)) as server:
        set_state(cloudwatch(server), "OK")
        wait_until(lambda: receiver.actions())
        assert receiver.actions() == [OK]
