// UpdateTimeToLive.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"

namespace partita::table {

// How long TTL cannot be changed after a change: measured between the last refusal and the first success, 1,812 and
// 1,872 seconds.
inline constexpr int64_t kTtlPauseMs = 31 * 60 * 1'000LL;

struct TtlRequest {
  std::string name;
  bool enable = false;
  std::string attribute;
};
// Faults: kTableNotFound, kTtlOnAlready, kTtlOffAlready, kTtlOfAnotherAttribute, kTtlChangedJustNow.
Task<Result<void>> update_ttl(TableContext& context, const TtlRequest& request);

}  // namespace partita::table
