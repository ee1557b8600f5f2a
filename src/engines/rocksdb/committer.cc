#include "engines/rocksdb/committer.h"

#include <rocksdb/options.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/priority.h"
#include "base/reserve.h"
#include "base/retry_after.h"

namespace partita::rocks {

namespace {

// A larger batch releases its memory.
constexpr size_t kKeptBatchBytes = size_t{4} << 20;
// Queued commits are merged up to about this size, since RocksDB's batch is a copy of them.
constexpr size_t kMaxMergedBytes = size_t{8} << 20;
// The memory of a queued write besides its bytes.
constexpr size_t kWriteOverheadBytes = 128;
// Room for a transaction whose writes are not known yet.
constexpr size_t kGuessedBytes = size_t{4} << 10;
constexpr size_t kSmallestQueue = 16;
constexpr size_t kResumedAtOnce = 64;
// Until there is memory again, about.
constexpr uint32_t kMemoryWaitMs = 200;

}  // namespace

size_t Commit::weigh() const {
  size_t bytes = kWriteOverheadBytes;
  for (const auto& write : writes) {
    bytes += kWriteOverheadBytes + write->key.size() + (write->record ? write->record->value.size() : 0);
  }
  for (const storage::Changes::Append& append : appends) {
    bytes += kWriteOverheadBytes + append.topic.size() + append.entry.size();
  }
  if (restored) {
    for (const auto& [place, entry] : restored->entries) bytes += kWriteOverheadBytes + entry.size();
  }
  return bytes;
}

bool Commit::complete() { return met_.exchange(true, std::memory_order_acq_rel); }

Committer::Committer(Store& store, const Latches& latches, RecordCache& newest, const RocksdbOptions& options)
    : store_(store),
      latches_(latches),
      cache_(newest),
      sync_(options.sync),
      max_bytes_(options.queue_bytes),
      last_version_(store.last_id),
      last_place_(store.last_id) {}

Result<void> Committer::start() {
  PARTITA_TRY(thread_, Thread::start("committer", [this](const std::stop_token&) { run(); }));
  return {};
}

Committer::~Committer() {
  bool asleep = false;
  {
    const MutexLock lock(mutex_);
    PARTITA_CHECK(room_waiters_.empty());
    stopping_ = true;
    asleep = std::exchange(asleep_, false);
  }
  if (asleep) notifier_.notify();
  if (thread_.joinable()) thread_.join();
  PARTITA_CHECK(taken_ == 0 && !cache_.has_pending() && last_processed_ == last_number_);
}

Result<void> Committer::health() const {
  if (store_.write_errors.failed()) return refusal();
  return {};
}

Error Committer::refusal() const { return Error(ErrorKind::kUnavailable, store_.write_errors.sentence()); }

Result<void> Committer::outcome_of(const Commit& commit) const {
  switch (commit.outcome) {
    case Commit::CommitOutcome::kDurable:
      return {};
    case Commit::CommitOutcome::kRefused:
      return refusal();
    case Commit::CommitOutcome::kNoMemory:
      return Error(ErrorKind::kUnavailable, 0, {"There was not enough memory for the write."},
                   std::make_shared<const RetryAfter>(kMemoryWaitMs));
    case Commit::CommitOutcome::kUnknown:
      return Error(ErrorKind::kUnknown, "The disk failed while the change was written; it may or may not be there. " +
                                            store_.write_errors.sentence());
  }
  return {};
}

Committer::EnqueueStatus Committer::verify(std::span<const storage::Compare> compare, uint64_t generation) const {
  if (generation != generation_.load(std::memory_order_relaxed)) return EnqueueStatus::kOutdated;
  EnqueueStatus status = EnqueueStatus::kPasses;
  for (const storage::Compare& one : compare) {
    const WatchedVersions::Match match = watched_.match(one);
    if (match == WatchedVersions::Match::kUnwatched) return EnqueueStatus::kUnwatched;
    if (match == WatchedVersions::Match::kDiffers) status = EnqueueStatus::kStale;
  }
  return status;
}

Committer::EnqueueStatus Committer::check(std::span<const storage::Compare> compare, uint64_t generation) {
  const MutexLock lock(mutex_);
  return verify(compare, generation);
}

void Committer::watch(std::string_view key, std::optional<storage::Version> version, uint64_t generation) {
  const MutexLock lock(mutex_);
  PARTITA_CHECK(latches_.is_held(Latches::stripe_of(hash64(key))));
  if (generation == generation_.load(std::memory_order_relaxed)) watched_.watch(key, version);
}

void Committer::make_pending(const Commit& commit, uint64_t number) {
  struct Inserted {
    ~Inserted() {
      while (count > 0) newest.take_back(*commit.writes[--count]);
    }
    RecordCache& newest;
    const Commit& commit;
    size_t count;
  } inserted{cache_, commit, 0};
  for (const auto& write : commit.writes) {
    PARTITA_CHECK(latches_.is_held(Latches::stripe_of(write->hash)));
    write->number = number;
    cache_.insert(write);
    ++inserted.count;
  }
  inserted.count = 0;
  for (const auto& write : commit.writes) {
    write->replaced.reset();
    watched_.note(write->key, write->hash, write->record ? std::optional(write->record->version) : std::nullopt);
  }
}

Committer::EnqueueStatus Committer::enqueue(Commit& commit, std::span<const storage::Compare> compare,
                                            uint64_t generation) {
  commit.wants_ = commit.is_barrier() ? 0 : commit.weigh();
  bool asleep = false;
  {
    const MutexLock lock(mutex_);
    PARTITA_CHECK(!stopping_ && commit.number_ == 0);
    if (store_.write_errors.failed()) return commit.outcome = Commit::CommitOutcome::kRefused, EnqueueStatus::kRefused;
    if (const EnqueueStatus status = verify(compare, generation); status != EnqueueStatus::kPasses) return status;
    if (queue_.size() == queue_.capacity()) queue_.reserve(std::max(kSmallestQueue, 2 * queue_.size()));
    if (!take_room(commit, commit.wants_)) return EnqueueStatus::kFull;
    make_pending(commit, last_number_ + 1);
    commit.number_ = ++last_number_;
    queue_.push_back(&commit);
    asleep = std::exchange(asleep_, false);
  }
  if (asleep) notifier_.notify();
  return EnqueueStatus::kPasses;
}

Committer::EnqueueStatus Committer::enqueue_barrier(Commit& commit) {
  PARTITA_CHECK(commit.is_barrier());
  EnqueueStatus status = EnqueueStatus::kOutdated;
  while (status == EnqueueStatus::kOutdated) status = enqueue(commit, {}, generation());
  return status;
}

// A transaction of any size is accepted when nothing else is queued.
bool Committer::take_room(Commit& commit, size_t bytes) {
  const size_t others = taken_.load(std::memory_order_relaxed) - commit.room_;
  if (bytes > commit.room_) {
    if (!room_waiters_.empty() || (others > 0 && others + bytes > max_bytes_)) return false;
  }
  taken_.store(others + bytes, std::memory_order_relaxed);
  commit.room_ = bytes;
  return true;
}

bool Committer::wait_for_room(Commit& commit, std::coroutine_handle<> handle) {
  give_back(commit);
  const size_t bytes = std::max(commit.wants_, kGuessedBytes);
  const MutexLock lock(mutex_);
  if (take_room(commit, bytes)) return false;
  room_waiters_.push_back({&commit, bytes, handle});
  return true;
}

void Committer::give_back(Commit& commit) {
  if (commit.room_ > 0) release_room(std::exchange(commit.room_, 0));
}

// One waiter at a time, because a list of them would need memory.
void Committer::release_room(size_t bytes) {
  for (;; bytes = 0) {
    RoomWaiter waiter{};
    {
      const MutexLock lock(mutex_);
      size_t taken = taken_.load(std::memory_order_relaxed);
      PARTITA_CHECK(taken >= bytes);
      taken -= bytes;
      taken_.store(taken, std::memory_order_relaxed);
      if (room_waiters_.empty() || (taken > 0 && taken + room_waiters_.front().bytes > max_bytes_)) return;
      waiter = room_waiters_.front();
      room_waiters_.pop_front();
      taken_.store(taken + waiter.bytes, std::memory_order_relaxed);
      waiter.commit->room_ = waiter.bytes;
    }
    resume_on(waiter.commit->executor, waiter.handle);
  }
}

// The marker of an idle store records everything that was acknowledged.
void Committer::sleep() {
  asleep_ = true;
  mutex_.unlock();
  if (!notifier_.wait_for(DurabilityMarker::kDelayMs)) {
    store_.marker->catch_up();
    notifier_.wait();
  }
  mutex_.lock();
}

// On a busy core the transactions that the last group completed are followed by new ones while this thread yields, and
// then share one sync. It stops as soon as a yield adds none.
void Committer::gather(size_t group_size) {
  for (size_t seen = 0; seen < queue_.size() && queue_.size() < group_size;) {
    seen = queue_.size();
    mutex_.unlock();
    std::this_thread::yield();
    mutex_.lock();
  }
}

void Committer::run() {
  raise_thread_priority();
  if (const rocksdb::Status settled = store_.settle(); !settled.ok()) store_.write_errors.fail(settled);
  std::vector<Commit*> commits;
  for (size_t group_size = 0;; group_size = commits.size(), commits.clear()) {
    {
      const MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) sleep();
      if (queue_.empty()) return;
      gather(group_size);
      commits.swap(queue_);
    }
    for (std::span<Commit*> rest = commits; !rest.empty();) {
      size_t count = 0;
      for (size_t bytes = 0; count < rest.size() && bytes < kMaxMergedBytes; ++count) bytes += rest[count]->room_;
      // A fault that RocksDB met in the background stops the store, too: then nothing of these is written.
      const bool stopped = store_.write_errors.failed();
      const int64_t began_ns = system_clock().monotonic_ns();
      rocksdb::Status status = rocksdb::Status::Aborted();
      if (!stopped && !build(rest.first(count), status)) {
        lose(rest, 0, Commit::CommitOutcome::kNoMemory);
        break;
      }
      if (!stopped && status.ok()) status = write();
      if (status.ok()) meter(rest.first(count), began_ns);
      if (!status.ok()) {
        if (!stopped) store_.write_errors.fail(status);
        lose(rest, stopped ? 0 : count, Commit::CommitOutcome::kRefused);
        break;
      }
      finish(rest.first(count));
      rest = rest.subspan(count);
    }
  }
}

