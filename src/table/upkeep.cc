#include "table/upkeep.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/bytes.h"
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

// Jobs run on their own thread, so they may sleep. False when the job should end.
bool pause(const std::stop_token& stop, int64_t ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  return !stop.stop_requested();
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

// Adds one item's row to a new index. An item that changed since it was scanned needs nothing: whoever changed it knew
// of the index.
Task<bool> fill_one(Database& database, const IndexInfo& index, std::vector<Key> keys, storage::Version seen,
                    std::string view) {
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    if (found[0] == nullptr || found[0]->version != seen || found[1] != nullptr) return Decision::kRefuse;
    changes.put(keys[1], view);
    return Decision::kCommit;
  };
  const auto outcome = co_await database.engine().transact(keys, decide);
  if (!outcome.ok()) co_return false;
  if (*outcome == Decision::kCommit) {
    const auto bytes = model::encoded_item_size(view);
    index.tally->items += 1;
    index.tally->bytes += bytes.ok() ? static_cast<int64_t>(*bytes) : 0;
  }
  co_return true;
}

Task<bool> fill_page(Database& database, const TableInfo& table, const IndexInfo& index, const storage::Page& page) {
  for (size_t i = 0; i < page.size(); ++i) {
    const auto item = model::decode_item(page[i].value);
    if (!item.ok()) co_return false;
    std::optional<Key> entry = index_key(table, index, *item);
    if (!entry) continue;
    std::vector<Key> keys{item_key(table, *item), std::move(*entry)};
    std::string view;
    model::encode_item(index_view(table, index, *item), view);
    if (!co_await fill_one(database, index, std::move(keys), page[i].version, std::move(view))) co_return false;
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

IndexInfo* index_of(TableInfo& table, uint16_t index_id) {
  const auto found = std::ranges::find(table.indexes, index_id, &IndexInfo::id);
  return found == table.indexes.end() ? nullptr : &*found;
}

Task<void> fill_index_job(Database& database, std::string name, uint32_t table_id, uint16_t index_id,
                          std::stop_token stop) {
  const Catalog::Change begin = [=](TableInfo& info) {
    if (IndexInfo* index = index_of(info, index_id); info.id == table_id && index != nullptr) index->backfilling = true;
    return Result<void>();
  };
  auto begun = co_await database.catalog().change(name, begin);
  if (!begun.ok() || !drain(database, **begun, stop)) co_return;
  const Table table = *begun;
  const auto index = std::ranges::find(table->indexes, index_id, &IndexInfo::id);
  if (index == table->indexes.end() || index->status != Status::kCreating) co_return;
  if (!co_await fill_all(database, table, *index, stop)) co_return;
  const Catalog::Change finish = [=](TableInfo& info) {
    IndexInfo* filled = index_of(info, index_id);
    if (info.id != table_id || filled == nullptr || filled->status != Status::kCreating) return Result<void>();
    filled->status = Status::kActive;
    filled->backfilling = false;
    return Result<void>();
  };
  auto finished = co_await database.catalog().change(name, finish);
  if (!finished.ok()) co_return;
}

Task<void> drop_index_job(Database& database, std::string name, uint32_t table_id, uint16_t index_id,
                          std::stop_token stop) {
  if (!pause(stop, database.options().deleting_ms)) co_return;
  {
    const Table table = find_table(database, name, table_id);
    if (table == nullptr || !drain(database, *table, stop)) co_return;
  }
  const storage::Range range = rows_of(model::index_prefix(table_id, index_id));
  auto erased = co_await database.engine().erase_range(range);
  if (!erased.ok()) co_return;
  const Catalog::Change forget = [=](TableInfo& info) {
    if (info.id == table_id) {
      std::erase_if(info.indexes, [=](const IndexInfo& index) { return index.id == index_id; });
    }
    return Result<void>();
  };
  auto forgotten = co_await database.catalog().change(name, forget);
  if (!forgotten.ok()) co_return;
}

Task<void> drop_table_job(Database& database, std::string name, uint32_t table_id, std::stop_token stop) {
  if (!pause(stop, database.options().deleting_ms)) co_return;
  const Table table = find_table(database, name, table_id);
  if (table == nullptr || !drain(database, *table, stop)) co_return;
  const storage::Range range = rows_of(table_prefix(table_id));
  auto erased = co_await database.engine().erase_range(range);
  if (!erased.ok()) co_return;
  auto removed = co_await database.catalog().remove(table);
  if (!removed.ok()) co_return;
}

// Counts one index's rows, or the items themselves.
Task<void> count_rows(Database& database, Table table, uint16_t index_id, Tally& tally, std::stop_token stop) {
  storage::Range range = rows_of(model::index_prefix(table->id, index_id));
  for (bool more = true; more && !stop.stop_requested();) {
    auto scanned = co_await database.engine().scan(range, storage::Direction::kAscending, kPageRows, kPageBytes);
    if (!scanned.ok()) co_return;
    const storage::Page page = std::move(scanned).value();
    for (size_t i = 0; i < page.size(); ++i) {
      const auto bytes = model::encoded_item_size(page[i].value);
      ++tally.items;
      if (bytes.ok()) tally.bytes += static_cast<int64_t>(*bytes);
    }
    more = page.more;
    if (more) range.begin = std::string(page[page.size() - 1].key) + '\0';
  }
}

Task<void> count_job(Database& database, std::string name, std::stop_token stop) {
  const Table table = database.catalog().find(name);
  if (table == nullptr) co_return;
  co_await count_rows(database, table, model::kBaseIndex, *table->tally, stop);
  for (const auto& index : table->indexes) co_await count_rows(database, table, index.id, *index.tally, stop);
}

}  // namespace

void schedule_index_fill(Database& database, Table table, uint16_t index_id) {
  database.background().add([&database, name = table->name, id = table->id, index_id](std::stop_token stop) {
    return fill_index_job(database, name, id, index_id, stop);
  });
}

void schedule_index_drop(Database& database, Table table, uint16_t index_id) {
  database.background().add([&database, name = table->name, id = table->id, index_id](std::stop_token stop) {
    return drop_index_job(database, name, id, index_id, stop);
  });
}

void schedule_table_drop(Database& database, Table table) {
  database.background().add([&database, name = table->name, id = table->id](std::stop_token stop) {
    return drop_table_job(database, name, id, stop);
  });
}

void schedule_count(Database& database, std::string name) {
  database.background().add(
      [&database, name = std::move(name)](std::stop_token stop) { return count_job(database, name, stop); });
}

void count_token(Database& database) {
  constexpr uint64_t kTokensBetweenSweeps = 10'000;
  static std::atomic<uint64_t> used{0};
  if (++used % kTokensBetweenSweeps == 0) {
    database.background().add([&database](std::stop_token) { return sweep_tokens(database); });
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
  database.background().add([&database](std::stop_token) { return sweep_tokens(database); });
  for (const std::string& name : database.catalog().uncounted()) schedule_count(database, name);
}

}  // namespace partita::table
