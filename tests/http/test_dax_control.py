"""DAX's control API under policies, and on servers with and without the DAX protocol."""

import json
import time

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from server import running_server

ACCOUNT, REGION = "123456789012", "eu-west-3"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/dax"
CACHE = f"arn:aws:dax:{REGION}:{ACCOUNT}:cache/"
USERS = {
    "admin": [("dax:*", "*", {})],
    "one": [(["dax:CreateCluster", "dax:DescribeClusters", "dax:DeleteCluster", "dax:ListTags", "dax:TagResource"], CACHE + "mine", {})],
    "all": [("dax:Describe*", CACHE + "*", {})],
    "groups": [("dax:*ParameterGroup*", "*", {})],
    "mute": [(["dax:CreateCluster", "dax:DeleteCluster"], CACHE + "mute", {})],
    "tagger": [("dax:TagResource", CACHE + "mine", {"StringEquals": {"aws:RequestTag/team": "red"}})],
    "tables": [("dynamodb:*", "*", {})],
}
WANTED = {"NodeType": "dax.r5.large", "ReplicationFactor": 1, "IamRoleArn": ROLE}


def policy(statements):
    return {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": action, "Resource": resource} | ({"Condition": condition} if condition else {})
        for action, resource, condition in statements]}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("identities")
    (folder / "credentials").write_text("".join(
        f"[{name}]\naws_access_key_id = AKIA{name.upper()}\naws_secret_access_key = secret of {name}\n" for name in USERS))
    (folder / "identities.json").write_text(json.dumps({"UserDetailList": [
        {"UserName": name, "UserPolicyList": [{"PolicyName": "own", "PolicyDocument": policy(statements)}]}
        for name, statements in USERS.items()]}))
    arguments = ["--credentials", str(folder / "credentials"), "--identities", str(folder / "identities.json"),
                 "--region", REGION, "--dax", "127.0.0.1:0"]
    with running_server(in_memory=True, extra_args=arguments) as one:
        yield one


def dax_of(server, name="admin"):
    return boto3.client("dax", endpoint_url=server.url, region_name=REGION, aws_access_key_id=f"AKIA{name.upper()}",
                        aws_secret_access_key=f"secret of {name}", config=Config(retries={"total_max_attempts": 1}))


def refused(call, **parameters):
    with pytest.raises(ClientError) as error:
        call(**parameters)
    assert error.value.response["Error"]["Code"] == "AccessDeniedException", error.value
    return error.value.response["Error"]["Message"]


def wait_available(dax, name):
    deadline = time.monotonic() + 10
    while True:
        [found] = dax.describe_clusters(ClusterNames=[name])["Clusters"]
        if found["Status"] == "available":
            return found
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_policies_allow_and_refuse(server):
    one, everything, groups = dax_of(server, "one"), dax_of(server, "all"), dax_of(server, "groups")
    said = refused(one.create_cluster, ClusterName="other", **WANTED)
    assert f"user/one is not authorized to perform: dax:CreateCluster on resource: {CACHE}other" in said
    refused(dax_of(server, "tables").create_cluster, ClusterName="mine", **WANTED)
    one.create_cluster(ClusterName="Mine", **WANTED)
    found = wait_available(one, "mine")
    assert found["ClusterArn"] == CACHE + "mine"

    assert len(everything.describe_clusters()["Clusters"]) == 1
    refused(one.describe_clusters)
    refused(one.describe_clusters, ClusterNames=["mine", "other"])
    refused(everything.delete_cluster, ClusterName="mine")
    refused(one.reboot_node, ClusterName="mine", NodeId="mine-a")
    assert one.list_tags(ResourceName=CACHE + "mine")["Tags"] == []
    refused(everything.list_tags, ResourceName=CACHE + "mine")

    assert f"on resource: *" in refused(one.describe_events)
    refused(everything.describe_parameter_groups)
    groups.create_parameter_group(ParameterGroupName="fast")
    assert len(groups.describe_parameter_groups()["ParameterGroups"]) == 2
    refused(groups.describe_parameters, ParameterGroupName="fast")
    refused(groups.create_subnet_group, SubnetGroupName="nets", SubnetIds=["subnet-1"])

    tagger = dax_of(server, "tagger")
    tagger.tag_resource(ResourceName=CACHE + "mine", Tags=[{"Key": "team", "Value": "red"}])
    refused(tagger.tag_resource, ResourceName=CACHE + "mine", Tags=[{"Key": "team", "Value": "blue"}])
    one.delete_cluster(ClusterName="mine")


