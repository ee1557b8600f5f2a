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
  StoreFile(StoreFileSystem& files, StoreFileSystem::Kind kind, uint64_t number, std::unique_ptr<FSWritableFile>&& file)
      : FSWritableFileOwnerWrapper(std::move(file)), files_(files), kind_(kind), number_(number) {}

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
    return synced(target()->Sync(options, debug), options, debug);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return synced(target()->Fsync(options, debug), options, debug);
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

IOStatus StoreFileSystem::NewRandomAccessFile(const std::string& path, const FileOptions& options,
                                              std::unique_ptr<FSRandomAccessFile>* file, IODebugContext* debug) {
  // What is read of a table to open it takes long, in memory or not.
  if (MemoryOnlyReads::active()) return MemoryOnlyReads::would_wait();
  IOStatus status = target()->NewRandomAccessFile(path, options, file, debug);
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
  const Kind kind = log ? Kind::kLog : manifest ? Kind::kManifest : Kind::kOther;
  const uint64_t number = log ? *log : manifest.value_or(0);
  if (log) {
    newest_log_.store(number, std::memory_order_release);
    marker_->saw_log(number);
  }
  *file = std::make_unique<StoreFile>(*this, kind, number, std::move(*file));
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
  IOStatus status = target()->RenameFile(from, to, options, debug);
  if (!status.ok()) return recoverable(std::move(status));
  entries_changed_.fetch_add(1);
  if (name_of(to) == "CURRENT") {
    const MutexLock lock(mutex_);
    current_manifest_ = newest_manifest_;
    marker_->saw_manifest(newest_manifest_, newest_manifest_bytes_);
    marker_->catch_up();
  }
  return status;
}

IOStatus StoreFileSystem::DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* debug) {
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
  if (status.ok()) status = directory_->FsyncWithDirOptions(options, debug, DirFsyncOptions());
  if (status.ok()) {
    entries_synced_.store(changes);
  } else {
    saw_spoilt_log(newest_log());
  }
  return recoverable(std::move(status));
}

}  // namespace partita::rocks
