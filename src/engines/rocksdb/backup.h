// Backups of a RocksDB store, as storage/backup.h promises. docs/formats/store.md describes the files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/backup.h"

namespace partita {

bool is_backup_directory(const std::string& directory);
Result<std::vector<storage::Backup>> list_backups(const std::string& directory);
std::vector<uint32_t> unfinished_backups(const std::string& directory);
Result<size_t> delete_old_backups(const std::string& directory, size_t keep,
                                  const storage::OnBytes& progress = nullptr);
Result<storage::Backup> restore_backup(const storage::RestoreRequest& request);
Result<storage::Backup> check_backup(const std::string& directory, uint32_t id);
Result<storage::ExclusiveEngine> open_backup(const std::string& directory, uint32_t id);

inline constexpr storage::BackupFunctions kRocksdbBackups = {.is_backup_directory = is_backup_directory,
                                                             .list = list_backups,
                                                             .unfinished = unfinished_backups,
                                                             .prune = delete_old_backups,
                                                             .restore = restore_backup,
                                                             .check = check_backup,
                                                             .open = open_backup};

}  // namespace partita
