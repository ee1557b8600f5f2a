"""The Homebrew formula: made of the archives, valid Ruby, and it installs and tests a program that serves."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging")]

import archive  # noqa: E402
import homebrew_formula  # noqa: E402

PROGRAM = pathlib.Path(os.environ["PARTITA_BINARY"])
BREW = ROOT / "tests" / "package" / "formula.rb"


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    return archive.make(PROGRAM, tmp_path_factory.mktemp("packed"))


def brew(formula, prefix, archives, processor="on_intel" if os.uname().machine == "x86_64" else "on_arm"):
    return subprocess.run(["ruby", "-w", str(BREW), str(formula), processor, str(prefix), str(archives)],
                          capture_output=True, text=True, timeout=120, check=False)  # fmt: skip


def test_it_installs_a_program_that_serves(packed, tmp_path):
    formula = homebrew_formula.make("https://releases.example/v1/", tmp_path, [packed])
    subprocess.run(["ruby", "-wc", str(formula)], check=True, capture_output=True)
    ended = brew(formula, tmp_path / "prefix", packed.parent)
    assert ended.returncode == 0, ended.stderr
    version, url, needs = ended.stdout.splitlines()
    assert version == archive.version_of(PROGRAM) and url == f"https://releases.example/v1/{packed.name}"
    assert ":linux" in needs and "arch" in needs
    assert (tmp_path / "prefix" / "bin" / "partita").is_file()
    assert (tmp_path / "prefix" / "etc" / "bash_completion.d" / "partita").is_file()


def test_another_archive_is_refused(packed, tmp_path):
    formula = homebrew_formula.make("https://releases.example", tmp_path, [packed])
    (tmp_path / packed.name).write_bytes(packed.read_bytes() + b"\0")
    assert "another checksum" in brew(formula, tmp_path / "prefix", tmp_path).stderr


def test_each_processor_has_its_archive(packed, tmp_path):
    version = archive.version_of(PROGRAM)
    both = [tmp_path / f"partita-{version}-linux-{each}.tar.gz" for each in ("amd64", "arm64")]
    for each in both:
        each.write_bytes(packed.read_bytes())
    formula = homebrew_formula.make("https://releases.example", tmp_path, both)
    for processor, path in zip(("on_intel", "on_arm"), both):
        ended = brew(formula, tmp_path / processor, tmp_path, processor)
        assert ended.returncode == 0 and path.name in ended.stdout and "arch" not in ended.stdout, ended.stderr


def test_what_no_formula_is_made_of(packed, tmp_path):
    for name in ("partita-0.0.9-linux-arm64.tar.gz", packed.name, "partita.tar.gz"):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(SystemExit):
            homebrew_formula.make("https://releases.example", tmp_path, [packed, tmp_path / name])


def test_the_archive_is_the_same_twice(packed, tmp_path):
    script = [sys.executable, str(ROOT / "packaging" / "archive.py"), str(PROGRAM), str(tmp_path)]
    printed = subprocess.run(script, capture_output=True, text=True, check=True, umask=0o077, cwd="/").stdout.strip()
    assert pathlib.Path(printed).read_bytes() == packed.read_bytes()
