// The one thread that writes: it merges everything that waits into one write with one fsync, then completes the
// waiters.
#pragma once

#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/notifier.h"
#include "base/thread.h"
#include "engines/rocksdb/latches.h"
#include "engines/rocksdb/record_cache.h"
#include "engines/rocksdb/store.h"
#include "engines/rocksdb/watched_versions.h"
#include "storage/engine.h"

namespace partita::rocks {

// One change on its way to the disk. It lives in the frame of the coroutine that waits for it: fill it, enqueue() it,
// then `co_await` it; it goes on through `executor`, and `outcome` says how it ended.
class Commit {
 public:
  enum class WriteOutcome : uint8_t {
    kDurable,
    kUnknown,   // the write of it failed, and may be found on the disk all the same
    kRefused,   // an earlier write failed; nothing of it was written
    kNoMemory,  // there was no memory to write it; nothing of it was written
  };
  struct LogTrim {
    std::string topic;
    uint64_t newest;  // the place of the newest entry that goes; kNoPlace: all go, and the topic with them
  };

  // Entries of another store's log, where they were there.
  struct LogRestore {
    std::string topic;
    std::vector<std::pair<uint64_t, std::string>> entries;  // by place
    uint64_t end;                                           // the place of the newest that ever was there
    bool is_trimmed;                                        // nothing is left at `end`
  };

  // The list of writes takes its memory there, which outlives the commit.
  explicit Commit(std::pmr::memory_resource* memory = std::pmr::get_default_resource()) : writes(memory) {}

  std::pmr::vector<std::shared_ptr<CachedRecord>> writes;
  std::pmr::vector<storage::Changes::Append> appends;
  std::optional<storage::Range> erase;
  std::optional<LogTrim> trim;
  std::optional<LogRestore> restored;
  Executor* executor = nullptr;  // never null once it is enqueued or waits for room
  WriteOutcome outcome = WriteOutcome::kDurable;

  // Nothing to write: it only waits until everything queued before it is durable.
  bool is_barrier() const { return writes.empty() && appends.empty() && !erase && !trim && !restored; }

  // Of what a transaction writes.
  void clear() {
    writes.clear();
    appends.clear();
  }

  bool await_ready() noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) noexcept {
    handle_ = handle;
    return !met_.exchange(true, std::memory_order_acq_rel);
  }
  void await_resume() noexcept {}

 private:
  friend class Committer;
  size_t weigh() const;
  // False: it has not begun to wait, and does not any more. The commit may be gone then.
  bool complete();

  std::coroutine_handle<> handle_;
  std::atomic<bool> met_{false};
  size_t wants_ = 0;  // bytes of the queue's room
  size_t room_ = 0;   // what it has of them
  uint64_t number_ = 0;
};

// Callable from any thread. Its end writes what is queued first; precondition: nobody calls it any more.
class Committer {
 public:
  Committer(Store& store, const Latches& latches, RecordCache& newest, const RocksdbOptions& options);
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;
  ~Committer();
  // Once, before anything else. Error: kUnavailable, when the system makes no thread.
  Result<void> start();

  enum class EnqueueStatus : uint8_t {
    kPasses,     // the comparison holds; enqueue(): it is queued
    kStale,      // a compared key is not as assumed
    kUnwatched,  // the version of a compared key is not known: watch() it
    kOutdated,   // what was looked at since `era` may be gone: look again
    kFull,       // wait for room()
    kRefused,    // nothing is written for now: outcome_of()
  };
  // Commits become durable in the order of these calls, and what they write is pending from then on. Only kPasses did
  // anything, and nothing has happened when memory runs out. The caller holds the latches of everything that is
  // written.
  EnqueueStatus enqueue(Commit& commit, std::span<const storage::Compare> compare, uint64_t generation);
  // Whether the comparison holds now.
  EnqueueStatus check(std::span<const storage::Compare> compare, uint64_t generation);
  // For a barrier that compares nothing: kPasses or kRefused.
  EnqueueStatus enqueue_barrier(Commit& commit);

