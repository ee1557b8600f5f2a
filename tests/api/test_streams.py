"""ListStreams, DescribeStream, GetShardIterator, GetRecords, and what writes leave in a stream."""

import re
import time

import pytest

from client import INVALID, NOT_FOUND, call, expect_error, expect_validation, ok
from tables import drop, fresh_table, plain, simple, standing, wait_active
from values import N, S

TRIMMED = "TrimmedDataAccessException"
NO_SHARD = "shardId-00000001414562045508-2bac9cd2"
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
ONE_SHARD = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}
op = pytest.mark.op


def streamed(name, view="NEW_AND_OLD_IMAGES", **more):
    return simple(name, **ONE_SHARD, StreamSpecification={"StreamEnabled": True, "StreamViewType": view}, **more)


@pytest.fixture
def table():
    """(name, ARN of its stream, id of its only shard)"""
    for name in standing(streamed(fresh_table("stream"))):
        arn = ok("DescribeTable", TableName=name)["Table"]["LatestStreamArn"]
        yield name, arn, described(arn)["Shards"][0]["ShardId"]


def described(arn, **more):
    return ok("DescribeStream", StreamArn=arn, **more)["StreamDescription"]


def iterator(arn, shard, kind="TRIM_HORIZON", **more):
    return ok("GetShardIterator", StreamArn=arn, ShardId=shard, ShardIteratorType=kind, **more)["ShardIterator"]


def follow(at, **more):
    """The records behind an iterator, and whether the shard ends with them."""
    records = []
    while at:
        page = ok("GetRecords", ShardIterator=at, **more)
        records += page["Records"]
        at = page.get("NextShardIterator")
        if not page["Records"]:
            break
    return records, at is None


def all_records(arn):
    return [record for shard in described(arn)["Shards"] for record in follow(iterator(arn, shard["ShardId"]))[0]]


def put(name, key, **more):
    ok("PutItem", TableName=name, Item={"pk": S(key), **more})


def events(arn):
    return [(record["eventName"], record["dynamodb"]["Keys"]["pk"]["S"]) for record in all_records(arn)]


# --- what is recorded ----------------------------------------------------------------------------------------------


@op("GetRecords", "PutItem")
def test_a_record_says_what_became_of_an_item(table):
    name, arn, _ = table
    before = int(time.time())
    put(name, "a", n=N("101"))
    (record,) = all_records(arn)
    change = record["dynamodb"]
    assert before <= change.pop("ApproximateCreationDateTime") <= time.time()
    assert re.fullmatch("[0-9]{21,40}", change.pop("SequenceNumber"))
    assert change == {
        "Keys": {"pk": S("a")},
        "NewImage": {"pk": S("a"), "n": N("101")},
        "SizeBytes": 3 + 3 + 4,  # "pk" and "a" twice, "n" and two bytes and one for three digits
        "StreamViewType": "NEW_AND_OLD_IMAGES",
    }
    assert re.fullmatch("[0-9a-f]{32}", record.pop("eventID"))
    del record["dynamodb"]
    assert record == {
        "eventName": "INSERT",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": arn.split(":")[3],
    }


@op("GetRecords", "PutItem", "UpdateItem", "DeleteItem")
def test_each_way_to_write_leaves_its_record(table):
    name, arn, _ = table
    put(name, "a", v=N("1"))
    put(name, "a", v=N("2"))
    update = {"UpdateExpression": "SET v = v + :one", "ExpressionAttributeValues": {":one": N("1")}}
    ok("UpdateItem", TableName=name, Key={"pk": S("a")}, **update)
    ok("UpdateItem", TableName=name, Key={"pk": S("b")}, AttributeUpdates={"v": {"Value": N("7")}})
    ok("DeleteItem", TableName=name, Key={"pk": S("a")})
    records = all_records(arn)
    assert [record["eventName"] for record in records] == ["INSERT", "MODIFY", "MODIFY", "INSERT", "REMOVE"]
    images = [(r["dynamodb"].get("OldImage", {}).get("v"), r["dynamodb"].get("NewImage", {}).get("v")) for r in records]
    assert images == [(None, N("1")), (N("1"), N("2")), (N("2"), N("3")), (None, N("7")), (N("3"), None)]
    numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
    assert numbers == sorted(set(numbers), key=int)
    assert len({record["eventID"] for record in records}) == 5


@op("GetRecords", "PutItem", "UpdateTable")
def test_the_id_of_a_record_is_no_others_and_stays(new_table):
    """Of all the shards of a stream, and of the one that a table had before."""
    name = new_table(simple(fresh_table("ids"), StreamSpecification=STREAM))["TableName"]
    streams = []
    for _ in range(2):
        wait_active(name)
        for number in range(40):
            put(name, f"k{number}", n=N(str(len(streams))))
        streams.append(ok("DescribeTable", TableName=name)["Table"]["LatestStreamArn"])
        ok("UpdateTable", TableName=name, StreamSpecification={"StreamEnabled": False})
        wait_active(name)
        if len(streams) < 2:
            ok("UpdateTable", TableName=name, StreamSpecification=STREAM)
    assert len(described(streams[0])["Shards"]) == 4
    ids = [record["eventID"] for arn in streams for record in all_records(arn)]
    assert len(set(ids)) == len(ids) == 80
    assert ids == [record["eventID"] for arn in streams for record in all_records(arn)]


@op("GetRecords", "BatchWriteItem", "TransactWriteItems")
def test_batches_and_transactions_leave_theirs(table):
    name, arn, _ = table
    puts = [{"PutRequest": {"Item": {"pk": S(key)}}} for key in "ab"]
    ok("BatchWriteItem", RequestItems={name: puts})
    ok("BatchWriteItem", RequestItems={name: [{"DeleteRequest": {"Key": {"pk": S("a")}}}]})
    items = [{"Put": {"TableName": name, "Item": {"pk": S("c")}}}, {"Delete": {"TableName": name, "Key": {"pk": S("b")}}}]
    ok("TransactWriteItems", TransactItems=items)
    assert sorted(events(arn)) == [("INSERT", "a"), ("INSERT", "b"), ("INSERT", "c"), ("REMOVE", "a"), ("REMOVE", "b")]
    check = {"TableName": name, "Key": {"pk": S("z")}, "ConditionExpression": "attribute_exists(pk)"}
    assert call("TransactWriteItems", {"TransactItems": [items[0], {"ConditionCheck": check}]}).status == 400
    assert len(events(arn)) == 5


NOTHING = {
    "the same item": ("PutItem", {"Item": {"pk": S("a"), "s": {"SS": ["x", "y"]}, "m": {"M": {"a": N("1"), "b": N("2")}}}}),
    "in another order": ("PutItem", {"Item": {"m": {"M": {"b": N("2"), "a": N("1.0")}}, "s": {"SS": ["y", "x"]}, "pk": S("a")}}),
    "an update to the same": (
        "UpdateItem",
        {"Key": {"pk": S("a")}, "UpdateExpression": "SET m.a = :one", "ExpressionAttributeValues": {":one": N("1")}},
    ),
    "a removal of nothing": ("UpdateItem", {"Key": {"pk": S("a")}, "UpdateExpression": "REMOVE nothing"}),
    "a removal from nothing": ("UpdateItem", {"Key": {"pk": S("b")}, "UpdateExpression": "REMOVE nothing.a"}),
    "a deletion of nothing": ("DeleteItem", {"Key": {"pk": S("b")}}),
    "a failed condition": (
        "PutItem",
        {"Item": {"pk": S("a")}, "ConditionExpression": "attribute_not_exists(pk)"},
    ),
}


@op("GetRecords")
@pytest.mark.parametrize("operation, request_", NOTHING.values(), ids=NOTHING)
def test_what_changes_nothing_leaves_none(table, operation, request_):
    name, arn, _ = table
    put(name, "a", s={"SS": ["x", "y"]}, m={"M": {"a": N("1"), "b": N("2")}})
    call(operation, {"TableName": name, **request_})
    ok("PutItem", TableName=name, Item={"pk": S("end")})
    assert [event for event in events(arn) if event[1] != "b"] == [("INSERT", "a"), ("INSERT", "end")]


VIEWS = {"KEYS_ONLY": (), "NEW_IMAGE": ("NewImage",), "OLD_IMAGE": ("OldImage",), "NEW_AND_OLD_IMAGES": ("NewImage", "OldImage")}


@op("GetRecords", "DescribeStream")
@pytest.mark.parametrize("view, images", VIEWS.items(), ids=VIEWS)
def test_a_view_shows_its_images(new_table, view, images):
    name = fresh_table("view")
    arn = new_table(streamed(name, view))["LatestStreamArn"]
    put(name, "a", v=N("1"))
    put(name, "a", v=N("2"))
    assert described(arn)["StreamViewType"] == view
    for record in all_records(arn)[1:]:
        assert record["dynamodb"]["StreamViewType"] == view
        assert tuple(member for member in ("NewImage", "OldImage") if member in record["dynamodb"]) == images


@op("GetRecords", "Query")
def test_sort_keys_and_indexes_do_not_disturb(new_table):
    name = fresh_table("sorted")
    definition = plain(name, {"pk": "S", "sk": "N"}, StreamSpecification=STREAM)
    arn = new_table(definition)["LatestStreamArn"]
    for number in range(30):
        ok("PutItem", TableName=name, Item={"pk": S("p"), "sk": N(str(number))})
    assert len(described(arn)["Shards"]) == 4
    records = all_records(arn)  # of one partition key: in one shard, in order
    assert [record["dynamodb"]["Keys"] for record in records] == [{"pk": S("p"), "sk": N(str(n))} for n in range(30)]


# --- shards and iterators ------------------------------------------------------------------------------------------


@op("GetShardIterator", "GetRecords")
def test_where_an_iterator_stands(table):
    name, arn, shard = table
    latest = iterator(arn, shard, "LATEST")
    for key in "abc":
        put(name, key)
    keys = lambda at: [record["dynamodb"]["Keys"]["pk"]["S"] for record in follow(at)[0]]  # noqa: E731
    second = all_records(arn)[1]["dynamodb"]["SequenceNumber"]
    assert keys(latest) == ["a", "b", "c"]
    assert keys(iterator(arn, shard, "LATEST")) == []
    assert keys(iterator(arn, shard, "AT_SEQUENCE_NUMBER", SequenceNumber=second)) == ["b", "c"]
    assert keys(iterator(arn, shard, "AFTER_SEQUENCE_NUMBER", SequenceNumber=second)) == ["c"]
    assert keys(iterator(arn, shard, "AT_TIMESTAMP", Timestamp=1.5)) == ["a", "b", "c"]
    assert keys(iterator(arn, shard, "AT_TIMESTAMP", Timestamp=time.time())) == []


@op("GetRecords")
def test_pages_hold_limit_records_and_a_megabyte(table):
    name, arn, shard = table
    for number in range(5):
        put(name, f"k{number}", b={"B": "A" * 400_000})
    first = ok("GetRecords", ShardIterator=iterator(arn, shard), Limit=2)
    assert len(first["Records"]) <= 2
    records, ended = follow(iterator(arn, shard), Limit=1)
    assert len(records) == 5 and not ended
    page = ok("GetRecords", ShardIterator=iterator(arn, shard))
    assert 1 <= len(page["Records"]) < 5
    assert len(follow(iterator(arn, shard))[0]) == 5
    again = ok("GetRecords", ShardIterator=page["NextShardIterator"])
    assert again["Records"][0]["dynamodb"]["Keys"]["pk"]["S"] == f"k{len(page['Records'])}"


@op("DescribeStream", "GetRecords", "UpdateTable")
def test_a_disabled_stream_stays_readable_to_its_end(table):
    name, arn, shard = table
    put(name, "a")
    at = iterator(arn, shard)
    ok("UpdateTable", TableName=name, StreamSpecification={"StreamEnabled": False})
    wait_active(name)
    put(name, "b")
    stream = described(arn)
    assert stream["StreamStatus"] == "DISABLED"
    numbers = stream["Shards"][0]["SequenceNumberRange"]
    assert int(numbers["StartingSequenceNumber"]) < int(numbers["EndingSequenceNumber"])
    records, ended = follow(at)
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in records] == ["a"] and ended
    assert follow(iterator(arn, shard, "LATEST")) == ([], True)
    ok("UpdateTable", TableName=name, StreamSpecification=STREAM)
    newest = wait_active(name)["LatestStreamArn"]
    put(name, "c")
    assert events(newest) == [("INSERT", "c")] and events(arn) == [("INSERT", "a")]
    assert {s["StreamArn"] for s in ok("ListStreams", TableName=name)["Streams"]} == {arn, newest}


