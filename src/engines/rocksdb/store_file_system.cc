#include "engines/rocksdb/store_file_system.h"

#include <optional>
#include <string_view>
#include <utility>

#include "engines/rocksdb/file_names.h"
#include "engines/rocksdb/table_file.h"

namespace partita::rocks {

using namespace rocksdb;

namespace {

// RocksDB stops for good after an error that is not marked so, and handles a full disk in a way of its own, which also
// stops for good when it met the disk while a log was begun.
IOStatus recoverable(IOStatus status) {
  if (!status.IsIOError()) return status;
  const char* const text = status.getState();
  IOStatus softened = IOStatus::IOError(text == nullptr ? status.ToString() : text);
  softened.SetRetryable(true);
  status.PermitUncheckedError();
  return softened;
}

bool is_options(std::string_view path) { return name_of(path).starts_with("OPTIONS-"); }

}  // namespace

class StoreDirectory final : public FSDirectoryWrapper {
 public:
  StoreDirectory(StoreFileSystem& files, std::unique_ptr<FSDirectory>&& directory)
      : FSDirectoryWrapper(std::move(directory)), files_(files) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return files_.sync_directory(options, debug);
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug, const DirFsyncOptions&) override {
    return files_.sync_directory(options, debug);
  }

 private:
  StoreFileSystem& files_;
};

