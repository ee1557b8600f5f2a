// Evaluates an expensive transaction before it holds latches: item by item, yielding to the thread's other requests in
// between. The transaction itself then only checks that each record is still the one that was evaluated.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "table/catalog/table_context.h"
#include "table/items/write.h"

namespace partita::table {

// The result of one write. The images of the item are left out of `written`.
struct PrecomputedWrite {
  std::optional<storage::Version> version;  // of the record that it was evaluated with; absent: there was no record
  Result<EvaluatedWrite> written;
  storage::Changes changes;
};

// The most that one transaction writes, rows of indexes included: enough for puts of 4 MB into a table with all the
// indexes that it may have. DynamoDB limits only the request, so updates of large items could write any amount.
inline constexpr size_t kMaxWrittenBytes = size_t{128} << 20;
// The bytes of keys and values.
size_t bytes_of(std::span<const storage::Changes::Write> writes);

// Evaluates one write as evaluate_write() does, and leaves the images of the item out. `full`: its item collection is
// full. Faults: those of evaluate_write() and check_growth().
Result<EvaluatedWrite> evaluate_one(const BoundWrite& write, bool full, const storage::Record* found, int64_t now_ms,
                                    storage::Changes& changes);

// The precomputed results of one transaction. For one request, and one thread at a time. `full` says for each write
// whether its item collection is full. Both arguments outlive it.
class Precompute {
 public:
  Precompute(std::span<const BoundWrite> writes, const std::vector<bool>& full)
      : writes_(writes), full_(full), results_(writes.size()) {}

  // The result of that write (its position) with that record (null: absent), or null if it was not precomputed.
  const PrecomputedWrite* of(size_t write, const storage::Record* found) const;
  // Whether the writes that were not precomputed with these records take too long to be evaluated without a yield.
  bool is_needed(std::span<const storage::Record* const> found) const;
  // Reads the current records and evaluates the writes that were not precomputed with them. The context outlives the
  // task. Errors: kUnavailable, kCorrupt, and kTransactionItemsTooLarge if the results exceed kMaxWrittenBytes.
  Task<Result<void>> run(TableContext& context);

 private:
  const std::span<const BoundWrite> writes_;
  const std::vector<bool>& full_;
  std::vector<std::optional<PrecomputedWrite>> results_;
};

}  // namespace partita::table
