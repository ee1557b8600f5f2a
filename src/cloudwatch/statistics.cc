// GetMetricStatistics and ListMetrics.
#include <algorithm>
#include <charconv>
#include <utility>

#include "cloudwatch/calls.h"
#include "cloudwatch/metric_name.h"
#include "metrics/watch.h"
#include "model/fault.h"

namespace partita::cloudwatch {

namespace {

using metrics::kMsPerMinute;
using metrics::PeriodStatistics;
using model::Fault;
using wire::Document;

// --- GetMetricStatistics

constexpr size_t kMostStatistics = 5;
constexpr size_t kMostExtended = 10;

struct StatisticsRequest {
  MetricName name;
  int64_t from_ms = 0;
  int64_t to_ms = 0;
  int64_t period_minutes = 1;
  std::vector<std::string> statistics;
  std::vector<std::string> extended;
  std::optional<std::string> unit;
};

Result<StatisticsRequest> decode_statistics(const Parameters& in) {
  StatisticsRequest request;
  PARTITA_TRY(request.name, metric_name_in(in));
  PARTITA_TRY(request.from_ms, in.needed_time("StartTime"));
  PARTITA_TRY(request.to_ms, in.needed_time("EndTime"));
  PARTITA_TRY(request.period_minutes, period_in(in));
  PARTITA_TRY(request.statistics, in.distinct_texts("Statistics", kMostStatistics));
  PARTITA_TRY(request.extended, in.distinct_texts("ExtendedStatistics", kMostExtended));
  PARTITA_TRY(request.unit, in.text("Unit", 1, kMostName));
  PARTITA_TRY_VOID(check_points(request.from_ms, request.to_ms, request.period_minutes));
  if (request.statistics.empty() && request.extended.empty()) {
    return model::refuse(Fault::kMonitorMissing, {"Statistics"});
  }
  for (const std::string& name : request.statistics) PARTITA_TRY_VOID(statistic_in("Statistics", name));
  for (const std::string& name : request.extended) PARTITA_TRY_VOID(statistic_in("ExtendedStatistics", name));
  return request;
}

Document encode_statistics(const StatisticsRequest& request, const std::vector<PeriodStatistics>& periods,
                           std::string_view unit) {
  Document::List points;
  for (const auto& [at_ms, statistics] : periods) {
    Document point = Document::Map{{"Timestamp", Document::Time{at_ms}}, {"Unit", unit}};
    for (const std::string& name : request.statistics) {
      point.set(name, metrics::value_of(statistics, *metrics::statistic_named(name)));
    }
    Document::Entries extended;
    for (const std::string& name : request.extended) {
      extended.map.emplace_back(name, metrics::value_of(statistics, *metrics::statistic_named(name)));
    }
    if (!extended.map.empty()) point.set("ExtendedStatistics", std::move(extended));
    points.push_back(std::move(point));
  }
  return Document::Map{{"Label", request.name.metric}, {"Datapoints", std::move(points)}};
}

// --- ListMetrics

constexpr size_t kMostFilters = 10;
constexpr size_t kListedMetrics = 500;  // in one reply, as in AWS
constexpr size_t kTablesAtOnce = 20;

struct DimensionFilter {
  std::string name;
  std::optional<std::string> value;
};

struct ListRequest {
  std::optional<std::string> space;
  std::optional<std::string> metric;
  std::vector<DimensionFilter> filters;
  std::string table;  // where the list goes on: behind this many metrics of the table
  size_t skipped = 0;
};

// "12 Votes"
Result<void> take_position(const std::string& position, ListRequest& request) {
  const size_t space = position.find(' ');
  const auto [end, error] = std::from_chars(position.data(), position.data() + position.size(), request.skipped);
  if (error != std::errc() || space == std::string::npos || end != position.data() + space) {
    return model::refuse(Fault::kMonitorNextToken);
  }
  request.table = position.substr(space + 1);
  return {};
}

Result<ListRequest> decode_list(const Parameters& in) {
  PARTITA_TRY_VOID(in.refuse({"RecentlyActive", "OwningAccount"}));
  PARTITA_TRY(const auto linked, in.flag("IncludeLinkedAccounts"));
  if (linked.value_or(false)) return model::refuse(Fault::kMonitorUnserved, {"IncludeLinkedAccounts", "ListMetrics"});
  ListRequest request;
  PARTITA_TRY(request.space, in.text("Namespace", 1, kMostName));
  PARTITA_TRY(request.metric, in.text("MetricName", 1, kMostName));
  PARTITA_TRY(const auto filters, in.structures("Dimensions", kMostFilters));
  for (const Parameters& one : filters) {
    DimensionFilter filter;
    PARTITA_TRY(filter.name, one.needed_text("Name", 1, kMostName));
    PARTITA_TRY(filter.value, one.text("Value", 0, kMostDimensionValue));
    request.filters.push_back(std::move(filter));
  }
  PARTITA_TRY(const auto position, position_in(in));
  if (position) PARTITA_TRY_VOID(take_position(*position, request));
  return request;
}

bool has_dimension(const std::vector<metrics::Dimension>& dimensions, const DimensionFilter& filter) {
  return std::ranges::any_of(dimensions, [&](const metrics::Dimension& one) {
    return one.name == filter.name && (!filter.value || filter.value->empty() || one.value == *filter.value);
  });
}

bool is_listed(const ListRequest& request, const metrics::KnownMetric& known, int64_t oldest_hour) {
  if (known.hour < oldest_hour) return false;
  if (request.metric && *request.metric != metrics::row_of(known.metric).name) return false;
  const auto dimensions = metrics::dimensions_of(known.series);
  return std::ranges::all_of(request.filters,
                             [&](const DimensionFilter& filter) { return has_dimension(dimensions, filter); });
}

}  // namespace

Task<Result<Document>> get_metric_statistics(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const StatisticsRequest request, decode_statistics(in));
  const auto metric = kept_metric(request.name, request.unit);
  std::vector<PeriodStatistics> periods;
  std::string_view unit = "None";
  if (metric) {
    unit = metrics::row_of(metric->metric).unit;
    auto read = co_await periods_of(context.engine, *metric, request.from_ms, request.to_ms, request.period_minutes);
    PARTITA_CO_TRY(periods, std::move(read));
  }
  co_return encode_statistics(request, periods, unit);
}

