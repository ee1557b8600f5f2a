"""Calls of a database: those that DynamoDB does not have, and clients of boto3 for the others."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

REGION = "us-east-1"
API = "Partita_20261123"


class CallFailed(Exception):
    """A call of Partita's own was refused. `code` is DynamoDB's name for it, as ResourceNotFoundException."""

    def __init__(self, operation: str, code: str, message: str):
        super().__init__(f"{operation}: {code}: {message}")
        self.code = code


class Database:
    """A database of a server: the unnamed one (`namespace` is empty) or that of a namespace, in which the server must
    run with `--namespaces key`, so that the access key is its name."""

    def __init__(self, endpoint_url: str, namespace: str = "", region: str = REGION):
        self.endpoint_url = endpoint_url
        self.namespace = namespace
        self.region = region

    def settings(self) -> dict[str, str]:
        """What boto3.client("dynamodb", **settings) needs."""
        key = self.namespace or "any"
        return {"endpoint_url": self.endpoint_url, "region_name": self.region, "aws_access_key_id": key,
                "aws_secret_access_key": "any"}

    def client(self, service: str = "dynamodb", **more: Any) -> Any:
        """A client of boto3, which must be installed. `service`: dynamodb or dynamodbstreams."""
        import boto3

        return boto3.client(service, **{**self.settings(), **more})

    def resource(self, **more: Any) -> Any:
        """A resource of boto3, which must be installed."""
        import boto3

        return boto3.resource("dynamodb", **{**self.settings(), **more})

    def call(self, operation: str, **members: Any) -> dict[str, Any]:
        """One of Partita's own calls, as call("CreateSnapshot", Name="clean")."""
        return self._post(f"{API}.{operation}", members)

    def create_snapshot(self, name: str) -> None:
        self.call("CreateSnapshot", Name=name)

    def rollback(self, name: str) -> None:
        """All tables, items and settings as they were when the snapshot of that name was created."""
        self.call("RollbackToSnapshot", Name=name)

    def delete_snapshot(self, name: str) -> None:
        self.call("DeleteSnapshot", Name=name)

    def advance_clock(self, seconds: float) -> None:
        """Moves the database's clock. What has expired by the new time is deleted within about a second."""
        self.call("MoveClock", Seconds=seconds)

    def reset_clock(self) -> None:
        """The clock is the machine's again."""
        self.call("MoveClock", OffsetSeconds=0)

    def _post(self, target: str, members: dict[str, Any]) -> dict[str, Any]:
        key = self.namespace or "any"
        request = urllib.request.Request(self.endpoint_url, json.dumps(members).encode(), {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": target,
            # Nothing is verified: the server of tests has no credentials.
            "X-Amz-Date": "20260101T000000Z",
            "Authorization": f"AWS4-HMAC-SHA256 Credential={key}/20260101/{self.region}/dynamodb/aws4_request, "
                             f"SignedHeaders=host;x-amz-date, Signature={'0' * 64}",
        })
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.loads(reply.read())
        except urllib.error.HTTPError as error:
            body = json.loads(error.read() or b"{}")
            code = str(body.get("__type", error.code)).split("#")[-1]
            raise CallFailed(target, code, str(body.get("message", body.get("Message", "")))) from None
