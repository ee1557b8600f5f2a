// A counter of the units that a table consumes, for those who scale it by them. Nothing is counted until then.
#pragma once

#include <atomic>

#include "api/capacity.h"

namespace partita::table {

// Of a table with its local indexes; a global index has its IndexCosts. Shared by all versions of one TableInfo, and,
// unlike TableCosts, by no other table. Callable from any thread.
class UnitsKept {
 public:
  bool counts() const { return counts_.load(std::memory_order_relaxed); }
  void consume(const api::Capacity& units) {
    if (!counts()) [[likely]]
      return;
    read_.fetch_add(units.read, std::memory_order_relaxed);
    write_.fetch_add(units.write, std::memory_order_relaxed);
  }
  // Since the first call of this, which begins the count.
  api::Capacity consumed() {
    counts_.store(true, std::memory_order_relaxed);
    return {read_.load(std::memory_order_relaxed), write_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<bool> counts_{false};
  std::atomic<model::HalfUnits> read_{0};
  std::atomic<model::HalfUnits> write_{0};
};

}  // namespace partita::table
