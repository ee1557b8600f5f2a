// Which changes UpdateTable takes together, and which while others are under way.
#pragma once

#include "base/result.h"
#include "table/control/tables.h"

namespace partita::table {

// What can be said against the request alone. Faults: kNothingToUpdate, kIndexUpdatesEmpty, those of one entry of
// GlobalSecondaryIndexUpdates, and those of changes that exclude each other.
Result<void> check_update(const TableUpdate& update);

// Whether the request is about indexes that there are, and that may be changed now. Faults: kIndexOfTableNotFound,
// kIndexNotGlobal, kIndexExists, kIndexInUse, kIndexNotBackfilling, kIndexAllocated, kOneOnlineIndex.
Result<void> admit_indexes(const TableInfo& table, const TableUpdate& update);

// Whether what the table is going through lets the change begin. Faults: k...During..., kThroughputOnDemand;
// kNothingToUpdate of empty structures.
Result<void> admit_update(const TableInfo& table, const TableUpdate& update);

// The same of DeleteTable. Faults: kTableInUse, kTableBusy, kIndexesAtWork, kStreamAtWork.
Result<void> admit_deletion(const TableInfo& table);

// The whole of an update, and of a deletion, but its being stored: what takes a moment is done at `due_ms`.
// Precondition of the first: check_update(). The faults are those of update_table() and delete_table().
Result<void> apply_update(TableInfo& table, const TableUpdate& update, int64_t now_ms, int64_t due_ms);
Result<void> apply_deletion(TableInfo& table, int64_t now_ms);

}  // namespace partita::table
