"""What `./dev package --all` leaves: every file that the checklist and the page for users name, under its checksum."""

import hashlib
import os
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging")]

import oci_image  # noqa: E402
import release  # noqa: E402

PROGRAM = pathlib.Path(os.environ["PARTITA_BINARY"])
PAGES = [ROOT / "docs" / name for name in ("installing.md", "releasing.md")]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    (folder / "partita_0.1.0-1_amd64.deb").write_bytes(b"made before by dpkg-buildpackage")
    (folder / "log").write_bytes(b"its log")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PARTITA_RELEASES", "https://releases.example/v1")
        release.make(PROGRAM, folder)
    return folder


def test_the_checksums_are_of_every_file_for_publishing(made):
    sums = dict(reversed(line.split("  ")) for line in (made / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {path.name for path in made.iterdir()} - {"SHA256SUMS", "log"}
    for name, sum_ in sums.items():
        assert hashlib.sha256((made / name).read_bytes()).hexdigest() == sum_


def test_the_formula_fetches_the_archive_from_the_release(made):
    [packed] = made.glob("*-linux-*.tar.gz")
    assert f'url "https://releases.example/v1/{packed.name}"' in (made / "partita.rb").read_text()


def test_the_pages_name_files_that_are_there(made):
    named = {name for page in PAGES for name in re.findall(r"build/package/([\w.*\[\]-]+)", page.read_text())}
    named |= {name for name in re.findall(r"`(partita[\w.*-]*\.(?:deb|gz|tar|whl|tgz|xz|rb|sh))`", "".join(page.read_text() for page in PAGES))}
    assert len(named) >= 10
    full = bool(oci_image.needed(PROGRAM))
    missing = {name for name in named if not list(made.glob(name)) and (full or "full" not in name)}
    assert missing == set()


def test_the_criteria_name_commands_that_are_there():
    [table] = re.findall(r"^## Criteria for 1\.0\n.*?\n\| criterion .*?\n\n", CHANGELOG, re.M | re.S)
    usage = (ROOT / "dev").read_text()
    verbs = re.findall(r"\./dev (\w+)", table)
    assert len(verbs) >= 10
    for verb in verbs:
        assert re.search(rf"^  {verb} ", usage, re.M), verb
    for path in re.findall(r"\b((?:tests|packaging|docs)/[\w./]+)", table):
        assert (ROOT / path).exists(), path
