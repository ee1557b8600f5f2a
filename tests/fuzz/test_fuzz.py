"""Every fuzz target over its seeds, and then for a few seconds over what libFuzzer makes of them.

FUZZ_SECONDS makes it longer; inputs that fail are left in build/fuzz/failures. To run one of them again:

    build/fuzz/tests/fuzz/fuzz_NAME build/fuzz/failures/NAME-crash-...
"""

import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "fuzz"
FAILURES = BUILD / "failures"
SECONDS = int(os.environ.get("FUZZ_SECONDS", "4"))
DICTIONARIES = {
    "condition": "expression.dict",
    "key_condition": "expression.dict",
    "partiql": "partiql.dict",
    "projection": "expression.dict",
    "update": "expression.dict",
    "hook_filter": "json.dict",
    "policy": "policy.dict",
    "request": "json.dict",
}
TARGETS = sorted(folder.name for folder in (HERE / "corpus").iterdir())


def run(target, *arguments):
    FAILURES.mkdir(parents=True, exist_ok=True)
    program = BUILD / "tests" / "fuzz" / f"fuzz_{target}"
    ran = subprocess.run(
        [program, f"-artifact_prefix={FAILURES}/{target}-", "-timeout=20", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )
    assert ran.returncode == 0, ran.stdout[-6000:]


@pytest.mark.parametrize("target", TARGETS)
def test_seeds_and_what_is_made_of_them(target, tmp_path):
    seeds = HERE / "corpus" / target
    run(target, *sorted(seeds.iterdir()))
    options = [f"-max_total_time={SECONDS}", "-seed=1", "-max_len=4096"]
    if target in DICTIONARIES:
        options.append(f"-dict={HERE / DICTIONARIES[target]}")
    run(target, *options, tmp_path, seeds)  # new inputs go into the first folder
