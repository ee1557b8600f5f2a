"""Application Auto Scaling for tables and global indexes, through boto3 and byte for byte."""

import datetime
import re
import time

import boto3
import client
import pytest
from botocore.config import Config
from client import call, call_scaling, ok, ok_scaling, one, unsatisfied
from tables import fresh_table

op = pytest.mark.op
READS, WRITES = "dynamodb:table:ReadCapacityUnits", "dynamodb:table:WriteCapacityUnits"
INDEX_READS = "dynamodb:index:ReadCapacityUnits"
UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
ALARMS = ["AlarmHigh", "AlarmLow", "ProvisionedCapacityHigh", "ProvisionedCapacityLow"]


@pytest.fixture(scope="module")
def scaling():
    return boto3.client(
        "application-autoscaling",
        endpoint_url=client.endpoint().geturl(),
        region_name=client.region(),
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(retries={"max_attempts": 1}),
    )


@pytest.fixture
def table(new_table):
    index = {
        "IndexName": "ByYear",
        "KeySchema": [{"AttributeName": "year", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
        "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
    }
    definition = {
        "TableName": fresh_table("scaled"),
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "year", "AttributeType": "N"},
        ],
        "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
        "GlobalSecondaryIndexes": [index],
    }
    return new_table(definition)["TableName"]


@pytest.fixture
def units(scaling, table):
    """The parameters that name the table's write units. What is registered for the table is removed afterwards."""
    yield {"ServiceNamespace": "dynamodb", "ResourceId": f"table/{table}", "ScalableDimension": WRITES}
    for resource in (f"table/{table}", f"table/{table}/index/ByYear"):
        found = scaling.describe_scalable_targets(ServiceNamespace="dynamodb", ResourceIds=[resource])
        for target in found["ScalableTargets"]:
            named = ("ServiceNamespace", "ResourceId", "ScalableDimension")
            scaling.deregister_scalable_target(**{name: target[name] for name in named})


def tracking(value=70.0, metric="DynamoDBWriteCapacityUtilization", **more):
    return {"TargetValue": value, "PredefinedMetricSpecification": {"PredefinedMetricType": metric}, **more}


def policy(units, name="follow", **more):
    return {**units, "PolicyName": name, "PolicyType": "TargetTrackingScaling", **more}


def waited(answers, seconds=10):
    """What `answers` returns, as soon as it is true."""
    end = time.monotonic() + seconds
    while not (answer := answers()):
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.05)
    return answer


def write_units(table):
    return ok("DescribeTable", TableName=table)["Table"]["ProvisionedThroughput"]["WriteCapacityUnits"]


def refused(operation, body, name, text=None):
    reply = call_scaling(operation, body)
    assert (reply.status, reply.type) == (400, name), reply
    if text is not None:
        assert reply.message == text, reply
    assert reply.body["message"] == reply.body["Message"], reply
    return reply


# Older SDKs do not know the ARN of a target.
@op("RegisterScalableTarget", "DescribeScalableTargets", "DeregisterScalableTarget")
def test_a_target_is_registered_changed_and_removed(scaling, units):
    arn = ok_scaling("RegisterScalableTarget", **units, MinCapacity=5, MaxCapacity=20)["ScalableTargetARN"]
    assert re.fullmatch(r"arn:aws:application-autoscaling:[a-z0-9-]+:\d{12}:scalable-target/[0-9a-f]{34}", arn)
    named = {"ServiceNamespace": "dynamodb", "ResourceIds": [units["ResourceId"]]}
    [target] = ok_scaling("DescribeScalableTargets", **named)["ScalableTargets"]
    assert abs(target.pop("CreationTime") - time.time()) < 300
    assert target.pop("RoleARN").endswith("AWSServiceRoleForApplicationAutoScaling_DynamoDBTable")
    running = dict.fromkeys(("DynamicScalingInSuspended", "DynamicScalingOutSuspended", "ScheduledScalingSuspended"), False)
    assert target == {**units, "ScalableTargetARN": arn, "MinCapacity": 5, "MaxCapacity": 20, "SuspendedState": running}
    scaling.register_scalable_target(**units, MaxCapacity=30, SuspendedState={"DynamicScalingInSuspended": True})
    [target] = ok_scaling("DescribeScalableTargets", **named, ScalableDimension=WRITES)["ScalableTargets"]
    assert (target["ScalableTargetARN"], target["MinCapacity"], target["MaxCapacity"]) == (arn, 5, 30)
    assert target["SuspendedState"] == {**running, "DynamicScalingInSuspended": True}
    scaling.deregister_scalable_target(**units)
    assert scaling.describe_scalable_targets(**named)["ScalableTargets"] == []


