"""The package of clients/java: its README's examples, built with AWS's SDK, and what it does for tests. No container is
started: the one for Testcontainers is made and asked for its configuration."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support")]

from waiting import wait_for_end  # noqa: E402

PACKAGE = ROOT / "clients" / "java"
REPOSITORY = ROOT / "build" / "sdks" / "java-package"
BUILD_S = 900
TOLD_S = 120

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>music</groupId>
  <artifactId>music</artifactId>
  <version>0</version>
  <properties>
    <maven.compiler.release>{release}</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencyManagement>
    <dependencies>
      <dependency>
        <groupId>software.amazon.awssdk</groupId>
        <artifactId>bom</artifactId>
        <version>{sdk}</version>
        <type>pom</type>
        <scope>import</scope>
      </dependency>
    </dependencies>
  </dependencyManagement>
  <dependencies>
    {own}
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>{junit}</version>
    </dependency>
    <dependency>
      <groupId>org.testcontainers</groupId>
      <artifactId>testcontainers</artifactId>
      <version>2.0.5</version>
    </dependency>
    <dependency>
      <groupId>software.amazon.awssdk</groupId>
      <artifactId>dynamodb</artifactId>
      <exclusions>
        <exclusion>
          <groupId>software.amazon.awssdk</groupId>
          <artifactId>netty-nio-client</artifactId>
        </exclusion>
      </exclusions>
    </dependency>
  </dependencies>
  {build}
</project>
"""

CALLS = """
import example.partita.*;
import java.time.*;

final class Calls {
    static void create(Database database) {
        database.dynamodb("CreateTable", "{'TableName':'Music','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':[{'AttributeName':'Artist','AttributeType':'S'}],'KeySchema':[{'AttributeName':'Artist','KeyType':'HASH'}]}".replace('\\'', '"'));
    }

    static void put(Database database, Instant until) {
        database.dynamodb("PutItem", "{\\"TableName\\":\\"Music\\",\\"Item\\":{\\"Artist\\":{\\"S\\":\\"Brief\\"},\\"Until\\":{\\"N\\":\\"" + until.getEpochSecond() + "\\"}}}");
    }

    static boolean holds(Database database) {
        return !database.dynamodb("Scan", "{\\"TableName\\":\\"Music\\"}").contains("\\"Count\\":0");
    }
}
"""

ALONE = """
import static org.junit.jupiter.api.Assertions.*;

import example.partita.*;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.parallel.*;

@PartitaTest
@Execution(ExecutionMode.CONCURRENT)
class AloneTest {
    static final Set<String> SEEN = ConcurrentHashMap.newKeySet();
    static final Set<java.net.URI> SERVERS = ConcurrentHashMap.newKeySet();

    @RepeatedTest(100)
    void aloneBesideOthers(Database database) {
        Calls.create(database);
        Calls.put(database, Instant.now());
        assertTrue(SEEN.add(database.namespace()));
        SERVERS.add(database.endpoint());
    }

    @AfterAll
    static void oneServer() {
        assertEquals(1, SERVERS.size());
        assertEquals(100, SEEN.size());
    }

    @Test
    void snapshotsAndTheClock(Database database) throws Exception {
        Calls.create(database);
        database.createSnapshot("empty");
        Calls.put(database, Instant.now().plusSeconds(3600));
        assertTrue(Calls.holds(database));
        database.rollback("empty");
        assertFalse(Calls.holds(database));
        database.dynamodb("UpdateTimeToLive", "{\\"TableName\\":\\"Music\\",\\"TimeToLiveSpecification\\":{\\"AttributeName\\":\\"Until\\",\\"Enabled\\":true}}");
        Calls.put(database, Instant.now().plusSeconds(3600));
        assertThrows(IllegalArgumentException.class, () -> database.advanceClock(Duration.ofMillis(1500)));
        database.advanceClock(Duration.ofHours(2));
        for (Instant ends = Instant.now().plusSeconds(20); Calls.holds(database); Thread.sleep(20)) {
            assertTrue(Instant.now().isBefore(ends));
        }
        database.resetClock();
        database.deleteSnapshot("empty");
        CallFailed refused = assertThrows(CallFailed.class, () -> database.rollback("empty"));
        assertEquals("ResourceNotFoundException", refused.code());
        assertTrue(refused.getMessage().contains("empty"), refused.getMessage());
    }

    @Test
    void aServerThatDoesNotStartSaysWhy() {
        String said = assertThrows(IllegalStateException.class, () -> new Partita("--nonsense")).getMessage();
        assertTrue(said.contains("--nonsense"), said);
    }

    @Test
    void aServerOfOnesOwnEnds() throws Exception {
        Partita server = new Partita();
        ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
        assertEquals("{\\"TableNames\\":[]}", server.database("any").dynamodb("ListTables", "{}"));
        server.close();
        server.close();
        assertFalse(process.isAlive());
        assertThrows(CallFailed.class, () -> server.database("any").dynamodb("ListTables", "{}"));
    }
}
"""

