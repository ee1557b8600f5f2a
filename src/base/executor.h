// Where a waiting coroutine goes on. A thread that serves connections installs its Executor as current; whatever
// suspends a coroutine (an engine waiting for its disk) remembers the current Executor and resumes through it, so that
// a request stays on its connection's thread.
#pragma once

#include <coroutine>
#include <span>

namespace partita {

// Whoever waits for all else that is ready on a thread: see pieces.h. It stays where it is until it is resumed.
struct YieldedTask {
  std::coroutine_handle<> handle;
  YieldedTask* behind = nullptr;
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Resumes `handle` soon on this executor's thread. Callable from any thread.
  virtual void resume(std::coroutine_handle<> handle) = 0;
  // The same of each, in this order; its thread is woken at most once.
  virtual void resume_all(std::span<const std::coroutine_handle<>> handles) {
    for (const std::coroutine_handle<> handle : handles) resume(handle);
  }
  // Resumes who waits there when all else was done that was ready: one for each turn of the thread, and `first` before
  // all others that wait so. For this executor's own thread.
  virtual void resume_after_ready(YieldedTask& waiting, bool /*first*/) { resume(waiting.handle); }

  // The executor of the calling thread, or null: then work is resumed wherever it completes.
  static Executor* current() noexcept;
  static void set_current(Executor* executor) noexcept;
};

inline void resume_on(Executor* executor, std::coroutine_handle<> handle) {
  if (executor != nullptr) {
    executor->resume(handle);
  } else {
    handle.resume();
  }
}

// `co_await Yield()` lets what else is ready on this thread go first: for work that would keep others waiting.
struct Yield {
  bool await_ready() const noexcept { return Executor::current() == nullptr; }
  void await_suspend(std::coroutine_handle<> handle) const { Executor::current()->resume(handle); }
  void await_resume() const noexcept {}
};

}  // namespace partita
