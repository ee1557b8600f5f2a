#include "net/loop_executor.h"

#include <utility>

namespace partita::net {

LoopExecutor::LoopExecutor(Loop& loop)
    : async_(loop, [this] { run_waiting(); }), line_async_(loop, [this] { run_first_in_line(); }) {
  waiting_.reserve(kUsuallyWaiting);
  running_.reserve(kUsuallyWaiting);
}

void LoopExecutor::resume_all(std::span<const std::coroutine_handle<>> handles) noexcept {
  {
    const MutexLock lock(mutex_);
    waiting_.insert(waiting_.end(), handles.begin(), handles.end());
    if (waiting_.size() > handles.size()) return;
  }
  async_.send();
}

void LoopExecutor::resume_after_ready(YieldedTask& waiting, bool first) {
  if (line_ == nullptr) line_async_.send();
  if (first || line_ == nullptr) {
    waiting.behind = std::exchange(line_, &waiting);
    if (waiting.behind == nullptr) last_ = &waiting;
  } else {
    last_->behind = &waiting;
    last_ = &waiting;
  }
}

void LoopExecutor::run_waiting() {
  {
    const MutexLock lock(mutex_);
    running_.swap(waiting_);
  }
  for (const std::coroutine_handle<> handle : running_) handle.resume();
  running_.clear();
}

// Once around the loop first: what arrived during the last piece is seen only then.
void LoopExecutor::run_first_in_line() {
  looked_ = !looked_;
  if (looked_) return line_async_.send();
  const YieldedTask* const first = std::exchange(line_, line_->behind);
  if (line_ != nullptr) line_async_.send();
  first->handle.resume();
}

}  // namespace partita::net