SHARED = """
import static org.junit.jupiter.api.Assertions.*;

import example.partita.*;
import java.time.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.RegisterExtension;

class SharedTest {
    @RegisterExtension
    static final PartitaExtension PARTITA = new PartitaExtension("--log-level", "warn");

    @BeforeAll
    static void makeTables(Database database) {
        Calls.create(database);
    }

    @RepeatedTest(3)
    void begins(Database database) {
        assertFalse(Calls.holds(database));
        assertTrue(database.call("DescribeClock", "{}").contains("\\"OffsetSeconds\\":0"));
        Calls.put(database, Instant.now());
        database.advanceClock(Duration.ofDays(1));
        assertTrue(Calls.holds(database));
    }

    @Nested
    class Inner {
        @Test
        void hasTheTables(Database database) {
            assertFalse(Calls.holds(database));
        }
    }
}
"""

CONCURRENT = """
import example.partita.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.parallel.*;

@PartitaTest
@Execution(ExecutionMode.CONCURRENT)
class ConcurrentTest {
    @BeforeAll
    static void makeTables(Database database) {
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void refused() {
    }
}
"""

CONTAINER = """
import static org.junit.jupiter.api.Assertions.*;

import example.partita.PartitaContainer;
import java.util.*;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.wait.strategy.HttpWaitStrategy;
import org.testcontainers.utility.DockerImageName;

/** No container is started. */
class ContainerTest {
    static final class Looked extends PartitaContainer {
        Object waits() {
            return getWaitStrategy();
        }
    }

    @Test
    void itsConfiguration() {
        Looked container = new Looked();
        assertEquals(List.of(8000), container.getExposedPorts());
        assertInstanceOf(HttpWaitStrategy.class, container.waits());
        container.withOptions("--seed", "/tables");
        assertEquals(List.of("serve", "--listen", "0.0.0.0:8000", "--insecure", "--in-memory", "--namespaces", "key", "--seed",
            "/tables"), Arrays.asList(container.getCommandParts()));
    }

    @Test
    void anotherImageIsDeclaredASubstitute() {
        assertThrows(IllegalStateException.class, () -> new PartitaContainer(DockerImageName.parse("redis:7")));
        new PartitaContainer(DockerImageName.parse("mirror.example/partita:1").asCompatibleSubstituteFor("partita"));
    }
}
"""

WAITING = """
public class Waiting {
    public static void main(String[] words) throws Exception {
        example.partita.Partita server = new example.partita.Partita();
        System.out.println(server.pid());
        if (words.length == 0) Thread.sleep(600_000);
    }
}
"""


