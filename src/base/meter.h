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

// A histogram with buckets up to 2^First, 2^(First+Step), ..., 2^Last. Callable from any thread.
template <int First, int Last, int Step = 1>
class Histogram {
 public:
  static_assert((Last - First) % Step == 0);
  static constexpr size_t kBuckets = (Last - First) / Step + 2;

  void add(uint64_t value) {
    const auto width = static_cast<int>(std::bit_width(value - (value > 0 ? 1 : 0)));
    const auto bucket = static_cast<size_t>(std::clamp(width, First, Last + 1) - First + Step - 1) / Step;
    Shard& shard = shards_[meter_shard()];
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
  std::array<Shard, kMeterShards> shards_;
};

using Timing = Histogram<14, 34>;           // in nanoseconds: from 16 µs to 17 s
using CoarseTiming = Histogram<14, 34, 2>;  // the same with half the buckets, where there are many histograms
using Sizes = Histogram<0, 12>;             // sizes of groups: from 1 to 4,096

}  // namespace partita
