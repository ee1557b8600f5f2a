// The two caches of a server of DAX (decision 039), shared by all its threads and databases.
#pragma once

#include <cstddef>
#include <utility>

#include "base/exposition.h"
#include "dax/item_cache.h"
#include "dax/query_cache.h"
#include "ops/operation.h"
#include "table/rows/schema.h"

namespace partita::dax {

// Callable from any thread.
class Caches {
 public:
  // Each of them gets half of the bytes.
  explicit Caches(
      size_t max_bytes, const CacheTimesOf& times = [] { return api::CacheTimes(); })
      : items_(max_bytes / 2, times), queries_(max_bytes / 2, times) {}

  ItemCache& items() { return items_; }
  QueryCache& queries() { return queries_; }
  // Writes the metrics of both.
  void report(Exposition& out) const;

 private:
  ItemCache items_;
  QueryCache queries_;
};

// The key of that table's entry.
CacheKey cache_key(const ops::Context& context, const table::TableInfo& table, std::string_view bytes,
                   uint8_t meaning = 0);
// When the request began, on the monotonic clock: an entry is as old as the request that left it.
int64_t cache_time_ns(const ops::Context& context);

}  // namespace partita::dax
