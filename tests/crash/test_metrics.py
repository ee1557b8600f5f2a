"""kill -9: the metrics of recorded minutes, alarms and their history are there afterwards, and nothing counts twice."""

from minutes import cloudwatch, dimensions, minute_ends_in, statistics
from server import running_server
from waiting import wait_until

TABLE = {"KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}]}
WRITES = 25


def writes(client):
    return sum(statistics(client, "ConsumedWriteCapacityUnits", TableName="Votes"))


def test_metrics_and_alarms_survive_kills(tmp_path):
    with running_server(data_dir=tmp_path, extra_args=minute_ends_in(6)) as server:
        tables = server.client()
        tables.create_table(TableName="Votes", **TABLE)
        for n in range(WRITES):
            tables.put_item(TableName="Votes", Item={"p": {"S": str(n)}})
        client = cloudwatch(server)
        client.put_metric_alarm(
            AlarmName="busy", Namespace="AWS/DynamoDB", MetricName="ConsumedWriteCapacityUnits", Statistic="Sum", Period=60,
            Dimensions=dimensions(TableName="Votes"), EvaluationPeriods=1, Threshold=WRITES - 1.0,
            ComparisonOperator="GreaterThanThreshold")
        wait_until(lambda: client.describe_alarms(StateValue="ALARM")["MetricAlarms"])
        assert writes(client) == WRITES
        history = client.describe_alarm_history(AlarmName="busy")["AlarmHistoryItems"]
        assert len(history) == 2
        for _ in range(3):
            server.kill()
            server.start()
            client = cloudwatch(server)
            assert writes(client) == WRITES
            assert client.describe_alarms()["MetricAlarms"][0]["StateValue"] == "ALARM"
            assert client.describe_alarm_history(AlarmName="busy")["AlarmHistoryItems"] == history
