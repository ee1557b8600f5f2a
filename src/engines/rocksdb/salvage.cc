#include <fcntl.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/bytes.h"
#include "engines/rocksdb/file_names.h"
#include "engines/rocksdb/merged_sources.h"
#include "engines/rocksdb/private_directory.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "engines/rocksdb/salvage_sources.h"
#include "engines/rocksdb/staging.h"
#include "engines/rocksdb/static_init.h"
#include "engines/rocksdb/store.h"
#include "engines/rocksdb/unavailable.h"

namespace partita {

namespace {

namespace fs = std::filesystem;
using rocks::Family;
using rocks::Store;
using rocks::unavailable;
using rocksdb::Status;

// Within the folder where the new store is made: what is copied of the old one, and the new one.
constexpr char kCopyName[] = "copy";
constexpr char kNewName[] = "store";
constexpr size_t kBatchBytes = size_t{4} << 20;
constexpr size_t kMostUnsure = 10'000;

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

class SalvageRun {
 public:
  SalvageRun(fs::path from, fs::path to) : from_(std::move(from)), to_(std::move(to)) {}

  Result<storage::SalvageReport> run(const storage::FinishSalvage& finish) {
    PARTITA_TRY_VOID(check_source());
    const std::error_code failed = rocks::make_private_directory(to_);
    if (failed) return unavailable("The directory " + to_.string() + " cannot be made: " + failed.message() + ".");
    PARTITA_TRY(const std::unique_ptr<rocks::StoreLock> lock, rocks::StoreLock::take(to_));
    PARTITA_TRY(const fs::path staging, rocks::prepare_staging(to_, rocks::kSalvagingName));
    Result<void> saved = save(staging);
    if (saved.ok() && finish) saved = finish_in(staging / kNewName, finish);
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
    if (failed) return unavailable(from_.string() + " cannot be read: " + failed.message() + ".");
    if (std::none_of(begin(files), end(files), [](const auto& file) { return is_of_a_store(file.path()); })) {
      return unavailable(from_.string() + " holds no store.");
    }
    if (is_in_use(from_)) return unavailable("The store in " + from_.string() + " is in use; stop its server first.");
    return {};
  }

  Result<void> save(const fs::path& staging) {
    rocks::SalvageSources sources(from_, staging / kCopyName);
    PARTITA_TRY_VOID(sources.read());
    PARTITA_TRY_VOID(open_new(staging / kNewName));
    for (const Family family : {Family::kRecords, Family::kLog}) PARTITA_TRY_VOID(save_family(sources, family));
    PARTITA_TRY_VOID(finish_epoch(sources.marker()));
    fresh_.reset();
    report_.losses = std::move(sources.losses());
    report_.lost_erasures = sources.lost_erasures();
    report_.lost_changes = sources.lost_changes();
    return {};
  }

  Result<void> save_family(rocks::SalvageSources& sources, Family family) {
    rocks::MergedSources merged(family == Family::kRecords && !sources.knows_tables());
    PARTITA_TRY_VOID(sources.add(family, merged));
    const auto put = [&](std::string_view key, std::string_view value) { return save_row(family, key, value); };
    const auto leave_out = [&](std::string_view key) {
      if (family == Family::kRecords && report_.unsure_count++ < kMostUnsure) report_.unsure.emplace_back(key);
    };
    PARTITA_TRY_VOID(merged.run(put, leave_out));
    PARTITA_TRY_VOID(write());
    sources.tell_tables();
    for (const rocks::LostKeys& lost : merged.lost()) {
      report_.ranges.push_back({family == Family::kLog, lost.after, lost.before});
    }
    return {};
  }

  // The new store as what it will be to a server.
  Result<void> finish_in(const fs::path& store, const storage::FinishSalvage& finish) {
    RocksdbOptions options;
    options.directory = store.string();
    options.sync = false;  // all of it is synced when it is closed
    PARTITA_TRY(const std::unique_ptr<storage::Engine> engine, open_rocksdb_engine(options));
    return finish(*engine, report_);
  }

  // The new store goes where it is to be.
  Result<void> show(const fs::path& staging) const {
    std::error_code failed;
    fs::remove_all(staging / kCopyName, failed);
    fs::remove(staging / kNewName / "LOCK", failed);
    PARTITA_TRY_VOID(rocks::sync_directory(staging / kNewName));
    return rocks::move_up(staging / kNewName, to_);
  }

  Result<void> open_new(const fs::path& directory) {
    RocksdbOptions options;
    options.directory = directory.string();
    PARTITA_TRY(fresh_, rocks::open_store(options));
    if (fresh_->settle().ok() && fresh_->begin(batch_).ok()) return {};
    return unavailable("The new store cannot be written.");
  }

  Result<void> save_row(Family family, std::string_view key, std::string_view value) {
    if (family == Family::kRecords) {
      // Every value begins with its version.
      if (value.size() < rocks::kVersionBytes) return {};
      ++report_.records;
      last_id_ = std::max(last_id_, static_cast<uint64_t>(rocks::version_of(value)));
    } else if (key == rocks::kEpochKey) {
      last_id_ = std::max(last_id_, take_u64(value).value_or(0) << rocks::kEpochShift);
      epoch_is_known_ = true;
      return {};
    } else if (key.starts_with(rocks::kLogTag) && key.size() > rocks::kPlaceBytes + 1 && !value.empty()) {
      ++report_.entries;
      last_id_ = std::max(last_id_, rocks::place_of(key));
    } else {
      return {};
    }
    auto* const to = family == Family::kRecords ? fresh_->records : fresh_->log;
    if (!batch_.Put(to, rocks::to_slice(key), rocks::to_slice(value)).ok()) {
      return unavailable("A record is too long.");
    }
    return batch_.GetDataSize() < kBatchBytes ? Result<void>() : write();
  }

  Result<void> write() {
    Status status = fresh_->db->Write(rocksdb::WriteOptions(), &batch_);
    batch_.Clear();
    if (status.ok()) status = fresh_->begin(batch_);
    if (status.ok()) return {};
    return unavailable("The new store cannot be written: " + status.ToString() + ".");
  }

  // The new store continues above every version and position that the old one can have assigned.
  Result<void> finish_epoch(const rocks::DurabilityRecord& marker) {
    uint64_t epoch = std::max(last_id_ >> rocks::kEpochShift, marker.epoch);
    if (marker.epoch == 0 && !epoch_is_known_) epoch += rocks::kUnknownEpochs;
    std::string stored;
    append_u64(stored, epoch);
    Status status = batch_.Put(fresh_->log, rocks::kEpochKey, stored);
    if (status.ok()) PARTITA_TRY_VOID(write());
    if (status.ok()) status = fresh_->db->Flush(rocksdb::FlushOptions(), {fresh_->records, fresh_->log});
    if (status.ok()) return {};
    return unavailable("The new store cannot be written: " + status.ToString() + ".");
  }

  const fs::path from_;
  const fs::path to_;
  storage::SalvageReport report_;
  std::unique_ptr<Store> fresh_;
  rocksdb::WriteBatch batch_;
  uint64_t last_id_ = 0;
  bool epoch_is_known_ = false;
};

}  // namespace

Result<storage::SalvageReport> salvage_rocksdb_store(const std::string& from, const std::string& to,
                                                     const storage::FinishSalvage& finish) {
  rocks::initialise_rocksdb();
  return SalvageRun(from, to).run(finish);
}

}  // namespace partita
