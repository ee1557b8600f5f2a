// `partita backup`, `backup list`, `backup prune` and `restore`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace partita::cli {

struct BackupOptions {
  std::string store;      // to back up or verify: a URL as in engines/stores.h
  std::string directory;  // of the backups; empty: verify the store
  std::string to;         // restore: the new directory
  uint32_t id = 0;        // of the backup; 0: the newest
  size_t keep = 0;        // number of backups to keep; 0: all
  bool mends = false;     // check and repair earlier backups first
};

// Each prints the outcome on stdout and, if it takes long, its progress on stderr. All block. Errors: one sentence.

// If a server uses the store, the server makes the backup, and aborts it when this process ends.
Result<void> back_up(const BackupOptions& options);
Result<void> list_backups(const BackupOptions& options);
Result<void> prune_backups(const BackupOptions& options);
Result<void> restore(const BackupOptions& options);

}  // namespace partita::cli
