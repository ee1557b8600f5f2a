"""The npm packages: made, installed in an empty folder, and used there as their README says."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging"), str(ROOT / "tests" / "support"), str(ROOT / "tests" / "package")]

import elf  # noqa: E402
import npm_packages  # noqa: E402
from waiting import wait_for_end  # noqa: E402

README = ROOT / "clients" / "npm" / "README.md"
MOST_BYTES = 12_000_000
SDK = "@aws-sdk/client-dynamodb@3"


class Project:
    """A folder with the files that the README shows."""

    def __init__(self, folder):
        self.folder = folder
        for name, text in re.findall(r"```js\n// (\S+)\n(.*?)```", README.read_text(), re.DOTALL):
            (folder / name).write_text(text)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PARTITA_", "AWS_", "NODE_"))}
        self.variables = {**kept, "CI": "1"}

    def run(self, *command):
        ended = subprocess.run(list(map(str, command)), cwd=self.folder, env=self.variables, capture_output=True,
                               text=True, timeout=600, check=False)
        assert ended.returncode == 0, f"{command}: {ended.stdout[-3000:]} {ended.stderr[-3000:]}"
        return ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    return npm_packages.make(pathlib.Path(os.environ["PARTITA_BINARY"]), tmp_path_factory.mktemp("npm"))


@pytest.fixture(scope="module")
def project(packages, tmp_path_factory):
    made = Project(tmp_path_factory.mktemp("project"))
    (made.folder / "package.json").write_text('{"private": true}')
    made.run("npm", "install", "--no-audit", "--no-fund", *packages, SDK, "jest@29", "vitest@2")
    return made


def described_by(path):
    with tarfile.open(path) as packed:
        return json.load(packed.extractfile("package/package.json"))


def test_what_they_are(packages, project):
    own, whole = packages
    assert own.stat().st_size <= MOST_BYTES and whole.stat().st_size < 50_000
    installed = json.loads((project.folder / "node_modules" / "partita" / "package.json").read_text())
    assert list(installed["optionalDependencies"]) == [own.name.rsplit("-", 1)[0]]
    assert project.run("npx", "--no-install", "partita", "--version").startswith("partita ")


def test_a_static_program_of_another_processor(packages, tmp_path):
    program = elf.of_machine(tmp_path, elf.AARCH64)
    first, other, whole = npm_packages.make(pathlib.Path(os.environ["PARTITA_BINARY"]), tmp_path, [program])
    described = {path: described_by(path) for path in (first, other, whole)}
    assert described[other]["cpu"] == ["arm64"] and "libc" not in described[other]
    assert described[first]["cpu"] == ["x64"] and described[first]["libc"] == ["glibc"]
    assert set(described[whole]["optionalDependencies"]) == {"partita-linux-x64", "partita-linux-arm64"}
    with tarfile.open(other) as packed:
        assert packed.extractfile("package/partita").read() == program.read_bytes()


def test_the_readme_with_jest(project):
    said = project.run("npx", "--no-install", "jest")
    assert "2 passed, 2 total" in said


def test_workers_of_jest_share_a_server_and_no_tables(project):
    for n in (1, 2, 3, 4):
        (project.folder / f"more{n}.test.js").write_text("""
const fs = require("node:fs");
for (let n = 0; n < 20; ++n) test(`alone ${n}`, async () => {
  const before = await partita.dynamodb("Scan", { TableName: "Music" });
  expect(before.Count).toBe(0);
  await partita.dynamodb("PutItem", { TableName: "Music", Item: { Artist: { S: "x" } } });
  fs.appendFileSync("used", `${partita.endpoint} ${partita.namespace}\\n`);
});
""")
    try:
        assert "80 passed, 80 total" in project.run("npx", "--no-install", "jest", "--maxWorkers", "2", "more")
    finally:
        for path in project.folder.glob("more*.test.js"):
            path.unlink()
    used = set((project.folder / "used").read_text().splitlines())
    assert len(used) == 2 and len({line.split()[0] for line in used}) == 1


def test_the_readme_with_vitest(project):
    test = (project.folder / "music.test.js").read_text()
    imports = 'import { expect, test } from "vitest";\nimport { createRequire } from "node:module";\n' \
              "const require = createRequire(import.meta.url);\n"
    (project.folder / "music.spec.mjs").write_text(imports + test + """
