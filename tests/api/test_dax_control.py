"""DAX's control API: a cluster, its groups, events and tags, through boto3. The server has one cluster at most."""

import datetime
import time

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from client import call_dax, endpoint, region

op = pytest.mark.op
ROLE = "arn:aws:iam::123456789012:role/dax"
GROUP, SUBNETS = "suite-parameters", "suite-subnets"


@pytest.fixture(scope="module")
def dax(shared_tables):
    return boto3.client("dax", endpoint_url=endpoint().geturl(), region_name=region(), aws_access_key_id="key",
                        aws_secret_access_key="secret", config=Config(retries={"max_attempts": 0}))


def refused(code, call, **parameters):
    with pytest.raises(ClientError) as error:
        call(**parameters)
    assert error.value.response["Error"]["Code"] == code, error.value
    return error.value.response["Error"]["Message"]


def cluster_of(dax, name):
    [cluster] = dax.describe_clusters(ClusterNames=[name])["Clusters"]
    return cluster


def wait_available(dax, name):
    """As Terraform waits: until the status is available, whatever it was before that."""
    deadline = time.monotonic() + 10
    while (found := cluster_of(dax, name))["Status"] != "available":
        assert found["Status"] in ("creating", "modifying")
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found


def wait_gone(dax, name):
    deadline = time.monotonic() + 10
    while True:
        try:
            assert cluster_of(dax, name)["Status"] == "deleting"
        except ClientError as error:
            assert error.response["Error"]["Code"] == "ClusterNotFoundFault"
            return
        assert time.monotonic() < deadline
        time.sleep(0.05)


def drop_cluster(dax):
    for found in dax.describe_clusters()["Clusters"]:
        if found["Status"] != "deleting":
            wait_available(dax, found["ClusterName"])
            dax.delete_cluster(ClusterName=found["ClusterName"])
        wait_gone(dax, found["ClusterName"])


@pytest.fixture
def make(dax):
    """Makes the cluster, and waits until it is available: make(name, ReplicationFactor=2)."""

    def make_cluster(name="suite", **parameters):
        wanted = {"ClusterName": name, "NodeType": "dax.r5.large", "ReplicationFactor": 1, "IamRoleArn": ROLE}
        created = dax.create_cluster(**wanted | parameters)["Cluster"]
        assert created["Status"] == "creating"
        return wait_available(dax, created["ClusterName"])

    yield make_cluster
    drop_cluster(dax)


@pytest.fixture
def groups(dax):
    dax.create_parameter_group(ParameterGroupName=GROUP, Description="text")
    dax.create_subnet_group(SubnetGroupName=SUBNETS, SubnetIds=["subnet-1", "subnet-2"])
    yield
    drop_cluster(dax)
    dax.delete_parameter_group(ParameterGroupName=GROUP)
    dax.delete_subnet_group(SubnetGroupName=SUBNETS)


def parameters_of(reply):
    return {one["ParameterName"]: one["ParameterValue"] for one in reply["Parameters"]}


@op("CreateCluster", "DescribeClusters", "ListTags", "UpdateCluster", "IncreaseReplicationFactor",
    "DecreaseReplicationFactor", "DeleteCluster")
