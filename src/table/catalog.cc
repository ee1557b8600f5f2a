#include "table/catalog.h"

#include <algorithm>
#include <mutex>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_codec.h"

namespace partita::table {

namespace {

using model::Fault;
using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

constexpr uint32_t kCatalogId = 0;
constexpr uint32_t kFirstTableId = 1;
constexpr char kTableRow = 'T';
constexpr char kTallyRow = 'S';
constexpr char kNextIdRow = 'N';
constexpr size_t kLoadPage = 1000;
constexpr size_t kLoadPageBytes = 4 << 20;

Key catalog_key(char kind, std::string_view name) {
  Key key;
  append_u32(key.bytes, kCatalogId);
  key.bytes.push_back(kind);
  key.place = static_cast<uint32_t>(key.bytes.size());
  key.bytes.append(name);
  return key;
}

storage::Range rows_of(char kind) {
  const std::string begin = catalog_key(kind, {}).bytes;
  return {begin, prefix_end(begin).value_or("")};
}

std::string encoded(const TableInfo& info) {
  std::string bytes;
  model::encode_item(to_item(info), bytes);
  return bytes;
}

Result<TableInfo> decoded(std::string_view bytes) {
  PARTITA_TRY(const model::Item item, model::decode_item(bytes));
  return table_from_item(item);
}

// Tallies are stored as items: one attribute for the table ("0") and one for each index id, a list of two numbers.
void put_tally(model::Item& item, uint16_t id, const Tally& tally) {
  model::AttributeValue::List pair;
  pair.push_back(model::AttributeValue::number(model::Number::of(tally.items.load())));
  pair.push_back(model::AttributeValue::number(model::Number::of(tally.bytes.load())));
  item.set(std::to_string(id), model::AttributeValue::list(std::move(pair)));
}

bool take_tally(const model::Item& item, uint16_t id, Tally& tally) {
  const auto* pair = item.find(std::to_string(id));
  if (pair == nullptr || !pair->is(model::Type::kL) || pair->as_list().size() != 2) return false;
  const auto& list = pair->as_list();
  if (!list[0].is(model::Type::kN) || !list[1].is(model::Type::kN)) return false;
  tally.items = list[0].as_number().to_int64().value_or(0);
  tally.bytes = list[1].as_number().to_int64().value_or(0);
  return true;
}

bool take_tallies_of(const model::Item& item, const TableInfo& table) {
  bool whole = take_tally(item, model::kBaseIndex, *table.tally);
  for (const auto& index : table.indexes) whole &= take_tally(item, index.id, *index.tally);
  return whole;
}

void share_tallies(const TableInfo& live, TableInfo& info) {
  info.tally = live.tally;
  for (auto& index : info.indexes) {
    const auto same = std::ranges::find(live.indexes, index.id, &IndexInfo::id);
    if (same != live.indexes.end()) index.tally = same->tally;
  }
}

}  // namespace

Task<Result<void>> Catalog::load() {
  storage::Range range = rows_of(kTableRow);
  for (bool more = true; more;) {
    auto scanned = co_await engine_.scan(range, storage::Direction::kAscending, kLoadPage, kLoadPageBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    for (size_t i = 0; i < page.size(); ++i) {
      PARTITA_CO_TRY(TableInfo info, decoded(page[i].value));
      publish(std::make_shared<const TableInfo>(std::move(info)), Published::kNew);
    }
    more = page.more;
    if (more) range.begin = std::string(page[page.size() - 1].key) + '\0';
  }
  co_return co_await take_tallies();
}

Task<Result<void>> Catalog::take_tallies() {
  const storage::Range range = rows_of(kTallyRow);
  for (const Table& table : all()) {
    const std::vector<Key> keys{catalog_key(kTallyRow, table->name)};
    auto read = co_await engine_.read(keys);
    PARTITA_CO_TRY(const auto records, std::move(read));
    bool known = false;
    if (records[0]) {
      PARTITA_CO_TRY(const model::Item item, model::decode_item(records[0]->value));
      known = take_tallies_of(item, *table);
    }
    if (!known) uncounted_.insert(table->id);
  }
  co_return co_await engine_.erase_range(range);
}

Task<Result<void>> Catalog::store_tallies() {
  Changes stored;
  for (const Table& table : all()) {
    if (is_uncounted(*table)) continue;
    model::Item item;
    put_tally(item, model::kBaseIndex, *table->tally);
    for (const auto& index : table->indexes) put_tally(item, index.id, *index.tally);
    std::string bytes;
    model::encode_item(item, bytes);
    stored.put(catalog_key(kTallyRow, table->name), std::move(bytes));
  }
  const storage::Decide decide = [&](std::span<const Record* const>, Changes& changes) {
    changes = stored;
    return Decision::kCommit;
  };
  std::vector<Key> keys;
  std::vector<storage::Compare> compare;
  auto outcome = co_await engine_.transact(std::move(keys), std::move(compare), decide);
  if (!outcome.ok()) co_return std::move(outcome).error();
  co_return Result<void>();
}

bool Catalog::is_uncounted(const TableInfo& table) const {
  std::shared_lock lock(mutex_);
  return uncounted_.contains(table.id);
}

void Catalog::mark_counted(const TableInfo& table) {
  std::unique_lock lock(mutex_);
  uncounted_.erase(table.id);
}

bool Catalog::older_in_use(const TableInfo& table) const {
  std::shared_lock lock(mutex_);
  return std::ranges::any_of(superseded_, [&](const std::weak_ptr<const TableInfo>& watched) {
    const Table version = watched.lock();
    return version != nullptr && version->id == table.id && version->revision < table.revision;
  });
}

Table Catalog::find(std::string_view name) const {
  std::shared_lock lock(mutex_);
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second;
}

std::vector<std::string> Catalog::names(std::string_view after, size_t limit) const {
  std::shared_lock lock(mutex_);
  std::vector<std::string> names;
  for (auto it = tables_.upper_bound(after); it != tables_.end() && names.size() < limit; ++it) {
    names.push_back(it->first);
  }
  return names;
}

std::vector<Table> Catalog::all() const {
  std::shared_lock lock(mutex_);
  std::vector<Table> tables;
  for (const auto& [name, table] : tables_) tables.push_back(table);
  return tables;
}

void Catalog::publish(const Table& table, Published what) {
  std::unique_lock lock(mutex_);
  const auto found = tables_.find(table->name);
  if (found == tables_.end()) {
    // A change of a table that was removed meanwhile does not bring it back.
    if (what == Published::kNew) tables_.emplace(table->name, table);
    return;
  }
  Table& current = found->second;
  // Commits of two changes may be announced in either order.
  if (current->id < table->id || (current->id == table->id && current->revision < table->revision)) {
    std::erase_if(superseded_, [](const std::weak_ptr<const TableInfo>& watched) { return watched.expired(); });
    superseded_.push_back(current);
    current = table;
  }
}

Task<Result<Table>> Catalog::create(TableInfo info) {
  bool exists = false;
  const std::vector<Key> keys{catalog_key(kTableRow, info.name), catalog_key(kNextIdRow, {})};
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    exists = found[0] != nullptr;
    if (exists) return Decision::kRefuse;
    std::string_view stored = found[1] == nullptr ? std::string_view() : found[1]->value;
    info.id = take_u32(stored).value_or(kFirstTableId);
    std::string next;
    append_u32(next, info.id + 1);
    changes.put(keys[0], encoded(info));
    changes.put(keys[1], std::move(next));
    return Decision::kCommit;
  };
  std::vector<storage::Compare> compare;
  auto outcome = co_await engine_.transact(keys, std::move(compare), decide);
  if (!outcome.ok()) co_return std::move(outcome).error();
  if (exists) {
    std::vector<std::string> args{info.name};
    co_return model::refuse(Fault::kTableExists, std::move(args));
  }
  Table table = std::make_shared<const TableInfo>(std::move(info));
  publish(table, Published::kNew);
  co_return table;
}

Task<Result<Table>> Catalog::change(std::string name, Change change) {
  const std::vector<Key> keys{catalog_key(kTableRow, name)};
  Table published;
  Result<void> refusal;
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    const Table current = find(name);
    if (found[0] == nullptr || current == nullptr) {
      refusal = model::refuse(Fault::kTableNotFound, {name});
      return Decision::kRefuse;
    }
    auto stored = decoded(found[0]->value);
    if (!stored.ok()) {
      refusal = std::move(stored).error();
      return Decision::kRefuse;
    }
    TableInfo info = std::move(stored).value();
    if (info.id != current->id) {  // a new table of that name, not announced yet
      refusal = model::refuse(Fault::kTableNotFound, {name});
      return Decision::kRefuse;
    }
    share_tallies(*current, info);
    refusal = change(info);
    if (!refusal.ok()) return Decision::kRefuse;
    ++info.revision;
    changes.put(keys[0], encoded(info));
    published = std::make_shared<const TableInfo>(std::move(info));
    return Decision::kCommit;
  };
  std::vector<storage::Compare> compare;
  auto outcome = co_await engine_.transact(keys, std::move(compare), decide);
  if (!outcome.ok()) co_return std::move(outcome).error();
  if (!refusal.ok()) co_return std::move(refusal).error();
  publish(published, Published::kChanged);
  co_return published;
}

Task<Result<void>> Catalog::remove(Table table) {
  const std::vector<Key> keys{catalog_key(kTableRow, table->name)};
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    if (found[0] == nullptr) return Decision::kRefuse;
    const auto stored = decoded(found[0]->value);
    if (stored.ok() && stored->id != table->id) return Decision::kRefuse;
    changes.erase(keys[0]);
    return Decision::kCommit;
  };
  std::vector<storage::Compare> compare;
  auto outcome = co_await engine_.transact(keys, std::move(compare), decide);
  if (!outcome.ok()) co_return std::move(outcome).error();
  std::unique_lock lock(mutex_);
  const auto found = tables_.find(table->name);
  if (found != tables_.end() && found->second->id == table->id) tables_.erase(found);
  co_return Result<void>();
}

}  // namespace partita::table
