#include "engines/rocksdb/committer.h"

#include <rocksdb/options.h>

#include <array>
#include <utility>

#include "base/check.h"

namespace partita::rocks {

namespace {

// A batch that grew beyond this gives its memory back.
constexpr size_t kKeptBatchBytes = size_t{4} << 20;
// What a queued write takes beside its bytes.
constexpr size_t kWriteOverheadBytes = 128;

}  // namespace

size_t Commit::bytes() const {
  size_t bytes = kWriteOverheadBytes;
  for (const auto& write : writes) {
    bytes += kWriteOverheadBytes + write->key.size() + (write->record ? write->record->value.size() : 0);
  }
  for (const storage::Changes::Append& append : appends) {
    bytes += kWriteOverheadBytes + append.topic.size() + append.entry.size();
  }
  return bytes;
}

void Commit::complete() {
  if (!met_.exchange(true, std::memory_order_acq_rel)) return;
  const std::coroutine_handle<> handle = handle_;
  resume_on(executor, handle);
}

Committer::Committer(Store& store, PendingTable& pending, bool sync)
    : store_(store), pending_(pending), sync_(sync), last_place_(store.last_id), thread_(&Committer::run, this) {}

Committer::~Committer() {
  {
    std::lock_guard lock(mutex_);
    PARTITA_CHECK(guests_.empty());
    stopping_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void Committer::enqueue(Commit& commit) {
  commit.bytes_ = commit.bytes();
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    PARTITA_CHECK(!stopping_);
    queued_bytes_.fetch_add(commit.bytes_, std::memory_order_relaxed);
    queue_.push_back(&commit);
    wake = std::exchange(asleep_, false);
  }
  if (wake) arrived_.notify_one();
}

bool Committer::wait_for_room(Executor* executor, std::coroutine_handle<> handle) {
  std::lock_guard lock(mutex_);
  if (queued_bytes_.load(std::memory_order_relaxed) < kMaxQueuedBytes) return false;
  guests_.push_back({executor, handle});
  return true;
}

void Committer::run() {
  std::vector<Commit*> commits;
  std::vector<Guest> guests;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      while (queue_.empty() && !stopping_) {
        asleep_ = true;
        arrived_.wait(lock, [this] { return !asleep_ || stopping_; });
      }
      if (queue_.empty()) return;
      commits.swap(queue_);
    }
    process(commits);
    commits.clear();
    {
      std::lock_guard lock(mutex_);
      if (queued_bytes_.load(std::memory_order_relaxed) < kMaxQueuedBytes) guests.swap(guests_);
    }
    for (const Guest& guest : guests) resume_on(guest.executor, guest.handle);
    guests.clear();
  }
}

void Committer::process(const std::vector<Commit*>& commits) {
  size_t bytes = 0;
  rocksdb::Status status;
  const bool refused = failed();
  for (const Commit* commit : commits) {
    bytes += commit->bytes_;
    if (!refused && status.ok()) status = add(*commit);
  }
  if (!refused && status.ok() && batch_.Count() > 0) status = write();
  batch_.Clear();
  if (batch_.Data().capacity() > kKeptBatchBytes) batch_ = rocksdb::WriteBatch();
  if (!status.ok()) store_.keeper.fail(status);
  queued_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  for (Commit* commit : commits) {
    for (const auto& write : commit->writes) pending_.remove(*write);
    if (refused || (!status.ok() && commit->is_barrier())) {
      commit->outcome = Commit::Outcome::kRefused;
    } else if (!status.ok()) {
      commit->outcome = Commit::Outcome::kUnknown;
    }
    commit->complete();
  }
}

rocksdb::Status Committer::add(const Commit& commit) {
  rocksdb::Status status;
  if (commit.erase) {
    const std::string& end = commit.erase->end.empty() ? beyond_all_keys() : commit.erase->end;
    status = batch_.DeleteRange(store_.records, commit.erase->begin, end);
  }
  for (const auto& write : commit.writes) {
    if (!status.ok()) return status;
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
  if (!commit.trim || !status.ok()) return status;
  const std::string newest = log_key(commit.trim->topic, commit.trim->newest);
  status = batch_.DeleteRange(store_.log, log_key(commit.trim->topic, 0), newest);
  if (status.ok() && commit.trim->newest != kNoPlace)
    status = batch_.Put(store_.log, newest, rocksdb::Slice(&kTrimmedTag, 1));
  return status;
}

rocksdb::Status Committer::write() {
  rocksdb::WriteOptions options;
  options.sync = sync_;
  const rocksdb::Status status = store_.db->Write(options, &batch_);
  if (status.ok() && sync_) store_.witness->saw_durable(store_.db->GetLatestSequenceNumber());
  return status;
}

}  // namespace partita::rocks
