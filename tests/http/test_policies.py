"""With --identities each user may do what the policies allow, and is told in AWS's words what they do not."""

import json
import subprocess
import time
import urllib.error
import urllib.request

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from server import binary, running_server

ACCOUNT, REGION = "123456789012", "eu-west-3"
TABLE = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/games"
OTHER = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/books"
ITEMS = [f"dynamodb:{name}" for name in (
    "GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "ConditionCheckItem",
    "PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete")]
OWN = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}


def allow(action, resource="*", condition=None, effect="Allow"):
    return {"Effect": effect, "Action": action, "Resource": resource} | ({"Condition": condition} if condition else {})


def document(*statements):
    return {"Version": "2012-10-17", "Statement": list(statements)}


NO_SCAN = allow("dynamodb:PartiQLSelect", "*", {"Bool": {"dynamodb:FullTableScan": "true"}}, effect="Deny")
USERS = {
    "nobody": [],
    "owner": [allow(ITEMS, TABLE, OWN), NO_SCAN],
    "columns": [allow(ITEMS + ["dynamodb:Scan"], "*", {
        "ForAllValues:StringEquals": {"dynamodb:Attributes": ["player", "game", "wins"]},
        "StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES",
                                 "dynamodb:ReturnValues": ["NONE", "UPDATED_NEW"]}})],
    "indexer": [allow(["dynamodb:Query", "dynamodb:PartiQLSelect"], TABLE + "/index/by-wins")],
    "reader": [allow(["dynamodb:Get*", "dynamodb:Query", "dynamodb:Scan", "dynamodb:PartiQLSelect", "dynamodb:BatchGet*"])],
    "single": [allow("dynamodb:*"), allow("dynamodb:*", "*", {
        "StringLike": {"dynamodb:EnclosingOperation": ["Transact*", "ExecuteTransaction"]}}, effect="Deny")],
    "tagged": [allow("dynamodb:GetItem", "*", {"StringEquals": {"aws:ResourceTag/team": "red"}}),
               allow(["dynamodb:CreateTable", "dynamodb:DeleteTable"]),
               allow("dynamodb:TagResource", "*", {"StringEquals": {"aws:RequestTag/team": "red"},
                                                   "ForAllValues:StringEquals": {"aws:TagKeys": ["team"]}}),
               allow("dynamodb:UntagResource", "*", {"ForAnyValue:StringEquals": {"aws:TagKeys": ["cost"]}})],
    "near": [allow("dynamodb:GetItem", "*", {"IpAddress": {"aws:SourceIp": "127.0.0.0/8"},
                                             "DateGreaterThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"},
                                             "Bool": {"aws:SecureTransport": "false"}})],
    "far": [allow("dynamodb:GetItem", "*", {"NotIpAddress": {"aws:SourceIp": "127.0.0.0/8"}})],
    "late": [allow("dynamodb:GetItem", "*", {"NumericLessThan": {"aws:EpochTime": "1000"}})],
    "thrifty": [allow("dynamodb:*", "*"), allow("dynamodb:*", "*", {
        "StringNotEquals": {"dynamodb:ReturnConsumedCapacity": "NONE"}, "Null": {"dynamodb:ReturnConsumedCapacity": "false"}},
        effect="Deny")],
    "bounded": [allow("dynamodb:*")],
    "streamer": [allow(["dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords"], TABLE + "/stream/*")],
    "guest": [],
}
IDENTITIES = {
    "UserDetailList": [
        {"UserName": name, "UserPolicyList": [{"PolicyName": "own", "PolicyDocument": document(*statements)}] if statements else [],
         "GroupList": ["readers"] if name == "reader" else []}
        | ({"PermissionsBoundary": {"PermissionsBoundaryType": "Policy", "PermissionsBoundaryArn": "arn:aws:iam::aws:policy/Get"}}
           if name == "bounded" else {})
        for name, statements in USERS.items()],
    "GroupDetailList": [{"GroupName": "readers", "GroupPolicyList": [
        {"PolicyName": "no", "PolicyDocument": document(allow("dynamodb:GetItem", OTHER, effect="Deny"))}]}],
    "RoleDetailList": [{"RoleName": "read over"}],
    "Policies": [{"PolicyName": "Get", "Arn": "arn:aws:iam::aws:policy/Get", "PolicyVersionList": [
        {"Document": document(allow("dynamodb:GetItem")), "VersionId": "v1", "IsDefaultVersion": True}]}],
}