@op("RegisterScalableTarget", "DescribeScalingActivities")
def test_the_minimum_takes_effect_at_once(scaling, units, table):
    scaling.register_scalable_target(**units, MinCapacity=10, MaxCapacity=20)
    waited(lambda: write_units(table) == 10)

    def ended():
        named = {name: units[name] for name in ("ServiceNamespace", "ResourceId")}
        found = scaling.describe_scaling_activities(**named)["ScalingActivities"]
        return found if found and found[0]["StatusCode"] != "InProgress" else None

    [activity] = waited(ended)
    assert re.fullmatch(UUID, activity.pop("ActivityId"))
    assert activity.pop("StartTime") <= activity.pop("EndTime")
    assert activity == {
        **units,
        "Description": "Setting write capacity units to 10.",
        "Cause": "minimum capacity was set to 10",
        "StatusCode": "Successful",
        "StatusMessage": "Successfully set write capacity units to 10. Change successfully fulfilled by dynamodb.",
    }


@op("RegisterScalableTarget")
def test_an_index_has_units_of_its_own(scaling, units, table):
    index = {**units, "ResourceId": f"table/{table}/index/ByYear", "ScalableDimension": INDEX_READS}
    scaling.register_scalable_target(**index, MinCapacity=7, MaxCapacity=20)

    def read_units():
        [described] = ok("DescribeTable", TableName=table)["Table"]["GlobalSecondaryIndexes"]
        return described["ProvisionedThroughput"]["ReadCapacityUnits"]

    waited(lambda: read_units() == 7)
    assert write_units(table) == 5


@op("PutScalingPolicy", "DescribeScalingPolicies", "DeleteScalingPolicy")
def test_a_policy_is_put_described_and_deleted(scaling, units):
    scaling.register_scalable_target(**units, MinCapacity=5, MaxCapacity=20)
    put = scaling.put_scaling_policy(**policy(units, TargetTrackingScalingPolicyConfiguration=tracking()))
    resource = units["ResourceId"]
    assert re.fullmatch(
        rf"arn:aws:autoscaling:[a-z0-9-]+:\d{{12}}:scalingPolicy:{UUID}:resource/dynamodb/{resource}:policyName/follow",
        put["PolicyARN"],
    )
    for alarm, word in zip(put["Alarms"], ALARMS, strict=True):
        assert re.fullmatch(f"TargetTracking-{resource}-{word}-{UUID}", alarm["AlarmName"])
        assert re.fullmatch(rf"arn:aws:cloudwatch:[a-z0-9-]+:\d{{12}}:alarm:{alarm['AlarmName']}", alarm["AlarmARN"])
    [described] = scaling.describe_scaling_policies(ServiceNamespace="dynamodb", PolicyNames=["follow"], ResourceId=resource)[
        "ScalingPolicies"
    ]
    assert isinstance(described.pop("CreationTime"), datetime.datetime)
    put.pop("ResponseMetadata")
    configuration = {"TargetTrackingScalingPolicyConfiguration": tracking()}
    assert described == {**policy(units, **configuration), **put}
    # Cooldowns are shown only if they were given. The name is the policy's identity.
    more = tracking(50.5, ScaleInCooldown=60, ScaleOutCooldown=0, DisableScaleIn=True)
    again = scaling.put_scaling_policy(**policy(units, TargetTrackingScalingPolicyConfiguration=more))
    assert again["PolicyARN"] == put["PolicyARN"]
    [described] = scaling.describe_scaling_policies(ServiceNamespace="dynamodb", ResourceId=resource)["ScalingPolicies"]
    assert described["TargetTrackingScalingPolicyConfiguration"] == more
    scaling.delete_scaling_policy(**{**units, "PolicyName": "follow"})
    assert scaling.describe_scaling_policies(ServiceNamespace="dynamodb", ResourceId=resource)["ScalingPolicies"] == []


