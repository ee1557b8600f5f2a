"""Auto scaling of a running server whose clock is moved: what tests/api cannot wait for. And the AWS CLI."""

import json
import shutil
import subprocess
import time

import pytest
from minutes import cloudwatch
from server import running_server
from test_namespaces import ask

RESOURCE = "table/Votes"
WRITES = {"ServiceNamespace": "dynamodb", "ResourceId": RESOURCE, "ScalableDimension": "dynamodb:table:WriteCapacityUnits"}
LOOK_S = 2  # the server stores and does what is due every second, and at busy times later


@pytest.fixture(params=["memory", "rocksdb"])
def server(request):
    with running_server(in_memory=request.param == "memory") as server:
        client = server.client()
        client.create_table(
            TableName="Votes",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
        )
        yield server


def move(server, seconds):
    """Moves the clock. The server acts on it at once."""
    status, found = ask(server, "MoveClock", {"Seconds": seconds})
    assert status == 200, found
    time.sleep(0.4)


def align(server):
    """Ten seconds into a minute, so that policies are asked at each step of a minute."""
    now = ask(server, "DescribeClock", {})[1]["Time"]
    move(server, int(70 - now % 60))


def consume(client, units):
    """By items of 20 KiB."""
    for i in range(units // 20):
        client.put_item(TableName="Votes", Item={"pk": {"S": str(i)}, "body": {"S": "x" * (20 * 1024 - 10)}})


def write_units(client):
    return client.describe_table(TableName="Votes")["Table"]["ProvisionedThroughput"]["WriteCapacityUnits"]


def until(holds):
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_provisioned_follows_consumed(server):
    client, scaling = server.client(), server.client("application-autoscaling")
    align(server)
    scaling.register_scalable_target(**WRITES, MinCapacity=5, MaxCapacity=100)
    metric = {"PredefinedMetricType": "DynamoDBWriteCapacityUtilization"}
    put = scaling.put_scaling_policy(
        **WRITES,
        PolicyName="votes",
        PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration={"TargetValue": 70, "PredefinedMetricSpecification": metric},
    )
    move(server, 60)
    seen = []
    for _ in range(2):
        consume(client, 14 * 60)
        time.sleep(LOOK_S)
        move(server, 60)
        seen.append(write_units(client))
    assert seen[0] == 5
    until(lambda: write_units(client) == 20)
    for _ in range(13):
        move(server, 60)
    assert write_units(client) == 20
    for _ in range(3):
        move(server, 60)
    until(lambda: write_units(client) == 5)
    low, high = scaling.describe_scaling_activities(ServiceNamespace="dynamodb", ResourceId=RESOURCE)["ScalingActivities"]
    for activity, alarm, units in ((high, 0, 20), (low, 1, 5)):
        name = put["Alarms"][alarm]["AlarmName"]
        assert activity["Cause"] == f"monitor alarm {name} in state ALARM triggered policy votes"
        assert activity["Description"] == f"Setting write capacity units to {units}."
        assert activity["StatusCode"] == "Successful"
    assert f"Auto scaling changed the write units of {RESOURCE} from 5 to 20" in server.log()


def test_alarms_of_a_policy_in_cloudwatch(server):
    scaling, watch = server.client("application-autoscaling"), cloudwatch(server)
    scaling.register_scalable_target(**WRITES, MinCapacity=5, MaxCapacity=40)
    tracking = {"TargetValue": 70, "PredefinedMetricSpecification": {
        "PredefinedMetricType": "DynamoDBWriteCapacityUtilization"}}
    put = scaling.put_scaling_policy(**WRITES, PolicyName="votes", PolicyType="TargetTrackingScaling",
                                     TargetTrackingScalingPolicyConfiguration=tracking)
    names = [alarm["AlarmName"] for alarm in put["Alarms"]]
    until(lambda: len(watch.describe_alarms(AlarmNames=names)["MetricAlarms"]) == 4)
    alarms = {alarm["AlarmName"]: alarm for alarm in watch.describe_alarms(ActionPrefix=put["PolicyARN"])["MetricAlarms"]}
    high, low, *provisioned = (alarms[name] for name in names)
    assert (high["MetricName"], high["Threshold"], high["EvaluationPeriods"]) == ("ConsumedWriteCapacityUnits", 210, 2)
    assert (low["ComparisonOperator"], low["Threshold"], low["EvaluationPeriods"]) == ("LessThanThreshold", 150, 15)
    assert [(one["Threshold"], one["Period"], one["EvaluationPeriods"]) for one in provisioned] == [(5, 300, 3)] * 2
    for alarm, told in zip([high, low, *provisioned], put["Alarms"], strict=True):
        assert alarm["AlarmArn"] == told["AlarmARN"]
        assert alarm["AlarmDescription"] == f"DO NOT EDIT OR DELETE. For TargetTrackingScaling policy {put['PolicyARN']}."
        assert alarm["AlarmActions"] == [put["PolicyARN"]]
        assert alarm["Dimensions"] == [{"Name": "TableName", "Value": "Votes"}]
    scaling.delete_scaling_policy(**WRITES, PolicyName="votes")
    until(lambda: watch.describe_alarms()["MetricAlarms"] == [])


def aws(server, *words):
    command = ["aws", "application-autoscaling", *words, "--endpoint-url", server.url, "--region", "us-east-1", "--output", "json"]
    ran = subprocess.run(command, capture_output=True, text=True, env={
        "PATH": "/usr/bin:/bin:/usr/local/bin", "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"})
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout) if ran.stdout.strip() else {}


@pytest.mark.skipif(shutil.which("aws", path="/usr/bin:/bin:/usr/local/bin") is None, reason="the AWS CLI is not installed")
def test_the_aws_cli(server):
    target = ["--service-namespace", "dynamodb", "--resource-id", RESOURCE, "--scalable-dimension", WRITES["ScalableDimension"]]
    aws(server, "register-scalable-target", *target, "--min-capacity", "7", "--max-capacity", "100")
    time.sleep(LOOK_S)
    [activity] = aws(server, "describe-scaling-activities", "--service-namespace", "dynamodb")["ScalingActivities"]
    assert activity["Cause"] == "minimum capacity was set to 7"
    aws(server, "put-scheduled-action", *target, "--scheduled-action-name", "night", "--schedule", "cron(0 22 * * ? *)",
        "--scalable-target-action", "MinCapacity=1,MaxCapacity=10")
    [action] = aws(server, "describe-scheduled-actions", "--service-namespace", "dynamodb")["ScheduledActions"]
    assert action["Schedule"] == "cron(0 22 * * ? *)"
    aws(server, "deregister-scalable-target", *target)
    assert aws(server, "describe-scalable-targets", "--service-namespace", "dynamodb")["ScalableTargets"] == []
