#!/usr/bin/python3
"""Voting on two candidates: a key takes 1,000 write units a second, ten suffixes carry many times that.

An item takes at most 1,000 write units a second, whatever its table is provisioned for. A poll that counts all votes
for a candidate in one item therefore throttles at 1,000. With a suffix, `A#0` to `A#9`, each vote goes to one of ten
items at random, and reading a candidate's votes means adding up ten items.

So that a laptop can reach these figures, an item holds 39 KB of text beside its count, and each vote takes 40 units.
The table asks for throttling by its tag `partita:capacity`; the server needs no option for it.
"""

import pathlib
import random
import tempfile
import threading
import time

from botocore.config import Config
from botocore.exceptions import ClientError

from common import create_table, main, plot, session

CANDIDATES = ("A", "B")
SUFFIXES = 10
UNITS_A_VOTE = 40
UNITS = 40_000  # of the table a second, so that only keys are limits
SECONDS = 6
VOTERS = 8
KEY = {"Candidate": "S"}


def make_table(client, name, suffixes):
    """One item for each candidate and suffix, without votes."""
    create_table(
        client, name, KEY,
        BillingMode="PROVISIONED",
        ProvisionedThroughput={"ReadCapacityUnits": 1000, "WriteCapacityUnits": UNITS},
        Tags=[{"Key": "partita:capacity", "Value": "enforce"}],
    )
    for candidate in CANDIDATES:
        for suffix in suffixes:
            text = "x" * (UNITS_A_VOTE * 1024 - 200)
            client.put_item(TableName=name, Item={"Candidate": {"S": candidate + suffix}, "Text": {"S": text},
                                                  "Votes": {"N": "0"}})


class Poll:
    """Voters who vote as fast as they can, and what became of their votes."""

    def __init__(self, connect_client, table, suffixes, seconds):
        self._connect, self._table, self._suffixes, self._seconds = connect_client, table, suffixes, seconds
        self._lock = threading.Lock()
        self.counted = [0] * seconds  # by second
        self.throttled = 0
        self.units = 0

    def run(self):
        clients = [self._connect() for _ in range(VOTERS)]  # which takes longer than a vote
        voters = [threading.Thread(target=self._vote, args=(client, random.Random(n)))
                  for n, client in enumerate(clients)]
        self._began = time.monotonic()
        for voter in voters:
            voter.start()
        for voter in voters:
            voter.join()
        return self

    def _vote(self, client, chance):
        while (second := int(time.monotonic() - self._began)) < self._seconds:
            key = {"Candidate": {"S": chance.choice(CANDIDATES) + chance.choice(self._suffixes)}}
            try:
                units = client.update_item(
                    TableName=self._table, Key=key, UpdateExpression="ADD Votes :one",
                    ExpressionAttributeValues={":one": {"N": "1"}},
                    ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]["CapacityUnits"]
            except ClientError as error:
                if error.response["Error"]["Code"] != "ProvisionedThroughputExceededException":
                    raise
                with self._lock:
                    self.throttled += 1
                time.sleep(0.01)
                continue
            with self._lock:
                self.counted[second] += 1
                self.units += units

    def units_a_second(self):
        """After the first second, in which a partition also serves what it had saved."""
        rest = self.counted[1:] or self.counted
        return UNITS_A_VOTE * sum(rest) / len(rest)


def votes_of(client, table, candidate, suffixes):
    """The sum over all suffixes."""
    total = 0
    for suffix in suffixes:
        item = client.get_item(TableName=table, Key={"Candidate": {"S": candidate + suffix}},
                               ProjectionExpression="Votes", ConsistentRead=True)["Item"]
        total += int(item["Votes"]["N"])
    return total


def bars(series):
    """The same for a terminal: the mean of each."""
    most = max(1, *series.values())
    return [f"{name:<16} {units:>7,.0f} units/s  {'#' * round(40 * units / most)}" for name, units in series.items()]


def run(dynamodb, seconds=SECONDS, picture=None):
    endpoint = dynamodb.meta.client.meta.endpoint_url

    def connect_client():
        # Without retries: a throttled vote is counted, and voted again.
        return session().client("dynamodb", endpoint_url=endpoint, config=Config(retries={"total_max_attempts": 1}))

    client = connect_client()
    polls = {}
    for name, table, suffixes in (("one item each", "Votes", [""]),
                                  ("ten suffixes", "VotesSharded", [f"#{n}" for n in range(SUFFIXES)])):
        make_table(client, table, suffixes)
        poll = polls[name] = Poll(connect_client, table, suffixes, seconds).run()
        time.sleep(1)  # what hot keys owe
        poll.votes = sum(votes_of(client, table, candidate, suffixes) for candidate in CANDIDATES)
    picture = picture or pathlib.Path(tempfile.gettempdir()) / "voting.svg"
    pathlib.Path(picture).write_text(plot({name: [UNITS_A_VOTE * votes for votes in poll.counted]
                                           for name, poll in polls.items()}, "seconds; write units a second"))
    rates = {name: poll.units_a_second() for name, poll in polls.items()}
    flat, sharded = rates.values()
    return {
        "Write units that were served, a second": bars(rates),
        "Throttled votes": [f"{name:<16} {poll.throttled:,}" for name, poll in polls.items()],
        "Votes that were counted, and votes in the table": [
            f"{name:<16} {sum(poll.counted):,} and {poll.votes:,}" for name, poll in polls.items()],
        "Ten suffixes carry": f"{sharded / max(1, flat):.1f} times as much",
        "The plot": str(picture),
    }


if __name__ == "__main__":
    main(run, __doc__)
