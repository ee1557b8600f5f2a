#!/usr/bin/env python3
"""A chat room through DAX: the same calls with amazon-dax-client and with boto3.

    python3 -m venv .venv && .venv/bin/pip install boto3 amazon-dax-client
    partita serve --in-memory --dax 127.0.0.1:8111 --dax-cache 64
    .venv/bin/python examples/dax.py

Without --dax-cache no read is stale. To show what happens after five minutes, the example moves the server's clock.
"""

import argparse
import contextlib
import re
import sys
import time
import urllib.request

from amazondax import AmazonDaxClient
from amazondax.DaxError import DaxClientError
from boto3.dynamodb.conditions import Key
from botocore.exceptions import EndpointConnectionError

from common import DEFAULT_ENDPOINT, connect, fresh_table, partita, session, show

KEY = {"ChatRoomID": "S", "ChatMessageIdentifier": "S"}
ROOM, MESSAGES = "seattle-1", 50
FIRST = {"ChatRoomID": ROOM, "ChatMessageIdentifier": "amsg#2018-08-29:12:00:00"}
TTL_S = 300  # of both caches


def connect_dax(dax_url, region):
    """As AmazonDaxClient.resource(endpoint_url=dax_url), with the keys that the other examples use."""
    keys = session().get_credentials()
    return AmazonDaxClient.resource(
        endpoint_url=dax_url, region_name=region, aws_access_key_id=keys.access_key,
        aws_secret_access_key=keys.secret_key, aws_session_token=keys.token,
    )


def messages():
    for minute in range(MESSAGES):
        yield {**FIRST, "ChatMessageIdentifier": f"amsg#2018-08-29:12:{minute:02}:00", "Message": f"Message {minute}"}


def said(table, **more):
    """The text of the first message, by GetItem."""
    return table.get_item(Key=FIRST, **more).get("Item", {}).get("Message", "(nothing)")


def of_user(table, prefix="amsg#", **more):
    """A user's messages, by Query."""
    condition = Key("ChatRoomID").eq(ROOM) & Key("ChatMessageIdentifier").begins_with(prefix)
    return table.query(KeyConditionExpression=condition, **more)["Items"]


def times(calls, *functions):
    """The microseconds that each function took, called in turn."""
    taken = [[] for _ in functions]
    for _ in range(calls):
        for function, its in zip(functions, taken):
            began = time.perf_counter_ns()
            function()
            its.append((time.perf_counter_ns() - began) / 1000)
    return taken


def percentiles(microseconds):
    ordered = sorted(microseconds)
    return "p50 {:,.0f} µs, p99 {:,.0f} µs".format(*(ordered[int((len(ordered) - 1) * part)] for part in (0.5, 0.99)))


def compared(calls, over_http, over_dax):
    by_http, by_dax = times(calls, over_http, over_dax)
    return [f"over HTTP: {percentiles(by_http)}", f"over DAX: {percentiles(by_dax)}"]


def hits_and_misses(endpoint_url, cache):
    """Of a cache of the server since it started, from its metrics; None without --dax-cache."""
    with urllib.request.urlopen(f"{endpoint_url}/metrics") as reply:
        found = dict(re.findall(rf'^partita_dax_cache_(hits|misses)_total{{cache="{cache}"}} (\d+)', reply.read().decode(), re.M))
    return (int(found["hits"]), int(found["misses"])) if found else None


@contextlib.contextmanager
def counted(answer, endpoint_url, cache):
    """Appends the hits and misses of the block to an answer."""
    before = hits_and_misses(endpoint_url, cache)
    yield
    if before is None:
        answer.append("no cache: the server reads the store")
    else:
        hits, misses = (now - then for now, then in zip(hits_and_misses(endpoint_url, cache), before))
        answer.append(f"hits {hits}, misses {misses}")


def run(dynamodb, dax_url, calls=1000):
    client = dynamodb.meta.client
    endpoint_url = client.meta.endpoint_url
    over_http = fresh_table(dynamodb, "ChatRoomOverDax", KEY, items=messages())
    dax = connect_dax(dax_url, client.meta.region_name)
    over_dax = dax.Table(over_http.name)
    answers = {"A room over HTTP and over DAX": "the same" if of_user(over_http) == of_user(over_dax) else "different"}

    gets, queries = [], []
    with counted(gets, endpoint_url, "item"):
        gets += compared(calls, lambda: said(over_http), lambda: said(over_dax))
    with counted(queries, endpoint_url, "query"):
        queries += compared(calls, lambda: of_user(over_http), lambda: of_user(over_dax))
    answers["GetItem of a message"] = gets
    answers[f"Query of {MESSAGES} messages"] = queries

    def edited_over(table, text):
        """What is read over DAX, before and after five minutes, of a message that is edited."""
        said(over_dax), of_user(over_dax, FIRST["ChatMessageIdentifier"])  # now in the caches
        table.put_item(Item={**FIRST, "Message": text})
        reads = {
            "GetItem": lambda: said(over_dax),
            "consistent GetItem": lambda: said(over_dax, ConsistentRead=True),
            "Query": lambda: of_user(over_dax, FIRST["ChatMessageIdentifier"])[0]["Message"],
        }
        lines = [f"{name}: {read()}" for name, read in reads.items()]
        partita(client, "MoveClock", Seconds=TTL_S)
        lines += [f"{name}, five minutes later: {reads[name]()}" for name in ("GetItem", "Query")]
        partita(client, "MoveClock", Seconds=-TTL_S)
        return lines

    answers["A message that is edited over HTTP"] = edited_over(over_http, "Lunch?")
    answers["A message that is edited over DAX"] = edited_over(over_dax, "Dinner?")
    dax.meta.client.close()
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--endpoint-url", default=DEFAULT_ENDPOINT, help="where the server is (default %(default)s)")
    parser.add_argument("--dax-url", default="dax://127.0.0.1:8111", help="its address for DAX (default %(default)s)")
    parser.add_argument("--calls", type=int, default=1000, help="how often each call is timed (default %(default)s)")
    arguments = parser.parse_args()
    try:
        show(run(connect(arguments.endpoint_url), arguments.dax_url, arguments.calls))
    except (EndpointConnectionError, DaxClientError) as why:
        sys.exit(f"{why}\nStart the server as the head of this file says.")


if __name__ == "__main__":
    main()
