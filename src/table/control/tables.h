// CreateTable, UpdateTable and DeleteTable. Each returns the description for its reply; TableInfo::settle applies the
// pending parts of an update when they are due.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/tables.h"
#include "base/result.h"
#include "table/catalog/table_context.h"
#include "table/rows/schema.h"

namespace partita::table {

struct ResourcePolicy;

// The returned table is kCreating; for later calls it is kActive. `policy` may be null. Faults: those
// under "Tables" in model/faults.inc, kTableExists.
Task<Result<Table>> create_table(TableContext& context, const api::CreateTableRequest& request,
                                 const ResourcePolicy* policy = nullptr);

// Waits for short transitions of the table. Fault: kTableNotFound.
Task<Result<Table>> describe_table(TableContext& context, std::string name);

Task<Result<api::ListTablesReply>> list_tables(TableContext& context, const api::ListTablesRequest& request);

// The returned table is kDeleting; for later calls it does not exist. Its rows are erased in the background. Waits
// while the table is kUpdating. Faults: kTableNotFound, kTableBusy, kTableProtected, kIndexesAtWork, kStreamAtWork.
Task<Result<Table>> delete_table(TableContext& context, std::string name);

// Some changes make the table or an index kUpdating for a moment; a new index is filled in the background. Waits while
// the table is already kUpdating. Faults: those under "Tables" in model/faults.inc, kTableNotFound.
Task<Result<Table>> update_table(TableContext& context, const api::UpdateTableRequest& update);

// Changes only the read or only the write units of a provisioned table or of its global index (empty: the table's own),
// by the rules of UpdateTable, and whatever the others are at that moment. Waits while the table is already kUpdating.
// Faults: those of update_table().
Task<Result<Table>> update_units(TableContext& context, std::string name, std::string index, bool write, int64_t units);

}  // namespace partita::table
