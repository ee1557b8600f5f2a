// Implements the parts of backup.h that need the open store.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engines/rocksdb/backup_types.h"
#include "engines/rocksdb/store.h"

namespace partita::rocks {

Result<BackupResult> back_up(Store& store, const BackupRequest& request);
Result<std::vector<std::string>> check_files(const Store& store, const OnBytes& progress);

}  // namespace partita::rocks
