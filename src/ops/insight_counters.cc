#include "ops/insight_counters.h"

#include <algorithm>

#include "model/key.h"
#include "throttle/partition.h"

namespace partita::ops {

namespace {

using table::Access;
using table::IndexInfo;
using table::TableInfo;
using table::Verb;
using throttle::KeyCounts;
using throttle::Reservations;

constexpr size_t kHashBytes = sizeof(uint64_t);

// The keys of a position; views of it. `item` is empty without a sort key, and both if the position is no whole key.
struct Keys {
  std::string_view partition;
  std::string_view item;
};

Keys keys_of(const model::KeySchema& schema, std::string_view position) {
  if (position.size() <= kHashBytes) return {};
  position.remove_prefix(kHashBytes);
  std::string_view rest = position;
  if (!model::take_key_values(schema.partition, rest)) return {};
  Keys keys{position.substr(0, position.size() - rest.size()), {}};
  if (schema.sort.empty() || !model::take_key_values(schema.sort, rest)) return keys;
  keys.item = position.substr(0, position.size() - rest.size());
  return keys;
}

// The partition key of a Query.
std::string queried_key(const expr::KeyRange& range) {
  std::string key;
  for (const model::AttributeValue& value : range.partition) model::append_key_value(value, key);
  return key;
}

const IndexInfo* payer_of(const Access& access) {
  return access.index != nullptr && access.index->is_global_secondary() ? access.index : nullptr;
}

uint64_t weight_of(const api::Capacity& units) {
  return static_cast<uint64_t>(throttle::weight_of(throttle::AccessKind::kRead, units.read) +
                               throttle::weight_of(throttle::AccessKind::kWrite, units.write));
}

// Calls `use` with the keys of an access. Scans and searches have none.
template <class Use>
void with_keys(const Access& access, const IndexInfo* payer, Use use) {
  if (access.verb == Verb::kQuery) return use(Keys{queried_key(*access.range), {}});
  if (access.verb > Verb::kCheck) return;
  use(keys_of(payer == nullptr ? access.table->keys : payer->keys, access.position));
}

}  // namespace

void InsightCounters::follow(const table::Catalog& catalog) {
  const uint64_t changes = catalog.changes();
  {
    const ReaderLock lock(mutex_);
    if (followed_ == changes) return;
  }
  const WriterLock lock(mutex_);
  std::map<Of, Counted> before;
  before.swap(counted_);
  std::map<Of, Counted> now;
  const auto add = [&](const Of& of, const std::optional<table::Insights>& insights) {
    if (!insights || !insights->enabled || insights->failed) return false;
    std::shared_ptr<KeyCounts> counts = std::move(before[of].counts);
    if (counts == nullptr) counts = std::make_shared<KeyCounts>();
    now[of] = {!insights->throttled_only, std::move(counts)};
    return !insights->throttled_only;
  };
  std::vector<std::shared_ptr<table::MetersKept>> watched;
  for (const table::Table& table : catalog.all()) {
    bool accesses = add({table->id, model::kBaseIndex}, table->insights);
    for (const IndexInfo& index : table->indexes) {
      if (index.is_global_secondary()) accesses = add({table->id, index.id}, index.insights) || accesses;
    }
    if (!accesses) continue;
    table->meters->watch(table::KeyWatch::kInsights, true);
    watched.push_back(table->meters);
  }
  counted_.swap(now);
  watched_.swap(watched);
  for (const auto& meters : watched) {
    if (std::ranges::find(watched_, meters) == watched_.end()) meters->watch(table::KeyWatch::kInsights, false);
  }
  followed_ = changes;
}

void InsightCounters::follow_other(const table::Catalog& catalog) {
  {
    const WriterLock lock(mutex_);
    if (std::exchange(followed_, kNothing) == kNothing) return;
  }
  follow(catalog);
}

std::shared_ptr<KeyCounts> InsightCounters::counts_of(const TableInfo& table, const IndexInfo* index,
                                                      bool throttled) const {
  const ReaderLock lock(mutex_);
  const auto found = counted_.find({table.id, index == nullptr ? model::kBaseIndex : index->id});
  if (found == counted_.end() || (!throttled && !found->second.accesses)) return nullptr;
  return found->second.counts;
}

void InsightCounters::count_index_rows(const Access& access, const api::ConsumedCapacity& consumed,
                                       std::span<const Reservations::IndexKey> index_keys) const {
  for (const auto& [name, units] : consumed.global_indexes) {
    const IndexInfo* const index = access.table->find_index(name);
    const auto counts = index == nullptr ? nullptr : counts_of(*access.table, index, false);
    if (counts == nullptr) continue;
    const auto is_its = [&](const Reservations::IndexKey& key) {
      return key.index->id == index->id && key.item == access.position.data();
    };
    auto parts = static_cast<uint64_t>(std::ranges::count_if(index_keys, is_its));
    uint64_t left = weight_of(units);
    for (const Reservations::IndexKey& key : index_keys) {
      if (!is_its(key)) continue;
      const Keys keys = keys_of(index->keys, key.position);
      counts->add_access(keys.partition, keys.item, left / parts);
      left -= left / parts--;
    }
  }
}

void InsightCounters::count(const Access& access, const api::ConsumedCapacity& consumed,
                            std::span<const Reservations::IndexKey> index_keys) {
  const IndexInfo* const payer = payer_of(access);
  if (payer == nullptr && !consumed.global_indexes.empty()) count_index_rows(access, consumed, index_keys);
  const auto counts = counts_of(*access.table, payer, false);
  if (counts == nullptr) return;
  api::Capacity units = consumed.base;
  for (const auto& [name, of_index] : consumed.local_indexes) units += of_index;
  if (payer != nullptr) {
    for (const auto& [name, of_index] : consumed.global_indexes) units += of_index;
  }
  with_keys(access, payer, [&](const Keys& keys) { counts->add_access(keys.partition, keys.item, weight_of(units)); });
}

void InsightCounters::count_throttle(const Access& access, const IndexInfo* index) {
  const auto counts = counts_of(*access.table, index, true);
  if (counts == nullptr) return;
  with_keys(access, index, [&](const Keys& keys) { counts->add_throttle(keys.partition, keys.item); });
}

std::vector<metrics::InsightMinute> InsightCounters::take() {
  std::vector<metrics::InsightMinute> all;
  const ReaderLock lock(mutex_);
  for (const auto& [of, counted] : counted_) {
    for (KeyCounts::Summary& summary : counted.counts->drain()) {
      metrics::InsightMinute& minute = all.emplace_back();
      minute.of = {of.first, of.second, summary.kind};
      minute.total = summary.total;
      minute.events = summary.events;
      for (KeyCounts::Key& key : summary.keys) minute.keys.push_back({std::move(key.key), key.value});
    }
  }
  return all;
}

}  // namespace partita::ops
