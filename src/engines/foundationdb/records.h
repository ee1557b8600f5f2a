// Assembles records and log entries from their rows.
#pragma once

#include <string>
#include <string_view>

#include "base/executor.h"
#include "base/task.h"
#include "engines/foundationdb/attempt.h"
#include "engines/foundationdb/rows.h"
#include "storage/engine.h"

namespace partita::foundationdb {

// Own error codes beside FoundationDB's, which are positive.
inline constexpr int kDamaged = -1;   // rows that no store writes
inline constexpr int kHeld = -2;      // another process holds the store exclusively
inline constexpr int kHoldLost = -3;  // this process has lost its exclusive hold
// Whether it is one of these.
constexpr bool is_final(int code) { return code < 0; }
Error error_of(int code);

// The slices of one record; requests them when it is constructed.
class RecordSlices {
 public:
  RecordSlices(TxnAttempt& attempt, const RowKeys& names, std::string_view key, const RecordHeader& header);
  // Once. Yields 0, kDamaged, or FoundationDB's error code.
  Task<int> join(std::string& value, Executor& fallback);
  storage::Version version() const { return version_; }

 private:
  TxnAttempt* attempt_;
  storage::Range left_;
  const storage::Version version_;
  const size_t bytes_;
  Future rows_;
};

}  // namespace partita::foundationdb
