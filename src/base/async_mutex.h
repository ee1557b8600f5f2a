// A mutex for coroutines. It is granted in the order of the requests, and waiting does not block a thread.
//
//   AsyncMutex::Guard guard(async_mutex);
//   co_await guard;  // waits until all earlier guards have been destroyed
//   ...              // exclusive
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
  // Holds the mutex from the end of `co_await` until it is destroyed. Continues through the Executor that was current
  // when it had to wait.
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
  // False: the guard owns the mutex and need not wait.
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
