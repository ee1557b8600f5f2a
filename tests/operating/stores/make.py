"""Makes a store as test_old_stores.py keeps them: make.py PROGRAM NAME

PROGRAM is a partita of any revision; what it does not know yet is left out. The server is killed, so that the newest
writes are in its log alone; what came before a clean stop is in tables. Writes NAME.tar.xz and, beside it, NAME.json:
what a client of that server read, and when.
"""

import json
import os
import pathlib
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "support")]

EVERY_TYPE = {
    "text": {"S": "r\u00e4nder \u2603"},
    "number": {"N": "-12345678901234567890.123456789"},
    "small": {"N": "1E-130"},
    "bytes": {"B": b"\0\xff\0\1"},
    "yes": {"BOOL": True},
    "null": {"NULL": True},
    "list": {"L": [{"S": "a"}, {"N": "1"}, {"L": []}, {"M": {}}]},
    "map": {"M": {"deep": {"M": {"deeper": {"L": [{"NULL": True}]}}}}},
    "texts": {"SS": ["a", "b"]},
    "numbers": {"NS": ["1", "2.5"]},
    "binaries": {"BS": [b"\1", b"\2"]},
}
KEYS = [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}]
ATTRIBUTES = [{"AttributeName": name, "AttributeType": kind} for name, kind in (("p", "S"), ("s", "N"), ("g", "S"))]
ALL = {"ProjectionType": "ALL"}
GLOBAL = {"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": ALL}
LOCAL = {
    "IndexName": "by-p-g",
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "g", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "KEYS_ONLY"},
}
NEAR = {
    "IndexName": "near",
    "VectorAttribute": {"AttributeName": "v"},
    "Dimensions": 3,
    "DistanceFunction": "EUCLIDEAN",
    "Projection": ALL,
}
LATE = {
    "IndexName": "late",
    "KeySchema": [{"AttributeName": "s", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text"]},
}


def tried(ask, **arguments):
    """Whether the revision knows this call."""
    import botocore.exceptions

    try:
        ask(**arguments)
        return True
    except (botocore.exceptions.ClientError, botocore.exceptions.BotoCoreError):
        return False


def make_users(server):
    iam = server.client("iam")
    if not tried(iam.create_user, UserName="alice"):
        return
    iam.create_access_key(UserName="alice")
    iam.create_group(GroupName="readers")
    iam.add_user_to_group(UserName="alice", GroupName="readers")
    statement = {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": statement})
    made = iam.create_policy(PolicyName="reads", PolicyDocument=document)
    iam.attach_group_policy(GroupName="readers", PolicyArn=made["Policy"]["Arn"])
    iam.put_user_policy(UserName="alice", PolicyName="inline", PolicyDocument=document)
    alice = {"AWS": iam.get_user(UserName="alice")["User"]["Arn"]}
    trust = {"Statement": {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": alice}}
    iam.create_role(RoleName="reports", AssumeRolePolicyDocument=json.dumps(trust))


def until_active(client, table):
    while True:
        said = client.describe_table(TableName=table)["Table"]
        if said["TableStatus"] == "ACTIVE" and all(index["IndexStatus"] == "ACTIVE" for index in said.get("GlobalSecondaryIndexes", [])):
            return
        time.sleep(0.05)


def item(number):
    made = {"p": {"S": f"p{number % 3}"}, "s": {"N": str(number)}}
    if number % 2 == 0:
        made["g"] = {"S": f"g{number % 4}"}
    if number % 3 == 0:
        made |= EVERY_TYPE
    if number % 5 == 0:
        made["ends"] = {"N": str(4_000_000_000 + number)}
    if number % 4 == 1:
        made["v"] = {"L": [{"N": str(number)}, {"N": "1"}, {"N": "-0.5"}]}
    return made


def make_tables(server):
    from store_content import call, knows

    client = server.client()
    plain = dict(TableName="plain", KeySchema=KEYS, AttributeDefinitions=ATTRIBUTES, BillingMode="PAY_PER_REQUEST")
    plain |= dict(GlobalSecondaryIndexes=[GLOBAL], LocalSecondaryIndexes=[LOCAL])
    client.create_table(**plain)
    numbers = dict(TableName="numbers", KeySchema=[{"AttributeName": "n", "KeyType": "HASH"}])
    numbers |= dict(AttributeDefinitions=[{"AttributeName": "n", "AttributeType": "N"}])
    client.create_table(**numbers, ProvisionedThroughput={"ReadCapacityUnits": 3, "WriteCapacityUnits": 4})
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    streamed = plain | dict(TableName="streamed", StreamSpecification=stream, GlobalSecondaryIndexes=[GLOBAL])
    if knows(server, "DescribeStream"):
        client.create_table(**streamed)
    if knows(server, "SearchVectors"):
        call(
            server,
            "CreateTable",
            TableName="vectors",
            KeySchema=KEYS,
            AttributeDefinitions=ATTRIBUTES[:2],
            BillingMode="PAY_PER_REQUEST",
            VectorIndexes=[NEAR],
        )


def fill(client, tables, first, last):
    for table in tables:
        for number in range(first, last):
            made = {"n": {"N": str(number / 4)}} if table == "numbers" else item(number)
            client.put_item(TableName=table, Item=made)
            if number % 7 == 0:
                client.delete_item(TableName=table, Key={name: made[name] for name in ("n", "p", "s") if name in made})


def main(program, name):
    os.environ["PARTITA_BINARY"] = program
    from server import Server
    from store_content import account_of, content_of

    with tempfile.TemporaryDirectory() as directory:
        data = pathlib.Path(directory) / "data"
        server = Server(data).start()
        client = server.client()
        make_tables(server)
        make_users(server)
        tables = client.list_tables()["TableNames"]
        for table in tables:
            until_active(client, table)
        fill(client, tables, 0, 40)
        tried(client.update_time_to_live, TableName="plain", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
        arn = client.describe_table(TableName="plain")["Table"]["TableArn"]
        tried(client.tag_resource, ResourceArn=arn, Tags=[{"Key": "of", "Value": "ours"}])
        # So much that a stop writes it into tables, and so regular that they are small.
        for number in range(30):
            client.put_item(TableName="numbers", Item={"n": {"N": str(1000 + number)}, "padding": {"S": "x" * 390_000}})
        server.stop()
        server.start()
        client = server.client()
        for number in range(30):
            client.delete_item(TableName="numbers", Key={"n": {"N": str(1000 + number)}})
        fill(client, tables, 40, 60)
        client.update_table(TableName="plain", AttributeDefinitions=ATTRIBUTES, GlobalSecondaryIndexUpdates=[{"Create": LATE}])
        until_active(client, "plain")
        several = [table for table in tables if table != "numbers"]
        puts = [{"Put": {"TableName": table, "Item": item(number)}} for number in (70, 71) for table in several]
        client.transact_write_items(TransactItems=puts, ClientRequestToken="a token")
        said = {"content": content_of(server), "made": int(time.time())}
        if tried(server.client("iam").list_users):
            said["account"] = account_of(server)
        server.kill()
        (data / "admin.sock").unlink(missing_ok=True)
        with tarfile.open(HERE / f"{name}.tar.xz", "w:xz", preset=9) as archive:
            for file in sorted(data.iterdir()):
                entry = tarfile.TarInfo(file.name)
                entry.size = file.stat().st_size
                archive.addfile(entry, file.open("rb"))
        (HERE / f"{name}.json").write_text(json.dumps(said, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
