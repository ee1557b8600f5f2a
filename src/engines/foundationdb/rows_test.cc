#include "engines/foundationdb/rows.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace partita::foundationdb {
namespace {

using namespace storage;

// Short and of few bytes, so that many begin alike.
std::string some_key(Random& random) {
  constexpr std::string_view kLetters("\0\1\x7f\x80\xff", 5);
  std::string key;
  for (uint64_t left = random.below(12); left > 0; --left) key.push_back(kLetters[random.below(kLetters.size())]);
  return key;
}

bool is_in(const Range& range, const std::string& key) {
  return key >= range.begin && (range.end.empty() || key < range.end);
}

TEST(Rows, SlicesKeepTheOrderOfRecordsAndStayApart) {
  SeededRandom random(7);
  const RowKeys names("x");
  for (int i = 0; i < 100'000; ++i) {
    const std::string one = some_key(random);
    const std::string other = some_key(random);
    const auto number = static_cast<uint16_t>(random.below(UINT16_MAX));
    const std::string slice = names.slice(one, number);
    EXPECT_TRUE(is_in(names.slices(one), slice));
    EXPECT_EQ(one == other, is_in(names.slices(other), slice));
    EXPECT_EQ(one < other, slice < names.slice(other, 0) && one != other);
    const Range range{other, some_key(random)};
    if (!range.end.empty() && range.end <= range.begin) continue;
    EXPECT_EQ(is_in(range, one), is_in(names.slices(range), slice));
    EXPECT_EQ(is_in(range, one), is_in(names.records(range), names.record(one)));
  }
}

TEST(Rows, SlicesOfOneRecordAreInOrder) {
  const RowKeys names("x");
  for (uint16_t i = 0; i < 1'000; ++i) EXPECT_LT(names.slice("k", i), names.slice("k", i + 1));
}

TEST(Rows, APackedKeyIsAsLongAsToldAndHasNoZero) {
  SeededRandom random(7);
  for (size_t size = 0; size < 100; ++size) {
    std::string key;
    while (key.size() < size) key.push_back(static_cast<char>(random.below(256)));
    std::string packed;
    append_packed(packed, key);
    EXPECT_EQ(packed.size(), packed_size(size));
    EXPECT_EQ(packed.find('\0'), std::string::npos);
  }
}

TEST(Rows, EntriesAreInTheirTopicBehindTheirPositions) {
  const RowKeys names("x");
  size_t at = 0;
  std::string first = names.entry("t", 0, 5, 0, at);
  first.replace(at, 10, "0123456789");
  const Position position = names.position_in(first);
  std::string last_slice = names.entry("t", 0, 5, 3, at);
  last_slice.replace(at, 10, "0123456789");
  std::string next = names.entry("t", 0, 6, 0, at);
  next.replace(at, 10, "0123456789");
  EXPECT_EQ(names.position_in(last_slice), position);
  EXPECT_EQ(names.slice_in(last_slice), 3);
  EXPECT_LT(position, names.position_in(next));
  for (const std::string& row : {first, last_slice}) {
    EXPECT_TRUE(is_in(names.entries("t"), row));
    EXPECT_TRUE(is_in(names.entries_upto("t", position), row));
    EXPECT_FALSE(is_in(names.entries_behind("t", position), row));
    EXPECT_FALSE(is_in(names.entries("tt"), row));
    EXPECT_FALSE(is_in(names.entries(""), row));
  }
  EXPECT_TRUE(is_in(names.entries_behind("t", position), next));
  EXPECT_FALSE(is_in(names.entries_upto("t", position), next));
  EXPECT_TRUE(is_in(names.entries_behind("t", Position{}), first));
  EXPECT_EQ(names.entry_at("t", position, 0), first);
  EXPECT_EQ(names.entry_at("t", position, 3), last_slice);
  std::string later = names.entry("t", 1, 0, 0, at);
  later.replace(at, 10, std::string(10, '\0'));
  EXPECT_LT(position, names.position_in(later));
  EXPECT_EQ(RowKeys::age_in(names.position_in(later)), 1);
}

TEST(Rows, RowsOfTopicsSayWhoseTheyAre) {
  const RowKeys names("x");
  size_t at = 0;
  const std::vector<std::string> topics{"", "a", "b", "aa", std::string(255, 'c')};
  for (size_t i = 0; i < topics.size(); ++i) {
    const std::string entry = names.entry(topics[i], 255, UINT32_MAX, UINT16_MAX, at);
    EXPECT_EQ(names.topic_in(entry), topics[i]);
    EXPECT_EQ(names.topic_in(names.trimmed(topics[i])), topics[i]);
    for (size_t k = 0; k < topics.size(); ++k) {
      EXPECT_EQ(is_in(names.entries_of_topics(topics[k]), entry), k < i);
      EXPECT_EQ(is_in(names.trimmed_of_topics(topics[k]), names.trimmed(topics[i])), k < i);
    }
  }
}

TEST(Rows, HeadsSayWhatRecordsAre) {
  const std::string small = make_record_header(Version{7}, "value");
  const auto header = parse_record_header(small);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->version, Version{7});
  EXPECT_EQ(header->value, "value");
  EXPECT_EQ(header->sliced_bytes, 0u);
  const std::string large(kSliceBytes + 1, 'v');
  const std::string row = make_record_header(Version{8}, large);
  const auto sliced = parse_record_header(row);
  ASSERT_TRUE(sliced);
  EXPECT_EQ(sliced->sliced_bytes, large.size());
  EXPECT_FALSE(has_slices(std::string(kSliceBytes, 'v')));
  for (const std::string& damaged : {std::string(),
                                     std::string("\1"
                                                 "1234567"),
                                     std::string("\3"
                                                 "12345678"),
                                     row + "x", row.substr(0, row.size() - 1)}) {
    EXPECT_FALSE(parse_record_header(damaged));
  }
}

}  // namespace
}  // namespace partita::foundationdb
