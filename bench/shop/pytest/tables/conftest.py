"""With any server of the API: each test creates its tables and deletes them. AWS's variables name the server."""

import os

import boto3
import pytest
from shop_tables import Shop


@pytest.fixture(scope="session")
def client():
    return boto3.client("dynamodb")


@pytest.fixture
def shop(client):
    made = Shop(client, os.environ.get("PYTEST_XDIST_WORKER", "main") + "-")
    made.create()
    yield made
    made.delete()
