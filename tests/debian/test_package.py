"""The Debian package: what is in it, that two runs make the same bytes, and that its parts can be used."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support")]

from links import dead_links  # noqa: E402
from server import running_server  # noqa: E402

MADE = ROOT / "build" / "package"
UNIT = "lib/systemd/system/partita.service"
BACKUP_UNITS = [f"lib/systemd/system/partita-backup.{kind}" for kind in ("service", "timer")]


def ran(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def make():
    ran(str(ROOT / "dev"), "package", cwd=ROOT)
    [package] = MADE.glob("partita_*.deb")
    return package


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """lintian has judged it."""
    kept = tmp_path_factory.mktemp("package")
    return pathlib.Path(shutil.copy(make(), kept))


@pytest.fixture(scope="module")
def unpacked(package, tmp_path_factory):
    into = tmp_path_factory.mktemp("unpacked")
    ran("dpkg-deb", "-x", str(package), str(into))
    ran("dpkg-deb", "-e", str(package), str(into / "DEBIAN"))
    return into


def test_two_runs_make_the_same_bytes(package):
    sums = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (package, make())]
    assert sums[0] == sums[1]


def test_what_is_in_it(package, unpacked):
    for line in ran("dpkg-deb", "-c", str(package)).splitlines():
        mode, owner, *_ = line.split()
        assert owner == "root/root" and mode[5] == mode[8] == "-", line
        assert not line.endswith("/etc/partita/partita.conf") or mode == "-rw-r-----", "passwords may be in it"
    files = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    documents = "usr/share/doc/partita/"
    assert {name for name in files if not name.startswith((documents, "DEBIAN/"))} == {
        "usr/bin/partita", "etc/partita/partita.conf", UNIT, *BACKUP_UNITS, "usr/share/man/man1/partita.1.gz",
        "usr/share/bash-completion/completions/partita", "usr/share/lintian/overrides/partita"}
    assert {documents + name for name in ("README.md", "SECURITY.md", "docs/security.md", "copyright")} <= files
    assert (unpacked / "DEBIAN" / "conffiles").read_text().split() == ["/etc/partita/partita.conf"]
    control = (unpacked / "DEBIAN" / "control").read_text()
    needs = re.search(r"^Depends: (.*)$", control, re.MULTILINE).group(1)
    assert re.fullmatch(r"libc6 \(>= [\d.]+\), adduser", needs), "it needs more than it did"


def test_the_library_has_packages_of_its_own(package):
    """For programs that use it, and for those who compile them."""
    versions = {name: re.search(r"_(.*)_", package.name)[1] for name in ("libpartita1", "libpartita-dev")}
    files = {}
    for name, version in versions.items():
        [made] = MADE.glob(f"{name}_{version}_*.deb")
        files[name] = {pathlib.PurePosixPath(line.split()[5]).name for line in ran("dpkg-deb", "-c", str(made)).splitlines()}
    assert {"libpartita.so.1", f"libpartita.so.1.{versions['libpartita1']}"} <= files["libpartita1"]
    assert {"libpartita.so", "partita.h", "partita.pc"} <= files["libpartita-dev"]


def test_every_link_of_its_pages_leads_somewhere(unpacked):
    root = unpacked / "usr/share/doc/partita"
    dead, live = dead_links(root, root.rglob("*.md"))
    assert dead == [] and live > 100


def test_every_page_that_others_name_is_in_it(unpacked):
    """The unit, the settings and the manual page name files."""
    manual = ran("zcat", str(unpacked / "usr/share/man/man1/partita.1.gz"))
    for text in ((unpacked / UNIT).read_text(), (unpacked / "etc/partita/partita.conf").read_text(), manual):
        for name in re.findall(r"/(usr/share/doc/partita/[\w./-]+\w)", text.replace("\\-", "-")):
            assert (unpacked / name).exists(), name


def test_the_program_is_the_one_that_was_built(unpacked):
    version = re.search(r"^Version: (.*)$", (unpacked / "DEBIAN" / "control").read_text(), re.MULTILINE).group(1)
    said = ran(str(unpacked / "usr/bin/partita"), "version").splitlines()
    assert said[0] == f"partita {version}"


def test_the_page_has_every_verb_and_option(unpacked):
    program = str(unpacked / "usr/bin/partita")
    page = unpacked / "usr/share/man/man1/partita.1.gz"
    shown = subprocess.run(["man", "--warnings", "-l", str(page)], capture_output=True, text=True, check=True,
                           env={**os.environ, "MANWIDTH": "200", "LC_ALL": "C.UTF-8"})
    assert shown.stderr == ""
    for verb in re.findall(r"^  ([a-z][a-z ]*[a-z])  ", ran(program, "help"), re.MULTILINE):
        assert re.search(rf"^ +{verb}$", shown.stdout, re.MULTILINE), verb
        for flag in re.findall(r"^  (--[a-z0-9-]+)", ran(program, "help", *verb.split()), re.MULTILINE):
            assert re.search(rf"^ +{flag}( [A-Z]|$)", shown.stdout, re.MULTILINE), flag


def completed(unpacked, *words):
    """What bash offers behind these words."""
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _partita 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"'
    path = f"{unpacked / 'usr/bin'}:{os.environ['PATH']}"
    completions = unpacked / "usr/share/bash-completion/completions/partita"
    return ran("bash", "-c", script, "bash", str(completions), "partita", *words,
               env={**os.environ, "PATH": path}).split()


def test_completions(unpacked, tmp_path):
    assert {"serve", "salvage", "policy"} <= set(completed(unpacked, ""))
    assert completed(unpacked, "serv") == ["serve"]
    assert "simulate" in completed(unpacked, "policy", "")
    assert completed(unpacked, "serve", "--tls") == ["--tls-cert", "--tls-key"]
    assert completed(unpacked, "serve", "--in-memory", "--li") == ["--listen"]
    (tmp_path / "keys.pem").touch()
    assert completed(unpacked, "serve", "--tls-key", str(tmp_path / "k")) == [str(tmp_path / "keys.pem")]
    assert completed(unpacked, "serve", "--listen", "") == []


def test_the_bill_of_materials(unpacked):
    bill = json.loads((unpacked / "usr/share/doc/partita/partita.cdx.json").read_text())
    assert bill["bomFormat"] == "CycloneDX"
    versions = {each["name"]: each.get("version") for each in bill["components"]}
    for name in ("librocksdb-dev", "libssl-dev", "libsimdjson-dev", "libhnswlib-dev", "libstdc++-12-dev", "libgcc-12-dev",
                 "libpq5", "libc6"):
        assert versions[name] == ran("dpkg-query", "-W", "-f=${Version}\n", name).split("\n")[0], name
    revision = bill["metadata"]["component"]["properties"][0]["value"]
    assert revision == ran("git", "rev-parse", "HEAD", cwd=ROOT).strip()


def test_the_bill_says_what_is_opened_and_what_was_changed(unpacked):
    bill = json.loads((unpacked / "usr/share/doc/partita/partita.cdx.json").read_text())
    parts = {each["name"]: each for each in bill["components"]}
    opened = {name for name, each in parts.items() if each["properties"][0]["value"].startswith("opened at run time")}
    named = re.findall(r'PARTITA_(?:SHARED|UNVERSIONED)_LIBRARY\("(lib\w+)"', "".join(
        path.read_text() for path in (ROOT / "src").rglob("*.cc")))
    assert {name.rstrip("145") for name in opened} == set(named) and len(named) == 4
    changed = re.findall(r"file\(READ \"\$\{root\}/(\S+)\"", (ROOT / "cmake/rocksdb/CMakeLists.txt").read_text())
    assert changed == ["db/log_writer.cc", "util/dynamic_bloom.cc", "${part}.cc"]  # the last: with names of options
    notes = parts["librocksdb-dev"]["pedigree"]["notes"]
    assert all(word in notes for word in (*changed[:2], "names of options"))


def test_what_is_linked_in_is_the_newest(unpacked):
    """As apt knows it here: nobody else mends what is inside."""
    bill = json.loads((unpacked / "usr/share/doc/partita/partita.cdx.json").read_text())
    inside = {each["name"]: each["version"] for each in bill["components"]
              if each["properties"][0]["value"].startswith("inside")}
    assert "libssl-dev" in inside
    for name, version in inside.items():
        found = re.search(r"^  Candidate: (\S+)$", ran("apt-cache", "policy", name), re.MULTILINE)
        assert found is None or found.group(1) in (version, "(none)"), name


def test_the_unit_keeps_secrets_and_comes_back(unpacked):
    """No core dump; however often the start fails, as while a database is away, it is tried again."""
    unit = (unpacked / UNIT).read_text()
    sections = {name: part for name, part in re.findall(r"^\[(\w+)\]\n(.*?)(?=^\[|\Z)", unit, re.MULTILINE | re.DOTALL)}
    assert "\nLimitCORE=0\n" in sections["Service"]
    assert "\nStartLimitIntervalSec=0\n" in sections["Unit"] and "\nRestart=on-failure\n" in sections["Service"]


def test_the_unit_is_one(unpacked, tmp_path):
    """No complaint of systemd's, and as little exposed as it says of the services that it ships itself."""
    unit = tmp_path / "partita.service"
    unit.write_text((unpacked / UNIT).read_text().replace("/usr/bin/partita", str(unpacked / "usr/bin/partita")))
    verified = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True,
                              check=False)
    assert [line for line in verified.stderr.splitlines() if "partita" in line] == []
    exposed = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=15", str(unpacked / UNIT)],
        capture_output=True, text=True, check=False)
    assert exposed.returncode == 0, exposed.stdout


