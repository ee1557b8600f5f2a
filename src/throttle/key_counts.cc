#include "throttle/key_counts.h"

#include <algorithm>
#include <utility>

namespace partita::throttle {

namespace {

std::vector<KeyCounts::Key> heaviest_of(const HeavyKeys& keys) {
  std::vector<KeyCounts::Key> heaviest;
  for (HeavyKeys::Count& count : keys.counts()) {
    if (count.weight > count.error) heaviest.push_back({std::move(count.key), count.weight - count.error});
  }
  std::ranges::sort(heaviest, [](const KeyCounts::Key& one, const KeyCounts::Key& other) {
    return one.value != other.value ? one.value > other.value : one.key < other.key;
  });
  if (heaviest.size() > KeyCounts::kReportedKeys) heaviest.resize(KeyCounts::kReportedKeys);
  return heaviest;
}

}  // namespace

void KeyCounts::add(table::InsightRuleKind partitions, table::InsightRuleKind items, std::string_view partition,
                    std::string_view item, uint64_t weight) {
  if (weight == 0) return;
  const MutexLock lock(mutex_);
  for (const auto& [kind, key] : {std::pair(partitions, partition), std::pair(items, item)}) {
    if (key.empty()) continue;
    std::optional<Counts>& counts = counts_[static_cast<size_t>(kind)];
    if (!counts) counts.emplace();
    counts->keys.add(key, weight);
    ++counts->events;
  }
}

std::vector<KeyCounts::Summary> KeyCounts::drain() {
  decltype(counts_) counts;
  {
    const MutexLock lock(mutex_);
    std::swap(counts, counts_);
  }
  std::vector<Summary> summaries;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (!counts[i]) continue;
    summaries.push_back({static_cast<table::InsightRuleKind>(i), counts[i]->keys.total(), counts[i]->events,
                         heaviest_of(counts[i]->keys)});
  }
  return summaries;
}

}  // namespace partita::throttle
