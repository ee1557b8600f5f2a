#include "table/seed_mark.h"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "table/system_rows.h"

namespace partita::table {

namespace {

storage::Key mark_key() { return system_key(SystemRow::kSeed); }

// Nothing: it goes.
Task<Result<void>> store(storage::Engine& engine, std::optional<std::string> value) {
  const storage::Decide put = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    if (value) {
      changes.put(mark_key(), *value);
    } else {
      changes.erase(mark_key());
    }
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> no_keys;
  std::vector<storage::Compare> no_compare;
  const auto stored = co_await engine.transact(std::move(no_keys), std::move(no_compare), put);
  if (!stored.ok()) co_return stored.error();
  co_return Result<void>();
}

}  // namespace

Result<SeededTables> decode_seeding(std::string_view value) {
  SeededTables tables;
  while (!value.empty()) {
    const auto name = take_sized(value);
    const auto id = take_sized(value);
    if (!name || !id) return Error(ErrorKind::kCorrupt, "The row of what --seed has made can not be read.");
    tables.emplace(*name, *id);
  }
  return tables;
}

Task<Result<std::optional<SeededTables>>> begun_seeding(storage::Engine& engine) {
  const std::vector<storage::Key> keys{mark_key()};
  auto read = co_await engine.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  if (!records[0]) co_return std::optional<SeededTables>();
  PARTITA_CO_TRY(SeededTables tables, decode_seeding(records[0]->value));
  co_return std::optional<SeededTables>(std::move(tables));
}

Task<Result<void>> note_seeding(storage::Engine& engine, SeededTables tables) {
  std::string value;
  for (const auto& [name, id] : tables) {
    append_sized(value, name);
    append_sized(value, id);
  }
  co_return co_await store(engine, std::move(value));
}

Task<Result<void>> end_seeding(storage::Engine& engine) { co_return co_await store(engine, std::nullopt); }

}  // namespace partita::table
