// Records and entries put together from their rows.
#pragma once

#include <string>
#include <string_view>

#include "base/executor.h"
#include "base/task.h"
#include "engines/foundationdb/attempt.h"
#include "engines/foundationdb/rows.h"
#include "storage/engine.h"

namespace partita::foundationdb {

// Among the codes of errors, which are all positive.
// Rows that no store writes.
inline constexpr int kDamaged = -1;
inline constexpr int kHeld = -2;      // somebody else has the store alone
inline constexpr int kHoldLost = -3;  // who had it alone does not any more
// Of none that FoundationDB knows.
constexpr bool is_final(int code) { return code < 0; }
Error error_of(int code);

// The slices of one record, on their way from the moment that this is made.
class RecordSlices {
 public:
  RecordSlices(Attempt& attempt, const RowNames& names, std::string_view key, const RecordHeader& header);
  // Once. Its code is 0, kDamaged, or FoundationDB's.
  Task<int> join(std::string& value, Executor& fallback);
  storage::Version version() const { return version_; }

 private:
  Attempt* attempt_;
  storage::Range left_;
  const storage::Version version_;
  const size_t bytes_;
  Future rows_;
};

}  // namespace partita::foundationdb
