"""Partita as a container, for the package testcontainers, which must be installed: pip install partita[testcontainers].

    from partita.testcontainers import PartitaContainer

    with PartitaContainer() as container:
        client = container.database("worker1").client()
"""

from __future__ import annotations

from typing import Any, Iterable

from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy

from partita._calls import Database

IMAGE = "partita:0.1.0"
PORT = 8000


class PartitaContainer(DockerContainer):
    """A server in memory, with namespaces by access key. `options` are those of `partita serve`; files that they name
    are in the container. `more` is for DockerContainer."""

    def __init__(self, image: str = IMAGE, options: Iterable[str] = (), **more: Any):
        super().__init__(image, **more)
        self.with_exposed_ports(PORT)
        # Only the host and other containers reach the port.
        self.with_command(["serve", "--listen", f"0.0.0.0:{PORT}", "--insecure", "--in-memory", "--namespaces", "key",
                           *map(str, options)])
        self.waiting_for(HttpWaitStrategy(PORT).for_status_code(200))

    @property
    def endpoint_url(self) -> str:
        """The server's URL, once it has started."""
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(PORT)}"

    def database(self, namespace: str) -> Database:
        """That of a namespace, which the server makes when it is first used."""
        return Database(self.endpoint_url, namespace)
