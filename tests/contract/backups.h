// A store and its directory of backups.
#pragma once

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engines/rocksdb/backup.h"
#include "rocksdb_store.h"
#include "store_directory.h"

namespace partita::contract {

// On a thread of its own: a backup lowers the priority of the thread that makes it for good (base/priority.h), and
// later tests would keep it.
inline Result<storage::BackupResult> backed_up(storage::Engine& engine, const storage::BackupRequest& request) {
  return std::async(std::launch::async, [&] { return engine.maintenance()->back_up(request); }).get();
}

class Backups : public RocksdbStore {
 protected:
  std::string backups() const { return (directory_.path() / "backups").string(); }
  std::string restored() const { return (directory_.path() / "restored").string(); }

  storage::BackupResult back_up(storage::Engine& engine, size_t keep = 0) {
    auto made = backed_up(engine, {backups(), keep, nullptr});
    EXPECT_TRUE(made.ok()) << made.error().sentence();
    return std::move(made).value();
  }
  // An empty directory with that backup in it.
  Result<storage::Backup> try_restore(uint32_t id = 0) {
    std::filesystem::remove_all(restored());
    return restore_backup({backups(), id, restored(), nullptr});
  }
  std::unique_ptr<storage::Engine> open_restored() {
    auto engine = open_store(restored());
    EXPECT_TRUE(engine.ok()) << engine.error().sentence();
    return std::move(engine).value();
  }
  std::unique_ptr<storage::Engine> restore(uint32_t id = 0) {
    const auto done = try_restore(id);
    EXPECT_TRUE(done.ok()) << done.error().sentence();
    return open_restored();
  }
  std::vector<uint32_t> ids() {
    std::vector<uint32_t> found;
    const std::vector<storage::Backup> listed = list_backups(backups()).value();
    for (const storage::Backup& backup : listed) found.push_back(backup.id);
    return found;
  }
  // All that is in the directory of the backups, and when folders last changed.
  std::map<std::string, int64_t> listing() const {
    std::map<std::string, int64_t> all{{"", std::filesystem::last_write_time(backups()).time_since_epoch().count()}};
    for (const auto& entry : std::filesystem::recursive_directory_iterator(backups())) {
      all[entry.path().string()] = entry.last_write_time().time_since_epoch().count();
    }
    return all;
  }
  void expect_private() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(backups())) {
      const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
      EXPECT_EQ(entry.status().permissions() & others, std::filesystem::perms::none) << entry.path();
    }
  }
  // The only file of the backups' tables, of which there is one.
  std::filesystem::path shared_table() const {
    for (const auto& entry : std::filesystem::directory_iterator(backups() + "/shared_checksum")) return entry.path();
    return {};
  }
  static std::filesystem::path largest(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> tables;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() == ".sst") tables.push_back(entry.path());
    }
    return *std::ranges::max_element(tables, {},
                                     [](const std::filesystem::path& one) { return std::filesystem::file_size(one); });
  }
  static void flip(const std::filesystem::path& file) {
    change_bytes(file, std::filesystem::file_size(file) / 2, 1, [](char c) { return static_cast<char>(c ^ 4); });
  }
};

}  // namespace partita::contract
