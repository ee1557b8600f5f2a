// What a store does when its disk fails, and how often it asks the disk to keep what it was given.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "base/random.h"
#include "base/whole_file.h"
#include "contract.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "faulty_files.h"
#include "store_directory.h"

namespace partita::contract {
namespace {

using namespace storage;

class DiskFaults : public testing::Test {
 protected:
  std::unique_ptr<Engine> open(bool sync = true) {
    RocksdbOptions options;
    options.directory = (directory_.path() / "store").string();
    options.sync = sync;
    options.files = files_;
    auto engine = open_rocksdb_engine(options);
    EXPECT_TRUE(engine.ok()) << engine.error().sentence();
    return std::move(engine).value();
  }
  // Waits until what the opening wrote is durable: then the manifest before is deleted, and the directory has changed
  // since it was synced.
  std::unique_ptr<Engine> open_again() {
    const uint64_t deleted = files_->count(FileAct::kDelete, "MANIFEST");
    auto engine = open();
    for (int i = 0; i < 10'000 && files_->count(FileAct::kDelete, "MANIFEST") == deleted; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return engine;
  }
  // The error of a put, or nothing.
  static std::optional<Error> try_put(Engine& engine, const std::string& name, const std::string& value) {
    const Decide decide = [&](auto, Changes& changes) {
      changes.put(key(name), value);
      return Decision::kCommit;
    };
    const auto outcome = wait_for(engine.transact({}, {}, decide));
    return outcome.ok() ? std::nullopt : std::optional(outcome.error());
  }
  // What a kill would leave, opened.
  std::unique_ptr<Engine> open_copy() {
    const auto copy = directory_.path() / "copy";
    std::filesystem::remove_all(copy);
    {
      // RocksDB deletes old files by itself, also those that a copy has just seen.
      const auto still = files_->hold_still();
      std::filesystem::copy(directory_.path() / "store", copy, std::filesystem::copy_options::recursive);
    }
    RocksdbOptions options;
    options.directory = copy.string();
    auto engine = open_rocksdb_engine(options);
    EXPECT_TRUE(engine.ok()) << engine.error().sentence();
    return engine.ok() ? std::move(engine).value() : nullptr;
  }
  uint64_t log_syncs() const { return files_->count(FileAct::kSync, ".log"); }

  TempDirectory directory_;
  std::shared_ptr<FaultyFiles> files_ = std::make_shared<FaultyFiles>();
};

// A kill leaves what the operating system was given, so only counting shows that nothing is acknowledged before the
// disk has it.
TEST_F(DiskFaults, EveryAcknowledgedWriteWasSynced) {
  const auto engine = open();
  for (int i = 0; i < 20; ++i) {
    const uint64_t appended = files_->count(FileAct::kAppend, ".log");
    const uint64_t synced = log_syncs();
    put(*engine, "k" + std::to_string(i), "v");
    EXPECT_GT(files_->count(FileAct::kAppend, ".log"), appended);
    EXPECT_GT(log_syncs(), synced) << "write " << i << " was acknowledged before the disk had it";
  }
  const uint64_t synced = log_syncs();
  append(*engine, "t", "e");
  EXPECT_GT(log_syncs(), synced);
  EXPECT_GE(files_->count(FileAct::kSyncDirectory, ""), 1u);
}

TEST_F(DiskFaults, WithoutSyncNothingIsSynced) {
  const auto engine = open(false);
  const uint64_t synced = log_syncs();
  put(*engine, "a", "1");
  EXPECT_EQ(log_syncs(), synced);
}

// The store serves reads before what its opening wrote is durable, and no write before that.
TEST_F(DiskFaults, AnOpeningThatIsNotDurableTakesNoWrites) {
  for (const auto& [act, file] : {std::pair(FileAct::kRename, "CURRENT"), std::pair(FileAct::kSyncDirectory, "")}) {
    files_->set_rule(FaultyFiles::always(act, file, FaultyFiles::broken()));
    auto engine = open();
    ASSERT_NE(engine, nullptr);
    const auto refused = try_put(*engine, "a", "1");
    ASSERT_TRUE(refused.has_value()) << file;
    EXPECT_EQ(refused->kind(), ErrorKind::kUnavailable);
    EXPECT_EQ(value_of(*engine, "a"), std::nullopt);
    files_->heal();
    ASSERT_TRUE(is_healthy_soon(*engine)) << file;
    put(*engine, "b", "2");
    const auto copy = open_copy();
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(value_of(*copy, "b"), "2");
    put(*engine, "b", "3");
    engine.reset();
    ASSERT_NE(engine = open(), nullptr);
    EXPECT_EQ(value_of(*engine, "b"), "3");
    engine.reset();
    std::filesystem::remove_all(directory_.path() / "store");
  }
}

// The pages of a file whose sync failed may be gone, even if the next sync of it succeeds.
TEST_F(DiskFaults, AFileOfAnOpeningThatIsNotSyncedIsNeverUsed) {
  put(*open(), "a", "1");
  for (const char* const file : {"MANIFEST", ".dbtmp"}) {
    const auto store = directory_.path() / "store";
    const auto current = [&] { return read_whole_file(store / "CURRENT").value(); };
    const std::string before = current();
    files_->set_rule(FaultyFiles::once(FileAct::kSync, file, FaultyFiles::broken()));
    auto engine = open();
    ASSERT_NE(engine, nullptr);
    ASSERT_TRUE(try_put(*engine, "a", "2").has_value()) << file;
    EXPECT_EQ(value_of(*engine, "a"), "1");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the first look comes after 100
    ASSERT_TRUE(try_put(*engine, "a", "2").has_value()) << file;
    engine.reset();
    EXPECT_EQ(current(), before) << file;
    files_->heal();
    ASSERT_NE(engine = open(), nullptr);
    EXPECT_EQ(value_of(*engine, "a"), "1");
    put(*engine, "b", "2");
    EXPECT_NE(current(), before) << file;
  }
}

// Whatever survives a kill or a loss of power before the opening is durable, CURRENT names nothing that is not there.
TEST_F(DiskFaults, CurrentIsThereOnlyOnceWhatItNamesIsDurable) {
  for (const auto& [act, file] : {std::pair(FileAct::kSync, "MANIFEST"), std::pair(FileAct::kSyncDirectory, "")}) {
    files_->set_rule(FaultyFiles::always(act, file, FaultyFiles::broken()));
    auto engine = open();
    ASSERT_NE(engine, nullptr);
    ASSERT_TRUE(try_put(*engine, "a", "1").has_value());
    EXPECT_FALSE(std::filesystem::exists(directory_.path() / "store" / "CURRENT")) << file;
    EXPECT_FALSE(std::filesystem::exists(directory_.path() / "store" / "WITNESS")) << file;
    const auto copy = open_copy();
    ASSERT_NE(copy, nullptr);
    put(*copy, "a", "1");
    files_->heal();
    engine.reset();
    ASSERT_NE(engine = open(), nullptr);
    put(*engine, "a", "2");
    EXPECT_TRUE(std::filesystem::exists(directory_.path() / "store" / "CURRENT"));
    EXPECT_TRUE(std::filesystem::exists(directory_.path() / "store" / "WITNESS"));
    engine.reset();
    std::filesystem::remove_all(directory_.path() / "store");
  }
}

// What such an opening leaves is cleared away. What a store may have left is not: salvage reports a log that is empty.
TEST_F(DiskFaults, OnlyLogsThatNoStoreLeftAreErased) {
  namespace fs = std::filesystem;
  const fs::path store = directory_.path() / "store";
  const auto write = [&](const char* name, std::string_view text) { std::ofstream(store / name) << text; };
  for (const bool is_damaged : {false, true}) {
    for (const bool is_written : {false, true}) {
      fs::remove_all(store);
      fs::create_directory(store);
      write("000004.log", "");
      write("000008.log", is_written ? "1" : "");
      if (is_damaged) write("WITNESS", "partita");
      RocksdbOptions options;
      options.directory = store.string();
      EXPECT_EQ(open_rocksdb_engine(options).ok(), !is_damaged && !is_written);
      if (!is_damaged && !is_written) continue;
      EXPECT_TRUE(fs::exists(store / "000004.log") && fs::exists(store / "000008.log"));
    }
  }
}

TEST_F(DiskFaults, AFailedSyncIsToldAndRecoveredFrom) {
  const auto engine = open();
  put(*engine, "a", "1");
  for (int i = 0; i < 3; ++i) {
    files_->set_rule(FaultyFiles::once(FileAct::kSync, ".log", FaultyFiles::broken()));
    const auto unknown = try_put(*engine, "b", "2");
    ASSERT_TRUE(unknown.has_value());
    EXPECT_EQ(unknown->kind(), ErrorKind::kUnknown);
    EXPECT_NE(unknown->sentence().find("Input/output error"), std::string_view::npos) << unknown->sentence();
    EXPECT_EQ(value_of(*engine, "a"), "1");
    ASSERT_TRUE(is_healthy_soon(*engine));
    // Twice with nothing written between the faults: RocksDB's buffers are empty then.
    if (i > 0) put(*engine, "c" + std::to_string(i), "3");
  }
  const auto copy = open_copy();
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(value_of(*copy, "a"), "1");
  EXPECT_EQ(value_of(*copy, "c1"), "3");
  EXPECT_EQ(value_of(*copy, "c2"), "3");
}

TEST_F(DiskFaults, AFullDiskReadsRefusesAndRecovers) {
  const auto engine = open();
  put(*engine, "a", "1");
  files_->set_rule([](FileAct act, std::string_view) {
    return act == FileAct::kAppend || act == FileAct::kCreate ? FaultyFiles::no_space() : rocksdb::IOStatus::OK();
  });
  const auto unknown = try_put(*engine, "b", "2");
  ASSERT_TRUE(unknown.has_value());
  for (int i = 0; i < 30; ++i) {
    const auto refused = try_put(*engine, "b", "2");
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->kind(), ErrorKind::kUnavailable);
    EXPECT_NE(refused->sentence().find("No space left"), std::string_view::npos) << refused->sentence();
    EXPECT_FALSE(engine->health().ok());
    EXPECT_EQ(value_of(*engine, "a"), "1");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  files_->heal();
  ASSERT_TRUE(is_healthy_soon(*engine));
  put(*engine, "c", "3");
  EXPECT_EQ(value_of(*engine, "a"), "1");
  const auto copy = open_copy();
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(value_of(*copy, "a"), "1");
  EXPECT_EQ(value_of(*copy, "c"), "3");
}

// A recovery begins a log, and whoever is killed then leaves it empty, through any number of openings.
TEST_F(DiskFaults, ALogThatNothingWasWrittenToIsNoDamage) {
  namespace fs = std::filesystem;
  auto engine = open();
  put(*engine, "a", "1");
  files_->set_rule(FaultyFiles::once(FileAct::kSync, ".log", FaultyFiles::broken()));
  ASSERT_TRUE(try_put(*engine, "b", "2").has_value());
  ASSERT_TRUE(is_healthy_soon(*engine));
  fs::path last = directory_.path() / "store";
  for (int life = 0; life < 3; ++life) {
    const fs::path next = directory_.path() / ("life" + std::to_string(life));
    copy_store(last, next);
    engine.reset();
    RocksdbOptions options;
    options.directory = next.string();
    auto opened = open_rocksdb_engine(options);
    ASSERT_TRUE(opened.ok()) << opened.error().sentence();
    engine = std::move(opened).value();
    EXPECT_EQ(value_of(*engine, "a"), "1");
    last = next;
  }
}

// Records and topics are written out one after the other, and a kill comes between.
class FailedWrites : public DiskFaults, public testing::WithParamInterface<FileAct> {};
INSTANTIATE_TEST_SUITE_P(Acts, FailedWrites, testing::Values(FileAct::kSync, FileAct::kSyncDirectory));

TEST_P(FailedWrites, AreFoundWholeOrNotAtAll) {
  const bool of_directory = GetParam() == FileAct::kSyncDirectory;
  if (of_directory) put(*open(), "a", "1");  // the next opening begins a log
  const auto engine = of_directory ? open_again() : open();
  const auto write_both = [](const std::string& name) -> Decide {
    return [name](auto, Changes& changes) {
      changes.put(key(name), "1");
      changes.append("t", name);
      return Decision::kCommit;
    };
  };
  if (!of_directory) put(*engine, "a", "1");
  files_->set_rule([sync = FaultyFiles::once(GetParam(), of_directory ? "" : ".log", FaultyFiles::broken()),
                    tables = std::make_shared<std::atomic<int>>(0)](FileAct act, std::string_view file) {
    if (act == FileAct::kCreate && file.ends_with(".sst") && tables->fetch_add(1) > 0) return FaultyFiles::broken();
    return sync(act, file);
  });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  // A directory that is synced already is synced again once the manifest before is deleted, in the background.
  size_t written = 0;
  while (wait_for(blind(*engine, write_both("b" + std::to_string(written)))).ok()) {
    ++written;
    ASSERT_TRUE(of_directory);
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  }
  while (files_->count(FileAct::kCreate, ".sst") < 2) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto copy = open_copy();
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(value_of(*copy, "a"), "1");
  EXPECT_EQ(value_of(*copy, "b" + std::to_string(written)).has_value(), read_log(*copy, "t").size() == written + 1);
  files_->heal();
  EXPECT_TRUE(is_healthy_soon(*engine));
}

// Of a log that is new the directory is synced too, after the first write.
TEST_F(DiskFaults, ADirectoryThatWasNotSyncedSpoilsTheLog) {
  put(*open(), "a", "0");  // the next opening begins a log, and has nothing of its own to write
  const auto engine = open_again();
  files_->set_rule(FaultyFiles::once(FileAct::kSyncDirectory, "", FaultyFiles::broken()));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!try_put(*engine, "a", "1")) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  ASSERT_TRUE(is_healthy_soon(*engine));
  put(*engine, "b", "2");
  const auto copy = open_copy();
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(value_of(*copy, "b"), "2");
}

// Tables are written in the background, while many writers go on.
TEST_F(DiskFaults, AFaultInTheBackgroundMeetsQueuedWrites) {
  const auto engine = open();
  for (int round = 0; round < 3; ++round) {
    files_->set_rule(FaultyFiles::always(FileAct::kSync, ".sst", FaultyFiles::broken()));
    std::vector<std::thread> writers;
    for (int t = 0; t < 8; ++t) {
      writers.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) {
          if (try_put(*engine, "k" + std::to_string(t), std::string(200'000, 'v'))) break;
        }
      });
    }
    for (std::thread& writer : writers) writer.join();
    EXPECT_FALSE(engine->health().ok());
    files_->heal();
    ASSERT_TRUE(is_healthy_soon(*engine));
    put(*engine, "after", "it");
  }
}

// Any act on any kind of file fails, once or for a while: nothing acknowledged is lost, then or after a kill.
TEST_F(DiskFaults, NoFaultLosesWhatWasAcknowledged) {
  SeededRandom random(seed());
  const auto engine = open();
  std::map<std::string, std::set<std::string>> possible;  // the last acknowledged value, and those of unknown outcome
  const auto check = [&](Engine& store, const char* when) {
    for (const auto& [name, values] : possible) {
      const auto found = value_of(store, name);
      EXPECT_TRUE(values.contains(found.value_or(""))) << when << ": " << name;
    }
  };
  const uint64_t rounds = setting("PARTITA_DISK_FAULTS", 6);
  for (uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    constexpr FileAct kActs[] = {FileAct::kAppend, FileAct::kSync,   FileAct::kCreate,
                                 FileAct::kRename, FileAct::kAppend, FileAct::kSyncDirectory};
    const char* const kParts[] = {".log", ".sst", "MANIFEST", ""};
    const FileAct act = kActs[random.below(std::size(kActs))];
    const std::string part = kParts[random.below(std::size(kParts))];
    const rocksdb::IOStatus error = random.below(2) == 0 ? FaultyFiles::no_space() : FaultyFiles::broken();
    const bool once = random.below(2) == 0;
    for (int i = 0; i < 60; ++i) {
      if (i == 20) files_->set_rule(once ? FaultyFiles::once(act, part, error) : FaultyFiles::always(act, part, error));
      const std::string name = "k" + std::to_string(random.below(100));
      const std::string value = std::to_string(random.next()) + std::string(random.below(900'000), 'v');
      auto& values = possible[name];
      if (values.empty()) values.insert("");
      const auto failed = try_put(*engine, name, value);
      if (!failed) {
        values = {value};
      } else if (failed->kind() == ErrorKind::kUnknown) {
        values.insert(value);
      } else {
        EXPECT_EQ(failed->kind(), ErrorKind::kUnavailable) << failed->sentence();
      }
    }
    check(*engine, "with the fault");
    files_->heal();
    EXPECT_TRUE(is_healthy_soon(*engine)) << engine->health().error().sentence();
    put(*engine, "after", "it");
    check(*engine, "after the fault");
    const auto copy = open_copy();
    if (copy != nullptr) check(*copy, "after a kill");
  }
}

}  // namespace
}  // namespace partita::contract
