"""Credentials for a running program, from an address that SDKs ask as that of their container.

with vault() as keys, started(client, url, **keys.environment) as driver:
    keys.give("AKIA…", "secret", "token")       # what is given from now on
"""

import contextlib
import http.server
import json
import threading
import time

LIFETIME_S = 3


class Vault:
    def __init__(self, lifetime_s):
        self._given, self._lifetime_s = None, lifetime_s
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = json.dumps(outer._answer()).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *_: None  # a client may have gone
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        uri = f"http://127.0.0.1:{self._server.server_port}/credentials"
        no_keys = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}
        patience = {"AWS_METADATA_SERVICE_TIMEOUT": "20", "AWS_METADATA_SERVICE_NUM_ATTEMPTS": "3"}
        self.environment = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": uri, **no_keys, **patience}

    def _answer(self):
        key, secret, token = self._given
        end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + self._lifetime_s))
        return {"AccessKeyId": key, "SecretAccessKey": secret, "Token": token, "Expiration": end}

    def give(self, key, secret, token):
        self._given = (key, secret, token)

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@contextlib.contextmanager
def vault(lifetime_s=LIFETIME_S):
    """SDKs keep credentials for so long, and ask again when they sign."""
    opened = Vault(lifetime_s)
    try:
        yield opened
    finally:
        opened.close()
