#include "engines/rocksdb/backup.h"

#include <fcntl.h>
#include <rocksdb/env.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/mutex.h"
#include "base/thread.h"
#include "engines/rocksdb/backup_directory.h"
#include "engines/rocksdb/backup_files.h"
#include "engines/rocksdb/backup_list.h"
#include "engines/rocksdb/checked_backups.h"
#include "engines/rocksdb/damage_check.h"
#include "engines/rocksdb/durability_marker.h"
#include "engines/rocksdb/file_names.h"
#include "engines/rocksdb/private_directory.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "engines/rocksdb/staging.h"
#include "engines/rocksdb/store.h"
#include "engines/rocksdb/unavailable.h"

namespace partita {

namespace {

namespace fs = std::filesystem;
using rocks::BackupDirectory;
using rocks::unavailable;

constexpr auto kTellEvery = std::chrono::milliseconds(200);

uint64_t bytes_in(const fs::path& directory) {
  uint64_t bytes = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    const auto size = entry.file_size(failed);
    if (!failed) bytes += size;
  }
  return bytes;
}

// Tells how much of a copy is there, as RocksDB does not.
class BackupProgress {
 public:
  BackupProgress(const fs::path& place, const storage::OnBytes& progress) {
    if (!progress) return;
    auto started = Thread::start("progress", [this, place, progress](const std::stop_token& stop) {
      const MutexLock lock(mutex_);
      while (!stopped_.wait_for(mutex_, stop, kTellEvery, [&] { return stop.stop_requested(); })) {
        progress(bytes_in(place));
      }
    });
    if (started.ok()) thread_ = std::move(started).value();  // else nobody is told
  }

 private:
  Mutex mutex_;
  std::condition_variable_any stopped_;
  Thread thread_;
};

// Write-ahead logs that are there by chance may end in what was never acknowledged.
bool is_needed(const rocks::BackedUpStore& store, std::string_view file) {
  return !file.ends_with(".log") || rocks::number_in(file) >= store.oldest_log;
}

// The WITNESS of a store that is as the backup was; without a secret, so that the restored store draws one of its own.
Result<void> write_witness(const fs::path& directory, const rocks::BackedUpStore& store) {
  rocks::DurabilityRecord record;
  record.sequence = store.sequence;
  record.epoch = store.epoch + rocks::kUnknownEpochs;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    const auto manifest = rocks::manifest_number(entry.path().native());
    if (!manifest) continue;
    record.manifest = *manifest;
    record.manifest_bytes = entry.file_size(failed);
  }
  rocks::DurabilityMarker marker(directory);
  if (!failed && marker.begin(record, {}) && marker.release()) return {};
  return unavailable("The file WITNESS in " + directory.string() + " cannot be written.");
}

Result<rocks::BackedUpStore> store_of(const rocksdb::BackupInfo& info) {
  if (const auto store = rocks::decode_backed_up(info.app_metadata)) return *store;
  return Error(ErrorKind::kInvalid,
               "The backup " + std::to_string(info.backup_id) + " was made by a newer version of Partita.");
}

// Of a backup that was not read to its end; RocksDB does not always say which file is the damaged one. `what` begins
// the sentence.
Error unusable(const rocksdb::Status& status, const std::string& directory, uint32_t id, const std::string& what) {
  if (!status.IsCorruption()) return rocks::backup_error(status, what);
  const auto file = rocks::damaged_file(directory, id, nullptr);
  if (!file.ok()) return Error(ErrorKind::kCorrupt, what + ": " + std::string(file.error().sentence()));
  if (file->empty()) return rocks::backup_error(status, what);
  return Error(ErrorKind::kCorrupt, what + ": " + rocks::told_of_damage(directory, *file) + ".");
}

}  // namespace

bool is_backup_directory(const std::string& directory) { return BackupDirectory::exists(directory); }

Result<std::vector<storage::Backup>> list_backups(const std::string& directory) {
  PARTITA_TRY(const BackupDirectory opened, BackupDirectory::open(directory, BackupDirectory::OpenMode::kList));
  const auto engine = opened.reader();
  auto backups = rocks::listed_backups(directory, engine.ok() ? engine->get() : nullptr);
  // Without any list there may still be backups that lost theirs.
  if (!engine.ok() && backups.ok() && backups->empty()) return engine.error();
  return backups;
}

std::vector<uint32_t> unfinished_backups(const std::string& directory) { return rocks::unfinished_ids(directory); }

Result<size_t> delete_old_backups(const std::string& directory, size_t keep, const storage::OnBytes& progress) {
  PARTITA_TRY_VOID(list_backups(directory));
  PARTITA_TRY(const BackupDirectory opened, BackupDirectory::open(directory, BackupDirectory::OpenMode::kWrite));
  PARTITA_TRY(const auto engine, opened.engine(rocksdb::Env::Default()));
  return rocks::keep_newest(opened, *engine, keep, progress);
}

// Nobody is to find out later that he was given what is older than what he made last.
static Result<void> check_newest(const std::string& directory) {
  PARTITA_TRY(const std::vector<storage::Backup> backups, list_backups(directory));
  std::set<std::string> stores;
  for (const storage::Backup& backup : backups) {
    if (!backup.store_id.empty()) stores.insert(backup.store_id);
  }
  if (stores.size() > 1) {
    return Error(ErrorKind::kInvalid, directory +
                                          " holds backups of several stores: --backup says which one, and "
                                          "`partita backup list " +
                                          directory + "` which there are.");
  }
  if (backups.empty() || !backups.back().damaged) return {};
  return Error(ErrorKind::kCorrupt, "The newest backup in " + directory + ", " + std::to_string(backups.back().id) +
                                        ", is damaged; --backup restores an older one, which `partita backup list " +
                                        directory + "` names.");
}

