// Counts the keys of tables and global indexes whose Contributor Insights are on, for the reports of CloudWatch.
//
// A table without them costs nothing: its bit in table::MetersKept is not set, which a charge looks at anyway. Only a
// write that changes global indexes looks once more.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "api/capacity.h"
#include "base/mutex.h"
#include "metrics/insights.h"
#include "table/catalog/access.h"
#include "table/catalog/catalog.h"
#include "throttle/key_counts.h"
#include "throttle/reservations.h"

namespace partita::ops {

// Of one database. Callable from any thread.
class InsightCounters {
 public:
  // Counts what the descriptions in the catalogue say from now on. Cheap while they do not change.
  void follow(const table::Catalog& catalog);
  // The same of another database, or of the same one that was opened again: what was counted of tables that it has
  // stays. Does nothing before the first follow().
  void follow_other(const table::Catalog& catalog);

  // An access that consumed capacity. Scans are of no key. `index_keys`: the rows of global indexes that it changed.
  void count(const table::Access& access, const api::ConsumedCapacity& consumed,
             std::span<const throttle::Reservations::IndexKey> index_keys);
  // An access that was refused for lack of capacity of the table (`index` null) or of the global index that it reads.
  void count_throttle(const table::Access& access, const table::IndexInfo* index);

  // What was counted since the last call.
  std::vector<metrics::InsightMinute> take();

 private:
  struct Counted {
    bool accesses = false;  // else only throttled requests
    std::shared_ptr<throttle::KeyCounts> counts;
  };
  using Of = std::pair<uint32_t, uint16_t>;  // ids of a table and an index

  static constexpr uint64_t kNothing = UINT64_MAX;

  // Null: nothing is counted for it.
  std::shared_ptr<throttle::KeyCounts> counts_of(const table::TableInfo& table, const table::IndexInfo* index,
                                                 bool throttled) const;
  void count_index_rows(const table::Access& access, const api::ConsumedCapacity& consumed,
                        std::span<const throttle::Reservations::IndexKey> index_keys) const;

  mutable SharedMutex mutex_;
  std::map<Of, Counted> counted_ PARTITA_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<table::MetersKept>> watched_ PARTITA_GUARDED_BY(mutex_);
  uint64_t followed_ PARTITA_GUARDED_BY(mutex_) = kNothing;  // Catalog::changes()
};

}  // namespace partita::ops
