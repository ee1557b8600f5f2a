#include "engines/rocksdb/log_file.h"

#include <gtest/gtest.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engines/rocksdb/wal_batch.h"

namespace partita::rocks {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kBlockBytes = 32'768;
constexpr uint64_t kHeadBytes = 7;
constexpr uint64_t kSectorBytes = 512;
const std::string kSecret(kSecretBytes, 's');
const std::string kOther(kSecretBytes, 'o');

std::string numbered(const rocksdb::WriteBatch& batch, uint64_t sequence) {
  std::string bytes = batch.Data();
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(sequence >> (8 * i));
  return bytes;
}

// A batch of one change and of this many bytes.
std::string batch_of(uint64_t sequence, std::string_view secret, size_t bytes = 100, size_t zeros_at_end = 0) {
  for (size_t value_bytes = bytes;; --value_bytes) {
    rocksdb::WriteBatch batch;
    if (!secret.empty()) {
      EXPECT_TRUE(begin_batch(batch, secret).ok());
    }
    std::string value(value_bytes, 'v');
    std::fill(value.end() - static_cast<ptrdiff_t>(std::min(zeros_at_end, value_bytes)), value.end(), '\0');
    EXPECT_TRUE(batch.Put("k", value).ok());
    if (batch.Data().size() == bytes) return numbered(batch, sequence);
    EXPECT_GT(batch.Data().size(), bytes);
  }
}

class LogFileTest : public testing::Test {
 protected:
  LogFileTest() { fs::remove(file_); }
  ~LogFileTest() override { fs::remove(file_); }

  void write(const std::vector<std::string>& batches) {
    fs::remove(file_);
    LogFileWriter writer(file_);
    for (const std::string& batch : batches) writer.add(batch);
    ASSERT_TRUE(writer.finish());
  }
  void set(uint64_t at, const std::string& bytes) {
    std::fstream stream(file_, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(at));
    stream << bytes;
  }
  LogFile read(const LogExpectation& known = {}) {
    passed_.clear();
    const auto log = read_log_file(file_, LogKind::kBatches, known,
                                   [this](std::string_view batch) { passed_.push_back(sequences_of(batch).first); });
    EXPECT_TRUE(log.ok());
    return log.value();
  }

