"""docs/formats says what every stored field is."""

import re

import sources

STORED_AS_ITEMS = ("src/table/rows/schema_codec.cc", "src/table/catalog/catalog.cc", "src/table/rows/job_row.cc", "src/table/control/policy.cc")
FIELD = re.compile(r'\.set\("(\w+)"')
PAGE = "docs/formats/catalogue.md"


def test_every_stored_field_is_in_the_page():
    said = set(re.findall(r"`(\w+)`", sources.text(PAGE)))
    for name in STORED_AS_ITEMS:
        stored = set(FIELD.findall(sources.text(name)))
        assert stored, f"{name} stores nothing any more"
        assert not stored - said, f"{PAGE} does not say what these fields of {name} are: {sorted(stored - said)}"


def test_the_page_names_no_field_that_is_gone():
    rows = re.findall(r"^\| ((?:`\w\w+`(?:, )?)+) \|", sources.text(PAGE), re.MULTILINE)
    said = {field for row in rows for field in re.findall(r"`(\w+)`", row)}
    stored = set(FIELD.findall("".join(sources.text(name) for name in STORED_AS_ITEMS)))
    assert said, f"{PAGE} has no table of fields"
    assert not said - stored, f"nothing stores these fields of {PAGE}: {sorted(said - stored)}"


def test_every_kind_of_job_is_in_the_page():
    letters = re.findall(r"^PARTITA_JOB\(\w+, '(\w)', \w+\)$", sources.text("src/table/rows/job_kinds.inc"), re.MULTILINE)
    section = re.search(r"^## `J`: jobs\n(.*?)(?=^## |\Z)", sources.text(PAGE), re.MULTILINE | re.DOTALL)
    assert letters and section, f"no kinds of jobs, or {PAGE} has no section of jobs"
    said = re.findall(r"^\| `(\w)` \|", section[1], re.MULTILINE)
    assert sorted(letters) == sorted(said), f"{PAGE} and src/table/rows/job_kinds.inc have different kinds of jobs"
