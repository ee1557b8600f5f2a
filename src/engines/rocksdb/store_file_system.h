// The files as RocksDB sees them: they tell the witness which logs and manifests come and go, remember which log a
// failed write has spoilt, and make every failed write one that RocksDB can recover from. The files named OPTIONS,
// which it would write at each start for people, parse again and never use, are refused: a start is to be quick.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "engines/rocksdb/durability_marker.h"

namespace partita::rocks {

// Callable from any thread.
class StoreFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using IOStatus = rocksdb::IOStatus;

  // Of the store in `directory`, kept on `files`; null: on the operating system's. `syncs`: only what is synced is
  // acknowledged.
  StoreFileSystem(const std::shared_ptr<rocksdb::FileSystem>& files, std::string directory,
                  std::shared_ptr<DurabilityMarker> marker, bool syncs)
      : FileSystemWrapper(files == nullptr ? rocksdb::FileSystem::Default() : files),
        path_(std::move(directory)),
        marker_(std::move(marker)),
        of_the_system_(files == nullptr),
        syncs_(syncs) {}
  ~StoreFileSystem() override;

  // Takes the lock of the store before RocksDB does, which then gets this one.
  IOStatus lock(const std::string& path);

  uint64_t newest_log() const { return newest_log_.load(std::memory_order_acquire); }
  // Whether a write to the newest log failed, so that what is in its end is not known.
  bool newest_log_is_spoilt() const { return spoilt_log_.load(std::memory_order_acquire) == newest_log(); }
  // The next log cannot be made; once.
  void refuse_next_log() { refuses_log_.store(true, std::memory_order_release); }

  const char* Name() const override { return "StoreFiles"; }
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
  void saw_spoilt_log(uint64_t number) { spoilt_log_.store(number, std::memory_order_release); }
  void saw_manifest(uint64_t number, uint64_t bytes);

  // Syncs the directory, unless nothing came into it or left it since that was last done.
  IOStatus sync_directory(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug);

  const std::string path_;
  const std::shared_ptr<DurabilityMarker> marker_;
  const bool of_the_system_;
  const bool syncs_;
  Mutex directory_mutex_;
  std::unique_ptr<rocksdb::FSDirectory> directory_ PARTITA_GUARDED_BY(directory_mutex_);
  std::atomic<uint64_t> entries_changed_{1};  // how often; counted after each change
  std::atomic<uint64_t> entries_synced_{0};   // what that was when the directory was last synced
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
