use crate::{Database, Error};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

const STARTS_IN: Duration = Duration::from_secs(60);
const STOPS_IN: Duration = Duration::from_secs(30);
const MOST_SAID: usize = 8000;

// The server takes the place of this shell. Beside it, a second one waits for the end of the pipe that this process
// holds open, and then ends the server, if that is still the parent.
const UNTIL_END_OF_INPUT: &str = "exec 3<&0; \
    { read -r _; read -r _ _ _ parent _ </proc/self/stat; [ \"$parent\" != $$ ] || kill $$; } <&3 >/dev/null 2>&1 & \
    exec \"$@\" 3<&- </dev/null";

/// How a server runs. The default is a server in memory.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The path of the program; `None`: `PARTITA_BINARY`, or else the first `partita` in `PATH`.
    pub program: Option<PathBuf>,
    /// The directory of its data; `None`: in memory.
    pub data: Option<PathBuf>,
    /// Of `partita serve`, such as `--seed=tests/tables`.
    pub options: Vec<String>,
}

/// A server on a free port of the loopback interface, which ends when this is dropped, or with this process, also when
/// that is killed. Each access key id is a namespace with tables of its own.
#[derive(Debug)]
pub struct Server {
    endpoint: String,
    process: Child,
    input: Option<ChildStdin>,
}

impl Server {
    /// A server in memory. It answers when this returns.
    pub fn start() -> Result<Server, Error> {
        Server::start_with(Config::default())
    }

    /// A server as `config` says. It answers when this returns.
    pub fn start_with(config: Config) -> Result<Server, Error> {
        let program = config.program.map_or_else(program, Ok)?;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", UNTIL_END_OF_INPUT, "partita"]).arg(program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--namespaces", "key"]);
        match config.data {
            Some(data) => command.arg("--data").arg(data),
            None => command.arg("--in-memory"),
        };
        command.args(config.options).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(|why| did_not_start(&why.to_string()))?;
        let (lines, first) = mpsc::channel();
        let mut output = BufReader::new(process.stdout.take().expect("it is a pipe"));
        thread::spawn(move || {
            let mut line = String::new();
            let _ = output.read_line(&mut line);
            let _ = lines.send(line);
            let _ = std::io::copy(&mut output, &mut std::io::sink()); // what nobody reads would block the server
        });
        let mut log = process.stderr.take().expect("it is a pipe");
        let logged = thread::spawn(move || last_of(&mut log));
        let mut server = Server { endpoint: String::new(), input: process.stdin.take(), process };
        let line = first.recv_timeout(STARTS_IN).unwrap_or_default();
        match line.find("http").and_then(|at| line[at..].split([' ', ',', '\n']).next()) {
            Some(url) => server.endpoint = url.to_string(),
            None => {
                server.stop();
                return Err(did_not_start(&logged.join().unwrap_or_default()));
            }
        }
        Ok(server)
    }

    /// Its URL, for the `endpoint_url` of an SDK's client.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// The id of its process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// The database of a namespace: the server makes it when it is first used.
    pub fn database(&self, namespace: &str) -> Database {
        Database::new(&self.endpoint, namespace)
    }

    fn stop(&mut self) {
        drop(self.input.take());
        let ends = Instant::now() + STOPS_IN;
        while matches!(self.process.try_wait(), Ok(None)) {
            if Instant::now() > ends {
                let _ = self.process.kill();
                let _ = self.process.wait();
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

fn did_not_start(why: &str) -> Error {
    Error::new("Start", "NotStarted", &format!("the server did not start: {}", why.trim()))
}

pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn program() -> Result<PathBuf, Error> {
    if let Some(named) = variable("PARTITA_BINARY") {
        return Ok(named.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .map(|folder| folder.join("partita"))
        .find(|file| fs::metadata(file).is_ok_and(|found| found.is_file()))
        .ok_or_else(|| did_not_start("the program partita is not in PATH: install it, or name it in PARTITA_BINARY"))
}

fn last_of(log: &mut impl Read) -> String {
    let (mut said, mut more) = (Vec::new(), [0; 4096]);
    while let Ok(size @ 1..) = log.read(&mut more) {
        said.extend_from_slice(&more[..size]);
        said.drain(..said.len().saturating_sub(MOST_SAID));
    }
    String::from_utf8_lossy(&said).into_owned()
}
