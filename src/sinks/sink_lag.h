// How far a sink is behind, as its logs tell: the same on each server of a store, whichever carries the sink.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/task.h"
#include "sinks/sink_store.h"
#include "table/catalog/table_context.h"

namespace partita::sinks {

struct SinkLag {
  int64_t ms = 0;         // age of the oldest change that is not delivered
  uint64_t entries = 0;   // undelivered changes, up to the limit of lag_of()
  bool has_more = false;  // there may be more than that
};

// Of what is stored as delivered, which is behind the other end by half a second at most. Reads at most 10,000 changes
// or about 256 KiB of each slice. Errors: those of the engine.
Task<Result<SinkLag>> lag_of(table::TableContext& context, SinkStatus status);

}  // namespace partita::sinks
