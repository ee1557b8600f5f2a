// What a client stores is never taken for what the store wrote: each batch of its log begins with a secret.
// PARTITA_DAMAGES is how many crashes are tried, PARTITA_SEED repeats them.
#include <rocksdb/write_batch.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "contract.h"
#include "engines/rocksdb/durability_marker.h"
#include "engines/rocksdb/file_names.h"
#include "engines/rocksdb/log_file.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "engines/rocksdb/wal_batch.h"
#include "store_directory.h"

namespace partita::contract {
namespace {

using namespace storage;
namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& store) {
  const auto engine = open_store(store);
  EXPECT_TRUE(engine.ok()) << engine.error().sentence();
  return engine.ok() ? keys_of(scan(*engine.value(), {"k", "l"}, Direction::kAscending)) : std::vector<std::string>();
}

std::string numbered(std::string batch, uint64_t sequence) {
  for (size_t i = 0; i < 8; ++i) batch[i] = static_cast<char>(sequence >> (8 * i));
  return batch;
}

// Whole records of later writes, as whoever knows the format can make them.
std::string forged_log(const fs::path& scratch) {
  rocks::LogFileWriter writer(scratch);
  for (uint64_t i = 0; i < 3; ++i) {
    rocksdb::WriteBatch batch;
    // What looks most like a secret.
    EXPECT_TRUE(rocks::begin_batch(batch, std::string(rocks::kSecretBytes, 'A')).ok());
    EXPECT_TRUE(batch.Put(key("kforged").bytes, std::string(8, '\1') + "forged").ok());
    writer.add(numbered(batch.Data(), 1'000'000 + i));
  }
  EXPECT_TRUE(writer.finish());
  return contents(scratch);
}

class LogInAValue : public testing::TestWithParam<size_t> {
 protected:
  static constexpr size_t kAcknowledged = 8;
  static void fill(Engine& engine) {
    for (size_t i = 0; i < kAcknowledged; ++i) put(engine, "k" + std::to_string(i), std::string(200, 'v'));
    usleep(50'000);  // WITNESS knows them
  }
  // What a kill leaves in the midst of a write of `value`, but for the last byte of it.
  fs::path cut_in_write(const std::string& value) {
    const auto engine = open_store(alive());
    fill(*engine.value());
    fs::copy_file(alive() / "WITNESS", path("WITNESS"));
    put(*engine.value(), "klast", value);
    copy_store(alive(), path("killed"));
    fs::copy_file(path("WITNESS"), path("killed") / "WITNESS", fs::copy_options::overwrite_existing);
    const fs::path log = newest_log(path("killed"));
    fs::resize_file(log, fs::file_size(log) - 1);
    return path("killed");
  }
  fs::path alive() const { return path("alive"); }
  fs::path path(const char* name) const { return root_.path() / name; }
  std::string forged() const {
    return std::string(GetParam(), 'v') + forged_log(path("forged")) + std::string(20, 'v');
  }
  SalvageReport salvage(const fs::path& store) {
    fs::remove_all(path("saved"));
    const auto report = salvage_rocksdb_store(store.string(), path("saved").string());
    EXPECT_TRUE(report.ok()) << report.error().sentence();
    return report.value();
  }

  TempDirectory root_;
};

TEST_P(LogInAValue, OfAWriteThatWasCutOffIsNotRead) {
  const fs::path store = cut_in_write(forged());
  for (const bool has_witness : {true, false}) {
    copy_store(store, path("copy"));
    if (!has_witness) fs::remove(path("copy") / "WITNESS");
    EXPECT_EQ(names_in(path("copy")).size(), kAcknowledged);
  }
  EXPECT_EQ(salvage(store).records, kAcknowledged);
  EXPECT_EQ(names_in(path("saved")).size(), kAcknowledged);
  // Without it the logs' records are done again, one by one.
  fs::remove(store / "CURRENT");
  EXPECT_EQ(salvage(store).records, kAcknowledged);
}

// Whoever reads the store's files knows the secret, but what was written before is of earlier numbers.
TEST_P(LogInAValue, OfTheStoreItselfIsNotRead) {
  const auto logs = [this] {
    const auto engine = open_store(path("other"));
    fill(*engine.value());
    return contents(newest_log(path("other")));
  };
  const std::string own = logs();
  fs::rename(path("other"), alive());
  const fs::path store = cut_in_write(std::string(GetParam(), 'v') + own + std::string(20, 'v'));
  EXPECT_EQ(names_in(store).size(), kAcknowledged);
}

// Cut somewhere, and without some of its sectors.
TEST_P(LogInAValue, OfWhateverACrashLeavesIsNotRead) {
  constexpr uint64_t kSector = 512;
  SeededRandom random(seed());
  for (uint64_t i = 0; i < setting("PARTITA_DAMAGES", 6); ++i) {
    for (const char* const name : {"alive", "WITNESS", "killed"}) fs::remove_all(path(name));
    std::string value;
    for (uint64_t parts = 1 + random.below(6); parts > 0; --parts) {
      value += forged() + std::string(random.below(3000), static_cast<char>(random.below(3)));
    }
    const fs::path store = cut_in_write(value);
    const fs::path log = newest_log(store);
    const uint64_t end = fs::file_size(log);
    const uint64_t begin = rocks::read_log_file(log, rocks::LogKind::kBatches)->good_bytes;
    if (random.below(2) == 0) fs::resize_file(log, begin + random.below(end - begin));
    for (uint64_t at = begin; at < fs::file_size(log); at += kSector - at % kSector) {
      const uint64_t bytes = std::min(kSector - at % kSector, fs::file_size(log) - at);
      if (random.below(4) == 0) change_bytes(log, at, bytes, [](char) { return '\0'; });
    }
    EXPECT_EQ(salvage(store).records, kAcknowledged) << i;
    EXPECT_EQ(names_in(store).size(), kAcknowledged) << i;
  }
}

TEST_P(LogInAValue, InALogOfNothingElseIsNotRead) {
  {
    const auto engine = open_store(alive());
    fill(*engine.value());
  }
  const uint64_t number = 1 + std::stoull(newest_log(alive()).stem());
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(rocks::begin_batch(batch, witness_of(alive()).secret).ok());
  ASSERT_TRUE(batch.Put(key("klast").bytes, "12345678" + forged_log(path("forged")) + std::string(20, 'v')).ok());
  const std::string name = rocks::numbered_file(number, ".log");
  {
    rocks::LogFileWriter writer(alive() / name);
    writer.add(numbered(batch.Data(), witness_of(alive()).sequence + 1));
  }
  fs::resize_file(alive() / name, fs::file_size(alive() / name) - 1);
  EXPECT_EQ(salvage(alive()).records, kAcknowledged);
  EXPECT_EQ(names_in(alive()).size(), kAcknowledged);
}

TEST_P(LogInAValue, DamageOfItIsRefused) {
  uint64_t begin = 0;
  {
    const auto engine = open_store(alive());
    fill(*engine.value());
    begin = fs::file_size(newest_log(alive()));
    put(*engine.value(), "klast", forged());
    for (int i = 0; i < 3; ++i) put(*engine.value(), "kthen" + std::to_string(i), "v");
    copy_store(alive(), path("killed"));
  }
  change_bytes(newest_log(path("killed")), begin + 60, 1, [](char c) { return static_cast<char>(c ^ 1); });
  for (const bool has_witness : {true, false}) {
    if (!has_witness) fs::remove(path("killed") / "WITNESS");
    const auto engine = open_store(path("killed"));
    ASSERT_FALSE(engine.ok());
    EXPECT_EQ(engine.error().kind(), ErrorKind::kCorrupt);
    EXPECT_FALSE(salvage(path("killed")).losses.empty());
    EXPECT_EQ(names_in(path("saved")).size(), kAcknowledged + 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Before, LogInAValue, testing::Values(0, 40'000));

// ---- The secret of the batches.

struct Batches {
  std::set<std::string> secrets;
  size_t changing = 0;
};

void add_batches(const fs::path& log, Batches& batches) {
  const auto read = rocks::read_log_file(log, rocks::LogKind::kBatches, {}, [&](std::string_view batch) {
    const auto [first, next] = rocks::sequences_of(batch);
    if (first == next) return;
    ++batches.changing;
    batches.secrets.emplace(rocks::secret_of(batch));
  });
  ASSERT_TRUE(read.ok());
}

Batches batches_in(const fs::path& store) {
  Batches batches;
  for (const fs::path& file : files_of(store)) {
    if (file.extension() == ".log") add_batches(file, batches);
  }
  return batches;
}

TEST(BatchSecret, IsInEveryBatchOfAllOpenings) {
  TempDirectory root;
  std::set<std::string> expected;
  for (int opening = 0; opening < 3; ++opening) {
    const auto engine = open_store(root.path() / "alive");
    for (int i = 0; i < 5; ++i) put(*engine.value(), "k" + std::to_string(i), "v");
    append(*engine.value(), "t", "entry");
    erase(*engine.value(), "k1");
    transact(*engine.value(), {}, [](auto, Changes& changes) {
      for (int i = 0; i < 20; ++i) changes.put(key("big" + std::to_string(i)), std::string(1'000'000, 'v'));
      return Decision::kCommit;
    });
    put(*engine.value(), "k1", "after what was too large to be kept");
    ASSERT_TRUE(wait_for(engine.value()->erase_range({"k2", "k3"})).ok());
    ASSERT_TRUE(wait_for(engine.value()->trim_log("t", log_end(*engine.value(), "t"))).ok());
    copy_store(root.path() / "alive", root.path() / "killed");
    expected = {witness_of(root.path() / "killed").secret};
    const Batches batches = batches_in(root.path() / "killed");
    EXPECT_EQ(batches.secrets, expected);
    EXPECT_GE(batches.changing, 10U);
  }
  EXPECT_EQ(expected.begin()->size(), rocks::kSecretBytes);
  EXPECT_TRUE(open_store(root.path() / "another").ok());
  EXPECT_NE(witness_of(root.path() / "another").secret, *expected.begin());
}

// Leaves the store as a version without secrets did.
void make_older(const fs::path& store) {
  rocks::DurabilityRecord record = witness_of(store);
  record.secret.clear();
  record.secret_since = 0;
  fs::remove(store / "WITNESS");
  rocks::DurabilityMarker marker(store);
  ASSERT_TRUE(marker.begin(record, {}) && marker.release());
  EXPECT_EQ(contents(store / "WITNESS").substr(0, 19), "partita 2 sequence ");
  for (const fs::path& log : files_of(store)) {
    if (log.extension() != ".log") continue;
    std::vector<std::string> batches;
    ASSERT_TRUE(rocks::read_log_file(log, rocks::LogKind::kBatches, {}, [&](std::string_view batch) {
                  batches.emplace_back(batch.substr(0, rocks::kBatchHeadBytes));
                  batches.back() += batch.substr(rocks::kSecretEnd);
                }).ok());
    rocks::LogFileWriter writer(log);
    for (const std::string& batch : batches) writer.add(batch);
    ASSERT_TRUE(writer.finish());
  }
}

TEST(BatchSecret, AnOlderStoreGetsOne) {
  TempDirectory root;
  const fs::path store = root.path() / "store";
  for (int opening = 0; opening < 3; ++opening) {
    const auto engine = open_store(store);
    for (int i = 0; i < 8; ++i) {
      put(*engine.value(), "k" + std::to_string(opening) + "." + std::to_string(i), std::string(300, 'v'));
    }
  }
  ASSERT_NO_FATAL_FAILURE(make_older(store));
  EXPECT_EQ(batches_in(store).secrets, std::set<std::string>{""});
  const uint64_t older = std::stoull(newest_log(store).stem());
  EXPECT_EQ(names_in(store).size(), 24U);
  const rocks::DurabilityRecord witness = witness_of(store);
  EXPECT_EQ(witness.secret.size(), rocks::kSecretBytes);
  EXPECT_GT(witness.secret_since, older);
  EXPECT_LE(witness.secret_since, std::stoull(newest_log(store).stem()));
  EXPECT_EQ(names_in(store).size(), 24U);
  EXPECT_EQ(witness_of(store).secret, witness.secret);
  EXPECT_EQ(witness_of(store).secret_since, witness.secret_since);
  EXPECT_EQ(batches_in(store).secrets, (std::set<std::string>{"", witness.secret}));
  // What an older log has behind a bad place is still seen, were it its first record that is bad.
  for (const uint64_t at : {uint64_t{10}, fs::file_size(files_of(store).front()) / 2}) {
    const fs::path copy = root.path() / "copy";
    copy_store(store, copy);
    change_bytes(files_of(copy).front(), at, 1, [](char c) { return static_cast<char>(c ^ 1); });
    const auto engine = open_store(copy);
    ASSERT_FALSE(engine.ok()) << at;
    EXPECT_EQ(engine.error().kind(), ErrorKind::kCorrupt);
    fs::remove_all(root.path() / "saved");
    const auto report = salvage_rocksdb_store(copy.string(), (root.path() / "saved").string());
    ASSERT_TRUE(report.ok());
    EXPECT_GE(report->records, 23U) << at;
    EXPECT_FALSE(report->losses.empty());
  }
}

}  // namespace
}  // namespace partita::contract