  const fs::path file_ = fs::path(testing::TempDir()) / "partita-log-file-test.log";
  std::vector<uint64_t> passed_;
};

// Where the second batch of 100 bytes is, in its bytes.
constexpr uint64_t kInTheFirst = kHeadBytes + 50;
constexpr uint64_t kInTheSecond = kHeadBytes + 100 + kInTheFirst;

TEST_F(LogFileTest, BehindABadPlaceABatchBeginsWithTheSecret) {
  write({batch_of(1, kSecret), batch_of(2, kSecret), batch_of(3, kSecret)});
  set(kInTheSecond, "!");
  EXPECT_TRUE(read().readable_behind);
  EXPECT_EQ(passed_, (std::vector<uint64_t>{1, 3}));
  for (const std::string& secret : {kOther, std::string()}) {
    write({batch_of(1, kSecret), batch_of(2, kSecret), batch_of(3, secret)});
    set(kInTheSecond, "!");
    EXPECT_FALSE(read().readable_behind);
    EXPECT_EQ(passed_, std::vector<uint64_t>{1});
  }
}

// Its first frame ends with its block.
TEST_F(LogFileTest, ABatchThatBeginsAtTheEndOfABlockIsSeen) {
  for (uint64_t room = 0; room < 50; ++room) {
    const uint64_t second = kBlockBytes - room - 2 * kHeadBytes - 100;
    for (const std::string& secret : {kSecret, kOther}) {
      write({batch_of(1, kSecret), batch_of(2, kSecret, second), batch_of(3, secret)});
      set(kInTheSecond, "!");
      EXPECT_EQ(read().readable_behind, secret == kSecret) << room;
    }
  }
}

TEST_F(LogFileTest, WithoutAWholeBatchWhatIsKnownCounts) {
  for (const std::string& secret : {kSecret, kOther, std::string()}) {
    write({batch_of(11, kSecret), batch_of(12, secret)});
    set(kInTheFirst, "!");
    EXPECT_EQ(read({kSecret}).readable_behind, secret == kSecret);
    EXPECT_TRUE(read().readable_behind);
    EXPECT_EQ(read({secret, 12}).readable_behind, true);
    EXPECT_EQ(read({secret, 13}).readable_behind, false) << "it was written before";
    EXPECT_EQ(read({secret, 13}).next_sequence, 0U);
  }
}

// Not what is known: another program wrote them.
TEST_F(LogFileTest, TheBatchesSayWhatTheyBeginWith) {
  write({batch_of(1, ""), batch_of(2, ""), batch_of(3, "")});
  set(kInTheSecond, "!");
  EXPECT_TRUE(read({kSecret}).readable_behind);
  write({batch_of(1, kOther), batch_of(2, kOther), batch_of(3, kOther)});
  set(kInTheSecond, "!");
  EXPECT_TRUE(read({kSecret}).readable_behind);
}

TEST_F(LogFileTest, RocksDbsOwnBatchHasNoSecretAndChangesNothing) {
  const std::string own = numbered(rocksdb::WriteBatch(), 2);
  for (const std::string& secret : {kSecret, std::string()}) {
    write({batch_of(1, kSecret), own, batch_of(2, kSecret), batch_of(3, secret)});
    set(kInTheSecond + kHeadBytes + own.size(), "!");
    EXPECT_EQ(read().readable_behind, !secret.empty());
    EXPECT_EQ(read().records, 2U);
  }
}

// ---- The end of a log.

void expect_last(const LogFile& log, uint64_t begin, bool altered, const std::string& what) {
  EXPECT_EQ(log.good_bytes, begin) << what;
  EXPECT_EQ(log.altered_end, altered) << what;
}

TEST_F(LogFileTest, AFewZerosAtItsEndWereWritten) {
  const uint64_t begin = kHeadBytes + 100;
  for (uint64_t in_last_sector = 1; in_last_sector <= 20; ++in_last_sector) {
    const uint64_t end = 4 * kSectorBytes + in_last_sector;
    write({batch_of(1, kSecret), batch_of(2, kSecret, end - begin - kHeadBytes, 30)});
    ASSERT_TRUE(read().clean());
    set(begin + 300, "!");
    expect_last(read(), begin, in_last_sector < 8, std::to_string(in_last_sector) + " zeros in the last sector");
  }
}

TEST_F(LogFileTest, AMissingSectorIsSeenAtBothEndsAndBetween) {
  for (uint64_t in_sector = 1; in_sector <= kSectorBytes; ++in_sector) {
    const uint64_t begin = 2 * kSectorBytes - in_sector;
    write({batch_of(1, kSecret, begin - kHeadBytes), batch_of(2, kSecret, 3 * kSectorBytes - kHeadBytes)});
    set(begin, std::string(in_sector, '\0'));
    if (!read().clean()) expect_last(read(), begin, false, "the first " + std::to_string(in_sector));
    set(begin, std::string(in_sector, '\1'));
    expect_last(read(), begin, true, "altered");
  }
  const uint64_t begin = kHeadBytes + 100;
  for (const uint64_t at : {kSectorBytes, 2 * kSectorBytes, 3 * kSectorBytes}) {
    write({batch_of(1, kSecret), batch_of(2, kSecret, 3 * kSectorBytes - kHeadBytes)});
    set(at, std::string(std::min(kSectorBytes, begin + 3 * kSectorBytes - at), '\0'));
    expect_last(read(), begin, false, "the sector at " + std::to_string(at));
    set(at, "!");
    expect_last(read(), begin, true, "altered");
  }
}

}  // namespace
}  // namespace partita::rocks
