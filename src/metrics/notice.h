// Notices: what the actions of alarms are told, in rows of the store until it is delivered: docs/formats/metrics.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/engine.h"

namespace partita::metrics {

// How many an alarm may have, and their bytes, which every engine can store. The oldest beyond that are given up.
inline constexpr size_t kMostNotices = 20;
inline constexpr size_t kMostNoticeBytes = size_t{256} << 10;

struct Notice {
  std::string id;      // a UUID
  std::string action;  // an ARN
  std::string subject;
  std::string message;   // JSON
  int64_t made_ms = 0;   // the change of state, since 1970
  int64_t due_ms = 0;    // of the next attempt
  int64_t attempts = 0;  // that were begun
  bool failed = false;   // whether the history tells of a failure
};

// The row of an alarm's notices. It exists only while there are any.
storage::Key notices_key(std::string_view alarm);
std::string_view alarm_of_notices(std::string_view key);
std::string row_of_notices(const std::vector<Notice>& notices);
// The oldest first. Error: kCorrupt.
Result<std::vector<Notice>> notices_from(std::string_view row);

// Removes those beyond the limits and returns them.
std::vector<Notice> take_excess(std::vector<Notice>& notices);

}  // namespace partita::metrics
