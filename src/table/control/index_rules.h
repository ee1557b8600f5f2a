// What DynamoDB says of keys, their definitions and of indexes, in CreateTable and in UpdateTable.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "table/control/tables.h"

namespace partita::table {

using Definitions = std::vector<model::KeyElement>;

// Fault: kKeysNotDefined.
Result<void> check_defined(const std::vector<KeyPart>& keys, const Definitions& definitions);
// One partition and at most one sort attribute, or with `several` up to four of each.
Result<model::KeySchema> make_keys(const std::vector<KeyPart>& keys, const Definitions& definitions, bool several);

// Everything of a new index but its keys and its capacity. Faults: those of its projection.
Result<IndexInfo> make_index(const IndexRequest& request);
// What DynamoDB says of vector indexes before it looks at anything else of them; `definitions` are those of the
// request. Faults: kSearchSchemaNotDefined, kSearchSchemaTwice, kSearchSchemaTooMany, kVectorAttributeDefined.
Result<void> check_search_schema(const VectorRequest& request, const Definitions& definitions);
// A vector index but for its number, beside those that the table has. Faults: those of make_index() too,
// kVectorDimensions, kVectorDimensionsDiffer. Precondition: check_search_schema().
Result<IndexInfo> make_vector_index(const TableInfo& table, const IndexRequest& request,
                                    const Definitions& definitions);
size_t count_vector_indexes(const TableInfo& table);

// Over all indexes of the table. Fault: kProjectionAttributesTooMany.
Result<void> check_projected(const TableInfo& table);

// "[a, b]", as Java prints a list.
std::string listed(const std::vector<std::string>& names);
std::vector<std::string> names_of(const std::vector<KeyPart>& keys);
std::vector<std::string> names_of(const Definitions& definitions);

}  // namespace partita::table
