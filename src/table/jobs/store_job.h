// For kinds whose one job covers the whole store and is repeated every minute.
#pragma once

#include "base/result.h"
#include "base/task.h"
#include "table/jobs/job_type.h"
#include "table/rows/system_rows.h"

namespace partita::table {

inline constexpr int64_t kMinuteMs = 60'000;

// Creates the job if the store has such rows.
Task<Result<void>> want_if_any(JobSearch& search, JobKind kind, SystemRow rows);

}  // namespace partita::table
