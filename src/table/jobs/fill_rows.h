// Adds the rows of items that are older than their index or TTL.
#pragma once

#include <cstdint>
#include <optional>

#include "base/function_ref.h"
#include "base/result.h"
#include "base/task.h"
#include "model/value.h"
#include "storage/engine.h"
#include "table/jobs/job_run.h"

namespace partita::table {

// Whether an item has a row of those that are added; and what puts it, and returns the size that is counted for it.
using HasRow = FunctionRef<bool(const model::Item& item)>;
using PutRow = FunctionRef<size_t(const model::Item& item, const storage::Key& key, storage::Changes& changes)>;

// How many items the job's table has.
Task<Result<std::optional<uint64_t>>> items_of(TableContext& context, const Job& job);
// The next page of the table's items behind the job's cursor.
Task<Result<storage::Page>> next_items(JobRun& run, Table table);
// Adds the rows of these items as the items are when the rows are written: an item that changed since it was scanned
// may still have no row, since a change that does not touch the row leaves it alone.
Task<Result<JobRun::Stored>> fill_rows(JobRun& run, Table table, const storage::Page& page, HasRow has_row,
                                       PutRow put_row);

}  // namespace partita::table
