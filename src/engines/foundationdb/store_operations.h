// What is done within one attempt, but for transactions: reads, pages, and the log. Each yields a code: 0, kDamaged, or
// FoundationDB's; what it fills is whole only with 0.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/task.h"
#include "engines/foundationdb/attempt.h"
#include "engines/foundationdb/records.h"
#include "engines/foundationdb/rows.h"
#include "storage/engine.h"

namespace partita::foundationdb {

class StoreOperations {
 public:
  StoreOperations(const RowKeys& names, Executor& fallback) : names_(names), fallback_(fallback) {}

  struct Bounds {
    size_t count;
    size_t bytes;
  };

  Task<int> read(TxnAttempt& attempt, std::span<const storage::Key> keys,
                 std::vector<std::optional<storage::Record>>& records) const;
  // Ends early, with what it has, if it takes longer than FoundationDB keeps a read version.
  Task<int> scan(TxnAttempt& attempt, const storage::Range& range, storage::Direction direction, Bounds bounds,
                 storage::Page& page) const;
  Task<int> read_log(TxnAttempt& attempt, const std::string& topic, storage::Position after, Bounds bounds,
                     std::vector<storage::LogEntry>& entries) const;
  Task<int> log_end(TxnAttempt& attempt, const std::string& topic, storage::Position& end) const;
  Task<int> trim(TxnAttempt& attempt, const std::string& topic, storage::Position upto) const;
  Task<int> forget(TxnAttempt& attempt, const std::string& topic) const;
  // At most `most` topics after `after`, shorter names first; fewer if it takes longer than a read version is kept.
  Task<int> topics(TxnAttempt& attempt, const std::string& after, size_t most, std::vector<std::string>& names) const;
  // Writes entries of another store at their positions, which are valid: RowKeys::is_a_position().
  Task<int> restore(TxnAttempt& attempt, const std::string& topic, std::span<const storage::LogEntry> entries) const;
  // Makes the topic's newest position at least `end`, and later positions greater.
  Task<int> begin_behind(TxnAttempt& attempt, const std::string& topic, storage::Position end) const;
  Task<int> erase(TxnAttempt& attempt, const storage::Range& range) const;
  Task<int> estimate(TxnAttempt& attempt, const storage::Range& range, uint64_t& bytes) const;

 private:
  Task<int> scan_all(TxnAttempt& attempt, storage::Range left, storage::Direction direction, Bounds bounds,
                     storage::Page& page) const;
  Task<int> take_rows(TxnAttempt& attempt, std::span<const FdbKeyValue> rows, Bounds bounds, storage::Page& page) const;
  // Those that `missing` bytes are missing of begin in `entries` already.
  struct EntryAssembly {
    std::vector<storage::LogEntry>& entries;
    size_t bytes = 0;
    size_t missing = 0;  // of the last entry
    bool is_full = false;
  };
  static int gather(const RowKeys& names, const FdbKeyValue& row, Bounds bounds, EntryAssembly& gathered);
  Task<int> commit(TxnAttempt& attempt) const;

  const RowKeys& names_;
  Executor& fallback_;
};

}  // namespace partita::foundationdb
