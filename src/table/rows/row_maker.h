// What a feature of a table adds to the change of an item: rows and log entries of its own, in the item's transaction.
// The catalogue gives each description the row makers that apply to it, so this module names no feature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/value.h"
#include "storage/engine.h"
#include "table/rows/schema.h"

namespace partita::table {

// An item before or after a change.
struct Image {
  std::string_view stored;  // encoded; empty if the item does not exist
  size_t bytes = 0;         // model::item_size of it
  // At least what needed_of() returns. The old one may be null if the table has neither indexes nor row makers.
  const model::Item* item = nullptr;

  bool exists() const { return !stored.empty(); }
};

// Where a change comes from, for the table's stream.
struct Origin {
  int64_t at_ms = 0;
  bool service = false;  // the item has expired
};

// Changes an index's row. Null where there is no row.
struct IndexRowKeys {
  const storage::Key* before = nullptr;
  const storage::Key* after = nullptr;
};

// Stateless, of static lifetime; called from any thread.
class RowMaker {
 public:
  // Whether tables of this description need it.
  virtual bool applies_to(const TableInfo& table) const = 0;
  // Called for each change of an item, before the rows of its indexes are written.
  virtual void change_item(const TableInfo& /*table*/, const storage::Key& /*key*/, const Image& /*before*/,
                           const Image& /*after*/, const Origin& /*origin*/, storage::Changes& /*changes*/) const {}
  // Called for each row of an index that changes.
  virtual void change_index_row(const TableInfo& /*table*/, const IndexInfo& /*index*/, const IndexRowKeys& /*keys*/,
                                storage::Changes& /*changes*/) const {}

 protected:
  ~RowMaker() = default;
};

}  // namespace partita::table
