// Where a waiting coroutine continues. A thread that serves connections installs its Executor as current. Code that
// suspends a coroutine (such as an engine that waits for its disk) remembers the current Executor and resumes through
// it, so that a request stays on its connection's thread.
#pragma once

#include <coroutine>
#include <span>

namespace partita {

// A coroutine that waits for all other ready work of a thread (see yield_budget.h). Must stay at its address until it
// is resumed.
struct YieldedTask {
  std::coroutine_handle<> handle;
  YieldedTask* behind = nullptr;
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Resumes `handle` soon on this executor's thread. Callable from any thread.
  virtual void resume(std::coroutine_handle<> handle) = 0;
  // Resumes each of them, in this order. The executor's thread is woken at most once.
  virtual void resume_all(std::span<const std::coroutine_handle<>> handles) {
    for (const std::coroutine_handle<> handle : handles) resume(handle);
  }
  // Resumes `waiting` after all other ready work: one such coroutine per iteration of the thread; with `first`, before
  // all others that wait. Only on this executor's thread.
  virtual void resume_after_ready(YieldedTask& waiting, bool /*first*/) { resume(waiting.handle); }

  // The executor of the calling thread, or null. Without one, a coroutine is resumed on the thread that completes its
  // work.
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

// `co_await Yield()` runs this thread's other ready work first, for work that would delay others.
struct Yield {
  bool await_ready() const noexcept { return Executor::current() == nullptr; }
  void await_suspend(std::coroutine_handle<> handle) const { Executor::current()->resume(handle); }
  void await_resume() const noexcept {}
};

}  // namespace partita
