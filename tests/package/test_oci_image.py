"""The container image: what is in it, the same bytes twice, and that a container serves with the least rights."""

import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging"), str(ROOT / "tests" / "package")]

import archive  # noqa: E402
import elf  # noqa: E402
import oci_image  # noqa: E402
from containers import Engine  # noqa: E402

STATIC = ROOT / "build" / "portable" / "partita-static"
LINKED = pathlib.Path(os.environ["PARTITA_BINARY"])
PROGRAM = STATIC if STATIC.exists() else LINKED
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
MOST_BYTES = 7_800_000  # of a static program's; the goal is 6,000,000
MOST_BESIDE = 1_800_000  # what a program takes that needs libraries: mostly glibc

CLIENT = """
import sys, time, urllib.request
import boto3

ends = time.monotonic() + 30
while True:
    try:
        urllib.request.urlopen("http://127.0.0.1:8000/ready", timeout=5)
        break
    except OSError:
        assert time.monotonic() < ends
        time.sleep(0.05)
client = boto3.client("dynamodb", endpoint_url="http://127.0.0.1:8000", region_name="us-east-1",
                      aws_access_key_id="local", aws_secret_access_key="local")
if "Kept" not in client.list_tables()["TableNames"]:
    client.create_table(TableName="Kept", BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                        KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}])
for key in sys.argv[1:]:
    client.put_item(TableName="Kept", Item={"k": {"S": key}})
print(*sorted(item["k"]["S"] for item in client.scan(TableName="Kept")["Items"]))
"""


