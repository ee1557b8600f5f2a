#!/usr/bin/python3
"""Device log: a number as sort key, so that a Query returns a device's events in time order.

    partition key  DeviceID    "123"
    sort key       timestamp   1535544000, seconds since 1970
"""

from datetime import datetime, timezone
from decimal import Decimal

from boto3.dynamodb.conditions import Key

from common import fresh_table, main, query

KEY = {"DeviceID": "S", "timestamp": "N"}


def utc(*when):
    """Unix time."""
    return int(datetime(*when, tzinfo=timezone.utc).timestamp())


EVENTS = [
    {"DeviceID": "123", "timestamp": utc(2018, 8, 29, 12), "event": "battery low"},
    {"DeviceID": "123", "timestamp": utc(2018, 9, 4, 13), "event": "battery replaced"},
    {"DeviceID": "123", "timestamp": utc(2011, 7, 9, 13), "event": "installed"},
]
READINGS = [{"DeviceID": "thermometer", "timestamp": Decimal(n)} for n in ("10", "9", "-5", "-40", "1e3", "0.5")]


def run(dynamodb):
    table = fresh_table(dynamodb, "DeviceLog", KEY, items=EVENTS + READINGS)

    device = Key("DeviceID").eq("123")
    time = Key("timestamp")
    fourth_of_september = utc(2018, 9, 4)
    last_event = utc(2018, 9, 4, 13)

    def events(condition, **more):
        return [
            f"{datetime.fromtimestamp(int(item['timestamp']), timezone.utc):%Y-%m-%d %H:%M} {item['event']}"
            for item in query(table, condition, **more)
        ]

    thermometer = Key("DeviceID").eq("thermometer")
    return {
        "Before 4 September 2018 (<)": events(device & time.lt(fourth_of_september)),
        "The same, newest first": events(device & time.lt(fourth_of_september), ScanIndexForward=False),
        "After 4 September 2018 (>)": events(device & time.gt(fourth_of_september)),
        "At the last event or before it (<=)": events(device & time.lte(last_event)),
        "Before the last event (<)": events(device & time.lt(last_event)),
        "At the last event or after it (>=)": events(device & time.gte(last_event)),
        "After the last event (>)": events(device & time.gt(last_event)),
        "Exactly at the last event (=)": events(device & time.eq(last_event)),
        "From 2011 until August 2018 (BETWEEN)": events(device & time.between(utc(2011, 1, 1), utc(2018, 8, 31))),
        "Numbers order as numbers": [str(item["timestamp"]) for item in query(table, thermometer)],
        "1000 is the number that was written as 1e3": [
            str(item["timestamp"]) for item in query(table, thermometer & time.eq(1000))
        ],
    }


if __name__ == "__main__":
    main(run, __doc__)
