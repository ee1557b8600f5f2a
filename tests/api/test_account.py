"""DescribeLimits, DescribeEndpoints; DescribeContinuousBackups of tables that have none."""

import pytest
import tables
from client import call, endpoint, expect_error, ok
from tables import HASH

op = pytest.mark.op


@op("DescribeLimits")
def test_limits():
    limits = {"AccountMaxReadCapacityUnits": 80000, "AccountMaxWriteCapacityUnits": 80000}
    assert ok("DescribeLimits") == limits | {"TableMaxReadCapacityUnits": 40000, "TableMaxWriteCapacityUnits": 40000}


@op("DescribeEndpoints")
def test_the_endpoint_is_the_one_that_was_asked():
    (found,) = ok("DescribeEndpoints")["Endpoints"]
    assert found == {"Address": endpoint().netloc, "CachePeriodInMinutes": 1440}


@op("DescribeEndpoints")
def test_the_endpoint_by_another_name():
    answer = call("DescribeEndpoints", {}, headers={"Host": "partita.example:8000"})
    assert answer.body["Endpoints"][0]["Address"] == "partita.example:8000"


@op("DescribeContinuousBackups")
def test_backups():
    off = {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"}}
    assert ok("DescribeContinuousBackups", TableName=HASH) == {"ContinuousBackupsDescription": off}


@op("DescribeContinuousBackups")
def test_backups_of_no_table():
    expect_error("DescribeContinuousBackups", {"TableName": tables.ABSENT}, "TableNotFoundException", f"Table not found: {tables.ABSENT}")
