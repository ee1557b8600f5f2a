// The open RocksDB database: its files and options, and the encoding of keys, values and errors.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "engines/rocksdb/damage_monitor.h"
#include "engines/rocksdb/meters.h"
#include "engines/rocksdb/rocksdb_options.h"
#include "engines/rocksdb/store_file_system.h"
#include "engines/rocksdb/store_id.h"
#include "engines/rocksdb/wal_batch.h"
#include "engines/rocksdb/write_error_handler.h"
#include "storage/engine.h"

namespace partita::rocks {

struct Store {
  Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  // Begins a batch; every batch for the write-ahead log begins like this.
  rocksdb::Status begin(rocksdb::WriteBatch& batch) const { return begin_batch(batch, secret); }
  // Makes the opening durable, and the epoch part of the store: before every other write, and before anything that
  // reads the directory. Once that has succeeded, does nothing. Callable from any thread.
  rocksdb::Status settle();

  Meters meters;
  // Is told about every failed read.
  mutable DamageMonitor damage;
  // Is told about every failed write; while it has failed, nothing may be written.
  WriteErrorHandler write_errors;
  // Before `db`, which uses them until its end.
  std::shared_ptr<DurabilityMarker> marker;
  std::shared_ptr<StoreFileSystem> files;
  std::unique_ptr<rocksdb::Env> env;
  std::unique_ptr<rocksdb::DB> db;
  rocksdb::ColumnFamilyHandle* records = nullptr;
  rocksdb::ColumnFamilyHandle* log = nullptr;
  // Versions and log positions of this opening are greater than this number, those of later openings greater still.
  uint64_t last_id = 0;
  // Marks the store's batches (wal_batch.h). Never shown to clients.
  std::string secret;
  uint64_t secret_since = 0;  // the first log with the secret in all batches
  StoreId id;
  // What settle() writes, and whether synced.
  rocksdb::WriteBatch first_batch;
  bool syncs_first_batch = false;

 private:
  rocksdb::Status recover();

  Mutex settling_;
  bool is_settled_ PARTITA_GUARDED_BY(settling_) = false;
};

// The length of the key prefix in the tables' filters, so that a scan of one item collection opens only tables that
// have a part of it. Any length is correct; this one covers table, index and hash (keys.md).
inline constexpr size_t kFilteredPrefix = 14;

inline constexpr char kLogFamily[] = "log";
inline constexpr char kEpochKey[] = "Mepoch";
inline constexpr char kStoreIdKey[] = "Mstore";
// A version is the shifted epoch plus a counter.
inline constexpr int kEpochShift = 40;
// How far to advance the epoch if the last one is not known: more than a server starts between two writes of its epoch,
// or between a backup and its restore.
inline constexpr uint64_t kUnknownEpochs = uint64_t{1} << 16;

// Leaves a tenth of a busy core, so that memtables are still flushed and backups finish.
inline constexpr int kBackgroundNiceness = 10;

Result<std::unique_ptr<Store>> open_store(const RocksdbOptions& options);

inline size_t record_cache_bytes(const RocksdbOptions& options) { return options.block_cache_bytes / 4; }

// The error of a failed read for the engine's caller. Tells the store about it.
Error to_error(const Store& store, const rocksdb::Status& status);

inline constexpr storage::Limits kLimits{
    .key_bytes = 65'535, .record_bytes = size_t{64} << 20, .transaction_bytes = size_t{256} << 20};

// A record's stored value: its version (8 bytes), then its value.
inline constexpr size_t kVersionBytes = 8;
void append_version(std::string& out, storage::Version version);
// Precondition: at least kVersionBytes.
storage::Version version_of(std::string_view stored);

// A key greater than that of every record.
const std::string& beyond_all_keys();

// The log: key 'L', topic size (1 byte), topic, place (8 bytes); the value's first byte says what it is. A position is
// its place as a number (storage/positions.h).
inline constexpr size_t kPlaceBytes = 8;
inline constexpr uint64_t kNoPlace = UINT64_MAX;  // after all entries
inline constexpr char kEntryTag = 'e';
inline constexpr char kTrimmedTag = 't';  // marks the place of the newest trimmed entry
std::string log_key(std::string_view topic, uint64_t place);
inline constexpr char kLogTag = 'L';
// Preconditions of both: a key made by log_key().
std::string_view topic_of(std::string_view stored_log_key);
uint64_t place_of(std::string_view stored_log_key);

inline rocksdb::Slice to_slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
inline std::string_view to_view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

}  // namespace partita::rocks
