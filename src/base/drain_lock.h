// A way that any number go through side by side, until somebody shuts it to be alone. Going through costs a few
// nanoseconds: each thread counts in a shard of its own.
//
//   DrainLock::SharedGuard guard(lock);
//   co_await guard;  // waits while it is shut
//   ...              // nobody is alone while this is inside
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
  // One that goes through: inside from the end of `co_await` to the end of its life. Goes on through the Executor that
  // was current when it had to wait.
  class SharedGuard {
   public:
    explicit SharedGuard(DrainLock& lock) : drain_lock_(lock) {}
    SharedGuard(const SharedGuard&) = delete;
    SharedGuard& operator=(const SharedGuard&) = delete;
    ~SharedGuard() {
      if (inside_) drain_lock_.leave(shard_);
    }

    // In shard of `co_await`, once: inside at once, or, when this is false, not at all.
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

  // Blocks until nobody is inside; whoever comes waits from now on. Preconditions: it is open; the calling thread is
  // not needed by those inside. Only one at a time.
  void close();
  // Lets those in who wait.
  void open();

 private:
  struct alignas(64) Shard {
    std::atomic<uint64_t> inside{0};
  };

  // False: it is shut. Either the one who enters sees that it is shut, or who shuts it sees him inside.
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
  // False: it was opened meanwhile, and the visitor is inside.
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
