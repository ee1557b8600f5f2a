#include "metrics/metric.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace partita::metrics {

namespace {

constexpr double kUnits = 0.5;  // of half units
constexpr double kMs = 1e-6;    // of nanoseconds

constexpr std::string_view kCount = "Count";

constexpr std::string_view kTableName = "TableName";
constexpr std::string_view kIndexName = "GlobalSecondaryIndexName";
constexpr std::string_view kOperationName = "Operation";

// "DynamoDB metrics and dimensions", developer guide.
constexpr std::array kRows = {
    MetricRow{Metric::kConsumedRead, "ConsumedReadCapacityUnits", ValueKind::kAmounts, kUnits, kCount, true},
    MetricRow{Metric::kConsumedWrite, "ConsumedWriteCapacityUnits", ValueKind::kAmounts, kUnits, kCount, true},
    MetricRow{Metric::kProvisionedRead, "ProvisionedReadCapacityUnits", ValueKind::kLevel, 1, kCount},
    MetricRow{Metric::kProvisionedWrite, "ProvisionedWriteCapacityUnits", ValueKind::kLevel, 1, kCount},
    MetricRow{Metric::kMaxOnDemandRead, "OnDemandMaxReadRequestUnits", ValueKind::kLevel, 1, kCount},
    MetricRow{Metric::kMaxOnDemandWrite, "OnDemandMaxWriteRequestUnits", ValueKind::kLevel, 1, kCount},
    MetricRow{Metric::kReadThrottles, "ReadThrottleEvents", ValueKind::kEvents, 1, kCount},
    MetricRow{Metric::kWriteThrottles, "WriteThrottleEvents", ValueKind::kEvents, 1, kCount},
    MetricRow{Metric::kThrottledRequests, "ThrottledRequests", ValueKind::kEvents, 1, kCount},
    MetricRow{Metric::kSystemErrors, "SystemErrors", ValueKind::kEvents, 1, kCount},
    MetricRow{Metric::kLatency, "SuccessfulRequestLatency", ValueKind::kTimes, kMs, "Milliseconds"},
    MetricRow{Metric::kReturnedItems, "ReturnedItemCount", ValueKind::kAmounts, 1, kCount},
    MetricRow{Metric::kConditionsFailed, "ConditionalCheckFailedRequests", ValueKind::kEvents, 1, kCount},
    MetricRow{Metric::kConflicts, "TransactionConflict", ValueKind::kEvents, 1, kCount},
    MetricRow{Metric::kExpiredItems, "TimeToLiveDeletedItemCount", ValueKind::kEvents, 1, kCount},
    MetricRow{Metric::kUserErrors, "UserErrors", ValueKind::kEvents, 1, kCount},
    MetricRow{Metric::kProvisionedReadThrottles, "ReadProvisionedThroughputThrottleEvents", ValueKind::kEvents, 1,
              kCount},
    MetricRow{Metric::kKeyRangeReadThrottles, "ReadKeyRangeThroughputThrottleEvents", ValueKind::kEvents, 1, kCount},
    MetricRow{Metric::kMaxOnDemandReadThrottles, "ReadMaxOnDemandThroughputThrottleEvents", ValueKind::kEvents, 1,
              kCount},
    MetricRow{Metric::kAccountReadThrottles, "ReadAccountLimitThrottleEvents", ValueKind::kEvents, 1, kCount},
    MetricRow{Metric::kProvisionedWriteThrottles, "WriteProvisionedThroughputThrottleEvents", ValueKind::kEvents, 1,
              kCount},
    MetricRow{Metric::kKeyRangeWriteThrottles, "WriteKeyRangeThroughputThrottleEvents", ValueKind::kEvents, 1, kCount},
    MetricRow{Metric::kMaxOnDemandWriteThrottles, "WriteMaxOnDemandThroughputThrottleEvents", ValueKind::kEvents, 1,
              kCount},
    MetricRow{Metric::kAccountWriteThrottles, "WriteAccountLimitThrottleEvents", ValueKind::kEvents, 1, kCount},
};

// The upper bound of a bucket but the last, in milliseconds.
double bound_of(size_t bucket) {
  constexpr int kFirst = 14;
  constexpr int kStep = 2;
  return std::ldexp(1.0, kFirst + kStep * static_cast<int>(bucket)) * kMs;
}

}  // namespace

std::span<const MetricRow> metric_rows() { return kRows; }

const MetricRow& row_of(Metric metric) {
  const auto* const found = std::ranges::find(kRows, metric, &MetricRow::metric);
  PARTITA_CHECK(found != kRows.end());
  return *found;
}

std::optional<Metric> metric_named(std::string_view name) {
  const auto* const found = std::ranges::find(kRows, name, &MetricRow::name);
  if (found == kRows.end()) return std::nullopt;
  return found->metric;
}

std::optional<Series> series_of(std::span<const Dimension> dimensions) {
  Series series;
  bool index = false;
  bool operation = false;
  for (const auto& [name, value] : dimensions) {
    if (name == kTableName && series.table.empty() && !value.empty()) {
      series.table = value;
    } else if ((name == kIndexName || name == kOperationName) && series.part.empty() && !value.empty()) {
      (name == kIndexName ? index : operation) = true;
      series.part = value;
    } else {
      return std::nullopt;
    }
  }
  const bool table = !series.table.empty();
  if (index && !table) return std::nullopt;
  if (index) series.scope = Scope::kIndex;
  if (operation) series.scope = table ? Scope::kTableOperation : Scope::kOperation;
  if (!index && !operation) series.scope = table ? Scope::kTable : Scope::kAccount;
  return series;
}

std::vector<Dimension> dimensions_of(const Series& series) {
  std::vector<Dimension> dimensions;
  if (!series.table.empty()) dimensions.push_back({std::string(kTableName), series.table});
  if (!series.part.empty()) {
    dimensions.push_back({std::string(series.scope == Scope::kIndex ? kIndexName : kOperationName), series.part});
  }
  return dimensions;
}

void Statistics::add(const Statistics& other) {
  if (other.samples == 0) return;
  least = samples == 0 ? other.least : std::min(least, other.least);
  most = samples == 0 ? other.most : std::max(most, other.most);
  samples += other.samples;
  sum += other.sum;
  for (size_t i = 0; i < kBuckets; ++i) buckets[i] += other.buckets[i];
}

double Statistics::quantile(double part) const {
  double all = 0;
  for (const double count : buckets) all += count;
  if (all == 0) return least + (most - least) * part;
  const double wanted = part * all;
  double below = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    if (buckets[i] > 0 && below + buckets[i] >= wanted) {
      const double lower = std::clamp(i == 0 ? 0 : bound_of(i - 1), least, most);
      const double upper = i + 1 == kBuckets ? most : std::clamp(bound_of(i), least, most);
      return lower + (upper - lower) * (wanted - below) / buckets[i];
    }
    below += buckets[i];
  }
  return most;
}

}  // namespace partita::metrics