// Barriers write nothing.
void Committer::meter(std::span<Commit* const> written, int64_t began_ns) {
  const auto count = static_cast<uint64_t>(std::ranges::count(written, false, &Commit::is_barrier));
  if (count == 0) return;
  store_.meters.commits.add(static_cast<uint64_t>(system_clock().monotonic_ns() - began_ns));
  store_.meters.groups.add(count);
}

void Committer::finish(std::span<Commit*> commits) {
  bool erased = false;
  for (const Commit* commit : commits) {
    PARTITA_CHECK(commit->number_ == ++last_processed_);
    erased |= commit->erase.has_value();
    for (const auto& write : commit->writes) cache_.settle(write);
  }
  if (erased) {
    const MutexLock lock(mutex_);
    begin_generation();
  }
  complete(commits);
}

// The first `written` of them may be on the disk. Everything queued after them may depend on their writes, so all of it
// is dropped in one step; transactions that have read a dropped write read again.
void Committer::lose(std::span<Commit*> commits, size_t written, Commit::CommitOutcome others) {
  for (size_t i = 0; i < commits.size(); ++i) {
    const bool unknown = i < written && !commits[i]->is_barrier();
    commits[i]->outcome = unknown ? Commit::CommitOutcome::kUnknown : others;
  }
  std::vector<Commit*> behind;
  const auto forget = [this](const Commit& commit) {
    PARTITA_CHECK(commit.number_ == ++last_processed_);
    for (const auto& write : commit.writes) cache_.drop(*write);
  };
  {
    const MutexLock lock(mutex_);
    behind.swap(queue_);
    for (const Commit* commit : commits) forget(*commit);
    for (Commit* commit : behind) {
      commit->outcome = others;
      forget(*commit);
    }
    PARTITA_CHECK(!cache_.has_pending());
    begin_generation();
  }
  complete(commits);
  complete(behind);
}