  // Changes whenever something else than a queued commit makes a difference to what transactions see. Whoever looks at
  // pending writes or at the store in order to enqueue() takes it first.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  // The newest version of a key, seen since `era` by a holder of its latch.
  void watch(std::string_view key, std::optional<storage::Version> version, uint64_t generation);

  storage::Version draw_version() {
    return storage::Version{last_version_.fetch_add(1, std::memory_order_relaxed) + 1};
  }

  // `co_await committer.room(commit)` waits its turn until the queue has room for the commit, as it was when enqueue()
  // found none, and keeps it. Whoever then does not enqueue it gives it back. Never while holding a latch.
  struct RoomAwaiter {
    Committer& committer;
    Commit& commit;
    bool await_ready() noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> handle) { return committer.wait_for_room(commit, handle); }
    void await_resume() noexcept {}
  };
  RoomAwaiter room(Commit& commit) { return {*this, commit}; }
  bool is_full() const { return taken_.load(std::memory_order_relaxed) >= max_bytes_; }
  void give_back(Commit& commit);

  // kUnavailable while the store takes no writes, since one failed.
  Result<void> health() const;
  // Precondition: it was awaited, refused, or never enqueued.
  Result<void> outcome_of(const Commit& commit) const;

 private:
  struct RoomWaiter {
    Commit* commit;
    size_t bytes;
    std::coroutine_handle<> handle;
  };

  EnqueueStatus verify(std::span<const storage::Compare> compare, uint64_t generation) const PARTITA_REQUIRES(mutex_);
  bool take_room(Commit& commit, size_t bytes) PARTITA_REQUIRES(mutex_);
  void make_pending(const Commit& commit, uint64_t number) PARTITA_REQUIRES(mutex_);
  void begin_generation() PARTITA_REQUIRES(mutex_);
  void sleep() PARTITA_REQUIRES(mutex_);
  void gather(size_t group_size) PARTITA_REQUIRES(mutex_);

  Error refusal() const;
  bool wait_for_room(Commit& commit, std::coroutine_handle<> handle);
  void release_room(size_t bytes);
  void run();
  // Fills the batch. False: there is no memory for it, or for what RocksDB makes of it.
  bool build(std::span<Commit* const> commits, rocksdb::Status& status);
  rocksdb::Status write();
  void meter(std::span<Commit* const> written, int64_t began_ns);
  void finish(std::span<Commit*> commits);
  void lose(std::span<Commit*> commits, size_t written, Commit::WriteOutcome others);
  void complete(std::span<Commit*> commits);
  static size_t complete_on(Executor& executor, std::span<Commit*> commits);
  // `last`: the number of the last commit that is written with it.
  rocksdb::Status add(const Commit& commit, uint64_t last);
  rocksdb::Status add_log(const Commit& commit);
  rocksdb::Status add_restored(const Commit::LogRestore& restored);

  Store& store_;
  const Latches& latches_;
  RecordCache& cache_;
  const bool sync_;
  const size_t max_bytes_;

  mutable Mutex mutex_;
  Notifier notifier_;  // rung once for each time that asleep_ becomes false
  std::vector<Commit*> queue_ PARTITA_GUARDED_BY(mutex_);
  std::deque<RoomWaiter> room_waiters_ PARTITA_GUARDED_BY(mutex_);
  WatchedVersions watched_ PARTITA_GUARDED_BY(mutex_);
  bool asleep_ PARTITA_GUARDED_BY(mutex_) = false;
  bool stopping_ PARTITA_GUARDED_BY(mutex_) = false;
  uint64_t last_number_ PARTITA_GUARDED_BY(mutex_) = 0;
  // Written with the mutex held; read without.
  std::atomic<uint64_t> generation_{1};
  std::atomic<size_t> taken_{0};  // of the room

  std::atomic<uint64_t> last_version_;

  // Of the committer's thread alone.
  rocksdb::WriteBatch batch_;
  uint64_t last_place_;
  uint64_t last_processed_ = 0;
  Thread thread_;
};

}  // namespace partita::rocks
