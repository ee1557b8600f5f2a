#include "engines/rocksdb/store.h"

#include <fcntl.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/priority.h"
#include "base/thread.h"
#include "engines/rocksdb/damage_check.h"
#include "engines/rocksdb/info_logger.h"
#include "engines/rocksdb/private_directory.h"

namespace partita::rocks {

namespace {

constexpr uint32_t kFormat = kRocksdbFormat;
constexpr char kFormatKey[] = "Mformat";
// About the most that is replayed after a crash, so that reopening is fast.
constexpr uint64_t kMaxWalBytes = uint64_t{64} << 20;
constexpr size_t kRecordsBufferBytes = size_t{32} << 20;
constexpr size_t kLogBufferBytes = size_t{16} << 20;
// Closing flushes the buffers only if replaying them from the WAL would take noticeable time.
constexpr uint64_t kFlushAtCloseBytes = uint64_t{8} << 20;

// Notifies the durability marker and the handler of write errors of RocksDB's background work.
class StoreListener final : public rocksdb::EventListener {
 public:
  StoreListener(std::shared_ptr<DurabilityMarker> marker, WriteErrorHandler& write_errors, DamageMonitor& damage,
                Meters& meters)
      : marker_(std::move(marker)), write_errors_(write_errors), damage_(damage), meters_(meters) {}

  // On a core shared with serving threads, each time slice would delay every commit.
  void OnFlushBegin(rocksdb::DB*, const rocksdb::FlushJobInfo&) override { lower_thread_priority(kBackgroundNiceness); }
  void OnCompactionBegin(rocksdb::DB*, const rocksdb::CompactionJobInfo&) override {
    lower_thread_priority(kBackgroundNiceness);
  }
  void OnFlushCompleted(rocksdb::DB*, const rocksdb::FlushJobInfo& info) override {
    marker_->saw_durable(info.largest_seqno);
  }
  void OnCompactionCompleted(rocksdb::DB*, const rocksdb::CompactionJobInfo& info) override {
    meters_.compactions.add();
    meters_.compacted_bytes.add(info.stats.total_output_bytes);
    meters_.compacted_us.add(info.stats.elapsed_micros);
  }
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* status) override {
    // After an I/O error, a compaction is only retried.
    if (reason == rocksdb::BackgroundErrorReason::kCompaction && status->IsIOError()) {
      log(LogLevel::kWarn, {"Stored data could not be compacted (", status->ToString(), "); this is tried again."});
      return;
    }
    damage_.met(*status);
    write_errors_.fail(*status);
  }

 private:
  const std::shared_ptr<DurabilityMarker> marker_;
  WriteErrorHandler& write_errors_;
  DamageMonitor& damage_;
  Meters& meters_;
};

Error no_store(std::string sentence) { return Error(ErrorKind::kUnavailable, std::move(sentence)); }

int open_files_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 512;
  // Half of the descriptors, two for each table file; connections need the other half.
  return static_cast<int>(std::clamp<rlim_t>(limit.rlim_cur / 4, 20, 16384));
}

bool can_compress(rocksdb::CompressionType type) {
  const std::vector<rocksdb::CompressionType> types = rocksdb::GetSupportedCompressions();
  return std::find(types.begin(), types.end(), type) != types.end();
}

rocksdb::DBOptions database_options() {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.max_total_wal_size = kMaxWalBytes;
  options.max_open_files = open_files_limit();
  options.max_background_jobs = 2;
  options.bytes_per_sync = 1 << 20;
  // The default, stated because durability depends on it: replay stops at the first torn write.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  // There is only one writer.
  options.allow_concurrent_memtable_write = false;
  options.enable_write_thread_adaptive_yield = false;
  // RocksDB tries to recover at once and then every second. (With a delay, it may wait forever for a postponed flush.)
  // The store accepts no writes until recover() has checked the outcome.
  options.max_bgerror_resume_count = INT_MAX;
  options.bgerror_resume_retry_interval = 1'000'000;
  // The remaining options are for a quick start and a small idle process.
  options.avoid_flush_during_recovery = true;
  options.avoid_flush_during_shutdown = true;
  options.avoid_unnecessary_blocking_io = true;
  options.max_file_opening_threads = 1;  // for the few tables that are opened at the start, a thread costs more
  options.skip_stats_update_on_db_open = true;
  options.skip_checking_sst_file_sizes_on_db_open = true;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.info_log = make_info_logger();
  return options;
}

