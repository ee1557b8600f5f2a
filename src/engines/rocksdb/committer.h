// Group commit: one thread merges all queued transactions into one write with one fsync, then resumes their coroutines.
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

// A transaction's writes on their way to the disk, in the frame of the coroutine that waits for them: fill it,
// enqueue() it, then `co_await` it. It resumes through `executor`; `outcome` is the result. Once enqueued, only the
// committer accesses it until the coroutine resumes.
class Commit {
 public:
  enum class CommitOutcome : uint8_t {
    kDurable,
    kUnknown,   // the write failed, but may be on the disk
    kRefused,   // an earlier write failed; nothing was written
    kNoMemory,  // there was no memory to write it; nothing was written
  };
  struct LogTrim {
    std::string topic;
    uint64_t newest;  // the place of the newest entry to erase; kNoPlace: all entries and the topic
  };

  // Entries of another store's log, at the places that they had there.
  struct LogRestore {
    std::string topic;
    std::vector<std::pair<uint64_t, std::string>> entries;  // by place
    uint64_t end;                                           // the place of the newest entry that ever existed
    bool is_trimmed;                                        // the entry at `end` was trimmed
  };

  // `memory`: for the list of writes; outlives the commit.
  explicit Commit(std::pmr::memory_resource* memory = std::pmr::get_default_resource()) : writes(memory) {}

  std::pmr::vector<std::shared_ptr<CachedRecord>> writes;
  std::pmr::vector<storage::Changes::Append> appends;
  std::optional<storage::Range> erase;
  std::optional<LogTrim> trim;
  std::optional<LogRestore> restored;
  Executor* executor = nullptr;  // never null once it is enqueued or waits for room
  CommitOutcome outcome = CommitOutcome::kDurable;

  // Writes nothing, and waits until everything queued before it is durable.
  bool is_barrier() const { return writes.empty() && appends.empty() && !erase && !trim && !restored; }

  // Removes what a transaction writes.
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
  // False: its coroutine has not suspended yet and will not; the commit may be gone.
  bool complete();

  std::coroutine_handle<> handle_;
  std::atomic<bool> met_{false};
  size_t wants_ = 0;  // bytes of the queue that it needs
  size_t room_ = 0;   // bytes of the queue that it holds
  uint64_t number_ = 0;
};

// Callable from any thread. The destructor writes what is queued. Precondition: no call is in progress.
class Committer {
 public:
  Committer(Store& store, const Latches& latches, RecordCache& newest, const RocksdbOptions& options);
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;
  ~Committer();
  // Once, before anything else. Error: kUnavailable if the system refuses a thread.
  Result<void> start();

  enum class EnqueueStatus : uint8_t {
    kPasses,     // the comparison holds; enqueue(): it is queued
    kStale,      // a compared key is not as assumed
    kUnwatched,  // the version of a compared key is not known: watch() it
    kOutdated,   // the generation has changed: read again
    kFull,       // wait for room()
    kRefused,    // the store accepts no writes now: outcome_of()
  };
  // Commits become durable in the order of these calls; their writes are pending from then on. Has an effect only if it
  // returns kPasses; throws std::bad_alloc without effect. The caller holds the latches of all keys that are written.
  EnqueueStatus enqueue(Commit& commit, std::span<const storage::Compare> compare, uint64_t generation);
  // Only compares.
  EnqueueStatus check(std::span<const storage::Compare> compare, uint64_t generation);
  // For a barrier that compares nothing: kPasses or kRefused.
  EnqueueStatus enqueue_barrier(Commit& commit);

  // Changes whenever the state that transactions see changes other than by a queued commit. A transaction takes it
  // before it reads pending writes or the store, and passes it to enqueue().
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  // The newest version of a key, read in that generation by a holder of its latch.
  void watch(std::string_view key, std::optional<storage::Version> version, uint64_t generation);

  storage::Version draw_version() {
    return storage::Version{last_version_.fetch_add(1, std::memory_order_relaxed) + 1};
  }

  // `co_await committer.room(commit)` waits until the queue has room for the commit, in the order of arrival, and
  // reserves it. If the commit is then not enqueued, the caller calls give_back(). Never call it while holding a latch.
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

  // kUnavailable while the store accepts no writes because one failed.
  Result<void> health() const;
  // Precondition: `commit` was awaited, refused, or never enqueued.
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
  // Fills the batch. False: there is no memory for it or for RocksDB's copy of it.
  bool build(std::span<Commit* const> commits, rocksdb::Status& status);
  rocksdb::Status write();
  void meter(std::span<Commit* const> written, int64_t began_ns);
  void finish(std::span<Commit*> commits);
  void lose(std::span<Commit*> commits, size_t written, Commit::CommitOutcome others);
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
  Notifier notifier_;  // notified once for each time that asleep_ becomes false
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

  // Only for the committer's thread.
  rocksdb::WriteBatch batch_;
  uint64_t last_place_;
  uint64_t last_processed_ = 0;
  Thread thread_;
};

}  // namespace partita::rocks
