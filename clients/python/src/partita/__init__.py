"""Partita, a DynamoDB that you own: the server as a context manager.

    with partita.Server() as server:
        table = server.resource().create_table(...)

For pytest, see partita.pytest_plugin: the fixtures are there as soon as the package is installed.
"""

from partita._calls import CallFailed, Database
from partita._program import ProgramNotFound, program
from partita._server import Server, ServerFailed

__all__ = ["CallFailed", "Database", "ProgramNotFound", "Server", "ServerFailed", "program"]