class StoreFile final : public FSWritableFileOwnerWrapper {
 public:
  StoreFile(StoreFileSystem& files, std::string path, StoreFileSystem::Kind kind, uint64_t number,
            std::unique_ptr<FSWritableFile>&& file)
      : FSWritableFileOwnerWrapper(std::move(file)),
        files_(files),
        path_(std::move(path)),
        kind_(kind),
        number_(number) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    bytes_ += data.size();
    return outcome(target()->Append(data, options, debug));
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const DataVerificationInfo& verification,
                  IODebugContext* debug) override {
    bytes_ += data.size();
    return outcome(target()->Append(data, options, verification, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return sync_by(&FSWritableFile::Sync, options, debug);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return sync_by(&FSWritableFile::Fsync, options, debug);
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* debug) override {
    return outcome(target()->Flush(options, debug));
  }
  IOStatus RangeSync(uint64_t offset, uint64_t bytes, const IOOptions& options, IODebugContext* debug) override {
    return outcome(target()->RangeSync(offset, bytes, options, debug));
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    return recoverable(target()->Close(options, debug));
  }

 private:
  using Syncing = IOStatus (FSWritableFile::*)(const IOOptions&, IODebugContext*);

  IOStatus sync_by(Syncing syncing, const IOOptions& options, IODebugContext* debug) {
    IOStatus status;
    if (!files_.is_settled() && is_postponed(status)) return status;
    if (status.ok()) status = (target()->*syncing)(options, debug);
    return synced(std::move(status), options, debug);
  }
  // False: everything before is durable, or `status` says why not.
  bool is_postponed(IOStatus& status) {
    if (!files_.postpone_sync(path_, status)) {
      status = files_.settle();
      return false;
    }
    // The marker, which writes nothing yet, is told as if it were durable.
    if (status.ok() && kind_ == StoreFileSystem::Kind::kManifest) files_.saw_manifest(number_, bytes_);
    status = recoverable(std::move(status));
    return true;
  }
  IOStatus outcome(IOStatus status) {
    if (status.ok()) return status;
    if (kind_ == StoreFileSystem::Kind::kLog) files_.saw_spoilt_log(number_);
    return recoverable(std::move(status));
  }
  IOStatus synced(IOStatus status, const IOOptions& options, IODebugContext* debug) {
    // RocksDB would sync the directory itself once the write is durable and could not be taken back.
    if (status.ok() && kind_ == StoreFileSystem::Kind::kLog) status = files_.sync_directory(options, debug);
    if (status.ok()) {
      synced_bytes_ = bytes_;
      if (kind_ == StoreFileSystem::Kind::kManifest) files_.saw_manifest(number_, bytes_);
    } else if (kind_ == StoreFileSystem::Kind::kLog && files_.syncs_) {
      // A kill while RocksDB recovers, one family after the other, would give these writes to only one of them.
      target()->Truncate(synced_bytes_, options, debug).PermitUncheckedError();
    }
    return outcome(std::move(status));
  }

  StoreFileSystem& files_;
  const std::string path_;
  const StoreFileSystem::Kind kind_;
  const uint64_t number_;
  uint64_t bytes_ = 0;
  uint64_t synced_bytes_ = 0;
};

StoreFileSystem::~StoreFileSystem() {
  if (held_ != nullptr) target()->UnlockFile(held_, IOOptions(), nullptr).PermitUncheckedError();
}

IOStatus StoreFileSystem::lock(const std::string& path) {
  return target()->LockFile(path, IOOptions(), &held_, nullptr);
}

IOStatus StoreFileSystem::LockFile(const std::string& path, const IOOptions& options, FileLock** lock,
                                   IODebugContext* debug) {
  if (held_ == nullptr) return target()->LockFile(path, options, lock, debug);
  *lock = std::exchange(held_, nullptr);
  return IOStatus::OK();
}

void StoreFileSystem::end_opening() {
  const MutexLock lock(opening_mutex_);
  phase_.store(Phase::kOpened, std::memory_order_release);
}

bool StoreFileSystem::postpone_sync(const std::string& path, IOStatus& status) {
  const MutexLock lock(opening_mutex_);
  if (phase_.load(std::memory_order_relaxed) != Phase::kOpening) return false;
  std::unique_ptr<FSWritableFile>& file = unsynced_[path];
  if (file == nullptr) status = target()->ReopenWritableFile(path, FileOptions(), &file, nullptr);
  return true;
}

bool StoreFileSystem::postpone_rename(const std::string& from, const std::string& to) {
  const MutexLock lock(opening_mutex_);
  if (phase_.load(std::memory_order_relaxed) != Phase::kOpening) return false;
  if (name_of(to) != "CURRENT") {
    if (auto file = unsynced_.extract(from)) {
      file.key() = to;
      unsynced_.insert(std::move(file));
    }
    return false;
  }
  if (!next_current_.empty()) unwanted_.insert(next_current_);
  next_current_ = from;
  return true;
}

bool StoreFileSystem::postpone_deletion(const std::string& path) {
  const MutexLock lock(opening_mutex_);
  if (phase_.load(std::memory_order_relaxed) != Phase::kOpening) return false;
  // RocksDB takes the file that becomes CURRENT for one that a killed server left.
  if (path == next_current_) return true;
  unsynced_.erase(path);
  unwanted_.insert(path);
  return true;
}

std::string StoreFileSystem::place_of(const std::string& path) {
  if (is_settled() || name_of(path) != "CURRENT") return path;
  const MutexLock lock(opening_mutex_);
  return next_current_.empty() ? path : next_current_;
}

// Linux reports a page that it could not write once, and then treats it as clean, so another sync would prove nothing.
// The next opening writes these files anew. Not an I/O error, from which the store would recover.
IOStatus StoreFileSystem::sync_opened_files() {
  while (sync_error_.empty() && !unsynced_.empty()) {
    const IOStatus status = unsynced_.begin()->second->Sync(IOOptions(), nullptr);
    if (!status.ok()) sync_error_ = status.ToString();
    if (status.ok()) unsynced_.erase(unsynced_.begin());
  }
  return sync_error_.empty() ? IOStatus::OK() : IOStatus::Aborted(sync_error_);
}

// CURRENT names the new MANIFEST once that is durable, and only then is deleted what the old one needs.
IOStatus StoreFileSystem::settle() {
  const MutexLock lock(opening_mutex_);
  if (is_settled()) return IOStatus::OK();
  if (phase_.load(std::memory_order_relaxed) == Phase::kOpening) return IOStatus::Busy("the store is being opened");
  IOStatus status = sync_opened_files();
  // An entry may reach the disk before an older one.
  if (status.ok() && !next_current_.empty()) status = sync_directory(IOOptions(), nullptr);
  if (status.ok() && !next_current_.empty()) {
    status = target()->RenameFile(next_current_, path_ + "/CURRENT", IOOptions(), nullptr);
    if (status.ok()) next_current_.clear();
    entries_changed_.fetch_add(1);
  }
  if (status.ok()) status = sync_directory(IOOptions(), nullptr);
  if (status.ok() && !marker_->release()) status = IOStatus::IOError("the file WITNESS cannot be written");
  if (!status.ok()) return recoverable(std::move(status));
  // A file that stays is deleted by the next opening.
  for (const std::string& path : unwanted_) delete_file(path, IOOptions(), nullptr).PermitUncheckedError();
  unwanted_.clear();
  phase_.store(Phase::kSettled, std::memory_order_release);
  return status;
}

IOStatus StoreFileSystem::FileExists(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  return target()->FileExists(place_of(path), options, debug);
}

IOStatus StoreFileSystem::NewSequentialFile(const std::string& path, const FileOptions& options,
                                            std::unique_ptr<FSSequentialFile>* file, IODebugContext* debug) {
  return target()->NewSequentialFile(place_of(path), options, file, debug);
}

IOStatus StoreFileSystem::NewRandomAccessFile(const std::string& path, const FileOptions& options,
                                              std::unique_ptr<FSRandomAccessFile>* file, IODebugContext* debug) {
  // What is read of a table to open it takes long, in memory or not.
  if (MemoryOnlyReads::active()) return MemoryOnlyReads::would_wait();
  IOStatus status = target()->NewRandomAccessFile(place_of(path), options, file, debug);
  if (status.ok()) *file = make_table_file(std::move(*file), path, of_the_system_);
  return status;
}

IOStatus StoreFileSystem::NewWritableFile(const std::string& path, const FileOptions& options,
                                          std::unique_ptr<FSWritableFile>* file, IODebugContext* debug) {
  if (is_options(path)) return IOStatus::NotSupported("nobody reads it");
  const std::optional<uint64_t> log = log_number(path);
  const std::optional<uint64_t> manifest = manifest_number(path);
  if (log && refuses_log_.exchange(false, std::memory_order_acq_rel)) {
    return recoverable(IOStatus::IOError("the newest log is spoilt"));
  }
  IOStatus status = target()->NewWritableFile(path, options, file, debug);
  if (!status.ok()) return recoverable(std::move(status));
  entries_changed_.fetch_add(1);
  if (!is_settled()) {
    const MutexLock lock(opening_mutex_);
    unwanted_.erase(path);
  }
  const Kind kind = log ? Kind::kLog : manifest ? Kind::kManifest : Kind::kOther;
  const uint64_t number = log ? *log : manifest.value_or(0);
  if (log) {
    newest_log_.store(number, std::memory_order_release);
    marker_->saw_log(number);
  }
  *file = std::make_unique<StoreFile>(*this, path, kind, number, std::move(*file));
  return status;
}

IOStatus StoreFileSystem::NewDirectory(const std::string& path, const IOOptions& options,
                                       std::unique_ptr<FSDirectory>* directory, IODebugContext* debug) {
  IOStatus status = target()->NewDirectory(path, options, directory, debug);
  if (!status.ok()) return recoverable(std::move(status));
  if (path == path_) *directory = std::make_unique<StoreDirectory>(*this, std::move(*directory));
  return status;
}

void StoreFileSystem::saw_manifest(uint64_t number, uint64_t bytes) {
  const MutexLock lock(mutex_);
  newest_manifest_ = number;
  newest_manifest_bytes_ = bytes;
  if (number == current_manifest_) marker_->saw_manifest(number, bytes);
}

IOStatus StoreFileSystem::RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                                     IODebugContext* debug) {
  if (!is_settled()) {
    if (postpone_rename(from, to)) return saw_current(), IOStatus::OK();
    if (phase_.load(std::memory_order_acquire) != Phase::kOpening) {
      if (IOStatus status = settle(); !status.ok()) return status;
    }
  }
  IOStatus status = target()->RenameFile(from, to, options, debug);
  if (!status.ok()) return recoverable(std::move(status));
  entries_changed_.fetch_add(1);
  if (name_of(to) == "CURRENT") saw_current();
  return status;
}

