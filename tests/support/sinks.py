"""The verbs of sinks, as tests call them.

    create_sink(server, "music", "opensearch+http://127.0.0.1:9200", "--index", "music")
    sink(server, "retry", "music", "opensearch", "--fill")
"""

import json
import subprocess

from server import binary


def run_sink(server, *words):
    """What the verb prints; an AssertionError with its complaint if it fails."""
    command = [binary(), "sink", *map(str, words), "--data", str(server.data_dir)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return done.stdout


def create_sink(server, table, url, *options):
    return run_sink(server, "create", table, "--to", url, *options)


def sink(server, verb, table, name, *options):
    return run_sink(server, verb, table, name, *options)


def sinks_of(server, *table):
    """As DescribeSink tells of them."""
    return json.loads(run_sink(server, "list", *table, "--json"))["Sinks"]


def states_of(server, table):
    return [one["State"] for one in sinks_of(server, table)]


def letters_of(client, table):
    """The dead letters of a table of them, by the ids of documents."""
    found = {}
    for page in client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
        found.update((item["id"]["S"], item) for item in page["Items"])
    return found
