// The files of backups, held against the lists of them (meta/ID: docs/formats/store.md).
#pragma once

#include <rocksdb/env.h>

#include <set>
#include <string>

#include "base/result.h"
#include "engines/rocksdb/backup_types.h"

namespace partita::rocks {

// The first file of the backup that is not as it was written, or cannot be read, by its name within the directory;
// empty when there is none. Reads them all, but for the rest of them when progress() says stop. Errors, with one
// sentence: kCorrupt when the list is damaged itself, kUnavailable for a stop.
Result<std::string> damaged_file(const std::string& directory, uint32_t id, const OnBytes& progress);

struct RepairedFiles {
  std::set<std::string> copied;   // again; by their names within the directory, as those of the next are
  std::set<std::string> damaged;  // and the store does not have them as they were
};
// Reads all files that the backups in the directory share. Those that are damaged or missing are copied again from
// `store`, the directory of the store, with `files`. Errors: kUnavailable, with one sentence.
Result<RepairedFiles> repair_shared_files(const std::string& directory, const std::string& store, rocksdb::Env& files,
                                          const OnBytes& progress);

}  // namespace partita::rocks
