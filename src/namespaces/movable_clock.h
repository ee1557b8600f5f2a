// A clock that is ahead of another one, or behind it, by as much as it is told to be.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace partita::namespaces {

class MovableClock final : public Clock {
 public:
  // That clock outlives it.
  MovableClock(const Clock& clock, int64_t by_ms) : clock_(clock), by_ms_(by_ms) {}
  int64_t now_ms() const override { return clock_.now_ms() + by_ms(); }
  int64_t monotonic_ns() const override { return clock_.monotonic_ns(); }
  int64_t by_ms() const { return by_ms_.load(std::memory_order_relaxed); }
  // Callable from any thread.
  void move_to(int64_t by_ms) { by_ms_.store(by_ms, std::memory_order_relaxed); }

 private:
  const Clock& clock_;
  std::atomic<int64_t> by_ms_;
};

}  // namespace partita::namespaces
