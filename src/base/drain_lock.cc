#include "base/drain_lock.h"

#include <algorithm>

#include "base/check.h"

namespace partita {

bool DrainLock::wait(SharedGuard& guard, std::coroutine_handle<> handle) {
  const MutexLock lock(mutex_);
  if (!closed_.load()) {
    shards_[guard.shard_].inside.fetch_add(1);
    guard.inside_ = true;
    return false;
  }
  guard.waiting_ = SuspendedCoroutine::here(handle);
  waiting_.push_back(&guard);
  return true;
}

void DrainLock::notify_left() {
  const MutexLock lock(mutex_);
  changed_.notify_all();
}

bool DrainLock::is_empty() const {
  return std::ranges::all_of(shards_, [](const Shard& shard) { return shard.inside.load() == 0; });
}

void DrainLock::close() {
  const MutexLock lock(mutex_);
  PARTITA_CHECK(!closed_.load());
  closed_ = true;
  changed_.wait(mutex_, [this] { return is_empty(); });
}

void DrainLock::open() {
  std::vector<SharedGuard*> waiting;
  {
    const MutexLock lock(mutex_);
    waiting.swap(waiting_);
    for (SharedGuard* const guard : waiting) {
      shards_[guard->shard_].inside.fetch_add(1);
      guard->inside_ = true;
    }
    closed_ = false;
  }
  for (SharedGuard* const guard : waiting) guard->waiting_.resume();
}

}  // namespace partita
