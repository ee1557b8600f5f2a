"""cmake/fetch.sh: where a source is kept, and that the build is told when it cannot be had."""

import os
import pathlib
import subprocess
import tarfile

FETCH = pathlib.Path(__file__).resolve().parents[2] / "cmake/fetch.sh"
ROCKSDB = ["rocksdb", "7.8.3", "librocksdb-dev", "7.8.3-2", "0" * 64]


def fetch(cache, path=os.environ["PATH"]):
    environment = {"XDG_CACHE_HOME": str(cache), "PATH": str(path)}
    return subprocess.run(["/bin/bash", FETCH, *ROCKSDB], env=environment, capture_output=True, text=True)


def mirror(folder):
    """A mirror whose archive is not the one that Debian has, and the folder of an apt-get that names it."""
    tree = folder / "rocksdb-7.8.3"
    tree.mkdir()
    with tarfile.open(folder / "rocksdb_7.8.3.orig.tar.gz", "w:gz") as archive:
        archive.add(tree, tree.name)
    (folder / "bin").mkdir()
    apt_get = folder / "bin/apt-get"
    apt_get.write_text(f"#!/bin/sh\necho \"'file://{folder}/librocksdb-dev_7.8.3-2_amd64.deb' librocksdb-dev.deb 1\"\n")
    apt_get.chmod(0o755)
    return f"{apt_get.parent}:{os.environ['PATH']}"


def test_a_source_that_is_there_needs_no_mirror(tmp_path):
    source = tmp_path / "partita/rocksdb-7.8.3"
    source.mkdir(parents=True)
    assert fetch(tmp_path, path="/none").stdout == f"{source}\n"


def test_without_apt_the_build_is_told(tmp_path):
    ran = fetch(tmp_path, path="/none")
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", "there is no apt to fetch its source with\n")


def test_other_bytes_are_refused_and_not_kept(tmp_path):
    ran = fetch(tmp_path / "cache", path=mirror(tmp_path))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "rocksdb_7.8.3.orig.tar.gz could not be fetched: Hash Sum mismatch\n"
    assert list((tmp_path / "cache/partita").iterdir()) == []
