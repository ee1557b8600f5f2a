// One logical partition of a table or of a global index: its bucket of capacity, and what it has counted.
//
// Costs are half units: an eventually consistent read of 4 KB is 1, a consistent one or a write of 1 KB is 2.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace partita::throttle {

class Sketch;

enum class AccessKind : uint8_t { kRead, kWrite };

// A partition serves 3,000 read units and 1,000 write units a second ("Best practices for designing and using partition
// keys effectively", developer guide), each independently of the other ("Key range throughput exceeded", same guide).
inline constexpr int64_t kPartitionReadUnits = 3'000;
inline constexpr int64_t kPartitionWriteUnits = 1'000;
// What a cost means for a partition: a half unit of a read has weight 1, one of a write has 3. Each of the two buckets
// fills with this much a second.
inline constexpr int64_t kWeightPerSecond = 2 * kPartitionReadUnits;
constexpr int64_t weight_of(AccessKind kind, int64_t half_units) {
  return kind == AccessKind::kWrite ? half_units * (kPartitionReadUnits / kPartitionWriteUnits) : half_units;
}
// A bucket holds the units of one slice and no 300 s of burst. DynamoDB's slice is not known. A second's units at
// once is what "a second" promises; with less, a hundred simultaneous updates of one idle item would be refused.
inline constexpr int64_t kPartitionSliceNs = 1'000'000'000;

// Callable from any thread, without a lock.
class Partition {
 public:
  // Until when each bucket is empty, in thirds of ns.
  struct Due {
    int64_t reads = 0;
    int64_t writes = 0;
  };
  static constexpr Due due_at(int64_t now_ns) { return {now_ns * kTicksPerNs, now_ns * kTicksPerNs}; }

  // `low`: the first position of the range (partition_map.h). `due`: see due(); a new partition has the debts of the
  // one it is split from.
  Partition(std::string low, Due due) : low_(std::move(low)), due_{due.reads, due.writes} {}

  const std::string& low() const { return low_; }

  // Takes the cost of an access and returns 0, or counts a refusal and returns after how many ns one may be admitted.
  // An access is admitted whatever its cost unless its bucket is in debt, so in any time T at most
  // kWeightPerSecond * (T + slice) and the last access of a kind are admitted. `now_ns`: monotonic.
  int64_t take(AccessKind kind, int64_t half_units, int64_t now_ns) {
    const int64_t now = now_ns * kTicksPerNs;
    const int64_t cost = weight_of(kind, half_units) * kTicksPerWeight;
    std::atomic<int64_t>& bucket = due_[is_write(kind)];
    int64_t due = bucket.load(std::memory_order_relaxed);
    do {
      if (due > now) [[unlikely]]
        return refused(due - now);
    } while (!bucket.compare_exchange_weak(due, std::max(due, now - kSliceTicks) + cost, std::memory_order_relaxed));
    count(kind, half_units);
    return 0;
  }
  // Whether take() would take: 0, or a refusal as there.
  int64_t look(AccessKind kind, int64_t now_ns) {
    const int64_t due = due_[is_write(kind)].load(std::memory_order_relaxed);
    if (due <= now_ns * kTicksPerNs) [[likely]]
      return 0;
    return refused(due - now_ns * kTicksPerNs);
  }
  // Takes the cost of an access that look() has admitted.
  void charge(AccessKind kind, int64_t half_units, int64_t now_ns) {
    const int64_t full = now_ns * kTicksPerNs - kSliceTicks;
    const int64_t cost = weight_of(kind, half_units) * kTicksPerWeight;
    std::atomic<int64_t>& bucket = due_[is_write(kind)];
    int64_t due = bucket.load(std::memory_order_relaxed);
    while (!bucket.compare_exchange_weak(due, std::max(due, full) + cost, std::memory_order_relaxed)) {
    }
    count(kind, half_units);
  }
  // Adds to the cost of an admitted access, which may leave a debt. Negative: gives back.
  void settle(AccessKind kind, int64_t half_units) {
    due_[is_write(kind)].fetch_add(weight_of(kind, half_units) * kTicksPerWeight, std::memory_order_relaxed);
    count(kind, half_units);
  }

  Due due() const { return {due_[0].load(std::memory_order_relaxed), due_[1].load(std::memory_order_relaxed)}; }
  // Half units admitted, and accesses refused, since the partition was made.
  int64_t consumed(AccessKind kind) const { return consumed_[is_write(kind)].load(std::memory_order_relaxed); }
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  // Counts the keys of this partition; null: none does. Valid as long as the partition.
  Sketch* sketch() const { return sketch_.load(std::memory_order_acquire); }
  void set_sketch(Sketch* sketch) { sketch_.store(sketch, std::memory_order_release); }

 private:
  // A weight of 1 takes 1/6,000 s, which is a whole number of thirds of ns.
  static constexpr int64_t kTicksPerNs = 3;
  static constexpr int64_t kTicksPerWeight = kTicksPerNs * 1'000'000'000 / kWeightPerSecond;
  static constexpr int64_t kSliceTicks = kTicksPerNs * kPartitionSliceNs;
  static_assert(kTicksPerWeight * kWeightPerSecond == kTicksPerNs * 1'000'000'000);

  static constexpr bool is_write(AccessKind kind) { return kind == AccessKind::kWrite; }

  // Out of line: take() is on the path of every request.
  [[gnu::noinline, gnu::cold]] int64_t refused(int64_t ticks) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return ticks / kTicksPerNs + 1;
  }
  void count(AccessKind kind, int64_t half_units) {
    consumed_[is_write(kind)].fetch_add(half_units, std::memory_order_relaxed);
  }

  const std::string low_;
  std::atomic<int64_t> due_[2];  // of reads, of writes
  std::atomic<Sketch*> sketch_ = nullptr;
  std::atomic<int64_t> consumed_[2] = {};
  std::atomic<uint64_t> refused_ = 0;
};

}  // namespace partita::throttle
