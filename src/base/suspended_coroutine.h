// A coroutine that waits for others, and where it goes on: through the Executor that was current when it had to wait.
//
//   void await_suspend(std::coroutine_handle<> handle) { waiting_ = SuspendedCoroutine::here(handle); ... }
#pragma once

#include <coroutine>

#include "base/executor.h"

namespace partita {

struct SuspendedCoroutine {
  static SuspendedCoroutine here(std::coroutine_handle<> handle) { return {handle, Executor::current()}; }

  // Once. On this thread where there is no executor; whatever this lives in may be gone when it returns.
  void resume() const { resume_on(home, handle); }

  std::coroutine_handle<> handle;
  Executor* home = nullptr;
};

}  // namespace partita
