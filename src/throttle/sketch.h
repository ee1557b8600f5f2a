// The keys that take most of one partition's capacity, from a sample of its accesses.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/random.h"
#include "throttle/hot_keys.h"

namespace partita::throttle {

class Partition;

// Chooses one access in 16 on average, at random distances, so that no period of a load can hide a key. The same
// choices for the same seed. For one thread.
class Sampler {
 public:
  static constexpr uint64_t kOneIn = 16;

  constexpr explicit Sampler(uint64_t seed) : state_(seed) {}
  // The sampler of the current thread.
  static Sampler& mine();

  bool next() {
    if (--left_ != 0) [[likely]]
      return false;
    draw();
    return true;
  }

 private:
  // 1 to 31, by the high bits.
  void draw() { left_ = static_cast<uint32_t>(1 + (((splitmix64(state_) >> 32) * (2 * kOneIn - 1)) >> 32)); }

  uint64_t state_;
  uint32_t left_ = 1;
};

// With the same seed in each thread: their accesses differ.
inline constinit thread_local Sampler thread_sampler(0);
inline Sampler& Sampler::mine() { return thread_sampler; }

// Counts the keys of one partition at a time. Callable from any thread.
class Sketch {
 public:
  static constexpr size_t kKeys = 64;
  // Longer positions are counted by their beginning.
  static constexpr size_t kMostKeyBytes = 128;
  // What it takes in memory with the longest keys, including what the tracker keeps beside it.
  static constexpr size_t kMostBytes = 17'500;
  // Accesses of at least this weight are few, so each of them is counted.
  static constexpr int64_t kAlwaysCounted = 16 * 6;

  struct Seen {
    std::vector<HeavyKeys::Count> keys;  // by position
    uint64_t total = 0;                  // weight of all accesses, estimated from the sample
    uint64_t samples = 0;
  };

  // Counts an access if the sampler chooses it. It does nothing while another thread uses the sketch, or if the sketch
  // counts another partition by now.
  [[gnu::noinline]] void feed(const Partition& of, std::string_view position, int64_t weight, Sampler& sampler) {
    const bool always = weight >= kAlwaysCounted;
    if (always || sampler.next()) add(of, position, static_cast<uint64_t>(weight) * (always ? 1 : Sampler::kOneIn));
  }

  // Starts again with this partition; null: none.
  void restart(const Partition* of);
  Seen seen() const;

 private:
  void add(const Partition& of, std::string_view position, uint64_t weight);

  mutable Mutex mutex_;
  const Partition* of_ PARTITA_GUARDED_BY(mutex_) = nullptr;
  uint64_t samples_ PARTITA_GUARDED_BY(mutex_) = 0;
  HeavyKeys keys_ PARTITA_GUARDED_BY(mutex_){kKeys};
};

}  // namespace partita::throttle
