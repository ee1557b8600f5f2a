// Checks the content of the files that a backup has just copied: the copy of an already damaged file has a valid
// checksum as a file, but is useless.
#pragma once

#include <rocksdb/utilities/backup_engine.h>

#include <set>
#include <string>

#include "base/result.h"
#include "engines/rocksdb/backup_directory.h"
#include "engines/rocksdb/store.h"
#include "storage/backup.h"

namespace partita::rocks {

struct CopiedDamage {
  std::string file;     // the store's name for it, such as "000012.sst"; empty: no damage
  std::string what;     // the damage, as a part of a sentence
  bool is_log = false;  // a write-ahead log: its content is still in the store's memory
};

// Reads the blocks of the table files that are not in `before`, the records of the needed write-ahead logs, and the
// MANIFEST. `info` has file details. Error: kUnavailable, with one sentence, if a file cannot be read or progress()
// stops it.
Result<CopiedDamage> check_copied(const BackupDirectory& directory, const rocksdb::BackupInfo& info,
                                  const std::set<std::string>& before, const Store& store,
                                  const storage::OnBytes& progress);

// Checks the block checksums of one table file of the store, or of a copy, reading it through `env`.
rocksdb::Status check_table_file(const Store& store, const std::string& path, rocksdb::Env* env);

}  // namespace partita::rocks
