// What the caches of DAX need to know of the cluster.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"

namespace partita::clusters {

struct CacheSettings {
  bool cluster = false;  // whether there is one, and it is not being deleted
  // Of the primary's parameter group, or the defaults without a cluster; 0 of items: until they are displaced or
  // written; 0 of queries: none is cached.
  int64_t record_ttl_ms = 0;
  int64_t query_ttl_ms = 0;
};

// Two reads of the store, so not for every request. Callable from any thread. Errors: those of the engine, kCorrupt.
Task<Result<CacheSettings>> settings(table::TableContext& context);

}  // namespace partita::clusters
