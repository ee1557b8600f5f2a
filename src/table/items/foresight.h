// A long transaction is worked out ahead of itself, item by item, and the thread does other work in between: so nobody
// waits for it, neither on that thread nor for a latch. The transaction then looks only whether the records are the
// same.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "table/catalog/table_context.h"
#include "table/items/transact.h"

namespace partita::table {

// What one write comes to. The images of the item are left out of `written`.
struct Foreseen {
  std::optional<storage::Version> version;  // of the record that it rests on; nothing: there was none
  Result<Written> written;
  storage::Changes changes;
};

// What puts of 4 MB come to with all the indexes that a table may have, and with their keys. DynamoDB weighs the
// request alone; updates of large items could write any amount.
inline constexpr size_t kMaxWrittenBytes = size_t{128} << 20;
// Of keys and values.
size_t bytes_of(std::span<const storage::Changes::Write> writes);

// Evaluates one write without images. Faults: those of evaluate_write() and check_growth().
Result<Written> evaluate_one(const BoundWrite& write, bool full, const storage::Record* found, int64_t now_ms,
                             storage::Changes& changes);

// Of one plan; `plan` and `full` (one element for each write: whether its item collection is) outlive it.
class Foresight {
 public:
  Foresight(const WritesPlan& plan, const std::vector<bool>& full) : plan_(plan), full_(full), seen_(full.size()) {}

  // What the write comes to with that record (null: absent), when it was foreseen; else null.
  const Foreseen* of(size_t write, const storage::Record* found) const;
  // Whether what was not foreseen of these records takes too long to be done in one piece.
  bool is_needed(std::span<const storage::Record* const> found) const;
  // Reads the records as they are and works out what was not foreseen of them. Errors: kUnavailable, kCorrupt, and
  // kTransactionItemsTooLarge when what is foreseen passes kMaxWrittenBytes.
  Task<Result<void>> look(TableContext& context);

 private:
  const WritesPlan& plan_;
  const std::vector<bool>& full_;
  std::vector<std::optional<Foreseen>> seen_;
};

}  // namespace partita::table
