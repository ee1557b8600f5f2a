#!/usr/bin/python3
"""Copies tables with their items from one DynamoDB endpoint to another: AWS, DynamoDB Local, LocalStack or Partita.

    copy_tables.py --from http://localhost:8001 --to http://localhost:8000 [TABLE...]
    copy_tables.py --from aws --from-profile production --to http://localhost:8000 Music

Without names, all tables are copied. Keys, indexes, billing mode, stream settings and time to live go along; tags,
policies, vector indexes and stream records do not. A table that the target has already is refused. Items that are
written to the source during the copy may be missed.
"""

import argparse
import os
import sys
import time

import boto3
from botocore.exceptions import EndpointConnectionError

BATCH = 25  # the most that one BatchWriteItem takes


def connect(endpoint, profile=None):
    """A client for a URL, or for AWS itself. A server without signatures gets dummies where there are no credentials."""
    if endpoint == "aws":
        return boto3.Session(profile_name=profile).client("dynamodb")
    os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")
    session = boto3.Session(profile_name=profile)
    keys = {} if session.get_credentials() else {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
    return session.client("dynamodb", endpoint_url=endpoint, region_name=session.region_name or "us-east-1", **keys)


def units(of):
    """The throughput that was asked for; None for tables on demand."""
    found = {name: of.get("ProvisionedThroughput", {}).get(name, 0) for name in ("ReadCapacityUnits", "WriteCapacityUnits")}
    return found if all(found.values()) else None


def definition(table):
    """What CreateTable takes, from what DescribeTable says."""
    wanted = {name: table[name] for name in ("TableName", "AttributeDefinitions", "KeySchema")}
    if table.get("StreamSpecification", {}).get("StreamEnabled"):
        wanted["StreamSpecification"] = table["StreamSpecification"]
    provisioned = units(table)
    wanted.update({"ProvisionedThroughput": provisioned} if provisioned else {"BillingMode": "PAY_PER_REQUEST"})
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        for index in table.get(kind, []):
            one = {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
            if provisioned and kind == "GlobalSecondaryIndexes":
                one["ProvisionedThroughput"] = units(index) or provisioned
            wanted.setdefault(kind, []).append(one)
    return wanted


def write(target, name, items):
    """BatchWriteItem, until nothing is left over."""
    left, pause = {name: [{"PutRequest": {"Item": item}} for item in items]}, 0.05
    while left:
        left = target.batch_write_item(RequestItems=left)["UnprocessedItems"]
        if left:
            time.sleep(pause)
            pause = min(pause * 2, 5)


def copy(source, target, name):
    """Copies one table, and returns how many items it has."""
    table = source.describe_table(TableName=name)["Table"]
    expiry = source.describe_time_to_live(TableName=name).get("TimeToLiveDescription", {})
    target.create_table(**definition(table))
    target.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 600})
    count = 0
    for page in source.get_paginator("scan").paginate(TableName=name, ConsistentRead=True):
        items = page["Items"]
        for at in range(0, len(items), BATCH):
            write(target, name, items[at : at + BATCH])
        count += len(items)
    if expiry.get("TimeToLiveStatus") == "ENABLED":
        target.update_time_to_live(TableName=name, TimeToLiveSpecification={
            "Enabled": True, "AttributeName": expiry["AttributeName"]})
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--from", dest="source", required=True, metavar="URL|aws", help="where the tables are")
    parser.add_argument("--to", dest="target", required=True, metavar="URL|aws", help="where they are copied to")
    parser.add_argument("--from-profile", metavar="NAME", help="a profile of ~/.aws for the first")
    parser.add_argument("--to-profile", metavar="NAME", help="a profile of ~/.aws for the second")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="their names (default: all tables)")
    given = parser.parse_args()
    source, target = connect(given.source, given.from_profile), connect(given.target, given.to_profile)
    try:
        copy_all(source, target, given)
    except EndpointConnectionError as error:
        sys.exit(str(error))


def copy_all(source, target, given):
    names = given.tables or [name for page in source.get_paginator("list_tables").paginate() for name in page["TableNames"]]
    for name in names:
        try:
            print(f"{name}: {copy(source, target, name)} items")
        except target.exceptions.ResourceInUseException:
            sys.exit(f"{name}: the target has a table of this name already. Delete it there, or name other tables.")
        except source.exceptions.ResourceNotFoundException:
            sys.exit(f"{name}: there is no such table at {given.source}.")


if __name__ == "__main__":
    main()
