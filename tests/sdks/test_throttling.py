"""What the SDKs make of a throttled request: the exception and its reasons, and when they try again.

One program in each language makes one call per case, with the SDK's own settings, through a proxy that drains the
case's table before each attempt. PARTITA_SDKS="boto3 go" runs some of the SDKs.
"""

import concurrent.futures
import functools
import json
import os
import pathlib
import subprocess
import sys
import typing

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "support")]

from clients import SDKS, Unavailable  # noqa: E402
from proxy import proxied  # noqa: E402
from server import running_server  # noqa: E402
from throttled_tables import KINDS, Tables  # noqa: E402

NAMES = os.environ.get("PARTITA_SDKS", " ".join(SDKS)).split()
LEAST_MS = 500
PATIENT_LEAST_MS = 1_500  # longer than an SDK that goes by its own clock waits at first, which is a second at most
EARLY_S = 0.01  # of clocks and of what a loop rounds

TABLE_TEXT = ("The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
              "provisioning level with the UpdateTable API.")
INDEX_TEXT = ("The level of configured provisioned throughput for one or more global secondary indexes of the table was "
              "exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes "
              "with the UpdateTable API")
ON_DEMAND_TEXT = ("Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your "
                  "table or index so please try again shortly. If exceptions persist, check if you have a hot key: "
                  "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html")
HOT_INDEX_TEXT = ("Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is "
                  "automatically scaling your index so please try again shortly.")
MAXIMUM_TEXT = "Throughput exceeds the maximum OnDemandThroughput configured on table or index"


class Told(typing.NamedTuple):
    """What a case tells its caller. `parts`: of a transaction or a batch, [code, text] each."""

    error: str | None
    message: str | None
    reason: str | None = None
    parts: tuple = ()

    def is_retried(self):
        return self.reason is not None


def exceeded(reason, message=TABLE_TEXT):
    return Told("ProvisionedThroughputExceededException", message, reason)


def throttled(reason, message=MAXIMUM_TEXT):
    return Told("ThrottlingException", message, reason)


def cancelled(code, message):
    text = f"Transaction cancelled, please refer cancellation reasons for specific reasons [None, {code}]"
    return Told("TransactionCanceledException", text, parts=(["None", None], [code, message]))


EXCEEDED, THROTTLED = "ProvisionedThroughputExceeded", "ThrottlingError"
CASES = {
    "table-write": exceeded("TableWriteProvisionedThroughputExceeded"),
    "table-read": exceeded("TableReadProvisionedThroughputExceeded"),
    "index-write": exceeded("IndexWriteProvisionedThroughputExceeded", INDEX_TEXT),
    "index-read": exceeded("IndexReadProvisionedThroughputExceeded", INDEX_TEXT),
    "hot-write": exceeded("TableWriteKeyRangeThroughputExceeded"),
    "hot-read": exceeded("TableReadKeyRangeThroughputExceeded"),
    "hot-write-on-demand": throttled("TableWriteKeyRangeThroughputExceeded", ON_DEMAND_TEXT),
    "hot-index-write": throttled("IndexWriteKeyRangeThroughputExceeded", HOT_INDEX_TEXT),
    "maximum-write": throttled("TableWriteMaxOnDemandThroughputExceeded"),
    "maximum-read": throttled("TableReadMaxOnDemandThroughputExceeded"),
    "batch-write": exceeded("TableWriteProvisionedThroughputExceeded"),
    "batch-read": exceeded("TableReadProvisionedThroughputExceeded"),
    "batch-maximum": throttled("TableWriteMaxOnDemandThroughputExceeded"),
    "batch-part": Told(None, None, parts=(["Unprocessed", "batch-part"],)),
    "transaction-write": cancelled(EXCEEDED, TABLE_TEXT),
    "transaction-read": cancelled(EXCEEDED, TABLE_TEXT),
    "transaction-hot": cancelled(EXCEEDED, TABLE_TEXT),
    "transaction-maximum": cancelled(THROTTLED, MAXIMUM_TEXT),
    "statement-write": exceeded("TableWriteProvisionedThroughputExceeded"),
    "statement-read": exceeded("TableReadProvisionedThroughputExceeded"),
    "statement-maximum": throttled("TableWriteMaxOnDemandThroughputExceeded"),
    "statement-batch": Told(None, None, parts=(["None", None], [EXCEEDED, TABLE_TEXT])),
    "statement-transaction": cancelled(EXCEEDED, TABLE_TEXT),
}
PATIENT = [name for name in KINDS if name.startswith("patient-")]


