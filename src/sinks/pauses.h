// How long the carriage of a sink waits: for changes, and for another end that is in trouble.
#pragma once

#include <cstdint>

#include "table/catalog/table_context.h"

namespace partita::sinks {

// The longest pause in which a change of the sink is not noticed.
inline constexpr int64_t kMostNapMs = 50;

// The pauses between two looks at a log: short while changes come, longer later. Stores that servers share cost a
// request each. For one thread.
class IdlePause {
 public:
  // A change was found.
  void found(table::TableContext& context);
  int64_t next_ms(table::TableContext& context);

 private:
  int64_t pause_ms_ = 0;
  int64_t found_ns_ = 0;
};

// Pauses that grow, with jitter, up to half a minute. For one thread.
class Backoff {
 public:
  // The next pause is at least `least_ms` long.
  void hold(table::TableContext& context, int64_t least_ms = 0);
  void reset() { pause_ms_ = until_ns_ = 0; }
  bool holds(int64_t now_ns) const { return now_ns < until_ns_; }
  int64_t until_ns() const { return until_ns_; }

 private:
  int64_t pause_ms_ = 0;
  int64_t until_ns_ = 0;
};

}  // namespace partita::sinks
