"""Where parcels have been, and who owns the table: parcels.py PARCEL [PLACE]"""

import datetime
import os
import sys

import boto3
from boto3.dynamodb.conditions import Key


def table():
    return boto3.resource("dynamodb").Table("Parcels")


def scan(parcel, place, at=None):
    at = at or datetime.datetime.now(datetime.timezone.utc).isoformat()
    table().put_item(Item={"Parcel": parcel, "Event": at, "Place": place}, ConditionExpression="attribute_not_exists(Event)")


def places(parcel):
    return [each["Place"] for each in table().query(KeyConditionExpression=Key("Parcel").eq(parcel))["Items"]]


def team():
    tags = boto3.client("dynamodb").list_tags_of_resource(ResourceArn=os.environ["PARCELS_ARN"])["Tags"]
    return {tag["Key"]: tag["Value"] for tag in tags}["team"]


def changes():
    """The parcels of the stream's records."""
    streams = boto3.client("dynamodbstreams")
    arn = table().latest_stream_arn
    found = []
    for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
        iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
        records = streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
        found += [record["dynamodb"]["Keys"]["Parcel"]["S"] for record in records]
    return found


if __name__ == "__main__":
    if len(sys.argv) > 2:
        scan(*sys.argv[1:])
    print(f"{sys.argv[1]}: {', '.join(places(sys.argv[1]))} (team {team()}, {len(changes())} changes)")
