"""docs/formats says what every stored field is."""

import re

import pytest
import sources

PAGE = "docs/formats/catalogue.md"
STORED_AS_ITEMS = {
    PAGE: ("src/table/rows/schema_codec.cc", "src/table/catalog/catalog.cc", "src/table/rows/job_row.cc", "src/table/control/policy.cc"),
    "docs/formats/scaling.md": ("src/table/rows/scaling_rows.cc",),
    "docs/formats/sinks.md": ("src/table/rows/sink_rows.cc", "src/sinks/progress.cc"),
    "docs/formats/clusters.md": ("src/clusters/rows.cc",),
}
FIELD = re.compile(r'(?:\.set\(|put_whole\(item, |\beach\()"(\w+)"')


@pytest.mark.parametrize("page, names", STORED_AS_ITEMS.items())
def test_every_stored_field_is_in_the_page(page, names):
    said = set(re.findall(r"`(\w+)`", sources.text(page)))
    for name in names:
        stored = set(FIELD.findall(sources.text(name)))
        assert stored, f"{name} stores nothing any more"
        assert not stored - said, f"{page} does not say what these fields of {name} are: {sorted(stored - said)}"


@pytest.mark.parametrize("page, names", STORED_AS_ITEMS.items())
def test_the_page_names_no_field_that_is_gone(page, names):
    rows = re.findall(r"^\| ((?:`\w\w+`(?:, )?)+) \|", sources.text(page), re.MULTILINE)
    said = {field for row in rows for field in re.findall(r"`(\w+)`", row)}
    stored = set(FIELD.findall("".join(sources.text(name) for name in names)))
    assert said, f"{page} has no table of fields"
    assert not said - stored, f"nothing stores these fields of {page}: {sorted(said - stored)}"


def test_every_kind_of_job_is_in_the_page():
    letters = re.findall(r"^PARTITA_JOB(?:_ABOVE)?\(\w+, '(\w)', \w+\)$", sources.text("src/table/rows/job_kinds.inc"), re.MULTILINE)
    section = re.search(r"^## `J`: jobs\n(.*?)(?=^## |\Z)", sources.text(PAGE), re.MULTILINE | re.DOTALL)
    assert letters and section, f"no kinds of jobs, or {PAGE} has no section of jobs"
    said = re.findall(r"^\| `(\w)` \|", section[1], re.MULTILINE)
    assert sorted(letters) == sorted(said), f"{PAGE} and src/table/rows/job_kinds.inc have different kinds of jobs"
