#include "sinks/pauses.h"

#include <algorithm>

#include "base/clock.h"

namespace partita::sinks {

namespace {

constexpr int64_t kActiveMs = 1'000;
constexpr int64_t kLeastIdleMs = 3;
constexpr int64_t kLeastIdleSharedMs = 20;
constexpr int64_t kMostIdleSharedMs = 200;
constexpr int64_t kLeastHoldMs = 100;
constexpr int64_t kMostHoldMs = 30'000;

}  // namespace

void IdlePause::found(table::TableContext& context) {
  pause_ms_ = 0;
  found_ns_ = context.clock().monotonic_ns();
}

int64_t IdlePause::next_ms(table::TableContext& context) {
  const bool exclusive = context.options().exclusive;
  const int64_t least_ms = exclusive ? kLeastIdleMs : kLeastIdleSharedMs;
  const bool active = context.clock().monotonic_ns() - found_ns_ < kActiveMs * kNsPerMs;
  pause_ms_ = active ? least_ms : std::clamp(2 * pause_ms_, least_ms, exclusive ? kMostNapMs : kMostIdleSharedMs);
  return pause_ms_;
}

void Backoff::hold(table::TableContext& context, int64_t least_ms) {
  pause_ms_ = std::clamp(2 * pause_ms_, kLeastHoldMs, kMostHoldMs);
  const auto jitter = static_cast<int64_t>(context.random().below(static_cast<uint64_t>(pause_ms_) / 2 + 1));
  until_ns_ = context.clock().monotonic_ns() + std::max(least_ms, pause_ms_ / 2 + jitter) * kNsPerMs;
}

}  // namespace partita::sinks