// Wakes each executor once. A commit may be gone as soon as it is complete.
void Committer::complete(std::span<Commit*> commits) {
  size_t bytes = 0;
  for (; !commits.empty(); commits = commits.subspan(1)) {
    if (commits.front() != nullptr) bytes += complete_on(*commits.front()->executor, commits);
  }
  release_room(bytes);
}

// Completes those of `commits` that wait on that executor, and sets them to null. Returns the room that they held.
size_t Committer::complete_on(Executor& executor, std::span<Commit*> commits) {
  std::array<std::coroutine_handle<>, kResumedAtOnce> waiting;
  size_t count = 0;
  size_t bytes = 0;
  for (Commit*& commit : commits) {
    if (commit == nullptr || commit->executor != &executor) continue;
    bytes += std::exchange(commit->room_, 0);
    if (commit->complete()) waiting[count++] = commit->handle_;
    commit = nullptr;
    if (count == waiting.size()) executor.resume_all(std::span(waiting).first(std::exchange(count, 0)));
  }
  if (count > 0) executor.resume_all(std::span(waiting).first(count));
  return bytes;
}

// RocksDB's write must not run out of memory, which would leave its queue of writers broken. It allocates a copy of the
// batch: the reserve has room for that, or it is tried here.
bool Committer::build(std::span<Commit* const> commits, rocksdb::Status& status) {
  if (!memory_reserve_held()) return false;
  try {
    size_t bytes = 0;
    for (const Commit* commit : commits) bytes += commit->room_;
    if (bytes > kKeptBatchBytes) batch_ = rocksdb::WriteBatch(bytes);
    status = store_.begin(batch_);
    for (const Commit* commit : commits) {
      if (status.ok()) status = add(*commit, commits.back()->number_);
    }
    if (!status.ok()) batch_.Clear();
    if (bytes > kKeptBatchBytes) {
      void* volatile tried = ::operator new(bytes + kKeptBatchBytes);
      ::operator delete(tried);
    }
    return true;
  } catch (const std::bad_alloc&) {
    batch_ = rocksdb::WriteBatch();
    return false;
  }
}

