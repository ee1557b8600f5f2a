"""Runs what Node runs of the console: its browser tests, one case for each file, its logic, its types, and its build."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
CONSOLE = HERE.parents[1] / "console"
SPECS = sorted(each.name.removesuffix(".spec.ts") for each in HERE.glob("*.spec.ts"))
# Tests with this tag need much memory, so nothing runs beside them.
RUNS = (("--workers=2", "--grep-invert=@alone"), ("--workers=1", "--grep=@alone"))


def npm(folder, *arguments):
    assert (folder / "node_modules").is_dir(), f"install its packages first: npm ci --prefix {folder}"
    done = subprocess.run(["npm", "--silent", *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="session", name="faults")
def fixture_faults(request, tmp_path_factory):
    """What failed in each of the files that were asked for."""
    wanted = {item.callspec.params["spec"] for item in request.session.items if item.originalname == "test_spec"}
    report = tmp_path_factory.mktemp("console") / "report.json"
    found = {}
    for options in RUNS:
        run_specs(wanted, options, report, found)
    return found


def run_specs(specs, options, report, found):
    done = subprocess.run(["npx", "playwright", "test", *options, "--pass-with-no-tests", "--reporter=json", *(f"/{each}.spec.ts" for each in sorted(specs))],
                          cwd=HERE, env={**os.environ, "PLAYWRIGHT_JSON_OUTPUT_NAME": str(report)}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=1800, check=False)
    assert report.is_file(), done.stdout
    results = json.loads(report.read_text())
    assert not results["errors"], results["errors"]
    report.unlink()
    for suite in results["suites"]:
        found.setdefault(suite["file"].removesuffix(".spec.ts"), []).extend(failures(suite))


def failures(suite):
    for inner in suite.get("suites", []):
        yield from failures(inner)
    for spec in suite["specs"]:
        if not spec["ok"]:
            yield "\n".join([spec["title"], *(error["message"] for test in spec["tests"] for result in test["results"] for error in result["errors"])])


@pytest.mark.parametrize("spec", SPECS)
def test_spec(spec, faults):
    assert faults[spec] == [], "\n\n".join(faults[spec])


def test_logic():
    npm(CONSOLE, "test")


def test_types():
    npm(CONSOLE, "run", "check")


def test_the_committed_files_are_a_rebuild(tmp_path):
    """`./dev up` needs no Node, so what the sources give is committed: bit for bit."""
    sources = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "."], cwd=CONSOLE,
                             capture_output=True, text=True, check=True).stdout.split()
    for name in sources:
        if not name.startswith("dist/") and (CONSOLE / name).exists():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CONSOLE / name, tmp_path / name)
    (tmp_path / "node_modules").symlink_to(CONSOLE / "node_modules")
    npm(tmp_path, "run", "build")
    rebuilt, committed = files(tmp_path / "dist"), files(CONSOLE / "dist")
    assert sorted(rebuilt) == sorted(committed), "run: npm run build --prefix console"
    different = [name for name in rebuilt if rebuilt[name] != committed[name]]
    assert not different, f"run: npm run build --prefix console ({', '.join(different)})"


def files(folder):
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*") if each.is_file()}
