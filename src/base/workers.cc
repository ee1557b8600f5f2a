#include "base/workers.h"

#include <new>
#include <utility>

#include "base/check.h"
#include "base/priority.h"

namespace partita {

Workers::~Workers() {
  {
    const MutexLock lock(mutex_);
    PARTITA_CHECK(waiting_.empty());
    stopping_ = true;
  }
  changed_.notify_all();
  for (Thread& thread : threads_) thread.join();
}

void Workers::resume(std::coroutine_handle<> handle) noexcept {
  const bool taken = take(handle);
  if (!taken) handle.resume();
}

bool Workers::take(std::coroutine_handle<> handle) {
  const MutexLock lock(mutex_);
  waiting_.push_back(handle);
  if (waiting_.size() > idle_ && threads_.size() < max_threads_ && begin_thread()) return true;
  if (threads_.empty()) {
    waiting_.pop_back();
    return false;
  }
  changed_.notify_one();
  return true;
}

bool Workers::begin_thread() {
  try {
    threads_.reserve(max_threads_);
    auto started = Thread::start("worker", [this](const std::stop_token&) { run(); });
    if (started.ok()) threads_.push_back(std::move(started).value());
    return started.ok();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void Workers::run() {
  Executor::set_current(this);
  if (niceness_ != 0) lower_thread_priority(niceness_);
  const MutexLock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(mutex_, [this]() PARTITA_REQUIRES(mutex_) { return stopping_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    const std::coroutine_handle<> handle = waiting_.front();
    waiting_.pop_front();
    mutex_.unlock();
    handle.resume();
    mutex_.lock();
  }
}

}  // namespace partita
