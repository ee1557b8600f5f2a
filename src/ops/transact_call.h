// What the batches and the transactions share.
#pragma once

#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "ops/operation.h"
#include "ops/request.h"
#include "table/transact.h"
#include "wire/json_writer.h"

namespace partita::ops {

// One element for each table, in the order of its first write. `written` is as long as `writes`.
std::vector<table::ConsumedCapacity> consumed_by_table(const std::vector<table::TransactWrite>& writes,
                                                       const std::vector<table::Written>& written);

// The member "ItemCollectionMetrics": {table: [...]}, for the tables with local indexes, if there is any.
Task<Result<void>> write_all_collection_metrics(wire::JsonWriter& json, const Context& context,
                                                const std::vector<table::TransactWrite>& writes);

}  // namespace partita::ops
