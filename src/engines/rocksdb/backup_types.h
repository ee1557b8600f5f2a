// What is known of a backup, and requests and results of backup.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace partita {

struct Backup {
  uint32_t id = 0;         // counts up within the directory
  int64_t made_s = 0;      // when, in seconds since 1970
  uint64_t bytes = 0;      // of all its files, also those shared with other backups
  std::string store;       // directory of the store; empty: not known
  std::string store_id;    // id of the store; empty: not known, or made before stores had ids
  bool damaged = false;    // then only `damage` and perhaps `store_id` are known
  std::string damage;      // such as "files are missing"
  bool unchecked = false;  // interrupted before it was checked
};

// Called now and then with the number of bytes done. False: stop.
using OnBytes = std::function<bool(uint64_t bytes)>;

struct BackupRequest {
  std::string directory;  // of the backups; created if it does not exist
  size_t keep = 0;        // afterwards keeps only so many of the newest; 0: all
  OnBytes progress;
  // First reads the files that earlier backups share, and copies damaged ones again. The calling thread keeps the lower
  // priority of lower_thread_priority().
  bool mends = false;
};
struct BackupResult {
  Backup backup;
  std::vector<uint32_t> lost;  // ids of earlier backups whose lists (meta/ID) are missing
  uint64_t new_bytes = 0;      // of files that no earlier backup has
  size_t mended = 0;           // damaged files of earlier backups that were copied again
  size_t damaged = 0;          // damaged files that the store no longer has
};

}  // namespace partita
