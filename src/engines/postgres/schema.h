// A store's tables and functions in a PostgreSQL database, created in the first schema of the connection's search_path,
// and the statements that use them.
//
//   partita_kv     one row for each record: head, SHA-256 of the tail (or empty), tail, version, value
//   partita_topic  one row for each topic, with the number of its newest entry; a commit that appends locks it last
//   partita_log    entries, numbered within a topic without gaps in commit order
//   partita_mark   one row for each committing connection, incremented by each commit: tells an unknown outcome
//   partita_meta   one row: the format, and the number below which no new topic begins
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "engines/postgres/conn_info.h"

struct pg_conn;

namespace partita::postgres {

// Creates missing tables and functions; only functions unless `makes`. Blocks. Errors: kUnavailable; kInvalid (reason
// 0) for a store of a newer version, and if there is no store and `makes` is false.
Result<void> install(const ConnInfo& conn_info, bool makes);

// A session with exclusive use of the store: it holds a lock that the connections of servers share. Blocks.
class ExclusiveLock {
 public:
  // Waits some seconds for connections that are ending. Error: kUnavailable if the store is in use.
  static Result<std::unique_ptr<ExclusiveLock>> take(const ConnInfo& conn_info);
  // Error: kUnavailable if the session, and so the lock, was lost.
  Result<void> check() const;

 private:
  explicit ExclusiveLock(std::shared_ptr<pg_conn> session) : session_(std::move(session)) {}
  std::shared_ptr<pg_conn> session_;
};

// The operation of a row in a commit; the function adds them up to see which steps are needed.
enum RowOp : int32_t {
  kUpdate = 1,       // has that version; put
  kDelete = 2,       // has that version; erase
  kShare = 4,        // has that version; keep
  kInsert = 8,       // is absent; put
  kHold = 16,        // is absent; keep absent
  kBlindPut = 32,    // put, regardless of its state
  kBlindErase = 64,  // erase, regardless of its state
  kHasTails = 1024,  // in the sum: some keys have tails
  kByItself = 2048,  // in the sum: commit while no other transaction compares a row
};

// The result of the function that commits.
enum class CommitStatus : int32_t {
  kCommitted = 0,
  kChanged = 1,  // a row was not as assumed, or a lock was held: nothing was done
  kFenced = 2,   // this connection's mark was fenced off: nothing was done
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

// Executed on each connection before it is used.
extern const char* const kSessionSql;
// The same, unless the connection is `alone`: takes the shared lock, and fails while the store is held exclusively.
extern const char* const kShareSql;
// $1: its mark.
extern const char* const kMarkSql;

}  // namespace partita::postgres
