#include "engines/rocksdb/store_backup.h"

#include <rocksdb/convenience.h>
#include <rocksdb/transaction_log.h>

#include <set>

#include "base/log.h"
#include "base/priority.h"
#include "base/whole_path.h"
#include "engines/rocksdb/backup_directory.h"
#include "engines/rocksdb/backup_files.h"

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

Error not_there(const BackupRequest& request, const std::string& why) {
  return Error(ErrorKind::kInvalid, request.directory + " " + why + ": name another directory for the backups.");
}

// What is kept of one store would delete what is there of another, and a restore take either of them.
Result<void> check_others(const rocksdb::BackupEngine& engine, const std::string& store, const BackupRequest& request) {
  std::vector<rocksdb::BackupInfo> backups;
  engine.GetBackupInfo(&backups);
  for (const auto& info : backups) {
    const std::string of = described(info).store;
    if (of != store) return not_there(request, "holds backups of " + (of.empty() ? "another store" : of));
  }
  return {};
}

Result<MendedFiles> mend(const BackupDirectory& directory, const std::string& store, const BackupRequest& request) {
  go_behind(kBackgroundNiceness);
  PARTITA_TRY(MendedFiles mended,
              mend_shared_files(directory.path(), store, BackupDirectory::files(), request.progress));
  for (const std::string& file : mended.copied) {
    log(LogLevel::kWarn, {"The file ", file, " in ", directory.path(), " was damaged; it is copied again."});
  }
  for (const std::string& file : mended.damaged) {
    log(LogLevel::kWarn, {"The file ", file, " in ", directory.path(), " is damaged, and the store does not have it."});
  }
  return mended;
}

}  // namespace

Result<MadeBackup> back_up(Store& store, const BackupRequest& request) {
  if (store.keeper.failed()) return Error(ErrorKind::kUnavailable, store.keeper.sentence());
  const std::string place = whole_path(store.db->GetName());
  if (whole_path(request.directory).starts_with(place + "/")) return not_there(request, "is within the store itself");
  PARTITA_TRY(const BackupDirectory directory, BackupDirectory::open(request.directory, BackupDirectory::Use::kWrite));
  MendedFiles mended;
  // Before the engine looks at what is there.
  if (request.mends) {
    PARTITA_TRY(mended, mend(directory, place, request));
  }
  PARTITA_TRY(const std::unique_ptr<rocksdb::BackupEngine> engine, directory.engine(store.env.get()));
  PARTITA_TRY_VOID(check_others(*engine, place, request));
  const std::set<std::string> before = files_of(*engine);
  const BackedUpStore described_store{place, store.last_id >> kEpochShift, store.db->GetLatestSequenceNumber(),
                                      store.witness->oldest_log()};
  rocksdb::CreateBackupOptions options;
  options.flush_before_backup = log_bytes(*store.db) > kFlushBytes;
  uint64_t done = 0;
  // On the thread that copies.
  options.progress_callback = [&] {
    go_behind(kBackgroundNiceness);
    done += kProgressBytes;
    if (request.progress && !request.progress(done)) engine->StopBackup();
  };
  rocksdb::BackupID id = 0;
  rocksdb::Status status = engine->CreateNewBackupWithMetadata(options, store.db.get(), encode(described_store), &id);
  if (!status.ok()) return backup_error(status, "The backup into " + request.directory + " failed");
  PARTITA_TRY(const rocksdb::BackupInfo info, find_backup(*engine, request.directory, id));
  MadeBackup made{described(info), 0, mended.copied.size(), mended.damaged.size()};
  for (const auto& file : info.file_details) {
    if (mended.damaged.contains(file.relative_filename)) {
      engine->DeleteBackup(id).PermitUncheckedError();
      return Error(ErrorKind::kCorrupt, "The backup into " + request.directory + " failed: the file " +
                                            file.relative_filename +
                                            " there is damaged, and the store's own is not as it was; "
                                            "`partita verify` says more of the store when its server is stopped.");
    }
    if (!before.contains(file.relative_filename)) made.new_bytes += file.size;
  }
  if (request.keep > 0) {
    status = engine->PurgeOldBackups(static_cast<uint32_t>(request.keep));
    if (!status.ok()) return backup_error(status, "The backup was made, but older ones can not be deleted");
  }
  return made;
}

Result<std::vector<std::string>> check_files(const Store& store, const OnBytes& progress) {
  std::vector<rocksdb::LiveFileMetaData> files;
  store.db->GetLiveFilesMetaData(&files);
  std::vector<std::string> damaged;
  uint64_t bytes = 0;
  for (const auto& file : files) {
    const bool of_records = file.column_family_name == rocksdb::kDefaultColumnFamilyName;
    const rocksdb::Options options = store.db->GetOptions(of_records ? store.records : store.log);
    const std::string path = store.db->GetName() + file.name;
    const rocksdb::Status status = rocksdb::VerifySstFileChecksum(options, rocksdb::EnvOptions(), path);
    if (!status.ok()) damaged.push_back("The file " + path + " is damaged: " + status.ToString() + ".");
    bytes += file.size;
    if (progress && !progress(bytes)) return Error(ErrorKind::kUnavailable, "It was stopped.");
  }
  return damaged;
}

}  // namespace partita::rocks
