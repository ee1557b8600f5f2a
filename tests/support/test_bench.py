"""What the bench measures with: a figure is worth what its client is."""

import argparse
import collections
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import threading
import xml.etree.ElementTree

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import against_peers  # noqa: E402
import fifty_tests  # noqa: E402
import growth  # noqa: E402
import page  # noqa: E402
import peers  # noqa: E402
import places  # noqa: E402
import plot  # noqa: E402
import rows  # noqa: E402
import signing  # noqa: E402
import starts  # noqa: E402
import vectors  # noqa: E402
import workload  # noqa: E402
import ycsb  # noqa: E402

LOAD = pathlib.Path(os.environ["PARTITA_BINARY"]).parent / "bench" / "load"


class FixedServer:
    """Answers every request with the same bytes, in pieces; keeps what it got."""

    def __init__(self, *pieces, dies_after=None):
        self.pieces, self.dies_after = pieces, dies_after
        self.heads, self.bodies = [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while line := stream.readline():
                head = {}
                while (line := stream.readline().decode().strip()) != "":
                    name, value = line.split(": ", 1)
                    head[name.lower()] = value
                self.heads.append(head)
                self.bodies.append(stream.read(int(head["content-length"])))
                for piece in self.pieces:
                    connection.sendall(piece)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


def run_load(server, lines, *options):
    command = [LOAD, "--port", str(server.port), "--pid", str(os.getpid()), *options]
    return subprocess.run(command, input="".join(lines), capture_output=True, text=True, timeout=60)


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def test_signature_is_what_the_sdk_computes():
    [line] = signing.signed(['GetItem {"TableName":"t"}\n'])
    _, date, digits = line.split(" ")[0].split(":")
    headers = {"Content-Type": signing.CONTENT_TYPE, "X-Amz-Target": "DynamoDB_20120810.GetItem", "Host": signing.HOST}
    request = AWSRequest("POST", "http://127.0.0.1/", data='{"TableName":"t"}', headers=headers)
    request.context["timestamp"] = date
    signer = SigV4Auth(Credentials(signing.ACCESS_KEY, signing.SECRET_KEY), "dynamodb", signing.REGION)
    request.headers["X-Amz-Date"] = date
    assert digits == signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)


def test_load_sends_what_was_signed():
    lines = signing.signed(['GetItem {"a":1}\n'])
    with FixedServer(OK) as server:
        assert run_load(server, lines, "--once").returncode == 0
    [head], [body] = server.heads, server.bodies
    assert body == b'{"a":1}' and head["x-amz-target"] == "DynamoDB_20120810.GetItem"
    assert head["authorization"] == signing.authorization("GetItem", '{"a":1}', head["x-amz-date"])


def test_load_sends_each_once_and_counts_by_operation():
    with FixedServer(OK) as server:
        lines = [f'{operation} {{"n":{n}}}\n' for n in range(20) for operation in ("GetItem", "PutItem")]
        found = json.loads(run_load(server, lines, "--once", "--connections", "3").stdout)
    assert sorted(server.bodies) == sorted(line.split(" ", 1)[1].strip().encode() for line in lines)
    assert found["requests"] == 40
    assert {name: each["requests"] for name, each in found["operations"].items()} == {"GetItem": 20, "PutItem": 20}


