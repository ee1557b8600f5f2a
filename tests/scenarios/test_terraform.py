"""What the AWS provider of Terraform asks for an `aws_dynamodb_table`, in its order: a table is made as written down, a
second look finds nothing to change, and neither does one after each change of what is written down.

The table is the example of the resource's documentation, with a stream. What the provider takes of each reply is in
`read`; the plan is empty when that is what was written down.
"""

import copy
import time

import pytest

NAME = "GameScores"
DEADLINE_S = 30
WRITTEN = {
    "billing_mode": "PROVISIONED",
    "read_capacity": 20,
    "write_capacity": 20,
    "hash_key": "UserId",
    "range_key": "GameTitle",
    "attributes": {"UserId": "S", "GameTitle": "S", "TopScore": "N"},
    "ttl": {"attribute_name": "TimeToExist", "enabled": True},
    "stream_enabled": True,
    "stream_view_type": "NEW_AND_OLD_IMAGES",
    "global_secondary_indexes": {
        "GameTitleIndex": {
            "hash_key": "GameTitle",
            "range_key": "TopScore",
            "write_capacity": 10,
            "read_capacity": 10,
            "projection_type": "INCLUDE",
            "non_key_attributes": ["UserId"],
        }
    },
    "local_secondary_indexes": {},
    "tags": {"Name": "dynamodb-table-1", "Environment": "production"},
    "table_class": "STANDARD",
    "server_side_encryption": False,
    "point_in_time_recovery": False,
}


def keys(hash_key, range_key=None):
    schema = [{"AttributeName": hash_key, "KeyType": "HASH"}]
    return schema + ([{"AttributeName": range_key, "KeyType": "RANGE"}] if range_key else [])


def definitions(written):
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in sorted(written["attributes"].items())]


def throughput(of):
    return {"ReadCapacityUnits": of["read_capacity"], "WriteCapacityUnits": of["write_capacity"]}


def index_request(name, index, provisioned):
    projection = {"ProjectionType": index["projection_type"]}
    if index["non_key_attributes"]:
        projection["NonKeyAttributes"] = index["non_key_attributes"]
    request = {"IndexName": name, "KeySchema": keys(index["hash_key"], index["range_key"]), "Projection": projection}
    return {**request, "ProvisionedThroughput": throughput(index)} if provisioned else request


def stream(written):
    if not written["stream_enabled"]:
        return {"StreamEnabled": False}
    return {"StreamEnabled": True, "StreamViewType": written["stream_view_type"]}


def wait(what):
    deadline = time.monotonic() + DEADLINE_S
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def describe(client):
    return client.describe_table(TableName=NAME)["Table"]


def at_rest(client):
    table = describe(client)
    states = [table["TableStatus"]] + [index["IndexStatus"] for index in table.get("GlobalSecondaryIndexes", [])]
    return set(states) == {"ACTIVE"}


def set_ttl(client, ttl):
    specification = {"AttributeName": ttl["attribute_name"], "Enabled": ttl["enabled"]}
    client.update_time_to_live(TableName=NAME, TimeToLiveSpecification=specification)
    wanted = "ENABLED" if ttl["enabled"] else "DISABLED"
    state = lambda: client.describe_time_to_live(TableName=NAME)["TimeToLiveDescription"]["TimeToLiveStatus"]  # noqa: E731
    wait(lambda: state() == wanted)


def create(client, written):
    provisioned = written["billing_mode"] == "PROVISIONED"
    request = {
        "TableName": NAME,
        "BillingMode": written["billing_mode"],
        "KeySchema": keys(written["hash_key"], written["range_key"]),
        "AttributeDefinitions": definitions(written),
        "StreamSpecification": stream(written),
        "TableClass": written["table_class"],
        "Tags": [{"Key": key, "Value": value} for key, value in written["tags"].items()],
        "GlobalSecondaryIndexes": [
            index_request(name, index, provisioned) for name, index in written["global_secondary_indexes"].items()
        ],
    }
    if provisioned:
        request["ProvisionedThroughput"] = throughput(written)
    client.create_table(**request)
    wait(lambda: at_rest(client))
    set_ttl(client, written["ttl"])


def shown_index(index):
    key = {part["KeyType"]: part["AttributeName"] for part in index["KeySchema"]}
    return {
        "hash_key": key["HASH"],
        "range_key": key.get("RANGE"),
        "read_capacity": index.get("ProvisionedThroughput", {}).get("ReadCapacityUnits", 0),
        "write_capacity": index.get("ProvisionedThroughput", {}).get("WriteCapacityUnits", 0),
        "projection_type": index["Projection"]["ProjectionType"],
        "non_key_attributes": index["Projection"].get("NonKeyAttributes", []),
    }


