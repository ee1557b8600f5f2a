// Optional capabilities of an engine that keeps its store in files: online backup, checks of the files, and the
// scrub. Engine::maintenance() returns them, or null.
//
// A backup holds the store as of one moment after the call began: everything acknowledged before the call, whole
// transactions only. Backups live in a directory, which holds backups of one store, known by its id; files that several
// backups need are stored once. A backup is complete or does not exist.
//
// All functions block, so no thread that serves requests may call them. Errors are one sentence for an operator:
// kInvalid (reason 0) when the request should be different, kCorrupt for a damaged store or backup, else kUnavailable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/exclusive_engine.h"

namespace partita::storage {

struct Backup {
  uint32_t id = 0;         // increases within the directory
  int64_t made_s = 0;      // seconds since 1970
  uint64_t bytes = 0;      // of all its files, including shared ones
  std::string store;       // the directory of the store; empty: unknown
  std::string store_id;    // empty: unknown, or made before stores had ids
  bool damaged = false;    // then only `id` and perhaps `store_id` are known
  std::string damage;      // what is missing, such as "files are missing"
  bool unchecked = false;  // the process that made it ended before its check
};

// Called now and then with the number of bytes done, on any thread. False: stop.
using OnBytes = std::function<bool(uint64_t bytes)>;

struct BackupRequest {
  std::string directory;  // of the backups; created if missing
  size_t keep = 0;        // delete all but the newest `keep` afterwards; 0: keep all
  OnBytes progress;
  // First read the files that earlier backups share, and copy damaged ones again. Lowers the calling thread's priority
  // for good (base/priority.h).
  bool mends = false;
};
struct BackupResult {
  Backup backup;
  std::vector<uint32_t> lost;  // ids of earlier backups whose lists (meta/ID) are missing
  uint64_t new_bytes = 0;      // of files that no earlier backup had
  size_t mended = 0;           // files of earlier backups that were copied again
  size_t damaged = 0;          // damaged files of earlier backups that the store no longer has
};

struct RestoreRequest {
  std::string directory;  // of the backups
  uint32_t id = 0;        // 0: the newest, which must be complete
  std::string to;         // missing, empty, or left by an interrupted restore
  OnBytes progress;       // cannot stop the restore
};

struct ScrubOptions {
  int64_t rest_ms = 0;  // between two rounds
  uint64_t bytes_per_second = uint64_t{16} << 20;
};

struct ScrubState {
  uint64_t rounds = 0;      // completed
  int64_t ended_ms = 0;     // end of the last round, since 1970; 0: none has ended
  bool reads = false;       // a round is in progress
  uint64_t done_bytes = 0;  // of that round
  uint64_t all_bytes = 0;
  std::vector<std::string> damaged;  // one sentence for each damaged file of the current or else the last round
};

// Reads all files of an open store in the background, slowly, round after round, so that damage is found while there
// are backups from before it. Ends when destroyed, without delay.
class Scrub {
 public:
  Scrub() = default;
  Scrub(const Scrub&) = delete;
  Scrub& operator=(const Scrub&) = delete;
  virtual ~Scrub() = default;
  // Callable from any thread.
  virtual ScrubState state() const = 0;
};

// Of an open engine, while it serves. Callable from any thread that may block.
class Maintenance {
 public:
  virtual Result<BackupResult> back_up(const BackupRequest& request) = 0;

  // Reads every block of every file, also those that hold no record: one sentence for each damaged file.
  virtual Result<std::vector<std::string>> check_files(const OnBytes& progress) = 0;

  // Starts the first round. Damage is logged and counted, and health() reports it until a whole round finds none. The
  // engine must outlive the scrub. Error: kUnavailable if the system provides no thread.
  virtual Result<std::unique_ptr<Scrub>> start_scrub(const ScrubOptions& options) = 0;

 protected:
  ~Maintenance() = default;
};

// What one kind of store can do with backups while no engine is open. Callable from any thread that may block.
struct BackupFunctions {
  bool (*is_backup_directory)(const std::string& directory);
  // In order of creation. Reads none of their files.
  Result<std::vector<Backup>> (*list)(const std::string& directory);
  // Ids of backups in progress, or interrupted ones, which the next backup removes.
  std::vector<uint32_t> (*unfinished)(const std::string& directory);
  // Deletes damaged backups, and the oldest others until `keep` of each store are left; returns the number deleted.
  // Reads the newest of each store first: if that is not whole, it deletes nothing and returns kCorrupt.
  Result<size_t> (*prune)(const std::string& directory, size_t keep, const OnBytes& progress);
  // The restored store never issues a version or position that the original issued after the backup.
  Result<Backup> (*restore)(const RestoreRequest& request);
  // Compares the checksum of every file of the backup (0: the newest) with the stored one.
  Result<Backup> (*check)(const std::string& directory, uint32_t id);
  // Opens the backup as a store to read. Its tables stay in place, other files are copied to a temporary directory,
  // which is deleted with the engine. Writes nothing to `directory`.
  Result<ExclusiveEngine> (*open)(const std::string& directory, uint32_t id);
};

}  // namespace partita::storage
