"""The Go module of clients/go: the test file of its README, built with AWS's SDK, and what it does for tests."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = ROOT / "clients" / "go"
BUILD_S = 600
ENDS_S = 120

MORE = """
package music

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	partita "partita.example/go"
)

type counted struct{ Count int }

func scan(t *testing.T, database *partita.Database) int {
	var found counted
	if err := database.DynamoDB(context.Background(), "Scan", map[string]any{"TableName": "Music"}, &found); err != nil {
		t.Fatal(err)
	}
	return found.Count
}

func put(t *testing.T, database *partita.Database, until time.Time) {
	seconds := map[string]any{"N": strconv.FormatInt(until.Unix(), 10)}
	item := map[string]any{"Artist": map[string]any{"S": "Brief"}, "Until": seconds}
	members := map[string]any{"TableName": "Music", "Item": item}
	if err := database.DynamoDB(context.Background(), "PutItem", members, nil); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, database *partita.Database) {
	members := map[string]any{"TableName": "Music", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": []any{map[string]string{"AttributeName": "Artist", "AttributeType": "S"}},
		"KeySchema":            []any{map[string]string{"AttributeName": "Artist", "KeyType": "HASH"}}}
	if err := database.DynamoDB(context.Background(), "CreateTable", members, nil); err != nil {
		t.Fatal(err)
	}
}

func TestManyAtOnceAreAlone(t *testing.T) {
	for n := 0; n < 100; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			database := partita.ForTest(t)
			create(t, database)
			put(t, database, time.Now())
			if scan(t, database) != 1 {
				t.Fatal("another test's item")
			}
		})
	}
}

func TestSnapshotsAndTheClock(t *testing.T) {
	ctx, database := context.Background(), partita.ForTest(t)
	create(t, database)
	if err := database.CreateSnapshot(ctx, "empty"); err != nil {
		t.Fatal(err)
	}
	put(t, database, time.Now().Add(time.Hour))
	if err := database.Rollback(ctx, "empty"); err != nil {
		t.Fatal(err)
	}
	if scan(t, database) != 0 {
		t.Fatal("the rollback left an item")
	}
	ttl := map[string]any{"TableName": "Music",
		"TimeToLiveSpecification": map[string]any{"AttributeName": "Until", "Enabled": true}}
	if err := database.DynamoDB(ctx, "UpdateTimeToLive", ttl, nil); err != nil {
		t.Fatal(err)
	}
	put(t, database, time.Now().Add(time.Hour))
	if err := database.AdvanceClock(ctx, 1500*time.Millisecond); err == nil {
		t.Fatal("the clock moved by half a second")
	}
	if err := database.AdvanceClock(ctx, 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	for ends := time.Now().Add(20 * time.Second); scan(t, database) != 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(ends) {
			t.Fatal("the item did not expire")
		}
	}
	var refused *partita.CallError
	if err := database.Rollback(ctx, "none"); !errors.As(err, &refused) || refused.Code != "ResourceNotFoundException" {
		t.Fatal(err)
	}
}

func TestAServerThatDoesNotStartSaysWhy(t *testing.T) {
	_, err := partita.Start(partita.Config{Options: []string{"--nonsense"}})
	if err == nil {
		t.Fatal("it started")
	}
	t.Log(err)
}
"""

WAITING = """
package main

import (
	"fmt"
	"os"
	"time"

	partita "partita.example/go"
)

func main() {
	server, err := partita.Start(partita.Config{})
	fmt.Println(server.Endpoint, err)
	if len(os.Args) < 2 {
		time.Sleep(10 * time.Minute)
	}
}
"""


def go(*words, cwd):
    ended = subprocess.run(["go", *words], cwd=cwd, capture_output=True, text=True, timeout=BUILD_S, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def test_the_readme_and_tests_side_by_side(tmp_path):
    if "go" not in os.environ.get("PARTITA_SDKS", "go").split():
        pytest.skip("./dev sdks runs it")
    if not shutil.which("go"):
        pytest.skip("there is no go")
    [(name, text)] = re.findall(r"```go\n// (\S+)\n(.*?)```", (MODULE / "README.md").read_text(), re.DOTALL)
    (tmp_path / name).write_text(text)
    (tmp_path / "more_test.go").write_text(MORE)
    pinned = (ROOT / "tests" / "sdks" / "go" / "go.mod").read_text()
    required = pinned[pinned.index("require"):]
    own = f"require partita.example/go v0.0.0\n\nreplace partita.example/go => {MODULE}\n"
    (tmp_path / "go.mod").write_text(f"module music\n\ngo 1.24\n\n{required}\n{own}")
    shutil.copy(ROOT / "tests" / "sdks" / "go" / "go.sum", tmp_path)
    code, said = go("vet", "./...", cwd=MODULE)
    assert code == 0, said
    code, said = go("mod", "tidy", cwd=tmp_path)
    if code:
        pytest.skip(f"the SDK for Go is not available: {said.strip()[-300:]}")
    code, said = go("test", "-v", "-count=1", ".", cwd=tmp_path)
    assert code == 0, said[-4000:]
    assert said.count("--- PASS: TestManyAtOnceAreAlone/") == 100, said[-4000:]
    assert "--nonsense" in said


@pytest.mark.parametrize("returns", [False, True])
def test_the_server_ends_with_its_program(tmp_path, returns):
    if "go" not in os.environ.get("PARTITA_SDKS", "go").split():
        pytest.skip("./dev sdks runs it")
    if not shutil.which("go"):
        pytest.skip("there is no go")
    own = f"require partita.example/go v0.0.0\n\nreplace partita.example/go => {MODULE}\n"
    (tmp_path / "go.mod").write_text(f"module waiting\n\ngo 1.21\n\n{own}")
    (tmp_path / "main.go").write_text(WAITING)
    code, said = go("build", "-o", "waiting", ".", cwd=tmp_path)
    assert code == 0, said
    words = ["returns"] if returns else []
    with subprocess.Popen([tmp_path / "waiting", *words], stdout=subprocess.PIPE, text=True) as program:
        port = int(re.match(r"http://127.0.0.1:(\d+) <nil>\n", program.stdout.readline())[1])
        if not returns:
            program.kill()
    ends = time.monotonic() + ENDS_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            return
        assert time.monotonic() < ends, "the server goes on"
        time.sleep(0.02)


def test_the_container_is_configured_without_an_engine():
    """None is started: there is no engine here."""
    if "go" not in os.environ.get("PARTITA_SDKS", "go").split():
        pytest.skip("./dev sdks runs it")
    if not shutil.which("go"):
        pytest.skip("there is no go")
    folder = MODULE / "testcontainers"
    code, said = go("mod", "download", cwd=folder)
    if code:
        pytest.skip(f"testcontainers-go is not available: {said.strip()[-300:]}")
    code, said = go("test", "-v", "-count=1", ".", cwd=folder)
    assert code == 0 and said.count("--- PASS: ") == 2, said[-4000:]
