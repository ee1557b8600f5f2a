// The metrics of DynamoDB in CloudWatch that Partita keeps, and the series that they belong to.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita::metrics {

// How long values are kept: as long as CloudWatch keeps those of 60 seconds.
inline constexpr int64_t kKeptMinutes = int64_t{15} * 24 * 60;
inline constexpr int64_t kMsPerMinute = 60'000;
inline constexpr int64_t kMinutesPerHour = 60;
inline constexpr int64_t kHoursPerDay = 24;

// The numbers are stored: docs/formats/metrics.md.
enum class Metric : uint8_t {
  kConsumedRead = 1,
  kConsumedWrite = 2,
  kProvisionedRead = 3,
  kProvisionedWrite = 4,
  kMaxOnDemandRead = 5,
  kMaxOnDemandWrite = 6,
  kReadThrottles = 7,
  kWriteThrottles = 8,
  kThrottledRequests = 9,
  kSystemErrors = 10,
  kLatency = 11,
  kReturnedItems = 12,
  kConditionsFailed = 13,
  kConflicts = 14,
  kExpiredItems = 15,
  kUserErrors = 16,
  kProvisionedReadThrottles = 17,  // this and those that follow: in the order of model::ThroughputLimit
  kKeyRangeReadThrottles = 18,
  kMaxOnDemandReadThrottles = 19,
  kAccountReadThrottles = 20,
  kProvisionedWriteThrottles = 21,
  kKeyRangeWriteThrottles = 22,
  kMaxOnDemandWriteThrottles = 23,
  kAccountWriteThrottles = 24,
};
inline constexpr uint8_t kMostMetric = 63;  // the greatest number that the format has room for

// What one minute of a metric consists of. The numbers are stored.
enum class ValueKind : uint8_t {
  kAmounts = 0,  // a sample for each request
  kEvents = 1,   // a sample of the value 1 for each event
  kLevel = 2,    // one sample every five minutes, as in CloudWatch
  kTimes = 3,    // as kAmounts, with a histogram
};

// What a series is about: its dimensions in CloudWatch. The numbers are stored.
enum class Scope : uint8_t {
  kAccount = 0,         // none
  kTable = 1,           // TableName
  kIndex = 2,           // TableName, GlobalSecondaryIndexName
  kTableOperation = 3,  // TableName, Operation
  kOperation = 4,       // Operation
};

struct MetricRow {
  Metric metric;
  std::string_view name;  // in CloudWatch
  ValueKind kind;
  double scale;                 // from what is stored, half units or nanoseconds, to `unit`
  std::string_view unit;        // in CloudWatch
  bool zero_when_idle = false;  // a minute without requests has the value 0; otherwise it has none
};
std::span<const MetricRow> metric_rows();
const MetricRow& row_of(Metric metric);
// Nullopt: no metric of that name is kept.
std::optional<Metric> metric_named(std::string_view name);

struct Series {
  Scope scope = Scope::kAccount;
  std::string table;  // empty: none
  std::string part;   // the index or the operation; empty: none
  auto operator<=>(const Series&) const = default;
};

// A dimension in CloudWatch.
struct Dimension {
  std::string name;
  std::string value;
  bool operator==(const Dimension&) const = default;
};
// In any order. Nullopt: no series has these.
std::optional<Series> series_of(std::span<const Dimension> dimensions);
std::vector<Dimension> dimensions_of(const Series& series);

// Durations by powers of 4 from 2^14 to 2^34 ns, and more: the buckets of CoarseTiming (base/meter.h).
inline constexpr size_t kBuckets = 12;

// The values of a metric in some time, in its unit.
struct Statistics {
  double samples = 0;
  double sum = 0;
  double least = 0;
  double most = 0;
  std::array<double, kBuckets> buckets{};  // of ValueKind::kTimes: samples in each

  bool operator==(const Statistics&) const = default;
  double average() const { return samples == 0 ? 0 : sum / samples; }
  void add(const Statistics& other);
  // The value below which that part of the samples is, estimated within a bucket; without a histogram, between the
  // least and the greatest value. Precondition: there are samples.
  double quantile(double part) const;
};

}  // namespace partita::metrics
