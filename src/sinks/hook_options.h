// The options of a hook, by the names of Lambda's event source mappings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/result.h"
#include "sinks/hook_filter.h"

namespace partita::sinks {

struct HookOptions {
  static constexpr size_t kMostLanes = 10;

  size_t batch_size = 100;      // records of a call, at most
  int64_t window_ms = 0;        // so long a record waits for others, at most
  size_t lanes = 1;             // calls of a slice at the same time
  int64_t tumbling_ms = 0;      // the width of a tumbling window; 0: none. Then there is one lane
  int64_t most_retries = -1;    // of a batch; -1: no end
  int64_t most_age_ms = -1;     // of a record; -1: no end
  bool bisects = false;         // a batch that failed
  bool reports_items = false;   // answers name the records that failed
  int64_t timeout_ms = 60'000;  // of a call
  FilterCriteria filter = {};
  std::string on_failure = {};  // the URL that is told of records that are given up; empty: none

  // Error: kInvalid (reason 0), with a sentence that names the option.
  static Result<HookOptions> from(const std::map<std::string, std::string, std::less<>>& options);
};

}  // namespace partita::sinks
