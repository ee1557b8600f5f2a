#!/usr/bin/python3
"""Versions kept by prefix: audits of a machine by concurrent auditors, without lost or overwritten versions.

    partition key  EquipmentID    "Equipment_1"
    sort key       VersionAndPart "v1_Audit", "v2_Audit", ... and "v0_Audit", always a copy of the newest

A machine with several parts has such items for each: "v0_Motor", "v1_Motor", ..., "v0_Belt", ...
"""

import random
import time
from concurrent.futures import ThreadPoolExecutor

from boto3.dynamodb.conditions import Key

from common import fresh_table, main, query

KEY = {"EquipmentID": "S", "VersionAndPart": "S"}


def try_to_audit(table, equipment, part, auditor, result):
    """Writes the next version and its copy v0, both or neither. Returns its number, or None if another auditor was faster."""
    copy_key = {"EquipmentID": equipment, "VersionAndPart": f"v0_{part}"}
    newest_item = table.get_item(Key=copy_key, ConsistentRead=True).get("Item")

    not_there = {"ConditionExpression": "attribute_not_exists(VersionAndPart)"}
    if newest_item is None:
        version, still_the_newest = 1, not_there
    else:
        version = int(newest_item["Version"]) + 1
        still_the_newest = {
            "ConditionExpression": "Version = :read",
            "ExpressionAttributeValues": {":read": newest_item["Version"]},
        }

    audited = {"Version": version, "Auditor": auditor, "Result": result}
    copy = {**copy_key, **audited}
    original = {**copy, "VersionAndPart": f"v{version}_{part}"}
    client = table.meta.client
    try:
        client.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": table.name, "Item": original, **not_there}},
                {"Put": {"TableName": table.name, "Item": copy, **still_the_newest}},
            ]
        )
    except client.exceptions.TransactionCanceledException:
        return None
    return version


def audit(table, equipment, part, auditor, result):
    """Records an audit, with retries, and returns its version number."""
    while True:
        version = try_to_audit(table, equipment, part, auditor, result)
        if version is not None:
            return version
        time.sleep(random.uniform(0, 0.02))  # Another auditor was first: look again, but not all at the same moment.


def newest(table, equipment, part=""):
    """The newest version of a part, or of all parts."""
    return query(table, Key("EquipmentID").eq(equipment) & Key("VersionAndPart").begins_with(f"v0_{part}"))


def history(table, equipment, part):
    """All versions of a part, the oldest first: everything in the item collection that is not a copy."""
    items = query(table, Key("EquipmentID").eq(equipment))
    versions = [i for i in items if i["VersionAndPart"] == f"v{i['Version']}_{part}"]
    return sorted(versions, key=lambda item: item["Version"])


def run(dynamodb):
    table = fresh_table(dynamodb, "EquipmentVersions", KEY)

    for auditor, result in [("Rick", "passed"), ("Padma", "failed: worn belt"), ("Rick", "passed")]:
        audit(table, "Equipment_1", "Audit", auditor, result)
    audit(table, "Equipment_2", "Motor", "Mary", "passed")
    audit(table, "Equipment_2", "Belt", "Mary", "worn")
    audit(table, "Equipment_2", "Belt", "Jorge", "replaced")

    with ThreadPoolExecutor(max_workers=16) as pool:
        busy = [pool.submit(audit, table, "Equipment_3", "Audit", f"auditor {n}", "passed") for n in range(16)]
    numbers = sorted(each.result() for each in busy)

    def lines(items):
        return [f"{i['VersionAndPart']}: version {i['Version']}, {i['Auditor']}, {i['Result']}" for i in items]

    return {
        "The newest audit of Equipment_1": lines(newest(table, "Equipment_1")),
        "Its history": lines(history(table, "Equipment_1", "Audit")),
        "The newest audit of each part of Equipment_2": lines(newest(table, "Equipment_2")),
        "The newest audit of its belt": lines(newest(table, "Equipment_2", "Belt")),
        "The history of its belt": lines(history(table, "Equipment_2", "Belt")),
        "Versions that 16 auditors wrote at the same time": ", ".join(str(n) for n in numbers),
        "The newest of them": [f"version {i['Version']}" for i in newest(table, "Equipment_3")],
    }


if __name__ == "__main__":
    main(run, __doc__)
