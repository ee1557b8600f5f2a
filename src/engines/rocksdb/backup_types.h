// What backup.h and the sources behind it say of a backup.
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
  uint64_t bytes = 0;      // of all its files, whether others share them or not
  std::string store;       // the directory that it was made of; empty: not known
  std::string store_id;    // of that store; empty: not known, or made before stores had ids
  bool damaged = false;    // nothing else is known of it then, but perhaps its store's id
  std::string damage;      // what is missing, such as "files are missing"
  bool unchecked = false;  // whoever made it was ended before it was checked
};

// Called now and then with how many bytes are done; false: stop.
using OnBytes = std::function<bool(uint64_t bytes)>;

struct BackupRequest {
  std::string directory;  // of the backups; made if it is not there
  size_t keep = 0;        // then only so many of the newest are kept; 0: all
  OnBytes progress;
  // First reads what earlier backups share, and copies again what is damaged there; the calling thread then stays one
  // that nobody waits for (base/priority.h).
  bool mends = false;
};
struct BackupResult {
  Backup backup;
  std::vector<uint32_t> lost;  // ids of earlier backups whose lists (meta/ID) are gone
  uint64_t new_bytes = 0;      // of files that no earlier backup had
  size_t mended = 0;           // how many files of earlier backups were copied again, ...
  size_t damaged = 0;          // ... and how many could not be, as the store has them no more
};

}  // namespace partita
