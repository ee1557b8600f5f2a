// Which keys of a table take most of its capacity, counted in bounded memory whatever the number of keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
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

  explicit HeavyKeys(size_t most) : most_(most) { places_.reserve(most); }

  // Allocates only while fewer than `most` keys are counted, or for a key longer than all before.
  void add(std::string_view key, uint64_t weight);
  void clear();

  // Of all keys, counted or not.
  uint64_t total() const { return total_; }
  // The most that a key which is not counted may have.
  uint64_t least() const { return heap_.size() < most_ ? 0 : heap_.front()->second.weight; }
  // In no order.
  std::vector<Count> counts() const;
  // Nullopt for a key that is not counted.
  std::optional<Count> find(std::string_view key) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return hash64(key); }
  };

  struct Place {
    uint64_t weight = 0;
    uint64_t error = 0;
    size_t at = 0;  // in the heap
  };
  using Places = std::unordered_map<std::string, Place, Hash, std::equal_to<>>;

  void place(size_t at, Places::iterator counted);
  void sink(size_t at);
  void rise(size_t at);

  size_t most_;
  uint64_t total_ = 0;
  Places places_;                       // never rehashed, so iterators remain valid
  std::vector<Places::iterator> heap_;  // the lightest first
  std::string spare_;                   // the memory of the key that was replaced last
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
