"""An application made for DynamoDB Local and one made for LocalStack (`moving/`), moved by docs/coming-from.md:
the tests do what the page says, with the words that it has, and nothing else. Ports are the tests' own."""

import contextlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging"), str(ROOT / "tests" / "support"), str(ROOT / "bench")]

import npm_packages  # noqa: E402
import peers  # noqa: E402
import python_wheel  # noqa: E402
from ports import free_port  # noqa: E402
from test_python_wheel import Environment  # noqa: E402

PROGRAM = pathlib.Path(os.environ["PARTITA_BINARY"])
MOVING = pathlib.Path(__file__).with_name("moving")
PAGE = (ROOT / "docs" / "coming-from.md").read_text()
START_S = 60
LENT = "created Books\ncreated Loans\nada: lent\ndue: ada 978-0\n"


def section(title):
    """Without the indentation of its list."""
    text = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.sub(r"^   ", "", text, flags=re.MULTILINE)


LOCAL, LOCALSTACK = section("From DynamoDB Local"), section("From LocalStack")


def blocks(text, language=""):
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for name, block in found if name == language]


def rows(text, head):
    """The table that begins with this row, as {first cell: second cell}."""
    lines = text[text.index(head):].split("\n\n")[0].splitlines()[2:]
    return dict(re.fullmatch(r"\| (.*?) \| (.*) \|", line).groups() for line in lines)


def code(cell):
    return re.findall(r"`(.+?)`", cell)


def copied(name, folder, ports):
    """The application, with other ports: {the port of its files and of the page: the test's}"""
    shutil.copytree(MOVING / name, folder, dirs_exist_ok=True)
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_text(ported(path.read_text(), ports))
    return folder


def ported(text, ports):
    for port, other in ports.items():
        text = re.sub(rf"\b{port}\b", str(other), text)
    return text


def edit(path, before, after):
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def variables():
    left_out = ("AWS_", "PARTITA_", "NODE_", "JEST_")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)}


def run(*command, cwd, env=None):
    ended = subprocess.run(list(map(str, command)), cwd=cwd, env={**variables(), **(env or {})}, capture_output=True,
                           text=True, stdin=subprocess.DEVNULL, timeout=300, check=False)
    assert ended.returncode == 0, f"{command}: {ended.stdout[-3000:]} {ended.stderr[-3000:]}"
    return ended.stdout


def jest(folder):
    return run("bash", "-c", "npm test --silent 2>&1", cwd=folder)


def answers(port):
    try:
        urllib.request.urlopen(f"http://localhost:{port}/", timeout=5)
    except urllib.error.HTTPError:
        pass
    except OSError:
        return False
    return True


