// Backups and checks of an open store, as storage/backup.h promises.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engines/rocksdb/store.h"
#include "storage/backup.h"

namespace partita::rocks {

Result<storage::BackupResult> back_up(Store& store, const storage::BackupRequest& request);
Result<std::vector<std::string>> check_files(const Store& store, const storage::OnBytes& progress);

}  // namespace partita::rocks
