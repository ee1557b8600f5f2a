"""`partita mcp`: messages of the Model Context Protocol in and out, and nothing that changes anything unless told so."""

import json
import subprocess

import pytest
from server import binary, running_server

TABLE = {"TableName": "Music", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "Artist", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"}]}
ITEM = {"Artist": {"S": "ann ✓"}, "Year": {"N": "1999"}, "Parts": {"L": [{"BOOL": True}, {"NULL": True}]}}


class Agent:
    """The other side, which waits for each answer."""

    def __init__(self, *flags):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([binary(), "mcp", *flags], **pipes)
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        assert self.process.stdout.read() == ""
        assert self.process.wait(timeout=60) == 0

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def ask(self, method, **params):
        self.count += 1
        self.say(json.dumps({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}))
        answer = json.loads(self.process.stdout.readline())
        assert answer["jsonrpc"] == "2.0" and answer["id"] == self.count
        return answer

    def use(self, tool, **arguments):
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        [content] = result["content"]
        assert content["type"] == "text"
        return result["isError"], json.loads(content["text"])

    def tools(self):
        return {each["name"]: each for each in self.ask("tools/list")["result"]["tools"]}


@pytest.fixture
def seeded(tmp_path):
    (tmp_path / "music.json").write_text(json.dumps(TABLE))
    (tmp_path / "Music.jsonl").write_text(json.dumps({"Item": ITEM}) + "\n")
    return ["--in-memory", "--seed", str(tmp_path)]


def test_a_line_has_a_limit():
    with Agent("--in-memory") as agent:
        agent.say("[" + " " * (40 << 20))
        answer = json.loads(agent.process.stdout.readline())
        assert answer == {"jsonrpc": "2.0", "id": None,
                          "error": {"code": -32600, "message": "A line has at most 16 MiB."}}
        assert len(agent.tools()) > 5


@pytest.mark.parametrize("asked, answered", [("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"),
                                             ("1999-01-01", "2025-06-18")])
def test_a_session_begins(asked, answered):
    with Agent("--in-memory") as agent:
        begun = agent.ask("initialize", protocolVersion=asked, capabilities={}, clientInfo={"name": "a", "version": "1"})
        assert begun["result"]["protocolVersion"] == answered
        assert begun["result"]["capabilities"] == {"tools": {}}
        assert begun["result"]["serverInfo"]["name"] == "partita"
        agent.say('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        assert agent.ask("ping")["result"] == {}


def test_reading(seeded):
    with Agent(*seeded) as agent:
        assert agent.use("ListTables") == (False, {"TableNames": ["Music"]})
        assert agent.use("GetItem", TableName="Music", Key={"Artist": ITEM["Artist"]}) == (False, {"Item": ITEM})
        failed, said = agent.use("Query", TableName="Music", KeyConditionExpression="Artist = :a", Limit=1,
                                 ExpressionAttributeValues={":a": ITEM["Artist"]})
        assert not failed and said["Items"] == [ITEM]
        failed, said = agent.use("ExecuteStatement", Statement='SELECT "Year" FROM "Music"')
        assert not failed and said["Items"] == [{"Year": {"N": "1999"}}]
        failed, said = agent.use("GetItem", TableName="Nowhere", Key={})
        assert failed and said["__type"].endswith("#ResourceNotFoundException")


def test_without_leave_nothing_is_changed(seeded):
    with Agent(*seeded) as agent:
        tools = agent.tools()
        assert "GetItem" in tools and "PutItem" not in tools and "DeleteTable" not in tools
        assert all(each["annotations"]["readOnlyHint"] for each in tools.values())
        for tool, arguments in [("PutItem", {"TableName": "Music", "Item": ITEM}), ("DeleteTable", {"TableName": "Music"})]:
            assert agent.ask("tools/call", name=tool, arguments=arguments)["error"]["code"] == -32602
        statements = ["""INSERT INTO "Music" VALUE {'Artist': 'bob'}""", """DELETE FROM "Music" WHERE "Artist" = 'ann ✓'""",
                      """UPDATE "Music" SET "Year" = 1 WHERE "Artist" = 'ann ✓'"""]
        for statement in statements:
            failed, said = agent.use("ExecuteStatement", Statement=statement)
            assert failed and said["__type"].endswith("#AccessDeniedException"), statement
        assert agent.use("Scan", TableName="Music")[1]["Items"] == [ITEM]


@pytest.mark.parametrize("who, condition", [
    ({"AWS": "arn:aws:iam::123456789012:user/mcp"}, {}),
    ("*", {"StringEquals": {"aws:PrincipalAccount": "123456789012"}}),
])
def test_the_policy_of_a_table_gives_no_leave(tmp_path, who, condition):
    """What it allows to others, or to everybody, an agent that reads may not."""
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": who, "Action": "dynamodb:*",
                                                      "Resource": "*", "Condition": condition}]}
    (tmp_path / "music.json").write_text(json.dumps({**TABLE, "ResourcePolicy": json.dumps(policy)}))
    (tmp_path / "Music.jsonl").write_text(json.dumps({"Item": ITEM}) + "\n")
    with Agent("--in-memory", "--seed", str(tmp_path)) as agent:
        failed, said = agent.use("ExecuteStatement", Statement="""INSERT INTO "Music" VALUE {'Artist': 'bob'}""")
        assert failed and said["__type"].endswith("#AccessDeniedException")
        assert agent.use("Scan", TableName="Music")[1]["Items"] == [ITEM]
        assert not agent.use("ExecuteStatement", Statement='SELECT * FROM "Music"')[0]


