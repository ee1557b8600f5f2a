"""With the plugin of the package partita: the tables are created once, and each test's changes are rolled back."""

import pytest
from shop_tables import Shop


@pytest.fixture(scope="session")
def partita_tables():
    return lambda database: Shop(database.client()).create()


@pytest.fixture
def shop(dynamodb_client):
    return Shop(dynamodb_client)
