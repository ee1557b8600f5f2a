// The progress of a verb on stderr: one line that is rewritten on a terminal, and a line each second elsewhere.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/function_ref.h"

namespace partita::cli {

// "12.5 of about 100.0 MiB (12 %), about 21 s left"; "12.5 MiB" if `total_bytes` is 0 or less than `done_bytes`. The
// remaining time is extrapolated from `passed_ns`, and shown after the first second.
std::string progress(uint64_t done_bytes, uint64_t total_bytes, int64_t passed_ns);

// For one thread.
class ProgressLine {
 public:
  ProgressLine() = default;
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Writes `line`, unless the last one was written less than a second ago.
  void update(FunctionRef<std::string()> line);

  // progress() since the construction.
  std::string so_far(uint64_t done_bytes, uint64_t total_bytes) const;

 private:
  const int64_t began_ns_ = system_clock().monotonic_ns();
  int64_t due_ns_ = 0;
  bool unfinished_ = false;  // the line on the terminal has no line feed yet
};

}  // namespace partita::cli