def test_the_unit_starts_only_what_is_there(unpacked):
    """Its own program, and what every Debian has."""
    started = re.findall(r"^Exec\w+=[-+!@:|]*(\S+)", (unpacked / UNIT).read_text(), re.MULTILINE)
    assert set(started) == {"/usr/bin/partita", "/bin/sh"}


def calls_allowed(unit):
    """The system calls that the unit's filters leave."""
    sets, current = {}, None
    for line in ran("systemd-analyze", "syscall-filter").splitlines():
        if line.startswith("@"):
            current = sets.setdefault(line.strip(), set())
        elif current is not None and line.strip() and not line.strip().startswith("#"):
            current.add(line.strip())

    def members(name):
        return set().union(*(members(each) for each in sets[name])) if name.startswith("@") else {name}

    allowed = set()
    for filters in re.findall(r"^SystemCallFilter=(.*)$", unit, re.MULTILINE):
        named = set().union(*(members(each) for each in filters.lstrip("~").split()))
        allowed = allowed - named if filters.startswith("~") else allowed | named
    return allowed


def test_the_unit_allows_what_the_server_does(unpacked, tmp_path):
    """Started, written to until tables are flushed, read, told SIGHUP, stopped."""
    log = tmp_path / "calls"
    with running_server(extra_args=["--threads", "2"]) as server:
        traced = subprocess.Popen(["strace", "-f", "-qq", "-o", str(log), "-p", str(server.process.pid)])
        while not log.exists():
            time.sleep(0.01)
        client = server.client()
        client.create_table(TableName="tab", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}])
        for at in range(300):
            client.put_item(TableName="tab", Item={"k": {"S": str(at)}, "v": {"S": "v" * 300_000}})
        client.scan(TableName="tab")
        client.delete_table(TableName="tab")
        os.kill(server.process.pid, signal.SIGHUP)
        data = server.data_dir
        started = subprocess.run(
            ["strace", "-f", "-qq", "-o", str(tmp_path / "start"), str(unpacked / "usr/bin/partita"), "serve", "--data",
             str(data), "--listen", "127.0.0.1:0"], capture_output=True, text=True, timeout=60, check=False)
        assert "in use" in started.stderr or started.returncode != 0  # the directory is the first server's
    traced.wait(timeout=60)
    seen = set()
    for each in (log, tmp_path / "start"):
        seen |= set(re.findall(r"^\d+ +(\w+)\(", each.read_text(errors="replace"), re.MULTILINE))
    assert {"fdatasync", "epoll_wait", "sendto"} <= seen
    assert seen - calls_allowed((unpacked / UNIT).read_text()) == set()


@pytest.mark.parametrize("unit", ["partita-backup.service", "partita-backup.timer"])
def test_the_backup_units_are_those_of_the_operations_guide(unpacked, unit):
    text = (unpacked / UNIT).with_name(unit).read_text()
    page = (ROOT / "docs" / "operations.md").read_text()
    assert f"`{unit}`:\n\n```ini\n{text}```" in page


def test_the_backup_timer_is_left_off(unpacked):
    scripts = (unpacked / "DEBIAN" / "postinst").read_text()
    # Enabled again on an upgrade alone, where it was before; started by nobody.
    assert "debian-installed 'partita-backup.timer'" in scripts
    assert "unmask 'partita-backup.timer'" in scripts
    assert not re.search(r"deb-systemd-invoke.*partita-backup", scripts)
