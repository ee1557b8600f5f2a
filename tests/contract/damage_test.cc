// A store that somebody damaged while it was closed: it opens with everything that was acknowledged, or is refused in
// one sentence, and never opens with less. PARTITA_DAMAGES is how many damages are tried, PARTITA_SEED repeats them.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "base/random.h"
#include "contract.h"
#include "engines/rocksdb/file_names.h"
#include "engines/rocksdb/log_file.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "store_directory.h"

namespace partita::contract {
namespace {

using namespace storage;
namespace fs = std::filesystem;

// What a killed server leaves: a copy of an open store's directory, and what was acknowledged in it.
struct Killed {
  fs::path directory;
  std::map<std::string, std::string> records;
  size_t entries = 0;
  std::set<Version> versions;
  Position end{};
};

enum class Values : uint8_t { kLetters, kManyLetters, kLogs };

// What was written last to the newest log, up to this many bytes: a value for the same store.
std::string end_of_log(const fs::path& directory, size_t bytes) {
  const std::string log = contents(newest_log(directory));
  return log.substr(log.size() - std::min(log.size(), bytes));
}

void write_some(Engine& engine, Killed& killed, SeededRandom& random, int count, size_t most_bytes,
                Values values = Values::kLetters) {
  for (int i = 0; i < count; ++i) {
    const std::string name = "k" + std::to_string(random.below(5000));
    std::string value(1 + random.below(most_bytes), static_cast<char>('a' + random.below(26)));
    if (values == Values::kLogs) value += end_of_log(killed.directory, value.size());
    transact(engine, {name}, [&](auto, Changes& changes) {
      changes.put(key(name), value);
      changes.append("t", name);
      return Decision::kCommit;
    });
    killed.records[name] = value;
    ++killed.entries;
    killed.versions.insert(get(engine, name)->version);
  }
}

// Waits until nothing is written in the background any more.
void wait_for_quiet(const fs::path& directory) {
  std::string before;
  for (;;) {
    std::string now;
    for (const auto& entry : fs::directory_iterator(directory)) {
      std::error_code gone;
      now += entry.path().filename().string() + " " + std::to_string(entry.file_size(gone)) + " ";
    }
    if (now == before) return;
    before = std::move(now);
    usleep(50'000);
  }
}

// A few openings, each of them killed, so that several logs are live; many letters add tables.
Killed make_killed(const fs::path& root, SeededRandom& random, Values values) {
  const bool big = values == Values::kManyLetters;
  Killed killed{root / "opening0", {}, 0, {}, {}};
  for (int opening = 1; opening <= 3; ++opening) {
    const auto engine = open_store(killed.directory);
    EXPECT_TRUE(engine.ok()) << engine.error().sentence();
    if (!engine.ok()) break;
    write_some(*engine.value(), killed, random, 60, 3000, values);
    if (big && opening < 3) write_some(*engine.value(), killed, random, 90, 900'000);
    write_some(*engine.value(), killed, random, 40, 400, values);
    usleep(20'000);
    write_some(*engine.value(), killed, random, 1, 400, values);
    killed.end = log_end(*engine.value(), "t");
    wait_for_quiet(killed.directory);
    // A copy of an open store is what a kill leaves.
    const fs::path next = root / ("opening" + std::to_string(opening));
    copy_store(killed.directory, next);
    killed.directory = next;
  }
  return killed;
}

// Damages one file; says how.
std::string damage(const fs::path& directory, SeededRandom& random) {
  const std::vector<fs::path> files = files_of(directory);
  const fs::path& file = files[random.below(files.size())];
  const uint64_t size = fs::file_size(file);
  const uint64_t at = random.below(size);
  const std::string where =
      file.filename().string() + " of " + std::to_string(size) + " bytes at " + std::to_string(at);
  switch (random.below(4)) {
    case 0: {
      const auto bit = static_cast<char>(1 << random.below(8));
      change_bytes(file, at, 1, [bit](char c) { return static_cast<char>(c ^ bit); });
      return "bit " + std::to_string(bit) + " flipped in " + where;
    }
    case 1: {
      const uint64_t bytes = std::min(size - at, uint64_t{1} << random.below(16));
      change_bytes(file, at, bytes, [](char) { return '\0'; });
      return std::to_string(bytes) + " bytes zeroed in " + where;
    }
    case 2:
      fs::resize_file(file, at);
      return "cut: " + where;
    default:
      fs::remove(file);
      return "erased: " + where;
  }
}

enum class Outcome : uint8_t { kWhole, kRefused, kUnreadable, kWrong };

Outcome outcome_of(const fs::path& directory, const Killed& killed, std::string& note) {
  const auto engine = open_store(directory);
  if (!engine.ok()) {
    note = engine.error().sentence();
    return engine.error().kind() == ErrorKind::kCorrupt && note.ends_with('.') ? Outcome::kRefused : Outcome::kWrong;
  }
  const auto page = wait_for(engine.value()->scan({"k", "l"}, Direction::kAscending, 1'000'000, kMaxPageBytes));
  const auto log = wait_for(engine.value()->read_log("t", Position{}, 1'000'000, kMaxPageBytes));
  if (!page.ok() || !log.ok()) {
    const Error& error = page.ok() ? log.error() : page.error();
    note = error.sentence();
    return error.kind() == ErrorKind::kCorrupt ? Outcome::kUnreadable : Outcome::kWrong;
  }
  note = std::to_string(page->size()) + " of " + std::to_string(killed.records.size()) + " records, " +
         std::to_string(log->size()) + " of " + std::to_string(killed.entries) + " entries";
  if (page->size() != killed.records.size() || log->size() != killed.entries) return Outcome::kWrong;
  for (size_t i = 0; i < page->size(); ++i) {
    const auto at = killed.records.find(std::string((*page)[i].key));
    if (at == killed.records.end() || at->second != (*page)[i].value) return Outcome::kWrong;
  }
  return Outcome::kWhole;
}

// What a salvaged store holds is what was once written under that key, and most of it; and it takes writes.
void check_salvaged(const fs::path& from, const fs::path& to, const Killed& killed, const std::string& what) {
  fs::remove_all(to);
  const auto report = salvage_rocksdb_store(from.string(), to.string());
  ASSERT_TRUE(report.ok()) << what << ": " << report.error().sentence();
  const auto engine = open_store(to);
  ASSERT_TRUE(engine.ok()) << what << ": " << engine.error().sentence();
  const auto page = scan(*engine.value(), {"k", "l"}, Direction::kAscending);
  EXPECT_EQ(page.size(), report->records) << what;
  EXPECT_LE(page.size(), killed.records.size()) << what;
  EXPECT_TRUE(page.size() == killed.records.size() || !report->losses.empty()) << what;
  std::set<Version> versions;
  for (size_t i = 0; i < page.size(); ++i) versions.insert(page[i].version);
  EXPECT_EQ(versions.size(), page.size());
  const Position end = log_end(*engine.value(), "t");
  EXPECT_LE(end, killed.end) << what;
  transact(*engine.value(), {}, [&](auto, Changes& changes) {
    changes.put(key("new"), "1");
    changes.append("t", "new");
    return Decision::kCommit;
  });
  EXPECT_GT(log_end(*engine.value(), "t"), killed.end) << what << ": a position was given away twice";
  EXPECT_FALSE(killed.versions.contains(get(*engine.value(), "new")->version)) << what;
}

class Damage : public testing::TestWithParam<Values> {};

TEST_P(Damage, IsNeverAStoreWithLess) {
  TempDirectory root;
  SeededRandom random(seed());
  const Killed killed = make_killed(root.path(), random, GetParam());
  std::string note;
  copy_store(killed.directory, root.path() / "try");
  ASSERT_EQ(outcome_of(root.path() / "try", killed, note), Outcome::kWhole) << note;
  std::map<Outcome, int> outcomes;
  const uint64_t damages = setting("PARTITA_DAMAGES", GetParam() == Values::kManyLetters ? 12 : 100);
  for (uint64_t i = 0; i < damages; ++i) {
    copy_store(killed.directory, root.path() / "try");
    const std::string what = damage(root.path() / "try", random);
    const Outcome outcome = outcome_of(root.path() / "try", killed, note);
    ++outcomes[outcome];
    EXPECT_NE(outcome, Outcome::kWrong) << what << ": " << note;
    if (outcome == Outcome::kRefused) {
      // It stays refused, however often it is tried.
      EXPECT_EQ(outcome_of(root.path() / "try", killed, note), Outcome::kRefused) << what << ": " << note;
    }
    if (outcome == Outcome::kRefused || outcome == Outcome::kUnreadable) {
      check_salvaged(root.path() / "try", root.path() / "salvaged", killed, what);
    }
  }
  std::cout << damages << " damages: " << outcomes[Outcome::kWhole] << " whole, " << outcomes[Outcome::kRefused]
            << " refused, " << outcomes[Outcome::kUnreadable] << " unreadable\n";
}

std::string name_of(Values values) {
  return values == Values::kLetters ? "OfLogs" : values == Values::kManyLetters ? "WithTables" : "WithLogsInValues";
}

INSTANTIATE_TEST_SUITE_P(Stores, Damage, testing::Values(Values::kLetters, Values::kManyLetters, Values::kLogs),
                         [](const auto& row) { return name_of(row.param); });

// Where the records of a store's newest MANIFEST end, but the last one's.
std::vector<uint64_t> ends_within(const fs::path& manifest, const fs::path& scratch) {
  std::set<uint64_t> ends;
  const uint64_t size = fs::file_size(manifest);
  fs::copy_file(manifest, scratch);
  for (uint64_t at = size - 1; at > 0; --at) {
    fs::resize_file(scratch, at);
    const auto log = rocks::read_log_file(scratch, rocks::LogKind::kManifest);
    EXPECT_TRUE(log.ok());
    if (log->good_bytes > 0 && log->good_bytes < size) ends.insert(log->good_bytes);
  }
  return {ends.begin(), ends.end()};
}

// A shorter list is a list too: RocksDB opens it, without the tables that were added last.
// What stands in the store's logs, by their numbers.
std::map<uint64_t, uint64_t> bytes_of_logs(const fs::path& directory) {
  std::map<uint64_t, uint64_t> found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".log") found[std::stoull(entry.path().stem())] = entry.file_size();
  }
  return found;
}

TEST(DamageOfTheLogs, IsNotSeenWhereManyWereLeft) {
  constexpr uint64_t kLimit = uint64_t{64} << 20;  // RocksDB begins another log at the next write
  const TempDirectory root;
  fs::path directory = root.path() / "0";
  const auto write = [](Engine& engine, const std::string& name, size_t bytes) {
    transact(engine, {name}, [&](auto, Changes& changes) {
      changes.put(key(name), std::string(bytes, 'v'));
      changes.append("t", name);  // keeps the log when the records are in tables
      return Decision::kCommit;
    });
  };
  int records = 0;
  for (int opening = 0; opening < 5; ++opening) {
    const auto engine = open_store(directory);
    ASSERT_TRUE(engine.ok()) << engine.error().sentence();
    const auto bytes = [&] {
      uint64_t sum = 0;
      for (const auto& [number, size] : bytes_of_logs(directory)) sum += size;
      return sum;
    };
    while (opening == 0 && bytes() <= kLimit) write(*engine.value(), "k" + std::to_string(records++), 300'000);
    if (opening > 0) write(*engine.value(), "k" + std::to_string(records++), 10);
    const fs::path next = root.path() / std::to_string(opening + 1);
    wait_for_quiet(directory);
    copy_store(directory, next);
    std::map<uint64_t, uint64_t> logs = bytes_of_logs(next);
    logs.erase(logs.rbegin()->first);
    for (const auto& [number, size] : logs) EXPECT_GT(size, 0u) << "the log " << number << " of opening " << opening;
    for (int i = 0; i < records; ++i) ASSERT_TRUE(get(*engine.value(), "k" + std::to_string(i)).has_value()) << i;
    directory = next;
  }
}

TEST(DamageOfTheLogs, IsNotAnEmptyOneWhoseNeighboursFit) {
  const TempDirectory root;
  SeededRandom random(seed());
  const Killed killed = make_killed(root.path(), random, Values::kLetters);
  std::vector<uint64_t> numbers;
  for (const auto& [number, size] : bytes_of_logs(killed.directory)) {
    if (size > 0) numbers.push_back(number);
  }
  ASSERT_GE(numbers.size(), 2u);
  ASSERT_GT(numbers[1], numbers[0] + 1);
  const fs::path copy = root.path() / "try";
  copy_store(killed.directory, copy);
  std::ofstream(copy / rocks::numbered_file(numbers[0] + 1, ".log")).flush();
  std::string note;
  EXPECT_EQ(outcome_of(copy, killed, note), Outcome::kWhole) << note;
  copy_store(killed.directory, copy);
  fs::resize_file(copy / rocks::numbered_file(numbers[1], ".log"), 0);
  EXPECT_EQ(outcome_of(copy, killed, note), Outcome::kRefused) << note;
}

TEST(DamageOfTheList, ThatEndsEarlyIsToldByTheRescue) {
  TempDirectory root;
  SeededRandom random(seed());
  Killed killed{root.path() / "alive", {}, 0, {}, {}};
  {
    const auto engine = open_store(killed.directory);
    ASSERT_TRUE(engine.ok()) << engine.error().sentence();
    write_some(*engine.value(), killed, random, 200, 900'000);
    killed.end = log_end(*engine.value(), "t");
    wait_for_quiet(killed.directory);
    copy_store(killed.directory, root.path() / "killed");
  }
  killed.directory = root.path() / "killed";
  fs::path newest;
  for (const fs::path& file : files_of(killed.directory)) {
    if (file.filename().string().starts_with("MANIFEST-") && file > newest) newest = file;
  }
  const std::vector<uint64_t> ends = ends_within(newest, root.path() / "scratch");
  ASSERT_GE(ends.size(), 3u);
  for (size_t i = 0; i < ends.size(); ++i) {
    const fs::path copy = root.path() / "try";
    copy_store(killed.directory, copy);
    fs::resize_file(copy / newest.filename(), ends[i]);
    std::string note;
    const std::string what = "cut after record " + std::to_string(i) + " of " + std::to_string(ends.size());
    EXPECT_EQ(outcome_of(copy, killed, note), Outcome::kRefused) << what << ": " << note;
    check_salvaged(copy, root.path() / "salvaged", killed, what);
    // Where the list ended is known to WITNESS alone.
    copy_store(killed.directory, copy);
    fs::resize_file(copy / newest.filename(), ends[i]);
    fs::remove(copy / "WITNESS");
    EXPECT_NE(outcome_of(copy, killed, note), Outcome::kWrong) << what << ", without WITNESS: " << note;
  }
}

// ---- What only the rescue sees.

std::vector<fs::path> files_like(const fs::path& directory, const std::string& extension) {
  std::vector<fs::path> found;
  for (const fs::path& file : files_of(directory)) {
    if (file.extension() == extension) found.push_back(file);
  }
  return found;
}

class Rescued : public testing::Test {
 protected:
  // Of a copy of the store that `change` has damaged.
  template <typename Change>
  SalvageReport salvage(const Killed& killed, Change change) {
    const fs::path copy = root_.path() / "try";
    copy_store(killed.directory, copy);
    change(copy);
    check_salvaged(copy, saved(), killed, "the damaged copy");
    fs::remove_all(saved());
    const auto report = salvage_rocksdb_store(copy.string(), saved().string());
    EXPECT_TRUE(report.ok()) << report.error().sentence();
    return report.ok() ? *report : SalvageReport{};
  }
  fs::path saved() const { return root_.path() / "saved"; }

  TempDirectory root_;
  SeededRandom random_{seed()};
};

TEST_F(Rescued, TablesOfTheSameNumbersAreReadInAnyOrder) {
  const Killed killed = make_killed(root_.path(), random_, Values::kManyLetters);
  const SalvageReport report = salvage(killed, [](const fs::path& copy) {
    for (const fs::path& table : files_like(copy, ".sst")) {
      fs::copy_file(table, copy / ("9" + table.filename().string()));
    }
    fs::remove(copy / "CURRENT");
  });
  EXPECT_EQ(report.records, killed.records.size());
}

TEST_F(Rescued, AnOldestLogThatIsANewerOneIsALoss) {
  const Killed killed = make_killed(root_.path(), random_, Values::kLetters);
  const SalvageReport report = salvage(killed, [](const fs::path& copy) {
    const std::vector<fs::path> logs = files_like(copy, ".log");
    ASSERT_GE(logs.size(), 2u);
    fs::copy_file(logs.back(), logs.front(), fs::copy_options::overwrite_existing);
  });
  EXPECT_FALSE(report.losses.empty());
}

TEST_F(Rescued, WithoutAWitnessAMissingOldestLogIsALoss) {
  const Killed killed = make_killed(root_.path(), random_, Values::kLetters);
  const SalvageReport report = salvage(killed, [](const fs::path& copy) {
    fs::remove(files_like(copy, ".log").front());
    fs::remove(copy / "WITNESS");
  });
  ASSERT_EQ(report.losses.size(), 2u);
  EXPECT_TRUE(report.losses[0].starts_with("The file WITNESS is missing or damaged")) << report.losses[0];
  EXPECT_TRUE(report.losses[1].ends_with("cannot be read in any log.")) << report.losses[1];
}

TEST_F(Rescued, WhatIsNoFileIsALoss) {
  const Killed killed = make_killed(root_.path(), random_, Values::kManyLetters);
  for (const bool is_directory : {false, true}) {
    for (const char* const name : {"CURRENT", "WITNESS", ".sst", ".log"}) {
      const SalvageReport report = salvage(killed, [&](const fs::path& copy) {
        const fs::path file = name[0] == '.' ? files_like(copy, name).front() : copy / name;
        fs::remove(file);
        if (is_directory) {
          fs::create_directory(file);
        } else {
          fs::create_symlink("/no/such", file);
        }
      });
      ASSERT_FALSE(report.losses.empty()) << name;
      EXPECT_TRUE(report.losses[0].ends_with(" is no file.")) << report.losses[0];
    }
  }
}

TEST_F(Rescued, APartIsNoStore) {
  const Killed killed = make_killed(root_.path(), random_, Values::kLetters);
  // What is left when the move of the new store's files did not end, or did not begin.
  for (const bool moved : {false, true}) {
    salvage(killed, [](const fs::path&) {});
    const std::vector<fs::path> files = files_of(saved());
    fs::create_directory(saved() / "salvaging");
    for (const fs::path& file : files) {
      if (!moved || file.filename() == "CURRENT") fs::rename(file, saved() / "salvaging" / file.filename());
    }
    const auto opened = open_store(saved());
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().sentence().find("run `partita salvage` again"), std::string::npos)
        << opened.error().sentence();
    const auto report = salvage_rocksdb_store(killed.directory.string(), saved().string());
    ASSERT_TRUE(report.ok()) << report.error().sentence();
    EXPECT_EQ(report->records, killed.records.size());
    EXPECT_TRUE(open_store(saved()).ok());
    fs::remove_all(saved());
  }
}

// ---- The last record, of which nobody knows that it was acknowledged: without a witness.

struct LastRecord {
  fs::path store;
  fs::path log;
  uint64_t begin = 0;
  uint64_t end = 0;
};

LastRecord make_last_record(const fs::path& root, size_t value_bytes) {
  {
    const auto engine = open_store(root / "alive");
    EXPECT_TRUE(engine.ok()) << engine.error().sentence();
    for (int i = 0; i < 20; ++i) put(*engine.value(), "k" + std::to_string(i), std::string(200, 'v'));
    put(*engine.value(), "last", std::string(value_bytes, 'v'));
    copy_store(root / "alive", root / "killed");
  }
  LastRecord last{root / "killed", {}, 0, 0};
  fs::remove(last.store / "WITNESS");
  for (const fs::path& file : files_of(last.store)) {
    if (file.extension() == ".log") last.log = file;
  }
  last.end = fs::file_size(last.log);
  fs::copy_file(last.log, root / "shorter");
  fs::resize_file(root / "shorter", last.end - 1);
  last.begin = rocks::read_log_file(root / "shorter", rocks::LogKind::kBatches)->good_bytes;
  return last;
}

class LastRecordTest : public testing::TestWithParam<size_t> {
 protected:
  // Runs `change` on the log of a fresh copy.
  template <typename Change>
  fs::path copy_with(Change change) {
    const fs::path copy = root_.path() / "copy";
    copy_store(last_.store, copy);
    change(copy / last_.log.filename());
    return copy;
  }
  static void expect_all_but_the_last(const fs::path& store, const std::string& what) {
    const auto engine = open_store(store);
    ASSERT_TRUE(engine.ok()) << what << ": " << engine.error().sentence();
    EXPECT_EQ(scan(*engine.value(), {"k", "l"}, Direction::kAscending).size(), 20U) << what;
    EXPECT_EQ(get(*engine.value(), "last"), std::nullopt) << what;
  }

  TempDirectory root_;
  SeededRandom random_{seed()};
  const LastRecord last_ = make_last_record(root_.path(), GetParam());
};

TEST_P(LastRecordTest, AlteredIsDamage) {
  constexpr uint64_t kHead = 7;
  for (uint64_t i = 0; i < 30; ++i) {
    const uint64_t at = i < kHead ? last_.begin + i : last_.begin + random_.below(last_.end - last_.begin);
    const auto bit = static_cast<char>(1 << random_.below(8));
    const std::string what = "bit " + std::to_string(bit) + " of byte " + std::to_string(at - last_.begin);
    const fs::path copy = copy_with(
        [&](const fs::path& log) { change_bytes(log, at, 1, [bit](char c) { return static_cast<char>(c ^ bit); }); });
    const auto engine = open_store(copy);
    ASSERT_FALSE(engine.ok()) << what;
    EXPECT_EQ(engine.error().kind(), ErrorKind::kCorrupt) << what << ": " << engine.error().sentence();
    EXPECT_NE(engine.error().sentence().find(last_.log.filename().string()), std::string_view::npos);
    if (i % 10 != 0) continue;
    const fs::path saved = root_.path() / ("saved" + std::to_string(i));
    const auto report = salvage_rocksdb_store(copy.string(), saved.string());
    ASSERT_TRUE(report.ok()) << what << ": " << report.error().sentence();
    EXPECT_FALSE(report->losses.empty()) << what;
    expect_all_but_the_last(saved, what);
  }
}

TEST_P(LastRecordTest, CutIsWhatAKillLeaves) {
  for (int i = 0; i < 10; ++i) {
    const uint64_t at = last_.begin + random_.below(last_.end - last_.begin);
    const fs::path copy = copy_with([at](const fs::path& log) { fs::resize_file(log, at); });
    expect_all_but_the_last(copy, "cut at " + std::to_string(at - last_.begin));
  }
}

// The length of a file may be on the disk before some of its sectors are.
TEST_P(LastRecordTest, WithoutASectorIsWhatALossOfPowerLeaves) {
  constexpr uint64_t kSector = 512;
  for (int i = 0; i < 10; ++i) {
    const uint64_t within = last_.begin + random_.below(last_.end - last_.begin);
    const uint64_t at = std::max(last_.begin, within / kSector * kSector);
    const uint64_t bytes = std::min(last_.end, within / kSector * kSector + kSector) - at;
    const fs::path copy =
        copy_with([&](const fs::path& log) { change_bytes(log, at, bytes, [](char) { return '\0'; }); });
    expect_all_but_the_last(copy, "without the sector of byte " + std::to_string(at - last_.begin));
  }
}

// ---- A record before the last one, when nobody knows how much was durable: the records behind it tell.

enum class Noted : uint8_t { kNothing, kTheFirstWrite };

class MiddleOfLog : public testing::TestWithParam<Noted> {};

TEST_P(MiddleOfLog, AlteredIsDamage) {
  TempDirectory root;
  SeededRandom random(seed());
  const fs::path alive = root.path() / "alive";
  const fs::path killed = root.path() / "killed";
  uint64_t first_end = 0;
  {
    const auto engine = open_store(alive);
    ASSERT_TRUE(engine.ok()) << engine.error().sentence();
    put(*engine.value(), "k0", std::string(200, 'v'));
    wait_for_quiet(alive);
    first_end = fs::file_size(newest_log(alive));
    fs::copy_file(alive / "WITNESS", root.path() / "WITNESS");
    for (int i = 1; i < 40; ++i) put(*engine.value(), "k" + std::to_string(i), std::string(200, 'v'));
    copy_store(alive, killed);
  }
  fs::remove(killed / "WITNESS");
  if (GetParam() == Noted::kTheFirstWrite) fs::copy_file(root.path() / "WITNESS", killed / "WITNESS");
  constexpr uint64_t kTheLastAndMore = 1000;
  const uint64_t bytes = fs::file_size(newest_log(killed)) - kTheLastAndMore - first_end;
  for (int i = 0; i < 30; ++i) {
    const uint64_t at = first_end + random.below(bytes);
    const fs::path copy = root.path() / "copy";
    copy_store(killed, copy);
    change_bytes(newest_log(copy), at, 1, [](char c) { return static_cast<char>(c ^ 4); });
    const auto engine = open_store(copy);
    ASSERT_FALSE(engine.ok()) << "byte " << at;
    EXPECT_EQ(engine.error().kind(), ErrorKind::kCorrupt) << engine.error().sentence();
    EXPECT_NE(engine.error().sentence().find("newer ones follow"), std::string_view::npos) << engine.error().sentence();
  }
}

INSTANTIATE_TEST_SUITE_P(Witnesses, MiddleOfLog, testing::Values(Noted::kNothing, Noted::kTheFirstWrite),
                         [](const auto& row) {
                           return row.param == Noted::kNothing ? "WithoutAWitness" : "WithAnOldWitness";
                         });

INSTANTIATE_TEST_SUITE_P(Sizes, LastRecordTest, testing::Values(1, 400, 3000, 100'000));

}  // namespace
}  // namespace partita::contract
