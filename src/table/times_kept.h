// How long the operations on a table's items took, as whoever serves it counts them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/meter.h"

namespace partita::table {

// Shared by all versions of one TableInfo. Who serves the table says which place is which operation's; each is filled
// once, and then read without a lock.
class TimesKept {
 public:
  static constexpr size_t kPlaces = 16;
  using Line = std::shared_ptr<CoarseTiming>;

  // Null: nothing is there yet. Valid as long as this.
  const Line* find(size_t place) const {
    return (filled_.load(std::memory_order_acquire) >> place & 1) != 0 ? &lines_[place] : nullptr;
  }
  // By one thread at a time, and once for each place.
  void keep(size_t place, Line line) {
    lines_[place] = std::move(line);
    filled_.fetch_or(uint32_t{1} << place, std::memory_order_release);
  }

 private:
  std::atomic<uint32_t> filled_{0};
  std::array<Line, kPlaces> lines_;
};

}  // namespace partita::table
