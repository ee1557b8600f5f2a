// Shared by the parts of repair_store.h.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "table/maintenance/repair_report.h"
#include "table/maintenance/verify_parts.h"

namespace partita::table {

// Writes in batches.
class RepairWriter {
 public:
  explicit RepairWriter(storage::Engine& engine) : engine_(engine) {}
  Result<void> put(storage::Key key, std::string value);
  Result<void> erase(storage::Key key);
  Result<void> append(std::string topic, std::string entry);
  Result<void> flush();
  uint64_t written() const { return written_; }

 private:
  Result<void> relieve();
  storage::Engine& engine_;
  storage::Changes changes_;
  size_t bytes_ = 0;
  uint64_t written_ = 0;
};

// The losses of one table.
struct TableLoss {
  std::optional<int64_t> lost_items;  // nothing: not known
  int64_t items_before = 0;
  std::set<std::string> keys;  // as text, of items known to be lost
  bool has_more_keys = false;
};

struct Repair {
  Repair(storage::Engine& used, const RepairOptions& asked) : engine(used), options(asked), writer(used) {}

  storage::Engine& engine;
  const RepairOptions& options;
  RepairWriter writer;
  VerifyOptions pages;
  KnownStore known;
  std::map<std::string, TableLoss> losses;  // by table
  Repaired report;

  // Whether rows in that range are lost.
  bool is_lost_in(const storage::Range& range) const;
  void lose_item(const TableInfo& table, const model::Item& keys);
};

// The key attributes in the key of a row of an index (null: the table).
std::optional<model::Item> keys_of_row(const TableInfo& table, const IndexInfo* index, std::string_view key);

// repair_catalog.cc: the rows of the catalogue; fills `known`.
Result<void> repair_catalog(Repair& repair);
// repair_table.cc: index, expiry and count rows of a table.
Result<void> repair_table(Repair& repair, const TableInfo& table);
// repair_streams.cc
Result<void> repair_streams(Repair& repair, const TableInfo& table);
// repair_losses.cc: reports the losses.
void tell_losses(Repair& repair);

}  // namespace partita::table
