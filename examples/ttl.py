#!/usr/bin/python3
"""Sessions that expire: time to live.

Each session holds the time of its expiry, in seconds since 1970. After that time the table deletes it. Reads return
expired items until they are deleted, so a query that must not see them filters by time.
"""

import time

from boto3.dynamodb.conditions import Attr

from common import fresh_table, main, refusal, write


def run(dynamodb):
    table = fresh_table(dynamodb, "Sessions", {"SessionID": "S"})
    client = dynamodb.meta.client
    now = int(time.time())
    write(table, [{"SessionID": "from before", "ExpiresAt": now - 60}, {"SessionID": "for an hour", "ExpiresAt": now + 3600}])
    wanted = {"TableName": table.name, "TimeToLiveSpecification": {"AttributeName": "ExpiresAt", "Enabled": True}}
    client.update_time_to_live(**wanted)
    described = client.describe_time_to_live(TableName=table.name)["TimeToLiveDescription"]
    write(table, [{"SessionID": "for two seconds", "ExpiresAt": now + 2}, {"SessionID": "for ever"}])
    there_at_once = "Item" in table.get_item(Key={"SessionID": "for two seconds"})
    until_gone(table, "from before")
    until_gone(table, "for two seconds")
    valid = table.scan(FilterExpression=Attr("ExpiresAt").not_exists() | Attr("ExpiresAt").gt(int(time.time())))
    return {
        "Time to live is": f"{described['TimeToLiveStatus']}, by {described['AttributeName']}",
        "A session is there at once": "yes" if there_at_once else "no",
        "What is left when its seconds are over": sorted(item["SessionID"] for item in table.scan()["Items"]),
        "What is valid, whether deleted yet or not": sorted(item["SessionID"] for item in valid["Items"]),
        "Switched on once more": refusal(client.update_time_to_live, **wanted),
    }


def until_gone(table, session):
    """DynamoDB may take days to delete what has expired; here it is about a second."""
    while "Item" in table.get_item(Key={"SessionID": session}):
        time.sleep(0.1)


if __name__ == "__main__":
    main(run, __doc__)
