// Whether what a backup has just copied is whole: a copy of a file that the disk spoilt before has right checksums of
// its own, and is as useless.
#pragma once

#include <rocksdb/utilities/backup_engine.h>

#include <set>
#include <string>

#include "base/result.h"
#include "engines/rocksdb/backup_directory.h"
#include "engines/rocksdb/backup_types.h"
#include "engines/rocksdb/store.h"

namespace partita::rocks {

struct CopiedDamage {
  std::string file;     // as the store calls it, such as "000012.sst"; empty: all is whole
  std::string what;     // of that file, as a part of a sentence
  bool is_log = false;  // a write-ahead log: what is in it is in the store's memory still
};

// Reads the blocks of those table files that are not in `before`, the records of the write-ahead logs that are needed,
// and those of the MANIFEST. `info` is with file details. Error: kUnavailable, with one sentence, when a file cannot
// be read, or progress() says stop.
Result<CopiedDamage> check_copied(const BackupDirectory& directory, const rocksdb::BackupInfo& info,
                                  const std::set<std::string>& before, const Store& store, const OnBytes& progress);

// Of one table file of the store, wherever it is: the blocks' checksums. `env`: what it is read with.
rocksdb::Status check_table_file(const Store& store, const std::string& path, rocksdb::Env* env);

}  // namespace partita::rocks
