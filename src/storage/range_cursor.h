// Iterates over the rows of a range, reading a page at a time.
//
//   RangeCursor cursor(engine, range);
//   while (true) {
//     PARTITA_CO_TRY(const bool more, co_await cursor.next());
//     if (!more) break;
//     use(cursor.row());
//   }
#pragma once

#include <cstddef>
#include <utility>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "storage/ranges.h"

namespace partita::storage {

class RangeCursor {
 public:
  // `engine` must outlive it.
  RangeCursor(Engine& engine, Range range, size_t page_rows = 1'000, size_t page_bytes = size_t{1} << 20)
      : engine_(engine), rest_(std::move(range)), page_rows_(page_rows), page_bytes_(page_bytes) {}

  // False: there are no more rows.
  Task<Result<bool>> next() {
    if (at_ < page_.size()) ++at_;
    while (at_ == page_.size()) {
      if (!more_) co_return false;
      auto scanned = co_await engine_.scan(rest_, Direction::kAscending, page_rows_, page_bytes_);
      PARTITA_CO_TRY(page_, std::move(scanned));
      more_ = advance(rest_, page_);
      at_ = 0;
    }
    co_return true;
  }
  // Valid until next() is called.
  Page::Row row() const { return page_[at_]; }

 private:
  Engine& engine_;
  Range rest_;
  const size_t page_rows_;
  const size_t page_bytes_;
  bool more_ = true;
  Page page_;
  size_t at_ = 0;
};

// Erases every key of the range by small transactions. Unlike Engine::erase_range(), for keys that may be written
// again.
Task<Result<void>> erase_rows(Engine& engine, Range range);

}  // namespace partita::storage
