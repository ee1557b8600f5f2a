"""Runs what Node runs of the console: its browser tests, one case for each file, its logic, its types, and its build."""

import pathlib
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
CONSOLE = HERE.parents[1] / "console"


def npm(folder, *arguments):
    assert (folder / "node_modules").is_dir(), f"install its packages first: npm ci --prefix {folder}"
    done = subprocess.run(["npm", "--silent", *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("spec", sorted(each.name.removesuffix(".spec.ts") for each in HERE.glob("*.spec.ts")))
def test_spec(spec):
    npm(HERE, "test", "--", f"/{spec}.spec.ts")


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