test("an item expires", async () => {
  await partita.dynamodb("UpdateTimeToLive", { TableName: "Music", TimeToLiveSpecification: { AttributeName: "Until", Enabled: true } });
  const Until = { N: String(Math.floor(Date.now() / 1000) + 3600) };
  await partita.dynamodb("PutItem", { TableName: "Music", Item: { Artist: { S: "Brief" }, Until } });
  await partita.advanceClock(7200);
  await expect.poll(count, { timeout: 20_000 }).toBe(0);
}, 30_000);

test("the clock is back", async () => {
  expect((await partita.call("DescribeClock")).OffsetSeconds).toBe(0);
});
""")
    assert re.search(r"Tests\s+4 passed \(4\)", re.sub("\x1b\\[[0-9;]*m", "", project.run(
        "npx", "--no-install", "vitest", "run", "music.spec.mjs")))


def test_without_a_test_runner(project):
    assert "{ TableNames: [] }" in project.run("node", "kept.mjs")
    (project.folder / "refused.mjs").write_text("""
import { start, inNamespace } from "partita";
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";

await start({ options: ["--nonsense"] }).catch((error) => console.log(error.message));
const server = await start({ options: ["--namespaces", "header"] });
await server.rollback("none").catch((error) => console.log(error.code));
const client = inNamespace(new DynamoDBClient(server.config()), "other");
await client.send(new CreateTableCommand({
  TableName: "Music", BillingMode: "PAY_PER_REQUEST", AttributeDefinitions: [{ AttributeName: "k", AttributeType: "S" }],
  KeySchema: [{ AttributeName: "k", KeyType: "HASH" }] }));
console.log((await client.send(new ListTablesCommand())).TableNames, await server.dynamodb("ListTables"));
""")
    said = project.run("timeout", "60", "node", "refused.mjs")  # ends by itself, though the server runs
    assert "--nonsense" in said and "ResourceNotFoundException" in said
    assert "[ 'Music' ] { TableNames: [] }" in said


def test_a_server_ends_with_its_program(project):
    (project.folder / "ended.mjs").write_text("""
import { start } from "partita";
const server = await start();
await server.dynamodb("ListTables");
console.log(server.pid);
setTimeout(() => process.kill(process.pid, "SIGKILL"), 50);
""")
    said = project.run("sh", "-c", "node ended.mjs; test $? = 137")
    wait_for_end(int(said.split()[0]))


def test_the_container_is_configured_without_an_engine(packages, tmp_path):
    """None is started: there is no engine here. Scripts would compile what SSH can do without."""
    project = Project(tmp_path)
    (tmp_path / "package.json").write_text('{"private": true}')
    project.run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *packages, "testcontainers@10.28.0")
    (project.folder / "container.mjs").write_text("""
import { start } from "partita";
import { PartitaContainer, StartedPartitaContainer } from "partita/testcontainers";
import { GenericContainer } from "testcontainers";

const server = await start({ options: ["--namespaces", "key"] });
const port = new URL(server.endpoint).port;
GenericContainer.prototype.start = async () => ({ getHost: () => "127.0.0.1", getMappedPort: (inside) => inside === 8000 && port });
const container = new PartitaContainer().withOptions(["--seed", "/tables"]);
console.log(container.createOpts.Cmd.join(" "), container.exposedPorts, container.waitStrategy.constructor.name);
console.log(container.imageName.string);
const started = await container.start();
console.log(started instanceof StartedPartitaContainer, await started.database("worker1").dynamodb("ListTables"));
""")
    assert project.run("node", "container.mjs").splitlines() == [
        "serve --listen 0.0.0.0:8000 --insecure --in-memory --namespaces key --seed /tables [ 8000 ] HttpWaitStrategy",
        "partita:0.1.0", "true { TableNames: [] }"]
