// What DynamoDB says of keys, their definitions and of indexes, in CreateTable and in UpdateTable.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "table/tables.h"

namespace partita::table {

using Definitions = std::vector<model::KeyElement>;

// One partition and at most one sort attribute, or with `several` up to four of each.
Result<model::KeySchema> make_keys(const std::vector<KeyPart>& keys, const Definitions& definitions, bool several);

// Everything of a new index but its keys and its capacity. Faults: those of its projection.
Result<IndexInfo> make_index(const IndexRequest& request);
// Over all indexes of the table. Fault: kProjectionAttributesTooMany.
Result<void> check_projected(const TableInfo& table);

// "[a, b]", as Java prints a list.
std::string listed(const std::vector<std::string>& names);
std::vector<std::string> names_of(const std::vector<KeyPart>& keys);
std::vector<std::string> names_of(const Definitions& definitions);

}  // namespace partita::table
