// Counters of the requests for a table's items: durations, outcomes and consumed capacity.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "api/capacity.h"
#include "base/meter.h"

namespace partita::table {

// Amounts that requests had, such as the units that each one consumed. Callable from any thread.
class Amounts {
 public:
  void add(int64_t amount) {
    sum_.fetch_add(amount, std::memory_order_relaxed);
    samples_.fetch_add(1, std::memory_order_relaxed);
    extremes_.note(amount);
  }
  int64_t sum() const { return sum_.load(std::memory_order_relaxed); }
  uint64_t samples() const { return samples_.load(std::memory_order_relaxed); }
  // For one reader.
  Extremes& extremes() { return extremes_; }

 private:
  std::atomic<int64_t> sum_{0};
  std::atomic<uint64_t> samples_{0};
  Extremes extremes_;
};

// The units that requests for one index consumed, in half units. Callable from any thread.
struct IndexCosts {
  Amounts read;
  Amounts write;

  void consume(const api::Capacity& units) {
    if (units.read != 0) read.add(units.read);
    if (units.write != 0) write.add(units.write);
  }
};

// Consumed capacity, and requests that failed. Callable from any thread.
class TableCosts {
 public:
  struct Totals {
    api::Capacity consumed;  // with that of global indexes
    uint64_t throttled = 0;
  };
  // Of the table itself with its local indexes, or of what requests to it met.
  struct Own {
    api::Capacity consumed;
    uint64_t reads = 0;  // how often units were consumed
    uint64_t writes = 0;
    uint64_t conditions_failed = 0;
    uint64_t conflicts = 0;
  };

  void consume(const api::Capacity& units) {
    Place& place = places_[meter_shard()];
    if (units.read != 0) place.read.add(units.read);
    if (units.write != 0) place.write.add(units.write);
  }
  // Of a global index, beside its own IndexCosts.
  void consume_for_index(const api::Capacity& units) {
    Place& place = places_[meter_shard()];
    place.index_read.fetch_add(units.read, std::memory_order_relaxed);
    place.index_write.fetch_add(units.write, std::memory_order_relaxed);
  }
  void throttle() { places_[meter_shard()].throttled.fetch_add(1, std::memory_order_relaxed); }
  void fail_condition() { conditions_failed_.fetch_add(1, std::memory_order_relaxed); }
  void meet_conflict() { conflicts_.fetch_add(1, std::memory_order_relaxed); }

  Totals totals() const {
    Totals sum;
    for (const Place& place : places_) {
      sum.consumed += {place.read.sum() + place.index_read.load(std::memory_order_relaxed),
                       place.write.sum() + place.index_write.load(std::memory_order_relaxed)};
      sum.throttled += place.throttled.load(std::memory_order_relaxed);
    }
    return sum;
  }
  Own own() const {
    Own sum;
    for (const Place& place : places_) {
      sum.consumed += {place.read.sum(), place.write.sum()};
      sum.reads += place.read.samples();
      sum.writes += place.write.samples();
    }
    sum.conditions_failed = conditions_failed_.load(std::memory_order_relaxed);
    sum.conflicts = conflicts_.load(std::memory_order_relaxed);
    return sum;
  }
  // Calls `visit` with the Extremes of reads and with those of writes in each shard. For one reader.
  template <class Visit>
  void each_extremes(Visit visit) {
    for (Place& place : places_) visit(place.read.extremes(), place.write.extremes());
  }

