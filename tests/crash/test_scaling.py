"""A server that is killed while it scales a table leaves nothing half done."""

import random
import time

from server import running_server

WRITES = {
    "ServiceNamespace": "dynamodb",
    "ResourceId": "table/Votes",
    "ScalableDimension": "dynamodb:table:WriteCapacityUnits",
}
KILLS = 6
# A change is taken over after 15 seconds, and then made within one.
PATIENCE_S = 30


def write_units(server):
    return server.client().describe_table(TableName="Votes")["Table"]["ProvisionedThroughput"]["WriteCapacityUnits"]


def statuses(server):
    scaling = server.client("application-autoscaling")
    found = scaling.describe_scaling_activities(ServiceNamespace="dynamodb")["ScalingActivities"]
    return {activity["StatusCode"] for activity in found}


def test_a_killed_server_leaves_nothing_half_done():
    chance = random.Random(28)
    with running_server() as server:
        server.client().create_table(
            TableName="Votes",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
        )
        for kill in range(KILLS):
            wanted = 10 + kill
            server.client("application-autoscaling").register_scalable_target(**WRITES, MinCapacity=wanted, MaxCapacity=100)
            time.sleep(chance.uniform(0, 1.2))
            server.kill()
            server.start()
            end = time.monotonic() + PATIENCE_S
            while write_units(server) != wanted or "InProgress" in statuses(server):
                assert time.monotonic() < end, (kill, write_units(server), statuses(server))
                time.sleep(0.1)
