// Lists the backups of a directory, intact and damaged, and deletes old ones.
#pragma once

#include <rocksdb/utilities/backup_engine.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engines/rocksdb/backup_directory.h"
#include "storage/backup.h"

namespace partita::rocks {

// As partita::list_backups(). `engine` is null if the directory has no list of any backup.
Result<std::vector<storage::Backup>> listed_backups(const std::string& directory,
                                                    const rocksdb::BackupEngineReadOnlyBase* engine);
// Ids that partita::unfinished_backups() returns.
std::vector<uint32_t> unfinished_ids(const std::string& directory);
// As partita::delete_old_backups(). Precondition: the directory is locked.
Result<size_t> keep_newest(const BackupDirectory& directory, rocksdb::BackupEngine& engine, size_t keep,
                           const storage::OnBytes& progress);
// Records that the backup is complete and checked, so that it is missed if it disappears.
Result<void> note_checked(const std::string& directory, const std::vector<storage::Backup>& before,
                          const storage::Backup& made);

// "its file F is damaged", and what to do if something helps.
std::string told_of_damage(const std::string& directory, const std::string& file);

}  // namespace partita::rocks
