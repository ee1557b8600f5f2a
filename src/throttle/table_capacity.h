// The read and write capacity of tables and of their global indexes: how much their descriptions allow, how much of it
// is left, and how often a request met the end of it. Local indexes draw on their table.
//
//   table                     buckets hold                      limit
//   provisioned               300 s of its units                kProvisioned
//   with OnDemandThroughput   300 s of that                     kMaxOnDemand
//   on demand                 1 s of its level, which begins    kKeyRange, from 40,000 units on kAccount
//                             with its warm throughput and
//                             grows (on_demand.h)
//   each partition of these   1 s of its limit (heat.h)         kKeyRange
//
// Buckets are full at first, which is also when the server starts. A change of the description takes effect with the
// first request that sees it; new units count at once, though DescribeTable shows them a moment later.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/mutex.h"
#include "model/fault_detail.h"
#include "table/rows/schema.h"
#include "throttle/divided_bucket.h"
#include "throttle/heat.h"
#include "throttle/ledger.h"
#include "throttle/on_demand.h"

namespace partita::throttle {

// The tag of a table whose value, "record" or "enforce", has precedence over the server's mode. Others are ignored.
inline constexpr std::string_view kModeTag = "partita:capacity";

enum class CapacityMode : uint8_t {
  kRecord,   // requests beyond the capacity are served, and counted
  kEnforce,  // they are refused
};
// Absent: neither "record" nor "enforce".
std::optional<CapacityMode> capacity_mode_named(std::string_view name);
// Of a table of a server with that mode.
CapacityMode mode_of(const table::TableInfo& table, CapacityMode server);

// Of a table, or of one of its global indexes. Callable from any thread.
class TableCapacity final : public table::Limits {
 public:
  class Bucket : public DividedBucket {
   public:
    model::ThroughputLimit limit() const { return limit_.load(std::memory_order_relaxed); }

   private:
    friend class TableCapacity;
    friend class CapacityLimits;
    std::atomic<model::ThroughputLimit> limit_{model::ThroughputLimit::kProvisioned};
    std::array<std::atomic<uint64_t>, model::kThroughputLimits> refused_{};
    std::atomic<uint64_t> recorded_{0};
    std::atomic<model::HalfUnits> lacked_{0};  // by requests that the bucket refused
  };
  struct Taken {
    Partition* partition = nullptr;  // valid as long as the TableCapacity; null: the bucket refused
    int64_t wait_ns = 0;             // 0: there is capacity; else the time until there may be
  };

  // `index`: a global one of the table, or null. `share`: of this server in the capacity.
  TableCapacity(const table::TableInfo& table, const table::IndexInfo* index, CapacityMode server, int64_t now_ns,
                std::shared_ptr<CapacityShare> share = std::make_shared<CapacityShare>());

  // As the description says, if it is newer.
  void refresh(const table::TableInfo& table, const table::IndexInfo* index, CapacityMode server, int64_t now_ns);
  bool is_of(const table::TableInfo& table) const {
    return revision_.load(std::memory_order_acquire) >= table.revision;
  }

  bool enforces() const { return mode_.load(std::memory_order_relaxed) == CapacityMode::kEnforce; }
  Bucket& bucket(bool write) { return buckets_[write ? 1 : 0]; }
  // What refused it.
  model::ThroughputLimit limit_of(bool write, const Taken& refused) {
    return refused.partition == nullptr ? bucket(write).limit() : model::ThroughputLimit::kKeyRange;
  }

