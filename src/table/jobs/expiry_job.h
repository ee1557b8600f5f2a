// What the jobs of a table with TTL share.
#pragma once

#include "table/rows/job_row.h"
#include "table/rows/schema.h"

namespace partita::table {

// Whether the job is still about that table, and the table has TTL.
inline bool expires(const Table& table, const Job& job) {
  return table != nullptr && table->id == job.table_id && table->status != Status::kDeleting && table->ttl;
}

}  // namespace partita::table
