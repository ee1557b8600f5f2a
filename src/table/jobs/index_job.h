// What the jobs of one index share.
#pragma once

#include <algorithm>

#include "model/fault.h"
#include "table/rows/job_row.h"
#include "table/rows/schema.h"

namespace partita::table {

// The index that the job is about, or null if the table has none of that id any more.
inline IndexInfo* index_of(TableInfo& table, const Job& job) {
  if (table.id != job.table_id) return nullptr;
  const auto found = std::ranges::find(table.indexes, job.index_id, &IndexInfo::id);
  return found == table.indexes.end() ? nullptr : &*found;
}

inline Error gone(const Job& job) { return model::refuse(model::Fault::kTableNotFound, {job.table}); }

}  // namespace partita::table
