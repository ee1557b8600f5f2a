// The directory that holds backups, as RocksDB's BackupEngine keeps it, and what a backup says of its store.
#pragma once

#include <rocksdb/utilities/backup_engine.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "engines/rocksdb/backup_types.h"

namespace partita::rocks {

// BackupEngine deletes whatever it does not know in its folders. So they are made only in a directory that is empty,
// and a file there says so from then on; it is the lock, too.
class BackupDirectory {
 public:
  enum class OpenMode : uint8_t { kList, kRead, kWrite };

  // Whether the directory holds backups, or is made for them.
  static bool exists(const std::string& directory);
  // To list takes no lock; readers share it, and who writes has it alone. Errors: as in backup.h.
  static Result<BackupDirectory> open(const std::string& directory, OpenMode use);
  BackupDirectory(BackupDirectory&& other) noexcept;
  BackupDirectory& operator=(BackupDirectory&&) = delete;
  ~BackupDirectory();

  const std::string& path() const { return path_; }
  // What writes there.
  static rocksdb::Env& files();
  // What the copied files are read from, or written to.
  Result<std::unique_ptr<rocksdb::BackupEngine>> engine(rocksdb::Env* store) const;
  Result<std::unique_ptr<rocksdb::BackupEngineReadOnly>> reader() const;

 private:
  BackupDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  rocksdb::BackupEngineOptions options() const;

  std::string path_;
  int lock_ = -1;
};

// What a backup's metadata says of the store when the backup began.
struct BackedUpStore {
  std::string id;  // empty: the backup is from before stores had ids
  std::string directory;
  uint64_t epoch = 0;
  uint64_t sequence = 0;    // everything up to this is in it
  uint64_t oldest_log = 0;  // write-ahead logs with lower numbers are in it by chance
};
std::string encode(const BackedUpStore& store);
std::optional<BackedUpStore> decode_backed_up(const std::string& metadata);

// With which file details are asked for; 0: of the newest that is whole.
Result<rocksdb::BackupInfo> find_backup(const rocksdb::BackupEngineReadOnlyBase& engine, const std::string& directory,
                                        uint32_t id);
Backup described(const rocksdb::BackupInfo& info);

// Of a failed copy to a place or from it.
Error backup_error(const rocksdb::Status& status, const std::string& what);

}  // namespace partita::rocks
