// Whether an alarm's datapoints put it into another state: "Using Amazon CloudWatch alarms", the sections on evaluation
// and on missing data. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace partita::metrics {

enum class AlarmState : uint8_t { kOk, kAlarm, kInsufficientData };
enum class Comparison : uint8_t { kAtLeast, kAbove, kBelow, kAtMost };
// What becomes of the actions of an alarm that changes its state: nothing, or requests to the hook (notice.h).
enum class AlarmActions : uint8_t { kIgnored, kSent };
enum class MissingData : uint8_t { kMissing, kIgnore, kBreaching, kNotBreaching };

struct AlarmRule {
  int64_t periods = 1;   // EvaluationPeriods
  int64_t to_alarm = 1;  // DatapointsToAlarm
  double threshold = 0;
  Comparison comparison = Comparison::kAtLeast;
  MissingData missing = MissingData::kMissing;
};

// Periods that are looked at beyond EvaluationPeriods, so that late values need not be filled in. AWS's number depends
// on the period and is not documented; its examples show two.
inline constexpr int64_t kFurtherPeriods = 2;

struct Datapoint {
  int64_t at_ms = 0;  // the begin of its period, since 1970
  double value = 0;
};

struct Evaluation {
  std::optional<AlarmState> state;  // nullopt: it stays as it is
  std::vector<Datapoint> used;      // newest first
  int64_t breaching = 0;            // of `used`, and of those filled in
  int64_t filled = 0;               // missing datapoints
};

bool breaches(const AlarmRule& rule, double value);
// `points`: one for each of the last rule.periods + kFurtherPeriods periods, the newest first; nullopt: it is missing.
Evaluation evaluate(const AlarmRule& rule, std::span<const std::optional<Datapoint>> points);

}  // namespace partita::metrics
