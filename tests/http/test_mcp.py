"""`partita mcp`: messages of the Model Context Protocol in and out, and nothing that changes anything unless told so."""

import contextlib
import http.server
import json
import os
import subprocess
import threading
import urllib.error
import urllib.request

import pytest
from certificate import write_certificate
from server import binary, running_server
from test_namespaces import CREDENTIALS, client_of

TABLE = {"TableName": "Music", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "Artist", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"}]}
ITEM = {"Artist": {"S": "ann ✓"}, "Year": {"N": "1999"}, "Parts": {"L": [{"BOOL": True}, {"NULL": True}]}}


class Agent:
    """The other side, which waits for each answer."""

    def __init__(self, *flags, environment=()):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([binary(), "mcp", *flags], env={**os.environ, **dict(environment)}, **pipes)
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
            error = agent.ask("tools/call", name=tool, arguments=arguments)["error"]
            assert error["code"] == -32602 and f"The tool {tool} writes" in error["message"] and "--write" in error["message"]
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
            if name in ("ListTables", "ListSnapshots"):
                assert not failed and schema["required"] == []
            elif name == "Undo":
                assert failed and "Nothing" in message and schema["required"] == []
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


# --- beside a server ------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def agent_of(where, *flags, environment=()):
    """With a store of its own, or of a server that runs."""
    if where == "own":
        with Agent("--in-memory", *flags) as agent:
            yield agent
        return
    with running_server(in_memory=True) as server:
        with Agent("--endpoint-url", server.url, *flags, environment=environment) as agent:
            yield agent


@pytest.fixture(params=["own", "server"])
def where(request):
    return request.param


def music(agent):
    return sorted((item["Artist"]["S"], item.get("Year", {}).get("N")) for item in agent.use("Scan", TableName="Music")[1]["Items"])


def put(agent, artist, year="1"):
    failed, said = agent.use("PutItem", TableName="Music", Item={"Artist": {"S": artist}, "Year": {"N": year}})
    assert not failed, said


def test_a_server_is_asked(tmp_path):
    with running_server(in_memory=True, extra_args=["--namespaces", "header"]) as server:
        server.client().create_table(**TABLE)
        client_of(server, "mine", "header").create_table(**{**TABLE, "TableName": "Mine"})
        with Agent("--endpoint-url", server.url) as agent:
            assert agent.use("ListTables") == (False, {"TableNames": ["Music"]})
            assert "PutItem" not in agent.tools() and "ListSnapshots" in agent.tools()
            for statement in ("""INSERT INTO "Music" VALUE {'Artist': 'bob'}""", """ delete from "Music" WHERE "Artist" = 'b'""",
                              "", "-- select"):
                failed, said = agent.use("ExecuteStatement", Statement=statement)
                assert failed and "Only SELECT" in said["message"], said
            assert not agent.use("ExecuteStatement", Statement="""\n sElect * FROM "Music\"""")[0]
            assert agent.use("GetItem", TableName="None", Key={})[0]
        with Agent("--endpoint-url", server.url, environment={"AWS_REGION": "eu-west-2"}) as agent:
            assert ":dynamodb:eu-west-2:" in agent.use("DescribeTable", TableName="Music")[1]["Table"]["TableArn"]
        with Agent("--endpoint-url", server.url, "--namespace", "mine", "--write") as agent:
            assert agent.use("ListTables") == (False, {"TableNames": ["Mine"]})
            failed, said = agent.use("PutItem", TableName="Mine", Item=ITEM)
            assert not failed, said
        assert client_of(server, "mine", "header").scan(TableName="Mine")["Items"] == [ITEM]
    with Agent("--endpoint-url", server.url) as agent:
        failed, said = agent.use("ListTables")
        assert failed and "Cannot reach" in said["message"]


def test_a_server_with_tls_is_asked_if_its_certificate_is_trusted(tmp_path):
    pair = write_certificate(tmp_path, "localhost")
    with running_server(in_memory=True, extra_args=["--tls-cert", str(pair[0]), "--tls-key", str(pair[1])]) as server:
        url = server.url.replace("http://", "https://")
        with Agent("--endpoint-url", url, environment={"SSL_CERT_FILE": str(pair[0])}) as agent:
            assert agent.use("ListTables") == (False, {"TableNames": []})
        with Agent("--endpoint-url", url) as agent:
            failed, said = agent.use("ListTables")
            assert failed and "Cannot reach" in said["message"] and "certificate" in said["message"]


class NoText(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"a\xff\xfe\n")

    def log_message(self, *_):
        """Not on stderr."""


def test_a_reply_that_is_no_text_is_answered_as_text():
    with http.server.HTTPServer(("127.0.0.1", 0), NoText) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Agent("--endpoint-url", f"http://127.0.0.1:{server.server_port}") as agent:
            answer = agent.ask("tools/call", name="ListTables", arguments={})
            assert answer["result"]["content"] == [{"type": "text", "text": "a??\n"}]
        server.shutdown()


def test_requests_are_signed(tmp_path):
    (tmp_path / "credentials").write_text(CREDENTIALS)
    more = ["--namespaces", "header", "--credentials", str(tmp_path / "credentials")]
    with running_server(in_memory=True, extra_args=more) as server:
        client_of(server, "a-b", "header", key="AKIAALICE", secret="one").create_table(**TABLE)
        keys = {"AWS_ACCESS_KEY_ID": "AKIAALICE", "AWS_SECRET_ACCESS_KEY": "one", "AWS_REGION": "eu-west-2"}
        flags = ["--endpoint-url", server.url, "--namespace", "a-b", "--write"]
        with Agent(*flags, environment=keys) as agent:
            assert agent.use("ListTables") == (False, {"TableNames": ["Music"]})
            put(agent, "ann ✓")
        with Agent(*flags, environment={**keys, "AWS_SECRET_ACCESS_KEY": "two"}) as agent:
            failed, said = agent.use("ListTables")
            assert failed and said["__type"].endswith("#InvalidSignatureException"), said
        # A session's token is a part of what is signed.
        with Agent(*flags, environment={**keys, "AWS_SESSION_TOKEN": "none of ours"}) as agent:
            failed, said = agent.use("ListTables")
            assert failed and said["__type"].endswith("#UnrecognizedClientException"), said


def test_snapshots(where):
    with agent_of(where, "--write") as agent:
        agent.use("CreateTable", **TABLE)
        put(agent, "ann")
        failed, said = agent.use("CreateSnapshot", Name="before")
        assert not failed and said["Snapshot"]["Name"] == "before"
        assert [each["Name"] for each in agent.use("ListSnapshots")[1]["Snapshots"]] == ["before"]
        put(agent, "bob")
        agent.use("DeleteTable", TableName="Music")
        assert not agent.use("RollbackToSnapshot", Name="before")[0]
        assert music(agent) == [("ann", "1")]
        failed, said = agent.use("Undo")
        assert failed and "Nothing" in said["message"]
        assert not agent.use("DeleteSnapshot", Name="before")[0]
        assert agent.use("RollbackToSnapshot", Name="before")[0]


def test_who_only_reads_makes_none(where):
    with agent_of(where) as agent:
        assert agent.use("ListSnapshots") == (False, {"Snapshots": []})
        for tool in ("CreateSnapshot", "RollbackToSnapshot", "DeleteSnapshot", "Undo"):
            assert agent.ask("tools/call", name=tool, arguments={"Name": "s"})["error"]["code"] == -32602


def test_undo(where):
    with agent_of(where, "--write") as agent:
        agent.use("CreateTable", **TABLE)
        states = [music(agent)]

        def change(tool, **arguments):
            failed, said = agent.use(tool, **arguments)
            assert not failed, said
            states.append(music(agent))

        put_of = lambda artist: {"PutRequest": {"Item": {"Artist": {"S": artist}}}}  # noqa: E731
        change("PutItem", TableName="Music", Item={"Artist": {"S": "ann"}, "Year": {"N": "1"}})
        change("PutItem", TableName="Music", Item={"Artist": {"S": "ann"}, "Year": {"N": "2"}})
        change("UpdateItem", TableName="Music", Key={"Artist": {"S": "ann"}}, UpdateExpression="SET #y = :y",
               ExpressionAttributeNames={"#y": "Year"}, ExpressionAttributeValues={":y": {"N": "3"}})
        change("BatchWriteItem", RequestItems={"Music": [put_of("bob"), {"DeleteRequest": {"Key": {"Artist": {"S": "ann"}}}}]})
        change("TransactWriteItems", TransactItems=[
            {"Delete": {"TableName": "Music", "Key": {"Artist": {"S": "bob"}}}},
            {"Put": {"TableName": "Music", "Item": {"Artist": {"S": "eve"}, "Year": {"N": "5"}}}},
            {"ConditionCheck": {"TableName": "Music", "Key": {"Artist": {"S": "ann"}},
                                "ConditionExpression": "attribute_not_exists(Artist)"}}])
        change("DeleteItem", TableName="Music", Key={"Artist": {"S": "eve"}})
        assert len({str(each) for each in states}) == 6  # nothing twice, and nothing at both ends
        # What was refused changed nothing, and is nothing to take back.
        assert agent.use("PutItem", TableName="Music", Item={"Artist": {"S": "x"}},
                         ConditionExpression="attribute_exists(Artist)")[0]
        for state in reversed(states[:-1]):
            failed, said = agent.use("Undo")
            assert not failed, said
            assert music(agent) == state
        failed, said = agent.use("Undo")  # of CreateTable
        assert failed and "CreateTable" in said["message"]
        assert agent.use("DescribeTable", TableName="Music")[0] is False


def test_undo_leaves_what_others_changed():
    with running_server(in_memory=True) as server, Agent("--endpoint-url", server.url, "--write") as agent:
        agent.use("CreateTable", **TABLE)
        put(agent, "ann")
        client = server.client()
        client.put_item(TableName="Music", Item={"Artist": {"S": "bob"}})
        client.put_item(TableName="Music", Item={"Artist": {"S": "ann"}, "Year": {"N": "7"}})
        failed, said = agent.use("Undo")
        assert failed and "somebody else" in said["message"]
        assert music(agent) == [("ann", "7"), ("bob", None)]
        client.put_item(TableName="Music", Item={"Artist": {"S": "ann"}, "Year": {"N": "1"}})
        assert not agent.use("Undo")[0]
        assert music(agent) == [("bob", None)]


class Between(http.server.BaseHTTPRequestHandler):
    """Hands requests on to `server.behind`, and does what `server.before` has for an operation first, once."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.before.pop(self.headers["X-Amz-Target"].split(".")[-1], lambda: None)()
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "content-length")}
        try:
            answer = urllib.request.urlopen(urllib.request.Request(self.server.behind, body, headers), timeout=60)
        except urllib.error.HTTPError as refused:
            answer = refused
        with answer:
            reply = answer.read()
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        """Not on stderr."""


@contextlib.contextmanager
def agent_beside_a_writer():
    """An agent, another client, and a dict: what that client does just before the agent's next call of an operation."""
    with running_server(in_memory=True) as server, http.server.ThreadingHTTPServer(("127.0.0.1", 0), Between) as between:
        between.behind, between.before = server.url, {}
        threading.Thread(target=between.serve_forever, daemon=True).start()
        with Agent("--endpoint-url", f"http://127.0.0.1:{between.server_port}", "--write") as agent:
            agent.use("CreateTable", **TABLE)
            yield agent, server.client(), between.before
        between.shutdown()


def ann(**more):
    return {"Artist": {"S": "ann"}, **{name: {"N": str(value)} for name, value in more.items()}}


def a_put(agent, item):
    return agent.use("PutItem", TableName="Music", Item=item)


def an_update(agent, item):
    names = [name for name in item if name != "Artist"]
    return agent.use("UpdateItem", TableName="Music", Key=ann(),
                     UpdateExpression="SET " + ", ".join(f"#{name} = :{name}" for name in names),
                     ExpressionAttributeNames={f"#{name}": name for name in names},
                     ExpressionAttributeValues={f":{name}": item[name] for name in names})


def a_delete(agent, _):
    return agent.use("DeleteItem", TableName="Music", Key=ann())


@pytest.mark.parametrize("when", ["TransactGetItems", "TransactWriteItems"])
@pytest.mark.parametrize("old, call, new, theirs", [
    (None, a_put, ann(A=1, B=1), ann(A=7, B=1)),
    (None, a_put, ann(A=1, B=1), ann(A=1, B=7)),
    (None, a_put, ann(A=1, B=1), ann(A=1)),
    (ann(A=0, B=0), a_put, ann(A=1, B=0), ann(A=1, B=7)),
    (ann(A=0, C=0), a_put, ann(A=1), ann(A=1, C=7)),
    (ann(A=0, B=0), an_update, ann(A=1), ann(A=1, B=7)),
    (ann(A=0), an_update, ann(A=1, B=1), None),
    (ann(A=0), a_delete, None, ann(A=7)),
])
def test_undo_loses_no_write_made_while_it_runs(when, old, call, new, theirs):
    """Neither before Undo reads nor between its read and its write. The other items of the change stay too."""
    with agent_beside_a_writer() as (agent, client, before):
        if old:
            client.put_item(TableName="Music", Item=old)
        assert not call(agent, new)[0]
        by_others = {"put_item": {"Item": theirs}} if theirs else {"delete_item": {"Key": ann()}}
        [(verb, arguments)] = by_others.items()
        before[when] = lambda: getattr(client, verb)(TableName="Music", **arguments)
        failed, said = agent.use("Undo")
        assert failed and "somebody else" in said["message"], said
        assert not before and client.scan(TableName="Music")["Items"] == ([theirs] if theirs else [])


def test_undo_of_several_items_is_all_or_nothing():
    with agent_beside_a_writer() as (agent, client, before):
        items = [{"Artist": {"S": name}, "Year": {"N": "1"}} for name in ("ann", "bob", "eve")]
        assert not agent.use("BatchWriteItem", RequestItems={"Music": [{"PutRequest": {"Item": each}} for each in items]})[0]
        before["TransactWriteItems"] = lambda: client.put_item(TableName="Music", Item={"Artist": {"S": "eve"}})
        failed, said = agent.use("Undo")
        assert failed and "somebody else" in said["message"], said
        assert music(agent) == [("ann", "1"), ("bob", "1"), ("eve", None)]
        client.put_item(TableName="Music", Item=items[2])
        assert not agent.use("Undo")[0] and music(agent) == []


def test_undo_of_an_overwrite_keeps_an_attribute_that_is_added_meanwhile():
    with agent_beside_a_writer() as (agent, client, before):
        client.put_item(TableName="Music", Item=ann(A=1, B=1))
        assert not a_put(agent, ann(A=2, C=2))[0]
        before["TransactWriteItems"] = lambda: client.put_item(TableName="Music", Item=ann(A=2, C=2, D=4))
        failed, said = agent.use("Undo")
        assert not failed, said
        assert client.scan(TableName="Music")["Items"] == [ann(A=1, B=1, D=4)]


def test_a_write_just_behind_a_put_or_a_delete_is_not_taken_for_it():
    """The session reads what it left, and by then it may be somebody else's."""
    for call in (a_put, a_delete):
        with agent_beside_a_writer() as (agent, client, before):
            client.put_item(TableName="Music", Item=ann(A=0))
            theirs = lambda: client.put_item(TableName="Music", Item=ann(A=7))  # noqa: E731
            # The first TransactGetItems reads what is there before the call, the second what the call left.
            before["TransactGetItems"] = lambda: before.update(TransactGetItems=theirs)  # noqa: B023
            assert not call(agent, ann(A=1))[0] and not before
            failed, said = agent.use("Undo")
            assert failed and "somebody else" in said["message"], said
            assert client.scan(TableName="Music")["Items"] == [ann(A=7)]


def test_undo_compares_values_and_not_how_they_are_written(where):
    """What comes back is another text of the same values; what changes nothing can be taken back too."""
    with agent_of(where, "--write") as agent:
        agent.use("CreateTable", **TABLE)
        item = {"Artist": {"S": "ann"}, "N": {"N": "01.50"}, "Set": {"NS": ["3", "1.0", "2"]}, "Nothing": {"NULL": True},
                "Map": {"M": {"b": {"BOOL": False}, "a": {"L": [{"B": "eQ=="}, {"S": ""}]}}}, "a.b[0] #:\"ü": {"S": "x"}}
        for _ in range(2):
            assert not agent.use("PutItem", TableName="Music", Item=item)[0]
        assert not agent.use("PutItem", TableName="Music", Item={"Artist": {"S": "ann"}, "N": {"N": "2"}})[0]
        assert not agent.use("DeleteItem", TableName="Music", Key={"Artist": {"S": "nobody"}})[0]
        counts = []
        for _ in range(4):
            failed, said = agent.use("Undo")
            assert not failed, said
            items = agent.use("Scan", TableName="Music")[1]["Items"]
            counts.append([len(each) for each in items])
        assert counts == [[2], [6], [6], []]


def test_undo_says_when_a_condition_cannot_name_all_attributes(where):
    with agent_of(where, "--write") as agent:
        agent.use("CreateTable", **TABLE)
        for count, fits in (149, True), (150, False):
            item = {"Artist": {"S": "ann"}, **{f"a{i}": {"S": "x"} for i in range(count)}}
            assert not agent.use("PutItem", TableName="Music", Item=item)[0]
            failed, said = agent.use("Undo")
            assert failed is not fits and (fits or "more attributes" in said["message"]), said
            assert len(music(agent)) == (0 if fits else 1)


def test_a_statement_is_not_taken_back(where):
    with agent_of(where, "--write") as agent:
        agent.use("CreateTable", **TABLE)
        put(agent, "ann")
        assert not agent.use("ExecuteStatement", Statement="""DELETE FROM "Music" WHERE "Artist" = 'ann'""")[0]
        failed, said = agent.use("Undo")
        assert failed and "ExecuteStatement" in said["message"]
        assert music(agent) == []


@pytest.mark.parametrize("flags", [
    ["--endpoint-url", "ftp://localhost:8000"], ["--endpoint-url", "localhost:8000"],
    ["--endpoint-url", "http://localhost:8000/path"], ["--endpoint-url", "http://localhost:1", "--in-memory"],
    ["--endpoint-url", "http://localhost:1", "--seed", "."], ["--namespace", "mine"],
])
def test_what_does_not_go_together(flags):
    refused = subprocess.run([binary(), "mcp", *flags], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=60)
    assert refused.returncode != 0 and "--endpoint-url" in refused.stderr, refused.stderr
