// What a salvage makes of damaged table files: all that is readable, and of each record its newest version or nothing.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "base/random.h"
#include "contract.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "engines/rocksdb/table_block.h"
#include "store_directory.h"

namespace partita::contract {
namespace {

using namespace storage;
namespace fs = std::filesystem;

// Half of them are more than the 8 MB that closing a store writes into tables.
constexpr int kRecords = 6000;
// A data block has about 16 KiB, with some entries of a few KB more.
constexpr size_t kRecordsInABlock = 12;

// Some values can be compressed, so that there are blocks of both kinds.
std::string value_of_record(int i, int version, SeededRandom& random) {
  std::string value = std::to_string(i) + "." + std::to_string(version) + ".";
  const bool random_bytes = i % 3 == 0;
  while (value.size() < 4000) value.push_back(static_cast<char>(random_bytes ? random.below(256) : 'a' + i % 7));
  return value;
}

std::string name_of_record(int i) {
  const std::string digits = std::to_string(i);
  return "k" + std::string(5 - digits.size(), '0') + digits;
}

using RecordMap = std::map<std::string, std::string>;

void write_records(Engine& engine, int from, int to, int step, int version, SeededRandom& random, RecordMap& records) {
  for (int at = from; at < to; at += 50 * step) {
    std::vector<std::pair<std::string, std::string>> some;
    for (int i = at; i < std::min(to, at + 50 * step); i += step) {
      some.emplace_back(name_of_record(i), value_of_record(i, version, random));
    }
    transact(engine, {}, [&](auto, Changes& changes) {
      for (const auto& [name, value] : some) changes.put(key(name), value);
      return Decision::kCommit;
    });
    for (auto& [name, value] : some) records[name] = std::move(value);
  }
}

class SalvageTest : public testing::Test {
 protected:
  fs::path store() const { return root_.path() / "store"; }
  fs::path saved() const { return root_.path() / "saved"; }

  // Closed, it has all of it in tables.
  void make_store() {
    const auto engine = open_store(store());
    write_records(*engine.value(), 0, kRecords, 1, 0, random_, records_);
  }
  std::vector<fs::path> tables() const {
    std::vector<fs::path> found;
    for (const fs::path& file : files_of(store())) {
      if (file.extension() == ".sst" && fs::file_size(file) > 1'000'000) found.push_back(file);
    }
    return found;
  }
  static void flip(const fs::path& file, uint64_t at) {
    change_bytes(file, at, 1, [](char c) { return static_cast<char>(c ^ 0x55); });
  }
  static void zero(const fs::path& file, uint64_t at, uint64_t bytes) {
    change_bytes(file, at, bytes, [](char) { return '\0'; });
  }
  static void spoil_footer(const fs::path& file) { flip(file, fs::file_size(file) - 1); }

  SalvageReport salvage() {
    fs::remove_all(saved());
    auto report = salvage_rocksdb_store(store().string(), saved().string());
    EXPECT_TRUE(report.ok()) << report.error().sentence();
    return report.ok() ? std::move(*report) : SalvageReport{};
  }
  RecordMap saved_records() const {
    const auto engine = open_store(saved());
    EXPECT_TRUE(engine.ok());
    RecordMap found;
    const Page page = scan(*engine.value(), {"k", "l"}, Direction::kAscending);
    for (size_t i = 0; i < page.size(); ++i) found[std::string(page[i].key)] = page[i].value;
    return found;
  }
  // All but at most `lost` records, and each as it was written last.
  void expect_saved_but(size_t lost) {
    const RecordMap found = saved_records();
    EXPECT_GE(found.size() + lost, records_.size());
    for (const auto& [name, value] : found) {
      const auto written = records_.find(name);
      ASSERT_NE(written, records_.end()) << name;
      EXPECT_EQ(value, written->second) << name << " is another version";
    }
  }

