// Backups of a store of the engine `rocksdb`: a directory of them, in which what they have in common is there once.
//
// A backup holds what the store held at one moment after the call began: all that was acknowledged before it, whole
// transactions, nothing that was undone. It is there whole or not at all, and so is what is restored from it. All
// functions block. Errors are one sentence for an operator: kInvalid (reason 0) for what should be asked for
// differently, kCorrupt for a store or a backup that is damaged, kUnavailable for the rest.
//
// Backups are of a store, which its id tells from others, wherever its directory is. One directory has those of one
// store. What is deleted because it is old is deleted only once the newest backup was read and found whole.
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

// While the engine serves. Precondition: one of open_rocksdb_engine(), which outlives the call.
Result<BackupResult> back_up_rocksdb_engine(storage::Engine& engine, const BackupRequest& request);

bool is_backup_directory(const std::string& directory);
// In the order in which they were made. Reads no files of them.
Result<std::vector<Backup>> list_backups(const std::string& directory);
// Ids of what is no backup yet: it is being made, or whoever made it was ended. The next backup clears it up.
std::vector<uint32_t> unfinished_backups(const std::string& directory);
// Deletes those that are damaged, and the oldest of the others until so many of each store are left; how many it
// deleted. Reads the newest of each store before: error kCorrupt, and nothing is deleted, when that is not whole.
Result<size_t> delete_old_backups(const std::string& directory, size_t keep, const OnBytes& progress = nullptr);

struct RestoreRequest {
  std::string directory;  // of the backups
  uint32_t id = 0;        // 0: the newest, which then has to be whole
  std::string to;         // missing or empty, or what a restore left that did not end
  OnBytes progress;       // cannot stop it
};
// The restored store goes on with versions and positions that the one which was backed up has not given away since.
Result<Backup> restore_backup(const RestoreRequest& request);

// Compares the checksum of every file of the backup (0: of the newest) with the one that was stored with it.
Result<Backup> check_backup(const std::string& directory, uint32_t id);

// A backup as a store, to be read: its tables where they are, the rest as a copy among the system's temporary files,
// which the end of this erases. Nothing is written to the directory.
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

// Reads every block of every table of the store, also those that no record is read from: a sentence for each file that
// is damaged. Precondition: as for back_up_rocksdb_engine().
Result<std::vector<std::string>> check_rocksdb_files(storage::Engine& engine, const OnBytes& progress);

}  // namespace partita
