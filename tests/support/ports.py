"""Ports for servers that a test starts, and starts again on the same port.

They are below those that the system gives to whoever connects, or asks for any: while a server is down, nobody else's
connection takes its port.
"""

import pathlib
import random
import socket

_LOWEST = 10_000


def free_port(host="127.0.0.1"):
    """A port of this address on which nobody listens."""
    end = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in random.sample(range(_LOWEST, end), 100):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as free:
            try:
                free.bind((host, port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"no port of {_LOWEST} to {end} is free")
