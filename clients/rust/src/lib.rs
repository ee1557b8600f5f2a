//! Starts Partita, a DynamoDB that you own, for the tests of a Rust program. It needs nothing but the program `partita`
//! and the standard library; tests use AWS's SDK or any other client.
//!
//! ```no_run
//! let database = partita::for_test();
//! database.create_snapshot("empty")?;
//! database.rollback("empty")?;
//! # Ok::<(), partita::Error>(())
//! ```

mod database;
mod server;

pub use database::{Database, Error};
pub use server::{Config, Server};

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;

/// The region that [`Database`] signs for. Any other works, too.
pub const REGION: &str = "us-east-1";

/// The database of one test, deleted when this is dropped.
#[derive(Debug)]
pub struct TestDatabase(Database);

impl Deref for TestDatabase {
    type Target = Database;
    fn deref(&self) -> &Database {
        &self.0
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let deleted = self.0.delete();
        if !std::thread::panicking() {
            deleted.expect("the database of the test could not be deleted");
        }
    }
}

/// An empty database for this test alone, also beside parallel ones. The first call starts a server in memory, which
/// ends with the process. The variable `PARTITA_OPTIONS` has options of `partita serve`, separated by blanks, such as
/// `--seed tests/tables`, whose tables each test then finds. `PARTITA_ENDPOINT` names a running server instead, which
/// needs `--namespaces key`.
///
/// # Panics
/// If the server does not start; the message has what it said.
pub fn for_test() -> TestDatabase {
    static ENDPOINT: OnceLock<String> = OnceLock::new();
    static SERVING: AtomicU64 = AtomicU64::new(0);
    let endpoint = ENDPOINT.get_or_init(|| {
        if let Some(running) = server::variable("PARTITA_ENDPOINT") {
            return running;
        }
        let options = server::variable("PARTITA_OPTIONS").unwrap_or_default();
        let options = options.split_whitespace().map(String::from).collect();
        let server = Server::start_with(Config { options, ..Config::default() }).unwrap_or_else(|why| panic!("{why}"));
        let endpoint = server.endpoint().to_string();
        std::mem::forget(server); // a static is never dropped; the server ends with the process
        endpoint
    });
    let number = SERVING.fetch_add(1, Ordering::Relaxed);
    TestDatabase(Database::new(endpoint, &format!("test-{}-{number}", std::process::id())))
}
