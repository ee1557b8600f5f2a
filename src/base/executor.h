// Where a waiting coroutine goes on. A thread that serves connections installs its Executor as current; whatever
// suspends a coroutine (an engine waiting for its disk) remembers the current Executor and resumes through it, so that
// a request stays on its connection's thread.
#pragma once

#include <coroutine>

namespace partita {

class Executor {
 public:
  virtual ~Executor() = default;

  // Resumes `handle` soon on this executor's thread. Callable from any thread.
  virtual void resume(std::coroutine_handle<> handle) = 0;

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

}  // namespace partita