def test_the_calls_of_terraform(dax, groups):
    """What aws_dax_cluster calls from creation to destruction."""
    dax.update_parameter_group(ParameterGroupName=GROUP, ParameterNameValues=[
        {"ParameterName": "record-ttl-millis", "ParameterValue": "1000"}])
    created = dax.create_cluster(
        ClusterName="Suite-TF", NodeType="dax.t3.small", ReplicationFactor=1, IamRoleArn=ROLE,
        AvailabilityZones=[region() + "b"], Description="d", NotificationTopicArn="arn:aws:sns:us-east-1:1:t",
        ParameterGroupName=GROUP, PreferredMaintenanceWindow="sun:05:00-sun:09:00", SecurityGroupIds=["sg-1"],
        SSESpecification={"Enabled": True}, SubnetGroupName=SUBNETS, Tags=[{"Key": "a", "Value": "1"}],
    )["Cluster"]
    assert created["ClusterName"] == "suite-tf"
    assert created["Status"] == "creating"
    assert created["ClusterDiscoveryEndpoint"].keys() == {"Port"}
    assert created["Nodes"] == []
    found = wait_available(dax, "suite-tf")
    assert found["ClusterArn"] == f"arn:aws:dax:{region()}:{found['ClusterArn'].split(':')[4]}:cache/suite-tf"
    assert found["ClusterDiscoveryEndpoint"]["URL"].startswith("dax://")
    assert found["ClusterDiscoveryEndpoint"]["Address"]
    assert found["Description"] == "d"
    assert found["IamRoleArn"] == ROLE
    assert found["NodeType"] == "dax.t3.small"
    assert found["TotalNodes"] == found["ActiveNodes"] == 1
    assert found["NotificationConfiguration"]["TopicArn"] == "arn:aws:sns:us-east-1:1:t"
    assert found["ParameterGroup"] == {"ParameterGroupName": GROUP, "ParameterApplyStatus": "in-sync",
                                       "NodeIdsToReboot": []}
    assert found["PreferredMaintenanceWindow"] == "sun:05:00-sun:09:00"
    assert found["SecurityGroups"] == [{"SecurityGroupIdentifier": "sg-1", "Status": "active"}]
    assert found["SSEDescription"] == {"Status": "ENABLED"}
    assert found["SubnetGroup"] == SUBNETS
    assert found["ClusterEndpointEncryptionType"] == "NONE"
    [node] = found["Nodes"]
    assert node["Endpoint"] == found["ClusterDiscoveryEndpoint"]
    assert (node["NodeId"], node["AvailabilityZone"], node["NodeStatus"], node["ParameterGroupStatus"]) == (
        "suite-tf-a", region() + "b", "available", "in-sync")
    assert abs(node["NodeCreateTime"].timestamp() - time.time()) < 60
    assert dax.list_tags(ResourceName=found["ClusterArn"])["Tags"] == [{"Key": "a", "Value": "1"}]

    updated = dax.update_cluster(ClusterName="suite-tf", Description="e", PreferredMaintenanceWindow="mon:00:00-mon:01:00",
                                 SecurityGroupIds=["sg-2"], NotificationTopicStatus="inactive")["Cluster"]
    assert updated["Status"] == "modifying"
    assert wait_available(dax, "suite-tf")["Description"] == "e"
    increased = dax.increase_replication_factor(ClusterName="suite-tf", NewReplicationFactor=3)["Cluster"]
    assert (increased["Status"], increased["TotalNodes"], increased["ActiveNodes"]) == ("modifying", 3, 1)
    assert wait_available(dax, "suite-tf")["ActiveNodes"] == 3
    decreased = dax.decrease_replication_factor(ClusterName="suite-tf", NewReplicationFactor=2)["Cluster"]
    assert (decreased["Status"], decreased["TotalNodes"]) == ("modifying", 2)
    assert decreased["NodeIdsToRemove"] == ["suite-tf-c"]
    assert len(wait_available(dax, "suite-tf")["Nodes"]) == 2
    assert dax.delete_cluster(ClusterName="suite-tf")["Cluster"]["Status"] == "deleting"
    wait_gone(dax, "suite-tf")


@op("CreateCluster", "DeleteCluster", "DescribeClusters", "UpdateCluster")
def test_a_server_is_one_cluster(dax, make):
    refused("ClusterNotFoundFault", dax.describe_clusters, ClusterNames=["suite"])
    refused("ClusterNotFoundFault", dax.delete_cluster, ClusterName="suite")
    refused("ClusterNotFoundFault", dax.update_cluster, ClusterName="suite")
    make()
    wanted = {"NodeType": "dax.r5.large", "ReplicationFactor": 1, "IamRoleArn": ROLE}
    refused("ClusterAlreadyExistsFault", dax.create_cluster, ClusterName="suite", **wanted)
    assert "suite" in refused("ClusterQuotaForCustomerExceededFault", dax.create_cluster, ClusterName="other", **wanted)
    assert [one["ClusterName"] for one in dax.describe_clusters()["Clusters"]] == ["suite"]
    dax.update_cluster(ClusterName="suite", Description="x")
    refused("InvalidClusterStateFault", dax.delete_cluster, ClusterName="suite")