rocksdb::Status Committer::write() {
  rocksdb::Status status;
  if (batch_.Count() > 0) {
    rocksdb::WriteOptions options;
    options.sync = sync_;
    status = store_.db->Write(options, &batch_);
    if (status.ok() && sync_) store_.marker->saw_durable(store_.db->GetLatestSequenceNumber());
  }
  batch_.Clear();
  if (batch_.Data().capacity() > kKeptBatchBytes) batch_ = rocksdb::WriteBatch();
  return status;
}

void Committer::begin_generation() {
  watched_.clear();
  cache_.forget_durable();
  generation_.fetch_add(1, std::memory_order_acq_rel);
}

rocksdb::Status Committer::add(const Commit& commit, uint64_t last) {
  rocksdb::Status status;
  if (commit.erase) {
    const std::string& end = commit.erase->end.empty() ? beyond_all_keys() : commit.erase->end;
    status = batch_.DeleteRange(store_.records, commit.erase->begin, end);
  }
  for (const auto& write : commit.writes) {
    if (!status.ok()) return status;
    // Of a hot key only the last write of a group reaches the disk: the group is there whole or not at all.
    const uint64_t superseded_by = write->superseded_by.load(std::memory_order_relaxed);
    if (superseded_by != 0 && superseded_by <= last) continue;
    if (!write->record) {
      status = batch_.Delete(store_.records, write->key);
      continue;
    }
    std::string version;
    append_version(version, write->record->version);
    const rocksdb::Slice key(write->key);
    const std::array<rocksdb::Slice, 2> value{rocksdb::Slice(version), rocksdb::Slice(write->record->value)};
    status = batch_.Put(store_.records, rocksdb::SliceParts(&key, 1), rocksdb::SliceParts(value.data(), value.size()));
  }
  return status.ok() ? add_log(commit) : status;
}

rocksdb::Status Committer::add_log(const Commit& commit) {
  rocksdb::Status status;
  for (const storage::Changes::Append& append : commit.appends) {
    if (!status.ok()) return status;
    const std::string stored_key = log_key(append.topic, ++last_place_);
    const rocksdb::Slice key(stored_key);
    const std::array<rocksdb::Slice, 2> value{rocksdb::Slice(&kEntryTag, 1), rocksdb::Slice(append.entry)};
    status = batch_.Put(store_.log, rocksdb::SliceParts(&key, 1), rocksdb::SliceParts(value.data(), value.size()));
  }
  if (commit.restored && status.ok()) status = add_restored(*commit.restored);
  if (!commit.trim || !status.ok()) return status;
  const std::string newest = log_key(commit.trim->topic, commit.trim->newest);
  status = batch_.DeleteRange(store_.log, log_key(commit.trim->topic, 0), newest);
  if (!status.ok() || commit.trim->newest == kNoPlace) return status;
  return batch_.Put(store_.log, newest, rocksdb::Slice(&kTrimmedTag, 1));
}

// What is appended later, in this opening or in another, stands behind them.
rocksdb::Status Committer::add_restored(const Commit::LogRestore& restored) {
  rocksdb::Status status;
  for (const auto& [place, entry] : restored.entries) {
    if (status.ok()) status = batch_.Put(store_.log, log_key(restored.topic, place), kEntryTag + entry);
  }
  if (status.ok() && restored.is_trimmed) {
    status = batch_.Put(store_.log, log_key(restored.topic, restored.end), rocksdb::Slice(&kTrimmedTag, 1));
  }
  last_place_ = std::max(last_place_, restored.end);
  const uint64_t epoch = restored.end >> kEpochShift;
  if (!status.ok() || epoch < store_.last_id >> kEpochShift) return status;
  store_.marker->saw_epoch(epoch);
  std::string stored;
  append_u64(stored, epoch);
  return batch_.Put(store_.log, kEpochKey, stored);
}

}  // namespace partita::rocks
