// DescribeEvents.
#pragma once

#include "api/clusters.h"
#include "base/result.h"
#include "base/task.h"
#include "clusters/cluster.h"
#include "clusters/page.h"
#include "table/catalog/table_context.h"

namespace partita::clusters {

// The newest first; without times, those of the last 24 hours. Faults: kClusterValue, kClusterCombination. Errors:
// those of the engine, kCorrupt.
Task<Result<PageOf<Event>>> list_events(table::TableContext& context, const api::EventsRequest& request);

}  // namespace partita::clusters