@op("CreateCluster")
@pytest.mark.parametrize("code, parameters", [
    ("InvalidParameterValueException", {"ClusterName": "a--b"}),
    ("InvalidParameterValueException", {"NodeType": "cache.r5.large"}),
    ("InvalidParameterValueException", {"ReplicationFactor": 0}),
    ("NodeQuotaForClusterExceededFault", {"ReplicationFactor": 12}),
    ("InvalidParameterCombinationException", {"AvailabilityZones": [region() + "a", region() + "b"]}),
    ("InvalidParameterValueException", {"AvailabilityZones": ["eu-nowhere-9a"]}),
    ("InvalidParameterValueException", {"IamRoleArn": "dax"}),
    ("InvalidParameterValueException", {"PreferredMaintenanceWindow": "sun:05:00-sun:05:30"}),
    ("InvalidParameterValueException", {"SecurityGroupIds": ["x"]}),
    ("ParameterGroupNotFoundFault", {"ParameterGroupName": "none"}),
    ("SubnetGroupNotFoundFault", {"SubnetGroupName": "none"}),
    ("TagQuotaPerResourceExceeded", {"Tags": [{"Key": f"k{i}", "Value": ""} for i in range(51)]}),
    ("InvalidParameterValueException", {"Tags": [{"Key": "aws:x", "Value": ""}]}),
    ("InsufficientClusterCapacityFault", {"ClusterEndpointEncryptionType": "TLS"}),
])
def test_what_is_refused(dax, code, parameters):
    wanted = {"ClusterName": "suite", "NodeType": "dax.r5.large", "ReplicationFactor": 1, "IamRoleArn": ROLE}
    refused(code, dax.create_cluster, **wanted | parameters)


@op("CreateCluster", "DescribeEvents", "IncreaseReplicationFactor")
def test_a_fraction_is_no_integer(dax, make):
    wanted = {"ClusterName": "suite", "NodeType": "dax.r5.large", "ReplicationFactor": 1.5, "IamRoleArn": ROLE}
    calls = (("CreateCluster", wanted), ("DescribeEvents", {"Duration": 60.5}), ("DescribeClusters", {"MaxResults": 20.5}),
             ("IncreaseReplicationFactor", {"ClusterName": "suite", "NewReplicationFactor": 2.5}))
    for operation, body in calls:
        reply = call_dax(operation, body)
        assert (reply.status, reply.type) == (400, "SerializationException"), reply
    assert dax.describe_clusters()["Clusters"] == []


@op("CreateCluster")
def test_network_types(dax, make):
    """SDKs of 2025 know the parameter."""
    wanted = {"ClusterName": "suite", "NodeType": "dax.r5.large", "ReplicationFactor": 1, "IamRoleArn": ROLE}
    assert call_dax("CreateCluster", wanted | {"NetworkType": "ipv5"}).type == "ValidationException"
    reply = call_dax("CreateCluster", wanted | {"NetworkType": "dual_stack"})
    assert reply.body["Cluster"]["NetworkType"] == "dual_stack"


