"""EnableKinesisStreamingDestination, DisableKinesisStreamingDestination, UpdateKinesisStreamingDestination,
DescribeKinesisStreamingDestination.

Against AWS, PARTITA_KINESIS_STREAM is the name of a stream that exists; one whose name begins with "absent" does not.
"""

import os
import time

import pytest
import tables
from client import (NOT_FOUND, NOT_NULL, at_least, at_most, call, enum, expect_error, expect_validation, ok, one,
                    region, unsatisfied)
from tables import fresh_table, simple

op = pytest.mark.op
ENABLE, DISABLE, UPDATE, DESCRIBE = ALL = (
    "EnableKinesisStreamingDestination", "DisableKinesisStreamingDestination", "UpdateKinesisStreamingDestination",
    "DescribeKinesisStreamingDestination")
STREAM = os.environ.get("PARTITA_KINESIS_STREAM", "present")
ACCOUNT = "000000000000"
STATUS, ARN, PRECISION = "DestinationStatus", "StreamArn", "ApproximateCreationDateTimePrecision"
ENABLING_WITH, UPDATING_WITH = "EnableKinesisStreamingConfiguration", "UpdateKinesisStreamingConfiguration"
FINE, COARSE = {PRECISION: "MICROSECOND"}, {PRECISION: "MILLISECOND"}

WRONG_STATE = "Table is not in a valid state to enable Kinesis Streaming Destination: "
NOT_OFF = WRONG_STATE + "EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation."
NOT_ON = WRONG_STATE + "KinesisStreamingDestination must be ACTIVE to perform DISABLE operation."
NO_PERMISSION = "User does not have a permission to use kinesis stream"
UPDATE_EMPTY = "Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values"


def arn_of(stream):
    return f"arn:aws:kinesis:{region()}:{ACCOUNT}:stream/{stream}"


def not_settled(table, arn):
    return f"{WRONG_STATE}Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. TableName: {table}, kdsArn: {arn}"


def entries(table):
    body = ok(DESCRIBE, TableName=table)
    assert set(body) == {"KinesisDataStreamDestinations", "TableName"} and body["TableName"] == table
    return body["KinesisDataStreamDestinations"]


def settled(table, status, arn):
    """The entry of the stream, once it has that status and none of a transition."""
    deadline = time.monotonic() + (300 if "PARTITA_KINESIS_STREAM" in os.environ else 20)
    while True:
        found = [each for each in entries(table) if each[ARN] == arn]
        assert len(found) == 1, found
        if not found[0][STATUS].endswith("ING"):
            assert found[0][STATUS] == status, found
            return found[0]
        assert time.monotonic() < deadline, found
        time.sleep(0.1)


def enable(table, arn, **more):
    assert ok(ENABLE, TableName=table, StreamArn=arn, **more) == {
        STATUS: "ENABLING", ENABLING_WITH: more.get(ENABLING_WITH, {}), ARN: arn, "TableName": table}


def refuses_all_but_describe(table, arn):
    """What each of the others answers while a stream is in a transition."""
    for one_of in (arn, arn_of("other")):
        expect_validation(ENABLE, {"TableName": table, "StreamArn": one_of}, NOT_OFF)
    expect_validation(UPDATE, {"TableName": table, "StreamArn": arn, UPDATING_WITH: FINE}, not_settled(table, arn))
    expect_validation(DISABLE, {"TableName": table, "StreamArn": arn}, NOT_ON)


@pytest.fixture
def table(new_table):
    name = fresh_table("kinesis")
    new_table(simple(name))
    return name


@op(*ALL)
def test_a_stream_from_enabled_to_disabled_and_back(table):
    arn = arn_of(STREAM)
    assert entries(table) == []
    enable(table, arn)
    assert entries(table) == [{STATUS: "ENABLING", ARN: arn}]
    refuses_all_but_describe(table, arn)

    assert settled(table, "ACTIVE", arn) == {STATUS: "ACTIVE", ARN: arn}
    described = ok("DescribeTable", TableName=table)["Table"]
    assert described["TableStatus"] == "ACTIVE" and "StreamSpecification" not in described
    for other in (arn, arn_of("other")):
        expect_validation(ENABLE, {"TableName": table, "StreamArn": other, ENABLING_WITH: FINE}, NOT_OFF)

    table_id = described["TableId"]
    same = "Invalid Request: Precision is already set to the desired value of {} for tableId: {}, kdsArn: {}"
    update = {"TableName": table, "StreamArn": arn}
    expect_validation(UPDATE, {**update, UPDATING_WITH: COARSE}, same.format("MILLISECOND", table_id, arn))
    assert ok(UPDATE, **update, UpdateKinesisStreamingConfiguration=FINE) == {
        STATUS: "UPDATING", UPDATING_WITH: FINE, ARN: arn, "TableName": table}
    assert entries(table) == [{STATUS: "UPDATING", ARN: arn, **FINE}]
    refuses_all_but_describe(table, arn)
    assert settled(table, "ACTIVE", arn) == {STATUS: "ACTIVE", ARN: arn, **FINE}
    expect_validation(UPDATE, {**update, UPDATING_WITH: FINE}, same.format("MICROSECOND", table_id, arn))

    expect_validation(DISABLE, {"TableName": table, "StreamArn": arn, ENABLING_WITH: FINE},
                      "Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters")
    for _ in range(2):
        assert ok(DISABLE, TableName=table, StreamArn=arn) == {STATUS: "DISABLING", ARN: arn, "TableName": table}
    expect_validation(ENABLE, {"TableName": table, "StreamArn": arn}, NOT_OFF)
    expect_validation(UPDATE, {**update, UPDATING_WITH: COARSE}, not_settled(table, arn))
    settled(table, "DISABLED", arn)
    expect_validation(DISABLE, {"TableName": table, "StreamArn": arn}, NOT_ON)
    expect_validation(UPDATE, {**update, UPDATING_WITH: COARSE}, not_settled(table, arn))

    # The same entry again, without its precision.
    enable(table, arn)
    assert settled(table, "ACTIVE", arn) == {STATUS: "ACTIVE", ARN: arn}
    assert ok("DeleteTable", TableName=table)


