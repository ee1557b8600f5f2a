// Which keys of a table take most of its capacity, counted in bounded memory whatever the number of keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"

namespace partita::throttle {

// The heaviest keys of a sequence, by the Space-Saving algorithm (Metwally, Agrawal and El Abbadi, 2005): it counts at
// most `most` keys. A new key takes the place of the lightest one, and begins with its weight, which is its error.
// Every key with more than 1/most of all weight is counted. For one thread.
class HeavyKeys {
 public:
  // At least `weight - error` and at most `weight`.
  struct Count {
    std::string key;
    uint64_t weight = 0;
    uint64_t error = 0;
  };

  explicit HeavyKeys(size_t most) : most_(most) {}

  void add(std::string_view key, uint64_t weight);
  void clear();

  // Of all keys, counted or not.
  uint64_t total() const { return total_; }
  // The most that a key which is not counted may have.
  uint64_t least() const { return heap_.size() < most_ ? 0 : heap_.front().weight; }
  // In no order.
  const std::vector<Count>& counts() const { return heap_; }
  // Null for a key that is not counted.
  const Count* find(std::string_view key) const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void place(size_t at, Count count);
  void sink(size_t at);
  void rise(size_t at);

  size_t most_;
  uint64_t total_ = 0;
  std::vector<Count> heap_;                                                // the lightest first
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> places_;  // in the heap, by key
};

// The heaviest keys of the last half minute to minute. It counts while somebody asks: top() keeps it up, and so did the
// constructor. Callable from any thread.
class HotKeys {
 public:
  static constexpr int64_t kHalfWindowNs = 30'000'000'000;
  static constexpr int64_t kKeptUpNs = 60'000'000'000;
  static constexpr size_t kMostKeys = 256;

  struct Top {
    int64_t window_ns = 0;               // over which was counted
    uint64_t total = 0;                  // of all keys
    std::vector<HeavyKeys::Count> keys;  // the heaviest first
  };

  explicit HotKeys(int64_t now_ns) : began_ns_(now_ns), half_began_ns_(now_ns), asked_ns_(now_ns) {}

  // False: nothing was counted, since nobody has asked for kKeptUpNs.
  bool add(std::string_view key, uint64_t weight, int64_t now_ns);
  Top top(size_t most, int64_t now_ns);
  // When somebody last asked.
  int64_t asked_ns() const {
    const MutexLock lock(mutex_);
    return asked_ns_;
  }

 private:
  void turn(int64_t now_ns) PARTITA_REQUIRES(mutex_);

  mutable Mutex mutex_;
  int64_t began_ns_ PARTITA_GUARDED_BY(mutex_);       // what is counted
  int64_t half_began_ns_ PARTITA_GUARDED_BY(mutex_);  // `current_`
  int64_t asked_ns_ PARTITA_GUARDED_BY(mutex_);
  HeavyKeys current_ PARTITA_GUARDED_BY(mutex_){kMostKeys};
  HeavyKeys before_ PARTITA_GUARDED_BY(mutex_){kMostKeys};
};

}  // namespace partita::throttle