def test_calls_are_signed_for_dax(server):
    """A signature for DynamoDB does not do."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials
    import urllib.error
    import urllib.request

    for service, status in (("dax", 200), ("dynamodb", 400)):
        request = AWSRequest("POST", server.url + "/", data=b"{}", headers={
            "Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "AmazonDAXV3.DescribeDefaultParameters"})
        SigV4Auth(Credentials("AKIAADMIN", "secret of admin"), service, REGION).add_auth(request)
        made = request.prepare()
        try:
            with urllib.request.urlopen(urllib.request.Request(made.url, made.body, dict(made.headers))) as reply:
                assert reply.status == status
        except urllib.error.HTTPError as error:
            assert error.code == status
            assert json.loads(error.read())["__type"].endswith("InvalidSignatureException")


def test_a_server_without_the_protocol_names_its_option(tmp_path):
    with running_server(in_memory=True) as server:
        dax = boto3.client("dax", endpoint_url=server.url, region_name=REGION, aws_access_key_id="key",
                           aws_secret_access_key="secret", config=Config(retries={"total_max_attempts": 1}))
        for encryption, option in (("NONE", "--dax "), ("TLS", "--dax-tls ")):
            with pytest.raises(dax.exceptions.InsufficientClusterCapacityFault, match=option):
                dax.create_cluster(ClusterName="mine", ClusterEndpointEncryptionType=encryption, **WANTED)
        assert dax.describe_clusters()["Clusters"] == []


def test_the_endpoint_is_what_is_advertised(tmp_path):
    with running_server(in_memory=True, extra_args=["--dax", "127.0.0.1:0", "--dax-advertise", "127.0.0.2:8111"]) as server:
        dax = boto3.client("dax", endpoint_url=server.url, region_name=REGION, aws_access_key_id="key",
                           aws_secret_access_key="secret")
        dax.create_cluster(ClusterName="mine", **WANTED)
        found = wait_available(dax, "mine")
        assert found["ClusterDiscoveryEndpoint"] == {"Address": "127.0.0.2", "Port": 8111, "URL": "dax://127.0.0.2"}


def test_the_nodes_take_turns_at_the_addresses():
    advertised = ["--dax-advertise", "127.0.0.2:8111", "--dax-advertise", "127.0.0.3:8112"]
    with running_server(in_memory=True, extra_args=["--dax", "127.0.0.1:0", *advertised]) as server:
        dax = boto3.client("dax", endpoint_url=server.url, region_name=REGION, aws_access_key_id="key",
                           aws_secret_access_key="secret")
        dax.create_cluster(ClusterName="mine", **{**WANTED, "ReplicationFactor": 3})
        found = wait_available(dax, "mine")
        assert found["ClusterDiscoveryEndpoint"]["URL"] == "dax://127.0.0.2"
        urls = [node["Endpoint"]["URL"] for node in found["Nodes"]]
        assert urls == ["dax://127.0.0.2", "dax://127.0.0.3:8112", "dax://127.0.0.2"]


def test_tags_of_a_new_cluster_need_their_own_permission(server):
    mute, tags = dax_of(server, "mute"), [{"Key": "team", "Value": "red"}]
    said = refused(mute.create_cluster, ClusterName="mute", Tags=tags, **WANTED)
    assert f"perform: dax:TagResource on resource: {CACHE}mute" in said
    mute.create_cluster(ClusterName="mute", **WANTED)
    wait_available(dax_of(server), "mute")
    mute.delete_cluster(ClusterName="mute")
    deadline = time.monotonic() + 10
    while dax_of(server).describe_clusters()["Clusters"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_empty_subnet_group_is_the_default_one():
    """Terraform sends it where its configuration has none."""
    with running_server(in_memory=True, extra_args=["--dax", "127.0.0.1:0"]) as server:
        dax = boto3.client("dax", endpoint_url=server.url, region_name=REGION, aws_access_key_id="key",
                           aws_secret_access_key="secret")
        assert dax.create_cluster(ClusterName="mine", SubnetGroupName="", **WANTED)["Cluster"]["SubnetGroup"] == "default"


def test_a_cluster_survives_a_restart(tmp_path):
    for run in range(2):
        with running_server(data_dir=tmp_path / "data", extra_args=["--dax", "127.0.0.1:0"]) as server:
            dax = boto3.client("dax", endpoint_url=server.url, region_name=REGION, aws_access_key_id="key",
                               aws_secret_access_key="secret")
            if run == 0:
                dax.create_cluster(ClusterName="mine", **WANTED)
            endpoint = wait_available(dax, "mine")["ClusterDiscoveryEndpoint"]
            assert endpoint["URL"] == f"dax://127.0.0.1:{endpoint['Port']}"