def credentials(names=("root", *USERS)):
    return "".join(f"[{name}]\naws_access_key_id = AKIA{name.upper()}\naws_secret_access_key = secret of {name}\n" for name in names)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("identities")
    (folder / "credentials").write_text(credentials())
    (folder / "identities.json").write_text(json.dumps(IDENTITIES))
    return ["--credentials", str(folder / "credentials"), "--identities", str(folder / "identities.json"), "--region", REGION]


def client(server, name, service="dynamodb", region=REGION):
    return boto3.client(service, endpoint_url=server.url, region_name=region, aws_access_key_id=f"AKIA{name.upper()}",
                        aws_secret_access_key=f"secret of {name}", config=Config(retries={"total_max_attempts": 1}))


def put_policy(server, user, arn, *statements):
    """PutResourcePolicy, which this botocore may not know yet; without statements DeleteResourcePolicy."""
    body = {"ResourceArn": arn} | ({"Policy": json.dumps(document(*statements))} if statements else {})
    return send(server, user, "PutResourcePolicy" if statements else "DeleteResourcePolicy", body)


def send(server, user, operation, body, region=REGION):
    """Status and body of a request that is signed by hand."""
    request = AWSRequest("POST", server.url + "/", data=json.dumps(body).encode())
    request.headers["Content-Type"] = "application/x-amz-json-1.0"
    request.headers["X-Amz-Target"] = f"DynamoDB_20120810.{operation}"
    SigV4Auth(Credentials(f"AKIA{user.upper()}", f"secret of {user}"), "dynamodb", region).add_auth(request)
    made = request.prepare()
    with urllib.request.urlopen(urllib.request.Request(made.url, made.body, dict(made.headers))) as reply:
        return json.loads(reply.read())


def fill(root):
    for name in ("games", "books"):
        root.create_table(
            TableName=name, BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "player", "KeyType": "HASH"}, {"AttributeName": "game", "KeyType": "RANGE"}],
            AttributeDefinitions=[{"AttributeName": "player", "AttributeType": "S"}, {"AttributeName": "game", "AttributeType": "S"},
                                  {"AttributeName": "wins", "AttributeType": "N"}],
            GlobalSecondaryIndexes=[{"IndexName": "by-wins", "KeySchema": [{"AttributeName": "wins", "KeyType": "HASH"}],
                                     "Projection": {"ProjectionType": "ALL"}}],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
            Tags=[{"Key": "team", "Value": "red" if name == "games" else "blue"}])
        for player in ("owner", "other"):
            root.put_item(TableName=name, Item=item(player))


@pytest.fixture(scope="module")
def server(files):
    with running_server(in_memory=True, extra_args=files) as one:
        fill(client(one, "root"))
        yield one


def item(player="owner", **more):
    return {"player": {"S": player}, "game": {"S": "go"}, "wins": {"N": "3"}} | more


def key(player="owner"):
    return {"player": {"S": player}, "game": {"S": "go"}}


WHY = {
    "-": "because no identity-based policy allows the {} action", "b": "because no permissions boundary allows the {} action",
    "D": "with an explicit deny in an identity-based policy", "R": "with an explicit deny in a resource-based policy",
}


def refused(user, call, action, resource, why="-", **arguments):
    with pytest.raises(ClientError) as raised:
        call(**arguments)
    error = raised.value.response["Error"]
    assert error["Code"] == "AccessDeniedException", error
    wanted = f"User: arn:aws:iam::{ACCOUNT}:user/{user} is not authorized to perform: dynamodb:{action} on resource: {resource} "
    assert error["Message"] == wanted + WHY[why].format("dynamodb:" + action)


