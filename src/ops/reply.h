// Encoders of the structures that several replies have. For one thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/capacity.h"
#include "api/reads.h"
#include "api/writes.h"
#include "base/result.h"
#include "base/task.h"
#include "base/yield_budget.h"
#include "wire/json_writer.h"

namespace partita::ops {

using api::CapacityDetail;

// Replies of transactions also have the read or write units.
enum class CapacityKind : uint8_t { kPlain, kTransactionRead, kTransactionWrite };

// One ConsumedCapacity structure.
void write_capacity(wire::JsonWriter& json, const api::ConsumedCapacity& consumed, CapacityDetail detail,
                    CapacityKind kind = CapacityKind::kPlain);

// The member "ConsumedCapacity": {...}, unless the detail is kNone.
void write_capacity_member(wire::JsonWriter& json, const api::ConsumedCapacity& consumed, CapacityDetail detail);
// The member "ConsumedCapacity": [{...}, ...], one for each table.
void write_capacity_list(wire::JsonWriter& json, const std::vector<api::ConsumedCapacity>& consumed,
                         CapacityDetail detail, CapacityKind kind = CapacityKind::kPlain);

// A member with a time in seconds since 1970. `ms`: the same in milliseconds.
void write_time(wire::JsonWriter& json, std::string_view name, int64_t ms);

// An item, decoded or as it is stored. Error: kCorrupt.
Result<void> write_found(wire::JsonWriter& json, const api::FoundItem& item);

// Calls `write`, which returns a Result<void>, for each element, and yields between pieces of output. The arguments
// outlive the task.
template <class Range, class Write>
Task<Result<void>> write_each(wire::JsonWriter& json, YieldBudget& budget, const Range& range, Write write) {
  for (const auto& one : range) {
    if (budget.is_spent()) co_await budget.yield();
    const size_t before = json.size();
    PARTITA_CO_TRY_VOID(write(one));
    budget.spend(json.size() - before);
  }
  co_return Result<void>();
}

// The elements of an array of items, with yields. The arguments outlive the task. Error: kCorrupt.
Task<Result<void>> write_items(wire::JsonWriter& json, std::span<const api::FoundItem> items);

// The structure {"ItemCollectionKey": {...}, "SizeEstimateRangeGB": [lower, upper]}.
void write_collection_metrics(wire::JsonWriter& json, const api::ItemCollection& collection);

}  // namespace partita::ops
