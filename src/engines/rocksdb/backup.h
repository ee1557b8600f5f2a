// Backups of a store of the engine `rocksdb`: a directory of backups that share the files they have in common.
//
// A backup is a snapshot of the store at some time after the call began: it has everything acknowledged before the
// call, and only whole transactions. Making and restoring a backup are atomic. All functions block. Errors are one
// sentence for the operator: kInvalid (reason 0) for a wrong request, kCorrupt for a damaged store or backup,
// kUnavailable otherwise.
//
// A directory has backups of one store, which is identified by its id and not by its path. Old backups are deleted only
// after the newest one was read and found intact.
//
// The files are described in docs/formats/store.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engines/rocksdb/backup_types.h"
#include "storage/engine.h"

namespace partita {

// While the engine serves. Precondition: `engine` is from open_rocksdb_engine() and outlives the call.
Result<BackupResult> back_up_rocksdb_engine(storage::Engine& engine, const BackupRequest& request);

bool is_backup_directory(const std::string& directory);
// In the order in which they were made. Does not read their files.
Result<std::vector<Backup>> list_backups(const std::string& directory);
// Ids of unfinished backups: in progress, or interrupted. The next backup deletes interrupted ones.
std::vector<uint32_t> unfinished_backups(const std::string& directory);
// Deletes damaged backups, and the oldest others until `keep` of each store are left. Returns how many it deleted.
// Reads the newest of each store first: error kCorrupt, and nothing is deleted, if it is damaged.
Result<size_t> delete_old_backups(const std::string& directory, size_t keep, const OnBytes& progress = nullptr);

struct RestoreRequest {
  std::string directory;  // of the backups
  uint32_t id = 0;        // 0: the newest, which must be intact
  std::string to;         // missing, empty, or left by an interrupted restore
  OnBytes progress;       // its result is ignored
};
// The restored store uses versions and positions that the original store has not used since the backup.
Result<Backup> restore_backup(const RestoreRequest& request);

// Checks every file of the backup (0: the newest) against its stored checksum.
Result<Backup> check_backup(const std::string& directory, uint32_t id);

// A backup opened as a store for reading: its tables in place, the rest copied to a temporary directory that is deleted
// at the end. Nothing is written to the backup directory.
class OpenedBackup {
 public:
  static Result<std::unique_ptr<OpenedBackup>> open(const std::string& directory, uint32_t id);
  ~OpenedBackup();
  OpenedBackup(const OpenedBackup&) = delete;
  OpenedBackup& operator=(const OpenedBackup&) = delete;
  storage::Engine& engine() { return *engine_; }

 private:
  OpenedBackup() = default;
  std::shared_ptr<void> lock_;  // of the directory
  std::string place_;
  std::unique_ptr<storage::Engine> engine_;
};

// Reads every block of every table file of the store. Returns one sentence for each damaged file. Precondition: as for
// back_up_rocksdb_engine().
Result<std::vector<std::string>> check_rocksdb_files(storage::Engine& engine, const OnBytes& progress);

}  // namespace partita
