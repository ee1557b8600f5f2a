import pytest
from testcontainers.localstack import LocalStackContainer


@pytest.fixture(scope="session")
def localstack():
    with LocalStackContainer("localstack/localstack:4.4").with_services("dynamodb") as container:
        yield container


@pytest.fixture(autouse=True)
def parcels_table(localstack, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", localstack.get_url())
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    client = localstack.get_client("dynamodb")
    create_tables(client)
    yield
    client.delete_table(TableName="Parcels")


def create_tables(client):
    client.create_table(
        TableName="Parcels", BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("Parcel", "Event")],
        KeySchema=[{"AttributeName": "Parcel", "KeyType": "HASH"}, {"AttributeName": "Event", "KeyType": "RANGE"}],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
