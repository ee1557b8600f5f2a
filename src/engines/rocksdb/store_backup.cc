#include "engines/rocksdb/store_backup.h"

#include <rocksdb/transaction_log.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/canonical_path.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/priority.h"
#include "engines/rocksdb/backup_directory.h"
#include "engines/rocksdb/backup_files.h"
#include "engines/rocksdb/backup_list.h"
#include "engines/rocksdb/copied_check.h"

namespace partita::rocks {

namespace {

// More than this in the write-ahead log is written into tables first, which later backups share; less is copied.
constexpr uint64_t kFlushBytes = uint64_t{8} << 20;
constexpr uint64_t kProgressBytes = 1 << 20;

uint64_t log_bytes(rocksdb::DB& db) {
  rocksdb::VectorLogPtr logs;
  if (!db.GetSortedWalFiles(logs).ok()) return 0;
  uint64_t bytes = 0;
  for (const auto& log : logs) bytes += log->SizeFileBytes();
  return bytes;
}

std::set<std::string> files_of(const rocksdb::BackupEngine& engine) {
  std::vector<rocksdb::BackupInfo> backups;
  engine.GetBackupInfo(&backups, true);
  std::set<std::string> files;
  for (const auto& backup : backups) {
    for (const auto& file : backup.file_details) files.insert(file.relative_filename);
  }
  return files;
}

Error not_there(const storage::BackupRequest& request, const std::string& why) {
  return Error(ErrorKind::kInvalid, request.directory + " " + why + ": name another directory for the backups.");
}

// "2026-11-24 03:15 UTC"
std::string day_of(int64_t ms) {
  constexpr size_t kToMinutes = 16;
  std::string text(utc_text(ms).data(), kToMinutes);
  text[text.find('T')] = ' ';
  return text + " UTC";
}

bool is_of(const BackedUpStore& backup, const Store& store, const std::string& place) {
  if (!backup.id.empty()) return backup.id == store.id.id;
  // From before stores had ids. A store that was made later, where this one was lost, has seen less.
  const uint64_t epoch = store.last_id >> kEpochShift;
  const bool was_restored = epoch >= backup.epoch + kUnknownEpochs;
  return !store.id.is_from_birth() && backup.directory == place && backup.epoch <= epoch &&
         (was_restored || backup.sequence <= store.db->GetLatestSequenceNumber());
}

std::string told_of(const StoreId& store) {
  if (!store.is_from_birth()) return "the store " + store.id;
  return "the store " + store.id + ", made on " + day_of(store.made_ms);
}

Error of_another(const storage::BackupRequest& request, const storage::Backup& backup, const Store& store,
                 const std::string& place) {
  std::string sentence = request.directory + " holds backups of another store";
  if (!backup.store_id.empty()) sentence += ", " + backup.store_id;
  if (!backup.store.empty()) sentence += ", which was in " + backup.store;
  if (backup.made_s != 0) {
    sentence += "; the newest, " + std::to_string(backup.id) + ", is of " + day_of(backup.made_s * 1'000);
  }
  return Error(ErrorKind::kInvalid, sentence + ". In " + place + " is " + told_of(store.id) +
                                        ". If the other store was lost, restore it with `partita restore " +
                                        request.directory +
                                        " NEWDIR`; name another directory for backups of this one.");
}

// What is kept of one store would delete what is there of another, and a restore take either of them.
Result<void> check_others(const rocksdb::BackupEngine& engine, const std::vector<storage::Backup>& backups,
                          const Store& store, const std::string& place, const storage::BackupRequest& request) {
  std::vector<rocksdb::BackupInfo> infos;
  engine.GetBackupInfo(&infos);
  const storage::Backup* other = nullptr;
  const storage::Backup* unknown = nullptr;
  bool has_own = false;
  for (const storage::Backup& backup : backups) {
    const auto info = std::ranges::find(infos, backup.id, &rocksdb::BackupInfo::backup_id);
    const auto listed = info == infos.end() ? std::nullopt : decode_backed_up(info->app_metadata);
    if (listed ? is_of(*listed, store, place) : backup.store_id == store.id.id) {
      has_own = true;
    } else if (backup.damaged && backup.store_id.empty()) {
      unknown = &backup;
    } else {
      other = &backup;
    }
  }
  if (other != nullptr) return of_another(request, *other, store, place);
  // The next backup clears up what is left of damaged ones.
  if (unknown != nullptr && !has_own) {
    return not_there(request, "holds the damaged backup " + std::to_string(unknown->id) + ", whose store is not known");
  }
  return {};
}

Result<RepairedFiles> mend(const BackupDirectory& directory, const std::string& store,
                           const storage::BackupRequest& request) {
  lower_thread_priority(kBackgroundNiceness);
  PARTITA_TRY(RepairedFiles mended,
              repair_shared_files(directory.path(), store, BackupDirectory::files(), request.progress));
  for (const std::string& file : mended.copied) {
    log(LogLevel::kWarn, {"The file ", file, " in ", directory.path(), " was damaged; it is copied again."});
  }
  for (const std::string& file : mended.damaged) {
    log(LogLevel::kWarn, {"The file ", file, " in ", directory.path(), " is damaged, and the store does not have it."});
  }
  return mended;
}

// One backup of the store, from the look at what is there to the look at what was copied.
class BackupOfStore {
 public:
  BackupOfStore(Store& store, const storage::BackupRequest& request, const BackupDirectory& directory,
                rocksdb::BackupEngine& engine, std::string place)
      : store_(store), request_(request), directory_(directory), engine_(engine), place_(std::move(place)) {}

  Result<storage::BackupResult> run(const RepairedFiles& mended) {
    PARTITA_TRY(const std::vector<storage::Backup> earlier, listed_backups(directory_.path(), &engine_));
    PARTITA_TRY_VOID(check_others(engine_, earlier, store_, place_, request_));
    before_ = files_of(engine_);
    storage::BackupResult made;
    for (const storage::Backup& backup : earlier) {
      if (backup.damaged && !has_list(backup.id)) made.lost.push_back(backup.id);
    }
    PARTITA_TRY(rocksdb::BackupInfo info, copy());
    PARTITA_TRY_VOID(check_mended(info, mended));
    PARTITA_TRY(CopiedDamage damage, check(info));
    if (damage.is_log) {
      PARTITA_TRY_VOID(write_log_anew(damage));
      engine_.DeleteBackup(info.backup_id).PermitUncheckedError();
      PARTITA_TRY(info, copy());
      PARTITA_TRY(damage, check(info));
    }
    if (!damage.file.empty()) return refuse(info, damage);
    made.backup = described(info);
    made.mended = mended.copied.size();
    made.damaged = mended.damaged.size();
    for (const auto& file : info.file_details) {
      if (!before_.contains(file.relative_filename)) made.new_bytes += file.size;
    }
    PARTITA_TRY_VOID(note_checked(directory_.path(), earlier, made.backup));
    if (request_.keep > 0) PARTITA_TRY_VOID(keep_newest(directory_, engine_, request_.keep, goes_on_));
    return made;
  }

 private:
  bool has_list(uint32_t id) const {
    std::error_code failed;
    return std::filesystem::exists(std::filesystem::path(directory_.path()) / "meta" / std::to_string(id), failed);
  }
  std::string failed() const { return "The backup into " + directory_.path() + " failed"; }

  Result<rocksdb::BackupInfo> copy() {
    const BackedUpStore described_store{store_.id.id, place_, store_.last_id >> kEpochShift,
                                        store_.db->GetLatestSequenceNumber(), store_.marker->oldest_log()};
    rocksdb::CreateBackupOptions options;
    options.flush_before_backup = log_bytes(*store_.db) > kFlushBytes;
    // On the thread that copies.
    options.progress_callback = [this] {
      lower_thread_priority(kBackgroundNiceness);
      done_ += kProgressBytes;
      if (request_.progress && !request_.progress(done_)) engine_.StopBackup();
    };
    rocksdb::BackupID id = 0;
    const rocksdb::Status status =
        engine_.CreateNewBackupWithMetadata(options, store_.db.get(), encode(described_store), &id);
    if (!status.ok()) return backup_error(status, failed());
    return find_backup(engine_, directory_.path(), id);
  }

  Result<CopiedDamage> check(const rocksdb::BackupInfo& info) {
    lower_thread_priority(kBackgroundNiceness);
    auto damage = check_copied(directory_, info, before_, store_, goes_on_);
    if (!damage.ok()) engine_.DeleteBackup(info.backup_id).PermitUncheckedError();
    return damage;
  }

  // A file that could not be mended, and that the new backup needs too.
  Result<void> check_mended(const rocksdb::BackupInfo& info, const RepairedFiles& mended) {
    for (const auto& file : info.file_details) {
      if (!mended.damaged.contains(file.relative_filename)) continue;
      engine_.DeleteBackup(info.backup_id).PermitUncheckedError();
      return Error(ErrorKind::kCorrupt, failed() + ": the file " + file.relative_filename +
                                            " there is damaged, and the store's own is not as it was; "
                                            "`partita verify` says more of the store when its server is stopped.");
    }
    return {};
  }

  // What stands in a log that the disk has spoilt is in memory still: written into tables, the log is needed no more.
  Result<void> write_log_anew(const CopiedDamage& damage) {
    log(LogLevel::kWarn, {"The log ", damage.file, " in ", place_, " is damaged: ", damage.what,
                          ". All of it is written again, into tables."});
    const rocksdb::Status status = store_.db->Flush(rocksdb::FlushOptions(), {store_.records, store_.log});
    if (status.ok()) return {};
    return backup_error(status, failed() + ": the log " + damage.file + " is damaged, and cannot be written again");
  }

  Error refuse(const rocksdb::BackupInfo& info, const CopiedDamage& damage) {
    engine_.DeleteBackup(info.backup_id).PermitUncheckedError();
    const std::string own = place_ + "/" + damage.file;
    const bool is_table = damage.file.ends_with(".sst");
    const rocksdb::Status now =
        is_table ? check_table_file(store_, own, rocksdb::Env::Default()) : rocksdb::Status::OK();
    if (is_table && now.ok()) {
      return Error(ErrorKind::kCorrupt, failed() + ": its copy of " + damage.file + " is not as it was written (" +
                                            damage.what + "); look at the disk of " + directory_.path() + ".");
    }
    const std::string sentence = "the file " + own + " is damaged (" + (is_table ? now.ToString() : damage.what) + ")";
    if (is_table) store_.damage.found(sentence);
    return Error(ErrorKind::kCorrupt, failed() + ": " + sentence +
                                          "; earlier backups are left as they are. Restore one, "
                                          "or save what is readable with `partita salvage`.");
  }

  Store& store_;
  const storage::BackupRequest& request_;
  const BackupDirectory& directory_;
  rocksdb::BackupEngine& engine_;
  const std::string place_;
  std::set<std::string> before_;
  uint64_t done_ = 0;
  // While nothing more is copied.
  const storage::OnBytes goes_on_ = [this](uint64_t) { return !request_.progress || request_.progress(done_); };
};

}  // namespace

Result<storage::BackupResult> back_up(Store& store, const storage::BackupRequest& request) {
  if (store.write_errors.failed()) return Error(ErrorKind::kUnavailable, store.write_errors.sentence());
  const rocksdb::Status settled = store.settle();
  if (!settled.ok()) {
    return Error(ErrorKind::kUnavailable, "The store cannot be written: " + settled.ToString() + ".");
  }
  const std::string place = canonical_path(store.db->GetName());
  if (canonical_path(request.directory).starts_with(place + "/"))
    return not_there(request, "is within the store itself");
  PARTITA_TRY(const BackupDirectory directory,
              BackupDirectory::open(request.directory, BackupDirectory::OpenMode::kWrite));
  RepairedFiles mended;
  // Before the engine looks at what is there.
  if (request.mends) {
    PARTITA_TRY(mended, mend(directory, place, request));
  }
  PARTITA_TRY(const std::unique_ptr<rocksdb::BackupEngine> engine, directory.engine(store.env.get()));
  return BackupOfStore(store, request, directory, *engine, place).run(mended);
}

Result<std::vector<std::string>> check_files(const Store& store, const storage::OnBytes& progress) {
  std::vector<rocksdb::LiveFileMetaData> files;
  store.db->GetLiveFilesMetaData(&files);
  std::vector<std::string> damaged;
  uint64_t bytes = 0;
  for (const auto& file : files) {
    const std::string path = store.db->GetName() + file.name;
    const rocksdb::Status status = check_table_file(store, path, store.env.get());
    if (!status.ok()) damaged.push_back("The file " + path + " is damaged: " + status.ToString() + ".");
    bytes += file.size;
    if (progress && !progress(bytes)) return Error(ErrorKind::kUnavailable, "It was stopped.");
  }
  return damaged;
}

}  // namespace partita::rocks
