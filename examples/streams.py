#!/usr/bin/python3
"""A stream: every change of a table, followed shard by shard, and the table rebuilt from its records.

    partition key  Account   "alice"
    other          Balance   a number
"""

from boto3.dynamodb.types import TypeDeserializer

from common import fresh_table, main, session

KEY = {"Account": "S"}
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


def python(image):
    """An image in Python's own values."""
    return {name: TypeDeserializer().deserialize(value) for name, value in image.items()}


def shards(streams, arn):
    """All shards of a stream, parents before their children."""
    last = {}
    while True:
        page = streams.describe_stream(StreamArn=arn, **last)["StreamDescription"]
        yield from page["Shards"]
        if "LastEvaluatedShardId" not in page:
            return
        last = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}


def records(streams, arn):
    """What the stream holds now, in order for each item."""
    for shard in shards(streams, arn):
        place = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = streams.get_shard_iterator(**place)["ShardIterator"]
        while iterator:
            page = streams.get_records(ShardIterator=iterator)
            yield from page["Records"]
            if not page["Records"]:
                break  # A consumer that goes on would ask again in a moment.
            iterator = page.get("NextShardIterator")


def told(record):
    change = record["dynamodb"]
    old, new = (change.get(image, {}).get("Balance", {}).get("N", "nothing") for image in ("OldImage", "NewImage"))
    return f"{record['eventName']} {change['Keys']['Account']['S']}: {old} -> {new}"


def made_again(changes):
    """The table, rebuilt from the records."""
    items = {}
    for change in changes:
        key = change["dynamodb"]["Keys"]["Account"]["S"]
        items.pop(key, None)
        if "NewImage" in change["dynamodb"]:
            items[key] = python(change["dynamodb"]["NewImage"])
    return items


def run(dynamodb):
    table = fresh_table(dynamodb, "Accounts", KEY, StreamSpecification=STREAM)
    table.put_item(Item={"Account": "alice", "Balance": 100})
    table.put_item(Item={"Account": "bob", "Balance": 20})
    table.put_item(Item={"Account": "bob", "Balance": 20})  # Changes nothing: no record.
    for account, amount in (("alice", -30), ("bob", 30)):
        table.update_item(
            Key={"Account": account},
            UpdateExpression="ADD Balance :amount",
            ExpressionAttributeValues={":amount": amount},
        )
    table.delete_item(Key={"Account": "alice"})

    streams = session().client("dynamodbstreams", endpoint_url=dynamodb.meta.client.meta.endpoint_url)
    found = list(records(streams, table.latest_stream_arn))
    return {
        "What became of alice": [told(r) for r in found if r["dynamodb"]["Keys"]["Account"]["S"] == "alice"],
        "What became of bob": [told(r) for r in found if r["dynamodb"]["Keys"]["Account"]["S"] == "bob"],
        "The table, from its records": sorted(f"{item['Account']}: {item['Balance']}" for item in made_again(found).values()),
        "The table, scanned": sorted(f"{item['Account']}: {item['Balance']}" for item in table.scan()["Items"]),
    }


if __name__ == "__main__":
    main(run, __doc__)
