// A shared lock that can be closed and drained: any number of guards hold it at the same time, until close() waits
// for all of them and keeps new ones out. A guard costs a few nanoseconds, since each thread counts in its own shard.
//
//   DrainLock::SharedGuard guard(lock);
//   co_await guard;  // waits while the lock is closed
//   ...              // close() waits for this guard
//
// Callable from any thread.
#pragma once

#include <array>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/meter.h"
#include "base/mutex.h"
#include "base/suspended_coroutine.h"

namespace partita {

class DrainLock {
 public:
  // Holds the lock from the end of `co_await` until it is destroyed. Continues through the Executor that was current
  // when it had to wait.
  class SharedGuard {
   public:
    explicit SharedGuard(DrainLock& lock) : drain_lock_(lock) {}
    SharedGuard(const SharedGuard&) = delete;
    SharedGuard& operator=(const SharedGuard&) = delete;
    ~SharedGuard() {
      if (inside_) drain_lock_.leave(shard_);
    }

    // Instead of `co_await`, once: false if the lock is closed; the guard then does not hold it.
    bool try_enter() { return await_ready(); }

    bool await_ready() {
      shard_ = meter_shard();
      inside_ = drain_lock_.enter(shard_);
      return inside_;
    }
    bool await_suspend(std::coroutine_handle<> handle) { return drain_lock_.wait(*this, handle); }
    void await_resume() const noexcept {}

   private:
    friend class DrainLock;
    DrainLock& drain_lock_;
    size_t shard_ = 0;
    bool inside_ = false;
    SuspendedCoroutine waiting_;
  };

  // Makes new guards wait and blocks until there are no others. Preconditions: the lock is open; existing guards do not
  // need the calling thread. For one thread at a time.
  void close();
  // Admits the waiting guards.
  void open();

 private:
  struct alignas(64) Shard {
    std::atomic<uint64_t> inside{0};
  };

  // False: the lock is closed. Either the entering thread sees that it is closed, or the closing thread sees the count.
  bool enter(size_t shard) {
    shards_[shard].inside.fetch_add(1);
    if (!closed_.load()) [[likely]]
      return true;
    leave(shard);
    return false;
  }
  void leave(size_t shard) {
    shards_[shard].inside.fetch_sub(1);
    if (closed_.load()) [[unlikely]]
      notify_left();
  }
  // False: the lock was opened meanwhile, and the guard holds it.
  bool wait(SharedGuard& guard, std::coroutine_handle<> handle);
  void notify_left();
  bool is_empty() const;

  std::atomic<bool> closed_{false};  // changed with the lock held
  std::array<Shard, kMeterShards> shards_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<SharedGuard*> waiting_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita
