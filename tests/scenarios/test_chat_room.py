"""Scenario 2: a template string as sort key, and the reverse template in an index of each kind."""

import threading

import chat_room
import pytest
from boto3.dynamodb.conditions import Key
from common import fresh_table, query

AMSG = [
    "amsg#2017-12-31:23:59:59 Happy new year!",
    "amsg#2018-02-14:09:30:00 Roses are red.",
    "amsg#2018-08-29:12:00:00 Lunch?",
    "amsg#2018-08-30:18:15:00 Is it raining again?",
    "amsg#2018-08-31:08:00:00 Sunshine!",
]
AMSGOOD = "amsgood#2018-08-29:12:02:00 I come too."
ON_29_AUGUST = [
    "2018-08-29:12:00:00#amsg Lunch?",
    "2018-08-29:12:01:30#bsky Yes, the usual place.",
    "2018-08-29:12:02:00#amsgood I come too.",
]
IN_AUGUST = ON_29_AUGUST + [
    "2018-08-30:18:15:00#amsg Is it raining again?",
    "2018-08-30:18:15:30#bsky It never stopped.",
    "2018-08-31:08:00:00#amsg Sunshine!",
]
TABLES = ["ChatRoom", "ChatRoomGlobal", "ChatRoomLive"]


@pytest.fixture(scope="module")
def answers(dynamodb):
    return chat_room.run(dynamodb)


@pytest.mark.parametrize(
    "question, expected",
    [
        ("All that amsg wrote", AMSG),
        ("All whose names begin with amsg", AMSG[:4] + [AMSGOOD] + AMSG[4:]),
        ("What amsg wrote in 2018", AMSG[1:]),
        ("What amsg wrote in August 2018", AMSG[2:]),
        ("What anybody wrote on 29 August 2018 (local index)", ON_29_AUGUST),
        ("What anybody wrote on 29 August 2018 (global index)", ON_29_AUGUST),
        ("What anybody wrote on 29 August 2018 (index added later)", ON_29_AUGUST),
        ("What anybody wrote in August 2018", IN_AUGUST),
    ],
)
def test_answers(answers, question, expected):
    assert answers[question] == expected


def test_every_question_is_asserted(answers):
    assert len(answers) == 8


@pytest.mark.parametrize("table", TABLES)
def test_the_three_indexes_answer_alike(answers, dynamodb, table):
    assert chat_room.by_time(dynamodb.Table(table), "2018-08") == IN_AUGUST
    assert chat_room.by_time(dynamodb.Table(table), "2019") == []


@pytest.mark.parametrize("table", TABLES)
def test_an_index_follows_every_change(answers, dynamodb, table):
    """A message that is written, moved in time, and deleted is in the index at once, at one place, and gone."""
    table = dynamodb.Table(table)
    late = chat_room.message("seattle-1", "amsg", "2020-01-01:00:00:00", "Late")
    key = {name: late[name] for name in chat_room.KEY}
    table.put_item(Item=late)
    assert chat_room.by_time(table, "2020") == ["2020-01-01:00:00:00#amsg Late"]
    table.update_item(
        Key=key,
        UpdateExpression="SET TimeAndUser = :moved",
        ExpressionAttributeValues={":moved": "2021-01-01:00:00:00#amsg"},
    )
    assert chat_room.by_time(table, "2020") == []
    assert chat_room.by_time(table, "2021") == ["2021-01-01:00:00:00#amsg Late"]
    table.update_item(Key=key, UpdateExpression="REMOVE TimeAndUser")
    assert chat_room.by_time(table, "2021") == []  # An item without the index's key is not in the index.
    table.put_item(Item=late)
    table.delete_item(Key=key)
    assert chat_room.by_time(table, "2020") == []


def test_a_local_index_reads_strongly_and_a_global_one_does_not(answers, dynamodb):
    room = {"KeyConditionExpression": Key("ChatRoomID").eq("seattle-1"), "IndexName": "ByTime", "ConsistentRead": True}
    assert dynamodb.Table("ChatRoom").query(**room)["Count"] == 6
    with pytest.raises(dynamodb.meta.client.exceptions.ClientError) as refused:
        dynamodb.Table("ChatRoomGlobal").query(**room)
    assert refused.value.response["Error"]["Code"] == "ValidationException"


def test_a_room_is_spread_by_its_suffix(answers, dynamodb):
    table = dynamodb.Table("ChatRoom")
    assert [len(query(table, Key("ChatRoomID").eq(room))) for room in chat_room.ROOMS] == [6, 2]


def test_the_added_index_is_described(answers, client):
    table = client.describe_table(TableName="ChatRoomLive")["Table"]
    (added,) = table["GlobalSecondaryIndexes"]
    assert (added["IndexName"], added["IndexStatus"]) == ("ByTime", "ACTIVE")
    assert table["TableStatus"] == "ACTIVE"


def test_an_index_added_under_writes_misses_none_of_them(dynamodb):
    """While the index is built, one thread writes, moves and deletes messages; afterwards index and table agree."""
    room = "seattle-1"
    old = [chat_room.message(room, f"user{n:04}", "2018-01-01:00:00:00", "old") for n in range(1500)]
    table = fresh_table(dynamodb, "ChatRoomBusy", chat_room.KEY, items=old)
    done = threading.Event()

    def chatter():
        n = 0
        while not done.is_set() or n < 60:
            key = {name: old[n * 7 % len(old)][name] for name in chat_room.KEY}
            table.put_item(Item=chat_room.message(room, f"new{n:04}", "2019-01-01:00:00:00", "new"))
            table.update_item(
                Key=key, UpdateExpression="SET TimeAndUser = :t", ExpressionAttributeValues={":t": f"2020#{n:04}"}
            )
            table.delete_item(Key={name: old[(n * 7 + 1) % len(old)][name] for name in chat_room.KEY})
            n += 1

    writer = threading.Thread(target=chatter)
    writer.start()
    try:
        chat_room.add_index(table)
    finally:
        done.set()
        writer.join()
    condition = Key("ChatRoomID").eq(room)
    kept = query(table, condition, ConsistentRead=True)
    indexed = query(table, condition, IndexName="ByTime")
    assert [item["TimeAndUser"] for item in indexed] == sorted(item["TimeAndUser"] for item in kept)
    by_key = {item["ChatMessageIdentifier"]: item for item in kept}
    assert {item["ChatMessageIdentifier"]: item for item in indexed} == by_key
    assert len(kept) == len(indexed)
