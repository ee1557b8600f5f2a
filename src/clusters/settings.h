// What the caches of DAX need to know of the cluster.
#pragma once

#include "api/cache_times.h"
#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"

namespace partita::clusters {

// Those of the primary's parameter group, or the defaults without a cluster. Two reads of the store, so not for every
// request. Callable from any thread. Errors: those of the engine, kCorrupt.
Task<Result<api::CacheTimes>> cache_times(table::TableContext& context);

}  // namespace partita::clusters
