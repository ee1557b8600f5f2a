// The directory of RocksDB's BackupEngine, and what a backup's metadata says about its store.
#pragma once

#include <rocksdb/utilities/backup_engine.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "storage/backup.h"

namespace partita::rocks {

// BackupEngine deletes all files in its folders that it does not know. So the folders are created only in an empty
// directory, which a file marks as a backup directory; that file is the lock, too.
class BackupDirectory {
 public:
  enum class OpenMode : uint8_t { kList, kRead, kWrite };

  // Whether the directory holds backups, or is made for them.
  static bool exists(const std::string& directory);
  // kList takes no lock, kRead a shared one, kWrite an exclusive one. Errors: as in backup.h.
  static Result<BackupDirectory> open(const std::string& directory, OpenMode use);
  BackupDirectory(BackupDirectory&& other) noexcept;
  BackupDirectory& operator=(BackupDirectory&&) = delete;
  ~BackupDirectory();

  const std::string& path() const { return path_; }
  // The Env that writes there.
  static rocksdb::Env& files();
  // `store`: what the copied files are read from, or written to.
  Result<std::unique_ptr<rocksdb::BackupEngine>> engine(rocksdb::Env* store) const;
  Result<std::unique_ptr<rocksdb::BackupEngineReadOnly>> reader() const;

 private:
  BackupDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  rocksdb::BackupEngineOptions options() const;

  std::string path_;
  int lock_ = -1;
};

// The state of the store when the backup began, from the backup's metadata.
struct BackedUpStore {
  std::string id;  // empty: the backup is from before stores had ids
  std::string directory;
  uint64_t epoch = 0;
  uint64_t sequence = 0;    // everything up to this number is in the backup
  uint64_t oldest_log = 0;  // write-ahead logs with lower numbers may be in the backup, but are not needed
};
std::string encode(const BackedUpStore& store);
std::optional<BackedUpStore> decode_backed_up(const std::string& metadata);

// With file details. `id` 0: the newest intact backup.
Result<rocksdb::BackupInfo> find_backup(const rocksdb::BackupEngineReadOnlyBase& engine, const std::string& directory,
                                        uint32_t id);
storage::Backup described(const rocksdb::BackupInfo& info);

// The error of a failed copy. `what` begins the sentence.
Error backup_error(const rocksdb::Status& status, const std::string& what);

}  // namespace partita::rocks
