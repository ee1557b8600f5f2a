// Time, injected: only this file's implementation reads the machine's clock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace partita {

inline constexpr int64_t kNsPerMs = 1'000'000;

class Clock {
 public:
  virtual ~Clock() = default;
  // Milliseconds since the Unix epoch. May jump if the machine's clock is set. Callable from any thread.
  virtual int64_t now_ms() const = 0;
  // Nanoseconds of a clock that never goes back; only differences are meaningful. Callable from any thread.
  virtual int64_t monotonic_ns() const = 0;
};

// A time in UTC, as "2026-11-22T08:10:11.123", terminated by a zero.
std::array<char, 32> utc_text(int64_t ms);

// The machine's clock. Valid for the whole program.
const Clock& system_clock();

// Another clock plus an offset, which may be negative. That clock outlives it. Callable from any thread.
class MovableClock final : public Clock {
 public:
  MovableClock(const Clock& clock, int64_t by_ms) : clock_(clock), by_ms_(by_ms) {}
  int64_t now_ms() const override { return clock_.now_ms() + by_ms(); }
  int64_t monotonic_ns() const override { return clock_.monotonic_ns(); }
  int64_t by_ms() const { return by_ms_.load(std::memory_order_relaxed); }
  void move_to(int64_t by_ms) { by_ms_.store(by_ms, std::memory_order_relaxed); }

 private:
  const Clock& clock_;
  std::atomic<int64_t> by_ms_;
};

// A clock that changes only by advance_ms().
class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t now_ms) : now_ms_(now_ms) {}
  int64_t now_ms() const override { return now_ms_; }
  int64_t monotonic_ns() const override { return now_ms_ * kNsPerMs; }
  void advance_ms(int64_t by) { now_ms_ += by; }

 private:
  std::atomic<int64_t> now_ms_;
};

}  // namespace partita
