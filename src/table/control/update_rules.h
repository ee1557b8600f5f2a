// Rules for combining changes in UpdateTable, and for changes during others.
#pragma once

#include "base/result.h"
#include "table/control/tables.h"

namespace partita::table {

// Checks the request alone. Faults: kNothingToUpdate, kIndexUpdatesEmpty, those of one entry of
// GlobalSecondaryIndexUpdates, and those of changes that exclude each other.
Result<void> check_update(const api::UpdateTableRequest& update);

// Whether the named indexes exist and may be changed now. Faults: kIndexOfTableNotFound,
// kIndexNotGlobal, kIndexExists, kIndexInUse, kIndexNotBackfilling, kIndexAllocated, kOneOnlineIndex.
Result<void> admit_indexes(const TableInfo& table, const api::UpdateTableRequest& update);

// Whether the changes in progress allow this one to start. Faults: k...During..., kThroughputOnDemand;
// kNothingToUpdate of empty structures.
Result<void> admit_update(const TableInfo& table, const api::UpdateTableRequest& update);

// The same for DeleteTable. Faults: kTableInUse, kTableBusy, kIndexesAtWork, kStreamAtWork.
Result<void> admit_deletion(const TableInfo& table);

// Apply an update or a deletion to the description, without storing it. Transitions end at `due_ms`. Precondition of
// apply_update(): check_update(). Faults: those of update_table() and delete_table().
Result<void> apply_update(TableInfo& table, const api::UpdateTableRequest& update, int64_t now_ms, int64_t due_ms);
Result<void> apply_deletion(TableInfo& table, int64_t now_ms);

}  // namespace partita::table
