// The file WITNESS records what is durable, independently of RocksDB's files, so that missing data is noticed when the
// store is opened again.
//
// It is overwritten in place (one sector) and rarely synced. It may be older than the store, which weakens the check,
// but is never newer: milliseconds old after a kill, up to half a minute after a power failure.
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
  uint64_t sequence = 0;        // RocksDB's sequence number of the newest durable write
  uint64_t epoch = 0;           // of the newest opening
  uint64_t oldest_log = 0;      // logs with a lower number are not needed; this one is. 0: not known
  uint64_t manifest = 0;        // the number of the MANIFEST that CURRENT names, 0: not known ...
  uint64_t manifest_bytes = 0;  // ... and how much of it is durable
  std::string secret;           // of the store's batches (batches.h); empty: none yet ...
  uint64_t secret_since = 0;    // ... in this log and all with a higher number
  bool operator==(const DurabilityRecord&) const = default;

  // Whether it records anything that was ever written to the store.
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

  // Reads what the last opening left. Error: kUnavailable, with one sentence, if it cannot be read.
  Result<Found> load(DurabilityRecord& record) const;
  // Continues from `record`; `logs` are the existing write-ahead logs. The file stays as it is until release(). False,
  // with errno set, if the file cannot be written.
  bool begin(const DurabilityRecord& record, std::set<uint64_t> logs);
  // Writes what was recorded since begin(), synced. False, with errno set, if the file cannot be written.
  bool release();

  static constexpr int64_t kDelayMs = 10;
  // Everything up to this number is durable. Writes the file at most every kDelayMs, and never waits for another thread
  // that writes it; a caller that then calls nothing for that long calls catch_up().
  void saw_durable(uint64_t sequence);
  void saw_epoch(uint64_t epoch);
  void saw_log(uint64_t number);
  // CURRENT now names this MANIFEST, and `bytes` of it are durable. Written with the next change.
  void saw_manifest(uint64_t number, uint64_t bytes);
  // The oldest needed log; 0: there is none.
  uint64_t oldest_log();
  // This log and all before it will be deleted. Synced. False if the file cannot be written: then the log must stay.
  bool let_log_go(uint64_t number);
  // No log before this one is needed. Synced; false if the file cannot be written.
  bool begin_logs_at(uint64_t number);
  // Writes changes that are not written yet.
  void catch_up();

 private:
  bool write(bool sync) PARTITA_REQUIRES(mutex_);
  void write_durable() PARTITA_REQUIRES(mutex_);
  bool finish_file() PARTITA_REQUIRES(mutex_);

  const std::filesystem::path file_;
  std::atomic<uint64_t> durable_{0};
  std::atomic<int64_t> next_write_ms_{0};
  Mutex mutex_;
  int descriptor_ PARTITA_GUARDED_BY(mutex_) = -1;
  bool is_held_ PARTITA_GUARDED_BY(mutex_) = false;
  bool is_fresh_ PARTITA_GUARDED_BY(mutex_) = false;  // the file still has its first name
  DurabilityRecord record_ PARTITA_GUARDED_BY(mutex_);
  DurabilityRecord written_ PARTITA_GUARDED_BY(mutex_);
  std::set<uint64_t> logs_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::rocks
