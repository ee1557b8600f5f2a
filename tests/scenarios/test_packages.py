"""Scenario 11: the Debian package index of this machine; awk and Python compute from the same text what must come back."""

import collections
import random
import re
import subprocess

import packages
import pytest

AWK = r"""
/^Package:/ { package = $2 }
/^Version:/ { version = $2 }
/^Section:/ { section = $2 }
/^Size:/    { size = $2 }
/^$/        { if (package != "" && !seen[section, package, version]++) print section, package "#" version, size
              package = ""; size = "" }
"""


@pytest.fixture(scope="module")
def text():
    try:
        return packages.package_index()
    except SystemExit as explanation:
        pytest.skip(str(explanation))


@pytest.fixture(scope="module")
def by_awk(text):
    """[(section, package#version, size or "")], computed without the example."""
    done = subprocess.run(["awk", AWK], input=text + "\n", capture_output=True, encoding="utf-8", check=True)
    return [(line.split(" ") + [""])[:3] for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def answers(text, client):
    return packages.run(client, progress=lambda *_: None)


def test_python_agrees_with_every_answer(answers):
    lines = [line for answer in answers.values() for line in (answer if isinstance(answer, list) else [answer])]
    assert len(lines) == 5 + 3 + 1 + 1
    assert [line for line in lines if not line.endswith("(Python agrees)")] == []


def test_counts_of_every_section(answers, client, by_awk):
    expected = collections.Counter(section for section, _, _ in by_awk)
    assert {section: packages.count_by(client, "Section", section) for section in expected} == dict(expected)
    assert packages.count_by(client, "Section", "no such section") == 0


@pytest.mark.parametrize("section, prefix", [("editors", "vim"), ("python", "python3-b"), ("libs", "libssl"), ("doc", "z")])
def test_prefixes(answers, client, by_awk, section, prefix):
    expected = sorted(key for s, key, _ in by_awk if s == section and key.startswith(prefix))
    assert packages.beginning_with(client, section, prefix) == expected


def test_the_largest(answers, client, by_awk):
    assert packages.largest(client) == max((int(size), key) for _, key, size in by_awk if size)


def test_the_index_by_maintainer(answers, client, text):
    expected = collections.Counter(item["Maintainer"]["S"] for item in packages.items(text))
    some = random.Random(11).sample(sorted(expected), 25)
    found = {name: packages.count_by(client, "Maintainer", name, IndexName="ByMaintainer") for name in some}
    assert found == {name: expected[name] for name in some}


def test_items_come_back_whole(answers, client, text):
    """Continuation lines, odd characters and all: a hundred records, compared attribute by attribute."""
    some = random.Random(7).sample(packages.items(text), 100)
    keys = [{name: item[name] for name in packages.KEY} for item in some]
    found = client.batch_get_item(RequestItems={packages.TABLE: {"Keys": keys}})["Responses"][packages.TABLE]
    by_key = {(item["Section"]["S"], item["PackageVersion"]["S"]): item for item in found}
    for item in some:
        numbers = {name: {"N": str(int(item[name]["N"]))} for name in packages.NUMBERS & set(item)}
        assert by_key[item["Section"]["S"], item["PackageVersion"]["S"]] == {**item, **numbers}


def test_records_are_parsed_with_their_continuation_lines():
    """The reader itself, against a text that has every kind of line."""
    sample = "Package: a\nTag: one,\n two\n .\n\tthree\nEmpty:\n\nPackage: b\nHomepage: http://b:80/\n\n\nPackage: c\n"
    assert list(packages.records(sample)) == [
        {"Package": "a", "Tag": "one,\ntwo\n.\nthree", "Empty": ""},
        {"Package": "b", "Homepage": "http://b:80/"},
        {"Package": "c"},
    ]


def test_an_empty_machine_is_told_what_to_do(monkeypatch):
    """Where apt has no lists, one sentence says how to get them."""
    nothing = subprocess.CompletedProcess([], 0, stdout="Package: local\nVersion: 1\n\n")
    monkeypatch.setattr(packages.subprocess, "run", lambda *_, **__: nothing)
    with pytest.raises(SystemExit, match=re.escape("apt-get update")):
        packages.package_index()
