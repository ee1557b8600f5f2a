// Alarms on metrics, and their history, as rows of the store: docs/formats/metrics.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/task.h"
#include "metrics/evaluation.h"
#include "metrics/metric.h"
#include "metrics/notice.h"
#include "storage/engine.h"

namespace partita::metrics {

// How long history is kept, as CloudWatch keeps it.
inline constexpr int64_t kHistoryKeptMs = int64_t{30} * 24 * 60 * kMsPerMinute;

// How many alarms to list at once.
inline constexpr size_t kAlarmsAtOnce = 100;

// The policy of auto scaling that an alarm belongs to.
struct ScalingOwner {
  std::string resource;  // "table/T"
  std::string id;        // of the policy
  std::string name;
  bool operator==(const ScalingOwner&) const = default;
};

struct Alarm {
  std::string name;
  std::optional<ScalingOwner> policy;  // nullopt: it was made by PutMetricAlarm
  std::optional<std::string> description;
  bool actions_enabled = true;
  std::vector<std::string> ok_actions;  // ARNs, see notice.h
  std::vector<std::string> alarm_actions;
  std::vector<std::string> insufficient_data_actions;
  std::map<std::string, std::string> tags;

  std::string space;  // the namespace of the metric
  std::string metric;
  std::vector<Dimension> dimensions;
  std::string statistic;  // "Sum", "p99"
  int64_t period_minutes = 1;
  std::optional<std::string> unit;
  AlarmRule rule;
  bool says_to_alarm = false;  // whether DatapointsToAlarm was given
  bool says_missing = false;   // whether TreatMissingData was given
  std::string region;          // of the last PutMetricAlarm, as is the account; for messages
  std::string account;

  AlarmState state = AlarmState::kInsufficientData;
  std::string reason;
  std::optional<std::string> reason_data;  // JSON
  int64_t configured_ms = 0;               // since 1970; of the last PutMetricAlarm
  int64_t updated_ms = 0;                  // of the state or its reason
  int64_t changed_ms = 0;                  // of the state
};

enum class HistoryKind : uint8_t { kConfiguration, kState, kAction };

struct HistoryEntry {
  std::string alarm;
  int64_t at_ms = 0;
  HistoryKind kind = HistoryKind::kState;
  std::string summary;
  std::string data;     // JSON
  uint32_t number = 0;  // as read: rises with each entry that a server makes
};

// Which entries of the history, and which of these.
struct HistoryPart {
  std::string alarm = {};                // empty: of all alarms
  std::optional<HistoryKind> kind = {};  // absent: of all kinds
  int64_t from_ms = 0;                   // times in [from_ms, to_ms)
  int64_t to_ms = INT64_MAX;
  bool newest_first = false;
  size_t skipped = 0;
  size_t most = 100;
};

struct HistoryPage {
  std::vector<HistoryEntry> entries;
  bool more = false;  // there are further ones
};

// About a notice that was delivered, or could not be: `error`, a sentence.
HistoryEntry entry_of_notice(const std::string& alarm, const Notice& notice, const std::optional<std::string>& error,
                             int64_t now_ms);
// Stores entries with these changes.
void put_history(const std::vector<HistoryEntry>& entries, Random& random, storage::Changes& changes);

// Callable from any thread. Arguments are copied into the tasks, unless said otherwise. Errors: those of the engine;
// kCorrupt.
class AlarmStore {
 public:
  // Both outlive it. `actions`: of alarms that change() puts into another state.
  AlarmStore(storage::Engine& engine, Random& random, AlarmActions actions = AlarmActions::kIgnored)
      : engine_(engine), random_(random), actions_(actions) {}

  // Changes an alarm in one transaction. `change` gets the alarm as it is, or nothing, and returns what it becomes, or
  // nothing to leave all as it is; it fills `entries`, which are stored too, as are the notices of a new state. It may
  // be called several times. True: the alarm was changed.
  using Change = std::function<std::optional<Alarm>(const Alarm* found, std::vector<HistoryEntry>& entries)>;
  Task<Result<bool>> change(std::string name, Change change) const;
  // False: there is no such alarm. `entry` is stored with the deletion. The alarm's notices are erased too.
  Task<Result<bool>> erase(std::string name, HistoryEntry entry) const;

  Task<Result<std::optional<Alarm>>> find(std::string name) const;
  // Alarms whose name begins with `prefix` and is greater than `after`, by name; at most `most`.
  Task<Result<std::vector<Alarm>>> list(std::string prefix, std::string after, size_t most) const;

  // By time, and within a millisecond in the order in which a server made them. Looks at no more than 100,000 entries,
  // and keeps none but those of the page in memory.
  Task<Result<HistoryPage>> history(HistoryPart part) const;
  // Erases history that is older than kHistoryKeptMs, or further ahead, as after a clock that was set back.
  Task<Result<void>> erase_old(int64_t now_ms) const;

 private:
  struct HistoryPlace {
    int64_t at_ms = 0;
    uint32_t number = 0;
    storage::Key key;
  };
  Task<Result<std::vector<HistoryPlace>>> places_of(const HistoryPart& part) const;

  storage::Engine& engine_;
  Random& random_;
  AlarmActions actions_;
};

}  // namespace partita::metrics