@op("PutScheduledAction", "DescribeScheduledActions", "DeleteScheduledAction", "DescribeScalingActivities")
def test_a_scheduled_action_sets_the_bounds(scaling, units, table):
    scaling.register_scalable_target(**units, MinCapacity=5, MaxCapacity=20)
    due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=3)
    bounds = {"MinCapacity": 15, "MaxCapacity": 20}
    once = {"ScheduledActionName": "once", "Schedule": f"at({due:%Y-%m-%dT%H:%M:%S})", "ScalableTargetAction": bounds}
    scaling.put_scheduled_action(**units, **once, Timezone="UTC")
    named = {name: units[name] for name in ("ServiceNamespace", "ResourceId")}
    [action] = scaling.describe_scheduled_actions(**named, ScheduledActionNames=["once"])["ScheduledActions"]
    assert isinstance(action.pop("CreationTime"), datetime.datetime)
    assert re.fullmatch(
        rf"arn:aws:autoscaling:[a-z0-9-]+:\d{{12}}:scheduledAction:{UUID}:resource/dynamodb/{units['ResourceId']}"
        ":scheduledActionName/once",
        action.pop("ScheduledActionARN"),
    )
    assert action == {**units, **once, "Timezone": "UTC"}
    waited(lambda: write_units(table) == 15)
    found = scaling.describe_scaling_activities(**named)["ScalingActivities"]
    assert [activity["Cause"] for activity in found] == [
        "minimum capacity was set to 15",
        "scheduled action name once was triggered",
    ]
    assert found[1]["Description"] == "Setting min capacity to 15 and max capacity to 20"
    assert found[1]["StatusMessage"] == "Successfully set min capacity to 15 and max capacity to 20"
    scaling.delete_scheduled_action(**units, ScheduledActionName="once")
    assert scaling.describe_scheduled_actions(**named)["ScheduledActions"] == []


@op("AutoScaling.TagResource", "AutoScaling.UntagResource", "ListTagsForResource")
def test_tags(units):
    bounds = {"MinCapacity": 5, "MaxCapacity": 20}
    arn = ok_scaling("RegisterScalableTarget", **units, **bounds, Tags={"a": "1"})["ScalableTargetARN"]
    assert ok_scaling("TagResource", ResourceARN=arn, Tags={"a": "2", "b": ""}) == {}
    assert ok_scaling("ListTagsForResource", ResourceARN=arn) == {"Tags": {"a": "2", "b": ""}}
    assert ok_scaling("UntagResource", ResourceARN=arn, TagKeys=["a", "c"]) == {}
    assert ok_scaling("ListTagsForResource", ResourceARN=arn) == {"Tags": {"b": ""}}
    many = {"ResourceARN": arn, "Tags": {str(i): "" for i in range(50)}}
    refused("TagResource", many, "TooManyTagsException", "A scalable target can have at most 50 tags")
    for long in ({"k" * 129: ""}, {"": ""}, {"k": "v" * 257}):
        refused("TagResource", {"ResourceARN": arn, "Tags": long}, "ValidationException")
    unknown = {"ResourceARN": arn[:-5] + "00000"}
    refused("ListTagsForResource", unknown, "ResourceNotFoundException", "The specified resource doesn't exist.")


