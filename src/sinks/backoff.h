// How long to wait before something that failed is tried again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/random.h"

namespace partita::sinks {

// From 100 ms on, twice as long after each failure, up to 30 s; at random between half of that and all of it, so that
// servers that failed together do not try together. Not thread-safe.
class Backoff {
 public:
  static constexpr int64_t kFirstMs = 100;
  static constexpr int64_t kMostMs = 30'000;

  explicit Backoff(Random& random) : random_(random) {}

  int64_t next_ms() {
    const int64_t most_ms = std::min(kMostMs, kFirstMs << failures_);
    if (most_ms < kMostMs) ++failures_;
    return most_ms - static_cast<int64_t>(random_.below(static_cast<uint64_t>(most_ms / 2 + 1)));
  }
  void reset() { failures_ = 0; }

 private:
  Random& random_;
  int failures_ = 0;
};

}  // namespace partita::sinks