@contextlib.contextmanager
def started(command, port, cwd):
    process = subprocess.Popen(list(map(str, command)), cwd=cwd, env=variables(), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        ends = time.monotonic() + START_S
        while not answers(port):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < ends, f"{command} does not answer"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.communicate(timeout=60)


# --- from DynamoDB Local ----------------------------------------------------------------------------------------------


def dynamodb_local_options(folder):
    """Of the service in the application's Compose file: [(option, its value or an empty text)]"""
    words = shlex.split(yaml.safe_load((folder / "docker-compose.yml").read_text())["services"]["dynamodb"]["command"])
    words = words[words.index("DynamoDBLocal.jar") + 1:]
    found = []
    for word in words:
        if word.startswith("-"):
            found.append((word, ""))
        else:
            found[-1] = (found[-1][0], word)
    return found


def translated(options):
    """The words of `partita serve`, by the page's table."""
    table = {tuple(code(row)[0].split()): cell for row, cell in rows(LOCAL, "| DynamoDB Local |").items()
             if not row.startswith("without")}
    words = []
    for option, value in options:
        [(key, cell)] = [(key, cell) for key, cell in table.items() if key[0] == option]
        if cell.startswith("nothing"):
            continue
        ours = code(cell)[0]
        words += (ours.replace(key[1], value) if value else ours).split()
    return words


@pytest.fixture(scope="module")
def dynamodb_local():
    """Words that start it: those of the image come after `-jar DynamoDBLocal.jar`."""
    [peer] = [each for each in peers.PEERS if each.name == "DynamoDB Local"]
    if not shutil.which("java"):
        pytest.skip("there is no java")
    try:
        home = peer.home()
    except peers.NotToBeHad as why:
        pytest.skip(str(why))
    command = list(map(str, peer.command(home, 0, None)))
    return command[:command.index("-port")]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The application, installed, and its port."""
    port = free_port("localhost")
    folder = copied("dynamodb-local", tmp_path_factory.mktemp("library"), {8000: port})
    run("npm", "install", "--no-audit", "--no-fund", cwd=folder)
    return folder, port


def test_an_application_from_dynamodb_local(library, dynamodb_local, tmp_path):
    folder, port = library
    aside = free_port("localhost")
    ports = {8000: port, 8001: aside}
    options = dynamodb_local_options(folder)
    local, ours = [word for option in options for word in option if word], ["serve", *translated(options)]
    assert ours == ["serve", "--data", "/data", "--listen", f"localhost:{port}"]
    (tmp_path / "local").mkdir()
    local[local.index("/data")], ours[ours.index("/data")] = str(tmp_path / "local"), str(tmp_path / "partita-data")
    local = [*dynamodb_local, *local]
    with started(local, port, tmp_path):
        assert run("npm", "start", "--silent", cwd=folder) == LENT
        [copy] = [block for block in blocks(LOCAL) if "copy_tables.py" in block]
        with started([PROGRAM, *" ".join(ours).replace(f":{port}", f":{aside}").split()], aside, tmp_path):
            keys = {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any"}
            said = run(*ported(copy, ports).split(), cwd=ROOT, env=keys)
            assert sorted(said.splitlines()) == ["Books: 1 items", "Loans: 1 items"]
    with started([PROGRAM, *ours], port, tmp_path):
        assert run("npm", "start", "--silent", "bob", cwd=folder) == "bob: lent\ndue: ada 978-0\ndue: bob 978-0\n"
        assert run("npm", "start", "--silent", "eve", cwd=folder).splitlines()[0] == "eve: refused"


def test_an_application_that_creates_its_tables(library, tmp_path):
    """It needs nothing of what it kept, and Partita's service in its Compose file."""
    folder, port = library
    [block] = blocks(LOCAL, "yaml")
    service = yaml.safe_load(ported(block, {8000: port}))["services"]["dynamodb"]
    [volume] = service["volumes"]
    words = service["command"].replace(volume.split(":")[1], str(tmp_path)).split()
    assert f":{port}" in service["ports"][0]
    with started([PROGRAM, *words], port, tmp_path):
        assert run("npm", "start", "--silent", cwd=folder) == LENT


@pytest.mark.parametrize("which", ["DynamoDB Local", "Partita"])
def test_tests_with_jest_dynamodb(library, which, request, tmp_path):
    folder, port = library
    if which == "Partita":
        [step] = [line for line in LOCAL.split("\n5. ")[1].split("\n6. ")[0].splitlines() if "add `" in line]
        command = [PROGRAM, "serve", "--in-memory", "--listen", f"localhost:{port}", code(step.split("add ")[1])[0]]
    else:
        kept = [option for option in dynamodb_local_options(folder) if option[0] != "-dbPath"]
        options = ["-inMemory", *(word for option in kept for word in option if word)]
        command = [*request.getfixturevalue("dynamodb_local"), *options]
    with started(command, port, tmp_path):
        assert "2 passed, 2 total" in jest(folder)


def test_tests_with_the_preset_instead(library, tmp_path):
    folder, _ = library
    moved = tmp_path / "library"
    shutil.copytree(folder, moved, symlinks=True)
    packed = npm_packages.make(PROGRAM, tmp_path / "npm")
    run("npm", "uninstall", "--no-audit", "--no-fund", "@shelf/jest-dynamodb", cwd=moved)
    run("npm", "install", "--no-audit", "--no-fund", "--save-dev", *packed, cwd=moved)
    for block in blocks(LOCAL, "js"):
        name, text = re.fullmatch(r"// (\S+)\n(.*)", block, re.DOTALL).groups()
        (moved / name).write_text(text)
    edit(moved / "src" / "client.js", 'process.env.NODE_ENV === "production"',
         'process.env.PARTITA_ENDPOINT || process.env.NODE_ENV === "production"')
    assert code(LOCAL.split("at least where ")[1])[0] == "process.env.PARTITA_ENDPOINT"
    edit(moved / "library.test.js", "beforeEach(", "const nothing = (")  # the clean-up
    assert "2 passed, 2 total" in jest(moved)


# --- from LocalStack --------------------------------------------------------------------------------------------------

# Rows of the page's table that this application does not need: it has neither.
UNUSED = {"persistence", "separate data for each region"}


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    made = Environment(tmp_path_factory.mktemp("environment"))
    made.run("pip", "install", "-q", f"{python_wheel.make(PROGRAM, tmp_path_factory.mktemp('wheel'))}[test]",
             "awscli-local", "awscli")
    return made


@pytest.fixture
def parcels(tmp_path):
    """The application after steps 1 to 3 of the page, the port of Partita and that of LocalStack, where nobody is."""
    port, nobody = free_port("localhost"), free_port("localhost")
    ports = {8000: port, 4566: nobody}
    folder = copied("localstack", tmp_path / "parcels", ports)
    [endpoints] = [block for block in blocks(LOCALSTACK) if block.startswith("AWS_ENDPOINT_URL_DYNAMODB=")]
    settings = folder / ".env"
    settings.write_text(settings.read_text() + ported(endpoints, ports))
    ours, theirs = re.search(r"account is `(\d+)`, not `(\d+)`", LOCALSTACK).groups()
    for path in (settings, folder / "init" / "10-tables.sh"):
        edit(path, theirs, ours)
    table = rows(LOCALSTACK, "| LocalStack |")
    [(health, ready)] = [(row, cell) for row, cell in table.items() if "/_localstack/health" in row]
    edit(folder / "wait.sh", ported(code(health)[0], ports), ported(code(ready)[0], ports))
    handled = {health, "`awslocal dynamodb ...`", "init scripts that create tables", "`LocalStackContainer` in tests"}
    assert set(table) == handled | UNUSED
    return folder, port, ports


def settings_of(folder):
    return dict(line.split("=", 1) for line in (folder / ".env").read_text().splitlines())


def test_an_application_from_localstack(environment, parcels):
    folder, port, ports = parcels
    [serve] = re.findall(r"`partita (serve [^`]*)` starts a server", LOCALSTACK)
    [script] = [block for block in blocks(LOCALSTACK) if "init/" in block]
    paths = {"PATH": f"{environment.bin}:{os.environ['PATH']}"}
    with started([PROGRAM, *serve.split(), "--listen", f"localhost:{port}"], port, folder):
        run("./wait.sh", cwd=folder)
        keys = {name: value for name, value in settings_of(folder).items() if name != "AWS_ENDPOINT_URL"}
        run("bash", "-c", ported(script, ports), cwd=folder, env={**keys, **paths})
        said = run("python", "parcels.py", "p-1", "Modena", cwd=folder, env={**settings_of(folder), **paths})
        assert said == "p-1: Bologna, Modena (team tracking, 2 changes)\n"
        listed = rows(LOCALSTACK, "| LocalStack |")["`awslocal dynamodb ...`"]
        command = ported(code(listed)[0], ports).replace("...", "list-tables --output text")
        assert run("bash", "-c", command, cwd=folder, env={**keys, **paths}) == "TABLENAMES\tParcels\n"


def test_its_tests_without_testcontainers(environment, parcels):
    folder, _, _ = parcels
    [fixtures] = blocks(LOCALSTACK, "python")
    conftest = folder / "conftest.py"
    text = conftest.read_text()
    assert "LocalStackContainer" in text
    conftest.write_text(f"{fixtures}\n\n{text[text.index('def create_tables'):]}")
    assert "2 passed" in environment.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=folder)