@op("DescribeScalableTargets", "DescribeScalingPolicies", "DescribeScheduledActions")
def test_pages(scaling, units, table):
    for dimension in (READS, WRITES):
        target = {**units, "ScalableDimension": dimension}
        scaling.register_scalable_target(**target, MinCapacity=5, MaxCapacity=20)
        for name in "abc":
            scaling.put_scheduled_action(
                **target, ScheduledActionName=name, Schedule="rate(1 day)", ScalableTargetAction={"MinCapacity": 5}
            )
    paginator = scaling.get_paginator("describe_scheduled_actions")
    named = {"ServiceNamespace": "dynamodb", "ResourceId": units["ResourceId"]}
    pages = list(paginator.paginate(**named, PaginationConfig={"PageSize": 4}))
    assert [len(page["ScheduledActions"]) for page in pages] == [4, 2]
    names = [(one["ScalableDimension"], one["ScheduledActionName"]) for page in pages for one in page["ScheduledActions"]]
    assert names == [(dimension, name) for dimension in (READS, WRITES) for name in "abc"]
    first = scaling.describe_scalable_targets(ServiceNamespace="dynamodb", ResourceIds=[units["ResourceId"]], MaxResults=1)
    rest = scaling.describe_scalable_targets(
        ServiceNamespace="dynamodb", ResourceIds=[units["ResourceId"]], NextToken=first["NextToken"]
    )
    assert [one["ScalableDimension"] for page in (first, rest) for one in page["ScalableTargets"]] == [READS, WRITES]
    assert "NextToken" not in rest
    with pytest.raises(scaling.exceptions.InvalidNextTokenException):
        scaling.describe_scaling_policies(ServiceNamespace="dynamodb", NextToken="x")


@op("DescribeScalableTargets", "DescribeScalingPolicies", "DescribeScheduledActions", "DescribeScalingActivities")
def test_nothing_of_other_services(scaling):
    assert scaling.describe_scalable_targets(ServiceNamespace="ecs")["ScalableTargets"] == []
    assert scaling.describe_scaling_policies(ServiceNamespace="ecs")["ScalingPolicies"] == []
    assert scaling.describe_scheduled_actions(ServiceNamespace="ecs")["ScheduledActions"] == []
    assert scaling.describe_scaling_activities(ServiceNamespace="ecs")["ScalingActivities"] == []


# --- errors


UNSUPPORTED = "Unsupported service namespace, resource type or scalable dimension"


@op("RegisterScalableTarget")
@pytest.mark.parametrize(
    "change, text",
    [
        ({"ResourceId": "table/T"}, UNSUPPORTED),
        ({"ResourceId": "Music"}, UNSUPPORTED),
        ({"ResourceId": "table/Music/index"}, UNSUPPORTED),
        ({"ScalableDimension": INDEX_READS}, UNSUPPORTED),
        ({"ScalableDimension": "ecs:service:DesiredCount"}, UNSUPPORTED),
        ({"ResourceId": "table/NoSuchTable"}, "DynamoDB table does not exist: table/NoSuchTable"),
        ({"MinCapacity": 21}, "Maximum capacity cannot be less than minimum capacity"),
        ({"MinCapacity": 0}, "Minimum capacity cannot be less than 1"),
        ({"MinCapacity": None}, "MinCapacity and MaxCapacity are required to register a scalable target"),
        ({"ServiceNamespace": "ecs"}, "The service namespace 'ecs' is not served by Partita, which scales tables and indexes of dynamodb."),
    ],
)
def test_a_target_that_is_refused(units, change, text):
    refused("RegisterScalableTarget", {**units, "MinCapacity": 5, "MaxCapacity": 20, **change}, "ValidationException", text)


@op("RegisterScalableTarget")
def test_an_index_that_does_not_exist(units, table):
    index = {"ResourceId": f"table/{table}/index/Other", "ScalableDimension": INDEX_READS}
    text = f"DynamoDB index does not exist: {index['ResourceId']}"
    refused("RegisterScalableTarget", {**units, **index, "MinCapacity": 5, "MaxCapacity": 20}, "ValidationException", text)