@op("IncreaseReplicationFactor", "DecreaseReplicationFactor")
def test_nodes(dax, make):
    make(ReplicationFactor=2)
    more, fewer = dax.increase_replication_factor, dax.decrease_replication_factor
    refused("ClusterNotFoundFault", more, ClusterName="none", NewReplicationFactor=3)
    refused("InvalidParameterValueException", more, ClusterName="suite", NewReplicationFactor=2)
    refused("NodeQuotaForClusterExceededFault", more, ClusterName="suite", NewReplicationFactor=12)
    refused("InvalidParameterValueException", fewer, ClusterName="suite", NewReplicationFactor=2)
    refused("InvalidParameterValueException", fewer, ClusterName="suite", NewReplicationFactor=0)
    refused("NodeNotFoundFault", fewer, ClusterName="suite", NewReplicationFactor=1, NodeIdsToRemove=["suite-x"])
    refused("InvalidParameterCombinationException", fewer, ClusterName="suite", NewReplicationFactor=1,
            NodeIdsToRemove=["suite-a"], AvailabilityZones=[region() + "a"])
    more(ClusterName="suite", NewReplicationFactor=4, AvailabilityZones=[region() + "f"])
    refused("InvalidClusterStateFault", fewer, ClusterName="suite", NewReplicationFactor=1)
    zones = [node["AvailabilityZone"][-1] for node in wait_available(dax, "suite")["Nodes"]]
    assert zones == ["a", "b", "f", "f"]
    fewer(ClusterName="suite", NewReplicationFactor=3, NodeIdsToRemove=["suite-a"])
    assert [node["NodeId"][-1] for node in wait_available(dax, "suite")["Nodes"]] == ["b", "c", "d"]


@op("RebootNode", "UpdateCluster", "DeleteParameterGroup")
def test_another_parameter_group_needs_a_reboot(dax, groups, make):
    make()
    assert dax.update_cluster(ClusterName="suite", ParameterGroupName=GROUP)["Cluster"]["ParameterGroup"] == {
        "ParameterGroupName": GROUP, "ParameterApplyStatus": "pending-reboot", "NodeIdsToReboot": ["suite-a"]}
    [node] = wait_available(dax, "suite")["Nodes"]
    assert node["ParameterGroupStatus"] == "pending-reboot"
    refused("NodeNotFoundFault", dax.reboot_node, ClusterName="suite", NodeId="suite-b")
    [node] = dax.reboot_node(ClusterName="suite", NodeId="suite-a")["Cluster"]["Nodes"]
    assert (node["NodeStatus"], node["ParameterGroupStatus"]) == ("rebooting", "in-sync")
    refused("InvalidParameterGroupStateFault", dax.delete_parameter_group, ParameterGroupName=GROUP)
    refused("ParameterGroupNotFoundFault", dax.update_cluster, ClusterName="suite", ParameterGroupName="none")


@op("CreateParameterGroup", "UpdateParameterGroup", "DeleteParameterGroup", "DescribeParameterGroups",
    "DescribeParameters", "DescribeDefaultParameters")
def test_parameter_groups(dax):
    defaults = {"query-ttl-millis": "300000", "record-ttl-millis": "300000"}
    reply = dax.describe_default_parameters()
    assert parameters_of(reply) == defaults
    assert {(one["DataType"], one["AllowedValues"], one["IsModifiable"], one["ChangeType"], one["ParameterType"])
            for one in reply["Parameters"]} == {("integer", "0-", "TRUE", "IMMEDIATE", "DEFAULT")}
    assert parameters_of(dax.describe_parameters(ParameterGroupName="default.dax1.0")) == defaults
    refused("ParameterGroupNotFoundFault", dax.describe_parameters, ParameterGroupName="none")
    refused("ParameterGroupNotFoundFault", dax.describe_parameter_groups, ParameterGroupNames=["none"])
    made = dax.create_parameter_group(ParameterGroupName="ttl", Description="text")["ParameterGroup"]
    assert made == {"ParameterGroupName": "ttl", "Description": "text"}
    refused("ParameterGroupAlreadyExistsFault", dax.create_parameter_group, ParameterGroupName="ttl")
    refused("InvalidParameterValueException", dax.create_parameter_group, ParameterGroupName="t t")

    def update(name, value, group="ttl"):
        return dax.update_parameter_group(ParameterGroupName=group, ParameterNameValues=[
            {"ParameterName": name, "ParameterValue": value}])

    assert update("query-ttl-millis", "0")["ParameterGroup"] == made
    assert parameters_of(dax.describe_parameters(ParameterGroupName="ttl")) == defaults | {"query-ttl-millis": "0"}
    assert dax.describe_parameters(ParameterGroupName="ttl", Source="system")["Parameters"] == []
    refused("InvalidParameterValueException", update, name="ttl", value="1")
    refused("InvalidParameterValueException", update, name="query-ttl-millis", value="soon")
    refused("InvalidParameterGroupStateFault", update, name="query-ttl-millis", value="1", group="default.dax1.0")
    refused("ParameterGroupNotFoundFault", update, name="query-ttl-millis", value="1", group="none")
    assert "ttl" in dax.delete_parameter_group(ParameterGroupName="ttl")["DeletionMessage"]
    refused("ParameterGroupNotFoundFault", dax.delete_parameter_group, ParameterGroupName="ttl")


