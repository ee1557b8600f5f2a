// Metrics of the server for its operator. Each thread counts in a shard of its own, so that threads do not
// contend; a reader adds the shards up. A count takes a few nanoseconds and allocates no memory.
//
//   Timing commits;
//   commits.add(took_ns);
//   out.histogram("partita_store_commit_seconds", "…", commits.totals(), 1e-9);  // see exposition.h
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace partita {

// More threads than this share shards. No count is lost.
inline constexpr size_t kMeterShards = 16;

namespace meter {
inline std::atomic<size_t> next_shard{0};
inline constinit thread_local size_t shard = SIZE_MAX;
}  // namespace meter

// The shard of the calling thread.
inline size_t meter_shard() {
  if (meter::shard == SIZE_MAX) [[unlikely]]
    meter::shard = meter::next_shard.fetch_add(1, std::memory_order_relaxed) % kMeterShards;
  return meter::shard;
}

// Callable from any thread.
class Meter {
 public:
  void add(uint64_t by = 1) { shards_[meter_shard()].count.fetch_add(by, std::memory_order_relaxed); }
  uint64_t total() const {
    uint64_t sum = 0;
    for (const Shard& shard : shards_) sum += shard.count.load(std::memory_order_relaxed);
    return sum;
  }

 private:
  struct alignas(64) Shard {
    std::atomic<uint64_t> count{0};
  };
  std::array<Shard, kMeterShards> shards_;
};

struct HistogramTotals {
  int first = 0;  // the first bucket has values up to 2^first; the bound of each next one is 2^step times as large
  std::vector<uint64_t> counts;  // by bucket; the last one has all larger values
  uint64_t sum = 0;
  int step = 1;
  uint64_t count() const {
    uint64_t all = 0;
    for (const uint64_t one : counts) all += one;
    return all;
  }
};

// A histogram with buckets up to 2^First, 2^(First+Step), ..., 2^Last. With one shard it is small, for what is rare.
// Callable from any thread.
template <int First, int Last, int Step = 1, size_t Shards = kMeterShards>
class Histogram {
 public:
  static_assert((Last - First) % Step == 0);
  static constexpr size_t kBuckets = (Last - First) / Step + 2;

  void add(uint64_t value) {
    const auto width = static_cast<int>(std::bit_width(value - (value > 0 ? 1 : 0)));
    const auto bucket = static_cast<size_t>(std::clamp(width, First, Last + 1) - First + Step - 1) / Step;
    Shard& shard = shards_[Shards == 1 ? 0 : meter_shard()];
    shard.counts[bucket].fetch_add(1, std::memory_order_relaxed);
    shard.sum.fetch_add(value, std::memory_order_relaxed);
  }

  HistogramTotals totals() const {
    HistogramTotals totals{First, std::vector<uint64_t>(kBuckets), 0, Step};
    for (const Shard& shard : shards_) {
      for (size_t i = 0; i < kBuckets; ++i) totals.counts[i] += shard.counts[i].load(std::memory_order_relaxed);
      totals.sum += shard.sum.load(std::memory_order_relaxed);
    }
    return totals;
  }

 private:
  struct alignas(64) Shard {
    std::array<std::atomic<uint64_t>, kBuckets> counts{};
    std::atomic<uint64_t> sum{0};
  };
  std::array<Shard, Shards> shards_;
};

// The least and the greatest value since they were last taken. Callable from any thread.
class Extremes {
 public:
  struct Taken {
    int64_t least = 0;
    int64_t most = 0;
  };

  void note(int64_t value) {
    if (value < least_.load(std::memory_order_relaxed)) [[unlikely]]
      lower(value);
    if (value > most_.load(std::memory_order_relaxed)) [[unlikely]]
      raise(value);
  }
  // Nullopt: there was no value. A value that is noted meanwhile may count for the next time.
  std::optional<Taken> take() {
    const Taken taken{least_.exchange(INT64_MAX, std::memory_order_relaxed),
                      most_.exchange(INT64_MIN, std::memory_order_relaxed)};
    if (taken.least > taken.most) return std::nullopt;
    return taken;
  }

 private:
  void lower(int64_t value) {
    int64_t before = least_.load(std::memory_order_relaxed);
    while (value < before && !least_.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
    }
  }
  void raise(int64_t value) {
    int64_t before = most_.load(std::memory_order_relaxed);
    while (value > before && !most_.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
    }
  }

  std::atomic<int64_t> least_{INT64_MAX};
  std::atomic<int64_t> most_{INT64_MIN};
};

using Timing = Histogram<14, 34>;           // in nanoseconds: from 16 µs to 17 s
using CoarseTiming = Histogram<14, 34, 2>;  // the same with half the buckets, where there are many histograms
using Sizes = Histogram<0, 12>;             // sizes of groups: from 1 to 4,096

}  // namespace partita
