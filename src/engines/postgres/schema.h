// What a store is in a PostgreSQL database: its tables and functions, which are made in the first schema of the
// connection's search_path, and the statements that are sent to them.
//
//   partita_kv     one row for each record: head, SHA-256 of the tail (or empty), tail, version, value
//   partita_topic  one row for each topic, with the number of its newest entry; locked last by whoever appends
//   partita_log    entries, numbered without holes in the order of commits within a topic
//   partita_mark   one row for each connection that commits, counted by each commit: how an unknown outcome is settled
//   partita_meta   one row: the format, and the number below which no new topic begins
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "engines/postgres/conn_info.h"

struct pg_conn;

namespace partita::postgres {

// Makes the tables and functions where they are not there yet, functions alone unless it `makes` stores. Blocks.
// Errors: kUnavailable; kInvalid (reason 0) for a store that a newer version made, and for none that is not to be made.
Result<void> install(const ConnInfo& conn_info, bool makes);

// A session that has the store for itself: connections of servers share a lock that it has alone. Blocks.
class ExclusiveLock {
 public:
  // Waits some seconds for connections that are about to end. Error: kUnavailable when the store is used.
  static Result<std::unique_ptr<ExclusiveLock>> take(const ConnInfo& conn_info);
  // Error: kUnavailable when the session is lost, and with it what it was for.
  Result<void> check() const;

 private:
  explicit ExclusiveLock(std::shared_ptr<pg_conn> session) : session_(std::move(session)) {}
  std::shared_ptr<pg_conn> session_;
};

// What a row of a commit is; the function adds them up to see what there is to do.
enum RowOp : int32_t {
  kUpdate = 1,       // is of that version, and is put
  kDelete = 2,       // is of that version, and goes
  kShare = 4,        // is of that version, and stays
  kInsert = 8,       // is absent, and is put
  kHold = 16,        // is absent, and stays so
  kBlindPut = 32,    // is put, whatever there was
  kBlindErase = 64,  // goes, whatever there was
  kHasTails = 1024,  // of the sum: some keys are long
  kByItself = 2048,  // of the sum: while nobody else commits who only compares a row
};

// What the function that commits returns.
enum class CommitStatus : int32_t {
  kCommitted = 0,
  kChanged = 1,  // something was not as assumed, or others were in the way: nothing was done
  kFenced = 2,   // this connection's mark was taken away: nothing was done
};

// Prepared on every connection.
enum class PreparedStatement {
  kGet,
  kGetMany,
  kPage,
  kPageBack,
  kCommit,
  kResolve,
  kErase,
  kSize,
  kReadLog,
  kLogEnd,
  kTrim,
  kForget,
  kTopics,
  kRestoreLog
};

struct StatementText {
  PreparedStatement statement;
  const char* name;
  const char* sql;
};
std::span<const StatementText> statements();
const char* name_of(PreparedStatement statement);

// Of each connection, before it is used.
extern const char* const kSessionSql;
// The same, unless the target is `alone`: refused while somebody else has the store alone.
extern const char* const kShareSql;
// $1: its mark.
extern const char* const kMarkSql;

}  // namespace partita::postgres
