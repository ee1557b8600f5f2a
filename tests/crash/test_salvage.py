"""`partita salvage` of stores that were damaged at random, and of those whose catalogue was."""

import pathlib
import random
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import salvage_drill as drill  # noqa: E402
from server import running_server  # noqa: E402

SEEDS = [(1, 1), (2, 3), (3, 10), (4, 30)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return drill.make_store(tmp_path_factory.mktemp("salvage") / "store", drill.LEAST_MEGABYTES, random.Random(7), 12_000)


@pytest.mark.parametrize(("seed", "places"), SEEDS)
def test_random_damage_costs_what_it_hits(made, tmp_path, seed, places):
    outcome = drill.attempt(made, seed, tmp_path, places)
    assert not outcome.faults, f"{outcome.line()}\n{outcome.where}\n{outcome.said}"


def test_an_undamaged_store_is_saved_whole(made, tmp_path):
    salvage = drill.run("salvage", "--data", made.directory, "--to", tmp_path / "saved")
    assert (salvage.returncode, "nothing is lost" in salvage.stdout) == (0, True), salvage.stdout
    found, names, faults = drill.saved_items(tmp_path / "saved")
    assert (sorted(names), faults) == (sorted(drill.TABLES), [])
    assert found == made.final()


def first_blocks(directory):
    """Damages the first blocks of each table file: some hold the catalogue."""
    for file in directory.glob("*.sst"):
        with open(file, "r+b") as opened:
            for place in range(30, min(60_000, file.stat().st_size // 2), 2000):
                opened.seek(place)
                byte = opened.read(1)[0]
                opened.seek(place)
                opened.write(bytes([byte ^ 0x55]))


def test_a_damaged_catalogue_costs_no_table(made, tmp_path):
    shutil.copytree(made.directory, tmp_path / "damaged")
    first_blocks(tmp_path / "damaged")
    salvage = drill.run("salvage", "--data", tmp_path / "damaged", "--to", tmp_path / "saved")
    assert salvage.returncode == 3
    assert "restored from the second copy" in salvage.stdout
    found, names, faults = drill.saved_items(tmp_path / "saved")
    assert (sorted(names), faults) == (sorted(drill.TABLES), [])
    assert len(found) > 0.9 * len(made.final())


def test_the_loss_is_named_by_table_and_key(made, tmp_path):
    shutil.copytree(made.directory, tmp_path / "damaged")
    largest = max((tmp_path / "damaged").glob("*.sst"), key=lambda file: file.stat().st_size)
    with open(largest, "r+b") as file:
        file.seek(largest.stat().st_size // 2)
        file.write(bytes(3))
    salvage = drill.run("salvage", "--data", tmp_path / "damaged", "--to", tmp_path / "saved")
    assert salvage.returncode == 3
    assert "of the table file" in salvage.stdout
    assert any(f"lost: Table {table}: " in salvage.stdout for table in drill.TABLES), salvage.stdout
    assert 'Id = "id ' in salvage.stdout
    assert "\\x" not in salvage.stdout and len(salvage.stdout) < 5000


def test_a_salvaged_store_takes_writes_and_new_tables(made, tmp_path):
    shutil.copytree(made.directory, tmp_path / "damaged")
    first_blocks(tmp_path / "damaged")
    drill.run("salvage", "--data", tmp_path / "damaged", "--to", tmp_path / "saved")
    with running_server(data_dir=tmp_path / "saved") as server:
        client = server.client()
        key = {"Id": {"S": "new"}, "At": {"S": "1"}}
        client.put_item(TableName="Orders", Item={**key, "Group": {"S": "a new group"}})
        query = client.query(
            TableName="Orders", IndexName="Groups", KeyConditionExpression="#group = :group",
            ExpressionAttributeNames={"#group": "Group"}, ExpressionAttributeValues={":group": {"S": "a new group"}},
        )
        assert query["Count"] == 1
