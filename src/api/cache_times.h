// How long entries of the caches of DAX live.
#pragma once

#include <cstdint>
#include <limits>

namespace partita::api {

// In milliseconds. A parameter group may have any number that is not negative.
struct CacheTimes {
  static constexpr int64_t kDefaultMs = 300'000;

  int64_t item_ttl_ms = kDefaultMs;   // 0: until they are evicted or written
  int64_t query_ttl_ms = kDefaultMs;  // 0: the query cache is off

  int64_t item_ttl_ns() const { return ns_of(item_ttl_ms); }
  int64_t query_ttl_ns() const { return ns_of(query_ttl_ms); }
  bool operator==(const CacheTimes&) const = default;

 private:
  // What has no nanoseconds of 64 bits is for ever: 292 years.
  static constexpr int64_t ns_of(int64_t ms) {
    constexpr int64_t kNsPerMs = 1'000'000;
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    return ms > kMost / kNsPerMs ? kMost : ms * kNsPerMs;
  }
};

}  // namespace partita::api
