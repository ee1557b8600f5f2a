// One thread for work that no request waits for. Pieces of work run side by side: each is a coroutine that is resumed
// here after every wait. A long one must wait from time to time (for the store, or with pass()) to let others run.
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/suspended_coroutine.h"
#include "base/task.h"
#include "base/thread.h"

namespace partita::table {

class Background : private Executor {
 public:
  using Work = std::function<Task<void>()>;

  // Calls stop().
  ~Background() override;

  // Starts the thread. Once, before anything else. Error: kUnavailable, when the system makes no thread.
  Result<void> start();
  // Begins a piece of work on the thread. False after stop() was called: nothing is begun. Callable from any thread.
  bool begin(Work work);

  // Resumes after at least that much real time, or early at a stop, on the Executor that was current before.
  // Callable from any thread.
  Task<void> sleep(std::chrono::nanoseconds span);
  Task<void> sleep(int64_t ms) { return sleep(std::chrono::milliseconds(ms)); }
  // `co_await background.pass()` lets other work run first. Only for work of this thread.
  struct Pass {
    Background& background;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) { background.resume(handle); }
    void await_resume() const noexcept {}
  };
  Pass pass() { return {*this}; }

  // Work checks this from time to time, and ends early.
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  // Asks all work to end and waits for it.
  void stop();

 private:
  using Instant = std::chrono::steady_clock::time_point;
  struct SleepAwaiter;

  void add(Instant until, SuspendedCoroutine sleeper);
  void resume(std::coroutine_handle<> handle) override;
  void run();
  // Takes what is to be done next; nothing if there is nothing.
  std::function<void()> next() PARTITA_REQUIRES(mutex_);
  void end_one();

  Mutex mutex_;
  CondVar changed_;
  std::deque<Work> fresh_ PARTITA_GUARDED_BY(mutex_);
  std::deque<SuspendedCoroutine> ready_ PARTITA_GUARDED_BY(mutex_);
  std::multimap<Instant, SuspendedCoroutine> sleepers_ PARTITA_GUARDED_BY(mutex_);
  size_t under_way_ PARTITA_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> stopping_{false};
  Thread thread_;
};

}  // namespace partita::table