@op("DescribeParameterGroups", "CreateParameterGroup")
def test_pages_and_the_quota_of_parameter_groups(dax):
    names = [f"page-{i}" for i in range(20)]
    for name in names:
        dax.create_parameter_group(ParameterGroupName=name)
    try:
        refused("ParameterGroupQuotaExceededFault", dax.create_parameter_group, ParameterGroupName="page-20")
        pages = list(dax.get_paginator("describe_parameter_groups").paginate(PaginationConfig={"PageSize": 20}))
        assert [len(page["ParameterGroups"]) for page in pages] == [20, 1]
        found = [one["ParameterGroupName"] for page in pages for one in page["ParameterGroups"]]
        assert sorted(found) == sorted(names + ["default.dax1.0"])
        for most in (19, 101):
            refused("InvalidParameterValueException", dax.describe_parameter_groups, MaxResults=most)
        refused("InvalidParameterValueException", dax.describe_subnet_groups, NextToken=pages[0]["NextToken"])
    finally:
        for name in names:
            dax.delete_parameter_group(ParameterGroupName=name)


@op("CreateSubnetGroup", "UpdateSubnetGroup", "DeleteSubnetGroup", "DescribeSubnetGroups")
def test_subnet_groups(dax, make):
    made = dax.create_subnet_group(SubnetGroupName="Nets", SubnetIds=["subnet-1", "subnet-2"])["SubnetGroup"]
    assert made["SubnetGroupName"] == "nets"
    assert made["VpcId"].startswith("vpc-")
    assert [(one["SubnetIdentifier"], one["SubnetAvailabilityZone"]) for one in made["Subnets"]] == [
        ("subnet-1", region() + "a"), ("subnet-2", region() + "b")]
    refused("SubnetGroupAlreadyExistsFault", dax.create_subnet_group, SubnetGroupName="nets", SubnetIds=["subnet-1"])
    refused("InvalidSubnet", dax.create_subnet_group, SubnetGroupName="x", SubnetIds=["net"])
    refused("SubnetQuotaExceededFault", dax.create_subnet_group, SubnetGroupName="x",
            SubnetIds=[f"subnet-{i}" for i in range(21)])
    [found] = dax.describe_subnet_groups(SubnetGroupNames=["nets"])["SubnetGroups"]
    assert found == made
    assert "default" in [one["SubnetGroupName"] for one in dax.describe_subnet_groups()["SubnetGroups"]]
    make(SubnetGroupName="nets")
    refused("SubnetInUse", dax.update_subnet_group, SubnetGroupName="nets", SubnetIds=["subnet-1"])
    updated = dax.update_subnet_group(SubnetGroupName="nets", Description="d", SubnetIds=["subnet-2", "subnet-1"])
    assert updated["SubnetGroup"]["Description"] == "d"
    refused("SubnetGroupInUseFault", dax.delete_subnet_group, SubnetGroupName="nets")
    drop_cluster(dax)
    assert "nets" in dax.delete_subnet_group(SubnetGroupName="nets")["DeletionMessage"]
    refused("SubnetGroupNotFoundFault", dax.delete_subnet_group, SubnetGroupName="nets")
    refused("SubnetGroupNotFoundFault", dax.update_subnet_group, SubnetGroupName="nets", Description="d")
    refused("SubnetGroupNotFoundFault", dax.describe_subnet_groups, SubnetGroupNames=["nets"])


