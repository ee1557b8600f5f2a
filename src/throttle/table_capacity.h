// The read and write capacity of tables and of their global indexes: how much their descriptions allow, how much of it
// is left, and how often a request met the end of it. Local indexes draw on their table.
//
//   table                     buckets hold                      limit
//   provisioned               300 s of its units                kProvisioned
//   with OnDemandThroughput   300 s of that                     kMaxOnDemand
//   on demand                 1 s of its warm throughput, which kKeyRange, from 40,000 units on kAccount
//                             doubles when all of it is used,
//                             at most once in 30 minutes
//
// Buckets are full at first, which is also when the server starts. A change of the description takes effect with the
// first request that sees it; new units count at once, though DescribeTable shows them a moment later.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exposition.h"
#include "base/mutex.h"
#include "model/fault_detail.h"
#include "table/rows/schema.h"
#include "throttle/token_bucket.h"

namespace partita::throttle {

// The tag of a table whose value, "record" or "enforce", has precedence over the server's mode. Others are ignored.
inline constexpr std::string_view kModeTag = "partita:capacity";

enum class CapacityMode : uint8_t {
  kRecord,   // requests beyond the capacity are served, and counted
  kEnforce,  // they are refused
};
// Absent: neither "record" nor "enforce".
std::optional<CapacityMode> capacity_mode_named(std::string_view name);

// Of a table, or of one of its global indexes. Callable from any thread.
class TableCapacity final : public table::Limits {
 public:
  class Bucket {
   public:
    TokenBucket tokens{1, kBurstNs, 0};
    model::ThroughputLimit limit() const { return limit_.load(std::memory_order_relaxed); }

   private:
    friend class TableCapacity;
    friend class CapacityLimits;
    std::atomic<model::ThroughputLimit> limit_{model::ThroughputLimit::kProvisioned};
    std::atomic<uint64_t> refused_{0};
    std::atomic<uint64_t> recorded_{0};
    int64_t grown_at_ns_ = 0;
  };

  TableCapacity() = default;

  // As the description says, if it is newer. `index`: a global one of the table, or null.
  void refresh(const table::TableInfo& table, const table::IndexInfo* index, CapacityMode server, int64_t now_ns);
  bool is_of(const table::TableInfo& table) const {
    return revision_.load(std::memory_order_acquire) >= table.revision;
  }

  bool enforces() const { return mode_.load(std::memory_order_relaxed) == CapacityMode::kEnforce; }
  Bucket& bucket(bool write) { return buckets_[write ? 1 : 0]; }
  // TokenBucket::take() and has_any(), for a table that may grow.
  bool take(bool write, int64_t now_ns, model::HalfUnits half_units, int64_t& wait_ns) {
    return bucket(write).tokens.take(now_ns, half_units, wait_ns) ||
           (grow(write, now_ns) && bucket(write).tokens.take(now_ns, half_units, wait_ns));
  }
  bool has_any(bool write, int64_t now_ns, int64_t& wait_ns) {
    return bucket(write).tokens.has_any(now_ns, wait_ns) || grow(write, now_ns);
  }

 private:
  friend class CapacityLimits;
  struct Level {
    int64_t per_second;
    int64_t depth_ns;
    model::ThroughputLimit limit;
  };
  static Level level_of(const table::TableInfo& table, const table::IndexInfo* index, bool write);
  void set(Bucket& bucket, Level level, bool first, int64_t now_ns) PARTITA_REQUIRES(mutex_);
  // Whether the level of a table on demand has just been doubled.
  bool grow(bool write, int64_t now_ns);

  std::atomic<uint64_t> revision_{0};  // of the description; 0: none yet
  std::atomic<CapacityMode> mode_{CapacityMode::kRecord};
  std::atomic<bool> listed_{false};  // its events are reported under its own name, or that of all others
  std::array<Bucket, 2> buckets_;    // for reads, for writes
  Mutex mutex_;                      // held while levels change
};

// A name and the numbers of its events since the table was first used.
struct ThrottleEvents {
  std::string space;  // the namespace, or empty
  std::string table;  // "(other)": all tables and indexes without a line of their own
  std::string index;  // empty: the table itself
  struct Of {
    uint64_t read = 0;
    uint64_t write = 0;
  };
  Of refused;
  Of recorded;
};

// The capacity of all tables of a server, of all its namespaces. Callable from any thread.
class CapacityLimits {
 public:
  // More tables and indexes than this share one line of events.
  static constexpr size_t kMost = 500;

  explicit CapacityLimits(CapacityMode mode, size_t most = kMost) : mode_(mode), most_(most) {}

  // Valid as long as the description. `index`: a global one of the table, or null.
  TableCapacity& of(const table::TableInfo& table, const table::IndexInfo* index, int64_t now_ns) {
    table::Limits* const kept = (index == nullptr ? table.limits : index->limits)->get();
    auto* const capacity = static_cast<TableCapacity*>(kept);
    if (capacity != nullptr && capacity->is_of(table)) [[likely]]
      return *capacity;
    return refreshed(table, index, now_ns);
  }

  // Counts a request, or a part of one, that was refused or would have been.
  void count(std::string_view space, const table::TableInfo& table, const table::IndexInfo* index, bool write,
             bool refused);
  // Of tables and indexes that had events, in no order.
  std::vector<ThrottleEvents> events();
  void report(Exposition& out);

 private:
  struct Line {
    std::string space;
    std::string table;
    std::string index;
    std::weak_ptr<table::LimitsKept> limits;
  };

  TableCapacity& refreshed(const table::TableInfo& table, const table::IndexInfo* index, int64_t now_ns);
  // False: it shares the line of all others.
  bool list(std::string_view space, const table::TableInfo& table, const table::IndexInfo* index)
      PARTITA_REQUIRES(mutex_);

  const CapacityMode mode_;
  const size_t most_;
  Mutex mutex_;
  std::vector<Line> lines_ PARTITA_GUARDED_BY(mutex_);
  ThrottleEvents others_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::throttle
