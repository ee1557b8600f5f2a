#!/usr/bin/python3
"""A spiky load on auto scaling: the units that a table has follow those that it needs, some minutes later.

A policy aims at 70 % of the write units: two busy minutes raise them, and 15 quiet ones lower them again. Until they
are raised, only the table's burst capacity stands against throttling. A table has four decreases a day, and then one an
hour.

So that an hour takes half a minute, the example moves the server's clock from minute to minute, and back at the end.
Data that expires within that hour is deleted, so use a server for development.
"""

import pathlib
import secrets
import tempfile
import time

from botocore.exceptions import ClientError

from common import connect_client, create_table, main, partita, plot, session

QUIET, SPIKE, LARGER_SPIKE = 4, 42, 70  # write units a second
LOAD = [QUIET] * 3 + [SPIKE] * 4 + [QUIET] * 17 + [LARGER_SPIKE] * 3 + [QUIET] * 17  # of each minute
LEAST, MOST, TARGET = 10, 200, 70
LARGEST_PUT = 300  # units, or KB
COUNTED_S = 2  # the server stores each second what was consumed
MOVED_S = 0.4  # it looks at its policies at once when the clock is moved
TABLE = f"SpikyLoad-{secrets.token_hex(4)}"  # new in each run: what a name consumed in a minute would add up
WRITES = {"ServiceNamespace": "dynamodb", "ResourceId": f"table/{TABLE}",
          "ScalableDimension": "dynamodb:table:WriteCapacityUnits"}


def make_table(client, scaling):
    """With the fewest units, and a policy that keeps 70 % of them busy."""
    create_table(client, TABLE, {"Reading": "S"}, BillingMode="PROVISIONED",
                 ProvisionedThroughput={"ReadCapacityUnits": 10, "WriteCapacityUnits": LEAST})
    scaling.register_scalable_target(**WRITES, MinCapacity=LEAST, MaxCapacity=MOST)
    scaling.put_scaling_policy(
        **WRITES, PolicyName="follow-the-load", PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration={
            "TargetValue": TARGET,
            "PredefinedMetricSpecification": {"PredefinedMetricType": "DynamoDBWriteCapacityUtilization"}})


def next_minute(client):
    """Ten seconds into it: policies look at a minute when it has been over for five."""
    now = partita(client, "DescribeClock")["Time"]
    partita(client, "MoveClock", Seconds=int(70 - now % 60))
    time.sleep(MOVED_S)


def write(client, units):
    """Takes that many write units, one for each KB, and returns what the server says it took."""
    taken = 0
    for number, size in enumerate([LARGEST_PUT] * (units // LARGEST_PUT) + [units % LARGEST_PUT]):
        if size:
            item = {"Reading": {"S": f"{number} of {size} KB"}, "Text": {"S": "x" * (size * 1024 - 100)}}
            taken += client.put_item(TableName=TABLE, Item=item,
                                     ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]["CapacityUnits"]
    return taken


def provisioned_units(client):
    return client.describe_table(TableName=TABLE)["Table"]["ProvisionedThroughput"]["WriteCapacityUnits"]


def run_minutes(client, load):
    """The write units a second that the table had, and those that were consumed, of each minute."""
    provisioned, consumed = [], []
    for units in load:
        provisioned.append(provisioned_units(client))
        consumed.append(write(client, 60 * units) / 60)
        if units > QUIET:
            time.sleep(COUNTED_S)
        next_minute(client)
    return provisioned, consumed


def bars(provisioned, consumed):
    """A line for each minute: `#` is consumed, `|` what the table had."""
    scale = 60 / max(*provisioned, *consumed)
    lines = []
    for minute, (had, took) in enumerate(zip(provisioned, consumed)):
        drawn = list(("#" * round(took * scale)).ljust(61))
        drawn[round(had * scale)] = "|"
        lines.append(f"{minute:2} {''.join(drawn)} {took:3.0f} of {had:3}")
    return lines


def activities(scaling):
    """What auto scaling did, the oldest first."""
    found = scaling.describe_scaling_activities(ServiceNamespace="dynamodb", ResourceId=WRITES["ResourceId"])
    return [f"{each['Description']} ({each['StatusCode']})" for each in reversed(found["ScalingActivities"])]


def run(dynamodb, load=LOAD, picture=None):
    client = connect_client(dynamodb.meta.client.meta.endpoint_url)
    scaling = session().client("application-autoscaling", endpoint_url=client.meta.endpoint_url)
    try:
        offset = partita(client, "MoveClock", Seconds=0)["OffsetSeconds"]
    except ClientError as error:
        return {"The clock of this server cannot be moved": str(error)}
    try:
        make_table(client, scaling)
        next_minute(client)
        provisioned, consumed = run_minutes(client, load)
        done = activities(scaling)
        scaling.deregister_scalable_target(**WRITES)
        client.delete_table(TableName=TABLE)
    finally:
        partita(client, "MoveClock", OffsetSeconds=offset)
    picture = pathlib.Path(picture or pathlib.Path(tempfile.gettempdir()) / "spiky_load.svg")
    picture.write_text(plot({"consumed": consumed, "provisioned": provisioned}, "minutes; write units a second"))
    fixed = max(max(consumed) * 100 / TARGET, LEAST) * len(load)
    return {
        "Write units a second, by minute: # consumed, | provisioned": bars(provisioned, consumed),
        "What auto scaling did": done,
        "Minutes in which more was consumed than provisioned": sum(took > had for had, took in zip(provisioned, consumed)),
        "Units provisioned, compared with as many as the highest spike needs": f"{100 * sum(provisioned) / fixed:.0f} %",
        "The plot": str(picture),
    }


if __name__ == "__main__":
    main(run, __doc__)