def test_with_leave_it_is(tmp_path):
    data = tmp_path / "data"
    with Agent("--write", "--data", str(data)) as agent:
        assert not agent.use("CreateTable", **TABLE)[0]
        assert not agent.use("PutItem", TableName="Music", Item=ITEM)[0]
        assert not agent.tools()["PutItem"]["annotations"]["readOnlyHint"]
        assert not agent.tools()["ExecuteStatement"]["annotations"]["readOnlyHint"]
    with running_server(data_dir=data) as server:
        assert server.client().scan(TableName="Music")["Items"] == [ITEM]
        refused = subprocess.run([binary(), "mcp", "--data", str(data)], stdin=subprocess.DEVNULL, capture_output=True,
                                 text=True, timeout=60)
        assert refused.returncode == 1 and "in use" in refused.stderr, refused.stderr


def test_tools_say_what_they_take():
    """The schema is the request's own: what it requires is what DynamoDB misses."""
    with Agent("--in-memory", "--write") as agent:
        for name, tool in agent.tools().items():
            schema = tool["inputSchema"]
            assert schema["type"] == "object" and tool["description"].endswith(".")
            failed, said = agent.use(name)
            message = said.get("message", said.get("Message", ""))
            if name == "ListTables":
                assert not failed and schema["required"] == []
            else:
                assert failed and said["__type"].endswith("#ValidationException"), (name, said)
                required = schema["required"] or tool["description"].split("Needs ")[1].replace(",", "").split()
                named = {each for each in required if each[0].lower() + each[1:] in message or each in message}
                assert named, (name, message)


@pytest.mark.parametrize("line, code", [
    ("{", -32700), ("nonsense", -32700), ("[]", -32600), ("1", -32600), ('{"id": 1}', -32600),
    ('{"id": {"a": 1}, "method": "ping"}', -32600), ('{"id": true, "method": "ping"}', -32600),
    ('{"id": 18446744073709551615, "method": "ping"}', -32600),
    ('{"jsonrpc": "2.0", "id": 7, "method": "resources/list"}', -32601),
    ('{"jsonrpc": "2.0", "id": "x", "method": "tools/call"}', -32602),
    ('{"jsonrpc": "2.0", "id": 1.5, "method": "tools/call", "params": {"name": ["GetItem"]}}', -32602),
    ("[" * 100_000, -32700),
])
def test_what_is_no_message(line, code):
    with Agent("--in-memory") as agent:
        agent.say(line)
        agent.say('{"jsonrpc": "2.0", "id": "next", "method": "ping"}')
        assert json.loads(agent.process.stdout.readline()).get("error", {}).get("code") == code
        assert json.loads(agent.process.stdout.readline())["id"] == "next"
        agent.say("")
        agent.say('{"jsonrpc": "2.0", "method": "cancelled", "params": null}')
        assert agent.ask("ping")["result"] == {}


def test_several_messages_at_once():
    """As clients of 2025-03-26 may send them."""
    with Agent("--in-memory") as agent:
        agent.say('[{"id": 1, "method": "ping"}, {"method": "notifications/initialized"}, {"id": 2, "method": "no"}, 3, []]')
        answers = json.loads(agent.process.stdout.readline())
        assert [(each["id"], each.get("error", {}).get("code")) for each in answers] == [
            (1, None), (2, -32601), (None, -32600), (None, -32600)]
        agent.say('[{"method": "notifications/initialized"}]')
        assert agent.ask("ping")["result"] == {}
