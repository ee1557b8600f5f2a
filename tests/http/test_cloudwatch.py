"""CloudWatch by boto3, by the AWS CLI, and by hand in each of the three protocols of today's clients."""

import datetime
import http.client
import json
import os
import shutil
import struct
import subprocess
import urllib.parse

import pytest
from botocore.exceptions import ClientError
from minutes import cloudwatch, dimensions, minute_ends_in, span, statistics
from server import running_server
from waiting import wait_until

TABLE = {"KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
         "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "day", "AttributeType": "S"}],
         "ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 5},
         "GlobalSecondaryIndexes": [{"IndexName": "by_day", "KeySchema": [{"AttributeName": "day", "KeyType": "HASH"}],
                                     "Projection": {"ProjectionType": "ALL"},
                                     "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 2}}]}
AUTHORIZATION = ("AWS4-HMAC-SHA256 Credential=local/20260102/us-east-1/{}/aws4_request, SignedHeaders=host;x-amz-date, "
                 "Signature=00")


def fill_strict(client):
    """A table whose 300 units of burst are used up by four of six writes."""
    client.create_table(TableName="Strict", KeySchema=TABLE["KeySchema"], AttributeDefinitions=TABLE["AttributeDefinitions"][:1],
                        ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
                        Tags=[{"Key": "partita:capacity", "Value": "enforce"}])
    for n in range(6):
        try:
            client.put_item(TableName="Strict", Item={"p": {"S": str(n)}, "text": {"S": "t" * 99_900}})
        except client.exceptions.ProvisionedThroughputExceededException:
            assert n >= 4, n


def fill(client):
    fill_strict(client)
    client.create_table(TableName="Votes", **TABLE)
    for n in range(5):
        client.put_item(TableName="Votes", Item={"p": {"S": f"voter {n}"}, "day": {"S": "monday"}})
    client.put_item(TableName="Votes", Item={"p": {"S": "without a day"}})
    client.query(TableName="Votes", IndexName="by_day", KeyConditionExpression="#d = :d",
                 ExpressionAttributeNames={"#d": "day"}, ExpressionAttributeValues={":d": {"S": "monday"}})
    for _ in range(2):
        client.get_item(TableName="Votes", Key={"p": {"S": "voter 1"}}, ConsistentRead=True)
    with pytest.raises(ClientError):
        client.put_item(TableName="Votes", Item={"p": {"S": "voter 1"}}, ConditionExpression="attribute_not_exists(p)")
    with pytest.raises(ClientError):
        client.put_item(TableName="Votes", Item={"q": {"S": "no key"}})


@pytest.fixture(scope="module")
def server():
    """With one minute of metrics."""
    with running_server(in_memory=True, extra_args=minute_ends_in(8)) as started:
        fill(started.client())
        wait_until(lambda: sum(statistics(cloudwatch(started), "ConsumedWriteCapacityUnits", TableName="Votes")))
        yield started


@pytest.fixture
def client(server):
    return cloudwatch(server)


def refused(code, call, **parameters):
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    assert caught.value.response["Error"]["Code"] == code, caught.value
    return caught.value.response["Error"]["Message"]


def post(server, body, headers, path="/", service="monitoring"):
    where = urllib.parse.urlsplit(server.url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
    connection.request("POST", path, body, {"X-Amz-Date": "20260102T000000Z", "x-amzn-query-mode": "true",
                                            "Authorization": AUTHORIZATION.format(service), **headers})
    reply = connection.getresponse()
    found = reply.read()
    connection.close()
    return reply.status, dict(reply.getheaders()), found


def by_json(server, operation, parameters, **more):
    headers = {"X-Amz-Target": f"GraniteServiceVersion20100801.{operation}", "Content-Type": "application/x-amz-json-1.0"}
    return post(server, json.dumps(parameters), headers, **more)


def by_cbor(server, operation, body):
    headers = {"Smithy-Protocol": "rpc-v2-cbor", "Content-Type": "application/cbor", "Accept": "application/cbor"}
    return post(server, body, headers, f"/service/GraniteServiceVersion20100801/operation/{operation}")


def cbor(value):
    """As Go writes it: maps and lists of indefinite length, times with tag 1."""
    if isinstance(value, dict):
        return b"\xbf" + b"".join(cbor(name) + cbor(member) for name, member in value.items()) + b"\xff"
    if isinstance(value, list):
        return b"\x9f" + b"".join(map(cbor, value)) + b"\xff"
    if isinstance(value, datetime.datetime):
        return b"\xc1" + cbor(value.timestamp())
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, int):
        return bytes([value]) if value < 24 else b"\x1b" + struct.pack(">Q", value)
    text = value.encode()
    return b"\x7b" + struct.pack(">Q", len(text)) + text


def of_cbor(data, at=0):
    """The value that begins there, and where it ends."""
    major, low = data[at] >> 5, data[at] & 31
    if major == 7:
        if low == 27:
            return struct.unpack_from(">d", data, at + 1)[0], at + 9
        return {20: False, 21: True, 22: None}[low], at + 1
    size = {24: 1, 25: 2, 26: 4, 27: 8}.get(low, 0)
    number = int.from_bytes(data[at + 1:at + 1 + size], "big") if size else low
    at += 1 + size
    if major == 0:
        return number, at
    if major == 3:
        return data[at:at + number].decode(), at + number
    if major == 6:
        return of_cbor(data, at)
    found = []
    for _ in range(number * (2 if major == 5 else 1)):
        value, at = of_cbor(data, at)
        found.append(value)
    return (dict(zip(found[::2], found[1::2])) if major == 5 else found), at


def test_units_of_a_table_and_its_index(client):
    assert sum(statistics(client, "ConsumedWriteCapacityUnits", TableName="Votes")) == 7, "a failed condition costs a unit"
    assert sum(statistics(client, "ConsumedWriteCapacityUnits", TableName="Votes", GlobalSecondaryIndexName="by_day")) == 5
    assert sum(statistics(client, "ConsumedReadCapacityUnits", TableName="Votes")) == 2
    assert sum(statistics(client, "ConsumedReadCapacityUnits", TableName="Votes", GlobalSecondaryIndexName="by_day")) == 0.5
    assert max(statistics(client, "ConsumedReadCapacityUnits", "Maximum", TableName="Votes")) == 1


def test_requests_of_a_table(client):
    assert sum(statistics(client, "SuccessfulRequestLatency", "SampleCount", TableName="Votes", Operation="GetItem")) == 2
    assert sum(statistics(client, "SuccessfulRequestLatency", "SampleCount", TableName="Votes", Operation="PutItem")) == 6
    assert 0 < max(statistics(client, "SuccessfulRequestLatency", "Maximum", TableName="Votes", Operation="GetItem")) < 1000
    assert sum(statistics(client, "ReturnedItemCount", TableName="Votes", Operation="Query")) == 5
    assert sum(statistics(client, "ConditionalCheckFailedRequests", TableName="Votes")) == 1
    assert sum(statistics(client, "SuccessfulRequestLatency", "SampleCount", Operation="CreateTable")) == 2
    assert sum(statistics(client, "UserErrors")) == 1
    assert statistics(client, "ReadThrottleEvents", TableName="Votes") == []


def test_throttles_by_reason(client):
    found = client.list_metrics(Namespace="AWS/DynamoDB", Dimensions=dimensions(TableName="Strict"))["Metrics"]
    throttles = {one["MetricName"] for one in found if one["MetricName"].endswith("ThrottleEvents")}
    assert throttles == {"WriteThrottleEvents", "WriteProvisionedThroughputThrottleEvents"}
    for metric in throttles:
        assert sum(statistics(client, metric, TableName="Strict")) == 2
    assert sum(statistics(client, "ThrottledRequests", TableName="Strict", Operation="PutItem")) == 2


def test_percentiles(client):
    found = client.get_metric_statistics(
        Namespace="AWS/DynamoDB", MetricName="SuccessfulRequestLatency", Period=1200, ExtendedStatistics=["p50", "p99"],
        Dimensions=dimensions(TableName="Votes", Operation="PutItem"), **span())
    (point,) = found["Datapoints"]
    assert point["Unit"] == "Milliseconds"
    assert 0 < point["ExtendedStatistics"]["p50"] <= point["ExtendedStatistics"]["p99"] < 1000


def test_the_metrics_that_there_are(client):
    listed = client.get_paginator("list_metrics").paginate(Namespace="AWS/DynamoDB").build_full_result()["Metrics"]
    names = {(metric["MetricName"], *(one["Value"] for one in metric["Dimensions"])) for metric in listed}
    assert {("ConsumedReadCapacityUnits", "Votes"), ("ConsumedWriteCapacityUnits", "Votes", "by_day"),
            ("ProvisionedReadCapacityUnits", "Votes"), ("SuccessfulRequestLatency", "Votes", "GetItem"),
            ("SuccessfulRequestLatency", "CreateTable"), ("UserErrors",)} <= names
    one = client.list_metrics(MetricName="ReturnedItemCount", Dimensions=[{"Name": "TableName", "Value": "Votes"}])
    assert [metric["Dimensions"] for metric in one["Metrics"]] == [dimensions(TableName="Votes", Operation="Query")]


def queries(stat="Sum"):
    metric = {"Namespace": "AWS/DynamoDB", "MetricName": "ConsumedWriteCapacityUnits",
              "Dimensions": dimensions(TableName="Votes")}
    return [{"Id": "m1", "MetricStat": {"Metric": metric, "Period": 60, "Stat": stat}, "ReturnData": False},
            {"Id": "e1", "Expression": "m1 / PERIOD(m1)", "Label": "writes a second"}]


def test_metric_data(client):
    (rate,) = client.get_metric_data(MetricDataQueries=queries(), **span())["MetricDataResults"]
    assert (rate["Id"], rate["Label"], rate["StatusCode"]) == ("e1", "writes a second", "Complete")
    assert round(sum(rate["Values"]) * 60, 6) == 7
    assert rate["Timestamps"] == sorted(rate["Timestamps"], reverse=True)
    message = refused("ValidationError", client.get_metric_data, MetricDataQueries=[
        {"Id": "e1", "Expression": "SEARCH('{AWS/DynamoDB,TableName}', 'Sum')"}], **span())
    assert "The function SEARCH is not served by Partita." in message


def test_the_protocols_agree(server, client):
    (expected,) = client.get_metric_data(MetricDataQueries=queries(), **span())["MetricDataResults"]
    values = [(time.timestamp(), value) for time, value in zip(expected["Timestamps"], expected["Values"])]
    # Without the minutes that end meanwhile.
    when = {**span(), "EndTime": expected["Timestamps"][0] + datetime.timedelta(minutes=1)}
    status, headers, body = by_json(server, "GetMetricData", {
        "MetricDataQueries": queries(), **{name: time.timestamp() for name, time in when.items()}})
    assert (status, headers["Content-Type"]) == (200, "application/x-amz-json-1.0"), body
    (found,) = json.loads(body)["MetricDataResults"]
    assert list(zip(found["Timestamps"], found["Values"])) == values
    status, headers, body = by_cbor(server, "GetMetricData", cbor({"MetricDataQueries": queries(), **when}))
    assert (status, headers["Content-Type"], headers["smithy-protocol"]) == (200, "application/cbor", "rpc-v2-cbor"), body
    (found,) = of_cbor(body)[0]["MetricDataResults"]
    assert list(zip(found["Timestamps"], found["Values"])) == values
    assert found["Label"] == "writes a second"


def test_errors_in_each_protocol(server, client):
    text = "The alarm nothing does not exist."
    assert refused("ResourceNotFound", client.delete_alarms, AlarmNames=["nothing"]) == text
    for status, headers, members in [
            (lambda answer: (answer[0], answer[1], json.loads(answer[2])))(
                by_json(server, "DeleteAlarms", {"AlarmNames": ["nothing"]})),
            (lambda answer: (answer[0], answer[1], of_cbor(answer[2])[0]))(
                by_cbor(server, "DeleteAlarms", cbor({"AlarmNames": ["nothing"]})))]:
        assert (status, headers["x-amzn-query-error"]) == (404, "ResourceNotFound;Sender")
        assert members["__type"].endswith("#ResourceNotFound")
        assert members["message"] == members["Message"] == text
    assert by_cbor(server, "ListMetrics", b"\xff")[0] == 400
    assert by_json(server, "ListMetrics", [])[0] == 400


def test_what_is_not_served_is_named(server, client):
    assert refused("InvalidAction", client.put_dashboard, DashboardName="x", DashboardBody="{}") == (
        "The operation PutDashboard of CloudWatch is not served by Partita.")
    assert refused("InvalidAction", client.put_composite_alarm, AlarmName="x", AlarmRule="TRUE") == (
        "The operation PutCompositeAlarm of CloudWatch is not served by Partita.")
    status, headers, body = by_json(server, "PutMetricData", {})
    assert (status, headers["x-amzn-query-error"]) == (400, "InvalidAction;Sender")
    assert "PutMetricData" in json.loads(body)["message"]


def alarm(**more):
    return {"AlarmName": "busy", "Namespace": "AWS/DynamoDB", "MetricName": "ConsumedWriteCapacityUnits",
            "Dimensions": dimensions(TableName="Votes"), "Statistic": "Sum", "Period": 60, "EvaluationPeriods": 1,
            "Threshold": 1000.0, "ComparisonOperator": "GreaterThanThreshold", **more}


def test_the_life_of_an_alarm(client):
    client.put_metric_alarm(**alarm(AlarmDescription="many votes", AlarmActions=["arn:aws:sns:us-east-1:1:topic"]))
    (found,) = client.describe_alarms(AlarmNames=["busy"])["MetricAlarms"]
    assert found["AlarmArn"] == "arn:aws:cloudwatch:us-east-1:123456789012:alarm:busy"
    assert (found["StateValue"], found["Threshold"], found["Period"]) == ("OK", 1000.0, 60)
    assert found["StateReason"].startswith("Threshold Crossed: 1 out of the last 1 datapoints [")
    client.put_metric_alarm(**alarm(Threshold=2000.0, TreatMissingData="notBreaching", DatapointsToAlarm=1))
    client.set_alarm_state(AlarmName="busy", StateValue="ALARM", StateReason="a test", StateReasonData='{"by": "test"}')
    (found,) = client.describe_alarms(StateValue="ALARM")["MetricAlarms"]
    assert (found["StateReason"], found["TreatMissingData"]) == ("a test", "notBreaching")
    assert "AlarmDescription" not in found, "a change of an alarm replaces all of it"
    (same,) = client.describe_alarms_for_metric(
        Namespace="AWS/DynamoDB", MetricName="ConsumedWriteCapacityUnits", Dimensions=dimensions(TableName="Votes"))["MetricAlarms"]
    assert same["AlarmName"] == "busy"
    client.disable_alarm_actions(AlarmNames=["busy"])
    assert not client.describe_alarms(AlarmNamePrefix="bu")["MetricAlarms"][0]["ActionsEnabled"]
    client.enable_alarm_actions(AlarmNames=["busy"])
    history = client.describe_alarm_history(AlarmName="busy", HistoryItemType="StateUpdate")["AlarmHistoryItems"]
    assert history[0]["HistorySummary"].endswith("to ALARM")
    assert json.loads(history[0]["HistoryData"])["newState"]["stateReasonData"] == {"by": "test"}
    client.delete_alarms(AlarmNames=["busy"])
    assert client.describe_alarms()["MetricAlarms"] == []
    assert 'Alarm "busy" deleted' in [item["HistorySummary"] for item in client.describe_alarm_history()["AlarmHistoryItems"]]


ALARM_ARN = "arn:aws:cloudwatch:us-east-1:123456789012:alarm:busy"


def tags_of(client):
    return {tag["Key"]: tag["Value"] for tag in client.list_tags_for_resource(ResourceARN=ALARM_ARN)["Tags"]}


def test_tags_in_each_protocol(server, client):
    """boto3 takes JSON or the form, as its age is. The calls are those that Terraform makes for an alarm."""
    assert refused("ResourceNotFoundException", client.list_tags_for_resource, ResourceARN=ALARM_ARN) == (
        f"The resource {ALARM_ARN} does not exist.")
    client.put_metric_alarm(**alarm(Tags=[{"Key": "team", "Value": "votes"}]))
    assert tags_of(client) == {"team": "votes"}
    client.put_metric_alarm(**alarm(Tags=[{"Key": "ignored", "Value": "as in AWS"}]))
    client.tag_resource(ResourceARN=ALARM_ARN, Tags=[{"Key": "stage", "Value": ""}])
    assert tags_of(client) == {"team": "votes", "stage": ""}
    client.untag_resource(ResourceARN=ALARM_ARN, TagKeys=["team"])
    assert by_json(server, "TagResource", {"ResourceARN": ALARM_ARN, "Tags": [{"Key": "json", "Value": "1"}]})[::2] == (200, b"{}")
    tagged = by_cbor(server, "TagResource", cbor({"ResourceARN": ALARM_ARN, "Tags": [{"Key": "cbor", "Value": "2"}]}))
    assert tagged[::2] == (200, b"\xa0")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    status, _, body = post(server, urllib.parse.urlencode({
        "Action": "TagResource", "Version": "2010-08-01", "ResourceARN": ALARM_ARN,
        "Tags.member.1.Key": "form", "Tags.member.1.Value": "3"}), form)
    assert (status, b"<TagResourceResult></TagResourceResult>" in body) == (200, True), body
    status, _, body = post(server, urllib.parse.urlencode({
        "Action": "UntagResource", "Version": "2010-08-01", "ResourceARN": ALARM_ARN, "TagKeys.member.1": "stage"}), form)
    assert (status, b"<UntagResourceResult>" in body) == (200, True), body
    _, _, body = by_cbor(server, "ListTagsForResource", cbor({"ResourceARN": ALARM_ARN}))
    assert of_cbor(body)[0] == {"Tags": [{"Key": key, "Value": value} for key, value in
                                         [("cbor", "2"), ("form", "3"), ("json", "1")]]}
    status, headers, _ = by_json(server, "ListTagsForResource", {"ResourceARN": ALARM_ARN + "x"})
    assert (status, headers["x-amzn-query-error"]) == (404, "ResourceNotFoundException;Sender")
    assert refused("InvalidParameterValue", client.list_tags_for_resource, ResourceARN="busy").endswith(":alarm:NAME.")
    client.delete_alarms(AlarmNames=["busy"])


def test_an_alarm_through_cbor(server, client):
    """The very bytes of Go's SDK for an alarm without a metric, and a whole one."""
    bare = bytes.fromhex("bf69416c61726d4e616d65616172436f6d70617269736f6e4f70657261746f7274477265617465725468616e546872657368"
                         "6f6c64714576616c756174696f6e506572696f647302695468726573686f6c64fb4045400000000000ff")
    status, headers, body = by_cbor(server, "PutMetricAlarm", bare)
    assert (status, headers["x-amzn-query-error"]) == (400, "MissingParameter;Sender"), body
    assert of_cbor(body)[0]["message"] == "The parameter Namespace is required."
    assert by_cbor(server, "PutMetricAlarm", cbor(alarm(Threshold=42.5, EvaluationPeriods=2)))[::2] == (200, b"\xa0")
    (found,) = client.describe_alarms(AlarmNames=["busy"])["MetricAlarms"]
    assert (found["Threshold"], found["EvaluationPeriods"]) == (42.5, 2)
    client.delete_alarms(AlarmNames=["busy"])


def test_parameters_are_checked(client):
    assert refused("InvalidParameterCombination", client.get_metric_statistics, Namespace="AWS/DynamoDB", MetricName="x",
                   Period=60, Statistics=["Sum"], StartTime=2, EndTime=1) == (
        "The parameter StartTime must be less than the parameter EndTime.")
    assert refused("InvalidParameterValue", client.get_metric_statistics, Namespace="AWS/DynamoDB", MetricName="x",
                   Period=90, Statistics=["Sum"], StartTime=1, EndTime=2) == "The parameter Period must be a multiple of 60."
    assert refused("InvalidParameterValue", client.put_metric_alarm, **alarm(Tags=[{"Key": "aws:a", "Value": "b"}])) == (
        "The parameter Tags must not have keys that begin with aws:.")
    assert refused("InvalidNextToken", client.describe_alarms, NextToken="?") == "The NextToken is invalid."


def test_the_command_line(server):
    aws = shutil.which("aws")
    if aws is None:
        pytest.skip("the AWS CLI is not installed")
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "secret",
                   "AWS_DEFAULT_REGION": "us-east-1", "AWS_PAGER": ""}
    when = span()
    command = [aws, "cloudwatch", "get-metric-data", "--endpoint-url", server.url, "--output", "json",
               "--metric-data-queries", json.dumps(queries()),
               "--start-time", when["StartTime"].isoformat(), "--end-time", when["EndTime"].isoformat()]
    found = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    (rate,) = json.loads(found.stdout)["MetricDataResults"]
    assert round(sum(rate["Values"]) * 60, 6) == 7
    missing = subprocess.run([aws, "cloudwatch", "delete-alarms", "--alarm-names", "nothing", "--endpoint-url", server.url],
                             env=environment, capture_output=True, text=True)
    assert "ResourceNotFound" in missing.stderr


def check_policies_of_tags(root, ann):
    votes, secret = {"Key": "team", "Value": "votes"}, {"Key": "secret", "Value": "x"}
    arn = "arn:aws:cloudwatch:us-east-1:123456789012:alarm:mine-1"
    message = refused("AccessDenied", ann.put_metric_alarm, **alarm(AlarmName="mine-2", Tags=[{"Key": "a", "Value": "b"}]))
    assert "cloudwatch:TagResource on resource: arn:aws:cloudwatch:us-east-1:123456789012:alarm:mine-2" in message
    ann.put_metric_alarm(**alarm(AlarmName="mine-2", Tags=[votes]))
    ann.tag_resource(ResourceARN=arn, Tags=[votes])
    refused("AccessDenied", ann.tag_resource, ResourceARN=arn, Tags=[votes, secret])
    refused("AccessDenied", ann.untag_resource, ResourceARN=arn, TagKeys=["team"])
    refused("AccessDenied", ann.list_tags_for_resource, ResourceARN=arn)
    root.tag_resource(ResourceARN=arn, Tags=[{"Key": "kept", "Value": "yes"}])
    refused("AccessDenied", ann.delete_alarms, AlarmNames=["mine-2", "mine-1"])
    ann.delete_alarms(AlarmNames=["mine-2"])


def test_managed_policies(tmp_path):
    """AWS's policies for DynamoDB, which also allow some calls of CloudWatch and of auto scaling."""
    credentials = tmp_path / "credentials"
    credentials.write_text("[root]\naws_access_key_id = AKIAROOT\naws_secret_access_key = the secret of the root\n")
    with running_server(in_memory=True, extra_args=["--credentials", str(credentials)]) as server:
        import boto3

        root = {"endpoint_url": server.url, "region_name": "us-east-1", "aws_access_key_id": "AKIAROOT",
                "aws_secret_access_key": "the secret of the root"}
        iam = boto3.client("iam", **root)
        for name, changes in [("AmazonDynamoDBReadOnlyAccess", False), ("AmazonDynamoDBFullAccess", True)]:
            iam.create_user(UserName=name)
            iam.attach_user_policy(UserName=name, PolicyArn="arn:aws:iam::aws:policy/" + name)
            key = iam.create_access_key(UserName=name)["AccessKey"]
            keys = {"aws_access_key_id": key["AccessKeyId"], "aws_secret_access_key": key["SecretAccessKey"]}
            metrics = cloudwatch(server, key["AccessKeyId"], key["SecretAccessKey"])
            scaling = boto3.client("application-autoscaling", **{**root, **keys})
            wait_until(lambda: allowed(metrics.list_metrics))
            metrics.describe_alarms()
            scaling.describe_scaling_policies(ServiceNamespace="dynamodb")
            assert allowed(lambda: metrics.put_metric_alarm(**alarm())) == changes
            missing = {"ServiceNamespace": "dynamodb", "ResourceId": "table/Votes",
                       "ScalableDimension": "dynamodb:table:ReadCapacityUnits"}
            code = "ObjectNotFoundException" if changes else "AccessDeniedException"
            refused(code, scaling.deregister_scalable_target, **missing)
            refused("AccessDenied", metrics.set_alarm_state, AlarmName="busy", StateValue="OK", StateReason="x")


def test_policies(tmp_path):
    credentials = tmp_path / "credentials"
    credentials.write_text("[root]\naws_access_key_id = AKIAROOT\naws_secret_access_key = the secret of the root\n")
    with running_server(in_memory=True, extra_args=["--credentials", str(credentials)]) as server:
        import boto3

        root = {"endpoint_url": server.url, "region_name": "us-east-1", "aws_access_key_id": "AKIAROOT",
                "aws_secret_access_key": "the secret of the root"}
        iam = boto3.client("iam", **root)
        iam.create_user(UserName="ann")
        key = iam.create_access_key(UserName="ann")["AccessKey"]
        iam.put_user_policy(UserName="ann", PolicyName="some", PolicyDocument=json.dumps({
            "Version": "2012-10-17", "Statement": [
                {"Effect": "Allow", "Action": ["cloudwatch:ListMetrics", "cloudwatch:DescribeAlarms"], "Resource": "*"},
                {"Effect": "Allow", "Action": ["cloudwatch:PutMetricAlarm", "cloudwatch:DeleteAlarms"],
                 "Resource": "arn:aws:cloudwatch:*:*:alarm:mine-*"},
                {"Effect": "Allow", "Action": "cloudwatch:TagResource", "Resource": "*",
                 "Condition": {"StringEquals": {"aws:RequestTag/team": "votes"}}},
                {"Effect": "Deny", "Action": ["cloudwatch:DeleteAlarms", "cloudwatch:ListTagsForResource"], "Resource": "*",
                 "Condition": {"StringEquals": {"aws:ResourceTag/kept": "yes"}}},
                {"Effect": "Deny", "Action": "cloudwatch:TagResource", "Resource": "*",
                 "Condition": {"ForAnyValue:StringEquals": {"aws:TagKeys": "secret"}}}]}))
        ann = cloudwatch(server, key["AccessKeyId"], key["SecretAccessKey"])
        wait_until(lambda: allowed(ann.list_metrics))
        ann.put_metric_alarm(**alarm(AlarmName="mine-1"))
        message = refused("AccessDenied", ann.put_metric_alarm, **alarm(AlarmName="yours-1"))
        assert "cloudwatch:PutMetricAlarm on resource: arn:aws:cloudwatch:us-east-1:123456789012:alarm:yours-1" in message
        check_policies_of_tags(cloudwatch(server, "AKIAROOT", "the secret of the root"), ann)
        assert refused("InvalidClientTokenId", cloudwatch(server, "AKIANOBODY", "x").list_metrics)


def allowed(call):
    try:
        call()
        return True
    except ClientError:
        return False


def test_a_signature_is_of_one_service(server):
    status, headers, body = by_json(server, "ListMetrics", {}, service="dynamodb")
    assert status == 400
    assert "Credential should be scoped to correct service: 'monitoring'." in json.loads(body)["message"]
    headers = {"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/x-amz-json-1.0"}
    assert post(server, "{}", headers)[0] == 400


def test_namespaces_have_no_metrics():
    with running_server(in_memory=True, extra_args=["--namespaces", "header"]) as server:
        space = {"X-Partita-Namespace": "ann"}
        headers = {"X-Amz-Target": "GraniteServiceVersion20100801.ListMetrics", "Content-Type": "application/x-amz-json-1.0"}
        server.client().list_tables()
        status, _, body = post(server, "{}", {**headers, **space})
        assert status == 400
        assert json.loads(body)["message"] == "CloudWatch is served for the default database only, not for namespaces."
        assert post(server, "{}", headers)[0] == 200