@op("DescribeStream", "DeleteTable")
def test_a_stream_outlives_its_table():
    name = fresh_table("gone")
    arn = ok("CreateTable", **streamed(name))["TableDescription"]["LatestStreamArn"]
    wait_active(name)
    put(name, "a")
    drop(name)
    while call("DescribeTable", {"TableName": name}).status == 200:
        time.sleep(0.02)
    assert described(arn)["StreamStatus"] == "DISABLED"
    assert events(arn) == [("INSERT", "a")]


@op("DescribeStream")
def test_the_description_of_a_stream(table):
    name, arn, shard = table
    stream = described(arn)
    label = stream["StreamLabel"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}", label) and arn.endswith(f":table/{name}/stream/{label}")
    assert abs(stream.pop("CreationRequestDateTime") - time.time()) < 60
    start = stream["Shards"][0]["SequenceNumberRange"]["StartingSequenceNumber"]
    assert re.fullmatch("[0-9]{21,40}", start) and 28 <= len(shard) <= 65
    assert stream == {
        "StreamArn": arn,
        "StreamLabel": label,
        "StreamStatus": "ENABLED",
        "StreamViewType": "NEW_AND_OLD_IMAGES",
        "TableName": name,
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "Shards": [{"ShardId": shard, "SequenceNumberRange": {"StartingSequenceNumber": start}}],
    }


@op("DescribeStream")
def test_shards_come_in_pages_and_by_their_parent(new_table):
    name = fresh_table("shards")
    arn = new_table(simple(name, StreamSpecification=STREAM))["LatestStreamArn"]
    every = [shard["ShardId"] for shard in described(arn)["Shards"]]
    assert len(every) == 4
    seen, last = [], {}
    while True:
        page = described(arn, Limit=3, **last)
        seen += [shard["ShardId"] for shard in page["Shards"]]
        if "LastEvaluatedShardId" not in page:
            break
        last = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}
    assert seen == every
    assert described(arn, ShardFilter={"Type": "CHILD_SHARDS", "ShardId": every[0]})["Shards"] == []


@op("ListStreams")
def test_streams_come_in_pages(new_table):
    names = sorted(fresh_table("listed") for _ in range(3))
    arns = [new_table(streamed(name))["LatestStreamArn"] for name in names]
    seen, last = [], {}
    while True:
        page = ok("ListStreams", Limit=2, **last)
        assert len(page["Streams"]) <= 2
        seen += page["Streams"]
        if "LastEvaluatedStreamArn" not in page:
            break
        last = {"ExclusiveStartStreamArn": page["LastEvaluatedStreamArn"]}
    assert [arn for arn in arns if arn in {stream["StreamArn"] for stream in seen}] == arns
    assert len({stream["StreamArn"] for stream in seen}) == len(seen)
    (only,) = ok("ListStreams", TableName=names[1])["Streams"]
    assert only == {"StreamArn": arns[1], "TableName": names[1], "StreamLabel": arns[1].split("/stream/")[1]}
    assert ok("ListStreams", TableName=names[0] + "x") == {"Streams": []}


# --- what is refused -----------------------------------------------------------------------------------------------


@op("DescribeStream", "GetShardIterator", "GetRecords")
def test_what_is_not_there(table):
    _, arn, shard = table
    gone = arn[:-3] + ("000" if arn[-3:] != "000" else "001")
    missing = f"Requested resource not found: Stream: {gone} not found"
    expect_error("DescribeStream", {"StreamArn": gone}, NOT_FOUND, missing)
    wanted = {"ShardId": shard, "ShardIteratorType": "LATEST"}
    expect_error("GetShardIterator", {"StreamArn": gone, **wanted}, NOT_FOUND, missing)
    no_shard = {"StreamArn": arn, "ShardId": NO_SHARD, "ShardIteratorType": "LATEST"}
    expect_error("GetShardIterator", no_shard, NOT_FOUND, "Requested resource not found: Shard does not exist")