Result<storage::Backup> restore_backup(const storage::RestoreRequest& request) {
  PARTITA_TRY(const BackupDirectory opened, BackupDirectory::open(request.directory, BackupDirectory::OpenMode::kRead));
  PARTITA_TRY(const auto engine, opened.reader());
  if (request.id == 0) PARTITA_TRY_VOID(check_newest(request.directory));
  PARTITA_TRY(const rocksdb::BackupInfo info, rocks::find_backup(*engine, request.directory, request.id));
  PARTITA_TRY(const rocks::BackedUpStore store, store_of(info));
  const fs::path to = request.to;
  std::error_code failed = rocks::make_private_directory(to);
  if (failed) return unavailable("The directory " + request.to + " cannot be made: " + failed.message() + ".");
  PARTITA_TRY(const std::unique_ptr<rocks::StoreLock> lock, rocks::StoreLock::take(to));
  PARTITA_TRY(const fs::path staging, rocks::prepare_staging(to, rocks::kRestoringName));
  PARTITA_TRY_VOID(rocks::sync_directory(to));
  {
    const BackupProgress shown(staging, request.progress);
    const rocksdb::Status status = engine->RestoreDBFromBackup(info.backup_id, staging.string(), staging.string());
    if (!status.ok()) {
      return unusable(
          status, request.directory, info.backup_id,
          "The backup " + std::to_string(info.backup_id) + " in " + request.directory + " cannot be restored");
    }
  }
  for (const auto& file : info.file_details) {
    if (!is_needed(store, file.relative_filename)) {
      fs::remove(staging / fs::path(file.relative_filename).filename(), failed);
    }
  }
  PARTITA_TRY_VOID(write_witness(staging, store));
  PARTITA_TRY_VOID(rocks::sync_directory(staging));
  PARTITA_TRY_VOID(rocks::move_up(staging, to));
  storage::Backup restored = rocks::described(info);
  PARTITA_TRY(const auto checked, rocks::read_checked_backups(request.directory));
  restored.unchecked = checked && !checked->contains(restored.id);
  return restored;
}

Result<storage::Backup> check_backup(const std::string& directory, uint32_t id) {
  PARTITA_TRY(const BackupDirectory opened, BackupDirectory::open(directory, BackupDirectory::OpenMode::kRead));
  PARTITA_TRY(const auto engine, opened.reader());
  PARTITA_TRY(const rocksdb::BackupInfo info, rocks::find_backup(*engine, directory, id));
  const rocksdb::Status status = engine->VerifyBackup(info.backup_id, true);
  if (status.ok()) return rocks::described(info);
  return unusable(status, directory, info.backup_id,
                  "The backup " + std::to_string(info.backup_id) + " in " + directory + " cannot be used");
}

// A directory of nobody else's, where temporary files are.
static Result<fs::path> make_checking_place() {
  std::error_code failed;
  const fs::path temporary = fs::temp_directory_path(failed);
  std::string name = (failed ? "/tmp" : temporary.string()) + "/partita-verify-XXXXXX";
  if (mkdtemp(name.data()) != nullptr) return fs::path(name);
  return unavailable("A directory cannot be made in " + fs::path(name).parent_path().string() + ": " +
                     std::strerror(errno) + ".");
}

namespace {

// What an engine over a backup needs while it is open: the lock of the backups' directory, and a temporary directory.
struct OpenedFiles {
  explicit OpenedFiles(BackupDirectory held) : lock(std::move(held)) {}
  OpenedFiles(const OpenedFiles&) = delete;
  OpenedFiles& operator=(const OpenedFiles&) = delete;
  ~OpenedFiles() {
    std::error_code ignored;
    if (!place.empty()) fs::remove_all(place, ignored);
  }
  BackupDirectory lock;
  fs::path place;
};

}  // namespace

Result<storage::ExclusiveEngine> open_backup(const std::string& directory, uint32_t id) {
  PARTITA_TRY(BackupDirectory held, BackupDirectory::open(directory, BackupDirectory::OpenMode::kRead));
  PARTITA_TRY(const auto engine, held.reader());
  PARTITA_TRY(const rocksdb::BackupInfo info, rocks::find_backup(*engine, directory, id));
  PARTITA_TRY(const rocks::BackedUpStore store, store_of(info));
  const auto files = std::make_shared<OpenedFiles>(std::move(held));
  std::error_code failed;
  const fs::path backups = fs::absolute(directory, failed);
  PARTITA_TRY(files->place, make_checking_place());
  for (const auto& file : info.file_details) {
    if (failed) break;
    const fs::path from = backups / file.relative_filename;
    if (!is_needed(store, file.relative_filename)) continue;
    if (from.extension() != ".sst") {
      fs::copy_file(from, files->place / from.filename(), failed);
      continue;
    }
    fs::create_symlink(from, files->place / rocks::numbered_file(rocks::number_in(file.relative_filename), ".sst"),
                       failed);
  }
  if (failed) {
    return unavailable("The directory " + files->place.string() + " cannot be written: " + failed.message() + ".");
  }
  PARTITA_TRY_VOID(write_witness(files->place, store));
  RocksdbOptions options;
  options.directory = files->place.string();
  options.compacts = false;
  storage::ExclusiveEngine opened{[files] { return Result<void>(); }, nullptr};
  PARTITA_TRY(opened.engine, open_rocksdb_engine(options));
  return opened;
}

}  // namespace partita
