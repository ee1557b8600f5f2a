// Partita in the process: a DynamoDB as a library, without a server or a socket. For C11 and C++; link with -lpartita.
//
//   partita_db* db = NULL;
//   char why[512];
//   partita_options options = {sizeof(partita_options), NULL, NULL, 0, 0};  // in memory
//   if (partita_open(&options, &db, why, sizeof why) != PARTITA_OK) fail(why);
//   partita_reply reply;
//   const char* body = "{\"TableName\":\"Music\",\"Key\":{\"Artist\":{\"S\":\"No One You Know\"}}}";
//   if (partita_call(db, "GetItem", body, strlen(body), &reply) == PARTITA_OK) {
//     printf("%d %s\n", reply.status, reply.body);  // 200 {"Item":{...}}
//     partita_reply_free(&reply);
//   }
//   partita_close(db);
//
// Threads. Any thread may call any function at any time, on the same database too; only partita_close() needs the
// database for itself. A call returns when it is answered: a write to a directory is durable then. Each database has
// threads for work in the background (TTL, streams, indexes being filled, deleted tables), with signals blocked.
// A call takes up to 512 KiB of its thread's stack, for deeply nested expressions and statements.
//
// Ownership. The library copies what it is given before it returns. What a function writes into a partita_reply is the
// caller's until partita_reply_free().
//
// Errors. An error of DynamoDB is an answer: PARTITA_OK, with the status and the JSON body that the server would send.
// Any other code means that there is no answer. The library never exits, prints, throws or handles a signal; it writes
// log lines only to the function given to partita_set_log(). Two exceptions print one line to stderr and abort the
// process: a defect found in the library itself, and a thread of its own, as of a directory's files, that gets no
// memory.
//
// Null. A null pointer is refused with PARTITA_INVALID, except where it is said to mean something.
//
// fork(). Databases belong to the process that opened them. In a child of a process that has opened one, functions
// return PARTITA_FORKED, partita_open() too; partita_close() and partita_set_log() do nothing. Fork first, then open;
// or call exec().
//
// ABI. PARTITA_ABI counts incompatible changes, as the name libpartita.so.1 does. A compatible release may add
// functions and codes, and members at the end of partita_options, whose `size` says which of them the caller knows. The
// other structs stay.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PARTITA_ABI 1

#if defined(__GNUC__)
#define PARTITA_EXPORT __attribute__((visibility("default")))
#else
#define PARTITA_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t partita_code;
enum {
  PARTITA_OK = 0,
  PARTITA_INVALID = 1,      // an argument is null or out of its range; nothing was done
  PARTITA_UNAVAILABLE = 2,  // the store cannot be opened, read or written
  PARTITA_NOT_FOUND = 3,    // no snapshot has that name
  PARTITA_REFUSED = 4,      // it exists already, a limit is reached, or the store does not allow it
  PARTITA_NO_MEMORY = 5,    // the call may have taken effect
  PARTITA_FORKED = 6        // another process opened the database
};

typedef struct partita_db partita_db;

// All zero but for `size` is a database in memory.
typedef struct partita_options {
  size_t size;         // sizeof(partita_options), so that a newer library knows what an older caller does not set
  const char* path;    // a directory, made if it is missing; null: in memory, and gone with partita_close()
  const char* region;  // of the ARNs of tables, such as "eu-west-1"; null: "us-east-1"
  int64_t clock_ms;    // how far the clock is ahead of the machine's; see partita_move_clock()
  uint64_t flags;      // 0
} partita_options;

typedef struct partita_attribute partita_attribute;

// An answer. Filled by the calls below; all zero if they do not return PARTITA_OK.
typedef struct partita_reply {
  int32_t status;                 // the HTTP status that the server would send: 200, 400, 500, 503
  uint32_t item_count;            // of `item`
  const char* body;               // JSON, followed by a zero byte
  size_t length;                  // of `body`
  const partita_attribute* item;  // of partita_get_item() alone; null: there is no item
  void* owned;                    // for partita_reply_free()
} partita_reply;

// An attribute value. `data` has no zero byte at its end. In what the library gets, `reserved` is 0.
enum {
  PARTITA_STRING = 1,      // S: `data`, UTF-8
  PARTITA_NUMBER = 2,      // N: `data`, in decimal, as DynamoDB takes it
  PARTITA_BINARY = 3,      // B: `data`, the bytes themselves
  PARTITA_BOOLEAN = 4,     // BOOL: `count` is 0 or 1
  PARTITA_NULL = 5,        // NULL
  PARTITA_STRING_SET = 6,  // SS, NS, BS: `elements`, of PARTITA_STRING, PARTITA_NUMBER, PARTITA_BINARY
  PARTITA_NUMBER_SET = 7,
  PARTITA_BINARY_SET = 8,
  PARTITA_LIST = 9,  // L: `elements`, without names
  PARTITA_MAP = 10   // M: `elements`, each with a name
};

