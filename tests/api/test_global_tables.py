"""Global tables of version 2017.11.29, which AWS no longer makes, and the auto scaling of replicas, of which there are none."""

import pytest
from client import INVALID, NAME_PATTERN, NOT_FOUND, NOT_NULL, SERIALIZATION, VALIDATION
from client import at_least, at_most, enum, expect_error, ok, one, region, several, unsatisfied
from tables import ABSENT, HASH

op = pytest.mark.op
NO_GLOBAL_TABLE = "GlobalTableNotFoundException"
RETIRED = (
    INVALID + "DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables "
    "version 2019.11.21, instead of version 2017.11.29 (Legacy).")
BARE = INVALID.removesuffix(": ")
EAST, WEST = {"RegionName": "us-east-1"}, {"RegionName": "us-west-2"}
ADD, REMOVE = {"Create": WEST}, {"Delete": WEST}
FULL = {"MinimumUnits": 1, "MaximumUnits": 9, "ScalingPolicyUpdate": {"TargetTrackingScalingPolicyConfiguration": {"TargetValue": 70.5}}}
NAMED = ("CreateGlobalTable", "UpdateGlobalTable", "DescribeGlobalTable", "DescribeGlobalTableSettings", "UpdateGlobalTableSettings")
REST = {"CreateGlobalTable": {"ReplicationGroup": [EAST]}, "UpdateGlobalTable": {"ReplicaUpdates": [REMOVE]}}
SCALING = ("DescribeTableReplicaAutoScaling", "UpdateTableReplicaAutoScaling")


def arn(name):
    return f"arn:aws:dynamodb:{region()}:123456789012:table/{name}"


def not_found(name):
    return f"Global table with name: '{name}' does not exist."


def scaling_failed(name, why):
    return f"Failed to update settings for global table with name: \u2018{name}\u2019{why}"


@op("CreateGlobalTable")
@pytest.mark.parametrize("name", [HASH, ABSENT])
def test_no_global_table_of_2017_is_made(name):
    expect_error("CreateGlobalTable", {"GlobalTableName": name, "ReplicationGroup": [EAST, WEST]}, VALIDATION, RETIRED)
    expect_error("DescribeGlobalTable", {"GlobalTableName": name}, NO_GLOBAL_TABLE)
    assert ok("ListGlobalTables") == {"GlobalTables": []}


@op("CreateGlobalTable")
def test_a_replication_group_is_looked_at_first():
    group = {"GlobalTableName": HASH, "ReplicationGroup": []}
    expect_error("CreateGlobalTable", group, VALIDATION, INVALID + "Global table must have atleast one replica")
    nowhere = INVALID + "ReplicationGroup members must specify RegionName"
    for replicas in ([{}], [EAST, {}], [{"RegionName": None}]):
        expect_error("CreateGlobalTable", group | {"ReplicationGroup": replicas}, VALIDATION, nowhere)


@op("UpdateGlobalTable")
@pytest.mark.parametrize("name", [HASH, ABSENT])
def test_a_replica_of_2017_is_neither_added_nor_removed(name):
    def update(*changes):
        return {"GlobalTableName": name, "ReplicaUpdates": list(changes)}

    expect_error("UpdateGlobalTable", update(ADD), VALIDATION, RETIRED)
    expect_error("UpdateGlobalTable", update(REMOVE, ADD), VALIDATION, RETIRED)
    expect_error("UpdateGlobalTable", update(REMOVE), NO_GLOBAL_TABLE, not_found(name))
    for changes in ((), ({},), (ADD, {})):
        expect_error("UpdateGlobalTable", update(*changes), VALIDATION, BARE)
    both = INVALID + "A ReplicaUpdate structure cannot contain both a create replica action and a delete replica action"
    expect_error("UpdateGlobalTable", update(ADD | REMOVE), VALIDATION, both)


@op("DescribeGlobalTable", "DescribeGlobalTableSettings", "UpdateGlobalTableSettings")
@pytest.mark.parametrize("name", [HASH, ABSENT])
def test_no_global_table_of_2017_is_found(name):
    named = {"GlobalTableName": name}
    expect_error("DescribeGlobalTable", named, NO_GLOBAL_TABLE, "Global table not found: " + not_found(name))
    expect_error("DescribeGlobalTableSettings", named, NO_GLOBAL_TABLE, not_found(name))
    replica = WEST | {"ReplicaProvisionedReadCapacityUnits": 5, "ReplicaTableClass": "STANDARD"}
    index = {"IndexName": "by_owner", "ProvisionedWriteCapacityAutoScalingSettingsUpdate": FULL}
    for settings in ({}, {"GlobalTableBillingMode": "PAY_PER_REQUEST"}, {"ReplicaSettingsUpdate": [replica]},
                     {"GlobalTableGlobalSecondaryIndexSettingsUpdate": [index]}):
        expect_error("UpdateGlobalTableSettings", named | settings, NO_GLOBAL_TABLE, not_found(name))


@op("ListGlobalTables")
@pytest.mark.parametrize("asked", [{}, {"RegionName": "us-east-1"}, {"Limit": 1}, {"ExclusiveStartGlobalTableName": HASH}])
def test_no_global_table_is_listed(asked):
    assert ok("ListGlobalTables", **asked) == {"GlobalTables": []}


@pytest.mark.parametrize("operation", NAMED)
def test_the_name_of_a_global_table(operation):
    rules = {None: NOT_NULL, "a": at_least(3), "x" * 256: at_most(255), "a b c": NAME_PATTERN, arn(HASH): NAME_PATTERN}
    for name, rule in rules.items():
        named = {} if name is None else {"GlobalTableName": name}
        expect_error(operation, REST.get(operation, {}) | named, VALIDATION, one(unsatisfied(name, "globalTableName", rule)))
    expect_error(operation, {"GlobalTableName": 1}, SERIALIZATION)


