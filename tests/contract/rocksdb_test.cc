// What only a store on a disk can get wrong: reopening, damage, crashes, a full disk, slow reads.
#include <fcntl.h>
#include <rocksdb/db.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>

#include "base/bytes.h"
#include "base/check.h"
#include "base/thread.h"
#include "child.h"
#include "contract.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "faulty_files.h"
#include "little_memory.h"
#include "rocksdb_store.h"
#include "storage/positions.h"

namespace partita::contract {
namespace {

using namespace storage;
namespace fs = std::filesystem;

TEST_F(RocksdbStore, DataAndLogSurviveReopening) {
  Position end{};
  Version version{};
  for (int round = 0; round < 3; ++round) {
    const auto engine = open();
    if (round > 0) {
      EXPECT_EQ(value_of(*engine, "a"), std::to_string(round - 1));
      EXPECT_EQ(get(*engine, "a")->version, version);
      EXPECT_EQ(log_end(*engine, "t"), end);
      EXPECT_EQ(read_log(*engine, "t").size(), static_cast<size_t>(round));
    }
    put(*engine, "a", std::to_string(round));
    append(*engine, "t", std::to_string(round));
    EXPECT_NE(get(*engine, "a")->version, version);
    EXPECT_GT(log_end(*engine, "t"), end);
    end = log_end(*engine, "t");
    version = get(*engine, "a")->version;
  }
  {
    const auto engine = open();
    trim(*engine, "t", end);
  }
  const auto engine = open();
  EXPECT_TRUE(read_log(*engine, "t").empty());
  EXPECT_EQ(log_end(*engine, "t"), end);
}

TEST_F(RocksdbStore, IsNotOpenedWithoutThreads) {
  {
    const ThreadStartFailure none;
    const auto opened = try_open();
    ASSERT_FALSE(opened.ok());
    EXPECT_TRUE(is_thread_refusal(opened.error()));
  }
  EXPECT_TRUE(try_open().ok());
}

// The batch of one commit is larger than what anybody is given; what it is made of is not.
TEST_F(RocksdbStore, AWriteThatThereIsNoMemoryForIsRefusedAndTheStoreGoesOn) {
  const auto engine = open();
  put(*engine, "before", "1");
  const auto write = [&] {
    const Decide decide = [](auto, Changes& changes) {
      for (int i = 0; i < 5; ++i) changes.put(key("large" + std::to_string(i)), std::string(1'500'000, 'v'));
      return Decision::kCommit;
    };
    return wait_for(blind(*engine, decide));
  };
  largest_allocation = size_t{2} << 20;
  const auto refused = write();
  largest_allocation = SIZE_MAX;
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(refused.error().sentence(), "There was not enough memory for the write.");
  EXPECT_FALSE(get(*engine, "large0").has_value());
  EXPECT_TRUE(engine->health().ok());
  EXPECT_TRUE(write().ok());
  EXPECT_TRUE(get(*engine, "large4").has_value());
  EXPECT_EQ(value_of(*engine, "before"), "1");
}

TEST_F(RocksdbStore, PositionsOfARestoredLogAreNeverGivenAgain) {
  const Position far = numbered_position((uint64_t{70} << 40) + 12);
  {
    const auto engine = open();
    ASSERT_TRUE(wait_for(engine->restore_log("t", {{far, "far"}}, far)).ok());
  }
  const auto engine = open();
  append(*engine, "t", "next");
  append(*engine, "u", "other");
  EXPECT_GT(log_end(*engine, "t"), far);
  EXPECT_GT(log_end(*engine, "u"), far);
  EXPECT_EQ(entries_of(read_log(*engine, "t")), (std::vector<std::string>{"far", "next"}));
}

TEST_F(RocksdbStore, OpensOnceAtATime) {
  const auto engine = open();
  expect_refused(ErrorKind::kUnavailable, "is in use by another server");
}

TEST_F(RocksdbStore, SaysWhenTheDirectoryCanNotBeMadeOrIsNone) {
  std::ofstream(path()) << "a file";
  expect_refused(ErrorKind::kUnavailable, "is a file");
  RocksdbOptions options;
  options.directory = path() + "/below";
  const auto engine = open_rocksdb_engine(options);
  ASSERT_FALSE(engine.ok());
  EXPECT_NE(engine.error().sentence().find("cannot be made"), std::string_view::npos);
}

TEST_F(RocksdbStore, SaysWhenTheDirectoryCanNotBeWritten) {
  constexpr uid_t kNobody = 65534;
  const auto readable = fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec;
  fs::create_directory(path());
  fs::permissions(path(), readable);
  fs::permissions(directory_.path(), fs::perms::all);
  // Root may write everywhere, so root becomes somebody else for a moment.
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(seteuid(kNobody), 0);
  }
  expect_refused(ErrorKind::kUnavailable, "cannot be written");
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
}

TEST_F(RocksdbStore, RefusesANewerFormatAndForeignStores) {
  {
    put(*open(), "a", "1");
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(rocksdb::DBOptions(), path(),
                                {{"default", rocksdb::ColumnFamilyOptions()}, {"log", rocksdb::ColumnFamilyOptions()}},
                                &handles, &opened)
                  .ok());
  std::unique_ptr<rocksdb::DB> db(opened);
  std::string newer;
  append_u32(newer, 2);
  ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), handles[1], "Mformat", newer).ok());
  ASSERT_TRUE(db->DestroyColumnFamilyHandle(handles[0]).ok());
  ASSERT_TRUE(db->DestroyColumnFamilyHandle(handles[1]).ok());
  db.reset();
  expect_refused(ErrorKind::kInvalid, "newer version");

  fs::remove_all(path());
  rocksdb::Options options;
  options.create_if_missing = true;
  ASSERT_TRUE(rocksdb::DB::Open(options, path(), &opened).ok());
  db.reset(opened);
  ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), "somebody", "else's").ok());
  db.reset();
  expect_refused(ErrorKind::kInvalid, "did not make");
}

