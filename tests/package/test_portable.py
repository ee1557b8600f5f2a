"""The portable program: what it asks of a machine, its size, and that it serves where nothing else is installed.

It is made by `./dev package --all`, or by `cmake --preset portable && ninja -C build/portable partita partita_static`.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support")]

from ports import free_port  # noqa: E402
from server import session  # noqa: E402

STATIC = ROOT / "build" / "portable" / "partita-static"
LOADING = STATIC.with_name("partita")  # linked with glibc, and loads client libraries
ARM = [ROOT / "build" / "portable-arm64" / "partita-static"]
OLDEST_GLIBC = (2, 28)
MOST_BYTES = 14_600_000
NOBODY = 65532
READ_ONLY = "mount --bind root root && mount -o remount,bind,ro root && mount --bind data root/data && exec chroot"

pytestmark = pytest.mark.skipif(not STATIC.exists(), reason="build/portable is not built")


def ran(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, **options).stdout


@pytest.fixture
def root(tmp_path):
    """The program alone, in a root that is read-only for it but for /data."""
    if os.getuid() != 0:
        pytest.skip("only root can change the root directory")
    for name in ("root/data", "root/etc", "data"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(STATIC, tmp_path / "root" / "partita")
    (tmp_path / "root" / "etc" / "hosts").write_text("127.0.0.1 partita.example\n")
    # Services that are libraries, of which there are none here.
    (tmp_path / "root" / "etc" / "nsswitch.conf").write_text("hosts: mymachines mdns4_minimal resolve\n")
    os.chown(tmp_path / "data", NOBODY, NOBODY)
    return tmp_path


def started(root, *words):
    return subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", f"{READ_ONLY} --userspec={NOBODY}:{NOBODY} root /partita \"$@\"", "sh", *words],
        cwd=root, stdout=subprocess.PIPE, stderr=(root / "log").open("a"), text=True, env={})


def refused(root, *words):
    assert started(root, *words).wait(timeout=30) != 0
    return (root / "log").read_text()


class Served:
    """A server in that root, and a client."""

    def __init__(self, root, *words):
        self.log = root / "log"
        self.port = free_port("127.0.0.1")
        self.process = started(root, "serve", "--data", "/data/store", "--listen", f"partita.example:{self.port}", *words)

    def __enter__(self):
        if f":{self.port}" not in self.process.stdout.readline():
            self.process.kill()
            raise AssertionError(self.log.read_text())
        return session().client("dynamodb", endpoint_url=f"http://127.0.0.1:{self.port}", region_name="us-east-1")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        assert self.process.returncode == 0, self.log.read_text()


def test_it_needs_nothing_of_the_machine():
    assert "INTERP" not in ran("readelf", "-lW", STATIC)
    assert "NEEDED" not in ran("readelf", "-dW", STATIC)


def asked_of_glibc(program):
    return max(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([\d.]+)", ran("readelf", "-VW", program)))


@pytest.mark.parametrize("program", [LOADING], ids=["x64"])
def test_it_runs_on_an_old_glibc(program):
    """On its libraries and versions alone, so with relocations that are not packed."""
    if not program.exists():
        pytest.skip(f"{program.parent.name} is not built")
    assert asked_of_glibc(program) <= OLDEST_GLIBC
    needed = re.findall(r"NEEDED.*\[(.*)\]", ran("readelf", "-dW", program))
    assert {name for name in needed if not name.startswith("ld-linux")} == {
        "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"}
    assert "RELR" not in ran("readelf", "-dW", program)


def test_it_loads_libraries_where_they_are():
    """As of the machine's own C library: the constructors have run, and exceptions find their way."""
    ended = subprocess.run([LOADING, "serve", "--store", "postgresql:///none?host=/nowhere"], capture_output=True, text=True,
                           timeout=60, check=False)
    assert ended.returncode != 0 and "static program" not in ended.stderr, ended.stderr


@pytest.mark.parametrize("program", ARM, ids=["static"])
def test_the_program_for_aarch64_answers(program, tmp_path):
    if not program.exists() or not shutil.which("qemu-aarch64-static"):
        pytest.skip("build/portable-arm64 is not built, or qemu-user-static is not installed")
    port = free_port("127.0.0.1")
    process = subprocess.Popen(
        ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu", program, "serve", "--data", tmp_path / "store",
         "--listen", f"127.0.0.1:{port}"], stdout=subprocess.PIPE, stderr=(tmp_path / "log").open("w"), text=True)
    try:
        assert f":{port}" in process.stdout.readline(), (tmp_path / "log").read_text()
        client = session().client("dynamodb", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1")
        client.create_table(TableName="things", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}])
        client.put_item(TableName="things", Item={"k": {"S": "a"}, "v": {"N": "1.5"}})
        assert client.get_item(TableName="things", Key={"k": {"S": "a"}})["Item"]["v"] == {"N": "1.5"}
    finally:
        process.terminate()
        process.wait(60)
    assert process.returncode == 0, (tmp_path / "log").read_text()


def test_it_is_hardened():
    """Its place is random, its tables of functions are read-only, and no page is written and executed."""
    assert "DYN (Position-Independent" in ran("readelf", "-hW", STATIC)
    segments = ran("readelf", "-lW", STATIC)
    assert "GNU_RELRO" in segments and re.search(r"GNU_STACK .* RW ", segments)
    assert not re.search(r"LOAD .* RWE ", segments)
    dynamic = ran("readelf", "-dW", STATIC)
    assert "BIND_NOW" in dynamic and "TEXTREL" not in dynamic


@pytest.mark.parametrize("program", [STATIC, LOADING, *ARM], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_its_size(program):
    if not program.exists():
        pytest.skip(f"{program.parent.name} is not built")
    assert program.stat().st_size <= MOST_BYTES


def test_nothing_of_the_builder_is_in_it():
    paths = [str(ROOT), os.path.expanduser("~") + "/.cache"]
    assert [line for line in ran("strings", "-a", STATIC).splitlines() if any(path in line for path in paths)] == []


def test_it_serves_where_nothing_else_is(root):
    """By a name of /etc/hosts; what was stored is there after a restart."""
    with Served(root) as client:
        client.create_table(TableName="things", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}])
        for number in range(100):
            client.put_item(TableName="things", Item={"k": {"S": str(number)}, "v": {"N": str(number)}})
    with Served(root) as client:
        assert client.get_item(TableName="things", Key={"k": {"S": "42"}})["Item"]["v"] == {"N": "42"}
        assert len(client.scan(TableName="things")["Items"]) == 100


def test_what_is_a_library_is_refused_by_name(root):
    said = refused(root, "serve", "--store", "postgresql://localhost/store")
    assert "libpq5" in said and "static program" in said
    (root / "data" / "cluster").write_text("a:b@127.0.0.1:4500\n")
    said = refused(root, "serve", "--store", "fdb:/data/cluster")
    assert "foundationdb-clients" in said and said.count("static program") == 2


def test_a_name_that_nobody_knows(root):
    began = time.monotonic()
    said = refused(root, "serve", "--in-memory", "--listen", "unknown.invalid:0")
    assert "unknown.invalid" in said and time.monotonic() - began < 20