void StoreFileSystem::saw_current() {
  const MutexLock lock(mutex_);
  current_manifest_ = newest_manifest_;
  marker_->saw_manifest(newest_manifest_, newest_manifest_bytes_);
  marker_->catch_up();
}

IOStatus StoreFileSystem::DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  if (!is_settled()) {
    if (postpone_deletion(path)) return IOStatus::OK();
    if (IOStatus status = settle(); !status.ok()) return status;
  }
  return delete_file(path, options, debug);
}

IOStatus StoreFileSystem::delete_file(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  if (const std::optional<uint64_t> log = log_number(path); log && !marker_->let_log_go(*log)) {
    return IOStatus::IOError("the file WITNESS cannot be written");
  }
  IOStatus status = target()->DeleteFile(path, options, debug);
  entries_changed_.fetch_add(1);
  return status;
}

// What comes into the directory while it is synced is synced the next time.
IOStatus StoreFileSystem::sync_directory(const IOOptions& options, IODebugContext* debug) {
  const uint64_t changes = entries_changed_.load();
  if (entries_synced_.load() == changes) return IOStatus::OK();
  const MutexLock lock(directory_mutex_);
  IOStatus status;
  if (directory_ == nullptr) status = target()->NewDirectory(path_, options, &directory_, debug);
  if (status.ok() && phase_.load(std::memory_order_acquire) == Phase::kOpening) return status;  // settle() does it
  if (status.ok()) status = directory_->FsyncWithDirOptions(options, debug, DirFsyncOptions());
  if (status.ok()) {
    entries_synced_.store(changes);
  } else if (is_settled()) {  // before, nothing was written to the log
    saw_spoilt_log(newest_log());
  }
  return recoverable(std::move(status));
}

}  // namespace partita::rocks
