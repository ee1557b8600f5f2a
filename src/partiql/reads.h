// What a SELECT reads, as the requests that Query, Scan and GetItem are too.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "partiql/statement.h"
#include "table/query.h"
#include "table/read.h"

namespace partita::partiql {

struct ReadOptions {
  bool consistent = false;
  table::CapacityDetail capacity = table::CapacityDetail::kNone;
};

// What is read one after the other, each one whole before the next. One Scan, or one or more Queries.
// Precondition: check_table(), and it is a SELECT. Faults: those of KeyPlan::check(), kPartiqlOrder...,
// kPartiqlConsistentIndex, kProjectionNotInIndex, kPartiqlFilterNotInIndex.
Result<std::vector<table::RangeRequest>> reads_of(const Statement& statement, const table::TableInfo& table,
                                                  const ReadOptions& options);

// The key of the one item that the statement names and nothing beside; nothing when it does something else.
// Precondition: it is a SELECT. Faults: those of KeyPlan::check() but for the types of keys.
Result<std::optional<model::Item>> key_of_read(const Statement& statement, const table::TableInfo& table);

// What is left of an item; nothing when all of it is.
std::optional<expr::Projection> projection_of(const Statement& statement);

}  // namespace partita::partiql
