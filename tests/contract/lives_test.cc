// One store through many lives: each opens it with a disk that fails in its own way, and is killed at its own moment.
// However they follow each other, all that was acknowledged is there, and no whole store is called damaged.
// PARTITA_LIVES is how many, PARTITA_SEED repeats them.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "base/random.h"
#include "child.h"
#include "contract.h"
#include "engines/rocksdb/log_file.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "engines/rocksdb/wal_batch.h"
#include "faulty_files.h"

namespace partita::contract {
namespace {

using namespace storage;

constexpr char kLifeVariable[] = "PARTITA_LIFE_SEED";

// Kills the process at its `deadly`th act; those from `first` on fail as `fault` says.
FaultyFiles::Rule rule_of_a_life(uint64_t deadly, uint64_t first, FaultyFiles::Rule fault) {
  return [=, acts = std::make_shared<std::atomic<uint64_t>>(0)](FileAct act, std::string_view file) {
    const uint64_t number = acts->fetch_add(1);
    if (number == deadly) kill(getpid(), SIGKILL);
    return number >= first && fault ? fault(act, file) : rocksdb::IOStatus::OK();
  };
}

FaultyFiles::Rule fault_of_a_life(SeededRandom& random) {
  constexpr FileAct kActs[] = {FileAct::kAppend, FileAct::kSync,   FileAct::kCreate,
                               FileAct::kRename, FileAct::kDelete, FileAct::kSyncDirectory};
  const char* const kParts[] = {".log", ".sst", "MANIFEST", "CURRENT", ""};
  const FileAct act = kActs[random.below(std::size(kActs))];
  const std::string part = kParts[random.below(std::size(kParts))];
  const rocksdb::IOStatus error = random.below(2) == 0 ? FaultyFiles::no_space() : FaultyFiles::broken();
  switch (random.below(3)) {
    case 0:
      return nullptr;
    case 1:
      return FaultyFiles::once(act, part, error);
    default:
      return FaultyFiles::always(act, part, error);
  }
}

std::string word_for(ErrorKind kind) {
  return kind == ErrorKind::kUnknown ? "unknown" : kind == ErrorKind::kUnavailable ? "refused" : "wrong";
}

// Reports "try KEY VALUE" before each write and how it ended behind it; a value is a number and its padding.
TEST(Child, DISABLED_LivesOnce) {
  signal(SIGXFSZ, SIG_IGN);
  SeededRandom random(setting(kLifeVariable, 1));
  constexpr rlim_t kSizes[] = {10, 100, 270, 1'000, 3'000, 20'000, 100'000};
  if (random.below(2) == 0) {
    const rlim_t size = kSizes[random.below(std::size(kSizes))];
    const rlimit limit{.rlim_cur = size, .rlim_max = size};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  auto files = std::make_shared<FaultyFiles>();
  const uint64_t deadly = random.below(2) == 0 ? random.below(60) : random.below(600);
  const uint64_t first = random.below(deadly + 1);
  files->set_rule(rule_of_a_life(deadly, random.below(2) == 0 ? 0 : first, fault_of_a_life(random)));
  RocksdbOptions options;
  options.directory = child_directory();
  options.files = files;
  const auto engine = open_rocksdb_engine(options);
  if (!engine.ok()) {
    report(word_for(engine.error().kind()) + " open " + std::string(engine.error().sentence()));
    return;
  }
  const uint64_t writes = random.below(200);
  for (uint64_t i = 0; i < writes; ++i) {
    const std::string name = "k" + std::to_string(random.below(50));
    const std::string number = std::to_string(random.next());
    report("try " + name + " " + number);
    const Decide decide = [&](auto, Changes& changes) {
      changes.put(key(name), number + " " + std::string(random.below(20'000), 'v'));
      changes.append("t", name + " " + number);
      return Decision::kCommit;
    };
    const auto outcome = wait_for(blind(*engine.value(), decide));
    report(outcome.ok() ? "done" : word_for(outcome.error().kind()) + " " + std::string(outcome.error().sentence()));
    if (i % 32 == 0) usleep(20'000);
  }
  if (random.below(3) > 0) kill(getpid(), SIGKILL);
}

// What a store may hold: of each key its values, one of which is there. "" stands for absence.
using Possible = std::map<std::string, std::set<std::string>>;

void live_once(const std::string& directory, uint64_t life, Possible& possible) {
  setenv(kLifeVariable, std::to_string(life).c_str(), 1);
  std::string name;
  std::string number;
  follow(start_child("LivesOnce", directory), [&](std::string_view line) {
    std::istringstream words{std::string(line)};
    std::string word;
    words >> word;
    EXPECT_NE(word, "wrong") << line << " (life " << life << ")";
    if (word == "try") {
      words >> name >> number;
      possible.try_emplace(name, std::set<std::string>{""}).first->second.insert(number);
    } else if (word == "done") {
      possible[name] = {number};
    } else if (word == "refused" && !name.empty()) {
      possible[name].erase(number);
    }
  });
}

// Whatever became of the disk.
void expect_secrets(const std::string& directory) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".log") continue;
    const auto read = rocks::read_log_file(entry.path(), rocks::LogKind::kBatches, {}, [&](std::string_view batch) {
      const auto [first, next] = rocks::sequences_of(batch);
      EXPECT_TRUE(first == next || !rocks::secret_of(batch).empty()) << entry.path();
    });
    EXPECT_TRUE(read.ok());
  }
}

void check(const std::string& directory, const Possible& possible) {
  RocksdbOptions options;
  options.directory = directory;
  const auto engine = open_rocksdb_engine(options);
  ASSERT_TRUE(engine.ok()) << engine.error().sentence();
  std::map<std::string, std::string> newest;  // by the log, whose entries came with the values
  for (const LogEntry& entry : read_log(*engine.value(), "t")) {
    const size_t space = entry.entry.find(' ');
    newest[entry.entry.substr(0, space)] = entry.entry.substr(space + 1);
  }
  for (const auto& [name, values] : possible) {
    const std::string found = value_of(*engine.value(), name).value_or("");
    const std::string number = found.substr(0, found.find(' '));
    EXPECT_TRUE(values.contains(number)) << name << " is " << number;
    EXPECT_TRUE(values.contains(newest[name])) << name << " was logged as " << newest[name];
  }
}

TEST(Lives, NothingIsLostAndNothingWholeIsCalledDamaged) {
  SeededRandom random(seed());
  const uint64_t lives = setting("PARTITA_LIVES", 48);
  std::unique_ptr<TempDirectory> directory;
  Possible possible;
  for (uint64_t life = 0; life < lives && !testing::Test::HasFailure(); ++life) {
    if (life % 8 == 0) {
      directory = std::make_unique<TempDirectory>();
      possible.clear();
    }
    const std::string store = (directory->path() / "store").string();
    live_once(store, random.next(), possible);
    expect_secrets(store);
    if (random.below(4) == 0 || life % 8 == 7) check(store, possible);
  }
}

}  // namespace
}  // namespace partita::contract
