// A suspended coroutine and the Executor that was current when it was suspended, which resumes it.
//
//   void await_suspend(std::coroutine_handle<> handle) { waiting_ = SuspendedCoroutine::here(handle); ... }
#pragma once

#include <coroutine>

#include "base/executor.h"

namespace partita {

struct SuspendedCoroutine {
  static SuspendedCoroutine here(std::coroutine_handle<> handle) { return {handle, Executor::current()}; }

  // Call once. Resumes on this thread if there is no executor. The object that contains this may be gone afterwards.
  void resume() const { resume_on(home, handle); }

  std::coroutine_handle<> handle;
  Executor* home = nullptr;
};

}  // namespace partita