@pytest.mark.parametrize("pieces", [
    [b"HTTP/1.1 200 OK\r\ncontent-len", b"gth: 6\r\n\r\n{", b'"a":', b"}"],
    [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", b"0\r\n", b"\r\n"],
])
def test_load_waits_for_the_whole_reply(pieces):
    with FixedServer(*pieces) as server:
        ran = run_load(server, ["GetItem {}\n"] * 50, "--once", "--connections", "2")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["requests"] == 50


@pytest.mark.parametrize("reply", [
    b"HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n{}",
    b'HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n{"UnprocessedItems":{"a":[{}]}}',
])
def test_load_takes_nothing_for_success_that_is_none(reply):
    with FixedServer(reply) as server:
        ran = run_load(server, ["BatchWriteItem {}\n"], "--once")
    assert ran.returncode == 1 and "load: " in ran.stderr


def test_load_keeps_to_its_rate():
    with FixedServer(OK) as server:
        found = json.loads(run_load(server, ["GetItem {}\n"], "--rate", "200", "--seconds", "2").stdout)
    assert 300 < found["requests"] < 500


def test_latency_counts_from_when_a_request_was_due():
    class Slow(FixedServer):
        def _serve(self, connection):
            threading.Event().wait(0.7)
            super()._serve(connection)

    with Slow(OK) as server:
        found = json.loads(run_load(server, ["GetItem {}\n"], "--rate", "100", "--seconds", "1").stdout)
    # What was due while the server slept waited for it, though only one request was under way.
    assert found["p50_us"] > 50_000 and found["longest_silence_us"] > 500_000


def test_pictures_are_xml_and_show_everything():
    bars = plot.bars("CPU <of> both", "µs", {"GetItem": {"a & b": 3.0, "c": 40.0}, "Scan": {"c": 900.0}})
    lines = plot.lines("Growth", "µs", "items", {"hot": [(1e4, 7.0), (1e6, 9.0)], "uniform": [(1e4, 8.0), (1e6, 20.0)]})
    assert len(xml.etree.ElementTree.fromstring(bars).findall(".//{*}rect")) == 1 + 2 + 3
    assert len(xml.etree.ElementTree.fromstring(lines).findall(".//{*}circle")) == 4


def test_texts_vary_and_hardly_compress():
    import zlib

    texts = "".join(workload.text_of(200, seed) for seed in range(100))
    assert len(texts) == 20_000 and len(zlib.compress(texts.encode(), 9)) > 14_000
    assert workload.text_of(200, 7) == workload.text_of(200, 7) != workload.text_of(200, 8)


def peer_that_is_fetched_by(*command):
    return peers.Peer("A Peer", "1.0", "", lambda version, directory: peers.run(*command), None)


@pytest.mark.parametrize("command, says", [
    (["no-such-client"], "A Peer 1.0 is left out: there is no no-such-client on this machine."),
    (["sh", "-c", "echo first; echo an ERROR: none there; echo last; exit 1"],
     "A Peer 1.0 is left out: sh could not get it: an ERROR: none there"),
])
def test_a_peer_that_can_not_be_had_is_named_and_leaves_nothing(command, says, monkeypatch, tmp_path):
    monkeypatch.setattr(peers, "CACHE", tmp_path / "cache")
    with pytest.raises(peers.NotToBeHad) as why:
        peer_that_is_fetched_by(*command).home()
    assert str(why.value) == says and list(peers.CACHE.iterdir()) == []


def test_a_peer_is_fetched_once(monkeypatch, tmp_path):
    monkeypatch.setattr(peers, "CACHE", tmp_path / "cache")
    mark = tmp_path / "fetched"
    peer = peer_that_is_fetched_by("sh", "-c", f"echo fetched >> {mark}")
    assert peer.home() == peer.home() == tmp_path / "cache" / "a-peer-1.0"
    assert mark.read_text() == "fetched\n"


def test_what_peers_are_compared_by():
    def result(cpu, p99):
        return [{"cpu_us": cpu, "p99_us": p99, "per_second": 1, "p50_us": 1, "client_busy": 0.1}]

    figures = against_peers.Figures({
        ("Partita", "memory", "GetItem", 64): result(10, 200),
        ("Slow", "memory", "GetItem", 64): result(70, 900),
        ("Quick", "memory", "GetItem", 64): result(20, 100),
    })
    names = ["Slow", "Quick"]
    shown = against_peers.ratio_table(figures, names, "memory", 64).splitlines()[-1]
    assert shown == "| GetItem, ~300 B, consistent | 10.0 | 7.0 | 2.0 | **2.0** | 0.20 | 0.90 | 0.10 |"
    assert against_peers.missed(figures, names) == [
        "GetItem, ~300 B, consistent, in memory: CPU 2.0 × (Quick)",
        "GetItem, ~300 B, consistent, in memory, 64 connections: p99 0.50 × (Quick)",
    ]


    assert against_peers.budgets(figures, names) == [
        ["GetItem, in memory: nearest peer's CPU ÷ Partita's", "2.0", "≥ 5"],
        ["every operation: best peer's p99 ÷ Partita's", "0.5", "≥ 1.0"],
    ]


@pytest.fixture
def written(monkeypatch, tmp_path):
    """A page and a folder of results of the test's own, at revision abc."""
    results = tmp_path / "results"
    results.mkdir()
    (results / "README.md").write_text("# All\n<!-- bench index: begin -->\n<!-- bench index: end -->\n")
    page_file = tmp_path / "page.md"
    page_file.write_text("".join(f"<!-- bench {name}: begin -->\n{table}<!-- bench {name}: end -->\n" for name, table in (
        ("start", "old\n"), ("budgets", "| measure |\n|---|\n| a | [rows-1](../bench/results/rows-1.md) |\n"
                     "| b | [start-1](../bench/results/start-1.md) |\n| c | [judged-1](../bench/results/judged-1.md) |\n"),
        ("costs", "| what |\n|---|\n"))))
    monkeypatch.setattr(page, "PAGE", page_file)
    monkeypatch.setattr(page, "RESULTS", results)
    monkeypatch.setattr(page.servers, "revision", lambda: "abc with changes")
    return tmp_path


def test_a_part_writes_its_file_and_replaces_its_own_lines(written):
    found = page.Measured(
        page.provenance("how.") + "\n\nall rows", {"x.svg": "<svg/>"}, "new",
        budgets=[["d", "1.0", "≤ 2"], ["e", "3.0", "–"]], costs=[page.cost("f", 3, "g", 2)])
    page.update("start", found, "./dev bench --start")
    name = "start-abc-with-changes"
    link = f"[{name}](../bench/results/{name}.md)"
    assert (written / "page.md").read_text() == (
        f"<!-- bench start: begin -->\nnew\n\nAll rows: {link}.\n<!-- bench start: end -->\n"
        "<!-- bench budgets: begin -->\n| measure |\n|---|\n| a | [rows-1](../bench/results/rows-1.md) |\n"
        f"| d | 1.0 | ≤ 2 | {link} |\n| c | [judged-1](../bench/results/judged-1.md) |\n<!-- bench budgets: end -->\n"
        f"<!-- bench costs: begin -->\n| what |\n|---|\n| f | 3.0 µs | g: 2.0 µs | 1.50 | {link} |\n<!-- bench costs: end -->\n")
    file = (written / "results" / f"{name}.md").read_text()
    assert file.startswith(f"# {name}\n\nMeasured 20") and "by `./dev bench --start`.\n" in file
    assert "| e | 3.0 | – |" in file and "| f | 3.0 µs | g: 2.0 µs | 1.50 |" in file
    assert (written / "results" / f"{name}-x.svg").read_text() == "<svg/>"
    assert f"| [{name}]({name}.md) | 20" in (written / "results" / "README.md").read_text()


def test_what_the_comparison_with_peers_puts_on_the_page(monkeypatch, tmp_path):
    """Of results that are made up: all tables are there, and a peer without an operation has a dash."""
    servers_compared = [against_peers.Contestant(name, mode, None) for mode in ("durable", "memory")
                        for name in ("Partita", "dynalite")]
    results = {
        (each.name, each.mode, what, connections): result_of(cpu_us=20.0 if each.name == "Partita" else 160.0, client_busy=0.5)
        for each in servers_compared for what in workload.LABELS for connections in against_peers.CONNECTIONS
        if (each.name, what) != ("dynalite", "TransactWriteItems")
    }
    monkeypatch.setattr(against_peers, "contestants", lambda *_: servers_compared)
    monkeypatch.setattr(against_peers, "measure", lambda *_: results)
    found = against_peers.part(None, tmp_path, argparse.Namespace(rounds=1, seconds=1))
    assert "| GetItem, ~300 B, consistent | 20.0 | 8.0 | **8.0** |" in found.block
    assert "| TransactWriteItems, 2 items of ~300 B | 20.0 | – | – |" in found.block
    assert found.budgets == [["every other operation: nearest peer's CPU ÷ Partita's", "8.0", "≥ 5"],
                             ["every operation: best peer's p99 ÷ Partita's", "1.0", "≥ 1.0"]]
    assert found.costs == [["PutItem, with data in a directory", "20.0 µs", "in memory: 20.0 µs", "1.00"]]
    assert set(found.plots) == {"durable.svg", "memory.svg"} and all(part in found.whole() for part in (found.text, found.block))


def test_what_fifty_tests_put_on_the_page():
    results = {(name, way): [fifty_tests.Run(seconds, seconds), fifty_tests.Run(seconds + 2, seconds + 1)]
               for name, seconds in (("Partita", 1.0), ("Dynoxide", 3.0), ("DynamoDB Local", 9.0)) for way in fifty_tests.WAYS}
    head, _, *servers_compared = fifty_tests.block(results).splitlines()
    assert head.startswith("| 50 tests, in memory: time of the run / CPU time, s | pytest | pytest-xdist, 2 workers |")
    assert servers_compared[1] == f"| Dynoxide |{' 4.00 / 3.50 |' * len(fifty_tests.WAYS)}"
    assert fifty_tests.ratios(results) == dict.fromkeys(fifty_tests.WAYS, 3.5 / 1.5)


def test_what_starts_put_on_the_page():
    results = {(name, mode): [(ms, 5.0), (ms + 2, 7.0)] for name, ms in (("Partita", 1.0), ("Dynoxide", 3.0))
               for mode in starts.MODES}
    block = starts.block(results, {"Partita": [8.0, 4.0, 2.5], "Dynoxide": [9.0, None, None]}).splitlines()
    assert block[0].startswith("|  | start to first answer in memory, ms |") and block[0].endswith("| by gzip, MB | by xz, MB |")
    assert block[2:] == ["| Partita | 2.0 | 2.0 | 2.0 | 6.0 | 8.0 | 4.0 | 2.5 |", "| Dynoxide | 4.0 | 4.0 | 4.0 | 6.0 | 9.0 | – | – |",
                         "| budget | ≤ 2 | ≤ 5 | ≤ 5 | ≤ 6.5 | ≤ 9 | – | ≤ 3 |"]


def test_figures_of_a_cost():
    assert page.cost("a", 0.734, "b", 206.28, "ms") == ["a", "0.73 ms", "b: 206.3 ms", "0.004"]
    assert page.cost("a", 22.41, "b", 17.2)[1:] == ["22.4 µs", "b: 17.2 µs", "1.30"]


def result_of(**fields):
    return [{**{name: 1.0 for name in ("per_second", "p50_us", "p99_us", "p999_us", "max_us", "cpu_us")}, **fields}]


def test_what_the_parts_put_on_the_page():
    """Each makes its rows of what it measured; the labels of places and operations are those that it measures."""
    growing = {count: ({"GetItem, hot": result_of(cpu_us=count / 1000)}, {}) for count in (10_000, 100_000)}
    assert growth.costs(growing) == [["GetItem, one of 1,000 items, in a table of 100,000", "100.0 µs", "of 10,000: 10.0 µs", "10.00"]]
    assert vectors.costs([["topics, COSINE, exact", "5", "5", "200.00"], ["topics, COSINE, graph", "9", "9", "1.00"],
                          ["topics, COSINE, graph behind a write", "9", "–", "3.00"]], 500) == [
        ["SearchVectors by the graph, 500 topics, COSINE: p50", "1.00 ms", "every vector: 200.0 ms", "0.005"]]
    measured = {what: result_of(cpu_us=10.0 + n) for n, what in enumerate(workload.LABELS)}
    figures = rows.Figures({(what, 64): result for what, result in measured.items()})
    found = {place: {"cpu_us": 1.0 + n} for n, place in enumerate(places.LABELS)}
    assert [row[0] for row in rows.costs(figures, found)][-1] == "GetItem from disk"


def test_growth_makes_as_many_items_as_it_says():
    made, before = set(), 0
    for count in growth.sizes(1_000_000)[:2]:
        made |= {(each["group"]["S"], each["place"]["N"]) for each in growth.new_items(before, count)}
        assert len(made) == count
        before = count
    assert growth.sizes(1_000_000) == [10_000, 100_000, 1_000_000]


def test_zipfian_keys():
    zipfian = ycsb.Zipfian(1000, random.Random(1))
    drawn = collections.Counter(zipfian.draw() for _ in range(50_000))
    share = 1 / sum(1 / rank**ycsb.ZIPF for rank in range(1, 1001))
    assert abs(drawn[0] / 50_000 - share) < 0.01 and set(drawn) <= set(range(1000))
    assert drawn[0] > drawn[1] > drawn[5] > drawn[50]
