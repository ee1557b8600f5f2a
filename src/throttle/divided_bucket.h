// A bucket that several servers of a table may share (ledger.h).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "base/mutex.h"
#include "throttle/ledger.h"
#include "throttle/token_bucket.h"

namespace partita::throttle {

// The share of this server in each bucket of a database. Of a store that only one server uses, it is everything, for
// ever. Callable from any thread.
class CapacityShare {
 public:
  uint32_t divisor() const { return divisor_.load(std::memory_order_relaxed); }
  int64_t until_ns() const { return until_ns_.load(std::memory_order_relaxed); }
  bool is_valid(int64_t now_ns) const { return divisor() != 0 && now_ns < until_ns(); }

  // As LedgerHost::divide(), renew() and fill(); the caller then updates or fills existing buckets.
  void divide(uint32_t divisor, int64_t now_ns) {
    const MutexLock lock(mutex_);
    const uint32_t before = divisor_.exchange(divisor, std::memory_order_relaxed);
    const bool raised = divisor != 0 && (before == 0 || divisor < before);
    if (raised) since_ns_ = now_ns;
  }
  void renew(int64_t until_ns) { until_ns_.store(until_ns, std::memory_order_relaxed); }
  void fill() {
    const MutexLock lock(mutex_);
    since_ns_ = kLongAgo;
  }
  // A bucket that is found in its place before this is called sees the newest divisor afterwards, or divide() finds it.
  void synchronise() { const MutexLock lock(mutex_); }

 private:
  friend class DividedBucket;
  static constexpr int64_t kLongAgo = std::numeric_limits<int64_t>::min() / 2;

  int64_t since_ns() const {
    const MutexLock lock(mutex_);
    return since_ns_;
  }

  mutable Mutex mutex_;
  std::atomic<uint32_t> divisor_{1};
  std::atomic<int64_t> until_ns_{std::numeric_limits<int64_t>::max()};
  int64_t since_ns_ PARTITA_GUARDED_BY(mutex_) = kLongAgo;  // the fraction was last raised
};

// Its tokens are callable from any thread, everything else from one at a time.
class DividedBucket {
 public:
  TokenBucket tokens{1, kBurstNs, 0};

  // `depth_ns`: what one server alone may keep.
  void set_rate(int64_t per_second, int64_t depth_ns, const CapacityShare& share, int64_t now_ns) {
    per_second_ = per_second;
    depth_ns_ = depth_ns;
    divisor_ = 0;
    update(share, now_ns);
  }
  // After a change of the share, and when it has ended or was renewed.
  void update(const CapacityShare& share, int64_t now_ns) {
    const uint32_t divisor = share.divisor();
    const bool was_closed = closed();
    if (!share.is_valid(now_ns)) {
      const model::HalfUnits level = tokens.close(now_ns, now_ns + kLedgerPeriodNs);
      closed_.store(true, std::memory_order_relaxed);
      if (!was_closed) closed_level_ = level;
      if (divisor == 0) closed_level_ = std::min<model::HalfUnits>(closed_level_, 0);
      return;
    }
    if (!was_closed && divisor == divisor_) return;
    tokens.set_rate(now_ns, per_second_, divided_depth_ns(depth_ns_, divisor), divisor, depth_ns_ * divisor);
    divisor_ = divisor;
    if (!was_closed) return;
    // Others count on it that the share was not used meanwhile, and not on its units.
    closed_.store(false, std::memory_order_relaxed);
    const BucketState whole = state(now_ns);
    tokens.set_level(now_ns, std::clamp(closed_level_, -depth_of(whole, 1), depth_of(whole, divisor)));
  }
  // Sets the level of a bucket that was just made. Precondition: set_rate() was called.
  void initialise(const CapacityShare& share, int64_t now_ns) {
    const uint32_t divisor = share.divisor();
    if (divisor == 0) return;
    const BucketState whole = state(now_ns);
    const double seconds = static_cast<double>(now_ns - share.since_ns()) / 1e9;
    const double refilled = 2 * seconds * static_cast<double>(per_second_) / divisor;
    const auto pooled = static_cast<double>(divisor == 1 ? pool_depth_of(whole) : 0);
    const model::HalfUnits depth = depth_of(whole, divisor);
    const double level = refilled + pooled;
    set_level(level >= static_cast<double>(depth) ? depth : static_cast<model::HalfUnits>(level), now_ns);
  }
  void fill(const CapacityShare& share, int64_t now_ns) { set_level(depth_of(state(now_ns), share.divisor()), now_ns); }
  void add(model::HalfUnits units, int64_t now_ns) {
    if (closed()) {
      closed_level_ += units;
    } else {
      tokens.charge(now_ns, -units);
    }
  }
  // Without what was used or consumed, and what the description says.
  BucketState state(int64_t now_ns) const {
    BucketState state;
    state.level = closed() ? closed_level_ : tokens.level(now_ns);
    state.per_second = per_second_;
    state.depth_ns = depth_ns_;
    return state;
  }
  // Whether it admits nothing, as there is no valid share. Callable from any thread.
  bool closed() const { return closed_.load(std::memory_order_relaxed); }

 private:
  void set_level(model::HalfUnits level, int64_t now_ns) {
    if (closed()) {
      closed_level_ = level;
    } else {
      tokens.set_level(now_ns, level);
    }
  }

  int64_t per_second_ = 1;
  int64_t depth_ns_ = kBurstNs;
  uint32_t divisor_ = 0;  // that the tokens have; 0: none yet, or another rate
  std::atomic<bool> closed_{false};
  model::HalfUnits closed_level_ = 0;  // while it is closed
};

}  // namespace partita::throttle
