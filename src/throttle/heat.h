// The heat of a table or of a global index: the load on each of its logical partitions, what each of them refuses, and
// the splits that follow.
//
//   Heat heat(Collections::kDivisible, wanted_partitions(table...), now_ns);
//   const Heat::Taken taken = heat.take(position, AccessKind::kWrite, half_units, now_ns, sampler);
//   if (taken.wait_ns > 0) ...;  // refused: the key range has no capacity left
//
// A partition that refused accesses for about a minute is split by the keys that were seen in it (split_point.h). In
// DynamoDB this takes minutes and the exact time is not known. Its sketch counts refused accesses too, since they show
// where the load is.
//
// One Heat takes at most kMostBytes of memory. So not every partition has a sketch: those that refuse accesses come
// first, then those with at least half of their limit as load.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "throttle/heat_report.h"
#include "throttle/partition_map.h"
#include "throttle/sketch.h"
#include "throttle/split_point.h"

namespace partita::throttle {

// Callable from any thread. Times are monotonic.
class Heat {
 public:
  static constexpr size_t kMostBytes = 63 << 10;
  static constexpr int64_t kSplitAfterNs = 60'000'000'000;
  // A sketch starts again after each. A verdict takes as many of them as kSplitAfterNs has.
  static constexpr int64_t kWindowNs = 15'000'000'000;
  static constexpr int kWindows = static_cast<int>(kSplitAfterNs / kWindowNs);
  // Without a refusal for this long, a partition is calm again.
  static constexpr int64_t kCalmAfterNs = 10'000'000'000;

  // Of a new table; `partitions`: wanted_partitions().
  Heat(Collections collections, int64_t partitions, int64_t now_ns);
  // With these boundaries, as PartitionMap has them.
  Heat(Collections collections, std::vector<std::string> boundaries, int64_t now_ns);

  struct Taken {
    Partition* partition;  // valid as long as the Heat
    int64_t wait_ns;       // 0: admitted; else the time until an access may be admitted
  };
  // Takes an access's cost, or as much of it as is known, from the bucket of its partition. No lock, no allocation
  // while the partition is calm. Precondition: a position of at least 8 bytes.
  [[gnu::always_inline]] Taken take(std::string_view position, AccessKind kind, int64_t half_units, int64_t now_ns,
                                    Sampler& sampler) {
    Partition& partition = seen(position, kind, half_units, sampler);
    return {&partition, partition.take(kind, half_units, now_ns)};
  }
  // Looks whether take() would take, and takes nothing. A refusal counts as there. The cost is left to settle().
  Taken look(std::string_view position, AccessKind kind, int64_t half_units, int64_t now_ns, Sampler& sampler) {
    Partition& partition = seen(position, kind, half_units, sampler);
    return {&partition, partition.look(kind, now_ns)};
  }
  // The rest of the cost, once it is known; the partition may be in debt then. Negative: gives back what take() took
  // too much, or all of it if something else refused the access.
  static void settle(Partition& partition, std::string_view position, AccessKind kind, int64_t half_units,
                     Sampler& sampler) {
    partition.settle(kind, half_units);
    if (Sketch* const sketch = partition.sketch(); sketch != nullptr && half_units > 0) [[unlikely]] {
      sketch->feed(partition, position, weight_of(kind, half_units), sampler);
    }
  }

  // Call it once a second while the table is in use. True: the boundaries have changed.
  bool review(int64_t now_ns);
  // For a table that has grown or whose throughput was raised, as wanted_partitions(). True: as above.
  bool grow(int64_t partitions);

  HeatReport report() const;
  // Half units admitted since this was made.
  int64_t consumed(AccessKind kind) const;

  // An upper bound of the memory that this takes.
  size_t bytes() const;

 private:
  // The partition, whose sketch has counted the access.
  [[gnu::always_inline]] Partition& seen(std::string_view position, AccessKind kind, int64_t half_units,
                                         Sampler& sampler) {
    Partition& partition = map_.find(position);
    if (Sketch* const sketch = partition.sketch(); sketch != nullptr) [[unlikely]] {
      sketch->feed(partition, position, weight_of(kind, half_units), sampler);
    }
    return partition;
  }

  // What review() knows of a partition.
  struct Watch {
    const Partition* of = nullptr;
    int64_t consumed[2] = {};  // at the last review
    uint64_t refused = 0;
    HeatRates rates;
    int64_t refusing_since_ns = 0;
    int64_t refused_ns = 0;  // when it last did
    bool refusing = false;
    Obstacle obstacle = Obstacle::kNone;
  };
  // A sketch and the partition that has it.
  struct Slot {
    Sketch sketch;
    Partition* of = nullptr;
    int64_t window_began_ns = 0;
    int windows = 0;
    Drift drift;
    std::string hottest;  // of the last window with samples
    double hottest_share = 0;
  };
  // The order in which partitions get sketches.
  enum class Rank : uint8_t { kCalm, kWarm, kJudged, kRefusing };

  static void measure(const Partition& partition, Watch& watch, int64_t now_ns, double seconds);
  static Rank rank_of(const Watch& watch);
  static std::pair<Rank, double> order_of(const Watch& watch);
  size_t index_of(const Partition* partition) const PARTITA_REQUIRES(mutex_);
  void align_watches() PARTITA_REQUIRES(mutex_);
  bool close_window(Slot& slot, int64_t now_ns) PARTITA_REQUIRES(mutex_);
  void start(Slot& slot, Partition* partition, int64_t now_ns) PARTITA_REQUIRES(mutex_);
  void assign_sketches(int64_t now_ns) PARTITA_REQUIRES(mutex_);
  Slot* slot_for(Rank rank) PARTITA_REQUIRES(mutex_);
  size_t slots_used() const PARTITA_REQUIRES(mutex_);
  size_t partition_bytes() const PARTITA_REQUIRES(mutex_);

  const Collections collections_;
  PartitionMap map_;  // without the lock: find() alone
  mutable Mutex mutex_;
  int64_t reviewed_ns_ PARTITA_GUARDED_BY(mutex_);
  std::vector<Watch> watches_ PARTITA_GUARDED_BY(mutex_);  // in the map's order
  std::array<Slot, 3> slots_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::throttle
