// Capacity that fills evenly and is taken by requests: a generic cell rate algorithm whose state is one number.
//
//   TokenBucket reads(100, kBurstNs, now_ns);               // 100 units a second, 300 seconds of burst
//   int64_t wait_ns = 0;
//   if (!reads.take(now_ns, cost, wait_ns)) return refusal;  // nothing was taken
//   reads.charge(now_ns, what it cost beyond that);
//
// A request is admitted if the level is above zero, whatever it costs, because the cost of a read and of index rows is
// known only afterwards. The level may thus become negative; requests are then refused until it is above zero again.
// How deep DynamoDB lets this debt become is not known. Here charge() makes none of more seconds than the bucket holds,
// so a few large Scans of a small table cannot close it for hours. take() may, by its cost alone, to be given back.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "model/size.h"

namespace partita::throttle {

// "Burst capacity" in DynamoDB's developer guide: up to 300 seconds of unused capacity are kept.
inline constexpr int64_t kBurstNs = 300'000'000'000;

// Callable from any thread. All times are of one monotonic clock, in nanoseconds.
class TokenBucket {
 public:
  // `per_second`: units, at least 1. The bucket holds `depth_ns` of them, and is full at first.
  TokenBucket(int64_t per_second, int64_t depth_ns, int64_t now_ns)
      : empty_at_ns_(now_ns - depth_ns),
        per_second_(per_second),
        half_unit_ns_(half_unit_ns(per_second)),
        depth_ns_(depth_ns),
        max_debt_ns_(depth_ns) {}

  // Takes that many half units if the level is above zero. False: nothing was taken, and the level will be above zero
  // after `wait_ns`.
  bool take(int64_t now_ns, model::HalfUnits half_units, int64_t& wait_ns) {
    const int64_t cost_ns = ns_of(half_units);
    int64_t before = empty_at_ns_.load(std::memory_order_relaxed);
    while (true) {
      const int64_t empty_at_ns = at_most_full(before, now_ns);
      if (empty_at_ns >= now_ns) {
        wait_ns = empty_at_ns - now_ns + 1;
        return false;
      }
      if (empty_at_ns_.compare_exchange_weak(before, empty_at_ns + cost_ns, std::memory_order_relaxed)) return true;
    }
  }
  // Whether take() would take; if not, `wait_ns` as there.
  bool has_any(int64_t now_ns, int64_t& wait_ns) const {
    wait_ns = at_most_full(empty_at_ns_.load(std::memory_order_relaxed), now_ns) - now_ns + 1;
    return wait_ns <= 0;
  }
  // Takes whatever the level is. A negative number is given back.
  void charge(int64_t now_ns, model::HalfUnits half_units) {
    const int64_t cost_ns = half_units < 0 ? -ns_of(-half_units) : ns_of(half_units);
    int64_t before = empty_at_ns_.load(std::memory_order_relaxed);
    int64_t after = 0;
    do {
      const int64_t empty_at_ns = at_most_full(before, now_ns);
      const int64_t latest_ns = now_ns + max_debt_ns_.load(std::memory_order_relaxed);
      after = std::min(empty_at_ns + cost_ns, std::max(empty_at_ns, latest_ns));
    } while (!empty_at_ns_.compare_exchange_weak(before, after, std::memory_order_relaxed));
  }
  // Keeps the level in units, up to the new depth, or down to the greatest debt. For one thread at a time.
  void set_rate(int64_t now_ns, int64_t per_second, int64_t depth_ns) {
    set_rate(now_ns, per_second, depth_ns, 1, depth_ns);
  }
  // The same for the share of one of several servers, which fills with `per_second` / `divisor` units. Its debt may be
  // that of the whole bucket: `max_debt_ns` at its own rate.
  void set_rate(int64_t now_ns, int64_t per_second, int64_t depth_ns, uint32_t divisor, int64_t max_debt_ns) {
    const int64_t old_ns = half_unit_ns_.load(std::memory_order_relaxed);
    const int64_t new_ns = half_unit_ns(per_second, divisor);
    // In this order a request between the stores sees the lower of the two levels.
    const bool faster = new_ns < old_ns;
    per_second_.store(per_second, std::memory_order_relaxed);
    if (!faster) half_unit_ns_.store(new_ns, std::memory_order_relaxed);
    int64_t before = empty_at_ns_.load(std::memory_order_relaxed);
    int64_t after = 0;
    const int64_t old_depth_ns = depth_ns_.exchange(depth_ns, std::memory_order_relaxed);
    max_debt_ns_.store(max_debt_ns, std::memory_order_relaxed);
    do {
      const auto level_ns = static_cast<double>(now_ns - std::max(before, now_ns - old_depth_ns));
      const double scale = static_cast<double>(new_ns) / static_cast<double>(old_ns);
      after = now_ns - std::clamp(static_cast<int64_t>(level_ns * scale), -max_debt_ns, depth_ns);
    } while (!empty_at_ns_.compare_exchange_weak(before, after, std::memory_order_relaxed));
    if (faster) half_unit_ns_.store(new_ns, std::memory_order_relaxed);
  }
  void fill(int64_t now_ns) { empty_at_ns_.store(now_ns - depth(), std::memory_order_relaxed); }
  // Admits nothing until set_rate() and set_level(), and tells those it refuses to wait until `wait_until_ns`. Returns
  // the level. For one thread at a time.
  model::HalfUnits close(int64_t now_ns, int64_t wait_until_ns) {
    const int64_t depth_ns = depth_ns_.exchange(0, std::memory_order_relaxed);
    const int64_t before = empty_at_ns_.exchange(std::max(now_ns, wait_until_ns), std::memory_order_relaxed);
    return half_units(now_ns - std::max(before, now_ns - depth_ns));
  }
  void set_level(int64_t now_ns, model::HalfUnits level) {
    empty_at_ns_.store(now_ns - ns_of(level), std::memory_order_relaxed);
  }
  // Rounded down, and negative while there is a debt.
  model::HalfUnits level(int64_t now_ns) const {
    return half_units(now_ns - at_most_full(empty_at_ns_.load(std::memory_order_relaxed), now_ns));
  }
  // Before it is divided.
  int64_t per_second() const { return per_second_.load(std::memory_order_relaxed); }

 private:
  int64_t depth() const { return depth_ns_.load(std::memory_order_relaxed); }
  // Rounded up, so that no more is admitted than the rate.
  static int64_t half_unit_ns(int64_t per_second, uint32_t divisor = 1) {
    constexpr int64_t kHalfSecondNs = 500'000'000;
    return (kHalfSecondNs * divisor + per_second - 1) / per_second;
  }
  model::HalfUnits half_units(int64_t level_ns) const {
    const int64_t unit_ns = half_unit_ns_.load(std::memory_order_relaxed);
    return level_ns >= 0 ? level_ns / unit_ns : -((-level_ns + unit_ns - 1) / unit_ns);
  }
  int64_t ns_of(model::HalfUnits half_units) const {
    return half_units * half_unit_ns_.load(std::memory_order_relaxed);
  }
  // Not fuller than full.
  int64_t at_most_full(int64_t empty_at_ns, int64_t now_ns) const { return std::max(empty_at_ns, now_ns - depth()); }

  std::atomic<int64_t> empty_at_ns_;  // when the level is zero, without further requests
  std::atomic<int64_t> per_second_;
  std::atomic<int64_t> half_unit_ns_;  // what it takes to fill with half a unit
  std::atomic<int64_t> depth_ns_;
  std::atomic<int64_t> max_debt_ns_;  // that charge() makes
};

}  // namespace partita::throttle
