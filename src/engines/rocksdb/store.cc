#include "engines/rocksdb/store.h"

#include <fcntl.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"

namespace partita::rocks {

namespace {

constexpr uint32_t kFormat = 1;
constexpr char kLogFamily[] = "log";
constexpr char kFormatKey[] = "Mformat";
constexpr char kEpochKey[] = "Mepoch";
constexpr int kEpochShift = 40;
// What has to be read again after a crash is at most about this much; it is what makes reopening fast.
constexpr uint64_t kMaxWalBytes = uint64_t{64} << 20;
constexpr size_t kRecordsBufferBytes = size_t{32} << 20;
constexpr size_t kLogBufferBytes = size_t{16} << 20;
// Closing writes out the buffers only when reading them from the WAL again would take a noticeable time.
constexpr uint64_t kFlushAtCloseBytes = uint64_t{8} << 20;

// The highest sequence number that a table file has ever held. A store that comes back with less has lost something
// that RocksDB itself does not miss: a manifest that lost its end looks like one of an earlier moment.
class Witness final : public rocksdb::EventListener {
 public:
  explicit Witness(std::filesystem::path directory) : file_(std::move(directory) / "WITNESS") {}

  // 0 when nothing was ever written out.
  uint64_t load() {
    std::lock_guard lock(mutex_);
    std::ifstream in(file_);
    if (!(in >> highest_)) highest_ = 0;
    return highest_;
  }

  void OnFlushCompleted(rocksdb::DB*, const rocksdb::FlushJobInfo& info) override {
    std::lock_guard lock(mutex_);
    if (info.largest_seqno <= highest_) return;
    highest_ = info.largest_seqno;
    // Losing this file, or finding an old one, only makes the check weaker: no fsync, and no error.
    const std::filesystem::path fresh = file_.string() + ".tmp";
    std::ofstream(fresh, std::ios::trunc) << highest_ << "\n";
    std::error_code ignored;
    std::filesystem::rename(fresh, file_, ignored);
  }

 private:
  const std::filesystem::path file_;
  std::mutex mutex_;
  uint64_t highest_ = 0;
};

Error unavailable(std::string sentence) { return Error(ErrorKind::kUnavailable, std::move(sentence)); }

int open_files_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 512;
  // Half of what the process may have: connections need the other half.
  return static_cast<int>(std::clamp<rlim_t>(limit.rlim_cur / 2, 128, 16384));
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
  // The default, written down because durability hangs on it: replay stops at the first torn write, never skips one.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  // There is only ever one writer.
  options.allow_concurrent_memtable_write = false;
  options.enable_write_thread_adaptive_yield = false;
  options.max_bgerror_resume_count = 0;
  // The rest is for a quick start and a small idle process.
  options.avoid_flush_during_recovery = true;
  options.avoid_flush_during_shutdown = true;
  options.avoid_unnecessary_blocking_io = true;
  options.skip_stats_update_on_db_open = true;
  options.skip_checking_sst_file_sizes_on_db_open = true;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.info_log_level = rocksdb::WARN_LEVEL;
  options.keep_log_file_num = 3;
  return options;
}

rocksdb::ColumnFamilyOptions family_options(const std::shared_ptr<rocksdb::Cache>& cache, size_t buffer_bytes) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = 16 << 10;
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
  if (can_compress(rocksdb::kZSTD)) options.bottommost_compression = rocksdb::kZSTD;
  return options;
}

// RocksDB would make a new, empty store beside the files of one that has lost its CURRENT file.
Result<void> check_files(const std::filesystem::path& directory) {
  std::error_code failed;
  if (std::filesystem::exists(directory / "CURRENT", failed)) return {};
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed)) {
    const std::string extension = entry.path().extension();
    if (extension == ".sst" || extension == ".log") {
      return Error(ErrorKind::kCorrupt,
                   "The store in " + directory.string() +
                       " is damaged: its file CURRENT is missing; restore the directory from a backup.");
    }
  }
  if (failed)
    return unavailable("The data directory " + directory.string() + " can not be read: " + failed.message() + ".");
  return {};
}

Result<void> prepare_directory(const std::string& directory) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed) {
    return unavailable("The data directory " + directory + " can not be made: " + failed.message() + ".");
  }
  if (!std::filesystem::is_directory(directory, failed)) {
    return unavailable("The data directory " + directory + " is not a directory.");
  }
  if (faccessat(AT_FDCWD, directory.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
    const int cause = errno;
    return unavailable("The data directory " + directory + " can not be written: " + std::strerror(cause) +
                       "; give this user the right to write there or choose another with --data.");
  }
  return check_files(directory);
}

Error open_error(const rocksdb::Status& status, const std::string& directory) {
  const std::string text = status.ToString();
  if (status.IsIOError() && text.find("LOCK") != std::string::npos &&
      (text.find("lock hold by current process") != std::string::npos ||
       text.find("While lock file") != std::string::npos)) {
    return unavailable("The data directory " + directory +
                       " is in use by another server; stop that one or choose another directory with --data.");
  }
  if (status.IsInvalidArgument()) {
    return Error(ErrorKind::kInvalid, "The store in " + directory +
                                          " was made by a newer version of Partita or by another program (" + text +
                                          "); start the version that made it.");
  }
  if (status.IsCorruption() || status.IsNotFound() || status.IsPathNotFound() || status.IsNotSupported()) {
    return Error(ErrorKind::kCorrupt,
                 "The store in " + directory + " is damaged (" + text + "); restore the directory from a backup.");
  }
  return unavailable("The store in " + directory + " can not be opened: " + text + ".");
}

