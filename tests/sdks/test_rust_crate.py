"""The crate of clients/rust: its README's examples, and what it does for tests. AWS's SDK takes too long to
compile to be part of it."""

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

CRATE = ROOT / "clients" / "rust"
BUILT = ROOT / "build" / "sdks" / "rust"
BUILD_S = 600

MORE = r"""
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use partita::{Config, Database, Server};

const TABLE: &str = r#"{"TableName": "Music", "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "Artist", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"}]}"#;

fn put(database: &Database, after: u64) {
    let until = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + after;
    let item = format!(r#"{{"Artist": {{"S": "Brief"}}, "Until": {{"N": "{until}"}}}}"#);
    database.dynamodb("PutItem", &format!(r#"{{"TableName": "Music", "Item": {item}}}"#)).unwrap();
}

fn holds(database: &Database) -> bool {
    !database.dynamodb("Scan", r#"{"TableName": "Music"}"#).unwrap().contains(r#""Count":0"#)
}

#[test]
fn many_at_once_are_alone() {
    let each = || {
        for _ in 0..25 {
            let database = partita::for_test();
            database.dynamodb("CreateTable", TABLE).unwrap();
            assert!(!holds(&database));
            put(&database, 0);
            assert!(holds(&database));
        }
    };
    std::thread::scope(|threads| (0..4).for_each(|_| drop(threads.spawn(each))));
}

#[test]
fn snapshots_and_the_clock() {
    let database = partita::for_test();
    database.dynamodb("CreateTable", TABLE).unwrap();
    database.create_snapshot("empty").unwrap();
    put(&database, 3600);
    database.rollback("empty").unwrap();
    assert!(!holds(&database));
    let lives = r#"{"TableName": "Music", "TimeToLiveSpecification": {"AttributeName": "Until", "Enabled": true}}"#;
    database.dynamodb("UpdateTimeToLive", lives).unwrap();
    put(&database, 3600);
    assert!(database.advance_clock(Duration::from_millis(1500)).unwrap_err().to_string().contains("1.5s"));
    database.advance_clock(Duration::from_secs(7200)).unwrap();
    let begun = Instant::now();
    while holds(&database) {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(20));
    }
    database.reset_clock().unwrap();
    assert!(database.call("DescribeClock", "{}").unwrap().contains(r#""OffsetSeconds":0"#));
    database.delete_snapshot("empty").unwrap();
    let refused = database.rollback("empty").unwrap_err();
    assert_eq!(refused.code(), "ResourceNotFoundException");
    assert!(refused.to_string().contains("empty"), "{refused}");
}

#[test]
fn a_server_that_does_not_start_says_why() {
    let options = vec!["--nonsense".to_string()];
    let refused = Server::start_with(Config { options, ..Config::default() }).unwrap_err();
    assert!(refused.to_string().contains("--nonsense"), "{refused}");
    let program = Some("/nowhere/partita".into());
    let refused = Server::start_with(Config { program, ..Config::default() }).unwrap_err();
    assert!(refused.to_string().contains("/nowhere/partita"), "{refused}");
}

#[test]
fn a_server_ends_when_it_is_dropped_and_with_no_thread() {
    let server = std::thread::spawn(|| Server::start().unwrap()).join().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(server.database("any").dynamodb("ListTables", "{}").unwrap(), r#"{"TableNames":[]}"#);
    let (database, process) = (server.database("any"), format!("/proc/{}", server.id()));
    drop(server);
    assert!(!std::path::Path::new(&process).exists());
    assert_eq!(database.dynamodb("ListTables", "{}").unwrap_err().code(), "NoReply");
}
"""

WAITING = """
fn main() {
    let server = partita::Server::start().unwrap();
    println!("{}", server.id());
    std::thread::sleep(std::time::Duration::from_secs(600));
}
"""


def cargo(*words, cwd):
    how = os.environ | {"CARGO_TARGET_DIR": str(BUILT), "CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_INCREMENTAL": "0"}
    ended = subprocess.run(["cargo", *words], cwd=cwd, env=how, timeout=BUILD_S, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A package with the files that the README shows, and with the tests above."""
    if "rust" not in os.environ.get("PARTITA_SDKS", "rust").split():
        pytest.skip("./dev sdks runs it")
    if not shutil.which("cargo"):
        pytest.skip("there is no cargo")
    folder = tmp_path_factory.mktemp("project")
    for name in ("src/bin", "tests"):
        (folder / name).mkdir(parents=True)
    readme = (CRATE / "README.md").read_text()
    files = re.findall(r"```rust\n// (\S+)\n(.*?)```", readme, re.DOTALL)
    assert [name for name, _ in files] == ["tests/music.rs", "src/main.rs"]
    for name, text in files:
        (folder / name).write_text(text)
    (folder / "src" / "bin" / "waiting.rs").write_text(WAITING)
    (folder / "tests" / "more.rs").write_text(MORE)
    [needs] = re.findall(r"```toml\n\[dev-dependencies\]\n(.*?)```", readme, re.DOTALL)
    needs = needs.replace("../partita/clients/rust", str(CRATE))
    package = '[package]\nname = "music"\nversion = "0.0.0"\nedition = "2021"\ndefault-run = "music"\n'
    (folder / "Cargo.toml").write_text(f"{package}\n[dependencies]\n{needs}\n")
    return folder


def test_the_readme_and_tests_side_by_side(project):
    code, said = cargo("test", cwd=project)
    assert code == 0, said[-4000:]
    assert len(re.findall(r"test \w+ \.\.\. ok", said)) == 6, said[-3000:]


def test_without_tests(project):
    code, said = cargo("run", "-q", cwd=project)
    assert code == 0 and said == '{"TableNames":[]}\n', said
    assert (project / "data").is_dir()


def test_the_server_ends_with_a_killed_program(project):
    code, said = cargo("build", "-q", "--bins", cwd=project)
    assert code == 0, said
    with subprocess.Popen([BUILT / "debug" / "waiting"], stdout=subprocess.PIPE, text=True) as program:
        server = int(program.stdout.readline())
        os.kill(server, 0)
        program.send_signal(signal.SIGKILL)
    wait_for_end(server)


def test_the_crate_itself():
    code, said = cargo("fmt", "--check", cwd=CRATE)
    assert code == 0 or "no such command" in said, said
