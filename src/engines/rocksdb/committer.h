// The one thread that writes: it merges everything that waits into one write with one fsync, then completes the
// waiters.
#pragma once

#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/executor.h"
#include "engines/rocksdb/pending.h"
#include "engines/rocksdb/store.h"
#include "storage/engine.h"

namespace partita::rocks {

// One change on its way to the disk. It lives in the frame of the coroutine that waits for it: fill it, enqueue() it,
// then `co_await` it; it goes on through `executor`, and `outcome` says how it ended.
class Commit {
 public:
  enum class Outcome : uint8_t {
    kDurable,
    kUnknown,  // the write of it failed, and may be found on the disk all the same
    kRefused,  // an earlier write failed; nothing of it was written
  };
  struct Trim {
    std::string topic;
    uint64_t newest;  // the place of the newest entry that goes; kNoPlace: all go, and the topic with them
  };

  std::vector<std::shared_ptr<const PendingWrite>> writes;
  std::vector<storage::Changes::Append> appends;
  std::optional<storage::Range> erase;
  std::optional<Trim> trim;
  Executor* executor = nullptr;
  Outcome outcome = Outcome::kDurable;

  // Nothing to write: it only waits until everything queued before it is durable.
  bool is_barrier() const { return writes.empty() && appends.empty() && !erase && !trim; }

  bool await_ready() noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) noexcept {
    handle_ = handle;
    return !met_.exchange(true, std::memory_order_acq_rel);
  }
  void await_resume() noexcept {}

 private:
  friend class Committer;
  size_t bytes() const;
  // The commit may be gone when this returns.
  void complete();

  std::coroutine_handle<> handle_;
  std::atomic<bool> met_{false};
  size_t bytes_ = 0;
};

// Callable from any thread. Its end writes what is queued first; precondition: nobody calls it any more.
class Committer {
 public:
  Committer(Store& store, PendingTable& pending, bool sync);
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;
  ~Committer();

  // Commits become durable in the order of these calls. The caller holds the latches of everything that is written.
  void enqueue(Commit& commit);

  // `co_await committer.room(executor)` waits while too many bytes are queued.
  struct Room {
    Committer& committer;
    Executor* executor;
    bool await_ready() noexcept { return committer.queued_bytes_.load(std::memory_order_relaxed) < kMaxQueuedBytes; }
    bool await_suspend(std::coroutine_handle<> handle) { return committer.wait_for_room(executor, handle); }
    void await_resume() noexcept {}
  };
  Room room(Executor* executor) { return {*this, executor}; }

  // True once a write has failed, until the store has recovered: nothing is written.
  bool failed() const { return store_.keeper.failed(); }
  // Why, and what will help. Precondition: failed().
  std::string failure() const { return store_.keeper.sentence(); }

 private:
  static constexpr size_t kMaxQueuedBytes = size_t{32} << 20;
  struct Guest {
    Executor* executor;
    std::coroutine_handle<> handle;
  };

  bool wait_for_room(Executor* executor, std::coroutine_handle<> handle);
  void run();
  void process(const std::vector<Commit*>& commits);
  rocksdb::Status add(const Commit& commit);
  rocksdb::Status add_log(const Commit& commit);
  rocksdb::Status write();

  Store& store_;
  PendingTable& pending_;
  const bool sync_;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Commit*> queue_;
  std::vector<Guest> guests_;
  bool asleep_ = false;
  bool stopping_ = false;
  std::atomic<size_t> queued_bytes_{0};

  // Of the committer's thread alone.
  rocksdb::WriteBatch batch_;
  uint64_t last_place_;
  std::thread thread_;
};

}  // namespace partita::rocks
