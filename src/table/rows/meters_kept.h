// Counters of the requests for a table's items: durations and consumed capacity.
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

// Consumed capacity and throttled requests. Callable from any thread.
class TableCosts {
 public:
  struct Totals {
    api::Capacity consumed;
    uint64_t throttled = 0;
  };

  void consume(const api::Capacity& units) {
    Place& place = places_[meter_shard()];
    if (units.read != 0) place.read.fetch_add(units.read, std::memory_order_relaxed);
    if (units.write != 0) place.write.fetch_add(units.write, std::memory_order_relaxed);
  }
  void throttle() { places_[meter_shard()].throttled.fetch_add(1, std::memory_order_relaxed); }
  Totals totals() const {
    Totals sum;
    for (const Place& place : places_) {
      sum.consumed += {place.read.load(std::memory_order_relaxed), place.write.load(std::memory_order_relaxed)};
      sum.throttled += place.throttled.load(std::memory_order_relaxed);
    }
    return sum;
  }

 private:
  struct alignas(64) Place {
    std::atomic<model::HalfUnits> read{0};
    std::atomic<model::HalfUnits> write{0};
    std::atomic<uint64_t> throttled{0};
  };
  std::array<Place, kMeterShards> places_;
};

// Shared by all versions of one TableInfo. The owner assigns places to operations. Each place, and the costs, is filled
// once and then read without a lock.
class MetersKept {
 public:
  static constexpr size_t kPlaces = 16;

  // Null: not filled yet. Valid as long as this.
  CoarseTiming* times(size_t place) const { return is_filled(place) ? times_[place].get() : nullptr; }
  TableCosts* costs() const { return is_filled(kKept) ? costs_.get() : nullptr; }
  // The same, but null also while the table's keys are watched. So a charge, which is frequent, looks once.
  TableCosts* unwatched_costs() const { return is_filled(kUnwatched) ? costs_.get() : nullptr; }
  bool watched() const { return is_filled(kKept) && !is_filled(kUnwatched); }
  // For one thread at a time, and once for each place.
  void keep(size_t place, std::shared_ptr<CoarseTiming> times) {
    times_[place] = std::move(times);
    fill(place);
  }
  void keep(std::shared_ptr<TableCosts> costs) {
    costs_ = std::move(costs);
    filled_.fetch_or(1U << kKept | 1U << kUnwatched, std::memory_order_release);
  }
  // For one thread at a time. Precondition: the costs are kept.
  void watch() { filled_.fetch_and(~(1U << kUnwatched), std::memory_order_release); }
  void unwatch() { fill(kUnwatched); }

 private:
  static constexpr size_t kKept = kPlaces;
  static constexpr size_t kUnwatched = kPlaces + 1;

  bool is_filled(size_t bit) const { return (filled_.load(std::memory_order_acquire) >> bit & 1) != 0; }
  void fill(size_t bit) { filled_.fetch_or(uint32_t{1} << bit, std::memory_order_release); }

  std::atomic<uint32_t> filled_{0};  // by place; the last two are of the costs
  std::array<std::shared_ptr<CoarseTiming>, kPlaces> times_;
  std::shared_ptr<TableCosts> costs_;
};

}  // namespace partita::table
