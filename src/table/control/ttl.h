// UpdateTimeToLive.
#pragma once

#include <cstdint>
#include <string>

#include "api/settings.h"
#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"

namespace partita::table {

// The minimum time between two changes of TTL. Measured: 1,812 seconds were refused, 1,872 accepted.
inline constexpr int64_t kTtlPauseMs = 31 * 60 * 1'000LL;

// Faults: kTableNotFound, kTtlOnAlready, kTtlOffAlready, kTtlOfAnotherAttribute, kTtlChangedJustNow.
Task<Result<void>> update_ttl(TableContext& context, const api::UpdateTimeToLiveRequest& request);

}  // namespace partita::table
