// The one way in which writes of items reach the store: a transaction that also compares the versions of the tables'
// descriptions and updates the tables' counts.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/result.h"
#include "storage/engine.h"
#include "table/catalog/table_context.h"
#include "table/rows/item_rows.h"

namespace partita::table {

// The changes of items and bytes that a transaction makes to the counts of its tables. For one thread.
class CountMoves {
 public:
  void add(const TableInfo& table, const ItemChange& change);
  void clear() { moves_.clear(); }
  const std::vector<std::pair<const TableInfo*, Counts>>& all() const { return moves_; }

 private:
  void add(const TableInfo& table, uint16_t index, Count by);

  std::vector<std::pair<const TableInfo*, Counts>> moves_;
};

// As storage::Decide, and adds the changes of the counts to `moves`. It may be called several times; `moves` is empty
// at each call.
using Evaluate = FunctionRef<storage::Decision(std::span<const storage::Record* const> found, storage::Changes& changes,
                                               CountMoves& moves)>;

// Runs one transaction; its writes are durable when the task ends. `tables`: those of the keys, with repetitions
// allowed. The tables and the function outlive the task. Callable from any thread. kRefuse: `evaluate` refused, and
// nothing was written. If a description is no longer the newest, nothing is written, and TableContext::binds_again() is
// true for the error. Other errors: those of storage::Engine::transact().
Task<Result<storage::Decision>> commit(storage::Engine& engine, std::span<const Table> tables,
                                       std::vector<storage::Key> keys, Evaluate evaluate);

}  // namespace partita::table
