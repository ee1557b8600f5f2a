// Splits long work into pieces, so that other work of the thread waits for one piece at most.
//
//   YieldBudget budget;
//   for (const Row& row : rows) {
//     if (budget.is_spent()) co_await budget.yield();
//     budget.spend(row.size());
//     ...
//   }
//
// Work that began first is resumed first, so only few of a thread's tasks hold much memory at a time, however many
// there are.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>

#include "base/executor.h"

namespace partita {

// For one thread at a time.
class YieldBudget {
 public:
  // The size of a piece: some tenths of a millisecond if items are read, collected or written as JSON.
  static constexpr size_t kBytes = size_t{64} << 10;
  // The minimum cost of one call of spend().
  static constexpr size_t kLeastBytes = 256;

  enum class Start : uint8_t { kNew, kBegun };
  explicit YieldBudget(Start start = Start::kNew) : begun_(start == Start::kBegun) {}

  // Accounts for one object of that size.
  void spend(size_t bytes) { spent_ += bytes < kLeastBytes ? kLeastBytes : bytes; }
  bool is_spent() const { return spent_ >= kBytes; }

  // `co_await yield()` first runs everything else that is ready on this thread, and pieces of work that began earlier.
  // Without an executor, it continues at once.
  struct Awaiter {
    YieldBudget& budget;
    YieldedTask place = {};
    bool await_ready() noexcept {
      budget.spent_ = 0;
      return Executor::current() == nullptr;
    }
    void await_suspend(std::coroutine_handle<> handle) {
      place.handle = handle;
      const bool begun = budget.begun_;
      budget.begun_ = true;
      Executor::current()->resume_after_ready(place, begun);
    }
    void await_resume() const noexcept {}
  };
  Awaiter yield() { return {*this}; }

 private:
  size_t spent_ = 0;
  bool begun_;
};

}  // namespace partita