@op("DescribeEvents", "RebootNode")
def test_events(dax, make):
    before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=1)
    make("suite-events")
    dax.reboot_node(ClusterName="suite-events", NodeId="suite-events-a")
    drop_cluster(dax)
    events = dax.describe_events(SourceName="suite-events", SourceType="CLUSTER")["Events"]
    assert [one["Message"] for one in events] == [
        "Cluster deleted.", "Removed node suite-events-a.", "Rebooted node suite-events-a.", "Cluster created.",
        "Added node suite-events-a."]
    assert {(one["SourceName"], one["SourceType"]) for one in events} == {("suite-events", "CLUSTER")}
    assert all(before < one["Date"] for one in events)
    assert dax.describe_events(SourceName="suite-events", SourceType="SUBNET_GROUP")["Events"] == []
    assert dax.describe_events(SourceName="suite-events", EndTime=before)["Events"] == []
    assert len(dax.describe_events(SourceName="suite-events", StartTime=before, Duration=10)["Events"]) == 5
    refused("InvalidParameterValueException", dax.describe_events, Duration=20161)
    refused("InvalidParameterCombinationException", dax.describe_events, StartTime=before,
            EndTime=before - datetime.timedelta(minutes=1))
    pages = list(dax.get_paginator("describe_events").paginate(PaginationConfig={"PageSize": 20}))
    numbers = [len(page["Events"]) for page in pages]
    assert all(number == 20 for number in numbers[:-1])
    assert sum(numbers) == len(dax.describe_events(MaxResults=100)["Events"]) or sum(numbers) > 100


@op("DAX.TagResource", "DAX.UntagResource", "ListTags")
def test_tags(dax, make):
    arn = make(Tags=[{"Key": "a", "Value": "1"}])["ClusterArn"]
    tagged = dax.tag_resource(ResourceName=arn, Tags=[{"Key": "a", "Value": "2"}, {"Key": "b", "Value": ""}])
    assert tagged["Tags"] == [{"Key": "a", "Value": "2"}, {"Key": "b", "Value": ""}]
    assert dax.list_tags(ResourceName=arn)["Tags"] == tagged["Tags"]
    assert dax.untag_resource(ResourceName=arn, TagKeys=["a"])["Tags"] == [{"Key": "b", "Value": ""}]
    refused("TagNotFoundFault", dax.untag_resource, ResourceName=arn, TagKeys=["a"])
    refused("TagQuotaPerResourceExceeded", dax.tag_resource, ResourceName=arn,
            Tags=[{"Key": f"k{i}", "Value": "v"} for i in range(50)])
    for wrong in ("suite", "arn:aws:dax:x:y:table/t", arn.replace(":dax:", ":dynamodb:"), arn.split("/")[0] + "/"):
        refused("InvalidARNFault", dax.list_tags, ResourceName=wrong)
    for other in (arn + "x", arn.replace(region(), "mars-1")):
        for call, parameters in ((dax.list_tags, {}), (dax.tag_resource, {"Tags": [{"Key": "a", "Value": "1"}]}),
                                 (dax.untag_resource, {"TagKeys": ["b"]})):
            refused("ClusterNotFoundFault", call, ResourceName=other, **parameters)


@op("DescribeClusters", "DescribeDefaultParameters", "ListTags")
def test_pages_of_one(dax, make):
    arn = make()["ClusterArn"]
    for name, parameters, member in (("describe_clusters", {}, "Clusters"), ("list_tags", {"ResourceName": arn}, "Tags"),
                                     ("describe_default_parameters", {}, "Parameters"),
                                     ("describe_parameters", {"ParameterGroupName": "default.dax1.0"}, "Parameters")):
        reply = getattr(dax, name)(**parameters)
        assert "NextToken" not in reply
        assert member in reply
        refused("InvalidParameterValueException", getattr(dax, name), NextToken="x", **parameters)