@op("RegisterScalableTarget", "DescribeScalableTargets")
def test_constraints_of_the_model(units):
    named = {name: value for name, value in units.items() if name != "ServiceNamespace"}
    text = one(unsatisfied(None, "serviceNamespace", client.NOT_NULL))
    refused("RegisterScalableTarget", named, "ValidationException", text)
    reply = refused("DescribeScalableTargets", {"ServiceNamespace": "x"}, "ValidationException")
    assert reply.message.startswith(one("Value 'x' at 'serviceNamespace' failed to satisfy constraint: Member must satisfy enum value set: ["))
    limits = {"ServiceNamespace": "dynamodb", "MaxResults": 51}
    text = one(unsatisfied(51, "maxResults", "Member must have value less than or equal to 50"))
    refused("DescribeScalableTargets", limits, "ValidationException", text)
    text = one(unsatisfied(2**31, "maxCapacity", "Member must have value less than or equal to 2147483647"))
    refused("RegisterScalableTarget", {**units, "MinCapacity": 1, "MaxCapacity": 2**31}, "ValidationException", text)
    alone = {"ServiceNamespace": "dynamodb", "ScalableDimension": READS}
    refused("DescribeScalableTargets", alone, "ValidationException", "ResourceIds must be specified if ScalableDimension is specified")


@op("PutScalingPolicy", "PutScheduledAction", "DeleteScalingPolicy", "DeleteScheduledAction", "DeregisterScalableTarget")
def test_what_is_not_registered(scaling, units):
    where = f"service namespace: dynamodb, resource ID: {units['ResourceId']}, scalable dimension: {WRITES}"
    no_target = f"No scalable target registered for {where}"
    configuration = {"TargetTrackingScalingPolicyConfiguration": tracking()}
    refused("PutScalingPolicy", policy(units, **configuration), "ObjectNotFoundException", no_target)
    refused("DeregisterScalableTarget", units, "ObjectNotFoundException", no_target)
    action = {"ScheduledActionName": "a", "Schedule": "rate(1 day)", "ScalableTargetAction": {"MinCapacity": 1}}
    refused("PutScheduledAction", {**units, **action}, "ObjectNotFoundException", no_target)
    text = f"No scaling policy found for {where}, policy name: follow"
    refused("DeleteScalingPolicy", {**units, "PolicyName": "follow"}, "ObjectNotFoundException", text)
    text = f"No scheduled action found for {where}, scheduled action name: a"
    refused("DeleteScheduledAction", {**units, "ScheduledActionName": "a"}, "ObjectNotFoundException", text)
    with pytest.raises(scaling.exceptions.ObjectNotFoundException, match="No scalable target registered"):
        scaling.deregister_scalable_target(**units)


@op("PutScalingPolicy")
@pytest.mark.parametrize(
    "change, text",
    [
        ({"PolicyType": "StepScaling"}, "Policies of type StepScaling are not supported for DynamoDB: the policy type must be TargetTrackingScaling"),
        ({"PolicyType": None, "StepScalingPolicyConfiguration": {}}, "Policies of type StepScaling are not supported for DynamoDB: the policy type must be TargetTrackingScaling"),
        ({"TargetTrackingScalingPolicyConfiguration": None}, "TargetTrackingScalingPolicyConfiguration is required to create a scaling policy"),
        ({"TargetTrackingScalingPolicyConfiguration": tracking(19.5)}, "TargetValue must be between 20 and 90 for DynamoDB"),
        ({"TargetTrackingScalingPolicyConfiguration": tracking(91)}, "TargetValue must be between 20 and 90 for DynamoDB"),
        ({"TargetTrackingScalingPolicyConfiguration": {"TargetValue": 70}}, "PredefinedMetricSpecification is required in TargetTrackingScalingPolicyConfiguration"),
        ({"TargetTrackingScalingPolicyConfiguration": {"TargetValue": 70, "CustomizedMetricSpecification": {}}}, "CustomizedMetricSpecification is not served by Partita: use PredefinedMetricSpecification"),
        (
            {"TargetTrackingScalingPolicyConfiguration": tracking(metric="DynamoDBReadCapacityUtilization")},
            f"The predefined metric type DynamoDBReadCapacityUtilization is not valid for the scalable dimension {WRITES}",
        ),
        ({"TargetTrackingScalingPolicyConfiguration": tracking(ScaleInCooldown=-1)}, "ScaleInCooldown must not be negative"),
    ],
)
def test_a_policy_that_is_refused(scaling, units, change, text):
    scaling.register_scalable_target(**units, MinCapacity=5, MaxCapacity=20)
    body = {**policy(units, TargetTrackingScalingPolicyConfiguration=tracking()), **change}
    refused("PutScalingPolicy", body, "ValidationException", text)