def maven(*words, cwd):
    ended = subprocess.run(["mvn", "-B", "-ntp", f"-Dmaven.repo.local={REPOSITORY}", *words], cwd=cwd, timeout=BUILD_S,
                           capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The package in a local repository."""
    if "java" not in os.environ.get("PARTITA_SDKS", "java").split():
        pytest.skip("./dev sdks runs it")
    for tool in ("mvn", "javac"):
        if not shutil.which(tool):
            pytest.skip(f"there is no {tool}")
    source = tmp_path_factory.mktemp("package") / "java"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("target"))
    code, said = maven("-q", "install", cwd=source)
    if code and "could not be resolved" in said:
        pytest.skip(f"what the package is built with is not available: {said.strip()[-300:]}")
    assert code == 0, said[-4000:]


def project(folder, junit, release):
    """A project with the files that the README shows, and with the tests above."""
    readme = (PACKAGE / "README.md").read_text()
    tests = folder / "src" / "test" / "java"
    tests.mkdir(parents=True)
    (folder / "src" / "main" / "java").mkdir(parents=True)
    files = re.findall(r"```java\n// (\S+)\n(.*?)```", readme, re.DOTALL)
    assert len(files) == 2
    for name, text in files:
        (folder / name).write_text(text)
    for text in (CALLS, ALONE, SHARED, CONTAINER):
        name = re.search(r"class (\w+Test|Calls) ", text)[1]
        (tests / f"{name}.java").write_text(text)
    (folder / "src" / "main" / "java" / "Waiting.java").write_text(WAITING)
    [own] = re.findall(r"```xml\n(.*?)```", readme, re.DOTALL)
    sdk = re.search(r"<artifactId>bom</artifactId>\s*<version>([^<]+)", (ROOT / "tests/sdks/java/pom.xml").read_text())[1]
    build = re.search(r"<build>.*</build>", (PACKAGE / "pom.xml").read_text(), re.DOTALL)[0]
    own = own.replace("<scope>test</scope>", "")
    (folder / "pom.xml").write_text(POM.format(own=own, sdk=sdk, build=build, junit=junit, release=release))
    parallel = "junit.jupiter.execution.parallel."
    resources = folder / "src" / "test" / "resources"
    resources.mkdir()
    (resources / "junit-platform.properties").write_text(
        f"{parallel}enabled=true\n{parallel}mode.classes.default=concurrent\npartita.options=--max-namespaces 100\n")


def run_tests(folder):
    code, said = maven("test", cwd=folder)
    if code and "could not be resolved" in said:
        pytest.skip(f"the SDK for Java is not available: {said.strip()[-300:]}")
    return code, said


@pytest.mark.parametrize("junit,release", [("5.14.4", 11), ("6.0.3", 17)])
def test_the_readme_and_tests_side_by_side(installed, tmp_path, junit, release):
    project(tmp_path, junit, release)
    code, said = run_tests(tmp_path)
    assert code == 0, said[-6000:]
    assert "Tests run: 111, Failures: 0, Errors: 0, Skipped: 0" in said, said[-3000:]
    if junit.startswith("5"):
        (tmp_path / "src/test/java/ConcurrentTest.java").write_text(CONCURRENT)
        code, said = maven("test", "-Dtest=ConcurrentTest", cwd=tmp_path)
        assert code and "cannot run concurrently" in said, said[-3000:]
        runs_without_junit(tmp_path)


def runs_without_junit(folder):
    classes = f"{folder / 'target' / 'classes'}:{REPOSITORY / 'example/partita/partita/0.0.0/partita-0.0.0.jar'}"
    java = ["java", "-cp", classes]
    kept = subprocess.run([*java, "Kept"], cwd=folder, capture_output=True, text=True, timeout=TOLD_S, check=True)
    assert kept.stdout == '{"TableNames":[]}\n' and (folder / "data").is_dir()
    returned = subprocess.run([*java, "Waiting", "no"], capture_output=True, text=True, timeout=TOLD_S, check=True)
    wait_for_end(int(returned.stdout))
    with subprocess.Popen([*java, "Waiting"], stdout=subprocess.PIPE, text=True) as program:
        server = int(program.stdout.readline())
        os.kill(server, 0)
        program.send_signal(signal.SIGKILL)
    wait_for_end(server)
