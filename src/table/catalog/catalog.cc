#include "table/catalog/catalog.h"

#include <algorithm>
#include <set>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/catalog/second_copies.h"
#include "table/rows/expiry_rows.h"
#include "table/rows/job_row.h"
#include "table/rows/row_maker.h"
#include "table/rows/sink_rows.h"
#include "table/rows/stream_rows.h"
#include "table/rows/system_rows.h"
#include "table/rows/vector_rows.h"

namespace partita::table {

namespace {

using model::AttributeValue;
using model::Fault;
using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

constexpr uint32_t kFirstTableId = 1;
constexpr size_t kLoadPage = 1000;
constexpr size_t kLoadPageBytes = 4 << 20;

// A server refuses tables with any other.
constexpr std::array<std::string_view, 5> kKnownFeatures{"streams", kTtlFeature, kVectorFeature, kSinkFeature,
                                                         kChangeSinkFeature};

std::string encoded(const TableInfo& info) {
  model::Item item = to_item(info);
  std::string counting;
  for (const Counting& one : info.counting) {
    append_u16(counting, one.index);
    append_u64(counting, one.run);
  }
  item.set("counting", AttributeValue::binary(std::move(counting)));
  AttributeValue::List features;
  for (const auto& feature : info.features) features.push_back(AttributeValue::string(feature));
  item.set("features", AttributeValue::list(std::move(features)));
  return model::encode_item(item);
}

Error damaged_table() { return Error(ErrorKind::kCorrupt, "a table's entry in the catalogue is damaged"); }

Result<TableInfo> decode_table(std::string_view bytes) {
  PARTITA_TRY(const model::Item item, model::decode_item(bytes));
  PARTITA_TRY(TableInfo info, table_from_item(item));
  if (const auto* counting = item.find("counting"); counting != nullptr && counting->is(model::Type::kB)) {
    std::string_view rest = counting->as_bytes();
    while (!rest.empty()) {
      const auto index = take_u16(rest);
      const auto run = take_u64(rest);
      if (!index || !run) return damaged_table();
      info.counting.push_back({*index, *run});
    }
  }
  if (const auto* features = item.find("features"); features != nullptr && features->is(model::Type::kL)) {
    for (const auto& feature : features->as_list()) {
      if (!feature.is(model::Type::kS)) return damaged_table();
      info.features.push_back(feature.as_string());
    }
  }
  return info;
}

void share_tallies(const TableInfo& live, TableInfo& info) {
  info.tally = live.tally;
  info.meters = live.meters;
  info.limits = live.limits;
  info.units = live.units;
  for (auto& index : info.indexes) {
    const auto same = std::ranges::find(live.indexes, index.id, &IndexInfo::id);
    if (same == live.indexes.end()) continue;
    index.tally = same->tally;
    index.limits = same->limits;
    index.costs = same->costs;
  }
}

const IndexInfo* index_of(const TableInfo& table, uint16_t id) {
  const auto found = std::ranges::find(table.indexes, id, &IndexInfo::id);
  return found == table.indexes.end() ? nullptr : &*found;
}

void put_job(JobKind kind, const TableInfo& table, uint16_t index_id, Changes& changes) {
  Job job;
  job.kind = kind;
  job.table_id = table.id;
  job.index_id = index_id;
  job.table = table.name;
  changes.put(job_key(job), job_row(job));
}

// Whether the change takes the table out of the catalogue.
bool is_dropped(const TableInfo& before, const TableInfo& after) {
  return after.status == Status::kDeleting && before.status != Status::kDeleting;
}

// The job has to know what the description is not there any more to tell.
void put_drop_job(const TableInfo& table, Changes& changes) {
  Job job;
  job.kind = JobKind::kDropTable;
  job.table_id = table.id;
  job.table = table.name;
  job.forgotten = true;
  for (const Counting& one : table.counting) job.topics.push_back(counting_topic(table.id, one.index, one.run));
  for (const IndexInfo& index : table.indexes) {
    if (index.vector) job.topics.push_back(vector_topic(table.id, index.id));
  }
  for (const uint16_t number : table.sinks) {
    for (size_t slice = 0; slice < kSinkSlices; ++slice) job.topics.push_back(sink_topic(table.id, number, slice));
  }
  changes.put(job_key(job), job_row(job));
}

// The work that a change begins.
void put_jobs(const TableInfo& before, const TableInfo& after, bool counts_already, Changes& changes) {
  for (const auto& index : after.indexes) {
    const IndexInfo* old = index_of(before, index.id);
    if (old != nullptr && old->status == index.status) continue;
    if (index.status == Status::kCreating) put_job(JobKind::kFillIndex, after, index.id, changes);
    if (index.status == Status::kDeleting) put_job(JobKind::kDropIndex, after, index.id, changes);
  }
  if (is_dropped(before, after)) put_drop_job(after, changes);
  if (after.ttl != before.ttl) {
    if (before.ttl) put_job(JobKind::kDropExpiry, after, model::kBaseIndex, changes);
    if (after.ttl) put_job(JobKind::kFillExpiry, after, model::kBaseIndex, changes);
  }
  if (after.counting.size() > before.counting.size() && !counts_already) {
    put_job(JobKind::kCount, after, model::kBaseIndex, changes);
  }
}

// An index that is gone, or going, is not counted any more.
void prune_counting(TableInfo& table) {
  std::erase_if(table.counting, [&](const Counting& one) {
    if (one.index == model::kBaseIndex) return false;
    const IndexInfo* index = index_of(table, one.index);
    return index == nullptr || index->status == Status::kDeleting;
  });
}

// The number in a row that holds nothing else, or `absent` when there is none.
template <class Number>
Result<Number> number_in(const Record* record, Number absent, std::optional<Number> (*take)(std::string_view&)) {
  if (record == nullptr) return absent;
  std::string_view bytes = record->value;
  const std::optional<Number> number = take(bytes);
  if (!number || !bytes.empty()) return Error(ErrorKind::kCorrupt, "a number of the catalogue is damaged");
  return *number;
}

Result<uint64_t> revision_in(const Record* record) { return number_in<uint64_t>(record, 0, take_u64); }

void put_revision(const Key& key, uint64_t revision, Changes& changes) {
  std::string bytes;
  append_u64(bytes, revision);
  put_twice(key, std::move(bytes), changes);
}

Error not_found(const std::string& name) { return model::refuse(Fault::kTableNotFound, {name}); }

Error will_not() { return Error(ErrorKind::kConflict, "another server has taken this over"); }

}  // namespace

storage::Key table_key(std::string_view name) { return system_key(SystemRow::kTable, name); }

Result<void> Catalog::check_features(const TableInfo& table) {
  for (const std::string& feature : table.features) {
    if (std::ranges::find(kKnownFeatures, feature) == kKnownFeatures.end()) {
      return model::refuse(Fault::kTableOfNewerVersion, {table.name, feature});
    }
  }
  return {};
}

void Catalog::start_counting(TableInfo& table, uint16_t index_id) {
  std::erase_if(table.counting, [=](const Counting& one) { return one.index == index_id; });
  table.counting.push_back({index_id, table.revision + 1});
}

Table Catalog::find(std::string_view name) const {
  const ReaderLock lock(mutex_);
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second;
}

std::vector<Table> Catalog::all() const {
  const ReaderLock lock(mutex_);
  std::vector<Table> tables;
  for (const auto& [name, table] : tables_) tables.push_back(table);
  return tables;
}

Task<Result<std::vector<std::string>>> Catalog::names(std::string after, size_t limit) {
  storage::Range range = system_rows(SystemRow::kTable);
  const size_t prefix = range.begin.size();
  if (!after.empty()) range = storage::behind(table_key(after).bytes, std::move(range));
  std::vector<std::string> names;
  for (bool more = true; more && names.size() < limit;) {
    auto scanned = co_await engine_.scan(range, storage::Direction::kAscending, limit - names.size(), kLoadPageBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    for (size_t i = 0; i < page.size(); ++i) names.emplace_back(page[i].key.substr(prefix));
    more = storage::advance(range, page);
  }
  co_return names;
}

uint64_t Catalog::removals() const {
  const ReaderLock lock(mutex_);
  return removals_;
}

Catalog::Published Catalog::publish(TableInfo info, storage::Version version, uint64_t removals) {
  const WriterLock lock(mutex_);
  const auto found = tables_.find(info.name);
  const bool same_table = found != tables_.end() && found->second->id == info.id;
  if (same_table) {
    // Changes may be announced in any order, and an older one never replaces a newer.
    if (found->second->revision == info.revision) return {found->second};
    share_tallies(*found->second, info);
  }
  info.version = version;
  info.needed = needed_attributes(info);
  std::ranges::copy_if(row_makers_, std::back_inserter(info.row_makers),
                       [&](const RowMaker* maker) { return maker->applies_to(info); });
  info.slots = std::make_shared<CountSlots>(info.id, info.revision, std::pair(origin_, slot_groups_++));
  Table table = std::make_shared<const TableInfo>(std::move(info));
  if (!same_table && removals != removals_) return {table, false};
  changes_.fetch_add(1, std::memory_order_release);
  if (found == tables_.end()) {
    tables_.emplace(table->name, table);
  } else if (std::pair(found->second->id, found->second->revision) < std::pair(table->id, table->revision)) {
    found->second = table;
  }
  return {table};
}

void Catalog::remove(const TableInfo& table) {
  const WriterLock lock(mutex_);
  ++removals_;
  changes_.fetch_add(1, std::memory_order_release);
  const auto found = tables_.find(table.name);
  if (found != tables_.end() && found->second->id <= table.id) tables_.erase(found);
}

void Catalog::saw_revision(uint64_t before, uint64_t after) {
  const WriterLock lock(mutex_);
  if (revision_ == before) revision_ = after;
}

Task<Result<Table>> Catalog::look_up(std::string name) {
  const std::vector<Key> keys{table_key(name)};
  while (true) {
    const uint64_t before = removals();
    const Table known = find(name);
    auto read = co_await engine_.read(keys);
    PARTITA_CO_TRY(const auto records, std::move(read));
    if (!records[0]) {
      if (known != nullptr) remove(*known);
      co_return Table();
    }
    PARTITA_CO_TRY(TableInfo info, decode_table(records[0]->value));
    Published published = publish(std::move(info), records[0]->version, before);
    if (published.entered) co_return std::move(published.table);
  }
}

Task<Result<void>> Catalog::look_again() {
  const int64_t now_ns = clock_.monotonic_ns();
  std::vector<Key> keys{system_key(SystemRow::kRevision)};
  if (follower_ != nullptr) keys.push_back(account_version_key());
  while (true) {
    auto read = co_await engine_.read(keys);
    PARTITA_CO_TRY(const auto records, std::move(read));
    if (follower_ != nullptr) {
      const AccountVersion account = records[1] ? AccountVersion(records[1]->version) : AccountVersion();
      PARTITA_CO_TRY_VOID(co_await follower_->on_version(account));
    }
    PARTITA_CO_TRY(const uint64_t revision, revision_in(records[0] ? &*records[0] : nullptr));
    bool same = false;
    {
      const ReaderLock lock(mutex_);
      same = loaded_ && revision == revision_;
    }
    if (!same) {
      PARTITA_CO_TRY(const bool read_whole, co_await read_all());
      if (!read_whole) continue;
      const WriterLock lock(mutex_);
      revision_ = revision;
      loaded_ = true;
    }
    looked_at_ns_.store(now_ns, std::memory_order_relaxed);
    co_return Result<void>();
  }
}

// False when a table was found gone meanwhile: then what was read may be older than that.
Task<Result<bool>> Catalog::read_all() {
  const uint64_t before = removals();
  const std::vector<Table> known = all();
  std::set<std::string, std::less<>> seen;
  storage::Range range = system_rows(SystemRow::kTable);
  for (bool more = true; more;) {
    auto scanned = co_await engine_.scan(range, storage::Direction::kAscending, kLoadPage, kLoadPageBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    for (size_t i = 0; i < page.size(); ++i) {
      PARTITA_CO_TRY(TableInfo info, decode_table(page[i].value));
      seen.insert(info.name);
      if (!publish(std::move(info), page[i].version, before).entered) co_return false;
    }
    more = storage::advance(range, page);
  }
  const WriterLock lock(mutex_);
  ++removals_;  // a reader that started before must not publish the removed table again
  changes_.fetch_add(1, std::memory_order_release);
  for (const Table& table : known) {
    const auto found = tables_.find(table->name);
    if (!seen.contains(table->name) && found != tables_.end() && found->second->id == table->id) tables_.erase(found);
  }
  co_return true;
}

// Whatever became of the row that says which id is next, no new table shows the rows of another.
Task<Result<uint32_t>> Catalog::least_id() {
  uint32_t least = least_id_.load(std::memory_order_relaxed);
  if (least != 0) co_return least;
  PARTITA_CO_TRY(const uint32_t highest, co_await highest_table_id(engine_));
  least = std::max(kFirstTableId, highest + 1);
  for (const Table& table : all()) least = std::max(least, table->id + 1);
  least_id_.store(least, std::memory_order_relaxed);
  co_return least;
}

Task<Result<Table>> Catalog::create(TableInfo info, ExtraWrites extra) {
  PARTITA_CO_TRY(const uint32_t least, co_await least_id());
  bool exists = false;
  uint64_t revision = 0;
  Result<void> damage;
  bool label_taken = false;
  std::vector<Key> keys{table_key(info.name), system_key(SystemRow::kNextId), system_key(SystemRow::kRevision)};
  if (info.stream.enabled) keys.push_back(stream_row_key(info.name, info.stream.label));
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    exists = found[0] != nullptr;
    label_taken = !exists && info.stream.enabled && found[3] != nullptr;
    if (exists || label_taken) return Decision::kRefuse;
    auto id = number_in<uint32_t>(found[1], kFirstTableId, take_u32);
    auto last = revision_in(found[2]);
    damage = Result<void>();
    if (!id.ok()) damage = std::move(id).error();
    if (!last.ok()) damage = std::move(last).error();
    if (!damage.ok()) return Decision::kRefuse;
    info.id = std::max(*id, least);
    revision = *last;
    std::string next;
    append_u32(next, info.id + 1);
    put_twice(keys[0], encoded(info), changes);
    put_twice(keys[1], std::move(next), changes);
    put_revision(keys[2], revision + 1, changes);
    std::string counts;
    encode_counts({}, counts);
    changes.put(base_count_key(info.id), std::move(counts));
    put_stream({}, info, clock_.now_ms(), changes);
    if (extra) extra(info, changes);
    return Decision::kCommit;
  };
  storage::Version version{};
  std::vector<storage::Compare> none;
  const uint64_t before = removals();
  auto outcome = co_await engine_.transact(keys, std::move(none), decide, &version);
  if (!outcome.ok()) co_return std::move(outcome).error();
  if (exists) {
    std::vector<std::string> args{info.name};
    co_return model::refuse(Fault::kTableExists, std::move(args));
  }
  if (label_taken) co_return Table();
  if (!damage.ok()) co_return std::move(damage).error();
  Published published = publish(std::move(info), version, before);
  if (published.entered) saw_revision(revision, revision + 1);
  co_return std::move(published.table);
}

struct Catalog::Attempt {
  const std::vector<Key>& keys;  // the table's row, the revision, its count job, the attached write's
  const Table& current;
  const Change& change;
  const AttachedWrite* attached;
  Result<void> refusal;
  bool replaced = false;  // the name is another table's now
  bool dropped = false;
  uint64_t revision = 0;
  TableInfo changed;
};

Decision Catalog::attempt(Attempt& one, std::span<const Record* const> found, Changes& changes) {
  auto refuse = [&](Error error) {
    one.refusal = std::move(error);
    return Decision::kRefuse;
  };
  one.refusal = Result<void>();
  one.replaced = false;
  if (found[0] == nullptr) return refuse(not_found(one.current->name));
  auto stored = decode_table(found[0]->value);
  if (!stored.ok()) return refuse(std::move(stored).error());
  const TableInfo before = *stored;
  TableInfo info = std::move(stored).value();
  if (auto known = check_features(info); !known.ok()) return refuse(std::move(known).error());
  one.replaced = info.id != one.current->id;
  if (one.replaced) return Decision::kRefuse;
  share_tallies(*one.current, info);
  one.refusal = one.change(info);
  if (!one.refusal.ok()) return Decision::kRefuse;
  if (info.status == Status::kDeleting && info.stream.enabled) end_stream(info);
  ++info.revision;
  prune_counting(info);
  one.dropped = is_dropped(before, info);
  if (one.dropped) {
    erase_twice(one.keys[0], changes);
  } else {
    put_twice(one.keys[0], encoded(info), changes);
  }
  auto revision = revision_in(found[1]);
  if (!revision.ok()) return refuse(std::move(revision).error());
  one.revision = *revision;
  put_revision(one.keys[1], one.revision + 1, changes);
  put_jobs(before, info, found[2] != nullptr, changes);
  put_stream(before, info, clock_.now_ms(), changes);
  if (one.attached != nullptr && !one.attached->apply(found.back(), info, changes)) return refuse(will_not());
  one.changed = std::move(info);
  return Decision::kCommit;
}

Task<Result<Table>> Catalog::change(std::string name, Change change, const AttachedWrite* attached) {
  Table current = find(name);
  while (true) {
    const uint64_t before = removals();
    if (current == nullptr) {
      PARTITA_CO_TRY(current, co_await look_up(name));
      if (current == nullptr) co_return not_found(name);
    }
    std::vector<Key> keys{table_key(name), system_key(SystemRow::kRevision),
                          job_key(JobKind::kCount, current->id, model::kBaseIndex)};
    const bool own_key = attached != nullptr && attached->key != keys[2];
    if (own_key) keys.push_back(attached->key);
    Attempt one{.keys = keys, .current = current, .change = change, .attached = attached, .refusal = {}, .changed = {}};
    const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
      return attempt(one, found, changes);
    };
    storage::Version version{};
    std::vector<storage::Compare> none;
    auto outcome = co_await engine_.transact(keys, std::move(none), decide, &version);
    if (!outcome.ok()) co_return std::move(outcome).error();
    if (one.replaced) {
      current = nullptr;
      continue;
    }
    if (!one.refusal.ok()) co_return std::move(one.refusal).error();
    if (one.dropped) {
      remove(one.changed);
      saw_revision(one.revision, one.revision + 1);
      co_return std::make_shared<const TableInfo>(std::move(one.changed));
    }
    Published published = publish(std::move(one.changed), version, before);
    if (published.entered) saw_revision(one.revision, one.revision + 1);
    co_return std::move(published.table);
  }
}

Task<Result<void>> Catalog::forget(Table table, const AttachedWrite& attached) {
  const std::vector<Key> keys{table_key(table->name), system_key(SystemRow::kRevision), attached.key};
  bool applied = false;
  bool erases = false;
  Result<uint64_t> revision = 0;
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    applied = attached.apply(found[2], *table, changes);
    if (!applied) return Decision::kRefuse;
    revision = revision_in(found[1]);
    if (!revision.ok()) return Decision::kRefuse;
    const auto stored = found[0] == nullptr ? Result<TableInfo>(damaged_table()) : decode_table(found[0]->value);
    erases = found[0] != nullptr && (!stored.ok() || stored->id == table->id);
    if (!erases) return Decision::kCommit;
    erase_twice(keys[0], changes);
    put_revision(keys[1], *revision + 1, changes);
    return Decision::kCommit;
  };
  std::vector<storage::Compare> none;
  auto outcome = co_await engine_.transact(keys, std::move(none), decide);
  if (!outcome.ok()) co_return std::move(outcome).error();
  if (!applied) co_return will_not();
  PARTITA_CO_TRY(const uint64_t before, std::move(revision));
  remove(*table);
  if (erases) saw_revision(before, before + 1);
  co_return Result<void>();
}

}  // namespace partita::table