@op("PutScalingPolicy")
def test_a_long_label_is_refused(scaling, units):
    scaling.register_scalable_target(**units, MinCapacity=5, MaxCapacity=20)
    configuration = tracking()
    configuration["PredefinedMetricSpecification"]["ResourceLabel"] = "x" * 1024
    body = policy(units, TargetTrackingScalingPolicyConfiguration=configuration)
    refused("PutScalingPolicy", body, "ValidationException")


@op("PutScalingPolicy")
def test_a_second_policy_is_refused(scaling, units):
    scaling.register_scalable_target(**units, MinCapacity=5, MaxCapacity=20)
    scaling.put_scaling_policy(**policy(units, TargetTrackingScalingPolicyConfiguration=tracking()))
    body = policy(units, "second", TargetTrackingScalingPolicyConfiguration=tracking())
    text = "Only one TargetTrackingScaling policy for a given metric specification is allowed."
    refused("PutScalingPolicy", body, "ValidationException", text)


@op("PutScheduledAction")
@pytest.mark.parametrize(
    "change, text",
    [
        ({"Schedule": "daily"}, "Schedule expression 'daily' is not valid: use at(yyyy-mm-ddThh:mm:ss), rate(value unit) or cron(minutes hours day_of_month month day_of_week year)"),
        ({"Schedule": None}, "Schedule, and MinCapacity or MaxCapacity in ScalableTargetAction, are required to create a scheduled action"),
        ({"ScalableTargetAction": {}}, "Schedule, and MinCapacity or MaxCapacity in ScalableTargetAction, are required to create a scheduled action"),
        ({"ScalableTargetAction": {"MinCapacity": 3, "MaxCapacity": 2}}, "Maximum capacity cannot be less than minimum capacity"),
        ({"Timezone": "Europe/Berlin"}, "The time zone 'Europe/Berlin' is not served by Partita: schedules are in UTC"),
        ({"StartTime": 2_000_000_000, "EndTime": 1_999_999_999}, "EndTime must be later than StartTime"),
    ],
)
def test_a_scheduled_action_that_is_refused(scaling, units, change, text):
    scaling.register_scalable_target(**units, MinCapacity=5, MaxCapacity=20)
    action = {"ScheduledActionName": "a", "Schedule": "rate(1 day)", "ScalableTargetAction": {"MinCapacity": 5}}
    refused("PutScheduledAction", {**units, **action, **change}, "ValidationException", text)


@op("DescribeScalableTargets")
def test_the_service_that_a_request_is_signed_for():
    headers = {"X-Amz-Target": "AnyScaleFrontendService.DescribeScalableTargets", "Content-Type": "application/x-amz-json-1.1"}
    reply = call("DescribeScalableTargets", {"ServiceNamespace": "dynamodb"}, headers)
    assert reply.type == "InvalidSignatureException", reply
    assert "Credential should be scoped to correct service: 'application-autoscaling'. " in reply.message


@op("DescribeScalableTargets", "RegisterScalableTarget")
def test_a_fraction_is_no_integer():
    target = {"ServiceNamespace": "dynamodb", "ResourceId": "table/none",
              "ScalableDimension": "dynamodb:table:ReadCapacityUnits", "MinCapacity": 1.5, "MaxCapacity": 2}
    refused("RegisterScalableTarget", target, "SerializationException")
    refused("DescribeScalableTargets", {"ServiceNamespace": "dynamodb", "MaxResults": 1.5}, "SerializationException")


@op("DescribeScalableTargets")
def test_content_types():
    reply = call_scaling("DescribeScalableTargets", {"ServiceNamespace": "dynamodb", "ResourceIds": ["table/None"]})
    assert reply.status == 200, reply
    assert reply.headers["content-type"] == "application/x-amz-json-1.1"
    assert reply.body == {"ScalableTargets": []}
    assert refused("DescribeScalableTargets", {}, "ValidationException").headers["content-type"] == "application/x-amz-json-1.1"
