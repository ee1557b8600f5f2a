#!/usr/bin/python3
"""Chat room: a template string as sort key, and an index with the template reversed.

    partition key  ChatRoomID             "seattle-1"; a busy room is spread over seattle-1, seattle-2, ...
    sort key       ChatMessageIdentifier  "amsg#2018-08-29:12:00:00", user_name#datetime
    index ByTime   TimeAndUser            "2018-08-29:12:00:00#amsg", datetime#user_name
"""

import time

from boto3.dynamodb.conditions import Key

from common import attribute_types, fresh_table, index, main, query

KEY = {"ChatRoomID": "S", "ChatMessageIdentifier": "S"}
BY_TIME = {"ChatRoomID": "S", "TimeAndUser": "S"}
ROOMS = ["seattle-1", "seattle-2"]


def message(room, user, when, text):
    return {
        "ChatRoomID": room,
        "ChatMessageIdentifier": f"{user}#{when}",
        "TimeAndUser": f"{when}#{user}",
        "Message": text,
    }


MESSAGES = [
    message("seattle-1", "amsg", "2017-12-31:23:59:59", "Happy new year!"),
    message("seattle-1", "amsg", "2018-02-14:09:30:00", "Roses are red."),
    message("seattle-1", "amsg", "2018-08-29:12:00:00", "Lunch?"),
    message("seattle-1", "amsg", "2018-08-30:18:15:00", "Is it raining again?"),
    message("seattle-1", "bsky", "2018-08-29:12:01:30", "Yes, the usual place."),
    message("seattle-1", "amsgood", "2018-08-29:12:02:00", "I come too."),
    message("seattle-2", "bsky", "2018-08-30:18:15:30", "It never stopped."),
    message("seattle-2", "amsg", "2018-08-31:08:00:00", "Sunshine!"),
]


def by_user(table, prefix):
    """A user's messages. The room is spread over several partition keys; each is queried."""
    return [
        f"{item['ChatMessageIdentifier']} {item['Message']}"
        for room in ROOMS
        for item in query(table, Key("ChatRoomID").eq(room) & Key("ChatMessageIdentifier").begins_with(prefix))
    ]


def by_time(table, prefix):
    """All messages of a time range: the parts of the room are merged in the index's order."""
    items = [
        item
        for room in ROOMS
        for item in query(
            table, Key("ChatRoomID").eq(room) & Key("TimeAndUser").begins_with(prefix), IndexName="ByTime"
        )
    ]
    return [f"{item['TimeAndUser']} {item['Message']}" for item in sorted(items, key=lambda i: i["TimeAndUser"])]


def add_index(table):
    """Adds ByTime to a table in use, and waits until it contains all existing items."""
    client = table.meta.client
    client.update_table(
        TableName=table.name,
        AttributeDefinitions=attribute_types(KEY, BY_TIME),
        GlobalSecondaryIndexUpdates=[{"Create": index("ByTime", BY_TIME)}],
    )
    while True:
        description = client.describe_table(TableName=table.name)["Table"]
        if all(each["IndexStatus"] == "ACTIVE" for each in description["GlobalSecondaryIndexes"]):
            return
        time.sleep(0.1)


def run(dynamodb):
    by_time_index = [index("ByTime", BY_TIME)]
    local = fresh_table(dynamodb, "ChatRoom", KEY, [BY_TIME], MESSAGES, LocalSecondaryIndexes=by_time_index)
    global_ = fresh_table(dynamodb, "ChatRoomGlobal", KEY, [BY_TIME], MESSAGES, GlobalSecondaryIndexes=by_time_index)
    live = fresh_table(dynamodb, "ChatRoomLive", KEY, items=MESSAGES)
    add_index(live)

    return {
        "All that amsg wrote": by_user(local, "amsg#"),
        "All whose names begin with amsg": by_user(local, "amsg"),
        "What amsg wrote in 2018": by_user(local, "amsg#2018"),
        "What amsg wrote in August 2018": by_user(local, "amsg#2018-08"),
        "What anybody wrote on 29 August 2018 (local index)": by_time(local, "2018-08-29"),
        "What anybody wrote on 29 August 2018 (global index)": by_time(global_, "2018-08-29"),
        "What anybody wrote on 29 August 2018 (index added later)": by_time(live, "2018-08-29"),
        "What anybody wrote in August 2018": by_time(local, "2018-08"),
    }


if __name__ == "__main__":
    main(run, __doc__)
