// The file WITNESS: what the store knows to be on the disk, written beside RocksDB's own files, so that what is missing
// when it is opened again is missed.
//
// It is overwritten in place (one sector) and hardly ever synced: it may be older than the store, which makes the check
// weaker, and is never newer. After a kill it is milliseconds old, after a loss of power up to half a minute.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"

namespace partita::rocks {

struct DurabilityRecord {
  uint64_t sequence = 0;        // RocksDB's number of the newest write that is durable
  uint64_t epoch = 0;           // of the newest opening
  uint64_t oldest_log = 0;      // logs with a lower number are not needed; this one is. 0: not known
  uint64_t manifest = 0;        // the number of the MANIFEST that CURRENT names, 0: not known ...
  uint64_t manifest_bytes = 0;  // ... and how much of it is durable
  std::string secret;           // of the store's batches (batches.h); empty: none yet ...
  uint64_t secret_since = 0;    // ... in this log and all with a higher number
  bool operator==(const DurabilityRecord&) const = default;

  // Of anything that was ever written to the store.
  bool knows_anything() const { return sequence > 0 || epoch > 0 || oldest_log > 0 || manifest > 0; }
  std::string_view secret_of_log(uint64_t number) const {
    return number < secret_since ? std::string_view() : std::string_view(secret);
  }
};

// Callable from any thread.
class DurabilityMarker {
 public:
  enum class Found : uint8_t { kNothing, kOlderForm, kWhole, kDamaged };

  explicit DurabilityMarker(const std::filesystem::path& directory) : file_(directory / "WITNESS") {}
  DurabilityMarker(const DurabilityMarker&) = delete;
  DurabilityMarker& operator=(const DurabilityMarker&) = delete;
  ~DurabilityMarker();

  // What the last opening left. Changes nothing. Error: kUnavailable, with one sentence, when it cannot be read.
  Result<Found> load(DurabilityRecord& record) const;
  // Goes on from `record`; `logs` are the write-ahead logs that are there. False, and errno says why, when the file
  // cannot be written.
  bool begin(const DurabilityRecord& record, std::set<uint64_t> logs);

  static constexpr int64_t kDelayMs = 10;
  // Everything up to this number is durable. Costs next to nothing: the file is written at most every kDelayMs, and
  // whoever calls this and then nothing for that long catches up.
  void saw_durable(uint64_t sequence);
  void saw_epoch(uint64_t epoch);
  void saw_log(uint64_t number);
  // CURRENT now names this one, of which that much is durable. Written with whatever is written next.
  void saw_manifest(uint64_t number, uint64_t bytes);
  // The oldest log that is needed; 0: there is none.
  uint64_t oldest_log();
  // This log, and all before it, will be erased. Synced. False when it cannot be written: then it must stay.
  bool let_log_go(uint64_t number);
  // No log before this one is needed. Synced; false when it cannot be.
  bool begin_logs_at(uint64_t number);
  // Writes what is still unwritten.
  void catch_up();

 private:
  bool write(bool sync) PARTITA_REQUIRES(mutex_);
  void write_durable() PARTITA_REQUIRES(mutex_);
  bool make_file() const PARTITA_REQUIRES(mutex_);

  const std::filesystem::path file_;
  std::atomic<uint64_t> durable_{0};
  std::atomic<int64_t> next_write_ms_{0};
  Mutex mutex_;
  int descriptor_ PARTITA_GUARDED_BY(mutex_) = -1;
  DurabilityRecord record_ PARTITA_GUARDED_BY(mutex_);
  DurabilityRecord written_ PARTITA_GUARDED_BY(mutex_);
  std::set<uint64_t> logs_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::rocks
