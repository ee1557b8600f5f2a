// The keys of one table or global index that take most of its capacity, and those whose requests are throttled most, of
// the time since the last drain(): what Contributor Insights report of a minute.
//
// A key is the encoded partition values (model/key.h), or these and the sort values. The hash in front of them is left
// out, since it follows from them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "table/control/insight_rules.h"
#include "throttle/hot_keys.h"

namespace partita::throttle {

// Callable from any thread.
class KeyCounts {
 public:
  // For each rule. A key with more than 1/128 of a minute's load is always among them.
  static constexpr size_t kMostKeys = 128;
  // The most that is kept of them: as many as a report can have ("CloudWatch contributor insights for DynamoDB: How it
  // works", developer guide).
  static constexpr size_t kReportedKeys = 25;

  struct Key {
    std::string key;
    uint64_t value = 0;  // at least; what Space-Saving may have counted of other keys is left out
  };
  struct Summary {
    table::InsightRuleKind kind{};
    uint64_t total = 0;     // of all keys
    uint64_t events = 0;    // how often add() was called
    std::vector<Key> keys;  // the greatest first
  };

  // `partition` and `item`: keys. `item` is empty for requests for several items, such as a Query, and in tables
  // without a sort key.
  void add_access(std::string_view partition, std::string_view item, uint64_t weight) {
    add(table::InsightRuleKind::kAccessedPartitions, table::InsightRuleKind::kAccessedItems, partition, item, weight);
  }
  void add_throttle(std::string_view partition, std::string_view item) {
    add(table::InsightRuleKind::kThrottledPartitions, table::InsightRuleKind::kThrottledItems, partition, item, 1);
  }

  // Of rules with events, and begins again.
  std::vector<Summary> drain();

 private:
  struct Counts {
    Counts() : keys(kMostKeys) {}
    HeavyKeys keys;
    uint64_t events = 0;
  };

  void add(table::InsightRuleKind partitions, table::InsightRuleKind items, std::string_view partition,
           std::string_view item, uint64_t weight);

  Mutex mutex_;
  // By kind; nullopt: nothing was added.
  std::array<std::optional<Counts>, table::kInsightRuleKinds> counts_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::throttle
