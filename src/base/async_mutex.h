// Work that coroutines do one behind the other, in the order in which they came.
//
//   AsyncMutex::Guard guard(async_mutex);
//   co_await guard;  // waits until all that came before have ended
//   ...             // nobody else is here
//
// Callable from any thread.
#pragma once

#include <coroutine>
#include <deque>

#include "base/mutex.h"
#include "base/suspended_coroutine.h"

namespace partita {

class AsyncMutex {
 public:
  // From the end of `co_await` to the end of its life. Goes on through the Executor that was current when it had to
  // wait.
  class Guard {
   public:
    explicit Guard(AsyncMutex& of) : of_(of) {}
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
      if (owns_) of_.unlock();
    }

    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> handle) { return of_.wait(*this, handle); }
    void await_resume() const noexcept {}

   private:
    friend class AsyncMutex;
    AsyncMutex& of_;
    bool owns_ = false;
    SuspendedCoroutine waiting_;
  };

 private:
  // False: nobody was before it.
  bool wait(Guard& guard, std::coroutine_handle<> handle) {
    const MutexLock lock(mutex_);
    if (!locked_) {
      locked_ = true;
      guard.owns_ = true;
      return false;
    }
    guard.waiting_ = SuspendedCoroutine::here(handle);
    waiting_.push_back(&guard);
    return true;
  }
  void unlock() {
    Guard* next = nullptr;
    {
      const MutexLock lock(mutex_);
      locked_ = !waiting_.empty();
      if (!locked_) return;
      next = waiting_.front();
      waiting_.pop_front();
      next->owns_ = true;
    }
    next->waiting_.resume();
  }

  Mutex mutex_;
  bool locked_ PARTITA_GUARDED_BY(mutex_) = false;
  std::deque<Guard*> waiting_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita
