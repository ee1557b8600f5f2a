// A DynamoDB in this process, in Rust: a table, items, a query and a rollback. Without an argument it is in memory, else
// in the directory of that name.
//
//   rustc music.rs && ./music
use std::ffi::{c_char, c_void, CStr, CString};
use std::ptr::{null, null_mut};

#[repr(C)]
struct Options {
    size: usize,
    path: *const c_char,
    region: *const c_char,
    clock_ms: i64,
    flags: u64,
}

#[repr(C)]
struct Reply {
    status: i32,
    item_count: u32,
    body: *const c_char,
    length: usize,
    item: *const c_void,
    owned: *mut c_void,
}

#[link(name = "partita")]
extern "C" {
    fn partita_open(options: *const Options, db: *mut *mut c_void, why: *mut c_char, why_size: usize) -> i32;
    fn partita_close(db: *mut c_void);
    fn partita_call(db: *mut c_void, operation: *const c_char, json: *const c_char, length: usize,
                    reply: *mut Reply) -> i32;
    fn partita_reply_free(reply: *mut Reply);
    fn partita_snapshot(db: *mut c_void, name: *const c_char, why: *mut c_char, why_size: usize) -> i32;
    fn partita_rollback(db: *mut c_void, name: *const c_char, why: *mut c_char, why_size: usize) -> i32;
}

struct Database(*mut c_void);

// Any thread may call it.
unsafe impl Send for Database {}
unsafe impl Sync for Database {}

impl Drop for Database {
    fn drop(&mut self) {
        unsafe { partita_close(self.0) }
    }
}

type Change = unsafe extern "C" fn(*mut c_void, *const c_char, *mut c_char, usize) -> i32;

impl Database {
    fn open(path: Option<&str>) -> Result<Database, String> {
        let path = path.map(|path| CString::new(path).unwrap());
        let place = path.as_ref().map_or(null(), |path| path.as_ptr());
        let size = std::mem::size_of::<Options>();
        let options = Options { size, path: place, region: null(), clock_ms: 0, flags: 0 };
        let mut why = [0 as c_char; 512];
        let mut db = null_mut();
        match unsafe { partita_open(&options, &mut db, why.as_mut_ptr(), why.len()) } {
            0 => Ok(Database(db)),
            _ => Err(unsafe { CStr::from_ptr(why.as_ptr()) }.to_string_lossy().into_owned()),
        }
    }

    fn call(&self, operation: &str, json: &str) -> Result<String, String> {
        let name = CString::new(operation).unwrap();
        let mut reply = std::mem::MaybeUninit::<Reply>::uninit();
        let code = unsafe {
            partita_call(self.0, name.as_ptr(), json.as_ptr() as *const c_char, json.len(), reply.as_mut_ptr())
        };
        let mut reply = unsafe { reply.assume_init() };
        if code != 0 {
            return Err(format!("{operation} has no answer: {code}"));
        }
        let bytes = unsafe { std::slice::from_raw_parts(reply.body as *const u8, reply.length) };
        let body = String::from_utf8_lossy(bytes).into_owned();
        let status = reply.status;
        unsafe { partita_reply_free(&mut reply) };
        if status == 200 { Ok(body) } else { Err(body) }
    }

    fn change(&self, function: Change, name: &str) -> Result<(), String> {
        let name = CString::new(name).unwrap();
        let mut why = [0 as c_char; 512];
        match unsafe { function(self.0, name.as_ptr(), why.as_mut_ptr(), why.len()) } {
            0 => Ok(()),
            _ => Err(unsafe { CStr::from_ptr(why.as_ptr()) }.to_string_lossy().into_owned()),
        }
    }
}

fn put(db: &Database, song: &str, year: u32) -> Result<(), String> {
    db.call("PutItem", &format!(
        r#"{{"TableName":"Music","Item":{{"Artist":{{"S":"No One You Know"}},"Song":{{"S":"{song}"}},"Year":{{"N":"{year}"}}}}}}"#
    ))?;
    Ok(())
}

fn show(db: &Database, song: &str) -> Result<(), String> {
    let reply = db.call("GetItem", &format!(
        r#"{{"TableName":"Music","Key":{{"Artist":{{"S":"No One You Know"}},"Song":{{"S":"{song}"}}}}}}"#
    ))?;
    let year = reply.split(r#""N":""#).nth(1).and_then(|rest| rest.split('"').next());
    println!("{song}: {}", year.unwrap_or("none"));
    Ok(())
}

fn main() -> Result<(), String> {
    let db = Database::open(std::env::args().nth(1).as_deref())?;
    db.call("CreateTable", r#"{"TableName":"Music","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"Artist","AttributeType":"S"},{"AttributeName":"Song","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"Artist","KeyType":"HASH"},{"AttributeName":"Song","KeyType":"RANGE"}]}"#)?;
    put(&db, "Call Me Today", 1998)?;
    put(&db, "My Dog Spot", 2001)?;
    db.change(partita_snapshot, "two-songs")?;
    put(&db, "Somewhere Down The Road", 2003)?;
    show(&db, "Call Me Today")?;
    show(&db, "Somewhere Down The Road")?;
    db.change(partita_rollback, "two-songs")?;
    show(&db, "Somewhere Down The Road")?;
    println!("{}", db.call("Query", r#"{"TableName":"Music","KeyConditionExpression":"Artist = :a","Select":"COUNT",
        "ExpressionAttributeValues":{":a":{"S":"No One You Know"}}}"#)?);
    Ok(())
}
