// The backups of a directory, whole and damaged, and which of them go when only the newest are kept.
#pragma once

#include <rocksdb/utilities/backup_engine.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engines/rocksdb/backup_directory.h"
#include "engines/rocksdb/backup_types.h"

namespace partita::rocks {

// As partita::list_backups(); the engine may be null when the directory has no list of any backup.
Result<std::vector<Backup>> listed_backups(const std::string& directory,
                                           const rocksdb::BackupEngineReadOnlyBase* engine);
// Ids that partita::unfinished_backups() returns.
std::vector<uint32_t> unfinished_ids(const std::string& directory);
// As partita::delete_old_backups(), while the directory is locked.
Result<size_t> keep_newest(const BackupDirectory& directory, rocksdb::BackupEngine& engine, size_t keep,
                           const OnBytes& progress);
// That the backup was made to its end and checked: from now on it is missed when it is gone.
Result<void> note_checked(const std::string& directory, const std::vector<Backup>& before, const Backup& made);

// Of a backup whose file is damaged: "its file F is damaged", and what to do, if anything helps.
std::string told_of_damage(const std::string& directory, const std::string& file);

}  // namespace partita::rocks
