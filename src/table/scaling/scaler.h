// The work of auto scaling in the background: scheduled actions, bounds and policies change tables as UpdateTable does.
//
// Each server looks at all targets. What is to be done follows from the stored rows alone, so it does not matter which
// server does it: the first one to store the beginning of a change in the target's row makes it. A change that was
// begun and not ended for kTakeOverMs was interrupted; its activity failed, and what is still to be done is decided
// anew.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"
#include "table/scaling/consumption.h"
#include "table/scaling/decision.h"
#include "table/scaling/target_store.h"

namespace partita::table {

// For one thread.
class Scaler {
 public:
  static constexpr int64_t kTakeOverMs = 15'000;
  // Policies are asked so long after the end of a minute, when all servers have stored what they counted.
  static constexpr int64_t kSettleMs = 5'000;
  // After a change that failed.
  static constexpr int64_t kRetryMs = 60'000;

  // `server`: see CountedConsumption.
  explicit Scaler(uint64_t server) : counted_(server) {}

  // Does what is due now. Call it every second. Errors: those of the store; the next call goes on.
  Task<Result<void>> look(TableContext& context);

 private:
  using Minutes = std::vector<std::optional<model::HalfUnits>>;

  Task<Result<void>> attend(TableContext& context, StoredTarget stored, Minutes minutes);
  Task<Result<bool>> run_schedule(TableContext& context, const StoredTarget& stored);
  Task<Result<void>> change_units(TableContext& context, const StoredTarget& stored, WantedChange change);
  Task<Result<void>> fail_interrupted(TableContext& context, const StoredTarget& stored);

  CountedConsumption counted_;
  int64_t asked_minute_ = -1;  // the last one for which policies were asked
  int64_t swept_ms_ = 0;
};

}  // namespace partita::table
