"""Servers whose metrics come soon: a minute of their clock ends a few seconds after the start.

    with running_server(in_memory=True, extra_args=minute_ends_in(6)) as server:
        use(server.client())
        wait_until(lambda: statistics(cloudwatch(server), "ConsumedWriteCapacityUnits", TableName="Votes"))
"""

import datetime
import time

import boto3
from botocore.config import Config

MINUTE_S = 60


def minute_ends_in(seconds):
    """Arguments of `serve` that move its clock so that a minute ends about then."""
    return ["--clock", f"{(MINUTE_S - seconds - int(time.time())) % MINUTE_S}s"]


def cloudwatch(server, key="local", secret="secret"):
    config = Config(retries={"max_attempts": 0})
    return boto3.client("cloudwatch", endpoint_url=server.url, region_name="us-east-1", aws_access_key_id=key,
                        aws_secret_access_key=secret, config=config)


def span():
    """A range of time that has every minute that can have values."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(second=0, microsecond=0)
    return {"StartTime": now - datetime.timedelta(minutes=10), "EndTime": now + datetime.timedelta(minutes=10)}


def dimensions(**values):
    return [{"Name": name, "Value": value} for name, value in values.items()]


def statistics(client, metric, statistic="Sum", period=MINUTE_S, **of):
    """The values of a metric, the oldest first."""
    found = client.get_metric_statistics(Namespace="AWS/DynamoDB", MetricName=metric, Dimensions=dimensions(**of),
                                         Period=period, Statistics=[statistic], **span())
    return [point[statistic] for point in sorted(found["Datapoints"], key=lambda point: point["Timestamp"])]
