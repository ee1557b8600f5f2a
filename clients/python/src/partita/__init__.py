"""Partita, a DynamoDB that you own: the server as a context manager, and a database in the process.

    with partita.Server() as server:
        table = server.resource().create_table(...)

    with partita.open("data") as database:
        table = database.resource().create_table(...)

For pytest, see partita.pytest_plugin: the fixtures are there as soon as the package is installed.
"""

from partita._calls import CallFailed, Database
from partita._embedded import EmbeddedDatabase, LibraryFailed, open
from partita._library import LibraryNotFound
from partita._program import ProgramNotFound, program
from partita._server import Server, ServerFailed

__all__ = ["CallFailed", "Database", "EmbeddedDatabase", "LibraryFailed", "LibraryNotFound", "ProgramNotFound",
           "Server", "ServerFailed", "open", "program"]