rocksdb::ColumnFamilyOptions family_options(const std::shared_ptr<rocksdb::Cache>& cache, size_t buffer_bytes) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = 16 << 10;
  table.block_restart_interval = 4;  // a record is found sooner, and the tables hardly grow
  table.format_version = 5;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.whole_key_filtering = true;
  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.write_buffer_size = buffer_bytes;
  options.max_write_buffer_number = 3;
  options.level_compaction_dynamic_level_bytes = true;
  const bool lz4 = can_compress(rocksdb::kLZ4Compression);
  options.compression = lz4 ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
  return options;
}

rocksdb::ColumnFamilyOptions records_options(const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions options = family_options(cache, kRecordsBufferBytes);
  options.prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(kFilteredPrefix));
  // Every record is looked up before it is written. The filter saves a search of the buffer for new ones.
  options.memtable_whole_key_filtering = true;
  options.memtable_prefix_bloom_size_ratio = 0.02;
  return options;
}

Result<void> prepare_directory(const std::string& directory) {
  std::error_code failed;
  if (std::filesystem::exists(directory, failed) && !std::filesystem::is_directory(directory, failed)) {
    return no_store("The data directory " + directory + " is a file; name a directory.");
  }
  failed = make_private_directory(directory);
  if (failed) {
    return no_store("The data directory " + directory + " cannot be made: " + failed.message() + ".");
  }
  if (faccessat(AT_FDCWD, directory.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
    const int cause = errno;
    return no_store("The data directory " + directory + " cannot be written: " + std::strerror(cause) +
                    "; give this user the right to write there, or name another.");
  }
  return {};
}

Error open_error(const rocksdb::Status& status, const std::string& directory) {
  const std::string text = status.ToString();
  if (status.IsIOError() && text.find("LOCK") != std::string::npos &&
      (text.find("lock hold by current process") != std::string::npos ||
       text.find("While lock file") != std::string::npos)) {
    return no_store("The data directory " + directory +
                    " is in use by another server; stop that one, or name another directory.");
  }
  if (status.IsInvalidArgument()) {
    return Error(ErrorKind::kInvalid, "The store in " + directory +
                                          " was made by a newer version of Partita or by another program (" + text +
                                          "); start the version that made it.");
  }
  if (status.IsCorruption() || status.IsNotFound() || status.IsPathNotFound() || status.IsNotSupported()) {
    return damaged(directory, text);
  }
  return no_store("The store in " + directory + " cannot be opened: " + text + ".");
}

Error unwritable_marker(const std::string& directory) {
  return no_store("The file WITNESS in " + directory + " cannot be written: " + std::strerror(errno) + ".");
}

Error foreign(const std::string& directory) {
  return Error(ErrorKind::kInvalid,
               "The directory " + directory + " holds a database that Partita did not make; name another.");
}

Result<void> check_format(std::string_view stored, const std::string& directory) {
  const std::optional<uint32_t> format = take_u32(stored);
  if (!format || !stored.empty() || *format == 0) return foreign(directory);
  if (*format > kFormat) {
    return Error(ErrorKind::kInvalid, "The store in " + directory + " has format " + std::to_string(*format) +
                                          " of a newer version of Partita; this version reads formats up to " +
                                          std::to_string(kFormat) + ".");
  }
  return {};
}

bool has_records(Store& store) {
  const std::unique_ptr<rocksdb::Iterator> first(store.db->NewIterator(rocksdb::ReadOptions(), store.records));
  first->SeekToFirst();
  return first->Valid() || !first->status().ok();
}

Error without_thread(const std::system_error& error) {
  return no_store("RocksDB cannot start its threads (" + error.code().message() +
                  "): raise the limit of threads (ulimit -u, TasksMax=) or of memory.");
}

// Otherwise RocksDB would start its pools with their first work, within a write, where a refused thread ends the
// process.
Result<void> start_pools(rocksdb::Env& env) {
  for (const rocksdb::Env::Priority pool : {rocksdb::Env::LOW, rocksdb::Env::HIGH}) {
    env.IncBackgroundThreadsIfNeeded(1, pool);
    try {
      env.Schedule([](void*) {}, nullptr, pool);
    } catch (const std::system_error& error) {
      return without_thread(error);
    }
  }
  // Opening the database starts one more, for its timer.
  PARTITA_TRY_VOID(Thread::start("timer", [](const std::stop_token&) {}));
  return {};
}

// Reads the store's id, or draws one for a new store or one without an id. `drawn`: it is new.
Result<void> find_id(Store& store, const std::string& directory, bool is_new, bool& drawn) {
  std::string stored;
  rocksdb::Status status = store.db->Get(rocksdb::ReadOptions(), store.log, kStoreIdKey, &stored);
  drawn = status.IsNotFound();
  if (drawn) {
    PARTITA_TRY(store.id, draw_store_id(is_new ? system_clock().now_ms() : 0));
    return {};
  }
  if (!status.ok()) return open_error(status, directory);
  const auto id = decode_store_id(stored);
  if (!id) return foreign(directory);
  store.id = *id;
  return {};
}

// Checks the format of the store and prepares its next epoch.
Result<void> begin_epoch(Store& store, const RocksdbOptions& options, uint64_t witnessed) {
  const std::string& directory = options.directory;
  std::string stored;
  rocksdb::WriteBatch& batch = store.first_batch;
  rocksdb::Status status = store.begin(batch);
  if (status.ok()) status = store.db->Get(rocksdb::ReadOptions(), store.log, kFormatKey, &stored);
  uint64_t epoch = 0;
  const bool is_new = status.IsNotFound();
  if (status.ok()) {
    PARTITA_TRY_VOID(check_format(stored, directory));
    status = store.db->Get(rocksdb::ReadOptions(), store.log, kEpochKey, &stored);
    if (!status.ok()) return open_error(status, directory);
    std::string_view rest = stored;
    epoch = take_u64(rest).value_or(0);
    if (epoch == 0) return foreign(directory);
    // Never lower than a used one, even if its record is lost.
    epoch = std::max(epoch, witnessed);
  } else if (is_new) {
    if (has_records(store)) return foreign(directory);
    std::string format;
    append_u32(format, kFormat);
    status = batch.Put(store.log, kFormatKey, format);
  }
  if (!status.ok()) return open_error(status, directory);
  bool id_is_drawn = false;
  PARTITA_TRY_VOID(find_id(store, directory, is_new, id_is_drawn));
  if (id_is_drawn) status = batch.Put(store.log, kStoreIdKey, encode(store.id));
  if (!status.ok()) return open_error(status, directory);
  ++epoch;
  std::string next;
  append_u64(next, epoch);
  status = batch.Put(store.log, kEpochKey, next);
  // An epoch is not synced: it matters only with the first synced commit, which includes it. An id is synced, since a
  // backup may record it before any commit.
  store.syncs_first_batch = id_is_drawn && options.sync;
  if (!status.ok()) return open_error(status, directory);
  store.last_id = epoch << kEpochShift;
  if (is_new) {
    log(LogLevel::kInfo, {"A new, empty store was made in ", directory, ". If there was a store before, check whether ",
                          "its disk is mounted, or restore a backup."});
  }
  return {};
}

// RocksDB's Close() waits forever for its own recovery (7.8), so the recovery is ended first: it gives up on a
// shutdown. False: it did not end.
bool end_recovery(rocksdb::DB& db) {
  constexpr std::chrono::milliseconds kPause{10};
  constexpr int kMostPauses = 500;  // its retries come every second
  rocksdb::CancelAllBackgroundWork(&db, false);
  for (int pauses = 0; db.Resume().IsBusy(); ++pauses) {
    if (pauses == kMostPauses) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace

Store::Store() : write_errors([this] { return recover(); }) {}

Store::~Store() {
  write_errors.stop();
  if (db == nullptr) return;
  uint64_t unwritten = 0;
  // After a failed write, RocksDB can only be closed: another sync would abort.
  const bool failed = write_errors.failed();
  if (!failed && db->GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeActiveMemTable, &unwritten) &&
      unwritten > kFlushAtCloseBytes) {
    db->Flush(rocksdb::FlushOptions(), {records, log}).PermitUncheckedError();
  }
  if (!failed && !write_errors.failed() && settle().ok() && db->SyncWAL().ok())
    marker->saw_durable(db->GetLatestSequenceNumber());
  if (!end_recovery(*db)) {
    // Not closed: the process ends, and everything acknowledged is on disk.
    static_cast<void>(db.release());
    static_cast<void>(env.release());
    return;
  }
  db->DestroyColumnFamilyHandle(records).PermitUncheckedError();
  db->DestroyColumnFamilyHandle(log).PermitUncheckedError();
  db->Close().PermitUncheckedError();
}

rocksdb::Status Store::settle() {
  const MutexLock lock(settling_);
  if (is_settled_) return rocksdb::Status::OK();
  rocksdb::Status status = files->settle();
  rocksdb::WriteOptions how;
  how.sync = syncs_first_batch;
  if (status.ok()) status = db->Write(how, &first_batch);
  if (!status.ok()) return status;
  marker->saw_epoch(last_id >> kEpochShift);
  marker->catch_up();
  first_batch = rocksdb::WriteBatch();
  is_settled_ = true;
  return status;
}

// After a failed write or sync, the end of the log is unknown even if a later sync succeeds: Linux reports a page that
// it could not write once, and then treats it as clean. So the buffers, which have everything acknowledged, are flushed
// to tables and a new log is started before the next write.
rocksdb::Status Store::recover() {
  if (rocksdb::Status settled = files->settle(); !settled.ok()) return settled;
  // Busy while RocksDB itself recovers.
  rocksdb::Status status = db->Resume();
  if (status.ok() && files->newest_log_is_spoilt()) {
    // With empty buffers, RocksDB would continue the damaged log. It starts a new one only in a recovery with data to
    // flush, so this provides both.
    rocksdb::WriteOptions unlogged;
    unlogged.disableWAL = true;
    std::string epoch;
    append_u64(epoch, last_id >> kEpochShift);
    status = db->Put(unlogged, log, kEpochKey, epoch);
    if (!status.ok()) return status;
    files->refuse_next_log();
    db->Flush(rocksdb::FlushOptions(), log).PermitUncheckedError();
    status = db->Resume();
  }
  if (!status.ok()) return status;
  if (files->newest_log_is_spoilt()) return rocksdb::Status::Aborted("no new log was begun");
  // Earlier logs are not needed, and may end with unacknowledged data.
  if (!marker->begin_logs_at(files->newest_log())) return rocksdb::Status::IOError("WITNESS cannot be written");
  return settle();
}

Result<std::unique_ptr<Store>> open_store(const RocksdbOptions& options) {
  PARTITA_TRY_VOID(prepare_directory(options.directory));
  const std::shared_ptr<rocksdb::Cache> cache =
      rocksdb::NewLRUCache(options.block_cache_bytes - record_cache_bytes(options));
  std::vector<rocksdb::ColumnFamilyDescriptor> families{{rocksdb::kDefaultColumnFamilyName, records_options(cache)},
                                                        {kLogFamily, family_options(cache, kLogBufferBytes)}};
  for (auto& family : families) family.options.disable_auto_compactions = !options.compacts;
  auto store = std::make_unique<Store>();
  store->marker = std::make_shared<DurabilityMarker>(options.directory);
  store->files = std::make_shared<StoreFileSystem>(options.files, options.directory, store->marker, options.sync);
  store->env = rocksdb::NewCompositeEnv(store->files);
  const rocksdb::Status locked = store->files->lock(options.directory + "/LOCK");
  if (!locked.ok()) return open_error(locked, options.directory);
  PARTITA_TRY(DirectoryState state, check_directory(options.directory));
  if (state.marker.secret.empty()) {
    // RocksDB's new log gets a higher number than all others.
    PARTITA_TRY(state.marker.secret, draw_secret());
    state.marker.secret_since = state.newest_log + 1;
  }
  store->secret = state.marker.secret;
  store->secret_since = state.marker.secret_since;
  if (!store->marker->begin(state.marker, state.logs)) return unwritable_marker(options.directory);
  rocksdb::DBOptions database = database_options();
  database.listeners.push_back(
      std::make_shared<StoreListener>(store->marker, store->write_errors, store->damage, store->meters));
  database.env = store->env.get();
  // Above its limit, RocksDB would replace the new log at the first write, while it is empty. An empty log before newer
  // ones looks as if it had lost its records.
  const bool many_logs = state.log_bytes > kMaxWalBytes;
  if (many_logs) database.max_total_wal_size = UINT64_MAX;
  PARTITA_TRY_VOID(start_pools(*store->env));
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  rocksdb::Status status;
  try {
    status = rocksdb::DB::Open(database, options.directory, families, &handles, &db);
  } catch (const std::system_error& error) {
    // Open parts of the database still use these.
    static_cast<void>(store.release());
    return without_thread(error);
  }
  if (!status.ok()) return open_error(status, options.directory);
  store->db.reset(db);
  store->records = handles[0];
  store->log = handles[1];
  PARTITA_TRY_VOID(check_sequence(options.directory, state.marker, db->GetLatestSequenceNumber()));
  // Once a record follows them, empty logs would look as if they had lost their records.
  if (state.has_idle_logs && !store->marker->begin_logs_at(store->files->newest_log())) {
    return unwritable_marker(options.directory);
  }
  PARTITA_TRY_VOID(begin_epoch(*store, options, state.marker.epoch));
  store->files->end_opening();
  if (many_logs) {
    rocksdb::Status limited = store->settle();
    if (limited.ok()) limited = db->SyncWAL();
    if (limited.ok()) limited = db->SetDBOptions({{"max_total_wal_size", std::to_string(kMaxWalBytes)}});
    if (!limited.ok()) return open_error(limited, options.directory);
  }
  return store;
}

Error to_error(const Store& store, const rocksdb::Status& status) {
  store.damage.met(status);
  if (status.IsCorruption()) {
    return Error(ErrorKind::kCorrupt,
                 "Stored data is damaged (" + status.ToString() +
                     "); restore the data directory from a backup, or save what is readable with `partita salvage`.");
  }
  return no_store("The store could not be read: " + status.ToString() + ".");
}

void append_version(std::string& out, storage::Version version) { append_u64(out, static_cast<uint64_t>(version)); }

storage::Version version_of(std::string_view stored) {
  const std::optional<uint64_t> version = take_u64(stored);
  PARTITA_CHECK(version.has_value());
  return storage::Version{*version};
}

const std::string& beyond_all_keys() {
  static const std::string key(kLimits.key_bytes + 1, '\xff');
  return key;
}

std::string log_key(std::string_view topic, uint64_t place) {
  PARTITA_CHECK(topic.size() <= storage::kMaxTopicBytes);
  std::string key;
  key.reserve(2 + topic.size() + kPlaceBytes);
  key.push_back(kLogTag);
  key.push_back(static_cast<char>(topic.size()));
  key.append(topic);
  append_u64(key, place);
  return key;
}

std::string_view topic_of(std::string_view stored_log_key) {
  PARTITA_CHECK(stored_log_key.size() > kPlaceBytes + 1);
  stored_log_key.remove_suffix(kPlaceBytes);
  return stored_log_key.substr(2);
}

uint64_t place_of(std::string_view stored_log_key) {
  PARTITA_CHECK(stored_log_key.size() > kPlaceBytes);
  stored_log_key.remove_prefix(stored_log_key.size() - kPlaceBytes);
  return *take_u64(stored_log_key);
}

}  // namespace partita::rocks