 private:
  struct alignas(64) Place {
    Amounts read;
    Amounts write;
    std::atomic<model::HalfUnits> index_read{0};
    std::atomic<model::HalfUnits> index_write{0};
    std::atomic<uint64_t> throttled{0};
  };
  std::array<Place, kMeterShards> places_;
  std::atomic<uint64_t> conditions_failed_{0};
  std::atomic<uint64_t> conflicts_{0};
};

// The failures that metrics count apart.
enum class Failure : uint8_t { kNone, kThrottled, kConditionFailed, kConflict, kOfCaller, kOfServer };

// Who counts the keys of a table's requests.
enum class KeyWatch : uint8_t { kHotKeys, kInsights };

using RareTiming = Histogram<14, 34, 2, 1>;

// One operation on one table. Callable from any thread.
struct OperationMeters {
  CoarseTiming took;   // of all requests
  RareTiming failed;   // of those that failed
  Extremes succeeded;  // of the others, in nanoseconds
  std::atomic<uint64_t> throttled{0};
  std::atomic<uint64_t> server_errors{0};
  Amounts returned;  // items of Query and Scan

  void add(uint64_t ns, Failure failure) {
    took.add(ns);
    if (failure == Failure::kNone) [[likely]] {
      succeeded.note(static_cast<int64_t>(ns));
      return;
    }
    failed.add(ns);
    if (failure == Failure::kThrottled) throttled.fetch_add(1, std::memory_order_relaxed);
    if (failure == Failure::kOfServer) server_errors.fetch_add(1, std::memory_order_relaxed);
  }
};

// Shared by all versions of one TableInfo. The owner assigns places to operations. Each place, and the costs, is filled
// once and then read without a lock.
class MetersKept {
 public:
  static constexpr size_t kPlaces = 16;

  // Null: not filled yet. Valid as long as this.
  OperationMeters* times(size_t place) const { return is_filled(place) ? times_[place].get() : nullptr; }
  TableCosts* costs() const { return is_filled(kKept) ? costs_.get() : nullptr; }
  // The same, but null also while somebody watches the table's keys. So a charge, which is frequent, looks once.
  TableCosts* unwatched_costs() const { return is_filled(kUnwatched) ? costs_.get() : nullptr; }
  bool watched() const { return is_filled(kKept) && !is_filled(kUnwatched); }
  bool watched_by(KeyWatch watch) const { return is_filled(bit_of(watch)); }
  // For one thread at a time, and once for each place.
  void keep(size_t place, std::shared_ptr<OperationMeters> times) {
    times_[place] = std::move(times);
    fill(place);
  }
  void keep(std::shared_ptr<TableCosts> costs) {
    costs_ = std::move(costs);
    change(kKept, true);
  }
  // Callable from any thread.
  void watch(KeyWatch watch, bool on) { change(bit_of(watch), on); }

  // Items that were deleted when they expired, by this server.
  void expire(uint64_t items) { expired_.fetch_add(items, std::memory_order_relaxed); }
  uint64_t expired() const { return expired_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kKept = kPlaces;
  static constexpr size_t kUnwatched = kPlaces + 1;  // the costs are kept, and nobody watches
  static constexpr size_t kFirstWatch = kPlaces + 2;
  static constexpr uint32_t kWatches = 3U << kFirstWatch;

  static constexpr size_t bit_of(KeyWatch watch) { return kFirstWatch + static_cast<size_t>(watch); }
  bool is_filled(size_t bit) const { return (filled_.load(std::memory_order_acquire) >> bit & 1) != 0; }
  void fill(size_t bit) { filled_.fetch_or(uint32_t{1} << bit, std::memory_order_release); }
  void change(size_t bit, bool on) {
    uint32_t before = filled_.load(std::memory_order_relaxed);
    uint32_t after = 0;
    do {
      after = on ? before | 1U << bit : before & ~(1U << bit);
      const bool unwatched = (after >> kKept & 1) != 0 && (after & kWatches) == 0;
      after = unwatched ? after | 1U << kUnwatched : after & ~(1U << kUnwatched);
    } while (!filled_.compare_exchange_weak(before, after, std::memory_order_release, std::memory_order_relaxed));
  }

  std::atomic<uint32_t> filled_{0};  // by place; the last four are of the costs
  std::array<std::shared_ptr<OperationMeters>, kPlaces> times_;
  std::shared_ptr<TableCosts> costs_;
  std::atomic<uint64_t> expired_{0};
};

}  // namespace partita::table
