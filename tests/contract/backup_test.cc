// Backups of a store that is written to meanwhile, and what is restored from them.
#include "engines/rocksdb/backup.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <thread>

#include "backups.h"
#include "base/log.h"
#include "rocksdb_store.h"
#include "store_directory.h"

namespace partita::contract {
namespace {

using namespace storage;
namespace fs = std::filesystem;

// Each writes numbered pairs of records and an entry of the log, in one transaction.
class Writers {
 public:
  static constexpr size_t kWriters = 8;
  using Numbers = std::array<int, kWriters>;

  explicit Writers(Engine& engine) : engine_(engine) {
    for (size_t w = 0; w < kWriters; ++w) threads_.emplace_back([this, w] { run(w); });
  }
  ~Writers() { stop(); }
  void stop() {
    stopping_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  // How many of each are acknowledged.
  Numbers acknowledged() const {
    Numbers numbers{};
    for (size_t w = 0; w < kWriters; ++w) numbers[w] = written_[w];
    return numbers;
  }
  void wait_for(int more) const {
    const auto sum = [this] {
      int all = 0;
      for (const auto& one : written_) all += one;
      return all;
    };
    for (const int wanted = sum() + more; sum() < wanted;) std::this_thread::yield();
  }
  static std::string name(const char* kind, size_t writer, int number) {
    return std::string(kind) + "/" + std::to_string(writer) + "/" + std::to_string(number);
  }

 private:
  void run(size_t writer) {
    const std::string value(2'000, static_cast<char>('a' + writer));
    for (int number = 0; !stopping_; ++number) {
      const std::string item = name("item", writer, number);
      const std::string index = name("index", writer, number);
      const Decide both = [&](std::span<const Record* const>, Changes& changes) {
        changes.put(key(item), value);
        changes.put(key(index), item);
        changes.append("changes", item);
        return Decision::kCommit;
      };
      EXPECT_EQ(transact(engine_, {item}, both), Outcome::kCommitted);
      written_[writer] = number + 1;
    }
  }

  Engine& engine_;
  std::atomic<bool> stopping_{false};
  std::array<std::atomic<int>, kWriters> written_{};
  std::vector<std::thread> threads_;
};

void expect_whole(Engine& engine, const Writers::Numbers& acknowledged) {
  std::set<std::string> items;
  for (const std::string& name : keys_of(scan(engine, {"item/", "item0"}, Direction::kAscending))) items.insert(name);
  std::set<std::string> indexed;
  const Page index = scan(engine, {"index/", "index0"}, Direction::kAscending);
  for (size_t i = 0; i < index.size(); ++i) indexed.emplace(index[i].value);
  std::set<std::string> logged;
  for (const std::string& entry : entries_of(read_log(engine, "changes"))) logged.insert(entry);
  EXPECT_EQ(items, indexed);
  EXPECT_EQ(items, logged);
  for (size_t w = 0; w < Writers::kWriters; ++w) {
    for (int number = 0; number < acknowledged[w]; ++number) {
      ASSERT_TRUE(items.contains(Writers::name("item", w, number))) << w << "/" << number;
    }
  }
}

TEST_F(Backups, HoldWhatWasAcknowledgedBeforeTheyBegan) {
  const auto engine = open();
  std::vector<Writers::Numbers> acknowledged;
  {
    Writers writers(*engine);
    for (int i = 0; i < 6; ++i) {
      writers.wait_for(i % 2 == 0 ? 200 : 1'500);  // little is copied as a log, much is made tables first
      acknowledged.push_back(writers.acknowledged());
      EXPECT_EQ(back_up(*engine).backup.id, acknowledged.size());
    }
  }
  const Position newest = log_end(*engine, "changes");
  for (uint32_t id = 1; id <= acknowledged.size(); ++id) {
    SCOPED_TRACE(id);
    const auto copy = restore(id);
    expect_whole(*copy, acknowledged[id - 1]);
    // What it gives away now was never given away by the store that it is a copy of.
    append(*copy, "changes", "new");
    EXPECT_GT(log_end(*copy, "changes"), newest);
  }
  EXPECT_EQ(check_backup(backups(), 0)->id, acknowledged.size());
}

TEST_F(Backups, CopyOnlyWhatIsNew) {
  fill(*open());
  const auto engine = open();
  const BackupResult first = back_up(*engine);
  EXPECT_GT(first.new_bytes, 0u);
  put(*engine, "one more", "value");
  const BackupResult second = back_up(*engine);
  EXPECT_LT(second.new_bytes, first.new_bytes / 10);
  EXPECT_GE(second.backup.bytes, first.backup.bytes);
  EXPECT_EQ(fs::path(second.backup.store), fs::canonical(path()));
  EXPECT_EQ(value_of(*restore(1), "one more"), std::nullopt);
  EXPECT_EQ(value_of(*restore(2), "one more"), "value");
}

TEST_F(Backups, AreKeptAsManyAsWanted) {
  fill(*open());
  const auto engine = open();
  for (int i = 0; i < 4; ++i) {
    put(*engine, "number", std::to_string(i));
    back_up(*engine, 2);
  }
  EXPECT_EQ(ids(), (std::vector<uint32_t>{3, 4}));
  EXPECT_EQ(value_of(*restore(3), "number"), "2");
  EXPECT_EQ(delete_old_backups(backups(), 1).value(), 1u);
  EXPECT_EQ(ids(), std::vector<uint32_t>{4});
  auto last = restore();
  EXPECT_EQ(value_of(*last, "number"), "3");
  EXPECT_TRUE(value_of(*last, big_name(7)).has_value());
  last.reset();  // its directory is the next one's
  EXPECT_FALSE(try_restore(3).ok());
}

TEST_F(Backups, ThatWereStoppedLeaveTheOthers) {
  fill(*open());
  const auto engine = open();
  back_up(*engine);
  // So that there is much that is new.
  SeededRandom random(seed());
  for (int i = 0; i < 400; ++i) {
    std::string value(50'000, '\0');
    std::ranges::generate(value, [&] { return static_cast<char>(random.next()); });
    put(*engine, "new" + std::to_string(i), value);
  }
  const auto stopped = backed_up(*engine, {backups(), 0, [](uint64_t) { return false; }});
  ASSERT_FALSE(stopped.ok());
  EXPECT_NE(stopped.error().sentence().find("stopped"), std::string_view::npos);
  EXPECT_EQ(ids(), std::vector<uint32_t>{1});
  EXPECT_EQ(value_of(*restore(), "new0"), std::nullopt);
  back_up(*engine);
  EXPECT_TRUE(value_of(*restore(), "new399").has_value());
}

TEST_F(Backups, ThatAreDamagedAreNotServed) {
  fill(*open());
  back_up(*open());
  const fs::path table = shared_table();
  change_bytes(table, fs::file_size(table) / 2, 1, [](char c) { return static_cast<char>(c ^ 1); });
  EXPECT_EQ(check_backup(backups(), 0).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(try_restore().error().kind(), ErrorKind::kCorrupt);
  const auto served = open_store(restored());
  ASSERT_FALSE(served.ok());
  EXPECT_NE(served.error().sentence().find("restoration did not end"), std::string_view::npos);
  change_bytes(table, fs::file_size(table) / 2, 1, [](char c) { return static_cast<char>(c ^ 1); });
  // What was left of the first try is no hindrance.
  const auto again = restore_backup({backups(), 0, restored(), nullptr});
  ASSERT_TRUE(again.ok()) << again.error().sentence();
  EXPECT_TRUE(value_of(*open_restored(), big_name(149)).has_value());
  fs::remove(table);
  EXPECT_TRUE(list_backups(backups())->front().damaged);
  EXPECT_EQ(restore_backup({backups(), 1, restored() + "2", nullptr}).error().kind(), ErrorKind::kCorrupt);
  // What is left of the only one may be all that there is.
  EXPECT_EQ(delete_old_backups(backups(), 1).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(ids(), std::vector<uint32_t>{1});
  back_up(*open(), 1);
  EXPECT_EQ(ids(), std::vector<uint32_t>{2});
}

// Of one file that three backups share.
class SharedTable : public Backups {
 protected:
  SharedTable() {
    fill(*open());
    engine_ = open();
    for (int i = 0; i < 3; ++i) {
      put(*engine_, "number", std::to_string(i));
      back_up(*engine_);
    }
    table_ = largest(backups() + "/shared_checksum");
  }
  Result<BackupResult> mend(OnBytes progress = nullptr) {
    return backed_up(*engine_, {backups(), 0, std::move(progress), true});
  }
  static std::set<std::string> names(const std::map<std::string, int64_t>& listed) {
    std::set<std::string> found;
    for (const auto& [name, changed] : listed) found.insert(name);
    return found;
  }
  void expect_sound(uint32_t id) {
    EXPECT_TRUE(check_backup(backups(), id).ok());
    EXPECT_EQ(value_of(*restore(id), "number"), std::to_string(std::min(id, 3u) - 1));
  }

  std::unique_ptr<Engine> engine_;
  fs::path table_;
};

TEST_F(SharedTable, ThatIsDamagedIsNamedWithWhatToDo) {
  flip(table_);
  ASSERT_TRUE(backed_up(*engine_, {backups(), 0, nullptr}).ok());
  for (const uint32_t id : {1, 4}) {
    const std::string why = " in " + backups() + " cannot be %: its file shared_checksum/" +
                            table_.filename().string() + " is damaged; `partita backup STORE " + backups() +
                            " --mend` copies it again while the store has it.";
    const auto sentence = [&](std::string_view done) {
      std::string said = "The backup " + std::to_string(id) + why;
      return said.replace(said.find('%'), 1, done);
    };
    EXPECT_EQ(check_backup(backups(), id).error().sentence(), sentence("used"));
    EXPECT_EQ(try_restore(id).error().sentence(), sentence("restored"));
  }
  const auto own = backups() + "/private/1/CURRENT";
  flip(table_);
  flip(own);
  EXPECT_EQ(check_backup(backups(), 1).error().sentence(),
            "The backup 1 in " + backups() + " cannot be used: its file private/1/CURRENT is damaged.");
}

TEST_F(SharedTable, IsCopiedAgainForAllThatShareIt) {
  const std::vector<std::function<void()>> ways = {
      [&] { flip(table_); },
      [&] { fs::resize_file(table_, fs::file_size(table_) / 2); },
      [&] { fs::remove(table_); },
      [&] { change_bytes(table_, 0, 100, [](char) { return '\0'; }); },
  };
  uint32_t newest = 3;
  for (const auto& damage : ways) {
    damage();
    EXPECT_FALSE(check_backup(backups(), 1).ok());
    const auto made = mend();
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    EXPECT_EQ(made->mended, 1u);
    EXPECT_EQ(made->damaged, 0u);
    EXPECT_EQ(made->backup.id, ++newest);
    EXPECT_LT(made->new_bytes, fs::file_size(table_) / 4);
    for (uint32_t id = 1; id <= newest; ++id) expect_sound(id);
  }
  EXPECT_EQ(mend()->mended, 0u);
  expect_private();
}

TEST_F(Backups, MendWhatTheStoreStillHas) {
  put(*open(), "number", "0");
  back_up(*open());
  fill(*open());
  back_up(*open());
  // The store of the first backup, which had no table yet, goes on instead.
  fs::remove_all(path());
  ASSERT_TRUE(restore_backup({backups(), 1, path(), nullptr}).ok());
  flip(largest(backups() + "/shared_checksum"));
  const auto engine = open();
  const auto made = backed_up(*engine, {backups(), 0, nullptr, true});
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  EXPECT_EQ(made->mended, 0u);
  EXPECT_EQ(made->damaged, 1u);
  EXPECT_EQ(value_of(*restore(3), "number"), "0");
  EXPECT_FALSE(check_backup(backups(), 2).ok());
}

TEST_F(SharedTable, IsNotCopiedFromAStoreThatIsDamagedToo) {
  flip(table_);
  flip(largest(path()));
  const auto made = mend();
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().kind(), ErrorKind::kCorrupt);
  EXPECT_NE(made.error().sentence().find(table_.filename().string()), std::string_view::npos);
  EXPECT_EQ(ids(), (std::vector<uint32_t>{1, 2, 3}));
}

TEST_F(SharedTable, WhoseMendingIsStoppedStaysAsItIs) {
  flip(table_);
  const auto before = listing();
  // While it is read, and while it is copied: both are a step, and one to see the end.
  for (int step = 1; step <= 4; ++step) {
    int asked = 0;
    const auto stopped = mend([&](uint64_t) { return ++asked < step; });
    ASSERT_FALSE(stopped.ok());
    EXPECT_NE(stopped.error().sentence().find("stopped"), std::string_view::npos);
    EXPECT_FALSE(check_backup(backups(), 1).ok());
    EXPECT_EQ(names(listing()), names(before));
  }
  ASSERT_TRUE(mend().ok());
  expect_sound(1);
}

TEST_F(Backups, WhoseRestorationIsCutOffAreNotServed) {
  fill(*open());
  back_up(*open());
  ASSERT_TRUE(try_restore().ok());
  const auto names = files_of(restored());
  // As it is when each next file is still to be moved up, CURRENT last.
  for (size_t moved = 0; moved < names.size(); ++moved) {
    ASSERT_TRUE(try_restore().ok());
    fs::create_directory(restored() + "/restoring");
    fs::rename(restored() + "/CURRENT", restored() + "/restoring/CURRENT");
    for (size_t i = moved; i < names.size(); ++i) {
      const fs::path name = names[i].filename();
      if (name != "CURRENT") fs::rename(fs::path(restored()) / name, fs::path(restored()) / "restoring" / name);
    }
    EXPECT_FALSE(open_store(restored()).ok());
    ASSERT_TRUE(restore_backup({backups(), 0, restored(), nullptr}).ok());
    EXPECT_TRUE(value_of(*open_restored(), big_name(3)).has_value());
  }
}

TEST_F(Backups, GoNowhereElseThanWhereTheyBelong) {
  const auto engine = open();
  put(*engine, "k", "v");
  fs::create_directories(backups());
  std::ofstream(backups() + "/letter") << "dear";
  EXPECT_EQ(backed_up(*engine, {backups(), 0, nullptr}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(backed_up(*engine, {path(), 0, nullptr}).error().kind(), ErrorKind::kInvalid);
  EXPECT_TRUE(fs::exists(backups() + "/letter"));
  EXPECT_EQ(list_backups(backups()).error().kind(), ErrorKind::kInvalid);
  fs::remove_all(backups());
  back_up(*engine);
  EXPECT_EQ(restore_backup({backups(), 0, path(), nullptr}).error().kind(), ErrorKind::kUnavailable);  // in use
  fs::create_directories(restored());
  std::ofstream(restored() + "/letter") << "dear";
  EXPECT_EQ(restore_backup({backups(), 0, restored(), nullptr}).error().kind(), ErrorKind::kInvalid);
  EXPECT_TRUE(fs::exists(restored() + "/letter"));
  EXPECT_EQ(restore_backup({backups(), 5, restored() + "2", nullptr}).error().kind(), ErrorKind::kInvalid);
}

TEST_F(Backups, OfANewerVersionAreRefused) {
  put(*open(), "k", "1");
  back_up(*open());
  const auto replace = [](const fs::path& file, std::string_view what, std::string_view by) {
    std::ifstream in(file, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, what.size(), by);
    std::ofstream(file, std::ios::binary) << text;
  };
  const auto expect_refused_as = [](const auto& outcome, std::string_view part) {
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().kind(), ErrorKind::kInvalid);
    EXPECT_NE(outcome.error().sentence().find(part), std::string_view::npos) << outcome.error().sentence();
  };
  const std::string kept = "7061727469746120";  // "partita ", as it is spelled there
  replace(backups() + "/meta/1", kept + "32", kept + "33");
  expect_refused_as(try_restore(), "The backup 1 was made by a newer version of Partita.");
  EXPECT_FALSE(fs::exists(restored()));
  expect_refused_as(open_backup(backups(), 0), "The backup 1 was made by a newer version of Partita.");
  replace(backups() + "/meta/1", kept + "33", kept + "32");
  EXPECT_EQ(value_of(*restore(), "k"), "1");
  // A newer one may look like the first form, which had no line with an id.
  const std::string meta = contents(backups() + "/meta/1");
  const size_t id = meta.find("0A696420");
  ASSERT_NE(id, std::string::npos);
  const std::string line = meta.substr(id, meta.find("0A", id + 2) - id);
  replace(backups() + "/meta/1", line, "");
  replace(backups() + "/meta/1", kept + "32", kept + "33");
  expect_refused_as(open_backup(backups(), 0), "The backup 1 was made by a newer version of Partita.");
  replace(backups() + "/meta/1", kept + "33", kept + "31");
  EXPECT_TRUE(open_backup(backups(), 0).ok());
  replace(backups() + "/PARTITA-BACKUPS", "backups 1", "backups 2");
  const std::string_view newer = "are of a newer version of Partita, or of another program.";
  expect_refused_as(try_restore(), newer);
  expect_refused_as(list_backups(backups()), newer);
  expect_refused_as(backed_up(*open(), {backups(), 0, nullptr}), newer);
}

TEST_F(Backups, AreForNobodyElse) {
  const mode_t before = umask(022);
  fill(*open());
  fs::create_directory(backups());  // by who else may read it
  back_up(*open());
  umask(before);
  expect_private();
}

TEST_F(Backups, OfEarlierVersionsAreForNobodyElseEither) {
  const auto engine = open();
  put(*engine, "k", "1");
  back_up(*engine);
  fs::create_directory(backups() + "/elsewhere");
  std::ofstream(directory_.path() / "not ours") << "dear";
  fs::create_symlink(directory_.path() / "not ours", backups() + "/elsewhere/link");
  const auto for_all = fs::perms::group_read | fs::perms::others_read;
  for (const auto& entry : fs::recursive_directory_iterator(backups())) {
    fs::permissions(entry.path(), for_all, fs::perm_options::add);
  }
  back_up(*engine);
  EXPECT_EQ(fs::status(directory_.path() / "not ours").permissions() & for_all, for_all);
  fs::remove_all(backups() + "/elsewhere");
  expect_private();
  EXPECT_EQ(value_of(*restore(1), "k"), "1");
}

// Deeper than there are files to go down with.
TEST_F(Backups, ThatCanNotBeLookedThroughAreToldOf) {
  const auto engine = open();
  back_up(*engine);
  std::string deep = backups();
  for (int i = 0; i < 100; ++i) deep += "/d";
  fs::create_directories(deep);
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  const auto open_files = std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  rlimit few = usual;
  few.rlim_cur = static_cast<rlim_t>(open_files) + 50;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  set_log_level(LogLevel::kWarn);
  testing::internal::CaptureStderr();
  const auto pruned = delete_old_backups(backups(), 1);
  const std::string said = testing::internal::GetCapturedStderr();
  set_log_level(LogLevel::kError);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_TRUE(pruned.ok()) << pruned.error().sentence();
  EXPECT_NE(said.find("Others may read some of " + backups() + ": it cannot be looked through: Too many open files."),
            std::string::npos)
      << said;
}

TEST_F(Backups, CanBeReadWhereTheyAre) {
  fill(*open());
  const auto engine = open();
  put(*engine, "in the log", "value");
  back_up(*engine);
  const auto before = listing();
  {
    const auto opened = open_backup(backups(), 0);
    ASSERT_TRUE(opened.ok()) << opened.error().sentence();
    EXPECT_TRUE(open_backup(backups(), 0).ok()) << "by several at a time";
    EXPECT_EQ(value_of(*opened->engine, "in the log"), "value");
    EXPECT_TRUE(value_of(*opened->engine, big_name(99)).has_value());
    EXPECT_EQ(opened->engine->maintenance()->check_files(nullptr).value(), std::vector<std::string>());
    EXPECT_EQ(backed_up(*engine, {backups(), 0, nullptr}).error().kind(), ErrorKind::kUnavailable);
  }
  EXPECT_TRUE(check_backup(backups(), 0).ok());
  EXPECT_EQ(listing(), before) << "they may be where nothing can be written";
  back_up(*engine);
  EXPECT_EQ(ids(), (std::vector<uint32_t>{1, 2}));
}

// The restored store misses what is missing, as any other does.
TEST_F(Backups, RestoreAWitness) {
  fill(*open());
  const auto engine = open();
  for (int i = 0; i < 100; ++i) put(*engine, "k" + std::to_string(i), "v");
  back_up(*engine);
  ASSERT_TRUE(try_restore().ok());
  const rocks::DurabilityRecord witness = witness_of(restored());
  EXPECT_GE(witness.sequence, 250u);
  EXPECT_GT(witness.epoch, witness_of(path()).epoch);
  EXPECT_TRUE(witness.secret.empty());
  fs::remove(newest_log(restored()));
  const auto opened = open_store(restored());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind(), ErrorKind::kCorrupt);
}

// A disk that fails leaves a log whose end nobody was told of, and may be slow to let go of it.
TEST_F(Backups, LeaveOutLogsThatWereGivenUp) {
  const auto faults = std::make_shared<FaultyFiles>();
  const auto engine = open(size_t{8} << 20, faults);
  put(*engine, "before", "1");
  const fs::path spoilt = newest_log(path());
  faults->set_rule(
      [sync = FaultyFiles::once(FileAct::kSync, ".log", FaultyFiles::broken())](FileAct act, std::string_view file) {
        const bool stays = (act == FileAct::kTruncate || act == FileAct::kDelete) && file.ends_with(".log");
        return stays ? FaultyFiles::broken() : sync(act, file);
      });
  const Decide decide = [](auto, Changes& changes) {
    changes.put(key("lost"), "2");
    return Decision::kCommit;
  };
  ASSERT_FALSE(wait_for(blind(*engine, decide)).ok());
  ASSERT_TRUE(is_healthy_soon(*engine));
  put(*engine, "after", "3");
  back_up(*engine);
  ASSERT_TRUE(fs::exists(backups() + "/private/1/" + spoilt.filename().string()));
  {
    const auto opened = open_backup(backups(), 0);
    ASSERT_TRUE(opened.ok()) << opened.error().sentence();
    EXPECT_EQ(value_of(*opened->engine, "after"), "3");
  }
  const auto copy = restore();
  EXPECT_FALSE(fs::exists(restored() + "/" + spoilt.filename().string()));
  EXPECT_EQ(value_of(*copy, "before"), "1");
  EXPECT_EQ(value_of(*copy, "lost"), std::nullopt);
  EXPECT_EQ(value_of(*copy, "after"), "3");
}

TEST_F(Backups, DamagedTablesOfAStoreAreNamed) {
  fill(*open());
  {
    const auto engine = open();
    EXPECT_EQ(engine->maintenance()->check_files(nullptr).value(), std::vector<std::string>());
  }
  const auto tables = files(".sst");
  const fs::path table = *std::ranges::max_element(tables, {}, [](const fs::path& one) { return fs::file_size(one); });
  change_bytes(table, fs::file_size(table) / 2, 8, [](char c) { return static_cast<char>(c ^ 1); });
  const auto engine = open();
  const std::vector<std::string> said = engine->maintenance()->check_files(nullptr).value();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find(table.filename().string()), std::string::npos);
}

}  // namespace
}  // namespace partita::contract
