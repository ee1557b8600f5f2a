#include "metrics/evaluation.h"

#include "base/check.h"

namespace partita::metrics {

namespace {

// Too few values to decide by their number, and none that is not breaching. An alarm goes off all the same if its
// oldest breaching value is as old as DatapointsToAlarm.
std::optional<AlarmState> of_breaching_alone(const AlarmRule& rule, int64_t oldest_age) {
  if (rule.missing == MissingData::kIgnore || oldest_age < rule.to_alarm) return std::nullopt;
  return AlarmState::kAlarm;
}

std::optional<AlarmState> of_nothing(MissingData missing) {
  if (missing == MissingData::kIgnore) return std::nullopt;
  return AlarmState::kInsufficientData;
}

}  // namespace

bool breaches(const AlarmRule& rule, double value) {
  switch (rule.comparison) {
    case Comparison::kAtLeast:
      return value >= rule.threshold;
    case Comparison::kAbove:
      return value > rule.threshold;
    case Comparison::kBelow:
      return value < rule.threshold;
    case Comparison::kAtMost:
      return value <= rule.threshold;
  }
  PARTITA_CHECK(false);
}

Evaluation evaluate(const AlarmRule& rule, std::span<const std::optional<Datapoint>> points) {
  Evaluation found;
  int64_t age = 0;
  int64_t oldest_age = 0;
  for (const auto& point : points) {
    ++age;
    if (!point || static_cast<int64_t>(found.used.size()) == rule.periods) continue;
    found.used.push_back(*point);
    found.breaching += breaches(rule, point->value) ? 1 : 0;
    oldest_age = age;
  }
  const auto known = static_cast<int64_t>(found.used.size());
  found.filled = rule.periods - known;
  const bool fills = rule.missing == MissingData::kBreaching || rule.missing == MissingData::kNotBreaching;
  if (rule.missing == MissingData::kBreaching) found.breaching += found.filled;
  if (found.breaching >= rule.to_alarm) {
    found.state = AlarmState::kAlarm;
  } else if (found.filled == 0 || fills) {
    found.state = AlarmState::kOk;
  } else if (known == 0) {
    found.state = of_nothing(rule.missing);
  } else if (found.breaching == known) {
    found.state = of_breaching_alone(rule, oldest_age);
  } else {
    found.state = AlarmState::kOk;
  }
  return found;
}

}  // namespace partita::metrics