// RocksDB takes half a manifest for one of an earlier moment and would open an older store, or an empty one.
TEST_F(RocksdbStore, AManifestCutShortIsAnError) {
  {
    fill(*open());
  }
  const fs::path manifest = files("MANIFEST").at(0);
  fs::resize_file(manifest, fs::file_size(manifest) / 2);
  expect_refused(ErrorKind::kCorrupt, "is damaged");
  expect_refused(ErrorKind::kCorrupt, "is damaged");
}

TEST_F(RocksdbStore, AnEmptyManifestOrNoCurrentIsAnError) {
  {
    fill(*open());
  }
  fs::resize_file(files("MANIFEST").at(0), 0);
  expect_refused(ErrorKind::kCorrupt, "is damaged");
  fs::remove(fs::path(path()) / "CURRENT");
  expect_refused(ErrorKind::kCorrupt, "CURRENT is missing");
}

TEST_F(RocksdbStore, DamagedTablesAreErrorsNotAnswers) {
  {
    fill(*open());
  }
  ASSERT_FALSE(files(".sst").empty());
  for (const fs::path& table : files(".sst")) {
    const auto size = fs::file_size(table);
    std::fstream file(table, std::ios::in | std::ios::out | std::ios::binary);
    for (uint64_t at = 100; at + 100 < size; at += 1000) {
      file.seekp(static_cast<std::streamoff>(at));
      file << "damage";
    }
  }
  const auto engine = try_open();
  if (!engine.ok()) {
    EXPECT_EQ(engine.error().kind(), ErrorKind::kCorrupt) << engine.error().sentence();
    return;
  }
  const std::vector<Key> keys{key(big_name(7))};
  const auto read = wait_for(engine.value()->read(keys));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind(), ErrorKind::kCorrupt);
  const auto page = wait_for(engine.value()->scan({"", ""}, Direction::kAscending, 10'000, kMaxPageBytes));
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().kind(), ErrorKind::kCorrupt);
  const Decide decide = [](auto, Changes&) { return Decision::kCommit; };
  const auto decision = wait_for(engine.value()->transact(keys, {}, decide));
  ASSERT_FALSE(decision.ok());
  EXPECT_EQ(decision.error().kind(), ErrorKind::kCorrupt);
}

