use crate::REGION;
use std::fmt;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const OWN: &str = "Partita_20261123.";
const DYNAMODB: &str = "DynamoDB_20120810.";
const PATIENCE: Duration = Duration::from_secs(60);

/// A call that was refused or had no reply, or a server that did not start.
#[derive(Clone, Debug)]
pub struct Error {
    operation: String,
    code: String,
    message: String,
}

impl Error {
    pub(crate) fn new(operation: &str, code: &str, message: &str) -> Error {
        Error { operation: operation.into(), code: code.into(), message: message.into() }
    }

    /// DynamoDB's name for it, such as `ResourceNotFoundException`; `NoReply` and `NotStarted` are this crate's.
    pub fn code(&self) -> &str {
        &self.code
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}: {}", self.operation, self.code, self.message)
    }
}

impl std::error::Error for Error {}

/// A database of a server: that of a namespace. Its methods may be called from any thread.
#[derive(Clone, Debug)]
pub struct Database {
    endpoint: String,
    namespace: String,
}

impl Database {
    /// The database of a namespace of a running server, which has `--namespaces key`.
    pub fn new(endpoint: &str, namespace: &str) -> Database {
        Database { endpoint: endpoint.into(), namespace: namespace.into() }
    }

    /// For the `endpoint_url` of an SDK's client.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// For the client's access key id. The secret may be anything.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Makes one of Partita's own calls, such as `CreateSnapshot`. Members and reply are JSON.
    pub fn call(&self, operation: &str, members: &str) -> Result<String, Error> {
        self.post(&format!("{OWN}{operation}"), members)
    }

    /// Makes one of DynamoDB's calls, such as `CreateTable`, without an SDK. Members and reply are JSON.
    pub fn dynamodb(&self, operation: &str, members: &str) -> Result<String, Error> {
        self.post(&format!("{DYNAMODB}{operation}"), members)
    }

    /// Keeps the state of all tables under that name.
    pub fn create_snapshot(&self, name: &str) -> Result<(), Error> {
        self.call("CreateSnapshot", &named(name)).map(drop)
    }

    /// All tables, items and settings as they were when the snapshot of that name was created.
    pub fn rollback(&self, name: &str) -> Result<(), Error> {
        self.call("RollbackToSnapshot", &named(name)).map(drop)
    }

    pub fn delete_snapshot(&self, name: &str) -> Result<(), Error> {
        self.call("DeleteSnapshot", &named(name)).map(drop)
    }

    /// Moves the database's clock, by whole seconds. What has expired by the new time is deleted within about a second.
    pub fn advance_clock(&self, by: Duration) -> Result<(), Error> {
        if by.subsec_nanos() != 0 {
            let why = format!("the clock moves by whole seconds, not by {by:?}");
            return Err(Error::new("MoveClock", "ValidationException", &why));
        }
        self.call("MoveClock", &format!("{{\"Seconds\":{}}}", by.as_secs())).map(drop)
    }

    /// The clock is the machine's again.
    pub fn reset_clock(&self) -> Result<(), Error> {
        self.call("MoveClock", "{\"OffsetSeconds\":0}").map(drop)
    }

    /// Deletes the database with everything in it. Nothing happens if it was never used.
    pub fn delete(&self) -> Result<(), Error> {
        match self.call("DeleteNamespace", &named(&self.namespace)) {
            Err(refused) if refused.code != "ResourceNotFoundException" => Err(refused),
            _ => Ok(()),
        }
    }

    fn post(&self, target: &str, members: &str) -> Result<String, Error> {
        let reply = self.exchange(target, members).map_err(|why| Error::new(target, "NoReply", &why.to_string()))?;
        let (head, body) = reply.split_once("\r\n\r\n").unwrap_or((&reply, ""));
        let status = head.split(' ').nth(1).unwrap_or_default();
        if status == "200" {
            return Ok(body.to_string());
        }
        let kind = text_of(body, "__type").unwrap_or_else(|| format!("HTTP {status}"));
        let code = kind.rsplit('#').next().unwrap_or(&kind);
        let message = text_of(body, "message").or_else(|| text_of(body, "Message")).unwrap_or_default();
        Err(Error::new(target, code, &message))
    }

    /// One request on a connection of its own, which the server closes after the reply.
    fn exchange(&self, target: &str, members: &str) -> std::io::Result<String> {
        let invalid = |why: &str| std::io::Error::new(std::io::ErrorKind::InvalidInput, why.to_string());
        let address = self.endpoint.strip_prefix("http://").ok_or_else(|| invalid("the endpoint is no http:// URL"))?;
        let address = address.trim_end_matches('/');
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (size, zeros) = (members.len(), "0".repeat(64));
        // Nothing is verified: the server of tests has no credentials.
        let request = format!(
            "POST / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {size}\r\n\
             Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: {target}\r\nX-Amz-Date: 20260101T000000Z\r\n\
             Authorization: AWS4-HMAC-SHA256 Credential={}/20260101/{REGION}/dynamodb/aws4_request, \
             SignedHeaders=host;x-amz-date, Signature={zeros}\r\n\r\n{members}",
            self.namespace
        );
        stream.write_all(request.as_bytes())?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply)?;
        Ok(reply)
    }
}

fn named(name: &str) -> String {
    format!("{{\"Name\":\"{}\"}}", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The text of a member of a flat JSON object, in which Partita writes the member's name without blanks.
fn text_of(body: &str, member: &str) -> Option<String> {
    let after = &body[body.find(&format!("\"{member}\":\""))? + member.len() + 4..];
    let mut text = String::new();
    let mut letters = after.chars();
    loop {
        match letters.next()? {
            '"' => return Some(text),
            '\\' => text.push(letters.next()?),
            other => text.push(other),
        }
    }
}
