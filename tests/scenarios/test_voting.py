"""Voting on two candidates: units and no stopwatch, so that a busy machine finds the same."""

import xml.etree.ElementTree

import pytest
import voting

SECONDS = 2


@pytest.fixture(scope="module")
def polls(dynamodb, tmp_path_factory):
    return voting.run(dynamodb, seconds=SECONDS, picture=tmp_path_factory.mktemp("voting") / "voting.svg")


def counted_and_stored(polls):
    return [[int(number.replace(",", "")) for number in line[16:].split(" and ")]
            for line in polls["Votes that were counted, and votes in the table"]]


def test_no_vote_is_lost_and_none_counts_twice(polls):
    for counted, stored in counted_and_stored(polls):
        assert counted == stored > 0


def test_a_key_serves_its_limit_and_no_more(polls):
    """1,000 units a second for each of the two keys, one second's that it had saved, and one for votes that came late."""
    counted, _ = counted_and_stored(polls)[0]
    assert voting.UNITS_A_VOTE * counted <= 2 * 1_000 * (SECONDS + 2)


def test_the_plot(polls):
    picture = xml.etree.ElementTree.parse(polls["The plot"]).getroot()
    lines = picture.findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.get("points").split()) for line in lines] == [SECONDS, SECONDS]
    assert "nan" not in xml.etree.ElementTree.tostring(picture, encoding="unicode")
