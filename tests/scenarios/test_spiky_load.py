"""A spiky load on auto scaling: the table's units follow it up and down, and the clock is back afterwards."""

import xml.etree.ElementTree

import common
import pytest
import spiky_load
from server import running_server

SPIKE_MINUTES, QUIET_MINUTES = 3, 17
LOAD = [spiky_load.QUIET] + [spiky_load.SPIKE] * SPIKE_MINUTES + [spiky_load.QUIET] * QUIET_MINUTES
WANTED = 60  # of which the spike's 42 are 70 %
BARS = "Write units a second, by minute: # consumed, | provisioned"


@pytest.fixture(scope="module")
def own_server(tmp_path_factory):
    """Items of other scenarios would expire, and servers that share a store refuse to move their clocks."""
    with running_server(data_dir=tmp_path_factory.mktemp("spiky")) as started:
        yield started


@pytest.fixture(scope="module")
def answers(own_server, tmp_path_factory):
    picture = tmp_path_factory.mktemp("spiky") / "spiky_load.svg"
    return spiky_load.run(common.connect(own_server.url), load=LOAD, picture=picture)


def minutes(answers):
    """[(consumed, provisioned)]"""
    return [tuple(int(each) for each in line[65:].split(" of ")) for line in answers[BARS]]


def test_every_unit_is_consumed(answers):
    assert [consumed for consumed, _ in minutes(answers)] == LOAD


def test_provisioned_follows_consumed(answers):
    provisioned = [units for _, units in minutes(answers)]
    assert provisioned[:SPIKE_MINUTES] == [spiky_load.LEAST] * SPIKE_MINUTES  # two minutes of it have passed only then
    assert provisioned[SPIKE_MINUTES] == WANTED and provisioned[-1] == spiky_load.LEAST
    assert provisioned.count(WANTED) == 1 + 15
    assert answers["What auto scaling did"] == [
        f"Setting write capacity units to {units}. (Successful)" for units in (WANTED, spiky_load.LEAST)]
    assert answers["Minutes in which more was consumed than provisioned"] == 2


def test_the_bars(answers):
    spike, quiet = answers[BARS][SPIKE_MINUTES], answers[BARS][0]
    assert spike.count("#") == 42 and spike.index("|") - spike.index("#") == 60
    assert quiet.count("#") == 4 and quiet.index("|") - quiet.index("#") == 10


def test_the_plot(answers):
    picture = xml.etree.ElementTree.parse(answers["The plot"]).getroot()
    lines = picture.findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.get("points").split()) for line in lines] == [len(LOAD), len(LOAD)]


def test_what_it_leaves(answers, own_server):
    assert common.partita(common.connect_client(own_server.url), "DescribeClock")["OffsetSeconds"] == 0
    scaling = common.session().client("application-autoscaling", endpoint_url=own_server.url)
    assert scaling.describe_scalable_targets(ServiceNamespace="dynamodb")["ScalableTargets"] == []
    assert common.connect_client(own_server.url).list_tables()["TableNames"] == []


def test_every_question_is_asserted(answers):
    assert len(answers) == 5
    assert answers["Units provisioned, compared with as many as the highest spike needs"] == "80 %"  # (5 x 10 + 16 x 60) of 21 x 60


def test_a_clock_that_cannot_be_moved(tmp_path):
    with running_server(data_dir=tmp_path, host="0.0.0.0", extra_args=["--insecure"]) as server:
        [(question, why)] = spiky_load.run(common.connect(server.url)).items()
    assert question == "The clock of this server cannot be moved" and "--clock 0" in why
