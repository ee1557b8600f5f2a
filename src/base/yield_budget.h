// Start that takes long, done a piece at a time, so that whoever else its thread serves waits for no more than a piece.
//
//   YieldBudget budget;
//   for (const Row& row : rows) {
//     if (budget.is_spent()) co_await budget.yield();
//     budget.spend(row.size());
//     ...
//   }
//
// Of the works of one thread that is done first which began first: so few of them hold much memory at a time, however
// many there are.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>

#include "base/executor.h"

namespace partita {

// For one thread at a time.
class YieldBudget {
 public:
  // What may be done at once: some tenths of a millisecond, if items are read, collected or written as JSON.
  static constexpr size_t kBytes = size_t{64} << 10;
  // What a thing costs, however small it is.
  static constexpr size_t kLeastBytes = 256;

  enum class Start : uint8_t { kNew, kBegun };
  explicit YieldBudget(Start start = Start::kNew) : begun_(start == Start::kBegun) {}

  // For one thing of so many bytes.
  void spend(size_t bytes) { spent_ += bytes < kLeastBytes ? kLeastBytes : bytes; }
  bool is_spent() const { return spent_ >= kBytes; }

  // `co_await yield()` lets all else go first that is ready on this thread, and the budget of works that began
  // before. Without an executor, which is without others, it goes on at once.
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