def test_nothing_is_allowed_by_nothing(server):
    nobody = client(server, "nobody")
    refused("nobody", nobody.get_item, "GetItem", TABLE, TableName="games", Key=key())
    refused("nobody", nobody.put_item, "PutItem", TABLE, TableName="games", Item=item())
    refused("nobody", nobody.query, "Query", TABLE + "/index/by-wins", TableName="games", IndexName="by-wins",
            KeyConditionExpression="wins = :w", ExpressionAttributeValues={":w": {"N": "3"}})
    refused("nobody", nobody.list_tables, "ListTables", f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/*")
    refused("nobody", nobody.describe_table, "DescribeTable", TABLE, TableName="games")
    refused("nobody", nobody.delete_table, "DeleteTable", TABLE, TableName="games")
    refused("nobody", nobody.transact_write_items, "ConditionCheckItem", TABLE, TransactItems=[
        {"ConditionCheck": {"TableName": "games", "Key": key(), "ConditionExpression": "attribute_exists(player)"}}])


def test_who_may_nothing_learns_nothing(server):
    """Neither which tables there are, nor what their keys are."""
    nobody = client(server, "nobody")
    absent = TABLE.replace("games", "absent")
    refused("nobody", nobody.get_item, "GetItem", absent, TableName="absent", Key=key())
    refused("nobody", nobody.get_item, "GetItem", TABLE, TableName="games", Key={"id": {"S": "x"}})
    refused("nobody", nobody.describe_table, "DescribeTable", absent, TableName="absent")
    refused("nobody", nobody.batch_get_item, "BatchGetItem", absent, RequestItems={"absent": {"Keys": [key()]}})
    refused("nobody", nobody.transact_get_items, "GetItem", absent, TransactItems=[{"Get": {"TableName": "absent", "Key": key()}}])
    refused("nobody", nobody.execute_statement, "PartiQLInsert", absent, Statement="INSERT INTO absent VALUE {'player': 'x'}")
    refused("nobody", nobody.execute_statement, "PartiQLSelect", absent, Statement="SELECT * FROM absent")
    refused("nobody", nobody.execute_transaction, "PartiQLSelect", absent,
            TransactStatements=[{"Statement": "SELECT * FROM absent WHERE player = 'x'"}])
    wins = {"ExpressionAttributeValues": {":w": {"N": "3"}}, "KeyConditionExpression": "wins = :w"}
    by_player = {"ExpressionAttributeValues": {":w": {"S": "x"}}, "KeyConditionExpression": "player = :w"}
    for table in ("games", "absent"):
        for index in ("by-wins", "by-none"):
            arn = f"{TABLE.replace('games', table)}/index/{index}"
            ask = {"TableName": table, "IndexName": index}
            refused("nobody", nobody.scan, "Scan", arn, **ask)
            refused("nobody", nobody.query, "Query", arn, **ask, **wins)
            refused("nobody", nobody.query, "Query", arn, **ask, **by_player)
            statement = f'SELECT * FROM "{table}"."{index}" WHERE wins = 3'
            refused("nobody", nobody.execute_statement, "PartiQLSelect", arn, Statement=statement)
            refused("nobody", nobody.execute_transaction, "PartiQLSelect", arn, TransactStatements=[{"Statement": statement}])


def calls(user, player):
    """A native call and its twin in PartiQL, each with its action."""
    at = f"WHERE player = '{player}' AND game = 'go'"
    values = {"ExpressionAttributeValues": {":p": {"S": player}}}
    statement = lambda text: {"Statement": text}  # noqa: E731
    return [
        ("GetItem", user.get_item, {"TableName": "games", "Key": key(player)}),
        ("PartiQLSelect", user.execute_statement, statement(f"SELECT * FROM games {at}")),
        ("Query", user.query, {"TableName": "games", "KeyConditionExpression": "player = :p", **values}),
        ("PartiQLSelect", user.execute_statement, statement(f"SELECT * FROM games WHERE player = '{player}'")),
        ("PutItem", user.put_item, {"TableName": "games", "Item": item(player)}),
        ("UpdateItem", user.update_item, {"TableName": "games", "Key": key(player), "UpdateExpression": "REMOVE x"}),
        ("PartiQLUpdate", user.execute_statement, statement(f"UPDATE games SET y = 1 {at}")),
        ("BatchGetItem", user.batch_get_item, {"RequestItems": {"games": {"Keys": [key(player)]}}}),
        ("BatchWriteItem", user.batch_write_item, {"RequestItems": {"games": [{"PutRequest": {"Item": item(player)}}]}}),
        ("GetItem", user.transact_get_items, {"TransactItems": [{"Get": {"TableName": "games", "Key": key(player)}}]}),
        ("PartiQLSelect", user.execute_transaction, {"TransactStatements": [statement(f"SELECT * FROM games {at}")]}),
        ("PutItem", user.transact_write_items, {"TransactItems": [{"Put": {"TableName": "games", "Item": item(player)}}]}),
        ("PartiQLUpdate", user.execute_transaction, {"TransactStatements": [statement(f"UPDATE games SET y = 2 {at}")]}),
        ("DeleteItem", user.delete_item, {"TableName": "games", "Key": key(player)}),
        ("PartiQLInsert", user.execute_statement, statement(f"INSERT INTO games VALUE {{'player': '{player}', 'game': 'go'}}")),
        ("PartiQLDelete", user.execute_statement, statement(f"DELETE FROM games {at}")),
        ("PutItem", user.put_item, {"TableName": "games", "Item": item(player)}),
    ]


def test_leading_keys_of_every_way_to_an_item(server):
    owner = client(server, "owner")
    for action, call, arguments in calls(owner, "other"):
        refused("owner", call, action, TABLE, **arguments)
    for _, call, arguments in calls(owner, "owner"):
        call(**arguments)
    refused("owner", owner.scan, "Scan", TABLE, TableName="games")
    refused("owner", owner.execute_statement, "PartiQLSelect", TABLE, "D", Statement="SELECT * FROM games")


def test_each_item_of_a_batch_is_looked_at(server):
    owner = client(server, "owner")
    mixed = [key("owner"), key("other")]
    refused("owner", owner.batch_get_item, "BatchGetItem", TABLE, RequestItems={"games": {"Keys": mixed}})
    refused("owner", owner.batch_write_item, "BatchWriteItem", TABLE, RequestItems={"games": [
        {"PutRequest": {"Item": item("owner")}}, {"DeleteRequest": {"Key": key("other")}}]})
    refused("owner", owner.transact_write_items, "DeleteItem", TABLE, TransactItems=[
        {"Put": {"TableName": "games", "Item": item("owner")}}, {"Delete": {"TableName": "games", "Key": key("other")}}])
    refused("owner", owner.batch_get_item, "BatchGetItem", OTHER,
            RequestItems={"games": {"Keys": [key("owner")]}, "books": {"Keys": [key("owner")]}})
    answers = owner.batch_execute_statement(Statements=[
        {"Statement": f"SELECT * FROM games WHERE player = '{name}' AND game = 'go'"} for name in ("owner", "other", "owner")])["Responses"]
    assert ["Item" in one for one in answers] == [True, False, True]
    assert answers[1]["Error"]["Code"] == "AccessDenied" and "dynamodb:PartiQLSelect" in answers[1]["Error"]["Message"]
    assert client(server, "root").get_item(TableName="games", Key=key("other"))["Item"]


def test_attributes(server):
    columns = client(server, "columns")
    wins = {"ProjectionExpression": "wins"}
    assert columns.get_item(TableName="games", Key=key(), **wins)["Item"] == {"wins": {"N": "3"}}
    refused("columns", columns.get_item, "GetItem", TABLE, TableName="games", Key=key())
    refused("columns", columns.get_item, "GetItem", TABLE, TableName="games", Key=key(), ProjectionExpression="wins, x")
    refused("columns", columns.get_item, "GetItem", TABLE, TableName="games", Key=key(), AttributesToGet=["x"])
    refused("columns", columns.scan, "Scan", TABLE, TableName="games", FilterExpression="attribute_exists(x)", **wins)
    refused("columns", columns.query, "Query", TABLE, TableName="games", KeyConditionExpression="player = :p", Select="COUNT",
            ExpressionAttributeValues={":p": {"S": "owner"}})
    columns.put_item(TableName="games", Item=item())
    refused("columns", columns.put_item, "PutItem", TABLE, TableName="games", Item=item(x={"S": "x"}))
    refused("columns", columns.put_item, "PutItem", TABLE, TableName="games", Item=item(), ReturnValues="ALL_OLD")
    update = {"TableName": "games", "Key": key(), "ExpressionAttributeValues": {":n": {"N": "3"}}}
    columns.update_item(UpdateExpression="SET wins = :n", ReturnValues="UPDATED_NEW", **update)
    refused("columns", columns.update_item, "UpdateItem", TABLE, UpdateExpression="SET wins = x", ReturnValues="NONE",
            TableName="games", Key=key())
    refused("columns", columns.update_item, "UpdateItem", TABLE, UpdateExpression="SET wins = :n", ReturnValues="ALL_NEW", **update)
    refused("columns", columns.execute_statement, "PartiQLUpdate", TABLE,
            Statement="UPDATE games SET x = 1 WHERE player = 'owner' AND game = 'go'")
    columns.execute_statement(Statement="UPDATE games SET wins = 3 WHERE player = 'owner' AND game = 'go'")
    refused("columns", columns.batch_write_item, "BatchWriteItem", TABLE, RequestItems={"games": [
        {"PutRequest": {"Item": item()}}, {"PutRequest": {"Item": item("third", x={"S": "x"})}}]})


def test_what_a_failed_condition_returns_is_returned(server):
    def told(operation, body):
        with pytest.raises(urllib.error.HTTPError) as raised:  # this botocore may not know the parameter yet
            send(server, "columns", operation, body)
        return json.loads(raised.value.read())["__type"].partition("#")[2]

    failing = {"TableName": "games", "ConditionExpression": "wins = :n", "ExpressionAttributeValues": {":n": {"N": "99"}}}
    for word, wanted in (("NONE", "ConditionalCheckFailedException"), ("ALL_OLD", "AccessDeniedException")):
        asked = {"ReturnValuesOnConditionCheckFailure": word}
        assert told("PutItem", failing | asked | {"Item": item()}) == wanted
        assert told("DeleteItem", failing | asked | {"Key": key()}) == wanted
        assert told("ExecuteStatement", asked | {
            "Statement": "UPDATE games SET wins = 3 WHERE player = 'owner' AND game = 'go' AND wins = 99"}) == wanted
        check = told("TransactWriteItems", {"TransactItems": [{"ConditionCheck": failing | asked | {"Key": key()}}]})
        assert check == ("TransactionCanceledException" if word == "NONE" else wanted)


def test_the_region_is_not_the_callers_choice(server):
    """A request may be signed for any; tables, policies and replies are of the server's."""
    reader = client(server, "reader", region="us-gov-west-1")
    refused("reader", reader.get_item, "GetItem", OTHER, "D", TableName="books", Key=key())
    assert reader.get_item(TableName="games", Key=key())["Item"]
    assert client(server, "root", region="us-west-2").describe_table(TableName="games")["Table"]["TableArn"] == TABLE
    with pytest.raises(urllib.error.HTTPError) as raised:
        send(server, "reader", "GetItem", {"TableName": "books", "Key": key()}, region="mars-1")
    assert b"explicit deny" in raised.value.read()


def test_what_is_about_no_table(server):
    nobody = client(server, "nobody")
    refused("nobody", nobody.describe_limits, "DescribeLimits", "*")
    refused("nobody", nobody.describe_endpoints, "DescribeEndpoints", "*")
    refused("nobody", nobody.update_contributor_insights, "UpdateContributorInsights", TABLE + "/index/by-wins",
            TableName="games", IndexName="by-wins", ContributorInsightsAction="ENABLE")
    refused("nobody", nobody.describe_contributor_insights, "DescribeContributorInsights", TABLE, TableName="games")
    streams = client(server, "nobody", "dynamodbstreams")
    refused("nobody", streams.list_streams, "ListStreams", TABLE.replace("games", "*") + "/stream/*")


def test_a_global_table_is_a_resource_of_no_region(server):
    nobody = client(server, "nobody")
    everywhere = f"arn:aws:dynamodb::{ACCOUNT}:global-table/games"
    named = {"GlobalTableName": "games"}
    refused("nobody", nobody.create_global_table, "CreateGlobalTable", everywhere, ReplicationGroup=[], **named)
    refused("nobody", nobody.update_global_table, "UpdateGlobalTable", everywhere, ReplicaUpdates=[], **named)
    refused("nobody", nobody.describe_global_table, "DescribeGlobalTable", everywhere, **named)
    refused("nobody", nobody.describe_global_table_settings, "DescribeGlobalTableSettings", everywhere, **named)
    refused("nobody", nobody.update_global_table_settings, "UpdateGlobalTableSettings", everywhere, **named)
    refused("nobody", nobody.list_global_tables, "ListGlobalTables", "*")
    refused("nobody", nobody.describe_table_replica_auto_scaling, "DescribeTableReplicaAutoScaling", TABLE, TableName="games")
    off = {"AutoScalingDisabled": True}
    refused("nobody", nobody.update_table_replica_auto_scaling, "UpdateTableReplicaAutoScaling", TABLE, TableName="games",
            ProvisionedWriteCapacityAutoScalingUpdate=off)


def test_an_index_is_a_resource_of_its_own(server):
    indexer = client(server, "indexer")
    ask = {"TableName": "games", "ExpressionAttributeValues": {":w": {"N": "3"}}, "KeyConditionExpression": "wins = :w"}
    assert indexer.query(IndexName="by-wins", **ask)["Count"] > 0
    assert indexer.execute_statement(Statement='SELECT * FROM games."by-wins" WHERE wins = 3')["Items"]
    refused("indexer", indexer.query, "Query", TABLE, TableName="games", KeyConditionExpression="player = :p",
            ExpressionAttributeValues={":p": {"S": "owner"}})
    refused("indexer", indexer.scan, "Scan", TABLE + "/index/by-wins", TableName="games", IndexName="by-wins")
    with pytest.raises(ClientError, match="ValidationException.*Query condition missed key schema element: wins"):
        indexer.query(IndexName="by-wins", TableName="games", KeyConditionExpression="player = :p",
                      ExpressionAttributeValues={":p": {"S": "owner"}})


def test_groups_and_denials(server):
    reader = client(server, "reader")
    assert reader.get_item(TableName="games", Key=key())["Item"]
    refused("reader", reader.get_item, "GetItem", OTHER, "D", TableName="books", Key=key())
    refused("reader", reader.put_item, "PutItem", TABLE, TableName="games", Item=item())
    assert reader.query(TableName="books", KeyConditionExpression="player = :p", ExpressionAttributeValues={":p": {"S": "owner"}})["Count"]


def test_a_boundary(server):
    bounded = client(server, "bounded")
    assert bounded.get_item(TableName="games", Key=key())["Item"]
    refused("bounded", bounded.put_item, "PutItem", TABLE, "b", TableName="games", Item=item())


def test_enclosing_operations(server):
    single = client(server, "single")
    single.put_item(TableName="games", Item=item())
    refused("single", single.transact_write_items, "PutItem", TABLE, "D", TransactItems=[{"Put": {"TableName": "games", "Item": item()}}])
    refused("single", single.transact_get_items, "GetItem", TABLE, "D", TransactItems=[{"Get": {"TableName": "games", "Key": key()}}])
    refused("single", single.execute_transaction, "PartiQLSelect", TABLE, "D", TransactStatements=[
        {"Statement": "SELECT * FROM games WHERE player = 'owner' AND game = 'go'"}])


def test_tags(server):
    tagged = client(server, "tagged")
    assert tagged.get_item(TableName="games", Key=key())["Item"]
    refused("tagged", tagged.get_item, "GetItem", OTHER, TableName="books", Key=key())
    new = {"TableName": "made", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
           "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}]}
    made = TABLE.replace("games", "made")
    refused("tagged", tagged.create_table, "TagResource", made, Tags=[{"Key": "team", "Value": "blue"}], **new)
    refused("tagged", tagged.create_table, "TagResource", made, **new,
            Tags=[{"Key": "team", "Value": "red"}, {"Key": "owner", "Value": "me"}])
    tagged.create_table(Tags=[{"Key": "team", "Value": "red"}], **new)
    tagged.tag_resource(ResourceArn=made, Tags=[{"Key": "team", "Value": "red"}])
    refused("tagged", tagged.tag_resource, "TagResource", made, ResourceArn=made, Tags=[{"Key": "cost", "Value": "red"}])
    refused("tagged", tagged.untag_resource, "UntagResource", made, ResourceArn=made, TagKeys=["team"])
    tagged.untag_resource(ResourceArn=made, TagKeys=["cost"])
    refused("tagged", tagged.list_tags_of_resource, "ListTagsOfResource", made, ResourceArn=made)
    with pytest.raises(urllib.error.HTTPError) as raised:
        send(server, "tagged", "CreateTable", new | {"TableName": "made2", "ResourcePolicy": json.dumps(
            document(allow("dynamodb:GetItem") | {"Principal": {"AWS": ACCOUNT}}))})
    assert b"is not authorized to perform: dynamodb:PutResourcePolicy" in raised.value.read()
    tagged.delete_table(TableName="made")


def test_where_and_when(server):
    assert client(server, "near").get_item(TableName="games", Key=key())["Item"]
    for name in ("far", "late"):
        refused(name, client(server, name).get_item, "GetItem", TABLE, TableName="games", Key=key())


def test_returned_capacity(server):
    thrifty = client(server, "thrifty")
    thrifty.get_item(TableName="games", Key=key())
    thrifty.list_tables()
    refused("thrifty", thrifty.get_item, "GetItem", TABLE, "D", TableName="games", Key=key(), ReturnConsumedCapacity="TOTAL")
    refused("thrifty", thrifty.execute_statement, "PartiQLSelect", TABLE, "D", ReturnConsumedCapacity="INDEXES",
            Statement="SELECT * FROM games WHERE player = 'owner'")
    refused("thrifty", thrifty.execute_transaction, "PartiQLSelect", TABLE, "D", ReturnConsumedCapacity="TOTAL",
            TransactStatements=[{"Statement": "SELECT * FROM games WHERE player = 'owner' AND game = 'go'"}])


def test_streams(server):
    root, streamer = client(server, "root", "dynamodbstreams"), client(server, "streamer", "dynamodbstreams")
    arns = {one["TableName"]: one["StreamArn"] for one in root.list_streams()["Streams"]}
    records = []
    for shard in streamer.describe_stream(StreamArn=arns["games"])["StreamDescription"]["Shards"]:
        ask = {"ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = streamer.get_shard_iterator(StreamArn=arns["games"], **ask)["ShardIterator"]
        records += streamer.get_records(ShardIterator=iterator)["Records"]
    assert records
    refused("streamer", streamer.describe_stream, "DescribeStream", arns["books"], StreamArn=arns["books"])
    refused("streamer", streamer.list_streams, "ListStreams", TABLE + "/stream/*", TableName="games")
    shard = root.describe_stream(StreamArn=arns["books"])["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = root.get_shard_iterator(StreamArn=arns["books"], **ask | {"ShardId": shard})["ShardIterator"]
    refused("streamer", streamer.get_records, "GetRecords", arns["books"], ShardIterator=iterator)


def test_policies_of_tables_and_streams(server):
    root, guest, reader = client(server, "root"), client(server, "guest"), client(server, "reader")
    me = f"arn:aws:iam::{ACCOUNT}:user/guest"
    get = {"TableName": "games", "Key": key()}
    refused("guest", guest.get_item, "GetItem", TABLE, **get)
    put_policy(server, "root", TABLE,
               allow(["dynamodb:GetItem", "dynamodb:Query"], [TABLE, TABLE + "/index/*"]) | {"Principal": {"AWS": me}},
               allow("dynamodb:Scan", "*", effect="Deny") | {"Principal": "*"})
    assert guest.get_item(**get)["Item"]
    ask = {"TableName": "games", "ExpressionAttributeValues": {":w": {"N": "3"}}, "KeyConditionExpression": "wins = :w"}
    assert guest.query(IndexName="by-wins", **ask)["Count"] > 0
    refused("guest", guest.put_item, "PutItem", TABLE, TableName="games", Item=item())
    refused("guest", guest.get_item, "GetItem", OTHER, TableName="books", Key=key())
    refused("reader", reader.scan, "Scan", TABLE, "R", TableName="games")
    refused("reader", reader.scan, "Scan", TABLE + "/index/by-wins", "R", TableName="games", IndexName="by-wins")
    assert reader.scan(TableName="books")["Count"]
    assert root.scan(TableName="games")["Count"]
    put_policy(server, "root", TABLE)
    refused("guest", guest.get_item, "GetItem", TABLE, **get)
    assert reader.scan(TableName="games")["Count"]

    stream = root.describe_table(TableName="games")["Table"]["LatestStreamArn"]
    streams = client(server, "guest", "dynamodbstreams")
    refused("guest", streams.describe_stream, "DescribeStream", stream, StreamArn=stream)
    put_policy(server, "root", stream, allow("dynamodb:DescribeStream", stream) | {"Principal": {"AWS": me}})
    assert streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"]
    put_policy(server, "root", stream)


def test_a_streams_policy_outlives_its_table(server):
    root = client(server, "root")
    root.create_table(TableName="brief", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
                      AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                      StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    stream = root.describe_table(TableName="brief")["Table"]["LatestStreamArn"]
    put_policy(server, "root", stream, allow("dynamodb:DescribeStream", stream, effect="Deny") | {"Principal": "*"})
    root.delete_table(TableName="brief")
    root.get_waiter("table_not_exists").wait(TableName="brief", WaiterConfig={"Delay": 1, "MaxAttempts": 20})
    single = client(server, "single", "dynamodbstreams")
    refused("single", single.describe_stream, "DescribeStream", stream, "R", StreamArn=stream)
    time.sleep(1.5)  # until the table's rows are erased
    refused("single", single.describe_stream, "DescribeStream", stream, "R", StreamArn=stream)
    assert client(server, "root", "dynamodbstreams").describe_stream(StreamArn=stream)["StreamDescription"]["Shards"]


def test_a_key_of_the_root_may_do_everything(server):
    root = client(server, "root")
    put_policy(server, "root", OTHER, allow("dynamodb:Scan", OTHER, effect="Deny") | {"Principal": "*"})
    assert root.scan(TableName="books")["Count"]
    put_policy(server, "root", OTHER)


def test_warnings_alone(files):
    with running_server(in_memory=True, extra_args=[*files, "--warn-only"]) as server:
        fill(client(server, "root"))
        assert client(server, "nobody").get_item(TableName="games", Key=key())["Item"]
        until = time.monotonic() + 5
        wanted = f"Not enforced, as 1 times so far: arn:aws:iam::{ACCOUNT}:user/nobody is not allowed dynamodb:GetItem on {TABLE}."
        while wanted not in server.log() and time.monotonic() < until:
            time.sleep(0.05)
        assert wanted in server.log() and "secret of" not in server.log()


def simulate(files, user, action, resource, *more):
    arguments = [binary(), "policy", "simulate", "--identities", files[3], "--user", user, "--action", "dynamodb:" + action,
                 "--resource", resource, *more]
    ran = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=30)
    return ran.returncode, (ran.stdout + ran.stderr).strip()


def test_a_request_is_simulated(files, tmp_path):
    me = f"arn:aws:iam::{ACCOUNT}:user/owner"
    context = ["--context", "dynamodb:LeadingKeys=owner"]
    assert simulate(files, "owner", "GetItem", TABLE, *context) == (0, "allowed")
    no = f"User: {me} is not authorized to perform: dynamodb:GetItem on resource: {TABLE} because no identity-based policy allows the dynamodb:GetItem action"
    assert simulate(files, "owner", "GetItem", TABLE, *context, "--context", "dynamodb:LeadingKeys=other") == (1, no)
    (tmp_path / "policy.json").write_text(json.dumps(document(allow("dynamodb:*", "*", effect="Deny") | {"Principal": "*"})))
    code, text = simulate(files, "owner", "GetItem", TABLE, *context, "--resource-policy", str(tmp_path / "policy.json"))
    assert code == 1 and text.endswith("with an explicit deny in a resource-based policy")
    books = TABLE.replace("games", "owner")
    own = {"UserDetailList": [{"UserName": "owner", "Tags": [{"Key": "team", "Value": "red"}], "UserPolicyList": [
        {"PolicyName": "own", "PolicyDocument": document(
            allow("dynamodb:GetItem", TABLE.replace("games", "${aws:username}")),
            allow("dynamodb:PutItem", "*", {"StringEquals": {"aws:PrincipalTag/TEAM": "red"}}))}]}]}
    (tmp_path / "own.json").write_text(json.dumps(own))
    of_own = files[:3] + [str(tmp_path / "own.json")]
    assert simulate(of_own, "owner", "GetItem", books) == (0, "allowed")
    assert simulate(of_own, "owner", "GetItem", books, "--context", "aws:username=owner") == (0, "allowed"), "said twice"
    assert simulate(of_own, "owner", "GetItem", books, "--context", "aws:username=other")[0] == 1, "in its place"
    assert simulate(of_own, "owner", "PutItem", books) == (0, "allowed")
    for tag, code in ("team=red", 0), ("TEAM=red", 0), ("Team=blue", 1):
        assert simulate(of_own, "owner", "PutItem", books, "--context", "aws:PrincipalTag/" + tag)[0] == code, tag
    assert simulate(files, "who", "GetItem", TABLE)[0] == 2
    assert simulate(files, "owner", "GetItem", TABLE, "--context", "dynamodb:Leading=x")[0] == 2
    assert simulate(files, "owner", "PutItme", TABLE) == (
        2, "partita: No request has the action dynamodb:PutItme. Did you mean 'dynamodb:PutItem'?")
    assert simulate(files, "owner", "Put*", TABLE)[0] == 1, "wildcards are not looked up"


BAD_FILES = [
    ({"Users": []}, credentials(), "the file has a member Users, which is not known."),
    ({"IsTruncated": True}, credentials(), "The file is only the beginning of an account: IsTruncated."),
    (IDENTITIES, credentials(["root", "alcie"]), "The profile [alcie] of the credentials is no user, and not [root]."),
    ({"UserDetailList": [{"UserName": "a"}, {"UserName": "a"}]}, credentials(), "Two users have the name a."),
    ({"UserDetailList": [{"UserName": "root"}]}, credentials(["root"]),
     "The profile [root] of the credentials may do everything, and a user of that name may not."),
    ({"UserDetailList": [{"UserName": "a", "GroupList": ["b"]}]}, credentials(), "the user a is in a group that is not there: b."),
    ({"UserDetailList": [{"UserName": "a", "AttachedManagedPolicies": [{"PolicyArn": "arn:x"}]}]}, credentials(),
     "the user a names the policy arn:x, which is not there."),
    ({"UserDetailList": [{"UserName": "a", "UserPolicyList": [{"PolicyName": "p", "PolicyDocument": {"Statement": []}}]}]}, credentials(),
     "the user a, p: A policy needs a Statement."),
]


@pytest.mark.parametrize("identities, keys, wanted", BAD_FILES, ids=range(len(BAD_FILES)))
def test_files_that_are_wrong(tmp_path, identities, keys, wanted):
    (tmp_path / "credentials").write_text(keys)
    (tmp_path / "identities.json").write_text(json.dumps(identities))
    arguments = ["--credentials", str(tmp_path / "credentials"), "--identities", str(tmp_path / "identities.json")]
    with pytest.raises(RuntimeError, match="did not start") as raised:
        with running_server(in_memory=True, extra_args=arguments):
            pass
    assert wanted in str(raised.value) and "secret of" not in str(raised.value)
