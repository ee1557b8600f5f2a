// A few threads for work that would hold up a thread that serves, and the ways of a coroutine between them and its
// executor.
#pragma once

#include <coroutine>
#include <deque>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/thread.h"

namespace partita {

// Threads start when there is work for them, so an idle server has none; they go behind others by `niceness`
// (base/priority.h). Callable from any thread. Precondition for its end: nothing waits to enter.
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
  // `co_await workers.enter()` continues on one of the threads. False: there is none and the system makes none, so it
  // continues where it was. Work that would block other requests there must then be refused.
  EnterAwaiter enter() { return {*this}; }
  void resume(std::coroutine_handle<> handle) noexcept override;

 private:
  // False, and nothing is taken, when there is no thread and none can be made.
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

// `co_await SwitchTo{executor}` goes on on the executor's thread, at once if this is it or there is no executor.
struct SwitchTo {
  Executor* executor;
  bool await_ready() noexcept { return executor == nullptr || Executor::current() == executor; }
  void await_suspend(std::coroutine_handle<> handle) { executor->resume(handle); }
  void await_resume() noexcept {}
};

}  // namespace partita