  TempDirectory root_;
  SeededRandom random_{seed()};
  RecordMap records_;
};

TEST_F(SalvageTest, KeepsWhatIsBetweenTwoDamagedBlocks) {
  make_store();
  ASSERT_FALSE(tables().empty());
  const fs::path table = tables().front();
  for (const double at : {0.1, 0.9}) flip(table, static_cast<uint64_t>(static_cast<double>(fs::file_size(table)) * at));
  const SalvageReport report = salvage();
  ASSERT_EQ(report.losses.size(), 1u);
  EXPECT_TRUE(report.losses[0].starts_with("2 of ")) << report.losses[0];
  EXPECT_EQ(report.ranges.size(), 2u);
  EXPECT_LT(saved_records().size(), records_.size());
  expect_saved_but(2 * kRecordsInABlock);
}

TEST_F(SalvageTest, NeedsNoIndexAndNoFooter) {
  make_store();
  for (const fs::path& table : tables()) spoil_footer(table);
  const SalvageReport report = salvage();
  EXPECT_TRUE(report.losses.empty()) << report.losses[0];
  expect_saved_but(0);
}

TEST_F(SalvageTest, NeedsNoIndexToGoOnBehindADamagedBlock) {
  make_store();
  const fs::path table = tables().front();
  zero(table, fs::file_size(table) - 20'000, 20'000);
  int blocks = 0;
  for (uint64_t at = 700'000; at < fs::file_size(table) - 700'000; at += 1'500'000) {
    blocks % 2 == 0 ? flip(table, at) : zero(table, at, 300);
    ++blocks;
  }
  ASSERT_GE(blocks, 2);
  const SalvageReport report = salvage();
  EXPECT_FALSE(report.losses.empty());
  expect_saved_but(static_cast<size_t>(blocks + 1) * kRecordsInABlock);
}

// The second table has newer versions of some records, and says that others are erased.
TEST_F(SalvageTest, TakesNoOlderVersionForTheNewest) {
  make_store();
  const std::vector<fs::path> older = tables();
  {
    const auto engine = open_store(store());
    write_records(*engine.value(), 0, kRecords, 2, 1, random_, records_);
    for (int i = 1; i < kRecords; i += 100) {
      erase(*engine.value(), name_of_record(i));
      records_.erase(name_of_record(i));
    }
  }
  for (const bool has_index : {true, false}) {
    for (const fs::path& table : tables()) {
      if (std::ranges::find(older, table) != older.end()) continue;
      for (const double at : {0.2, 0.5, 0.7}) {
        if (has_index) flip(table, static_cast<uint64_t>(static_cast<double>(fs::file_size(table)) * at));
      }
      if (!has_index) spoil_footer(table);
    }
    const SalvageReport report = salvage();
    EXPECT_FALSE(report.losses.empty());
    // Those of the blocks, and around them what the damaged store cannot say either once there is no index.
    expect_saved_but(has_index ? 3 * kRecordsInABlock + 20 : 12 * kRecordsInABlock);
  }
}

// Two tables share all of the range of keys, and each has gaps where the other has records.
TEST_F(SalvageTest, NeedsNoListToTellWhatATableHolds) {
  {
    const auto engine = open_store(store());
    write_records(*engine.value(), 0, kRecords, 2, 0, random_, records_);
  }
  {
    const auto engine = open_store(store());
    write_records(*engine.value(), 1, kRecords, 2, 0, random_, records_);
    write_records(*engine.value(), 0, kRecords, 10, 1, random_, records_);
  }
  ASSERT_EQ(tables().size(), 2u);
  constexpr int kGaps = 12;
  for (const fs::path& table : tables()) {
    for (int i = 1; i <= kGaps; ++i) flip(table, fs::file_size(table) * static_cast<uint64_t>(i) / (kGaps + 1));
  }
  salvage();
  expect_saved_but(2 * kGaps * kRecordsInABlock);
  const size_t with_list = saved_records().size();
  for (const fs::path& file : files_of(store())) {
    if (file.filename().string().starts_with("MANIFEST-")) flip(file, fs::file_size(file) / 2);
  }
  for (const bool has_footer : {true, false}) {
    for (const fs::path& table : tables()) {
      if (!has_footer) spoil_footer(table);
    }
    salvage();
    expect_saved_but(records_.size());
    // A filter affirms one of a hundred keys that it does not hold.
    EXPECT_GE(saved_records().size() + kGaps, with_list);
  }
}

// Without WITNESS, a list that lost its newest records looks whole.
TEST_F(SalvageTest, TrustsNoListThatDoesNotFitItsFiles) {
  make_store();
  const size_t older = tables().size();
  {
    const auto engine = open_store(store());
    write_records(*engine.value(), 0, kRecords, 1, 1, random_, records_);
  }
  ASSERT_GT(tables().size(), older);
  fs::remove(store() / "WITNESS");
  for (const double lost : {0.02, 0.2, 0.5}) {
    for (const fs::path& file : files_of(store())) {
      const auto bytes = static_cast<uint64_t>(static_cast<double>(fs::file_size(file)) * lost);
      if (file.filename().string().starts_with("MANIFEST-")) zero(file, fs::file_size(file) - bytes, bytes);
    }
    EXPECT_FALSE(salvage().losses.empty());
    expect_saved_but(0);
  }
}

TEST_F(SalvageTest, LeavesErasedRangesErased) {
  make_store();
  {
    const auto engine = open_store(store());
    ASSERT_TRUE(wait_for(engine.value()->erase_range({"k01000", "k02000"})).ok());
    std::erase_if(records_, [](const auto& one) { return one.first >= "k01000" && one.first < "k02000"; });
    write_records(*engine.value(), 2000, kRecords, 1, 1, random_, records_);
  }
  for (const bool has_index : {true, false}) {
    for (const fs::path& table : tables()) {
      if (!has_index) spoil_footer(table);
    }
    if (!has_index) fs::remove(store() / "CURRENT");
    salvage();
    expect_saved_but(0);
  }
}

// A value may hold a whole block, which nobody takes for one of the table's.
TEST_F(SalvageTest, ReadsNoBlockThatAValueHolds) {
  const fs::path other = root_.path() / "other";
  {
    const auto engine = open_store(other);
    transact(*engine.value(), {}, [&](auto, Changes& changes) {
      // More than one block of them.
      for (int i = 0; i < 300; ++i) changes.put(key("k01500forged" + std::to_string(i)), std::string(100, 'f'));
      for (int i = 0; i < 10; ++i) changes.put(key("z" + std::to_string(i)), std::string(1'000'000, 'z'));
      return Decision::kCommit;
    });
  }
  std::string forged;
  for (const fs::path& file : files_of(other)) {
    const std::string bytes = file.extension() == ".sst" ? contents(file) : std::string();
    const auto length = rocks::block_length(bytes);
    auto content = length ? rocks::unpack_block(bytes.substr(0, *length + rocks::kBlockTrailerBytes)) : std::nullopt;
    if (!content) continue;
    rocks::BlockReader block(std::move(*content));
    // Its keys are between those around the value that will hold it, so that only its place tells it from a true one.
    if (block.next() && block.key().find("k01500forged") != std::string_view::npos) {
      forged = bytes.substr(0, *length + rocks::kBlockTrailerBytes);
    }
  }
  ASSERT_FALSE(forged.empty());
  {
    const auto engine = open_store(store());
    write_records(*engine.value(), 0, kRecords, 1, 0, random_, records_);
    std::string& value = records_["k01500"];
    const auto add_noise = [&] {
      for (int i = 0; i < 30'000; ++i) value.push_back(static_cast<char>(random_.below(256)));
    };
    value.clear();
    add_noise();
    value += forged;
    add_noise();
    put(*engine.value(), "k01500", value);
  }
  size_t found = 0;
  for (const fs::path& table : tables()) {
    const size_t at = contents(table).find(forged);
    if (at == std::string::npos) continue;
    ++found;
    // Nothing shows where the block ends that holds it.
    zero(table, at - 50'000, 49'000);
    spoil_footer(table);
  }
  ASSERT_EQ(found, 1u);
  salvage();
  expect_saved_but(4 * kRecordsInABlock);
}

}  // namespace
}  // namespace partita::contract