@op(ENABLE, DESCRIBE, DISABLE, UPDATE)
def test_streams_that_cannot_be_used(table):
    first, second, third = arn_of("absent-1"), arn_of("absent-2"), "no ARN at all, but of the length of one"
    for arn in (first, second, third):
        enable(table, arn, EnableKinesisStreamingConfiguration={})
        assert settled(table, "ENABLE_FAILED", arn) == {STATUS: "ENABLE_FAILED", "DestinationStatusDescription": NO_PERMISSION, ARN: arn}
        expect_validation(DISABLE, {"TableName": table, "StreamArn": arn}, NOT_ON)
        expect_validation(UPDATE, {"TableName": table, "StreamArn": arn, UPDATING_WITH: FINE}, not_settled(table, arn))
    assert [each[ARN] for each in entries(table)] == [third, second, first]
    enable(table, second)
    settled(table, "ENABLE_FAILED", second)
    assert len(entries(table)) == 3
    enable(table, arn_of(STREAM), EnableKinesisStreamingConfiguration=FINE)
    assert settled(table, "ACTIVE", arn_of(STREAM)) == {STATUS: "ACTIVE", ARN: arn_of(STREAM), **FINE}
    assert len(entries(table)) == 4


@op(DISABLE, UPDATE)
def test_streams_that_were_never_enabled(table):
    for arn in (arn_of(STREAM), arn_of("absent"), "no ARN at all, but of the length of one"):
        expect_validation(DISABLE, {"TableName": table, "StreamArn": arn}, NOT_ON)
        expect_validation(UPDATE, {"TableName": table, "StreamArn": arn, UPDATING_WITH: FINE},
                          f"{WRONG_STATE}No streaming destination with streamArn: {arn} found for table with tableName: {table}")
    for configuration in ({}, {UPDATING_WITH: {}}, {UPDATING_WITH: None}):
        expect_validation(UPDATE, {"TableName": table, "StreamArn": arn_of(STREAM), **configuration}, UPDATE_EMPTY)


@op(*ALL)
def test_a_table_may_be_named_by_its_arn(table):
    arn = ok("DescribeTable", TableName=table)["Table"]["TableArn"]
    reply = ok(ENABLE, TableName=arn, StreamArn=arn_of(STREAM))
    assert reply["TableName"] == table
    settled(table, "ACTIVE", arn_of(STREAM))
    assert ok(DESCRIBE, TableName=arn)["KinesisDataStreamDestinations"] == entries(table)
    assert ok(UPDATE, TableName=arn, StreamArn=arn_of(STREAM), UpdateKinesisStreamingConfiguration=FINE)[STATUS] == "UPDATING"
    settled(table, "ACTIVE", arn_of(STREAM))
    assert ok(DISABLE, TableName=arn, StreamArn=arn_of(STREAM))[STATUS] == "DISABLING"


@op(*ALL)
def test_a_table_that_is_not_there():
    gone = f"Requested resource not found: Table: {tables.ABSENT} not found"
    request = {"TableName": tables.ABSENT, "StreamArn": arn_of(STREAM)}
    expect_error(DESCRIBE, {"TableName": tables.ABSENT}, NOT_FOUND, gone)
    expect_error(ENABLE, request, NOT_FOUND, gone)
    expect_error(DISABLE, request, NOT_FOUND, gone)
    expect_error(UPDATE, {**request, UPDATING_WITH: FINE}, NOT_FOUND, gone)


@pytest.mark.parametrize("operation", [ENABLE, DISABLE, UPDATE])
def test_constraints(operation):
    request = {"TableName": tables.ABSENT}
    expect_validation(operation, request, one(unsatisfied(None, "streamArn", NOT_NULL)))
    expect_validation(operation, {**request, "StreamArn": "x" * 36}, one(unsatisfied("x" * 36, "streamArn", at_least(37))))
    expect_validation(operation, {**request, "StreamArn": "x" * 1025}, one(unsatisfied("x" * 1025, "streamArn", at_most(1024))))
    member = UPDATING_WITH if operation == UPDATE else ENABLING_WITH
    wrong = {**request, "StreamArn": "x" * 37, member: {PRECISION: "SECOND"}}
    text = one(unsatisfied("SECOND", f"{member[0].lower()}{member[1:]}.approximateCreationDateTimePrecision", enum("MILLISECOND", "MICROSECOND")))
    expect_validation(operation, wrong, text)
    assert call(operation, {**request, "StreamArn": 1}).type == "SerializationException"
