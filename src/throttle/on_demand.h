// How much a table or index on demand serves a second, from the load that it had.
//
// DynamoDB serves up to twice the previous peak at once, and may refuse requests when the peak more than doubles within
// 30 minutes ("On-demand capacity mode", developer guide). How it grows in between is not known. Here
// - a peak is the highest average over a minute, the period in which DynamoDB's metrics show a load;
// - the level rises to twice the peak, but no faster than twofold in 30 minutes, evenly. So a load that doubles every
// 30
//   minutes is never refused, and one that stays at the level has twice as much half an hour later;
// - the level never falls, like WarmThroughput, which shows it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace partita::throttle {

// Of reads or of writes. For one thread at a time. Times are monotonic.
class OnDemandLevel {
 public:
  static constexpr int64_t kMinuteNs = 60'000'000'000;
  static constexpr int64_t kDoublesNs = 30 * kMinuteNs;

  // `level`: at first. `quota`: the level never exceeds it.
  OnDemandLevel(int64_t level, int64_t quota, int64_t now_ns);

  // Call it once a second while there is load. `consumed`: all units since the level was made. Without a call for
  // several minutes, the average over that time counts.
  void review(int64_t consumed, int64_t now_ns);

  // Raises the level to this, unless it is higher: WarmThroughput was raised.
  void raise(int64_t level) { level_ = std::max(level_, std::min(static_cast<double>(level), quota_)); }

  // Units per second.
  int64_t level() const { return static_cast<int64_t>(level_); }

 private:
  const double quota_;
  double level_;
  double peak_ = 0;
  int64_t reviewed_ns_;
  int64_t minute_began_ns_;
  int64_t minute_began_at_ = 0;  // consumed
};

}  // namespace partita::throttle