BAD = {
    "no ARN": ("DescribeStream", {"StreamArn": "x" * 40}, "Invalid StreamArn"),
    "an ARN of no stream": ("DescribeStream", {"StreamArn": "arn:aws:dynamodb:us-east-1:123456789012:table/t"}, "Invalid StreamArn"),
    "an iterator of nobody": ("GetRecords", {"ShardIterator": "nonsense"}, "Invalid ShardIterator"),
    "too many records": ("GetRecords", {"ShardIterator": "x", "Limit": 1001}, INVALID + "Limit should be less than or equal to 1000"),
    "too many streams": ("ListStreams", {"Limit": 101}, INVALID + "Limit should be less than or equal to 100"),
    "too few records": (
        "GetRecords",
        {"ShardIterator": "x", "Limit": 0},
        "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
    ),
    "a short ARN": (
        "DescribeStream",
        {"StreamArn": "x"},
        "1 validation error detected: Value 'x' at 'streamArn' failed to satisfy constraint: Member must have length greater than or equal to 37",
    ),
    "no iterator": (
        "GetRecords",
        {},
        "1 validation error detected: Value null at 'shardIterator' failed to satisfy constraint: Member must not be null",
    ),
}


@op("DescribeStream", "GetRecords", "ListStreams")
@pytest.mark.parametrize("operation, request_, text", BAD.values(), ids=BAD)
def test_requests_that_are_refused(operation, request_, text):
    expect_validation(operation, request_, text)


@op("GetShardIterator")
def test_a_number_belongs_to_its_type(table):
    name, arn, shard = table
    put(name, "a")
    number = all_records(arn)[0]["dynamodb"]["SequenceNumber"]
    base = {"StreamArn": arn, "ShardId": shard}
    for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        expect_validation("GetShardIterator", {**base, "ShardIteratorType": kind}, re.compile(INVALID + ".*SequenceNumber.*"))
        request = {**base, "ShardIteratorType": kind, "SequenceNumber": "x" * 21}
        expect_validation("GetShardIterator", request, re.compile(INVALID + ".*SequenceNumber.*"))
        expect_error("GetShardIterator", {**request, "SequenceNumber": "0" * 21}, TRIMMED)
    for kind in ("LATEST", "TRIM_HORIZON"):
        request = {**base, "ShardIteratorType": kind}
        expect_validation("GetShardIterator", {**request, "SequenceNumber": number}, re.compile(INVALID + ".*SequenceNumber.*"))
        expect_validation("GetShardIterator", {**request, "Timestamp": 1}, re.compile(INVALID + ".*Timestamp.*"))
    expect_validation("GetShardIterator", {**base, "ShardIteratorType": "AT_TIMESTAMP"}, re.compile(INVALID + ".*Timestamp.*"))
    future = {**base, "ShardIteratorType": "AT_TIMESTAMP", "Timestamp": time.time() + 3600}
    expect_validation("GetShardIterator", future, re.compile(INVALID + ".*Timestamp.*"))


@op("GetRecords")
def test_an_iterator_that_was_changed_is_none(table):
    _, arn, shard = table
    at = iterator(arn, shard)
    for altered in (at[:-4], at.replace("|1|", "|2|"), at.replace("stream_", "stream-"), at + "AAAA"):
        expect_validation("GetRecords", {"ShardIterator": altered}, "Invalid ShardIterator")


@op("GetRecords", "PutItem")
def test_each_service_has_its_own_operations():
    streams = {"X-Amz-Target": "DynamoDBStreams_20120810.PutItem"}
    assert call("PutItem", {}, headers=streams).type == "UnknownOperationException"
    tables = {"X-Amz-Target": "DynamoDB_20120810.GetRecords"}
    assert call("GetRecords", {}, headers=tables).type == "UnknownOperationException"