  // Takes that much from the bucket and from the partition of the position (partition_map.h), or nothing from both. A
  // bucket that is closed, as this server has no share of it, refuses only where the mode is enforce: what it would
  // have refused otherwise is not known.
  [[gnu::always_inline]] Taken take(bool write, std::string_view position, model::HalfUnits half_units,
                                    int64_t now_ns) {
    if (now_ns >= review_at_ns_.load(std::memory_order_relaxed)) [[unlikely]]
      review(now_ns);
    TokenBucket& tokens = bucket(write).tokens;
    int64_t wait_ns = 0;
    if (!tokens.take(now_ns, half_units, wait_ns)) [[unlikely]]
      return refused(write, position, half_units, now_ns, wait_ns);
    const Heat::Taken range = heat_.take(position, kind_of(write), half_units, now_ns, Sampler::mine());
    if (range.wait_ns != 0) [[unlikely]]
      give_back(tokens, half_units, now_ns);
    return {range.partition, range.wait_ns};
  }
  // Look whether take() would take, and take nothing: from the bucket, and for a write from a partition.
  Taken look(bool write, int64_t now_ns);
  Taken look_at_writes(std::string_view position, model::HalfUnits half_units, int64_t now_ns) {
    const Heat::Taken range = heat_.look(position, AccessKind::kWrite, half_units, now_ns, Sampler::mine());
    return {range.partition, range.wait_ns};
  }
  // Takes the rest of the cost of what was taken. A negative number is given back.
  void settle(bool write, Partition& partition, std::string_view position, model::HalfUnits half_units,
              int64_t now_ns) {
    bucket(write).tokens.charge(now_ns, half_units);
    Heat::settle(partition, position, kind_of(write), half_units, Sampler::mine());
  }

  // Measures the load and what follows from it: splits of partitions, and the growth of a table on demand. Closes the
  // buckets while the server has no share. take() calls it once a second, and when the share ends.
  void review(int64_t now_ns);
  HeatReport heat() const { return heat_.report(); }

  // For the ledger, as LedgerHost's; update_share() after changes of the share.
  BucketState state(bool write, int64_t now_ns);
  void add(bool write, model::HalfUnits units, int64_t now_ns);
  void raise(bool write, int64_t per_second, int64_t now_ns);
  void add_load(bool write, model::HalfUnits units);
  void update_share(int64_t now_ns);
  void fill(int64_t now_ns);

 private:
  friend class CapacityLimits;
  static constexpr int64_t kReviewNs = 1'000'000'000;
  static constexpr int64_t kClosedReviewNs = 10'000'000;

  struct Level {
    int64_t per_second;
    int64_t depth_ns;
    model::ThroughputLimit limit;
  };
  struct Growth {
    OnDemandLevel level;
    int64_t initial;                 // of the description
    int64_t seen;                    // consumed here, in units
    int64_t consumed = 0;            // here since then
    model::HalfUnits elsewhere = 0;  // since then, by other servers
  };

  static AccessKind kind_of(bool write) { return write ? AccessKind::kWrite : AccessKind::kRead; }
  // Out of line: take() is on the path of every request.
  [[gnu::noinline, gnu::cold]] static void give_back(TokenBucket& tokens, model::HalfUnits half_units, int64_t now_ns) {
    tokens.charge(now_ns, -half_units);
  }
  // By the bucket.
  [[gnu::noinline, gnu::cold]] Taken refused(bool write, std::string_view position, model::HalfUnits half_units,
                                             int64_t now_ns, int64_t wait_ns);
  static Level level_of(const table::TableInfo& table, const table::IndexInfo* index, bool write);
  static int64_t partitions_of(const table::TableInfo& table, const table::IndexInfo* index);
  int64_t consumed_units(bool write) const { return heat_.consumed(kind_of(write)) / 2; }
  void set(bool write, Level level, int64_t now_ns) PARTITA_REQUIRES(mutex_);
  void set_grown(bool write, int64_t now_ns) PARTITA_REQUIRES(mutex_);
  void grow(int64_t now_ns) PARTITA_REQUIRES(mutex_);
  void grow_heat() PARTITA_REQUIRES(mutex_);

  std::atomic<uint64_t> revision_{0};  // of the description; 0: none yet
  std::atomic<CapacityMode> mode_{CapacityMode::kRecord};
  std::atomic<bool> listed_{false};  // its events are reported under its own name, or that of all others
  std::array<Bucket, 2> buckets_;    // for reads, for writes
  std::atomic<int64_t> review_at_ns_;
  const std::shared_ptr<CapacityShare> share_;
  Heat heat_;
  Mutex mutex_;  // held while levels change
  int64_t load_due_ns_ PARTITA_GUARDED_BY(mutex_);
  std::array<std::optional<Growth>, 2> growths_ PARTITA_GUARDED_BY(mutex_);  // of a table on demand without a maximum
  int64_t bytes_ PARTITA_GUARDED_BY(mutex_) = 0;                             // of the table
};

}  // namespace partita::throttle
