// How requests and replies name a metric.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cloudwatch/parameters.h"
#include "metrics/history.h"
#include "metrics/metric.h"
#include "metrics/statistic.h"
#include "wire/document.h"

namespace partita::cloudwatch {

inline constexpr size_t kMostName = 255;
inline constexpr size_t kMostDimensionValue = 1'024;
inline constexpr size_t kMostDimensions = 30;
inline constexpr int64_t kSecondsPerMinute = 60;
inline constexpr int64_t kMostPeriod = 86'400;  // seconds
inline constexpr int64_t kMostDatapoints = 1'440;

// The members Namespace, MetricName and Dimensions.
struct MetricName {
  std::string space;
  std::string metric;
  std::vector<metrics::Dimension> dimensions;
};
Result<MetricName> metric_name_in(const Parameters& in);
Result<std::vector<metrics::Dimension>> dimensions_in(const Parameters& in);
wire::Document document_of(const std::vector<metrics::Dimension>& dimensions);

// A kept metric that the name means. Nullopt: it has no values.
struct KeptMetric {
  metrics::Series series;
  metrics::Metric metric{};
};
std::optional<KeptMetric> kept_metric(const MetricName& name, const std::optional<std::string>& unit);

// The parameter Period, in minutes. Fault: also for periods under a minute, which only custom metrics have.
Result<int64_t> period_in(const Parameters& in);
// From StartTime to EndTime. Faults: kMonitorRange; kMonitorDatapoints for more than GetMetricStatistics may return.
Result<void> check_points(int64_t from_ms, int64_t to_ms, int64_t period_minutes);
Result<metrics::Statistic> statistic_in(std::string_view parameter, std::string_view name);

// The values of a metric by period, from a time that was rounded down to a minute; `from_ms` and `to_ms` in ms since
// 1970, `to_ms` excluded.
Task<Result<std::vector<metrics::PeriodStatistics>>> periods_of(storage::Engine& engine, KeptMetric metric,
                                                                int64_t from_ms, int64_t to_ms, int64_t period_minutes);

// Tokens of pages: any text, made opaque. Fault: kMonitorNextToken.
std::string token_of(std::string_view position);
Result<std::optional<std::string>> position_in(const Parameters& in);

}  // namespace partita::cloudwatch
