"""A small search engine in place of a real one: what a sink asks of OpenSearch, with its versions, and no search.

    with running_fake_search() as engine:      # as search_engines.SearchEngine
        engine.kill(), engine.start()

As a program, which kill -9 ends: python3 fake_search.py PORT FILE. What it has answered is in the file.
"""

import contextlib
import fnmatch
import http.server
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import urllib.parse

from ports import free_port
from search_engines import SearchEngine

GONE = {"type": "index_not_found_exception", "reason": "no such index"}
CONFLICT = {"type": "version_conflict_engine_exception", "reason": "there is a newer version"}


class Index:
    def __init__(self, body):
        body = body or {}
        self.aliases = set(body.get("aliases", ()))
        self.hidden = body.get("settings", {}).get("index.hidden", False)
        self.mappings = body.get("mappings", {})
        self.documents = {}  # by id: version and text; None: deleted

    def live(self):
        return {key: text for key, (_, text) in self.documents.items() if text is not None}

    def write(self, key, version, text):
        """The status of an operation with external_gte."""
        before, found = self.documents.get(key, (0, None))
        if before > version:
            return 409
        self.documents[key] = (version, text)
        if text is None:
            return 200 if found is not None else 404
        return 200 if found is not None else 201


class Store:
    """Each request gives a status and the text of a reply."""

    def __init__(self):
        self.indexes = {}

    def behind(self, name):
        if name in self.indexes:
            return [name]
        return sorted(each for each, index in self.indexes.items() if name in index.aliases)

    def answer(self, method, path, query, body):
        parts = [urllib.parse.unquote(each) for each in path.strip("/").split("/")]
        if path == "/":
            return 200, json.dumps({"version": {"number": "2.19.1", "distribution": "opensearch"}})
        if parts[0] == "_cluster":
            return 200, "{}"
        if parts[0] == "_search":
            return 200, '{"hits":{"hits":[]},"_scroll_id":"none"}'  # the first page has everything
        if parts[0] == "_aliases":
            return self.switch(json.loads(body)["actions"])
        if parts[0] == "_alias":
            found = self.behind(parts[1])
            missing = {"error": f"alias [{parts[1]}] missing", "status": 404}
            holders = {each: {"aliases": {parts[1]: {}}} for each in found}
            return (200, json.dumps(holders)) if found else (404, json.dumps(missing))
        if len(parts) == 1:
            return self.whole(method, parts[0], body)
        return self.within(method, parts, query, body)

    def whole(self, method, name, body):
        found = self.behind(name)
        if method == "PUT":
            if found:
                return 400, json.dumps({"error": {"type": "resource_already_exists_exception"}, "status": 400})
            self.indexes[name] = Index(json.loads(body) if body else {})
            return 200, '{"acknowledged":true}'
        if not found:
            return 404, json.dumps({"error": GONE, "status": 404})
        if method == "DELETE":
            del self.indexes[name]
            return 200, '{"acknowledged":true}'
        return 200, json.dumps({each: {"settings": {"index": {"uuid": each}}, "mappings": self.indexes[each].mappings}
                                for each in found})

    def within(self, method, parts, query, body):
        name, call = parts[:2]
        if call == "_alias":
            hidden = query.get("expand_wildcards") == ["all"]
            found = [each for each, index in self.indexes.items()
                     if fnmatch.fnmatch(each, name) and (hidden or not index.hidden)]
            return 200, json.dumps({each: {"aliases": dict.fromkeys(self.indexes[each].aliases, {})} for each in found})
        if call == "_bulk":
            return 200, self.bulk(name, body.decode())
        found = self.behind(name)
        if not found:
            return 404, json.dumps({"error": GONE, "status": 404})
        index = self.indexes[found[0]]
        if call == "_doc":
            return self.document(method, index, parts[2], query, body)
        if call == "_count":
            return 200, json.dumps({"count": len(index.live())})
        if call == "_mget":
            return 200, '{"docs":[' + ",".join(self.found(index, each) for each in json.loads(body)["ids"]) + "]}"
        if call == "_search":
            hits = ",".join(f'{{"_id":{json.dumps(key)},"_source":{text}}}' for key, text in index.live().items())
            return 200, f'{{"hits":{{"hits":[{hits}]}},"_scroll_id":"none"}}'
        return 200, "{}"  # _refresh

    def found(self, index, key):
        text = index.documents.get(key, (0, None))[1]
        rest = '"found":false' if text is None else f'"found":true,"_source":{text}'
        return f'{{"_index":"x","_id":{json.dumps(key)},{rest}}}'

    def document(self, method, index, key, query, body):
        if method == "GET":
            found = index.documents.get(key, (0, None))[1] is not None
            return (200 if found else 404), self.found(index, key)
        status = index.write(key, int(query["version"][0]), body.decode())
        return status, json.dumps({"error": CONFLICT, "status": 409} if status == 409 else {"_id": key})

    def bulk(self, alias, text):
        found = self.behind(alias)
        index = self.indexes[found[0]] if found else None
        lines, replies = iter(text.split("\n")), []
        for line in lines:
            if not line:
                continue
            [(action, about)] = json.loads(line).items()
            source = next(lines) if action == "index" else None
            status = index.write(about["_id"], about["version"], source) if index else 404
            error = GONE if not index else CONFLICT if status == 409 else None
            replies.append({action: {"status": status, **({"error": error} if error else {})}})
        return json.dumps({"items": replies})

    def switch(self, actions):
        for each in actions:
            [(action, about)] = each.items()
            if about["index"] not in self.indexes:
                return 404, json.dumps({"error": GONE, "status": 404})
            if action == "remove_index":
                del self.indexes[about["index"]]
            elif action == "add":
                self.indexes[about["index"]].aliases.add(about["alias"])
            else:
                self.indexes[about["index"]].aliases.discard(about["alias"])
        return 200, '{"acknowledged":true}'


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *words):
        pass

    def _answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = urllib.parse.urlsplit(self.path)
        with self.server.lock:
            status, text = self.server.store.answer(self.command, url.path, urllib.parse.parse_qs(url.query), body)
            if status < 300 and self.command != "GET":
                self.server.note(self.command, self.path, body)
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = _answer


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port, file):
        self.store, self.lock = Store(), threading.Lock()
        self._file = open(file, "a+b")
        self._file.seek(0)
        whole = 0
        while (head := self._file.readline()).endswith(b"\n"):
            method, path, size = head.decode().split(" ")
            body = self._file.read(int(size))
            if len(body) < int(size):
                break
            whole = self._file.tell()
            url = urllib.parse.urlsplit(path)
            self.store.answer(method, url.path, urllib.parse.parse_qs(url.query), body)
        self._file.truncate(whole)  # what follows was never answered
        super().__init__(("127.0.0.1", port), Handler)

    def note(self, method, path, body):
        if "/_search" in path or "/_mget" in path or "/_refresh" in path:
            return
        self._file.write(f"{method} {path} {len(body)}\n".encode() + body)
        self._file.flush()


class FakeSearch(SearchEngine):
    def __init__(self, directory):
        self.name = "opensearch"
        self.directory = directory
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.sink_url = f"{self.name}+{self.url}"
        self.process = None
        self._log = open(directory / "log", "w+")
        self._command = ["setpriv", "--pdeathsig=KILL", "--", sys.executable, __file__, str(self.port), str(directory / "data")]


@contextlib.contextmanager
def running_fake_search():
    directory = pathlib.Path(tempfile.mkdtemp(prefix="partita-fake-search-"))
    engine = FakeSearch(directory)
    try:
        yield engine.start()
    finally:
        engine.kill()
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    Server(int(sys.argv[1]), sys.argv[2]).serve_forever()
