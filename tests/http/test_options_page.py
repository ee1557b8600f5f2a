"""docs/options.md says what the program's own help says."""

import re
import sys

import pytest
from server import ROOT, binary

sys.path[:0] = [str(ROOT / "packaging")]

import help_text  # noqa: E402  (it stands in packaging)
import options  # noqa: E402

PAGE = ROOT / "docs" / "options.md"


@pytest.fixture(scope="module")
def verbs():
    return [verb for _, verbs in help_text.groups(binary()) for verb in verbs]


def test_the_page_is_the_one_that_is_generated():
    assert PAGE.read_text() == options.page(binary()), "run packaging/options.py build/release/partita >docs/options.md"


def test_nothing_of_the_help_is_left_out(verbs):
    """Each word that `help` prints about a verb is in the verb's section."""
    sections = dict(re.findall(r"^### partita ([^\n]+)\n(.*?)(?=^##|\Z)", re.sub(r"^####", "", PAGE.read_text(), flags=re.M),
                               re.DOTALL | re.MULTILINE))
    assert list(sections) == [verb.name for verb in verbs] and len(verbs) > 40
    for verb in verbs:
        shown = re.sub(r"[`\\*]", "", sections[verb.name].lower())
        printed = help_text.said(binary(), "help", *verb.name.split()).removeprefix("Usage: ")
        for word in re.findall(r"[\w.:/=-]*\w", re.sub(r"[`*]|^(Option|Example|Store)s?:$", "", printed, flags=re.M).lower()):
            assert word in shown, (verb.name, word)


def test_links_belong_to_verbs_and_options_that_there_are(verbs):
    entries = [(verb.name, entry.split()[0]) for verb in verbs for part in verb.parts for entry, _ in part.entries]
    known = {verb.name for verb in verbs} | {entry for _, entry in entries} | {" ".join(both) for both in entries}
    assert set(options.MORE) <= known