Error foreign(const std::string& directory) {
  return Error(ErrorKind::kInvalid, "The directory " + directory +
                                        " holds a database that Partita did not make; choose another with --data.");
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

// Checks what made the store and opens its next epoch.
Result<void> begin_epoch(Store& store, const std::string& directory) {
  std::string stored;
  rocksdb::WriteBatch batch;
  rocksdb::Status status = store.db->Get(rocksdb::ReadOptions(), store.log, kFormatKey, &stored);
  uint64_t epoch = 0;
  if (status.ok()) {
    PARTITA_TRY_VOID(check_format(stored, directory));
    status = store.db->Get(rocksdb::ReadOptions(), store.log, kEpochKey, &stored);
    if (!status.ok()) return open_error(status, directory);
    std::string_view rest = stored;
    epoch = take_u64(rest).value_or(0);
    if (epoch == 0) return foreign(directory);
  } else if (status.IsNotFound()) {
    if (has_records(store)) return foreign(directory);
    std::string format;
    append_u32(format, kFormat);
    status = batch.Put(store.log, kFormatKey, format);
  }
  if (!status.ok()) return open_error(status, directory);
  ++epoch;
  std::string next;
  append_u64(next, epoch);
  status = batch.Put(store.log, kEpochKey, next);
  // Not synced: the first commit that is synced takes this write with it, and only then does the epoch matter.
  if (status.ok()) status = store.db->Write(rocksdb::WriteOptions(), &batch);
  if (!status.ok()) return open_error(status, directory);
  store.last_id = epoch << kEpochShift;
  return {};
}

}  // namespace

Store::~Store() {
  if (db == nullptr) return;
  uint64_t unwritten = 0;
  // After a failed write RocksDB can only be closed: asked to sync once more, it aborts.
  if (!failed && db->GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeActiveMemTable, &unwritten) &&
      unwritten > kFlushAtCloseBytes) {
    db->Flush(rocksdb::FlushOptions(), {records, log}).PermitUncheckedError();
  }
  if (!failed) db->SyncWAL().PermitUncheckedError();
  db->DestroyColumnFamilyHandle(records).PermitUncheckedError();
  db->DestroyColumnFamilyHandle(log).PermitUncheckedError();
  db->Close().PermitUncheckedError();
}

Result<std::unique_ptr<Store>> open_store(const RocksdbOptions& options) {
  PARTITA_TRY_VOID(prepare_directory(options.directory));
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(options.block_cache_bytes);
  const std::vector<rocksdb::ColumnFamilyDescriptor> families{
      {rocksdb::kDefaultColumnFamilyName, family_options(cache, kRecordsBufferBytes)},
      {kLogFamily, family_options(cache, kLogBufferBytes)}};
  const auto witness = std::make_shared<Witness>(options.directory);
  const uint64_t highest = witness->load();
  rocksdb::DBOptions database = database_options();
  database.listeners.push_back(witness);
  auto store = std::make_unique<Store>();
  if (options.files != nullptr) {
    store->env = rocksdb::NewCompositeEnv(options.files);
    database.env = store->env.get();
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(database, options.directory, families, &handles, &db);
  if (!status.ok()) return open_error(status, options.directory);
  store->db.reset(db);
  store->records = handles[0];
  store->log = handles[1];
  if (db->GetLatestSequenceNumber() < highest) {
    return Error(ErrorKind::kCorrupt,
                 "The store in " + options.directory +
                     " is damaged: newer data than it now holds was once written to it; restore the "
                     "directory from a backup.");
  }
  PARTITA_TRY_VOID(begin_epoch(*store, options.directory));
  return store;
}

Error to_error(const rocksdb::Status& status) {
  if (status.IsCorruption()) {
    return Error(ErrorKind::kCorrupt,
                 "Stored data is damaged (" + status.ToString() + "); restore the data directory from a backup.");
  }
  return unavailable("The store could not be read: " + status.ToString() + ".");
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
  key.push_back('L');
  key.push_back(static_cast<char>(topic.size()));
  key.append(topic);
  append_u64(key, place);
  return key;
}

uint64_t place_of(std::string_view stored_log_key) {
  PARTITA_CHECK(stored_log_key.size() > kPlaceBytes);
  stored_log_key.remove_prefix(stored_log_key.size() - kPlaceBytes);
  return *take_u64(stored_log_key);
}

uint64_t place_of(const storage::Position& position) {
  uint64_t place = 0;
  for (size_t i = 0; i < kPlaceBytes; ++i) place = place << 8 | position.bytes[i];
  return place;
}

storage::Position position_of(uint64_t place) {
  storage::Position position;
  for (size_t i = 0; i < kPlaceBytes; ++i)
    position.bytes[i] = static_cast<uint8_t>(place >> (8 * (kPlaceBytes - 1 - i)));
  return position;
}

}  // namespace partita::rocks