// A value and, in an item, a key or a map, its name.
struct partita_attribute {
  uint32_t type;
  uint32_t reserved;
  const char* name;  // UTF-8; null with `name_length` 0: none
  size_t name_length;
  const char* data;  // of strings, numbers and binaries; may be null if `length` is 0
  size_t length;
  const partita_attribute* elements;  // of sets, lists and maps; may be null if `count` is 0
  size_t count;                       // of `elements`
};

// --- a database ----------------------------------------------------------------------------------------------------

// The library's release, such as "0.1.0", and its ABI. Never fail; the text is static.
PARTITA_EXPORT const char* partita_version(void);
PARTITA_EXPORT uint32_t partita_abi(void);

// Opens a database, which the caller closes. Any number may be open; a directory can be open once on the machine, in a
// server or a process. `partita serve --data` takes the same directories. On failure `*db` is null, and `why` has a
// sentence, cut to `why_size` bytes with its zero byte; `why` may be null. PARTITA_INVALID: the options.
// PARTITA_UNAVAILABLE: the directory is in use, damaged, of a newer version, or cannot be made; or the system gives no
// thread.
PARTITA_EXPORT partita_code partita_open(const partita_options* options, partita_db** db, char* why, size_t why_size);

// Interrupts the work in the background, which a later partita_open() of the directory resumes, and frees the database.
// No call on it may be in progress or follow. Null: nothing happens.
PARTITA_EXPORT void partita_close(partita_db* db);

// --- calls ---------------------------------------------------------------------------------------------------------

// Any operation, as the server would answer it without authentication. `operation`: the name of an operation of
// DynamoDB or its streams such as "GetItem", or a whole X-Amz-Target such as "DynamoDB_20120810.GetItem". `json`: the
// body, which need not end with a zero byte; null if `length` is 0.
PARTITA_EXPORT partita_code partita_call(partita_db* db, const char* operation, const char* json, size_t length,
                                         partita_reply* reply);

// The same calls without JSON, for programs that have values. `table`: a name or an ARN. A partita_call() also takes
// conditions, projections and what else the operations have. Values are checked as those of JSON. A reply with an error
// has its JSON body; another has the body "{}".

// Reads the item of a key. `consistent`: 0 or 1, as ConsistentRead. The reply's item, and what it points to, is valid
// until partita_reply_free().
PARTITA_EXPORT partita_code partita_get_item(partita_db* db, const char* table, const partita_attribute* key,
                                             size_t key_count, int32_t consistent, partita_reply* reply);
// Writes an item; an item with the same key is replaced.
PARTITA_EXPORT partita_code partita_put_item(partita_db* db, const char* table, const partita_attribute* item,
                                             size_t item_count, partita_reply* reply);
// Deletes the item of a key, if there is one.
PARTITA_EXPORT partita_code partita_delete_item(partita_db* db, const char* table, const partita_attribute* key,
                                                size_t key_count, partita_reply* reply);

// Frees what a reply owns and sets all of it to zero: on any thread, also after partita_close(), and also twice. Null:
// nothing happens.
PARTITA_EXPORT void partita_reply_free(partita_reply* reply);

// --- for tests -----------------------------------------------------------------------------------------------------
// These wait until no call is in progress, and calls that begin meanwhile wait for them. `why` as in partita_open().
// After PARTITA_UNAVAILABLE, calls are answered with status 500 until the next of these functions succeeds.

// Keeps the state of the whole database under a name of 1 to 64 letters, digits, '_', '-' and '.'; in a directory it
// stays until it is deleted. PARTITA_REFUSED: the name is taken or not a name, or there are 32 snapshots.
PARTITA_EXPORT partita_code partita_snapshot(partita_db* db, const char* name, char* why, size_t why_size);
// Returns to that state, and keeps the snapshot. Only what has changed is written. PARTITA_NOT_FOUND: there is no
// snapshot of this name.
PARTITA_EXPORT partita_code partita_rollback(partita_db* db, const char* name, char* why, size_t why_size);
// Deletes a snapshot. PARTITA_NOT_FOUND: there is none of this name.
PARTITA_EXPORT partita_code partita_delete_snapshot(partita_db* db, const char* name, char* why, size_t why_size);

// Moves the clock, which TTL, streams and tokens follow, by so many milliseconds; negative: back. `absolute`: 0: from
// where it is; 1: from the machine's. Items that have expired by it are soon deleted. PARTITA_REFUSED: the time is not
// in the years 1970 to 9999.
PARTITA_EXPORT partita_code partita_move_clock(partita_db* db, int64_t by_ms, int32_t absolute, char* why,
                                               size_t why_size);

// --- the log -------------------------------------------------------------------------------------------------------

// Gets each line that the server would write to stderr, of all databases of the process. `level`: 0 for errors, 1 for
// warnings, 2 for information. `line` ends with a newline, then a zero byte. Called on any thread, one line at a time;
// it must not call this library. Null, which is the default: lines are dropped. When partita_set_log() returns, the
// previous function is not called any more.
typedef void (*partita_log_function)(void* context, int32_t level, const char* line, size_t length);
PARTITA_EXPORT void partita_set_log(partita_log_function function, void* context);

#ifdef __cplusplus
}
#endif
