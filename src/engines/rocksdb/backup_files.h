// Checks the files of backups against their lists (meta/ID: docs/formats/store.md).
#pragma once

#include <rocksdb/env.h>

#include <set>
#include <string>

#include "base/result.h"
#include "storage/backup.h"

namespace partita::rocks {

// The first damaged or unreadable file of the backup, by its name within the directory; empty if there is none. Reads
// all files unless progress() stops it. Errors, with one sentence: kCorrupt if the list itself is damaged, kUnavailable
// for a stop.
Result<std::string> damaged_file(const std::string& directory, uint32_t id, const storage::OnBytes& progress);

struct RepairedFiles {
  std::set<std::string> copied;   // copied again; names within the directory
  std::set<std::string> damaged;  // not repaired, since the store no longer has them; names within the directory
};
// Reads all files that the backups in the directory share, and copies damaged or missing ones again from `store`, the
// directory of the store, using `files`. Error: kUnavailable, with one sentence.
Result<RepairedFiles> repair_shared_files(const std::string& directory, const std::string& store, rocksdb::Env& files,
                                          const storage::OnBytes& progress);

}  // namespace partita::rocks
