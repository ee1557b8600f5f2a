"""Ports for servers that a test starts, and starts again on the same port.

They are below those that the system gives to whoever connects, or asks for any: while a server is down, nobody else's
connection takes its port. Where hardly any are below, the system gives one.
"""

import contextlib
import errno
import pathlib
import random
import socket

GIVEN = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range")
LOWEST = 10_000
TRIES = 100


def free_port(host="127.0.0.1"):
    """A port on which nobody listens at any address of this host. Raises socket.gaierror where it has no address."""
    addresses = _addresses(host)
    below = range(LOWEST, int(GIVEN.read_text().split()[0]))
    for port in random.sample(below, TRIES) if len(below) >= TRIES else [0] * TRIES:
        with contextlib.ExitStack() as opened, contextlib.suppress(OSError):
            for family, address in addresses:
                port = _take(opened, family, address, port)
            return port
    raise RuntimeError(f"no port of {host} is free")


def _addresses(host):
    """Where the server listens that is told this name."""
    found = []
    for name in ("127.0.0.1", "::1") if host == "localhost" else (host,):
        found += socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return sorted({(family, address[0]) for family, _, _, _, address in found})


def _take(opened, family, address, port):
    """Binds a socket, and says its port. A machine without that address is no reason against one: the server goes on."""
    try:
        taken = opened.enter_context(socket.socket(family))
        taken.bind((address, port))
        return taken.getsockname()[1]
    except OSError as error:
        if error.errno in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL):
            return port
        raise
