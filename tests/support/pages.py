"""GET by hand, and numbers as Prometheus reads them."""

import http.client
import re


def get(server, path, headers=None, timeout_s=30):
    """(status, text) of one request on a connection of its own."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=timeout_s)
    try:
        connection.request("GET", path, headers=headers or {})
        reply = connection.getresponse()
        return reply.status, reply.read().decode()
    finally:
        connection.close()


def samples(server, headers=None):
    """{(name, ((label, value), ...)): number} of /metrics, labels sorted."""
    status, text = get(server, "/metrics", headers)
    assert status == 200, text
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line).groups()
        key = (name, tuple(sorted(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or ""))))
        assert key not in found, f"twice: {line}"
        found[key] = float(value)
    return found


def value(found, name, **labels):
    """The sum of the samples of that name that have these labels; fails when there is none."""
    of_name = [(dict(said), number) for (named, said), number in found.items() if named == name]
    chosen = [number for said, number in of_name if labels.items() <= said.items()]
    assert chosen, (name, labels)
    return sum(chosen)
