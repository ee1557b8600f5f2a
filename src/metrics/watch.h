// Evaluates alarms. Every server of a store does: a change of state is one transaction, so the first one counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/random.h"
#include "base/result.h"
#include "base/task.h"
#include "metrics/alarm.h"
#include "storage/engine.h"

namespace partita::metrics {

// The name of the namespace whose metrics are kept; those of others have no values.
inline constexpr std::string_view kDynamoDbSpace = "AWS/DynamoDB";

// Evaluates the alarm with the values of the minutes before `minute` (since 1970) and stores its new state, if it
// changes. Errors: those of the engine; kCorrupt.
Task<Result<void>> evaluate_alarm(storage::Engine& engine, Random& random, Alarm alarm, int64_t minute, int64_t now_ms,
                                  AlarmActions actions = AlarmActions::kIgnored);
// The next kAlarmsAtOnce alarms, by name.
struct EvaluatedPage {
  std::optional<std::string> last;  // the name that the next page comes after; nullopt: there are no more
  Result<void> outcome;             // the first error, after all of the page were tried
};
// Errors, beside those of the outcome: those of listing the alarms.
Task<Result<EvaluatedPage>> evaluate_alarms(storage::Engine& engine, Random& random, std::string after, int64_t minute,
                                            int64_t now_ms, AlarmActions actions = AlarmActions::kIgnored);

// The alarm as it is put over what was found, whose state and tags it keeps, and the entry of its history. Null: none
// was found.
Alarm configured(Alarm given, const Alarm* found, int64_t now_ms, std::vector<HistoryEntry>& entries);
// The entry of a deletion.
HistoryEntry deletion_of(const std::string& alarm, int64_t now_ms);

// The alarm in another state, and the history of the change: an entry, unless the state is the same.
Alarm in_state(const Alarm& alarm, AlarmState state, std::string reason, std::optional<std::string> reason_data,
               int64_t now_ms, std::vector<HistoryEntry>& entries);

}  // namespace partita::metrics
