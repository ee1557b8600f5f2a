// What the batches and the transactions share.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ops/reply.h"
#include "table/items/transact.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::ops {

// The same for two values that say the same in JSON, whatever the order of members and of sets, and for no others.
std::string canonical_text(wire::JsonValue value);
// The same for two values that say the same in JSON, and for two that do not as good as never.
std::string digest(wire::JsonValue value);

// Adds a part's consumption to its table's; tables come in the order of their first part.
void add_by_table(std::vector<api::ConsumedCapacity>& sums, const api::ConsumedCapacity& part);

// The members "ConsumedCapacity", as far as it was asked for, and "Responses". Errors: kCorrupt.
Task<Result<void>> write_found_items(wire::JsonWriter& json, const api::TransactGetReply& reply, CapacityDetail detail);

// The members "ConsumedCapacity" and "ItemCollectionMetrics", as far as they were asked for.
void write_costs(wire::JsonWriter& json, const api::WritesReply& reply, CapacityDetail detail, CapacityKind kind);

}  // namespace partita::ops
