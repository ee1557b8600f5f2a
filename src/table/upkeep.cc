#include "table/upkeep.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "table/rows.h"
#include "table/transact.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

constexpr size_t kPageRows = 1000;
constexpr size_t kPageBytes = 1 << 20;
constexpr size_t kFillAtOnce = 100;  // items in one transaction

storage::Range rows_of(std::string prefix) {
  storage::Range range;
  range.end = prefix_end(prefix).value_or("");
  range.begin = std::move(prefix);
  return range;
}

std::string table_prefix(uint32_t table_id) {
  std::string prefix;
  append_u32(prefix, table_id);
  return prefix;
}

Error gone(const std::string& name) { return model::refuse(model::Fault::kTableNotFound, {name}); }

// Jobs run on their own thread, so they may sleep. False when the job should end.
bool pause(const std::stop_token& stop, int64_t ms) {
  if (ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  return !stop.stop_requested();
}

// When something that was just dropped may go, on the clock's monotonic scale.
int64_t due_ns(const Database& database) {
  return database.clock().monotonic_ns() + database.options().deleting_ms * 1'000'000;
}

bool pause_until(const Database& database, int64_t due, const std::stop_token& stop) {
  const int64_t left_ns = std::min(due - database.clock().monotonic_ns(), database.options().deleting_ms * 1'000'000);
  return pause(stop, (left_ns + 999'999) / 1'000'000);
}

// Waits until no request works with an older version of the table. False: end the job.
bool drain(const Database& database, const TableInfo& table, const std::stop_token& stop) {
  while (database.catalog().older_in_use(table)) {
    if (!pause(stop, 1)) return false;
  }
  return !stop.stop_requested();
}

// The table, if it is still the one that the job was made for.
Table find_table(const Database& database, const std::string& name, uint32_t table_id) {
  Table table = database.catalog().find(name);
  return table != nullptr && table->id == table_id ? table : nullptr;
}

// Adds the rows of these items to a new index, as the items are now: an item that changed since it was scanned may
// still have no row, for a change that does not touch the index leaves its row alone.
Task<bool> fill_rows(Database& database, const TableInfo& table, const IndexInfo& index, std::vector<Key> items) {
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    for (const Record* record : found) {
      if (record == nullptr) continue;
      const auto item = model::decode_item(record->value);
      if (!item.ok()) continue;  // damaged: reading it says so
      std::optional<Key> row = index_key(table, index, *item);
      if (!row) continue;
      std::string view;
      model::encode_item(index_view(table, index, *item), view);
      changes.put(std::move(*row), std::move(view));
    }
    return changes.empty() ? Decision::kRefuse : Decision::kCommit;
  };
  std::vector<storage::Compare> compare;
  const auto outcome = co_await database.engine().transact(std::move(items), std::move(compare), decide);
  co_return outcome.ok();
}

Task<bool> fill_page(Database& database, const TableInfo& table, const IndexInfo& index, const storage::Page& page) {
  std::vector<Key> keys;
  for (size_t i = 0; i < page.size(); ++i) {
    const auto item = model::decode_item(page[i].value);
    if (item.ok() && index_key(table, index, *item)) keys.push_back(item_key(table, *item));
    if (keys.empty() || (keys.size() < kFillAtOnce && i + 1 < page.size())) continue;
    std::vector<Key> batch = std::exchange(keys, std::vector<Key>());
    if (!co_await fill_rows(database, table, index, std::move(batch))) co_return false;
  }
  co_return true;
}

Task<bool> fill_all(Database& database, Table table, const IndexInfo& index, std::stop_token stop) {
  storage::Range range = rows_of(model::index_prefix(table->id, model::kBaseIndex));
  for (bool more = true; more && !stop.stop_requested();) {
    auto scanned = co_await database.engine().scan(range, storage::Direction::kAscending, kPageRows, kPageBytes);
    if (!scanned.ok()) co_return false;
    const storage::Page page = std::move(scanned).value();
    if (!co_await fill_page(database, *table, index, page)) co_return false;
    more = page.more;
    if (more) range.begin = std::string(page[page.size() - 1].key) + '\0';
  }
  co_return !stop.stop_requested();
}

// Counts one index's rows, or the items themselves, and corrects the counters by what they miss.
Task<bool> count_rows(Database& database, Table table, uint16_t index_id, Tally& tally, std::stop_token stop) {
  const int64_t items_before = tally.items;
  const int64_t bytes_before = tally.bytes;
  int64_t items = 0;
  int64_t bytes = 0;
  storage::Range range = rows_of(model::index_prefix(table->id, index_id));
  for (bool more = true; more;) {
    if (stop.stop_requested()) co_return false;
    auto scanned = co_await database.engine().scan(range, storage::Direction::kAscending, kPageRows, kPageBytes);
    if (!scanned.ok()) co_return false;
    const storage::Page page = std::move(scanned).value();
    for (size_t i = 0; i < page.size(); ++i) {
      const auto size = model::encoded_item_size(page[i].value);
      ++items;
      if (size.ok()) bytes += static_cast<int64_t>(*size);
    }
    more = page.more;
    if (more) range.begin = std::string(page[page.size() - 1].key) + '\0';
  }
  tally.items += items - items_before;
  tally.bytes += bytes - bytes_before;
  co_return true;
}

IndexInfo* index_of(TableInfo& table, uint16_t index_id) {
  const auto found = std::ranges::find(table.indexes, index_id, &IndexInfo::id);
  return found == table.indexes.end() ? nullptr : &*found;
}

// Jobs answer whether they are done, for good or because there is nothing left to do.

Task<bool> fill_index_job(Database& database, std::string name, uint32_t table_id, uint16_t index_id,
                          std::stop_token stop) {
  const Catalog::Change begin = [=](TableInfo& info) -> Result<void> {
    IndexInfo* index = index_of(info, index_id);
    if (info.id != table_id || index == nullptr || index->status != Status::kCreating) return gone(name);
    index->backfilling = true;
    return {};
  };
  auto begun = co_await database.catalog().change(name, begin);
  if (!begun.ok()) co_return begun.error().kind() == ErrorKind::kInvalid;
  const Table table = std::move(begun).value();
  if (!drain(database, *table, stop)) co_return false;
  const auto index = std::ranges::find(table->indexes, index_id, &IndexInfo::id);
  PARTITA_CHECK(index != table->indexes.end());
  if (!co_await fill_all(database, table, *index, stop)) co_return false;
  // Writers can not know which rows were there already, so what they counted meanwhile is not right.
  if (!co_await count_rows(database, table, index_id, *index->tally, stop)) co_return false;
  const Catalog::Change finish = [=](TableInfo& info) -> Result<void> {
    IndexInfo* filled = index_of(info, index_id);
    if (info.id != table_id || filled == nullptr || filled->status != Status::kCreating) return gone(name);
    filled->status = Status::kActive;
    filled->backfilling = false;
    return {};
  };
  const auto finished = co_await database.catalog().change(name, finish);
  co_return finished.ok() || finished.error().kind() == ErrorKind::kInvalid;
}

Task<bool> drop_index_job(Database& database, std::string name, uint32_t table_id, uint16_t index_id, int64_t due,
                          std::stop_token stop) {
  if (!pause_until(database, due, stop)) co_return false;
  {
    const Table table = find_table(database, name, table_id);
    if (table == nullptr) co_return true;
    if (!drain(database, *table, stop)) co_return false;
  }
  const storage::Range range = rows_of(model::index_prefix(table_id, index_id));
  const auto erased = co_await database.engine().erase_range(range);
  if (!erased.ok()) co_return false;
  const Catalog::Change forget = [=](TableInfo& info) -> Result<void> {
    if (info.id != table_id) return gone(name);
    std::erase_if(info.indexes, [=](const IndexInfo& index) { return index.id == index_id; });
    return {};
  };
  const auto forgotten = co_await database.catalog().change(name, forget);
  co_return forgotten.ok() || forgotten.error().kind() == ErrorKind::kInvalid;
}

Task<bool> drop_table_job(Database& database, std::string name, uint32_t table_id, int64_t due, std::stop_token stop) {
  if (!pause_until(database, due, stop)) co_return false;
  const Table table = find_table(database, name, table_id);
  if (table == nullptr) co_return true;
  if (!drain(database, *table, stop)) co_return false;
  const storage::Range range = rows_of(table_prefix(table_id));
  const auto erased = co_await database.engine().erase_range(range);
  if (!erased.ok()) co_return false;
  const auto removed = co_await database.catalog().remove(table);
  co_return removed.ok();
}

Task<bool> count_job(Database& database, std::string name, uint32_t table_id, std::stop_token stop) {
  const Table table = find_table(database, name, table_id);
  if (table == nullptr) co_return true;
  if (!co_await count_rows(database, table, model::kBaseIndex, *table->tally, stop)) co_return false;
  for (const auto& index : table->indexes) {
    if (!co_await count_rows(database, table, index.id, *index.tally, stop)) co_return false;
  }
  database.catalog().mark_counted(*table);
  co_return true;
}

Task<bool> sweep_job(Database& database, std::stop_token stop) {
  co_await sweep_tokens(database, stop);
  co_return true;
}

}  // namespace

void schedule_index_fill(Database& database, Table table, uint16_t index_id) {
  database.background().add([&database, name = table->name, id = table->id, index_id](std::stop_token stop) {
    return fill_index_job(database, name, id, index_id, stop);
  });
}

void schedule_index_drop(Database& database, Table table, uint16_t index_id) {
  const int64_t due = due_ns(database);
  database.background().add([&database, name = table->name, id = table->id, index_id, due](std::stop_token stop) {
    return drop_index_job(database, name, id, index_id, due, stop);
  });
}

void schedule_table_drop(Database& database, Table table) {
  const int64_t due = due_ns(database);
  database.background().add([&database, name = table->name, id = table->id, due](std::stop_token stop) {
    return drop_table_job(database, name, id, due, stop);
  });
}

void schedule_count(Database& database, Table table) {
  database.background().add([&database, name = table->name, id = table->id](std::stop_token stop) {
    return count_job(database, name, id, stop);
  });
}

void count_token(Database& database) {
  constexpr uint64_t kTokensBetweenSweeps = 10'000;
  static std::atomic<uint64_t> used{0};
  if (++used % kTokensBetweenSweeps == 0) {
    database.background().add([&database](std::stop_token stop) { return sweep_job(database, stop); });
  }
}

void resume_unfinished(Database& database) {
  for (const Table& table : database.catalog().all()) {
    if (table->status == Status::kDeleting) {
      schedule_table_drop(database, table);
      continue;
    }
    for (const auto& index : table->indexes) {
      if (index.status == Status::kCreating) schedule_index_fill(database, table, index.id);
      if (index.status == Status::kDeleting) schedule_index_drop(database, table, index.id);
    }
  }
  database.background().add([&database](std::stop_token stop) { return sweep_job(database, stop); });
  for (const Table& table : database.catalog().all()) {
    if (database.catalog().is_uncounted(*table)) schedule_count(database, table);
  }
}

}  // namespace partita::table
