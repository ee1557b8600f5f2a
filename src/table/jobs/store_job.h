// What the jobs of a whole store share, which come round every minute.
#pragma once

#include "base/result.h"
#include "base/task.h"
#include "table/jobs/job_type.h"
#include "table/rows/system_rows.h"

namespace partita::table {

inline constexpr int64_t kMinuteMs = 60'000;

// Stores the job if there are rows of that kind.
Task<Result<void>> want_if_any(JobSearch& search, JobKind kind, SystemRow rows);

}  // namespace partita::table
