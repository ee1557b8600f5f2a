// How every write of items reaches the store: in one transaction that compares the table's description and changes its
// counts.
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

// By how much a transaction moves the counts of its tables.
class CountMoves {
 public:
  void add(const TableInfo& table, const ItemChange& change);
  void clear() { moves_.clear(); }
  const std::vector<std::pair<const TableInfo*, Counts>>& all() const { return moves_; }

 private:
  void add(const TableInfo& table, uint16_t index, Count by);

  std::vector<std::pair<const TableInfo*, Counts>> moves_;
};

// As storage::Decide, with what the changes mean for the counts.
using Evaluate = FunctionRef<storage::Decision(std::span<const storage::Record* const> found, storage::Changes& changes,
                                               CountMoves& moves)>;

// `tables`: those that the keys belong to; one may be there several times. They and the function outlive the task. If a
// description is no longer the newest, nothing is written and the error is one for which TableContext::binds_again() is
// true. Otherwise as storage::Engine::transact().
Task<Result<storage::Decision>> commit(storage::Engine& engine, std::span<const Table> tables,
                                       std::vector<storage::Key> keys, Evaluate evaluate);

}  // namespace partita::table