Task<Result<Document>> list_metrics(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(ListRequest request, decode_list(in));
  Document::List listed;
  std::string next;
  if (request.space && *request.space != metrics::kDynamoDbSpace)
    co_return Document(Document::Map{{"Metrics", listed}});
  const metrics::History history(context.engine);
  const int64_t oldest = context.clock.now_ms() / kMsPerMinute / 60 - metrics::kKeptMinutes / 60;
  std::vector<std::string> tables{request.table};
  for (size_t at = 0; next.empty(); ++at) {
    if (at == tables.size()) {
      auto further = co_await history.tables(tables.back(), kTablesAtOnce);
      PARTITA_CO_TRY(tables, std::move(further));
      at = 0;
    }
    if (tables.empty()) break;
    auto read = co_await history.known(tables[at]);
    PARTITA_CO_TRY(const std::vector<metrics::KnownMetric> known, std::move(read));
    for (size_t i = std::exchange(request.skipped, 0); i < known.size(); ++i) {
      if (!is_listed(request, known[i], oldest)) continue;
      if (listed.size() == kListedMetrics) {
        next = std::to_string(i) + " " + tables[at];
        break;
      }
      listed.emplace_back(Document::Map{{"Namespace", metrics::kDynamoDbSpace},
                                        {"MetricName", metrics::row_of(known[i].metric).name},
                                        {"Dimensions", document_of(metrics::dimensions_of(known[i].series))}});
    }
  }
  Document reply = Document::Map{{"Metrics", std::move(listed)}};
  if (!next.empty()) reply.set("NextToken", token_of(next));
  co_return reply;
}

}  // namespace partita::cloudwatch
