// What the batches and the transactions share.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ops/reply.h"
#include "table/transact.h"
#include "wire/json_writer.h"

namespace partita::ops {

// Adds a part's consumption to its table's; tables come in the order of their first part.
void add_by_table(std::vector<table::ConsumedCapacity>& sums, const table::ConsumedCapacity& part);

// The members "ConsumedCapacity" and "ItemCollectionMetrics", as far as they were asked for.
void write_costs(wire::JsonWriter& json, const table::WritesPlan& plan, const table::WritesOutcome& outcome,
                 CapacityDetail detail);

}  // namespace partita::ops
