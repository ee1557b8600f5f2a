// What batches and transactions share. For one thread.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ops/reply.h"
#include "table/items/transact.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::ops {

// A text that is equal for two values if and only if they are equal, whatever the order of members and of sets.
std::string canonical_text(wire::JsonValue value);
// A hash of canonical_text().
std::string digest(wire::JsonValue value);

// The members "ConsumedCapacity", if requested, and "Responses". The arguments outlive the task. Error: kCorrupt.
Task<Result<void>> write_found_items(wire::JsonWriter& json, const api::TransactGetReply& reply, CapacityDetail detail);

// The members "ConsumedCapacity" and "ItemCollectionMetrics", each if requested.
void write_costs(wire::JsonWriter& json, const api::WritesReply& reply, CapacityDetail detail, CapacityKind kind);

}  // namespace partita::ops
