"""Prints what a build of partita consists of, as CycloneDX: sbom.py BUILD VERSION REVISION

Of the archives that the program was linked from and of the libraries that it asks for, dpkg says which packages they
are. Archives of the build below cmake/NAME are made from the source of Debian's package libNAME-dev.

With --outdated instead of VERSION and REVISION: the packages of these archives that apt knows a newer version of.
"""

import json
import pathlib
import re
import subprocess
import sys

# Linked in without an archive of their package's: of headers alone.
HEADERS = ["libhnswlib-dev"]
# Opened by the program itself when it needs them, whichever version is there then: (name, package or None, why).
OPENED = [("libpq5", "libpq5", "opened at run time for a store in PostgreSQL"),
          ("libcurl4", "libcurl4", "opened at run time for requests to other servers"),
          ("librdkafka1", "librdkafka1", "opened at run time for sinks to Kafka"),
          ("libfdb_c", None, "opened at run time for a store in FoundationDB")]
# What the build changes in a source before it compiles it.
CHANGED = {"librocksdb-dev": "cmake/rocksdb/CMakeLists.txt replaces Crc32cCombine by Extend in db/log_writer.cc, takes zero "
                             "pages from the system in util/dynamic_bloom.cc, makes no tables of the names of options, and "
                             "leaves out sources that nothing calls."}


def ran(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def package_of(path):
    """The package, as dpkg names it, of a file as it is or as it was before /usr was merged; None if there is none."""
    real = pathlib.Path(path).resolve()
    for name in (real, pathlib.Path(str(real).removeprefix("/usr")), pathlib.Path(path)):
        found = subprocess.run(["dpkg-query", "-S", str(name)], capture_output=True, text=True, check=False).stdout
        if found:
            return found.split(":")[0]
    return None


def packages_linked(build):
    """What stands behind each word of the command that links, and each library asked for: (package, how)."""
    words = ran("ninja", "-C", str(build), "-t", "commands", "partita").strip().splitlines()[-1].split()
    for word in words:
        made = re.fullmatch(r"cmake/(\w+)/\S+\.a", word)
        if made:
            yield f"lib{made.group(1)}-dev", "inside, from source"
        elif re.fullmatch(r"/\S+\.a", word):
            yield package_of(word), "inside"
        elif word.startswith("-l") and word != "-ldl":
            archive = pathlib.Path(ran("g++-12", f"-print-file-name=lib{word[2:]}.a").strip())
            yield package_of(archive), "inside"
    for archive in ("libstdc++.a", "libgcc.a", "libgcc_eh.a"):
        yield package_of(ran("g++-12", f"-print-file-name={archive}").strip()), "inside"
    for path in re.findall(r"=> (/\S+)", ran("ldd", str(build / "partita"))):
        yield package_of(path), "at run time"


def version_of(package):
    return ran("dpkg-query", "-W", "-f=${Version}\n", package).splitlines()[0]  # the same for every architecture


def component(package, linked):
    version = version_of(package)
    described = {
        "type": "library",
        "name": package,
        "version": version,
        "purl": f"pkg:deb/debian/{package}@{version.replace(':', '%3A')}",
        "properties": [{"name": "partita:linked", "value": linked}],
    }
    if package in CHANGED and linked == "inside, from source":
        described["pedigree"] = {"notes": CHANGED[package], "patches": [{"type": "unofficial"}]}
    return described


def opened(name, package, why):
    if package is not None:
        return component(package, why)
    return {"type": "library", "name": name, "version": "as installed", "properties": [{"name": "partita:linked", "value": why}]}


def candidate_of(package):
    """None when apt knows none."""
    found = re.search(r"^  Candidate: (\S+)$", ran("apt-cache", "policy", package), re.MULTILINE)
    return None if found is None or found.group(1) == "(none)" else found.group(1)


def outdated(build):
    """Those inside, which are mended by a new build alone: (package, version, candidate)."""
    for package in sorted({package for package, linked in packages_linked(build) if linked.startswith("inside")}):
        version, candidate = version_of(package), candidate_of(package)
        older = candidate is not None and subprocess.run(
            ["dpkg", "--compare-versions", version, "lt", candidate], check=False).returncode == 0
        if older:
            yield package, version, candidate


def inventory(build, version, revision):
    components = {}
    for package, linked in [*packages_linked(build), *((name, "inside") for name in HEADERS)]:
        assert package, "no package has one of the files that the program is linked from"
        components.setdefault(package, component(package, linked))
    for name, package, why in OPENED:
        components.setdefault(name, opened(name, package, why))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "partita", "version": version,
                                   "properties": [{"name": "partita:revision", "value": revision}]}},
        "components": [components[name] for name in sorted(components)],
    }


if __name__ == "__main__" and sys.argv[2:] == ["--outdated"]:
    for line in outdated(pathlib.Path(sys.argv[1]).resolve()):
        print(*line)
elif __name__ == "__main__":
    json.dump(inventory(pathlib.Path(sys.argv[1]).resolve(), *sys.argv[2:4]), sys.stdout, indent=2)
    print()