def read(client):
    """What the provider keeps of a table, with all that it asks for."""
    table = describe(client)
    key = {part["KeyType"]: part["AttributeName"] for part in table["KeySchema"]}
    specification = table.get("StreamSpecification", {})
    backups = client.describe_continuous_backups(TableName=NAME)["ContinuousBackupsDescription"]
    ttl = client.describe_time_to_live(TableName=NAME)["TimeToLiveDescription"]
    tags = client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
    recovery = backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
    return {
        "billing_mode": table.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"),
        "read_capacity": table["ProvisionedThroughput"]["ReadCapacityUnits"],
        "write_capacity": table["ProvisionedThroughput"]["WriteCapacityUnits"],
        "hash_key": key["HASH"],
        "range_key": key.get("RANGE"),
        "attributes": {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]},
        "ttl": {"attribute_name": ttl.get("AttributeName", ""), "enabled": ttl["TimeToLiveStatus"] == "ENABLED"},
        "stream_enabled": specification.get("StreamEnabled", False),
        "stream_view_type": specification.get("StreamViewType", ""),
        "global_secondary_indexes": {
            index["IndexName"]: shown_index(index) for index in table.get("GlobalSecondaryIndexes", [])
        },
        "local_secondary_indexes": {one["IndexName"]: one for one in table.get("LocalSecondaryIndexes", [])},
        "tags": {tag["Key"]: tag["Value"] for tag in tags},
        "table_class": table.get("TableClassSummary", {}).get("TableClass", "STANDARD"),
        "server_side_encryption": table.get("SSEDescription", {}).get("Status") == "ENABLED",
        "point_in_time_recovery": recovery == "ENABLED",
    }


def plan(client, written):
    """{what: (what it is, what is written down)} of all that differs."""
    state = read(client)
    assert state.keys() == written.keys()
    return {name: (state[name], written[name]) for name in written if state[name] != written[name]}


def update_indexes(client, written, was, now):
    provisioned = written["billing_mode"] == "PROVISIONED"
    for name in was.keys() - now.keys():
        client.update_table(TableName=NAME, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": name}}])
        wait(lambda: at_rest(client))
    for name in now.keys() - was.keys():
        made = {"Create": index_request(name, now[name], provisioned)}
        client.update_table(
            TableName=NAME, AttributeDefinitions=definitions(written), GlobalSecondaryIndexUpdates=[made]
        )
        wait(lambda: at_rest(client))


def apply(client, written):
    """Changes what the plan says, one call after the other, as the provider does."""
    changes = plan(client, written)
    if changes.keys() & {"billing_mode", "read_capacity", "write_capacity"}:
        provisioned = written["billing_mode"] == "PROVISIONED"
        more = {"ProvisionedThroughput": throughput(written)} if provisioned else {}
        client.update_table(TableName=NAME, BillingMode=written["billing_mode"], **more)
        wait(lambda: at_rest(client))
    if changes.keys() & {"stream_enabled", "stream_view_type"}:
        if read(client)["stream_enabled"]:  # another view takes a new stream
            client.update_table(TableName=NAME, StreamSpecification={"StreamEnabled": False})
            wait(lambda: at_rest(client))
        if written["stream_enabled"]:
            client.update_table(TableName=NAME, StreamSpecification=stream(written))
            wait(lambda: at_rest(client))
    if "global_secondary_indexes" in changes:
        update_indexes(client, written, *changes["global_secondary_indexes"])
    if "tags" in changes:
        was, now = changes["tags"]
        arn = describe(client)["TableArn"]
        if was.keys() - now.keys():
            client.untag_resource(ResourceArn=arn, TagKeys=sorted(was.keys() - now.keys()))
        new = [{"Key": key, "Value": value} for key, value in now.items() if was.get(key) != value]
        if new:
            client.tag_resource(ResourceArn=arn, Tags=new)


@pytest.fixture(scope="module")
def table(client):
    create(client, WRITTEN)
    yield client
    client.delete_table(TableName=NAME)


def with_index(written):
    index = {"hash_key": "Level", "range_key": None, "projection_type": "ALL", "non_key_attributes": []}
    written["attributes"]["Level"] = "S"
    written["global_secondary_indexes"]["LevelIndex"] = {**index, "read_capacity": 5, "write_capacity": 5}


def without_index(written):
    del written["attributes"]["Level"]
    del written["global_secondary_indexes"]["LevelIndex"]


def on_demand(written):
    """Capacities are then ignored by those who write them down, and shown as 0."""
    written.update(billing_mode="PAY_PER_REQUEST", read_capacity=0, write_capacity=0)
    written["global_secondary_indexes"]["GameTitleIndex"].update(read_capacity=0, write_capacity=0)


CHANGES = [
    lambda written: written.update(read_capacity=30, write_capacity=25),
    lambda written: written["tags"].update(Environment="staging", Team="scores"),
    lambda written: written["tags"].pop("Name"),
    lambda written: written.update(stream_view_type="KEYS_ONLY"),
    with_index,
    without_index,
    on_demand,
    lambda written: written.update(stream_enabled=False, stream_view_type=""),
]


def test_a_second_look_finds_nothing_to_change(table):
    assert plan(table, WRITTEN) == {}
    first = describe(table)
    assert plan(table, WRITTEN) == {}
    assert describe(table) == first
    assert first["LatestStreamArn"] == f"{first['TableArn']}/stream/{first['LatestStreamLabel']}"


def test_every_change_converges(table):
    written = copy.deepcopy(WRITTEN)
    for change in CHANGES:
        change(written)
        assert plan(table, written) != {}
        apply(table, written)
        assert plan(table, written) == {}