@op("CreateGlobalTable", "UpdateGlobalTable", "ListGlobalTables", "UpdateGlobalTableSettings")
def test_what_does_not_fit_the_model_is_told_first():
    def wrong(operation, parameters, *faults):
        expect_error(operation, parameters, VALIDATION, one(faults[0]) if len(faults) == 1 else several(*faults))

    name = {"GlobalTableName": HASH}
    wrong("CreateGlobalTable", {}, unsatisfied(None, "globalTableName", NOT_NULL), unsatisfied(None, "replicationGroup", NOT_NULL))
    wrong("UpdateGlobalTable", name, unsatisfied(None, "replicaUpdates", NOT_NULL))
    nowhere = unsatisfied(None, "replicaUpdates.1.member.create.regionName", NOT_NULL)
    wrong("UpdateGlobalTable", name | {"ReplicaUpdates": [{"Create": {}}]}, nowhere)
    wrong("ListGlobalTables", {"Limit": 0}, unsatisfied(0, "limit", "Member must have value greater than or equal to 1"))
    wrong("UpdateGlobalTableSettings", name | {"GlobalTableBillingMode": "FREE"},
          unsatisfied("FREE", "globalTableBillingMode", enum("PROVISIONED", "PAY_PER_REQUEST")))


@pytest.mark.parametrize("operation", SCALING)
@pytest.mark.parametrize("name", [HASH, ABSENT])
def test_no_table_has_replicas_that_scale(operation, name):
    asked = {"ProvisionedWriteCapacityAutoScalingUpdate": FULL} if operation.startswith("Update") else {}
    for given in (name, arn(name)):
        expect_error(operation, {"TableName": given} | asked, NOT_FOUND, not_found(name))
    expect_error(operation, asked, VALIDATION, "The parameter 'TableName' is required but was not present in the request")


@op("UpdateTableReplicaAutoScaling")
@pytest.mark.parametrize("name", [HASH, ABSENT])
def test_the_scaling_of_replicas_is_checked_before_the_table_is_looked_for(name):
    def update(why, **parameters):
        sent = {"TableName": name} | parameters
        if why is None:
            expect_error("UpdateTableReplicaAutoScaling", sent, NOT_FOUND, not_found(name))
        else:
            expect_error("UpdateTableReplicaAutoScaling", sent, VALIDATION, scaling_failed(name, why))

    def reads(given):
        return {"ReplicaUpdates": [WEST | {"ReplicaProvisionedReadCapacityAutoScalingUpdate": given}]}

    places = [
        lambda given: {"ProvisionedWriteCapacityAutoScalingUpdate": given},
        lambda given: {"GlobalSecondaryIndexUpdates": [{"IndexName": "any", "ProvisionedWriteCapacityAutoScalingUpdate": given}]},
        reads,
        lambda given: {"ReplicaUpdates": [WEST | {"ReplicaGlobalSecondaryIndexUpdates": [
            {"IndexName": "any", "ProvisionedReadCapacityAutoScalingUpdate": given}]}]},
    ]
    required = ": Parameters {} are required unless auto scaling is being disabled.".format
    blank = ": Parameters {} must be left blank when disabling auto scaling.".format
    everything = "'MaximumUnits', 'ScalingPolicyUpdate', 'MinimumUnits'"
    off = {"AutoScalingDisabled": True}
    policy = {"ScalingPolicyUpdate": FULL["ScalingPolicyUpdate"]}
    for place in places:
        update(None, **place(FULL))
        update(None, **place(FULL | {"AutoScalingDisabled": False}))
        update(None, **place(off))
        update(required(everything), **place({}))
        update(required(everything), **place({"AutoScalingDisabled": False}))
        update(required("'ScalingPolicyUpdate'"), **place({"MinimumUnits": 1, "MaximumUnits": 9}))
        update(required("'MaximumUnits', 'MinimumUnits'"), **place(policy))
        update(blank(everything), **place(off | FULL))
        update(blank("'MinimumUnits'"), **place(off | {"MinimumUnits": 1}))
    update(" because at least one update parameter must be specified.")
    nothing = " because at least one update parameter must be specified for region: \u2018us-west-2\u2019."
    update(nothing, ReplicaUpdates=[WEST])
    update(nothing, ReplicaUpdates=[WEST | {"ReplicaGlobalSecondaryIndexUpdates": []}])
    twice = [*reads(FULL)["ReplicaUpdates"], *reads(off)["ReplicaUpdates"]]
    update(" because the regions: \u2018[us-west-2]\u2019 were specified more than once.", ReplicaUpdates=twice)
    update(None, ReplicaUpdates=[twice[0], twice[1] | EAST])


@op("UpdateTableReplicaAutoScaling")
def test_the_shape_of_scaling_comes_before_its_sense():
    empty = {"TableName": HASH, "ReplicaUpdates": []}
    expect_error("UpdateTableReplicaAutoScaling", empty, VALIDATION, one(unsatisfied("[]", "replicaUpdates", at_least(1))))
    low = {"TableName": HASH, "ProvisionedWriteCapacityAutoScalingUpdate": {"MinimumUnits": 0}}
    where = "provisionedWriteCapacityAutoScalingUpdate.minimumUnits"
    expect_error("UpdateTableReplicaAutoScaling", low, VALIDATION, one(unsatisfied(0, where, "Member must have value greater than or equal to 1")))
