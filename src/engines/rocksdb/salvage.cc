#include <fcntl.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "engines/rocksdb/batches.h"
#include "engines/rocksdb/damage_check.h"
#include "engines/rocksdb/file_names.h"
#include "engines/rocksdb/info_logger.h"
#include "engines/rocksdb/log_file.h"
#include "engines/rocksdb/private_directory.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "engines/rocksdb/staging.h"
#include "engines/rocksdb/store.h"

namespace partita {

namespace {

namespace fs = std::filesystem;
using rocks::Store;
using rocksdb::Status;

// Within the folder where the new store is made: a copy of the old one that RocksDB may mend, and the new one.
constexpr char kCopyName[] = "copy";
constexpr char kNewName[] = "store";
constexpr size_t kReadBytes = size_t{64} << 10;
constexpr size_t kSectorBytes = 4096;  // what a disk can not read is zeros in the copy, in pieces of so much
constexpr size_t kBatchBytes = size_t{4} << 20;

Error unavailable(std::string sentence) { return Error(ErrorKind::kUnavailable, std::move(sentence)); }

std::string printable(const rocksdb::Slice& key) {
  std::string text;
  for (const char c : rocks::to_view(key).substr(0, 80)) {
    if (c >= ' ' && c <= '~' && c != '\\') {
      text.push_back(c);
    } else {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<uint8_t>(c));
      text += escape;
    }
  }
  return text;
}

// Whether another process holds the lock of the store.
bool is_in_use(const fs::path& store) {
  const int descriptor = open((store / "LOCK").c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock asked = {};
  asked.l_type = F_WRLCK;
  asked.l_whence = SEEK_SET;
  const bool known = fcntl(descriptor, F_GETLK, &asked) == 0;
  close(descriptor);
  return known && asked.l_type != F_UNLCK;
}

bool is_of_a_store(const fs::path& file) {
  const std::string name = file.filename();
  return name == "CURRENT" || name == "WITNESS" || name.starts_with("MANIFEST-") || name.ends_with(".log") ||
         name.ends_with(".sst");
}

struct CloseFile {
  int descriptor;
  ~CloseFile() {
    if (descriptor >= 0) close(descriptor);
  }
};

class Rescue {
 public:
  Rescue(fs::path from, fs::path to) : from_(std::move(from)), to_(std::move(to)) {}

  Result<SalvageReport> run() {
    PARTITA_TRY_VOID(check_source());
    const std::error_code failed = rocks::make_private_directory(to_);
    if (failed) return unavailable("The directory " + to_.string() + " can not be made: " + failed.message() + ".");
    PARTITA_TRY(const std::unique_ptr<rocks::StoreLock> lock, rocks::StoreLock::take(to_));
    PARTITA_TRY(const fs::path staging, rocks::prepare_staging(to_, rocks::kSalvagingName));
    copy_ = staging / kCopyName;
    Result<void> saved = copy_files();
    if (saved.ok()) saved = mend_logs();
    if (saved.ok()) saved = open_copy();
    if (saved.ok()) saved = open_new(staging / kNewName);
    if (saved.ok()) saved = copy_family(copy_records_, fresh_->records);
    if (saved.ok()) saved = copy_family(copy_log_, fresh_->log);
    if (saved.ok()) saved = finish();
    close_copy();
    fresh_.reset();
    if (saved.ok()) saved = show(staging);
    std::error_code ignored;
    fs::remove_all(staging, ignored);
    if (!saved.ok()) return saved.error();
    return std::move(report_);
  }

 private:
  Result<void> check_source() const {
    std::error_code failed;
    if (!fs::is_directory(from_, failed)) return unavailable(from_.string() + " is not a directory.");
    const fs::directory_iterator files(from_, failed);
    if (failed) return unavailable(from_.string() + " can not be read: " + failed.message() + ".");
    if (std::none_of(begin(files), end(files), [](const auto& file) { return is_of_a_store(file.path()); })) {
      return unavailable(from_.string() + " holds no store.");
    }
    if (is_in_use(from_)) return unavailable("The store in " + from_.string() + " is in use; stop its server first.");
    return {};
  }

  Result<void> copy_files() {
    std::error_code failed;
    fs::create_directories(copy_, failed);
    if (failed) return unavailable("The directory " + copy_.string() + " can not be made: " + failed.message() + ".");
    for (const auto& entry : fs::directory_iterator(from_, failed)) {
      if (is_of_a_store(entry.path())) PARTITA_TRY_VOID(copy_file(entry.path()));
    }
    if (failed) return unavailable(from_.string() + " can not be read: " + failed.message() + ".");
    const auto found = rocks::Witness(copy_).load(witness_);
    if (!found.ok() || *found != rocks::Witness::Found::kWhole) {
      report_.losses.push_back(
          "The file WITNESS is missing or damaged, so that it is not known whether the newest changes are there.");
    }
    return {};
  }

  // As much of it as can be read. Error: the copy can not be written.
  Result<void> copy_file(const fs::path& file) {
    const std::string name = file.filename();
    std::error_code failed;
    if (!fs::is_regular_file(file, failed)) {
      report_.losses.push_back("The file " + name + " is no file.");
      return {};
    }
    if (fs::copy_file(file, copy_ / name, failed)) return {};
    const CloseFile from{open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (from.descriptor < 0) {
      report_.losses.push_back("The file " + name + " can not be opened: " + std::strerror(errno) + ".");
      return {};
    }
    const CloseFile to{open((copy_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    uint64_t unread = 0;
    std::string why;
    const uintmax_t size = fs::file_size(file, failed);
    std::vector<char> bytes(kReadBytes);
    for (uint64_t at = 0; at < size;) {
      const uint64_t left = std::min<uint64_t>(size - at, kSectorBytes - at % kSectorBytes);
      ssize_t count = pread(from.descriptor, bytes.data(), std::min<uint64_t>(size - at, kReadBytes), as_offset(at));
      if (count < 0) count = pread(from.descriptor, bytes.data(), left, as_offset(at));
      if (count == 0) break;
      if (count < 0) {
        why = std::strerror(errno);
        count = static_cast<ssize_t>(left);
        std::fill_n(bytes.begin(), left, '\0');
        unread += left;
      }
      if (to.descriptor < 0 ||
          pwrite(to.descriptor, bytes.data(), static_cast<size_t>(count), as_offset(at)) != count) {
        return unavailable("The file " + (copy_ / name).string() + " can not be written: " + std::strerror(errno) +
                           ".");
      }
      at += static_cast<uint64_t>(count);
    }
    if (unread > 0) {
      report_.losses.push_back(std::to_string(unread) + " bytes of the file " + name + " can not be read: " + why +
                               ".");
    }
    return {};
  }
  static off_t as_offset(uint64_t bytes) { return static_cast<off_t>(bytes); }

  // The new store goes where it is to be.
  Result<void> show(const fs::path& staging) const {
    std::error_code failed;
    fs::remove_all(copy_, failed);
    fs::remove(staging / kNewName / "LOCK", failed);
    PARTITA_TRY_VOID(rocks::sync_directory(staging / kNewName));
    return rocks::move_up(staging / kNewName, to_);
  }

  // Leaves in each log of the copy what is readable, before and behind what is not.
  Result<void> mend_logs() {
    std::map<uint64_t, fs::path> logs;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(copy_, failed)) {
      if (entry.path().extension() == ".log") logs.emplace(rocks::number_in(entry.path().native()), entry.path());
    }
    if (witness_.oldest_log > 0 && !logs.contains(witness_.oldest_log)) {
      report_.losses.push_back("The file " + rocks::numbered_file(witness_.oldest_log, ".log") +
                               " is missing, with an unknown number of changes.");
    }
    uint64_t next = 0;
    for (const auto& [number, file] : logs) {
      if (number < witness_.oldest_log) continue;
      const size_t losses = report_.losses.size();
      PARTITA_TRY_VOID(mend_log(file, next));
      // Newer ones do not say where theirs begin, so nothing else would tell.
      if (next == 0 && number != logs.rbegin()->first && report_.losses.size() == losses) {
        report_.losses.push_back("The file " + file.filename().string() +
                                 " holds nothing that can be read, with an unknown number of changes.");
      }
    }
    if (next <= witness_.sequence && next > 0) say_lost(next, witness_.sequence + 1, "the end of the newest log");
    logs_are_empty_ = next == 0;
    return {};
  }

  Result<void> mend_log(const fs::path& file, uint64_t& next) {
    const fs::path mended = file.string() + ".mended";
    rocks::LogFileWriter writer(mended);
    const std::string name = file.filename().string();
    const size_t losses = report_.losses.size();
    PARTITA_TRY(const rocks::LogFile log,
                rocks::read_log_file(file, rocks::LogKind::kBatches,
                                     {witness_.secret_of_log(rocks::number_in(file.native())), next},
                                     [&](std::string_view record) {
                                       const auto [first, last] = rocks::sequences_of(record);
                                       if (first < next) return;
                                       if (next == 0) first_sequence_ = first;
                                       if (next > 0 && first > next) say_lost(next, first, name);
                                       next = last;
                                       writer.add(record);
                                     }));
    // Without a record before it, the first one that can be read does not say how many are missing.
    if (log.readable_behind && report_.losses.size() == losses) {
      report_.losses.push_back("The beginning of " + name + " can not be read, with an unknown number of changes.");
    }
    if (log.altered_end && report_.losses.size() == losses) {
      report_.losses.push_back("The last record of " + name + " can not be read, with an unknown number of changes.");
    }
    std::error_code failed;
    if (log.clean()) {
      fs::remove(mended, failed);
      return {};
    }
    if (!writer.finish()) return unavailable("The file " + mended.string() + " can not be written.");
    fs::rename(mended, file, failed);
    return {};
  }

  void say_lost(uint64_t from, uint64_t to, const std::string& where) {
    report_.losses.push_back(std::to_string(to - from) + " changes (numbers " + std::to_string(from) + " to " +
                             std::to_string(to - 1) + ") can not be read in " + where + ".");
  }

  // What a repair makes of the tables is a level 0 in no order that RocksDB knows; only iterators read it.
  static std::vector<rocksdb::ColumnFamilyDescriptor> families() {
    rocksdb::ColumnFamilyOptions any_order;
    any_order.force_consistency_checks = false;
    any_order.disable_auto_compactions = true;
    return {{rocksdb::kDefaultColumnFamilyName, any_order}, {rocks::kLogFamily, any_order}};
  }

  Status try_open_copy(bool make) {
    rocksdb::DBOptions options;
    options.info_log = rocks::make_info_logger();
    options.create_if_missing = make;
    options.create_missing_column_families = make;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* db = nullptr;
    const Status status = make ? rocksdb::DB::Open(options, copy_.string(), families(), &handles, &db)
                               : rocksdb::DB::OpenForReadOnly(options, copy_.string(), families(), &handles, &db);
    if (!status.ok()) return status;
    copy_db_.reset(db);
    copy_records_ = handles[0];
    copy_log_ = handles[1];
    return status;
  }

  Result<void> open_copy() {
    // RocksDB takes a shorter list for one of an earlier moment, and forgets the tables that were added since.
    const bool is_whole = rocks::check_manifest(copy_, witness_).ok();
    Status status = is_whole ? check_oldest_log() : Status::Corruption("it is not whole");
    if (status.ok()) status = try_open_copy(false);
    if (status.ok()) {
      const uint64_t last = copy_db_->GetLatestSequenceNumber();
      if (logs_are_empty_ && last < witness_.sequence) say_lost(last + 1, witness_.sequence + 1, "any log");
      return {};
    }
    report_.losses.push_back("The list of the store's files is damaged (" + status.ToString() +
                             "); it was made anew from the files, and erased items may be back.");
    status = rebuild_copy();
    if (status.ok()) return {};
    return unavailable("Nothing can be read from " + from_.string() + ": " + status.ToString() + ".");
  }

  // Whether the first log goes on where the tables end: without the logs RocksDB knows the newest number of these.
  Status check_oldest_log() {
    if (first_sequence_ == 0) return Status::OK();
    const fs::path aside = copy_ / "logs";
    std::error_code failed;
    fs::create_directories(aside, failed);
    const auto move_logs = [&failed](const fs::path& from, const fs::path& to) {
      for (const auto& entry : fs::directory_iterator(from, failed)) {
        if (entry.path().extension() == ".log") fs::rename(entry.path(), to / entry.path().filename(), failed);
      }
    };
    move_logs(copy_, aside);
    const Status status = try_open_copy(false);
    if (status.ok()) {
      const uint64_t last = copy_db_->GetLatestSequenceNumber();
      if (first_sequence_ > last + 1) say_lost(last + 1, first_sequence_, "any log");
      close_copy();
    }
    move_logs(aside, copy_);
    return failed ? Status::IOError(failed.message()) : status;
  }

  // From the tables, with RocksDB's own repair, and then from the logs, whose writes are only done again.
  Status rebuild_copy() {
    const fs::path logs = copy_ / "logs";
    std::error_code failed;
    fs::create_directories(logs, failed);
    bool has_tables = false;
    std::map<uint64_t, fs::path> files;
    for (const auto& entry : fs::directory_iterator(copy_, failed)) {
      const std::string name = entry.path().filename();
      has_tables = has_tables || name.ends_with(".sst");
      if (name == "CURRENT" || name.starts_with("MANIFEST-")) fs::remove(entry.path(), failed);
      if (!name.ends_with(".log")) continue;
      fs::rename(entry.path(), logs / name, failed);
      if (rocks::number_in(entry.path().native()) >= witness_.oldest_log)
        files.emplace(rocks::number_in(entry.path().native()), logs / name);
    }
    rocksdb::DBOptions options;
    options.info_log = rocks::make_info_logger();
    Status status;
    if (has_tables) {
      status = rocksdb::RepairDB(copy_.string(), options, families());
    }
    if (status.ok()) status = try_open_copy(true);
    rocksdb::WriteOptions unlogged;
    unlogged.disableWAL = true;
    for (const auto& [number, file] : files) {
      const auto log = rocks::read_log_file(file, rocks::LogKind::kBatches, {}, [&](std::string_view record) {
        rocksdb::WriteBatch batch{std::string(record)};
        if (status.ok()) status = copy_db_->Write(unlogged, &batch);
      });
      if (!log.ok() && status.ok()) status = Status::IOError(std::string(log.error().sentence()));
    }
    for (const auto& entry : fs::directory_iterator(copy_ / "lost", failed)) {
      const std::string name = entry.path().filename();
      if (name.ends_with(".sst")) report_.losses.push_back("The table file " + name + " can not be read.");
    }
    return status;
  }

  void close_copy() {
    if (copy_db_ == nullptr) return;
    copy_db_->DestroyColumnFamilyHandle(copy_records_).PermitUncheckedError();
    copy_db_->DestroyColumnFamilyHandle(copy_log_).PermitUncheckedError();
    copy_db_.reset();
  }

  Result<void> open_new(const fs::path& directory) {
    RocksdbOptions options;
    options.directory = directory.string();
    PARTITA_TRY(fresh_, rocks::open_store(options));
    if (fresh_->begin(batch_).ok()) return {};
    return unavailable("The new store can not be written.");
  }

  // Forwards up to what can not be read, then backwards from the end down to what can not be read.
  Result<void> copy_family(rocksdb::ColumnFamilyHandle* from, rocksdb::ColumnFamilyHandle* to) {
    rocksdb::ReadOptions options;
    options.total_order_seek = true;
    const std::unique_ptr<rocksdb::Iterator> row(copy_db_->NewIterator(options, from));
    std::string last;
    bool any = false;
    for (row->SeekToFirst(); row->Valid(); row->Next()) {
      last.assign(row->key().data(), row->key().size());
      any = true;
      PARTITA_TRY_VOID(copy_row(*row, to));
    }
    if (row->status().ok()) return write();
    const std::string why = row->status().ToString();
    const std::unique_ptr<rocksdb::Iterator> back(copy_db_->NewIterator(options, from));
    std::string first;
    for (back->SeekToLast(); back->Valid() && (!any || back->key().compare(last) > 0); back->Prev()) {
      first.assign(back->key().data(), back->key().size());
      PARTITA_TRY_VOID(copy_row(*back, to));
    }
    report_.losses.push_back("Records behind the key '" + printable(last) + "'" +
                             (first.empty() ? "" : " and before the key '" + printable(first) + "'") +
                             " can not be read (" + why + ").");
    return write();
  }

  Result<void> copy_row(const rocksdb::Iterator& row, rocksdb::ColumnFamilyHandle* to) {
    const std::string_view key = rocks::to_view(row.key());
    const std::string_view value = rocks::to_view(row.value());
    if (to == fresh_->records) {
      ++report_.records;
      if (value.size() >= rocks::kVersionBytes) {
        last_id_ = std::max(last_id_, static_cast<uint64_t>(rocks::version_of(value)));
      }
    } else if (key == rocks::kEpochKey) {
      std::string_view rest = value;
      last_id_ = std::max(last_id_, take_u64(rest).value_or(0) << rocks::kEpochShift);
      epoch_is_known_ = true;
      return {};
    } else if (key.starts_with('L') && key.size() > rocks::kPlaceBytes) {
      ++report_.entries;
      last_id_ = std::max(last_id_, rocks::place_of(key));
    } else {
      return {};
    }
    if (!batch_.Put(to, row.key(), row.value()).ok()) return unavailable("A record is too long.");
    return batch_.GetDataSize() < kBatchBytes ? Result<void>() : write();
  }

  Result<void> write() {
    Status status = fresh_->db->Write(rocksdb::WriteOptions(), &batch_);
    batch_.Clear();
    if (status.ok()) status = fresh_->begin(batch_);
    if (status.ok()) return {};
    return unavailable("The new store can not be written: " + status.ToString() + ".");
  }

  // Whoever opens the new store goes on above every version and position that the old one can have given away.
  Result<void> finish() {
    uint64_t epoch = std::max(last_id_ >> rocks::kEpochShift, witness_.epoch);
    if (witness_.epoch == 0 && !epoch_is_known_) epoch += rocks::kUnknownEpochs;
    std::string stored;
    append_u64(stored, epoch);
    Status status = batch_.Put(fresh_->log, rocks::kEpochKey, stored);
    if (status.ok()) PARTITA_TRY_VOID(write());
    if (status.ok()) status = fresh_->db->Flush(rocksdb::FlushOptions(), {fresh_->records, fresh_->log});
    if (status.ok()) return {};
    return unavailable("The new store can not be written: " + status.ToString() + ".");
  }

  const fs::path from_;
  const fs::path to_;
  fs::path copy_;
  rocks::WitnessRecord witness_;
  SalvageReport report_;
  std::unique_ptr<rocksdb::DB> copy_db_;
  rocksdb::ColumnFamilyHandle* copy_records_ = nullptr;
  rocksdb::ColumnFamilyHandle* copy_log_ = nullptr;
  std::unique_ptr<Store> fresh_;
  rocksdb::WriteBatch batch_;
  uint64_t first_sequence_ = 0;  // of the oldest log that is needed; 0: there is none
  uint64_t last_id_ = 0;
  bool epoch_is_known_ = false;
  bool logs_are_empty_ = false;
};

}  // namespace

Result<SalvageReport> salvage_rocksdb_store(const std::string& from, const std::string& to) {
  return Rescue(from, to).run();
}

}  // namespace partita
