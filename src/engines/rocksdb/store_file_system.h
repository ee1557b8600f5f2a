// The file system that RocksDB uses. It tells the durability marker which logs and manifests are created and deleted,
// remembers which log a failed write has damaged, and makes every failed write recoverable for RocksDB. It refuses the
// OPTIONS files, which RocksDB would write and parse at each start without using them.
//
// What an opening writes is made durable by settle(), after it and in one go: until then, nothing is synced, CURRENT
// and WITNESS stay as they were, and no file is deleted. A store that is killed before that is as it was before the
// opening.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/mutex.h"
#include "engines/rocksdb/durability_marker.h"

namespace partita::rocks {

// Callable from any thread.
class StoreFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using IOStatus = rocksdb::IOStatus;

  // For the store in `directory` on `files`; null: the operating system's. `syncs`: only synced writes are
  // acknowledged.
  StoreFileSystem(const std::shared_ptr<rocksdb::FileSystem>& files, std::string directory,
                  std::shared_ptr<DurabilityMarker> marker, bool syncs)
      : FileSystemWrapper(files == nullptr ? rocksdb::FileSystem::Default() : files),
        path_(std::move(directory)),
        marker_(std::move(marker)),
        of_the_system_(files == nullptr),
        syncs_(syncs) {}
  ~StoreFileSystem() override;

  // Takes the store's lock before RocksDB asks for it, which then gets this one.
  IOStatus lock(const std::string& path);

  uint64_t newest_log() const { return newest_log_.load(std::memory_order_acquire); }
  // Whether a write to the newest log failed, so that its end is not known.
  bool newest_log_is_spoilt() const { return spoilt_log_.load(std::memory_order_acquire) == newest_log(); }
  // RocksDB is open. From now on, what it syncs, renames or deletes waits for settle().
  void end_opening();
  // Makes durable what the opening wrote; once that has succeeded, does nothing. Busy before end_opening(). Aborted
  // once a file could not be synced: it stays so, and only another opening helps.
  IOStatus settle();

  // Makes the creation of the next log fail, once.
  void refuse_next_log() { refuses_log_.store(true, std::memory_order_release); }

  const char* Name() const override { return "StoreFiles"; }
  IOStatus FileExists(const std::string& path, const rocksdb::IOOptions& options,
                      rocksdb::IODebugContext* debug) override;
  IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* file, rocksdb::IODebugContext* debug) override;
  IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               rocksdb::IODebugContext* debug) override;
  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, rocksdb::IODebugContext* debug) override;
  IOStatus LockFile(const std::string& path, const rocksdb::IOOptions& options, rocksdb::FileLock** lock,
                    rocksdb::IODebugContext* debug) override;
  IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* directory, rocksdb::IODebugContext* debug) override;
  IOStatus RenameFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                      rocksdb::IODebugContext* debug) override;
  IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                      rocksdb::IODebugContext* debug) override;

 private:
  friend class StoreFile;
  friend class StoreDirectory;
  enum class Kind : uint8_t { kLog, kManifest, kOther };
  enum class Phase : uint8_t { kOpening, kOpened, kSettled };

  bool is_settled() const { return phase_.load(std::memory_order_acquire) == Phase::kSettled; }
  // During the opening: leaves the sync of that file to settle(), and returns true.
  bool postpone_sync(const std::string& path, IOStatus& status);
  bool postpone_rename(const std::string& from, const std::string& to);
  bool postpone_deletion(const std::string& path);
  IOStatus sync_opened_files() PARTITA_REQUIRES(opening_mutex_);
  // Where the file with that name is: the one that becomes CURRENT has another name until then.
  std::string place_of(const std::string& path);
  IOStatus delete_file(const std::string& path, const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug);
  void saw_current();
  void saw_spoilt_log(uint64_t number) { spoilt_log_.store(number, std::memory_order_release); }
  void saw_manifest(uint64_t number, uint64_t bytes);

  // Syncs the directory if an entry was added or removed since the last time.
  IOStatus sync_directory(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug);

  const std::string path_;
  const std::shared_ptr<DurabilityMarker> marker_;
  const bool of_the_system_;
  const bool syncs_;
  std::atomic<Phase> phase_{Phase::kOpening};
  Mutex opening_mutex_;
  // By path; RocksDB may have closed its own.
  std::map<std::string, std::unique_ptr<rocksdb::FSWritableFile>> unsynced_ PARTITA_GUARDED_BY(opening_mutex_);
  std::string sync_error_ PARTITA_GUARDED_BY(opening_mutex_);          // of one of them; empty: none
  std::set<std::string> unwanted_ PARTITA_GUARDED_BY(opening_mutex_);  // to be deleted
  std::string next_current_ PARTITA_GUARDED_BY(opening_mutex_);        // becomes CURRENT; empty: none
  Mutex directory_mutex_;
  std::unique_ptr<rocksdb::FSDirectory> directory_ PARTITA_GUARDED_BY(directory_mutex_);
  std::atomic<uint64_t> entries_changed_{1};  // counts changes of entries, after each
  std::atomic<uint64_t> entries_synced_{0};   // its value when the directory was last synced
  std::atomic<uint64_t> newest_log_{0};
  std::atomic<uint64_t> spoilt_log_{UINT64_MAX};
  std::atomic<bool> refuses_log_{false};
  rocksdb::FileLock* held_ = nullptr;
  Mutex mutex_;
  uint64_t newest_manifest_ PARTITA_GUARDED_BY(mutex_) = 0;
  uint64_t newest_manifest_bytes_ PARTITA_GUARDED_BY(mutex_) = 0;
  uint64_t current_manifest_ PARTITA_GUARDED_BY(mutex_) = 0;
};

}  // namespace partita::rocks
