// A long transaction is evaluated in advance, item by item, and the thread does other work in between, so that no
// request waits for it, neither on that thread nor for a latch. The transaction then only checks that the records are
// the same.
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
  std::optional<storage::Version> version;  // of the record that it was evaluated with; nothing: there was none
  Result<EvaluatedWrite> written;
  storage::Changes changes;
};

// Puts of 4 MB with all the indexes that a table may have, and with their keys. DynamoDB limits the request alone;
// updates of large items could write any amount.
inline constexpr size_t kMaxWrittenBytes = size_t{128} << 20;
// Of keys and values.
size_t bytes_of(std::span<const storage::Changes::Write> writes);

// Evaluates one write without images. Faults: those of evaluate_write() and check_growth().
Result<EvaluatedWrite> evaluate_one(const BoundWrite& write, bool full, const storage::Record* found, int64_t now_ms,
                                    storage::Changes& changes);

// The writes of one transaction. `writes` and `full` (for each write, whether its item collection is) outlive it.
class Precompute {
 public:
  Precompute(std::span<const BoundWrite> writes, const std::vector<bool>& full)
      : writes_(writes), full_(full), results_(writes.size()) {}

  // The result of the write with that record (null: absent), or null if it was not precomputed.
  const PrecomputedWrite* of(size_t write, const storage::Record* found) const;
  // Whether what was not precomputed with these records takes too long to be done at once.
  bool is_needed(std::span<const storage::Record* const> found) const;
  // Reads the records as they are and evaluates what was not precomputed with them. Errors: kUnavailable, kCorrupt, and
  // kTransactionItemsTooLarge when the results exceed kMaxWrittenBytes.
  Task<Result<void>> run(TableContext& context);

 private:
  const std::span<const BoundWrite> writes_;
  const std::vector<bool>& full_;
  std::vector<std::optional<PrecomputedWrite>> results_;
};

}  // namespace partita::table
