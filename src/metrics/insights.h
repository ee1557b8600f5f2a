// The keys that had most of a minute's load, and those that were throttled most, as rows of the store
// (docs/formats/metrics.md), and what CloudWatch reports of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "metrics/metric.h"
#include "storage/engine.h"
#include "table/control/insight_rules.h"

namespace partita::metrics {

// Whose keys: those of a table (model::kBaseIndex) or of a global index, and by which rule.
struct InsightSubject {
  uint32_t table_id = 0;
  uint16_t index_id = 0;
  table::InsightRuleKind kind{};
  auto operator<=>(const InsightSubject&) const = default;
};

struct InsightKey {
  std::string key;     // encoded values of the partition key, or of it and the sort key (model/key.h)
  uint64_t value = 0;  // of accesses: half units, those of writes three times; or throttled requests
};

// One minute, as one server counted it.
struct InsightMinute {
  InsightSubject of;
  uint64_t total = 0;            // of all keys
  uint64_t events = 0;           // accesses or throttled requests
  std::vector<InsightKey> keys;  // the greatest first
};

// A row has as many of the greatest keys as fit, and at least one.
inline constexpr size_t kMostInsightBytes = size_t{4} << 10;
std::string insight_row(const InsightMinute& minute);
// Errors: kCorrupt; kInvalid for a row of a newer version. `of` is left as it is.
Result<InsightMinute> read_insight_row(std::string_view row);

// Writes what a server has counted. If a write fails, the rows stay in memory and are written with those of the next
// minute. For one thread at a time.
class InsightRecorder {
 public:
  // `server`: differs from that of every other server and start.
  explicit InsightRecorder(uint64_t server) : server_(server) {}

  // `counted`: of that minute (since 1970), which adds to what was recorded of it before if the clock went back. The
  // engine, which may be another one of the same store each time, outlives the task. Errors: those of the engine.
  Task<Result<void>> record(storage::Engine& engine, std::vector<InsightMinute> counted, int64_t minute);

 private:
  struct Row {
    storage::Key key;
    std::string value;
  };

  uint64_t server_;  // each value is used for rising minutes only
  int64_t last_minute_ = INT64_MIN;
  std::vector<Row> waiting_;
};

// Erases what is older than kKeptMinutes, and what is further ahead than that, as after a clock that was set back.
// Errors: those of the engine.
Task<Result<void>> erase_old_insights(storage::Engine& engine, int64_t now_minute);

// A key, in the unit of the rule.
struct Contributor {
  std::string key;
  double sum = 0;
  double most = 0;                    // in a minute
  std::map<int64_t, double> periods;  // by begin, in minutes since 1970: the sum in each in which it was seen
};

struct InsightPeriod {
  double events = 0;
  double sum = 0;  // of all keys
  // Of the keys that were kept:
  double contributors = 0;
  double kept_sum = 0;
  double greatest = 0;  // the greatest sum of a contributor
  double least = 0;     // the least and the greatest of a contributor in a minute
  double most = 0;
};

struct InsightReport {
  double sum = 0;                            // of all keys
  std::vector<Contributor> contributors;     // in no order
  std::map<int64_t, InsightPeriod> periods;  // by begin, in minutes since 1970; only those with values
};

// Minutes since 1970, `to` excluded. The first period begins with `from`; what was counted before `since` is left out.
struct InsightSpan {
  int64_t from = 0;
  int64_t to = 0;
  int64_t period_minutes = 1;
  int64_t since = 0;
};
// What all servers have recorded. Of very many keys, only the greatest are kept. A damaged row is left out, and logged.
// Errors: those of the engine.
Task<Result<InsightReport>> read_insights(storage::Engine& engine, InsightSubject of, InsightSpan span);

}  // namespace partita::metrics
