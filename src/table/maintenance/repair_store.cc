#include "table/maintenance/repair_store.h"

#include <algorithm>

#include "storage/ranges.h"
#include "table/catalog/second_copies.h"
#include "table/maintenance/repair_parts.h"
#include "table/rows/item_rows.h"

namespace partita::table {

namespace {

constexpr size_t kWritesAtOnce = 1'000;
constexpr size_t kBytesAtOnce = size_t{4} << 20;

}  // namespace

Result<void> RepairWriter::put(storage::Key key, std::string value) {
  bytes_ += key.bytes.size() + value.size();
  changes_.put(std::move(key), std::move(value));
  return relieve();
}

Result<void> RepairWriter::erase(storage::Key key) {
  bytes_ += key.bytes.size();
  changes_.erase(std::move(key));
  return relieve();
}

Result<void> RepairWriter::append(std::string topic, std::string entry) {
  bytes_ += entry.size();
  changes_.append(std::move(topic), std::move(entry));
  return relieve();
}

Result<void> RepairWriter::relieve() {
  ++written_;
  const bool full = bytes_ >= kBytesAtOnce || changes_.writes().size() + changes_.appends().size() >= kWritesAtOnce;
  return full ? flush() : Result<void>();
}

Result<void> RepairWriter::flush() {
  if (changes_.empty()) return {};
  const storage::Decide all = [this](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.writes().assign(changes_.writes().begin(), changes_.writes().end());
    changes.appends().assign(changes_.appends().begin(), changes_.appends().end());
    return storage::Decision::kCommit;
  };
  const auto written = wait_for(engine_.transact({}, {}, all));
  if (!written.ok()) return written.error();
  changes_.clear();
  bytes_ = 0;
  return {};
}

bool Repair::is_lost_in(const storage::Range& range) const {
  return std::ranges::any_of(options.rows, [&](const LostRows& lost) {
    return (range.end.empty() || lost.after < range.end) && (lost.before.empty() || lost.before > range.begin);
  });
}

void Repair::lose_item(const TableInfo& table, const model::Item& keys) {
  TableLoss& loss = losses[table.name];
  std::string shown = shown_key(table, keys);
  if (loss.keys.size() < options.named) {
    loss.keys.insert(std::move(shown));
  } else if (!loss.keys.contains(shown)) {
    loss.has_more_keys = true;
  }
}

std::optional<model::Item> keys_of_row(const TableInfo& table, const IndexInfo* index, std::string_view key) {
  model::Item item;
  if (!model::take_row_place(key)) return std::nullopt;
  const bool of_index =
      index == nullptr || (take_values(index->keys.partition, key, item) && take_values(index->keys.sort, key, item));
  const bool taken =
      of_index && take_values(table.keys.partition, key, item) && take_values(table.keys.sort, key, item);
  return taken && key.empty() ? std::optional(std::move(item)) : std::nullopt;
}

Result<Repaired> repair_store(storage::Engine& engine, const RepairOptions& options) {
  Repair repair(engine, options);
  PARTITA_TRY_VOID(repair_catalog(repair));
  for (const auto& [name, table] : repair.known.tables) {
    PARTITA_TRY_VOID(repair_table(repair, table));
    PARTITA_TRY_VOID(repair_streams(repair, table));
  }
  PARTITA_TRY_VOID(repair.writer.flush());
  PARTITA_TRY_VOID(wait_for(renew_second_copies(engine)));
  tell_losses(repair);
  return std::move(repair.report);
}

}  // namespace partita::table
