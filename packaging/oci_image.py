"""Makes a container image without a container engine: oci_image.py PROGRAM INTO [OPTION...]

  --beside PROGRAM     the same version for another processor; both are in the layout's index
  --full               with the libraries that the program loads for PostgreSQL, Kafka and requests to other servers;
                       the tag then ends with -full
  --version VERSION    instead of asking PROGRAM, which may not run here

Prints the paths that it writes: an OCI image layout as a tar, for skopeo and registries, and for each processor an
archive that `docker load` and `podman load` take. The same inputs give the same bytes.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import sys

from archive import NAME, compressed, explained_failures, is_dynamic, machine_of, ran, stripped, tar, version_of

USER = 65532
WHERE = "usr/local/bin/partita"
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
LOADED = ["libcurl.so.4", "libpq.so.5", "librdkafka.so.1"]  # by src/net, src/engines/postgres and src/sinks
SECOND = 1_000_000_000  # Docker's unit
KIND = "application/vnd.oci.image"

ACCOUNTS = {
    "etc/passwd": f"root:x:0:0:root:/:/none\n{NAME}:x:{USER}:{USER}:{NAME}:/data:/none\n",
    "etc/group": f"root:x:0:\n{NAME}:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}

# An extension of Docker's that other runtimes ignore. The server's administration socket is in its data directory.
HEALTH = {
    "Test": ["CMD", f"/{WHERE}", "status", "/data"],
    "Interval": 10 * SECOND, "Timeout": 6 * SECOND, "StartPeriod": 60 * SECOND, "StartInterval": SECOND // 2, "Retries": 3,
}  # fmt: skip


def needed(path):
    """What the dynamic linker loads for a program or library: {where it is in the image: its file here}."""
    if not is_dynamic(path):
        return {}
    if machine_of(path) != machine_of(pathlib.Path(sys.executable)):
        raise SystemExit(f"oci_image.py: {path} needs libraries of another processor, which this machine lacks.")
    return {name.lstrip("/"): pathlib.Path(name) for name in re.findall(r"(/\S+) \(0x", ran("ldd", path))}


def libraries(program, loaded):
    found = needed(program)
    if loaded and not found:
        raise SystemExit(f"oci_image.py: {program} is static and loads no libraries: name another, or leave --full out.")
    for soname in loaded:
        path = pathlib.Path("/lib", machine_of(program)[1], soname)
        if not path.exists():
            raise SystemExit(f"oci_image.py: {path} is missing: install its package, or leave --full out.")
        found |= {str(path).lstrip("/"): path} | needed(path)
    return {name: (path.read_bytes(), 0o755) for name, path in found.items()}


def encoded(value):
    return json.dumps(value, indent=1, sort_keys=True).encode()


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def name_of(data):
    return digest(data).partition(":")[2]


class Image:
    """For one processor."""

    def __init__(self, program, loaded, labels, created):
        self.architecture, _ = machine_of(program)
        system = {path: (text.encode(), 0o644) for path, text in ACCOUNTS.items()}
        system[CERTIFICATES] = (pathlib.Path("/", CERTIFICATES).read_bytes(), 0o644)
        layers = [
            tar(system | libraries(program, loaded), {"data": (USER, 0o755)}),
            tar({WHERE: (stripped(program), 0o755)}),
        ]
        self.blobs = [compressed(one) for one in layers]
        self.configuration = encoded({
            "architecture": self.architecture, "os": "linux", "created": created,
            "config": {
                "User": f"{USER}:{USER}", "WorkingDir": "/", "StopSignal": "SIGTERM", "Labels": labels,
                "Env": [f"PATH=/{WHERE.rpartition('/')[0]}", f"SSL_CERT_FILE=/{CERTIFICATES}"],
                "Entrypoint": [f"/{WHERE}"], "Cmd": ["serve", "--listen=0.0.0.0:8000", "--insecure", "--data=/data"],
                "ExposedPorts": {"8000/tcp": {}}, "Volumes": {"/data": {}}, "Healthcheck": HEALTH,
            },
            "rootfs": {"type": "layers", "diff_ids": [digest(one) for one in layers]},
            "history": [{"created": created, "created_by": said} for said in ("certificates", "program")],
        })  # fmt: skip


class Layout:
    """An OCI image layout with one image, or with an index of several."""

    def __init__(self):
        self.blobs = {}

    def add(self, data, kind, **more):
        self.blobs[name_of(data)] = data
        return {"mediaType": f"{KIND}.{kind}", "digest": digest(data), "size": len(data), **more}

    def manifest(self, image, labels):
        kind = "manifest.v1+json"
        layers = [self.add(blob, "layer.v1.tar+gzip") for blob in image.blobs]
        made = {"config": self.add(image.configuration, "config.v1+json"), "layers": layers, "annotations": labels}
        return self.add(encoded({"schemaVersion": 2, "mediaType": f"{KIND}.{kind}", **made}), kind,
                        platform={"architecture": image.architecture, "os": "linux"})  # fmt: skip

    def index(self, images, labels):
        manifests = [self.manifest(one, labels) for one in images]
        if len(manifests) == 1:
            return manifests[0]
        made = {"schemaVersion": 2, "mediaType": f"{KIND}.index.v1+json", "manifests": manifests, "annotations": labels}
        return self.add(encoded(made), "index.v1+json")

    def archive(self, images, labels, tag):
        names = {"org.opencontainers.image.ref.name": tag, "io.containerd.image.name": f"docker.io/library/{NAME}:{tag}"}
        top = self.index(images, labels) | {"annotations": names}
        files = {f"blobs/sha256/{name}": (data, 0o644) for name, data in self.blobs.items()}
        files["index.json"] = (encoded({"schemaVersion": 2, "manifests": [top]}), 0o644)
        files["oci-layout"] = (encoded({"imageLayoutVersion": "1.0.0"}), 0o644)
        return tar(files)


def docker_archive(image, tag):
    """As `docker save` writes it. Podman reads the health check there alone."""
    name = f"{name_of(image.configuration)}.json"
    layers = {f"{name_of(blob)}.tar.gz": (blob, 0o644) for blob in image.blobs}
    saved = [{"Config": name, "RepoTags": [f"{NAME}:{tag}"], "Layers": list(layers)}]
    return tar({name: (image.configuration, 0o644), "manifest.json": (encoded(saved), 0o644)} | layers)


def about(program, version, created):
    said = {
        "title": "Partita", "description": "The DynamoDB API on storage of your own", "licenses": "Apache-2.0",
        "version": version or version_of(program), "created": created,
    }  # fmt: skip
    if not version:
        said["revision"] = re.search(r"^revision (\S+)$", ran(program, "version"), re.M)[1]
    return {f"org.opencontainers.image.{word}": text for word, text in said.items()}


def make(program, into, beside=None, full=False, version=None):
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or "0"
    if not re.fullmatch(r"[0-9]{1,11}", epoch):
        raise SystemExit(f"oci_image.py: SOURCE_DATE_EPOCH is a number of seconds, not {epoch!r}.")
    at = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    created = at.strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = about(program, version, created)
    tag = labels["org.opencontainers.image.version"] + ("-full" if full else "")
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}", tag):
        raise SystemExit(f"oci_image.py: the version {tag!r} cannot be the tag of an image: letters, digits, '_', '.' and '-'.")
    images = [Image(each, LOADED if full else [], labels, created) for each in (program, beside) if each]
    if len({one.architecture for one in images}) < len(images):
        raise SystemExit(f"oci_image.py: {program} and {beside} are for the same processor.")
    into.mkdir(parents=True, exist_ok=True)
    made = {f"{NAME}-{tag}.oci.tar": Layout().archive(images, labels, tag)}
    made |= {f"{NAME}-{tag}-{one.architecture}.docker.tar": docker_archive(one, tag) for one in images}
    for name, data in made.items():
        (into / name).write_bytes(data)
    return [into / name for name in made]


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("into", type=pathlib.Path)
    parser.add_argument("--beside", type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--version")
    print(*make(**vars(parser.parse_args())), sep="\n")


if __name__ == "__main__":
    with explained_failures():
        main()
