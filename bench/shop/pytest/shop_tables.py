"""The five tables."""

import dataclasses
import json
import pathlib
from typing import Any

TABLES = [json.loads(path.read_text()) for path in sorted(pathlib.Path(__file__).with_name("tables").glob("*.json"))]


@dataclasses.dataclass
class Shop:
    client: Any
    prefix: str = ""

    def name(self, table):
        return self.prefix + table

    def create(self):
        for table in TABLES:
            self.client.create_table(**{**table, "TableName": self.name(table["TableName"])})

    def delete(self):
        for table in TABLES:
            self.client.delete_table(TableName=self.name(table["TableName"]))
