#!/usr/bin/python3
"""Sample data: the small tables of some examples, for a first look around.

Run again, it creates what is missing and puts the sample's items back; it removes nothing.
"""

import sys

import chat_room
import device_log
import item_collections
import one_to_many
from common import attribute_types, index, key_schema, main, wait, write

TABLES = [
    ("ChatRoom", chat_room.KEY, {"ByTime": chat_room.BY_TIME}, chat_room.MESSAGES),
    ("DeviceLog", device_log.KEY, {}, device_log.EVENTS),
    ("Orders", item_collections.ORDER_KEY, {}, item_collections.ORDERS),
    ("OneToManyOrganizations", {"PK": "S", "SK": "S"}, {}, one_to_many.ORGANIZATIONS),
]


def create_if_missing(client, name, key, local_indexes):
    """Creates a table unless it is there already."""
    indexes = [index(index_name, index_key) for index_name, index_key in local_indexes.items()]
    try:
        client.create_table(
            TableName=name,
            KeySchema=key_schema(key),
            AttributeDefinitions=attribute_types(key, *local_indexes.values()),
            BillingMode="PAY_PER_REQUEST",
            **({"LocalSecondaryIndexes": indexes} if indexes else {}),
        )
    except client.exceptions.ResourceInUseException:
        pass
    wait(client, "table_exists", name)


def run(dynamodb):
    for done, (name, key, local_indexes, items) in enumerate(TABLES, start=1):
        create_if_missing(dynamodb.meta.client, name, key, local_indexes)
        write(dynamodb.Table(name), items)
        if sys.stderr.isatty():  # elsewhere each would be a line of its own
            print(f"\rSample data: {done} of {len(TABLES)} tables", end="", file=sys.stderr, flush=True)
    print("" if sys.stderr.isatty() else f"Sample data: {done} of {len(TABLES)} tables", file=sys.stderr)
    return {}


if __name__ == "__main__":
    main(run, __doc__)