def files_of(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {one.name: tar.extractfile(one).read() for one in tar if one.isfile()}


def needs_libraries():
    return "(NEEDED)" in archive.ran("readelf", "-dW", PROGRAM)


class Unpacked:
    """A layout, each of whose blobs is what its name and its descriptor say."""

    def __init__(self, path):
        self.files = files_of(path.read_bytes())
        assert json.loads(self.files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
        for name, data in self.files.items():
            assert name.startswith("blobs/sha256/") == (name.rpartition("/")[2] == hashlib.sha256(data).hexdigest())
        [self.top] = json.loads(self.files["index.json"])["manifests"]

    def blob(self, descriptor):
        data = self.files["blobs/" + descriptor["digest"].replace(":", "/")]
        assert descriptor["size"] == len(data)
        return data

    def read(self, descriptor):
        return json.loads(self.blob(descriptor))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return oci_image.make(PROGRAM, tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="module")
def layout(made):
    return Unpacked(made[0])


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return Engine(tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="module")
def image(engine, made):
    return engine.load(made[1])


def test_the_layers_hold_the_program_certificates_and_nothing_else(layout):
    manifest = layout.read(layout.top)
    assert manifest["mediaType"] == layout.top["mediaType"] == "application/vnd.oci.image.manifest.v1+json"
    diffs, found, files = [], {}, {}
    for descriptor in manifest["layers"]:
        assert descriptor["mediaType"] == "application/vnd.oci.image.layer.v1.tar+gzip"
        data = gzip.decompress(layout.blob(descriptor))
        diffs.append("sha256:" + hashlib.sha256(data).hexdigest())
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            members = tar.getmembers()
            assert [one.name for one in members] == sorted(one.name for one in members)
            assert all(one.isfile() or one.isdir() for one in members) and not any(one.mtime for one in members)
            found |= {one.name: (one.uid, one.gid, one.mode) for one in members}
        files |= files_of(data)
    assert layout.read(manifest["config"])["rootfs"]["diff_ids"] == diffs
    assert found.pop("data") == (65532, 65532, 0o755)
    assert {(uid, gid) for uid, gid, _ in found.values()} == {(0, 0)}
    assert files.pop("etc/ssl/certs/ca-certificates.crt") == CERTIFICATES.read_bytes()
    assert files.pop("usr/local/bin/partita")[:4] == b"\x7fELF" and found["usr/local/bin/partita"][2] == 0o755
    libraries = {name for name in files if name.startswith("lib")}
    assert set(files) - libraries == {"etc/passwd", "etc/group", "etc/nsswitch.conf"}
    assert bool(libraries) == needs_libraries()


def test_its_size(layout):
    manifest = layout.read(layout.top)
    beside, program = [descriptor["size"] for descriptor in manifest["layers"]]
    assert beside <= MOST_BESIDE
    if not needs_libraries():
        assert beside + program <= MOST_BYTES


def test_its_configuration(layout):
    configuration = layout.read(layout.read(layout.top)["config"])
    assert (configuration["architecture"], configuration["os"]) == ("amd64" if os.uname().machine == "x86_64" else "arm64", "linux")
    said = configuration["config"]
    assert said["User"] == "65532:65532" and said["Volumes"] == {"/data": {}} and said["ExposedPorts"] == {"8000/tcp": {}}
    assert said["Healthcheck"]["Test"] == ["CMD", "/usr/local/bin/partita", "status", "/data"]
    assert said["Labels"]["org.opencontainers.image.version"] == archive.version_of(PROGRAM)
    assert {"title", "description", "licenses", "revision", "created"} <= {name.rpartition(".")[2] for name in said["Labels"]}


def test_the_same_bytes_twice(made, tmp_path):
    script = [sys.executable, str(ROOT / "packaging" / "oci_image.py"), str(PROGRAM), str(tmp_path)]
    printed = subprocess.run(script, capture_output=True, text=True, check=True, umask=0o077, cwd="/").stdout.split()
    assert [pathlib.Path(path).read_bytes() for path in printed] == [path.read_bytes() for path in made]


def test_an_index_of_two_processors(tmp_path):
    intel, arm = elf.of_machine(tmp_path, elf.X86_64), elf.of_machine(tmp_path, elf.AARCH64)
    made = oci_image.make(intel, tmp_path / "made", beside=arm, version="1.2.3")
    assert [path.name for path in made] == [
        "partita-1.2.3.oci.tar", "partita-1.2.3-amd64.docker.tar", "partita-1.2.3-arm64.docker.tar",
    ]  # fmt: skip
    layout = Unpacked(made[0])
    assert layout.top["mediaType"] == "application/vnd.oci.image.index.v1+json"
    manifests = layout.read(layout.top)["manifests"]
    assert [one["platform"]["architecture"] for one in manifests] == ["amd64", "arm64"]
    for one in manifests:
        assert layout.read(layout.read(one)["config"])["architecture"] == one["platform"]["architecture"]
    subprocess.run(["skopeo", "copy", "-q", "--all", f"oci-archive:{made[0]}", f"dir:{tmp_path / 'copied'}"], check=True)


def test_what_no_image_is_made_of(tmp_path):
    intel = elf.of_machine(tmp_path, elf.X86_64)
    for words, said in (
        ([ROOT / "LICENSE"], "is not a program"),
        ([tmp_path / "missing"], "missing"),
        ([intel, "--full"], "static"),
        ([intel, "--beside", intel], "same processor"),
    ):
        script = [sys.executable, ROOT / "packaging" / "oci_image.py", words[0], tmp_path / "made", "--version", "1.2.3", *words[1:]]
        ended = subprocess.run([str(word) for word in script], capture_output=True, text=True, check=False)
        assert ended.returncode == 1 and said in ended.stderr and "Traceback" not in ended.stderr, ended.stderr
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("version, epoch, said", [("a b", "0", "'a b'"), ("x/../y", "0", "cannot be the tag"), ("1", "noon", "'noon'")])
def test_what_no_image_is_named(tmp_path, monkeypatch, version, epoch, said):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(SystemExit, match=said):
        oci_image.make(PROGRAM, tmp_path, version=version)
    assert not list(tmp_path.iterdir())


def test_skopeo_reads_the_layout(made):
    said = json.loads(subprocess.run(["skopeo", "inspect", f"oci-archive:{made[0]}"], capture_output=True, text=True, check=True).stdout)
    assert said["Labels"]["org.opencontainers.image.title"] == "Partita" and len(said["Layers"]) == 2


def run_client(container, *keys):
    return container.inside("/usr/bin/python3", "-c", CLIENT, *keys).split()


def test_a_container_with_the_least_rights_serves_and_keeps_its_volume(engine, image):
    volume = ["--volume=kept:/data"]
    with engine.start(image, options=volume) as container:
        assert run_client(container, "first") == ["first"]
        status = container.status()
        assert set(status["Uid"].split()) == {"65532"} and set(status["Gid"].split()) == {"65532"}
        assert int(status["CapEff"], 16) == 0 and status["NoNewPrivs"] == "1"
        assert container.is_healthy()
        assert container.stop() == 0, container.logs()
    with engine.start(image, options=volume) as container:
        assert run_client(container, "second") == ["first", "second"]


def test_the_volume_need_not_be_named(engine, image):
    with engine.start(image) as container:
        assert run_client(container, "only") == ["only"]


def test_the_health_check_sees_a_server_that_does_not_answer(engine, image):
    with engine.start(image) as container:
        run_client(container)
        container.pause()
        assert not container.is_healthy()
        container.resume()
        assert container.is_healthy()


def test_a_store_in_memory_is_checked_by_its_socket(engine, image):
    words = ["serve", "--listen=0.0.0.0:8000", "--insecure", "--in-memory", "--admin-socket=/data/admin.sock"]
    with engine.start(image, *words) as container:
        run_client(container)
        assert container.is_healthy()


def test_verbs_run_in_the_container(engine, image):
    with engine.start(image) as container:
        run_client(container)
        assert "data in /data" in engine("exec", container.name, "partita", "status", "/data")


def test_the_full_image_loads_its_libraries(engine, image, tmp_path):
    full = engine.load(oci_image.make(LINKED, tmp_path, full=True)[1])
    assert full.endswith("-full")
    for each, says in ((image, "libpq"), (full, "PostgreSQL cannot be reached")):
        ended = engine.run(each, "serve", "--store=postgresql://127.0.0.1:1/partita")
        assert ended.returncode == 1 and says in ended.stderr, ended.stderr
    for soname in oci_image.LOADED:
        [loader] = [name for name in oci_image.needed(LINKED) if "ld-linux" in name]
        library = f"/lib/{archive.machine_of(LINKED)[1]}/{soname}"
        ended = engine.run(full, "--list", library, options=[f"--entrypoint=/{loader}"])
        assert ended.returncode == 0 and "not found" not in ended.stdout + ended.stderr, ended.stdout + ended.stderr
