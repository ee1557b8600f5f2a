// Rules for keys, their definitions and indexes in CreateTable and UpdateTable.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "table/control/tables.h"

namespace partita::table {

using Definitions = std::vector<model::KeyElement>;

// Fault: kKeysNotDefined.
Result<void> check_defined(const std::vector<api::KeyPart>& keys, const Definitions& definitions);
// One partition and at most one sort attribute, or with `several` up to four of each.
Result<model::KeySchema> make_keys(const std::vector<api::KeyPart>& keys, const Definitions& definitions, bool several);

// A new index without its keys and capacity. Faults: those of its projection.
Result<IndexInfo> make_index(const api::IndexRequest& request);
// The first check of vector indexes. `definitions`: those of the request. Faults: kSearchSchemaNotDefined,
// kSearchSchemaTwice, kSearchSchemaTooMany, kVectorAttributeDefined.
Result<void> check_search_schema(const api::VectorRequest& request, const Definitions& definitions);
// A new vector index without its id. Faults: also those of make_index(), kVectorDimensions, kVectorDimensionsDiffer.
// Precondition: check_search_schema().
Result<IndexInfo> make_vector_index(const TableInfo& table, const api::IndexRequest& request,
                                    const Definitions& definitions);
size_t count_vector_indexes(const TableInfo& table);

// Over all indexes of the table. Fault: kProjectionAttributesTooMany.
Result<void> check_projected(const TableInfo& table);

// "[a, b]", as Java prints a list.
std::string listed(const std::vector<std::string>& names);
std::vector<std::string> names_of(const std::vector<api::KeyPart>& keys);
std::vector<std::string> names_of(const Definitions& definitions);

}  // namespace partita::table
