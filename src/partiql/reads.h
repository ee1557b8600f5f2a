// Translates a SELECT to the requests that Query, Scan and GetItem use too.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "partiql/statement.h"
#include "table/items/query.h"
#include "table/items/read.h"

namespace partita::partiql {

struct ReadOptions {
  bool consistent = false;
  api::CapacityDetail capacity = api::CapacityDetail::kNone;
};

// The requests to run one after the other, each to its end: one Scan, or one or more Queries. Precondition:
// check_table(), and it is a SELECT. Faults: those of KeyPlan::check(), kPartiqlOrder..., kPartiqlConsistentIndex,
// kProjectionNotInIndex, kPartiqlFilterNotInIndex.
Result<std::vector<api::RangeRequest>> reads_of(const Statement& statement, const table::TableInfo& table,
                                                const ReadOptions& options);

// The key, if the statement reads exactly one item by its key and has no other condition; otherwise nullopt.
// Precondition: it is a SELECT. Faults: those of KeyPlan::check(), except those about the types of keys.
Result<std::optional<model::Item>> key_of_read(const Statement& statement, const table::TableInfo& table);

// The projection of the items; nullopt if whole items are returned.
std::optional<expr::Projection> projection_of(const Statement& statement);

}  // namespace partita::partiql
