"""The cases through boto3: one JSON line per case.

    throttled.py ENDPOINT
"""

import concurrent.futures
import json
import sys
import time

import boto3
from botocore.exceptions import ClientError

BATCH_PUT = [{"PutRequest": {"Item": {"k": {"S": "a"}, "n": {"N": "9"}}}}]
CHANGE = """UPDATE "{}" SET v = 1 WHERE k = 'a' AND n = 1"""
SELECT = """SELECT v FROM "{}" WHERE k = 'a'"""


def key(k="a", n=1):
    return {"k": {"S": k}, "n": {"N": str(n)}}


def put(table, k="a", **more):
    return "put_item", {"TableName": table, "Item": {**key(k, 9), **more}}


def get(table):
    return "get_item", {"TableName": table, "Key": key()}


def query(table, k, **more):
    name = "g" if more else "k"
    return "query", {"TableName": table, "KeyConditionExpression": f"{name} = :v",
                     "ExpressionAttributeValues": {":v": {"S": k}}, **more}


def batch_write(*tables):
    return "batch_write_item", {"RequestItems": {table: BATCH_PUT for table in tables}}


def write_both(table, k="a"):
    return "transact_write_items", {"TransactItems": [
        {"Put": {"TableName": f"{table}-open", "Item": key(n=9)}}, {"Put": {"TableName": table, "Item": key(k, 9)}}]}


def statement(text, table):
    return "execute_statement", {"Statement": text.format(table)}


def statements(operation, member, table):
    return operation, {member: [{"Statement": CHANGE.format(name)} for name in (f"{table}-open", table)]}


CASES = {
    "table-write": put("table-write"),
    "table-read": get("table-read"),
    "index-write": put("index-write", g={"S": "g"}),
    "index-read": query("index-read", "g", IndexName="by-g"),
    "hot-write": put("hot-write", "hot"),
    "hot-read": query("hot-read", "hot"),
    "hot-write-on-demand": put("hot-write-on-demand", "hot"),
    "hot-index-write": put("hot-index-write", "cold", g={"S": "hot"}),
    "maximum-write": put("maximum-write"),
    "maximum-read": get("maximum-read"),
    "batch-write": batch_write("batch-write"),
    "batch-read": ("batch_get_item", {"RequestItems": {"batch-read": {"Keys": [key()]}}}),
    "batch-maximum": batch_write("batch-maximum"),
    "batch-part": batch_write("batch-part", "batch-part-open"),
    "transaction-write": write_both("transaction-write"),
    "transaction-read": ("transact_get_items", {"TransactItems": [
        {"Get": {"TableName": name, "Key": key()}} for name in ("transaction-read-open", "transaction-read")]}),
    "transaction-hot": write_both("transaction-hot", "hot"),
    "transaction-maximum": write_both("transaction-maximum"),
    "statement-write": statement(CHANGE, "statement-write"),
    "statement-read": statement(SELECT, "statement-read"),
    "statement-maximum": statement(CHANGE, "statement-maximum"),
    "statement-batch": statements("batch_execute_statement", "Statements", "statement-batch"),
    "statement-transaction": statements("execute_transaction", "TransactStatements", "statement-transaction"),
    "patient-table": put("patient-table"),
    "patient-hot": put("patient-hot", "hot"),
    "patient-maximum": put("patient-maximum"),
}


def parts(reply):
    """What became of each part of a call: [[code, text], ...]; of a batch, which tables have unprocessed items."""
    if "UnprocessedItems" in reply:
        return [["Unprocessed", table] for table in reply["UnprocessedItems"]]
    errors = [each.get("Error", {}) for each in reply.get("Responses", [])] or reply.get("CancellationReasons", [])
    return [[each.get("Code", "None"), each.get("Message")] for each in errors]


def run(client, case):
    operation, parameters = CASES[case]
    told = {"case": case, "error": None, "code": None, "message": None, "reasons": []}
    began = time.monotonic()
    try:
        reply = getattr(client, operation)(**parameters)
    except ClientError as error:
        reply = error.response
        told["error"], told["code"], told["message"] = type(error).__name__, reply["Error"]["Code"], reply["Error"]["Message"]
        told["reasons"] = [[each["reason"], each["resource"]]
                           for each in reply.get("ThrottlingReasons", reply.get("throttlingReasons", []))]
    return {**told, "parts": parts(reply), "attempts": reply["ResponseMetadata"]["RetryAttempts"] + 1,
            "seconds": time.monotonic() - began}


if __name__ == "__main__":
    session = boto3.session.Session(aws_access_key_id="local", aws_secret_access_key="local", region_name="us-east-1")
    clients = [session.client("dynamodb", endpoint_url=sys.argv[1]) for _ in CASES]  # each with retries of its own
    with concurrent.futures.ThreadPoolExecutor(len(CASES)) as threads:
        for told in threads.map(run, clients, CASES):
            print(json.dumps(told))
