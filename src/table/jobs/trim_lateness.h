// For how long streams keep records beyond their 24 hours, as this server last saw it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/exposition.h"
#include "base/mutex.h"

namespace partita::table {

// Callable from any thread.
class TrimLateness {
 public:
  // For how long the oldest record of a shard has been too old.
  void saw_old_record(int64_t late_ms) {
    const MutexLock lock(mutex_);
    next_late_ms_ = std::max(next_late_ms_, late_ms);
  }
  // All streams have been checked since the last such call. Reported for two minutes: another server may check next.
  void saw_streams(int64_t now_ns) {
    constexpr int64_t kKnownNs = 120'000'000'000;
    const MutexLock lock(mutex_);
    late_ms_ = std::exchange(next_late_ms_, 0);
    known_until_ns_ = now_ns + kKnownNs;
  }
  void report(Exposition& out, int64_t now_ns) const {
    constexpr double kMsPerSecond = 1'000;
    const MutexLock lock(mutex_);
    if (now_ns >= known_until_ns_) return;
    out.gauge("partita_stream_trim_late_seconds",
              "Time that the oldest stream record is past its retention of 24 hours.",
              static_cast<double>(late_ms_) / kMsPerSecond);
  }

 private:
  mutable Mutex mutex_;
  int64_t late_ms_ PARTITA_GUARDED_BY(mutex_) = 0;
  int64_t known_until_ns_ PARTITA_GUARDED_BY(mutex_) = 0;
  int64_t next_late_ms_ PARTITA_GUARDED_BY(mutex_) = 0;  // of the check that is going on
};

}  // namespace partita::table
