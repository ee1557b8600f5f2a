#include "cloudwatch/metric_name.h"

#include <utility>

#include "base/bytes.h"
#include "metrics/watch.h"
#include "model/fault.h"

namespace partita::cloudwatch {

using metrics::kMsPerMinute;
using model::Fault;
using wire::Document;

Result<std::vector<metrics::Dimension>> dimensions_in(const Parameters& in) {
  PARTITA_TRY(const auto structures, in.structures("Dimensions", kMostDimensions));
  std::vector<metrics::Dimension> dimensions;
  for (const Parameters& one : structures) {
    metrics::Dimension dimension;
    PARTITA_TRY(dimension.name, one.needed_text("Name", 1, kMostName));
    PARTITA_TRY(dimension.value, one.needed_text("Value", 1, kMostDimensionValue));
    dimensions.push_back(std::move(dimension));
  }
  return dimensions;
}

Result<MetricName> metric_name_in(const Parameters& in) {
  MetricName name;
  PARTITA_TRY(name.space, in.needed_text("Namespace", 1, kMostName));
  PARTITA_TRY(name.metric, in.needed_text("MetricName", 1, kMostName));
  PARTITA_TRY(name.dimensions, dimensions_in(in));
  return name;
}

Document document_of(const std::vector<metrics::Dimension>& dimensions) {
  Document::List list;
  for (const auto& [name, value] : dimensions) list.emplace_back(Document::Map{{"Name", name}, {"Value", value}});
  return list;
}

std::optional<KeptMetric> kept_metric(const MetricName& name, const std::optional<std::string>& unit) {
  const auto metric = metrics::metric_named(name.metric);
  auto series = metrics::series_of(name.dimensions);
  if (name.space != metrics::kDynamoDbSpace || !metric || !series) return std::nullopt;
  if (unit && *unit != metrics::row_of(*metric).unit) return std::nullopt;
  return KeptMetric{std::move(*series), *metric};
}

Result<int64_t> period_in(const Parameters& in) {
  PARTITA_TRY(const int64_t seconds, in.needed_whole("Period", 1, kMostPeriod));
  if (seconds % kSecondsPerMinute != 0) return invalid("Period", "must be a multiple of 60");
  return seconds / kSecondsPerMinute;
}

Result<void> check_points(int64_t from_ms, int64_t to_ms, int64_t period_minutes) {
  if (from_ms >= to_ms) return model::refuse(Fault::kMonitorRange);
  const int64_t period_ms = period_minutes * kMsPerMinute;
  const int64_t points = (to_ms - from_ms + period_ms - 1) / period_ms;
  if (points > kMostDatapoints) return model::refuse(Fault::kMonitorDatapoints, {std::to_string(points)});
  return {};
}

Result<metrics::Statistic> statistic_in(std::string_view parameter, std::string_view name) {
  const auto statistic = metrics::statistic_named(name);
  if (statistic) return *statistic;
  return invalid(parameter,
                 "must be SampleCount, Average, Sum, Minimum, Maximum, or a percentile such as p99; Partita serves no "
                 "other statistics");
}

Task<Result<std::vector<metrics::PeriodStatistics>>> periods_of(storage::Engine& engine, KeptMetric metric,
                                                                int64_t from_ms, int64_t to_ms,
                                                                int64_t period_minutes) {
  const int64_t from = from_ms / kMsPerMinute;
  const int64_t to = (to_ms + kMsPerMinute - 1) / kMsPerMinute;
  const metrics::History history(engine);
  auto read = co_await history.read(std::move(metric.series), metric.metric, from, to);
  PARTITA_CO_TRY(const std::vector<metrics::MinuteStatistics> minutes, std::move(read));
  co_return metrics::by_period(minutes, from, period_minutes);
}

std::string token_of(std::string_view position) {
  std::string token;
  append_base64(token, position);
  return token;
}

Result<std::optional<std::string>> position_in(const Parameters& in) {
  PARTITA_TRY(const auto token, in.text("NextToken", 0, kMostDimensionValue));
  if (!token) return std::optional<std::string>();
  auto position = decode_base64(*token);
  if (!position || position->empty() || !is_utf8(*position)) return model::refuse(Fault::kMonitorNextToken);
  return position;
}

}  // namespace partita::cloudwatch
