// Work that coroutines do one behind the other, in the order in which they came.
//
//   OneByOne::Turn turn(one_by_one);
//   co_await turn;  // waits until all that came before have ended
//   ...             // nobody else is here
//
// Callable from any thread.
#pragma once

#include <coroutine>
#include <deque>
#include <mutex>

#include "base/suspended.h"

namespace partita {

class OneByOne {
 public:
  // From the end of `co_await` to the end of its life. Goes on through the Executor that was current when it had to
  // wait.
  class Turn {
   public:
    explicit Turn(OneByOne& of) : of_(of) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (taken_) of_.pass_on();
    }

    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> handle) { return of_.wait(*this, handle); }
    void await_resume() const noexcept {}

   private:
    friend class OneByOne;
    OneByOne& of_;
    bool taken_ = false;
    Suspended waiting_;
  };

 private:
  // False: nobody was before it.
  bool wait(Turn& turn, std::coroutine_handle<> handle) {
    const std::lock_guard lock(mutex_);
    if (!busy_) {
      busy_ = true;
      turn.taken_ = true;
      return false;
    }
    turn.waiting_ = Suspended::here(handle);
    waiting_.push_back(&turn);
    return true;
  }
  void pass_on() {
    Turn* next = nullptr;
    {
      const std::lock_guard lock(mutex_);
      busy_ = !waiting_.empty();
      if (!busy_) return;
      next = waiting_.front();
      waiting_.pop_front();
      next->taken_ = true;
    }
    next->waiting_.go_on();
  }

  std::mutex mutex_;
  bool busy_ = false;
  std::deque<Turn*> waiting_;
};

}  // namespace partita