// Far more than may be queued at once: callers wait for room and all get done.
TEST_F(RocksdbStore, AFullQueueMakesCallersWait) {
  const auto engine = open();
  constexpr int kCalls = 400;
  std::atomic<int> left{kCalls};
  std::atomic<int> failed{0};
  std::promise<void> finished;
  auto done = [&](Result<Outcome> outcome) {
    if (!outcome.ok()) ++failed;
    if (--left == 0) finished.set_value();
  };
  LoopThread loop;
  loop.post([&] {
    for (int i = 0; i < kCalls; ++i) {
      const Decide decide = [i](auto, Changes& changes) {
        changes.put(key("k" + std::to_string(i)), std::string(200'000, 'x'));
        return Decision::kCommit;
      };
      start(blind(*engine, decide), done);
    }
  });
  finished.get_future().wait();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(scan(*engine, {"k", "l"}, Direction::kAscending).size(), static_cast<size_t>(kCalls));
}

// ---- Other processes.

std::unique_ptr<Engine> open_in_child() {
  RocksdbOptions options;
  options.directory = child_directory();
  return open_rocksdb_engine(options).value();
}

std::string written_name(uint64_t thread, uint64_t i) { return "w" + std::to_string(thread) + "." + std::to_string(i); }

// Writes until it is killed; reports each write once it is acknowledged.
void write_forever(Engine& engine, uint64_t thread) {
  const std::string last = "last" + std::to_string(thread);
  for (uint64_t i = 0;; ++i) {
    const std::string name = written_name(thread, i);
    transact(engine, {last}, [&](auto, Changes& changes) {
      changes.put(key(last), std::to_string(i));
      changes.put(key(name), std::string(i % 700, 'v'));
      changes.append("writes", name);
      return Decision::kCommit;
    });
    report(name);
  }
}

TEST(Child, DISABLED_WritesUntilKilled) {
  const auto engine = open_in_child();
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 6; ++t) threads.emplace_back([&, t] { write_forever(*engine, t); });
  for (std::thread& thread : threads) thread.join();
}

std::vector<std::string> reports_until_killed(const Child& child, size_t kill_after) {
  std::vector<std::string> lines;
  const int status = follow(child, [&](std::string_view line) {
    lines.emplace_back(line);
    if (lines.size() == kill_after) kill(child.pid, SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
  return lines;
}

TEST_F(RocksdbStore, NothingAcknowledgedIsLostByAKill) {
  SeededRandom random(seed());
  for (int round = 0; round < 6; ++round) {
    fs::remove_all(path());
    const Child child = start_child("WritesUntilKilled", path());
    const std::vector<std::string> acknowledged = reports_until_killed(child, 1 + random.below(6000));
    const auto began = std::chrono::steady_clock::now();
    const auto engine = open();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15));
    for (const std::string& name : acknowledged) ASSERT_TRUE(get(*engine, name).has_value()) << name;
    // Acknowledged or not, a write is there with its log entry or not at all, and none is there without its forerunner.
    const auto log = read_log(*engine, "writes");
    EXPECT_GE(log.size(), acknowledged.size());
    EXPECT_EQ(scan(*engine, {"w", "x"}, Direction::kAscending).size(), log.size());
    for (const LogEntry& entry : log) ASSERT_TRUE(get(*engine, entry.entry).has_value()) << entry.entry;
    uint64_t expected = 0;
    for (uint64_t t = 0; t < 6; ++t) {
      const auto last = value_of(*engine, "last" + std::to_string(t));
      if (!last) continue;
      expected += std::stoull(*last) + 1;
      EXPECT_TRUE(get(*engine, written_name(t, std::stoull(*last))).has_value());
    }
    EXPECT_EQ(expected, log.size());
  }
}

// Or a cut of the last acknowledged record would pass for the end of a killed server's log, however long it idled.
TEST_F(RocksdbStore, AnIdleStoresWitnessKnowsAllThatWasAcknowledged) {
  auto engine = open();
  for (int i = 0; i < 20; ++i) put(*engine, "k" + std::to_string(i), "v");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto witness = [this] {
    std::ifstream file(fs::path(path()) / "WITNESS");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string idle = witness();
  engine.reset();
  EXPECT_FALSE(idle.empty());
  EXPECT_EQ(idle, witness());
}

TEST_F(RocksdbStore, ABlockDamagedWhileItIsOpenIsToldAndTheOthersAreRead) {
  fill(*open());
  const auto engine = open(size_t{64} << 10);
  const auto tables = files(".sst");
  ASSERT_FALSE(tables.empty());
  const auto by_size = [](const fs::path& a, const fs::path& b) { return fs::file_size(a) < fs::file_size(b); };
  const fs::path table = *std::max_element(tables.begin(), tables.end(), by_size);
  {
    std::fstream stream(table, std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(fs::file_size(table) / 2);
    stream.seekg(at);
    const auto byte = static_cast<char>(stream.get() ^ 1);
    stream.seekp(at);
    stream.put(byte);
  }
  std::string unreadable;
  int failed = 0;
  for (int i = 0; i < 150; ++i) {
    const std::vector<Key> keys{key(big_name(i))};
    const auto found = wait_for(engine->read(keys));
    if (found.ok()) {
      ASSERT_TRUE((*found)[0].has_value()) << i;
      EXPECT_EQ((*found)[0]->value, std::string(100'000, 'v') + std::to_string(i));
      continue;
    }
    EXPECT_EQ(found.error().kind(), ErrorKind::kCorrupt) << found.error().sentence();
    unreadable = big_name(i);
    ++failed;
  }
  EXPECT_GT(failed, 0);
  EXPECT_LT(failed, 10);
  const auto page = wait_for(engine->scan({"big", "bih"}, Direction::kAscending, 1'000, kMaxPageBytes));
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().kind(), ErrorKind::kCorrupt);
  const Decide overwrite = [&](auto, Changes& changes) {
    changes.put(key(unreadable), "new");
    return Decision::kCommit;
  };
  const auto seen = wait_for(engine->transact({key(unreadable)}, {}, overwrite));
  ASSERT_FALSE(seen.ok());
  EXPECT_EQ(seen.error().kind(), ErrorKind::kCorrupt);
  EXPECT_FALSE(engine->health().ok());  // which is told, and keeps nobody from the rest
  put(*engine, unreadable, "new");
  EXPECT_EQ(value_of(*engine, unreadable), "new");
}

// Descriptors below it may be open, none above.
rlim_t lowest_free_descriptor() {
  const int next = dup(STDERR_FILENO);
  close(next);
  return static_cast<rlim_t>(next);
}

// Tables are written out, and a log begun for each, while there is no descriptor left for them.
TEST(Child, DISABLED_RunsOutOfDescriptors) {
  const auto engine = open_in_child();
  put(*engine, "first", "1");
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlim_t enough = limit.rlim_cur;
  int number = 0;
  int refused = 0;
  const auto write_one = [&] {
    const std::string name = "k" + std::to_string(number++);
    const Decide decide = [&](auto, Changes& changes) {
      changes.put(key(name), std::string(1 << 20, 'v'));
      return Decision::kCommit;
    };
    const auto outcome = wait_for(blind(*engine, decide));
    if (outcome.ok()) report(name);
    return outcome.ok();
  };
  for (int round = 0; round < 2; ++round) {
    limit.rlim_cur = lowest_free_descriptor();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    const int before = refused;
    for (int i = 0; i < 90; ++i) {
      if (write_one()) continue;
      ++refused;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_GT(refused, before);
    EXPECT_TRUE(get(*engine, "k0").has_value());
    limit.rlim_cur = enough;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int i = 0; i < 1000 && !engine->health().ok(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(engine->health().ok()) << engine->health().error().sentence();
    EXPECT_TRUE(write_one());
  }
}

TEST_F(RocksdbStore, WithoutDescriptorsItLivesAndRecovers) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "without descriptors the sanitizer cannot look at memory, and calls whole objects broken";
#endif
  std::vector<std::string> acknowledged;
  const int status = follow(start_child("RunsOutOfDescriptors", path()),
                            [&](std::string_view name) { acknowledged.emplace_back(name); });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_GT(acknowledged.size(), 10U);
  const auto engine = open();
  for (const std::string& name : acknowledged) EXPECT_TRUE(get(*engine, name).has_value()) << name;
}

// A limit on the size of files stands for a full disk.
TEST(Child, DISABLED_FillsItsDisk) {
  signal(SIGXFSZ, SIG_IGN);
  const auto engine = open_in_child();
  put(*engine, "first", "1");
  const rlimit limit{.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const Decide decide = [](auto, Changes& changes) {
    changes.put(key("big"), std::string(3 << 20, 'x'));
    return Decision::kCommit;
  };
  const auto failed = wait_for(blind(*engine, decide));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind(), ErrorKind::kUnknown) << failed.error().sentence();
  const Decide small = [](auto, Changes& changes) {
    changes.put(key("small"), "x");
    return Decision::kCommit;
  };
  for (int i = 0; i < 3; ++i) {
    const auto refused = wait_for(blind(*engine, small));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable) << refused.error().sentence();
  }
  EXPECT_EQ(value_of(*engine, "first"), "1");
  EXPECT_EQ(value_of(*engine, "small"), std::nullopt);
}

TEST_F(RocksdbStore, AFullDiskStopsWritesAndLosesNothing) {
  const Child child = start_child("FillsItsDisk", path());
  const int status = follow(child, [](auto) {});
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  const auto engine = open();
  EXPECT_EQ(value_of(*engine, "first"), "1");
  EXPECT_EQ(value_of(*engine, "small"), std::nullopt);
  put(*engine, "second", "2");
}

}  // namespace
}  // namespace partita::contract
