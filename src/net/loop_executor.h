// Resumes coroutines on the thread of one Loop.
#pragma once

#include <coroutine>
#include <span>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "net/loop.h"

namespace partita::net {

// Outlives the loop's run(). Threads: as Executor says.
class LoopExecutor final : public Executor {
 public:
  explicit LoopExecutor(Loop& loop);

  // However many coroutines are resumed before the loop gets to them, it is woken once. If there is no memory for a
  // longer list, the process ends: nobody could carry on without the resumption.
  void resume(std::coroutine_handle<> handle) noexcept override { resume_all({&handle, 1}); }
  void resume_all(std::span<const std::coroutine_handle<>> handles) noexcept override;
  void resume_after_ready(YieldedTask& waiting, bool first) override;

 private:
  static constexpr size_t kUsuallyWaiting = 4096;

  void run_waiting();
  void run_first_in_line();

  Mutex mutex_;
  std::vector<std::coroutine_handle<>> waiting_ PARTITA_GUARDED_BY(mutex_);
  // The rest is for the loop's thread.
  std::vector<std::coroutine_handle<>> running_;
  Loop::Async async_;
  YieldedTask* line_ = nullptr;
  YieldedTask* last_ = nullptr;
  bool looked_ = false;
  Loop::Async line_async_;
};

}  // namespace partita::net
