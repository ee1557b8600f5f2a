// Statistics of CloudWatch, by their names, and values by period.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/history.h"
#include "metrics/metric.h"

namespace partita::metrics {

struct Statistic {
  enum class Kind : uint8_t { kSamples, kSum, kAverage, kLeast, kMost, kQuantile };
  Kind kind = Kind::kSum;
  double part = 0;  // of kQuantile: 0.99 for "p99"
};
// "SampleCount", "Sum", "Average", "Minimum", "Maximum", or "p" and a percentage from 0 to 100. Nullopt: another one.
std::optional<Statistic> statistic_named(std::string_view name);
// Precondition: there are samples.
double value_of(const Statistics& statistics, Statistic statistic);

struct PeriodStatistics {
  int64_t at_ms = 0;  // its begin, since 1970
  Statistics statistics;
};
// One for each period with values, oldest first. Periods begin at multiples of `period_minutes` after `from`.
std::vector<PeriodStatistics> by_period(std::span<const MinuteStatistics> minutes, int64_t from,
                                        int64_t period_minutes);

}  // namespace partita::metrics
