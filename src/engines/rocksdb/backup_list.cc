#include "engines/rocksdb/backup_list.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "engines/rocksdb/backup_files.h"
#include "engines/rocksdb/checked_backups.h"
#include "engines/rocksdb/file_names.h"

namespace partita::rocks {

namespace {

namespace fs = std::filesystem;

// Ids by which `folder` has something.
std::set<uint32_t> ids_in(const fs::path& folder) {
  std::set<uint32_t> ids;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const auto id = number_of(entry.path().filename().native());
    if (id && *id > 0 && *id <= UINT32_MAX) ids.insert(static_cast<uint32_t>(*id));
  }
  return ids;
}

storage::Backup damaged_backup(uint32_t id, std::string damage, const std::optional<CheckedBackups>& checked) {
  storage::Backup backup;
  backup.id = id;
  backup.damaged = true;
  backup.damage = std::move(damage);
  if (checked && checked->contains(id)) backup.store_id = checked->at(id);
  return backup;
}

// Those that were there once, and whose lists are gone. `checked` was read before.
Result<std::set<uint32_t>> lost_ids(const std::string& directory, const std::optional<CheckedBackups>& checked) {
  const std::set<uint32_t> listed = ids_in(fs::path(directory) / "meta");
  std::set<uint32_t> lost;
  if (!checked) {
    for (const uint32_t id : ids_in(fs::path(directory) / "private")) {
      // A backup that did not end has the next id; the others of such ids are cleared up.
      if (!listed.contains(id) && !listed.empty() && id < *listed.rbegin()) lost.insert(id);
    }
    return lost;
  }
  // A folder of one that it does not name is what a deletion that was cut off has left.
  std::set<uint32_t> missing;
  for (const auto& [id, store] : *checked) {
    if (!listed.contains(id)) missing.insert(id);
  }
  if (missing.empty()) return lost;
  // One that was deleted meanwhile is named no more.
  PARTITA_TRY(const auto still, read_checked_backups(directory));
  for (const uint32_t id : missing) {
    if (still && still->contains(id)) lost.insert(id);
  }
  return lost;
}

// What tells the backups of one store from those of others: in a directory of one store those from before there were
// ids are its own, as they were looked at before the first with an id was made.
std::string owner_of(const storage::Backup& backup, const std::set<std::string>& stores) {
  if (!backup.store_id.empty()) return backup.store_id;
  return stores.size() == 1 ? *stores.begin() : "in " + backup.store;
}

// Error: kCorrupt, when the backup is not as it was written.
Result<void> check_newest(const BackupDirectory& directory, const storage::Backup& newest,
                          const storage::OnBytes& progress) {
  const std::string whose = "The newest backup in " + directory.path() + ", " + std::to_string(newest.id) + ", ";
  auto file = damaged_file(directory.path(), newest.id, progress);
  if (!file.ok() && file.error().kind() != ErrorKind::kCorrupt) return std::move(file).error();
  if (file.ok() && file->empty()) return {};
  const std::string what = file.ok() ? told_of_damage(directory.path(), *file) : "its list cannot be read";
  return Error(ErrorKind::kCorrupt, whose + "is damaged: " + what + ". No backup was deleted.");
}

}  // namespace

Result<std::vector<storage::Backup>> listed_backups(const std::string& directory,
                                                    const rocksdb::BackupEngineReadOnlyBase* engine) {
  PARTITA_TRY(const auto checked, read_checked_backups(directory));
  std::vector<rocksdb::BackupInfo> infos;
  std::vector<rocksdb::BackupID> damaged;
  if (engine != nullptr) engine->GetBackupInfo(&infos);
  if (engine != nullptr) engine->GetCorruptedBackups(&damaged);
  std::vector<storage::Backup> backups;
  std::set<uint32_t> known;
  for (const auto& info : infos) {
    storage::Backup& backup = backups.emplace_back(described(info));
    backup.unchecked = checked && !checked->contains(backup.id);
    known.insert(backup.id);
  }
  for (const rocksdb::BackupID id : damaged) {
    backups.push_back(damaged_backup(id, "files are missing", checked));
    known.insert(id);
  }
  PARTITA_TRY(const std::set<uint32_t> lost, lost_ids(directory, checked));
  for (const uint32_t id : lost) {
    if (known.contains(id)) continue;
    backups.push_back(damaged_backup(id, "its list, meta/" + std::to_string(id) + ", is missing", checked));
  }
  std::ranges::sort(backups, {}, &storage::Backup::id);
  return backups;
}

Result<size_t> keep_newest(const BackupDirectory& directory, rocksdb::BackupEngine& engine, size_t keep,
                           const storage::OnBytes& progress) {
  PARTITA_TRY(const std::vector<storage::Backup> all, listed_backups(directory.path(), &engine));
  std::set<std::string> stores;
  for (const storage::Backup& backup : all) {
    if (!backup.store_id.empty()) stores.insert(backup.store_id);
  }
  std::vector<uint32_t> go;
  std::map<std::string, std::vector<const storage::Backup*>> whole;
  for (const storage::Backup& backup : all) {
    if (backup.damaged) go.push_back(backup.id);
    if (!backup.damaged) whole[owner_of(backup, stores)].push_back(&backup);
  }
  for (const auto& [owner, backups] : whole) {
    for (size_t i = 0; i + keep < backups.size(); ++i) go.push_back(backups[i]->id);
  }
  if (go.empty()) return size_t{0};
  if (whole.empty()) {
    return Error(ErrorKind::kCorrupt, "No backup in " + directory.path() + " is whole, so none was deleted.");
  }
  for (const auto& [owner, backups] : whole) PARTITA_TRY_VOID(check_newest(directory, *backups.back(), progress));
  PARTITA_TRY(auto checked, read_checked_backups(directory.path()));
  if (checked) {
    for (const uint32_t id : go) checked->erase(id);
    PARTITA_TRY_VOID(write_checked_backups(directory.path(), *checked));
  }
  for (const uint32_t id : go) {
    const rocksdb::Status status = engine.DeleteBackup(id);
    if (status.ok() || status.IsNotFound()) continue;  // of one that is lost there is nothing more
    return backup_error(status, "The backup " + std::to_string(id) + " in " + directory.path() + " cannot be deleted");
  }
  return go.size();
}

Result<void> note_checked(const std::string& directory, const std::vector<storage::Backup>& before,
                          const storage::Backup& made) {
  PARTITA_TRY(auto checked, read_checked_backups(directory));
  if (!checked) {
    checked.emplace();
    for (const storage::Backup& backup : before) checked->emplace(backup.id, backup.store_id);
  }
  (*checked)[made.id] = made.store_id;
  return write_checked_backups(directory, *checked);
}

std::string told_of_damage(const std::string& directory, const std::string& file) {
  const bool is_shared = !file.starts_with("private/");
  return "its file " + file + " is damaged" +
         (is_shared ? "; `partita backup STORE " + directory + " --mend` copies it again while the store has it" : "");
}

std::vector<uint32_t> unfinished_ids(const std::string& directory) {
  const std::set<uint32_t> listed = ids_in(fs::path(directory) / "meta");
  const auto checked = read_checked_backups(directory);
  std::vector<uint32_t> unfinished;
  for (const uint32_t id : ids_in(fs::path(directory) / "private")) {
    const bool was_made = checked.ok() && *checked && (*checked)->contains(id);
    if (!was_made && (listed.empty() || id > *listed.rbegin())) unfinished.push_back(id);
  }
  return unfinished;
}

}  // namespace partita::rocks
