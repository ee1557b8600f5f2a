// A pool of threads for work that would block a serving thread, and awaitables that move a coroutine to the pool and
// back.
#pragma once

#include <coroutine>
#include <deque>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/thread.h"

namespace partita {

// Threads are started on demand, so an idle server has none. `niceness` lowers their priority (base/priority.h).
// Callable from any thread. Precondition of the destructor: no coroutine waits to enter.
class Workers final : public Executor {
 public:
  explicit Workers(size_t max_threads, int niceness = 0) : max_threads_(max_threads), niceness_(niceness) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() override;

  struct EnterAwaiter {
    Workers& workers;
    bool await_ready() noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> handle) { return workers.take(handle); }
    bool await_resume() noexcept { return Executor::current() == &workers; }
  };
  // `co_await workers.enter()` continues on one of the threads. False: there is none and the system refuses to create
  // one, so the coroutine continues on its own thread. Work that would block other requests there must then be refused.
  EnterAwaiter enter() { return {*this}; }
  void resume(std::coroutine_handle<> handle) noexcept override;

 private:
  // False, and nothing is taken, if there is no thread and none can be created.
  bool take(std::coroutine_handle<> handle);
  bool begin_thread() PARTITA_REQUIRES(mutex_);
  void run();

  const size_t max_threads_;
  const int niceness_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<std::coroutine_handle<>> waiting_ PARTITA_GUARDED_BY(mutex_);
  std::vector<Thread> threads_ PARTITA_GUARDED_BY(mutex_);
  size_t idle_ PARTITA_GUARDED_BY(mutex_) = 0;
  bool stopping_ PARTITA_GUARDED_BY(mutex_) = false;
};

// `co_await SwitchTo{executor}` continues on the executor's thread; at once if this is it, or if `executor` is null.
struct SwitchTo {
  Executor* executor;
  bool await_ready() noexcept { return executor == nullptr || Executor::current() == executor; }
  void await_suspend(std::coroutine_handle<> handle) { executor->resume(handle); }
  void await_resume() noexcept {}
};

}  // namespace partita
