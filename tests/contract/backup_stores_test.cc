// Which store backups are of, what is kept of them, and what is checked before anything is deleted.
#include <sys/resource.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "backups.h"
#include "base/log.h"
#include "engines/rocksdb/checked_backups.h"
#include "little_memory.h"

namespace partita::contract {
namespace {

using namespace storage;
namespace fs = std::filesystem;

// While it lives the process can open no file.
class FewFiles {
 public:
  FewFiles() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit none{0, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~FewFiles() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }
  FewFiles(const FewFiles&) = delete;
  FewFiles& operator=(const FewFiles&) = delete;

 private:
  rlimit before_{};
};

class BackupsOfStores : public Backups {
 protected:
  std::string elsewhere() const { return (directory_.path() / "elsewhere").string(); }
  Error refused(Engine& engine, size_t keep = 0) {
    const auto made = backed_up(engine, {backups(), keep, nullptr});
    EXPECT_FALSE(made.ok());
    return made.ok() ? Error(ErrorKind::kUnknown, "it was made") : made.error();
  }
  static void expect_says(const Error& error, ErrorKind kind, const std::vector<std::string>& parts) {
    EXPECT_EQ(error.kind(), kind) << error.sentence();
    for (const std::string& part : parts) EXPECT_TRUE(error.sentence().contains(part)) << error.sentence();
  }
  // More records, in a table of their own.
  void fill_more() {
    const auto engine = open();
    const std::string value(100'000, 'w');
    for (int i = 0; i < 150; ++i) put(*engine, "more" + std::to_string(i), value);
  }
};

TEST_F(BackupsOfStores, FollowAStoreThatWasMoved) {
  put(*open(), "k", "1");
  back_up(*open());
  fs::rename(path(), elsewhere());
  const auto moved = open_store(elsewhere());
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(back_up(**moved, 1).backup.id, 2u);
  EXPECT_EQ(ids(), std::vector<uint32_t>{2});
}

TEST_F(BackupsOfStores, AreRefusedToANewStoreInTheSamePlace) {
  fill(*open());
  const std::string first = back_up(*open()).backup.store_id;
  EXPECT_EQ(first.size(), 36u);
  fs::remove_all(path());
  const auto engine = open();
  const auto before = listing();
  for (int night = 0; night < 3; ++night) {
    expect_says(refused(*engine, 1), ErrorKind::kInvalid, {backups() + " holds backups of another store, " + first});
  }
  EXPECT_EQ(listing(), before);
  EXPECT_TRUE(value_of(*restore(), big_name(7)).has_value());
}

TEST_F(BackupsOfStores, GoOnOfARestoredStore) {
  put(*open(), "k", "1");
  const std::string id = back_up(*open()).backup.store_id;
  fs::remove_all(path());
  ASSERT_TRUE(restore_backup({backups(), 0, path(), nullptr}).ok());
  EXPECT_EQ(back_up(*open()).backup.store_id, id);
}

// A damaged or a lost backup is of its store too.
TEST_F(BackupsOfStores, AreOfTheirStoreWhenTheyAreDamaged) {
  fill(*open());
  back_up(*open());
  fs::rename(backups() + "/meta/1", directory_.path() / "list");
  fs::remove_all(path());
  expect_says(refused(*open()), ErrorKind::kInvalid, {"holds backups of another store"});
  fs::rename(directory_.path() / "list", backups() + "/meta/1");
  EXPECT_TRUE(value_of(*restore(), big_name(7)).has_value());
}

TEST_F(BackupsOfStores, AreNotMadeOfADamagedTable) {
  fill(*open());
  back_up(*open());
  const fs::path first = largest(path());
  fill_more();
  fs::path second;
  for (const fs::path& table : files(".sst")) {
    if (table != first && (second.empty() || fs::file_size(table) > fs::file_size(second))) second = table;
  }
  flip(second);
  const auto engine = open();
  ASSERT_TRUE(engine->health().ok());
  expect_says(refused(*engine, 1), ErrorKind::kCorrupt, {second.filename().string(), "is damaged", "salvage"});
  EXPECT_EQ(ids(), std::vector<uint32_t>{1});
  EXPECT_TRUE(value_of(*restore(), big_name(7)).has_value());
  // The operator is told of the store too.
  EXPECT_EQ(engine->health().error().kind(), ErrorKind::kCorrupt);
}

// While the store is open, all that is in its log is in memory.
// The process may open no file when the copies are read.
TEST_F(BackupsOfStores, DoNotBlameTheStoreForCopiesThatCanNotBeRead) {
  fill_more();
  const auto engine = open();
  std::optional<FewFiles> few;
  const OnBytes progress = [&](uint64_t) {
    if (!few && fs::exists(backups() + "/meta/1")) few.emplace();
    return true;
  };
  const auto made = backed_up(*engine, {backups(), 0, progress});
  ASSERT_TRUE(few.has_value());
  few.reset();
  ASSERT_FALSE(made.ok());
  expect_says(made.error(), ErrorKind::kUnavailable, {".sst cannot be read"});
  EXPECT_TRUE(engine->health().ok());
  back_up(*engine);
}

TEST_F(BackupsOfStores, WriteADamagedLogAnew) {
  const auto engine = open();
  for (int i = 0; i < 100; ++i) put(*engine, "k" + std::to_string(i), std::string(1'000, 'v'));
  const fs::path log = newest_log(path());
  change_bytes(log, fs::file_size(log) / 2, 1, [](char c) { return static_cast<char>(c ^ 1); });
  back_up(*engine);
  EXPECT_EQ(ids(), std::vector<uint32_t>{2});
  const auto restored = restore();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(value_of(*restored, "k" + std::to_string(i)).has_value()) << i;
}

TEST_F(BackupsOfStores, KeepOldOnesUntilTheNewestIsRead) {
  fill(*open());
  const auto engine = open();
  for (int i = 0; i < 2; ++i) back_up(*engine);
  const fs::path table = largest(backups() + "/shared_checksum");
  flip(table);
  expect_says(refused(*engine, 1), ErrorKind::kCorrupt, {table.filename().string(), "No backup was deleted"});
  EXPECT_EQ(ids(), (std::vector<uint32_t>{1, 2, 3}));
  const auto pruned = delete_old_backups(backups(), 1);
  ASSERT_FALSE(pruned.ok());
  expect_says(pruned.error(), ErrorKind::kCorrupt, {"No backup was deleted"});
  EXPECT_EQ(ids(), (std::vector<uint32_t>{1, 2, 3}));
  flip(table);
  EXPECT_EQ(delete_old_backups(backups(), 1).value(), 2u);
  EXPECT_EQ(ids(), std::vector<uint32_t>{3});
}

TEST_F(BackupsOfStores, ThatLostTheirListsAreMissed) {
  const auto engine = open();
  put(*engine, "k", "1");
  for (int i = 0; i < 3; ++i) back_up(*engine);
  fs::remove(backups() + "/meta/2");
  fs::remove(backups() + "/meta/3");
  const std::vector<Backup> listed = list_backups(backups()).value();
  ASSERT_EQ(listed.size(), 3u);
  EXPECT_FALSE(listed[0].damaged);
  EXPECT_EQ(listed[1].damage, "its list, meta/2, is missing");
  EXPECT_EQ(listed[2].damage, "its list, meta/3, is missing");
  expect_says(try_restore().error(), ErrorKind::kCorrupt, {"The newest backup in", "3, is damaged"});
  EXPECT_EQ(back_up(*engine).lost, (std::vector<uint32_t>{2, 3}));
  EXPECT_FALSE(list_backups(backups()).value()[1].damaged) << "RocksDB gives away the number anew";
  EXPECT_EQ(back_up(*engine, 2).backup.id, 3u);
  EXPECT_EQ(ids(), (std::vector<uint32_t>{2, 3}));
  const std::vector<Backup> all = list_backups(backups()).value();
  for (const Backup& backup : all) EXPECT_FALSE(backup.damaged) << backup.id;
}

// As in a directory of an older version.
TEST_F(BackupsOfStores, ThatLostTheirListsAreMissedWithoutTheNoteOfThem) {
  const auto engine = open();
  for (int i = 0; i < 3; ++i) back_up(*engine);
  fs::remove(backups() + "/PARTITA-CHECKED");
  const std::vector<Backup> before = list_backups(backups()).value();
  for (const Backup& backup : before) EXPECT_FALSE(backup.damaged || backup.unchecked);
  fs::remove(backups() + "/meta/1");
  EXPECT_TRUE(list_backups(backups()).value()[0].damaged);
  fs::remove_all(backups() + "/meta");
  EXPECT_EQ(unfinished_backups(backups()), (std::vector<uint32_t>{1, 2, 3}));
}

// As it is when the process is killed between the list of a backup that is deleted and its files.
TEST_F(BackupsOfStores, WhoseDeletionWasCutOffAreNotMissed) {
  const auto engine = open();
  for (int i = 0; i < 3; ++i) back_up(*engine);
  EXPECT_EQ(delete_old_backups(backups(), 2).value(), 1u);
  fs::create_directory(backups() + "/private/1");
  EXPECT_EQ(ids(), (std::vector<uint32_t>{2, 3}));
  EXPECT_EQ(back_up(*engine).lost, std::vector<uint32_t>());
}

TEST_F(BackupsOfStores, WhoseCommandWasEndedAreToldOf) {
  const auto engine = open();
  back_up(*engine);
  EXPECT_EQ(unfinished_backups(backups()), std::vector<uint32_t>());
  fs::create_directory(backups() + "/private/2");
  EXPECT_EQ(unfinished_backups(backups()), std::vector<uint32_t>{2});
  EXPECT_EQ(ids(), std::vector<uint32_t>{1});
  back_up(*engine);
  auto checked = rocks::read_checked_backups(backups()).value();
  ASSERT_TRUE(checked.has_value());
  EXPECT_EQ(checked->size(), 2u);
  checked->erase(2);  // as it is when the process ends before the check does
  ASSERT_TRUE(rocks::write_checked_backups(backups(), *checked).ok());
  const auto listed = list_backups(backups()).value();
  EXPECT_FALSE(listed[0].unchecked);
  EXPECT_TRUE(listed[1].unchecked);
}

TEST_F(BackupsOfStores, OfSeveralAreRestoredByTheirNumbers) {
  const auto engine = open();
  put(*engine, "k", "1");
  for (int i = 0; i < 2; ++i) back_up(*engine);
  // As no backup makes it: the second is of another store.
  const auto list = backups() + "/meta/2";
  std::ifstream in(list, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string id = "0A696420";  // "\nid ", as it is spelled there
  const size_t at = text.find(id) + id.size();
  ASSERT_NE(text.find(id), std::string::npos);
  text[at + 1] = text[at + 1] == '1' ? '2' : '1';
  std::ofstream(list, std::ios::binary) << text;
  ASSERT_EQ(ids(), (std::vector<uint32_t>{1, 2}));
  expect_says(try_restore().error(), ErrorKind::kInvalid, {"holds backups of several stores"});
  EXPECT_EQ(value_of(*restore(1), "k"), "1");
  EXPECT_EQ(delete_old_backups(backups(), 1).value(), 0u) << "the last of each store stays";
}

class Scrubbed : public Backups {
 protected:
  static ScrubState after(const Scrub& scrub, uint64_t rounds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (scrub.state().rounds < rounds && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return scrub.state();
  }
};

TEST_F(Scrubbed, StoresTellOfDamageAndOfItsEnd) {
  fill(*open());
  const auto engine = open();
  const auto scrub = std::move(engine->maintenance()->start_scrub({.rest_ms = 5})).value();
  const ScrubState sound = after(*scrub, 1);
  EXPECT_EQ(sound.damaged, std::vector<std::string>());
  EXPECT_TRUE(engine->health().ok());
  const fs::path table = largest(path());
  flip(table);
  const ScrubState damaged = after(*scrub, scrub->state().rounds + 2);
  ASSERT_EQ(damaged.damaged.size(), 1u);
  EXPECT_TRUE(damaged.damaged[0].contains(table.filename().string()));
  EXPECT_EQ(engine->health().error().kind(), ErrorKind::kCorrupt);
  EXPECT_TRUE(engine->health().error().sentence().contains(table.filename().string()));
  put(*engine, "it", "serves");
  flip(table);
  after(*scrub, scrub->state().rounds + 2);
  EXPECT_TRUE(engine->health().ok());
}

TEST_F(Scrubbed, StoresAreNotDamagedBecauseNoFileCanBeOpened) {
  fill(*open());
  const auto engine = open();
  std::optional<FewFiles> few(std::in_place);
  const auto scrub = std::move(engine->maintenance()->start_scrub({.rest_ms = 5})).value();
  const ScrubState unread = after(*scrub, 2);
  few.reset();
  EXPECT_EQ(unread.damaged, std::vector<std::string>());
  EXPECT_TRUE(engine->health().ok());
}

TEST_F(Scrubbed, StoresAreServedWithoutMemoryForTheScrub) {
  fill(*open());
  const auto engine = open();
  largest_allocation = 200'000;
  const auto scrub = std::move(engine->maintenance()->start_scrub({.rest_ms = 5})).value();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  largest_allocation = SIZE_MAX;
  EXPECT_TRUE(engine->health().ok());
  EXPECT_GE(after(*scrub, 1).rounds, 1u);
}

TEST_F(Scrubbed, StoresAreLeftAtOnce) {
  fill(*open());
  const auto engine = open();
  auto scrub = std::move(engine->maintenance()->start_scrub({.rest_ms = 3'600'000, .bytes_per_second = 1})).value();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto began = std::chrono::steady_clock::now();
  scrub.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60));
}

TEST_F(Scrubbed, StoresCountReadsThatMeetDamage) {
  fill(*open());
  const auto engine = open();
  change_bytes(largest(path()), 0, 4'000, [](char c) { return static_cast<char>(c ^ 1); });
  const std::vector<Key> keys{key(big_name(0))};
  EXPECT_EQ(wait_for(engine->read(keys)).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(engine->health().error().kind(), ErrorKind::kCorrupt);
  put(*engine, "it", "serves");
  EXPECT_EQ(value_of(*engine, "it"), "serves");
}

}  // namespace
}  // namespace partita::contract