def run(name):
    """{case: (what the program printed, the attempts that the proxy saw)} of one SDK, on a server of its own."""
    command = SDKS[name].install()
    with running_server(in_memory=True, extra_args=["--capacity", "enforce"]) as server:
        tables = Tables(server)

        def before(case, number):
            if case not in PATIENT:
                tables.drain(case, LEAST_MS)
            elif number == 1:
                tables.drain(case, PATIENT_LEAST_MS)

        environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        with proxied(server, KINDS, before) as proxy:
            done = subprocess.run([*map(str, command), proxy.url], capture_output=True, text=True, timeout=300,
                                  env=environment | {"AWS_EC2_METADATA_DISABLED": "true"})
    assert done.returncode == 0, done.stderr
    lines = map(json.loads, done.stdout.splitlines())
    return {line["case"]: (line, proxy.attempts[line["case"]]) for line in lines}


@pytest.fixture(scope="session")
def results():
    """A function of an SDK's name. All run beside each other: they mostly wait."""
    with concurrent.futures.ThreadPoolExecutor(len(NAMES)) as threads:
        running = {name: threads.submit(run, name) for name in NAMES}

        @functools.cache
        def of(name):
            try:
                return running[name].result()
            except Unavailable as why:
                pytest.skip(f"the SDK {name} is not available: {why}")

        yield of


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("sdk", NAMES)
def test_what_the_caller_is_told(results, sdk, case):
    told, attempts = results(sdk)[case]
    expected, kind = CASES[case], SDKS[sdk]
    if kind.knows_reasons or expected.error != "ThrottlingException":
        assert told["error"] == expected.error
    assert told["code"] == expected.error and told["message"] == expected.message
    resource = f"arn:aws:dynamodb:us-east-1:123456789012:table/{case}"
    if (expected.reason or "").startswith("Index"):
        resource += "/index/by-g"
    assert told["reasons"] == ([[expected.reason, resource]] if expected.reason and kind.knows_reasons else [])
    assert told["parts"] == list(expected.parts)
    assert told["attempts"] == len(attempts) == (kind.attempts if expected.is_retried() else 1)
    assert all(each.told_ms > 0 for each in attempts) == expected.is_retried()


@pytest.mark.parametrize("sdk", [name for name in NAMES if SDKS[name].waits])
def test_it_waits_as_long_as_the_header_says(results, sdk):
    for case, (_, attempts) in results(sdk).items():
        for before, after in zip(attempts, attempts[1:]):
            assert after.began - before.answered >= before.told_ms / 1000 - EARLY_S, (case, attempts)


@pytest.mark.parametrize("case", PATIENT)
@pytest.mark.parametrize("sdk", NAMES)
def test_it_is_served_when_there_is_capacity(results, sdk, case):
    """An SDK that waits as the header says is served at its second attempt. Others try too early, and may give up."""
    told, attempts = results(sdk)[case]
    assert told["attempts"] == len(attempts)
    *refused, last = [each.status for each in attempts]
    assert set(refused) == {400}
    if SDKS[sdk].waits:
        assert (told["error"], last, len(attempts)) == (None, 200, 2)
        assert told["seconds"] >= PATIENT_LEAST_MS / 1000 - EARLY_S
        return
    assert attempts[1].began - attempts[0].answered < attempts[0].told_ms / 1000
    if len(attempts) < SDKS[sdk].attempts:
        assert (told["error"], last) == (None, 200)
