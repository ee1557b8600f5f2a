// How every write of items reaches the store: in one transaction with the table's description compared and its counts
// moved.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/result.h"
#include "storage/engine.h"
#include "table/open/database.h"
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

// `tables` are those that the keys were made for, each as often as one likes. They and the function outlive the task.
// When one of their descriptions is not the newest any more nothing happens: that is an error that
// Database::binds_again() knows. Else as storage::Engine::transact().
Task<Result<storage::Decision>> commit(storage::Engine& engine, std::span<const Table> tables,
                                       std::vector<storage::Key> keys, Evaluate evaluate);
inline Task<Result<storage::Decision>> commit(Database& database, std::span<const Table> tables,
                                              std::vector<storage::Key> keys, Evaluate evaluate) {
  return commit(database.engine(), tables, std::move(keys), evaluate);
}

}  // namespace partita::table
